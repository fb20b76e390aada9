//===- CudaDeviceTest.cpp - The CUDA device over a fake driver ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/CudaDevice.h"
#include "FakeCuda.h"
#include "Obsidian/Runtime/MemoryRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>

using namespace mlir;
using namespace mlir::obs::runtime;

namespace {

constexpr const char *ptx =
    ".version 8.0\n.target sm_90\n.visible .entry scale(\n)\n"
    ".visible .entry other(\n)\n";

class CudaDeviceTest : public ::testing::Test {
protected:
  CudaDeviceTest() {
    setenv("OBS_CUDA_DRIVER", OBS_FAKE_CUDA, /*overwrite=*/1);
    void *library = dlopen(OBS_FAKE_CUDA, RTLD_NOW);
    state = static_cast<FakeCudaState *>(dlsym(library, "fakeCudaState"));
    *state = FakeCudaState();
  }
  ~CudaDeviceTest() override {
    device.reset();
    // All that was created was destroyed.
    EXPECT_EQ(state->allocations, 0);
    EXPECT_EQ(state->hostAllocations, 0);
    EXPECT_EQ(state->contexts, 0);
    EXPECT_EQ(state->streams, 0);
    EXPECT_EQ(state->events, 0);
    EXPECT_EQ(state->modules, 0);
    EXPECT_EQ(state->graphs, 0);
  }

  std::string open(std::optional<int> index = std::nullopt) {
    auto created = CudaDevice::create(index, {});
    if (!created)
      return llvm::toString(created.takeError());
    device = std::move(*created);
    return "";
  }
  /// Gives the device an allocator of the caller. Counts its live arrays, and
  /// all arrays that it made.
  void countAllocations(int &live, int *made = nullptr) {
    device->useAllocator(
        {[=, &live](uint64_t bytes) {
           ++live;
           if (made)
             ++*made;
           return llvm::Expected<DevicePtr>(
               reinterpret_cast<DevicePtr>(std::malloc(bytes)));
         },
         [&live](DevicePtr pointer) {
           --live;
           std::free(reinterpret_cast<void *>(pointer));
         }});
  }
  static std::string text(llvm::Error error) {
    return error ? llvm::toString(std::move(error)) : "no error";
  }
  template <typename T>
  static std::string text(llvm::Expected<T> value) {
    return text(value.takeError());
  }

  FakeCudaState *state;
  std::unique_ptr<CudaDevice> device;
};

TEST_F(CudaDeviceTest, ChoosesADevice) {
  EXPECT_EQ(open(), "");
  EXPECT_EQ(device->getName(), "Fake GPU");
  EXPECT_EQ(device->getChip(), "sm_90");
  EXPECT_EQ(open(1), "");
  EXPECT_EQ(device->getName(), "Second GPU");
  setenv("OBS_DEVICE", "1", 1);
  EXPECT_EQ(open(), "");
  EXPECT_EQ(device->getName(), "Second GPU");
  // The GPU that is asked for goes before the environment.
  EXPECT_EQ(open(0), "");
  EXPECT_EQ(device->getName(), "Fake GPU");
  setenv("OBS_DEVICE", "first", 1);
  EXPECT_EQ(open(), "cannot use device cuda: OBS_DEVICE must be the index of a "
                    "GPU, not 'first'");
  unsetenv("OBS_DEVICE");
  EXPECT_EQ(open(2), "cannot use device cuda: there is no GPU 2: this machine "
                     "has 2, and the first is 0");
  state->numDevices = 0;
  EXPECT_EQ(open(), "cannot use device cuda: the CUDA driver finds no GPU on "
                    "this machine");
}

TEST_F(CudaDeviceTest, CopiesAndFillsEveryWidth) {
  ASSERT_EQ(open(), "");
  MLIRContext context;
  Builder b(&context);
  for (Type type :
       {b.getI8Type(), b.getI16Type(), b.getI32Type(), b.getI64Type()})
    for (int64_t count : {0, 1, 2, 5, 8, 13, 3000})
      for (int64_t value :
           {int64_t(0), int64_t(-1), int64_t(0x0102030405060708)}) {
        MemoryRef array =
            llvm::cantFail(MemoryRef::allocate(*device, type, {count}));
        auto scalar = obs::interpreter::Scalar::fromInt(type, value);
        ASSERT_EQ(text(fill(array, scalar)), "no error");
        std::vector<char> data(count * array.getElementBytes());
        ASSERT_EQ(text(array.copyTo(data.data())), "no error");
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ(obs::interpreter::Scalar::load(
                        type, data.data() + i * array.getElementBytes()),
                    scalar);
      }
  EXPECT_EQ(device->getNumLiveAllocations(), 0u);
}

TEST_F(CudaDeviceTest, UsesFreedMemoryAgain) {
  ASSERT_EQ(open(), "");
  DevicePtr first = llvm::cantFail(device->allocate(1000));
  DevicePtr second = llvm::cantFail(device->allocate(1000));
  EXPECT_NE(first, second);
  ASSERT_EQ(text(device->free(first)), "no error");
  EXPECT_EQ(device->getNumLiveAllocations(), 1u);
  EXPECT_EQ(llvm::cantFail(device->allocate(1000)), first);
  EXPECT_EQ(state->allocations, 2);
  ASSERT_EQ(text(device->free(second)), "no error");
  // Not for an array of another size,
  DevicePtr third = llvm::cantFail(device->allocate(999));
  EXPECT_EQ(state->allocations, 3);
  // unless there is nothing else.
  ASSERT_EQ(text(device->free(third)), "no error");
  DevicePtr large = llvm::cantFail(device->allocate((1 << 20) - 1000));
  EXPECT_EQ(state->allocations, 2);
  ASSERT_EQ(text(device->free(large)), "no error");
  ASSERT_EQ(text(device->free(first)), "no error");
  EXPECT_EQ(device->getNumLiveAllocations(), 0u);
}

TEST_F(CudaDeviceTest, NumbersForTheHostAreInItsMemory) {
  ASSERT_EQ(open(), "");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  KernelHandle kernel = llvm::cantFail(device->getKernel("m", "scale"));
  auto allocate = [&] {
    return llvm::cantFail(device->allocate(4, MemoryUse::Number));
  };
  DevicePtr number = allocate();
  EXPECT_EQ(state->allocations, 0);
  EXPECT_EQ(state->hostAllocations, 1);
  int64_t count = 1;
  int32_t by = 3, found = 7;
  void *parameters[] = {&number, &count, &by};
  ASSERT_EQ(text(device->copyToDevice(number, &found, 4)), "no error");
  ASSERT_EQ(text(device->launch(kernel, LaunchShape(), parameters)),
            "no error");
  ASSERT_EQ(text(device->copyToHost(&found, number, 4)), "no error");
  EXPECT_EQ(found, 21);
  ASSERT_EQ(text(device->free(number)), "no error");
  EXPECT_EQ(allocate(), number);
  // A kernel that nobody has waited for may still write the number.
  ASSERT_EQ(text(device->launch(kernel, LaunchShape(), parameters)),
            "no error");
  ASSERT_EQ(text(device->free(number)), "no error");
  DevicePtr other = allocate();
  EXPECT_NE(other, number);
  ASSERT_EQ(text(device->synchronize()), "no error");
  EXPECT_EQ(allocate(), number);
  // A wait for another stream is none for the kernel.
  device->useAllocator({});
  ASSERT_EQ(text(device->launch(kernel, LaunchShape(), parameters)),
            "no error");
  ASSERT_EQ(text(device->free(number)), "no error");
  int stream;
  ASSERT_EQ(text(device->useStream(reinterpret_cast<cuda::Stream>(&stream))),
            "no error");
  ASSERT_EQ(text(device->synchronize()), "no error");
  DevicePtr third = allocate();
  EXPECT_NE(third, number);
  // Numbers are few and short.
  EXPECT_EQ(text(device->free(third)), "no error");
  EXPECT_EQ(text(device->free(other)), "no error");
  EXPECT_EQ(state->hostAllocations, 1);
}

TEST_F(CudaDeviceTest, TemporariesShareMemoryAndZeros) {
  ASSERT_EQ(open(), "");
  // Otherwise there is memory that is already zero.
  state->isCapturing = true;
  auto allocate = [&](uint64_t bytes) {
    return llvm::cantFail(device->allocate(bytes, MemoryUse::Temporary));
  };
  auto clear = [&](DevicePtr array, uint64_t bytes) {
    ASSERT_EQ(text(device->fill(array, 0, 1, bytes)), "no error");
  };
  auto write = [&](DevicePtr array, std::vector<uint8_t> data) {
    ASSERT_EQ(text(device->copyToDevice(array, data.data(), data.size())),
              "no error");
  };
  auto read = [&](DevicePtr array, uint64_t bytes) {
    std::vector<uint8_t> data(bytes);
    EXPECT_EQ(text(device->copyToHost(data.data(), array, bytes)), "no error");
    return data;
  };
  using Bytes = std::vector<uint8_t>;
  int allocations = 0;
  countAllocations(allocations);
  DevicePtr a = allocate(4), b = allocate(100);
  EXPECT_EQ(b, a + 256);
  EXPECT_EQ(allocations, 1);
  write(a, {1, 2, 3, 4});
  clear(b, 100);
  DevicePtr c = allocate(4), d = allocate(4);
  EXPECT_EQ(state->fills, 1);
  clear(c, 4);
  EXPECT_EQ(state->fills, 1);
  EXPECT_EQ(read(c, 4), Bytes(4));
  EXPECT_EQ(read(a, 4), (Bytes{1, 2, 3, 4}));
  // A fill clears arrays that were written, and not the memory behind them.
  write(d, {5, 6, 7, 8});
  clear(d, 2);
  EXPECT_EQ(state->fills, 2);
  EXPECT_EQ(read(d, 4), (Bytes{0, 0, 7, 8}));
  clear(a, 2);
  EXPECT_EQ(read(a, 4), (Bytes{0, 0, 3, 4}));
  // A long array has memory of its own, and so does one that does not fit.
  DevicePtr large = allocate(32769), last = allocate(30000),
            other = allocate(30000);
  EXPECT_EQ(allocations, 3);
  for (DevicePtr array : {a, b, c, d, large, last, other})
    ASSERT_EQ(text(device->free(array)), "no error");
  EXPECT_EQ(allocations, 0);
  // The next program begins with memory of unknown contents.
  DevicePtr next = allocate(8);
  EXPECT_EQ(allocations, 1);
  clear(next, 8);
  EXPECT_EQ(state->fills, 4);
  ASSERT_EQ(text(device->free(next)), "no error");
  EXPECT_EQ(state->allocations, 0);
}

TEST_F(CudaDeviceTest, ManyProgramsShareOneFill) {
  state->memory = 1 << 24;
  ASSERT_EQ(open(), "");
  int allocations = 0, made = 0;
  countAllocations(allocations, &made);
  // A program that needs zeros, and leaves other numbers.
  auto run = [&] {
    DevicePtr number =
                  llvm::cantFail(device->allocate(8, MemoryUse::Temporary)),
              words =
                  llvm::cantFail(device->allocate(24, MemoryUse::Temporary));
    std::vector<uint8_t> data(24, 7), found(24, 1);
    EXPECT_EQ(text(device->fill(words, 0, 8, 3)), "no error");
    EXPECT_EQ(text(device->copyToHost(found.data(), words, 24)), "no error");
    EXPECT_EQ(found, std::vector<uint8_t>(24));
    EXPECT_EQ(text(device->copyToDevice(number, data.data(), 8)), "no error");
    EXPECT_EQ(text(device->copyToDevice(words, data.data(), 24)), "no error");
    EXPECT_EQ(text(device->free(number)), "no error");
    EXPECT_EQ(text(device->free(words)), "no error");
    return words;
  };
  DevicePtr first = run();
  for (int i = 1; i < 32; ++i)
    EXPECT_NE(run(), first);
  EXPECT_EQ(state->fills, 1);
  EXPECT_EQ(run(), first);
  EXPECT_EQ(state->fills, 2);
  EXPECT_EQ(made, 0);
  // Work of two streams is not ordered.
  state->streamId = 2;
  EXPECT_NE(run(), first);
  EXPECT_EQ(state->fills, 3);
  // Captured work is executed again, and needs a fill of its own.
  state->isCapturing = true;
  run();
  EXPECT_EQ(state->fills, 4);
  EXPECT_EQ(made, 1);
  state->isCapturing = false;
  for (state->streamId = 3; state->streamId < 9; ++state->streamId)
    run();
  EXPECT_EQ(state->allocations, 4);
  EXPECT_EQ(made, 5);
  EXPECT_EQ(allocations, 0);
}

TEST_F(CudaDeviceTest, RunsAKernel) {
  ASSERT_EQ(open(), "");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  KernelHandle kernel = llvm::cantFail(device->getKernel("m", "scale"));
  std::vector<int32_t> data(10);
  std::iota(data.begin(), data.end(), 0);
  DevicePtr pointer = llvm::cantFail(device->allocate(40));
  int64_t count = 10;
  int32_t by = 3;
  void *parameters[] = {&pointer, &count, &by};
  ASSERT_EQ(text(device->copyToDevice(pointer, data.data(), 40)), "no error");
  ASSERT_EQ(text(device->startTimer()), "no error");
  LaunchShape shape{{2, 1, 1}, {64, 1, 1}, 1024};
  ASSERT_EQ(text(device->launch(kernel, shape, parameters)), "no error");
  EXPECT_EQ(llvm::cantFail(device->stopTimer()), 1.25);
  ASSERT_EQ(text(device->copyToHost(data.data(), pointer, 40)), "no error");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(data[i], 3 * i);
  // Dynamic shared memory is asked for once, and again when it grows.
  shape.sharedBytes = 512;
  ASSERT_EQ(text(device->launch(kernel, shape, parameters)), "no error");
  shape.sharedBytes = 65536;
  ASSERT_EQ(text(device->launch(kernel, shape, parameters)), "no error");
  EXPECT_EQ(state->calls,
            (std::vector<std::string>{
                "set scale 8 1024", "launch scale 2,1,1 64,1,1 1024",
                "launch scale 2,1,1 64,1,1 512", "set scale 8 65536",
                "launch scale 2,1,1 64,1,1 65536"}));
  EXPECT_EQ(text(device->free(pointer)), "no error");
  EXPECT_EQ(text(device->free(pointer)),
            "device memory is freed that is not allocated");
}

TEST_F(CudaDeviceTest, StartsKernelsThatWaitEarly) {
  auto launch = [&](bool waits) {
    EXPECT_EQ(open(), "");
    EXPECT_EQ(text(device->loadPTX("m", ptx)), "no error");
    KernelHandle kernel = llvm::cantFail(device->getKernel("m", "other"));
    state->calls.clear();
    EXPECT_EQ(
        text(device->launch(kernel, {{2, 3, 4}, {64, 1, 1}, 8, waits}, {})),
        "no error");
    std::vector<std::string> calls = std::move(state->calls);
    device.reset();
    return calls;
  };
  std::string usual = "launch other 2,3,4 64,1,1 8";
  EXPECT_EQ(launch(/*waits=*/true).back(), usual);
  EXPECT_TRUE(llvm::is_contained(launch(/*waits=*/true), "early"));
  EXPECT_FALSE(llvm::is_contained(launch(/*waits=*/false), "early"));
  // Graphs of older drivers do not have such edges.
  state->version = 12020;
  EXPECT_FALSE(llvm::is_contained(launch(/*waits=*/true), "early"));
  // The instruction waits on later GPUs only.
  state->version = 12030;
  EXPECT_TRUE(llvm::is_contained(launch(/*waits=*/true), "early"));
  state->major = 8;
  EXPECT_FALSE(llvm::is_contained(launch(/*waits=*/true), "early"));
}

TEST_F(CudaDeviceTest, RecordsAndReplays) {
  ASSERT_EQ(open(), "");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  KernelHandle kernel = llvm::cantFail(device->getKernel("m", "scale"));
  DevicePtr array = llvm::cantFail(device->allocate(16));
  std::vector<int32_t> data = {1, 2, 3, 4};
  ASSERT_EQ(text(device->copyToDevice(array, data.data(), 16)), "no error");
  ASSERT_EQ(text(device->beginRecording()), "no error");
  DevicePtr copy = llvm::cantFail(device->allocate(16));
  int64_t count = 4;
  int32_t by = 3;
  void *parameters[] = {&array, &count, &by};
  ASSERT_EQ(
      text(device->launch(kernel, {{1, 1, 1}, {64, 1, 1}, 0}, parameters)),
      "no error");
  ASSERT_EQ(text(device->copyOnDevice(copy, array, 16)), "no error");
  ASSERT_EQ(text(device->fill(array, 5, 8, 1)), "no error");
  ASSERT_EQ(text(device->free(copy)), "no error");
  EXPECT_EQ(text(device->copyToHost(data.data(), array, 16)),
            "the host reads from the GPU between launches, so these cannot be "
            "recorded as one piece of work");
  WorkHandle work = llvm::cantFail(device->endRecording());
  // A launch, a copy, and the two halves of a fill.
  EXPECT_EQ(device->getNumSteps(work), 4u);
  // The work keeps the memory that it uses.
  DevicePtr other = llvm::cantFail(device->allocate(16));
  EXPECT_NE(other, copy);
  ASSERT_EQ(text(device->copyToHost(data.data(), array, 16)), "no error");
  EXPECT_EQ(data, (std::vector<int32_t>{1, 2, 3, 4}));
  ASSERT_EQ(text(device->replay(work)), "no error");
  ASSERT_EQ(text(device->copyToHost(data.data(), array, 16)), "no error");
  EXPECT_EQ(data, (std::vector<int32_t>{5, 0, 9, 12}));
  ASSERT_EQ(text(device->replay(work)), "no error");
  ASSERT_EQ(text(device->copyToHost(data.data(), copy, 16)), "no error");
  EXPECT_EQ(data, (std::vector<int32_t>{15, 0, 27, 36}));
  ASSERT_EQ(text(device->free(array)), "no error");
  ASSERT_EQ(text(device->free(other)), "no error");
}

TEST_F(CudaDeviceTest, LaunchesNothingForAnEmptyGrid) {
  ASSERT_EQ(open(), "");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  KernelHandle kernel = llvm::cantFail(device->getKernel("m", "other"));
  EXPECT_EQ(text(device->launch(kernel, {{0, 1, 1}, {64, 1, 1}, 0}, {})),
            "no error");
  EXPECT_TRUE(state->calls.empty());
}

TEST_F(CudaDeviceTest, SaysWhyCodeCannotBeLoaded) {
  ASSERT_EQ(open(), "");
  EXPECT_EQ(text(device->getKernel("m", "scale")), "no module 'm' is loaded");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  EXPECT_EQ(text(device->getKernel("m", "scal")),
            "module 'm' has no kernel 'scal'");
  state->loadResult = 222;
  EXPECT_EQ(text(device->loadPTX("m", ptx)),
            "the GPU code of module 'm' cannot be loaded: the driver, which "
            "supports CUDA up to 12.4, is too old for its PTX version");
  state->loadResult = 218;
  state->loadLog = "ptxas: line 3: oh\n";
  EXPECT_EQ(text(device->loadPTX("m", ptx)),
            "the GPU code of module 'm' cannot be loaded: "
            "CUDA_ERROR_INVALID_PTX (the fake says no)\nptxas: line 3: oh");
  state->loadLog = "";
  state->major = 7;
  state->minor = 5;
  ASSERT_EQ(open(), "");
  EXPECT_EQ(text(device->loadPTX("m", ptx)),
            "the GPU code of module 'm' cannot be loaded: it is for sm_90, and "
            "Fake GPU is sm_75");
}

TEST_F(CudaDeviceTest, SaysWhatIsTooLarge) {
  ASSERT_EQ(open(), "");
  EXPECT_EQ(text(device->allocate(1 << 21)),
            "out of device memory: 2097152 bytes were asked of Fake GPU, of "
            "which 1048576 of 1048576 bytes are free");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  state->maxThreadsOfFunction = 256;
  KernelHandle kernel = llvm::cantFail(device->getKernel("m", "other"));
  EXPECT_EQ(text(device->launch(kernel, {{1, 1, 1}, {64, 32, 1}, 0}, {})),
            "kernel 'other' cannot be launched with 2048 threads per block: "
            "the limit of Fake GPU is 1024");
  EXPECT_EQ(text(device->launch(kernel, {{1, 65536, 1}, {64, 1, 1}, 0}, {})),
            "kernel 'other' cannot be launched with 65536 blocks: the limit of "
            "Fake GPU is 65535");
  EXPECT_EQ(text(device->launch(kernel, {{1, 1, 1}, {64, 1, 1}, 232448}, {})),
            "kernel 'other' cannot be launched with 232464 bytes of shared "
            "memory: the limit of Fake GPU is 232448");
  EXPECT_EQ(text(device->launch(kernel, {{1, 1, 1}, {512, 1, 1}, 0}, {})),
            "kernel 'other' cannot be launched with 512 threads per block: the "
            "limit of this kernel is 256");
  EXPECT_TRUE(state->calls.empty());
  state->launchResult = 701;
  EXPECT_EQ(text(device->launch(kernel, {{1, 1, 1}, {256, 1, 1}, 0}, {})),
            "kernel 'other' cannot be launched: 256 threads of 99 registers "
            "and 0 bytes of shared memory are more than a multiprocessor of "
            "Fake GPU has; use fewer threads");
}

TEST_F(CudaDeviceTest, NamesTheKernelThatFailed) {
  ASSERT_EQ(open(), "");
  ASSERT_EQ(text(device->loadPTX("m", ptx)), "no error");
  KernelHandle kernel = llvm::cantFail(device->getKernel("m", "other"));
  ASSERT_EQ(text(device->launch(kernel, {{1, 1, 1}, {32, 1, 1}, 0}, {})),
            "no error");
  ASSERT_EQ(text(device->synchronize()), "no error");
  KernelHandle scale = llvm::cantFail(device->getKernel("m", "scale"));
  int64_t zero = 0;
  void *parameters[] = {&zero, &zero, &zero};
  ASSERT_EQ(text(device->launch(scale, {{1, 1, 1}, {32, 1, 1}, 0}, parameters)),
            "no error");
  state->waitResult = 700;
  EXPECT_EQ(text(device->synchronize()),
            "waiting for the GPU: CUDA_ERROR_ILLEGAL_ADDRESS (the fake says "
            "no); the kernel that was running: scale");
}

} // namespace
