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
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/FrontEnd/ArrayBuilder.h"
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

/// Moves what `second` needs before `first`. False if it depends on `first`, or
/// on an operation that cannot be moved.
static bool moveBefore(ForceOp first, ReduceOp second) {
  SmallVector<Operation *> needed = getDependencies(second, first);
  for (Operation *op : needed) {
    auto force = dyn_cast<ForceOp>(op);
    if (op == first || op == getReduction(first).getOperation() ||
        !(force ? force.getInto().empty() : isMemoryEffectFree(op)))
      return false;
  }
  for (Operation *op : needed)
    op->moveBefore(first);
  return true;
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
  SmallVector<Value> results;
  OpBuilder body = OpBuilder::atBlockEnd(block);
  for (auto [op, begin, size] :
       {std::tuple(first, 0u, count), std::tuple(second, count, all - count)}) {
    IRMapping map;
    Block &source = ReduceOp(op).getBody().front();
    for (unsigned side = 0; side < 2; ++side)
      for (unsigned i = 0; i < size; ++i)
        map.map(source.getArgument(side * size + i),
                block->getArgument(side * all + begin + i));
    for (Operation &inner : source.without_terminator())
      body.clone(inner, map);
    for (Value value : source.getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
  }
  YieldOp::create(body, b.getLoc(), results);
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
            !moveBefore(first, b))
          continue;
        fuse(*this, first, second);
        return true;
      }
    return false;
  };
  function.walk([&](Block *block) {
    while (tryOne(block))
      ;
  });
}
