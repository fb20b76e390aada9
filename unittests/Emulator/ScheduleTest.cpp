//===- ScheduleTest.cpp - Orders of blocks and threads --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestMachine.h"

#include <numeric>
#include <set>

using namespace mlir::obs::emulator;
using namespace mlir::obs::emulator::test;

/// Sums each block by a tree in shared memory; block of 64 threads.
static std::string treeSum() {
  return kernel("%a: memref<i32>, %r: memref<i32>, %n: index", R"(
    %av = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
        : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %gd = gpu.grid_dim x
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [%gd], strides: [1]
        : memref<i32> to memref<?xi32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %start = arith.muli %b, %c64 : index
    %g = arith.addi %start, %t : index
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<64xi32, #gpu.address_space<workgroup>>
    %x = memref.load %av[%g] : memref<?xi32>
    memref.store %x, %s[%t] : memref<64xi32, #gpu.address_space<workgroup>>
    %last = scf.for %i = %c0 to %c6 step %c1 iter_args(%half = %c32) -> index {
      gpu.barrier
      %in = arith.cmpi ult, %t, %half : index
      scf.if %in {
        %o = arith.addi %t, %half : index
        %p = memref.load %s[%t] : memref<64xi32, #gpu.address_space<workgroup>>
        %q = memref.load %s[%o] : memref<64xi32, #gpu.address_space<workgroup>>
        %sum = arith.addi %p, %q : i32
        memref.store %sum, %s[%t] : memref<64xi32, #gpu.address_space<workgroup>>
      }
      %h = arith.shrui %half, %c1 : index
      scf.yield %h : index
    }
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %total = memref.load %s[%c0] : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %total, %rv[%b] : memref<?xi32>
    })");
}

TEST(Schedule, RandomGivesTheSameResultForAProgramWithoutRaces) {
  TestMachine m(treeSum());
  std::vector<int32_t> data(20 * 64);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = i * i % 1001;
  int32_t *a = m.upload(data), *r = m.upload(std::vector<int32_t>(20));
  m.machine->options().schedule = Schedule::Random;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    m.machine->options().seed = seed;
    std::fill(r, r + 20, -1);
    ASSERT_EQ(m.launch(20, 64, 256, a, r, int64_t(data.size())), "");
    for (int b = 0; b < 20; ++b)
      EXPECT_EQ(r[b], std::accumulate(data.begin() + 64 * b,
                                      data.begin() + 64 * (b + 1), 0));
    EXPECT_EQ(m.stats.blockBarriers, 6u * 20);
  }
}

/// The threads write their numbers in the order of an atomic counter.
static std::string orderKernel() {
  return kernel("%c: memref<i32>, %r: memref<i32>", R"(
    %g = gpu.global_id x
    %rv = memref.reinterpret_cast %r to offset: [0], sizes: [128], strides: [1]
        : memref<i32> to memref<128xi32>
    %one = arith.constant 1 : i32
    %o = memref.atomic_rmw addi %one, %c[] : (i32, memref<i32>) -> i32
    %oi = arith.index_cast %o : i32 to index
    %gi = arith.index_cast %g : index to i32
    memref.store %gi, %rv[%oi] : memref<128xi32>)");
}

TEST(Schedule, TicketIsInOrderAndRandomDependsOnTheSeed) {
  TestMachine m(orderKernel());
  auto order = [&] {
    int32_t *c = m.upload(std::vector<int32_t>(1)),
            *r = m.upload(std::vector<int32_t>(128));
    EXPECT_EQ(m.launch(8, 16, 0, c, r), "");
    return m.download(r, 128);
  };
  std::vector<int32_t> ascending(128);
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(order(), ascending);
  m.machine->options().schedule = Schedule::Random;
  std::set<std::vector<int32_t>> orders;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    m.machine->options().seed = seed;
    std::vector<int32_t> first = order();
    EXPECT_EQ(order(), first) << "a seed must decide everything";
    orders.insert(first);
    std::sort(first.begin(), first.end());
    EXPECT_EQ(first, ascending);
  }
  EXPECT_EQ(orders.size(), 5u);
}

/// Block b waits for flag b and then sets flag b + 1 (or b - 1), so that blocks
/// pass a value along. The flags are read by `load`.
static std::string chainKernel(bool backwards, const std::string &number) {
  return kernel("%f: memref<i32>, %v: memref<i32>, %c: memref<i32>, %n: index",
                R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : i64
    %one = arith.constant 1 : i32
    %n1 = arith.addi %n, %c1 : index
    %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<1xi32, #gpu.address_space<workgroup>>
    %fv = memref.reinterpret_cast %f to offset: [0], sizes: [%n1], strides: [1]
        : memref<i32> to memref<?xi32>
    %vv = memref.reinterpret_cast %v to offset: [0], sizes: [%n1], strides: [1]
        : memref<i32> to memref<?xi32>
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      )" + number + R"(
      memref.store %id, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %bi = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    %b0 = arith.index_cast %bi : i32 to index
    %end = arith.subi %n, %c1 : index
    %rev = arith.subi %end, %b0 : index
    %b = arith.addi )" +
                    (backwards ? std::string("%rev") : std::string("%b0")) +
                    R"(, %c0 : index
    scf.if %first {
      %fi = memref.extract_aligned_pointer_as_index %f : memref<i32> -> index
      %l = arith.index_cast %fi : index to i64
      %b64 = arith.index_cast %b : index to i64
      %off = arith.muli %b64, %c4 : i64
      %at = arith.addi %l, %off : i64
      %p = llvm.inttoptr %at : i64 to !llvm.ptr
      scf.while : () -> () {
        %x = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
        %again = arith.cmpi ne, %x, %one : i32
        scf.condition(%again)
      } do {
        scf.yield
      }
      %before = memref.load %vv[%b] : memref<?xi32>
      %bb = arith.index_cast %b : index to i32
      %sum = arith.addi %before, %bb : i32
      %next = arith.addi %b, %c1 : index
      memref.store %sum, %vv[%next] : memref<?xi32>
      %old = memref.atomic_rmw assign %one, %fv[%next] : (i32, memref<?xi32>) -> i32
    })");
}

static void checkChain(TestMachine &m, int64_t n) {
  std::vector<int32_t> flags(n + 1);
  flags[0] = 1;
  int32_t *f = m.upload(flags), *v = m.upload(std::vector<int32_t>(n + 1)),
          *c = m.upload(std::vector<int32_t>(1));
  ASSERT_EQ(m.launch(n, 33, 4, f, v, c, n), "");
  for (int64_t i = 0; i <= n; ++i)
    EXPECT_EQ(v[i], i * (i - 1) / 2);
}

TEST(Schedule, SpinWaitBetweenBlocksWithDynamicTickets) {
  TestMachine m(chainKernel(false, "%id = memref.atomic_rmw addi %one, %c[] : "
                                   "(i32, memref<i32>) -> i32"));
  ASSERT_EQ(m.createError, "");
  checkChain(m, 100);
  m.machine->options().schedule = Schedule::Random;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    m.machine->options().seed = seed;
    checkChain(m, 100);
  }
}

TEST(Schedule, SpinWaitByBlockNumberInTheWrongOrder) {
  // Block 0 waits for block 1, and so on: all blocks must become resident.
  TestMachine m(chainKernel(true, "%bid = gpu.block_id x\n%id = "
                                  "arith.index_cast %bid : index to i32"));
  ASSERT_EQ(m.createError, "");
  checkChain(m, 30);
  m.machine->options().schedule = Schedule::Random;
  checkChain(m, 30);
  // Only 10 of the 30 blocks fit at once.
  m.machine->options().schedule = Schedule::Ticket;
  m.machine->options().maxResidentThreads = 33 * 10;
  std::vector<int32_t> flags(31);
  flags[0] = 1;
  int32_t *f = m.upload(flags), *v = m.upload(flags), *c = m.upload(flags);
  std::string error = m.launch(30, 33, 4, f, v, c, int64_t(30));
  EXPECT_TRUE(contains(error, "deadlock"));
  EXPECT_TRUE(contains(error, "10 of 30 blocks are resident"));
  EXPECT_TRUE(contains(error, "thread 1 of block 0 has ended") ||
              contains(error, "spins here"));
}

TEST(Schedule, SpinWaitWithinABlock) {
  // Every thread waits for its right neighbour, the last one for nobody.
  TestMachine m(kernel("%f: memref<i32>", R"(
    %fv = memref.reinterpret_cast %f to offset: [0], sizes: [101], strides: [1]
        : memref<i32> to memref<101xi32>
    %t = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %next = arith.addi %t, %c1 : index
    scf.while : () -> () {
      %x = memref.atomic_rmw ori %zero, %fv[%next] : (i32, memref<101xi32>) -> i32
      %again = arith.cmpi ne, %x, %one : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    memref.store %one, %fv[%t] : memref<101xi32>)"));
  ASSERT_EQ(m.createError, "");
  for (Schedule schedule : {Schedule::Ticket, Schedule::Random}) {
    m.machine->options().schedule = schedule;
    std::vector<int32_t> flags(101);
    flags[100] = 1;
    int32_t *f = m.upload(flags);
    ASSERT_EQ(m.launch(1, 100, 0, f), "");
    EXPECT_EQ(m.download(f, 101), std::vector<int32_t>(101, 1));
  }
}
