//===- AssignHomes.cpp - Where every forced array lives -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneArrays.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "OwnedArrays.h"
#include "Workers.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSASSIGNHOMESPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
struct AssignHomes : obs::impl::ObsAssignHomesPassBase<AssignHomes> {
  void runOnOperation() override {
    int64_t threads = getWorkers(getOperation()).threads;
    auto inLanes = findLaneArrays(getOperation());
    WalkResult result = getOperation().walk([&](memref::AllocOp alloc) {
      auto home = dyn_cast_or_null<HomeAttr>(alloc.getType().getMemorySpace());
      if (!home)
        return WalkResult::advance();
      Storage possible = Storage::Shared;
      if (home.getOwner() == Level::Thread ||
          (home.getOwner() == Level::Warp && inLanes.contains(alloc)) ||
          isOwned(alloc, threads))
        possible = Storage::Registers;
      if (home.getStorage() != Storage::Auto && home.getStorage() != possible) {
        alloc.emitError("[force-storage] an array of a ")
            << stringifyLevel(home.getOwner()) << " cannot live in "
            << stringifyStorage(home.getStorage())
            << " as it is used; it can live in " << stringifyStorage(possible);
        return WalkResult::interrupt();
      }
      auto type = MemRefType::get(
          alloc.getType().getShape(), alloc.getType().getElementType(),
          MemRefLayoutAttrInterface(),
          HomeAttr::get(alloc.getContext(), home.getOwner(), possible));
      alloc.getResult().setType(type);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
