//===- SplitIndexCasts.cpp - Casts that cut indices -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSSPLITINDEXCASTSPASS
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;

namespace {
struct SplitIndexCasts
    : obs::impl::ObsSplitIndexCastsPassBase<SplitIndexCasts> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (!isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
        return;
      Type type = op->getResult(0).getType();
      Value index = op->getOperand(0);
      if (!index.getType().isIndex() || !type.isInteger() ||
          type.getIntOrFloatBitWidth() >= 64)
        return;
      OpBuilder builder(op);
      Value wide = arith::IndexCastOp::create(builder, op->getLoc(),
                                              builder.getI64Type(), index);
      Value low = arith::TruncIOp::create(builder, op->getLoc(), type, wide);
      op->replaceAllUsesWith(ValueRange(low));
      op->erase();
    });
  }
};
} // namespace
