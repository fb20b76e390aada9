//===- IsolateKernels.cpp - The kernels of a program alone ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_ISOLATEKERNELSPASS
#include "Obsidian/Target/Passes.h"

namespace mlir::obs {

namespace {
struct IsolateKernels : impl::IsolateKernelsPassBase<IsolateKernels> {
  void runOnOperation() override {
    Block *body = getOperation().getBody();
    SmallVector<Operation *> others;
    for (Operation &op : *body)
      if (!isa<gpu::GPUModuleOp>(op))
        others.push_back(&op);
    for (Operation *op : others)
      op->erase();
  }
};
} // namespace

} // namespace mlir::obs
