//===- RuntimeHooks.cpp - Functions that compiled kernels call ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions run on the stack of an emulated thread. A function that fails
// switches to the scheduler and never continues, so no object with a destructor
// may be alive at this point.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace mlir::obs::emulator;

/// Calls a function of the launch of a thread for this thread.
template <typename Result, typename... Params, typename... Args>
static Result call(ThreadContext *context,
                   Result (Launch::*hook)(Thread &, Params...), Args... args) {
  Thread &thread = *static_cast<Thread *>(context);
  return (thread.launch->*hook)(thread, args...);
}

extern "C" {
void obs_emu_access(ThreadContext *thread, char *address, uint32_t site) {
  call(thread, &Launch::access, address, site);
}
void obs_emu_sync_access(ThreadContext *thread, char *address, uint32_t site) {
  call(thread, &Launch::syncAccess, address, site);
}
void obs_emu_index_failed(ThreadContext *thread, uint32_t site, uint64_t dim,
                          int64_t index, int64_t extent) {
  call(thread, &Launch::failIndex, site, dim, index, extent);
}
void obs_emu_assert_failed(ThreadContext *thread, uint32_t site) {
  call(thread, &Launch::failAssert, site);
}
void obs_emu_block_barrier(ThreadContext *thread, uint32_t site) {
  call(thread, &Launch::blockBarrier, site);
}
void obs_emu_warp_barrier(ThreadContext *thread, uint32_t site, uint32_t mask) {
  call(thread, &Launch::warpBarrier, site, mask);
}
uint64_t obs_emu_shuffle(ThreadContext *thread, uint32_t site, uint64_t value,
                         uint32_t offset, uint32_t width) {
  return call(thread, &Launch::shuffle, site, value, offset, width);
}
void obs_emu_multiply(ThreadContext *thread, uint32_t site, float *elements) {
  call(thread, &Launch::multiply, site, elements);
}
void obs_emu_printf(ThreadContext *thread, uint32_t site,
                    const uint64_t *args) {
  call(thread, &Launch::print, site, args);
}
void obs_emu_poll(ThreadContext *thread, uint32_t site) {
  call(thread, &Launch::poll, site);
}
void obs_emu_fence(ThreadContext *thread, uint32_t order) {
  call(thread, &Launch::fence, order);
}
void obs_emu_private_begins(ThreadContext *thread, char *base, uint64_t bytes) {
  call(thread, &Launch::privateBegins, base, bytes);
}
}

/// In ticket order, the number of synchronising accesses of a thread before
/// others run.
static constexpr uint32_t kSyncsPerTurn = 32;
/// The number of iterations of unbounded loops of a thread before others run.
static constexpr uint64_t kPollsPerTurn = 65536;
/// The number of idle steps that a poll counts for.
static constexpr uint64_t kPollSteps = 64;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static llvm::StringRef verb(SiteKind kind) {
  switch (kind) {
  case SiteKind::Load:
  case SiteKind::SyncLoad:
    return "load";
  case SiteKind::Store:
  case SiteKind::SyncStore:
    return "store";
  default:
    return "atomic operation";
  }
}

void Launch::setErrorOutOfBounds(const Thread &thread, uint32_t site,
                                 const char *address) {
  const Site &info = sites[site];
  std::string where;
  // Just before or after the shared memory of the block is the likelier
  // explanation, then comes global memory.
  int64_t offset = address - thread.block->shared;
  if (offset >= -256 && offset < int64_t(sharedBytes) + 256 && sharedBytes)
    where = ("at byte " + llvm::Twine(offset) + " of the block's " +
             llvm::Twine(sharedBytes) + " bytes of shared memory")
                .str();
  else
    where = memory.describe(address);
  setError(thread, site, "out-of-bounds",
           verb(info.kind) + " of " + llvm::Twine(info.bytes) + " bytes by " +
               describe(thread) + "; its first byte is " + where);
}

bool Launch::locate(Thread &thread, char *address, uint32_t site,
                    MemorySpace &space) {
  AccessSite &info = accessSites[site];
  uint64_t bytes = info.bytes;
  auto contains = [&](const char *base, uint64_t size) {
    uint64_t offset = address - base;
    return offset < size && size - offset >= bytes;
  };
  auto found = [&](const char *base, uint64_t size, MemorySpace where) {
    space = where;
    info.base = base;
    info.size = size;
    info.space = where;
  };
  if (contains(thread.block->shared, sharedBytes)) {
    space = MemorySpace::Shared;
  } else if (contains(info.base, info.size)) {
    space = info.space;
  } else if (DeviceMemory::Range range = memory.find(address);
             range.base && contains(range.base, range.bytes)) {
    found(range.base, range.bytes, MemorySpace::Global);
  } else if (contains(thread.stack, stacks.stackBytes())) {
    space = MemorySpace::Private;
  } else {
    const GlobalRange *global =
        llvm::find_if(globals, [&](const GlobalRange &g) {
          return contains(g.base, g.bytes);
        });
    bool writes =
        info.kind != AccessKind::Load && info.kind != AccessKind::SyncLoad;
    if (global == globals.end()) {
      setErrorOutOfBounds(thread, site, address);
      return false;
    }
    if (global->constant && writes) {
      setError(thread, site, "out-of-bounds",
               verb(sites[site].kind) + " to constant memory by " +
                   describe(thread));
      return false;
    }
    found(global->base, global->bytes, MemorySpace::Constant);
  }
  if (reinterpret_cast<uintptr_t>(address) & info.alignMask) {
    setError(thread, site, "misaligned-access",
             verb(sites[site].kind) + " by " + describe(thread) +
                 " at an address that is not a multiple of " +
                 llvm::Twine(info.alignMask + 1));
    return false;
  }
  return true;
}

void Launch::accessSlow(Thread &thread, char *address, uint32_t site) {
  MemorySpace space;
  if (!locate(thread, address, site, space))
    abandon(thread);
  const AccessSite &info = accessSites[site];
  if (space == MemorySpace::Private) {
    if (isWatched)
      accessed(thread, space, address, site);
    return;
  }
  bytesMoved[space == MemorySpace::Shared][info.kind == AccessKind::Store] +=
      info.bytes;
  if (isWatched)
    accessed(thread, space, address, site);
}

void Launch::accessed(Thread &thread, MemorySpace space, const char *address,
                      uint32_t site) {
  const AccessSite &info = accessSites[site];
  for (AccessObserver *observer : observers) {
    AccessEvent event{info.kind,
                      space,
                      address,
                      info.bytes,
                      thread.owner->number,
                      thread.index,
                      sites[site].location,
                      site,
                      sites[site].contract,
                      sites[site].buffer,
                      sites[site].update,
                      thread.iteration,
                      (sites[site].order & kAcquires) != 0,
                      (sites[site].order & kReleases) != 0};
    bool ok;
    {
      std::string message;
      ok = observer->access(event, message);
      if (!ok)
        error = message;
    }
    if (!ok)
      abandon(thread);
  }
  // A random schedule also switches at plain accesses, now and then: a program
  // without races has the same results in any case. The thread that tells
  // whether the block is idle is not ahead of the others.
  if (isRandom && info.kind <= AccessKind::Store &&
      (thread.owner->isUntried || random() % 32 == 0)) {
    thread.site = site;
    suspend(thread);
  }
}

void Launch::fence(Thread &thread, uint32_t order) {
  // One thread of the host runs everything: there is nothing to wait for.
  for (AccessObserver *observer : observers)
    observer->fence(thread.owner->number, thread.index, order & kAcquires,
                    order & kReleases);
}

void Launch::privateBegins(Thread &thread, char *base, uint64_t bytes) {
  for (AccessObserver *observer : observers)
    observer->privateBegins(thread.owner->number, thread.index, base, bytes);
}

void Launch::noteAtomicResult(Thread &thread) {
  if (!thread.atomicAddress)
    return;
  uint64_t now = 0;
  std::memcpy(&now, thread.atomicAddress, thread.atomicBytes);
  if (now != thread.atomicValue)
    progress();
  thread.atomicAddress = nullptr;
}

void Launch::syncAccess(Thread &thread, char *address, uint32_t site) {
  noteAtomicResult(thread);
  MemorySpace space;
  if (!locate(thread, address, site, space))
    abandon(thread);
  const AccessSite &info = accessSites[site];
  // The yield is before the access. So no other thread runs between the access
  // and the next steps of this thread.
  ++thread.syncs;
  if (isRandom ? thread.owner->isUntried || random() % 2 == 0
               : thread.syncs >= kSyncsPerTurn)
    spin(thread, site);
  if (space == MemorySpace::Private)
    return;
  bool isShared = space == MemorySpace::Shared;
  if (info.kind == AccessKind::Atomic)
    ++stats.atomics;
  else
    bytesMoved[isShared][info.kind == AccessKind::SyncStore] += info.bytes;
  if (info.kind != AccessKind::SyncLoad) {
    thread.atomicBytes = std::min<uint32_t>(info.bytes, 8);
    thread.atomicValue = 0;
    std::memcpy(&thread.atomicValue, address, thread.atomicBytes);
    thread.atomicAddress = address;
  }
  if (isWatched)
    accessed(thread, space, address, site);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Launch::spin(Thread &thread, uint32_t site) {
  noteAtomicResult(thread);
  ++idleSteps;
  thread.syncs = 0;
  thread.repeats = 0;
  // The iterations of a loop that waits at accesses are no computation.
  thread.polls = 0;
  thread.site = site;
  suspend(thread);
}

void Launch::poll(Thread &thread, uint32_t site) {
  if (++thread.polls < kPollsPerTurn)
    return;
  iterations += kPollsPerTurn;
  looping = &thread;
  loopSite = site;
  idleSteps += kPollSteps - 1;
  spin(thread, site);
}

void Launch::blockBarrier(Thread &thread, uint32_t site) {
  thread.state = ThreadState::BlockBarrier;
  thread.site = site;
  suspend(thread);
}

void Launch::warpBarrier(Thread &thread, uint32_t site, uint32_t mask) {
  if (!(mask >> thread.laneId & 1)) {
    setError(thread, site, "divergent-barrier",
             describe(thread) + " (lane " + llvm::Twine(thread.laneId) +
                 ") is not in the mask 0x" + llvm::utohexstr(mask) +
                 " of the warp barrier that it executes");
    abandon(thread);
  }
  thread.state = ThreadState::WarpBarrier;
  thread.site = site;
  thread.mask = mask;
  suspend(thread);
}

uint64_t Launch::shuffle(Thread &thread, uint32_t site, uint64_t value,
                         uint32_t offset, uint32_t width) {
  if (width < 1 || width > kWarpSize) {
    setError(thread, site, "bad-shuffle",
             describe(thread) + " shuffles with the width " +
                 llvm::Twine(width) + "; it must be 1 to 32");
    abandon(thread);
  }
  if (offset >= kWarpSize) {
    setError(thread, site, "bad-shuffle",
             describe(thread) + " shuffles with the offset " +
                 llvm::Twine(int32_t(offset)) + "; it must be 0 to 31");
    abandon(thread);
  }
  // Only the first `width` lanes take part.
  if (thread.laneId >= width) {
    thread.shuffleValid = 0;
    return value;
  }
  thread.state = ThreadState::Shuffle;
  thread.site = site;
  thread.shuffleValue = value;
  thread.shuffleOffset = offset;
  thread.shuffleWidth = width;
  suspend(thread);
  return thread.shuffleValue;
}

void Launch::multiply(Thread &thread, uint32_t site, float *elements) {
  if (thread.owner->warps[thread.warpId].count != kWarpSize) {
    setError(thread, site, "bad-mma",
             describe(thread) + " multiplies matrices with the other lanes, "
                                "but its warp has fewer than 32 threads");
    abandon(thread);
  }
  thread.state = ThreadState::Multiply;
  thread.site = site;
  thread.elements = elements;
  suspend(thread);
}

void Launch::print(Thread &thread, uint32_t site, const uint64_t *args) {
  // Formatting needs more stack than a fiber has: the scheduler does it.
  thread.site = site;
  printer = &thread;
  printArgs = args;
  suspend(thread);
}

//===----------------------------------------------------------------------===//
// Failing
//===----------------------------------------------------------------------===//

void Launch::abandon(Thread &thread) {
  suspend(thread);
  llvm_unreachable("a failed thread was resumed");
}

void Launch::failIndex(Thread &thread, uint32_t site, uint64_t dim,
                       int64_t index, int64_t extent) {
  setError(thread, site, "out-of-bounds",
           verb(sites[site].kind) + " by " + describe(thread) + " with index " +
               llvm::Twine(index) + " in dimension " + llvm::Twine(dim) +
               " of extent " + llvm::Twine(extent));
  abandon(thread);
}

void Launch::failAssert(Thread &thread, uint32_t site) {
  bool isAssert = sites[site].kind == SiteKind::Assert;
  setError(thread, site, isAssert ? "assertion-failed" : "arithmetic",
           sites[site].text + " (" + describe(thread) + ")");
  abandon(thread);
}

void Launch::threadMain(void *argument) {
  auto *thread = static_cast<Thread *>(argument);
  Launch &launch = *thread->launch;
  while (true) {
    launch.config.kernel->function(thread, launch.config.params.data());
    thread->state = ThreadState::Done;
    Thread *next = launch.startNextLane(*thread);
    if (!next)
      launch.abandon(*thread);
    thread = next;
  }
}
