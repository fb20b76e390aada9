//===- ImportStableHLO.cpp - Programs of JAX as programs of obs -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of operations, and the checks and values that they share.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/Passes.h"

#include "Importer.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSIMPORTSTABLEHLOPASS
#include "Obsidian/FrontEnd/Passes.h.inc"
} // namespace mlir::obs

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
/// operands, and `Moves` if also a scalar is unchanged.
enum Elements { Other, Keeps, Moves };
} // namespace

/// An operation has `operands` operands, and `each` more for each result.
struct Importer::Entry {
  void (Importer::*import)(Operation *op);
  Elements elements;
  int operands, regions = 0, results = 1, each = 0;
};

const Importer::Entry *Importer::find(Operation *op) {
  static const llvm::StringMap<Entry> table = {
      {"chlo.top_k", {&Importer::importTopK, Other, 1, 0, 2}},
      {"stablehlo.broadcast_in_dim", {&Importer::importBroadcast, Moves, 1}},
      {"stablehlo.case", {&Importer::importBranches, Other, 1, Some, Any}},
      {"stablehlo.concatenate", {&Importer::importConcatenate, Keeps, Some}},
      {"stablehlo.constant", {&Importer::importConstant, Other, 0}},
      {"stablehlo.dot", {&Importer::importDot, Other, 2}},
      {"stablehlo.dot_general", {&Importer::importDot, Other, 2}},
      {"stablehlo.dynamic_slice", {&Importer::importDynamicSlice, Moves, Some}},
      {"stablehlo.dynamic_update_slice",
       {&Importer::importDynamicUpdate, Keeps, Some}},
      {"stablehlo.gather", {&Importer::importGather, Keeps, 2}},
      {"stablehlo.if", {&Importer::importBranches, Other, 1, 2, Any}},
      {"stablehlo.iota", {&Importer::importIota, Other, 0}},
      {"stablehlo.optimization_barrier",
       {&Importer::importBarrier, Other, 0, 0, Any, 1}},
      {"stablehlo.pad", {&Importer::importPad, Moves, 2}},
      {"stablehlo.reduce", {&Importer::importReduce, Keeps, 0, 1, Some, 2}},
      {"stablehlo.reduce_window",
       {&Importer::importReduceWindow, Keeps, 0, 1, Some, 2}},
      {"stablehlo.reshape", {&Importer::importReshape, Moves, 1}},
      {"stablehlo.reverse", {&Importer::importReverse, Moves, 1}},
      {"stablehlo.scatter", {&Importer::importScatter, Keeps, 1, 1, Some, 2}},
      {"stablehlo.slice", {&Importer::importSlice, Moves, 1}},
      {"stablehlo.sort", {&Importer::importSort, Keeps, 0, 1, Some, 1}},
      {"stablehlo.transpose", {&Importer::importTranspose, Moves, 1}},
      {"stablehlo.while", {&Importer::importWhile, Other, 0, 2, Any, 1}}};
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

LogicalResult Importer::importOp(Operation *op) {
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (failed(verifyTensor(op, value.getType())))
      return failure();
  if (auto call = dyn_cast<func::CallOp>(op))
    return importCall(call);
  if (const Lowered *equal = findEqual(op)) {
    define(op->getResults(), equal->results);
    return success();
  }
  Values operands = lookup(op->getOperands());
  if (failed(lower(op)))
    return failure();
  numbers[getHash(op)].push_back(lowered.size());
  lowered.push_back({op, operands, lookup(op->getResults())});
  return success();
}

LogicalResult Importer::lower(Operation *op) {
  isInvalid = false;
  if (isScalarOp(op)) {
    importScalarOp(op);
    return failure(isInvalid);
  }
  const Entry *entry = find(op);
  if (!entry && op->getName().getStringRef() == "stablehlo.custom_call")
    return op->emitOpError("calls code outside of the program: ")
           << op->getAttr("call_target_name");
  if (!entry)
    return op->emitOpError("has no counterpart in obs");
  auto isCount = [](int expected, unsigned count) {
    return expected == Any || (expected == Some && count > 0) ||
           expected == static_cast<int>(count);
  };
  unsigned more = entry->each * op->getNumResults();
  if (!isCount(entry->operands, op->getNumOperands() - more) ||
      op->getNumOperands() < more ||
      !isCount(entry->regions, op->getNumRegions()) ||
      !isCount(entry->results, op->getNumResults()))
    return op->emitOpError("has ")
           << op->getNumOperands() << " operands, " << op->getNumRegions()
           << " regions and " << op->getNumResults()
           << " results, which is a wrong number of one of these";
  if (entry->elements != Other)
    for (auto [k, result] : llvm::enumerate(op->getResults()))
      requireResult(op, getShape(result), getElement(op->getOperand(k)), k);
  if (isInvalid)
    return failure();
  if (entry->elements == Moves && getShape(op->getOperand(0)).empty() &&
      getShape(op->getResult(0)).empty())
    define(op->getResults(), lookup(op->getOperands().take_front()));
  else
    (this->*entry->import)(op);
  return failure(isInvalid);
}

llvm::hash_code Importer::getHash(Operation *op) {
  Values operands = lookup(op->getOperands());
  return llvm::hash_combine(op->getName(), op->getAttrDictionary(),
                            llvm::hash_combine_range(op->getResultTypes()),
                            llvm::hash_combine_range(operands));
}

const Importer::Lowered *Importer::findEqual(Operation *op) {
  // A region that reads other values would have to read the same lowered ones.
  llvm::SetVector<Value> read;
  getUsedValuesDefinedAbove(op->getRegions(), read);
  auto candidates = numbers.find(getHash(op));
  if (!read.empty() || candidates == numbers.end())
    return nullptr;
  for (size_t number : candidates->second) {
    if (number >= lowered.size())
      continue;
    const Lowered &other = lowered[number];
    bool isEqual = op->getName() == other.op->getName() &&
                   op->getAttrDictionary() == other.op->getAttrDictionary() &&
                   op->getPropertiesAsAttribute() ==
                       other.op->getPropertiesAsAttribute() &&
                   op->getResultTypes() == other.op->getResultTypes() &&
                   op->getNumRegions() == other.op->getNumRegions() &&
                   other.operands == lookup(op->getOperands());
    for (auto [own, before] :
         llvm::zip(op->getRegions(), other.op->getRegions()))
      isEqual =
          isEqual && OperationEquivalence::isRegionEquivalentTo(
                         &own, &before, OperationEquivalence::IgnoreLocations);
    // A number of the host is no array of one element.
    for (auto [own, before] :
         llvm::zip(op->getResults(), other.op->getResults()))
      isEqual = isEqual && isHostScalar(own) == isHostScalar(before);
    if (isEqual)
      return &other;
  }
  return nullptr;
}

LogicalResult Importer::importRegion(Block &block) {
  size_t known = lowered.size();
  LogicalResult result = importBlock(block);
  lowered.truncate(known);
  return result;
}

OwningOpRef<ModuleOp> Importer::run() {
  findDeviceScalars();
  for (Operation &op : *source.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      op.emitOpError("is not a function");
    lowered.clear();
    if (!function || (function.isPublic() && failed(importFunction(function))))
      return {};
  }
  if (failed(verify(*target)))
    return {};
  return std::move(target);
}

//===----------------------------------------------------------------------===//
// Checks
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

void Importer::require(Operation *op, bool condition, const Twine &message) {
  if (condition || isInvalid)
    return;
  op->emitOpError(message);
  isInvalid = true;
}

void Importer::requireResult(Operation *op, ArrayRef<int64_t> extents,
                             Type element, unsigned number) {
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  if (isInvalid ||
      (type.getShape() == extents && type.getElementType() == element))
    return;
  op->emitOpError("has a result of type ")
      << RankedTensorType::get(extents, element) << ", not " << type;
  isInvalid = true;
}

void Importer::requireArrays(Operation *op, ValueRange arrays,
                             ValueRange others, ArrayRef<int64_t> shape) {
  for (auto [array, other] : llvm::zip_equal(arrays, others))
    require(op,
            getShape(array) == getShape(arrays.front()) &&
                getShape(other) == shape &&
                getElement(other) == getElement(array),
            "has operands or initial values of different types");
  SmallVector<Type> elements = getElements(arrays), both(elements);
  llvm::append_range(both, elements);
  requireRegion(op, 0, both, elements);
}

SmallVector<int64_t> Importer::getNumbers(Operation *op, StringRef name,
                                          int64_t count,
                                          std::optional<int64_t> omitted) {
  Attribute attribute = op->getAttr(name);
  Numbers numbers;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    numbers.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
           dense && dense.getNumElements() < 1024 &&
           dense.getElementType().isInteger(64))
    for (const APInt &number : dense)
      numbers.push_back(number.getSExtValue());
  else if (!attribute && omitted)
    numbers.assign(count, *omitted);
  else
    require(op, !attribute && count <= 0,
            "needs numbers in the attribute " + name);
  int64_t size = numbers.size();
  require(op, count < 0 || size == count,
          "needs " + Twine(count) + " numbers in the attribute " + name +
              ", not " + Twine(size));
  // So sums and products of such numbers have no overflow.
  constexpr int64_t most = int64_t(1) << 31;
  require(
      op,
      llvm::all_of(numbers, [](int64_t n) { return -most <= n && n <= most; }),
      "has a number out of range in " + name);
  if (isInvalid)
    numbers.assign(std::max<int64_t>(count, 0), 0);
  return numbers;
}

int64_t Importer::getNumber(Operation *op, StringRef name) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  bool isNumber = number && number.getType().isSignlessInteger(64);
  require(op, isNumber, "needs a number in the attribute " + name);
  return isNumber ? number.getInt() : 0;
}

void Importer::requireDims(Operation *op, StringRef name,
                           ArrayRef<int64_t> dims, int64_t rank) {
  DenseSet<int64_t> seen;
  for (int64_t dim : dims)
    require(op, dim >= 0 && dim < rank && seen.insert(dim).second,
            "has the dimension " + Twine(dim) + " in " + name +
                ", which is out of range or there twice");
}

SmallVector<int64_t> Importer::getDims(Operation *op, StringRef name,
                                       int64_t count, int64_t rank) {
  Numbers dims = getNumbers(op, name, count);
  requireDims(op, name, dims, rank);
  return dims;
}

SmallVector<int64_t> Importer::parseList(Operation *op, StringRef text,
                                         StringRef name) {
  Numbers numbers;
  std::string begin = (name + " = [").str();
  size_t place = text.find(begin);
  while (place != StringRef::npos && place &&
         !StringRef("< ,").contains(text[place - 1]))
    place = text.find(begin, place + 1);
  if (place == StringRef::npos)
    return numbers;
  SmallVector<StringRef> words;
  text.drop_front(place + begin.size())
      .take_until([](char c) { return c == ']'; })
      .split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    require(op, !word.trim().getAsInteger(10, numbers.emplace_back()),
            "has a list without numbers: " + name);
  return numbers;
}

static SmallVector<Type> toTensors(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) -> Type {
    return isa<RankedTensorType>(type) ? type : RankedTensorType::get({}, type);
  });
}

void Importer::requireRegion(Operation *op, unsigned region,
                             TypeRange arguments, TypeRange results) {
  Region &body = op->getRegion(region);
  require(op,
          body.hasOneBlock() && !body.front().empty() &&
              body.front().back().getName().getStringRef() ==
                  "stablehlo.return" &&
              llvm::equal(body.getArgumentTypes(), toTensors(arguments)) &&
              llvm::equal(body.front().back().getOperandTypes(),
                          toTensors(results)),
          "has a region that does not take and return the values that it "
          "needs");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

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

void Importer::importScalar(Operation *op) {
  auto isScalar = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.getRank();
  };
  StringRef name = op->getName().getStringRef();
  for (Type type : op->getResultTypes()) {
    isInvalid = isInvalid || failed(verifyTensor(op, type));
    require(op, isScalar(type),
            "in the function of elements of another operation has no arrays");
  }
  // An outer tensor of rank 0 is captured.
  isInvalid = isInvalid || failed(verifyOperands(op)) ||
              (isScalarOp(op) && failed(verifyScalarOp(op)));
  require(op, llvm::all_of(op->getOperandTypes(), isScalar),
          "reads an array in the function of elements of another operation");
  if (isInvalid)
    return;
  Values operands = getScalars(op->getOperands());
  if (isScalarOp(op))
    return define(op->getResults(), buildScalarOp(b, op, operands));
  if (auto call = dyn_cast<func::CallOp>(op)) {
    FailureOr<func::FuncOp> callee = findCallee(call);
    isInvalid = failed(callee);
    if (isInvalid)
      return;
    calls.push_back(*callee);
    define(op->getResults(), buildScalars(callee->getBody().front(), operands));
    calls.pop_back();
    return;
  }
  bool isConstant = name == "stablehlo.constant" && operands.empty() &&
                    op->getNumResults() == 1;
  if (isConstant)
    return importConstant(op);
  require(op,
          name == "stablehlo.reshape" || name == "stablehlo.broadcast_in_dim" ||
              name == "stablehlo.optimization_barrier",
          "is not supported in the function of elements of another operation");
  require(op,
          op->getOperandTypes() == op->getResultTypes() &&
              op->getNumRegions() == 0,
          "keeps the type of a scalar");
  if (!isInvalid)
    define(op->getResults(), operands);
}

SmallVector<Value> Importer::buildScalars(Block &block, ValueRange arguments) {
  DenseMap<Value, Value> outer = values;
  define(block.getArguments(), arguments);
  for (Operation &op : llvm::drop_end(block))
    if (!isInvalid)
      importScalar(&op);
  isInvalid = isInvalid || failed(verifyOperands(&block.back()));
  // After an error, the code is erased later.
  Values results = isInvalid
                       ? llvm::map_to_vector(block.back().getOperands(),
                                             [&](Value value) {
                                               Type type = convertElementType(
                                                   getElement(value));
                                               return b.getNumber(type, 0);
                                             })
                       : getScalars(block.back().getOperands());
  values = std::move(outer);
  return results;
}

void Importer::defineArray(Operation *op, Value array) {
  Values parts = b.unzip(array);
  for (auto [k, part] : llvm::enumerate(parts)) {
    auto type = cast<RankedTensorType>(op->getResult(k).getType());
    auto found = cast<PullType>(part.getType());
    Type element = convertElementType(type.getElementType());
    if (getPullType(type.getShape(), element).getExtents() !=
            found.getExtents() ||
        found.getElementTypes().front() != element)
      requireResult(op, found.getExtents(), found.getElementTypes().front(), k);
  }
  define(op->getResults(), parts);
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
