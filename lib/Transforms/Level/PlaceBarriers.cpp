//===- PlaceBarriers.cpp - Barriers where threads exchange data --- -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are two steps for the code of blocks, and for that of warps in every
// loop over warps. The first step places a barrier before each statement that
// conflicts with an access since the last barrier. It is a barrier of the warp
// if every pair of threads that can meet is in one warp, else of the block.
// This is always sufficient. The analysis of a loop includes all accesses that
// may reach its back edge, also accesses that a barrier stops which is placed
// later. So a barrier may not be necessary, or not for the block. The second
// step removes, or weakens, each barrier if no conflict results. So no single
// barrier of the result can be removed or weakened.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSPLACEBARRIERSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "AccessFlow.h"
#include "Meetings.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include <deque>

using namespace mlir;
using namespace mlir::obs;

/// "read after write of the array at k.mlir:3:5, written at k.mlir:7:7, read at
/// k.mlir:9:10".
static std::string describe(const char *hazard, const Access &before,
                            const Access &after) {
  std::string text = hazard;
  Value buffer = before.buffer ? before.buffer : after.buffer;
  if (auto argument = dyn_cast_or_null<BlockArgument>(buffer))
    text += " of argument " + std::to_string(argument.getArgNumber());
  else if (buffer)
    text += " of the array at " + getPlace(buffer.getLoc());
  auto verb = [](const Access &access) {
    return access.isWrite() ? ", written at " : ", read at ";
  };
  text += verb(before) + getPlace(before.op->getLoc());
  text += verb(after) + getPlace(after.op->getLoc());
  return text;
}

namespace {
/// Two accesses that need a barrier between them.
struct Conflict {
  const char *hazard;
  Access before, after;
};

} // namespace

/// The reasons for a barrier, from the conflicts without it.
static ArrayAttr getReasons(MLIRContext *context,
                            ArrayRef<Conflict> conflicts) {
  llvm::SetVector<Attribute> reasons;
  for (const Conflict &conflict : conflicts)
    reasons.insert(StringAttr::get(
        context, describe(conflict.hazard, conflict.before, conflict.after)));
  return ArrayAttr::get(context, reasons.getArrayRef());
}

namespace {
/// Places the barriers of one region of code.
class Placer {
public:
  /// `analyze` runs the analysis of the code, as the workers of `meetings` run
  /// it, with the given visitor.
  Placer(Meetings &meetings, function_ref<void(AccessFlow::Visitor)> analyze)
      : meetings(meetings), analyze(analyze) {}

  /// Places the barriers.
  void run();
  /// All conflicts that remain with the barriers.
  SmallVector<Conflict> findConflicts();

private:
  std::optional<Level> getScope(Operation *op) const;
  std::optional<Level> getNeeded(ArrayRef<Access> accesses,
                                 ArrayRef<Access> pending);
  bool hasConflict();
  SmallVector<Conflict> findConflictsWithout(Operation *op);
  bool weaken(Operation *op);

  Meetings &meetings;
  function_ref<void(AccessFlow::Visitor)> analyze;
  /// The scopes of the barriers in front of statements.
  llvm::MapVector<Operation *, std::optional<Level>> guarded;
  /// The conflicts without the barrier before a statement, with all other
  /// barriers.
  llvm::DenseMap<Operation *, SmallVector<Conflict>> conflicts;
};
} // namespace

std::optional<Level> Placer::getScope(Operation *op) const {
  return guarded.lookup(op);
}

/// The scope of the barrier that must stand between the two accesses, if one is
/// necessary.
std::optional<Level> Placer::getNeeded(ArrayRef<Access> accesses,
                                       ArrayRef<Access> pending) {
  std::optional<Level> needed;
  for (const Access &before : pending)
    for (const Access &after : accesses)
      if (auto hazard = getHazard(before, after, meetings))
        needed = std::max(needed.value_or(Level::Warp), hazard->scope);
  return needed;
}

/// True when the barriers in `guarded` are not enough.
bool Placer::hasConflict() {
  bool found = false;
  analyze(
      [&](Operation *op, ArrayRef<Access> accesses, ArrayRef<Access> pending) {
        std::optional<Level> scope = getScope(op);
        if (found)
          return scope;
        if (std::optional<Level> needed = getNeeded(accesses, pending))
          found = !scope || *scope < *needed;
        return scope;
      });
  return found;
}

SmallVector<Conflict> Placer::findConflicts() {
  SmallVector<Conflict> found;
  analyze(
      [&](Operation *op, ArrayRef<Access> accesses, ArrayRef<Access> pending) {
        std::optional<Level> scope = getScope(op);
        for (const Access &before : pending)
          for (const Access &after : accesses)
            if (auto hazard = getHazard(before, after, meetings);
                hazard && (!scope || *scope < hazard->scope))
              found.push_back({hazard->kind, before, after});
        return scope;
      });
  return found;
}

/// The conflicts without the barrier before `op`. They may be at another
/// statement: a barrier in a loop also separates accesses before it from
/// accesses of the next iteration.
SmallVector<Conflict> Placer::findConflictsWithout(Operation *op) {
  std::optional<Level> scope = std::exchange(guarded[op], std::nullopt);
  SmallVector<Conflict> found = findConflicts();
  guarded[op] = scope;
  return found;
}

/// Removes the barrier before `op`, or changes it to a barrier of the warp, if
/// no conflict results. True if the barrier was changed.
bool Placer::weaken(Operation *op) {
  SmallVector<Conflict> &found = conflicts[op] = findConflictsWithout(op);
  if (found.empty()) {
    guarded[op] = std::nullopt;
    return true;
  }
  if (guarded[op] == Level::Warp)
    return false;
  guarded[op] = Level::Warp;
  if (!hasConflict())
    return true;
  guarded[op] = Level::Block;
  return false;
}

void Placer::run() {
  analyze(
      [&](Operation *op, ArrayRef<Access> accesses, ArrayRef<Access> pending) {
        std::optional<Level> scope = getScope(op);
        if (std::optional<Level> needed = getNeeded(accesses, pending))
          guarded[op] = scope = scope ? std::max(*scope, *needed) : *needed;
        return scope;
      });
  // If another barrier became weaker, the conflicts that were found before are
  // not complete.
  SmallVector<Operation *> outdated;
  SmallVector<Operation *> seen;
  for (Operation *op : llvm::to_vector(llvm::make_first_range(guarded))) {
    if (weaken(op))
      outdated = seen;
    if (guarded[op])
      seen.push_back(op);
  }
  for (Operation *op : outdated)
    conflicts[op] = findConflictsWithout(op);
  for (auto [op, scope] : guarded) {
    if (!scope)
      continue;
    OpBuilder builder(op);
    BarrierOp::create(builder, op->getLoc(), *scope,
                      getReasons(op->getContext(), conflicts[op]));
  }
}

/// The conflicts in the code of the block and of the warps in `loop` with the
/// current barriers.
static SmallVector<Conflict> findConflicts(KernelOp kernel, scf::ForOp loop,
                                           Meetings &ofWarp,
                                           Meetings &ofBlock) {
  auto warps = [&](AccessFlow::Visitor visit) {
    AccessFlow(Level::Warp, /*withWarpArrays=*/true).run(loop, visit);
  };
  auto block = [&](AccessFlow::Visitor visit) {
    AccessFlow(Level::Block, /*withWarpArrays=*/false).run(kernel, visit);
  };
  SmallVector<Conflict> found = Placer(ofWarp, warps).findConflicts();
  llvm::append_range(found, Placer(ofBlock, block).findConflicts());
  return found;
}

/// Removes the barriers of warps in `loop` that are not necessary because of
/// the barriers around it. Sets the reasons of the others.
static void prune(KernelOp kernel, scf::ForOp loop, Meetings &ofWarp,
                  Meetings &ofBlock) {
  SmallVector<BarrierOp> barriers;
  loop.walk([&](BarrierOp barrier) { barriers.push_back(barrier); });
  auto isNeeded = [&](BarrierOp barrier) {
    Operation *next = barrier->getNextNode();
    barrier->remove();
    SmallVector<Conflict> conflicts =
        findConflicts(kernel, loop, ofWarp, ofBlock);
    next->getBlock()->getOperations().insert(next->getIterator(), barrier);
    barrier.setWhyAttr(getReasons(kernel.getContext(), conflicts));
    return !conflicts.empty();
  };
  bool isOutdated = false;
  for (BarrierOp &barrier : barriers)
    if (!isNeeded(barrier)) {
      barrier.erase();
      barrier = {};
      isOutdated = true;
    }
  for (BarrierOp barrier : barriers)
    if (barrier && isOutdated)
      (void)isNeeded(barrier);
}

namespace {
struct PlaceBarriers : obs::impl::ObsPlaceBarriersPassBase<PlaceBarriers> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (isWarpLoop(loop))
        loops.push_back(loop);
    });
    // No barrier changes the elements of an access, so these stay true.
    std::deque<Meetings> ofWarps;
    Meetings ofBlock(getWorkers(kernel));
    for (scf::ForOp loop : loops) {
      AccessFlow flow(Level::Warp, /*withWarpArrays=*/true);
      Placer(ofWarps.emplace_back(Workers{warpSize, warpSize}),
             [&](AccessFlow::Visitor visit) { flow.run(loop, visit); })
          .run();
    }
    AccessFlow flow(Level::Block, /*withWarpArrays=*/false);
    Placer(ofBlock, [&](AccessFlow::Visitor visit) {
      flow.run(kernel, visit);
    }).run();
    for (auto [loop, ofWarp] : llvm::zip_equal(loops, ofWarps))
      prune(kernel, loop, ofWarp, ofBlock);
    kernel.walk([&](BarrierOp barrier) {
      ++(barrier.getScope() == Level::Warp ? warpBarriers : blockBarriers);
    });
  }
};
} // namespace
