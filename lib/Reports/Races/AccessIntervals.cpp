//===- AccessIntervals.cpp - Accesses with no barrier between -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessIntervals.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;

static void join(SmallVector<PendingAccess> &into,
                 ArrayRef<PendingAccess> from) {
  for (const PendingAccess &pending : from) {
    auto found = llvm::find(into, pending);
    if (found == into.end())
      into.push_back(pending);
    else
      found->isCertain |= pending.isCertain;
  }
}

/// Marks as uncertain the accesses of `before` that are in one of `ends` and
/// not in all. Something unknown decides between the ways that have these ends,
/// so such an access has passed by a barrier on a way that threads may not go.
static void markUncertain(ArrayRef<PendingAccess> before,
                          ArrayRef<SmallVector<PendingAccess> *> ends) {
  for (const PendingAccess &pending : before) {
    bool isInAll = llvm::all_of(
        ends, [&](auto *end) { return llvm::is_contained(*end, pending); });
    if (isInAll)
      continue;
    for (SmallVector<PendingAccess> *end : ends)
      if (auto found = llvm::find(*end, pending); found != end->end())
        found->isCertain = false;
  }
}

LogicalResult AccessIntervals::run() {
  State state;
  return runBlock(kernel.getBody().front(), state);
}

LogicalResult AccessIntervals::runBlock(Block &block, State &state) {
  for (Operation &op : block)
    if (failed(runOperation(op, state)))
      return failure();
  return success();
}

LogicalResult AccessIntervals::runOperation(Operation &op, State &state) {
  auto found = accesses.find(&op);
  if (barriers.contains(&op)) {
    // A ticket has accesses before its barrier, and one after it.
    auto *ticket = found != accesses.end() ? &found->second : nullptr;
    if (ticket)
      for (const MemoryAccess &before : ArrayRef(*ticket).drop_back())
        access(before, state);
    state.clear();
    if (ticket)
      access(ticket->back(), state);
    return success();
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op);
      sync && between == Between::Lanes) {
    passPartial(sync, state);
    return success();
  }
  if (found != accesses.end()) {
    for (const MemoryAccess &each : found->second)
      access(each, state);
    return success();
  }
  if (op.getNumRegions() == 0)
    return success();
  if (holders.contains(&op)) {
    if (failed(uniformity.require(&op, between, "barrier")))
      return failure();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runIf(branch, state);
    return runLoop(cast<LoopLikeOpInterface>(op), state);
  }
  // Threads go through it on their own: any part of it can happen while
  // another does.
  for (Region &region : op.getRegions())
    for (Block &block : region)
      if (failed(runBlock(block, state)))
        return failure();
  return success();
}

/// Notes in `state` that lanes of `sync` wait for each other. The lanes may be
/// unknown, or may not reach this point.
void AccessIntervals::passPartial(NVVM::SyncWarpOp sync, State &state) {
  int64_t threads = kernel.getKnownBlockSizeAttr().asArrayRef().front();
  Value mask = sync.getMask();
  Operation *parent = sync->getParentOp();
  bool isKnown = (parent == kernel || holders.contains(parent)) &&
                 isKnownMask(mask, threads);
  State before = std::move(state);
  state.clear();
  for (PendingAccess &pending : before) {
    if (!isKnown)
      pending.isCertain = false;
    else if (!llvm::is_contained(pending.masks, mask))
      pending.masks.push_back(mask);
    join(state, pending);
  }
}

LogicalResult AccessIntervals::runIf(scf::IfOp op, State &state) {
  State before = state, otherwise = state;
  if (failed(runBlock(*op.thenBlock(), state)))
    return failure();
  if (op.elseBlock() && failed(runBlock(*op.elseBlock(), otherwise)))
    return failure();
  markUncertain(before, {&state, &otherwise});
  join(state, otherwise);
  return success();
}

LogicalResult AccessIntervals::runLoop(LoopLikeOpInterface loop, State &state) {
  // The condition of a while loop is evaluated once at least.
  bool isWhile = isa<scf::WhileOp>(*loop);
  bool canSkip = !isWhile;
  if (auto counted = dyn_cast<scf::ForOp>(*loop)) {
    std::optional<IndexRange> from = ranges.get(counted.getLowerBound());
    std::optional<IndexRange> to = ranges.get(counted.getUpperBound());
    canSkip = !from || !to || from->max >= to->min;
  }
  State before = state;
  for (PendingAccess &pending : state)
    pending.begun.push_back({loop, true});
  loops.push_back(loop);
  // The accesses in `leaving` are pending where the condition of a while loop
  // ends it.
  State start, end, leaving;
  join(start, state);
  while (true) {
    end = start;
    for (Region *region : loop.getLoopRegions()) {
      if (failed(runBlock(region->front(), end)))
        return failure();
      if (isWhile && region == loop.getLoopRegions().front())
        leaving = end;
    }
    // Over the back edge.
    State next = start;
    for (PendingAccess pending : end) {
      for (PastLoop &past : pending.past)
        if (past.loop == loop && !past.left && past.age != Age::Earlier)
          past.age = Age(unsigned(past.age) + 1);
      for (NewLoop &begun : pending.begun)
        if (begun.loop == loop)
          begun.firstTurn = false;
      join(next, pending);
    }
    if (next.size() == start.size())
      break;
    start = std::move(next);
  }
  loops.pop_back();
  // A while loop ends in an iteration that has the condition only.
  State after = isWhile ? leaving : end;
  for (PendingAccess &pending : after) {
    for (PastLoop &past : pending.past)
      if (past.loop == loop)
        past.left = true;
    // Iterations of a while loop may have barriers that its condition has not.
    if (isWhile)
      pending.isCertain = false;
    llvm::erase_if(pending.begun,
                   [&](const NewLoop &begun) { return begun.loop == loop; });
  }
  state.clear();
  join(state, after);
  if (canSkip) {
    markUncertain(before, {&state, &before});
    join(state, before);
  }
  return success();
}

void AccessIntervals::access(const MemoryAccess &access, State &state) {
  PendingAccess self;
  self.access = &access;
  for (Operation *loop : loops)
    self.past.push_back({loop});
  if (!llvm::is_contained(state, self))
    state.push_back(self);
  for (const PendingAccess &pending : state) {
    const MemoryAccess &first = *pending.access;
    if (first.root != access.root ||
        (first.effect == Effect::Read && access.effect == Effect::Read) ||
        // Atomic updates of different widths are not atomic for each other.
        (first.effect == Effect::Atomic && access.effect == Effect::Atomic &&
         first.bytes == access.bytes))
      continue;
    SmallVector<unsigned> &seen = visitedPairs[{first.op, access.op}];
    if (llvm::any_of(seen,
                     [&](unsigned i) { return visited[i].first == pending; }))
      continue;
    seen.push_back(visited.size());
    visited.push_back({pending, access.op});
    visit(pending, access);
  }
}
