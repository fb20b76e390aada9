//===- UnrollWhile.cpp - Several iterations of a loop for each branch -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_UNROLLWHILEPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::obs {

/// The number of iterations for each branch, and the maximum number of
/// operations of one.
static constexpr int64_t iterations = 4;
static constexpr size_t maxOperations = 24;

/// True if all operations of `block` are short, and allowed for all operands.
static bool isCheap(Block &block) {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    bool isShort = isa<arith::ArithDialect>(op.getDialect()) &&
                   !isa<arith::DivFOp, arith::RemFOp>(op);
    return (isShort || isa<math::FmaOp>(op)) && canSpeculate(&op);
  });
}

/// The comparisons whose conjunction is `condition`.
static void split(Value condition, SmallVectorImpl<Value> &parts) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return parts.push_back(condition);
  split(both.getLhs(), parts);
  split(both.getRhs(), parts);
}

/// The comparison of a counter with a limit, if `loop` executes cheap
/// operations while another condition holds and the counter, to which each
/// iteration adds 1, is less than the limit.
static arith::CmpIOp findBound(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  auto isSame = [](Value a, Value b) { return a == b; };
  if (!llvm::equal(loop.getConditionOp().getArgs(), before->getArguments(),
                   isSame) ||
      !isCheap(*before) || !isCheap(*after) ||
      before->getOperations().size() + after->getOperations().size() >
          maxOperations)
    return {};
  SmallVector<Value> parts;
  split(loop.getConditionOp().getCondition(), parts);
  for (Value part : parts) {
    auto bound = part.getDefiningOp<arith::CmpIOp>();
    if (!bound || !bound->hasOneUse() || parts.size() < 2 ||
        bound.getLhs().getType().isInteger(1) ||
        (bound.getPredicate() != arith::CmpIPredicate::slt &&
         bound.getPredicate() != arith::CmpIPredicate::ult) ||
        !llvm::is_contained(before->getArguments(), bound.getLhs()) ||
        bound.getRhs().getParentBlock() == before)
      continue;
    unsigned number = cast<BlockArgument>(bound.getLhs()).getArgNumber();
    auto next =
        loop.getYieldOp().getOperand(number).getDefiningOp<arith::AddIOp>();
    if (next && next.getLhs() == after->getArgument(number) &&
        isConstantIntValue(next.getRhs(), 1))
      return bound;
  }
  return {};
}

/// The values that `operands` are in a copy of `block` for `arguments`. The
/// copies of `replaced` are `by`, if it is given.
static SmallVector<Value> copy(OpBuilder &builder, Block &block,
                               ValueRange arguments, ValueRange operands,
                               Operation *replaced = nullptr, Value by = {}) {
  IRMapping map;
  map.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    if (&op == replaced)
      map.map(op.getResult(0), by);
    else
      builder.clone(op, map);
  }
  return llvm::map_to_vector(
      operands, [&](Value value) { return map.lookupOrDefault(value); });
}

/// Builds, before `loop`, a loop that executes `iterations` iterations for each
/// branch while the counter allows so many. `loop` executes the others.
static void unroll(scf::WhileOp loop, arith::CmpIOp bound) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  Type type = bound.getRhs().getType(), truth = builder.getI1Type();
  auto constant = [&](Type type, int64_t number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  };
  // The last counter plus 1 from which so many iterations are allowed. The
  // least number allows none.
  bool isSigned = bound.getPredicate() == arith::CmpIPredicate::slt;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Value none = constant(type, isSigned ? llvm::minIntN(width) : 0);
  Value hasMany = arith::CmpIOp::create(
      builder, loc,
      isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge,
      bound.getRhs(), constant(type, iterations));
  Value limit = arith::SelectOp::create(
      builder, loc, hasMany,
      arith::SubIOp::create(builder, loc, bound.getRhs(),
                            constant(type, iterations - 1)),
      none);
  Value always = constant(truth, 1), one = constant(type, 1);
  auto check = [&](OpBuilder &inside, ValueRange values, Value inRange) {
    return copy(inside, before, values, loop.getConditionOp().getCondition(),
                bound, inRange)
        .front();
  };

  // The loop also carries which of the last iterations were executed, except
  // for the first of them.
  unsigned counter = cast<BlockArgument>(bound.getLhs()).getArgNumber();
  unsigned carried = loop.getInits().size();
  SmallVector<Type> types(loop.getResultTypes());
  types.append(iterations - 1, truth);
  SmallVector<Value> inits(loop.getInits());
  inits.append(iterations - 1, always);
  auto many = scf::WhileOp::create(
      builder, loc, types, inits,
      [&](OpBuilder &inside, Location, ValueRange values) {
        Value inRange = arith::CmpIOp::create(inside, loc, bound.getPredicate(),
                                              values[counter], limit);
        Value goesOn = check(inside, values.take_front(carried), inRange);
        goesOn = arith::AndIOp::create(inside, loc, values.back(), goesOn);
        scf::ConditionOp::create(inside, loc, goesOn, values);
      },
      [&](OpBuilder &inside, Location, ValueRange values) {
        // Values that are used only in the loop may be wrong after its end.
        SmallVector<Value> now(values.take_front(carried)), results, executed;
        for (int64_t k = 0; k < iterations; ++k) {
          if (k > 0) {
            Value holds = check(inside, now, always);
            if (k > 1)
              holds =
                  arith::AndIOp::create(inside, loc, executed.back(), holds);
            executed.push_back(holds);
          }
          now = copy(inside, after, now, loop.getYieldOp().getOperands());
          SmallVector<Value> before = std::exchange(results, now);
          for (unsigned i = 0; k > 0 && i < carried; ++i)
            if (i != counter && !loop.getResult(i).use_empty())
              results[i] = arith::SelectOp::create(inside, loc, executed.back(),
                                                   now[i], before[i]);
        }
        results.append(executed);
        scf::YieldOp::create(inside, loc, results);
      });
  // The counter counts all iterations of the last ones.
  SmallVector<Value> reached(many.getResults().take_front(carried));
  for (Value isExecuted : many.getResults().drop_front(carried)) {
    Value less = arith::SubIOp::create(builder, loc, reached[counter], one);
    reached[counter] = arith::SelectOp::create(builder, loc, isExecuted,
                                               reached[counter], less);
  }

  // The rest, unless the condition has failed.
  loop.getInitsMutable().assign(reached);
  builder.setInsertionPoint(loop.getConditionOp());
  Value goesOn =
      arith::AndIOp::create(builder, loc, loop.getConditionOp().getCondition(),
                            many.getResults().back());
  loop.getConditionOp().getConditionMutable().assign(goesOn);
}

namespace {
struct UnrollWhile : impl::UnrollWhilePassBase<UnrollWhile> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::WhileOp, arith::CmpIOp>> loops;
    getOperation().walk([&](scf::WhileOp loop) {
      if (arith::CmpIOp bound = findBound(loop))
        loops.push_back({loop, bound});
    });
    for (auto [loop, bound] : loops)
      unroll(loop, bound);
  }
};
} // namespace

} // namespace mlir::obs
