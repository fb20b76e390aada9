//===- CudaDevice.cpp - Kernels on an NVIDIA GPU --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/CudaDevice.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::obs::runtime;

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<CudaDevice>>
CudaDevice::create(std::optional<int> index, Compiler compile) {
  std::string error;
  const cuda::Driver *driver = cuda::Driver::get(error);
  if (!driver)
    return createStringError("cannot use device cuda: " + error);
  int chosen = index ? *index : cuda::getDefaultDeviceIndex(error);
  if (!error.empty())
    return createStringError("cannot use device cuda: " + error);
  std::unique_ptr<CudaDevice> device(
      new CudaDevice(*driver, std::move(compile)));
  if (Error failure = device->initialize(chosen))
    return createStringError("cannot use device cuda: " +
                             llvm::toString(std::move(failure)));
  return std::move(device);
}

Error CudaDevice::initialize(int index) {
  int count = 0;
  if (Error error = check(driver.deviceGetCount(&count), "counting GPUs"))
    return error;
  if (count == 0)
    return createStringError("the CUDA driver finds no GPU on this machine");
  if (index < 0 || index >= count)
    return createStringError("there is no GPU " + Twine(index) +
                             ": this machine has " + Twine(count) +
                             ", and the first is 0");
  if (Error error = check(driver.deviceGet(&device, index), "opening the GPU"))
    return error;
  char text[256] = "";
  if (driver.deviceGetName(text, sizeof(text) - 1, device) == cuda::Success)
    name = text;
  major = getAttribute(cuda::DeviceComputeCapabilityMajor);
  minor = getAttribute(cuda::DeviceComputeCapabilityMinor);
  maxThreads = getAttribute(cuda::DeviceMaxThreadsPerBlock);
  for (int dim = 0; dim < 3; ++dim)
    maxBlocks[dim] = getAttribute(cuda::DeviceMaxGridDimX + dim);
  maxSharedBytes = getAttribute(cuda::DeviceMaxSharedMemoryPerBlockOptin);
  // Graphs have the edges of such launches since CUDA 12.3.
  int version = 0;
  mayOverlap = driver.launchKernelEx && major >= 9 &&
               driver.driverGetVersion(&version) == cuda::Success &&
               version >= 12030;
  if (Error error = check(driver.primaryCtxRetain(&context, device),
                          "creating a context on " + name))
    return error;
  if (Error error = check(driver.ctxSetCurrent(context), "entering a context"))
    return error;
  if (Error error =
          check(driver.streamCreate(&ownStream, cuda::StreamNonBlocking),
                "creating a stream"))
    return error;
  stream = ownStream;
  if (Error error = check(driver.eventCreate(&timerStart, cuda::EventDefault),
                          "creating an event"))
    return error;
  return check(driver.eventCreate(&timerStop, cuda::EventDefault),
               "creating an event");
}

CudaDevice::~CudaDevice() {
  if (!context)
    return;
  // After a failed kernel, all of these calls fail, too. The error was
  // reported.
  driver.ctxSetCurrent(context);
  if (stream && !allocator)
    driver.streamSynchronize(stream);
  if (isRecording)
    llvm::consumeError(endRecording().takeError());
  for (Recorded &work : recorded) {
    driver.graphExecDestroy(work.exec);
    driver.graphDestroy(work.graph);
    for (DevicePtr pointer : work.memory)
      driver.memFree(pointer);
  }
  releaseSpares();
  for (const ZeroPool &pool : zeroPools)
    driver.memFree(pool.begin);
  if (slots)
    driver.memFreeHost(slots);
  for (auto &entry : modules)
    driver.moduleUnload(entry.second);
  if (timerStart)
    driver.eventDestroy(timerStart);
  if (timerStop)
    driver.eventDestroy(timerStop);
  if (ownStream)
    driver.streamDestroy(ownStream);
  driver.primaryCtxRelease(device);
}

Error CudaDevice::useStream(cuda::Stream foreign) {
  cuda::Stream next = foreign ? foreign : ownStream;
  if (next == stream)
    return Error::success();
  if (!allocator)
    if (Error error = synchronize())
      return error;
  // A wait for the next stream is no wait for the kernels that write these.
  usedSlots.clear();
  stream = next;
  return Error::success();
}

const cuda::Driver &CudaDevice::enter() const {
  driver.ctxSetCurrent(context);
  return driver;
}

std::string CudaDevice::getChip() const {
  return ("sm_" + Twine(major) + Twine(minor)).str();
}

int CudaDevice::getAttribute(int attribute) const {
  int value = 0;
  if (driver.deviceGetAttribute(&value, attribute, device) != cuda::Success)
    return 0;
  return value;
}

Error CudaDevice::check(cuda::Result result, const Twine &doing) {
  if (result == cuda::Success)
    return Error::success();
  std::string text = (doing + ": " + driver.describe(result)).str();
  // A kernel runs asynchronously: its failure is reported by the first call
  // that waits for it.
  if (!running.empty() && result >= cuda::ErrorIllegalAddress) {
    text += running.size() == 1 ? "; the kernel that was running: "
                                : "; the kernels that were running: ";
    text += llvm::join(
        llvm::map_range(running, [&](auto k) { return kernels[k].name; }),
        ", ");
  }
  return createStringError(text);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Error CudaDevice::loadModule(Operation *gpuModule) {
  StringRef module = SymbolTable::getSymbolName(gpuModule).getValue();
  Expected<std::string> ptx = compile(gpuModule, getChip());
  if (!ptx)
    return ptx.takeError();
  return loadPTX(module, *ptx);
}

/// The number after `.target sm_` in PTX text; 0 if there is none.
static int getTargetOfPTX(StringRef ptx) {
  size_t at = ptx.find(".target sm_");
  int chip = 0;
  if (at == StringRef::npos)
    return 0;
  ptx.drop_front(at + StringRef(".target sm_").size()).consumeInteger(10, chip);
  return chip;
}

Error CudaDevice::loadPTX(StringRef module, StringRef image) {
  // The driver needs a terminated string.
  std::string text = image.str();
  char log[8192] = "";
  int options[] = {cuda::JitErrorLogBuffer, cuda::JitErrorLogBufferSizeBytes,
                   cuda::JitGenerateLineInfo};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1),
                    reinterpret_cast<void *>(1)};
  // PTX without lines has nothing to keep.
  unsigned numOptions = image.contains("\t.loc\t") ? 3 : 2;
  cuda::Module loaded = nullptr;
  cuda::Result result = enter().moduleLoadDataEx(&loaded, text.c_str(),
                                                 numOptions, options, values);
  if (result != cuda::Success) {
    std::string reason;
    int target = getTargetOfPTX(image);
    if (target > major * 10 + minor)
      reason = "it is for sm_" + std::to_string(target) + ", and " + name +
               " is " + getChip();
    else if (result == cuda::ErrorUnsupportedPtxVersion)
      reason = "the driver, which supports CUDA up to " + driver.version() +
               ", is too old for its PTX version";
    else
      reason = driver.describe(result);
    StringRef details = StringRef(log).trim();
    return createStringError("the GPU code of module '" + module +
                             "' cannot be loaded: " + reason +
                             (details.empty() ? "" : "\n" + details.str()));
  }
  auto [entry, inserted] = modules.try_emplace(module, loaded);
  if (!inserted) {
    enter().moduleUnload(entry->second);
    entry->second = loaded;
  }
  return Error::success();
}

Expected<KernelHandle> CudaDevice::getKernel(StringRef module, StringRef name) {
  auto found = modules.find(module);
  if (found == modules.end())
    return createStringError("no module '" + module + "' is loaded");
  Kernel kernel{name.str(), nullptr, 0, 0, 0, false};
  cuda::Result result = enter().moduleGetFunction(
      &kernel.function, found->second, kernel.name.c_str());
  if (result == cuda::ErrorNotFound)
    return createStringError("module '" + module + "' has no kernel '" + name +
                             "'");
  if (Error error = check(result, "finding kernel '" + name + "'"))
    return std::move(error);
  driver.funcGetAttribute(&kernel.maxThreads, cuda::FunctionMaxThreadsPerBlock,
                          kernel.function);
  driver.funcGetAttribute(&kernel.fixedSharedBytes,
                          cuda::FunctionSharedSizeBytes, kernel.function);
  kernels.push_back(std::move(kernel));
  return kernels.size() - 1;
}

/// Compares with the limits of the GPU and of the kernel, since the driver's
/// own answer to any excess is "invalid argument".
Error CudaDevice::checkShape(const Kernel &kernel,
                             const LaunchShape &shape) const {
  auto tooLarge = [&](StringRef what, uint64_t value, StringRef of,
                      uint64_t limit) {
    return createStringError(
        "kernel '" + kernel.name + "' cannot be launched with " + Twine(value) +
        " " + what + ": the limit of " + of + " is " + Twine(limit));
  };
  auto exceeds = [](uint64_t value, int limit) {
    return limit > 0 && value > static_cast<uint64_t>(limit);
  };
  uint64_t threads = shape.block.x * shape.block.y * shape.block.z;
  if (exceeds(threads, maxThreads))
    return tooLarge("threads per block", threads, name, maxThreads);
  if (exceeds(threads, kernel.maxThreads))
    return tooLarge("threads per block", threads, "this kernel",
                    kernel.maxThreads);
  uint64_t grid[] = {shape.grid.x, shape.grid.y, shape.grid.z};
  for (auto [blocks, limit] : llvm::zip_equal(grid, maxBlocks))
    if (exceeds(blocks, limit))
      return tooLarge("blocks", blocks, name, limit);
  uint64_t bytes = shape.sharedBytes + kernel.fixedSharedBytes;
  if (exceeds(bytes, maxSharedBytes))
    return tooLarge("bytes of shared memory", bytes, name, maxSharedBytes);
  return Error::success();
}

Error CudaDevice::launch(KernelHandle handle, const LaunchShape &shape,
                         ArrayRef<void *> parameters) {
  Kernel &kernel = kernels[handle];
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0)
    return Error::success();
  if (Error error = checkShape(kernel, shape))
    return error;
  // More than 48 KiB must be requested, once.
  if (shape.sharedBytes > kernel.allowedSharedBytes) {
    if (Error error = check(
            enter().funcSetAttribute(kernel.function,
                                     cuda::FunctionMaxDynamicSharedSizeBytes,
                                     static_cast<int>(shape.sharedBytes)),
            "asking for " + Twine(shape.sharedBytes) +
                " bytes of shared memory for kernel '" + kernel.name + "'"))
      return error;
    kernel.allowedSharedBytes = shape.sharedBytes;
  }
  touch();
  SmallVector<void *, 16> arguments(parameters);
  auto [blocksX, blocksY, blocksZ] = shape.grid;
  auto [threadsX, threadsY, threadsZ] = shape.block;
  cuda::Result result;
  if (shape.waits && mayOverlap) {
    cuda::LaunchAttribute overlap = {};
    overlap.id = cuda::LaunchAttribute::programmaticStreamSerialization;
    overlap.value.isAllowed = 1;
    cuda::LaunchConfig config = {
        {unsigned(blocksX), unsigned(blocksY), unsigned(blocksZ)},
        {unsigned(threadsX), unsigned(threadsY), unsigned(threadsZ)},
        unsigned(shape.sharedBytes),
        stream,
        &overlap,
        1};
    result = enter().launchKernelEx(&config, kernel.function, arguments.data(),
                                    nullptr);
  } else {
    result = enter().launchKernel(
        kernel.function, blocksX, blocksY, blocksZ, threadsX, threadsY,
        threadsZ, shape.sharedBytes, stream, arguments.data(), nullptr);
  }
  if (result == cuda::ErrorLaunchOutOfResources) {
    int registers = 0;
    enter().funcGetAttribute(&registers, cuda::FunctionNumRegs,
                             kernel.function);
    return createStringError(
        "kernel '" + kernel.name + "' cannot be launched: " +
        Twine(shape.block.x * shape.block.y * shape.block.z) + " threads of " +
        Twine(registers) + " registers and " + Twine(shape.sharedBytes) +
        " bytes of shared memory are more than a multiprocessor of " + name +
        " has; use fewer threads");
  }
  if (Error error = check(result, "launching kernel '" + kernel.name + "'"))
    return error;
  if (!kernel.isRunning)
    running.push_back(handle);
  kernel.isRunning = true;
  return Error::success();
}

void CudaDevice::clearRunning() {
  for (KernelHandle handle : running)
    kernels[handle].isRunning = false;
  running.clear();
}

Error CudaDevice::synchronize() {
  if (Error error = checkNotRecording("waits"))
    return error;
  Error error = check(enter().streamSynchronize(stream), "waiting for the GPU");
  clearRunning();
  freeSlots.append(usedSlots);
  usedSlots.clear();
  return error;
}

//===----------------------------------------------------------------------===//
// Recorded work
//===----------------------------------------------------------------------===//

Error CudaDevice::checkNotRecording(const Twine &doing) const {
  if (!isRecording)
    return Error::success();
  return createStringError(
      "the host " + doing +
      " between launches, so these cannot be recorded as one piece of work");
}

Error CudaDevice::beginRecording() {
  // Relaxed: new memory is nothing that a stream waits for.
  if (Error error =
          check(enter().streamBeginCapture(stream, cuda::StreamCaptureRelaxed),
                "starting to record launches"))
    return error;
  isRecording = true;
  return Error::success();
}

Expected<WorkHandle> CudaDevice::endRecording() {
  isRecording = false;
  clearRunning();
  Recorded work{nullptr, nullptr, 0, {}};
  if (Error error = check(enter().streamEndCapture(stream, &work.graph),
                          "recording launches"))
    return std::move(error);
  size_t count = 0;
  Error error = check(enter().graphGetNodes(work.graph, nullptr, &count),
                      "counting launches");
  if (!error)
    error = check(enter().graphInstantiate(&work.exec, work.graph, 0),
                  "making a graph of launches");
  if (error) {
    enter().graphDestroy(work.graph);
    return std::move(error);
  }
  work.numSteps = count;
  // No other array may use the memory that each execution of the graph uses.
  for (auto &[bytes, pointers] : spares)
    for (DevicePtr pointer : pointers) {
      work.memory.push_back(pointer);
      sizes.erase(pointer);
    }
  spares.clear();
  recorded.push_back(std::move(work));
  return recorded.size() - 1;
}

Error CudaDevice::replay(WorkHandle work) {
  return check(enter().graphLaunch(recorded[work].exec, stream),
               "launching a graph");
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

Error CudaDevice::startTimer() {
  return check(enter().eventRecord(timerStart, stream), "starting a timer");
}

Expected<double> CudaDevice::stopTimer() {
  if (Error error =
          check(enter().eventRecord(timerStop, stream), "stopping a timer"))
    return std::move(error);
  if (Error error =
          check(enter().eventSynchronize(timerStop), "waiting for the GPU"))
    return std::move(error);
  float milliseconds = 0;
  if (Error error =
          check(enter().eventElapsedTime(&milliseconds, timerStart, timerStop),
                "reading a timer"))
    return std::move(error);
  return milliseconds;
}
