//===- Launch.h - One run of a kernel ---------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a block are fibers. The scheduler resumes a thread, which runs
// until it waits for others, ends, fails or spins. Then the scheduler releases
// the threads that no longer wait, first in the warp, then in the block.
// Functions of the first group below run on the stack of a thread, those of the
// second on the stack of the scheduler.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_LAUNCH_H
#define OBSIDIAN_LIB_EMULATOR_LAUNCH_H

#include "Fiber.h"
#include "RuntimeABI.h"

#include "Obsidian/Emulator/Machine.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::obs::emulator {

/// A site of the compiled module.
struct Site {
  SiteKind kind;
  uint32_t bytes = 0;
  uint32_t align = 1;
  /// `file:line:col`.
  std::string location;
  /// The location of the operation that allocates the accessed buffer, in the
  /// same form, or empty.
  std::string buffer;
  /// For a store: the number of the force that updates the buffer, or 0.
  uint32_t update = 0;
  StoreContract contract = StoreContract::None;
  /// Bits of MemoryOrder.
  uint32_t order = 0;
  /// The message of an assertion, or the format of a printf.
  std::string text;
};

/// The memory of a `memref.global` of the module.
struct GlobalRange {
  const char *base;
  size_t bytes;
  bool constant;
};

struct Kernel {
  std::string name;
  KernelFunction function = nullptr;
  unsigned numArgs = 0;
  size_t privateBytes = 0;
  size_t sharedBytes = 0;
  /// A block whose first thread ends and is not `isActive` is idle.
  bool mayBeIdle = false;
  /// The only block size of a launch; unknown if zero.
  uint32_t blockSize[3] = {0, 0, 0};
};

enum class ThreadState : uint8_t {
  Ready,
  BlockBarrier,
  WarpBarrier,
  Shuffle,
  Multiply,
  Done
};

class Launch;
struct BlockState;

struct Thread : ThreadContext {
  FiberState fiber;
  char *stack;
  Launch *launch;
  BlockState *owner;
  uint32_t index;
  ThreadState state;
  /// The site of the operation at which the thread waits or spins.
  uint32_t site;
  uint32_t mask;
  uint32_t shuffleOffset, shuffleWidth;
  uint64_t shuffleValue;
  /// The elements of the lane that multiplies; see `obs_emu_multiply`.
  float *elements;
  /// These numbers show whether the thread spins: the address of the last
  /// access, the number of consecutive accesses of this address, and the
  /// numbers of sync accesses and of loop iterations since the thread was
  /// resumed.
  const char *lastAddress;
  uint32_t repeats;
  uint32_t syncs;
  uint64_t polls;
  /// The bytes at the address of the last atomic before it was executed.
  const char *atomicAddress;
  uint64_t atomicValue;
  uint32_t atomicBytes;
};

struct WarpState {
  uint32_t first, count;
  /// Lanes at a warp barrier, a shuffle or a product.
  uint32_t waiting;
};

struct BlockState {
  BlockContext context;
  uint64_t number;
  std::vector<Thread> threads;
  std::vector<WarpState> warps;
  std::vector<char> storage;
  uint32_t ready, atBarrier, done;
  /// The first thread has not run yet. It determines whether the other threads
  /// run. They begin after it.
  bool isUntried;
};

class Launch {
public:
  struct Config {
    const Kernel *kernel;
    Dim3 grid, block;
    size_t sharedBytes;
    llvm::ArrayRef<void *> params;
  };

  Launch(llvm::ArrayRef<Site> sites, llvm::ArrayRef<GlobalRange> globals,
         const DeviceMemory &memory, StackPool &stacks,
         llvm::ArrayRef<AccessObserver *> observers,
         const MachineOptions &options, const Config &config);
  ~Launch();

  llvm::Error run(LaunchStats &stats);

  // On the stack of a thread.
  void access(Thread &thread, char *address, uint32_t site);
  void syncAccess(Thread &thread, char *address, uint32_t site);
  void blockBarrier(Thread &thread, uint32_t site);
  void warpBarrier(Thread &thread, uint32_t site, uint32_t mask);
  uint64_t shuffle(Thread &thread, uint32_t site, uint64_t value,
                   uint32_t offset, uint32_t width);
  void multiply(Thread &thread, uint32_t site, float *elements);
  void print(Thread &thread, uint32_t site, const uint64_t *args);
  void poll(Thread &thread, uint32_t site);
  void fence(Thread &thread, uint32_t order);
  void privateBegins(Thread &thread, char *base, uint64_t bytes);
  [[noreturn]] void failIndex(Thread &thread, uint32_t site, uint64_t dim,
                              int64_t index, int64_t extent);
  [[noreturn]] void failAssert(Thread &thread, uint32_t site);

private:
  /// The data of a site that each access uses.
  struct AccessSite {
    uint32_t bytes;
    uint32_t alignMask;
    AccessKind kind;
    /// The range of global or constant memory of the last access.
    MemorySpace space;
    const char *base;
    size_t size;
  };

  // On the stack of a thread.
  void accessSlow(Thread &thread, char *address, uint32_t site);
  void accessed(Thread &thread, MemorySpace space, const char *address,
                uint32_t site);
  void noteAtomicResult(Thread &thread);
  void spin(Thread &thread, uint32_t site);
  void suspend(Thread &thread) { switchFiber(thread.fiber, scheduler); }
  [[noreturn]] void abandon(Thread &thread);
  void setError(const Thread &thread, uint32_t site, llvm::StringRef kind,
                const llvm::Twine &message);
  void setErrorOutOfBounds(const Thread &thread, uint32_t site,
                           const char *address);
  /// Finds the range of `address` and stores it at the site. Sets the error if
  /// the access is not valid.
  bool locate(Thread &thread, char *address, uint32_t site, MemorySpace &space);
  static void threadMain(void *thread);
  /// After `thread` has ended: the next lane of its warp, if this lane has not
  /// begun and may begin on the same stack. It begins without the scheduler, so
  /// threads without work take little time.
  Thread *startNextLane(Thread &thread);

  // On the stack of the scheduler.
  bool runTicket();
  bool runRandom();
  enum class Outcome { Finished, Spinning, Failed };
  /// Runs the first thread of a block that may be idle. If the block is not,
  /// its other threads begin.
  bool tryBlock(BlockState &block);
  Outcome runBlock(BlockState &block);
  bool resume(Thread &thread);
  void endThread(Thread &thread);
  void handlePrint();
  bool resolveWarp(BlockState &block, WarpState &warp);
  bool exchange(BlockState &block, WarpState &warp, uint32_t site);
  bool resolveBlock(BlockState &block);
  void release(Thread &thread);
  void startBlock(uint64_t number);
  static void startThread(Thread &thread);
  void finishBlock(size_t position);
  bool mayStartBlock() const;
  void progress() {
    idleSteps = iterations = knownIterations = 0;
    ++progressCount;
  }
  void failStuck(BlockState &block);
  /// True if the launch must end because it made no progress for too long. The
  /// error is then set.
  bool hasTimedOut();
  void failDeadlock();
  void failEndless();
  std::string describe(const Thread &thread) const;
  std::string describeWait(const Thread &thread) const;
  uint64_t random();

  llvm::ArrayRef<Site> sites;
  llvm::ArrayRef<GlobalRange> globals;
  const DeviceMemory &memory;
  StackPool &stacks;
  llvm::ArrayRef<AccessObserver *> observers;
  const MachineOptions &options;
  const Config &config;
  std::vector<AccessSite> accessSites;
  uint64_t numBlocks;
  uint32_t numThreads;
  size_t sharedBytes;
  bool isRandom;
  /// True if observers are called for each access, or if each access may be a
  /// preemption.
  bool isWatched;

  FiberState scheduler = nullptr;
  /// The thread that runs, or that ran last.
  Thread *current = nullptr;
  std::vector<std::unique_ptr<BlockState>> resident, idle;
  uint64_t nextBlock = 0;
  uint64_t idleSteps = 0, progressCount = 0;
  /// The number of iterations of loops without a bound since the last progress,
  /// and this number when the budget of idle steps was last exceeded.
  uint64_t iterations = 0, knownIterations = 0;
  /// The thread that executed the last of these iterations, and its loop.
  const Thread *looping = nullptr;
  uint32_t loopSite = 0;
  uint64_t randomState;
  LaunchStats stats;
  /// Bytes by [is shared][is store].
  uint64_t bytesMoved[2][2] = {{0, 0}, {0, 0}};
  std::string error;
  /// The thread that waits for its output, and the arguments of its printf.
  Thread *printer = nullptr;
  const uint64_t *printArgs = nullptr;
};

inline void Launch::access(Thread &thread, char *address, uint32_t site) {
  AccessSite &info = accessSites[site];
  uint64_t bytes = info.bytes;
  bool aligned = (reinterpret_cast<uintptr_t>(address) & info.alignMask) == 0;
  bool isStore = info.kind == AccessKind::Store;
  MemorySpace space = MemorySpace::Shared;
  uint64_t offset = address - thread.block->shared;
  if (offset < sharedBytes && sharedBytes - offset >= bytes && aligned) {
    bytesMoved[1][isStore] += bytes;
  } else {
    space = info.space;
    offset = address - info.base;
    if (LLVM_UNLIKELY(offset >= info.size || info.size - offset < bytes ||
                      !aligned))
      return accessSlow(thread, address, site);
    bytesMoved[0][isStore] += bytes;
  }
  if (LLVM_UNLIKELY(isWatched))
    accessed(thread, space, address, site);
  if (isStore || address != thread.lastAddress) {
    thread.lastAddress = address;
    thread.repeats = 0;
  } else if (LLVM_UNLIKELY(++thread.repeats >= 256)) {
    // It reads the same address repeatedly, so it waits for another thread.
    spin(thread, site);
  }
}

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_LAUNCH_H
