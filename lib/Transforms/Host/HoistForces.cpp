//===- HoistForces.cpp - Kernels inside of kernels ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fused programs over arrays. Out: no force of level grid of a host
// function is inside of the program of another one. It is a separate kernel,
// which runs before.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSHOISTFORCESPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"

using namespace mlir;
using namespace mlir::obs;

/// The grid-level forces in grid-level fills of `function`.
static SmallVector<ForceOp> getNestedForces(func::FuncOp function) {
  SmallVector<ForceOp> nested;
  function.walk([&](ForceOp force) {
    if (getEnclosingScope(force).level == Level::Grid &&
        force->getParentOfType<FillOp>())
      nested.push_back(force);
  });
  return nested;
}

/// Moves the forces before the force of the fill that contains them: they are
/// separate kernels, which run before.
static LogicalResult hoist(ArrayRef<ForceOp> nested) {
  for (ForceOp force : nested) {
    auto fill = dyn_cast<FillOp>(force->getParentOp());
    if (!fill)
      return force.emitOpError(
          "[R1-kernel] is a kernel inside control flow of another kernel; "
          "move the control flow to the host function");
    // The operations before it in the body that have no effects are moved, too.
    for (Operation &op : llvm::make_early_inc_range(fill.getBody().front())) {
      if (&op == force.getOperation()) {
        op.moveBefore(fill);
        break;
      }
      // Memory that a strategy prepares is used by the kernels that follow.
      if (isMemoryEffectFree(&op) || isa<memref::AllocOp, gpu::MemsetOp>(op))
        op.moveBefore(fill);
    }
  }
  return success();
}

namespace {
struct HoistForces : obs::impl::ObsHoistForcesPassBase<HoistForces> {
  void runOnOperation() override {
    SmallVector<ForceOp> nested;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isHostFunction(function))
        nested.append(getNestedForces(function));
    if (failed(hoist(nested)))
      signalPassFailure();
  }
};
} // namespace
