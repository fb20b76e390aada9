//===- ExactLoops.cpp - Loops whose counters do not wrap ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSWIDENLOOPSPASS
#include "Obsidian/Conversion/Passes.h"

#include "ExactLoops.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::obs;
using Predicate = arith::CmpIPredicate;

static bool isNaturalConstant(Value value) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && *constant >= 0;
}

/// True if the difference of the constant bounds of `loop`, as signed numbers,
/// does not fit their type. MLIR folds such loops wrongly.
static bool areBoundsFarApart(scf::ForOp loop) {
  APInt from, to;
  if (loop.getUnsignedCmp() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&from)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&to)))
    return false;
  bool overflows = false;
  (void)to.ssub_ov(from, overflows);
  return overflows;
}

/// True if the step of a loop with unsigned comparisons may be negative as a
/// signed number, also after functions are inlined. MLIR folds such loops
/// wrongly.
static bool hasLargeStep(scf::ForOp loop) {
  return loop.getUnsignedCmp() && !isNaturalConstant(loop.getStep());
}

/// True if the sum of the step and the last value of the counter, as signed
/// numbers, may not fit the type of the counter.
static bool mayWrap(scf::ForOp loop) {
  unsigned width = getElementBits(loop.getInductionVar().getType());
  int64_t largest = llvm::maxIntN(width);
  int64_t end = std::min(getUniformRange(loop.getUpperBound()).max, largest);
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (step)
    return *step > 0 && end > largest - *step + 1;
  // A step from 0 ends the loop, or is less than the end.
  return !isConstantIntValue(loop.getLowerBound(), 0) || end > largest / 2 + 1;
}

/// True for a loop that signed comparisons change.
static bool needsUnsigned(scf::ForOp loop) {
  return loop.getUnsignedCmp() && !(isNaturalConstant(loop.getLowerBound()) &&
                                    isNaturalConstant(loop.getUpperBound()) &&
                                    isNaturalConstant(loop.getStep()));
}

static bool is64Bit(scf::ForOp loop) {
  return getElementBits(loop.getInductionVar().getType()) == 64;
}

/// Gives `loop` a counter of type index. `getOld` computes the old counter from
/// the new one at the start of the body.
static void
replaceCounter(scf::ForOp loop,
               llvm::function_ref<Value(OpBuilder &, Value)> getOld) {
  Value counter = loop.getInductionVar();
  Block &body = *loop.getBody();
  Operation *first = &body.front();
  OpBuilder builder(first);
  counter.setType(builder.getIndexType());
  Value old = getOld(builder, counter);
  counter.replaceUsesWithIf(old, [&](OpOperand &use) {
    return !body.findAncestorOpInBlock(*use.getOwner())->isBeforeInBlock(first);
  });
}

/// The counter of a narrow loop does not wrap with 64 bits.
static void widen(scf::ForOp loop, bool isUnsigned) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Type type = loop.getInductionVar().getType();
  auto cast = [&](OpBuilder &builder, Type to, Value value) -> Value {
    return isUnsigned
               ? Value(arith::IndexCastUIOp::create(builder, loc, to, value))
               : Value(arith::IndexCastOp::create(builder, loc, to, value));
  };
  for (OpOperand &operand : loop->getOpOperands().take_front(3))
    operand.set(cast(builder, builder.getIndexType(), operand.get()));
  replaceCounter(loop, [&](OpBuilder &builder, Value counter) {
    return cast(builder, type, counter);
  });
}

/// A loop of 64 bits runs over the numbers of its iterations.
static void countIterations(scf::ForOp loop, bool isUnsigned) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value from = loop.getLowerBound(), to = loop.getUpperBound();
  Value step = loop.getStep();
  Type type = from.getType(), index = builder.getIndexType();
  auto compare = [&](Predicate isSigned, Predicate isNotSigned, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc,
                                 isUnsigned ? isNotSigned : isSigned, a, b);
  };
  auto toIndex = [&](Value value) -> Value {
    return type == index
               ? value
               : arith::IndexCastUIOp::create(builder, loc, index, value);
  };
  if (!getConstantIntValue(step)) {
    Value none = arith::ConstantOp::create(builder, loc,
                                           builder.getIntegerAttr(type, 0));
    AssertOp::create(builder, loc,
                     compare(Predicate::sgt, Predicate::ugt, step, none),
                     "the step of a loop must be positive");
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value runs = compare(Predicate::slt, Predicate::ult, from, to);
  Value length = arith::SubIOp::create(builder, loc, to, from);
  Value count =
      arith::CeilDivUIOp::create(builder, loc, toIndex(length), toIndex(step));
  loop.setUpperBound(arith::SelectOp::create(builder, loc, runs, count, zero));
  loop.setLowerBound(zero);
  loop.setStep(arith::ConstantIndexOp::create(builder, loc, 1));
  replaceCounter(loop, [&](OpBuilder &builder, Value counter) -> Value {
    if (type != index)
      counter = arith::IndexCastUIOp::create(builder, loc, type, counter);
    Value passed = arith::MulIOp::create(builder, loc, counter, step);
    return arith::AddIOp::create(builder, loc, from, passed);
  });
}

static void makeExact(scf::ForOp loop) {
  bool isUnsigned = loop.getUnsignedCmp();
  loop.setUnsignedCmp(false);
  if (getElementBits(loop.getInductionVar().getType()) < 64)
    widen(loop, isUnsigned);
  else
    countIterations(loop, isUnsigned);
}

void obs::makeLoopsExact(Operation *root) {
  root->walk([](scf::ForOp loop) {
    // Passes also make loops of 64 bits. These are loops over indices of
    // arrays, which are far from 2^63.
    if (needsUnsigned(loop) || (!is64Bit(loop) && mayWrap(loop)))
      makeExact(loop);
    else
      loop.setUnsignedCmp(false);
  });
}

namespace {
struct WidenLoops : obs::impl::ObsWidenLoopsPassBase<WidenLoops> {
  void runOnOperation() override {
    getOperation()->walk([&](scf::ForOp loop) {
      APInt step;
      if (matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
          (loop.getUnsignedCmp() ? step.isZero()
                                 : !step.isStrictlyPositive())) {
        loop.emitOpError("[loop-step] has the step ")
            << step.getSExtValue() << "; steps are positive";
        return signalPassFailure();
      }
      // The loops of the host end where their counters would wrap.
      ScopeInfo scope = getEnclosingScope(loop);
      bool isOfHost = scope.level == Level::Grid && !scope.isScalar &&
                      !loop->getParentOfType<KernelOp>();
      if (areBoundsFarApart(loop) || hasLargeStep(loop) ||
          (!isOfHost && is64Bit(loop) && !loop.getUnsignedCmp() &&
           mayWrap(loop)))
        makeExact(loop);
    });
  }
};
} // namespace
