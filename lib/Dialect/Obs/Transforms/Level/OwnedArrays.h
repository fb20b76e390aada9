//===- OwnedArrays.h - Arrays of blocks in registers ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of a block needs no memory if every element is written and read by
// one thread only, as accumulators are: each thread keeps its elements in
// registers. The two slots of a ring are the same registers then, since the
// thread has read the old element when it writes the new one.
//
// Registers have no addresses, so an access has to name one at compile time.
// Of a leaf loop with more iterations than threads each thread runs several
// *steps*; step s of an access reaches one element of each thread, and these
// are one register. Elements that several accesses reach in one step join
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_OWNEDARRAYS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_OWNEDARRAYS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::obs {

/// Registers of 32 bits that an array of a block may take in each thread.
constexpr int64_t maxOwnedRegisters = 64;

/// The distribution of the iterations of a leaf loop of static extent over the
/// threads of a block.
struct LeafSteps {
  int64_t extent, threads;
  bool isBlocked;

  static LeafSteps get(scf::ForallOp leaf, int64_t threads);
  /// Steps of the threads that have most.
  int64_t getCount() const;
  int64_t getThread(int64_t iteration) const;
  int64_t getStep(int64_t iteration) const;
  /// True if all threads have an iteration in step `step`.
  bool isFull(int64_t step) const;
};

/// An array that the threads of a block keep in registers.
struct OwnedArray {
  /// Elements that each thread keeps, a register (or two, of 64 bits) for each.
  int64_t elements = 0;
  /// The element of each step of the leaf loop around an access.
  llvm::MapVector<Operation *, SmallVector<int64_t>> accesses;
};

/// The operation `op` that keeps an array from living in registers, and the
/// reason.
struct NotOwned {
  Operation *op;
  std::string reason;
};

/// The registers in which `threads` threads keep the array of `alloc`, one of a
/// block with no home or registers asked for. Nothing if some element is used
/// by several threads, or it is not known which one an access means; then `why`
/// says so, if it is given and there is something to say.
std::optional<OwnedArray> findOwnedArray(memref::AllocOp alloc, int64_t threads,
                                         std::optional<NotOwned> *why = {});

/// Registers of 32 bits that `elements` values of type `type` take.
int64_t countRegisters(Type type, int64_t elements);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_OWNEDARRAYS_H
