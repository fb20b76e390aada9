//===- EmulatorDeviceTest.cpp - Host functions on the emulator ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/EmulatorDevice.h"
#include "Obsidian/Runtime/HostProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace mlir;
using namespace mlir::obs::runtime;
using mlir::obs::interpreter::Scalar;

namespace {

// Each block of 4 threads reverses its 4 elements through shared memory; an
// offset moves what is read, to go out of bounds.
constexpr const char *program = R"(module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @reverse4(%in: memref<i32>, %out: memref<i32>, %n: index, %by: index)
      kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %src = memref.reinterpret_cast %in to offset: [0], sizes: [%n], strides: [1]
        : memref<i32> to memref<?xi32>
    %dst = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1]
        : memref<i32> to memref<?xi32>
    %arena = gpu.dynamic_shared_memory
        : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %arena[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<4xi32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %base = arith.muli %b, %c4 : index
    %i = arith.addi %base, %t : index
    %j = arith.addi %i, %by : index
    %v = memref.load %src[%j] : memref<?xi32>
    memref.store %v, %tile[%t] : memref<4xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %r = arith.subi %c3, %t : index
    %w = memref.load %tile[%r] : memref<4xi32, #gpu.address_space<workgroup>>
    memref.store %w, %dst[%i] : memref<?xi32>
    gpu.return
  }
}
func.func @main(%a: memref<?xi32>, %by: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.constant 16 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  %blocks = arith.ceildivui %n, %c4 : index
  %r = gpu.alloc (%n) : memref<?xi32>
  %in = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: []
      : memref<?xi32> to memref<i32>
  %out = memref.reinterpret_cast %r to offset: [0], sizes: [], strides: []
      : memref<?xi32> to memref<i32>
  gpu.launch_func @kernels::@reverse4 blocks in (%blocks, %c1, %c1)
      threads in (%c4, %c1, %c1) dynamic_shared_memory_size %bytes
      args(%in : memref<i32>, %out : memref<i32>, %n : index, %by : index)
  return %r : memref<?xi32>
}
}
)";

class EmulatorDeviceTest : public ::testing::Test {
protected:
  EmulatorDeviceTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
    module = parseSourceString<ModuleOp>(program, &context, "test.mlir");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  EmulatorDevice device;
};

TEST_F(EmulatorDeviceTest, RunsKernelsAndCounts) {
  ASSERT_TRUE(module);
  auto host = HostProgram::create(*module, device);
  ASSERT_TRUE(bool(host)) << llvm::toString(host.takeError());
  host->setTiming(true);
  Type i32 = IntegerType::get(&context, 32);
  std::vector<int32_t> data(12), expected(12);
  std::iota(data.begin(), data.end(), 0);
  for (int i = 0; i < 12; ++i)
    expected[i] = i / 4 * 4 + 3 - i % 4;
  {
    MemoryRef array = llvm::cantFail(MemoryRef::allocate(device, i32, {12}));
    llvm::cantFail(array.copyFrom(data.data()));
    auto results = host->run(
        "main", {array, Scalar::fromInt(IndexType::get(&context), 0)});
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    llvm::cantFail(std::get<MemoryRef>((*results)[0]).copyTo(data.data()));
  }
  EXPECT_EQ(data, expected);
  EXPECT_EQ(device.getNumLiveAllocations(), 0u);
  ASSERT_EQ(host->getLaunches().size(), 1u);
  const LaunchRecord &launch = host->getLaunches()[0];
  EXPECT_EQ(launch.shape.grid.x, 3u);
  EXPECT_EQ(launch.shape.sharedBytes, 16u);
  EXPECT_GT(launch.milliseconds.value_or(0), 0);
  ASSERT_TRUE(launch.counters);
  // One barrier in each of 3 blocks; 12 elements of 4 bytes in and out.
  EXPECT_EQ(launch.counters->blockBarriers, 3u);
  EXPECT_EQ(launch.counters->globalBytesLoaded, 48u);
  EXPECT_EQ(launch.counters->globalBytesStored, 48u);
}

TEST_F(EmulatorDeviceTest, ErrorsOfAKernelHaveBothPlaces) {
  ASSERT_TRUE(module);
  auto host = HostProgram::create(*module, device);
  ASSERT_TRUE(bool(host)) << llvm::toString(host.takeError());
  Type i32 = IntegerType::get(&context, 32);
  {
    MemoryRef array = llvm::cantFail(MemoryRef::allocate(device, i32, {12}));
    auto results = host->run(
        "main", {array, Scalar::fromInt(IndexType::get(&context), 1)});
    ASSERT_FALSE(bool(results));
    std::string text = llvm::toString(results.takeError());
    EXPECT_NE(text.find("test.mlir:21:10: out-of-bounds: "), std::string::npos)
        << text;
    EXPECT_NE(text.find("in kernel 'reverse4' launched at test.mlir:42:3"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(device.getNumLiveAllocations(), 0u);
}

TEST_F(EmulatorDeviceTest, ChecksItsOwnCopies) {
  DevicePtr pointer = llvm::cantFail(device.allocate(8));
  char data[16] = {};
  EXPECT_TRUE(bool(device.copyToDevice(pointer, data, 8)) == false);
  llvm::Error tooMany = device.copyToDevice(pointer, data, 9);
  EXPECT_TRUE(bool(tooMany));
  llvm::consumeError(std::move(tooMany));
  llvm::Error tooFar = device.copyToHost(data, pointer + 4, 8);
  EXPECT_TRUE(bool(tooFar));
  llvm::consumeError(std::move(tooFar));
  llvm::cantFail(device.free(pointer));
}

} // namespace
