//===- CudaDriver.cpp - The CUDA driver, opened at run time ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/CudaDriver.h"
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace mlir::obs::runtime::cuda;

/// Fills `driver`. Returns the reason if this fails, or an empty text.
static std::string open(Driver &driver) {
  const char *name = std::getenv("OBS_CUDA_DRIVER");
  if (!name || !*name)
    name = "libcuda.so.1";
  // The library stays open until the process ends, because threads and exit
  // handlers of the driver still use it.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return std::string("there is no CUDA driver on this machine (") +
           (reason ? reason : name) + ")";
  }
#define OBS_CUDA_LOAD(MEMBER, SYMBOL, PARAMETERS)                              \
  driver.MEMBER =                                                              \
      reinterpret_cast<Result(*) PARAMETERS>(dlsym(library, SYMBOL));          \
  if (!driver.MEMBER)                                                          \
    return std::string("the CUDA driver ") + name +                            \
           " is too old: it has no " + SYMBOL;
  OBS_CUDA_DRIVER_FUNCTIONS(OBS_CUDA_LOAD)
#undef OBS_CUDA_LOAD
  driver.launchKernelEx = reinterpret_cast<decltype(driver.launchKernelEx)>(
      dlsym(library, "cuLaunchKernelEx"));
  driver.streamGetId = reinterpret_cast<decltype(driver.streamGetId)>(
      dlsym(library, "cuStreamGetId"));
  driver.streamIsCapturing =
      reinterpret_cast<decltype(driver.streamIsCapturing)>(
          dlsym(library, "cuStreamIsCapturing"));
  driver.memHostAlloc = reinterpret_cast<decltype(driver.memHostAlloc)>(
      dlsym(library, "cuMemHostAlloc"));
  driver.memFreeHost = reinterpret_cast<decltype(driver.memFreeHost)>(
      dlsym(library, "cuMemFreeHost"));

  Result result = driver.init(0);
  if (result == ErrorNoDevice)
    return "the CUDA driver finds no GPU on this machine";
  if (result != Success)
    return "the CUDA driver does not start: " + driver.describe(result);
  return "";
}

const Driver *Driver::get(std::string &error) {
  static Driver driver;
  static std::string failure;
  static std::once_flag once;
  std::call_once(once, [] { failure = open(driver); });
  if (failure.empty())
    return &driver;
  error = failure;
  return nullptr;
}

std::string Driver::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != Success || !name)
    return "CUDA error " + std::to_string(result);
  if (getErrorString(result, &text) != Success || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

std::string Driver::version() const {
  int version = 0;
  if (driverGetVersion(&version) != Success)
    return "unknown";
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

int mlir::obs::runtime::cuda::getDefaultDeviceIndex(std::string &error) {
  const char *text = std::getenv("OBS_DEVICE");
  if (!text || !*text)
    return 0;
  char *end;
  long index = std::strtol(text, &end, 10);
  if (*end || index < 0 || index > INT_MAX) {
    error = std::string("OBS_DEVICE must be the index of a GPU, not '") + text +
            "'";
    return -1;
  }
  return static_cast<int>(index);
}
