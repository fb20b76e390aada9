//===- HostBuffers.cpp - How long device memory lives ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a host function does to device memory happens in order on one
// stream, so memory whose last use was enqueued may be used again at once.
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::obs;

/// The operation of `block` at or behind which nothing in it uses `memory` or a
/// view of it; null if it leaves the block, or is freed by the program.
static Operation *getLastUse(Value memory, Block *block, Operation *last) {
  for (Operation *user : memory.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!ancestor || user->hasTrait<OpTrait::IsTerminator>() ||
        isa<scf::ForOp, scf::WhileOp, gpu::DeallocOp>(user))
      return nullptr;
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
    if (isa<ViewLikeOpInterface, arith::SelectOp>(user)) {
      // Passed on under another name.
      last = getLastUse(user->getResult(0), block, last);
      if (!last)
        return nullptr;
    }
  }
  return last;
}

void obs::insertDeallocations(func::FuncOp function) {
  SmallVector<gpu::AllocOp> allocs;
  function.walk([&](gpu::AllocOp alloc) { allocs.push_back(alloc); });
  for (gpu::AllocOp alloc : allocs) {
    Operation *last = getLastUse(alloc.getMemref(), alloc->getBlock(), alloc);
    if (!last)
      continue;
    OpBuilder builder(alloc.getContext());
    builder.setInsertionPointAfter(last);
    gpu::DeallocOp::create(builder, alloc.getLoc(), TypeRange(), ValueRange(),
                           alloc.getMemref());
  }
}

/// True if the same computation gives both numbers.
static bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || first->getName() != second->getName() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber() ||
      first->getNumRegions() != 0 || !isMemoryEffectFree(first))
    return false;
  return OperationEquivalence::isEquivalentTo(
      first, second, [](Value x, Value y) { return success(areEqual(x, y)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

static bool haveEqualSize(gpu::AllocOp a, gpu::AllocOp b) {
  return a.getType() == b.getType() &&
         llvm::equal(a.getDynamicSizes(), b.getDynamicSizes(), areEqual);
}

/// Gives arrays of `block` the memory of others that are dead.
static void reuseBuffers(Block &block) {
  SmallVector<gpu::DeallocOp> dead;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto dealloc = dyn_cast<gpu::DeallocOp>(op)) {
      auto alloc = dealloc.getMemref().getDefiningOp<gpu::AllocOp>();
      if (alloc && alloc->getBlock() == &block)
        dead.push_back(dealloc);
      continue;
    }
    auto alloc = dyn_cast<gpu::AllocOp>(op);
    if (!alloc)
      continue;
    // What died last is most likely still in the cache.
    auto found = llvm::find_if(llvm::reverse(dead), [&](gpu::DeallocOp other) {
      return haveEqualSize(alloc,
                           other.getMemref().getDefiningOp<gpu::AllocOp>());
    });
    if (found == dead.rend())
      continue;
    gpu::DeallocOp dealloc = *found;
    auto memory = dealloc.getMemref().getDefiningOp<gpu::AllocOp>();
    int64_t count = 1;
    if (auto arrays = memory->getAttrOfType<IntegerAttr>(arraysAttrName))
      count = arrays.getInt();
    memory->setAttr(arraysAttrName,
                    OpBuilder(memory).getI64IntegerAttr(count + 1));
    alloc.getMemref().replaceAllUsesWith(memory.getMemref());
    alloc.erase();
    dead.erase(std::prev(found.base()));
    dealloc.erase();
  }
}

void obs::reuseBuffers(func::FuncOp function) {
  function.walk([](Block *block) { ::reuseBuffers(*block); });
}
