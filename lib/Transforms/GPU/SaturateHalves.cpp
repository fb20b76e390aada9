//===- SaturateHalves.cpp - Integers that are too large for f16 -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSSATURATEHALVESPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::obs;

/// The least integer that is rounded to infinity. The largest f16 is 65504, and
/// 65520 is the middle between it and the next number.
static constexpr int64_t leastInfinite = 65520;

/// Replaces the result of `op` by an infinity of `sign` if `predicate` is true
/// for the operand and `bound`.
static void choose(Operation *op, arith::CmpIPredicate predicate, int64_t bound,
                   bool isNegative) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getLoc();
  Value integer = op->getOperand(0), result = op->getResult(0);
  auto type = cast<FloatType>(result.getType());
  Value limit = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(integer.getType(), bound));
  Value isInfinite =
      arith::CmpIOp::create(builder, loc, predicate, integer, limit);
  Value infinity = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(
          type, APFloat::getInf(type.getFloatSemantics(), isNegative)));
  auto chosen =
      arith::SelectOp::create(builder, loc, isInfinite, infinity, result);
  result.replaceAllUsesExcept(chosen, chosen);
}

namespace {
struct SaturateHalves : obs::impl::ObsSaturateHalvesPassBase<SaturateHalves> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) ||
          !op->getResult(0).getType().isF16())
        return;
      bool isSigned = isa<arith::SIToFPOp>(op);
      unsigned width = op->getOperand(0).getType().getIntOrFloatBitWidth();
      if (width < (isSigned ? 17 : 16))
        return;
      if (isSigned) {
        choose(op, arith::CmpIPredicate::sle, -leastInfinite, true);
        choose(op, arith::CmpIPredicate::sge, leastInfinite, false);
      } else {
        choose(op, arith::CmpIPredicate::uge, leastInfinite, false);
      }
    });
  }
};
} // namespace
