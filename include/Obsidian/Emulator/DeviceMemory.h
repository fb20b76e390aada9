//===- DeviceMemory.h - Allocations of the emulated device ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMULATOR_DEVICEMEMORY_H
#define OBSIDIAN_EMULATOR_DEVICEMEMORY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace mlir::obs::emulator {

/// New device and shared memory is filled with this byte. Each word is then a
/// negative float of large magnitude, or a negative integer, so that a read of
/// unwritten memory does not look like a result.
constexpr unsigned char kPoisonByte = 0xFB;

/// Global memory of the emulated device. Device addresses are addresses of this
/// process. Allocations are aligned to 256 bytes and filled with `kPoisonByte`.
/// Between two of them are at least 256 bytes, so that an access past an end is
/// found. Only one thread may use it at a time.
class DeviceMemory {
public:
  struct Range {
    char *base = nullptr;
    size_t bytes = 0;
    /// For each byte, whether it was written; empty if writes are not recorded.
    unsigned char *written = nullptr;
    /// The location of the allocation in the source; empty if unknown.
    llvm::StringRef location;
  };

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory();

  /// Allocates `bytes` bytes. An allocation of zero bytes also has a unique
  /// address. `location` is the location in the source, `file:line:col`.
  llvm::Expected<void *> allocate(size_t bytes, llvm::StringRef location = "");

  /// Frees memory of `allocate`. Null is allowed and has no effect. It is an
  /// error if the address is not that of a live allocation.
  llvm::Error free(void *address);

  /// The allocation that contains `address`, or an empty range.
  Range find(const void *address) const;

  /// An error unless one allocation contains all of [address, address + bytes).
  /// `what` names the operation in the message. Zero bytes are never an error.
  llvm::Error check(const void *address, size_t bytes,
                    llvm::StringRef what) const;

  /// Records which bytes are written, for all later allocations.
  void trackWrites() { tracksWrites = true; }

  /// Records that [address, address + bytes), a part of one allocation, was
  /// written, or was copied from `source`.
  void markWritten(const void *address, size_t bytes);
  void markCopied(const void *address, const void *source, size_t bytes);

  /// An error if writes are recorded and a byte of [address, address + bytes),
  /// a part of one allocation, was never written.
  llvm::Error checkWritten(const void *address, size_t bytes,
                           llvm::StringRef what) const;

  /// Text that describes `address` relative to the nearest allocation.
  std::string describe(const void *address) const;

  /// Sum of the sizes of the live allocations.
  size_t bytesInUse() const { return inUse; }
  size_t numAllocations() const { return allocations.size(); }

private:
  /// For each base address, the size and the pointer for std::free.
  struct Allocation {
    size_t bytes;
    void *storage;
    /// For each byte, whether it was written; null if writes are not recorded.
    std::unique_ptr<unsigned char[]> written;
    std::string location;
  };
  std::map<uintptr_t, Allocation> allocations;
  bool tracksWrites = false;
  size_t inUse = 0;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_EMULATOR_DEVICEMEMORY_H
