//===- TestDevice.h - A device whose kernels are C++ functions --*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_UNITTESTS_RUNTIME_TESTDEVICE_H
#define OBSIDIAN_UNITTESTS_RUNTIME_TESTDEVICE_H

#include "Obsidian/Runtime/Device.h"
#include <cstring>
#include <functional>
#include <map>
#include <vector>

namespace mlir::obs::runtime {

/// Memory is of the host. `kernels` has the kernels by name.
class TestDevice : public Device {
public:
  using Kernel =
      std::function<llvm::Error(const LaunchShape &, ArrayRef<void *>)>;
  std::map<std::string, Kernel> kernels;
  /// Allocations fail that would make more than this.
  uint64_t capacity = UINT64_MAX;
  int numCopiesToHost = 0, numNumbers = 0, numTemporaries = 0;

  std::string getName() const override { return "test"; }
  llvm::Error copyToDevice(DevicePtr target, const void *source,
                           uint64_t bytes) override {
    std::memcpy(reinterpret_cast<void *>(target), source, bytes);
    return llvm::Error::success();
  }
  llvm::Error copyToHost(void *target, DevicePtr source,
                         uint64_t bytes) override {
    ++numCopiesToHost;
    std::memcpy(target, reinterpret_cast<void *>(source), bytes);
    return llvm::Error::success();
  }
  llvm::Error copyOnDevice(DevicePtr target, DevicePtr source,
                           uint64_t bytes) override {
    std::memmove(reinterpret_cast<void *>(target),
                 reinterpret_cast<void *>(source), bytes);
    return llvm::Error::success();
  }
  llvm::Error fill(DevicePtr target, uint64_t pattern, unsigned elementBytes,
                   uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(reinterpret_cast<char *>(target) + i * elementBytes, &pattern,
                  elementBytes);
    return llvm::Error::success();
  }
  llvm::Error loadModule(Operation *) override {
    return llvm::Error::success();
  }
  llvm::Expected<KernelHandle> getKernel(StringRef, StringRef name) override {
    if (!kernels.count(name.str()))
      return llvm::createStringError("no kernel '" + name + "'");
    handles.push_back(name.str());
    return handles.size() - 1;
  }
  llvm::Error launch(KernelHandle kernel, const LaunchShape &shape,
                     ArrayRef<void *> parameters) override {
    return kernels[handles[kernel]](shape, parameters);
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Error startTimer() override { return llvm::Error::success(); }
  llvm::Expected<double> stopTimer() override { return 2.5; }

protected:
  llvm::Expected<DevicePtr> doAllocate(uint64_t bytes) override {
    if (getLiveBytes() + bytes > capacity)
      return llvm::createStringError("out of memory");
    return reinterpret_cast<DevicePtr>(std::malloc(bytes));
  }
  llvm::Expected<DevicePtr> doAllocateTemporary(uint64_t bytes) override {
    ++numTemporaries;
    return doAllocate(bytes);
  }
  llvm::Expected<DevicePtr> doAllocateNumber(uint64_t bytes) override {
    ++numNumbers;
    return doAllocate(bytes);
  }
  llvm::Error doFree(DevicePtr pointer) override {
    std::free(reinterpret_cast<void *>(pointer));
    return llvm::Error::success();
  }

private:
  std::vector<std::string> handles;
};

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_UNITTESTS_RUNTIME_TESTDEVICE_H
