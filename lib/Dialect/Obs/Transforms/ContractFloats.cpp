//===- ContractFloats.cpp - Products and sums with one rounding -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSCONTRACTFLOATSPASS
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

using arith::FastMathFlags;

namespace {
struct ContractFloats : obs::impl::ObsContractFloatsPassBase<ContractFloats> {
  using Base::Base;

  /// True if `op` has the flag. Some operations have no flags at all.
  static bool isFlagged(arith::ArithFastMathInterface op) {
    arith::FastMathFlagsAttr flags = op.getFastMathFlagsAttr();
    return flags &&
           bitEnumContainsAll(flags.getValue(), FastMathFlags::contract);
  }

  bool mayContract(arith::ArithFastMathInterface op) {
    return all || isFlagged(op);
  }

  /// The product that defines `value`, if a sum may contract it.
  arith::MulFOp getProduct(Value value) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    return product && mayContract(product) ? product : nullptr;
  }

  /// Replaces `sum`, which adds or subtracts, if an operand is a product. If
  /// both are, the first one is contracted.
  void contract(Operation *sum) {
    OpBuilder builder(sum);
    Location loc = sum->getLoc();
    bool isDifference = isa<arith::SubFOp>(sum);
    unsigned number = getProduct(sum->getOperand(0)) ? 0 : 1;
    arith::MulFOp product = getProduct(sum->getOperand(number));
    if (!product)
      return;
    Value a = product.getLhs(), b = product.getRhs();
    Value other = sum->getOperand(1 - number);
    Value &negated = number == 0 ? other : a;
    if (isDifference)
      negated = arith::NegFOp::create(builder, loc, negated);
    sum->getResult(0).replaceAllUsesWith(
        math::FmaOp::create(builder, loc, a, b, other).getResult());
    sum->erase();
    if (product.use_empty())
      product.erase();
  }

  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op) &&
          isa<FloatType>(op->getResult(0).getType()) &&
          mayContract(cast<arith::ArithFastMathInterface>(op)))
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      contract(sum);
    // The code generators would contract the remaining operations in other
    // ways.
    getOperation()->walk([&](arith::ArithFastMathInterface op) {
      if (!isFlagged(op))
        return;
      FastMathFlags flags = op.getFastMathFlagsAttr().getValue();
      op->setAttr(op.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(
                      &getContext(), flags & ~FastMathFlags::contract));
    });
  }
};
} // namespace
