//===- MachineTest.cpp - Kernels with known results -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestMachine.h"

#include <cmath>

using namespace mlir::obs::emulator;
using namespace mlir::obs::emulator::test;

TEST(Machine, CopyWithGuard) {
  TestMachine m(arrayKernel(R"(
    %in = arith.cmpi ult, %g, %n : index
    scf.if %in {
      %x = memref.load %av[%g] : memref<?xi32>
      memref.store %x, %rv[%g] : memref<?xi32>
    })"));
  for (int64_t n : {1, 31, 100, 1000}) {
    std::vector<int32_t> data = iota(n, 7);
    int32_t *a = m.upload(data), *r = m.upload(std::vector<int32_t>(n));
    ASSERT_EQ(m.launch((n + 63) / 64, 64, 0, a, r, n), "");
    EXPECT_EQ(m.download(r, n), data);
    EXPECT_EQ(m.stats.blocks, uint64_t(n + 63) / 64);
    EXPECT_EQ(m.stats.threads, uint64_t(n + 63) / 64 * 64);
    EXPECT_EQ(m.stats.globalBytesLoaded, 4u * n);
    EXPECT_EQ(m.stats.globalBytesStored, 4u * n);
    EXPECT_EQ(m.stats.sharedBytesLoaded + m.stats.sharedBytesStored, 0u);
  }
}

TEST(Machine, NoBlocksRunNothing) {
  TestMachine m(arrayKernel(""));
  int32_t *a = m.upload(iota(1));
  EXPECT_EQ(m.launch(0, 64, 0, a, a, int64_t(1)), "");
  EXPECT_EQ(m.stats.threads, 0u);
}

static const char *kReverseInShared = R"(
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = memref.view %dyn[%c0][%bd] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<?xi32, #gpu.address_space<workgroup>>
    %x = memref.load %av[%g] : memref<?xi32>
    memref.store %x, %s[%t] : memref<?xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %last = arith.subi %bd, %c1 : index
    %i = arith.subi %last, %t : index
    %y = memref.load %s[%i] : memref<?xi32, #gpu.address_space<workgroup>>
    memref.store %y, %rv[%g] : memref<?xi32>)";

TEST(Machine, BlockBarrierExchange) {
  TestMachine m(arrayKernel(kReverseInShared));
  for (uint32_t threads : {1, 17, 32, 96, 128, 1024}) {
    int64_t n = 3 * threads;
    int32_t *a = m.upload(iota(n)), *r = m.upload(std::vector<int32_t>(n));
    ASSERT_EQ(m.launch(3, threads, 4 * threads, a, r, n), "") << threads;
    std::vector<int32_t> expected = iota(n);
    for (int block = 0; block < 3; ++block)
      std::reverse(expected.begin() + block * threads,
                   expected.begin() + (block + 1) * threads);
    EXPECT_EQ(m.download(r, n), expected);
    EXPECT_EQ(m.stats.blockBarriers, 3u);
    EXPECT_EQ(m.stats.sharedBytesLoaded, 4u * n);
    EXPECT_EQ(m.stats.sharedBytesStored, 4u * n);
  }
}

// The stacks of 1,024 threads are about 2,000 mappings, and a process of Linux
// may have 65,530.
TEST(Machine, ManyMachinesLive) {
  std::vector<std::unique_ptr<TestMachine>> machines;
  for (int i = 0; i < 40; ++i) {
    machines.push_back(
        std::make_unique<TestMachine>(arrayKernel(kReverseInShared)));
    TestMachine &m = *machines.back();
    int32_t *a = m.upload(iota(1024));
    int32_t *r = m.upload(std::vector<int32_t>(1024));
    ASSERT_EQ(m.launch(1, 1024, 4096, a, r, int64_t(1024)), "") << i;
    EXPECT_EQ(r[0], a[1023]);
  }
}

TEST(Machine, BarrierInLoopRotates) {
  TestMachine m(arrayKernel(kRotateInShared));
  for (uint32_t threads : {1, 17, 32, 100, 1024}) {
    int32_t *a = m.upload(iota(threads)), *r = m.upload(iota(threads));
    ASSERT_EQ(m.launch(1, threads, 4 * threads, a, r, int64_t(threads)), "");
    for (uint32_t i = 0; i < threads; ++i)
      EXPECT_EQ(r[i], int32_t((i + 5) % threads));
    EXPECT_EQ(m.stats.blockBarriers, 10u);
  }
}

TEST(Machine, TwoWorkgroupBuffersAndPrivateArray) {
  TestMachine m(R"(
gpu.module @m {
  gpu.func @k(%r: memref<i32>)
      workgroup(%s: memref<32xi32, #gpu.address_space<workgroup>>,
                %u: memref<32xi32, #gpu.address_space<workgroup>>)
      private(%p: memref<4xi32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : i32
    %c31 = arith.constant 31 : index
    %ti = arith.index_cast %t : index to i32
    %tt = arith.muli %ti, %c3 : i32
    memref.store %ti, %s[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    memref.store %tt, %u[%t] : memref<32xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %i = arith.subi %c31, %t : index
    %x = memref.load %s[%i] : memref<32xi32, #gpu.address_space<workgroup>>
    %y = memref.load %u[%i] : memref<32xi32, #gpu.address_space<workgroup>>
    %z = arith.addi %x, %y : i32
    memref.store %z, %p[%c2] : memref<4xi32, #gpu.address_space<private>>
    %w = memref.load %p[%c2] : memref<4xi32, #gpu.address_space<private>>
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [32], strides: [1]
      : memref<i32> to memref<32xi32>
    memref.store %w, %rv[%t] : memref<32xi32>
    gpu.return
  }
})");
  int32_t *r = m.upload(iota(32));
  ASSERT_EQ(m.launch(1, 32, 0, r), "");
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], 4 * (31 - i));
  EXPECT_TRUE(contains(m.launch(1, 64, 0, r), "compiled for blocks of 32x1x1"));
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

struct ShuffleCase {
  const char *mode;
  uint32_t offset, width;
  /// The lane that lane k reads, or -1.
  int (*from)(int k, int offset, int width);
};

class ShuffleTest : public ::testing::TestWithParam<ShuffleCase> {};

TEST_P(ShuffleTest, ClosedForm) {
  const ShuffleCase &c = GetParam();
  for (const char *type : {"i32", "i64", "f32", "f64", "i8", "f16"}) {
    // All values are small integers, so that each type holds them.
    std::string conversion =
        std::string(type)[0] == 'i'
            ? std::string("arith.index_cast %t : index to ")
            : std::string("arith.sitofp %ti : i32 to ");
    std::string back =
        std::string(type)[0] == 'i'
            ? std::string("arith.index_cast %y : ") + type +
                  " to index\n%yi = arith.index_cast %yx : index to i32"
            : std::string("arith.fptosi %y : ") + type +
                  " to i32\n%yi = arith.addi %yx, %c0 : i32";
    TestMachine m(kernel("%r: memref<i32>, %v: memref<i32>, %o: i32, %w: i32",
                         std::string(R"(
      %rv = memref.reinterpret_cast %r to offset: [0], sizes: [64], strides: [1]
        : memref<i32> to memref<64xi32>
      %vv = memref.reinterpret_cast %v to offset: [0], sizes: [64], strides: [1]
        : memref<i32> to memref<64xi32>
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : i32
      %ti = arith.index_cast %t : index to i32
      %x = )") + conversion + type +
                             "\n%y, %ok = gpu.shuffle " + c.mode +
                             " %x, %o, %w : " + type + "\n%yx = " + back + R"(
      %oki = arith.extui %ok : i1 to i32
      memref.store %yi, %rv[%t] : memref<64xi32>
      memref.store %oki, %vv[%t] : memref<64xi32>)"));
    ASSERT_EQ(m.createError, "");
    int32_t *r = m.upload(iota(64)), *v = m.upload(iota(64));
    ASSERT_EQ(m.launch(1, 64, 0, r, v, c.offset, c.width), "") << type;
    for (int t = 0; t < 64; ++t) {
      int lane = t % 32;
      int from = lane < int(c.width) ? c.from(lane, c.offset, c.width) : -1;
      EXPECT_EQ(v[t], from >= 0 ? 1 : 0) << type << " " << t;
      // If the result is not valid it is the thread's own value.
      EXPECT_EQ(r[t], from >= 0 ? t - lane + from : t) << type << " " << t;
    }
    EXPECT_EQ(m.stats.shuffles, 2u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, ShuffleTest,
    ::testing::Values(
        ShuffleCase{"xor", 5, 32, [](int k, int o, int) { return k ^ o; }},
        ShuffleCase{"xor", 16, 32, [](int k, int o, int) { return k ^ o; }},
        ShuffleCase{"up", 3, 32,
                    [](int k, int o, int) { return k < o ? -1 : k - o; }},
        ShuffleCase{"down", 3, 32,
                    [](int k, int o, int w) { return k + o < w ? k + o : -1; }},
        ShuffleCase{"down", 31, 32,
                    [](int k, int o, int w) { return k + o < w ? k + o : -1; }},
        ShuffleCase{"idx", 9, 32, [](int, int o, int) { return o; }},
        ShuffleCase{"xor", 4, 8, [](int k, int o, int) { return k ^ o; }},
        ShuffleCase{"down", 2, 16,
                    [](int k, int o, int w) { return k + o < w ? k + o : -1; }},
        ShuffleCase{"idx", 7, 16, [](int, int o, int) { return o; }}));

TEST(Machine, WarpSumByButterfly) {
  TestMachine m(arrayKernel(R"(
    %w = arith.constant 32 : i32
    %c1 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %x = memref.load %av[%g] : memref<?xi32>
    %sum, %off = scf.for %i = %c0 to %c5 step %i1
        iter_args(%v = %x, %o = %c1) -> (i32, i32) {
      %y, %ok = gpu.shuffle xor %v, %o, %w : i32
      %z = arith.addi %v, %y : i32
      %p = arith.shli %o, %c1 : i32
      scf.yield %z, %p : i32, i32
    }
    memref.store %sum, %rv[%g] : memref<?xi32>)"));
  int64_t n = 256;
  int32_t *a = m.upload(iota(n)), *r = m.upload(iota(n));
  ASSERT_EQ(m.launch(2, 128, 0, a, r, n), "");
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(r[i], 32 * (i / 32 * 32) + 31 * 32 / 2);
  EXPECT_EQ(m.stats.shuffles, 5u * 8);
}

TEST(Machine, WarpBarrierExchange) {
  // Each half of a warp meets on its own; the halves do different things.
  TestMachine m(arrayKernel(R"(
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %low = arith.constant 0xFFFF : i32
    %high = arith.constant 0xFFFF0000 : i32
    %s = memref.view %dyn[%c0][%bd] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<?xi32, #gpu.address_space<workgroup>>
    %x = memref.load %av[%g] : memref<?xi32>
    memref.store %x, %s[%t] : memref<?xi32, #gpu.address_space<workgroup>>
    %lane = gpu.lane_id
    %lo = arith.cmpi ult, %lane, %c16 : index
    %i = arith.xori %t, %c15 : index
    scf.if %lo {
      nvvm.bar.warp.sync %low : i32
      %y = memref.load %s[%i] : memref<?xi32, #gpu.address_space<workgroup>>
      memref.store %y, %rv[%g] : memref<?xi32>
    } else {
      nvvm.bar.warp.sync %high : i32
      %y = memref.load %s[%i] : memref<?xi32, #gpu.address_space<workgroup>>
      %z = arith.addi %y, %y : i32
      memref.store %z, %rv[%g] : memref<?xi32>
    })"));
  int64_t n = 96;
  int32_t *a = m.upload(iota(n)), *r = m.upload(iota(n));
  ASSERT_EQ(m.launch(1, 96, 4 * 96, a, r, n), "");
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(r[i], (i % 32 < 16 ? 1 : 2) * (i ^ 15));
  EXPECT_EQ(m.stats.warpBarriers, 6u);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

TEST(Machine, HistogramByAtomics) {
  TestMachine m(arrayKernel(R"(
    %c10 = arith.constant 10 : index
    %one = arith.constant 1 : i32
    %bin = arith.remui %g, %c10 : index
    %old = memref.atomic_rmw addi %one, %rv[%bin] : (i32, memref<?xi32>) -> i32)"));
  int32_t *a = m.upload(iota(1)), *r = m.upload(std::vector<int32_t>(10));
  ASSERT_EQ(m.launch(10, 100, 0, a, r, int64_t(10)), "");
  EXPECT_EQ(m.download(r, 10), std::vector<int32_t>(10, 100));
  EXPECT_EQ(m.stats.atomics, 1000u);
}

TEST(Machine, AtomicsGiveTheOldValue) {
  // Every thread takes a ticket; each ticket is given once.
  TestMachine m(arrayKernel(R"(
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %old = memref.atomic_rmw addi %one, %av[%c0] : (i32, memref<?xi32>) -> i32
    %i = arith.index_cast %old : i32 to index
    memref.store %old, %rv[%i] : memref<?xi32>)"));
  int32_t *a = m.upload(std::vector<int32_t>(320)),
          *r = m.upload(std::vector<int32_t>(320));
  ASSERT_EQ(m.launch(5, 64, 0, a, r, int64_t(320)), "");
  EXPECT_EQ(m.download(r, 320), iota(320));
}

TEST(Machine, AtomicMaxAndGenericAtomic) {
  TestMachine m(arrayKernel(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %av[%g] : memref<?xi32>
    %0 = memref.atomic_rmw maxs %x, %rv[%c0] : (i32, memref<?xi32>) -> i32
    %1 = memref.generic_atomic_rmw %rv[%c1] : memref<?xi32> {
      ^bb0(%old: i32):
        %new = arith.xori %old, %x : i32
        memref.atomic_yield %new : i32
    })"));
  std::vector<int32_t> data = {3, -7, 12, 5, 40, -100, 8, 2};
  int32_t *a = m.upload(data), *r = m.upload(std::vector<int32_t>(8, -1000));
  ASSERT_EQ(m.launch(2, 4, 0, a, r, int64_t(8)), "");
  EXPECT_EQ(r[0], 40);
  EXPECT_EQ(r[1], std::accumulate(data.begin(), data.end(), -1000,
                                  std::bit_xor<int32_t>()));
}

TEST(Machine, LockByCompareAndSwap) {
  // A lock that all threads of all blocks take; inside, a plain increment.
  TestMachine m(kernel("%lock: memref<i32>, %sum: memref<i32>", R"(
    %li = memref.extract_aligned_pointer_as_index %lock : memref<i32> -> index
    %l = arith.index_cast %li : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.while : () -> () {
      %r = llvm.cmpxchg %p, %zero, %one acq_rel acquire : !llvm.ptr<1>, i32
      %ok = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
      %true = arith.constant true
      %again = arith.xori %ok, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    %x = memref.load %sum[] : memref<i32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %sum[] : memref<i32>
    llvm.store %zero, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>)"));
  ASSERT_EQ(m.createError, "");
  for (Schedule schedule : {Schedule::Ticket, Schedule::Random}) {
    m.machine->options().schedule = schedule;
    int32_t *lock = m.upload(std::vector<int32_t>(1)),
            *sum = m.upload(std::vector<int32_t>(1));
    ASSERT_EQ(m.launch(4, 50, 0, lock, sum), "");
    EXPECT_EQ(*sum, 200);
  }
}

//===----------------------------------------------------------------------===//
// Types, ids, printing
//===----------------------------------------------------------------------===//

TEST(Machine, ScalarArgumentsOfAllTypes) {
  TestMachine m(kernel("%r: memref<f64>, %a: i1, %b: i8, %c: i16, %d: i32, "
                       "%e: i64, %f: f16, %g: bf16, %h: f32, %i: f64, "
                       "%j: index",
                       R"(
    %a0 = arith.uitofp %a : i1 to f64
    %b0 = arith.sitofp %b : i8 to f64
    %c0 = arith.sitofp %c : i16 to f64
    %d0 = arith.sitofp %d : i32 to f64
    %e0 = arith.sitofp %e : i64 to f64
    %f0 = arith.extf %f : f16 to f64
    %g0 = arith.extf %g : bf16 to f64
    %h0 = arith.extf %h : f32 to f64
    %ji = arith.index_cast %j : index to i64
    %j0 = arith.sitofp %ji : i64 to f64
    %s1 = arith.addf %a0, %b0 : f64
    %s2 = arith.addf %s1, %c0 : f64
    %s3 = arith.addf %s2, %d0 : f64
    %s4 = arith.addf %s3, %e0 : f64
    %s5 = arith.addf %s4, %f0 : f64
    %s6 = arith.addf %s5, %g0 : f64
    %s7 = arith.addf %s6, %h0 : f64
    %s8 = arith.addf %s7, %i : f64
    %s9 = arith.addf %s8, %j0 : f64
    memref.store %s9, %r[] : memref<f64>)"));
  double *r = m.upload(std::vector<double>(1));
  uint16_t half = 0x3E00 /* 1.5 */, bfloat = 0x4020 /* 2.5 */;
  ASSERT_EQ(m.launch(1, 1, 0, r, true, int8_t(-2), int16_t(300), int32_t(-4000),
                     int64_t(50000), half, bfloat, 0.25f, 1e6, int64_t(7)),
            "");
  EXPECT_EQ(*r, 1 - 2 + 300 - 4000 + 50000 + 1.5 + 2.5 + 0.25 + 1e6 + 7);
  EXPECT_TRUE(
      contains(m.launch(1, 1, 0, r), "has 11 parameters, 1 were given"));
}

TEST(Machine, HalfTypesRoundToNearestEven) {
  TestMachine m(kernel("%x: memref<f32>, %d: memref<f64>, %h: memref<f16>, "
                       "%b: memref<bf16>, %e: memref<f16>, %c: memref<bf16>",
                       R"(
    %0 = memref.load %x[] : memref<f32>
    %1 = arith.truncf %0 : f32 to f16
    memref.store %1, %h[] : memref<f16>
    %2 = arith.truncf %0 : f32 to bf16
    memref.store %2, %b[] : memref<bf16>
    %3 = memref.load %d[] : memref<f64>
    %4 = arith.truncf %3 : f64 to f16
    memref.store %4, %e[] : memref<f16>
    %5 = arith.truncf %3 : f64 to bf16
    memref.store %5, %c[] : memref<bf16>)"));
  float *x = m.upload(std::vector<float>(1));
  double *d = m.upload(std::vector<double>(1));
  uint16_t *h = m.upload(std::vector<uint16_t>(1)),
           *b = m.upload(std::vector<uint16_t>(1)),
           *e = m.upload(std::vector<uint16_t>(1)),
           *c = m.upload(std::vector<uint16_t>(1));
  auto check = [&](float value, uint16_t half, uint16_t bfloat) {
    *x = value;
    *d = value;
    ASSERT_EQ(m.launch(1, 1, 0, x, d, h, b, e, c), "");
    EXPECT_EQ(*h, half) << value;
    EXPECT_EQ(*b, bfloat) << value;
    EXPECT_EQ(*e, half) << value;
    EXPECT_EQ(*c, bfloat) << value;
  };
  // Bits by the definition of the formats: 10 and 7 bits of fraction.
  check(1.0f, 0x3C00, 0x3F80);
  check(-2.0f, 0xC000, 0xC000);
  check(1.0f + 0x1p-11f, 0x3C00, 0x3F80); // a tie of f16: to even, down
  check(1.0f + 0x3p-11f, 0x3C02, 0x3F80); // a tie of f16: to even, up
  check(1.0f + 0x1p-8f, 0x3C04, 0x3F80);  // a tie of bf16: down
  check(1.0f + 0x3p-8f, 0x3C0C, 0x3F82);  // a tie of bf16: up
  check(65504.0f, 0x7BFF, 0x4780);
  check(INFINITY, 0x7C00, 0x7F80);
  check(0x1p-24f, 0x0001, 0x3380);  // the least denormal of f16
  check(0x1p-130f, 0x0000, 0x0008); // a denormal of bf16
  // Just above a tie: rounding by way of f32 would go down.
  *d = 1.0 + 0x1p-8 + 0x1p-40;
  ASSERT_EQ(m.launch(1, 1, 0, x, d, h, b, e, c), "");
  EXPECT_EQ(*c, 0x3F81);
}

TEST(Machine, MathFunctionsAreThoseOfLibm) {
  TestMachine m(kernel("%x: memref<f32>, %r: memref<f32>", R"(
    %0 = memref.load %x[] : memref<f32>
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [8], strides: [1]
      : memref<f32> to memref<8xf32>
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %i4 = arith.constant 4 : index
    %i5 = arith.constant 5 : index
    %i6 = arith.constant 6 : index
    %i7 = arith.constant 7 : index
    %1 = math.exp %0 : f32
    memref.store %1, %rv[%i0] : memref<8xf32>
    %2 = math.sin %0 : f32
    memref.store %2, %rv[%i1] : memref<8xf32>
    %3 = math.tanh %0 : f32
    memref.store %3, %rv[%i2] : memref<8xf32>
    %4 = math.erf %0 : f32
    memref.store %4, %rv[%i3] : memref<8xf32>
    %5 = math.log1p %0 : f32
    memref.store %5, %rv[%i4] : memref<8xf32>
    %6 = math.powf %0, %1 : f32
    memref.store %6, %rv[%i5] : memref<8xf32>
    %7 = math.sqrt %0 : f32
    memref.store %7, %rv[%i6] : memref<8xf32>
    %8 = math.cbrt %0 : f32
    memref.store %8, %rv[%i7] : memref<8xf32>)"));
  ASSERT_EQ(m.createError, "");
  float v = 0.7f;
  float *x = m.upload(std::vector<float>{v});
  float *r = m.upload(std::vector<float>(8));
  ASSERT_EQ(m.launch(1, 1, 0, x, r), "");
  // volatile: the compiler must call the library, not fold.
  volatile float w = v;
  std::vector<float> expected = {expf(w),  sinf(w),   tanhf(w),
                                 erff(w),  log1pf(w), powf(w, expf(w)),
                                 sqrtf(w), cbrtf(w)};
  EXPECT_EQ(m.download(r, 8), expected);
}

TEST(Machine, DivisionsPowersAndZerosWithSign) {
  TestMachine m(kernel("%a: i32, %b: i32, %r: memref<i32>, %x: f32, %y: f32, "
                       "%s: memref<f32>",
                       R"(
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [3], strides: [1]
      : memref<i32> to memref<3xi32>
    %sv = memref.reinterpret_cast %s to offset: [0], sizes: [2], strides: [1]
      : memref<f32> to memref<2xf32>
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %0 = arith.ceildivsi %a, %b : i32
    memref.store %0, %rv[%i0] : memref<3xi32>
    %1 = arith.floordivsi %a, %b : i32
    memref.store %1, %rv[%i1] : memref<3xi32>
    %2 = math.ipowi %a, %b : i32
    memref.store %2, %rv[%i2] : memref<3xi32>
    %3 = arith.maximumf %x, %y : f32
    memref.store %3, %sv[%i0] : memref<2xf32>
    %4 = arith.minimumf %x, %y : f32
    memref.store %4, %sv[%i1] : memref<2xf32>)"));
  ASSERT_EQ(m.createError, "");
  int32_t *r = m.upload(std::vector<int32_t>(3));
  float *s = m.upload(std::vector<float>(2));
  ASSERT_EQ(m.launch(1, 1, 0, -7, 2, r, -0.0f, 0.0f, s), "");
  EXPECT_EQ(m.download(r, 3), (std::vector<int32_t>{-3, -4, 49}));
  EXPECT_FALSE(std::signbit(s[0]));
  EXPECT_TRUE(std::signbit(s[1]));
  ASSERT_EQ(m.launch(1, 1, 0, 7, 2, r, 0.0f, -0.0f, s), "");
  EXPECT_EQ(m.download(r, 3), (std::vector<int32_t>{4, 3, 49}));
  EXPECT_FALSE(std::signbit(s[0]));
  EXPECT_TRUE(std::signbit(s[1]));
  ASSERT_EQ(m.launch(1, 1, 0, 7, 2, r, NAN, 1.0f, s), "");
  EXPECT_TRUE(std::isnan(s[0]));
  EXPECT_TRUE(std::isnan(s[1]));
}

TEST(Machine, KernelMayHaveTheNameOfALibraryFunction) {
  TestMachine m("gpu.module @m { gpu.func @expf(%r: memref<f32>) kernel {\n"
                "%x = memref.load %r[] : memref<f32>\n"
                "%y = math.exp %x : f32\n"
                "memref.store %y, %r[] : memref<f32>\n"
                "gpu.return } }");
  float *r = m.upload(std::vector<float>{1.5f});
  std::vector<void *> params = {&r};
  ASSERT_EQ(
      llvm::toString(m.machine->launch("expf", Dim3{}, Dim3{}, 0, params)), "");
  EXPECT_FLOAT_EQ(*r, 4.4816890f);
}

TEST(Machine, IdsInThreeDimensions) {
  TestMachine m(kernel("%r: memref<i32>", R"(
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [4, 3, 2], strides: [6, 2, 1]
      : memref<i32> to memref<4x3x2xi32>
    %gx = gpu.global_id x
    %gy = gpu.global_id y
    %gz = gpu.global_id z
    %w = gpu.subgroup_id : index
    %lane = gpu.lane_id
    %i = arith.index_cast %lane : index to i32
    memref.store %i, %rv[%gx, %gy, %gz] : memref<4x3x2xi32>)"));
  int32_t *r = m.upload(std::vector<int32_t>(24, -1));
  std::vector<void *> params = {&r};
  ASSERT_EQ(llvm::toString(m.machine->launch("k", Dim3{2, 1, 1}, Dim3{2, 3, 2},
                                             0, params)),
            "");
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 2; ++z)
        EXPECT_EQ(r[x * 6 + y * 2 + z], x % 2 + 2 * y + 6 * z);
}

TEST(Machine, PrintfFormatsLikeC) {
  std::string out;
  MachineOptions options;
  options.print = [&](llvm::StringRef text) { out += text; };
  TestMachine m(kernel("%x: f32, %i: i32, %l: i64", R"(
    %t = gpu.thread_id x
    gpu.printf "%lld: %5.2f|%d|%u|%-4lld|%x|100%%\n", %t, %x, %i, %i, %l, %i
      : index, f32, i32, i32, i64, i32)"),
                options);
  ASSERT_EQ(m.createError, "");
  ASSERT_EQ(m.launch(1, 2, 0, 2.5f, int32_t(-1), int64_t(42)), "");
  EXPECT_EQ(out, "0:  2.50|-1|4294967295|42  |ffffffff|100%\n"
                 "1:  2.50|-1|4294967295|42  |ffffffff|100%\n");
}

TEST(Machine, SubviewsVectorsAndGlobals) {
  TestMachine m(kernel(
      "%a: memref<f32>, %r: memref<f32>", R"(
    %av = memref.reinterpret_cast %a to offset: [0], sizes: [8, 8], strides: [8, 1]
      : memref<f32> to memref<8x8xf32>
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [4], strides: [1]
      : memref<f32> to memref<4xf32>
    %sub = memref.subview %av[2, 4] [3, 4] [2, 1]
      : memref<8x8xf32> to memref<3x4xf32, strided<[16, 1], offset: 20>>
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %v = vector.load %sub[%c2, %c0]
      : memref<3x4xf32, strided<[16, 1], offset: 20>>, vector<4xf32>
    %table = memref.get_global @table : memref<4xf32>
    %w = vector.load %table[%c0] : memref<4xf32>, vector<4xf32>
    %s = arith.addf %v, %w : vector<4xf32>
    vector.store %s, %rv[%c0] : memref<4xf32>, vector<4xf32>)",
      "memref.global constant @table : memref<4xf32> = dense<[100.0, 200.0, "
      "300.0, 400.0]>"));
  ASSERT_EQ(m.createError, "");
  std::vector<float> data(64);
  std::iota(data.begin(), data.end(), 0.0f);
  float *a = m.upload(data), *r = m.upload(std::vector<float>(4));
  ASSERT_EQ(m.launch(1, 1, 0, a, r), "");
  // Row 2 + 2 * 2 = 6, columns 4 to 7.
  EXPECT_EQ(m.download(r, 4), (std::vector<float>{152, 253, 354, 455}));
}

// Each of 10,000 values lives across a barrier, and may have its own place on
// the stack: more than the stack of a thread has without them.
TEST(Machine, ManyLiveValues) {
  constexpr int64_t count = 10000;
  std::string body = "%v0 = memref.load %a[] : memref<i64>\n";
  for (int64_t i = 1; i < count; ++i)
    body += "%v" + std::to_string(i) + " = arith.addi %v" +
            std::to_string(i - 1) + ", %v0 : i64\n";
  body += "gpu.barrier\n%s0 = arith.addi %v0, %v0 : i64\n";
  for (int64_t i = 1; i < count; ++i)
    body += "%s" + std::to_string(i) + " = arith.xori %s" +
            std::to_string(i - 1) + ", %v" + std::to_string(i) + " : i64\n";
  body +=
      "memref.store %s" + std::to_string(count - 1) + ", %r[] : memref<i64>\n";
  TestMachine m(kernel("%a: memref<i64>, %r: memref<i64>", body));
  ASSERT_EQ(m.createError, "");
  int64_t *a = m.upload(std::vector<int64_t>{3}),
          *r = m.upload(std::vector<int64_t>(1));
  ASSERT_EQ(m.launch(1, 1, 0, a, r), "");
  int64_t expected = 6;
  for (int64_t i = 1; i < count; ++i)
    expected ^= 3 * (i + 1);
  EXPECT_EQ(*r, expected);
}
