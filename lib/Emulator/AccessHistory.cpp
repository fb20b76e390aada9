//===- AccessHistory.cpp - The order of accesses --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessHistory.h"

#include <algorithm>

using namespace mlir::obs::emulator;

void BlockClock::reset(uint32_t numThreads) {
  now = barrierTime = 1;
  warps.clear();
  for (uint32_t first = 0; first < numThreads; first += kWarpSize) {
    uint32_t count = std::min(kWarpSize, numThreads - first);
    warps.emplace_back();
    warps.back().allLanes = count == kWarpSize ? ~0u : (1u << count) - 1;
  }
}

void BlockClock::passWarpBarrier(uint32_t number, uint32_t mask) {
  Warp &warp = warps[number];
  mask &= warp.allLanes;
  ++now;
  if (mask == warp.allLanes) {
    warp.barrierTime = now;
    return;
  }
  if (!warp.partial)
    warp.partial = std::make_unique<Warp::Partial>();
  Warp::Partial &partial = *warp.partial;
  // The latest times that any lane of the mask has. All of them have these now.
  std::array<uint32_t, kWarpSize> known{};
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    for (uint32_t other = 0; other < kWarpSize; ++other)
      known[other] = std::max(known[other], partial.known[lane][other]);
    known[lane] = timeOf(number * kWarpSize + lane);
  }
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if (mask >> lane & 1) {
      partial.known[lane] = known;
      partial.times[lane] = now;
    }
}

void BlockClock::advance(uint32_t thread) {
  Warp &warp = warps[thread / kWarpSize];
  if (!warp.partial)
    warp.partial = std::make_unique<Warp::Partial>();
  warp.partial->times[thread % kWarpSize] = ++now;
}

uint32_t BlockClock::timeOf(uint32_t thread) const {
  const Warp &warp = warps[thread / kWarpSize];
  uint32_t time = std::max(barrierTime, warp.barrierTime);
  if (warp.partial)
    time = std::max(time, warp.partial->times[thread % kWarpSize]);
  return time;
}

bool BlockClock::isOrdered(const Access &earlier, uint32_t thread) const {
  if (earlier.thread == thread || earlier.time < barrierTime)
    return true;
  if (earlier.warp() != thread / kWarpSize)
    return false;
  const Warp &warp = warps[thread / kWarpSize];
  if (earlier.time < warp.barrierTime)
    return true;
  return warp.partial &&
         earlier.time <=
             warp.partial
                 ->known[thread % kWarpSize][earlier.thread % kWarpSize];
}
