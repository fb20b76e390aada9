//===- OwnedArrays.h - Arrays of blocks in registers ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of a block needs no memory if every element is written and read by
// one thread only, such as accumulators. Each thread then has its elements in
// registers. The two slots of a ring are then the same registers, because the
// thread has read the old element when it writes the new one.
//
// Registers have no addresses, so the register of an access must be known at
// compile time. In a leaf loop with more iterations than threads, each thread
// executes several *steps*. Step s of an access reaches one element of each
// thread, and these elements are in one register. If several accesses reach an
// element, their steps have the same register.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_OWNEDARRAYS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_OWNEDARRAYS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::obs {

/// The maximum number of registers of 32 bits of each thread for an array of a
/// block.
constexpr int64_t maxOwnedRegisters = 64;

/// The distribution of the iterations of a leaf loop of static extent over the
/// threads of a block.
struct LeafSteps {
  int64_t extent, threads;
  bool isBlocked;

  static LeafSteps get(scf::ForallOp leaf, int64_t threads);
  /// The maximum number of steps of a thread.
  int64_t getCount() const;
  int64_t getThread(int64_t iteration) const;
  int64_t getStep(int64_t iteration) const;
  /// True if all threads have an iteration in step `step`.
  bool isFull(int64_t step) const;
};

/// An array that is in registers of the threads of a block.
struct OwnedArray {
  /// Elements that each thread keeps, a register (or two, of 64 bits) for each.
  int64_t elements = 0;
  /// The element of each step of the leaf loop around an access.
  llvm::MapVector<Operation *, SmallVector<int64_t>> accesses;
};

/// The operation `op` that prevents that an array is in registers, and the
/// reason.
struct NotOwned {
  Operation *op;
  std::string reason;
};

/// The registers in which `threads` threads keep the array of `alloc`, an array
/// of a block whose home is `auto` or registers. Empty if several threads use
/// an element, or if the element of an access is not known. `why`, if it is
/// given, then contains the reason, if one is known.
std::optional<OwnedArray> findOwnedArray(memref::AllocOp alloc, int64_t threads,
                                         std::optional<NotOwned> *why = {});

/// The number of registers of 32 bits for `elements` values of type `type`.
int64_t countRegisters(Type type, int64_t elements);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_OWNEDARRAYS_H
