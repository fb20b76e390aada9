//===- Elementwise.cpp - Elementwise operations, sources and index maps ---===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

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
