//===- Accesses.h - Memory accesses that threads share ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of a statement to memory that other threads of a block, or other
// lanes of a warp, share.
//
// In block scope, a kernel is the code of a block: loops over blocks are plain
// loops; leaf loops, loops over warps and uniform loads and stores are
// statements. In warp scope, the body of a loop over warps is the code of one
// warp.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_ACCESSES_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_ACCESSES_H

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "Slots.h"
#include "Workers.h"

namespace mlir::obs {

enum class AccessKind { Read, Write, InitialWrite, Atomic };

/// In a leaf, an access stands for all operations of its block that access the
/// same array alike; see getMembers.
struct Access {
  /// The alloc or kernel argument; null when it could be any.
  Value buffer;
  AccessKind kind = AccessKind::Read;
  Slot slot;
  /// The leaf loop of the access.
  scf::ForallOp leaf;
  /// For an access in a loop over warps, at block scope: the loop, and the leaf
  /// in it.
  scf::ForOp warps;
  scf::ForallOp warpLeaf;
  /// True if, in every iteration of that loop, the warp waits for its threads
  /// before the access, and after it.
  bool isBehindBarrier = false, isBeforeBarrier = false;
  /// True if another force has written new contents to the buffer since the
  /// access.
  bool renewed = false;
  /// The outermost loop that has started another iteration since the access.
  /// Values of its body had another meaning at the access.
  Operation *stale = nullptr;
  /// The outermost loop that has ended since the access, in the iteration of
  /// the access. The loops between have ended, too: each was in its last
  /// iteration.
  Operation *ended = nullptr;
  /// The threads of each warp have waited for each other since the access.
  bool warpSynced = false;
  Operation *op = nullptr;

  bool isWrite() const { return kind != AccessKind::Read; }
  bool operator==(const Access &other) const {
    // Members that mostly differ, and that are cheap to compare, come first.
    return op == other.op && buffer == other.buffer && kind == other.kind &&
           leaf == other.leaf && renewed == other.renewed &&
           stale == other.stale && ended == other.ended &&
           warpSynced == other.warpSynced && slot == other.slot;
  }
};
using Accesses = SmallVector<Access>;

/// True for a loop whose iterations are warps.
bool isWarpLoop(Operation *op);

/// The array and the indices of the element that `op` loads or stores; null for
/// other operations.
std::pair<Value, ValueRange> getIndexedMemory(Operation *op);

/// The operations that `access` stands for.
SmallVector<Operation *> getMembers(const Access &access);

/// Finds the accesses that can matter to other threads of an instance of a
/// level. It stores its results, so the code must not change between two calls.
class AccessReader {
public:
  /// `withWarpArrays` includes arrays that belong to one warp.
  AccessReader(Level scope, bool withWarpArrays)
      : scope(scope), withWarpArrays(withWarpArrays) {}

  /// The accesses of `op` and the operations in it. At block scope, the
  /// accesses of a loop over warps belong to no particular thread.
  ArrayRef<Access> get(Operation *op);
  Slot getSlot(Value index) { return slots.get(index); }
  /// True for a ring: two buffers, where a loop carries the number of the
  /// current one.
  bool isRing(Value buffer);

private:
  Accesses collect(Operation *op);
  void append(Operation *op, Accesses &accesses);
  bool computeIsRing(Value buffer);

  Level scope;
  bool withWarpArrays;
  SlotReader slots;
  llvm::DenseMap<Operation *, Accesses> known;
  llvm::DenseMap<Value, bool> rings;
};

/// The reason for a barrier between two accesses.
struct Hazard {
  /// "read after write", "write after read" or "write after write".
  const char *kind;
  /// The smallest instance that contains both threads: a warp or the block.
  Level scope;
};

class Meetings;

/// The home of an array of `owner` that registers may hold; else null.
HomeAttr getRegisterHome(Value buffer, Level owner);

/// The level whose instances own `buffer`; empty for global memory.
std::optional<Level> getOwner(Value buffer);

/// The hazard of two accesses, if they need a barrier.
std::optional<Hazard> getHazard(const Access &before, const Access &after,
                                Meetings &meetings);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_ACCESSES_H
