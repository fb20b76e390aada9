//===- Build.cpp - Artefacts of lowered modules ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow stays structured, and each SSA value becomes a value of the
// plan. A cast of an array, and a pointer to its beginning, stand for the
// array.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Artefact/Build.h"
#include "Kernels.h"
#include "Scalars.h"

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Interpreter/Slots.h"
#include "Obsidian/Target/Chip.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::artefact;
using interpreter::formatLocation;
using interpreter::isScalarType;
namespace json = llvm::json;

StringRef artefact::getGivenName(Value value) {
  StringAttr name;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function =
            dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      name = getArgAttr<ObsDialect::NameAttrHelper>(function,
                                                    argument.getArgNumber());
  } else {
    for (OpOperand &use : value.getUses())
      if (isa<func::ReturnOp>(use.getOwner()))
        name = getResultAttr<ObsDialect::NameAttrHelper>(
            use.getOwner()->getParentOfType<func::FuncOp>(),
            use.getOperandNumber());
  }
  return name && !isWordOfExpressions(name.getValue()) ? name.getValue()
                                                       : StringRef();
}

std::string artefact::spellOperation(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    text += " " + stringifyCmpIPredicate(compare.getPredicate()).str();
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    text += " " + stringifyCmpFPredicate(compare.getPredicate()).str();
  if (auto narrow = dyn_cast<arith::TruncFOp>(op))
    if (auto mode = narrow.getRoundingmode())
      text += " " + stringifyRoundingMode(*mode).str();
  return text;
}

static std::string spellType(Type type) {
  if (auto memory = dyn_cast<MemRefType>(type))
    type = memory.getElementType();
  return llvm::to_string(type);
}

static bool beginsAtStart(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0;
}

/// The array for which `value` is another name. `value` is a cast that is
/// always valid, or a pointer to the beginning of an array that begins where
/// its memory begins.
static Value getNamed(Value value) {
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    if (auto from = dyn_cast<MemRefType>(cast.getSource().getType()),
        to = dyn_cast<MemRefType>(cast.getType());
        from && to && from.getRank() == to.getRank() &&
        llvm::all_of(llvm::zip(from.getShape(), to.getShape()), [](auto pair) {
          auto [have, need] = pair;
          return have == need || ShapedType::isDynamic(need);
        }))
      return getNamed(cast.getSource());
  if (auto view = value.getDefiningOp<memref::ReinterpretCastOp>())
    if (view.getType().getRank() == 0 &&
        isConstantIntValue(view.getMixedOffsets().front(), 0) &&
        beginsAtStart(cast<MemRefType>(view.getSource().getType())))
      return getNamed(view.getSource());
  return value;
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

/// The type of a view in row-major order may not show this order: its strides
/// may be numbers although its extents are not.
static bool isRowByRow(memref::ReinterpretCastOp view) {
  if (view.getType().getLayout().isIdentity())
    return true;
  if (!beginsAtStart(view.getType()))
    return false;
  Product elements = {1, {}};
  auto sizes = view.getMixedSizes(), strides = view.getMixedStrides();
  for (auto [size, stride] :
       llvm::zip_equal(llvm::reverse(sizes), llvm::reverse(strides))) {
    // A dimension of extent 1 has one index, so its stride does not matter.
    if (isConstantIntValue(size, 1))
      continue;
    if (getProduct(stride) != elements)
      return false;
    elements = multiply(std::move(elements), getProduct(size));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The type of a parameter, a result or another value; a scalar has rank -1.
static json::Object describeType(StringRef elementType, int64_t rank) {
  json::Object object{{"kind", rank < 0 ? "scalar" : "array"},
                      {"elementType", elementType.str()},
                      {"size", getElementBytes(elementType)}};
  if (rank >= 0)
    object["rank"] = rank;
  return object;
}

namespace {
/// Writes the contract of a function.
class FunctionBuilder {
public:
  explicit FunctionBuilder(func::FuncOp source) : source(source) {}

  json::Object build(FunctionType signature) {
    Block &body = source.getBody().front();
    Operation *terminator = body.getTerminator();
    FunctionType type = source.getFunctionType();
    json::Array parameters = addSlots(type.getInputs(), signature.getInputs());
    json::Array results = addSlots(type.getResults(), signature.getResults());
    for (auto [argument, parameter] :
         llvm::zip(body.getArguments(), parameters))
      (*parameter.getAsObject())["name"] = define(argument);
    json::Array steps;
    if (llvm::hasSingleElement(source.getBody())) {
      steps = addBlock(body);
      for (auto [value, result] : llvm::zip(terminator->getOperands(), results))
        (*result.getAsObject())["value"] = use(value);
    } else {
      // Steps are structured.
      fail(terminator);
    }
    json::Object object{
        {"name", json::fixUTF8(source.getName())},
        {"location", json::fixUTF8(formatLocation(source.getLoc()))},
        {"parameters", std::move(parameters)},
        {"results", std::move(results)}};
    if (unsupported) {
      object["unsupported"] = unsupported->getName().getStringRef().str();
      return object;
    }
    object["returnLocation"] =
        json::fixUTF8(formatLocation(terminator->getLoc()));
    object["values"] = std::move(values);
    object["steps"] = std::move(steps);
    return object;
  }

  /// The first operation that no step corresponds to; null if there is none.
  Operation *getUnsupported() const { return unsupported; }

private:
  json::Object fail(Operation *op) {
    unsupported = unsupported ? unsupported : op;
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Gives a name to `value`.
  std::string define(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isParameter = argument && argument.getOwner()->getParentOp() == source;
    std::string name = json::fixUTF8(getGivenName(value));
    if (name.empty() && isParameter)
      name = "arg" + std::to_string(argument.getArgNumber());
    while (name.empty() || !names.insert(name).second)
      name = "v" + std::to_string(nextName++);
    if (!isParameter) {
      auto memory = dyn_cast<MemRefType>(value.getType());
      values.push_back(describeType(spellType(value.getType()),
                                    memory ? memory.getRank() : -1));
      (*values.back().getAsObject())["name"] = name;
    }
    return known[value] = name;
  }
  std::string use(Value value) {
    value = getNamed(value);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      llvm::Expected<interpreter::Scalar> scalar =
          interpreter::Scalar::fromAttr(constant.getValue());
      if (scalar)
        return expressConstant(spellType(value.getType()), scalar->bits);
      llvm::consumeError(scalar.takeError());
    }
    // An operation that no step corresponds to has no value here.
    return known.lookup(value);
  }
  std::string use(OpFoldResult mixed) {
    auto value = dyn_cast<Value>(mixed);
    return value ? use(value) : std::to_string(*getConstantIntValue(mixed));
  }
  template <typename Range>
  json::Array useAll(const Range &range) {
    return json::Array(
        llvm::map_range(range, [&](auto value) { return use(value); }));
  }
  json::Array defineAll(ValueRange range) {
    return json::Array(
        llvm::map_range(range, [&](Value value) { return define(value); }));
  }
  json::Array useExtents(MemRefType type, ValueRange dynamic) {
    return useAll(getMixedValues(type.getShape(), dynamic, type.getContext()));
  }
  static json::Array getTypes(ValueRange range) {
    return json::Array(llvm::map_range(range.getTypes(), spellType));
  }

  json::Array addSlots(TypeRange lowered, TypeRange given) {
    llvm::Expected<std::vector<interpreter::Slot>> slots =
        interpreter::getSlots(given, "parameter");
    if (!slots || slots->size() != lowered.size()) {
      llvm::consumeError(slots.takeError());
      slots = interpreter::getSlots(lowered, "parameter");
    }
    json::Array array;
    if (!slots) {
      llvm::consumeError(slots.takeError());
      fail(source);
      return array;
    }
    for (const interpreter::Slot &slot : *slots) {
      json::Object object =
          describeType(spellType(slot.elementType),
                       slot.isScalar ? -1 : slot.extents.size());
      object["type"] = llvm::to_string(slot.type);
      object["index"] = slot.index;
      for (auto [key, numbers] :
           {std::make_pair("extents", &slot.extents), {"bounds", &slot.bounds}})
        if (!slot.isScalar)
          object[key] = json::Array(llvm::map_range(*numbers, [](int64_t n) {
            return n < 0 ? json::Value(nullptr) : json::Value(n);
          }));
      array.push_back(std::move(object));
    }
    return array;
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  /// The values with which a loop begins, under their names in the loop.
  json::Array carry(ValueRange initial, ValueRange names) {
    json::Array carried;
    for (auto [value, name] : llvm::zip(initial, names))
      carried.push_back(
          json::Object{{"name", define(name)}, {"initial", use(value)}});
    return carried;
  }

  json::Object add(scf::ForOp loop) {
    json::Object step{
        {"step", "for"},
        {"from", use(loop.getLowerBound())},
        {"to", use(loop.getUpperBound())},
        {"by", use(loop.getStep())},
        {"name", define(loop.getInductionVar())},
        {"carried", carry(loop.getInitArgs(), loop.getRegionIterArgs())},
        {"steps", addBlock(*loop.getBody())},
        {"next", useAll(loop.getYieldedValues())}};
    if (loop.getUnsignedCmp())
      step["compare"] = "unsigned";
    return step;
  }

  json::Object add(scf::WhileOp loop) {
    return json::Object{
        {"step", "while"},
        {"carried", carry(loop.getInits(), loop.getBeforeArguments())},
        {"test", addBlock(*loop.getBeforeBody())},
        {"condition", use(loop.getConditionOp().getCondition())},
        {"passed", useAll(loop.getConditionOp().getArgs())},
        {"names", defineAll(loop.getAfterArguments())},
        {"steps", addBlock(*loop.getAfterBody())},
        {"next", useAll(loop.getYieldOp().getOperands())}};
  }

  json::Object add(scf::IfOp branch) {
    json::Object step{{"step", "if"},
                      {"condition", use(branch.getCondition())},
                      {"then", addBlock(*branch.thenBlock())},
                      {"thenValues", useAll(branch.thenYield().getOperands())},
                      {"else", json::Array()},
                      {"elseValues", json::Array()}};
    if (Block *block = branch.elseBlock()) {
      step["else"] = addBlock(*block);
      step["elseValues"] = useAll(branch.elseYield().getOperands());
    }
    return step;
  }

  //===--------------------------------------------------------------------===//
  // Memory and kernels
  //===--------------------------------------------------------------------===//

  json::Object add(gpu::LaunchFuncOp launch) {
    Value shared = launch.getDynamicSharedMemorySize();
    json::Object step{{"step", "launch"},
                      {"kernel", launch.getKernelName().str()},
                      {"grid", use(launch.getGridSizeX())},
                      {"block", use(launch.getBlockSizeX())},
                      {"sharedBytes", shared ? use(shared) : "0"},
                      {"arguments", useAll(launch.getKernelOperands())}};
    // Most launches have one dimension.
    for (auto [member, size] : {std::make_pair("gridY", launch.getGridSizeY()),
                                {"gridZ", launch.getGridSizeZ()},
                                {"blockY", launch.getBlockSizeY()},
                                {"blockZ", launch.getBlockSizeZ()}})
      if (std::string text = use(size); text != "1")
        step[member] = text;
    return step;
  }

  json::Object allocate(StringRef name, Operation *op, ValueRange dynamic) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    if (!type.getLayout().isIdentity() || !isScalarType(type.getElementType()))
      return fail(op);
    std::string elementType = spellType(type);
    return json::Object{{"step", name},
                        {"extents", useExtents(type, dynamic)},
                        {"elementType", elementType},
                        {"size", getElementBytes(elementType)}};
  }
  json::Object add(gpu::AllocOp alloc) {
    return allocate("allocate", alloc, alloc.getDynamicSizes());
  }
  json::Object add(memref::AllocaOp alloca) {
    return allocate("host", alloca, alloca.getDynamicSizes());
  }
  json::Object add(gpu::DeallocOp dealloc) {
    return json::Object{{"step", "free"}, {"array", use(dealloc.getMemref())}};
  }
  json::Object add(gpu::MemsetOp set) {
    return json::Object{{"step", "fill"},
                        {"array", use(set.getDst())},
                        {"value", use(set.getValue())}};
  }
  json::Object add(gpu::MemcpyOp copy) {
    return json::Object{{"step", "copy"},
                        {"array", use(copy.getDst())},
                        {"from", use(copy.getSrc())}};
  }
  json::Object add(obs::PartOp part) {
    return json::Object{{"step", "view"},
                        {"array", use(part.getMemory())},
                        {"offset", use(part.getOffset())},
                        {"extents", useExtents(cast<MemRefType>(part.getType()),
                                               part.getExtents())}};
  }
  json::Object add(memref::ReinterpretCastOp view) {
    json::Object step{{"step", "view"},
                      {"array", use(view.getSource())},
                      {"extents", useAll(view.getMixedSizes())}};
    if (isRowByRow(view) &&
        beginsAtStart(cast<MemRefType>(view.getSource().getType())))
      return step;
    step["step"] = "strided";
    step["offset"] = use(view.getMixedOffsets().front());
    step["strides"] = useAll(view.getMixedStrides());
    return step;
  }
  json::Object add(memref::SubViewOp part) {
    json::Object step{{"step", "part"},
                      {"array", use(part.getSource())},
                      {"offsets", useAll(part.getMixedOffsets())},
                      {"extents", useAll(part.getMixedSizes())},
                      {"strides", useAll(part.getMixedStrides())}};
    if (llvm::SmallBitVector dropped = part.getDroppedDims(); dropped.any())
      step["dropped"] = json::Array(dropped.set_bits());
    return step;
  }
  /// A cast that may fail.
  json::Object add(memref::CastOp cast) {
    auto type = dyn_cast<MemRefType>(cast.getType());
    if (!type)
      return fail(cast);
    json::Array extents;
    for (int64_t size : type.getShape())
      extents.push_back(
          std::to_string(ShapedType::isDynamic(size) ? -1 : size));
    return json::Object{{"step", "cast"},
                        {"array", use(cast.getSource())},
                        {"extents", std::move(extents)},
                        {"type", llvm::to_string(type)}};
  }
  json::Object add(memref::LoadOp load) {
    return json::Object{{"step", "load"},
                        {"array", use(load.getMemref())},
                        {"at", useAll(load.getIndices())}};
  }
  json::Object add(memref::StoreOp store) {
    return json::Object{{"step", "store"},
                        {"value", use(store.getValue())},
                        {"array", use(store.getMemref())},
                        {"at", useAll(store.getIndices())}};
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  json::Object add(cf::AssertOp check) {
    return json::Object{{"step", "assert"},
                        {"condition", use(check.getArg())},
                        {"message", json::fixUTF8(check.getMsg())}};
  }
  json::Object add(obs::PrintOp print) {
    return json::Object{{"step", "print"},
                        {"format", json::fixUTF8(print.getFormat())},
                        {"values", useAll(print.getValues())},
                        {"types", getTypes(print.getValues())}};
  }
  /// An operation on scalars.
  json::Object addScalar(Operation *op) {
    if (!isa<memref::DimOp, arith::SelectOp>(op) &&
        !interpreter::lookupScalarOp(op))
      return fail(op);
    std::string name = spellOperation(op);
    std::string type = spellType(op->getResult(0).getType());
    auto types = llvm::map_to_vector(op->getOperandTypes(), spellType);
    SmallVector<artefact::Operand> operands;
    for (auto [value, of] : llvm::zip(op->getOperands(), types))
      operands.push_back({use(value), of});
    json::Object step{{"step", "let"},
                      {"op", name},
                      {"operands", useAll(op->getOperands())},
                      {"of", getTypes(op->getOperands())},
                      {"type", type}};
    if (std::string text = express(name, operands, type); !text.empty())
      step["value"] = text;
    return step;
  }

  json::Array addBlock(Block &block) {
    json::Array steps;
    for (Operation &op : block.without_terminator()) {
      bool isConstant =
          isa<arith::ConstantOp>(op) && isScalarType(op.getResult(0).getType());
      bool isName = op.getNumResults() == 1 &&
                    getNamed(op.getResult(0)) != op.getResult(0);
      if (isConstant || isName)
        continue;
      json::Object step =
          TypeSwitch<Operation *, json::Object>(&op)
              .Case<scf::ForOp, scf::WhileOp, scf::IfOp, gpu::LaunchFuncOp,
                    gpu::AllocOp, memref::AllocaOp, gpu::DeallocOp,
                    gpu::MemsetOp, gpu::MemcpyOp, obs::PartOp,
                    memref::ReinterpretCastOp, memref::SubViewOp,
                    memref::CastOp, memref::LoadOp, memref::StoreOp,
                    cf::AssertOp, obs::PrintOp>(
                  [&](auto known) { return add(known); })
              .Default([&](Operation *scalar) { return addScalar(scalar); });
      // The values that a loop defines follow the values of its body.
      json::Array results = defineAll(op.getResults());
      if (op.getNumRegions() > 0 || results.size() > 1)
        step["results"] = std::move(results);
      else if (!results.empty())
        step["name"] = std::move(results.front());
      if (std::string place = formatLocation(op.getLoc()); !place.empty())
        step["location"] = json::fixUTF8(place);
      steps.push_back(std::move(step));
    }
    return steps;
  }

  func::FuncOp source;
  Operation *unsupported = nullptr;
  /// The declarations of the values that are not parameters.
  json::Array values;
  llvm::DenseMap<Value, std::string> known;
  llvm::StringSet<> names;
  unsigned nextName = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Signatures artefact::getSignatures(ModuleOp module) {
  Signatures signatures;
  for (auto function : module.getOps<func::FuncOp>())
    signatures[function.getName()] = function.getFunctionType();
  return signatures;
}

llvm::Expected<Artefact> artefact::build(ModuleOp module, StringRef chip,
                                         const Signatures &signatures) {
  Artefact artefact;
  artefact.chip = chip.str();
  artefact.kernels = describeKernels(module);
  if (canWaitForKernels(chip))
    for (Kernel &kernel : artefact.kernels)
      if (!kernel.contract.empty())
        kernel.contract["waitsForKernels"] = true;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    auto known = signatures.find(function.getName());
    FunctionBuilder builder(function);
    if (llvm::Error error =
            addFunction(artefact, builder.build(known == signatures.end()
                                                    ? function.getFunctionType()
                                                    : known->second)))
      return std::move(error);
    Function &made = artefact.functions.back();
    // The text of JSON is UTF-8. Other names can also be called.
    made.name = function.getName().str();
    if (Operation *op = builder.getUnsupported())
      made.steps.front().location = formatLocation(op->getLoc());
  }
  return artefact;
}
