//===- AllocationsTest.cpp - Memory of the caller for runs on a GPU -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Increment.h"
#include "obsidian-c/Runtime.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// The numbers of bytes that a run asked for.
struct Caller {
  std::vector<uint64_t> asked;

  static uint64_t allocate(void *user, uint64_t bytes) {
    static_cast<Caller *>(user)->asked.push_back(bytes);
    return reinterpret_cast<uint64_t>(std::malloc(bytes));
  }
  static void free(void *, uint64_t pointer) {
    std::free(reinterpret_cast<void *>(pointer));
  }
};

TEST(CAPIAllocations, RunsUsePreparedMemoryOnce) {
  setenv("OBS_CUDA_DRIVER", OBS_FAKE_CUDA, /*overwrite=*/1);
  obs_compiler *compiler = obs_compiler_create();
  obs_program *program = obs_compile(compiler, increment,
                                     std::strlen(increment), nullptr, nullptr);
  ASSERT_NE(program, nullptr);

  Caller caller;
  alignas(256) int32_t memory[3];
  uint64_t prepared[2] = {sizeof(memory), reinterpret_cast<uint64_t>(memory)};
  obs_device_options options = {};
  options.size = sizeof(options);
  options.kind = OBS_CUDA;
  options.index = -1;
  options.allocate = Caller::allocate;
  options.free = Caller::free;
  options.user = &caller;
  options.prepared = prepared;
  options.num_prepared = 1;
  obs_executable *executable = obs_load(program, &options);
  ASSERT_NE(executable, nullptr);

  int64_t extent = 3;
  int32_t numbers[4] = {1, 2, 3, 4};
  int stream;
  obs_value argument = {OBS_I32, 1, &extent, numbers};
  auto run = [&] {
    EXPECT_EQ(obs_run(executable, &argument, 1, &stream), OBS_SUCCESS);
    return obs_get_result(executable, 0).data;
  };
  EXPECT_EQ(run(), memory);
  EXPECT_EQ(prepared[1], 0u);
  EXPECT_TRUE(caller.asked.empty());

  // There is no memory the second time.
  std::free(run());
  EXPECT_EQ(caller.asked, std::vector<uint64_t>{12});

  // The memory is for results of another extent.
  prepared[1] = reinterpret_cast<uint64_t>(memory);
  extent = 4;
  std::free(run());
  EXPECT_EQ(caller.asked, (std::vector<uint64_t>{12, 16}));
  EXPECT_EQ(prepared[1], reinterpret_cast<uint64_t>(memory));

  // It is for the next run with the extent before.
  extent = 3;
  EXPECT_EQ(run(), memory);
  EXPECT_EQ(caller.asked.size(), 2u);

  obs_executable_destroy(executable);
  obs_program_destroy(program);
  obs_compiler_destroy(compiler);
}

} // namespace
