//===- FuseReductions.cpp - Reductions of one array by all blocks ---------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mean of x and a mean of its squares are two reductions that read x. This
// file makes one reduction of pairs of them.
//
//   %s = force (reduce grid add of x)
//   %q = force (reduce grid add of (x * x))
//
// becomes
//
//   %r = force (reduce grid (add, add) of zip(x, x * x))
//   %s, %q = unzip %r
//
// In: a function in which reductions of whole arrays are stored. Out: two of
// them are fused if they have the same static extents and read the same stored
// array or parameter, and if the second one does not depend on the first one.
//
// The same is done for reductions of rows: one unit combines the tuples of a
// row, and stores a result for each of the reductions. They must read the same
// elements of one array, in the same order.
//
//===----------------------------------------------------------------------===//

#include "RowFolds.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum number of components of a fused reduction: a thread has four
/// accumulators for each.
static constexpr size_t maxComponents = 4;

/// The reduction of a whole array by all blocks that `force` stores; null for
/// other forces.
static ReduceOp getReduction(ForceOp force) {
  if (force.getArrays().size() != 1 || !force.getInto().empty())
    return {};
  auto reduce = force.getArrays().front().getDefiningOp<ReduceOp>();
  if (!reduce || !reduce->hasOneUse() || reduce->getNumResults() != 1 ||
      reduce->getBlock() != force->getBlock() ||
      reduce.getLevel() != Level::Grid ||
      cast<PullType>(reduce.getArray().getType()).isNested() ||
      !cast<PullType>(reduce.getArray().getType()).hasStaticExtents())
    return {};
  return reduce;
}

/// The operations of the block of `op` on which it depends, behind `first`, in
/// order, and `op` itself.
static SmallVector<Operation *> getDependencies(Operation *op,
                                                Operation *first) {
  llvm::SetVector<Operation *> found;
  found.insert(op);
  for (unsigned next = 0; next < found.size(); ++next) {
    llvm::SetVector<Value> used;
    used.insert_range(found[next]->getOperands());
    getUsedValuesDefinedAbove(found[next]->getRegions(), used);
    for (Value value : used)
      if (Operation *source = value.getDefiningOp();
          source && source->getBlock() == op->getBlock() &&
          !source->isBeforeInBlock(first))
        found.insert(source);
  }
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// The parameters and stored arrays that `reduce` reads.
static llvm::SetVector<Value> getSources(ReduceOp reduce) {
  llvm::SetVector<Value> arrays, sources;
  arrays.insert(reduce.getArray());
  for (unsigned next = 0; next < arrays.size(); ++next) {
    Operation *op = arrays[next].getDefiningOp();
    if (!op || isa<ForceOp>(op)) {
      sources.insert(arrays[next]);
      continue;
    }
    llvm::SetVector<Value> used;
    used.insert_range(op->getOperands());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (isa<PullType>(value.getType()))
        arrays.insert(value);
  }
  return sources;
}

/// Moves what `second` needs before the first one of `forces`. False if it
/// depends on one of them, or on an operation that cannot be moved.
static bool moveBefore(ArrayRef<ForceOp> forces, Operation *second) {
  ForceOp first = forces.front();
  SmallVector<Operation *> needed = getDependencies(second, first);
  for (Operation *op : needed) {
    auto force = dyn_cast<ForceOp>(op);
    if (llvm::is_contained(forces, force) ||
        !(force ? force.getInto().empty() : isMemoryEffectFree(op)))
      return false;
  }
  for (Operation *op : needed)
    op->moveBefore(first);
  return true;
}

/// Combines tuples of the elements of several reductions: those on the left
/// side are the first half of `both`.
static SmallVector<Value> combine(OpBuilder &b, ArrayRef<ReduceOp> reductions,
                                  ValueRange both) {
  SmallVector<Value> results;
  unsigned all = both.size() / 2, begin = 0;
  for (ReduceOp reduce : reductions) {
    IRMapping map;
    Block &source = reduce.getBody().front();
    unsigned size = source.getNumArguments() / 2;
    for (unsigned side = 0; side < 2; ++side)
      map.map(source.getArguments().slice(side * size, size),
              both.slice(side * all + begin, size));
    for (Operation &inner : source.without_terminator())
      b.clone(inner, map);
    for (Value value : source.getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    begin += size;
  }
  return results;
}

/// Replaces both by one reduction, which is stored.
static void fuse(ArrayBuilder &b, ForceOp firstForce, ForceOp secondForce) {
  ReduceOp first = getReduction(firstForce), second = getReduction(secondForce);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(firstForce);
  b.setLoc(b.getFusedLoc({firstForce.getLoc(), secondForce.getLoc()}));
  SmallVector<Value> init(first.getInit());
  llvm::append_range(init, second.getInit());
  auto types = llvm::to_vector(ValueRange(init).getTypes());
  unsigned count = first.getInit().size(), all = init.size();

  Value pairs = b.zip({first.getArray(), second.getArray()});
  auto type = PushType::get(b.getContext(), Level::Grid, {1}, types);
  auto fused =
      ReduceOp::create(b, b.getLoc(), TypeRange(type), pairs, init,
                       LevelAttr::get(b.getContext(), Level::Grid),
                       first.getCommutative() ? b.getUnitAttr() : UnitAttr(),
                       first.getStrategyAttr());
  Block *block = &fused.getBody().emplaceBlock();
  for (unsigned side = 0; side < 2; ++side)
    block->addArguments(types, SmallVector<Location>(all, b.getLoc()));
  OpBuilder body = OpBuilder::atBlockEnd(block);
  YieldOp::create(body, b.getLoc(),
                  combine(body, {first, second}, block->getArguments()));
  auto stored =
      ForceOp::create(b, b.getLoc(), fused.getResults(), ValueRange());
  SmallVector<Value> parts = b.unzip(stored.getResults().front());
  auto getPart = [&](unsigned begin, unsigned size) {
    ArrayRef<Value> some = ArrayRef(parts).slice(begin, size);
    return size == 1 ? some.front() : b.zip(some);
  };
  firstForce.getResults().front().replaceAllUsesWith(getPart(0, count));
  secondForce.getResults().front().replaceAllUsesWith(
      getPart(count, all - count));
  for (Operation *op : {firstForce.getOperation(), first.getOperation(),
                        secondForce.getOperation(), second.getOperation()})
    op->erase();
}

static ReduceOp getReduction(RowFold fold) {
  return *fold.rows.getBody().front().getOps<ReduceOp>().begin();
}

/// True if two folds have the same rows, and read the same elements of one
/// array in the same order.
static bool haveSameRows(RowFold a, RowFold b) {
  ReduceOp first = getReduction(a), second = getReduction(b);
  if (a.force->getBlock() != b.force->getBlock() ||
      a.getExtents() != b.getExtents() || a.length != b.length ||
      a.rows.getLevel() != b.rows.getLevel() ||
      first.getCommutative() != second.getCommutative() ||
      first.getStrategyAttr() != second.getStrategyAttr())
    return false;
  RowReads readsOfFirst(a.getExtents().size()), reads(a.getExtents().size());
  readsOfFirst.readFold(a);
  reads.readFold(b);
  int64_t position = a.getExtents().size();
  return llvm::any_of(reads.places, [&](auto &entry) {
    auto found = readsOfFirst.places.find(entry.first);
    return found != readsOfFirst.places.end() &&
           found->second == entry.second &&
           llvm::any_of(entry.second, [&](const Place &place) {
             return llvm::is_contained(place, position) ||
                    llvm::is_contained(place, unknown);
           });
  });
}

/// True if a unit can combine the tuples of `folds`. A block reads several
/// elements at once only if they have few bytes.
static bool isTuple(ArrayRef<RowFold> folds) {
  constexpr int64_t maxBytesOfBlock = 8;
  size_t components = 0;
  int64_t bytes = 0;
  for (const RowFold &fold : folds) {
    ReduceOp reduce = getReduction(fold);
    components += reduce.getInit().size();
    for (Value value : reduce.getInit())
      bytes += getElementBytes(value.getType());
  }
  bool isOfBlock = DistributeOp(folds.front().rows).getLevel() == Level::Block;
  return components <= maxComponents &&
         (!isOfBlock || bytes <= maxBytesOfBlock);
}

/// Replaces the folds by one program for each row, which stores their results.
static void fuse(ArrayBuilder &b, ArrayRef<RowFold> folds) {
  OpBuilder::InsertionGuard guard(b);
  RowFold first = folds.front();
  b.setInsertionPoint(first.force);
  b.setLoc(b.getFusedLoc(llvm::map_to_vector(
      folds, [](RowFold fold) { return fold.force.getLoc(); })));
  auto reductions = llvm::map_to_vector(
      folds, [](const RowFold &fold) { return getReduction(fold); });
  auto extents = llvm::map_to_vector(first.getExtents(), [&](int64_t n) {
    return OpFoldResult(b.getIndexAttr(n));
  });
  auto buildRow = [&](ValueRange place) {
    SmallVector<Value> rows, init, element;
    SmallVector<IRMapping> maps(folds.size());
    for (auto [map, reduce] : llvm::zip_equal(maps, reductions)) {
      Block *body = reduce->getBlock();
      map.map(body->getArguments(), place);
      for (Operation &op : *body)
        if (op.isBeforeInBlock(reduce))
          b.clone(op, map);
      rows.push_back(map.lookupOrDefault(reduce.getArray()));
      for (Value value : reduce.getInit())
        init.push_back(map.lookupOrDefault(value));
    }
    SmallVector<Value> sums = b.fold(
        b.zip(rows), init,
        [&](ValueRange both) { return combine(b, reductions, both); },
        reductions.front().getCommutative());
    ArrayRef<Value> rest(sums);
    for (unsigned i = 0, e = folds.size(); i < e; ++i) {
      ReduceOp reduce = reductions[i];
      IRMapping &map = maps[i];
      unsigned size = reduce.getInit().size();
      map.map(reduce.getValues(), rest.take_front(size));
      rest = rest.drop_front(size);
      for (Operation &op : reduce->getBlock()->without_terminator())
        if (reduce->isBeforeInBlock(&op) && !isa<SplatOp, PushOp>(op))
          b.clone(op, map);
      for (Value value : folds[i].element)
        element.push_back(map.lookupOrDefault(value));
    }
    return SmallVector<Value>{
        b.splat(element, OpFoldResult(b.getIndexAttr(1)))};
  };
  Value stored = b.distribute(extents, first.rows.getLevel(), buildRow).front();
  SmallVector<Value> parts = b.unzip(b.reshape(stored, extents));
  ArrayRef<Value> rest(parts);
  for (const RowFold &fold : folds) {
    fold.getResult().replaceAllUsesWith(
        b.zip(rest.take_front(fold.element.size())));
    rest = rest.drop_front(fold.element.size());
  }
}

/// Fuses reductions of the same rows.
static void fuseFolds(ArrayBuilder &b, Block &block) {
  SmallVector<RowFold> folds;
  for (auto force : block.getOps<ForceOp>())
    if (std::optional<RowFold> fold = getRowFold(force))
      folds.push_back(*fold);
  while (!folds.empty()) {
    SmallVector<RowFold> fused = {folds.front()}, rest;
    SmallVector<ForceOp> forces = {fused.front().force};
    for (RowFold fold : ArrayRef(folds).drop_front()) {
      fused.push_back(fold);
      Operation *last = fold.force.getArrays().front().getDefiningOp();
      if (haveSameRows(fused.front(), fold) && isTuple(fused) &&
          moveBefore(forces, last))
        forces.push_back(fold.force);
      else
        rest.push_back(fused.pop_back_val());
    }
    if (fused.size() > 1)
      fuse(b, fused);
    folds = rest;
  }
  eraseUnused(block);
}

void ArrayBuilder::fuseReductions(FunctionOpInterface function) {
  auto tryOne = [&](Block *block) {
    SmallVector<ForceOp> forces;
    for (auto force : block->getOps<ForceOp>())
      if (getReduction(force))
        forces.push_back(force);
    for (auto [i, first] : llvm::enumerate(forces))
      for (ForceOp second : ArrayRef(forces).drop_front(i + 1)) {
        ReduceOp a = getReduction(first), b = getReduction(second);
        llvm::SetVector<Value> sources = getSources(a);
        if (getArrayExtents(a.getArray().getType()) !=
                getArrayExtents(b.getArray().getType()) ||
            a.getCommutative() != b.getCommutative() ||
            a.getStrategyAttr() != b.getStrategyAttr() ||
            a.getInit().size() + b.getInit().size() > maxComponents ||
            llvm::none_of(getSources(b),
                          [&](Value v) { return sources.contains(v); }) ||
            !moveBefore({first}, b))
          continue;
        fuse(*this, first, second);
        return true;
      }
    return false;
  };
  SmallVector<Block *> blocks;
  function.walk([&](ForceOp force) {
    if (getEnclosingScope(force).level == Level::Grid &&
        !llvm::is_contained(blocks, force->getBlock()))
      blocks.push_back(force->getBlock());
  });
  for (Block *block : blocks) {
    while (tryOne(block))
      ;
    fuseFolds(*this, *block);
  }
}
