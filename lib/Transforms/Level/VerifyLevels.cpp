//===- VerifyLevels.cpp - Invariants between the passes on level IR -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSVERIFYLEVELSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"

using namespace mlir;
using namespace mlir::obs;

/// The map of a leaf or virtualised loop, or null.
static MapAttr getMap(Operation *op) {
  if (auto leaf = dyn_cast<scf::ForallOp>(op))
    return getLeafMap(leaf);
  return getAttr<ObsDialect::MapAttrHelper>(op);
}

/// The level of the code at `op`: the unit of the nearest mapped loop.
static Level getLevel(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (MapAttr map = getMap(parent))
      return map.getUnit();
  return Level::Grid;
}

/// Leaf loops and virtualised loops: their form, and how they nest.
static LogicalResult verifyLoop(Operation *op) {
  if (auto leaf = dyn_cast<scf::ForallOp>(op)) {
    MapAttr map = getMap(leaf);
    if (!map || map.getUnit() != Level::Thread || leaf.getRank() != 1 ||
        !leaf.isNormalized() || leaf.getNumResults() != 0)
      return op->emitOpError("[levels-leaf] a leaf loop is a normalised "
                             "scf.forall of one dimension with one "
                             "#obs.map<_, thread>");
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop && loop.getUnsignedCmp())
    return op->emitOpError("[levels-signed] compares unsigned numbers; count "
                           "its iterations from 0");
  MapAttr map = getMap(op);
  if (!map)
    return success();
  Level around = getLevel(op);
  if (map.getUnit() >= map.getScope() || map.getScope() != around)
    return op->emitOpError("[levels-nesting] spreads units of level ")
           << stringifyLevel(map.getUnit()) << " over a "
           << stringifyLevel(map.getScope()) << " in code of level "
           << stringifyLevel(around) << "; units must be strictly nested";
  if (!isa<scf::ForallOp>(op) &&
      (!loop || loop.getNumResults() != 0 || map.getUnit() == Level::Thread))
    return op->emitOpError("[levels-leaf] a loop over blocks or warps is an "
                           "scf.for without results");
  return success();
}

/// Checks that the code may allocate the array, which belongs to the instances
/// of its level.
static LogicalResult verifyHome(memref::AllocOp alloc) {
  HomeAttr home = getHome(alloc);
  if (!home || !alloc.getType().hasStaticShape())
    return alloc.emitOpError("[levels-home] an array in a kernel has a static "
                             "shape and the memory space #obs.home<_, _>");
  if (home.getOwner() != getLevel(alloc) || home.getOwner() == Level::Grid)
    return alloc.emitOpError("[levels-home] an array of a ")
           << stringifyLevel(home.getOwner()) << " in code of level "
           << stringifyLevel(getLevel(alloc))
           << "; it must be of the level of the code, below grid";
  return success();
}

/// The number of a warp, and what follows from it, may decide about nothing
/// outside of the loop over warps that starts at it.
static LogicalResult verifyUnitNumber(WorkerIdOp id) {
  if (id.getMap().getUnit() == Level::Block)
    return success();
  auto fail = [&](Operation *user) {
    InFlightDiagnostic diag =
        user->emitOpError("[levels-uniform] depends on the number of a ")
        << stringifyLevel(id.getMap().getUnit()) << ", in code of level "
        << stringifyLevel(getLevel(user))
        << "; only the lower bound of a loop over units may";
    diag.attachNote(id.getLoc()) << "the number";
    return diag;
  };
  Level level = getLevel(id);
  SmallVector<Value> derived{id.getResult()};
  llvm::DenseSet<Operation *> seen;
  while (!derived.empty()) {
    for (OpOperand &use : derived.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      auto loop = dyn_cast<scf::ForOp>(user);
      if (loop && getMap(loop) == id.getMap() &&
          use.get() == loop.getLowerBound() && use.getOperandNumber() == 0)
        continue;
      if (getLevel(user) != level || user->getNumRegions() != 0 ||
          !isMemoryEffectFree(user) || user->hasTrait<OpTrait::IsTerminator>())
        return fail(user);
      if (seen.insert(user).second)
        llvm::append_range(derived, user->getResults());
    }
  }
  return success();
}

static LogicalResult verify(Operation *op) {
  if (failed(verifyLoop(op)))
    return failure();
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return verifyHome(alloc);
  if (auto id = dyn_cast<WorkerIdOp>(op))
    return verifyUnitNumber(id);
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op))
    return op->emitOpError("[levels-uniform] threads have no numbers in level "
                           "IR; spread the iterations of an scf.forall");
  auto barrier = dyn_cast<BarrierOp>(op);
  auto counter = dyn_cast<CounterOpInterface>(op);
  bool isCell = counter && counter.getCell();
  if (!barrier && !counter && !isa<PublishOp, AwaitOp>(op))
    return success();
  Level level = getLevel(op);
  if (!barrier && !isCell)
    return level == Level::Thread
               ? success()
               : op->emitOpError("[levels-exchange] stands in code of level ")
                     << stringifyLevel(level)
                     << ", all threads of which would execute it";
  Level scope = barrier ? barrier.getScope() : Level::Block;
  if (level == Level::Thread || (level == Level::Warp && scope == Level::Block))
    return op->emitOpError("[levels-barrier] a barrier of a ")
           << stringifyLevel(scope) << " in code of level "
           << stringifyLevel(level) << " would be divergent";
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
