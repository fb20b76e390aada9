//===- CudaMemory.cpp - Memory of an NVIDIA GPU ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/CudaDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir::obs::runtime;
using llvm::Twine;

Expected<DevicePtr> CudaDevice::doAllocate(uint64_t bytes) {
  if (allocator)
    return allocator->allocate(bytes);
  if (auto spare = spares.find(bytes);
      spare != spares.end() && !spare->second.empty())
    return spare->second.pop_back_val();
  cuda::DevicePointer pointer = 0;
  cuda::Result result = enter().memAlloc(&pointer, bytes);
  if (result == cuda::ErrorOutOfMemory && releaseSpares())
    result = enter().memAlloc(&pointer, bytes);
  if (result == cuda::ErrorOutOfMemory) {
    size_t available = 0, total = 0;
    std::string state;
    if (enter().memGetInfo(&available, &total) == cuda::Success)
      state = ", of which " + std::to_string(available) + " of " +
              std::to_string(total) + " bytes are free";
    return createStringError("out of device memory: " + Twine(bytes) +
                             " bytes were asked of " + name + state);
  }
  if (Error error =
          check(result, "allocating " + Twine(bytes) + " bytes on " + name))
    return std::move(error);
  sizes[pointer] = bytes;
  return pointer;
}

Expected<DevicePtr> CudaDevice::doAllocateTemporary(uint64_t bytes) {
  uint64_t offset = llvm::alignTo(arena.used, arenaAlignment);
  if (!allocator || bytes > arenaBytes || offset > arenaBytes - bytes)
    return doAllocate(bytes);
  if (!arena.begin) {
    if (DevicePtr zeros = takeZeros()) {
      arena.begin = zeros;
      arena.zeros = 0;
      arena.isPooled = true;
    } else {
      Expected<DevicePtr> begin = doAllocate(arenaBytes);
      if (!begin)
        return begin;
      arena.begin = *begin;
    }
  }
  arena.used = offset + bytes;
  ++arena.live;
  return arena.begin + offset;
}

DevicePtr CudaDevice::takeZeros() {
  int isCapturing = 1;
  unsigned long long id;
  if (isRecording || !driver.streamGetId || !driver.streamIsCapturing ||
      enter().streamIsCapturing(stream, &isCapturing) != cuda::Success ||
      isCapturing || driver.streamGetId(stream, &id) != cuda::Success)
    return 0;
  auto pool =
      llvm::find_if(zeroPools, [&](auto &p) { return p.streamId == id; });
  if (pool == zeroPools.end()) {
    cuda::DevicePointer begin;
    if (zeroPools.size() == maxZeroPools ||
        driver.memAlloc(&begin, ZeroPool::bytes) != cuda::Success)
      return 0;
    zeroPools.emplace_back();
    pool = &zeroPools.back();
    pool->streamId = id;
    pool->begin = begin;
  }
  if (pool->used == ZeroPool::bytes) {
    if (driver.memsetD8Async(pool->begin, 0, ZeroPool::bytes, stream) !=
        cuda::Success)
      return 0;
    pool->used = 0;
  }
  pool->used += arenaBytes;
  return pool->begin + pool->used - arenaBytes;
}

Expected<DevicePtr> CudaDevice::doAllocateNumber(uint64_t bytes) {
  // The host reads no recorded number, and each execution would write it.
  if (isRecording || bytes > slotBytes || !driver.memHostAlloc ||
      !driver.memFreeHost)
    return doAllocate(bytes);
  if (!slots) {
    if (enter().memHostAlloc(&slots, numSlots * slotBytes,
                             cuda::MemHostPortable | cuda::MemHostDeviceMap) !=
        cuda::Success) {
      slots = nullptr;
      return doAllocate(bytes);
    }
    for (uint64_t number = 0; number < numSlots; ++number)
      freeSlots.push_back(reinterpret_cast<DevicePtr>(slots) +
                          number * slotBytes);
  }
  return freeSlots.empty() ? doAllocate(bytes) : freeSlots.pop_back_val();
}

Error CudaDevice::doFree(DevicePtr pointer) {
  if (isInSlots(pointer)) {
    (running.empty() ? freeSlots : usedSlots).push_back(pointer);
    return Error::success();
  }
  if (isInArena(pointer)) {
    if (--arena.live > 0)
      return Error::success();
    pointer = arena.begin;
    bool isPooled = arena.isPooled;
    arena = Arena();
    if (isPooled)
      return Error::success();
  }
  if (allocator) {
    allocator->free(pointer);
    return Error::success();
  }
  // The work that still uses it was enqueued before the work that will use it
  // next.
  spares[sizes.lookup(pointer)].push_back(pointer);
  return Error::success();
}

bool CudaDevice::releaseSpares() {
  bool any = false;
  for (auto &[bytes, pointers] : spares)
    for (DevicePtr pointer : pointers) {
      enter().memFree(pointer);
      sizes.erase(pointer);
      any = true;
    }
  spares.clear();
  return any;
}

Error CudaDevice::copyToDevice(DevicePtr target, const void *source,
                               uint64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = checkNotRecording("writes to the GPU"))
    return error;
  touch();
  if (Error error =
          check(enter().memcpyHtoDAsync(target, source, bytes, stream),
                "copying " + Twine(bytes) + " bytes to the GPU"))
    return error;
  // The caller may change `source` as soon as this returns.
  return synchronize();
}

Error CudaDevice::copyToHost(void *target, DevicePtr source, uint64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = checkNotRecording("reads from the GPU"))
    return error;
  if (isInSlots(source)) {
    if (Error error = synchronize())
      return error;
    std::memcpy(target, reinterpret_cast<const void *>(source), bytes);
    return Error::success();
  }
  if (Error error =
          check(enter().memcpyDtoHAsync(target, source, bytes, stream),
                "copying " + Twine(bytes) + " bytes from the GPU"))
    return error;
  return synchronize();
}

Error CudaDevice::copyOnDevice(DevicePtr target, DevicePtr source,
                               uint64_t bytes) {
  if (bytes == 0)
    return Error::success();
  touch();
  return check(enter().memcpyDtoDAsync(target, source, bytes, stream),
               "copying " + Twine(bytes) + " bytes on the GPU");
}

Error CudaDevice::fill(DevicePtr target, uint64_t pattern,
                       unsigned elementBytes, uint64_t count) {
  if (count == 0)
    return Error::success();
  auto checkFill = [&](cuda::Result result) {
    return check(result, "filling " + Twine(count) + " elements of " +
                             Twine(elementBytes) + " bytes on the GPU");
  };
  if (isInArena(target) && pattern == 0) {
    uint64_t begin = target - arena.begin;
    uint64_t end = begin + count * elementBytes;
    if (begin >= arena.touched && begin >= arena.zeros)
      return Error::success();
    if (end == arena.used) {
      arena.zeros = begin;
      end = arenaBytes;
    }
    count = end - begin;
    elementBytes = 1;
  }
  touch();
  // The widest fill of the driver is 32 bits.
  if (elementBytes == 8 && (pattern >> 32) == (pattern & 0xffffffff)) {
    elementBytes = 4;
    count *= 2;
  }
  switch (elementBytes) {
  case 1:
    return checkFill(enter().memsetD8Async(target, pattern, count, stream));
  case 2:
    return checkFill(enter().memsetD16Async(target, pattern, count, stream));
  case 4:
    return checkFill(enter().memsetD32Async(target, pattern, count, stream));
  default:
    break;
  }
  // First the low halves and the high halves of a few elements, since this is
  // slow. Then the elements are doubled until there are enough.
  uint64_t done = std::min<uint64_t>(count, 1024);
  for (int half = 0; half < 2; ++half)
    if (Error error = checkFill(enter().memsetD2D32Async(
            target + 4 * half, 8, pattern >> 32 * half, 1, done, stream)))
      return error;
  for (; done < count; done *= 2)
    if (Error error =
            copyOnDevice(target + done * sizeof(pattern), target,
                         std::min(done, count - done) * sizeof(pattern)))
      return error;
  return Error::success();
}
