//===- RowFolds.cpp - Reductions of rows, and what they read --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFolds.h"

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

int64_t obs::countElements(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

void obs::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto force = dyn_cast<ForceOp>(op);
    if (isOpTriviallyDead(&op) ||
        (force && force.getInto().empty() && op.use_empty()))
      op.erase();
  }
}

std::optional<SmallVector<OpOperand *>>
obs::findStores(Value array, function_ref<bool(Operation *)> isIgnored) {
  llvm::SetVector<Value> values;
  SmallVector<OpOperand *> stores;
  values.insert(array);
  for (unsigned next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses()) {
      if (isIgnored && isIgnored(use.getOwner()))
        continue;
      Operation *op =
          array.getParentBlock()->findAncestorOpInBlock(*use.getOwner());
      if (!op || !isa<ObsDialect>(op->getDialect()) || !op->getNumResults() ||
          !llvm::all_of(op->getResultTypes(),
                        llvm::IsaPred<PullType, PushType>))
        return {};
      if (isa<ForceOp>(op))
        stores.push_back(&use);
      else
        values.insert_range(op->getResults());
    }
  return stores;
}

bool obs::isOfFolds(Value array) {
  auto generate = array.getDefiningOp<GenerateOp>();
  return generate && !cast<PullType>(array.getType()).isNested() &&
         !generate.getBody().getOps<GenerateOp>().empty();
}

void RowReads::readElement(Value array) {
  Place place(getArrayExtents(array.getType()).size(), unknown);
  for (auto [d, index] : llvm::enumerate(place))
    index = d;
  read(array, place);
}

void RowReads::readFold(RowFold fold) {
  Block &body = fold.rows.getBody().front();
  for (auto [d, argument] : llvm::enumerate(body.getArguments()))
    dims[argument] = d;
  readRegion(fold.rows.getBody(), /*isRowProgram=*/true);
}

int64_t RowReads::getDim(Value index) const {
  if (matchPattern(index, m_Constant()))
    return fixed;
  auto found = dims.find(index);
  return found == dims.end() ? unknown : found->second;
}

void RowReads::readRegion(Region &region, bool isRowProgram) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto get = dyn_cast<GetOp>(op)) {
      Place place;
      for (Value index : get.getIndices())
        place.push_back(getDim(index));
      read(get.getArray(), place);
      return WalkResult::advance();
    }
    // Arrays of the region are read where another operation uses them.
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<PullType>))
      return WalkResult::skip();
    bool isFold = isRowProgram && isa<ReduceOp>(op);
    for (Value operand : op->getOperands())
      if (isa<PullType>(operand.getType()))
        read(operand, Place(getArrayExtents(operand.getType()).size(),
                            isFold ? static_cast<int64_t>(rank) : unknown));
    return WalkResult::advance();
  });
}

void RowReads::readRegion(Region &region, ArrayRef<int64_t> place) {
  SmallVector<int64_t> before;
  for (auto [argument, dim] : llvm::zip_equal(region.getArguments(), place)) {
    before.push_back(getDim(argument));
    dims[argument] = dim;
  }
  readRegion(region);
  for (auto [argument, dim] : llvm::zip_equal(region.getArguments(), before))
    dims[argument] = dim;
}

void RowReads::read(Value array, Place place) {
  if (place.size() != getArrayExtents(array.getType()).size())
    place.assign(getArrayExtents(array.getType()).size(), unknown);
  Operation *op = array.getDefiningOp();
  if (!op || !isa<ObsDialect>(op->getDialect()) ||
      isa<ForceOp, ViewOp, ConstantOp>(op) ||
      (foldsAreArrays && isOfFolds(array))) {
    places[array].insert(place);
    return;
  }
  if (!seen.insert({array.getAsOpaquePointer(), place}).second)
    return;
  if (isa<MapOp, ZipOp, UnzipOp>(op)) {
    for (Value operand : op->getOperands())
      if (isa<PullType>(operand.getType()))
        read(operand, place);
    for (Region &region : op->getRegions())
      readRegion(region);
    return;
  }
  if (auto generate = dyn_cast<GenerateOp>(op))
    return readRegion(generate.getBody(), place);
  if (auto reindex = dyn_cast<ReindexOp>(op)) {
    Region &body = reindex.getBody();
    readRegion(body, place);
    Place source;
    for (Value index : body.front().getTerminator()->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(index);
      source.push_back(argument && argument.getOwner() == &body.front()
                           ? place[argument.getArgNumber()]
                           : getDim(index));
    }
    return read(reindex.getArray(), source);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    Place source(place.size(), unknown);
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
      source[from] = place[d];
    return read(transpose.getArray(), source);
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    Place source(place.size(), unknown);
    for (auto [d, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides()))
      if (offset == 0 && stride == 1)
        source[d] = place[d];
    return read(slice.getArray(), source);
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    // Equal leading extents keep their indices.
    ArrayRef<int64_t> to = getArrayExtents(array.getType()),
                      from = getArrayExtents(reshape.getArray().getType());
    Place source(from.size(), unknown);
    for (unsigned d = 0; d < std::min(from.size(), to.size()) &&
                         from[d] == to[d] && !ShapedType::isDynamic(from[d]);
         ++d)
      source[d] = place[d];
    return read(reshape.getArray(), source);
  }
  for (Value operand : op->getOperands())
    if (isa<PullType>(operand.getType()))
      read(operand, Place(getArrayExtents(operand.getType()).size(), unknown));
  for (Region &region : op->getRegions())
    readRegion(region);
}

std::optional<RowFold> obs::getRowFold(ForceOp force) {
  if (force.getArrays().size() != 1 || !force.getInto().empty())
    return {};
  auto last = force.getArrays().front().getDefiningOp<ReindexOp>();
  auto rows =
      last ? last.getArray().getDefiningOp<DistributeOp>() : DistributeOp();
  auto isIndex = [](Value array, unsigned dim) {
    auto numbers = array.getDefiningOp<GenerateOp>();
    return numbers && numbers.getBody().front().getTerminator()->getOperand(
                          0) == numbers.getBody().getArgument(dim);
  };
  if (!rows || !last->hasOneUse() || rows->getNumResults() != 1 ||
      !rows->hasOneUse() ||
      !llvm::equal(last.getBody().front().getTerminator()->getOperands(),
                   last.getBody().getArguments().drop_back()) ||
      !llvm::all_of(llvm::enumerate(rows->getOperands()), [&](auto operand) {
        return isIndex(operand.value(), operand.index());
      }))
    return {};
  Block &body = rows.getBody().front();
  auto push = body.getTerminator()->getOperand(0).getDefiningOp<PushOp>();
  auto splat = push ? push.getArray().getDefiningOp<SplatOp>() : SplatOp();
  auto reduces = llvm::to_vector(body.getOps<ReduceOp>());
  if (!splat || reduces.size() != 1 ||
      getArrayExtents(splat.getType()) != ArrayRef<int64_t>(1))
    return {};
  ArrayRef<int64_t> row = getArrayExtents(reduces.front().getArray().getType());
  RowFold fold{force, rows, llvm::to_vector_of<Value>(splat.getValues()),
               ShapedType::isDynamicShape(row) ? 0 : countElements(row)};
  if (ShapedType::isDynamicShape(fold.getExtents()) || !fold.length)
    return {};
  return fold;
}
