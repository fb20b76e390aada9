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

StringRef artefact::getGivenName(Value value) {
  StringAttr name;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function =
            dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   "obs.name");
  } else {
    for (OpOperand &use : value.getUses())
      if (isa<func::ReturnOp>(use.getOwner()))
        name = use.getOwner()
                   ->getParentOfType<func::FuncOp>()
                   .getResultAttrOfType<StringAttr>(use.getOperandNumber(),
                                                    "obs.name");
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

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
class FunctionBuilder {
public:
  explicit FunctionBuilder(func::FuncOp source) : source(source) {}
  Function build(FunctionType signature);

private:
  std::vector<Slot> getSlots(TypeRange lowered, TypeRange given);
  void addBlock(Block &block, std::vector<Step> &steps);
  Step addStep(Operation *op);
  Step addLaunch(gpu::LaunchFuncOp launch, Step step);
  Step addView(memref::ReinterpretCastOp view, Step step);
  Step addLoop(scf::ForOp loop, Step step);
  Step addWhile(scf::WhileOp loop, Step step);
  Step addIf(scf::IfOp branch, Step step);

  ValueNumber define(Value value);
  ValueNumber use(Value value);
  ValueNumber use(OpFoldResult mixed);
  ValueNumber addConstant(StringRef type, uint64_t bits);
  template <typename Range>
  ValueList useAll(const Range &range) {
    ValueList list;
    for (auto value : range)
      list.push_back(use(value));
    return list;
  }
  ValueList defineAll(ValueRange range) {
    ValueList list;
    for (Value value : range)
      list.push_back(define(value));
    return list;
  }
  ValueList useExtents(MemRefType type, ValueRange dynamic) {
    ValueList list;
    for (int64_t size : type.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        list.push_back(addConstant("index", size));
        continue;
      }
      list.push_back(use(dynamic.front()));
      dynamic = dynamic.drop_front();
    }
    return list;
  }
  ValueList useTerminator(Region &region) {
    return region.empty()
               ? ValueList()
               : useAll(region.front().getTerminator()->getOperands());
  }

  func::FuncOp source;
  Function function;
  llvm::DenseMap<Value, ValueNumber> numbers;
  std::map<std::pair<std::string, uint64_t>, ValueNumber> constants;
  llvm::StringSet<> names;
  unsigned nextName = 0;
};
} // namespace

ValueNumber FunctionBuilder::define(Value value) {
  PlanValue defined;
  defined.elementType = spellType(value.getType());
  if (auto memory = dyn_cast<MemRefType>(value.getType()))
    defined.rank = memory.getRank();
  defined.name = getGivenName(value).str();
  if (auto argument = dyn_cast<BlockArgument>(value);
      defined.name.empty() && argument &&
      argument.getOwner()->getParentOp() == source)
    defined.name = "arg" + std::to_string(argument.getArgNumber());
  while (defined.name.empty() || !names.insert(defined.name).second)
    defined.name = "v" + std::to_string(nextName++);
  function.values.push_back(std::move(defined));
  return numbers[value] = function.values.size() - 1;
}

ValueNumber FunctionBuilder::addConstant(StringRef type, uint64_t bits) {
  auto [entry, inserted] =
      constants.try_emplace({type.str(), bits}, function.values.size());
  if (inserted)
    function.values.push_back({"", type.str(), -1, true, bits});
  return entry->second;
}

ValueNumber FunctionBuilder::use(Value value) {
  value = getNamed(value);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    llvm::Expected<interpreter::Scalar> scalar =
        interpreter::Scalar::fromAttr(constant.getValue());
    if (scalar)
      return addConstant(spellType(value.getType()), scalar->bits);
    llvm::consumeError(scalar.takeError());
  }
  auto known = numbers.find(value);
  // Nothing represents this value, which an earlier step reports.
  return known == numbers.end() ? define(value) : known->second;
}

ValueNumber FunctionBuilder::use(OpFoldResult mixed) {
  if (auto value = dyn_cast<Value>(mixed))
    return use(value);
  return addConstant("index",
                     cast<IntegerAttr>(cast<Attribute>(mixed)).getInt());
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Step FunctionBuilder::addLoop(scf::ForOp loop, Step step) {
  step.kind = Step::For;
  step.text = loop.getUnsignedCmp() ? "unsigned" : "";
  step.operands = {use(loop.getLowerBound()), use(loop.getUpperBound()),
                   use(loop.getStep())};
  step.lists = {useAll(loop.getInitArgs())};
  step.inner = defineAll(loop.getBody()->getArguments());
  step.bodies.resize(1);
  addBlock(*loop.getBody(), step.bodies[0]);
  step.lists.push_back(useAll(loop.getYieldedValues()));
  return step;
}

Step FunctionBuilder::addWhile(scf::WhileOp loop, Step step) {
  step.kind = Step::While;
  step.lists = {useAll(loop.getInits())};
  step.inner = defineAll(loop.getBeforeArguments());
  step.bodies.resize(2);
  addBlock(*loop.getBeforeBody(), step.bodies[0]);
  step.operands = {use(loop.getConditionOp().getCondition())};
  step.lists.push_back(useAll(loop.getConditionOp().getArgs()));
  llvm::append_range(step.inner, defineAll(loop.getAfterArguments()));
  addBlock(*loop.getAfterBody(), step.bodies[1]);
  step.lists.push_back(useAll(loop.getYieldOp().getOperands()));
  return step;
}

Step FunctionBuilder::addIf(scf::IfOp branch, Step step) {
  step.kind = Step::If;
  step.operands = {use(branch.getCondition())};
  step.bodies.resize(2);
  for (auto [body, region] : llvm::zip(step.bodies, branch->getRegions())) {
    if (!region.empty())
      addBlock(region.front(), body);
    step.lists.push_back(useTerminator(region));
  }
  return step;
}

//===----------------------------------------------------------------------===//
// Memory and kernels
//===----------------------------------------------------------------------===//

Step FunctionBuilder::addLaunch(gpu::LaunchFuncOp launch, Step step) {
  step.kind = Step::Launch;
  step.text = launch.getKernelName().str();
  Value shared = launch.getDynamicSharedMemorySize();
  step.operands = {use(launch.getGridSizeX()),
                   use(launch.getBlockSizeX()),
                   shared ? use(shared) : addConstant("i32", 0),
                   use(launch.getGridSizeY()),
                   use(launch.getGridSizeZ()),
                   use(launch.getBlockSizeY()),
                   use(launch.getBlockSizeZ())};
  step.lists = {useAll(launch.getKernelOperands())};
  return step;
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

Step FunctionBuilder::addView(memref::ReinterpretCastOp view, Step step) {
  step.operands = {use(view.getSource())};
  step.lists = {useAll(view.getMixedSizes())};
  step.kind = Step::View;
  if (isRowByRow(view) &&
      beginsAtStart(cast<MemRefType>(view.getSource().getType())))
    return step;
  step.kind = Step::Strided;
  step.operands.push_back(use(view.getMixedOffsets().front()));
  step.lists.push_back(useAll(view.getMixedStrides()));
  return step;
}

Step FunctionBuilder::addStep(Operation *op) {
  Step step;
  step.location = formatLocation(op->getLoc());
  // The values that a loop defines follow the values of its body.
  auto finish = [&](Step made) {
    made.results = defineAll(op->getResults());
    made.number = function.numSteps++;
    return made;
  };
  auto make = [&](Step::Kind kind, ValueList operands = {},
                  std::vector<ValueList> lists = {}, StringRef text = "") {
    step.kind = kind;
    step.operands = std::move(operands);
    step.lists = std::move(lists);
    step.text = text.str();
    return step;
  };
  auto isPlain = [](MemRefType type) {
    return type.getLayout().isIdentity() && isScalarType(type.getElementType());
  };
  StringRef name = op->getName().getStringRef();
  return finish(
      TypeSwitch<Operation *, Step>(op)
          .Case([&](scf::ForOp loop) { return addLoop(loop, step); })
          .Case([&](scf::WhileOp loop) { return addWhile(loop, step); })
          .Case([&](scf::IfOp branch) { return addIf(branch, step); })
          .Case(
              [&](gpu::LaunchFuncOp launch) { return addLaunch(launch, step); })
          .Case([&](memref::ReinterpretCastOp view) {
            return addView(view, step);
          })
          .Case([&](memref::CastOp cast) {
            auto type = dyn_cast<MemRefType>(cast.getType());
            if (!type || !type.hasRank())
              return make(Step::Unsupported, {}, {}, name);
            ValueList extents;
            for (int64_t size : type.getShape())
              extents.push_back(addConstant(
                  "index", ShapedType::isDynamic(size) ? -1 : size));
            return make(Step::Cast, {use(cast.getSource())}, {extents},
                        llvm::to_string(type));
          })
          .Case([&](gpu::AllocOp alloc) {
            if (!isPlain(alloc.getType()))
              return make(Step::Unsupported, {}, {}, name);
            return make(Step::Allocate, {},
                        {useExtents(alloc.getType(), alloc.getDynamicSizes())});
          })
          .Case([&](memref::AllocaOp alloca) {
            if (!isPlain(alloca.getType()))
              return make(Step::Unsupported, {}, {}, name);
            return make(
                Step::Host, {},
                {useExtents(alloca.getType(), alloca.getDynamicSizes())});
          })
          .Case([&](gpu::DeallocOp dealloc) {
            return make(Step::Free, {use(dealloc.getMemref())});
          })
          .Case([&](gpu::MemsetOp set) {
            return make(Step::Fill, {use(set.getDst()), use(set.getValue())});
          })
          .Case([&](gpu::MemcpyOp copy) {
            return make(Step::Copy, {use(copy.getDst()), use(copy.getSrc())});
          })
          .Case([&](obs::PartOp part) {
            return make(Step::Part,
                        {use(part.getMemory()), use(part.getOffset())},
                        {useExtents(cast<MemRefType>(part.getType()),
                                    part.getExtents())});
          })
          .Case([&](memref::SubViewOp part) {
            llvm::SmallBitVector dropped = part.getDroppedDims();
            step.dropped.assign(dropped.set_bits_begin(),
                                dropped.set_bits_end());
            return make(Step::Slice, {use(part.getSource())},
                        {useAll(part.getMixedOffsets()),
                         useAll(part.getMixedSizes()),
                         useAll(part.getMixedStrides())});
          })
          .Case([&](memref::LoadOp load) {
            return make(Step::Load, {use(load.getMemref())},
                        {useAll(load.getIndices())});
          })
          .Case([&](memref::StoreOp store) {
            return make(Step::Store,
                        {use(store.getValue()), use(store.getMemref())},
                        {useAll(store.getIndices())});
          })
          .Case([&](cf::AssertOp check) {
            return make(Step::Assert, {use(check.getArg())}, {},
                        check.getMsg());
          })
          .Case([&](obs::PrintOp print) {
            return make(Step::Print, {}, {useAll(print.getValues())},
                        print.getFormat());
          })
          .Default([&](Operation *scalar) {
            bool isKnown = isa<memref::DimOp, arith::SelectOp>(scalar) ||
                           interpreter::lookupScalarOp(scalar);
            if (!isKnown)
              return make(Step::Unsupported, {}, {}, name);
            return make(Step::Let, {}, {useAll(scalar->getOperands())},
                        spellOperation(scalar));
          }));
}

void FunctionBuilder::addBlock(Block &block, std::vector<Step> &steps) {
  for (Operation &op : block.without_terminator()) {
    bool isConstant =
        isa<arith::ConstantOp>(op) && isScalarType(op.getResult(0).getType());
    bool isName =
        op.getNumResults() == 1 && getNamed(op.getResult(0)) != op.getResult(0);
    if (!isConstant && !isName)
      steps.push_back(addStep(&op));
  }
}

//===----------------------------------------------------------------------===//
// Parameters and results
//===----------------------------------------------------------------------===//

std::vector<Slot> FunctionBuilder::getSlots(TypeRange lowered,
                                            TypeRange given) {
  std::vector<Slot> slots;
  auto add = [&](const interpreter::Slot &from) {
    slots.push_back({"",
                     llvm::to_string(from.type),
                     spellType(from.elementType),
                     from.index,
                     from.isScalar,
                     {from.extents.begin(), from.extents.end()},
                     {from.bounds.begin(), from.bounds.end()}});
  };
  auto found = interpreter::getSlots(given, "parameter");
  if (found && found->size() == lowered.size()) {
    llvm::for_each(*found, add);
    return slots;
  }
  llvm::consumeError(found.takeError());
  for (auto [index, type] : llvm::enumerate(lowered)) {
    interpreter::Slot slot;
    slot.index = index;
    slot.type = slot.elementType = type;
    slot.isScalar = !isa<MemRefType>(type);
    if (auto memory = dyn_cast<MemRefType>(type)) {
      slot.elementType = memory.getElementType();
      llvm::append_range(slot.extents, memory.getShape());
      slot.bounds.assign(memory.getRank(), ShapedType::kDynamic);
    }
    add(slot);
  }
  return slots;
}

Function FunctionBuilder::build(FunctionType signature) {
  Block &body = source.getBody().front();
  Operation *terminator = body.getTerminator();
  function.name = source.getName().str();
  function.location = formatLocation(source.getLoc());
  function.returnLocation = formatLocation(terminator->getLoc());
  FunctionType type = source.getFunctionType();
  function.parameters = getSlots(type.getInputs(), signature.getInputs());
  function.results = getSlots(type.getResults(), signature.getResults());
  for (auto [argument, slot] :
       llvm::zip(body.getArguments(), function.parameters))
    slot.name = function.values[define(argument)].name;
  if (!llvm::hasSingleElement(source.getBody())) {
    // Steps are structured.
    Step step;
    step.kind = Step::Unsupported;
    step.text = terminator->getName().getStringRef().str();
    step.location = function.location;
    step.number = function.numSteps++;
    function.steps.push_back(std::move(step));
    return std::move(function);
  }
  addBlock(body, function.steps);
  function.returned = useAll(terminator->getOperands());
  return std::move(function);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Signatures artefact::getSignatures(ModuleOp module) {
  Signatures signatures;
  for (auto function : module.getOps<func::FuncOp>())
    signatures[function.getName()] = function.getFunctionType();
  return signatures;
}

Artefact artefact::build(ModuleOp module, StringRef chip,
                         const Signatures &signatures) {
  Artefact artefact;
  artefact.chip = chip.str();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    auto known = signatures.find(function.getName());
    artefact.functions.push_back(FunctionBuilder(function).build(
        known == signatures.end() ? function.getFunctionType()
                                  : known->second));
  }
  artefact.kernels = describeKernels(module);
  return artefact;
}
