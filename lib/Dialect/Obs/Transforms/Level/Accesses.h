//===- Accesses.h - Memory accesses between barriers ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the threads of a block (or the lanes of a warp) may have done to memory
// since their last barrier: a forward analysis over structured control flow,
// used to place barriers and to find buffers that can share memory.
//
// Block scope sees a kernel as one block runs it: loops over blocks are plain
// loops; leaf loops, loops over warps and uniform loads and stores are
// statements. Warp scope sees the body of a loop over warps as one warp runs
// it.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_ACCESSES_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_ACCESSES_H

#include "Obsidian/Dialect/Obs/Analysis/IndexEquations.h"
#include "Workers.h"

namespace mlir::obs {

/// Which part of a buffer an access reaches: its first index.
struct Slot {
  /// The value that `index` is an expression of, as symbol 0; null for a
  /// number.
  Value base;
  /// nullopt: anything.
  std::optional<IndexExpr> index;

  bool operator==(const Slot &other) const {
    return base == other.base && index == other.index;
  }
  bool operator!=(const Slot &other) const { return !(*this == other); }
  /// True when the two cannot be the same memory: x is never 1 - x.
  bool differs(const Slot &other) const {
    return index && other.index && base == other.base &&
           areNeverEqual(*index, *other.index);
  }
};

/// The slot that the first index `index` of an access is.
Slot getSlot(Value index);

enum class AccessKind { Read, Write, InitialWrite, Atomic };

struct Access {
  /// The alloc or kernel argument; null when it could be any.
  Value buffer;
  AccessKind kind = AccessKind::Read;
  Slot slot;
  /// The leaf loop of the access.
  scf::ForallOp leaf;
  /// Seen from outside of a loop over warps: that loop, and the leaf in it.
  scf::ForOp warps;
  scf::ForallOp warpLeaf;
  /// The buffer has got new contents, by another force, since the access.
  bool renewed = false;
  /// The outermost loop that has started another iteration since the access:
  /// values of its body meant something else then.
  Operation *stale = nullptr;
  /// The outermost loop that has ended since in the turn of the access, as did
  /// all loops between: each was in its last turn.
  Operation *ended = nullptr;
  /// The threads of each warp have waited for each other since the access.
  bool warpSynced = false;
  Operation *op = nullptr;

  bool isWrite() const { return kind != AccessKind::Read; }
  bool operator==(const Access &other) const {
    return buffer == other.buffer && kind == other.kind && slot == other.slot &&
           leaf == other.leaf && renewed == other.renewed &&
           stale == other.stale && ended == other.ended &&
           warpSynced == other.warpSynced && op == other.op;
  }
};
using Accesses = SmallVector<Access>;

/// How the iterations of a leaf loop are spread; null if it is not valid level
/// IR (`obs-verify-levels` says why).
MapAttr getLeafMap(scf::ForallOp leaf);

/// True for a loop whose iterations are warps.
bool isWarpLoop(Operation *op);

/// The accesses of `op` and the operations in it that can matter to other
/// threads of an instance of `scope`. At block scope what a warp loop does is
/// seen from outside: no access belongs to a particular thread.
/// `withWarpArrays` includes arrays that each warp has for itself.
Accesses collectAccesses(Operation *op, Level scope, bool withWarpArrays);

/// Why a barrier must stand between two accesses.
struct Hazard {
  /// "read after write", "write after read" or "write after write".
  const char *kind;
  /// Whose threads can be the two: those of a warp, or of the block.
  Level scope;
};

class Meetings;

/// The hazard of two accesses, if they need a barrier.
std::optional<Hazard> getHazard(const Access &before, const Access &after,
                                Meetings &meetings);

/// The analysis. It calls `visit` for every statement with its accesses and
/// those since the last barrier, possibly several times with more of the
/// latter. `visit` returns the scope of the barrier that stands right before
/// the statement, if one does.
class AccessFlow {
public:
  using Visitor = function_ref<std::optional<Level>(Operation *statement,
                                                    ArrayRef<Access> accesses,
                                                    ArrayRef<Access> pending)>;

  AccessFlow(Level scope, bool withWarpArrays, Visitor visit)
      : scope(scope), withWarpArrays(withWarpArrays), visit(visit) {}

  /// Analyses `block` from `pending`, which becomes what is pending at its end.
  void run(Block &block, Accesses &pending);
  /// Analyses a whole loop over warps, at warp scope.
  void runWarpLoop(scf::ForOp loop);

private:
  void runFor(scf::ForOp loop, Accesses &pending);
  void runWhile(scf::WhileOp loop, Accesses &pending);
  void runIf(scf::IfOp branch, Accesses &pending);
  void statement(Operation *op, Accesses &pending);
  void wait(Level barrier, Accesses &pending);

  Level scope;
  bool withWarpArrays;
  Visitor visit;
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_ACCESSES_H
