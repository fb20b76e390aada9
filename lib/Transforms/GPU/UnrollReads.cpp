//===- UnrollReads.cpp - Loads of several iterations before their use------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSUNROLLREADSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::obs;

/// The number of loads of a thread in flight.
static constexpr unsigned loadsInFlight = 8;

/// The maximum number of operations of an iteration. Longer iterations hide the
/// time of a load themselves.
static constexpr unsigned maxOperations = 64;

/// The number of iterations up to which LLVM unrolls a loop completely.
static constexpr int64_t shortLoop = 32;

/// The parameter of a kernel whose array `memory` is; null for other memory.
static BlockArgument getParameter(Value memory) {
  auto parameter = dyn_cast<BlockArgument>(getUnderlyingMemory(memory));
  return parameter && isa<gpu::GPUFuncOp>(parameter.getOwner()->getParentOp())
             ? parameter
             : BlockArgument();
}

/// True if the elements of `load` in successive iterations are neither equal
/// nor neighbours, as in a column of a matrix. `changing` are the values that
/// depend on the counter of the loop.
static bool readsColumn(memref::LoadOp load,
                        const llvm::DenseSet<Value> &changing) {
  auto changes = [&](Value index) { return changing.contains(index); };
  return load.getIndices().size() > 1 && !changes(load.getIndices().back()) &&
         llvm::any_of(load.getIndices(), changes);
}

/// True if `loop` has a few iterations only: from a number of at least 0 to a
/// constant, or in a part of a constant length. The lower of two ends counts.
static bool isShort(scf::ForOp loop, int64_t step) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  SmallVector<Value, 2> ends = {upper};
  if (Operation *op = upper.getDefiningOp();
      isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    ends.assign(op->operand_begin(), op->operand_end());
  auto first = lower.getDefiningOp<arith::AddIOp>();
  return llvm::any_of(ends, [&](Value end) {
    std::optional<int64_t> length = getConstantIntValue(end);
    auto sum = end.getDefiningOp<arith::AddIOp>();
    if (sum &&
        (sum.getLhs() == lower || (first && sum.getLhs() == first.getLhs())))
      length = getConstantIntValue(sum.getRhs());
    return length &&
           *length - getConstantIntValue(lower).value_or(0) <= shortLoop * step;
  });
}

/// The number of iterations of `loop` whose loads are executed together; 1 if
/// the loop is not changed. If neighbouring threads read neighbours in each
/// iteration, the step is more than 1, or the thread reads a column. A loop
/// that stores its results in other arrays than it reads has independent
/// iterations.
static unsigned chooseTurns(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || loop.getUnsignedCmp() ||
      !loop.getInductionVar().getType().isIndex())
    return 1;
  // The code of a few iterations is not a loop.
  bool hasFew = isShort(loop, *step), isColumn = false;
  llvm::DenseSet<Value> changing = {loop.getInductionVar()}, read, stored;
  unsigned loads = 0, operations = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    ++operations;
    auto store = dyn_cast<memref::StoreOp>(op);
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (Value array = getParameter(load.getMemRef())) {
        ++loads;
        isColumn |= readsColumn(load, changing);
        read.insert(array);
      }
    } else if (Value array =
                   store ? getParameter(store.getMemRef()) : Value()) {
      // Two stores could be to one element, and then their order matters.
      if (!stored.insert(array).second)
        return 1;
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return 1;
    }
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return changing.contains(operand); }))
      changing.insert_range(op.getResults());
  }
  bool isFold = loop.getNumRegionIterArgs() != 0;
  bool isRow = *step > 1 &&
               (isFold ? !getConstantIntValue(loop.getUpperBound()) : !hasFew);
  if (isFold != stored.empty() || loads == 0 || operations > maxOperations ||
      llvm::any_of(read, [&](Value array) { return stored.contains(array); }) ||
      !(isRow || (isFold && isColumn && !hasFew)))
    return 1;
  return std::max(1u, llvm::bit_floor(loadsInFlight / loads));
}

/// Builds `turns` iterations of `loop`, from iteration `first` on. Operations
/// that do not depend on the iteration before are first. Yields the result of
/// the last iteration.
static void writeTurns(OpBuilder &builder, scf::ForOp loop, unsigned turns,
                       Value first, ValueRange carried) {
  Location loc = loop.getLoc();
  Block *body = loop.getBody();
  SmallVector<IRMapping> maps(turns);
  int64_t step = *getConstantIntValue(loop.getStep());
  for (auto [turn, map] : llvm::enumerate(maps)) {
    Value distance = arith::ConstantIndexOp::create(builder, loc, turn * step);
    map.map(loop.getInductionVar(),
            turn == 0 ? first
                      : arith::AddIOp::create(builder, loc, first, distance));
  }
  llvm::DenseSet<Value> dependent(loop.getRegionIterArgs().begin(),
                                  loop.getRegionIterArgs().end());
  SmallVector<Operation *> chain;
  for (Operation &op : body->without_terminator()) {
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return dependent.contains(operand);
        })) {
      dependent.insert_range(op.getResults());
      chain.push_back(&op);
      continue;
    }
    for (IRMapping &map : maps)
      builder.clone(op, map);
  }
  SmallVector<Value> values(carried);
  for (IRMapping &map : maps) {
    map.map(loop.getRegionIterArgs(), values);
    for (Operation *op : chain)
      builder.clone(*op, map);
    values = llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
      return map.lookupOrDefault(value);
    });
  }
  scf::YieldOp::create(builder, loc, values);
}

static void unroll(scf::ForOp loop, unsigned turns) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  IndexBuilder index{builder, loc};
  int64_t step = *getConstantIntValue(loop.getStep());
  Value lower = loop.getLowerBound(), size = index.constant(turns * step);
  Value end = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                    index.constant((turns - 1) * step));
  auto full = scf::ForOp::create(
      builder, loc, lower, end, size, loop.getInitArgs(),
      [&](OpBuilder &inside, Location, Value first, ValueRange carried) {
        writeTurns(inside, loop, turns, first, carried);
      });
  // The end of the unrolled iterations.
  Value distance = arith::MaxSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, end, lower),
      index.constant(0));
  Value passed = arith::MulIOp::create(
      builder, loc, arith::CeilDivUIOp::create(builder, loc, distance, size),
      size);
  loop.setLowerBound(arith::AddIOp::create(builder, loc, lower, passed));
  loop.getInitArgsMutable().assign(full.getResults());
}

namespace {
struct UnrollReads : obs::impl::ObsUnrollReadsPassBase<UnrollReads> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, unsigned>> loops;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      kernel.walk([&](scf::ForOp loop) {
        if (unsigned turns = chooseTurns(loop); turns > 1)
          loops.push_back({loop, turns});
      });
    });
    for (auto [loop, turns] : loops)
      unroll(loop, turns);
  }
};
} // namespace
