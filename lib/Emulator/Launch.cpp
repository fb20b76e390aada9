//===- Launch.cpp - The scheduler of the emulator -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Printf.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <numeric>
#include <utility>

using namespace mlir::obs::emulator;

/// Shared memory of a block begins at a multiple of this and has a zone of as
/// many bytes around it.
static constexpr size_t kSharedZone = 256;

/// The most blocks that a random schedule interleaves, unless they wait for
/// others: few, which meet more often, or many.
static constexpr size_t kFewResidents = 4, kManyResidents = 64;

static AccessKind accessKind(SiteKind kind) {
  switch (kind) {
  case SiteKind::Load:
    return AccessKind::Load;
  case SiteKind::Store:
    return AccessKind::Store;
  case SiteKind::SyncLoad:
    return AccessKind::SyncLoad;
  case SiteKind::SyncStore:
    return AccessKind::SyncStore;
  default:
    return AccessKind::Atomic;
  }
}

Launch::Launch(llvm::ArrayRef<Site> sites, llvm::ArrayRef<GlobalRange> globals,
               const DeviceMemory &memory, StackPool &stacks,
               llvm::ArrayRef<AccessObserver *> observers,
               const MachineOptions &options, const Config &config)
    : sites(sites), globals(globals), memory(memory), stacks(stacks),
      observers(observers), options(options), config(config),
      numBlocks(config.grid.count()), numThreads(config.block.count()),
      sharedBytes(config.kernel->sharedBytes + config.sharedBytes),
      isRandom(options.schedule == Schedule::Random),
      isWatched(isRandom || !observers.empty()),
      // splitmix64 takes any state.
      randomState(options.seed) {
  accessSites.reserve(sites.size());
  for (const Site &site : sites)
    accessSites.push_back({site.bytes, site.align - 1, accessKind(site.kind),
                           MemorySpace::Global, nullptr, 0});
}

Launch::~Launch() { stacks.releaseAll(); }

uint64_t Launch::random() {
  uint64_t z = (randomState += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

llvm::Error Launch::run(LaunchStats &result) {
  for (AccessObserver *observer : observers)
    observer->launchBegins(config.kernel->name, config.grid, config.block);
  bool ok = isRandom ? runRandom() : runTicket();
  for (AccessObserver *observer : observers)
    ok &= observer->launchEnds(error);
  if (!ok)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  stats.blocks = numBlocks;
  stats.threads = numBlocks * numThreads;
  stats.globalBytesLoaded = bytesMoved[0][0];
  stats.globalBytesStored = bytesMoved[0][1];
  stats.sharedBytesLoaded = bytesMoved[1][0];
  stats.sharedBytesStored = bytesMoved[1][1];
  result = stats;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool Launch::mayStartBlock() const {
  return resident.empty() ||
         (resident.size() + 1) * numThreads <= options.maxResidentThreads;
}

void Launch::startBlock(uint64_t number) {
  std::unique_ptr<BlockState> block;
  if (!idle.empty()) {
    block = std::move(idle.back());
    idle.pop_back();
  } else {
    block = std::make_unique<BlockState>();
    BlockContext &context = block->context;
    const Dim3 &size = config.block, &grid = config.grid;
    const uint32_t sizes[3] = {size.x, size.y, size.z};
    const uint32_t grids[3] = {grid.x, grid.y, grid.z};
    llvm::copy(sizes, context.blockDim);
    llvm::copy(grids, context.gridDim);
    context.numWarps = llvm::divideCeil(numThreads, kWarpSize);
    block->storage.resize(sharedBytes + 3 * kSharedZone);
    context.shared = reinterpret_cast<char *>(llvm::alignTo(
        reinterpret_cast<uintptr_t>(block->storage.data()) + kSharedZone,
        kSharedZone));
    context.dynamicSharedBytes = config.sharedBytes;

    block->threads.resize(numThreads);
    for (uint32_t i = 0; i < numThreads; ++i) {
      Thread &thread = block->threads[i];
      thread.threadId[0] = i % size.x;
      thread.threadId[1] = i / size.x % size.y;
      thread.threadId[2] = i / size.x / size.y;
      thread.laneId = i % kWarpSize;
      thread.warpId = i / kWarpSize;
      thread.block = &context;
      thread.launch = this;
      thread.owner = block.get();
      thread.index = i;
    }
    for (uint32_t first = 0; first < numThreads; first += kWarpSize)
      block->warps.push_back(
          {first, std::min(kWarpSize, numThreads - first), 0});
  }

  block->number = number;
  const Dim3 &grid = config.grid;
  block->context.blockId[0] = number % grid.x;
  block->context.blockId[1] = number / grid.x % grid.y;
  block->context.blockId[2] = number / grid.x / grid.y;
  if (sharedBytes)
    std::memset(block->context.shared, kPoisonByte, sharedBytes);
  block->ready = numThreads;
  block->atBarrier = block->done = 0;
  block->isUntried = config.kernel->mayBeIdle;
  if (block->isUntried)
    startThread(block->threads.front());
  else
    llvm::for_each(block->threads, startThread);
  for (AccessObserver *observer : observers)
    observer->blockBegins(number, block->context.shared, sharedBytes);
  resident.push_back(std::move(block));
}

void Launch::startThread(Thread &thread) {
  thread.stack = nullptr;
  thread.state = ThreadState::Ready;
  thread.site = 0;
  thread.lastAddress = thread.atomicAddress = nullptr;
  thread.repeats = thread.syncs = 0;
  thread.polls = thread.iteration = 0;
  thread.isActive = 0;
}

bool Launch::tryBlock(BlockState &block) {
  Thread &first = block.threads.front();
  if (!resume(first))
    return false;
  block.isUntried = false;
  if (first.state == ThreadState::Done && !first.isActive) {
    block.done = numThreads;
    block.ready = 0;
    return true;
  }
  llvm::for_each(llvm::drop_begin(block.threads), startThread);
  return true;
}

void Launch::finishBlock(size_t position) {
  for (AccessObserver *observer : observers)
    observer->blockEnds(resident[position]->number);
  idle.push_back(std::move(resident[position]));
  resident.erase(resident.begin() + position);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

void Launch::endThread(Thread &thread) {
  ++thread.owner->done;
  --thread.owner->ready;
  progress();
}

Thread *Launch::startNextLane(Thread &thread) {
  uint32_t next = thread.index + 1;
  if (isRandom || thread.owner->isUntried || next % kWarpSize == 0 ||
      next == numThreads)
    return nullptr;
  Thread &lane = thread.owner->threads[next];
  if (lane.state != ThreadState::Ready || lane.stack)
    return nullptr;
  endThread(thread);
  lane.stack = std::exchange(thread.stack, nullptr);
  current = &lane;
  return &lane;
}

bool Launch::resume(Thread &first) {
  if (!first.stack) {
    first.stack = stacks.acquire();
    if (!first.stack) {
      error = "no memory for the stacks of the emulated threads";
      return false;
    }
    first.fiber =
        makeFiber(stacks.top(first.stack), &Launch::threadMain, &first);
  }
  current = &first;
  switchFiber(scheduler, first.fiber);
  while (printer) {
    handlePrint();
    switchFiber(scheduler, current->fiber);
  }
  if (LLVM_UNLIKELY(!error.empty()))
    return false;
  // Lanes may have ended, and others begun, on the same stack.
  Thread &thread = *current;
  BlockState &block = *thread.owner;
  switch (thread.state) {
  case ThreadState::Ready:
    return true;
  case ThreadState::BlockBarrier:
    ++block.atBarrier;
    break;
  case ThreadState::WarpBarrier:
  case ThreadState::Shuffle:
  case ThreadState::Multiply:
    ++block.warps[thread.warpId].waiting;
    break;
  case ThreadState::Done:
    stacks.release(thread.stack);
    thread.stack = nullptr;
    endThread(thread);
    return true;
  }
  --block.ready;
  return true;
}

void Launch::handlePrint() {
  std::string text = formatPrintf(sites[printer->site].text, printArgs);
  if (options.print) {
    options.print(text);
  } else {
    llvm::outs() << text;
    llvm::outs().flush();
  }
  printer = nullptr;
}

Launch::Outcome Launch::runBlock(BlockState &block) {
  if (block.isUntried) {
    if (!tryBlock(block))
      return Outcome::Failed;
    if (block.done == numThreads)
      return Outcome::Finished;
  }
  for (;;) {
    uint64_t before = progressCount;
    for (WarpState &warp : block.warps) {
      do {
        for (Thread &thread :
             llvm::MutableArrayRef(block.threads).slice(warp.first, warp.count))
          if (thread.state == ThreadState::Ready && !resume(thread))
            return Outcome::Failed;
      } while (warp.waiting && resolveWarp(block, warp));
      if (!error.empty())
        return Outcome::Failed;
    }
    if (block.done == numThreads)
      return Outcome::Finished;
    if (resolveBlock(block))
      continue;
    if (block.ready == 0) {
      failStuck(block);
      return Outcome::Failed;
    }
    if (hasTimedOut())
      return Outcome::Failed;
    if (progressCount == before)
      return Outcome::Spinning;
  }
}

bool Launch::runTicket() {
  while (nextBlock < numBlocks || !resident.empty()) {
    if (resident.empty())
      startBlock(nextBlock++);
    bool anyFinished = false;
    for (size_t i = 0; i < resident.size();) {
      switch (runBlock(*resident[i])) {
      case Outcome::Failed:
        return false;
      case Outcome::Finished:
        finishBlock(i);
        anyFinished = true;
        break;
      case Outcome::Spinning:
        ++i;
        break;
      }
    }
    // Everybody waits: perhaps for a block that has not begun.
    if (!anyFinished && nextBlock < numBlocks && mayStartBlock())
      startBlock(nextBlock++);
  }
  return true;
}

bool Launch::runRandom() {
  std::vector<uint64_t> order(numBlocks);
  std::iota(order.begin(), order.end(), 0);
  for (uint64_t i = numBlocks; i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  size_t most = random() % 2 == 0 ? kFewResidents : kManyResidents;
  size_t wanted = 1 + random() % most;
  while (nextBlock < numBlocks || !resident.empty()) {
    while (resident.size() < wanted && nextBlock < numBlocks && mayStartBlock())
      startBlock(order[nextBlock++]);
    size_t position = random() % resident.size();
    BlockState &block = *resident[position];
    // Each resident block has a thread that can run.
    uint32_t index = block.isUntried ? 0 : random() % numThreads;
    while (block.threads[index].state != ThreadState::Ready)
      index = index + 1 == numThreads ? 0 : index + 1;
    Thread &thread = block.threads[index];
    if (!(block.isUntried ? tryBlock(block) : resume(thread)))
      return false;
    WarpState &warp = block.warps[thread.warpId];
    if (warp.waiting)
      resolveWarp(block, warp);
    if (!error.empty())
      return false;
    if (block.done == numThreads) {
      finishBlock(position);
      wanted = 1 + random() % most;
      continue;
    }
    if (block.ready == 0 && !resolveBlock(block)) {
      failStuck(block);
      return false;
    }
    // Nothing happens but spinning: the threads may wait for a block that has
    // not begun.
    if (idleSteps > 8 * uint64_t(numThreads) * resident.size() + 64 &&
        nextBlock < numBlocks && mayStartBlock()) {
      wanted = resident.size() + 1;
      idleSteps = 0;
    }
    if (hasTimedOut())
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Releasing threads that wait
//===----------------------------------------------------------------------===//

void Launch::release(Thread &thread) {
  thread.state = ThreadState::Ready;
  thread.syncs = thread.repeats = 0;
  ++thread.owner->ready;
}

/// The elements of the lanes; see `obs.mma`. Products of f16 and bf16 are exact
/// in f32.
static void multiplyFragments(llvm::ArrayRef<Thread> lanes) {
  constexpr unsigned rows = 16, columns = 8, depth = 16;
  float a[rows][depth], b[depth][columns];
  for (auto [lane, thread] : llvm::enumerate(lanes)) {
    unsigned g = lane / 4, t = lane % 4 * 2;
    for (unsigned e = 0; e < 8; ++e)
      a[g + e / 2 % 2 * 8][t + e % 2 + e / 4 * 8] = thread.elements[e];
    for (unsigned e = 0; e < 4; ++e)
      b[t + e % 2 + e / 2 * 8][g] = thread.elements[8 + e];
  }
  for (auto [lane, thread] : llvm::enumerate(lanes))
    for (unsigned e = 0; e < 4; ++e) {
      unsigned row = lane / 4 + e / 2 * 8, column = lane % 4 * 2 + e % 2;
      float &sum = thread.elements[12 + e];
      for (unsigned k = 0; k < depth; ++k)
        sum += a[row][k] * b[k][column];
    }
}

bool Launch::resolveWarp(BlockState &block, WarpState &warp) {
  auto lanes =
      llvm::MutableArrayRef(block.threads).slice(warp.first, warp.count);
  bool released = false;
  for (Thread &thread : lanes) {
    if (thread.state == ThreadState::WarpBarrier) {
      uint32_t mask = thread.mask;
      bool complete = llvm::all_of(lanes, [&](const Thread &other) {
        return !(mask >> other.laneId & 1) ||
               (other.state == ThreadState::WarpBarrier &&
                other.site == thread.site && other.mask == mask);
      });
      if (!complete)
        continue;
      for (AccessObserver *observer : observers)
        observer->warpBarrier(block.number, thread.warpId, mask,
                              sites[thread.site].location);
      for (Thread &other : lanes)
        if (mask >> other.laneId & 1) {
          release(other);
          --warp.waiting;
        }
      ++stats.warpBarriers;
      progress();
      released = true;
    } else if (thread.state == ThreadState::Shuffle) {
      uint32_t width = thread.shuffleWidth;
      bool complete = llvm::all_of(lanes, [&](const Thread &other) {
        return other.laneId >= width ||
               (other.state == ThreadState::Shuffle &&
                other.site == thread.site && other.shuffleWidth == width);
      });
      if (!complete)
        continue;
      if (!exchange(block, warp, thread.site))
        return false;
      released = true;
    } else if (thread.state == ThreadState::Multiply) {
      if (!llvm::all_of(lanes, [&](const Thread &other) {
            return other.state == ThreadState::Multiply &&
                   other.site == thread.site;
          }))
        continue;
      multiplyFragments(lanes);
      for (Thread &other : lanes) {
        release(other);
        --warp.waiting;
      }
      progress();
      released = true;
    }
  }
  return released;
}

bool Launch::exchange(BlockState &block, WarpState &warp, uint32_t site) {
  auto lanes =
      llvm::MutableArrayRef(block.threads).slice(warp.first, warp.count);
  uint32_t width = lanes.front().shuffleWidth;
  lanes = lanes.take_front(width);
  uint64_t values[kWarpSize];
  for (auto [lane, thread] : llvm::enumerate(lanes))
    values[lane] = thread.shuffleValue;
  for (auto [lane, thread] : llvm::enumerate(lanes)) {
    uint32_t offset = thread.shuffleOffset;
    // Wraps to a huge number below zero.
    uint32_t from = lane;
    switch (sites[site].kind) {
    case SiteKind::ShuffleXor:
      from = lane ^ offset;
      break;
    case SiteKind::ShuffleUp:
      from = lane - offset;
      break;
    case SiteKind::ShuffleDown:
      from = lane + offset;
      break;
    default:
      from = offset;
      if (from >= width) {
        setError(thread, site, "bad-shuffle",
                 describe(thread) + " reads lane " + llvm::Twine(from) +
                     " in a shuffle of width " + llvm::Twine(width));
        return false;
      }
      break;
    }
    thread.shuffleValid = from < width;
    if (!thread.shuffleValid)
      continue;
    if (from >= lanes.size()) {
      setError(thread, site, "bad-shuffle",
               describe(thread) + " (lane " + llvm::Twine(lane) +
                   ") reads lane " + llvm::Twine(from) +
                   ", which is not active: the warp has " +
                   llvm::Twine(warp.count) + " threads");
      return false;
    }
    thread.shuffleValue = values[from];
  }
  for (Thread &thread : lanes) {
    release(thread);
    --warp.waiting;
  }
  ++stats.shuffles;
  progress();
  return true;
}

bool Launch::resolveBlock(BlockState &block) {
  if (block.atBarrier != numThreads)
    return false;
  uint32_t site = block.threads.front().site;
  for (const Thread &thread : block.threads)
    if (thread.site != site)
      return false;
  for (AccessObserver *observer : observers)
    observer->blockBarrier(block.number, sites[site].location);
  for (Thread &thread : block.threads)
    release(thread);
  block.atBarrier = 0;
  ++stats.blockBarriers;
  progress();
  return true;
}

bool Launch::hasTimedOut() {
  if (iterations > options.maxIterations) {
    failEndless();
    return true;
  }
  if (idleSteps <= options.stepBudget)
    return false;
  if (iterations == knownIterations) {
    failDeadlock();
    return true;
  }
  // A thread computes, and others may wait for its result.
  knownIterations = iterations;
  idleSteps = 0;
  return false;
}
