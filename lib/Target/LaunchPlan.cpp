//===- LaunchPlan.cpp - What a host function does, as JSON ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow stays structured, and every value keeps one name. A scalar that
// is used once is written where it is used.
//
//===----------------------------------------------------------------------===//

#include "LaunchPlan.h"
#include "Expressions.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs;
namespace json = llvm::json;

namespace {
class FunctionPlan {
public:
  explicit FunctionPlan(func::FuncOp function) : function(function) {}
  json::Object describe();

private:
  json::Array describeBlock(Block &block);
  /// Null for what needs no step.
  std::optional<json::Object> describeOp(Operation *op);
  json::Object describeFor(scf::ForOp loop);
  json::Object describeWhile(scf::WhileOp loop);
  json::Object describeIf(scf::IfOp branch);
  json::Object describeLaunch(gpu::LaunchFuncOp launch);
  std::optional<json::Object> describeView(memref::ReinterpretCastOp view);
  std::optional<json::Object> describeScalar(Operation *op);

  std::string name(Value value);
  json::Array nameAll(ValueRange values);
  json::Array expressAll(ValueRange values);
  json::Array expressAll(ArrayRef<OpFoldResult> values);
  json::Array carry(ValueRange names, ValueRange initial);
  json::Array getExtents(MemRefType type, ValueRange dynamic);
  json::Object describeType(Type type);
  std::string express(Value value);
  void refuse(Operation *op) {
    if (unsupported.empty())
      unsupported = op->getName().getStringRef().str();
  }

  func::FuncOp function;
  llvm::DenseMap<Value, std::string> names;
  llvm::StringSet<> used;
  unsigned next = 0;
  std::string unsupported;
};
} // namespace

/// A scalar of 64 bits, or a truth value, that stands in no need of a name.
static bool isInline(Operation *op) {
  if (!op || op->getNumResults() != 1)
    return false;
  Type type = op->getResult(0).getType();
  if (isa<memref::DimOp>(op))
    return true;
  bool isWide = type.isIndex() || type.isInteger(64) || type.isInteger(1);
  return isWide && op->getDialect()->getNamespace() == "arith" &&
         op->getResult(0).hasOneUse() &&
         op->getResult(0).use_begin()->getOwner()->getBlock() == op->getBlock();
}

std::string FunctionPlan::name(Value value) {
  // A pointer to an array, or a cast of it, goes by the name of the array.
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    return name(cast.getSource());
  if (auto view = value.getDefiningOp<memref::ReinterpretCastOp>();
      view && view.getType().getRank() == 0)
    return name(getArrayFromStart(view));
  std::string &known = names[value];
  if (known.empty()) {
    known = getGivenName(value).str();
    if (auto argument = dyn_cast<BlockArgument>(value);
        known.empty() && argument &&
        argument.getOwner()->getParentOp() == function)
      known = "arg" + std::to_string(argument.getArgNumber());
    while (known.empty() || !used.insert(known).second)
      known = "v" + std::to_string(next++);
  }
  return known;
}

json::Array FunctionPlan::nameAll(ValueRange values) {
  json::Array array;
  for (Value value : values)
    array.push_back(name(value));
  return array;
}

std::string FunctionPlan::express(Value value) {
  if (isa<MemRefType>(value.getType()))
    return name(value);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (std::string text = expressConstant(constant); !text.empty())
      return text;
  Operation *op = value.getDefiningOp();
  if (!isInline(op))
    return name(value);
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return "dim(" + name(dim.getSource()) + ", " + express(dim.getIndex()) +
           ")";
  std::string text =
      expressScalar(op, [&](Value operand) { return express(operand); });
  if (text.empty())
    refuse(op);
  return text;
}

json::Array FunctionPlan::expressAll(ValueRange values) {
  json::Array array;
  for (Value value : values)
    array.push_back(express(value));
  return array;
}

json::Array FunctionPlan::expressAll(ArrayRef<OpFoldResult> values) {
  json::Array array;
  for (OpFoldResult mixed : values) {
    if (auto value = dyn_cast<Value>(mixed))
      array.push_back(express(value));
    else
      array.push_back(expressConstant(cast<Attribute>(mixed)));
  }
  return array;
}

json::Array FunctionPlan::carry(ValueRange names, ValueRange initial) {
  json::Array array;
  for (auto [inner, outer] : llvm::zip(names, initial))
    array.push_back(
        json::Object{{"name", name(inner)}, {"initial", express(outer)}});
  return array;
}

json::Array FunctionPlan::getExtents(MemRefType type, ValueRange dynamic) {
  json::Array array;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      array.push_back(std::to_string(size));
      continue;
    }
    array.push_back(express(dynamic.front()));
    dynamic = dynamic.drop_front();
  }
  return array;
}

json::Object FunctionPlan::describeType(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  Type element = memory ? memory.getElementType() : type;
  json::Object object{{"kind", memory ? "array" : "scalar"},
                      {"elementType", llvm::to_string(element)},
                      {"size", getElementBytes(element)}};
  if (memory)
    object["rank"] = memory.getRank();
  return object;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

json::Object FunctionPlan::describeFor(scf::ForOp loop) {
  json::Object step{
      {"step", "for"},
      {"name", name(loop.getInductionVar())},
      {"from", express(loop.getLowerBound())},
      {"to", express(loop.getUpperBound())},
      {"by", express(loop.getStep())},
      {"carried", carry(loop.getRegionIterArgs(), loop.getInitArgs())}};
  step["steps"] = describeBlock(*loop.getBody());
  step["next"] = expressAll(loop.getYieldedValues());
  step["results"] = nameAll(loop.getResults());
  return step;
}

json::Object FunctionPlan::describeWhile(scf::WhileOp loop) {
  json::Object step{
      {"step", "while"},
      {"carried", carry(loop.getBeforeArguments(), loop.getInits())}};
  step["test"] = describeBlock(*loop.getBeforeBody());
  step["condition"] = express(loop.getConditionOp().getCondition());
  step["passed"] = expressAll(loop.getConditionOp().getArgs());
  step["names"] = nameAll(loop.getAfterArguments());
  step["steps"] = describeBlock(*loop.getAfterBody());
  step["next"] = expressAll(loop.getYieldOp().getOperands());
  step["results"] = nameAll(loop.getResults());
  return step;
}

json::Object FunctionPlan::describeIf(scf::IfOp branch) {
  json::Object step{{"step", "if"},
                    {"condition", express(branch.getCondition())}};
  for (auto [key, values, region] :
       {std::make_tuple("then", "thenValues", &branch.getThenRegion()),
        std::make_tuple("else", "elseValues", &branch.getElseRegion())}) {
    bool isEmpty = region->empty();
    step[key] = isEmpty ? json::Array() : describeBlock(region->front());
    step[values] =
        isEmpty ? json::Array()
                : expressAll(region->front().getTerminator()->getOperands());
  }
  step["results"] = nameAll(branch.getResults());
  return step;
}

//===----------------------------------------------------------------------===//
// Memory and kernels
//===----------------------------------------------------------------------===//

json::Object FunctionPlan::describeLaunch(gpu::LaunchFuncOp launch) {
  Value shared = launch.getDynamicSharedMemorySize();
  return json::Object{{"step", "launch"},
                      {"kernel", launch.getKernelName().getValue()},
                      {"grid", express(launch.getGridSizeX())},
                      {"block", express(launch.getBlockSizeX())},
                      {"sharedBytes", shared ? express(shared) : "0"},
                      {"arguments", expressAll(launch.getKernelOperands())}};
}

/// A product: a number, and values in the order of their addresses.
using Product = std::pair<uint64_t, SmallVector<Value>>;

static Product multiply(Product a, const Product &b) {
  a.first *= b.first;
  llvm::append_range(a.second, b.second);
  llvm::sort(a.second, [](Value x, Value y) {
    return x.getAsOpaquePointer() < y.getAsOpaquePointer();
  });
  return a;
}

static Product getProduct(OpFoldResult mixed) {
  if (std::optional<int64_t> constant = getConstantIntValue(mixed))
    return {uint64_t(*constant), {}};
  auto value = cast<Value>(mixed);
  if (auto times = value.getDefiningOp<arith::MulIOp>())
    return multiply(getProduct(times.getLhs()), getProduct(times.getRhs()));
  return {1, {value}};
}

static bool beginsAtStart(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0;
}

/// A view that is row by row in fact may have a type that does not say so: its
/// strides can be numbers where extents are not.
static bool isRowByRow(memref::ReinterpretCastOp view) {
  if (view.getType().getLayout().isIdentity())
    return true;
  if (!beginsAtStart(view.getType()))
    return false;
  Product elements = {1, {}};
  auto sizes = view.getMixedSizes(), strides = view.getMixedStrides();
  for (auto [size, stride] :
       llvm::zip_equal(llvm::reverse(sizes), llvm::reverse(strides))) {
    // Nothing is ever a step away in a dimension of one.
    if (isConstantIntValue(size, 1))
      continue;
    if (getProduct(stride) != elements)
      return false;
    elements = multiply(std::move(elements), getProduct(size));
  }
  return true;
}

std::optional<json::Object>
FunctionPlan::describeView(memref::ReinterpretCastOp view) {
  if (view.getType().getRank() == 0)
    return std::nullopt;
  if (!isRowByRow(view) ||
      !beginsAtStart(cast<MemRefType>(view.getSource().getType())))
    refuse(view);
  return json::Object{{"step", "view"},
                      {"name", name(view)},
                      {"array", name(getArrayFromStart(view))},
                      {"extents", expressAll(view.getMixedSizes())}};
}

std::optional<json::Object> FunctionPlan::describeScalar(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isInline(op))
    return std::nullopt;
  std::string text;
  if (op->getNumResults() == 1)
    text = expressScalar(op, [&](Value value) { return express(value); });
  if (text.empty()) {
    refuse(op);
    return std::nullopt;
  }
  return json::Object{{"step", "let"},
                      {"name", name(op->getResult(0))},
                      {"type", llvm::to_string(op->getResult(0).getType())},
                      {"value", text}};
}

std::optional<json::Object> FunctionPlan::describeOp(Operation *op) {
  auto create = [&](StringRef step, Value result, MemRefType type,
                    ValueRange dynamic) {
    json::Object object{{"step", step},
                        {"name", name(result)},
                        {"elementType", llvm::to_string(type.getElementType())},
                        {"size", getElementBytes(type.getElementType())},
                        {"extents", getExtents(type, dynamic)}};
    return object;
  };
  using Step = std::optional<json::Object>;
  return TypeSwitch<Operation *, Step>(op)
      .Case([&](scf::ForOp loop) { return describeFor(loop); })
      .Case([&](scf::WhileOp loop) { return describeWhile(loop); })
      .Case([&](scf::IfOp branch) { return describeIf(branch); })
      .Case([&](gpu::LaunchFuncOp launch) { return describeLaunch(launch); })
      .Case([&](memref::CastOp) { return std::nullopt; })
      .Case([&](memref::ReinterpretCastOp view) { return describeView(view); })
      .Case([&](gpu::AllocOp alloc) {
        return create("allocate", alloc.getMemref(), alloc.getType(),
                      alloc.getDynamicSizes());
      })
      .Case([&](memref::AllocaOp alloca) {
        return create("host", alloca, alloca.getType(),
                      alloca.getDynamicSizes());
      })
      .Case([&](gpu::DeallocOp dealloc) {
        return json::Object{{"step", "free"},
                            {"array", name(dealloc.getMemref())}};
      })
      .Case([&](gpu::MemsetOp set) {
        return json::Object{{"step", "fill"},
                            {"array", name(set.getDst())},
                            {"value", express(set.getValue())}};
      })
      .Case([&](gpu::MemcpyOp copy) {
        return json::Object{{"step", "copy"},
                            {"array", name(copy.getDst())},
                            {"from", name(copy.getSrc())}};
      })
      .Case([&](obs::PartOp part) {
        return json::Object{
            {"step", "view"},
            {"name", name(part)},
            {"array", name(part.getMemory())},
            {"offset", express(part.getOffset())},
            {"extents",
             getExtents(cast<MemRefType>(part.getType()), part.getExtents())}};
      })
      .Case([&](memref::SubViewOp part) {
        bool isSimple = llvm::all_of(part.getMixedStrides(), [](auto stride) {
          return isConstantIntValue(stride, 1);
        });
        if (!isSimple || part.getDroppedDims().any())
          refuse(part);
        return json::Object{{"step", "part"},
                            {"name", name(part)},
                            {"array", name(part.getSource())},
                            {"offsets", expressAll(part.getMixedOffsets())},
                            {"extents", expressAll(part.getMixedSizes())}};
      })
      .Case([&](memref::LoadOp load) {
        return json::Object{{"step", "load"},
                            {"name", name(load)},
                            {"array", name(load.getMemref())},
                            {"at", expressAll(load.getIndices())}};
      })
      .Case([&](memref::StoreOp store) {
        return json::Object{{"step", "store"},
                            {"value", express(store.getValue())},
                            {"array", name(store.getMemref())},
                            {"at", expressAll(store.getIndices())}};
      })
      .Case([&](cf::AssertOp check) {
        return json::Object{{"step", "assert"},
                            {"condition", express(check.getArg())},
                            {"message", check.getMsg()}};
      })
      .Case([&](obs::PrintOp print) {
        json::Array types;
        for (Type type : print.getValues().getTypes())
          types.push_back(llvm::to_string(type));
        return json::Object{{"step", "print"},
                            {"format", print.getFormat()},
                            {"types", std::move(types)},
                            {"values", expressAll(print.getValues())}};
      })
      .Default([&](Operation *scalar) { return describeScalar(scalar); });
}

json::Array FunctionPlan::describeBlock(Block &block) {
  json::Array steps;
  for (Operation &op : block.without_terminator())
    if (std::optional<json::Object> step = describeOp(&op))
      steps.push_back(std::move(*step));
  return steps;
}

json::Object FunctionPlan::describe() {
  Block &body = function.getBody().front();
  // Steps are structured.
  if (!llvm::hasSingleElement(function.getBody()))
    refuse(body.getTerminator());
  json::Array parameters, results;
  for (BlockArgument argument : body.getArguments()) {
    json::Object parameter = describeType(argument.getType());
    parameter["name"] = name(argument);
    parameters.push_back(std::move(parameter));
  }
  json::Array steps = describeBlock(body);
  for (Value value : body.getTerminator()->getOperands()) {
    json::Object result = describeType(value.getType());
    result["value"] = express(value);
    results.push_back(std::move(result));
  }
  json::Object object{{"name", function.getName()},
                      {"parameters", std::move(parameters)},
                      {"results", std::move(results)}};
  if (unsupported.empty())
    object["steps"] = std::move(steps);
  else
    object["unsupported"] = unsupported;
  return object;
}

json::Object obs::describeFunction(func::FuncOp function) {
  return FunctionPlan(function).describe();
}
