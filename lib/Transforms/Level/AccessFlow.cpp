//===- AccessFlow.cpp - Memory accesses between barriers ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessFlow.h"
#include "Obsidian/Transforms/Level/LevelIR.h"

using namespace mlir;
using namespace mlir::obs;

/// Adds `accesses` to `pending`; true if any was new.
static bool add(PendingAccesses &pending, const PendingAccesses &accesses) {
  bool changed = false;
  for (const Access &access : accesses)
    changed |= pending.insert(access);
  return changed;
}

/// True when `op` indexes `buffer` by an expression of `slot`.
bool AccessFlow::indexesBy(Operation *op, Value buffer, Value slot) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (!op->isAncestor(user))
      return false;
    ValueRange indices = getIndexedMemory(user).second;
    return !indices.empty() && reader.getSlot(indices.front()).base == slot;
  });
}

/// `pending` on the way into `loop`, where the values `from` become `to`.
PendingAccesses AccessFlow::enter(const PendingAccesses &pending,
                                  ValueRange from, ValueRange to,
                                  Operation *loop) {
  PendingAccesses result;
  for (Access access : pending) {
    // Several arguments can start from one number; the one that addresses the
    // buffer is the one that the body indexes it by.
    if (access.slot.number && access.buffer)
      for (auto [a, b] : llvm::zip(from, to)) {
        Slot source = reader.getSlot(a);
        if (source.base != access.slot.base ||
            !indexesBy(loop, access.buffer, b))
          continue;
        access.slot = carry(access.slot, source, {b, 0});
        break;
      }
    result.insert(access);
  }
  return result;
}

/// `pending` after `region` (or before its next execution), where the values
/// `from` become `to`. After it, slots that depend on other values of the
/// region are unknown.
PendingAccesses AccessFlow::leave(const PendingAccesses &pending,
                                  ValueRange from, ValueRange to,
                                  Region &region) {
  PendingAccesses result;
  for (Access access : pending) {
    Value base = access.slot.base;
    if (base && region.isAncestor(base.getParentRegion())) {
      Slot slot;
      for (auto [a, b] : llvm::zip(from, to)) {
        Slot source = reader.getSlot(a);
        if (source.base != base)
          continue;
        slot = carry(access.slot, source, reader.getSlot(b));
        break;
      }
      access.slot = slot;
    }
    result.insert(access);
  }
  return result;
}

/// The accesses of `pending` that reach the next iteration of `loop`.
/// If the iterations are instances of a level, several units execute them. An
/// access then reaches the next iteration of the same unit only, through memory
/// that the unit owns.
PendingAccesses AccessFlow::getCarried(const PendingAccesses &pending,
                                       Operation *loop) {
  auto map = getAttr<ObsDialect::MapAttrHelper>(loop);
  PendingAccesses result;
  for (Access access : pending) {
    if (map && access.buffer) {
      std::optional<Level> owner = getOwner(access.buffer);
      if (!owner || *owner > map.getUnit())
        continue;
    }
    // Each iteration forces its own array, into a slot of a ring or in place.
    // A loop of one force that updates an array is taken for a loop around it:
    // canonicalization drops the attribute of `scf.while`.
    if (hasAttr<ObsDialect::UpdateAttrHelper>(access.op) ||
        reader.isRing(access.buffer))
      access.renewed = true;
    if (!access.stale || loop->isAncestor(access.stale))
      access.stale = loop;
    result.insert(access);
  }
  return result;
}

/// Bounds of a number that is computed around `op`, where counters of loops
/// over workers begin with 0.
static IndexRange computeRangeAt(Value number, Operation *op) {
  IndexRecognizer recognizer;
  recognizer.preferRanges();
  for (auto outer = op->getParentOfType<scf::ForOp>(); outer;
       outer = outer->getParentOfType<scf::ForOp>())
    if (hasAttr<ObsDialect::MapAttrHelper>(outer)) {
      int64_t end = getUniformRange(outer.getUpperBound()).max;
      recognizer.setRange(outer.getInductionVar(),
                          {0, std::max<int64_t>(1, end) - 1});
    }
  return recognizer.get(number).getRange().value_or(getUniformRange(number));
}

/// The same, computed once.
IndexRange AccessFlow::getRangeAt(Value number, Operation *op) {
  auto found = ranges.find({number, op});
  if (found == ranges.end())
    found = ranges.insert({{number, op}, computeRangeAt(number, op)}).first;
  return found->second;
}

/// The minimum by which a counter of `loop` grows in an iteration.
int64_t AccessFlow::getLeastStep(scf::ForOp loop) {
  auto count = loop.getStep().getDefiningOp<WorkerCountOp>();
  if (!count)
    return getRangeAt(loop.getStep(), loop).min;
  // A grid is at least one block.
  if (count.getMap().getUnit() != Level::Warp)
    return 1;
  Workers workers = getWorkers(loop->getParentOfType<KernelOp>());
  return llvm::divideCeil(workers.launched, warpSize);
}

/// The maximum by which a counter of `loop` can grow, from the worker that
/// begins with the smallest value; empty if this does not fit in a number.
std::optional<int64_t> AccessFlow::getMostLength(scf::ForOp loop) {
  // The numbers of workers begin with 0.
  int64_t from = loop.getLowerBound().getDefiningOp<WorkerIdOp>()
                     ? 0
                     : getRangeAt(loop.getLowerBound(), loop).min;
  int64_t length;
  if (llvm::SubOverflow(getRangeAt(loop.getUpperBound(), loop).max, from,
                        length))
    return std::nullopt;
  return length;
}

/// True if the body of `loop` runs at most once. For a loop over workers, at
/// most once for each worker.
bool AccessFlow::runsOnce(scf::ForOp loop) {
  std::optional<int64_t> length = getMostLength(loop);
  return length && *length <= std::max<int64_t>(1, getLeastStep(loop));
}

/// True if the body of `loop` never runs.
bool AccessFlow::runsNever(scf::ForOp loop) {
  std::optional<int64_t> length = getMostLength(loop);
  return length && *length <= 0;
}

/// Updates `pending` for the code after a barrier.
void AccessFlow::wait(Level barrier, PendingAccesses &pending) {
  if (barrier >= scope)
    return pending.clear();
  PendingAccesses synced;
  for (Access access : pending) {
    access.warpSynced = true;
    synced.insert(access);
  }
  pending = std::move(synced);
}

void AccessFlow::statement(Operation *op, PendingAccesses &pending) {
  ArrayRef<Access> accesses = reader.get(op);
  if (accesses.empty())
    return;
  if (std::optional<Level> barrier = visit(op, accesses, pending.getArrayRef()))
    wait(*barrier, pending);
  // The threads wait for each other between the two accesses of a cell.
  if (isa<CounterOpInterface>(op)) {
    wait(Level::Block, pending);
    accesses = accesses.take_back();
  }
  for (Access access : accesses) {
    access.warpSynced = access.isBeforeBarrier;
    pending.insert(access);
  }
}

void AccessFlow::run(Block &block, PendingAccesses &pending) {
  for (Operation &op : block) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      wait(barrier.getScope(), pending);
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      // The same bytes are now used for another array.
      PendingAccesses renewed;
      for (Access access : pending) {
        access.renewed |= access.buffer == alloc.getResult();
        renewed.insert(access);
      }
      pending = std::move(renewed);
    } else if (isa<scf::ForallOp>(op) ||
               (scope == Level::Block && isWarpLoop(&op))) {
      statement(&op, pending);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      runFor(loop, pending);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      runWhile(loop, pending);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      runIf(branch, pending);
    } else if (op.getNumRegions() != 0) {
      PendingAccesses before = pending;
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          PendingAccesses arm = before;
          run(inner, arm);
          add(pending, leave(arm, {}, {}, region));
        }
    } else {
      statement(&op, pending);
    }
  }
}

void AccessFlow::runFor(scf::ForOp loop, PendingAccesses &pending) {
  Region &region = loop.getRegion();
  ValueRange arguments = loop.getRegionIterArgs();
  ValueRange yielded = loop.getYieldedValues();
  PendingAccesses entry = enter(pending, loop.getInitArgs(), arguments, loop);
  if (runsNever(loop)) {
    pending = leave(entry, arguments, loop.getResults(), region);
    return;
  }
  PendingAccesses in = entry, out;
  while (true) {
    out = in;
    run(*loop.getBody(), out);
    if (runsOnce(loop) ||
        !add(in, leave(getCarried(out, loop), yielded, arguments, region)))
      break;
  }
  pending.clear();
  for (Access access : out) {
    // With nothing stale, this was the last iteration, here and in loops
    // inside.
    if (!access.stale && loop->isProperAncestor(access.op))
      access.ended = loop;
    pending.insert(access);
  }
  pending = leave(pending, yielded, loop.getResults(), region);
  bool runs = getRangeAt(loop.getLowerBound(), loop).max <
                  getRangeAt(loop.getUpperBound(), loop).min &&
              !hasAttr<ObsDialect::MapAttrHelper>(loop);
  if (!runs) // No iteration at all.
    add(pending, leave(entry, arguments, loop.getResults(), region));
}

void AccessFlow::runWhile(scf::WhileOp loop, PendingAccesses &pending) {
  ValueRange passed = loop.getConditionOp().getArgs();
  PendingAccesses in =
      enter(pending, loop.getInits(), loop.getBeforeArguments(), loop);
  PendingAccesses decided;
  while (true) {
    decided = in;
    run(*loop.getBeforeBody(), decided);
    PendingAccesses out =
        leave(decided, passed, loop.getAfterArguments(), loop.getBefore());
    run(*loop.getAfterBody(), out);
    if (!add(in, leave(getCarried(out, loop), loop.getYieldOp().getOperands(),
                       loop.getBeforeArguments(), loop.getAfter())))
      break;
  }
  pending = leave(decided, passed, loop.getResults(), loop.getBefore());
}

void AccessFlow::runIf(scf::IfOp branch, PendingAccesses &pending) {
  PendingAccesses before;
  std::swap(before, pending);
  IndexRange condition = getRangeAt(branch.getCondition(), branch);
  for (Region *region : branch.getRegions()) {
    bool isThen = region == &branch.getThenRegion();
    if (isThen ? condition.max == 0 : condition.min == 1)
      continue; // It never runs.
    PendingAccesses arm = before;
    if (region->empty()) {
      add(pending, arm);
      continue;
    }
    run(region->front(), arm);
    ValueRange yielded = region->front().getTerminator()->getOperands();
    add(pending, leave(arm, yielded, branch.getResults(), *region));
  }
}

void AccessFlow::run(KernelOp kernel, Visitor visitor) {
  visit = visitor;
  PendingAccesses pending;
  run(kernel.getBody().front(), pending);
}

/// True if `loop` runs again because of a loop around it, and the threads of a
/// warp do not wait for each other in between.
bool AccessFlow::isRepeatedAtOnce(scf::ForOp loop) {
  for (Operation *op = loop; !isa<KernelOp>(op->getParentOp());) {
    if (!op->getBlock()->getOps<BarrierOp>().empty())
      return false;
    op = op->getParentOp();
    auto counted = dyn_cast<scf::ForOp>(op);
    if (isa<LoopLikeOpInterface>(op) && !(counted && runsOnce(counted)))
      return true;
  }
  return false;
}

void AccessFlow::run(scf::ForOp loop, Visitor visitor) {
  visit = visitor;
  // Even a single instance runs again if the code around it is in a loop.
  bool isRepeated = !runsOnce(loop) || isRepeatedAtOnce(loop);
  PendingAccesses in, out;
  do {
    out = in;
    run(*loop.getBody(), out);
  } while (isRepeated &&
           add(in, leave(getCarried(out, loop), {}, {}, loop.getRegion())));
}
