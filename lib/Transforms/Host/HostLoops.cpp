//===- HostLoops.cpp - Loops of host code ---------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "HostExtents.h"
#include "LoopBuffers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// The argument by which a loop carries `array`: `array` itself, or the
/// argument whose last value it is.
static BlockArgument getCarriedArgument(Value array) {
  if (auto argument = dyn_cast<BlockArgument>(array))
    return argument;
  auto result = cast<OpResult>(array);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getRegionIterArg(result.getResultNumber());
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return loop.getAfterArguments()[result.getResultNumber()];
  return {};
}

/// The extents of carried arrays are those of the initial arrays. The extents
/// of an allocation are its operands.
static void foldExtents(func::FuncOp function) {
  function.walk([&](memref::DimOp dim) {
    std::optional<unsigned> number = getKnownDimension(dim);
    Value memory = dim.getSource();
    Extents extents;
    while (true) {
      BlockArgument argument = getCarriedArgument(memory);
      Value first = argument ? getCarried(argument).first : Value();
      if (!first || !extents.isKept(argument))
        break;
      memory = first;
    }
    if (!number)
      return;
    auto alloc = memory.getDefiningOp<gpu::AllocOp>();
    if (alloc && alloc.getType().isDynamicDim(*number)) {
      dim.replaceAllUsesWith(
          alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(*number)]);
      dim.erase();
      return;
    }
    if (memory == dim.getSource())
      return;
    OpBuilder builder(dim);
    dim.replaceAllUsesWith(
        memref::DimOp::create(builder, dim.getLoc(), memory, *number)
            .getResult());
    dim.erase();
  });
}

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

/// Plans the loops of `block`. Outer loops are first, because their plans
/// include the inner loops.
static void planLoopsIn(Block &block) {
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    if (isa<scf::ForOp, scf::WhileOp>(op))
      op = planLoop(cast<LoopLikeOpInterface>(op));
    for (Region &region : op->getRegions())
      if (!region.empty())
        planLoopsIn(region.front());
  }
}

/// Replaces the results of loops that are equal to the initial values.
static void simplifyLoops(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, function.getContext());
  scf::WhileOp::getCanonicalizationPatterns(patterns, function.getContext());
  SmallVector<Operation *> loops;
  function.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::WhileOp>(op))
      loops.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(loops, std::move(patterns), config);
}

void obs::planLoops(func::FuncOp function) {
  if (function.isExternal())
    return;
  planLoopsIn(function.getBody().front());
  // An array that a loop changes in place has the same memory after the loop.
  simplifyLoops(function);
  reuseBuffers(function);
}

void obs::hoistFromLoops(func::FuncOp function) {
  // Inner loops first: an allocation that leaves one loop may leave the next
  // one.
  function.walk([](LoopLikeOpInterface loop) {
    if (isa<scf::ForOp, scf::WhileOp>(loop.getOperation()))
      hoistBuffers(loop);
  });
}

void obs::prepareLoops(func::FuncOp function) {
  foldExtents(function);
  function.walk([](LoopLikeOpInterface loop) {
    if (isa<scf::ForOp, scf::WhileOp>(loop.getOperation()))
      moveLoopInvariantCode(loop);
  });
}
