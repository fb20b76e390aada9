//===- FakeCuda.cpp - A CUDA driver for tests -----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the functions of `libcuda.so.1` that we use, for tests
// on machines without a GPU. Device memory is memory of the host; the PTX that
// it loads is any text that contains `.entry NAME`, and the kernels that it can
// run are those of `launch` below. The prototypes are those of the driver's
// documentation, not those of our table.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT FakeCudaState fakeCudaState;
FakeCudaState fakeCudaState;

namespace {
struct FakeModule {
  std::string text;
};
struct FakeFunction {
  std::string name;
};
struct FakeHandle {
  int id;
};
std::map<uint64_t, size_t> &getAllocations() {
  static std::map<uint64_t, size_t> allocations;
  return allocations;
}
FakeCudaState &state() { return fakeCudaState; }
void note(const std::string &call) { state().calls.push_back(call); }

using FakeGraph = std::vector<std::function<int()>>;
/// The captured work, during a capture.
std::optional<FakeGraph> captured;
constexpr int captureUnsupported = 900;
/// Does the work, or notes it.
int enqueue(std::function<int()> work) {
  if (!captured)
    return work();
  captured->push_back(std::move(work));
  return 0;
}

int *current = nullptr;
int contextOfDevice[8];
/// Calls that need a current context fail without one.
bool hasContext() { return current != nullptr; }
constexpr int invalidContext = 201;

/// The kernel scale: data[i] *= by for the threads that the launch has.
int launch(const std::string &name, unsigned blocks, unsigned threads,
           void **params) {
  if (name != "scale")
    return 0;
  auto *data = *static_cast<int32_t **>(params[0]);
  auto count = *static_cast<int64_t *>(params[1]);
  auto by = *static_cast<int32_t *>(params[2]);
  return enqueue([=] {
    for (int64_t i = 0; i < count && i < int64_t(blocks) * threads; ++i)
      data[i] *= by;
    return 0;
  });
}
} // namespace

EXPORT int cuInit(unsigned) {
  return std::getenv("FAKE_CUDA_NO_GPU") ? 100 : 0;
}
EXPORT int cuDriverGetVersion(int *version) {
  *version = state().version;
  return 0;
}
EXPORT int cuGetErrorName(int error, const char **name) {
  static const std::map<int, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto found = names.find(error);
  if (found == names.end())
    return 1;
  *name = found->second;
  return 0;
}
EXPORT int cuGetErrorString(int, const char **text) {
  *text = "the fake says no";
  return 0;
}
EXPORT int cuDeviceGetCount(int *count) {
  *count = state().numDevices;
  return 0;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  if (ordinal < 0 || ordinal >= state().numDevices)
    return 101;
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char *name, int length, int device) {
  std::strncpy(name, device == 0 ? "Fake GPU" : "Second GPU", length);
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 1:
    *value = state().maxThreads;
    return 0;
  case 5:
    *value = 0x7fffffff;
    return 0;
  case 6:
  case 7:
    *value = 65535;
    return 0;
  case 75:
    *value = state().major;
    return 0;
  case 76:
    *value = state().minor;
    return 0;
  case 97:
    *value = state().maxSharedBytes;
    return 0;
  }
  return 1;
}
EXPORT int cuDevicePrimaryCtxRetain(int **context, int device) {
  ++state().contexts;
  *context = &contextOfDevice[device];
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  --state().contexts;
  return 0;
}
EXPORT int cuCtxSetCurrent(int *context) {
  current = context;
  return 0;
}
EXPORT int cuModuleLoadDataEx(FakeModule **module, const void *image,
                              unsigned numOptions, int *options,
                              void **values) {
  if (!hasContext())
    return invalidContext;
  if (state().loadResult) {
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), state().loadLog.c_str());
    return state().loadResult;
  }
  ++state().modules;
  *module = new FakeModule{static_cast<const char *>(image)};
  return 0;
}
EXPORT int cuModuleUnload(FakeModule *module) {
  --state().modules;
  delete module;
  return 0;
}
EXPORT int cuModuleGetFunction(FakeFunction **function, FakeModule *module,
                               const char *name) {
  if (module->text.find(".entry " + std::string(name) + "(") ==
      std::string::npos)
    return 500;
  static std::map<std::string, FakeFunction> functions;
  *function = &(functions[name] = FakeFunction{name});
  return 0;
}
EXPORT int cuFuncGetAttribute(int *value, int attribute, FakeFunction *) {
  *value = attribute == 0   ? state().maxThreadsOfFunction
           : attribute == 1 ? state().staticSharedBytes
           : attribute == 4 ? 99
                            : 0;
  return 0;
}
EXPORT int cuFuncSetAttribute(FakeFunction *function, int attribute,
                              int value) {
  note("set " + function->name + " " + std::to_string(attribute) + " " +
       std::to_string(value));
  return 0;
}
EXPORT int cuLaunchKernel(FakeFunction *function, unsigned gridX,
                          unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned shared,
                          FakeHandle *stream, void **params, void **extra) {
  if (!hasContext())
    return invalidContext;
  if (!stream || extra)
    return 1;
  note("launch " + function->name + " " + std::to_string(gridX) + "," +
       std::to_string(gridY) + "," + std::to_string(gridZ) + " " +
       std::to_string(blockX) + "," + std::to_string(blockY) + "," +
       std::to_string(blockZ) + " " + std::to_string(shared));
  if (int result = state().launchResult)
    return result;
  return launch(function->name, gridX * gridY * gridZ, blockX * blockY * blockZ,
                params);
}
EXPORT int cuStreamGetId(FakeHandle *, unsigned long long *id) {
  *id = state().streamId;
  return 0;
}
EXPORT int cuStreamIsCapturing(FakeHandle *, int *status) {
  *status = state().isCapturing;
  return 0;
}
struct FakeLaunchAttribute {
  int id;
  char padding[4];
  int value[16];
};
struct FakeLaunchConfig {
  unsigned grid[3], block[3], shared;
  FakeHandle *stream;
  FakeLaunchAttribute *attributes;
  unsigned numAttributes;
};
EXPORT int cuLaunchKernelEx(const FakeLaunchConfig *config,
                            FakeFunction *function, void **params,
                            void **extra) {
  // Programmatic stream serialisation.
  if (config->numAttributes != 1 || config->attributes->id != 6 ||
      config->attributes->value[0] != 1)
    return 1;
  note("early");
  return cuLaunchKernel(function, config->grid[0], config->grid[1],
                        config->grid[2], config->block[0], config->block[1],
                        config->block[2], config->shared, config->stream,
                        params, extra);
}
EXPORT int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  if (!hasContext())
    return invalidContext;
  if (bytes == 0)
    return 1;
  if (state().allocated + bytes > state().memory)
    return 2;
  state().allocated += bytes;
  ++state().allocations;
  *pointer = reinterpret_cast<uintptr_t>(std::malloc(bytes));
  getAllocations()[*pointer] = bytes;
  return 0;
}
EXPORT int cuMemAllocManaged(uint64_t *pointer, size_t bytes, unsigned) {
  return cuMemAlloc_v2(pointer, bytes);
}
EXPORT int cuMemFree_v2(uint64_t pointer) {
  auto found = getAllocations().find(pointer);
  if (found == getAllocations().end())
    return 1;
  state().allocated -= found->second;
  --state().allocations;
  getAllocations().erase(found);
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}
EXPORT int cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  if (!hasContext() || flags != 3)
    return invalidContext;
  *pointer = std::calloc(1, bytes);
  ++state().hostAllocations;
  return 0;
}
EXPORT int cuMemFreeHost(void *pointer) {
  std::free(pointer);
  --state().hostAllocations;
  return 0;
}
EXPORT int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = state().memory - state().allocated;
  *total = state().memory;
  return 0;
}
EXPORT int cuPointerGetAttribute(void *value, int attribute, uint64_t) {
  // The number of the device.
  if (attribute != 9)
    return 1;
  *static_cast<int *>(value) = 0;
  return 0;
}
EXPORT int cuMemcpyAsync(uint64_t target, uint64_t source, size_t bytes,
                         FakeHandle *) {
  return enqueue([=] {
    std::memmove(reinterpret_cast<void *>(target),
                 reinterpret_cast<void *>(source), bytes);
    return 0;
  });
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t target, const void *source,
                                size_t bytes, FakeHandle *) {
  if (captured)
    return captureUnsupported;
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return 0;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t bytes,
                                FakeHandle *) {
  if (captured)
    return captureUnsupported;
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return 0;
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes,
                                FakeHandle *stream) {
  return cuMemcpyAsync(target, source, bytes, stream);
}
/// Every `step`th element of type T.
template <typename T>
static int fakeFill(uint64_t target, T value, size_t count, size_t step = 1) {
  ++state().fills;
  return enqueue([=] {
    auto *at = reinterpret_cast<T *>(target);
    for (size_t i = 0; i < count; ++i)
      at[i * step] = value;
    return 0;
  });
}
EXPORT int cuMemsetD8Async(uint64_t target, unsigned char value, size_t count,
                           FakeHandle *) {
  return fakeFill(target, value, count);
}
EXPORT int cuMemsetD16Async(uint64_t target, unsigned short value, size_t count,
                            FakeHandle *) {
  return fakeFill(target, value, count);
}
EXPORT int cuMemsetD32Async(uint64_t target, unsigned value, size_t count,
                            FakeHandle *) {
  return fakeFill(target, value, count);
}
EXPORT int cuMemsetD2D32Async(uint64_t target, size_t pitch, unsigned value,
                              size_t width, size_t height, FakeHandle *) {
  if (width != 1)
    return 1;
  return fakeFill(target, value, height, pitch / sizeof(value));
}
EXPORT int cuStreamBeginCapture_v2(FakeHandle *, int mode) {
  if (captured || mode != 2)
    return 1;
  captured.emplace();
  return 0;
}
EXPORT int cuStreamEndCapture(FakeHandle *, FakeGraph **graph) {
  if (!captured)
    return 1;
  ++state().graphs;
  *graph = new FakeGraph(std::move(*captured));
  captured.reset();
  return 0;
}
EXPORT int cuGraphInstantiateWithFlags(FakeGraph **exec, FakeGraph *graph,
                                       unsigned long long) {
  ++state().graphs;
  *exec = new FakeGraph(*graph);
  return 0;
}
EXPORT int cuGraphGetNodes(FakeGraph *graph, void *, size_t *count) {
  *count = graph->size();
  return 0;
}
EXPORT int cuGraphLaunch(FakeGraph *exec, FakeHandle *) {
  note("graph");
  for (auto &work : *exec)
    if (int result = work())
      return result;
  return 0;
}
EXPORT int cuGraphExecDestroy(FakeGraph *exec) {
  --state().graphs;
  delete exec;
  return 0;
}
EXPORT int cuGraphDestroy(FakeGraph *graph) {
  return cuGraphExecDestroy(graph);
}
EXPORT int cuStreamCreate(FakeHandle **stream, unsigned) {
  if (!hasContext())
    return invalidContext;
  ++state().streams;
  *stream = new FakeHandle{1};
  return 0;
}
EXPORT int cuStreamDestroy_v2(FakeHandle *stream) {
  --state().streams;
  delete stream;
  return 0;
}
EXPORT int cuStreamSynchronize(FakeHandle *) {
  return captured ? captureUnsupported : state().waitResult;
}
EXPORT int cuStreamWaitEvent(FakeHandle *, FakeHandle *, unsigned) { return 0; }
EXPORT int cuEventCreate(FakeHandle **event, unsigned) {
  ++state().events;
  *event = new FakeHandle{2};
  return 0;
}
EXPORT int cuEventDestroy_v2(FakeHandle *event) {
  --state().events;
  delete event;
  return 0;
}
EXPORT int cuEventRecord(FakeHandle *, FakeHandle *) { return 0; }
EXPORT int cuEventSynchronize(FakeHandle *) { return state().waitResult; }
EXPORT int cuEventElapsedTime(float *milliseconds, FakeHandle *, FakeHandle *) {
  *milliseconds = 1.25f;
  return 0;
}
