//===- ReuseBuffers.cpp - Arrays that share memory ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: host code on memrefs that frees its memory after the last use. Out: the
// same, with fewer allocations. An array has the memory of an array of the same
// type and extents that is not used any more, or of an array that its kernel is
// the last to read and may overwrite.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSREUSEBUFFERSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"
#include "InPlace.h"

using namespace mlir;
using namespace mlir::obs;

static bool haveEqualSize(gpu::AllocOp a, gpu::AllocOp b) {
  return a.getType() == b.getType() &&
         llvm::equal(a.getDynamicSizes(), b.getDynamicSizes(), areEqualNumbers);
}

/// The number of arrays that use `alloc`, one after the other.
static int64_t countArrays(gpu::AllocOp alloc) {
  auto arrays = getAttr<ObsDialect::ArraysAttrHelper>(alloc);
  return arrays ? arrays.getInt() : 1;
}

/// Replaces the memory of `alloc` by `other`, which is dead after `dealloc`.
static void takeMemory(gpu::AllocOp alloc, gpu::AllocOp other,
                       gpu::DeallocOp dealloc) {
  setNumber<ObsDialect::ArraysAttrHelper>(other, countArrays(other) +
                                                     countArrays(alloc));
  alloc.getMemref().replaceAllUsesWith(other.getMemref());
  alloc.erase();
  dealloc.erase();
}

/// The operation that frees `memory`, if `last` is its last use.
static gpu::DeallocOp findDealloc(Operation *last, Value memory) {
  for (Operation *op = last->getNextNode(); isa<gpu::DeallocOp>(op);
       op = op->getNextNode())
    if (op->getOperand(0) == memory)
      return cast<gpu::DeallocOp>(op);
  return {};
}

/// If the kernel that fills `alloc` is the last one to read an array and may
/// run in place, it writes the memory of that array.
static bool runInPlace(gpu::AllocOp alloc, const SymbolUserMap &launches) {
  gpu::DeallocOp dealloc;
  auto isFree = [&](Value array, Operation *last, LaunchOp) {
    auto other = array.getDefiningOp<gpu::AllocOp>();
    if (!other || other == alloc || other->getBlock() != alloc->getBlock() ||
        !haveEqualSize(alloc, other))
      return false;
    dealloc = findDealloc(last, array);
    return static_cast<bool>(dealloc);
  };
  Place place = findPlace(alloc, launches, isFree, [](Value) { return true; });
  if (!place.getArray())
    return false;
  auto other = place.getArray().getDefiningOp<gpu::AllocOp>();
  place.share(alloc.getMemref());
  takeMemory(alloc, other, dealloc);
  return true;
}

/// Replaces the memory of `alloc` by the memory that one of `dead` frees, if
/// the sizes are equal.
static void takeDead(gpu::AllocOp alloc,
                     SmallVectorImpl<gpu::DeallocOp> &dead) {
  // The memory that was freed last is most likely still in the cache.
  for (gpu::DeallocOp dealloc : llvm::reverse(dead)) {
    auto other = dealloc.getMemref().getDefiningOp<gpu::AllocOp>();
    if (!haveEqualSize(alloc, other))
      continue;
    dead.erase(llvm::find(dead, dealloc));
    takeMemory(alloc, other, dealloc);
    return;
  }
}

/// Gives arrays of `block` the memory of others that are dead.
static void reuseBuffers(Block &block, const SymbolUserMap &launches) {
  SmallVector<gpu::DeallocOp> dead;
  Operation *next = nullptr;
  for (Operation *op = block.empty() ? nullptr : &block.front(); op;
       op = next) {
    next = op->getNextNode();
    if (auto dealloc = dyn_cast<gpu::DeallocOp>(op)) {
      auto alloc = dealloc.getMemref().getDefiningOp<gpu::AllocOp>();
      if (alloc && alloc->getBlock() == &block)
        dead.push_back(dealloc);
      continue;
    }
    auto alloc = dyn_cast<gpu::AllocOp>(op);
    if (!alloc)
      continue;
    // In place, operations after this one are also erased. Otherwise, one
    // before it is erased.
    Operation *before = op->getPrevNode();
    if (runInPlace(alloc, launches))
      next = before ? before->getNextNode() : &block.front();
    else
      takeDead(alloc, dead);
  }
}

namespace {
struct ReuseBuffers : obs::impl::ObsReuseBuffersPassBase<ReuseBuffers> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SymbolUserMap launches(symbols, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Block *block) { reuseBuffers(*block, launches); });
  }
};
} // namespace
