//===- ExpandRemainders.cpp - Remainders of numbers near their range ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_EXPANDREMAINDERSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::obs {

/// Builds x rem n: x if -n < x < n, and x - n if 0 < n <= x < 2 n. There is no
/// x with -n < x < n if n is not positive.
static Value build(OpBuilder &builder, Location loc, Value x, Value n) {
  using arith::CmpIPredicate;
  auto less = [&](OpBuilder &b, Value left, Value right) {
    return arith::CmpIOp::create(b, loc, CmpIPredicate::slt, left, right);
  };
  auto yield = [&](OpBuilder &b, Value value) {
    scf::YieldOp::create(b, loc, value);
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isBelow = less(builder, x, n);
  Value minus = arith::SubIOp::create(builder, loc, zero, n);
  Value isAbove = less(builder, minus, x);
  Value rest = arith::SubIOp::create(builder, loc, x, n);
  // The difference may wrap around if n is negative.
  Value isShort = arith::AndIOp::create(builder, loc, less(builder, zero, n),
                                        less(builder, rest, n));
  Value isNear =
      arith::SelectOp::create(builder, loc, isBelow, isAbove, isShort);
  return scf::IfOp::create(
             builder, loc, isNear,
             [&](OpBuilder &b, Location) {
               yield(b, arith::SelectOp::create(b, loc, isBelow, x, rest));
             },
             [&](OpBuilder &b, Location) {
               yield(b, arith::RemSIOp::create(b, loc, x, n));
             })
      .getResult(0);
}

namespace {
struct ExpandRemainders : impl::ExpandRemaindersPassBase<ExpandRemainders> {
  void runOnOperation() override {
    SmallVector<arith::RemSIOp> remainders;
    getOperation().walk([&](arith::RemSIOp op) {
      if (op.getType().isIndex() && !getConstantIntValue(op.getRhs()))
        remainders.push_back(op);
    });
    for (arith::RemSIOp op : remainders) {
      OpBuilder builder(op);
      Value expanded = build(builder, op.getLoc(), op.getLhs(), op.getRhs());
      op.replaceAllUsesWith(expanded);
      op.erase();
    }
  }
};
} // namespace

} // namespace mlir::obs
