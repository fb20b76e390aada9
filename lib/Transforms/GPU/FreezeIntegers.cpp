//===- FreezeIntegers.cpp - Unsigned integers that were floats ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM treats the conversion of an integer to a float as exact if the integer
// was a float with few digits. A negative integer that is read as unsigned has
// many digits, so this is wrong for uitofp(fptosi(x)). LLVM does not analyse
// the operand of a freeze.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSFREEZEINTEGERSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::obs;

static void freezeIntegers(gpu::GPUFuncOp kernel) {
  // LLVM forwards values through memory and conditions, so all conversions of
  // the kernel count.
  if (!containsOp(kernel, [](arith::FPToSIOp) { return true; }))
    return;
  kernel.walk([](arith::UIToFPOp op) {
    Value integer = op.getIn();
    auto type = cast<FloatType>(op.getType());
    if (integer.getType().getIntOrFloatBitWidth() <= type.getFPMantissaWidth())
      return;
    OpBuilder builder(op);
    op.getInMutable().assign(
        LLVM::FreezeOp::create(builder, op.getLoc(), integer));
  });
}

namespace {
struct FreezeIntegers : obs::impl::ObsFreezeIntegersPassBase<FreezeIntegers> {
  void runOnOperation() override { getOperation().walk(freezeIntegers); }
};
} // namespace
