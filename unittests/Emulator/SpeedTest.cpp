//===- SpeedTest.cpp - The emulator is fast enough for tests --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestMachine.h"

#include <chrono>
#include <numeric>

using namespace mlir;
using namespace mlir::obs::emulator;
using namespace mlir::obs::emulator::test;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// 10 barriers, each between a store and a load of shared memory.
static std::string rotateKernel() {
  return kernel("%a: memref<i32>, %n: index", R"(
    %av = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
        : memref<i32> to memref<?xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %t = gpu.thread_id x
    %bd = gpu.block_dim x
    %g = gpu.global_id x
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dyn[%c0][%bd] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<?xi32, #gpu.address_space<workgroup>>
    %x = memref.load %av[%g] : memref<?xi32>
    %next = arith.addi %t, %c1 : index
    %from = arith.remui %next, %bd : index
    %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %x) -> i32 {
      memref.store %v, %s[%t] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %s[%from] : memref<?xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      scf.yield %w : i32
    }
    memref.store %y, %av[%g] : memref<?xi32>)");
}

TEST(Speed, AMillionThreadsThroughTenBarriers) {
  auto start = std::chrono::steady_clock::now();
  TestMachine m(rotateKernel());
  ASSERT_EQ(m.createError, "");
  RecordProperty("compile_ms", int(1e3 * secondsSince(start)));
  constexpr int64_t n = 1 << 20;
  std::vector<int32_t> data(n);
  std::iota(data.begin(), data.end(), 0);
  int32_t *a = m.upload(data);
  start = std::chrono::steady_clock::now();
  ASSERT_EQ(m.launch(n / 256, 256, 1024, a, n), "");
  double seconds = secondsSince(start);
  RecordProperty("run_ms", int(1e3 * seconds));
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(a[i], i / 256 * 256 + (i + 5) % 256);
  EXPECT_EQ(m.stats.blockBarriers, uint64_t(10 * n / 256));
  EXPECT_LT(seconds, 5.0);
}

TEST(Speed, SmallKernelsCompileFast) {
  TestMachine warmUp(rotateKernel());
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    gpu::GPUModuleOp module =
        *warmUp.module->getOps<gpu::GPUModuleOp>().begin();
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<std::unique_ptr<Machine>> machine = Machine::create(module);
    ASSERT_TRUE(static_cast<bool>(machine));
    best = std::min(best, secondsSince(start));
  }
  RecordProperty("compile_ms", int(1e3 * best));
  EXPECT_LT(best, 0.3);
}
