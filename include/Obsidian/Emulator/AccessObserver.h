//===- AccessObserver.h - Checks that watch a launch ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMULATOR_ACCESSOBSERVER_H
#define OBSIDIAN_EMULATOR_ACCESSOBSERVER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir::obs::emulator {

/// Extents of a grid or of a block, or the position in one.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// The kind of an access to memory. A sync access is a volatile or atomic load
/// or store, which other threads may legally race with.
enum class AccessKind : uint8_t { Load, Store, SyncLoad, SyncStore, Atomic };

/// The kind of memory of an address.
enum class MemorySpace : uint8_t { Global, Shared, Private, Constant };

/// The contract of a store (`obs.contract`). With Any, other stores of the
/// contract may write the same element. With Disjoint, no other store writes
/// it. A load and the following store that are marked Copy (`obs.copy`) copy an
/// element, which may be unwritten.
enum class StoreContract : uint8_t { None, Any, Disjoint, Copy };

/// One access. It is reported after its bounds were checked, and before it is
/// executed.
struct AccessEvent {
  AccessKind kind;
  MemorySpace space;
  const void *address;
  uint32_t bytes;
  /// Linear number of the block in the grid and of the thread in the block.
  uint64_t block;
  uint32_t thread;
  /// `file:line:col` of the operation.
  llvm::StringRef location;
  /// Number of the operation in its machine, from 0.
  uint32_t site = 0;
  StoreContract contract = StoreContract::None;
  /// The location of the operation that allocated the accessed buffer, or
  /// empty.
  llvm::StringRef buffer;
  /// Of a store: the number of the force that updates the buffer in place
  /// (`obs.update`), or 0.
  uint32_t update = 0;
  /// The number of iterations of loops around forces that the thread has begun,
  /// for loops that contain stores with the contract Disjoint.
  uint64_t iteration = 0;
  /// The ordering of an atomic access.
  bool acquires = false, releases = false;
};

/// Watches the launches of a machine. The functions run between two steps of
/// the emulated threads, on the small stack of one of them: keep frames below a
/// few KiB. Accesses of private memory are reported only by machines that were
/// made with `MachineOptions::watchPrivate`.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;

  virtual void launchBegins(llvm::StringRef kernel, Dim3 grid, Dim3 block) {}
  /// Returns false and fills `message` if the launch had an error, also if it
  /// stopped before its end.
  virtual bool launchEnds(std::string &message) { return true; }

  /// `shared` is the memory of the block. Other blocks use the same memory
  /// before and after it.
  virtual void blockBegins(uint64_t block, const void *shared,
                           uint64_t sharedBytes) {}
  virtual void blockEnds(uint64_t block) {}

  /// To stop the launch with an error, returns false and fills `message`, which
  /// begins with a location.
  virtual bool access(const AccessEvent &event, std::string &message) {
    return true;
  }

  /// A `memref.alloca` was executed, so the contents of this memory are
  /// undefined. Reported only with `MachineOptions::watchPrivate`.
  virtual void privateBegins(uint64_t block, uint32_t thread, const void *base,
                             uint64_t bytes) {}

  virtual void fence(uint64_t block, uint32_t thread, bool acquires,
                     bool releases) {}

  /// All threads of the block passed a barrier.
  virtual void blockBarrier(uint64_t block, llvm::StringRef location) {}
  /// The lanes of `mask` in warp `warp` of the block passed a warp barrier.
  virtual void warpBarrier(uint64_t block, uint32_t warp, uint32_t mask,
                           llvm::StringRef location) {}
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_EMULATOR_ACCESSOBSERVER_H
