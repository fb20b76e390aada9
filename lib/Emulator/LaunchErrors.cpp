//===- LaunchErrors.cpp - Errors of a launch in the emulator --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::obs::emulator;

std::string Launch::describe(const Thread &thread) const {
  auto position = [](const uint64_t id[3], const Dim3 &extent) {
    if (extent.y == 1 && extent.z == 1)
      return llvm::Twine(id[0]).str();
    return ("(" + llvm::Twine(id[0]) + ", " + llvm::Twine(id[1]) + ", " +
            llvm::Twine(id[2]) + ")")
        .str();
  };
  return "thread " + position(thread.threadId, config.block) + " of block " +
         position(thread.block->blockId, config.grid);
}

std::string Launch::describeWait(const Thread &thread) const {
  const std::string &location = sites[thread.site].location;
  switch (thread.state) {
  case ThreadState::Ready:
    return "is still running";
  case ThreadState::BlockBarrier:
    return "waits at the block barrier at " + location;
  case ThreadState::WarpBarrier:
    return "waits at the warp barrier at " + location + " with mask 0x" +
           llvm::utohexstr(thread.mask);
  case ThreadState::Shuffle:
    return "waits at the shuffle at " + location + " with width " +
           llvm::Twine(thread.shuffleWidth).str();
  case ThreadState::Multiply:
    return "waits at the product of matrices at " + location;
  case ThreadState::Done:
    return "has ended at " + sites[thread.exitSite].location;
  }
  llvm_unreachable("not a state");
}

void Launch::setError(const Thread &thread, uint32_t site, llvm::StringRef kind,
                      const llvm::Twine &message) {
  error = (sites[site].location + ": " + kind + ": " + message + " [kernel " +
           config.kernel->name + "]")
              .str();
}

void Launch::failStuck(BlockState &block) {
  // The narrowest group whose threads do not meet explains the rest.
  for (const Thread &thread : block.threads) {
    const WarpState &warp = block.warps[thread.warpId];
    auto lanes = llvm::ArrayRef(block.threads).slice(warp.first, warp.count);
    if (thread.state == ThreadState::WarpBarrier) {
      for (const Thread &other : lanes)
        if ((thread.mask >> other.laneId & 1) &&
            (other.state != ThreadState::WarpBarrier ||
             other.site != thread.site || other.mask != thread.mask))
          return setError(thread, thread.site, "divergent-barrier",
                          describe(thread) +
                              " waits at this warp barrier with mask 0x" +
                              llvm::utohexstr(thread.mask) + ", but " +
                              describe(other) + " " + describeWait(other));
    }
    if (thread.state == ThreadState::Shuffle) {
      for (const Thread &other : lanes)
        if (other.laneId < thread.shuffleWidth &&
            (other.state != ThreadState::Shuffle || other.site != thread.site ||
             other.shuffleWidth != thread.shuffleWidth))
          return setError(thread, thread.site, "divergent-shuffle",
                          describe(thread) +
                              " waits at this shuffle of width " +
                              llvm::Twine(thread.shuffleWidth) + ", but " +
                              describe(other) + " " + describeWait(other));
    }
  }
  llvm::ArrayRef<Thread> threads = block.threads;
  const Thread *waiting = llvm::find_if(threads, [](const Thread &thread) {
    return thread.state == ThreadState::BlockBarrier;
  });
  const Thread *other = llvm::find_if(threads, [&](const Thread &thread) {
    return thread.state != ThreadState::BlockBarrier ||
           thread.site != waiting->site;
  });
  setError(*waiting, waiting->site, "divergent-barrier",
           describe(*waiting) + " waits at this block barrier, but " +
               describe(*other) + " " + describeWait(*other));
}

void Launch::failEndless() {
  setError(*looping, loopSite, "endless-loop",
           describe(*looping) +
               " runs this loop, which has no bound, and nothing else happens "
               "in " +
               llvm::Twine(iterations) +
               " iterations; if it ends, use a loop scf.for, which has no "
               "limit, or raise the limit by --max-iterations of obs-run");
}

void Launch::failDeadlock() {
  for (const std::unique_ptr<BlockState> &block : resident) {
    llvm::ArrayRef<Thread> threads = block->threads;
    const Thread *spinning = llvm::find_if(threads, [](const Thread &thread) {
      return thread.state == ThreadState::Ready && thread.stack;
    });
    if (spinning == threads.end())
      continue;
    std::string others;
    const Thread *waiting = llvm::find_if(threads, [](const Thread &thread) {
      return thread.state != ThreadState::Ready &&
             thread.state != ThreadState::Done;
    });
    if (waiting != threads.end())
      others =
          "; meanwhile " + describe(*waiting) + " " + describeWait(*waiting);
    return setError(
        *spinning, spinning->site, "deadlock",
        describe(*spinning) + " spins here, and no thread makes progress (" +
            llvm::Twine(resident.size()) + " of " + llvm::Twine(numBlocks) +
            " blocks are resident)" + others);
  }
  llvm_unreachable("threads spin, but none is ready");
}
