//===- Tensors.cpp - Operations of arith and tensor on whole tensors ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a constant, an elementwise operation, a slice or a similar operation.
// Out: one operation of the builder of whole arrays, or a few.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::fromlinalg;

LogicalResult Converter::convertConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitOpError("has elements that are not in the program: "
                          "give them as a parameter");
  if (dense.empty() || dense.isSplat()) {
    auto number = dense.empty() ? b.getZeroAttr(dense.getElementType())
                                : dense.getSplatValue<Attribute>();
    Value scalar = arith::ConstantOp::create(b, cast<TypedAttr>(number));
    values[op] = b.splat(scalar, getShape(op.getType(), {}));
    return success();
  }
  if (dense.getNumElements() > 1 << 24)
    return op.emitOpError("has more than 2^24 elements: give them as a "
                          "parameter");
  values[op] = ConstantOp::create(b, dense);
  return success();
}

/// An operation of `arith` or `math` on tensors.
LogicalResult Converter::convertElementwise(Operation *op) {
  Values arrays, scalars;
  for (Value operand : op->getOperands()) {
    Value lowered = lookup(operand);
    bool isArray = isa<PullType>(lowered.getType());
    scalars.push_back(isArray ? Value() : lowered);
    if (isArray)
      arrays.push_back(lowered);
  }
  define(op->getResult(0), b.map(arrays, [&](ValueRange e) -> Values {
    IRMapping map;
    auto next = e.begin();
    for (auto [operand, scalar] : llvm::zip(op->getOperands(), scalars)) {
      Value element = scalar ? scalar : *next++;
      map.map(operand, element);
    }
    Operation *copy = b.clone(*op, map);
    copy->getResult(0).setType(getElementTypeOrSelf(op->getResult(0)));
    return {copy->getResult(0)};
  }));
  return success();
}

LogicalResult Converter::convertSlice(tensor::ExtractSliceOp op) {
  Value array = lookup(op.getSource());
  Extents sizes = getNumbers(op.getMixedSizes());
  if (!sizes.empty()) {
    if (llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s < 1; }))
      return op.emitOpError("has a stride that is not known, or less than 1: "
                            "write it as a linalg.generic with tensor.extract");
    array = b.slice(array, getNumbers(op.getMixedOffsets()), sizes,
                    op.getStaticStrides());
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Extents extents;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      extents.push_back(size);
  define(op, dropped.any() ? b.reshape(array, orOne(extents)) : array);
  return success();
}

LogicalResult Converter::convertInsert(tensor::InsertSliceOp op) {
  Extents sizes = getNumbers(op.getMixedSizes()),
          offsets = getNumbers(op.getMixedOffsets());
  Value source = lookup(op.getSource());
  if (llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s < 1; }))
    return op.emitOpError("has a stride that is not known, or less than 1");
  if (sizes.empty()) {
    values[op] = source;
    return success();
  }
  source = b.reshape(source, sizes);
  define(op, b.scatter(
                 lookup(op.getDest()), sizes,
                 [&](ValueRange i) {
                   Target target;
                   for (auto [d, index] : llvm::enumerate(i))
                     target.indices.push_back(b.createOrFold<arith::AddIOp>(
                         b.createOrFold<arith::MulIOp>(
                             index, b.getIndex(op.getStaticStrides()[d])),
                         b.getIndex(offsets[d])));
                   target.values = b.get(source, i);
                   return target;
                 },
                 WriteContract()));
  return success();
}

LogicalResult Converter::convertGather(tensor::GatherOp op) {
  Value source = lookup(op.getSource()), indices = lookup(op.getIndices());
  ArrayRef<int64_t> dims = op.getGatherDims();
  unsigned leading = op.getIndicesType().getRank() - 1;
  bool isReduced =
      op.getResultType().getRank() != leading + op.getSourceType().getRank();
  Extents extents = b.getExtents(indices);
  extents.truncate(leading);
  // The index of the result for each dimension of the source.
  Numbers places;
  for (auto [d, extent] : llvm::enumerate(b.getExtents(source))) {
    bool isGathered = llvm::is_contained(dims, d);
    places.push_back(isGathered ? -1 : extents.size());
    if (!isGathered || !isReduced)
      extents.push_back(isGathered ? b.getIndexAttr(1) : extent);
  }
  define(op, b.gather(source, orOne(extents), [&](ValueRange i) {
    Values place;
    for (auto [d, from] : llvm::enumerate(places)) {
      if (from >= 0) {
        place.push_back(i[from]);
        continue;
      }
      Values at(i.take_front(leading));
      at.push_back(b.getIndex(llvm::find(dims, d) - dims.begin()));
      Value index = b.getOne(indices, at);
      place.push_back(
          index.getType().isIndex()
              ? index
              : arith::IndexCastOp::create(b, b.getIndexType(), index));
    }
    return place;
  }));
  return success();
}

LogicalResult Converter::convertPad(tensor::PadOp op) {
  Block &body = op.getRegion().front();
  if (failed(verifyBody(op, body)))
    return failure();
  // The verifier of the operation does not compare these numbers.
  auto isComplete = [](ArrayRef<int64_t> numbers, ValueRange given) {
    return llvm::count(numbers, ShapedType::kDynamic) ==
           static_cast<int64_t>(given.size());
  };
  if (!isComplete(op.getStaticLow(), op.getLow()) ||
      !isComplete(op.getStaticHigh(), op.getHigh()))
    return op.emitOpError("has a width of the pad without an operand");
  Value source = lookup(op.getSource());
  unsigned rank = op.getSourceType().getRank();
  define(op, rank ? b.pad(source, getNumbers(op.getMixedLowPad()),
                          getNumbers(op.getMixedHighPad()), Numbers(rank, 0),
                          [&](ValueRange i) -> Values {
                            return {buildCode(body, i)};
                          })
                  : source);
  return success();
}

/// A scalar of the host.
LogicalResult Converter::convertExtract(tensor::ExtractOp op) {
  Value array = lookup(op.getTensor());
  if (auto same = array.getDefiningOp<SplatOp>()) {
    values[op] = same.getValues().front();
    return success();
  }
  array = b.store(array).front();
  values[op.getTensor()] = array;
  Values place = llvm::map_to_vector(
      op.getIndices(), [&](Value index) { return lookup(index); });
  values[op] = b.getOne(array, orZero(place));
  return success();
}
