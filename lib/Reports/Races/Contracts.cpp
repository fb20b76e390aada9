//===- Contracts.cpp - Pairs of accesses that a contract covers -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;

/// True if both accesses belong to the same iteration of each loop around them
/// that begins a new array in shared memory.
static bool isOneRun(const PendingAccess &first, const MemoryAccess &second) {
  return !second.isShared || llvm::all_of(first.past, [](const PastLoop &past) {
    return !past.left && past.age == Age::ThisTurn;
  });
}

/// True if the accesses may belong to two forces, each of an iteration of a
/// loop around them: it has begun an iteration in between, or its iterations do
/// not wait for each other.
static bool mayBeTwoForces(const PendingAccess &first,
                           const MemoryAccess &second) {
  auto outer = getAttr<ObsDialect::OuterLoopsAttrHelper>(second.op);
  if (!outer)
    return false;
  for (Operation *loop = second.op->getParentOp(); !isa<gpu::GPUFuncOp>(loop);
       loop = loop->getParentOp()) {
    auto number = getAttr<ObsDialect::LoopAttrHelper>(loop);
    if (!number || !llvm::is_contained(outer.asArrayRef(), number.getInt()))
      continue;
    auto past = llvm::find_if(
        first.past, [&](const PastLoop &past) { return past.loop == loop; });
    if (past == first.past.end() || past->left || past->age != Age::ThisTurn)
      return true;
  }
  return false;
}

/// True if what `load` reads only decides whether a thread stores to the same
/// element with contract `any`.
static bool decidesStoresOnly(const MemoryAccess &load) {
  auto isStore = [&](Operation &op) {
    std::optional<MemoryAccess> access = getMemoryAccess(&op);
    return access && access->effect == Effect::Write &&
           access->contract == WriteMark::Any && access->array == load.array &&
           access->indices == load.indices;
  };
  SetVector<Value> values;
  values.insert_range(load.op->getResults());
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (auto branch = dyn_cast<scf::IfOp>(user)) {
        if (branch.getNumResults() != 0 || !branch.getElseRegion().empty() ||
            !llvm::all_of(branch.thenBlock()->without_terminator(), isStore))
          return false;
      } else if (user->getNumRegions() != 0 || !isMemoryEffectFree(user) ||
                 user->hasTrait<OpTrait::IsTerminator>()) {
        return false;
      }
      values.insert_range(user->getResults());
    }
  return true;
}

/// True for a fence that orders accesses as `one` does, for all blocks.
static bool isFence(Operation *op, LLVM::AtomicOrdering one) {
  auto fence = dyn_cast<LLVM::FenceOp>(op);
  StringRef scope = fence ? fence.getSyncscope().value_or("") : "";
  return fence && (scope.empty() || scope == "device") &&
         llvm::is_contained({one, LLVM::AtomicOrdering::acq_rel,
                             LLVM::AtomicOrdering::seq_cst},
                            fence.getOrdering());
}

/// The first atomic access to global memory in `op`; null if there is none.
static Operation *findAtomic(Operation *op) {
  Operation *found = nullptr;
  op->walk([&](Operation *inner) {
    std::optional<MemoryAccess> access = getMemoryAccess(inner);
    if (!access || access->effect != Effect::Atomic || access->isShared)
      return WalkResult::advance();
    found = inner;
    return WalkResult::interrupt();
  });
  return found;
}

/// True if, after each execution of `write`, its thread executes a release
/// fence, and an atomic operation comes only then.
static bool isReleased(Operation *write) {
  bool hasFence = false;
  for (Operation *op = write; !isa<gpu::GPUFuncOp>(op); op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (hasFence && findAtomic(next))
        return true;
      else
        hasFence |= isFence(next, LLVM::AtomicOrdering::release);
  return false;
}

/// True if `condition` depends on the result of `atomic`. The threads of a
/// block may get it from one of them in shared memory.
static bool dependsOn(Value condition, Operation *atomic) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  return succeeded(getBackwardSlice(condition, &slice, options)) &&
         llvm::any_of(slice, [&](Operation *op) {
           std::optional<MemoryAccess> access = getMemoryAccess(op);
           return op == atomic || (access && access->isShared);
         });
}

/// True if `fence` comes after an atomic operation on whose result it depends
/// whether the thread comes to `read`: a loop waits, or a branch decides.
static bool isDecided(Operation *fence, Operation *read) {
  Operation *atomic = nullptr;
  for (Operation *op = fence; !atomic && !isa<gpu::GPUFuncOp>(op);
       op = op->getParentOp())
    for (Operation *prev = op->getPrevNode(); prev && !atomic;
         prev = prev->getPrevNode())
      atomic = findAtomic(prev);
  if (!atomic)
    return false;
  for (Operation *op = atomic->getParentOp(); !op->isAncestor(read);
       op = op->getParentOp())
    if (auto loop = dyn_cast<scf::WhileOp>(op);
        loop && dependsOn(loop.getConditionOp().getCondition(), atomic))
      return true;
  for (Operation *op = read->getParentOp(); !op->isAncestor(atomic);
       op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op);
        branch && dependsOn(branch.getCondition(), atomic))
      return true;
  return false;
}

/// True if a thread comes to `read` only after an atomic operation decides so,
/// and after an acquire fence: its own, or one of a thread of its block that a
/// barrier follows.
static bool isAcquired(Operation *read, int64_t threads) {
  bool hasBarrier = false;
  for (Operation *op = read; !isa<gpu::GPUFuncOp>(op); op = op->getParentOp())
    for (Operation *prev = op->getPrevNode(); prev;
         prev = prev->getPrevNode()) {
      Operation *fence = nullptr;
      prev->walk([&](Operation *inner) {
        bool isReached =
            inner == prev ||
            (hasBarrier &&
             isReachedByBlocks(inner, prev->getParentOp(), threads));
        if (isReached && isFence(inner, LLVM::AtomicOrdering::acquire))
          fence = inner;
      });
      if (fence)
        return isDecided(fence, read);
      hasBarrier |= isa<gpu::BarrierOp>(prev);
    }
  return false;
}

bool races::hasContract(const PendingAccess &pending,
                        const MemoryAccess &second, int64_t threads) {
  const MemoryAccess &first = *pending.access;
  bool isFirstRead = first.effect == Effect::Read;
  const MemoryAccess &read = isFirstRead ? first : second;
  const MemoryAccess &write = isFirstRead ? second : first;
  bool isReadAndWrite = isFirstRead || second.effect == Effect::Read;
  // A contract says nothing about another array in the same bytes.
  if (first.array != second.array)
    return false;
  // The reader waits for a flag of the writer. No flag is between two writes.
  if (isPublished(first) && isPublished(second))
    return isReadAndWrite && isReleased(write.op) &&
           isAcquired(read.op, threads);
  // Copies of one store have one contract together.
  auto origin = getAttr<ObsDialect::OriginAttrHelper>(second.op);
  bool isSame =
      !isReadAndWrite &&
      (first.op == second.op ||
       (origin && getAttr<ObsDialect::OriginAttrHelper>(first.op) == origin));
  // A load finds a value that another iteration stored, and then omits a store.
  // Two stores are a separate pair.
  bool isTest = isReadAndWrite && first.contract == WriteMark::Any &&
                second.contract == WriteMark::Any && decidesStoresOnly(read);
  return (isSame || isTest) && isOneRun(pending, second) &&
         !mayBeTwoForces(pending, second) &&
         (second.contract == WriteMark::Any ||
          second.contract == WriteMark::Disjoint);
}
