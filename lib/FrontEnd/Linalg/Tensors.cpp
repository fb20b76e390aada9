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

/// An operation of `arith` or `math` on tensors.
LogicalResult Converter::convertElementwise(Operation *op) {
  Values operands = lookup(op->getOperands());
  Value like = *llvm::find_if(
      operands, [](Value operand) { return isa<PullType>(operand.getType()); });
  auto code = [&](ValueRange elements) -> Values {
    IRMapping map;
    map.map(op->getOperands(), elements);
    Operation *copy = b.clone(*op, map);
    copy->getResult(0).setType(getElementTypeOrSelf(op->getResult(0)));
    return {copy->getResult(0)};
  };
  return defineArray(op->getResult(0),
                     b.mapElements(operands, b.getExtents(like), code));
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
  return defineArray(op->getResult(0),
                     dropped.any() ? b.reshape(array, orOne(extents)) : array);
}

LogicalResult Converter::convertInsert(tensor::InsertSliceOp op) {
  Extents sizes = getNumbers(op.getMixedSizes()),
          offsets = getNumbers(op.getMixedOffsets());
  Value source = lookup(op.getSource());
  if (llvm::any_of(op.getStaticStrides(), [](int64_t s) { return s < 1; }))
    return op.emitOpError("has a stride that is not known, or less than 1");
  if (sizes.empty())
    return defineArray(op, source);
  assertInside(op, offsets, sizes);
  source = b.reshape(source, sizes);
  auto write = [&](ValueRange i) {
    Target target;
    for (auto [index, stride, offset] :
         llvm::zip_equal(i, op.getStaticStrides(), offsets))
      target.indices.push_back(b.createOrFold<arith::AddIOp>(
          b.createOrFold<arith::MulIOp>(index, b.getIndex(stride)),
          b.getIndex(offset)));
    target.values = b.get(source, i);
    return target;
  };
  return defineArray(
      op, b.scatter(lookup(op.getDest()), sizes, write, WriteContract()));
}

LogicalResult Converter::convertGather(tensor::GatherOp op) {
  Value source = lookup(op.getSource()), indices = lookup(op.getIndices());
  int64_t leading = op.getIndicesType().getRank() - 1,
          rank = op.getSourceType().getRank();
  bool isReduced = op.getResultType().getRank() != leading + rank;
  Extents extents = b.getExtents(indices);
  extents.truncate(leading);
  IndexedWindows windows;
  llvm::append_range(windows.batchDims, llvm::seq<int64_t>(0, leading));
  llvm::append_range(windows.startMap, op.getGatherDims());
  windows.vectorDim = leading;
  for (auto [d, extent] : llvm::enumerate(b.getExtents(source))) {
    bool isGathered = llvm::is_contained(windows.startMap, d);
    if (!isGathered) {
      windows.offsetDims.push_back(extents.size());
      windows.windowDims.push_back(d);
    }
    if (!isGathered || !isReduced)
      extents.push_back(isGathered ? b.getIndexAttr(1) : extent);
  }
  return defineArray(op, b.gather(source, orOne(extents), [&](ValueRange i) {
    return b.getWindowPlace(windows, indices, rank, i,
                            [](Value start, int64_t) { return start; });
  }));
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
  if (rank)
    source =
        b.pad(source, getNumbers(op.getMixedLowPad()),
              getNumbers(op.getMixedHighPad()), Numbers(rank, 0),
              [&](ValueRange i) -> Values { return {buildCode(body, i)}; });
  return defineArray(op, source);
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
  values[op] = b.getOne(array, orZero(lookup(op.getIndices())));
  return success();
}
