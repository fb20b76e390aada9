//===- AssignLayouts.cpp - Assignment of iterations to workers ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSASSIGNLAYOUTSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "OwnedArrays.h"
#include "RowLeaves.h"
#include "Workers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

static void distribute(scf::ForallOp leaf, Distribution distribution) {
  setAttr<ObsDialect::DistributionAttrHelper>(
      leaf, DistributionAttr::get(leaf.getContext(), distribution));
}

/// The loops that use the array of `alloc`; empty if the program sets the
/// distribution of one of them.
static llvm::SetVector<Operation *>
getFreeLeaves(memref::AllocOp alloc,
              const llvm::SmallPtrSet<Operation *, 4> &asked) {
  llvm::SetVector<Operation *> leaves;
  for (Operation *user : alloc->getUsers()) {
    auto leaf = user->getParentOfType<scf::ForallOp>();
    if (!leaf || asked.contains(leaf))
      return {};
    leaves.insert(leaf);
  }
  return leaves;
}

namespace {
struct AssignLayouts : obs::impl::ObsAssignLayoutsPassBase<AssignLayouts> {
  void runOnOperation() override {
    llvm::SmallPtrSet<Operation *, 4> asked;
    getOperation().walk([&](scf::ForallOp leaf) {
      if (hasAttr<ObsDialect::DistributionAttrHelper>(leaf))
        asked.insert(leaf);
      else
        distribute(leaf, Distribution::Striped);
    });
    int64_t threads = getWorkers(getOperation()).threads;
    writeRowLeaves(getOperation(), threads, asked);
    getOperation().walk([&](memref::AllocOp alloc) {
      HomeAttr home = getHome(alloc);
      if (!home || home.getOwner() != Level::Block ||
          home.getStorage() != Storage::Registers ||
          findOwnedArray(alloc, threads))
        return;
      // The program requests registers: with `blocked`, each thread may own the
      // elements that it uses.
      llvm::SetVector<Operation *> leaves = getFreeLeaves(alloc, asked);
      for (Operation *leaf : leaves)
        distribute(cast<scf::ForallOp>(leaf), Distribution::Blocked);
      if (findOwnedArray(alloc, threads))
        asked.insert(leaves.begin(), leaves.end());
      else
        for (Operation *leaf : leaves)
          distribute(cast<scf::ForallOp>(leaf), Distribution::Striped);
    });
  }
};
} // namespace
