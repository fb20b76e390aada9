//===- SyncOrder.cpp - The order that releases and acquires create --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncOrder.h"

using namespace mlir::obs::emulator;

// Keys of a block, its warps and its threads.
static uint64_t blockKey(uint32_t block) { return uint64_t(block) << 16; }
static uint64_t warpKey(uint32_t block, uint32_t warp) {
  return blockKey(block) + 1 + warp;
}
static uint64_t threadKey(uint32_t block, uint32_t thread) {
  return blockKey(block) + 0x8000 + thread;
}

static void add(llvm::DenseMap<uint64_t, uint32_t> &times, uint64_t key,
                uint32_t time) {
  uint32_t &known = times[key];
  known = std::max(known, time);
}

bool Knowledge::contains(const Access &access) const {
  return times &&
         (access.time < times->lookup(blockKey(access.block)) ||
          access.time < times->lookup(warpKey(access.block, access.warp())) ||
          access.time < times->lookup(threadKey(access.block, access.thread)));
}

Knowledge::Table &Knowledge::change() {
  if (!times)
    times = std::make_shared<Table>();
  else if (times.use_count() > 1)
    times = std::make_shared<Table>(*times);
  return *times;
}

void Knowledge::join(const Knowledge &other) {
  if (!other.times || times == other.times)
    return;
  if (!times) {
    times = other.times;
    return;
  }
  Table &table = change();
  for (auto [key, time] : *other.times)
    add(table, key, time);
}

void Knowledge::addPast(uint32_t block, uint32_t thread,
                        const BlockClock &clock) {
  Table &table = change();
  add(table, blockKey(block), clock.timeOfBlockBarrier());
  add(table, warpKey(block, thread / kWarpSize),
      clock.timeOfWarpBarrier(thread));
  add(table, threadKey(block, thread), clock.timeOf(thread) + 1);
}

bool SyncOrder::isOrdered(const Access &earlier, uint32_t block,
                          uint32_t thread) const {
  auto found = threads.find(key(block, thread));
  return found != threads.end() && found->second.known.contains(earlier);
}

/// All events that precede this point. Later work of the thread is not
/// included.
Knowledge SyncOrder::past(uint32_t block, uint32_t thread, BlockClock &clock) {
  Knowledge result = threads[key(block, thread)].known;
  result.addPast(block, thread, clock);
  clock.advance(thread);
  return result;
}

void SyncOrder::read(const void *address, uint32_t block, uint32_t thread,
                     bool acquires) {
  auto found = released.find(address);
  if (found == released.end())
    return;
  ThreadState &state = threads[key(block, thread)];
  (acquires ? state.known : state.read).join(found->second);
}

void SyncOrder::write(const void *address, uint32_t block, uint32_t thread,
                      BlockClock &clock, bool releases, bool alsoReads) {
  Knowledge value;
  if (releases)
    value = past(block, thread, clock);
  else if (auto found = threads.find(key(block, thread));
           found != threads.end() && found->second.hasFence)
    value = found->second.released;
  else if (alsoReads)
    return;
  // An atomic operation changes a released value. A thread that reads the new
  // value acquires from that release, too.
  Knowledge &target = released[address];
  if (!alsoReads)
    target = Knowledge();
  target.join(value);
}

void SyncOrder::fence(uint32_t block, uint32_t thread, BlockClock &clock,
                      bool acquires, bool releases) {
  ThreadState &state = threads[key(block, thread)];
  if (acquires)
    state.known.join(state.read);
  if (!releases)
    return;
  Knowledge value = past(block, thread, clock);
  state.released = std::move(value);
  state.hasFence = true;
}

void SyncOrder::barrier(uint32_t block, uint32_t first, uint32_t numThreads,
                        uint32_t mask) {
  if (threads.empty())
    return;
  auto takesPart = [&](uint32_t i) {
    return numThreads > kWarpSize || (mask >> i & 1);
  };
  Knowledge all;
  bool any = false;
  for (uint32_t i = 0; i < numThreads; ++i) {
    auto found = threads.find(key(block, first + i));
    if (!takesPart(i) || found == threads.end())
      continue;
    all.join(found->second.known);
    any = true;
  }
  if (!any)
    return;
  for (uint32_t i = 0; i < numThreads; ++i)
    if (takesPart(i))
      threads[key(block, first + i)].known = all;
}
