//===- Uniformity.cpp - Values that two threads share ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Uniformity.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;

bool Uniformity::isUniform(Value value, Between between) {
  Varying &varying = known[static_cast<unsigned>(between)];
  if (!varying.isComplete) {
    // The smallest set that contains all values computed from its members.
    // Values that loops carry depend on themselves.
    varying.isComplete = true;
    for (bool changed = true; changed;) {
      changed = false;
      auto visit = [&](Value v) {
        if (!varying.values.contains(v) && !compute(v, between))
          changed |= varying.values.insert(v).second;
      };
      kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
        llvm::for_each(op->getResults(), visit);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            llvm::for_each(block.getArguments(), visit);
      });
    }
  }
  return !varying.values.contains(value);
}

LogicalResult Uniformity::require(Operation *op, Between between,
                                  StringRef what) {
  SmallVector<Value> decisions;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    decisions = {branch.getCondition()};
  else if (auto counted = dyn_cast<scf::ForOp>(op))
    decisions = {counted.getLowerBound(), counted.getUpperBound(),
                 counted.getStep()};
  else if (auto open = dyn_cast<scf::WhileOp>(op))
    decisions = {open.getConditionOp().getCondition()};
  else
    return mlir::emitError(op->getLoc())
           << "[race-stage] is not control flow that lowered kernels have; "
              "run obs-to-gpu first";
  for (Value value : decisions)
    if (!isUniform(value, between))
      return mlir::emitError(op->getLoc())
             << "[barrier-divergence] holds a " << what << " of a "
             << (between == Between::Lanes ? "warp" : "block")
             << ", and its threads can take different branches here; make all "
                "of them reach the "
             << what;
  return success();
}

/// True if `value` is a constant multiple of the number of lanes.
static bool isWholeWarps(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) &&
         number.getSExtValue() % warpSize == 0;
}

/// True if all lanes of a warp find the same: a comparison of the number of the
/// thread, plus whole warps, with whole warps.
static bool comparesWarps(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !isWholeWarps(compare.getRhs()))
    return false;
  using Predicate = arith::CmpIPredicate;
  if (!llvm::is_contained(
          {Predicate::ult, Predicate::uge, Predicate::slt, Predicate::sge},
          compare.getPredicate()))
    return false;
  Value number = compare.getLhs();
  if (auto sum = number.getDefiningOp<arith::AddIOp>();
      sum && isWholeWarps(sum.getRhs()))
    number = sum.getLhs();
  return number.getDefiningOp<gpu::ThreadIdOp>() != nullptr;
}

/// True if `value` is uniform, given the results so far for its operands.
bool Uniformity::compute(Value value, Between between) {
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return isUniform(v, between); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (!all({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
        return false;
      if (argument == loop.getInductionVar())
        return true;
      return isUniform(loop.getTiedLoopInit(argument)->get(), between) &&
             isUniform(loop.getTiedLoopYieldedValue(argument)->get(), between);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned number = argument.getArgNumber();
      bool follows = isUniform(loop.getConditionOp().getCondition(), between);
      if (argument.getOwner() == loop.getAfterBody())
        return follows &&
               isUniform(loop.getConditionOp().getArgs()[number], between);
      return isUniform(loop.getInits()[number], between) &&
             isUniform(loop.getYieldOp().getOperand(number), between) &&
             follows;
    }
    return false;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp>(op))
    return false;
  if (isa<gpu::BlockIdOp>(op))
    return between != Between::Blocks;
  // All threads of a block receive the value of the cell.
  if (auto counter = dyn_cast<CounterOpInterface>(op))
    return counter.getCell() && between != Between::Blocks;
  if (between == Between::Lanes && comparesWarps(op))
    return true;
  if (between == Between::Lanes && isa<arith::DivUIOp>(op) &&
      op->getOperand(0).getDefiningOp<gpu::ThreadIdOp>()) {
    APInt divisor;
    if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
      return divisor.getZExtValue() % warpSize == 0;
  }
  // All lanes receive the value of one lane. requireConvergence checks that all
  // lanes reach the shuffle.
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    // The second result differs between lanes: it is true if the lane that is
    // read exists.
    if (number != 0)
      return false;
    APInt width;
    bool isOneLane = between == Between::Lanes &&
                     shuffle.getMode() == gpu::ShuffleMode::IDX &&
                     matchPattern(shuffle.getWidth(), m_ConstantInt(&width)) &&
                     width == warpSize &&
                     isUniform(shuffle.getOffset(), between);
    return isOneLane || isUniform(shuffle.getValue(), between);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isUniform(branch.getCondition(), between) &&
           isUniform(branch.thenYield().getOperand(number), between) &&
           isUniform(branch.elseYield().getOperand(number), between);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return all({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) &&
           isUniform(loop.getInitArgs()[number], between) &&
           isUniform(loop.getYieldedValues()[number], between);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return isUniform(loop.getConditionOp().getCondition(), between) &&
           isUniform(loop.getConditionOp().getArgs()[number], between);
  if (op->getNumRegions() != 0)
    return false;
  // Without a race, all threads that read an element read the same value. An
  // element with a contract can change from one read to the next. Each block
  // has its own shared memory.
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    std::optional<MemoryAccess> access = getMemoryAccess(op);
    return access && !access->contract &&
           !(access->isShared && between == Between::Blocks) &&
           all(load.getIndices()) && isUniform(load.getMemRef(), between);
  }
  return isMemoryEffectFree(op) && all(op->getOperands());
}

LogicalResult races::requireConvergence(gpu::GPUFuncOp kernel,
                                        Uniformity &uniformity) {
  auto check = [&](Operation *exchange) -> WalkResult {
    if (!isa<gpu::ShuffleOp, MmaOp>(exchange))
      return WalkResult::advance();
    StringRef name = isa<MmaOp>(exchange) ? "product" : "shuffle";
    for (Operation *op = exchange->getParentOp(); op != kernel;
         op = op->getParentOp())
      if (failed(uniformity.require(op, Between::Lanes, name)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  return failure(kernel.walk(check).wasInterrupted());
}
