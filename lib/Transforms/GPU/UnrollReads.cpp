//===- UnrollReads.cpp - Loads of several iterations before their use------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSUNROLLREADSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

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

/// True for an array that is a parameter of a kernel.
static bool isGlobal(Value memory) {
  while (auto view = memory.getDefiningOp<memref::ReinterpretCastOp>())
    memory = view.getSource();
  auto parameter = dyn_cast<BlockArgument>(memory);
  return parameter && isa<gpu::GPUFuncOp>(parameter.getOwner()->getParentOp());
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

/// The number of iterations of `loop` whose loads are executed together; 1 if
/// the loop is not changed. If neighbouring threads read neighbours in each
/// iteration, the step is more than 1, or the thread reads a column.
static unsigned chooseTurns(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || loop.getNumRegionIterArgs() == 0 || loop.getUnsignedCmp() ||
      !loop.getInductionVar().getType().isIndex())
    return 1;
  // The code of a few iterations is not a loop.
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  bool isShort = lower && upper && (*upper - *lower) / *step <= shortLoop;
  bool isRow = *step > 1 && !upper, isColumn = false;
  llvm::DenseSet<Value> changing = {loop.getInductionVar()};
  unsigned loads = 0, operations = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    ++operations;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (isGlobal(load.getMemRef())) {
        ++loads;
        isColumn |= readsColumn(load, changing);
      }
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return 1;
    }
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return changing.contains(operand); }))
      changing.insert_range(op.getResults());
  }
  if (loads == 0 || operations > maxOperations ||
      !(isRow || (isColumn && !isShort)))
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
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t step = *getConstantIntValue(loop.getStep());
  Value lower = loop.getLowerBound(), size = constant(turns * step);
  Value end = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                    constant((turns - 1) * step));
  auto full = scf::ForOp::create(
      builder, loc, lower, end, size, loop.getInitArgs(),
      [&](OpBuilder &inside, Location, Value first, ValueRange carried) {
        writeTurns(inside, loop, turns, first, carried);
      });
  // The end of the unrolled iterations.
  Value distance = arith::MaxSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, end, lower),
      constant(0));
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
