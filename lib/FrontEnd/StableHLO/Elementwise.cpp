//===- Elementwise.cpp - Elementwise operations, sources and index maps ---===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

void Importer::importScalarOp(Operation *op) {
  isInvalid = failed(verifyScalarOp(op));
  if (isInvalid)
    return;
  Value result = op->getResult(0);
  ArrayRef<int64_t> shape = getShape(result);
  StringRef name = op->getName().getStringRef();
  bool mayMix = name == "stablehlo.select" || name == "stablehlo.clamp";
  for (Value operand : op->getOperands())
    require(op,
            getShape(operand) == shape || (mayMix && getShape(operand).empty()),
            "has operands and a result of different extents");
  if (isInvalid)
    return;
  Values operands = lookup(op->getOperands());
  auto build = [&](ValueRange x) -> Values {
    return {buildScalarOp(b, op, x)};
  };
  // Elements that are equal at all indices are computed once, by the host.
  Values scalars = operands;
  for (Value &scalar : scalars)
    if (auto same = scalar.getDefiningOp<SplatOp>())
      scalar = same.getValues().front();
  if (name == "stablehlo.convert" &&
      op->getOperand(0).getType() == result.getType())
    define(result, operands);
  else if (!isHostOp(op) || llvm::any_of(ValueRange(scalars).getTypes(),
                                         llvm::IsaPred<PullType>))
    define(result, b.mapElements(operands, getExtents(shape), build));
  else if (shape.empty())
    define(result, build(scalars));
  else
    define(result, b.splat(build(scalars), getExtents(shape)));
}

void Importer::importConstant(Operation *op) {
  Value result = op->getResult(0);
  auto value = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  require(op, value && value.getType() == result.getType(),
          "needs a dense value of the type of its result");
  if (isInvalid)
    return;
  FailureOr<Value> constant =
      buildConstant(op, value, convertElementType(getElement(result)),
                    /*isScalar=*/true);
  isInvalid = failed(constant);
  if (!isInvalid)
    define(result, *constant);
}

void Importer::importIota(Operation *op) {
  Value result = op->getResult(0);
  Type element = getElement(result);
  int64_t dim = getNumber(op, "iota_dimension");
  requireDims(op, "iota_dimension", dim, getShape(result).size());
  require(op, !element.isInteger(1), "has elements that are numbers");
  if (isInvalid)
    return;
  Type integer = b.getI64Type();
  defineArray(
      op, b.generate(getExtents(getShape(result)), [&](ValueRange i) -> Values {
        Value number = arith::IndexCastOp::create(b, integer, i[dim]);
        return {convertScalar(b, number, integer, element)};
      }));
}

void Importer::importBroadcast(Operation *op) {
  ArrayRef<int64_t> from = getShape(op->getOperand(0)),
                    to = getShape(op->getResult(0));
  Numbers dims = getDims(op, "broadcast_dimensions", from.size(), to.size());
  for (auto [extent, dim] : llvm::zip_equal(from, dims))
    require(op, isInvalid || extent == 1 || extent == to[dim],
            "has an extent that is neither 1 nor that of the result");
  if (isInvalid)
    return;
  Value lowered = lookup(op->getOperand(0));
  defineArray(op, isa<PullType>(lowered.getType())
                      ? b.broadcast(lowered, getExtents(to), dims)
                      : b.splat(lowered, getExtents(to)));
}

void Importer::importReshape(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  require(op, from.getNumElements() == to.getNumElements(),
          "changes the number of elements");
  if (isInvalid)
    return;
  Value lowered = lookup(op->getOperand(0));
  defineArray(op, isa<PullType>(lowered.getType())
                      ? b.reshape(lowered, getExtents(to.getShape()))
                      : b.splat(lowered, getExtents(to.getShape())));
}

void Importer::importTranspose(Operation *op) {
  int64_t rank = getShape(op->getOperand(0)).size();
  Numbers order = getDims(op, "permutation", rank, rank);
  if (!isInvalid)
    defineArray(op, b.transpose(getArray(op->getOperand(0)), order));
}

void Importer::importReverse(Operation *op) {
  Numbers dims =
      getDims(op, "dimensions", -1, getShape(op->getOperand(0)).size());
  if (!isInvalid)
    defineArray(op, b.reverse(getArray(op->getOperand(0)), dims));
}

void Importer::importSlice(Operation *op) {
  ArrayRef<int64_t> from = getShape(op->getOperand(0));
  Numbers starts = getNumbers(op, "start_indices", from.size()),
          limits = getNumbers(op, "limit_indices", from.size()),
          strides = getNumbers(op, "strides", from.size()), sizes;
  for (auto [d, extent] : llvm::enumerate(from)) {
    require(op,
            isInvalid || (starts[d] >= 0 && starts[d] <= limits[d] &&
                          limits[d] <= extent && strides[d] > 0),
            "is out of range in dimension " + Twine(d));
    if (!isInvalid)
      sizes.push_back(llvm::divideCeil(limits[d] - starts[d], strides[d]));
  }
  if (!isInvalid)
    defineArray(op, b.slice(getArray(op->getOperand(0)), getExtents(starts),
                            getExtents(sizes), strides));
}

void Importer::importPad(Operation *op) {
  Value operand = op->getOperand(0), padding = op->getOperand(1);
  ArrayRef<int64_t> from = getShape(operand);
  Numbers low = getNumbers(op, "edge_padding_low", from.size()),
          high = getNumbers(op, "edge_padding_high", from.size()),
          holes = getNumbers(op, "interior_padding", from.size()), extents;
  for (auto [d, extent] : llvm::enumerate(from)) {
    extents.push_back(extent + std::max<int64_t>(extent - 1, 0) * holes[d] +
                      low[d] + high[d]);
    require(op, holes[d] >= 0, "has negative padding between elements");
    require(op, extents.back() >= 0, "drops more elements than there are");
  }
  requireResult(op, extents, getElement(operand));
  require(op,
          getShape(padding).empty() &&
              getElement(padding) == getElement(operand),
          "needs a padding value of the element type");
  if (isInvalid)
    return;
  Value number = getHostScalar(padding);
  defineArray(op, b.pad(getArray(operand), getExtents(low), getExtents(high),
                        holes, [&](ValueRange) -> Values { return {number}; }));
}

void Importer::importConcatenate(Operation *op) {
  Numbers extents(getShape(op->getOperand(0)));
  int64_t dim = getNumber(op, "dimension");
  requireDims(op, "dimension", dim, extents.size());
  for (Value operand : op->getOperands()) {
    Numbers own(getShape(operand));
    require(op,
            own.size() == extents.size() &&
                getElement(operand) == getElement(op->getOperand(0)),
            "has operands of different ranks or types");
    if (isInvalid)
      return;
    own[dim] = extents[dim];
    require(op, own == extents, "has operands of different extents");
  }
  if (!isInvalid)
    defineArray(
        op, b.concat(llvm::map_to_vector(op->getOperands(),
                                         [&](Value v) { return getArray(v); }),
                     dim));
}
