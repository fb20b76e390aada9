//===- HoistBuffers.cpp - Allocations of iterations -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: host code on memrefs that frees its memory. Out: no loop allocates and
// frees memory in every iteration, if the maximum of the extents is known
// before the loop.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSHOISTBUFFERSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostExtents.h"

using namespace mlir;
using namespace mlir::obs;

/// Moves allocations that a loop, or a branch in it, allocates and frees in
/// every iteration out of the loop.
static void hoistBuffers(LoopLikeOpInterface loop) {
  SmallVector<gpu::DeallocOp> deallocs;
  loop->walk([&](gpu::DeallocOp dealloc) {
    if (dealloc->getParentOfType<LoopLikeOpInterface>() == loop)
      deallocs.push_back(dealloc);
  });
  for (gpu::DeallocOp dealloc : deallocs) {
    auto alloc = dealloc.getMemref().getDefiningOp<gpu::AllocOp>();
    if (!alloc || alloc->getBlock() != dealloc->getBlock())
      continue;
    SmallVector<Maximum> maxima(alloc.getDynamicSizes().size(), Maximum(loop));
    if (!llvm::all_of(llvm::zip_equal(maxima, alloc.getDynamicSizes()),
                      [](auto pair) {
                        auto [maximum, size] = pair;
                        return maximum.add(size);
                      }))
      continue;
    bool exact = isExact(alloc, maxima);
    OpBuilder builder(loop);
    SmallVector<Value> sizes = buildMaxima(builder, alloc.getLoc(), maxima);
    auto outside =
        gpu::AllocOp::create(builder, alloc.getLoc(), alloc.getType(), Type(),
                             ValueRange(), sizes, ValueRange());
    outside->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
    dealloc->moveAfter(loop);
    dealloc.getMemrefMutable().assign(outside.getMemref());
    builder.setInsertionPoint(alloc);
    alloc.getMemref().replaceAllUsesWith(
        buildArray(builder, alloc, outside.getMemref(), sizes, exact));
    alloc.erase();
  }
}

namespace {
struct HoistBuffers : obs::impl::ObsHoistBuffersPassBase<HoistBuffers> {
  void runOnOperation() override {
    // Inner loops first: an allocation that leaves one loop may leave the next
    // one.
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk(hoistBuffers);
  }
};
} // namespace
