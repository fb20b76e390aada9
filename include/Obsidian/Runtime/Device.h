//===- Device.h - Devices: kernels and their memory -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One interface for the emulator and the CUDA driver, so a host program does
// not depend on the device. Sizes are in bytes. Work is done in the order of
// the calls. Copies to the host and `synchronize` wait for it.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_DEVICE_H
#define OBSIDIAN_RUNTIME_DEVICE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mlir {
class Operation;
namespace obs::runtime {

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

/// An address in memory of a device.
using DevicePtr = uint64_t;

/// A loaded kernel; valid as long as its device.
using KernelHandle = unsigned;

/// The extents of a grid, in blocks, or of a block, in threads.
struct Dim3 {
  uint64_t x = 1, y = 1, z = 1;
};

/// Work that was recorded; valid as long as its device.
using WorkHandle = unsigned;

/// The shape of one launch: blocks, threads of a block, and bytes of dynamic
/// shared memory of a block.
struct LaunchShape {
  Dim3 grid, block;
  uint64_t sharedBytes = 0;
  /// True if the kernel itself waits for the kernels that were launched before
  /// it.
  bool waits = false;
};

/// The users of a piece of memory of a device.
enum class MemoryUse {
  /// Perhaps the caller of a program, who gets the memory.
  Any,
  /// Only the program that allocates it.
  Temporary,
  /// The host, after kernels have written it. They do not read it.
  Number
};

/// Counters of one launch, summed over all its threads. Only the emulator has
/// them.
struct LaunchCounters {
  /// Executed barriers of blocks, summed over blocks.
  uint64_t blockBarriers = 0;
  /// Executed barriers of warps, summed over warps.
  uint64_t warpBarriers = 0;
  uint64_t globalBytesLoaded = 0;
  uint64_t globalBytesStored = 0;
  /// Atomic operations, on shared and on global memory.
  uint64_t atomics = 0;
};

/// A machine that runs kernels. It is not thread-safe.
class Device {
public:
  virtual ~Device();

  /// The name of the device in messages: `emulator`, `NVIDIA H200`.
  virtual std::string getName() const = 0;

  /// New memory of `bytes` bytes, aligned to 256 bytes, with undefined
  /// contents. `bytes` may be 0; the pointer is then also unique.
  Expected<DevicePtr> allocate(uint64_t bytes, MemoryUse use = MemoryUse::Any);
  /// Sets the location in the source, `file:line:col`, of the next allocations,
  /// for messages about their memory.
  void setAllocationLocation(StringRef location) {
    allocationLocation.assign(location.begin(), location.end());
  }
  /// Frees memory that `allocate` returned.
  Error free(DevicePtr pointer);
  /// Leaves memory that `allocate` returned to the caller, who frees it.
  void release(DevicePtr pointer);

  virtual Error copyToDevice(DevicePtr target, const void *source,
                             uint64_t bytes) = 0;
  virtual Error copyToHost(void *target, DevicePtr source, uint64_t bytes) = 0;
  virtual Error copyOnDevice(DevicePtr target, DevicePtr source,
                             uint64_t bytes) = 0;
  /// Stores `count` elements of `elementBytes` (1, 2, 4 or 8) bytes, each with
  /// the low bits of `pattern`.
  virtual Error fill(DevicePtr target, uint64_t pattern, unsigned elementBytes,
                     uint64_t count) = 0;

  /// The GPU for which loadModule compiles, such as `sm_90`; empty if it does
  /// not compile for a GPU.
  virtual std::string getChip() const { return ""; }

  /// Loads the kernels of a `gpu.module`. They replace those of an earlier
  /// module of the same name.
  virtual Error loadModule(Operation *gpuModule) = 0;

  /// The kernel `name` of the loaded module `module`.
  virtual Expected<KernelHandle> getKernel(StringRef module,
                                           StringRef name) = 0;

  /// Starts a kernel. `parameters` points to the value of each parameter, in
  /// order, in the memory layout of its type (pointers and `index` have 8
  /// bytes). A launch without blocks has no effect. A failure in the kernel may
  /// be reported by this call or by a later call that waits.
  virtual Error launch(KernelHandle kernel, const LaunchShape &shape,
                       ArrayRef<void *> parameters) = 0;

  /// Waits for all work.
  virtual Error synchronize() = 0;

  /// The time on the device, in milliseconds, of the work that was started
  /// between the two calls. stopTimer waits for this work.
  virtual Error startTimer() = 0;
  virtual Expected<double> stopTimer() = 0;

  /// After beginRecording, launches, fills and copies on the device are
  /// recorded and not executed. Reading from the device and waiting for it are
  /// errors. endRecording returns all of them as one piece of work, even after
  /// an error in between. Memory that was freed in between belongs to this
  /// work. Both functions fail unless the device is a GPU.
  virtual Error beginRecording();
  virtual Expected<WorkHandle> endRecording();
  /// Executes the recorded work, with the same memory.
  virtual Error replay(WorkHandle work);
  /// The number of launches, fills and copies in the recorded work.
  virtual uint64_t getNumSteps(WorkHandle work) const { return 0; }

  /// The counters of the last launch, if the device has counters.
  virtual std::optional<LaunchCounters> getLastLaunchCounters() const {
    return std::nullopt;
  }

  /// The number of allocations that are not freed, their bytes, and the maximum
  /// of these bytes so far.
  uint64_t getNumLiveAllocations() const { return live.size(); }
  uint64_t getLiveBytes() const { return liveBytes; }
  uint64_t getPeakBytes() const { return peakBytes; }

protected:
  /// `bytes` is never 0.
  virtual Expected<DevicePtr> doAllocate(uint64_t bytes) = 0;
  /// The same for other uses than `Any`.
  virtual Expected<DevicePtr> doAllocateTemporary(uint64_t bytes) {
    return doAllocate(bytes);
  }
  virtual Expected<DevicePtr> doAllocateNumber(uint64_t bytes) {
    return doAllocate(bytes);
  }
  virtual Error doFree(DevicePtr pointer) = 0;
  StringRef getAllocationLocation() const { return allocationLocation; }

private:
  llvm::DenseMap<DevicePtr, uint64_t> live;
  uint64_t liveBytes = 0;
  uint64_t peakBytes = 0;
  std::string allocationLocation;
};

} // namespace obs::runtime
} // namespace mlir

#endif // OBSIDIAN_RUNTIME_DEVICE_H
