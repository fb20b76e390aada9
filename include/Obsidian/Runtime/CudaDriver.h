//===- CudaDriver.h - The CUDA driver, opened at run time -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the CUDA driver API that this project calls, as a table of
// typed function pointers, which are looked up in `libcuda.so.1`. Nothing is
// linked against CUDA, and no CUDA header is needed: the types and numbers
// below are the ABI of the driver, which does not change. This header and its
// source use neither LLVM nor MLIR, so the runtime library of generated host
// code is small.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_CUDADRIVER_H
#define OBSIDIAN_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace mlir::obs::runtime::cuda {

using Result = int;
using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphNode = struct GraphNodeHandle *;
using GraphExec = struct GraphExecHandle *;

/// Results for which this project has a separate text. Success is 0.
enum : Result {
  Success = 0,
  ErrorInvalidValue = 1,
  ErrorOutOfMemory = 2,
  ErrorNoDevice = 100,
  ErrorInvalidDevice = 101,
  ErrorNoBinaryForGpu = 209,
  ErrorInvalidPtx = 218,
  ErrorUnsupportedPtxVersion = 222,
  ErrorNotFound = 500,
  ErrorIllegalAddress = 700,
  ErrorLaunchOutOfResources = 701,
};

/// Numbers of `CUdevice_attribute`.
enum : int {
  DeviceMaxThreadsPerBlock = 1,
  DeviceMaxGridDimX = 5,
  DeviceMultiprocessorCount = 16,
  DeviceComputeCapabilityMajor = 75,
  DeviceComputeCapabilityMinor = 76,
  DeviceMaxSharedMemoryPerBlockOptin = 97,
};

/// Numbers of `CUfunction_attribute`.
enum : int {
  FunctionMaxThreadsPerBlock = 0,
  FunctionSharedSizeBytes = 1,
  FunctionNumRegs = 4,
  FunctionMaxDynamicSharedSizeBytes = 8,
};

/// Numbers of `CUjit_option`.
enum : int {
  JitErrorLogBuffer = 5,
  JitErrorLogBufferSizeBytes = 6,
  JitOptimizationLevel = 7,
  JitGenerateLineInfo = 12,
};

enum : unsigned {
  StreamNonBlocking = 1,
  StreamCaptureRelaxed = 2,
  EventDefault = 0,
  EventDisableTiming = 2,
  MemAttachGlobal = 1,
  MemHostPortable = 1,
  MemHostDeviceMap = 2,
};

/// A number of `CUpointer_attribute`.
enum : int { PointerDeviceOrdinal = 9 };

/// The stream of every context that waits for the other ones,
/// `CU_STREAM_LEGACY`.
inline Stream getLegacyStream() { return reinterpret_cast<Stream>(1); }

/// `CUlaunchAttribute` and `CUlaunchConfig`.
struct LaunchAttribute {
  static constexpr int clusterDimension = 4;
  static constexpr int programmaticStreamSerialization = 6;
  int id;
  char padding[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int isAllowed;
  } value;
};
struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// The name of the member, the symbol in the library, and the types of the
/// parameters. `cuda.h` defines names without `_v2` as macros for these
/// symbols.
#define OBS_CUDA_DRIVER_FUNCTIONS(X)                                           \
  X(init, "cuInit", (unsigned))                                                \
  X(driverGetVersion, "cuDriverGetVersion", (int *))                           \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                   \
  X(getErrorString, "cuGetErrorString", (Result, const char **))               \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                               \
  X(deviceGet, "cuDeviceGet", (Device *, int))                                 \
  X(deviceGetName, "cuDeviceGetName", (char *, int, Device))                   \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, Device))          \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context *, Device))         \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (Device))               \
  X(ctxSetCurrent, "cuCtxSetCurrent", (Context))                               \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (Module *, const void *, unsigned, int *, void **))                        \
  X(moduleUnload, "cuModuleUnload", (Module))                                  \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (Function *, Module, const char *))                                        \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *, int, Function))            \
  X(funcSetAttribute, "cuFuncSetAttribute", (Function, int, int))              \
  X(launchKernel, "cuLaunchKernel",                                            \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
     unsigned, Stream, void **, void **))                                      \
  X(memAlloc, "cuMemAlloc_v2", (DevicePointer *, size_t))                      \
  X(memAllocManaged, "cuMemAllocManaged", (DevicePointer *, size_t, unsigned)) \
  X(memFree, "cuMemFree_v2", (DevicePointer))                                  \
  X(memGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                       \
  X(pointerGetAttribute, "cuPointerGetAttribute",                              \
    (void *, int, DevicePointer))                                              \
  X(memcpyAsync, "cuMemcpyAsync",                                              \
    (DevicePointer, DevicePointer, size_t, Stream))                            \
  X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                   \
    (DevicePointer, const void *, size_t, Stream))                             \
  X(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                   \
    (void *, DevicePointer, size_t, Stream))                                   \
  X(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                   \
    (DevicePointer, DevicePointer, size_t, Stream))                            \
  X(memsetD8Async, "cuMemsetD8Async",                                          \
    (DevicePointer, unsigned char, size_t, Stream))                            \
  X(memsetD16Async, "cuMemsetD16Async",                                        \
    (DevicePointer, unsigned short, size_t, Stream))                           \
  X(memsetD32Async, "cuMemsetD32Async",                                        \
    (DevicePointer, unsigned, size_t, Stream))                                 \
  X(memsetD2D32Async, "cuMemsetD2D32Async",                                    \
    (DevicePointer, size_t, unsigned, size_t, size_t, Stream))                 \
  X(streamBeginCapture, "cuStreamBeginCapture_v2", (Stream, int))              \
  X(streamEndCapture, "cuStreamEndCapture", (Stream, Graph *))                 \
  X(graphInstantiate, "cuGraphInstantiateWithFlags",                           \
    (GraphExec *, Graph, unsigned long long))                                  \
  X(graphGetNodes, "cuGraphGetNodes", (Graph, GraphNode *, size_t *))          \
  X(graphLaunch, "cuGraphLaunch", (GraphExec, Stream))                         \
  X(graphExecDestroy, "cuGraphExecDestroy", (GraphExec))                       \
  X(graphDestroy, "cuGraphDestroy", (Graph))                                   \
  X(streamCreate, "cuStreamCreate", (Stream *, unsigned))                      \
  X(streamDestroy, "cuStreamDestroy_v2", (Stream))                             \
  X(streamSynchronize, "cuStreamSynchronize", (Stream))                        \
  X(streamWaitEvent, "cuStreamWaitEvent", (Stream, Event, unsigned))           \
  X(eventCreate, "cuEventCreate", (Event *, unsigned))                         \
  X(eventDestroy, "cuEventDestroy_v2", (Event))                                \
  X(eventRecord, "cuEventRecord", (Event, Stream))                             \
  X(eventSynchronize, "cuEventSynchronize", (Event))                           \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, Event, Event))

/// The functions. All return `CUresult`.
struct Driver {
#define OBS_CUDA_DECLARE(MEMBER, SYMBOL, PARAMETERS)                           \
  Result(*MEMBER) PARAMETERS = nullptr;
  OBS_CUDA_DRIVER_FUNCTIONS(OBS_CUDA_DECLARE)
#undef OBS_CUDA_DECLARE

  /// `cuLaunchKernelEx`, or null with a driver older than CUDA 11.8.
  Result (*launchKernelEx)(const LaunchConfig *, Function, void **,
                           void **) = nullptr;
  /// `cuStreamGetId` and `cuStreamIsCapturing`, or null.
  Result (*streamGetId)(Stream, unsigned long long *) = nullptr;
  Result (*streamIsCapturing)(Stream, int *) = nullptr;
  /// `cuMemHostAlloc` and `cuMemFreeHost`, or null.
  Result (*memHostAlloc)(void **, size_t, unsigned) = nullptr;
  Result (*memFreeHost)(void *) = nullptr;

  /// The driver, which the first call opens and initialises. If there is none,
  /// sets `error` and returns null. The environment variable `OBS_CUDA_DRIVER`
  /// names another library than `libcuda.so.1`.
  static const Driver *get(std::string &error);

  /// `name (text)` of a result, for messages.
  std::string describe(Result result) const;

  /// The CUDA version that the driver supports, as in `12.8`.
  std::string version() const;
};

/// The device that OBS_DEVICE names; 0 if it is not set. If its value is not a
/// number, sets `error` and returns -1.
int getDefaultDeviceIndex(std::string &error);

} // namespace mlir::obs::runtime::cuda

#endif // OBSIDIAN_RUNTIME_CUDADRIVER_H
