//===- ContractFloats.cpp - Products and sums with one rounding -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSCONTRACTFLOATSPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"

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

  /// True if a thread adds the elements of an array one after the other.
  bool isSum(obs::ReduceOp op) {
    ScopeInfo scope = getEnclosingScope(op);
    Block &body = op.getBody().front();
    if ((!scope.isScalar && scope.level != Level::Thread) ||
        op.getStrategy().value_or("sequential") != "sequential" ||
        body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
      return false;
    auto sum = dyn_cast<arith::AddFOp>(body.front());
    return sum && mayContract(sum) && sum.getLhs() == body.getArgument(0) &&
           sum.getRhs() == body.getArgument(1) &&
           body.getTerminator()->getOperands() == sum->getResults();
  }

  /// Replaces the sum of an array of products by a loop that contracts each
  /// product with the sum before it.
  void contractSum(obs::ReduceOp op) {
    Operation *array = op.getArray().getDefiningOp();
    if (!isa_and_nonnull<GenerateOp, MapOp>(array) || !array->hasOneUse() ||
        !getProduct(array->getRegion(0).front().getTerminator()->getOperand(0)))
      return;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value count = DimOp::create(builder, loc, op.getArray(), 0);
    auto loop = scf::ForOp::create(
        builder, loc, zero, count, one, op.getInit(),
        [&](OpBuilder &inner, Location, Value i, ValueRange sum) {
          SmallVector<Value> operands;
          if (isa<GenerateOp>(array))
            operands.push_back(i);
          for (Value operand : array->getOperands())
            if (isa<MapOp>(array))
              llvm::append_range(operands, buildGet(inner, loc, operand, i));
          Value element =
              cloneBody(inner, array->getRegion(0), operands).front();
          auto product = element.getDefiningOp<arith::MulFOp>();
          Value next = math::FmaOp::create(inner, loc, product.getLhs(),
                                           product.getRhs(), sum.front());
          if (product.use_empty())
            product.erase();
          scf::YieldOp::create(inner, loc, next);
        });
    op->replaceAllUsesWith(loop.getResults());
    op.erase();
  }

  void runOnOperation() override {
    SmallVector<obs::ReduceOp> reductions;
    getOperation()->walk([&](obs::ReduceOp op) {
      if (isSum(op))
        reductions.push_back(op);
    });
    for (obs::ReduceOp op : reductions)
      contractSum(op);
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op) &&
          isa<FloatType>(op->getResult(0).getType()) &&
          mayContract(cast<arith::ArithFastMathInterface>(op)))
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      contract(sum);
    if (all)
      getOperation()->walk([](MatmulOp op) {
        op.setContract(isa<FloatType>(op.getInit().getType()));
      });
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
