//===- SplitLeaves.cpp - Full chunks without guards -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelIR.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "Workers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSSPLITLEAVESPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// The minimum number of iterations of a worker for which a test in advance and
/// a copy of the code are worth it.
static constexpr int64_t leastTurns = 32;

namespace {
/// An index of a leaf: a value from outside of it, or none, plus a number of at
/// least 0 and at most `most`.
struct Sum {
  Value outside;
  int64_t most = 0;
};
} // namespace

/// The most that the counter of a loop in `leaf`, or that of `leaf`, can be;
/// empty if it is no constant, or the counter can be negative.
static std::optional<int64_t> getMost(BlockArgument counter,
                                      scf::ForallOp leaf) {
  if (counter == leaf.getInductionVar(0))
    return *getConstantIntValue(leaf.getMixedUpperBound()[0]) - 1;
  auto loop = dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp());
  if (!loop || counter != loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  if (!first || !end || *first < 0 || *end <= *first)
    return std::nullopt;
  return *end - 1;
}

/// The parts of `index`; empty if they are not found. Moves calculations that
/// are equal in all iterations out of `leaf`.
static std::optional<Sum> split(Value index, scf::ForallOp leaf) {
  if (std::optional<int64_t> number = getConstantIntValue(index);
      number && *number >= 0)
    return Sum{{}, *number};
  if (leaf.isDefinedOutsideOfLoop(index))
    return Sum{index};
  if (auto counter = dyn_cast<BlockArgument>(index)) {
    std::optional<int64_t> most = getMost(counter, leaf);
    return most ? std::optional(Sum{{}, *most}) : std::nullopt;
  }
  Operation *op = index.getDefiningOp();
  if (op->getNumOperands() != 2 ||
      !isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::AndIOp,
           arith::ShLIOp, arith::ShRUIOp, arith::MulIOp>(op))
    return std::nullopt;
  if (llvm::all_of(op->getOperands(), [&](Value operand) {
        return leaf.isDefinedOutsideOfLoop(operand);
      })) {
    op->moveBefore(leaf);
    return Sum{index};
  }
  auto a = split(op->getOperand(0), leaf), b = split(op->getOperand(1), leaf);
  if (!a || !b || (a->outside && b->outside))
    return std::nullopt;
  if (isa<arith::AddIOp>(op)) {
    int64_t most;
    if (llvm::AddOverflow(a->most, b->most, most))
      return std::nullopt;
    return Sum{a->outside ? a->outside : b->outside, most};
  }
  if (a->outside || b->outside)
    return std::nullopt;
  if (isa<arith::OrIOp, arith::XOrIOp>(op))
    return Sum{{},
               static_cast<int64_t>(llvm::NextPowerOf2(
                   static_cast<uint64_t>(std::max(a->most, b->most)))) -
                   1};
  if (isa<arith::AndIOp>(op))
    return Sum{{}, std::min(a->most, b->most)};
  std::optional<int64_t> number = getConstantIntValue(op->getOperand(1));
  bool isShift = isa<arith::ShLIOp, arith::ShRUIOp>(op);
  if (!number || *number < 0 || (isShift && *number > 31))
    return std::nullopt;
  int64_t most = 0;
  if (isa<arith::ShRUIOp>(op))
    return Sum{{}, a->most >> *number};
  if (llvm::MulOverflow(a->most, isShift ? int64_t(1) << *number : *number,
                        most))
    return std::nullopt;
  return Sum{{}, most};
}

/// Builds, before `leaf`, a value that is true if `condition` holds in all
/// iterations; null if none is found.
static Value buildAlways(OpBuilder &builder, arith::CmpIOp condition,
                         scf::ForallOp leaf) {
  bool isUnsigned = condition.getPredicate() == arith::CmpIPredicate::ult;
  if ((!isUnsigned && condition.getPredicate() != arith::CmpIPredicate::slt) ||
      !condition.getLhs().getType().isIndex() ||
      !leaf.isDefinedOutsideOfLoop(condition.getRhs()))
    return {};
  std::optional<Sum> index = split(condition.getLhs(), leaf);
  if (!index || !index->outside || index->most == 0)
    return {};
  Location loc = condition.getLoc();
  Value most = arith::AddIOp::create(
      builder, loc, index->outside,
      arith::ConstantIndexOp::create(builder, loc, index->most));
  Value always = arith::CmpIOp::create(builder, loc, condition.getPredicate(),
                                       most, condition.getRhs());
  // A negative index is a large one without its sign. With its sign, the sum
  // may wrap.
  Value least =
      isUnsigned ? arith::ConstantIndexOp::create(builder, loc, 0).getResult()
                 : index->outside;
  Value isExact =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                            isUnsigned ? index->outside : most, least);
  return arith::AndIOp::create(builder, loc, always, isExact);
}

/// Puts the code of the first branch in place of `branch`.
static void chooseFirst(scf::IfOp branch) {
  branch.replaceAllUsesWith(branch.thenYield().getOperands());
  branch.thenYield().erase();
  branch->getBlock()->getOperations().splice(
      branch->getIterator(), branch.thenBlock()->getOperations());
  branch.erase();
}

/// Makes a copy of `loop`, which is `leaf` or a loop in it, without the guards
/// in its body that hold in all iterations of `leaf`.
static void splitLoop(Operation *loop, scf::ForallOp leaf) {
  OpBuilder builder(leaf);
  llvm::SmallSetVector<Value, 2> conditions;
  Value all;
  for (auto branch : loop->getRegion(0).getOps<scf::IfOp>()) {
    Value guard = branch.getCondition();
    auto condition = guard.getDefiningOp<arith::CmpIOp>();
    if (!condition || conditions.contains(guard) ||
        !loop->isProperAncestor(condition))
      continue;
    Value always = buildAlways(builder, condition, leaf);
    if (!always)
      continue;
    conditions.insert(guard);
    all = all ? arith::AndIOp::create(builder, leaf.getLoc(), all, always)
                    .getResult()
              : always;
  }
  if (!all)
    return;
  builder.setInsertionPoint(loop);
  auto both = scf::IfOp::create(builder, loop->getLoc(), all,
                                /*withElseRegion=*/true);
  builder.setInsertionPointToStart(both.thenBlock());
  IRMapping mapping;
  builder.clone(*loop, mapping);
  for (Value condition : conditions)
    for (Operation *user :
         llvm::make_early_inc_range(mapping.lookup(condition).getUsers()))
      if (auto branch = dyn_cast<scf::IfOp>(user))
        chooseFirst(branch);
  loop->moveBefore(both.elseYield());
}

namespace {
struct SplitLeaves : obs::impl::ObsSplitLeavesPassBase<SplitLeaves> {
  void runOnOperation() override {
    int64_t threads = getWorkers(getOperation()).threads;
    SmallVector<std::pair<Operation *, scf::ForallOp>> loops;
    getOperation().walk([&](scf::ForallOp leaf) {
      std::optional<int64_t> extent =
          getConstantIntValue(leaf.getMixedUpperBound()[0]);
      MapAttr map = getLeafMap(leaf);
      if (!map || map.getScope() == Level::Grid || !extent || *extent <= 0)
        return;
      int64_t workers = map.getScope() == Level::Warp ? warpSize : threads;
      if (*extent >= leastTurns * workers)
        loops.push_back({leaf, leaf});
      leaf.walk([&](scf::ForOp loop) {
        std::optional<APInt> turns = loop.getStaticTripCount();
        if (turns && turns->uge(leastTurns) && loop.getNumResults() == 0)
          loops.push_back({loop, leaf});
      });
    });
    for (auto [loop, leaf] : loops)
      splitLoop(loop, leaf);
  }
};
} // namespace
