//===- PlanShared.cpp - Offsets of shared buffers in one arena ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First fit over live intervals. Positions are the numbers of the operations of
// the kernel in textual order. A loop that uses a buffer from outside keeps it
// live as a whole. Disjoint intervals are not sufficient: while one thread
// still reads the old buffer, another one must not write the new one. So a
// block barrier must stand between any use of one and any use of the other.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSPLANSHAREDPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "AccessFlow.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
struct Buffer {
  memref::AllocOp alloc;
  int64_t bytes;
  int64_t alignment;
  /// Positions of the first and the last operation while it is alive.
  unsigned first = ~0u, last = 0;
  /// The operations, in the block of the alloc, that use it first and last.
  Operation *firstUser = nullptr, *lastUser = nullptr;
  int64_t offset = 0;
};

class Planner {
public:
  explicit Planner(KernelOp kernel) : kernel(kernel) {
    kernel.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { position.try_emplace(op, position.size()); });
  }
  LogicalResult run(int64_t limit);

private:
  std::optional<Buffer> measure(memref::AllocOp alloc);
  unsigned getEnd(Operation *op);
  void findUnordered();
  /// True if a thread may use `a` while another one uses `b`.
  bool isUnordered(const Buffer &a, const Buffer &b) {
    return unordered.contains({a.alloc, b.alloc});
  }
  bool canBeOrdered(const Buffer &a, const Buffer &b);
  int64_t place(bool addBarriers);
  void addBarriers();

  KernelOp kernel;
  llvm::DenseMap<Operation *, unsigned> position;
  SmallVector<Buffer> buffers;
  /// Pairs (both ways) of buffers with uses that no block barrier separates.
  llvm::DenseSet<std::pair<Operation *, Operation *>> unordered;
};
} // namespace

static bool overlap(const Buffer &a, const Buffer &b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/// The last position in `op`.
unsigned Planner::getEnd(Operation *op) {
  unsigned result = position[op];
  op->walk(
      [&](Operation *inner) { result = std::max(result, position[inner]); });
  return result;
}

std::optional<Buffer> Planner::measure(memref::AllocOp alloc) {
  HomeAttr home = getHome(alloc);
  if (!home || home.getStorage() != Storage::Shared)
    return std::nullopt;
  int64_t alignment = getElementBytes(alloc.getType().getElementType());
  int64_t bytes = alloc.getType().getNumElements() * alignment;
  if (home.getOwner() == Level::Warp) {
    alignment = sliceAlignment;
    bytes = getSliceBytes(alloc.getType()) *
            llvm::divideCeil(kernel.getThreads().value_or(1), warpSize);
  }
  Buffer buffer{alloc, bytes, alignment};
  SmallVector<Operation *> users(alloc->user_begin(), alloc->user_end());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    // A view of the buffer is used in its place.
    for (Value result : user->getResults())
      if (isa<MemRefType>(result.getType()))
        users.append(result.user_begin(), result.user_end());
    Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
    if (position[top] < buffer.first) {
      buffer.first = position[top];
      buffer.firstUser = top;
    }
    if (unsigned end = getEnd(top); !buffer.lastUser || end > buffer.last) {
      buffer.last = end;
      buffer.lastUser = top;
    }
  }
  return buffer;
}

/// True if only threads of the first warp execute `access`, so that a barrier
/// of the warp orders it.
static bool isByFirstWarp(const Access &access) {
  scf::ForallOp leaf = access.leaf;
  if (!leaf)
    return false;
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  if (distribution && distribution.getValue() != Distribution::Striped)
    return false;
  std::optional<int64_t> extent = getIterations(leaf);
  return extent && *extent <= warpSize;
}

void Planner::findUnordered() {
  unordered.clear();
  auto relate = [&](const Access &a, const Access &b) {
    if (a.buffer && b.buffer) {
      Operation *first = a.buffer.getDefiningOp();
      Operation *second = b.buffer.getDefiningOp();
      unordered.insert({first, second});
      unordered.insert({second, first});
      return;
    }
    // An access that could be any.
    for (Buffer &one : buffers)
      for (Buffer &other : buffers)
        unordered.insert({one.alloc, other.alloc});
  };
  bool isOneWarp = getWorkers(kernel).launched <= warpSize;
  auto visit = [&](Operation *, ArrayRef<Access> accesses,
                   ArrayRef<Access> before) -> std::optional<Level> {
    for (const Access &access : accesses) {
      bool byFirstWarp = isByFirstWarp(access);
      for (const Access &other : before)
        if (!other.warpSynced ||
            !(isOneWarp || (byFirstWarp && isByFirstWarp(other))))
          relate(access, other);
      for (const Access &other : accesses)
        relate(access, other);
    }
    return std::nullopt;
  };
  AccessFlow(Level::Block, /*withWarpArrays=*/true).run(kernel, visit);
}

/// The outermost loop over warps around `op`, or `op`.
static Operation *getWarpProgram(Operation *op) {
  Operation *program = op;
  for (; !isa<KernelOp>(op); op = op->getParentOp())
    if (isWarpLoop(op))
      program = op;
  return program;
}

/// True if a block barrier may stand between the uses of both. This is not
/// possible in the program of a warp, because other warps execute it at another
/// time or not at all.
bool Planner::canBeOrdered(const Buffer &a, const Buffer &b) {
  Operation *program = getWarpProgram(a.alloc);
  return program == a.alloc || program != getWarpProgram(b.alloc);
}

/// Gives every buffer its offset and returns the bytes of all. Buffers whose
/// lifetimes are disjoint share bytes if a barrier already orders their uses,
/// or with `addBarriers` if one can.
int64_t Planner::place(bool addBarriers) {
  int64_t total = 0;
  for (unsigned i = 0; i < buffers.size(); ++i) {
    Buffer &buffer = buffers[i];
    buffer.offset = 0;
    // Raise the offset until no other buffer overlaps.
    bool moved = true;
    while (moved) {
      moved = false;
      for (const Buffer &other : ArrayRef(buffers).take_front(i)) {
        bool alive = other.first <= buffer.last && buffer.first <= other.last;
        if (!overlap(buffer, other) ||
            (!alive && ((addBarriers && canBeOrdered(buffer, other)) ||
                        !isUnordered(buffer, other))))
          continue;
        buffer.offset =
            llvm::alignTo(other.offset + other.bytes, buffer.alignment);
        moved = true;
      }
    }
    total = std::max(total, buffer.offset + buffer.bytes);
  }
  return total;
}

/// Orders the uses of buffers that share bytes: by a barrier before the first
/// use of the later one and, where a loop comes around, of the earlier one.
void Planner::addBarriers() {
  llvm::DenseSet<Operation *> guarded;
  auto guard = [&](const Buffer &buffer) {
    Operation *statement = getWarpProgram(buffer.firstUser);
    if (!guarded.insert(statement).second)
      return;
    OpBuilder builder(statement);
    BarrierOp::create(builder, statement->getLoc(), Level::Block,
                      builder.getStrArrayAttr({"reuse of shared memory"}));
    statement->emitRemark(
        "a barrier stands here only so that arrays can share memory: without "
        "it the kernel needs more shared memory than a block has");
    findUnordered();
  };
  for (unsigned i = 0; i < buffers.size(); ++i)
    for (unsigned j = 0; j < i; ++j)
      for (unsigned which : {i, j})
        if (overlap(buffers[i], buffers[j]) &&
            isUnordered(buffers[i], buffers[j]))
          guard(buffers[which]);
}

/// True if each warp of the block has a part of `buffer`.
static bool isOfWarps(Buffer buffer) {
  return getHome(buffer.alloc).getOwner() == Level::Warp;
}

LogicalResult Planner::run(int64_t limit) {
  kernel.walk([&](memref::AllocOp alloc) {
    if (std::optional<Buffer> buffer = measure(alloc))
      buffers.push_back(*buffer);
  });
  llvm::sort(buffers, [&](const Buffer &a, const Buffer &b) {
    return std::pair(a.first, position[a.alloc]) <
           std::pair(b.first, position[b.alloc]);
  });
  // If a size is too large for any memory, no sum is computed, because it could
  // wrap around.
  constexpr int64_t huge = int64_t(1) << 48;
  int64_t total = 0;
  for (const Buffer &buffer : buffers)
    total = std::max(total, buffer.bytes);
  bool isTooLarge = total > huge;
  if (!isTooLarge) {
    findUnordered();
    total = place(/*addBarriers=*/false);
    if (total > limit) {
      total = place(/*addBarriers=*/true);
      if (total <= limit)
        addBarriers();
    }
  }
  if (total > limit) {
    InFlightDiagnostic diag =
        kernel.emitOpError("[shared-limit] needs ")
        << (isTooLarge ? "at least " : "") << total
        << " bytes of shared memory, but a block has " << limit
        << "; force less in one block, or smaller parts one after the other";
    if (kernel.getThreads().value_or(1) > warpSize &&
        llvm::any_of(buffers, isOfWarps))
      diag << ", or launch fewer threads, because each warp has arrays of its "
              "own";
    for (Buffer &buffer : buffers)
      diag.attachNote(buffer.alloc.getLoc())
          << buffer.bytes << " bytes at offset " << buffer.offset
          << getLife(buffer.firstUser, buffer.lastUser);
    return diag;
  }
  OpBuilder builder(kernel.getContext());
  for (Buffer &buffer : buffers)
    setNumber<ObsDialect::OffsetAttrHelper>(buffer.alloc, buffer.offset);
  kernel.setSharedBytes(total);
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
