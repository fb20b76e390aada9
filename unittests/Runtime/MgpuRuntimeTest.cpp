//===- MgpuRuntimeTest.cpp - Upstream's entry points over a fake driver ---===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>

namespace {

class MgpuRuntimeTest : public ::testing::Test {
protected:
  MgpuRuntimeTest() {
    setenv("OBS_CUDA_DRIVER", OBS_FAKE_CUDA, /*overwrite=*/1);
    runtime = dlopen(OBS_MGPU_RUNTIME, RTLD_NOW);
    EXPECT_TRUE(runtime) << dlerror();
    void *driver = dlopen(OBS_FAKE_CUDA, RTLD_NOW);
    state = static_cast<FakeCudaState *>(dlsym(driver, "fakeCudaState"));
    *state = FakeCudaState();
  }

  /// A function of the runtime with the signature that generated code uses.
  template <typename Signature>
  Signature *get(const char *name) {
    void *symbol = dlsym(runtime, name);
    EXPECT_TRUE(symbol) << name;
    return reinterpret_cast<Signature *>(symbol);
  }

  void *runtime;
  FakeCudaState *state;
};

TEST_F(MgpuRuntimeTest, HasWhatGeneratedCodeCalls) {
  for (const char *name : {"mgpuModuleLoad",
                           "mgpuModuleLoadJIT",
                           "mgpuModuleUnload",
                           "mgpuModuleGetFunction",
                           "mgpuLaunchKernel",
                           "mgpuLaunchClusterKernel",
                           "mgpuStreamCreate",
                           "mgpuStreamDestroy",
                           "mgpuStreamSynchronize",
                           "mgpuStreamWaitEvent",
                           "mgpuEventCreate",
                           "mgpuEventDestroy",
                           "mgpuEventRecord",
                           "mgpuEventSynchronize",
                           "mgpuMemAlloc",
                           "mgpuMemFree",
                           "mgpuMemcpy",
                           "mgpuMemset16",
                           "mgpuMemset32",
                           "mgpuSetDefaultDevice"})
    EXPECT_TRUE(dlsym(runtime, name)) << name;
}

TEST_F(MgpuRuntimeTest, RunsAKernel) {
  char text[] = ".entry scale(\n)";
  void *module = get<void *(void *, int)>("mgpuModuleLoadJIT")(text, 2);
  void *function = get<void *(void *, const char *)>("mgpuModuleGetFunction")(
      module, "scale");
  void *stream = get<void *()>("mgpuStreamCreate")();
  void *memory =
      get<void *(uint64_t, void *, int8_t)>("mgpuMemAlloc")(12, stream, 0);
  ASSERT_TRUE(module && function && stream && memory);
  get<void(void *, unsigned, size_t, void *)>("mgpuMemset32")(memory, 7, 3,
                                                              stream);
  int64_t count = 3;
  int32_t by = -2;
  void *parameters[] = {&memory, &count, &by};
  get<void(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
           int32_t, void *, void **, void **, size_t)>("mgpuLaunchKernel")(
      function, 1, 1, 1, 32, 1, 1, 50000, stream, parameters, nullptr, 3);
  int32_t result[3];
  get<void(void *, void *, size_t, void *)>("mgpuMemcpy")(result, memory, 12,
                                                          stream);
  get<void(void *)>("mgpuStreamSynchronize")(stream);
  for (int32_t element : result)
    EXPECT_EQ(element, -14);
  EXPECT_EQ(state->calls,
            (std::vector<std::string>{"set scale 8 50000",
                                      "launch scale 1,1,1 32,1,1 50000"}));
  get<void(void *, void *)>("mgpuMemFree")(memory, stream);
  get<void(void *)>("mgpuStreamDestroy")(stream);
  get<void(void *)>("mgpuModuleUnload")(module);
  EXPECT_EQ(state->allocations, 0);
  EXPECT_EQ(state->streams, 0);
  EXPECT_EQ(state->modules, 0);
}

TEST_F(MgpuRuntimeTest, ReportsWhatTheDriverRefuses) {
  testing::internal::CaptureStderr();
  void *memory = get<void *(uint64_t, void *, int8_t)>("mgpuMemAlloc")(
      1 << 21, nullptr, 0);
  std::string output = testing::internal::GetCapturedStderr();
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(output, "error: memAlloc(&pointer, bytes) failed: "
                    "CUDA_ERROR_OUT_OF_MEMORY (the fake says no)\n");
}

} // namespace
