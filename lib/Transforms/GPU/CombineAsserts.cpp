//===- CombineAsserts.cpp - One branch for several assertions -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_COMBINEASSERTSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::obs {

namespace {
/// 0 <= x < end, as numbers with a sign.
struct InRange {
  Value x, end;
};
} // namespace

static std::optional<InRange> findRange(Value condition) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return std::nullopt;
  for (auto [one, other] : {std::pair(both.getLhs(), both.getRhs()),
                            std::pair(both.getRhs(), both.getLhs())}) {
    auto least = one.getDefiningOp<arith::CmpIOp>();
    auto most = other.getDefiningOp<arith::CmpIOp>();
    if (least && most && least.getLhs() == most.getLhs() &&
        least.getPredicate() == arith::CmpIPredicate::sge &&
        most.getPredicate() == arith::CmpIPredicate::slt &&
        matchPattern(least.getRhs(), m_Zero()) &&
        least.getLhs().getType().isIntOrIndex())
      return InRange{most.getLhs(), most.getRhs()};
  }
  return std::nullopt;
}

/// The narrow number with a sign that `x` extends to 64 bits; null if there is
/// none.
static Value findNarrow(Value x) {
  Operation *op = x.getDefiningOp();
  if (!isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
    return {};
  Value narrow = op->getOperand(0);
  Type type = x.getType();
  bool isWide = type.isIndex() || type.isInteger(64);
  auto from = dyn_cast<IntegerType>(narrow.getType());
  return isWide && from && from.getWidth() < 64 ? narrow : Value();
}

/// Converts `value` to `type` without a sign, or cuts it.
static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType().isIndex() || type.isIndex())
    return arith::IndexCastUIOp::create(builder, loc, type, value);
  if (value.getType().getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, value);
  return arith::ExtUIOp::create(builder, loc, type, value);
}

/// Replaces two comparisons by one without signs, of the narrow number if there
/// is one. The condition is true in the code after the assertion.
static void simplify(cf::AssertOp check) {
  std::optional<InRange> range = findRange(check.getArg());
  if (!range)
    return;
  auto [x, end] = *range;
  Location loc = check.getLoc();
  OpBuilder builder(check);
  Type type = x.getType();
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  Value narrow = findNarrow(x), number = narrow ? narrow : x;
  Value bound =
      arith::MaxSIOp::create(builder, loc, end, constant(type, 0)).getResult();
  if (narrow) {
    unsigned width = narrow.getType().getIntOrFloatBitWidth();
    bound = arith::MinUIOp::create(builder, loc, bound,
                                   constant(type, int64_t(1) << (width - 1)));
    bound = convert(builder, loc, bound, narrow.getType());
  }
  check.getArgMutable().assign(arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number, bound));

  builder.setInsertionPointAfter(check);
  auto isAfter = [&](Operation *user) {
    Operation *op = check->getBlock()->findAncestorOpInBlock(*user);
    return op && check->isBeforeInBlock(op);
  };
  for (Operation *user : llvm::make_early_inc_range(x.getUsers())) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    if (compare && isAfter(user) && compare.getLhs() == x &&
        compare.getRhs() == end &&
        compare.getPredicate() == arith::CmpIPredicate::ult)
      compare.getResult().replaceAllUsesWith(
          constant(builder.getI1Type(), /*value=*/1));
  }
  if (!narrow)
    return;
  Value known = convert(builder, loc, narrow, type);
  x.replaceUsesWithIf(known,
                      [&](OpOperand &use) { return isAfter(use.getOwner()); });
}

/// Combines the assertions of `block` that have the same text and location, if
/// only arithmetic is between them.
static void combine(Block &block) {
  cf::AssertOp last;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto check = dyn_cast<cf::AssertOp>(op);
    if (!check) {
      if (!isPure(&op))
        last = {};
      continue;
    }
    if (last && last.getMsg() == check.getMsg() &&
        last.getLoc() == check.getLoc()) {
      OpBuilder builder(check);
      check.getArgMutable().assign(arith::AndIOp::create(
          builder, check.getLoc(), last.getArg(), check.getArg()));
      last.erase();
    }
    last = check;
  }
}

namespace {
struct CombineAsserts : impl::CombineAssertsPassBase<CombineAsserts> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> checks;
    getOperation().walk([&](cf::AssertOp check) { checks.push_back(check); });
    llvm::SmallSetVector<Block *, 4> blocks;
    for (cf::AssertOp check : checks) {
      simplify(check);
      blocks.insert(check->getBlock());
    }
    for (Block *block : blocks)
      combine(*block);
  }
};
} // namespace

} // namespace mlir::obs
