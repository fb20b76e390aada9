//===- AssignLayouts.cpp - Which worker runs which iteration
//----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSASSIGNLAYOUTSPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
struct AssignLayouts : obs::impl::ObsAssignLayoutsPassBase<AssignLayouts> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForallOp leaf) {
      if (!leaf->hasAttr("obs.distribution"))
        leaf->setAttr(
            "obs.distribution",
            DistributionAttr::get(leaf.getContext(), Distribution::Striped));
    });
  }
};
} // namespace
