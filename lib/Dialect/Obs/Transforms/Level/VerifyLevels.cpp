//===- VerifyLevels.cpp - What holds between the passes on level IR ---------===// 
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSVERIFYLEVELSPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// The map of a leaf or virtualised loop, or null.
static MapAttr getMap(Operation *op) {
  if (auto leaf = dyn_cast<scf::ForallOp>(op)) {
    std::optional<ArrayAttr> mapping = leaf.getMapping();
    if (mapping && mapping->size() == 1)
      return dyn_cast<MapAttr>((*mapping)[0]);
    return {};
  }
  return op->getAttrOfType<MapAttr>("obs.map");
}

/// The level of the code at `op`: the unit of the nearest mapped loop.
static Level getLevel(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (MapAttr map = getMap(parent))
      return map.getUnit();
  return Level::Grid;
}

static LogicalResult verify(Operation *op) {
  if (auto leaf = dyn_cast<scf::ForallOp>(op)) {
    MapAttr map = getMap(leaf);
    if (!map || map.getUnit() != Level::Thread || leaf.getRank() != 1 ||
        !leaf.isNormalized() || leaf.getNumResults() != 0)
      return op->emitOpError("[levels-leaf] a leaf loop is a normalised scf.forall of "
                             "one dimension with one #obs.map<_, thread>");
  }
  if (MapAttr map = getMap(op)) {
    Level around = getLevel(op);
    if (map.getUnit() >= map.getScope() || map.getScope() > around ||
        around == Level::Thread)
      return op->emitOpError("[levels-nesting] spreads units of level ")
             << stringifyLevel(map.getUnit()) << " over a "
             << stringifyLevel(map.getScope()) << " in code of level "
             << stringifyLevel(around) << "; units must be strictly nested";
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    Level level = getLevel(op);
    if (level == Level::Thread ||
        (level == Level::Warp && barrier.getScope() == Level::Block))
      return op->emitOpError("[levels-barrier] a barrier of a ")
             << stringifyLevel(barrier.getScope()) << " in code of level "
             << stringifyLevel(level) << " would be divergent";
  }
  return success();
}

namespace {
struct VerifyLevels : obs::impl::ObsVerifyLevelsPassBase<VerifyLevels> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [](Operation *op) { return WalkResult(verify(op)); });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
