//===- ImportStableHLO.cpp - Programs of JAX as programs of obs -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file maps operations of StableHLO to those of the builder of whole
// arrays. The operations are not registered, so each function checks its
// operation before it builds code. The new functions are built in a separate
// module. They replace the old ones if all functions were lowered.
//
// A tensor of rank 0 is a scalar of the host if the host can compute it. If it
// is computed from arrays, it is an array of extents [1].
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/Passes.h"

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "Scalars.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSIMPORTSTABLEHLOPASS
#include "Obsidian/FrontEnd/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

namespace {
using Values = SmallVector<Value>;
using Numbers = SmallVector<int64_t>;

class Importer {
public:
  Importer(ModuleOp source, ModuleOp target)
      : source(source), target(target), tables(source),
        b(source.getLoc(), source.getContext()) {}
  LogicalResult run();

private:
  // Functions and blocks.
  LogicalResult importFunction(func::FuncOp function);
  FailureOr<Values> importBlock(Block &block);
  LogicalResult importOp(Operation *op);
  FailureOr<func::FuncOp> findCallee(Operation *op);
  LogicalResult importCall(Operation *op);
  LogicalResult importWhile(Operation *op);
  LogicalResult importBranches(Operation *op);
  void findDeviceScalars();

  // Checks. Each one emits an error at the operation.
  LogicalResult verifyTensor(Operation *op, Type type);
  LogicalResult verifyCounts(Operation *op, unsigned operands,
                             unsigned regions = 0, unsigned results = 1);
  LogicalResult verifyResult(Operation *op, ArrayRef<int64_t> extents,
                             Type element, unsigned number = 0);
  LogicalResult verifyDims(Operation *op, StringRef name,
                           ArrayRef<int64_t> dims, int64_t rank);
  FailureOr<Numbers> getNumbers(Operation *op, StringRef name, int64_t count);
  FailureOr<int64_t> getNumber(Operation *op, StringRef name);
  LogicalResult verifyRegion(Operation *op, unsigned region, TypeRange elements,
                             TypeRange results);
  LogicalResult verifyOperands(Operation *op);
  LogicalResult verifyScalarBlock(Block &block);

  // Values.
  ArrayRef<int64_t> getShape(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }
  /// Extents in the form of the builder. A tensor of rank 0 has one element.
  SmallVector<OpFoldResult> getExtents(ArrayRef<int64_t> shape);
  Value lookup(Value value) { return values.lookup(value); }
  Value getArray(Value value);
  Value getArrays(ValueRange tensors);
  Value getHostScalar(Value value);
  Values getHostScalars(ValueRange tensors);
  /// In code for one element.
  Value getScalar(Value lowered);
  Values buildScalars(Block &block, ValueRange arguments);
  void define(Operation *op, Value array);
  Value castIndex(Value scalar, Type element);

  // Operations.
  LogicalResult importScalarOp(Operation *op);
  LogicalResult importConstant(Operation *op);
  LogicalResult importIota(Operation *op);
  LogicalResult importBroadcast(Operation *op);
  LogicalResult importReshape(Operation *op);
  LogicalResult importTranspose(Operation *op);
  LogicalResult importReverse(Operation *op);
  LogicalResult importSlice(Operation *op);
  LogicalResult importPad(Operation *op);
  LogicalResult importConcatenate(Operation *op);
  FailureOr<Values> getStarts(Operation *op, unsigned first,
                              ArrayRef<int64_t> room);
  LogicalResult importDynamicSlice(Operation *op);
  LogicalResult importDynamicUpdate(Operation *op);
  LogicalResult importGather(Operation *op);
  LogicalResult importScatter(Operation *op);
  LogicalResult importReduce(Operation *op);
  LogicalResult importReduceWindow(Operation *op);
  LogicalResult importSort(Operation *op);
  LogicalResult importTopK(Operation *op);
  LogicalResult importDot(Operation *op);

  ModuleOp source, target;
  SymbolTable tables;
  ArrayBuilder b;
  DenseMap<Value, Value> values;
  /// Tensors of rank 0 that are computed from arrays.
  DenseSet<Value> deviceScalars;
  /// The functions whose calls are being inlined.
  SmallVector<Operation *> calls;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult Importer::verifyTensor(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitError("'")
           << op->getName() << "' has a value of type " << type
           << ": extents that are known at run time are not supported";
  if (!convertElement(tensor.getElementType()))
    return op->emitError("'") << op->getName()
                              << "' has elements of a type that obs does not "
                                 "have: "
                              << type;
  int64_t size = 1;
  for (int64_t extent : tensor.getShape())
    if (llvm::MulOverflow(size, extent, size) || size > int64_t(1) << 48)
      return op->emitError("'")
             << op->getName() << "' has a value of more than 2^48 elements";
  return success();
}

LogicalResult Importer::verifyCounts(Operation *op, unsigned operands,
                                     unsigned regions, unsigned results) {
  if (op->getNumOperands() == operands && op->getNumRegions() == regions &&
      op->getNumResults() == results)
    return success();
  return op->emitOpError("takes ")
         << operands << " operands and " << regions << " regions, and has "
         << results << " results";
}

LogicalResult Importer::verifyResult(Operation *op, ArrayRef<int64_t> extents,
                                     Type element, unsigned number) {
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  if (type.getShape() == extents && type.getElementType() == element)
    return success();
  return op->emitOpError("has a result of type ")
         << RankedTensorType::get(extents, element) << ", not " << type;
}

LogicalResult Importer::verifyDims(Operation *op, StringRef name,
                                   ArrayRef<int64_t> dims, int64_t rank) {
  DenseSet<int64_t> seen;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return op->emitOpError("has the dimension ")
             << dim << " in " << name
             << ", which is out of range or there twice";
  return success();
}

/// If `count` is negative, any number is allowed.
FailureOr<Numbers> Importer::getNumbers(Operation *op, StringRef name,
                                        int64_t count) {
  Numbers numbers;
  Attribute attribute = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    numbers.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
           dense && dense.getNumElements() < 1024 &&
           dense.getElementType().isInteger(64))
    for (const APInt &number : dense)
      numbers.push_back(number.getSExtValue());
  else if (attribute || count > 0)
    return op->emitOpError("needs numbers in the attribute ") << name;
  if (count >= 0 && static_cast<int64_t>(numbers.size()) != count)
    return op->emitOpError("needs ") << count << " numbers in the attribute "
                                     << name << ", not " << numbers.size();
  // So sums and products of such numbers have no overflow.
  for (int64_t number : numbers)
    if (number > int64_t(1) << 31 || number < -(int64_t(1) << 31))
      return op->emitOpError("has a number out of range in ") << name;
  return numbers;
}

FailureOr<int64_t> Importer::getNumber(Operation *op, StringRef name) {
  if (auto number = op->getAttrOfType<IntegerAttr>(name);
      number && number.getType().isSignlessInteger(64))
    return number.getInt();
  return op->emitOpError("needs a number in the attribute ") << name;
}

/// The numbers of `name = [...]` in the text of an attribute; empty if none.
static FailureOr<Numbers> parseList(Operation *op, StringRef text,
                                    StringRef name) {
  Numbers numbers;
  size_t place = text.find((name + " = [").str());
  while (place != StringRef::npos && place &&
         !llvm::is_contained(StringRef("< ,"), text[place - 1]))
    place = text.find((name + " = [").str(), place + 1);
  if (place == StringRef::npos)
    return numbers;
  StringRef list = text.drop_front(place + name.size() + 4);
  list = list.take_until([](char c) { return c == ']'; });
  SmallVector<StringRef> words;
  list.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.trim().getAsInteger(10, numbers.emplace_back()))
      return op->emitOpError("has a list without numbers: ") << name;
  return numbers;
}

/// The number of `name = ...`, or 0 if there is none.
static int64_t parseNumber(StringRef text, StringRef name) {
  size_t place = text.find((name + " = ").str());
  int64_t number = 0;
  if (place != StringRef::npos)
    text.drop_front(place + name.size() + 3)
        .take_while([](char c) { return llvm::isDigit(c); })
        .getAsInteger(10, number);
  return number;
}

/// MLIR does not check dominance in the regions of operations that are not
/// registered.
LogicalResult Importer::verifyOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *before = operand.getDefiningOp();
    bool isHere = operand.getParentBlock() == op->getBlock();
    if (isHere ? before && !before->isBeforeInBlock(op) : !lookup(operand))
      return op->emitOpError("reads a value that is not defined before it");
  }
  return success();
}

LogicalResult Importer::verifyScalarBlock(Block &block) {
  for (Operation &op : llvm::drop_end(block)) {
    for (Type type : op.getResultTypes()) {
      if (failed(verifyTensor(&op, type)))
        return failure();
      if (cast<RankedTensorType>(type).getRank())
        return op.emitOpError("in the function of elements of another "
                              "operation has no arrays");
    }
    StringRef name = op.getName().getStringRef();
    if (isScalarOp(&op)) {
      if (failed(verifyScalarOp(&op)))
        return failure();
    } else if (name == "stablehlo.constant") {
      if (!isa_and_nonnull<DenseElementsAttr>(op.getAttr("value")) ||
          cast<DenseElementsAttr>(op.getAttr("value")).getType() !=
              op.getResult(0).getType())
        return op.emitOpError("needs a dense value of the type of its result");
    } else if (name == "func.call") {
      FailureOr<func::FuncOp> callee = findCallee(&op);
      if (failed(callee))
        return failure();
      calls.push_back(*callee);
      LogicalResult valid = verifyScalarBlock(callee->getBody().front());
      calls.pop_back();
      if (failed(valid))
        return failure();
    } else if (name == "stablehlo.reshape" ||
               name == "stablehlo.broadcast_in_dim" ||
               name == "stablehlo.optimization_barrier") {
      if (failed(verifyCounts(&op, op.getNumResults(), 0, op.getNumResults())))
        return failure();
      if (op.getOperandTypes() != op.getResultTypes())
        return op.emitOpError("keeps the type of a scalar");
    } else {
      return op.emitOpError(
          "is not supported in the function of elements of another operation");
    }
    // An outer tensor of rank 0 is captured.
    if (failed(verifyOperands(&op)))
      return failure();
    for (Value operand : op.getOperands())
      if (!isa<RankedTensorType>(operand.getType()) ||
          cast<RankedTensorType>(operand.getType()).getRank())
        return op.emitOpError("reads an array in the function of elements of "
                              "another operation");
  }
  return success();
}

/// The region takes and returns tensors of rank 0 with these element types.
LogicalResult Importer::verifyRegion(Operation *op, unsigned region,
                                     TypeRange elements, TypeRange results) {
  auto toTensors = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) -> Type {
      return RankedTensorType::get({}, type);
    });
  };
  if (!op->getRegion(region).hasOneBlock())
    return op->emitOpError("needs a region of one block");
  Block &block = op->getRegion(region).front();
  if (!llvm::equal(block.getArgumentTypes(), toTensors(elements)))
    return op->emitOpError("has a region whose arguments are not the elements "
                           "that it combines");
  if (block.empty() ||
      block.back().getName().getStringRef() != "stablehlo.return" ||
      !llvm::equal(block.back().getOperandTypes(), toTensors(results)))
    return op->emitOpError("has a region that returns no element");
  if (failed(verifyOperands(&block.back())))
    return failure();
  return verifyScalarBlock(block);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> Importer::getExtents(ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> extents;
  for (int64_t extent : shape)
    extents.push_back(b.getIndexAttr(extent));
  if (extents.empty())
    extents.push_back(b.getIndexAttr(1));
  return extents;
}

Value Importer::getArray(Value value) {
  Value lowered = lookup(value);
  if (isa<PullType>(lowered.getType()))
    return lowered;
  return b.splat(lowered, getExtents({}));
}

/// Several arrays as one array of tuples.
Value Importer::getArrays(ValueRange tensors) {
  return b.zip(llvm::map_to_vector(
      tensors, [&](Value tensor) { return getArray(tensor); }));
}

Value Importer::getScalar(Value lowered) {
  return isa<PullType>(lowered.getType()) ? b.getOne(lowered, b.getIndex(0))
                                          : lowered;
}

Value Importer::getHostScalar(Value value) {
  Value lowered = lookup(value);
  if (!isa<PullType>(lowered.getType()))
    return lowered;
  if (auto same = lowered.getDefiningOp<SplatOp>())
    return same.getValues().front();
  return getScalar(b.store(lowered).front());
}

Values Importer::getHostScalars(ValueRange tensors) {
  return llvm::map_to_vector(
      tensors, [&](Value tensor) { return getHostScalar(tensor); });
}

/// The code of a verified block of scalars.
Values Importer::buildScalars(Block &block, ValueRange arguments) {
  DenseMap<Value, Value> outer = values;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  auto find = [&](Value value) { return getScalar(lookup(value)); };
  for (Operation &op : llvm::drop_end(block)) {
    Values operands = llvm::map_to_vector(op.getOperands(), find);
    if (isScalarOp(&op)) {
      values[op.getResult(0)] = buildScalarOp(b, &op, operands);
    } else if (op.getNumOperands() == 0) {
      (void)importConstant(&op);
    } else if (op.getName().getStringRef() == "func.call") {
      Values results =
          buildScalars(findCallee(&op)->getBody().front(), operands);
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
        values[result] = value;
    } else {
      for (auto [result, value] : llvm::zip_equal(op.getResults(), operands))
        values[result] = value;
    }
  }
  Values results = llvm::map_to_vector(block.back().getOperands(), find);
  values = std::move(outer);
  return results;
}

/// The results of `op` are the components of `array`.
void Importer::define(Operation *op, Value array) {
  for (auto [result, part] : llvm::zip_equal(op->getResults(), b.unzip(array)))
    values[result] = part;
}

Value Importer::castIndex(Value scalar, Type element) {
  if (element.isUnsignedInteger())
    return arith::IndexCastUIOp::create(b, b.getIndexType(), scalar);
  return arith::IndexCastOp::create(b, b.getIndexType(), scalar);
}

//===----------------------------------------------------------------------===//
// Elementwise operations, sources and index maps
//===----------------------------------------------------------------------===//

LogicalResult Importer::importScalarOp(Operation *op) {
  if (failed(verifyScalarOp(op)))
    return failure();
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  StringRef name = op->getName().getStringRef();
  bool mayMix = name == "stablehlo.select" || name == "stablehlo.clamp";
  for (Value operand : op->getOperands())
    if (getShape(operand) != shape && !(mayMix && getShape(operand).empty()))
      return op->emitOpError("has operands and a result of different extents");
  if (name == "stablehlo.convert" &&
      op->getOperand(0).getType() == op->getResult(0).getType()) {
    values[op->getResult(0)] = lookup(op->getOperand(0));
    return success();
  }
  // Scalars, and elements that are equal at all indices, are not operands of
  // the map.
  Values arrays, scalars;
  for (Value operand : op->getOperands()) {
    Value lowered = lookup(operand);
    auto same = lowered.getDefiningOp<SplatOp>();
    if (same)
      lowered = same.getValues().front();
    if (!isa<PullType>(lowered.getType()))
      scalars.push_back(lowered);
    else if (getShape(operand) != shape)
      scalars.push_back(lowered);
    else
      scalars.push_back({});
    if (!scalars.back())
      arrays.push_back(lowered);
  }
  bool allScalars = llvm::all_of(scalars, [](Value scalar) {
    return scalar && !isa<PullType>(scalar.getType());
  });
  auto build = [&](ValueRange elements) -> Values {
    Values x;
    auto next = elements.begin();
    for (Value scalar : scalars)
      x.push_back(scalar ? getScalar(scalar) : *next++);
    return {buildScalarOp(b, op, x)};
  };
  Value result;
  if (!arrays.empty()) {
    result = b.map(arrays, build);
  } else if (allScalars && isHostOp(op)) {
    result = build({}).front();
    if (!shape.empty())
      result = b.splat(result, getExtents(shape));
  } else {
    result =
        b.generate(getExtents(shape), [&](ValueRange) { return build({}); });
  }
  values[op->getResult(0)] = result;
  return success();
}

LogicalResult Importer::importConstant(Operation *op) {
  if (failed(verifyCounts(op, 0)))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto value = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  if (!value || value.getType() != type)
    return op->emitOpError("needs a dense value of the type of its result");
  Type element = convertElement(type.getElementType());
  if (type.getNumElements() == 0) {
    Value zero = b.getNumber(element, 0);
    values[op->getResult(0)] = b.splat(zero, getExtents(type.getShape()));
    return success();
  }
  if (value.isSplat() || type.getNumElements() == 1) {
    Attribute number = *value.value_begin<Attribute>();
    auto typed = isa<FloatAttr>(number)
                     ? cast<TypedAttr>(number)
                     : cast<TypedAttr>(b.getIntegerAttr(
                           element, cast<IntegerAttr>(number).getValue()));
    Value scalar = arith::ConstantOp::create(b, typed);
    values[op->getResult(0)] =
        type.getRank() ? b.splat(scalar, getExtents(type.getShape())) : scalar;
    return success();
  }
  if (type.getNumElements() > 1 << 24)
    return op->emitOpError("has more than 2^24 elements");
  if (value.getElementType() != element)
    value = value.bitcast(element);
  values[op->getResult(0)] = ConstantOp::create(b, value);
  return success();
}

LogicalResult Importer::importIota(Operation *op) {
  if (failed(verifyCounts(op, 0)))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  FailureOr<int64_t> dim = getNumber(op, "iota_dimension");
  if (failed(dim) ||
      failed(verifyDims(op, "iota_dimension", *dim, type.getRank())))
    return failure();
  Type element = type.getElementType();
  if (element.isInteger(1))
    return op->emitOpError("has elements that are numbers");
  values[op->getResult(0)] =
      b.generate(getExtents(type.getShape()), [&](ValueRange i) -> Values {
        Type integer = b.getI64Type();
        Value number = arith::IndexCastOp::create(b, integer, i[*dim]);
        return {convertScalar(b, number, integer, element)};
      });
  return success();
}

LogicalResult Importer::importBroadcast(Operation *op) {
  if (failed(verifyCounts(op, 1)))
    return failure();
  Value operand = op->getOperand(0), result = op->getResult(0);
  ArrayRef<int64_t> from = getShape(operand), to = getShape(result);
  FailureOr<Numbers> dims = getNumbers(op, "broadcast_dimensions", from.size());
  if (failed(dims) ||
      failed(verifyDims(op, "broadcast_dimensions", *dims, to.size())) ||
      failed(verifyResult(op, to, getElement(operand))))
    return failure();
  for (auto [extent, dim] : llvm::zip_equal(from, *dims))
    if (extent != 1 && extent != to[dim])
      return op->emitOpError("has an extent that is neither 1 nor that of the "
                             "result");
  Value lowered = lookup(operand);
  if (to.empty())
    values[result] = lowered;
  else if (!isa<PullType>(lowered.getType()))
    values[result] = b.splat(lowered, getExtents(to));
  else
    values[result] = b.broadcast(lowered, getExtents(to), *dims);
  return success();
}

LogicalResult Importer::importReshape(Operation *op) {
  if (failed(verifyCounts(op, 1)))
    return failure();
  Value operand = op->getOperand(0), result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (cast<RankedTensorType>(operand.getType()).getNumElements() !=
      type.getNumElements())
    return op->emitOpError("changes the number of elements");
  if (failed(verifyResult(op, type.getShape(), getElement(operand))))
    return failure();
  Value lowered = lookup(operand);
  if (isa<PullType>(lowered.getType()))
    lowered = b.reshape(lowered, getExtents(type.getShape()));
  else if (type.getRank())
    lowered = b.splat(lowered, getExtents(type.getShape()));
  values[result] = lowered;
  return success();
}

LogicalResult Importer::importTranspose(Operation *op) {
  if (failed(verifyCounts(op, 1)))
    return failure();
  ArrayRef<int64_t> from = getShape(op->getOperand(0));
  FailureOr<Numbers> order = getNumbers(op, "permutation", from.size());
  if (failed(order) ||
      failed(verifyDims(op, "permutation", *order, from.size())))
    return failure();
  Numbers extents =
      llvm::map_to_vector(*order, [&](int64_t dim) { return from[dim]; });
  if (failed(verifyResult(op, extents, getElement(op->getOperand(0)))))
    return failure();
  values[op->getResult(0)] =
      from.empty() ? lookup(op->getOperand(0))
                   : b.transpose(getArray(op->getOperand(0)), *order);
  return success();
}

LogicalResult Importer::importReverse(Operation *op) {
  if (failed(verifyCounts(op, 1)))
    return failure();
  ArrayRef<int64_t> from = getShape(op->getOperand(0));
  FailureOr<Numbers> dims = getNumbers(op, "dimensions", -1);
  if (failed(dims) ||
      failed(verifyDims(op, "dimensions", *dims, from.size())) ||
      failed(verifyResult(op, from, getElement(op->getOperand(0)))))
    return failure();
  values[op->getResult(0)] =
      from.empty() ? lookup(op->getOperand(0))
                   : b.reverse(getArray(op->getOperand(0)), *dims);
  return success();
}

LogicalResult Importer::importSlice(Operation *op) {
  if (failed(verifyCounts(op, 1)))
    return failure();
  ArrayRef<int64_t> from = getShape(op->getOperand(0));
  auto starts = getNumbers(op, "start_indices", from.size());
  auto limits = getNumbers(op, "limit_indices", from.size());
  auto strides = getNumbers(op, "strides", from.size());
  if (failed(starts) || failed(limits) || failed(strides))
    return failure();
  Numbers sizes;
  for (auto [d, extent] : llvm::enumerate(from)) {
    int64_t start = (*starts)[d], limit = (*limits)[d], stride = (*strides)[d];
    if (start < 0 || limit < start || limit > extent || stride < 1)
      return op->emitOpError("is out of range in dimension ") << d;
    sizes.push_back(llvm::divideCeil(limit - start, stride));
  }
  if (failed(verifyResult(op, sizes, getElement(op->getOperand(0)))))
    return failure();
  values[op->getResult(0)] =
      from.empty() ? lookup(op->getOperand(0))
                   : b.slice(getArray(op->getOperand(0)), getExtents(*starts),
                             getExtents(sizes), *strides);
  return success();
}

LogicalResult Importer::importPad(Operation *op) {
  if (failed(verifyCounts(op, 2)))
    return failure();
  ArrayRef<int64_t> from = getShape(op->getOperand(0));
  Type element = getElement(op->getOperand(0));
  auto low = getNumbers(op, "edge_padding_low", from.size());
  auto high = getNumbers(op, "edge_padding_high", from.size());
  auto holes = getNumbers(op, "interior_padding", from.size());
  if (failed(low) || failed(high) || failed(holes))
    return failure();
  Numbers extents;
  for (auto [d, extent] : llvm::enumerate(from)) {
    if ((*holes)[d] < 0)
      return op->emitOpError("has negative padding between elements");
    int64_t inside = extent + std::max<int64_t>(extent - 1, 0) * (*holes)[d];
    extents.push_back(inside + (*low)[d] + (*high)[d]);
    if (extents.back() < 0)
      return op->emitOpError("drops more elements than there are");
  }
  if (failed(verifyResult(op, extents, element)))
    return failure();
  if (!getShape(op->getOperand(1)).empty() ||
      getElement(op->getOperand(1)) != element)
    return op->emitOpError("needs a padding value of the element type");
  if (from.empty()) {
    values[op->getResult(0)] = lookup(op->getOperand(0));
    return success();
  }
  Value padding = getHostScalar(op->getOperand(1));
  values[op->getResult(0)] =
      b.pad(getArray(op->getOperand(0)), getExtents(*low), getExtents(*high),
            *holes, [&](ValueRange) -> Values { return {padding}; });
  return success();
}

LogicalResult Importer::importConcatenate(Operation *op) {
  if (failed(verifyCounts(op, std::max(op->getNumOperands(), 1u))))
    return failure();
  Numbers extents(getShape(op->getOperand(0)));
  Type element = getElement(op->getOperand(0));
  FailureOr<int64_t> dim = getNumber(op, "dimension");
  if (failed(dim) || failed(verifyDims(op, "dimension", *dim, extents.size())))
    return failure();
  extents[*dim] = 0;
  Values arrays;
  for (Value operand : op->getOperands()) {
    Numbers own(getShape(operand));
    if (own.size() != extents.size() || getElement(operand) != element)
      return op->emitOpError("has operands of different ranks or types");
    extents[*dim] += std::exchange(own[*dim], extents[*dim]);
    own[*dim] = extents[*dim];
    if (own != extents)
      return op->emitOpError("has operands of different extents");
    arrays.push_back(getArray(operand));
  }
  if (failed(verifyResult(op, extents, element)))
    return failure();
  values[op->getResult(0)] = b.concat(arrays, *dim);
  return success();
}

//===----------------------------------------------------------------------===//
// Slices and elements at places that a run knows
//===----------------------------------------------------------------------===//

/// The operands from `first` on, clamped to 0 to `room`. They are scalars of
/// the host, or code for one element if they are arrays.
FailureOr<Values> Importer::getStarts(Operation *op, unsigned first,
                                      ArrayRef<int64_t> room) {
  Values starts;
  for (auto [k, most] : llvm::enumerate(room)) {
    Value start = op->getOperand(first + k);
    Type element = getElement(start);
    if (!getShape(start).empty() || !isa<IntegerType>(element) ||
        element.isInteger(1))
      return op->emitOpError("needs starts that are integers");
    Value index = castIndex(getScalar(lookup(start)), element);
    index = arith::MaxSIOp::create(b, index, b.getIndex(0));
    starts.push_back(arith::MinSIOp::create(b, index, b.getIndex(most)));
  }
  return starts;
}

LogicalResult Importer::importDynamicSlice(Operation *op) {
  if (op->getNumOperands() < 1)
    return op->emitOpError("needs an operand");
  Value operand = op->getOperand(0);
  Numbers from(getShape(operand));
  if (failed(verifyCounts(op, from.size() + 1)))
    return failure();
  FailureOr<Numbers> sizes = getNumbers(op, "slice_sizes", from.size());
  if (failed(sizes) || failed(verifyResult(op, *sizes, getElement(operand))))
    return failure();
  Numbers room;
  for (auto [extent, size] : llvm::zip_equal(from, *sizes)) {
    if (size < 0 || size > extent)
      return op->emitOpError("has a size that is larger than the extent");
    room.push_back(extent - size);
  }
  if (from.empty()) {
    values[op->getResult(0)] = lookup(operand);
    return success();
  }
  Value array = getArray(operand);
  bool isOnHost = llvm::none_of(op->getOperands().drop_front(), [&](Value v) {
    return isa<PullType>(lookup(v).getType());
  });
  if (isOnHost) {
    FailureOr<Values> starts = getStarts(op, 1, room);
    if (failed(starts))
      return failure();
    SmallVector<OpFoldResult> offsets(starts->begin(), starts->end());
    values[op->getResult(0)] =
        b.slice(array, offsets, getExtents(*sizes), Numbers(from.size(), 1));
    return success();
  }
  bool isValid = true;
  Value result = b.gather(array, getExtents(*sizes), [&](ValueRange i) {
    Values places(i);
    FailureOr<Values> starts = getStarts(op, 1, room);
    isValid = succeeded(starts);
    if (isValid)
      for (auto [place, start] : llvm::zip_equal(places, *starts))
        place = arith::AddIOp::create(b, start, place);
    return places;
  });
  values[op->getResult(0)] = result;
  return success(isValid);
}

LogicalResult Importer::importDynamicUpdate(Operation *op) {
  if (op->getNumOperands() < 2)
    return op->emitOpError("needs two operands");
  Value operand = op->getOperand(0), update = op->getOperand(1);
  Numbers from(getShape(operand)), sizes(getShape(update));
  if (failed(verifyCounts(op, from.size() + 2)) ||
      failed(verifyResult(op, from, getElement(operand))))
    return failure();
  if (sizes.size() != from.size() || getElement(update) != getElement(operand))
    return op->emitOpError("needs an update of the rank and element type");
  Numbers room;
  for (auto [extent, size] : llvm::zip_equal(from, sizes)) {
    if (size > extent)
      return op->emitOpError("has an update that is larger than the array");
    room.push_back(extent - size);
  }
  if (from == sizes) {
    values[op->getResult(0)] = lookup(update);
    return success();
  }
  Value part = getArray(update);
  bool isValid = true;
  Value result = b.scatter(
      getArray(operand), getExtents(sizes),
      [&](ValueRange i) {
        Target target{Values(i), b.get(part, i), Value()};
        FailureOr<Values> starts = getStarts(op, 2, room);
        isValid = succeeded(starts);
        if (isValid)
          for (auto [place, start] : llvm::zip_equal(target.indices, *starts))
            place = arith::AddIOp::create(b, start, place);
        return target;
      },
      WriteContract());
  values[op->getResult(0)] = result;
  return success(isValid);
}

namespace {
/// The dimensions of a gather or scatter, under the names of a gather.
struct Places {
  Numbers offsetDims, collapsed, batching, indexBatching, startMap;
  int64_t vectorDim;
  /// The dimensions of the result that correspond to the start indices, and
  /// those of the operand that have an offset.
  Numbers batchDims, windowDims;
};
} // namespace

/// The index in each of the `rank` dimensions of an array, for `indices` of a
/// tensor, and `outer` dimensions of the result of a gather or the updates of a
/// scatter.
static FailureOr<Places> parsePlaces(Operation *op, StringRef text,
                                     ArrayRef<StringRef> names, Value indices,
                                     int64_t rank, int64_t outer) {
  Places p;
  Numbers *lists[] = {&p.offsetDims, &p.collapsed, &p.batching,
                      &p.indexBatching, &p.startMap};
  for (auto [list, name] : llvm::zip_equal(lists, names)) {
    FailureOr<Numbers> found = parseList(op, text, name);
    if (failed(found))
      return failure();
    *list = *found;
  }
  auto isValid = [&](ArrayRef<int64_t> dims, int64_t count) {
    DenseSet<int64_t> seen(dims.begin(), dims.end());
    return seen.size() == dims.size() && llvm::all_of(dims, [&](int64_t dim) {
             return dim >= 0 && dim < count;
           });
  };
  auto type = cast<RankedTensorType>(indices.getType());
  p.vectorDim = parseNumber(text, "index_vector_dim");
  Numbers without(p.collapsed);
  llvm::append_range(without, p.batching);
  int64_t vector = p.vectorDim == type.getRank()  ? 1
                   : p.vectorDim < type.getRank() ? type.getDimSize(p.vectorDim)
                                                  : -1;
  int64_t count = type.getRank() - (p.vectorDim < type.getRank());
  if (text.empty() || !isa<IntegerType>(type.getElementType()) ||
      type.getElementType().isInteger(1) || !isValid(p.offsetDims, outer) ||
      !isValid(without, rank) || !isValid(p.startMap, rank) ||
      !isValid(p.indexBatching, type.getRank()) ||
      llvm::is_contained(p.indexBatching, p.vectorDim) ||
      p.batching.size() != p.indexBatching.size() ||
      vector != static_cast<int64_t>(p.startMap.size()) ||
      static_cast<int64_t>(p.offsetDims.size() + without.size()) != rank ||
      static_cast<int64_t>(p.offsetDims.size()) + count != outer ||
      llvm::any_of(p.batching, [&](int64_t dim) {
        return llvm::is_contained(p.startMap, dim);
      }))
    return op->emitOpError("has dimension numbers that do not fit its "
                           "operands");
  for (int64_t d = 0; d < outer; ++d)
    if (!llvm::is_contained(p.offsetDims, d))
      p.batchDims.push_back(d);
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(without, d))
      p.windowDims.push_back(d);
  return p;
}

/// The first index of the window in each dimension of the array, for an index
/// of the outer dimensions. `limit` changes the indices that were read from the
/// tensor.
static Values buildStarts(ArrayBuilder &b, const Places &p, Value indices,
                          int64_t indexRank, bool isUnsigned, int64_t rank,
                          ValueRange i,
                          llvm::function_ref<Value(Value, int64_t)> limit) {
  Values batch, starts(rank);
  for (int64_t dim : p.batchDims)
    batch.push_back(i[dim]);
  for (auto [k, dim] : llvm::enumerate(p.startMap)) {
    Values place(batch);
    if (p.vectorDim < indexRank)
      place.insert(place.begin() + p.vectorDim, b.getIndex(k));
    if (place.empty())
      place.push_back(b.getIndex(0));
    Value start = b.getOne(indices, place);
    start = isUnsigned
                ? arith::IndexCastUIOp::create(b, b.getIndexType(), start)
                      .getResult()
                : arith::IndexCastOp::create(b, b.getIndexType(), start)
                      .getResult();
    starts[dim] = limit(start, dim);
  }
  for (auto [dim, other] : llvm::zip_equal(p.batching, p.indexBatching))
    starts[dim] = batch[other - (other > p.vectorDim)];
  for (Value &start : starts)
    if (!start)
      start = b.getIndex(0);
  return starts;
}

LogicalResult Importer::importGather(Operation *op) {
  if (failed(verifyCounts(op, 2)))
    return failure();
  Value operand = op->getOperand(0), indices = op->getOperand(1);
  Numbers from(getShape(operand)), to(getShape(op->getResult(0)));
  FailureOr<Places> p = parsePlaces(
      op, getText(op, "dimension_numbers"),
      {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
       "start_indices_batching_dims", "start_index_map"},
      indices, from.size(), to.size());
  FailureOr<Numbers> sizes = getNumbers(op, "slice_sizes", from.size());
  if (failed(p) || failed(sizes))
    return failure();
  Numbers extents(to), counts(getShape(indices));
  if (p->vectorDim < static_cast<int64_t>(counts.size()))
    counts.erase(counts.begin() + p->vectorDim);
  for (auto [dim, count] : llvm::zip_equal(p->batchDims, counts))
    extents[dim] = count;
  for (auto [dim, window] : llvm::zip_equal(p->offsetDims, p->windowDims))
    extents[dim] = (*sizes)[window];
  for (auto [d, size] : llvm::enumerate(*sizes))
    if (size < 0 || size > from[d] ||
        (!llvm::is_contained(p->windowDims, d) && size > 1))
      return op->emitOpError("has a slice size out of range");
  for (auto [dim, other] : llvm::zip_equal(p->batching, p->indexBatching))
    if (from[dim] != getShape(indices)[other])
      return op->emitOpError("has batches of different extents");
  if (failed(verifyResult(op, extents, getElement(operand))))
    return failure();
  Value starts = getArray(indices), array = getArray(operand);
  values[op->getResult(0)] = b.gather(array, getExtents(to), [&](ValueRange i) {
    Values places =
        buildStarts(b, *p, starts, getShape(indices).size(),
                    getElement(indices).isUnsignedInteger(), from.size(), i,
                    [&](Value start, int64_t dim) -> Value {
                      Value most = b.getIndex(from[dim] - (*sizes)[dim]);
                      start = arith::MaxSIOp::create(b, start, b.getIndex(0));
                      return arith::MinSIOp::create(b, start, most);
                    });
    for (auto [dim, window] : llvm::zip_equal(p->offsetDims, p->windowDims))
      places[window] = arith::AddIOp::create(b, places[window], i[dim]);
    if (places.empty())
      places.push_back(b.getIndex(0));
    return places;
  });
  return success();
}

LogicalResult Importer::importScatter(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, 2 * count + 1, 1, std::max(count, 1u))))
    return failure();
  auto inputs = op->getOperands().take_front(count),
       updates = op->getOperands().drop_front(count + 1);
  Value indices = op->getOperand(count);
  Numbers into(getShape(inputs[0])), from(getShape(updates[0]));
  if (into.empty())
    return op->emitOpError("into a scalar is not supported");
  FailureOr<Places> p = parsePlaces(
      op, getText(op, "scatter_dimension_numbers"),
      {"update_window_dims", "inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"},
      indices, into.size(), from.size());
  if (failed(p))
    return failure();
  SmallVector<Type> elements;
  for (unsigned k = 0; k < count; ++k) {
    elements.push_back(getElement(inputs[k]));
    if (getShape(inputs[k]) != ArrayRef(into) ||
        getShape(updates[k]) != ArrayRef(from) ||
        getElement(updates[k]) != elements[k])
      return op->emitOpError("has inputs or updates of different types");
    if (failed(verifyResult(op, into, elements[k], k)))
      return failure();
  }
  Numbers counts(getShape(indices));
  if (p->vectorDim < static_cast<int64_t>(counts.size()))
    counts.erase(counts.begin() + p->vectorDim);
  for (auto [dim, extent] : llvm::zip_equal(p->batchDims, counts))
    if (from[dim] != extent)
      return op->emitOpError("has updates and indices of different extents");
  for (auto [dim, other] : llvm::zip_equal(p->batching, p->indexBatching))
    if (into[dim] != getShape(indices)[other])
      return op->emitOpError("has batches of different extents");
  Numbers sizes(into.size(), 1);
  for (auto [dim, window] : llvm::zip_equal(p->offsetDims, p->windowDims))
    sizes[window] = from[dim];
  SmallVector<Type> both(elements);
  llvm::append_range(both, elements);
  if (failed(verifyRegion(op, 0, both, elements)))
    return failure();

  // If the function returns the new element, one of the updates is kept.
  Block &body = op->getRegion(0).front();
  WriteContract contract;
  auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
  if (llvm::equal(body.back().getOperands(),
                  body.getArguments().drop_front(count))) {
    contract.unchecked = true;
    if (!unique || !unique.getValue()) {
      contract.contract = Contract::Any;
      contract.unchecked = false;
      if (count > 1)
        return op->emitOpError("of several arrays needs unique_indices or a "
                               "function that combines elements");
    }
  } else {
    contract =
        b.getContract(llvm::map_to_vector(elements, convertElement),
                      [&](ValueRange x) { return buildScalars(body, x); });
  }
  Value starts = getArray(indices), part = getArrays(updates);
  Value onto = getArrays(inputs);
  define(op, b.scatter(
                 onto, ArrayRef(getExtents(from)).take_front(from.size()),
                 [&](ValueRange i) {
                   Target target;
                   // A window that is partly outside of the array is not
                   // written.
                   auto limit = [&](Value start, int64_t dim) {
                     Value last = b.getIndex(into[dim] - sizes[dim]);
                     Value isIn = arith::AndIOp::create(
                         b,
                         arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                               start, b.getIndex(0)),
                         arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                               start, last));
                     target.condition =
                         target.condition
                             ? arith::AndIOp::create(b, target.condition, isIn)
                                   .getResult()
                             : isIn;
                     return start;
                   };
                   target.indices =
                       buildStarts(b, *p, starts, getShape(indices).size(),
                                   getElement(indices).isUnsignedInteger(),
                                   into.size(), i, limit);
                   for (auto [dim, window] :
                        llvm::zip_equal(p->offsetDims, p->windowDims))
                     target.indices[window] = arith::AddIOp::create(
                         b, target.indices[window], i[dim]);
                   Values place(i);
                   if (place.empty())
                     place.push_back(b.getIndex(0));
                   target.values = b.get(part, place);
                   return target;
                 },
                 contract));
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// True if the block is one commutative operation.
static bool isFree(Block &block) {
  return block.getOperations().size() == 2 && isCommutative(&block.front()) &&
         llvm::equal(block.front().getOperands(), block.getArguments());
}

LogicalResult Importer::importReduce(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, 2 * count, 1, std::max(count, 1u))))
    return failure();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  Numbers from(getShape(inputs[0]));
  FailureOr<Numbers> dims = getNumbers(op, "dimensions", -1);
  if (failed(dims) || failed(verifyDims(op, "dimensions", *dims, from.size())))
    return failure();
  Numbers kept;
  for (auto [d, extent] : llvm::enumerate(from))
    if (!llvm::is_contained(*dims, d))
      kept.push_back(extent);
  SmallVector<Type> elements;
  for (unsigned k = 0; k < count; ++k) {
    elements.push_back(getElement(inputs[k]));
    if (getShape(inputs[k]) != ArrayRef(from) || !getShape(starts[k]).empty() ||
        getElement(starts[k]) != elements[k])
      return op->emitOpError("has operands or initial values of different "
                             "types");
    if (failed(verifyResult(op, kept, elements[k], k)))
      return failure();
  }
  SmallVector<Type> both(elements);
  llvm::append_range(both, elements);
  if (failed(verifyRegion(op, 0, both, elements)))
    return failure();
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  if (dims->empty()) {
    define(op, b.map(array, [&](ValueRange x) {
      Values pair(init);
      llvm::append_range(pair, x);
      return combine(pair);
    }));
    return success();
  }
  Choice choice;
  choice.neutral = true;
  choice.commutative = isFree(body);
  define(op, b.reduce(array, init, *dims, combine, choice));
  return success();
}

LogicalResult Importer::importReduceWindow(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, 2 * count, 1, std::max(count, 1u))))
    return failure();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  Numbers from(getShape(inputs[0]));
  int64_t rank = from.size();
  auto sizes = getNumbers(op, "window_dimensions", rank);
  auto readOr = [&](StringRef name, int64_t number,
                    int64_t size) -> FailureOr<Numbers> {
    if (!op->getAttr(name))
      return Numbers(size, number);
    return getNumbers(op, name, size);
  };
  auto strides = readOr("window_strides", 1, rank);
  auto dilations = readOr("window_dilations", 1, rank);
  auto bases = readOr("base_dilations", 1, rank);
  auto padding = readOr("padding", 0, 2 * rank);
  if (failed(sizes) || failed(strides) || failed(dilations) || failed(bases) ||
      failed(padding))
    return failure();
  if (!rank)
    return op->emitOpError("of a scalar is not supported");

  Numbers extents;
  SmallVector<WindowDim> dims;
  // A scan is a window from one end of one dimension up to each element.
  int64_t scanDim = -1;
  bool isScan = true, isInside = true, reverse = false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = (*sizes)[d], stride = (*strides)[d], base = (*bases)[d],
            dilation = (*dilations)[d], low = (*padding)[2 * d],
            high = (*padding)[2 * d + 1], n = from[d];
    if (size < 1 || stride < 1 || base < 1 || dilation < 1)
      return op->emitOpError("needs sizes, strides and dilations of at least "
                             "1");
    int64_t inside = n ? (n - 1) * base + 1 : 0, all = inside + low + high,
            reach = (size - 1) * dilation + 1;
    int64_t found = all < reach ? 0 : (all - reach) / stride + 1;
    extents.push_back(found);
    WindowDim dim;
    dim.count = b.getIndexAttr(found);
    dim.size = b.getIndexAttr(size);
    dim.stride = stride;
    dim.dilation = dilation;
    dim.low = low;
    dim.holes = base - 1;
    dims.push_back(dim);
    isInside &= low <= 0 && high <= 0 && base == 1;
    if (size == 1 && stride == 1 && !low && !high && base == 1)
      continue;
    bool isPrefix = low == n - 1 && !high, isSuffix = high == n - 1 && !low;
    isScan &= scanDim < 0 && size == n && stride == 1 && base == 1 &&
              dilation == 1 && (isPrefix || isSuffix);
    scanDim = d;
    reverse = !isPrefix;
  }
  SmallVector<Type> elements;
  for (unsigned k = 0; k < count; ++k) {
    elements.push_back(getElement(inputs[k]));
    if (getShape(inputs[k]) != ArrayRef(from) || !getShape(starts[k]).empty() ||
        getElement(starts[k]) != elements[k])
      return op->emitOpError("has operands or initial values of different "
                             "types");
    if (failed(verifyResult(op, extents, elements[k], k)))
      return failure();
  }
  SmallVector<Type> both(elements);
  llvm::append_range(both, elements);
  if (failed(verifyRegion(op, 0, both, elements)))
    return failure();
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  if (isScan && scanDim >= 0) {
    Choice choice;
    choice.commutative = isFree(body);
    define(op, b.scan(array, init, scanDim, /*exclusive=*/false, reverse,
                      combine, choice));
    return success();
  }
  Value windows = b.windows(array, isInside ? Values() : init, dims);
  define(op, b.map(windows, [&](ValueRange window) {
    Value flat = window.front();
    flat = b.reshape(flat, b.getProduct(b.getExtents(flat)));
    return b.fold(flat, init, combine, isFree(body));
  }));
  return success();
}

LogicalResult Importer::importSort(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, count, 1, std::max(count, 1u))))
    return failure();
  Numbers from(getShape(op->getOperand(0)));
  FailureOr<int64_t> dim = getNumber(op, "dimension");
  if (failed(dim))
    return failure();
  int64_t place = *dim < 0 ? *dim + from.size() : *dim;
  if (failed(verifyDims(op, "dimension", place, from.size())))
    return failure();
  SmallVector<Type> pairs;
  for (unsigned k = 0; k < count; ++k) {
    pairs.append(2, getElement(op->getOperand(k)));
    if (getShape(op->getOperand(k)) != ArrayRef(from))
      return op->emitOpError("has operands of different extents");
    if (failed(verifyResult(op, from, pairs.back(), k)))
      return failure();
  }
  if (failed(verifyRegion(op, 0, pairs, {b.getI1Type()})))
    return failure();
  Block &body = op->getRegion(0).front();
  define(op, b.sort(getArrays(op->getOperands()), place, [&](ValueRange x) {
    // The arguments of the function are the components of both elements,
    // alternately.
    Values turns;
    for (unsigned k = 0; k < count; ++k)
      turns.append({x[k], x[count + k]});
    return buildScalars(body, turns);
  }));
  return success();
}

LogicalResult Importer::importTopK(Operation *op) {
  if (failed(verifyCounts(op, 1, 0, 2)))
    return failure();
  Value operand = op->getOperand(0);
  Numbers from(getShape(operand));
  FailureOr<int64_t> k = getNumber(op, "k");
  if (failed(k))
    return failure();
  Type element = getElement(operand);
  if (from.empty() || *k < 0 || *k > from.back() || element.isInteger(1))
    return op->emitOpError("needs an array of numbers with k elements");
  Numbers to(from);
  to.back() = *k;
  if (failed(verifyResult(op, to, element)) ||
      failed(verifyResult(op, to, b.getI32Type(), 1)))
    return failure();
  Value numbers = b.generate(getExtents(from), [&](ValueRange i) -> Values {
    return {arith::IndexCastOp::create(b, b.getI32Type(), i.back())};
  });
  Value found = b.sortFirst(
      b.zip({getArray(operand), numbers}), from.size() - 1, *k,
      [&](ValueRange x) -> Values {
        if (isa<FloatType>(element)) {
          // NaNs are sorted first.
          Value isMore =
              arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x[0], x[2]);
          Value isNone =
              arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x[0], x[0]);
          Value isOther =
              arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x[2], x[2]);
          return {arith::OrIOp::create(
              b, isMore, arith::AndIOp::create(b, isNone, isOther))};
        }
        return {arith::CmpIOp::create(b,
                                      element.isUnsignedInteger()
                                          ? arith::CmpIPredicate::ugt
                                          : arith::CmpIPredicate::sgt,
                                      x[0], x[2])};
      });
  define(op, found);
  return success();
}

LogicalResult Importer::importDot(Operation *op) {
  if (failed(verifyCounts(op, 2)))
    return failure();
  StringRef text = getText(op, "dot_dimension_numbers");
  bool isPlain = op->getName().getStringRef() == "stablehlo.dot";
  Value operands[] = {op->getOperand(0), op->getOperand(1)};
  Numbers shapes[] = {Numbers(getShape(operands[0])),
                      Numbers(getShape(operands[1]))};
  Numbers batch[2], contracting[2], free[2];
  for (unsigned side : {0, 1}) {
    StringRef prefix = side ? "rhs_" : "lhs_";
    auto batches = parseList(op, text, (prefix + "batching_dimensions").str());
    auto contracts =
        parseList(op, text, (prefix + "contracting_dimensions").str());
    if (failed(batches) || failed(contracts))
      return failure();
    batch[side] = *batches;
    contracting[side] = *contracts;
    if (isPlain && !shapes[side].empty())
      contracting[side] = {side ? 0
                                : static_cast<int64_t>(shapes[0].size()) - 1};
    Numbers all(batch[side]);
    llvm::append_range(all, contracting[side]);
    if (failed(
            verifyDims(op, "dot_dimension_numbers", all, shapes[side].size())))
      return failure();
    for (int64_t d = 0, e = shapes[side].size(); d < e; ++d)
      if (!llvm::is_contained(all, d))
        free[side].push_back(d);
  }
  auto getSizes = [&](unsigned side, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims,
                               [&](int64_t dim) { return shapes[side][dim]; });
  };
  if (getSizes(0, batch[0]) != getSizes(1, batch[1]) ||
      getSizes(0, contracting[0]) != getSizes(1, contracting[1]) ||
      (!isPlain && text.empty()))
    return op->emitOpError("has operands whose extents do not fit");
  Numbers extents = getSizes(0, batch[0]);
  llvm::append_range(extents, getSizes(0, free[0]));
  llvm::append_range(extents, getSizes(1, free[1]));
  Type element = getElement(op->getResult(0));
  if (failed(verifyResult(op, extents, element)))
    return failure();
  if (element.isInteger(1))
    return op->emitOpError("of bits is not supported");
  // Sums of f16 and bf16 are computed in f32.
  Type sumType = element.isF16() || element.isBF16() ? b.getF32Type() : element;
  auto convert = [&](Value array, Type from, Type to) {
    if (convertElement(from) == convertElement(to))
      return array;
    return b.map(array, [&](ValueRange x) -> Values {
      return {convertScalar(b, x[0], from, to)};
    });
  };
  ArrayBuilder::Side sides[2];
  for (unsigned side : {0, 1})
    sides[side] = {
        convert(getArray(operands[side]), getElement(operands[side]), sumType),
        batch[side], free[side], contracting[side]};
  Type lowered = convertElement(sumType);
  bool isFloat = isa<FloatType>(lowered);
  Value zero = b.getNumber(lowered, 0);
  // StableHLO leaves open if products are rounded before they are added.
  auto fast = arith::FastMathFlags::contract;
  Value product = b.contract(
      sides[0], sides[1], zero,
      [&](ValueRange x) -> Values {
        return {isFloat ? arith::MulFOp::create(b, x[0], x[1], fast).getResult()
                        : arith::MulIOp::create(b, x[0], x[1]).getResult()};
      },
      [&](ValueRange x) -> Values {
        return {isFloat ? arith::AddFOp::create(b, x[0], x[1], fast).getResult()
                        : arith::AddIOp::create(b, x[0], x[1]).getResult()};
      });
  values[op->getResult(0)] = convert(product, sumType, element);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Finds the tensors of rank 0 that cannot be scalars of the host.
void Importer::findDeviceScalars() {
  bool isChanged = true;
  auto mark = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && !type.getRank())
      isChanged |= deviceScalars.insert(value).second;
  };
  auto flow = [&](auto from, auto to) {
    for (auto [source, target] : llvm::zip(from, to))
      if (deviceScalars.contains(source))
        mark(target);
  };
  auto flowRegions = [&](Operation *op, ValueRange to) {
    for (Region &region : op->getRegions())
      if (region.hasOneBlock() && !region.front().empty())
        flow(region.front().back().getOperands(), to);
  };
  while (std::exchange(isChanged, false))
    source.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name == "stablehlo.while" && op->getNumRegions() == 2 &&
          op->getRegion(1).hasOneBlock()) {
        flow(op->getOperands(), op->getResults());
        Block &body = op->getRegion(1).front();
        if (!body.empty())
          flow(body.back().getOperands(), op->getResults());
        for (Region &region : op->getRegions())
          if (region.hasOneBlock())
            flow(op->getResults(), region.front().getArguments());
      } else if (name == "stablehlo.case" || name == "stablehlo.if") {
        flowRegions(op, op->getResults());
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = tables.lookup<func::FuncOp>(call.getCallee());
        if (callee && callee.getBody().hasOneBlock()) {
          flow(op->getOperands(), callee.getArguments());
          flowRegions(callee, op->getResults());
        }
      } else if (isHostOp(op) || name == "stablehlo.reshape" ||
                 name == "stablehlo.broadcast_in_dim" ||
                 name == "stablehlo.optimization_barrier") {
        for (Value operand : op->getOperands()) {
          auto type = dyn_cast<RankedTensorType>(operand.getType());
          if (!type || type.getRank() || deviceScalars.contains(operand))
            llvm::for_each(op->getResults(), mark);
        }
      } else if (name != "stablehlo.constant") {
        llvm::for_each(op->getResults(), mark);
      }
    });
}

/// True if the function has one block, which ends with a return.
static bool hasPlainBody(func::FuncOp function) {
  Region &body = function.getBody();
  return body.hasOneBlock() && !body.front().empty() &&
         isa<func::ReturnOp>(body.front().back());
}

FailureOr<func::FuncOp> Importer::findCallee(Operation *op) {
  auto callee = tables.lookup<func::FuncOp>(cast<func::CallOp>(op).getCallee());
  if (!callee || !hasPlainBody(callee))
    return op->emitOpError("calls a function without a body of one block");
  if (op->getOperandTypes() != callee.getArgumentTypes() ||
      op->getResultTypes() != callee.getResultTypes())
    return op->emitOpError("calls a function of another type");
  if (llvm::is_contained(calls, callee))
    return op->emitOpError("calls a function that calls itself");
  return callee;
}

LogicalResult Importer::importCall(Operation *op) {
  FailureOr<func::FuncOp> callee = findCallee(op);
  if (failed(callee))
    return failure();
  for (auto [argument, operand] :
       llvm::zip_equal(callee->getArguments(), op->getOperands()))
    values[argument] = lookup(operand);
  calls.push_back(*callee);
  FailureOr<Values> results = importBlock(callee->getBody().front());
  calls.pop_back();
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    values[result] = value;
  return success();
}

LogicalResult Importer::importWhile(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, count, 2, count)))
    return failure();
  auto types = op->getOperandTypes();
  if (types != op->getResultTypes())
    return op->emitOpError("has results of other types than its operands");
  for (Region &region : op->getRegions()) {
    bool isCondition = &region == &op->getRegion(0);
    if (!region.hasOneBlock() || region.front().empty() ||
        region.front().getArgumentTypes() != types ||
        region.front().back().getName().getStringRef() != "stablehlo.return")
      return op->emitOpError("has a region whose arguments are not those of "
                             "the loop");
    auto returned = region.front().back().getOperandTypes();
    if (isCondition
            ? returned.size() != 1 ||
                  returned.front() != RankedTensorType::get({}, b.getI1Type())
            : returned != types)
      return op->emitOpError("has a region that returns other types than the "
                             "loop has");
  }
  // Scalars of the host stay scalars. All other values are in memory.
  auto getCarried = [&](ValueRange tensors) {
    Values carried, arrays;
    for (auto [tensor, result] : llvm::zip_equal(tensors, op->getResults())) {
      bool isScalar =
          getShape(result).empty() && !deviceScalars.contains(result);
      carried.push_back(isScalar ? getHostScalar(tensor) : getArray(tensor));
      if (!isScalar)
        arrays.push_back(carried.back());
    }
    Values stored = b.store(arrays);
    auto next = stored.begin();
    for (Value &value : carried)
      if (isa<PullType>(value.getType()))
        value = *next++;
    return carried;
  };
  Values init = getCarried(op->getOperands());
  SmallVector<Type> lowered(ValueRange(init).getTypes());
  // The extents of carried arrays do not change.
  auto loop = scf::WhileOp::create(b, lowered, init);
  SmallVector<Location> locs(count, op->getLoc());
  for (auto [region, into] :
       llvm::zip_equal(op->getRegions(), loop->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&into, {}, lowered, locs);
    for (auto [argument, value] :
         llvm::zip_equal(region.front().getArguments(), block->getArguments()))
      values[argument] = value;
    bool isCondition = &into == &loop.getBefore();
    Operation *end = &region.front().back();
    if (failed(importBlock(region.front())))
      return failure();
    b.setLoc(op->getLoc());
    if (isCondition)
      scf::ConditionOp::create(b, getHostScalar(end->getOperand(0)),
                               block->getArguments());
    else
      scf::YieldOp::create(b, getCarried(end->getOperands()));
  }
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), loop.getResults()))
    values[result] = value;
  return success();
}

LogicalResult Importer::importBranches(Operation *op) {
  bool isIf = op->getName().getStringRef() == "stablehlo.if";
  unsigned count = op->getNumRegions();
  if (failed(verifyCounts(op, 1, isIf ? 2 : std::max(count, 1u),
                          op->getNumResults())))
    return failure();
  Type element = isIf ? Type(b.getI1Type()) : Type(b.getI32Type());
  if (op->getOperand(0).getType() != RankedTensorType::get({}, element))
    return op->emitOpError("needs a scalar that chooses the branch");
  for (Region &region : op->getRegions())
    if (!region.hasOneBlock() || region.front().empty() ||
        region.front().getNumArguments() ||
        region.front().back().getName().getStringRef() != "stablehlo.return" ||
        region.front().back().getOperandTypes() != op->getResultTypes())
      return op->emitOpError("has a region that does not return its results");
  SmallVector<Type> types;
  for (Value result : op->getResults()) {
    Type type = convertElement(getElement(result));
    bool isScalar = getShape(result).empty() && !deviceScalars.contains(result);
    Numbers extents(getShape(result));
    if (extents.empty())
      extents.push_back(1);
    types.push_back(isScalar ? type
                             : PullType::get(b.getContext(), extents, type));
  }
  Value chooser = getHostScalar(op->getOperand(0));
  // Each branch but the last one is the first region of an `if`.
  OpBuilder::InsertionGuard guard(b);
  Operation *first = nullptr;
  for (unsigned k = 0; k < count; ++k) {
    scf::IfOp choice;
    if (k + 1 < count) {
      Value condition = chooser;
      if (!isIf)
        condition = arith::CmpIOp::create(
            b, arith::CmpIPredicate::eq, chooser,
            arith::ConstantOp::create(b, b.getI32IntegerAttr(k)));
      choice = scf::IfOp::create(b, types, condition, true, true);
      if (first)
        scf::YieldOp::create(b, choice.getResults());
      first = first ? first : choice;
      b.setInsertionPointToStart(&choice.getThenRegion().front());
    }
    Block &block = op->getRegion(k).front();
    if (failed(importBlock(block)))
      return failure();
    b.setLoc(op->getLoc());
    Values found, arrays;
    for (auto [value, type] :
         llvm::zip_equal(block.back().getOperands(), types)) {
      found.push_back(isa<PullType>(type) ? getArray(value)
                                          : getHostScalar(value));
      if (isa<PullType>(type))
        arrays.push_back(found.back());
    }
    Values stored = b.store(arrays);
    auto next = stored.begin();
    for (Value &value : found)
      if (isa<PullType>(value.getType()))
        value = *next++;
    if (!first) {
      // There is only one branch.
      for (auto [result, value] : llvm::zip_equal(op->getResults(), found))
        values[result] = value;
      return success();
    }
    scf::YieldOp::create(b, found);
    if (choice)
      b.setInsertionPointToStart(&choice.getElseRegion().front());
  }
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), first->getResults()))
    values[result] = value;
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Importer::importOp(Operation *op) {
  if (failed(verifyOperands(op)))
    return failure();
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (failed(verifyTensor(op, type)))
      return failure();
  b.setLoc(op->getLoc());
  if (isScalarOp(op))
    return importScalarOp(op);
  using Import = LogicalResult (Importer::*)(Operation *);
  Import import =
      llvm::StringSwitch<Import>(op->getName().getStringRef())
          .Case("chlo.top_k", &Importer::importTopK)
          .Case("func.call", &Importer::importCall)
          .Cases({"stablehlo.case", "stablehlo.if"}, &Importer::importBranches)
          .Case("stablehlo.broadcast_in_dim", &Importer::importBroadcast)
          .Case("stablehlo.concatenate", &Importer::importConcatenate)
          .Case("stablehlo.constant", &Importer::importConstant)
          .Cases({"stablehlo.dot", "stablehlo.dot_general"},
                 &Importer::importDot)
          .Case("stablehlo.dynamic_slice", &Importer::importDynamicSlice)
          .Case("stablehlo.dynamic_update_slice",
                &Importer::importDynamicUpdate)
          .Case("stablehlo.gather", &Importer::importGather)
          .Case("stablehlo.iota", &Importer::importIota)
          .Case("stablehlo.pad", &Importer::importPad)
          .Case("stablehlo.reduce", &Importer::importReduce)
          .Case("stablehlo.reduce_window", &Importer::importReduceWindow)
          .Case("stablehlo.reshape", &Importer::importReshape)
          .Case("stablehlo.reverse", &Importer::importReverse)
          .Case("stablehlo.scatter", &Importer::importScatter)
          .Case("stablehlo.slice", &Importer::importSlice)
          .Case("stablehlo.sort", &Importer::importSort)
          .Case("stablehlo.transpose", &Importer::importTranspose)
          .Case("stablehlo.while", &Importer::importWhile)
          .Default(nullptr);
  if (import)
    return (this->*import)(op);
  if (op->getName().getStringRef() == "stablehlo.optimization_barrier" &&
      op->getOperandTypes() == op->getResultTypes()) {
    for (auto [result, operand] :
         llvm::zip_equal(op->getResults(), op->getOperands()))
      values[result] = lookup(operand);
    return success();
  }
  if (op->getName().getStringRef() == "stablehlo.custom_call")
    return op->emitOpError("calls code outside of the program: ")
           << op->getAttr("call_target_name");
  return op->emitOpError("has no counterpart in obs");
}

/// Lowers the block, whose arguments have values, and returns its results.
FailureOr<Values> Importer::importBlock(Block &block) {
  for (Operation &op : llvm::drop_end(block))
    if (failed(importOp(&op)))
      return failure();
  if (failed(verifyOperands(&block.back())))
    return failure();
  return llvm::map_to_vector(block.back().getOperands(),
                             [&](Value value) { return lookup(value); });
}

LogicalResult Importer::importFunction(func::FuncOp function) {
  if (!hasPlainBody(function))
    return function.emitOpError("needs a body of one block");
  SmallVector<Type> types, results;
  auto convert = [](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return PullType::get(type.getContext(),
                         tensor.getRank() ? tensor.getShape()
                                          : ArrayRef<int64_t>(1),
                         convertElement(tensor.getElementType()));
  };
  for (Type type : function.getArgumentTypes()) {
    if (failed(verifyTensor(function, type)))
      return failure();
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(tensor.getRank() ? convert(type)
                                     : convertElement(tensor.getElementType()));
  }
  for (Type type : function.getResultTypes()) {
    if (failed(verifyTensor(function, type)))
      return failure();
    results.push_back(convert(type));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setLoc(function.getLoc());
  b.setInsertionPointToEnd(target.getBody());
  auto lowered = func::FuncOp::create(b, function.getName(),
                                      b.getFunctionType(types, results));
  Block *entry = lowered.addEntryBlock();
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), entry->getArguments()))
    values[argument] = value;
  b.setInsertionPointToEnd(entry);
  calls.assign(1, function);
  if (failed(importBlock(function.getBody().front())))
    return failure();
  b.setLoc(function.getBody().front().back().getLoc());
  Values arrays;
  for (Value value : function.getBody().front().back().getOperands())
    arrays.push_back(getArray(value));
  func::ReturnOp::create(b, b.store(arrays));
  b.finish(lowered);
  return success();
}

LogicalResult Importer::run() {
  findDeviceScalars();
  for (Operation &op : *source.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return op.emitOpError("is not a function");
    if (function.isPublic() && failed(importFunction(function)))
      return failure();
  }
  return verify(target);
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
  OwningOpRef<ModuleOp> lowered = ModuleOp::create(module.getLoc());
  if (failed(Importer(module, *lowered).run()))
    return failure();
  module.getBodyRegion().takeBody(lowered->getBodyRegion());
  module->setAttrs(DictionaryAttr::get(module.getContext()));
  return success();
}
