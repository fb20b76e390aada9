//===- KernelAccesses.h - Memory accesses of a lowered kernel ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a `gpu.func` that the race checker uses: its accesses to shared
// and global memory, its barriers, and the values that are the same for all
// threads of a warp, a block or the grid.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_KERNELACCESSES_H
#define OBSIDIAN_REPORTS_RACES_KERNELACCESSES_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::obs::races {

/// The relation of two threads: lanes of one warp, threads of two warps of a
/// block, or threads of two blocks.
enum class Between { Lanes, Warps, Blocks };

enum class Effect { Read, Write, Atomic };

/// An access to memory that several threads can reach.
struct MemoryAccess {
  Operation *op;
  Effect effect;
  /// The kernel argument, or the result of gpu.dynamic_shared_memory.
  Value root;
  bool isShared;
  /// The accessed array, and one index for each of its dimensions. The last one
  /// is multiplied by `scale`, and `offset` is added.
  Value array;
  SmallVector<Value> indices;
  int64_t scale = 1, offset = 0;
  /// The number of bytes of one access.
  int64_t bytes;
  /// The promise of the source; none if there is no promise.
  std::optional<WriteMark> contract;
  /// True if only the first thread of a block accesses the memory.
  bool isByFirstThread = false;
};

/// The number of bytes of a value in memory.
int64_t getBytes(Type type);

/// Fails, with a diagnostic `[race-stage]`, if `kernel` cannot be a result of
/// obs-to-gpu, so that the check could miss a race: it has more than one
/// dimension, or accesses memory by other operations.
LogicalResult requireLowered(gpu::GPUFuncOp kernel);

/// The access of `op`, a load, a store or an atomic operation, to shared or
/// global memory.
std::optional<MemoryAccess> getMemoryAccess(Operation *op);

/// All accesses of any operation, in their order. With a cell, the last one is
/// the read of the cell after the barrier.
SmallVector<MemoryAccess> getMemoryAccesses(Operation *op);

/// True if the mask of a barrier is known for each thread of a block of
/// `threads` threads.
bool isKnownMask(Value mask, int64_t threads);

/// True if the two threads of a warp, with these numbers in the block, wait for
/// each other at a barrier with this mask.
bool waitTogether(Value mask, int64_t first, int64_t second);

/// The operations of `kernel` at which the two threads of `between` wait for
/// each other.
llvm::DenseSet<Operation *> findBarriers(gpu::GPUFuncOp kernel,
                                         Between between);

/// Fails, with a diagnostic `[race-stage]`, if a launch passes one array as two
/// parameters, one of them in `written`, and the kernel has no marks for that.
LogicalResult requireAliasMarks(gpu::GPUFuncOp kernel,
                                const llvm::DenseSet<Value> &written);

/// Parameters of `kernel` that have the value of an earlier parameter in all
/// launches of its program. Most of them are sizes of arrays.
llvm::DenseMap<Value, Value> getEqualParameters(gpu::GPUFuncOp kernel);

/// The bounds of values, from the ranges of thread and block numbers and of
/// constants. Extents of memory have the bounds of rule R4-extents. So has a
/// parameter if its value in every launch of the program is an extent.
class Ranges {
public:
  explicit Ranges(gpu::GPUFuncOp kernel);
  ~Ranges();
  /// Bounds of `value` as a signed number; nullopt if none are known.
  std::optional<IndexRange> get(Value value) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_KERNELACCESSES_H
