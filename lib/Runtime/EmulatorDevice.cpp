//===- EmulatorDevice.cpp - Kernels on the emulator -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/EmulatorDevice.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::runtime;

static char *toAddress(DevicePtr pointer) {
  return reinterpret_cast<char *>(static_cast<uintptr_t>(pointer));
}

EmulatorDevice::EmulatorDevice(emulator::MachineOptions options)
    : options(std::move(options)),
      memory(std::make_shared<emulator::DeviceMemory>()) {}

EmulatorDevice::~EmulatorDevice() = default;

void EmulatorDevice::addObserver(emulator::AccessObserver *observer) {
  observers.push_back(observer);
}

void EmulatorDevice::enableChecks(emulator::CheckOptions checks) {
  checker = std::make_unique<emulator::Checker>(checks, memory);
  options.watchPrivate = checks.uninit;
  addObserver(checker.get());
}

void EmulatorDevice::setSeed(uint64_t seed) {
  options.seed = seed;
  for (auto &entry : machines)
    entry.second->options().seed = seed;
}

Expected<DevicePtr> EmulatorDevice::doAllocate(uint64_t bytes) {
  Expected<void *> address = memory->allocate(bytes, getAllocationLocation());
  if (!address)
    return address.takeError();
  return reinterpret_cast<uintptr_t>(*address);
}

Error EmulatorDevice::doFree(DevicePtr pointer) {
  return memory->free(toAddress(pointer));
}

Error EmulatorDevice::copyToDevice(DevicePtr target, const void *source,
                                   uint64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = memory->check(toAddress(target), bytes, "copy to device"))
    return error;
  std::memcpy(toAddress(target), source, bytes);
  memory->markWritten(toAddress(target), bytes);
  return Error::success();
}

Error EmulatorDevice::copyToHost(void *target, DevicePtr source,
                                 uint64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = memory->check(toAddress(source), bytes, "copy to host"))
    return error;
  if (Error error =
          memory->checkWritten(toAddress(source), bytes, "copy to host"))
    return error;
  std::memcpy(target, toAddress(source), bytes);
  return Error::success();
}

Error EmulatorDevice::copyOnDevice(DevicePtr target, DevicePtr source,
                                   uint64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (Error error = memory->check(toAddress(target), bytes, "copy on device"))
    return error;
  if (Error error = memory->check(toAddress(source), bytes, "copy on device"))
    return error;
  std::memmove(toAddress(target), toAddress(source), bytes);
  memory->markCopied(toAddress(target), toAddress(source), bytes);
  return Error::success();
}

Error EmulatorDevice::fill(DevicePtr target, uint64_t pattern,
                           unsigned elementBytes, uint64_t count) {
  if (count == 0)
    return Error::success();
  if (Error error =
          memory->check(toAddress(target), count * elementBytes, "fill"))
    return error;
  char *address = toAddress(target);
  for (uint64_t i = 0; i < count; ++i, address += elementBytes)
    std::memcpy(address, &pattern, elementBytes);
  memory->markWritten(toAddress(target), count * elementBytes);
  return Error::success();
}

Error EmulatorDevice::loadModule(Operation *gpuModule) {
  auto module = cast<gpu::GPUModuleOp>(gpuModule);
  auto machine = emulator::Machine::create(module, options, memory);
  if (!machine)
    return machine.takeError();
  for (emulator::AccessObserver *observer : observers)
    (*machine)->addObserver(observer);
  machines[module.getName()] = std::move(*machine);
  return Error::success();
}

Expected<KernelHandle> EmulatorDevice::getKernel(StringRef module,
                                                 StringRef name) {
  auto found = machines.find(module);
  if (found == machines.end())
    return createStringError("no module '" + module + "' is loaded");
  kernels.push_back({found->second.get(), name.str()});
  return kernels.size() - 1;
}

Error EmulatorDevice::launch(KernelHandle handle, const LaunchShape &shape,
                             ArrayRef<void *> parameters) {
  const Kernel &kernel = kernels[handle];
  lastCounters.reset();
  auto narrow = [&](const Dim3 &from, emulator::Dim3 &to) {
    constexpr uint64_t limit = std::numeric_limits<uint32_t>::max();
    to = {static_cast<uint32_t>(from.x), static_cast<uint32_t>(from.y),
          static_cast<uint32_t>(from.z)};
    return from.x <= limit && from.y <= limit && from.z <= limit;
  };
  emulator::Dim3 grid, block;
  if (!narrow(shape.grid, grid) || !narrow(shape.block, block))
    return createStringError("kernel '" + kernel.name + "' is launched with " +
                             Twine(shape.grid.x) +
                             " blocks, more than 4294967295");
  emulator::LaunchStats stats;
  if (Error error = kernel.machine->launch(
          kernel.name, grid, block, shape.sharedBytes, parameters, &stats))
    return error;
  lastCounters = LaunchCounters{stats.blockBarriers, stats.warpBarriers,
                                stats.globalBytesLoaded,
                                stats.globalBytesStored, stats.atomics};
  return Error::success();
}

Error EmulatorDevice::synchronize() { return Error::success(); }

Error EmulatorDevice::startTimer() {
  timerStart = std::chrono::steady_clock::now();
  return Error::success();
}

Expected<double> EmulatorDevice::stopTimer() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - timerStart)
      .count();
}
