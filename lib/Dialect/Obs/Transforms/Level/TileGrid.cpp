//===- TileGrid.cpp - Several iterations of a grid for each thread --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Growth.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "Obsidian/Dialect/Obs/Transforms/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSTILEGRIDPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// Bytes of the widest access of a thread.
static constexpr int64_t widestAccess = 16;

/// The most operations that the copies of a body have together.
static constexpr int64_t maxOperations = 1024;

/// True if copies of `op`, which an iteration executes, may stand side by side
/// with those of other iterations, and gain from it. Turns that depend on the
/// iteration are not shared, and memory of a thread is there once.
static bool canBeCopied(Operation *op, Growths &growths) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return llvm::all_of(
        ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        [&](Value bound) { return growths.get(bound) == Growth::None; });
  if (isa<scf::IfOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(op)) {
    Value root = getRoot(getIndexedMemory(op).first);
    return root && (isa<BlockArgument>(root) ||
                    root.getDefiningOp<memref::GetGlobalOp>());
  }
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// The iterations of `leaf` that a thread executes side by side: as many
/// neighbours as 16 bytes hold of the widest elements that are neighbours in
/// memory, too. 1 if there are none.
static int64_t chooseItems(scf::ForallOp leaf) {
  Growths growths(leaf.getInductionVar(0), leaf.getBody());
  int64_t operations = 0, widest = 0;
  WalkResult result = leaf.getBody()->walk([&](Operation *op) {
    ++operations;
    if (!canBeCopied(op, growths))
      return WalkResult::interrupt();
    if (isa<memref::LoadOp, memref::StoreOp>(op) && growths.isContiguous(op)) {
      auto type = cast<MemRefType>(getIndexedMemory(op).first.getType());
      widest = std::max<int64_t>(widest,
                                 getElementBytes(type.getElementType()));
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || widest == 0)
    return 1;
  int64_t items = std::max<int64_t>(1, widestAccess / widest);
  while (items > 1 && items * operations > maxOperations)
    items /= 2;
  return items;
}

/// Marks the leaves of `kernel` over the grid. Returns the iterations that a
/// thread executes at once in all loops over the grid.
static int64_t tile(KernelOp kernel) {
  std::optional<int64_t> least;
  auto add = [&](int64_t items) {
    least = std::min(least.value_or(items), items);
  };
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto map = loop->getAttrOfType<MapAttr>("obs.map");
      if (map && map.getScope() == Level::Grid)
        add(1);
    }
    auto leaf = dyn_cast<scf::ForallOp>(op);
    if (!leaf || getLeafMap(leaf).getScope() != Level::Grid)
      return;
    auto distribution =
        leaf->getAttrOfType<DistributionAttr>("obs.distribution");
    bool isStriped =
        distribution && distribution.getValue() == Distribution::Striped;
    int64_t items = isStriped ? chooseItems(leaf) : 1;
    std::optional<int64_t> extent =
        getConstantIntValue(leaf.getMixedUpperBound()[0]);
    // Not even one tile would be full.
    if (extent && *extent < items * kernel.getThreads().value_or(1))
      items = 1;
    add(items);
    if (items > 1)
      leaf->setAttr(itemsAttrName,
                    Builder(leaf.getContext()).getI64IntegerAttr(items));
  });
  return least.value_or(1);
}

namespace {
struct TileGrid : obs::impl::ObsTileGridPassBase<TileGrid> {
  using ObsTileGridPassBase::ObsTileGridPassBase;

  void runOnOperation() override {
    llvm::StringMap<int64_t> items;
    if (enable)
      for (auto kernel : getOperation().getOps<KernelOp>())
        items[kernel.getSymName()] = tile(kernel);
    getOperation().walk([&](LaunchOp launch) {
      bool isByExtent = launch->removeAttr(byExtentAttrName) != nullptr;
      auto found = items.find(launch.getKernel());
      if (!isByExtent || found == items.end() || found->second == 1)
        return;
      OpBuilder builder(launch);
      launch.getBlocksMutable().assign(
          builder.createOrFold<arith::CeilDivUIOp>(
              launch.getLoc(), launch.getBlocks(),
              arith::ConstantIndexOp::create(builder, launch.getLoc(),
                                             found->second)));
    });
  }
};
} // namespace
