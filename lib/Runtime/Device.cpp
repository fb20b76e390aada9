//===- Device.cpp - Devices: kernels and their memory ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/Device.h"

using namespace mlir::obs::runtime;

Device::~Device() = default;

Expected<DevicePtr> Device::allocate(uint64_t bytes, MemoryUse use) {
  uint64_t least = std::max<uint64_t>(bytes, 1);
  Expected<DevicePtr> pointer =
      use == MemoryUse::Temporary ? doAllocateTemporary(least)
      : use == MemoryUse::Number  ? doAllocateNumber(least)
                                  : doAllocate(least);
  if (!pointer)
    return pointer;
  live[*pointer] = bytes;
  liveBytes += bytes;
  peakBytes = std::max(peakBytes, liveBytes);
  return pointer;
}

Error Device::free(DevicePtr pointer) {
  auto found = live.find(pointer);
  if (found == live.end())
    return llvm::createStringError(
        "device memory is freed that is not allocated");
  liveBytes -= found->second;
  live.erase(found);
  return doFree(pointer);
}

void Device::release(DevicePtr pointer) {
  auto found = live.find(pointer);
  liveBytes -= found->second;
  live.erase(found);
}

static Error noRecording(const Device &device) {
  return llvm::createStringError("work cannot be recorded on the " +
                                 device.getName() + "; it needs a GPU");
}
Error Device::beginRecording() { return noRecording(*this); }
Expected<WorkHandle> Device::endRecording() { return noRecording(*this); }
Error Device::replay(WorkHandle work) { return noRecording(*this); }
