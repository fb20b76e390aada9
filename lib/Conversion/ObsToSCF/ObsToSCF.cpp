//===- ObsToSCF.cpp - Arrays become buffers, programs become loops --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Obsidian/Conversion/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::obs {
#define GEN_PASS_DEF_CONVERTOBSTOSCFPASS
#include "Obsidian/Conversion/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
struct ConvertObsToSCF : obs::impl::ConvertObsToSCFPassBase<ConvertObsToSCF> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(Emitter(kernel).run(kernel)))
        return signalPassFailure();
  }
};
} // namespace
