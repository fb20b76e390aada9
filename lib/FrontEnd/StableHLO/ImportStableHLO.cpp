//===- ImportStableHLO.cpp - Programs of JAX as programs of obs -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of operations, and the values that they share.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSIMPORTSTABLEHLOPASS
#include "Obsidian/FrontEnd/Passes.h"

#include "Importer.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// Numbers of operands, regions or results: at least 1, or any number.
enum Count { Some = -1, Any = -2 };
/// The elements of the results: `Keeps` if their types are those of the first
/// operands, and `Moves` if also a scalar is unchanged. Operations with `Moves`
/// and `Scalars` may be in functions of elements.
enum Elements { Other, Scalars, Keeps, Moves };
} // namespace

/// An operation has `operands` operands, and `each` more for each result.
struct Importer::Entry {
  Values (Importer::*import)(OpReader &op);
  Elements elements;
  int operands, regions = 0, results = 1, each = 0;
};

const Importer::Entry *Importer::find(Operation *op) {
  static const llvm::StringMap<Entry> table = {
      {"chlo.top_k", {&Importer::importTopK, Other, 1, 0, 2}},
      {"stablehlo.associative_scan",
       {&Importer::importAssociativeScan, Keeps, 0, 1, Some, 1}},
      {"stablehlo.broadcast_in_dim", {&Importer::importBroadcast, Moves, 1}},
      {"stablehlo.case", {&Importer::importBranches, Other, 1, Some, Any}},
      {"stablehlo.concatenate", {&Importer::importConcatenate, Keeps, Some}},
      {"stablehlo.constant", {&Importer::importConstant, Scalars, 0}},
      {"stablehlo.convolution", {&Importer::importConvolution, Other, 2}},
      {"stablehlo.dot", {&Importer::importDot, Other, 2}},
      {"stablehlo.dot_general", {&Importer::importDot, Other, 2}},
      {"stablehlo.dynamic_slice", {&Importer::importDynamicSlice, Moves, Some}},
      {"stablehlo.dynamic_update_slice",
       {&Importer::importDynamicUpdate, Keeps, Some}},
      {"stablehlo.gather", {&Importer::importGather, Keeps, 2}},
      {"stablehlo.if", {&Importer::importBranches, Other, 1, 2, Any}},
      {"stablehlo.iota", {&Importer::importIota, Other, 0}},
      {"stablehlo.optimization_barrier",
       {&Importer::importBarrier, Scalars, 0, 0, Any, 1}},
      {"stablehlo.pad", {&Importer::importPad, Moves, 2}},
      {"stablehlo.reduce", {&Importer::importReduce, Keeps, 0, 1, Some, 2}},
      {"stablehlo.reduce_window",
       {&Importer::importReduceWindow, Keeps, 0, 1, Some, 2}},
      {"stablehlo.reshape", {&Importer::importReshape, Moves, 1}},
      {"stablehlo.reverse", {&Importer::importReverse, Moves, 1}},
      {"stablehlo.scatter", {&Importer::importScatter, Keeps, 1, 1, Some, 2}},
      {"stablehlo.select_and_scatter",
       {&Importer::importSelectAndScatter, Keeps, 3, 2}},
      {"stablehlo.slice", {&Importer::importSlice, Moves, 1}},
      {"stablehlo.sort", {&Importer::importSort, Keeps, 0, 1, Some, 1}},
      {"stablehlo.transpose", {&Importer::importTranspose, Moves, 1}},
      {"stablehlo.while", {&Importer::importWhile, Other, 0, 2, Any, 1}}};
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

/// True for constants, and for operations that move elements.
bool Importer::isMove(Operation *op) {
  const Entry *entry = find(op);
  return entry && (entry->elements == Moves || entry->elements == Scalars);
}

LogicalResult Importer::importOp(Operation *op) {
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (failed(verifyTensor(op, value.getType())))
      return failure();
  OpReader reader(op);
  bool isInElement = elementLoc.has_value();
  if (isInElement)
    b.setLoc(*elementLoc);
  auto isScalar = [](Value value) { return getShape(value).empty(); };
  reader.require(
      !isInElement || llvm::all_of(op->getResults(), isScalar),
      "in the function of elements of another operation has no arrays");
  reader.require(!isInElement || llvm::all_of(op->getOperands(), isScalar),
                 "reads an array in the function of elements of another "
                 "operation");
  if (!reader.isValid())
    return failure();
  if (auto call = dyn_cast<func::CallOp>(op))
    return importCall(call);
  const Lowered *equal = isInElement ? nullptr : findEqual(op);
  if (equal) {
    define(op->getResults(), equal->results);
    return success();
  }
  Values operands = lookup(op->getOperands());
  Values results = lower(reader);
  if (!reader.isValid())
    return failure();
  define(op->getResults(), results);
  if (isInElement)
    return success();
  numbers[getHash(op)].push_back(lowered.size());
  lowered.push_back({op, operands, results});
  return success();
}

/// The lowered results of an operation whose operands are lowered.
SmallVector<Value> Importer::lower(OpReader &op) {
  if (const ElementOp *elements = ElementOp::find(op))
    return importElements(op, *elements);
  const Entry *entry = find(op);
  bool isScalar =
      entry && (entry->elements == Scalars || entry->elements == Moves);
  op.require(!elementLoc || isScalar,
             "is not supported in the function of elements of another "
             "operation");
  op.require(
      entry || op->getName().getStringRef() != "stablehlo.custom_call",
      "calls code outside of the program: ", op->getAttr("call_target_name"));
  if (!op.require(entry, "has no counterpart in obs"))
    return {};
  auto isCount = [](int expected, unsigned count) {
    return expected == Any || (expected == Some && count > 0) ||
           expected == static_cast<int>(count);
  };
  unsigned operands = op->getNumOperands(), regions = op->getNumRegions(),
           results = op->getNumResults(), more = entry->each * results;
  if (!op.require(operands >= more &&
                      isCount(entry->operands, operands - more) &&
                      isCount(entry->regions, regions) &&
                      isCount(entry->results, results),
                  "has ", operands, " operands, ", regions, " regions and ",
                  results, " results, which is a wrong number of one of these"))
    return {};
  if (entry->elements == Keeps || entry->elements == Moves)
    for (auto [k, result] : llvm::enumerate(op->getResults()))
      op.requireResult(getShape(result), getElement(op->getOperand(k)), k);
  if (!op.isValid())
    return {};
  if (entry->elements == Moves && getShape(op->getOperand(0)).empty() &&
      getShape(op->getResult(0)).empty())
    return lookup(op->getOperands().take_front());
  Values lowered = (this->*entry->import)(op);
  if (hasError)
    op.setInvalid();
  if (!op.isValid())
    return {};
  if (lowered.size() == 1 && isa<PullType>(lowered.front().getType()))
    lowered = b.unzip(lowered.front());
  for (auto [k, result] : llvm::enumerate(op->getResults())) {
    auto found = dyn_cast<PullType>(lowered[k].getType());
    if (found && getShape(result) != found.getExtents() &&
        !(getShape(result).empty() &&
          found.getExtents() == ArrayRef<int64_t>(1)))
      op.requireResult(found.getExtents(), getElement(result), k);
  }
  return lowered;
}

size_t Importer::getHash(Operation *op) {
  return OperationEquivalence::computeHash(
      op, [&](Value operand) { return hash_value(lookup(operand)); },
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
}

const Importer::Lowered *Importer::findEqual(Operation *op) {
  // A region that reads other values would have to read the same lowered ones.
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(op->getRegions(), read);
  auto candidates = numbers.find(getHash(op));
  if (!read.empty() || candidates == numbers.end())
    return nullptr;
  Values operands = lookup(op->getOperands());
  for (size_t number : candidates->second) {
    if (number >= lowered.size() || lowered[number].operands != operands)
      continue;
    Operation *before = lowered[number].op;
    DenseSet<std::pair<Value, Value>> same;
    auto mark = [&](Value x, Value y) { same.insert({x, y}); };
    for (auto [own, other] :
         llvm::zip(op->getOperands(), before->getOperands()))
      mark(own, other);
    bool isEqual = OperationEquivalence::isEquivalentTo(
        op, before,
        [&](Value x, Value y) { return success(same.contains({x, y})); }, mark,
        OperationEquivalence::IgnoreLocations);
    // A number of the host is no array of one element.
    auto isSame = [&](Value own, Value other) {
      return isHostScalar(own) == isHostScalar(other);
    };
    if (isEqual &&
        llvm::all_of_zip(op->getResults(), before->getResults(), isSame))
      return &lowered[number];
  }
  return nullptr;
}

void Importer::importRegion(Block &block) {
  size_t known = lowered.size();
  Location loc = b.getLoc();
  hasError = hasError || failed(importBlock(block));
  b.setLoc(loc);
  lowered.truncate(known);
}

OwningOpRef<ModuleOp> Importer::run() {
  for (auto function : source.getOps<func::FuncOp>())
    for (Block &block : function.getBody())
      if (failed(findScans(block)))
        return {};
  findDeviceScalars();
  for (Operation &op : *source.getBody()) {
    // It names the devices of arrays, which has no effect on their elements.
    if (op.getName().getStringRef() == "sdy.mesh")
      continue;
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      op.emitOpError("is not a function");
    // The function of a custom call ends as a region does.
    if (function && !function.empty() && !function.back().empty() &&
        function.back().back().getName().getStringRef() == "stablehlo.return")
      continue;
    lowered.clear();
    if (!function || (function.isPublic() && failed(importFunction(function))))
      return {};
  }
  if (failed(verify(*target)))
    return {};
  return std::move(target);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult Importer::verifyTensor(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitError("'")
           << op->getName() << "' has a value of type " << type
           << ": extents that are known at run time are not supported";
  if (!convertElementType(tensor.getElementType()))
    return op->emitError("'") << op->getName()
                              << "' has elements of a type that obs does not "
                                 "have: "
                              << type;
  return verifySize(op, tensor.getShape());
}

Type Importer::convertParameter(Operation *op, Type type) {
  if (failed(verifyTensor(op, type)))
    return {};
  auto tensor = cast<RankedTensorType>(type);
  Type element = convertElementType(tensor.getElementType());
  return tensor.getRank() ? getPullType(tensor.getShape(), element) : element;
}

Value Importer::getArray(Value value) {
  Value lowered = lookup(value);
  return isa<PullType>(lowered.getType()) ? lowered
                                          : b.splat(lowered, getExtents({}));
}

Value Importer::getHostScalar(Value value) {
  Value lowered = lookup(value);
  if (auto same = lowered.getDefiningOp<SplatOp>())
    return same.getValues().front();
  return getScalar(b.store(lowered).front());
}

SmallVector<Value> Importer::getStored(ValueRange tensors, ValueRange results) {
  return b.store(
      llvm::map_to_vector(llvm::zip_equal(tensors, results), [&](auto pair) {
        auto [tensor, result] = pair;
        return isHostScalar(result) ? getHostScalar(tensor) : getArray(tensor);
      }));
}

SmallVector<Value> Importer::buildScalars(Block &block, ValueRange arguments) {
  llvm::SaveAndRestore element(elementLoc, std::optional(b.getLoc()));
  define(block.getArguments(), arguments);
  importRegion(block);
  if (!hasError)
    return getScalars(block.back().getOperands());
  // The code is erased later.
  return llvm::map_to_vector(block.back().getOperands(), [&](Value value) {
    return b.getNumber(convertElementType(getElement(value)), 0);
  });
}

namespace {
struct ObsImportStableHLOPass
    : public mlir::obs::impl::ObsImportStableHLOPassBase<
          ObsImportStableHLOPass> {
  void runOnOperation() override {
    if (failed(importStableHLO(getOperation())))
      signalPassFailure();
  }
};
} // namespace

LogicalResult obs::importStableHLO(ModuleOp module) {
  OwningOpRef<ModuleOp> lowered = Importer(module).run();
  if (!lowered)
    return failure();
  module.getBodyRegion().takeBody(lowered->getBodyRegion());
  module->setAttrs(DictionaryAttr::get(module.getContext()));
  return success();
}
