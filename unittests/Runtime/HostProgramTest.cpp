//===- HostProgramTest.cpp - Host functions on a device of C++ ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/HostProgram.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "TestDevice.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace mlir;
using namespace mlir::obs::runtime;
using mlir::obs::interpreter::Scalar;

namespace {

/// A gpu.module with the kernels of the tests; their bodies are in C++.
constexpr const char *kernelModule = R"(
  gpu.module @kernels {
    gpu.func @scale(%a: memref<i32>, %n: index, %by: i32) kernel { gpu.return }
    gpu.func @count(%a: memref<i32>, %n: memref<i32>) kernel {
      %c0 = arith.constant 0 : index
      %v = memref.load %a[] : memref<i32>
      memref.store %v, %n[] : memref<i32>
      gpu.return
    }
    gpu.func @fail(%a: memref<i32>) kernel { gpu.return }
    gpu.func @take(%a: memref<i8>, %b: i1, %c: i8, %d: i16, %e: f32, %f: f64)
        kernel { gpu.return }
  }
)";

class HostProgramTest : public ::testing::Test {
protected:
  HostProgramTest() {
    context
        .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                     func::FuncDialect, gpu::GPUDialect, math::MathDialect,
                     memref::MemRefDialect, obs::ObsDialect, scf::SCFDialect>();
    i32 = IntegerType::get(&context, 32);
    device.kernels["scale"] = [](const LaunchShape &shape,
                                 ArrayRef<void *> parameters) {
      auto *data = *static_cast<int32_t **>(parameters[0]);
      auto count = *static_cast<int64_t *>(parameters[1]);
      auto by = *static_cast<int32_t *>(parameters[2]);
      for (int64_t i = 0; i < count; ++i)
        data[i] *= by;
      return llvm::Error::success();
    };
    device.kernels["count"] = [](const LaunchShape &,
                                 ArrayRef<void *> parameters) {
      **static_cast<int32_t **>(parameters[1]) =
          **static_cast<int32_t **>(parameters[0]);
      return llvm::Error::success();
    };
    device.kernels["fail"] = [](const LaunchShape &, ArrayRef<void *>) {
      return llvm::createStringError("k.mlir:4:2: out-of-bounds: far out");
    };
  }

  ~HostProgramTest() override {
    results.clear();
    EXPECT_EQ(device.getNumLiveAllocations(), 0u);
    EXPECT_EQ(device.getLiveBytes(), 0u);
  }

  /// Parses `source`, whose functions begin at line 1 of `test.mlir`.
  void parse(StringRef source) {
    std::string text = "module attributes {gpu.container_module} {" +
                       source.str() + kernelModule + "}";
    module = parseSourceString<ModuleOp>(text, &context, "test.mlir");
    ASSERT_TRUE(module);
    program = std::make_unique<HostProgram>(
        llvm::cantFail(HostProgram::create(*module, device)));
  }

  MemoryRef makeArray(ArrayRef<int32_t> data, ArrayRef<int64_t> sizes) {
    MemoryRef array = llvm::cantFail(MemoryRef::allocate(device, i32, sizes));
    llvm::cantFail(array.copyFrom(data.data()));
    return array;
  }
  MemoryRef makeArray(ArrayRef<int32_t> data) {
    return makeArray(data, {static_cast<int64_t>(data.size())});
  }

  /// Runs @main; its results are in `results`.
  void run(ArrayRef<RuntimeValue> arguments = {}) {
    auto returned = program->run("main", arguments);
    if (!returned) {
      FAIL() << llvm::toString(returned.takeError());
    }
    results = std::move(*returned);
  }
  std::string runToError(ArrayRef<RuntimeValue> arguments = {}) {
    auto returned = program->run("main", arguments);
    if (returned)
      return "no error";
    return llvm::toString(returned.takeError());
  }

  std::vector<int32_t> getArray(unsigned result) {
    const auto &array = std::get<MemoryRef>(results[result]);
    std::vector<int32_t> data(array.getNumElements());
    llvm::cantFail(array.copyTo(data.data()));
    return data;
  }
  int64_t getInt(unsigned result) {
    return std::get<Scalar>(results[result]).getSInt();
  }

  MLIRContext context;
  Type i32;
  TestDevice device;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<HostProgram> program;
  SmallVector<RuntimeValue> results;
};

TEST_F(HostProgramTest, AllocatesCopiesAndLaunches) {
  parse(R"(func.func @main(%a: memref<?xi32>, %by: i32) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %shared = arith.constant 256 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  %r = gpu.alloc (%n) : memref<?xi32>
  gpu.memcpy %r, %a : memref<?xi32>, memref<?xi32>
  %p = memref.reinterpret_cast %r to offset: [0], sizes: [], strides: []
      : memref<?xi32> to memref<i32>
  gpu.launch_func @kernels::@scale blocks in (%c2, %c1, %c1)
      threads in (%c64, %c1, %c1) dynamic_shared_memory_size %shared
      args(%p : memref<i32>, %n : index, %by : i32)
  return %r : memref<?xi32>
})");
  program->setTiming(true);
  MemoryRef input = makeArray({1, 2, 3, 4, 5});
  run({input, Scalar::fromInt(i32, -3)});
  EXPECT_EQ(getArray(0), (std::vector<int32_t>{-3, -6, -9, -12, -15}));
  ASSERT_EQ(program->getLaunches().size(), 1u);
  const LaunchRecord &launch = program->getLaunches()[0];
  EXPECT_EQ(launch.kernel, "scale");
  EXPECT_EQ(launch.shape.grid.x, 2u);
  EXPECT_EQ(launch.shape.block.x, 64u);
  EXPECT_EQ(launch.shape.sharedBytes, 256u);
  EXPECT_EQ(launch.milliseconds, 2.5);
  EXPECT_FALSE(launch.counters);
  // Only the input and the result live, and each has 5 elements.
  EXPECT_EQ(device.getNumLiveAllocations(), 2u);
  EXPECT_EQ(device.getLiveBytes(), 40u);
}

TEST_F(HostProgramTest, NumbersOfBlocksHaveAnyType) {
  parse(R"(func.func @main(%blocks: i64, %a: memref<i32>, %n: memref<i32>) {
  %c1 = arith.constant 1 : i64
  gpu.launch_func @kernels::@count blocks in (%blocks, %c1, %c1)
      threads in (%c1, %c1, %c1) : i64 args(%a : memref<i32>, %n : memref<i32>)
  return
})");
  run({Scalar::fromInt(IntegerType::get(&context, 64), 3), makeArray({7}, {}),
       makeArray({8}, {})});
  ASSERT_EQ(program->getLaunches().size(), 1u);
  EXPECT_EQ(program->getLaunches()[0].shape.grid.x, 3u);
}

TEST_F(HostProgramTest, PassesEveryScalarInItsLayout) {
  parse(
      R"(func.func @main(%a: memref<4xi8>, %b: i1, %c: i8, %d: i16, %e: f32, %f: f64) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = memref.reinterpret_cast %a to offset: [3], sizes: [], strides: []
      : memref<4xi8> to memref<i8, strided<[], offset: 3>>
  %q = memref.reinterpret_cast %p to offset: [2], sizes: [], strides: []
      : memref<i8, strided<[], offset: 3>> to memref<i8, strided<[], offset: 2>>
  %s = memref.reinterpret_cast %q to offset: [0], sizes: [], strides: []
      : memref<i8, strided<[], offset: 2>> to memref<i8>
  gpu.launch_func @kernels::@take blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1)
      args(%s : memref<i8>, %b : i1, %c : i8, %d : i16, %e : f32, %f : f64)
  return
})");
  bool called = false;
  MemoryRef array = llvm::cantFail(
      MemoryRef::allocate(device, IntegerType::get(&context, 8), {4}));
  DevicePtr base = array.buffer->getAddress();
  device.kernels["take"] = [&](const LaunchShape &, ArrayRef<void *> values) {
    called = true;
    EXPECT_EQ(values.size(), 6u);
    // The offset of a reinterpret_cast counts from the start of the buffer.
    EXPECT_EQ(*static_cast<DevicePtr *>(values[0]), base);
    EXPECT_EQ(*static_cast<uint8_t *>(values[1]), 1u);
    EXPECT_EQ(*static_cast<int8_t *>(values[2]), -2);
    EXPECT_EQ(*static_cast<int16_t *>(values[3]), -300);
    EXPECT_EQ(*static_cast<float *>(values[4]), 0.25f);
    EXPECT_EQ(*static_cast<double *>(values[5]), -1e100);
    return llvm::Error::success();
  };
  Builder b(&context);
  run({array, Scalar::fromInt(b.getI1Type(), 1),
       Scalar::fromInt(b.getI8Type(), -2),
       Scalar::fromInt(b.getI16Type(), -300),
       Scalar::fromDouble(b.getF32Type(), 0.25),
       Scalar::fromDouble(b.getF64Type(), -1e100)});
  EXPECT_TRUE(called);
}

TEST_F(HostProgramTest, LoopsCarryScalarsAndArrays) {
  // 10! by scf.for, and a ring of buffers: the result of one iteration is the
  // input of the next, and the old one is freed.
  parse(R"(func.func @main(%a: memref<?xi32>) -> (i32, memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  %f, %last = scf.for %i = %c1 to %c11 step %c1
      iter_args(%p = %one, %m = %a) -> (i32, memref<?xi32>) {
    %ii = arith.index_cast %i : index to i32
    %q = arith.muli %p, %ii : i32
    %next = gpu.alloc (%n) : memref<?xi32>
    gpu.memcpy %next, %m : memref<?xi32>, memref<?xi32>
    %ptr = memref.reinterpret_cast %next to offset: [0], sizes: [], strides: []
        : memref<?xi32> to memref<i32>
    gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
        args(%ptr : memref<i32>, %n : index, %two : i32)
    scf.yield %q, %next : i32, memref<?xi32>
  }
  return %f, %last : i32, memref<?xi32>
})");
  run({makeArray({1, 7})});
  EXPECT_EQ(getInt(0), 3628800);
  EXPECT_EQ(getArray(1), (std::vector<int32_t>{1024, 7168}));
  EXPECT_EQ(program->getLaunches().size(), 10u);
  // At most the argument, the current and the next array lived at once.
  EXPECT_LE(device.getPeakBytes(), 24u);
}

TEST_F(HostProgramTest, WhileComputesAGreatestCommonDivisor) {
  parse(R"(func.func @main(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %y, %zero : i32
    scf.condition(%more) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %rest = arith.remsi %x, %y : i32
    scf.yield %y, %rest : i32, i32
  }
  return %r#0 : i32
})");
  run({Scalar::fromInt(i32, 462), Scalar::fromInt(i32, 1071)});
  EXPECT_EQ(getInt(0), std::gcd(462, 1071));
}

TEST_F(HostProgramTest, IfChoosesARegion) {
  parse(R"(func.func @main(%c: i1) -> i32 {
  %r = scf.if %c -> i32 {
    %a = arith.constant 5 : i32
    scf.yield %a : i32
  } else {
    %b = arith.constant 6 : i32
    scf.yield %b : i32
  }
  scf.if %c {
    %d = arith.constant 7 : i32
  }
  return %r : i32
})");
  Type i1 = IntegerType::get(&context, 1);
  run({Scalar::fromInt(i1, 1)});
  EXPECT_EQ(getInt(0), 5);
  run({Scalar::fromInt(i1, 0)});
  EXPECT_EQ(getInt(0), 6);
}

TEST_F(HostProgramTest, LoopBoundsThatWouldWrapAround) {
  // 250 and 254 only: the next would be 2.
  parse(R"(func.func @main(%l: i8, %u: i8, %s: i8) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = scf.for unsigned %i = %l to %u step %s iter_args(%c = %zero) -> i32 : i8 {
    %d = arith.addi %c, %one : i32
    scf.yield %d : i32
  }
  return %n : i32
})");
  Type i8 = IntegerType::get(&context, 8);
  run({Scalar::fromInt(i8, 250), Scalar::fromInt(i8, 255),
       Scalar::fromInt(i8, 4)});
  EXPECT_EQ(getInt(0), 2);
  EXPECT_EQ(runToError({Scalar::fromInt(i8, 0), Scalar::fromInt(i8, 9),
                        Scalar::fromInt(i8, 0)}),
            "test.mlir:4:8: the step of a loop must be positive");
}

TEST_F(HostProgramTest, ReadsOneElementThroughHostMemory) {
  parse(R"(func.func @main(%a: memref<4x?xi32>, %i: index, %j: index) -> i32 {
  %e = memref.alloca() : memref<i32>
  %s = memref.subview %a[%i, %j] [1, 1] [1, 1]
      : memref<4x?xi32> to memref<i32, strided<[], offset: ?>>
  gpu.memcpy %e, %s : memref<i32>, memref<i32, strided<[], offset: ?>>
  %r = memref.load %e[] : memref<i32>
  return %r : i32
})");
  std::vector<int32_t> data(12);
  std::iota(data.begin(), data.end(), 100);
  MemoryRef array = makeArray(data, {4, 3});
  Type index = IndexType::get(&context);
  run({array, Scalar::fromInt(index, 2), Scalar::fromInt(index, 1)});
  EXPECT_EQ(getInt(0), 107);
  EXPECT_EQ(device.numCopiesToHost, 1);
  EXPECT_EQ(
      runToError({array, Scalar::fromInt(index, 4), Scalar::fromInt(index, 0)}),
      "test.mlir:3:8: index 4 of an array of extent 4");
  EXPECT_EQ(runToError(
                {array, Scalar::fromInt(index, 0), Scalar::fromInt(index, -1)}),
            "test.mlir:3:8: index -1 of an array of extent 3");
}

TEST_F(HostProgramTest, FindsNumbersForTheHost) {
  // The kernel only writes %n, and reads %m.
  parse(R"(func.func @main(%a: memref<1xi32>) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = gpu.alloc () : memref<1xi32>
  %m = gpu.alloc () : memref<1xi32>
  %pa = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: []
      : memref<1xi32> to memref<i32>
  %pn = memref.reinterpret_cast %n to offset: [0], sizes: [], strides: []
      : memref<1xi32> to memref<i32>
  %pm = memref.reinterpret_cast %m to offset: [0], sizes: [], strides: []
      : memref<1xi32> to memref<i32>
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%pa : memref<i32>, %pm : memref<i32>)
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%pm : memref<i32>, %pn : memref<i32>)
  %hn = memref.alloca() : memref<1xi32>
  gpu.memcpy %hn, %n : memref<1xi32>, memref<1xi32>
  %hm = memref.alloca() : memref<1xi32>
  gpu.memcpy %hm, %m : memref<1xi32>, memref<1xi32>
  %vn = memref.load %hn[%c0] : memref<1xi32>
  %vm = memref.load %hm[%c0] : memref<1xi32>
  return %vn, %vm : i32, i32
})");
  MemoryRef array = makeArray({5});
  run({array});
  EXPECT_EQ(getInt(0), 5);
  EXPECT_EQ(getInt(1), 5);
  EXPECT_EQ(device.numNumbers, 1);
  EXPECT_EQ(device.numTemporaries, 1);
}

TEST_F(HostProgramTest, DropsWhatNoLaterStepUses) {
  // No operation frees the array of the branch.
  parse(R"(func.func @main(%n: index, %t: i1) {
  %a = scf.if %t -> memref<?xi8> {
    %x = gpu.alloc (%n) : memref<?xi8>
    scf.yield %x : memref<?xi8>
  } else {
    %y = gpu.alloc (%n) : memref<?xi8>
    scf.yield %y : memref<?xi8>
  }
  %v = arith.constant 3 : i8
  gpu.memset %a, %v : memref<?xi8>, i8
  %b = gpu.alloc (%n) : memref<?xi8>
  gpu.memset %b, %v : memref<?xi8>, i8
  return
})");
  device.capacity = 100;
  run({Scalar::fromInt(IndexType::get(&context), 60),
       Scalar::fromInt(IntegerType::get(&context, 1), 1)});
  EXPECT_EQ(device.getPeakBytes(), 60u);
}

TEST_F(HostProgramTest, CopiesAndFillsParts) {
  // The transpose of nothing special: a column is filled, a block is copied.
  parse(R"(func.func @main(%a: memref<4x3xi32>) -> memref<2x2xi32> {
  %v = arith.constant -1 : i32
  %column = memref.subview %a[0, 1] [4, 1] [1, 1]
      : memref<4x3xi32> to memref<4xi32, strided<[3], offset: 1>>
  gpu.memset %column, %v : memref<4xi32, strided<[3], offset: 1>>, i32
  %block = memref.subview %a[0, 0] [2, 2] [2, 2]
      : memref<4x3xi32> to memref<2x2xi32, strided<[6, 2]>>
  %r = gpu.alloc () : memref<2x2xi32>
  gpu.memcpy %r, %block : memref<2x2xi32>, memref<2x2xi32, strided<[6, 2]>>
  return %r : memref<2x2xi32>
})");
  std::vector<int32_t> data(12);
  std::iota(data.begin(), data.end(), 0);
  MemoryRef array = makeArray(data, {4, 3});
  run({array});
  EXPECT_EQ(getArray(0), (std::vector<int32_t>{0, 2, 6, 8}));
  llvm::cantFail(array.copyTo(data.data()));
  EXPECT_EQ(data,
            (std::vector<int32_t>{0, -1, 2, 3, -1, 5, 6, -1, 8, 9, -1, 11}));
}

// A part holds the memory that it is in, also when the array is gone; offsets
// in layouts count from where it begins.
TEST_F(HostProgramTest, PartsBeginInsideOfArrays) {
  parse(R"(func.func @main(%from: index, %n: index)
    -> (memref<?xi32>, memref<2xi32, strided<[1], offset: 1>>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %a = gpu.alloc (%c8) : memref<?xi32>
  gpu.memset %a, %three : memref<?xi32>, i32
  %p = obs.part %a from %from extents(%n) : memref<?xi32> to memref<?xi32>
  %q = obs.part %p from %c1 : memref<?xi32> to memref<2x2xi32>
  %r = memref.reinterpret_cast %q to offset: [0], sizes: [], strides: []
    : memref<2x2xi32> to memref<i32>
  gpu.launch_func @kernels::@scale blocks in (%c1, %c1, %c1)
    threads in (%c1, %c1, %c1)
    args(%r : memref<i32>, %c4 : index, %seven : i32)
  %s = memref.reinterpret_cast %q to offset: [1], sizes: [2], strides: [1]
    : memref<2x2xi32> to memref<2xi32, strided<[1], offset: 1>>
  return %p, %s : memref<?xi32>, memref<2xi32, strided<[1], offset: 1>>
})");
  Type index = IndexType::get(&context);
  run({Scalar::fromInt(index, 2), Scalar::fromInt(index, 6)});
  EXPECT_EQ(device.getNumLiveAllocations(), 1u);
  EXPECT_EQ(getArray(0), (std::vector<int32_t>{3, 21, 21, 21, 21, 3}));
  EXPECT_EQ(std::get<MemoryRef>(results[0]).offset, 2);
  EXPECT_EQ(std::get<MemoryRef>(results[1]).offset, 4);
  results.erase(results.begin());
  EXPECT_EQ(getArray(0), (std::vector<int32_t>{21, 21}));
  results.clear();
  EXPECT_EQ(device.getNumLiveAllocations(), 0u);
  EXPECT_EQ(runToError({Scalar::fromInt(index, 3), Scalar::fromInt(index, 6)}),
            "test.mlir:10:8: a part of 6 elements from element 3 on of an "
            "array of 8 elements");
  EXPECT_EQ(runToError({Scalar::fromInt(index, 4), Scalar::fromInt(index, 4)}),
            "test.mlir:11:8: a part of 4 elements from element 1 on of an "
            "array of 4 elements");
}

TEST_F(HostProgramTest, HostMemoryIsStoredAndLoaded) {
  parse(R"(func.func @main(%i: index) -> i32 {
  %m = memref.alloca() : memref<3xi32>
  %c1 = arith.constant 1 : index
  %v = arith.constant 42 : i32
  memref.store %v, %m[%c1] : memref<3xi32>
  %r = memref.load %m[%i] : memref<3xi32>
  return %r : i32
})");
  Type index = IndexType::get(&context);
  run({Scalar::fromInt(index, 1)});
  EXPECT_EQ(getInt(0), 42);
  EXPECT_EQ(runToError({Scalar::fromInt(index, 3)}),
            "test.mlir:6:8: index 3 of an array of extent 3");
}

TEST_F(HostProgramTest, EmptyArraysAndGrids) {
  parse(R"(func.func @main(%a: memref<?xi32>) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 9 : i32
  %n = memref.dim %a, %c0 : memref<?xi32>
  %r = gpu.alloc (%n) : memref<?xi32>
  gpu.memset %r, %v : memref<?xi32>, i32
  gpu.memcpy %r, %a : memref<?xi32>, memref<?xi32>
  %p = memref.reinterpret_cast %r to offset: [0], sizes: [], strides: []
      : memref<?xi32> to memref<i32>
  gpu.launch_func @kernels::@fail blocks in (%n, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%p : memref<i32>)
  return %r : memref<?xi32>
})");
  run({makeArray({})});
  EXPECT_TRUE(getArray(0).empty());
}

TEST_F(HostProgramTest, ErrorsHavePlacesAndFreeEverything) {
  parse(R"(func.func @main(%a: memref<?xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  %r = gpu.alloc (%n) : memref<?xi32>
  %p = memref.reinterpret_cast %r to offset: [0], sizes: [], strides: []
      : memref<?xi32> to memref<i32>
  gpu.launch_func @kernels::@fail blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%p : memref<i32>)
  return
})");
  Type index = IndexType::get(&context);
  EXPECT_EQ(runToError({makeArray({1}), Scalar::fromInt(index, 8)}),
            "k.mlir:4:2: out-of-bounds: far out\n"
            "  in kernel 'fail' launched at test.mlir:6:3");
  EXPECT_EQ(device.getNumLiveAllocations(), 0u);
  EXPECT_EQ(runToError({makeArray({1}), Scalar::fromInt(index, -8)}),
            "test.mlir:3:8: an array cannot have -8 elements in a dimension");
  EXPECT_EQ(runToError({makeArray({1}), Scalar::fromInt(index, INT64_MAX)}),
            "test.mlir:3:8: an array of more than 2^63 bytes cannot be "
            "allocated");
  device.capacity = 16;
  EXPECT_EQ(runToError({makeArray({1}), Scalar::fromInt(index, 100)}),
            "test.mlir:3:8: out of memory");
}

TEST_F(HostProgramTest, AssertionsAndTraps) {
  parse(R"(func.func @main(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi sge, %a, %zero : i32
  cf.assert %ok, "a must not be negative"
  %r = arith.divsi %a, %b : i32
  return %r : i32
})");
  EXPECT_EQ(runToError({Scalar::fromInt(i32, -1), Scalar::fromInt(i32, 1)}),
            "test.mlir:4:3: assertion-failed: a must not be negative");
  EXPECT_EQ(runToError({Scalar::fromInt(i32, 1), Scalar::fromInt(i32, 0)}),
            "test.mlir:5:8: 'arith.divsi' divides by zero");
}

TEST_F(HostProgramTest, Prints) {
  parse(R"(func.func @main(%a: i32, %b: i1) {
  obs.print "a = {}, 100% {}", %a, %b : i32, i1
  obs.print "end"
  return
})");
  std::string text;
  llvm::raw_string_ostream os(text);
  program->setOutput(os);
  run({Scalar::fromInt(i32, -4),
       Scalar::fromInt(IntegerType::get(&context, 1), 1)});
  EXPECT_EQ(text, "a = -4, 100% true\nend\n");
}

TEST_F(HostProgramTest, MemoryIsNotUsedAfterItIsFreed) {
  parse(R"(func.func @main(%twice: i1) {
  %v = arith.constant 1 : i32
  %r = gpu.alloc () : memref<4xi32>
  gpu.dealloc %r : memref<4xi32>
  scf.if %twice {
    gpu.dealloc %r : memref<4xi32>
  }
  gpu.memset %r, %v : memref<4xi32>, i32
  return
})");
  Type i1 = IntegerType::get(&context, 1);
  EXPECT_EQ(runToError({Scalar::fromInt(i1, 0)}),
            "test.mlir:8:3: an array is used after it was freed");
  EXPECT_EQ(runToError({Scalar::fromInt(i1, 1)}),
            "test.mlir:6:5: an array is freed twice");
}

TEST_F(HostProgramTest, RefusesWhatItDoesNotKnow) {
  parse(R"(func.func @main() {
  %m = memref.alloc() : memref<4xi32>
  return
})");
  EXPECT_EQ(runToError(), "test.mlir:2:8: 'memref.alloc' cannot be executed in "
                          "a host function");
}

TEST_F(HostProgramTest, RefusesWrongArguments) {
  parse(R"(func.func @main(%a: memref<?x2xi32>, %x: f32) {
  return
})");
  Scalar x = Scalar::fromDouble(Float32Type::get(&context), 1);
  MemoryRef right = makeArray({1, 2}, {1, 2});
  run({right, x});
  EXPECT_EQ(runToError({right}), "test.mlir:1:43: function 'main' takes 2 "
                                 "arguments, and 1 are given");
  EXPECT_EQ(runToError({right, Scalar::fromInt(i32, 1)}),
            "test.mlir:1:43: argument 1 of 'main': a scalar of type i32 stands "
            "where f32 is needed");
  EXPECT_EQ(runToError({makeArray({1, 2}), x}),
            "test.mlir:1:43: argument 0 of 'main': an array of rank 1 of i32 "
            "stands where memref<?x2xi32> is needed");
  EXPECT_EQ(runToError({makeArray({1, 2, 3}, {1, 3}), x}),
            "test.mlir:1:43: argument 0 of 'main': an array with 3 elements in "
            "dimension 1 stands where memref<?x2xi32> is needed");
  auto missing = program->run("nothing", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "there is no function 'nothing'");
}

TEST_F(HostProgramTest, HostAndDeviceMemoryAreNotMixedUp) {
  parse(R"(func.func @main() {
  %c1 = arith.constant 1 : index
  %h = memref.alloca() : memref<i32>
  gpu.launch_func @kernels::@fail blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%h : memref<i32>)
  return
})");
  EXPECT_EQ(
      runToError({}),
      "test.mlir:4:3: kernel 'fail' cannot be launched: an array argument "
      "is in the memory of the host");
}

} // namespace
