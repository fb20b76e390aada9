//===- PlanShared.cpp - Places of shared buffers in one arena ---------------===// 
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// First fit over live intervals. Positions number the operations of the kernel
// in textual order; a loop that uses a buffer from outside keeps it alive as a
// whole.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSPLANSHAREDPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

static constexpr int64_t warpSize = 32;
/// Slices of warps start at a multiple of this.
static constexpr int64_t sliceAlignment = 16;

namespace {
struct Buffer {
  memref::AllocOp alloc;
  int64_t bytes;
  int64_t alignment;
  /// Position of the first and the last access.
  unsigned first = ~0u, last = 0;
  /// The operation of the alloc's block that accesses it first.
  Operation *firstUser = nullptr;
  int64_t offset = 0;
};

class Planner {
public:
  explicit Planner(KernelOp kernel) : kernel(kernel) {
    kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { start[op] = start.size(); });
    kernel.walk([&](BarrierOp barrier) {
      if (barrier.getScope() == Level::Block)
        barriers.push_back(barrier);
    });
  }
  LogicalResult run(int64_t limit);

private:
  std::optional<Buffer> measure(memref::AllocOp alloc);
  unsigned end(Operation *op) {
    unsigned result = start[op];
    op->walk([&](Operation *inner) { result = std::max(result, start[inner]); });
    return result;
  }
  bool separated(const Buffer &earlier, const Buffer &later);
  bool mayShare(const Buffer &a, const Buffer &b) {
    if (a.last < b.first)
      return separated(a, b);
    return b.last < a.first && separated(b, a);
  }

  KernelOp kernel;
  llvm::DenseMap<Operation *, unsigned> start;
  SmallVector<BarrierOp> barriers;
};
} // namespace

/// Bytes of one element in memory.
static int64_t getElementBytes(Type type) {
  return type.isIndex() ? 8
                        : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::optional<Buffer> Planner::measure(memref::AllocOp alloc) {
  auto home = dyn_cast_or_null<HomeAttr>(alloc.getType().getMemorySpace());
  if (!home || home.getStorage() != Storage::Shared)
    return std::nullopt;
  int64_t bytes = alloc.getType().getNumElements() *
                  getElementBytes(alloc.getType().getElementType());
  int64_t alignment = getElementBytes(alloc.getType().getElementType());
  if (home.getOwner() == Level::Warp) {
    alignment = sliceAlignment;
    bytes = llvm::alignTo(bytes, alignment) *
            llvm::divideCeil(kernel.getThreads().value_or(1), warpSize);
  }
  Buffer buffer{alloc, bytes, alignment};
  for (Operation *user : alloc->getUsers()) {
    Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
    if (start[top] < buffer.first) {
      buffer.first = start[top];
      buffer.firstUser = top;
    }
    buffer.last = std::max(buffer.last, end(top));
  }
  return buffer;
}

/// True when a block barrier orders every use of `earlier` before every use of
/// `later`, and, in a loop that contains both, the other way around in the next
/// iteration.
bool Planner::separated(const Buffer &earlier, const Buffer &later) {
  // A barrier is on every path to `user` if it stands before it in a block that
  // contains it.
  auto dominates = [&](BarrierOp barrier, Operation *user) {
    Operation *inBlock = barrier->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && start[barrier] < start[inBlock];
  };
  bool between = llvm::any_of(barriers, [&](BarrierOp barrier) {
    return start[barrier] > earlier.last && start[barrier] < later.first &&
           dominates(barrier, later.firstUser);
  });
  if (!between)
    return false;
  Operation *loop = earlier.alloc->getParentOp();
  while (loop != kernel &&
         !(isa<LoopLikeOpInterface>(loop) && loop->isAncestor(later.alloc)))
    loop = loop->getParentOp();
  if (loop == kernel)
    return true;
  return llvm::any_of(barriers, [&](BarrierOp barrier) {
    if (!loop->isProperAncestor(barrier))
      return false;
    bool atStart = start[barrier] < earlier.first &&
                   dominates(barrier, earlier.firstUser);
    bool atEnd =
        start[barrier] > later.last && barrier->getParentOp() == loop;
    return atStart || atEnd;
  });
}

LogicalResult Planner::run(int64_t limit) {
  SmallVector<Buffer> buffers;
  kernel.walk([&](memref::AllocOp alloc) {
    if (std::optional<Buffer> buffer = measure(alloc))
      buffers.push_back(*buffer);
  });
  llvm::stable_sort(buffers, [](const Buffer &a, const Buffer &b) {
    return a.first < b.first;
  });
  int64_t total = 0;
  for (unsigned i = 0; i < buffers.size(); ++i) {
    Buffer &buffer = buffers[i];
    // Raise the offset over every neighbour in the way until none is.
    bool moved = true;
    while (moved) {
      moved = false;
      for (const Buffer &other : ArrayRef(buffers).take_front(i)) {
        bool overlaps = buffer.offset < other.offset + other.bytes &&
                        other.offset < buffer.offset + buffer.bytes;
        if (overlaps && !mayShare(other, buffer)) {
          buffer.offset =
              llvm::alignTo(other.offset + other.bytes, buffer.alignment);
          moved = true;
        }
      }
    }
    total = std::max(total, buffer.offset + buffer.bytes);
  }
  if (total > limit) {
    InFlightDiagnostic diag =
        kernel.emitOpError("[shared-limit] needs ")
        << total << " bytes of shared memory, but a block has " << limit
        << "; force less in one block, or smaller parts one after the other";
    for (Buffer &buffer : buffers)
      diag.attachNote(buffer.alloc.getLoc())
          << buffer.bytes << " bytes at offset " << buffer.offset
          << ", alive from operation " << buffer.first << " to "
          << buffer.last;
    return diag;
  }
  OpBuilder builder(kernel.getContext());
  for (Buffer &buffer : buffers)
    buffer.alloc->setAttr("obs.offset", builder.getI64IntegerAttr(buffer.offset));
  kernel->setAttr("shared_bytes", builder.getI64IntegerAttr(total));
  return success();
}

namespace {
struct PlanShared : obs::impl::ObsPlanSharedPassBase<PlanShared> {
  using ObsPlanSharedPassBase::ObsPlanSharedPassBase;
  void runOnOperation() override {
    if (failed(Planner(getOperation()).run(limit)))
      signalPassFailure();
  }
};
} // namespace
