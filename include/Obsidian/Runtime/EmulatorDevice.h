//===- EmulatorDevice.h - Kernels on the emulator ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_RUNTIME_EMULATORDEVICE_H
#define OBSIDIAN_RUNTIME_EMULATORDEVICE_H

#include "Obsidian/Emulator/Checker.h"
#include "Obsidian/Emulator/Machine.h"
#include "Obsidian/Runtime/Device.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <memory>
#include <vector>

namespace mlir::obs::runtime {

/// The emulator as a device: one memory, and one machine for each module. Work
/// is complete when the call returns. Times are wall-clock times.
class EmulatorDevice : public Device {
public:
  explicit EmulatorDevice(emulator::MachineOptions options = {});
  ~EmulatorDevice() override;

  std::string getName() const override { return "emulator"; }

  /// `observer`, which is not owned, observes the launches of all modules that
  /// are loaded later.
  void addObserver(emulator::AccessObserver *observer);

  /// Checks the launches of all modules that are loaded later, and the memory
  /// that is allocated later.
  void enableChecks(emulator::CheckOptions checks);

  /// The seed of later launches in random order.
  void setSeed(uint64_t seed);

  Error copyToDevice(DevicePtr target, const void *source,
                     uint64_t bytes) override;
  Error copyToHost(void *target, DevicePtr source, uint64_t bytes) override;
  Error copyOnDevice(DevicePtr target, DevicePtr source,
                     uint64_t bytes) override;
  Error fill(DevicePtr target, uint64_t pattern, unsigned elementBytes,
             uint64_t count) override;
  Error loadModule(Operation *gpuModule) override;
  Expected<KernelHandle> getKernel(StringRef module, StringRef name) override;
  Error launch(KernelHandle kernel, const LaunchShape &shape,
               ArrayRef<void *> parameters) override;
  Error synchronize() override;
  Error startTimer() override;
  Expected<double> stopTimer() override;
  std::optional<LaunchCounters> getLastLaunchCounters() const override {
    return lastCounters;
  }

protected:
  Expected<DevicePtr> doAllocate(uint64_t bytes) override;
  Error doFree(DevicePtr pointer) override;

private:
  struct Kernel {
    emulator::Machine *machine;
    std::string name;
  };

  emulator::MachineOptions options;
  std::shared_ptr<emulator::DeviceMemory> memory;
  llvm::StringMap<std::unique_ptr<emulator::Machine>> machines;
  SmallVector<emulator::AccessObserver *> observers;
  std::unique_ptr<emulator::Checker> checker;
  std::vector<Kernel> kernels;
  std::optional<LaunchCounters> lastCounters;
  std::chrono::steady_clock::time_point timerStart;
};

} // namespace mlir::obs::runtime

#endif // OBSIDIAN_RUNTIME_EMULATORDEVICE_H
