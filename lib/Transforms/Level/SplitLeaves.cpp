//===- SplitLeaves.cpp - Full chunks without guards -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSSPLITLEAVESPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"
#include "Growth.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "Obsidian/Transforms/Level/Tiles.h"
#include "RowLeaves.h"
#include "Workers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// The minimum number of iterations of a worker for which a test in advance and
/// a copy of the code are worth it.
static constexpr int64_t leastTurns = 32;

namespace {
/// An index in a leaf or another loop, the scope of a test: a value from
/// outside of it, or none, plus a number of at least 0 and at most `most`.
struct Sum {
  Value outside;
  int64_t most = 0;
};
} // namespace

/// The most that the counter of a loop in a scope, or that of the scope, can
/// be; empty if it is no constant, or the counter can be negative.
static std::optional<int64_t> getMost(BlockArgument counter) {
  if (auto leaf = dyn_cast<scf::ForallOp>(counter.getOwner()->getParentOp()))
    return *getIterations(leaf) - 1;
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
/// are equal in all iterations out of `scope`.
static std::optional<Sum> split(Value index, LoopLikeOpInterface scope) {
  if (std::optional<int64_t> number = getConstantIntValue(index);
      number && *number >= 0)
    return Sum{{}, *number};
  if (scope.isDefinedOutsideOfLoop(index))
    return Sum{index};
  if (auto counter = dyn_cast<BlockArgument>(index)) {
    std::optional<int64_t> most = getMost(counter);
    return most ? std::optional(Sum{{}, *most}) : std::nullopt;
  }
  Operation *op = index.getDefiningOp();
  if (op->getNumOperands() != 2 ||
      !isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::AndIOp,
           arith::ShLIOp, arith::ShRUIOp, arith::MulIOp, arith::DivUIOp,
           arith::RemUIOp>(op))
    return std::nullopt;
  if (llvm::all_of(op->getOperands(), [&](Value operand) {
        return scope.isDefinedOutsideOfLoop(operand);
      })) {
    op->moveBefore(scope);
    return Sum{index};
  }
  auto a = split(op->getOperand(0), scope), b = split(op->getOperand(1), scope);
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
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) && *number == 0)
    return std::nullopt;
  if (isa<arith::DivUIOp>(op))
    return Sum{{}, a->most / *number};
  if (isa<arith::RemUIOp>(op))
    return Sum{{}, std::min(a->most, *number - 1)};
  if (isa<arith::ShRUIOp>(op))
    return Sum{{}, a->most >> *number};
  if (llvm::MulOverflow(a->most, isShift ? int64_t(1) << *number : *number,
                        most))
    return std::nullopt;
  return Sum{{}, most};
}

/// Builds, before `scope`, a value that is true if `guard` holds in all
/// iterations; null if none is found.
static Value buildAlways(OpBuilder &builder, Value guard,
                         LoopLikeOpInterface scope) {
  if (auto both = guard.getDefiningOp<arith::AndIOp>()) {
    Value left = buildAlways(builder, both.getLhs(), scope);
    Value right = left ? buildAlways(builder, both.getRhs(), scope) : Value();
    return right ? arith::AndIOp::create(builder, guard.getLoc(), left, right)
                 : right;
  }
  auto condition = guard.getDefiningOp<arith::CmpIOp>();
  if (!condition)
    return {};
  bool isUnsigned = condition.getPredicate() == arith::CmpIPredicate::ult;
  if ((!isUnsigned && condition.getPredicate() != arith::CmpIPredicate::slt) ||
      !condition.getLhs().getType().isIndex() ||
      !scope.isDefinedOutsideOfLoop(condition.getRhs()))
    return {};
  std::optional<Sum> index = split(condition.getLhs(), scope);
  if (!index || index->most == 0 ||
      (!index->outside && getConstantIntValue(condition.getRhs())))
    return {};
  Location loc = condition.getLoc();
  if (!index->outside)
    index->outside = arith::ConstantIndexOp::create(builder, loc, 0);
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

namespace {
/// A loop that copies rows of global memory into an array of the block, of
/// which each thread can have neighbours.
struct RowCopy {
  /// The number of neighbours in an access of 16 bytes; 0 for other loops.
  int64_t neighbours = 0;
  /// Arrays and dimensions whose extents must be multiples of this number.
  llvm::SmallSetVector<std::pair<Value, int64_t>, 2> lengths;
};
} // namespace

/// Adds a load of neighbours, or of one element for all iterations. False for
/// other loads.
static bool addLoad(RowCopy &copy, memref::LoadOp load,
                    const std::optional<Group> &element) {
  MemRefType type = load.getMemRefType();
  if (element && element->isCommon())
    return true;
  if (!element || !element->isDense() ||
      copy.neighbours * getElementBytes(type.getElementType()) != widestAccess)
    return false;
  int64_t last = type.getRank() - 1;
  if (type.isDynamicDim(last) && last > 0)
    copy.lengths.insert({load.getMemRef(), last});
  return last == 0 || type.isDynamicDim(last) ||
         type.getDimSize(last) % copy.neighbours == 0;
}

/// The copy of rows that `leaf` is if a thread has `neighbours` of them.
static std::optional<RowCopy> findRowCopy(scf::ForallOp leaf, int64_t extent,
                                          int64_t threads, int64_t neighbours) {
  if (extent % (neighbours * threads) != 0)
    return std::nullopt;
  RowCopy copy;
  copy.neighbours = neighbours;
  Growths growths(leaf.getInductionVar(0), leaf.getBody(), neighbours);
  bool isStored = false, isWide = false;
  WalkResult walked = leaf.getBody()->walk([&](Operation *op) -> WalkResult {
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      auto alloc = store.getMemRef().getDefiningOp<memref::AllocOp>();
      isStored = alloc && isCopied(alloc, threads);
      return WalkResult(success(isStored));
    }
    auto load = dyn_cast<memref::LoadOp>(op);
    if (load && isa<BlockArgument>(load.getMemRef())) {
      std::optional<Group> element = growths.getElement(load);
      isWide |= element && element->isDense();
      return WalkResult(success(addLoad(copy, load, element)));
    }
    bool isPlain = isa<scf::IfOp>(op) ||
                   op->hasTrait<OpTrait::IsTerminator>() ||
                   (op->getNumRegions() == 0 && isMemoryEffectFree(op));
    return WalkResult(success(isPlain));
  });
  if (walked.wasInterrupted() || !isStored || !isWide ||
      !growths.getLengths().empty())
    return std::nullopt;
  return copy;
}

static RowCopy findRowCopy(scf::ForallOp leaf, int64_t extent,
                           int64_t threads) {
  for (int64_t neighbours = widestAccess; neighbours > 1; neighbours /= 2)
    if (auto copy = findRowCopy(leaf, extent, threads, neighbours))
      return *copy;
  return {};
}

/// Makes a copy of `loop`, which is `scope` or a loop in it, without the guards
/// in its body that hold in all iterations of `scope`. If this is a copy of
/// rows, that code is for rows of which each begins at a multiple of 16 bytes.
static void splitLoop(Operation *loop, LoopLikeOpInterface scope,
                      const RowCopy &rows) {
  OpBuilder builder(scope);
  Location loc = scope.getLoc();
  llvm::SmallSetVector<Value, 2> conditions;
  Value all;
  auto require = [&](Value value) {
    all = all ? arith::AndIOp::create(builder, loc, all, value).getResult()
              : value;
  };
  for (auto branch : loop->getRegion(0).getOps<scf::IfOp>()) {
    Value guard = branch.getCondition();
    if (conditions.contains(guard) || !guard.getDefiningOp() ||
        !loop->isProperAncestor(guard.getDefiningOp()))
      continue;
    Value always = buildAlways(builder, guard, scope);
    // Neighbours are one access only if nothing separates them.
    if (!always && rows.neighbours)
      return;
    if (!always)
      continue;
    conditions.insert(guard);
    require(always);
  }
  IndexBuilder index{builder, loc};
  for (auto [array, last] : rows.lengths) {
    Value length = memref::DimOp::create(builder, loc, array, last);
    Value rest = arith::RemUIOp::create(builder, loc, length,
                                        index.constant(rows.neighbours));
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                                  index.constant(0)));
  }
  if (rows.neighbours)
    setNumber<ObsDialect::ItemsAttrHelper>(loop, rows.neighbours);
  if (!all)
    return;
  builder.setInsertionPoint(loop);
  auto both = scf::IfOp::create(builder, loop->getLoc(), loop->getResultTypes(),
                                all, /*withElseRegion=*/true);
  loop->replaceAllUsesWith(both);
  auto finish = [&](Block *block, Operation *last) {
    if (block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>()) {
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, loop->getLoc(), last->getResults());
    }
  };
  builder.setInsertionPointToStart(both.thenBlock());
  IRMapping mapping;
  finish(both.thenBlock(), builder.clone(*loop, mapping));
  for (Value condition : conditions)
    for (Operation *user :
         llvm::make_early_inc_range(mapping.lookup(condition).getUsers()))
      if (auto branch = dyn_cast<scf::IfOp>(user))
        chooseFirst(branch);
  loop->moveBefore(both.elseBlock(), both.elseBlock()->begin());
  finish(both.elseBlock(), loop);
}

namespace {
struct SplitLeaves : obs::impl::ObsSplitLeavesPassBase<SplitLeaves> {
  void runOnOperation() override {
    int64_t threads = getWorkers(getOperation()).threads;
    SmallVector<std::tuple<Operation *, LoopLikeOpInterface, RowCopy>> loops;
    getOperation().walk([&](scf::ForallOp leaf) {
      std::optional<int64_t> extent = getIterations(leaf);
      MapAttr map = getLeafMap(leaf);
      if (!map)
        return;
      // A thread of the grid tests for each of its iterations.
      bool isOfGrid = map.getScope() == Level::Grid;
      auto addInner = [&] {
        leaf.walk([&](scf::ForOp loop) {
          std::optional<APInt> turns = loop.getStaticTripCount();
          if (turns && turns->uge(leastTurns))
            loops.push_back(
                {loop, isOfGrid ? LoopLikeOpInterface(loop) : leaf, RowCopy()});
        });
      };
      if (isOfGrid)
        return addInner();
      if (!extent || *extent <= 0)
        return;
      int64_t workers = map.getScope() == Level::Warp ? warpSize : threads;
      RowCopy rows;
      if (map.getScope() == Level::Block)
        rows = findRowCopy(leaf, *extent, threads);
      if (rows.neighbours || *extent >= leastTurns * workers)
        loops.push_back({leaf, leaf, rows});
      addInner();
    });
    for (auto &[loop, scope, rows] : loops)
      splitLoop(loop, scope, rows);
  }
};
} // namespace
