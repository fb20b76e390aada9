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

/// The byte that fresh device and shared memory is filled with: a huge negative
/// float, a negative integer, so that what is read before it was written does
/// not look like a result.
constexpr unsigned char kPoisonByte = 0xFB;

/// Global memory of the emulated device. Device addresses are addresses of this
/// process. Allocations are aligned to 256 bytes, filled with `kPoisonByte`,
/// and stand apart from each other by at least 256 bytes, so that an access
/// past an end is found. Not safe for use from several threads at once.
class DeviceMemory {
public:
  struct Range {
    char *base = nullptr;
    size_t bytes = 0;
    /// For each byte whether it was written, if that is tracked.
    unsigned char *written = nullptr;
    /// The location of the allocation in the source; empty if unknown.
    llvm::StringRef location;
  };

  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory();

  /// Allocates `bytes` bytes; zero bytes give an address of their own too.
  /// `location` is the place in the source, `file:line:col`.
  llvm::Expected<void *> allocate(size_t bytes, llvm::StringRef location = "");

  /// Frees memory of `allocate`; null is legal and does nothing. Another
  /// address is an error, and so is one that was freed before.
  llvm::Error free(void *address);

  /// The allocation that contains `address`, or an empty range.
  Range find(const void *address) const;

  /// Error unless all of [address, address + bytes) lies in one allocation.
  /// `what` names the operation in the message. Zero bytes are always right.
  llvm::Error check(const void *address, size_t bytes,
                    llvm::StringRef what) const;

  /// Keeps track of which bytes are written, for all later allocations.
  void trackWrites() { tracksWrites = true; }

  /// Says that [address, address + bytes) was written, or that it was copied
  /// from `source`. It lies in one allocation.
  void markWritten(const void *address, size_t bytes);
  void markCopied(const void *address, const void *source, size_t bytes);

  /// Error if nothing has written some byte of [address, address + bytes),
  /// which lies in one allocation, and writes are tracked.
  llvm::Error checkWritten(const void *address, size_t bytes,
                           llvm::StringRef what) const;

  /// Says where `address` lies relative to the nearest allocation.
  std::string describe(const void *address) const;

  /// Sum of the sizes of the live allocations.
  size_t bytesInUse() const { return inUse; }
  size_t numAllocations() const { return allocations.size(); }

private:
  /// Base address to size and what std::free takes.
  struct Allocation {
    size_t bytes;
    void *storage;
    /// For each byte whether it was written; null if that is not tracked.
    std::unique_ptr<unsigned char[]> written;
    std::string location;
  };
  std::map<uintptr_t, Allocation> allocations;
  bool tracksWrites = false;
  size_t inUse = 0;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_EMULATOR_DEVICEMEMORY_H
