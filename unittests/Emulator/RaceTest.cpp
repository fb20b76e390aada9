//===- RaceTest.cpp - Races, unwritten memory, false promises -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestMachine.h"

#include "Obsidian/Emulator/Checker.h"

using namespace mlir::obs::emulator;
using namespace mlir::obs::emulator::test;

namespace {

/// A machine with a checker. Every launch is made in ticket order and in random
/// orders, which must all have the same kind of error at the same place.
class CheckedMachine {
public:
  CheckedMachine(const std::string &text, CheckOptions checks)
      : machine(text, makeOptions(checks)),
        checker(checks, machine.machine->sharedMemory()) {
    machine.machine->addObserver(&checker);
  }

  template <typename... Args>
  std::string launch(uint32_t blocks, uint32_t threads, size_t sharedBytes,
                     Args... args) {
    MachineOptions &options = machine.machine->options();
    options.schedule = Schedule::Ticket;
    std::string first = machine.launch(blocks, threads, sharedBytes, args...);
    options.schedule = Schedule::Random;
    for (options.seed = 1; options.seed <= 10; ++options.seed) {
      std::string other = machine.launch(blocks, threads, sharedBytes, args...);
      EXPECT_EQ(kindOf(first), kindOf(other)) << first << "\n" << other;
    }
    return first;
  }

  /// `race` of `test:3:4: race: ...`.
  static std::string kindOf(const std::string &error) {
    size_t begin = error.find(": ");
    if (begin == std::string::npos)
      return "";
    return error.substr(begin + 2, error.find(':', begin + 2) - begin - 2);
  }

  template <typename T>
  T *upload(const std::vector<T> &data) {
    T *address = machine.upload(data);
    machine.machine->memory().markWritten(address, data.size() * sizeof(T));
    return address;
  }

  static MachineOptions makeOptions(CheckOptions checks) {
    MachineOptions options;
    options.watchPrivate = checks.uninit;
    return options;
  }

  TestMachine machine;
  Checker checker;
};

constexpr CheckOptions races{/*races=*/true, /*uninit=*/false};
constexpr CheckOptions uninit{/*races=*/false, /*uninit=*/true};

/// A kernel over %s, 256 elements of i32 in shared memory, with the thread %t,
/// its number %ti as i32, the one before, %p, and arguments %a, %b, %c.
std::string sharedKernel(const std::string &body,
                         const std::string &type = "i32") {
  return kernel(
      "%a: index, %b: index, %m: i32",
      R"(%dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%s = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<256x)" +
          type + R"(, #gpu.address_space<workgroup>>
%t = gpu.thread_id x
%ti = arith.index_cast %t : index to i32
%n = gpu.block_dim x
%before = arith.addi %t, %n : index
%before1 = arith.subi %before, %c1 : index
%p = arith.remui %before1, %n : index
)" + body);
}

/// The line of the body's first operation.
constexpr int bodyLine = 13;

const std::string arena = " : memref<256xi32, #gpu.address_space<workgroup>>\n";
const std::string load = "%x = memref.load %s[%p]" + arena;
const std::string store = "memref.store %ti, %s[%t]" + arena;
const std::string blockBarrier = "gpu.barrier\n";
const std::string warpBarrier = "nvvm.bar.warp.sync %m : i32\n";

std::string run(const std::string &body, CheckOptions checks, uint32_t threads,
                int64_t a = 0, int64_t b = 0, uint32_t mask = ~0u,
                uint32_t blocks = 2) {
  CheckedMachine m(sharedKernel(body), checks);
  return m.launch(blocks, threads, 1024, a, b, mask);
}

//===----------------------------------------------------------------------===//
// Races in shared memory
//===----------------------------------------------------------------------===//

TEST(Race, ReadAfterWriteInShared) {
  std::string error = run(store + load, races, 64);
  EXPECT_TRUE(isError(error, bodyLine, "race") ||
              isError(error, bodyLine + 1, "race"));
  EXPECT_TRUE(contains(error, "\ntest:13:1: note: the other access") ||
              contains(error, "\ntest:14:6: note: the other access"));
  EXPECT_EQ(run(store + blockBarrier + load, races, 64), "");
  EXPECT_EQ(run(store + load, races, 1), "");
}

TEST(Race, IsNotReportedAsUnwrittenMemory) {
  CheckOptions all{/*races=*/true, /*uninit=*/true};
  EXPECT_EQ(CheckedMachine::kindOf(run(store + load, all, 64)), "race");
  // Written later, but not in a race.
  EXPECT_EQ(CheckedMachine::kindOf(run(load + blockBarrier + store, all, 64)),
            "uninit");
  EXPECT_EQ(CheckedMachine::kindOf(run(load, all, 64)), "uninit");
  // A race that has nothing to do with it.
  EXPECT_EQ(CheckedMachine::kindOf(
                run(load + blockBarrier + "memref.store %ti, %s[%c0]" + arena,
                    all, 64, 0, 0, ~0u, /*blocks=*/1)),
            "uninit");
}

TEST(Race, WriteAfterReadInShared) {
  EXPECT_EQ(CheckedMachine::kindOf(run(load + store, races, 64)), "race");
  EXPECT_EQ(run(load + blockBarrier + store, races, 64), "");
  // A loop needs two barriers; with one it races across its back edge.
  auto loop = [](const std::string &body) {
    return "%c4 = arith.constant 4 : index\n"
           "scf.for %i = %c0 to %c4 step %c1 {\n" +
           body + "}\n";
  };
  EXPECT_EQ(
      CheckedMachine::kindOf(run(loop(store + blockBarrier + load), races, 64)),
      "race");
  EXPECT_EQ(run(loop(store + blockBarrier + load + blockBarrier), races, 64),
            "");
}

TEST(Race, WriteAfterWriteInShared) {
  std::string other = "memref.store %ti, %s[%p]" + arena;
  EXPECT_EQ(CheckedMachine::kindOf(run(store + other, races, 64)), "race");
  EXPECT_EQ(run(store + blockBarrier + other, races, 64), "");
  // All threads write one value: a race all the same.
  EXPECT_EQ(CheckedMachine::kindOf(
                run("memref.store %m, %s[%c0]" + arena, races, 64)),
            "race");
}

TEST(Race, SeveralReadersAndOneOfThemWrites) {
  // All read element %a, then thread %b writes it.
  std::string body = "%x = memref.load %s[%a]" + arena +
                     "%is = arith.cmpi eq, %t, %b : index\n"
                     "scf.if %is {\nmemref.store %ti, %s[%a]" +
                     arena + "}\n";
  for (int64_t writer : {0, 1, 2, 31, 32, 63})
    for (uint32_t threads : {2u, 3u, 32u, 64u, 96u}) {
      EXPECT_EQ(CheckedMachine::kindOf(run(body, races, threads, 5, writer)),
                writer < threads ? "race" : "");
    }
  EXPECT_EQ(run(body, races, 1, 5, 0), "");
}

/// The threads below %n of all blocks load %d. `barrier` follows. Thread 0 of
/// block 0, which loaded first, waits until all have loaded, without anything
/// that orders, and stores.
static std::string readersKernel(const std::string &barrier) {
  return kernel("%d: memref<i32>, %f: memref<i32>, %n: index, %m: i32",
                kFlagPointer + std::string(R"(%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%t = gpu.thread_id x
%b = gpu.block_id x
%blocks = gpu.grid_dim x
%c31 = arith.constant 31 : index
%c33 = arith.constant 33 : index
%isFirst = arith.cmpi ule, %t, %c1 : index
%isNext = arith.cmpi eq, %t, %c33 : index
%isAny = arith.ori %isFirst, %isNext : i1
%isIn = arith.cmpi ult, %t, %n : index
%reads = arith.andi %isAny, %isIn : i1
scf.if %reads {
  %x = memref.load %d[] : memref<i32>
}
%0 = llvm.atomicrmw add %p, %one monotonic : !llvm.ptr, i32
)") + barrier +
                    R"(
%id = arith.addi %t, %b : index
%is0 = arith.cmpi eq, %id, %c0 : index
%size = gpu.block_dim x
%all = arith.muli %blocks, %size : index
%count = arith.index_cast %all : index to i32
scf.if %is0 {
  scf.while : () -> () {
    %y = llvm.load %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
    %again = arith.cmpi ne, %y, %count : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
  memref.store %one, %d[] : memref<i32>
})");
}

static std::string runReaders(const std::string &barrier, uint32_t blocks,
                              uint32_t threads, int64_t readers) {
  TestMachine m(readersKernel(barrier));
  if (!m.machine)
    return m.createError;
  Checker checker(races, m.machine->sharedMemory());
  m.machine->addObserver(&checker);
  int32_t *d = m.upload(std::vector<int32_t>{0});
  int32_t *f = m.upload(std::vector<int32_t>{0});
  return CheckedMachine::kindOf(
      m.launch(blocks, threads, 0, d, f, readers, ~0u));
}

TEST(Race, TheFirstReaderWritesAfterAllOthers) {
  EXPECT_EQ(runReaders("", 1, 64, 1), "");
  // Readers 0 and 1; the warp barrier orders them, and so does that of the
  // block.
  EXPECT_EQ(runReaders("", 1, 64, 2), "race");
  EXPECT_EQ(runReaders(warpBarrier, 1, 64, 2), "");
  EXPECT_EQ(runReaders(blockBarrier, 1, 64, 2), "");
  // Readers 0, 1 and 33, of another warp.
  EXPECT_EQ(runReaders("", 1, 64, 64), "race");
  EXPECT_EQ(runReaders(warpBarrier, 1, 64, 64), "race");
  EXPECT_EQ(runReaders(blockBarrier, 1, 64, 64), "");
  // Readers of two blocks.
  EXPECT_EQ(runReaders(blockBarrier, 2, 64, 1), "race");
  EXPECT_EQ(runReaders(blockBarrier, 2, 64, 2), "race");
  EXPECT_EQ(runReaders(blockBarrier, 2, 64, 64), "race");
}

TEST(Race, ThreadsOfAWarpAreNotInLockStep) {
  // The classical bug: an exchange in a warp without a barrier.
  std::string error = run(store + load, races, 32);
  EXPECT_EQ(CheckedMachine::kindOf(error), "race");
  EXPECT_TRUE(contains(error, "no barrier of their warp or block"));
  EXPECT_EQ(run(store + warpBarrier + load, races, 32), "");
  EXPECT_EQ(run(store + warpBarrier + load, races, 17), "");
  // A warp barrier does not order warps: thread 32 reads what thread 31 wrote.
  error = run(store + warpBarrier + load, races, 64);
  EXPECT_EQ(CheckedMachine::kindOf(error), "race");
  EXPECT_TRUE(contains(error, "no barrier of their block"));
}

TEST(Race, WarpBarrierOfSomeLanes) {
  // Lanes below 16 meet. Element 15 is written by lane 15, read by lane %a.
  std::string body = R"(%c15 = arith.constant 15 : index
%c16 = arith.constant 16 : index
%writes = arith.cmpi eq, %t, %c15 : index
scf.if %writes {
  memref.store %ti, %s[%c0])" +
                     arena +
                     R"(}
%low = arith.cmpi ult, %t, %c16 : index
scf.if %low {
  nvvm.bar.warp.sync %m : i32
}
%reads = arith.cmpi eq, %t, %a : index
scf.if %reads {
  %x = memref.load %s[%c0])" +
                     arena + "}\n";
  EXPECT_EQ(run(body, races, 32, 3, 0, 0xFFFF), "");
  EXPECT_EQ(CheckedMachine::kindOf(run(body, races, 32, 20, 0, 0xFFFF)),
            "race");
}

TEST(Race, WarpBarriersOfSomeLanesInTurn) {
  // Lane 0 writes and meets lane 1, which then meets lane 2, which reads.
  std::string body = R"(%m1 = arith.constant 3 : i32
%m2 = arith.constant 6 : i32
%is0 = arith.cmpi eq, %t, %c0 : index
%is1 = arith.cmpi eq, %t, %c1 : index
%is2 = arith.cmpi eq, %t, %c2 : index
%first = arith.ori %is0, %is1 : i1
%second = arith.ori %is1, %is2 : i1
scf.if %is0 {
  memref.store %ti, %s[%c0])" +
                     arena +
                     R"(}
scf.if %first {
  nvvm.bar.warp.sync %m1 : i32
}
scf.if %second {
  nvvm.bar.warp.sync %m2 : i32
}
%reads = arith.cmpi eq, %t, %a : index
scf.if %reads {
  %x = memref.load %s[%c0])" +
                     arena + "}\n";
  EXPECT_EQ(run(body, races, 32, 1), "");
  EXPECT_EQ(run(body, races, 32, 2), "");
  EXPECT_EQ(CheckedMachine::kindOf(run(body, races, 32, 3)), "race");
}

TEST(Race, BytesOfOneWord) {
  // Neighbours write neighbouring bytes; then all of the word is read.
  const std::string bytes =
      " : memref<256xi8, #gpu.address_space<workgroup>>\n";
  std::string writes =
      "%v = arith.trunci %ti : i32 to i8\nmemref.store %v, %s[%t]" + bytes;
  std::string reads =
      "%w = memref.view %dyn[%c0][] : memref<?xi8, "
      "#gpu.address_space<workgroup>> to memref<256xi32, "
      "#gpu.address_space<workgroup>>\n%c4 = arith.constant 4 : index\n"
      "%q = arith.divui %t, %c4 : index\n%x = memref.load %w[%q]" +
      arena;
  auto runBytes = [](const std::string &body) {
    CheckedMachine m(sharedKernel(body, "i8"), races);
    return m.launch(2, 64, 1024, int64_t(0), int64_t(0), 0u);
  };
  EXPECT_EQ(runBytes(writes), "");
  EXPECT_EQ(runBytes(writes + blockBarrier + reads), "");
  EXPECT_EQ(CheckedMachine::kindOf(runBytes(writes + reads)), "race");
  EXPECT_EQ(CheckedMachine::kindOf(
                runBytes(writes + "memref.store %v, %s[%p]" + bytes)),
            "race");
}

TEST(Race, AtomicsRaceWithOtherAccessesOnly) {
  std::string atomic = "%o = memref.atomic_rmw addi %ti, %s[%c0] : (i32, "
                       "memref<256xi32, #gpu.address_space<workgroup>>) -> "
                       "i32\n";
  std::string read = "%x = memref.load %s[%c0]" + arena;
  EXPECT_EQ(run(atomic, races, 96), "");
  EXPECT_EQ(run(atomic + blockBarrier + read, races, 96), "");
  EXPECT_EQ(CheckedMachine::kindOf(run(atomic + read, races, 96)), "race");
  EXPECT_EQ(CheckedMachine::kindOf(run(read + atomic, races, 96)), "race");
  // The plain store comes first, or last.
  std::string either = "%w = arith.cmpi eq, %t, %a : index\nscf.if %w {\n"
                       "memref.store %ti, %s[%c0]" +
                       arena + "} else {\n" + atomic + "}\n";
  for (int64_t writer : {0, 95})
    EXPECT_EQ(CheckedMachine::kindOf(run(either, races, 96, writer)), "race");
  // Relaxed atomics order nothing.
  EXPECT_EQ(CheckedMachine::kindOf(run(store + atomic + load, races, 64)),
            "race");
}

TEST(Race, AnyStoresRaceWithOtherAccessesOnly) {
  auto any = [](const std::string &memref) {
    return "memref.store %ti, " + memref + "[%c0] {obs.contract = \"any\"}" +
           arena;
  };
  std::string read = "%x = memref.load %s[%c0]" + arena;
  EXPECT_EQ(run(any("%s"), races, 96), "");
  EXPECT_EQ(run(any("%s") + blockBarrier + read, races, 96), "");
  EXPECT_EQ(CheckedMachine::kindOf(run(any("%s") + read, races, 96)), "race");
  EXPECT_EQ(CheckedMachine::kindOf(run(read + any("%s"), races, 96)), "race");
  EXPECT_EQ(CheckedMachine::kindOf(
                run(any("%s") + "memref.store %ti, %s[%t]" + arena, races, 96)),
            "race");
  // Two buffers that use the same bytes.
  std::string other = "%u = memref.view %dyn[%c0][] : memref<?xi8, "
                      "#gpu.address_space<workgroup>> to memref<256xi32, "
                      "#gpu.address_space<workgroup>>\n";
  EXPECT_EQ(
      CheckedMachine::kindOf(run(other + any("%s") + any("%u"), races, 96)),
      "race");
  EXPECT_EQ(run(other + any("%s") + blockBarrier + any("%u"), races, 96), "");
}

//===----------------------------------------------------------------------===//
// Races in global memory
//===----------------------------------------------------------------------===//

/// Thread t of block b of %r, 64 elements: loads element %l + t, then stores to
/// element %k * b + t.
std::string globalKernel(const std::string &storeAttr = "") {
  return kernel("%r: memref<i32>, %l: index, %k: index",
                R"(%t = gpu.thread_id x
%b = gpu.block_id x
%v = memref.reinterpret_cast %r to offset: [0], sizes: [64], strides: [1] : memref<i32> to memref<64xi32>
%i = arith.addi %l, %t : index
%x = memref.load %v[%i] : memref<64xi32>
%f = arith.muli %b, %k : index
%j = arith.addi %f, %t : index
memref.store %x, %v[%j] )" +
                    storeAttr + ": memref<64xi32>");
}

TEST(Race, GlobalMemory) {
  CheckedMachine m(globalKernel(), races);
  int32_t *r = m.upload(std::vector<int32_t>(64));
  // All read the last 8, and write to the first 8 each.
  EXPECT_EQ(m.launch(4, 8, 0, r, int64_t(56), int64_t(8)), "");
  // Launches are ordered.
  EXPECT_EQ(m.launch(1, 8, 0, r, int64_t(0), int64_t(8)), "");
  // Blocks write the same element.
  std::string error = m.launch(4, 8, 0, r, int64_t(56), int64_t(7));
  EXPECT_TRUE(isError(error, 9, "race"));
  EXPECT_TRUE(contains(error, "no release and acquire order the two blocks"));
  // They read what one of them writes.
  EXPECT_EQ(
      CheckedMachine::kindOf(m.launch(4, 8, 0, r, int64_t(16), int64_t(8))),
      "race");
  // Within a block: thread t reads what thread t + 1 writes.
  EXPECT_EQ(
      CheckedMachine::kindOf(m.launch(1, 8, 0, r, int64_t(1), int64_t(8))),
      "race");
}

TEST(Race, AnyStoresOfBlocks) {
  CheckedMachine m(globalKernel("{obs.contract = \"any\"} "), races);
  int32_t *r = m.upload(std::vector<int32_t>(64));
  EXPECT_EQ(m.launch(4, 8, 0, r, int64_t(56), int64_t(7)), "");
  EXPECT_EQ(m.launch(4, 8, 0, r, int64_t(56), int64_t(0)), "");
  EXPECT_EQ(
      CheckedMachine::kindOf(m.launch(4, 8, 0, r, int64_t(0), int64_t(0))),
      "race");
}

TEST(Race, AtomicsOfBlocks) {
  CheckedMachine m(kernel("%r: memref<i32>, %n: index",
                          R"(%t = gpu.thread_id x
%one = arith.constant 1 : i32
%0 = memref.atomic_rmw addi %one, %r[] : (i32, memref<i32>) -> i32
%c = arith.cmpi ult, %t, %n : index
scf.if %c {
  %x = memref.load %r[] : memref<i32>
})"),
                   races);
  int32_t *r = m.upload(std::vector<int32_t>(1));
  EXPECT_EQ(m.launch(5, 40, 0, r, int64_t(0)), "");
  EXPECT_EQ(*r, 11 * 5 * 40);
  EXPECT_EQ(CheckedMachine::kindOf(m.launch(5, 40, 0, r, int64_t(1))), "race");
}

/// Block 0 stores 42 to %d, then 1 to the flag %f; block 1 waits for the flag
/// and loads. `before` stands before the load.
static std::string messageKernel(const std::string &set,
                                 const std::string &wait,
                                 const std::string &after = "",
                                 const std::string &before = "") {
  return kernel("%d: memref<i32>, %f: memref<i32>",
                kFlagPointer + std::string(R"(%v = arith.constant 42 : i32
%c0 = arith.constant 0 : index
%t = gpu.thread_id x
%b = gpu.block_id x
%is0 = arith.cmpi eq, %t, %c0 : index
%isLast = arith.cmpi ne, %t, %c0 : index
%sends = arith.cmpi eq, %b, %c0 : index
scf.if %sends {
  scf.if %isLast {
    memref.store %v, %d[] : memref<i32>
  }
  gpu.barrier
  scf.if %is0 {
    )") + set +
                    R"(
    )" + after +
                    R"(
  }
} else {
  scf.if %is0 {
    scf.while : () -> () {
      %x = )" + wait +
                    R"(
      %again = arith.cmpi ne, %x, %one : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    )" + before +
                    R"(
  }
  gpu.barrier
  %y = memref.load %d[] : memref<i32>
})");
}

static std::string runMessage(const std::string &set, const std::string &wait,
                              const std::string &after = "",
                              const std::string &before = "") {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    MachineOptions options;
    options.schedule = seed ? Schedule::Random : Schedule::Ticket;
    options.seed = seed;
    TestMachine m(messageKernel(set, wait, after, before), options);
    if (!m.machine)
      return m.createError;
    Checker checker(races, m.machine->sharedMemory());
    m.machine->addObserver(&checker);
    int32_t *d = m.upload(std::vector<int32_t>{0});
    int32_t *f = m.upload(std::vector<int32_t>{0});
    std::string error = m.launch(2, 2, 0, d, f);
    if (!error.empty())
      return error;
  }
  return "";
}

TEST(Race, ReleaseAndAcquireOrderBlocks) {
  auto store = [](const std::string &order) {
    return "llvm.store %one, %p atomic " + order +
           " {alignment = 4 : i64} : i32, !llvm.ptr";
  };
  auto load = [](const std::string &order) {
    return "llvm.load %p atomic " + order +
           " {alignment = 4 : i64} : !llvm.ptr -> i32";
  };
  const std::string volatileStore =
      "llvm.store volatile %one, %p : i32, !llvm.ptr";
  const std::string volatileLoad = "llvm.load volatile %p : !llvm.ptr -> i32";
  const std::string fence = "nvvm.memory.barrier #nvvm.mem_scope<gpu>\n";
  EXPECT_EQ(runMessage(store("release"), load("acquire")), "");
  EXPECT_EQ(runMessage(store("seq_cst"), load("seq_cst")), "");
  EXPECT_EQ(
      runMessage("%o = llvm.atomicrmw add %p, %one release : !llvm.ptr, i32",
                 load("acquire")),
      "");
  EXPECT_EQ(
      CheckedMachine::kindOf(runMessage(store("monotonic"), load("acquire"))),
      "race");
  EXPECT_EQ(
      CheckedMachine::kindOf(runMessage(store("release"), load("monotonic"))),
      "race");
  EXPECT_EQ(CheckedMachine::kindOf(runMessage(volatileStore, volatileLoad)),
            "race");
  EXPECT_EQ(runMessage(fence + volatileStore, volatileLoad, "", fence), "");
  EXPECT_EQ(
      CheckedMachine::kindOf(runMessage(fence + volatileStore, volatileLoad)),
      "race");
  EXPECT_EQ(CheckedMachine::kindOf(
                runMessage(volatileStore, volatileLoad, "", fence)),
            "race");
  // An access after the release is not a part of it.
  EXPECT_EQ(CheckedMachine::kindOf(
                runMessage(store("release"), load("acquire"),
                           "memref.store %one, %d[] : memref<i32>")),
            "race");
}

//===----------------------------------------------------------------------===//
// False promises
//===----------------------------------------------------------------------===//

const std::string disjoint = " {obs.contract = \"disjoint\"}";

TEST(FalseClaim, TwoThreads) {
  std::string error =
      run("memref.store %ti, %s[%c0]" + disjoint + arena, races, 32);
  EXPECT_TRUE(isError(error, bodyLine, "false-claim"));
  EXPECT_TRUE(contains(error, "[R5-disjoint]"));
  EXPECT_TRUE(contains(error, "\ntest:13:1: note: the other access"));
  EXPECT_EQ(run("memref.store %ti, %s[%t]" + disjoint + arena, races, 32), "");
}

TEST(FalseClaim, OneThreadInTwoIterations) {
  // %a = 1 writes different elements.
  auto body = [](const std::string &after) {
    return "%c8 = arith.constant 8 : index\n"
           "scf.for %i = %c0 to %c2 step %c1 {\n"
           "%f = arith.muli %i, %a : index\n"
           "memref.store %ti, %s[%f]" +
           disjoint + arena + after + "}\n";
  };
  EXPECT_EQ(run(body(""), races, 1, 1), "");
  std::string error = run(body(""), races, 1, 0);
  EXPECT_TRUE(isError(error, bodyLine + 3, "false-claim"));
  EXPECT_TRUE(contains(error, "thread 0 of block 0, which stored to the "
                              "element before"));
  // A thread reads a written element, or waits: these are two forces.
  EXPECT_EQ(run(body("%x = memref.load %s[%c0]" + arena), races, 1, 0), "");
  EXPECT_EQ(run(body(blockBarrier), races, 1, 0), "");
  EXPECT_EQ(run(body("%x = memref.load %s[%c2]" + arena), races, 1, 0), "");
}

TEST(FalseClaim, OneThreadTwice) {
  std::string first = "memref.store %ti, %s[%t]" + disjoint + arena;
  std::string second = "memref.store %ti, %s[%a]" + disjoint + arena;
  EXPECT_EQ(run(first + second, races, 1, 1), "");
  std::string error = run(first + second, races, 1, 0);
  EXPECT_TRUE(isError(error, bodyLine + 1, "false-claim"));
  EXPECT_TRUE(contains(error, "\ntest:13:1: note: the other store"));
  // A read or a barrier in between: these are two forces.
  std::string read = "%x = memref.load %s[%c0]" + arena;
  EXPECT_EQ(run(first + read + second, races, 1, 0), "");
  EXPECT_EQ(run(first + blockBarrier + second, races, 1, 0), "");
}

//===----------------------------------------------------------------------===//
// Unwritten memory
//===----------------------------------------------------------------------===//

TEST(Uninit, SharedMemory) {
  EXPECT_EQ(run(store + blockBarrier + load, uninit, 64), "");
  std::string most = "%c = arith.cmpi ult, %t, %a : index\nscf.if %c {\n" +
                     store + "}\n" + blockBarrier + load;
  std::string error = run(most, uninit, 64, 63);
  EXPECT_TRUE(isError(error, bodyLine + 5, "uninit"));
  EXPECT_TRUE(contains(error, "\ntest:6:6: note: the memory is made here"));
  EXPECT_TRUE(contains(error, "thread 0 of block 0"));
  // The second block does not see what the first one left.
  std::string once = "%block = gpu.block_id x\n"
                     "%c = arith.cmpi ult, %block, %a : index\nscf.if %c {\n" +
                     store + "}\n" + blockBarrier + load;
  EXPECT_EQ(run(once, uninit, 64, 2), "");
  EXPECT_TRUE(contains(run(once, uninit, 64, 1), "of block 1"));
}

TEST(Uninit, GlobalMemory) {
  CheckedMachine m(globalKernel(), uninit);
  DeviceMemory &memory = m.machine.machine->memory();
  auto *r =
      static_cast<int32_t *>(llvm::cantFail(memory.allocate(64 * 4, "here")));
  std::string error = m.launch(1, 8, 0, r, int64_t(8), int64_t(0));
  EXPECT_TRUE(isError(error, 6, "uninit"));
  EXPECT_TRUE(contains(error, "\nhere: note: the memory is made here"));
  memory.markWritten(r + 8, 7 * 4);
  error = m.launch(1, 8, 0, r, int64_t(8), int64_t(0));
  EXPECT_TRUE(contains(error, "thread 7 of block 0"));
  memory.markCopied(r + 15, r + 8, 4);
  EXPECT_EQ(m.launch(1, 8, 0, r, int64_t(8), int64_t(0)), "");
  // The data that a launch wrote is there for the next one.
  EXPECT_EQ(m.launch(1, 8, 0, r, int64_t(0), int64_t(0)), "");
  // A copy of elements without a value has no value, either.
  memory.markCopied(r, r + 20, 4);
  EXPECT_EQ(
      CheckedMachine::kindOf(m.launch(1, 8, 0, r, int64_t(0), int64_t(0))),
      "uninit");
}

TEST(Uninit, PrivateMemory) {
  // An array in a loop begins without contents each time.
  std::string text =
      kernel("%n: index, %k: index", R"(%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%v = arith.constant 7 : i32
scf.for %i = %c0 to %c2 step %c1 {
  %p = memref.alloca() : memref<4xi32>
  %c = arith.cmpi ult, %i, %n : index
  scf.if %c {
    memref.store %v, %p[%c1] : memref<4xi32>
  }
  %x = memref.load %p[%k] : memref<4xi32>
})");
  CheckedMachine m(text, uninit);
  EXPECT_EQ(m.launch(2, 3, 0, int64_t(2), int64_t(1)), "");
  std::string error = m.launch(2, 3, 0, int64_t(1), int64_t(1));
  EXPECT_TRUE(isError(error, 12, "uninit"));
  EXPECT_TRUE(contains(error, "private memory"));
  EXPECT_TRUE(contains(error, "\ntest:7:8: note: the memory is made here"));
  EXPECT_TRUE(isError(m.launch(2, 3, 0, int64_t(2), int64_t(2)), 12, "uninit"));
}

TEST(Uninit, PartsOfAnElement) {
  std::string body = "%v = arith.trunci %ti : i32 to i16\n"
                     "memref.store %v, %h[%t] : memref<256xi16, "
                     "#gpu.address_space<workgroup>>\n";
  std::string view = "%h = memref.view %dyn[%c0][] : memref<?xi8, "
                     "#gpu.address_space<workgroup>> to memref<256xi16, "
                     "#gpu.address_space<workgroup>>\n";
  std::string read = "%x = memref.load %s[%a]" + arena;
  EXPECT_EQ(run(view + body + blockBarrier + read, uninit, 4, 1), "");
  EXPECT_EQ(CheckedMachine::kindOf(
                run(view + body + blockBarrier + read, uninit, 3, 1)),
            "uninit");
}

} // namespace
