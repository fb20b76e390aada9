//===- MgpuRuntime.cpp - Entry points that upstream's host code calls -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code that `gpu-to-llvm` lowers calls these functions. They use the CUDA
// driver, which is opened at run time. As in the runtime of upstream, a failed
// call of the driver is reported on standard error, and the program continues.
// Without a driver or a GPU, the program ends.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/CudaDriver.h"
#include <cstdio>
#include <cstdlib>

using namespace mlir::obs::runtime::cuda;

#define OBS_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

[[noreturn]] void fail(const std::string &reason) {
  std::fprintf(stderr, "error: cannot run on a GPU: %s\n", reason.c_str());
  std::exit(EXIT_FAILURE);
}

const Driver &driver() {
  std::string error;
  const Driver *driver = Driver::get(error);
  if (!driver)
    fail(error);
  return *driver;
}

void report(Result result, const char *what) {
  if (result != Success)
    std::fprintf(stderr, "error: %s failed: %s\n", what,
                 driver().describe(result).c_str());
}

#define OBS_REPORT(CALL) report(driver().CALL, #CALL)

/// The GPU that the calling thread uses; -1 until it is known.
thread_local int currentDevice = -1;

Device getDevice() {
  if (currentDevice < 0) {
    std::string error;
    currentDevice = getDefaultDeviceIndex(error);
    if (currentDevice < 0)
      fail(error);
  }
  Device device = 0;
  if (Result result = driver().deviceGet(&device, currentDevice))
    fail("there is no GPU " + std::to_string(currentDevice) + ": " +
         driver().describe(result));
  return device;
}

/// Makes the primary context of the GPU of this thread current. Contexts are
/// kept until the process ends.
void enter() {
  constexpr int maxDevices = 64;
  static thread_local Context contexts[maxDevices] = {};
  Device device = getDevice();
  if (currentDevice >= maxDevices)
    fail("GPUs from number " + std::to_string(maxDevices) +
         " on are not supported");
  Context &context = contexts[currentDevice];
  if (!context)
    if (Result result = driver().primaryCtxRetain(&context, device))
      fail("no context: " + driver().describe(result));
  OBS_REPORT(ctxSetCurrent(context));
}

/// Calls the driver in that context.
#define OBS_CALL(CALL) (enter(), OBS_REPORT(CALL))

Module load(const void *image, int optLevel) {
  enter();
  static thread_local char log[8192];
  log[0] = 0;
  int options[] = {JitErrorLogBuffer, JitErrorLogBufferSizeBytes,
                   JitOptimizationLevel};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1),
                    reinterpret_cast<void *>(static_cast<uintptr_t>(optLevel))};
  Module module = nullptr;
  // A compiled image has no optimisation level.
  Result result = driver().moduleLoadDataEx(
      &module, image, optLevel < 0 ? 2 : 3, options, values);
  report(result, "loading GPU code");
  if (result != Success && log[0])
    std::fprintf(stderr, "%s\n", log);
  return module;
}

void allowSharedMemory(Function function, int bytes) {
  // Kernels may use up to this size without an attribute.
  constexpr int defaultLimit = 48 * 1024;
  if (bytes > defaultLimit)
    OBS_REPORT(
        funcSetAttribute(function, FunctionMaxDynamicSharedSizeBytes, bytes));
}

DevicePointer toPointer(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

} // namespace

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

OBS_EXPORT void *mgpuModuleLoad(void *image, size_t) { return load(image, -1); }

OBS_EXPORT void *mgpuModuleLoadJIT(void *image, int optLevel) {
  return load(image, optLevel < 0 ? 0 : optLevel > 4 ? 4 : optLevel);
}

OBS_EXPORT void mgpuModuleUnload(Module module) {
  OBS_CALL(moduleUnload(module));
}

OBS_EXPORT void *mgpuModuleGetFunction(Module module, const char *name) {
  Function function = nullptr;
  OBS_CALL(moduleGetFunction(&function, module, name));
  return function;
}

OBS_EXPORT void mgpuLaunchKernel(Function function, intptr_t gridX,
                                 intptr_t gridY, intptr_t gridZ,
                                 intptr_t blockX, intptr_t blockY,
                                 intptr_t blockZ, int32_t sharedBytes,
                                 Stream stream, void **parameters, void **extra,
                                 size_t) {
  enter();
  allowSharedMemory(function, sharedBytes);
  OBS_REPORT(launchKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ,
                          sharedBytes, stream, parameters, extra));
}

OBS_EXPORT void
mgpuLaunchClusterKernel(Function function, intptr_t clusterX, intptr_t clusterY,
                        intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                        intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                        intptr_t blockZ, int32_t sharedBytes, Stream stream,
                        void **parameters, void **extra, size_t) {
  enter();
  if (!driver().launchKernelEx) {
    std::fprintf(stderr, "error: the driver (CUDA %s) has no clusters\n",
                 driver().version().c_str());
    return;
  }
  allowSharedMemory(function, sharedBytes);
  LaunchAttribute cluster = {};
  cluster.id = LaunchAttribute::clusterDimension;
  cluster.value.clusterDim[0] = clusterX;
  cluster.value.clusterDim[1] = clusterY;
  cluster.value.clusterDim[2] = clusterZ;
  LaunchConfig config = {};
  config.gridDim[0] = gridX;
  config.gridDim[1] = gridY;
  config.gridDim[2] = gridZ;
  config.blockDim[0] = blockX;
  config.blockDim[1] = blockY;
  config.blockDim[2] = blockZ;
  config.sharedMemBytes = sharedBytes;
  config.stream = stream;
  config.attributes = &cluster;
  config.numAttributes = 1;
  OBS_REPORT(launchKernelEx(&config, function, parameters, extra));
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

OBS_EXPORT void *mgpuStreamCreate() {
  Stream stream = nullptr;
  OBS_CALL(streamCreate(&stream, StreamNonBlocking));
  return stream;
}

OBS_EXPORT void mgpuStreamDestroy(Stream stream) {
  OBS_CALL(streamDestroy(stream));
}

OBS_EXPORT void mgpuStreamSynchronize(Stream stream) {
  OBS_CALL(streamSynchronize(stream));
}

OBS_EXPORT void mgpuStreamWaitEvent(Stream stream, Event event) {
  OBS_CALL(streamWaitEvent(stream, event, 0));
}

OBS_EXPORT void *mgpuEventCreate() {
  Event event = nullptr;
  OBS_CALL(eventCreate(&event, EventDisableTiming));
  return event;
}

OBS_EXPORT void mgpuEventDestroy(Event event) { OBS_CALL(eventDestroy(event)); }

OBS_EXPORT void mgpuEventSynchronize(Event event) {
  OBS_CALL(eventSynchronize(event));
}

OBS_EXPORT void mgpuEventRecord(Event event, Stream stream) {
  OBS_CALL(eventRecord(event, stream));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

OBS_EXPORT void *mgpuMemAlloc(uint64_t bytes, Stream, bool isHostShared) {
  enter();
  if (bytes == 0)
    return nullptr;
  DevicePointer pointer = 0;
  if (isHostShared)
    OBS_REPORT(memAllocManaged(&pointer, bytes, MemAttachGlobal));
  else
    OBS_REPORT(memAlloc(&pointer, bytes));
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

OBS_EXPORT void mgpuMemFree(void *pointer, Stream) {
  OBS_CALL(memFree(toPointer(pointer)));
}

OBS_EXPORT void mgpuMemcpy(void *target, void *source, size_t bytes,
                           Stream stream) {
  OBS_CALL(memcpyAsync(toPointer(target), toPointer(source), bytes, stream));
}

OBS_EXPORT void mgpuMemset32(void *target, unsigned value, size_t count,
                             Stream stream) {
  OBS_CALL(memsetD32Async(toPointer(target), value, count, stream));
}

OBS_EXPORT void mgpuMemset16(void *target, unsigned short value, size_t count,
                             Stream stream) {
  OBS_CALL(memsetD16Async(toPointer(target), value, count, stream));
}

OBS_EXPORT void mgpuSetDefaultDevice(int32_t device) { currentDevice = device; }
