//===- WaitForKernels.cpp - Kernels that start early ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_WAITFORKERNELSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::obs {

namespace {
class WaitForKernels : public impl::WaitForKernelsPassBase<WaitForKernels> {
  void runOnOperation() override {
    gpu::GPUFuncOp kernel = getOperation();
    if (!kernel.isKernel())
      return;
    // All threads execute the first block.
    for (Operation &op : kernel.getBody().front()) {
      if (auto wait = dyn_cast<NVVM::GriddepcontrolOp>(op);
          wait && wait.getKind() == NVVM::GridDepActionKind::wait)
        return;
      if (isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
          !op.hasTrait<OpTrait::IsTerminator>())
        continue;
      OpBuilder builder(&op);
      NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(),
                                     NVVM::GridDepActionKind::wait);
      return;
    }
  }
};
} // namespace

} // namespace mlir::obs
