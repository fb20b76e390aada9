//===- DeviceMemory.cpp - Allocations of the emulated device --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Emulator/DeviceMemory.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace mlir::obs::emulator;

/// The alignment of allocations, and the least distance between two.
static constexpr size_t kAlignment = 256;

DeviceMemory::~DeviceMemory() {
  for (auto &[base, allocation] : allocations)
    std::free(allocation.storage);
}

llvm::Expected<void *> DeviceMemory::allocate(size_t bytes,
                                              llvm::StringRef location) {
  void *storage = nullptr;
  // A zone on each side that belongs to no array.
  if (bytes < SIZE_MAX / 2)
    storage = std::malloc(bytes + 3 * kAlignment);
  std::unique_ptr<unsigned char[]> written;
  if (storage && tracksWrites) {
    written.reset(new (std::nothrow) unsigned char[bytes]());
    if (!written) {
      std::free(storage);
      storage = nullptr;
    }
  }
  if (!storage)
    return llvm::createStringError(
        "the emulated device is out of memory: cannot allocate " +
        llvm::Twine(bytes) + " bytes");
  uintptr_t base = llvm::alignTo(
      reinterpret_cast<uintptr_t>(storage) + kAlignment, kAlignment);
  auto *address = reinterpret_cast<void *>(base);
  std::memset(address, kPoisonByte, bytes);
  allocations.emplace(
      base, Allocation{bytes, storage, std::move(written), location.str()});
  inUse += bytes;
  return address;
}

llvm::Error DeviceMemory::free(void *address) {
  if (!address)
    return llvm::Error::success();
  auto it = allocations.find(reinterpret_cast<uintptr_t>(address));
  if (it == allocations.end())
    return llvm::createStringError(
        "free of an address that is not a live allocation of the "
        "emulated device");
  inUse -= it->second.bytes;
  std::free(it->second.storage);
  allocations.erase(it);
  return llvm::Error::success();
}

DeviceMemory::Range DeviceMemory::find(const void *address) const {
  auto value = reinterpret_cast<uintptr_t>(address);
  auto it = allocations.upper_bound(value);
  if (it == allocations.begin())
    return {};
  --it;
  const Allocation &allocation = it->second;
  if (value - it->first >= allocation.bytes)
    return {};
  return {reinterpret_cast<char *>(it->first), allocation.bytes,
          allocation.written.get(), allocation.location};
}

void DeviceMemory::markWritten(const void *address, size_t bytes) {
  Range range = find(address);
  if (range.written)
    std::memset(range.written +
                    (static_cast<const char *>(address) - range.base),
                1, bytes);
}

void DeviceMemory::markCopied(const void *address, const void *source,
                              size_t bytes) {
  Range range = find(address), from = find(source);
  if (!range.written)
    return;
  if (!from.written)
    return markWritten(address, bytes);
  std::memmove(
      range.written + (static_cast<const char *>(address) - range.base),
      from.written + (static_cast<const char *>(source) - from.base), bytes);
}

llvm::Error DeviceMemory::check(const void *address, size_t bytes,
                                llvm::StringRef what) const {
  if (bytes == 0)
    return llvm::Error::success();
  Range range = find(address);
  if (range.base) {
    size_t offset = static_cast<const char *>(address) - range.base;
    if (range.bytes - offset >= bytes)
      return llvm::Error::success();
  }
  return llvm::createStringError(
      what + " of " + llvm::Twine(bytes) +
      " bytes is outside of device memory: its first byte is " +
      describe(address));
}

llvm::Error DeviceMemory::checkWritten(const void *address, size_t bytes,
                                       llvm::StringRef what) const {
  Range range = find(address);
  if (!range.written)
    return llvm::Error::success();
  size_t offset = static_cast<const char *>(address) - range.base;
  llvm::ArrayRef<unsigned char> written(range.written + offset, bytes);
  size_t first = llvm::find(written, 0) - written.begin();
  if (first == bytes)
    return llvm::Error::success();
  std::string place =
      range.location.empty() ? "" : (range.location + ": ").str();
  return llvm::createStringError(place + "uninit: " + what + " of " +
                                 llvm::Twine(bytes) +
                                 " bytes, but nothing has written byte " +
                                 llvm::Twine(first) + " of them");
}

std::string DeviceMemory::describe(const void *address) const {
  if (!address)
    return "at the null address";
  if (allocations.empty())
    return "at an address on a device without allocations";
  auto value = reinterpret_cast<uintptr_t>(address);
  auto after = allocations.upper_bound(value);
  auto before =
      after == allocations.begin() ? allocations.end() : std::prev(after);
  if (before != allocations.end()) {
    uint64_t offset = value - before->first;
    uint64_t bytes = before->second.bytes;
    if (offset < bytes)
      return ("at byte " + llvm::Twine(offset) + " of an allocation of " +
              llvm::Twine(bytes) + " bytes")
          .str();
    if (after == allocations.end() || offset - bytes <= after->first - value)
      return (llvm::Twine(offset - bytes) +
              " bytes past the end of an allocation of " + llvm::Twine(bytes) +
              " bytes")
          .str();
  }
  return (llvm::Twine(uint64_t(after->first - value)) +
          " bytes before an allocation of " +
          llvm::Twine(uint64_t(after->second.bytes)) + " bytes")
      .str();
}
