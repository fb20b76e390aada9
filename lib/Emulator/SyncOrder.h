//===- SyncOrder.h - The order that releases and acquires create *- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release publishes the earlier events of its thread, and the events before
// them, to the threads that acquire at the same address afterwards. Barriers
// pass on the known events of each of their threads. A relaxed or volatile
// access has the same effect with a fence before (a store) or after (a load).
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_SYNCORDER_H
#define OBSIDIAN_LIB_EMULATOR_SYNCORDER_H

#include "AccessHistory.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir::obs::emulator {

/// For blocks, warps of blocks and threads of blocks: the time before which
/// their accesses are ordered before those of the owner. Copies share the table
/// until one of them changes, because all threads of a block have the same
/// table after a barrier.
class Knowledge {
public:
  bool contains(const Access &access) const;
  void join(const Knowledge &other);
  /// Adds the events of `thread` of `block` until now, and those that barriers
  /// have passed on to it.
  void addPast(uint32_t block, uint32_t thread, const BlockClock &clock);

private:
  using Table = llvm::DenseMap<uint64_t, uint32_t>;
  /// The table, of which no other object has a copy.
  Table &change();
  std::shared_ptr<Table> times;
};

class SyncOrder {
public:
  /// True if releases and acquires order `earlier` before all later accesses of
  /// `thread` of `block`.
  bool isOrdered(const Access &earlier, uint32_t block, uint32_t thread) const;

  /// A sync access that reads or writes. Both are called for an atomic
  /// operation.
  void read(const void *address, uint32_t block, uint32_t thread,
            bool acquires);
  void write(const void *address, uint32_t block, uint32_t thread,
             BlockClock &clock, bool releases, bool alsoReads);
  void fence(uint32_t block, uint32_t thread, BlockClock &clock, bool acquires,
             bool releases);
  /// The threads in `mask`, of the `numThreads` threads from `first` on, wait
  /// for each other. If there are more than 32 threads, all of them wait.
  void barrier(uint32_t block, uint32_t first, uint32_t numThreads,
               uint32_t mask);

private:
  struct ThreadState {
    Knowledge known;
    /// The events that relaxed loads of the thread have read, and the events
    /// that its last fence releases.
    Knowledge read, released;
    bool hasFence = false;
  };
  static uint64_t key(uint32_t block, uint32_t thread) {
    return uint64_t(block) << 16 | thread;
  }
  Knowledge past(uint32_t block, uint32_t thread, BlockClock &clock);

  llvm::DenseMap<uint64_t, ThreadState> threads;
  /// For each address, the events that a thread receives that acquires there.
  llvm::DenseMap<const void *, Knowledge> released;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_SYNCORDER_H
