//===- CheckTest.cpp - Errors of kernels that the emulator finds ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestMachine.h"

using namespace mlir::obs::emulator;
using namespace mlir::obs::emulator::test;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Stores thread ids into the first %n elements of %r.
static std::string storeKernel() {
  return kernel("%r: memref<i32>, %n: index",
                R"(%t = gpu.thread_id x
%v = memref.reinterpret_cast %r to offset: [0], sizes: [%n], strides: [1] : memref<i32> to memref<?xi32>
%i = arith.index_cast %t : index to i32
memref.store %i, %v[%t] : memref<?xi32>)");
}

TEST(Bounds, IndexOutsideOfItsMemRef) {
  TestMachine m(storeKernel());
  int32_t *r = m.upload(std::vector<int32_t>(8));
  ASSERT_EQ(m.launch(1, 8, 0, r, int64_t(8)), "");
  std::string error = m.launch(1, 9, 0, r, int64_t(8));
  EXPECT_TRUE(isError(error, 5, "out-of-bounds"));
  EXPECT_TRUE(contains(error, "store by thread 8 of block 0 with index 8 in "
                              "dimension 0 of extent 8"));
  // The machine is as good as before.
  EXPECT_EQ(m.launch(1, 8, 0, r, int64_t(8)), "");
}

TEST(Bounds, AddressOutsideOfItsAllocation) {
  TestMachine m(storeKernel());
  int32_t *r = m.upload(std::vector<int32_t>(8));
  std::string error = m.launch(3, 12, 0, r, int64_t(12));
  EXPECT_TRUE(isError(error, 5, "out-of-bounds"));
  EXPECT_TRUE(contains(error, "store of 4 bytes by thread 8 of block 0; its "
                              "first byte is 0 bytes past the end of an "
                              "allocation of 32 bytes"));
  EXPECT_TRUE(contains(error, "[kernel k]"));
}

TEST(Bounds, FreedMemory) {
  TestMachine m(storeKernel());
  int32_t *r = m.upload(std::vector<int32_t>(8));
  ASSERT_EQ(m.launch(1, 8, 0, r, int64_t(8)), "");
  llvm::cantFail(m.machine->free(r));
  EXPECT_TRUE(isError(m.launch(1, 8, 0, r, int64_t(8)), 5, "out-of-bounds"));
}

TEST(Bounds, NullPointer) {
  TestMachine m(storeKernel());
  int32_t *r = nullptr;
  std::string error = m.launch(1, 1, 0, r, int64_t(1));
  EXPECT_TRUE(isError(error, 5, "out-of-bounds"));
  EXPECT_TRUE(contains(error, "null address"));
}

TEST(Bounds, NegativeIndexAndSecondDimension) {
  TestMachine m(kernel("%r: memref<f32>, %i: index, %j: index",
                       R"(
%v = memref.reinterpret_cast %r to offset: [0], sizes: [4, 5], strides: [5, 1] : memref<f32> to memref<4x5xf32>
%x = memref.load %v[%i, %j] : memref<4x5xf32>)"));
  float *r = m.upload(std::vector<float>(20));
  ASSERT_EQ(m.launch(1, 1, 0, r, int64_t(3), int64_t(4)), "");
  // Inside of the allocation, outside of the row.
  std::string error = m.launch(1, 1, 0, r, int64_t(0), int64_t(5));
  EXPECT_TRUE(isError(error, 4, "out-of-bounds"));
  EXPECT_TRUE(contains(error, "index 5 in dimension 1 of extent 5"));
  error = m.launch(1, 1, 0, r, int64_t(-1), int64_t(7));
  EXPECT_TRUE(contains(error, "index -1 in dimension 0 of extent 4"));
}

TEST(Bounds, SharedMemory) {
  // Two buffers of 16 elements in the arena: %s[16] is %u[0].
  std::string text = kernel("%i: index",
                            R"(
%dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%c0 = arith.constant 0 : index
%c64 = arith.constant 64 : index
%one = arith.constant 1 : i32
%s = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xi32, #gpu.address_space<workgroup>>
%u = memref.view %dyn[%c64][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<16xi32, #gpu.address_space<workgroup>>
memref.store %one, %s[%i] : memref<16xi32, #gpu.address_space<workgroup>>
memref.store %one, %u[%i] : memref<16xi32, #gpu.address_space<workgroup>>)");
  TestMachine m(text);
  ASSERT_EQ(m.launch(1, 1, 128, int64_t(15)), "");
  EXPECT_TRUE(isError(m.launch(1, 1, 128, int64_t(16)), 9, "out-of-bounds"));
  // The arena is too small for the second buffer.
  std::string error = m.launch(1, 1, 100, int64_t(15));
  EXPECT_TRUE(isError(error, 10, "out-of-bounds"));
  EXPECT_TRUE(
      contains(error, "at byte 124 of the block's 100 bytes of shared"));
}

TEST(Bounds, PrivateMemory) {
  TestMachine m(kernel("%i: index, %r: memref<i32>",
                       R"(
%p = memref.alloca() : memref<8xi32>
%one = arith.constant 1 : i32
memref.store %one, %p[%i] : memref<8xi32>
%x = memref.load %p[%i] : memref<8xi32>
memref.store %x, %r[] : memref<i32>)"));
  int32_t *r = m.upload(std::vector<int32_t>(1));
  ASSERT_EQ(m.launch(1, 1, 0, int64_t(7), r), "");
  EXPECT_EQ(*r, 1);
  EXPECT_TRUE(isError(m.launch(1, 1, 0, int64_t(8), r), 5, "out-of-bounds"));
}

TEST(Bounds, PrivateMemoryThroughASubview) {
  // The index is right for the subview, but the subview is not inside.
  TestMachine m(kernel("%o: index, %r: memref<i32>",
                       R"(
%p = memref.alloca() : memref<8xi32>
%c1 = arith.constant 1 : index
%seven = arith.constant 7 : i32
%v = memref.subview %p[%o] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: ?>>
memref.store %seven, %v[%c1] : memref<4xi32, strided<[1], offset: ?>>
%x = memref.load %v[%c1] : memref<4xi32, strided<[1], offset: ?>>
memref.store %x, %r[] : memref<i32>)"));
  int32_t *r = m.upload(std::vector<int32_t>(1));
  ASSERT_EQ(m.launch(1, 1, 0, int64_t(4), r), "");
  EXPECT_EQ(*r, 7);
  EXPECT_TRUE(
      isError(m.launch(1, 1, 0, int64_t(1) << 20, r), 7, "out-of-bounds"));
}

TEST(Bounds, AtomicsAndVectors) {
  TestMachine m(kernel("%i: index, %r: memref<i32>",
                       R"(
%v = memref.reinterpret_cast %r to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
%x = vector.load %v[%i] : memref<8xi32>, vector<4xi32>
%one = arith.constant 1 : i32
%c4 = arith.constant 4 : index
%j = arith.addi %i, %c4 : index
%0 = memref.atomic_rmw addi %one, %v[%j] : (i32, memref<8xi32>) -> i32)"));
  int32_t *r = m.upload(std::vector<int32_t>(8));
  ASSERT_EQ(m.launch(1, 1, 0, int64_t(3), r), "");
  EXPECT_EQ(r[7], 1);
  EXPECT_TRUE(isError(m.launch(1, 1, 0, int64_t(4), r), 8, "out-of-bounds"));
  EXPECT_TRUE(isError(m.launch(1, 1, 0, int64_t(5), r), 4, "out-of-bounds"));
}

TEST(Bounds, ConstantMemoryIsNotWritten) {
  TestMachine m(kernel("%i: i32",
                       R"(
%t = memref.get_global @table : memref<4xi32>
%c0 = arith.constant 0 : index
memref.store %i, %t[%c0] : memref<4xi32>)",
                       "memref.global constant @table : memref<4xi32> = "
                       "dense<[1, 2, 3, 4]>"));
  EXPECT_TRUE(isError(m.launch(1, 1, 0, 5), 5, "out-of-bounds"));
}

TEST(Bounds, Misaligned) {
  TestMachine m(kernel("%i: index",
                       R"(
%dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%c0 = arith.constant 0 : index
%one = arith.constant 1 : i32
%s = memref.view %dyn[%i][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xi32, #gpu.address_space<workgroup>>
memref.store %one, %s[%c0] : memref<4xi32, #gpu.address_space<workgroup>>)"));
  ASSERT_EQ(m.launch(1, 1, 64, int64_t(8)), "");
  EXPECT_TRUE(isError(m.launch(1, 1, 64, int64_t(6)), 7, "misaligned-access"));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(Divergence, ThreadEndsWithoutTheBarrier) {
  TestMachine m("gpu.module @m { gpu.func @k(%n: index) kernel {\n"
                "%t = gpu.thread_id x\n"
                "%c = arith.cmpi ult, %t, %n : index\n"
                "cf.cond_br %c, ^a, ^b\n"
                "^a:\n"
                "gpu.barrier\n"
                "gpu.return\n"
                "^b:\n"
                "gpu.return\n"
                "} }");
  EXPECT_EQ(m.launch(2, 64, 0, int64_t(64)), "");
  EXPECT_EQ(m.launch(2, 64, 0, int64_t(0)), "");
  std::string error = m.launch(2, 64, 0, int64_t(40));
  EXPECT_TRUE(isError(error, 6, "divergent-barrier"));
  EXPECT_TRUE(contains(error,
                       "thread 0 of block 0 waits at this block barrier, "
                       "but thread 40 of block 0 has ended at test:9:1"));
}

TEST(Divergence, ThreadsAtDifferentBarriers) {
  TestMachine m(kernel("%n: index",
                       R"(%t = gpu.thread_id x
%c = arith.cmpi ult, %t, %n : index
scf.if %c {
  gpu.barrier
} else {
  gpu.barrier
})"));
  EXPECT_EQ(m.launch(1, 64, 0, int64_t(64)), "");
  std::string error = m.launch(1, 64, 0, int64_t(5));
  EXPECT_TRUE(isError(error, 5, "divergent-barrier"));
  EXPECT_TRUE(contains(error,
                       "thread 0 of block 0 waits at this block barrier, "
                       "but thread 5 of block 0 waits at the block "
                       "barrier at test:7:3"));
}

TEST(Divergence, ThreadsLeaveALoopEarly) {
  TestMachine m(kernel("%n: index",
                       R"(%t = gpu.thread_id x
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%odd = arith.andi %t, %c1 : index
%mine = arith.addi %n, %odd : index
scf.for %i = %c0 to %mine step %c1 {
  gpu.barrier
}
gpu.barrier)"));
  std::string error = m.launch(1, 4, 0, int64_t(3));
  EXPECT_TRUE(isError(error, 10, "divergent-barrier"));
  EXPECT_TRUE(contains(error, "thread 0"));
  EXPECT_TRUE(contains(error, "thread 1"));
  EXPECT_TRUE(contains(error, "test:8:3"));
}

TEST(Divergence, WarpBarrier) {
  std::string text = kernel("%n: index, %mask: i32",
                            R"(%t = gpu.thread_id x
%c = arith.cmpi ult, %t, %n : index
scf.if %c {
  nvvm.bar.warp.sync %mask : i32
})");
  TestMachine m(text);
  EXPECT_EQ(m.launch(1, 64, 0, int64_t(64), 0xFFFFFFFFu), "");
  EXPECT_EQ(m.launch(1, 64, 0, int64_t(16), 0x0000FFFFu), "");
  // A warp with fewer threads than lanes.
  EXPECT_EQ(m.launch(1, 40, 0, int64_t(64), 0xFFFFFFFFu), "");
  std::string error = m.launch(1, 64, 0, int64_t(16), 0xFFFFFFFFu);
  EXPECT_TRUE(isError(error, 5, "divergent-barrier"));
  EXPECT_TRUE(contains(error, "thread 16 of block 0 has ended at test:7:1"));
  error = m.launch(1, 64, 0, int64_t(64), 0x0000FFFFu);
  EXPECT_TRUE(isError(error, 5, "divergent-barrier"));
  EXPECT_TRUE(contains(error, "is not in the mask 0xFFFF"));
}

TEST(Divergence, WarpBarrierAgainstBlockBarrier) {
  TestMachine m(kernel("%n: index",
                       R"(%t = gpu.thread_id x
%all = arith.constant -1 : i32
%c = arith.cmpi ult, %t, %n : index
scf.if %c {
  nvvm.bar.warp.sync %all : i32
}
gpu.barrier)"));
  EXPECT_EQ(m.launch(1, 64, 0, int64_t(32)), "");
  std::string error = m.launch(1, 64, 0, int64_t(33));
  EXPECT_TRUE(isError(error, 6, "divergent-barrier"));
  EXPECT_TRUE(
      contains(error, "thread 32 of block 0 waits at this warp barrier"));
  EXPECT_TRUE(contains(error, "thread 33 of block 0 waits at the block barrier "
                              "at test:8:1"));
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

static std::string shuffleKernel(const std::string &mode) {
  return kernel("%o: i32, %w: i32, %n: index",
                R"(%t = gpu.thread_id x
%x = arith.index_cast %t : index to i32
%c = arith.cmpi ult, %t, %n : index
scf.if %c {
  %y, %ok = gpu.shuffle )" +
                    mode + R"( %x, %o, %w : i32
  %z = arith.index_cast %y : i32 to index
  gpu.printf "%lld ", %z : index
})");
}

static MachineOptions withoutOutput() {
  MachineOptions options;
  options.print = [](llvm::StringRef) {};
  return options;
}

TEST(BadShuffle, InactiveLane) {
  TestMachine m(shuffleKernel("down"), withoutOutput());
  EXPECT_EQ(m.launch(1, 64, 0, 1u, 32u, int64_t(64)), "");
  // The second warp has 17 threads: lane 16 reads lane 17.
  std::string error = m.launch(1, 49, 0, 1u, 32u, int64_t(64));
  EXPECT_TRUE(isError(error, 6, "bad-shuffle"));
  EXPECT_TRUE(contains(error, "thread 48 of block 0 (lane 16) reads lane 17, "
                              "which is not active: the warp has 17 threads"));
}

TEST(BadShuffle, SourceOutsideOfTheWidth) {
  TestMachine m(shuffleKernel("idx"), withoutOutput());
  EXPECT_EQ(m.launch(1, 32, 0, 15u, 16u, int64_t(64)), "");
  EXPECT_TRUE(
      isError(m.launch(1, 32, 0, 20u, 16u, int64_t(64)), 6, "bad-shuffle"));
  EXPECT_TRUE(
      isError(m.launch(1, 32, 0, 32u, 32u, int64_t(64)), 6, "bad-shuffle"));
  EXPECT_TRUE(
      isError(m.launch(1, 32, 0, 0u, 33u, int64_t(64)), 6, "bad-shuffle"));
}

TEST(BadShuffle, LaneThatDoesNotTakePart) {
  TestMachine m(shuffleKernel("xor"), withoutOutput());
  // Only the first `width` lanes must be there.
  EXPECT_EQ(m.launch(1, 32, 0, 1u, 16u, int64_t(16)), "");
  std::string error = m.launch(1, 32, 0, 1u, 32u, int64_t(16));
  EXPECT_TRUE(isError(error, 6, "divergent-shuffle"));
  EXPECT_TRUE(contains(error, "thread 16 of block 0 has ended"));
}

TEST(BadShuffle, LanesAtDifferentShuffles) {
  TestMachine m(kernel("%n: index, %w: i32",
                       R"(%t = gpu.thread_id x
%x = arith.index_cast %t : index to i32
%o = arith.constant 1 : i32
%c = arith.cmpi ult, %t, %n : index
scf.if %c {
  %y, %ok = gpu.shuffle xor %x, %o, %w : i32
} else {
  %y, %ok = gpu.shuffle xor %x, %o, %w : i32
})"));
  EXPECT_EQ(m.launch(1, 64, 0, int64_t(32), 32u), "");
  std::string error = m.launch(1, 64, 0, int64_t(40), 32u);
  EXPECT_TRUE(isError(error, 7, "divergent-shuffle"));
  EXPECT_TRUE(contains(error, "thread 40 of block 0 waits at the shuffle at "
                              "test:9:"));
}

//===----------------------------------------------------------------------===//
// Deadlock, assertions, observers
//===----------------------------------------------------------------------===//

/// One thread waits until %f becomes 1.
static std::string waitKernel(const std::string &load) {
  return kernel("%f: memref<i32>",
                kFlagPointer + std::string(R"(%zero = arith.constant 0 : i32
scf.while : () -> () {
  %x = )") + load + R"(
  %again = arith.cmpi ne, %x, %one : i32
  scf.condition(%again)
} do {
  scf.yield
}
gpu.barrier)");
}

class DeadlockTest : public ::testing::TestWithParam<const char *> {};

TEST_P(DeadlockTest, SpinOnAFlagThatNobodySets) {
  for (Schedule schedule : {Schedule::Ticket, Schedule::Random}) {
    MachineOptions options;
    options.schedule = schedule;
    TestMachine m(waitKernel(GetParam()), options);
    ASSERT_EQ(m.createError, "");
    int32_t *f = m.upload(std::vector<int32_t>{1});
    EXPECT_EQ(m.launch(2, 40, 0, f), "");
    *f = 0;
    std::string error = m.launch(2, 40, 0, f);
    EXPECT_TRUE(isError(error, 8, "deadlock"));
    EXPECT_TRUE(contains(error, "spins here"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Loads, DeadlockTest,
    ::testing::Values(
        "llvm.load volatile %p : !llvm.ptr -> i32",
        "llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32",
        "memref.atomic_rmw ori %zero, %f[] : (i32, memref<i32>) -> i32",
        "memref.load %f[] : memref<i32>"));

TEST(EndlessLoop, LoopWithoutMemory) {
  MachineOptions options;
  options.maxIterations = 1 << 28;
  TestMachine m(kernel("%c: i1",
                       R"(scf.while : () -> () {
  scf.condition(%c)
} do {
  scf.yield
})"),
                options);
  EXPECT_EQ(m.launch(1, 1, 0, false), "");
  EXPECT_TRUE(isError(m.launch(1, 1, 0, true), 2, "endless-loop"));
}

/// Thread 0 sets the flag `f` after `n` iterations of a loop without a bound,
/// and the other threads wait for it.
static std::string computeKernel() {
  return kernel("%n: i64, %f: memref<i32>",
                kFlagPointer + std::string(R"(%zero = arith.constant 0 : i64
%step = arith.constant 1 : i64
%first = arith.constant 0 : index
%t = gpu.thread_id x
%isFirst = arith.cmpi eq, %t, %first : index
scf.if %isFirst {
  %last = scf.while (%i = %zero) : (i64) -> i64 {
    %more = arith.cmpi ne, %i, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    %next = arith.addi %i, %step : i64
    scf.yield %next : i64
  }
  memref.store %one, %f[] : memref<i32>
} else {
  scf.while : () -> () {
    %x = llvm.load volatile %p : !llvm.ptr -> i32
    %again = arith.cmpi ne, %x, %one : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
})"));
}

// The budget of idle steps is spent many times before thread 0 is ready.
TEST(EndlessLoop, ThreadThatComputesIsNoDeadlock) {
  for (Schedule schedule : {Schedule::Ticket, Schedule::Random}) {
    MachineOptions options;
    options.schedule = schedule;
    options.stepBudget = 1000;
    TestMachine m(computeKernel(), options);
    ASSERT_EQ(m.createError, "");
    int32_t *f = m.upload(std::vector<int32_t>{0});
    EXPECT_EQ(m.launch(1, 40, 0, int64_t(20) << 20, f), "");
    EXPECT_EQ(*f, 1);
  }
}

TEST(EndlessLoop, LimitIsAnOption) {
  MachineOptions options;
  options.stepBudget = 1000;
  options.maxIterations = 10 << 20;
  TestMachine m(computeKernel(), options);
  ASSERT_EQ(m.createError, "");
  int32_t *f = m.upload(std::vector<int32_t>{0});
  std::string error = m.launch(1, 40, 0, int64_t(20) << 20, f);
  EXPECT_TRUE(isError(error, 12, "endless-loop"));
  EXPECT_TRUE(contains(error, "--max-iterations"));
  *f = 0;
  m.machine->options().maxIterations = 30 << 20;
  EXPECT_EQ(m.launch(1, 40, 0, int64_t(20) << 20, f), "");
}

TEST(Assert, FailsWithMessage) {
  TestMachine m(kernel("%n: index",
                       R"(%t = gpu.thread_id x
%c = arith.cmpi ult, %t, %n : index
cf.assert %c, "the thread is small")"));
  EXPECT_EQ(m.launch(1, 64, 0, int64_t(64)), "");
  std::string error = m.launch(1, 64, 0, int64_t(50));
  EXPECT_TRUE(isError(error, 4, "assertion-failed"));
  EXPECT_TRUE(contains(error, "the thread is small (thread 50 of block 0)"));
}

namespace {
struct Recorder : AccessObserver {
  uint64_t accesses = 0, barriers = 0, blocks = 0, forbidden = ~uint64_t(0);
  void blockBegins(uint64_t, const void *, uint64_t) override { ++blocks; }
  bool access(const AccessEvent &event, std::string &message) override {
    if (accesses++ != forbidden)
      return true;
    message = event.location.str() + ": test-check: no";
    return false;
  }
  void blockBarrier(uint64_t, llvm::StringRef location) override {
    EXPECT_TRUE(contains(location.str(), "test:6:"));
    ++barriers;
  }
};
} // namespace

TEST(Observer, SeesAndStops) {
  TestMachine m(kernel("%r: memref<i32>",
                       R"(%t = gpu.thread_id x
%v = memref.reinterpret_cast %r to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
%x = memref.load %v[%t] : memref<64xi32>
memref.store %x, %v[%t] : memref<64xi32>
gpu.barrier)"));
  int32_t *r = m.upload(std::vector<int32_t>(64));
  Recorder recorder;
  m.machine->addObserver(&recorder);
  EXPECT_EQ(m.launch(3, 64, 0, r), "");
  EXPECT_EQ(recorder.accesses, 3u * 2 * 64);
  EXPECT_EQ(recorder.barriers, 3u);
  EXPECT_EQ(recorder.blocks, 3u);
  recorder.forbidden = recorder.accesses + 5;
  EXPECT_TRUE(isError(m.launch(3, 64, 0, r), 5, "test-check"));
}

//===----------------------------------------------------------------------===//
// Operations that the emulator does not take
//===----------------------------------------------------------------------===//

TEST(Unsupported, IsAnErrorWithALocation) {
  TestMachine barrier(kernel("%r: memref<f32>", R"(
%c = arith.constant 1.0 : f32
%x = gpu.all_reduce add %c {} : (f32) -> f32)"));
  EXPECT_TRUE(contains(barrier.createError,
                       "test:4:6: 'gpu.all_reduce' op is not supported by the "
                       "emulator"));
  TestMachine argument(kernel("%r: memref<?xf32>", ""));
  EXPECT_TRUE(contains(argument.createError, "argument 0 of type"));
  TestMachine dynamic(kernel("%n: index", R"(
%p = memref.alloca(%n) : memref<?xf32>)"));
  EXPECT_TRUE(contains(dynamic.createError, "its shape must be static"));
  TestMachine format(kernel("%x: f32", R"(
gpu.printf "%d", %x : f32)"));
  EXPECT_TRUE(
      contains(format.createError,
               "test:3:1: format \"%d\": argument number 1 is a float"));
}

TEST(Unsupported, Launches) {
  TestMachine m(kernel("%x: f32", ""));
  EXPECT_TRUE(contains(m.launch(1, 1025, 0, 1.0f), "it must be 1 to 1024"));
  EXPECT_TRUE(contains(m.launch(1, 0, 0, 1.0f), "it must be 1 to 1024"));
  std::vector<void *> none;
  EXPECT_TRUE(contains(
      llvm::toString(m.machine->launch("other", Dim3{}, Dim3{}, 0, none)),
      "there is no kernel named 'other'"));
}
