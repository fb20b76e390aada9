//===- NarrowIndices.cpp - Index arithmetic in 32 bits if it fits ---------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU computes in registers of 32 bits. A sum of 64 bits needs two
// instructions, a product four, and a quotient a subroutine. The ranges are
// those of upstream's analysis, with additional facts about kernels. Upstream's
// rewriting (arith-int-range-narrowing) is not used: it copies `nsw` to
// operations for which it is no longer true, shifts 32 bits by more than 31,
// and does not change loops and selects.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_NARROWINDICESPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "KernelRanges.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::obs {

using dataflow::IntegerValueRangeLattice;

namespace {
/// The kinds of numbers of 32 bits that hold all values of a range of 64.
struct NarrowForms {
  bool asSigned = false, asUnsigned = false;

  explicit operator bool() const { return asSigned || asUnsigned; }
  NarrowForms operator&(const NarrowForms &other) const {
    return {asSigned && other.asSigned, asUnsigned && other.asUnsigned};
  }
};
} // namespace

static NarrowForms getNarrowForms(const ConstantIntRanges &range) {
  NarrowForms forms;
  forms.asSigned =
      range.smin().isSignedIntN(32) && range.smax().isSignedIntN(32);
  forms.asUnsigned = range.umax().isIntN(32);
  return forms;
}

static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

namespace {
/// Computes in 32 bits the values that a function computes in 64 bits. Old
/// operations stay, without uses, until the end, because ranges belong to
/// values.
class Narrower {
public:
  Narrower(gpu::GPUFuncOp function, DataFlowSolver &solver)
      : function(function), solver(solver), builder(function.getContext()),
        i32(builder.getI32Type()) {}

  void run() {
    SmallVector<Operation *> ops;
    function.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      visit(op);
    function.getBody().walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }

private:
  void visit(Operation *op);
  bool foldConstants(Operation *op);
  void visitRing(Operation *op);
  void visitOrdered(Operation *op);
  void visitCompare(arith::CmpIOp op);
  void visitCast(Operation *op);
  void visitToFloat(Operation *op);
  void visitFor(scf::ForOp op);
  void visitWhile(scf::WhileOp op);
  void visitYield(MutableOperandRange yielded, ValueRange targets);

  std::optional<ConstantIntRanges> rangeOf(Value value) const;
  NarrowForms getForms(Value value) const;
  NarrowForms getForms(ValueRange values) const;
  bool isShiftAmount(Value value) const;
  bool isCounted(Value value) const;
  bool staysWide(Operation *op);

  Value narrow(Value value);
  SmallVector<Value> narrow(ValueRange values);
  Value widen(Value small, Type type, const ConstantIntRanges &range,
              Location loc);
  void replace(Operation *op, Value small);
  void retype(Value value);

  gpu::GPUFuncOp function;
  DataFlowSolver &solver;
  OpBuilder builder;
  Type i32;
  /// The lower halves of wide values.
  DenseMap<Value, Value> halves;
  /// Wide results of operations on counters of loops.
  DenseSet<Value> counted;
  /// The ranges of wide values that were made here.
  DenseMap<Value, ConstantIntRanges> ranges;
};
} // namespace

/// The range of a value of 64 bits; none where it is never computed.
std::optional<ConstantIntRanges> Narrower::rangeOf(Value value) const {
  auto own = ranges.find(value);
  if (own != ranges.end())
    return own->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ConstantIntRanges::constant(constant);
  auto *state = solver.lookupState<IntegerValueRangeLattice>(value);
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  return state->getValue().getValue();
}

NarrowForms Narrower::getForms(Value value) const {
  if (!isWide(value.getType()))
    return {};
  std::optional<ConstantIntRanges> range = rangeOf(value);
  return range ? getNarrowForms(*range) : NarrowForms();
}

NarrowForms Narrower::getForms(ValueRange values) const {
  NarrowForms all{true, true};
  for (Value value : values)
    all = all & getForms(value);
  return all;
}

/// True if `value` is less than 32.
bool Narrower::isShiftAmount(Value value) const {
  std::optional<ConstantIntRanges> range = rangeOf(value);
  return range && range->umax().ult(32);
}

/// True for an operation that costs much more in 64 bits than in 32.
static bool isQuotient(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
             arith::CeilDivUIOp, arith::CeilDivSIOp, arith::RemUIOp,
             arith::RemSIOp>(op);
}

/// True if a loop counts or carries `value` in 64 bits, or if it was left wide
/// because of one that does. An operand of a division is taken in 32 bits
/// anyway.
bool Narrower::isCounted(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isCarried = argument && isWide(value.getType()) &&
                   isa<scf::ForOp>(argument.getOwner()->getParentOp());
  return (isCarried || counted.contains(value)) &&
         llvm::none_of(value.getUsers(), isQuotient);
}

/// True for a cheap operation on a counter of a loop in 64 bits; also notes its
/// uses. Strength reduction and the vectorisation of loads analyse sums and
/// products of one width only.
bool Narrower::staysWide(Operation *op) {
  if (llvm::none_of(op->getOperands(), [&](Value v) { return isCounted(v); }))
    return false;
  if (isWide(op->getResult(0).getType()))
    counted.insert(op->getResult(0));
  return true;
}

/// The lower half of `value`.
Value Narrower::narrow(Value value) {
  Value &half = halves[value];
  if (half)
    return half;
  OpBuilder::InsertionGuard guard(builder);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    builder.setInsertionPoint(value.getDefiningOp());
    half = arith::ConstantOp::create(
        builder, value.getLoc(),
        builder.getIntegerAttr(i32, constant.trunc(32)));
    return half;
  }
  builder.setInsertionPointAfterValue(value);
  if (value.getType().isIndex())
    half = arith::IndexCastUIOp::create(builder, value.getLoc(), i32, value);
  else
    half = arith::TruncIOp::create(builder, value.getLoc(), i32, value);
  return half;
}

SmallVector<Value> Narrower::narrow(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return narrow(v); });
}

/// Makes a value of `type`, which has `range`, from its lower half.
Value Narrower::widen(Value small, Type type, const ConstantIntRanges &range,
                      Location loc) {
  bool zeros = getNarrowForms(range).asUnsigned;
  Value wide;
  if (type.isIndex() && zeros)
    wide = arith::IndexCastUIOp::create(builder, loc, type, small);
  else if (type.isIndex())
    wide = arith::IndexCastOp::create(builder, loc, type, small);
  else if (zeros)
    wide = arith::ExtUIOp::create(builder, loc, type, small);
  else
    wide = arith::ExtSIOp::create(builder, loc, type, small);
  halves[wide] = small;
  ranges.insert({wide, range});
  return wide;
}

/// Replaces the one result of `op` by what `small` widens to.
void Narrower::replace(Operation *op, Value small) {
  Value old = op->getResult(0);
  old.replaceAllUsesWith(
      widen(small, old.getType(), *rangeOf(old), op->getLoc()));
}

/// Makes a block argument, or a result of an operation with regions, one of 32
/// bits.
void Narrower::retype(Value value) {
  ConstantIntRanges range = *rangeOf(value);
  Type type = value.getType();
  value.setType(i32);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Value wide = widen(value, type, range, value.getLoc());
  value.replaceAllUsesExcept(wide, wide.getDefiningOp());
}

void Narrower::visit(Operation *op) {
  builder.setInsertionPoint(op);
  if (foldConstants(op))
    return;
  TypeSwitch<Operation *>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
            arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::SelectOp>(
          [&](auto) { visitRing(op); })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
            arith::CeilDivUIOp, arith::CeilDivSIOp, arith::RemUIOp,
            arith::RemSIOp, arith::ShRUIOp, arith::ShRSIOp, arith::MinUIOp,
            arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(
          [&](auto) { visitOrdered(op); })
      .Case([&](arith::CmpIOp compare) { visitCompare(compare); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::TruncIOp,
            arith::ExtUIOp, arith::ExtSIOp>([&](auto) { visitCast(op); })
      .Case<arith::UIToFPOp, arith::SIToFPOp>([&](auto) { visitToFloat(op); })
      .Case([&](scf::ForOp loop) { visitFor(loop); })
      .Case([&](scf::WhileOp loop) { visitWhile(loop); })
      .Case([&](scf::IfOp branch) {
        for (Value result : branch.getResults())
          if (getForms(result))
            retype(result);
      })
      .Case([&](scf::ConditionOp condition) {
        visitYield(condition.getArgsMutable(), op->getParentOp()->getResults());
      })
      .Case([&](scf::YieldOp yield) {
        // The values that go around a loop of `while` are the arguments of its
        // test.
        ValueRange targets = op->getParentOp()->getResults();
        if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
          targets = loop.getBeforeArguments();
        visitYield(yield.getResultsMutable(), targets);
      });
}

/// Replaces results that can be one number only by that number.
bool Narrower::foldConstants(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->hasTrait<OpTrait::ConstantLike>() || !isMemoryEffectFree(op) ||
      !isa<InferIntRangeInterface>(op))
    return false;
  Value result = op->getResult(0);
  std::optional<ConstantIntRanges> range = rangeOf(result);
  if (!result.getType().isIntOrIndex() || !range)
    return false;
  std::optional<APInt> value = range->getConstantValue();
  if (!value)
    return false;
  result.replaceAllUsesWith(arith::ConstantOp::create(
      builder, op->getLoc(),
      cast<TypedAttr>(builder.getIntegerAttr(result.getType(), *value))));
  return true;
}

/// Operations whose lower half depends on the lower halves of their operands
/// alone: the result must fit, the operands need not.
void Narrower::visitRing(Operation *op) {
  Value result = op->getResult(0);
  if (!getForms(result) || staysWide(op))
    return;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (!select.getCondition().getType().isInteger(1))
      return;
    Value yes = narrow(select.getTrueValue());
    Value no = narrow(select.getFalseValue());
    return replace(op, arith::SelectOp::create(builder, op->getLoc(),
                                               select.getCondition(), yes, no));
  }
  if (isa<arith::ShLIOp>(op) && !isShiftAmount(op->getOperand(1)))
    return;
  NarrowForms all = getForms(op->getOperands()) & getForms(result);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(narrow(op->getOperands()));
  state.addTypes(i32);
  Operation *small = builder.create(state);
  // Sums and products of 32 bits fit into 64 bits. If the result fits into 32
  // bits, the operation of 32 bits does not wrap.
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(small)) {
    auto overflow = arith::IntegerOverflowFlags::none;
    if (all.asUnsigned)
      overflow = overflow | arith::IntegerOverflowFlags::nuw;
    if (all.asSigned)
      overflow = overflow | arith::IntegerOverflowFlags::nsw;
    small->setAttr(
        flags.getIntegerOverflowAttrName(),
        arith::IntegerOverflowFlagsAttr::get(op->getContext(), overflow));
  }
  replace(op, small->getResult(0));
}

/// The operation on numbers without sign that does what `op` does on numbers
/// that are not negative.
static StringRef withoutSign(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto) { return arith::DivUIOp::getOperationName(); })
      .Case([](arith::CeilDivSIOp) {
        return arith::CeilDivUIOp::getOperationName();
      })
      .Case([](arith::RemSIOp) { return arith::RemUIOp::getOperationName(); })
      .Case([](arith::ShRSIOp) { return arith::ShRUIOp::getOperationName(); })
      .Case([](arith::MinSIOp) { return arith::MinUIOp::getOperationName(); })
      .Case([](arith::MaxSIOp) { return arith::MaxUIOp::getOperationName(); })
      .Default([](Operation *op) { return op->getName().getStringRef(); });
}

/// Operations that look at all bits: operands and result must fit.
void Narrower::visitOrdered(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  NarrowForms all = getForms(op->getOperands()) & getForms(op->getResult(0));
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op) && !isShiftAmount(right))
    return;
  if (!isQuotient(op) && staysWide(op))
    return;
  StringRef name = op->getName().getStringRef();
  if (all.asUnsigned)
    name = withoutSign(op);
  else if (!all.asSigned || name == withoutSign(op) ||
           // The one quotient, and its remainder, that 32 bits do not have.
           rangeOf(left)->smin() == APInt::getSignedMinValue(32).sext(64))
    return;
  if (name == arith::RemUIOp::getOperationName() &&
      rangeOf(left)->umax().ult(rangeOf(right)->umin()))
    return replace(op, narrow(left));
  OperationState state(op->getLoc(), name);
  state.addOperands({narrow(left), narrow(right)});
  state.addTypes(i32);
  replace(op, builder.create(state)->getResult(0));
}

static arith::CmpIPredicate withoutSign(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::ult;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::ule;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::ugt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::uge;
  default:
    return predicate;
  }
}

void Narrower::visitCompare(arith::CmpIOp op) {
  if (staysWide(op))
    return;
  NarrowForms all = getForms(op->getOperands());
  arith::CmpIPredicate predicate = op.getPredicate();
  bool hasSign = predicate != withoutSign(predicate);
  bool isEquality = predicate == arith::CmpIPredicate::eq ||
                    predicate == arith::CmpIPredicate::ne;
  if (all.asUnsigned)
    predicate = withoutSign(predicate);
  else if (!all.asSigned || !(hasSign || isEquality))
    return;
  Value small = arith::CmpIOp::create(builder, op.getLoc(), predicate,
                                      narrow(op.getLhs()), narrow(op.getRhs()));
  op.getResult().replaceAllUsesWith(small);
}

/// Removes casts from and to 64 bits of values that are known in 32 bits.
void Narrower::visitCast(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (source.getType() == i32 && isWide(result.getType())) {
    halves[result] = source;
    return;
  }
  auto found = halves.find(source);
  if (found == halves.end()) {
    if (isWide(source.getType()) && isWide(result.getType()))
      staysWide(op);
    return;
  }
  Value half = found->second;
  if (isWide(result.getType())) {
    halves[result] = half;
  } else if (result.getType() == i32) {
    result.replaceAllUsesWith(half);
  } else if (auto type = dyn_cast<IntegerType>(result.getType());
             type && type.getWidth() < 32) {
    result.replaceAllUsesWith(
        arith::TruncIOp::create(builder, op->getLoc(), type, half));
  }
}

void Narrower::visitToFloat(Operation *op) {
  NarrowForms all = getForms(op->getOperand(0));
  StringRef name = op->getName().getStringRef();
  if (all.asUnsigned)
    name = arith::UIToFPOp::getOperationName();
  else if (!all.asSigned || isa<arith::UIToFPOp>(op))
    return;
  OperationState state(op->getLoc(), name);
  state.addOperands(narrow(op->getOperand(0)));
  state.addTypes(op->getResultTypes());
  op->getResult(0).replaceAllUsesWith(builder.create(state)->getResult(0));
}

/// Loops whose steps only the launch knows, as those over the blocks of a grid,
/// count in 32 bits. With a constant step strength reduction makes the
/// addresses of 64 bits the counter; a test of 32 bits beside it keeps ptxas
/// from unrolling.
void Narrower::visitFor(scf::ForOp op) {
  Value index = op.getInductionVar();
  Value upper = op.getUpperBound(), step = op.getStep();
  NarrowForms all = getForms({index, op.getLowerBound(), upper, step});
  if (!all || op.getUnsignedCmp() || matchPattern(step, m_Constant()))
    return;
  // The loop also computes the first index after the last.
  ConstantIntRanges most = *rangeOf(upper), by = *rangeOf(step);
  bool overflow = false;
  APInt after = most.smax().sadd_ov(by.smax(), overflow) - 1;
  bool fitsSigned =
      all.asSigned && !overflow && by.smin().sgt(0) && after.isSignedIntN(32);
  bool fitsUnsigned = all.asUnsigned && !overflow && after.isIntN(32);
  if (!fitsSigned && !fitsUnsigned)
    return;
  op.setLowerBound(narrow(op.getLowerBound()));
  op.setUpperBound(narrow(upper));
  op.setStep(narrow(step));
  if (!fitsSigned)
    op.setUnsignedCmp(true);
  retype(index);
}

void Narrower::visitWhile(scf::WhileOp op) {
  for (auto [init, argument] :
       llvm::zip_equal(op.getInitsMutable(), op.getBeforeArguments())) {
    if (!getForms(argument))
      continue;
    init.set(narrow(init.get()));
    retype(argument);
  }
  for (auto [argument, result] :
       llvm::zip_equal(op.getAfterArguments(), op.getResults())) {
    if (!getForms(argument) || !getForms(result))
      continue;
    retype(argument);
    retype(result);
  }
}

/// Gives what became 32 bits wide its lower half.
void Narrower::visitYield(MutableOperandRange yielded, ValueRange targets) {
  for (auto [operand, target] : llvm::zip_equal(yielded, targets))
    if (isWide(operand.get().getType()) && target.getType() == i32)
      operand.set(narrow(operand.get()));
}

namespace {
struct NarrowIndices : impl::NarrowIndicesPassBase<NarrowIndices> {
  void runOnOperation() override {
    gpu::GPUFuncOp function = getOperation();
    DataFlowSolver solver(DataFlowConfig().setInterprocedural(false));
    dataflow::loadBaselineAnalyses(solver);
    solver.load<KernelRangeAnalysis>();
    if (failed(solver.initializeAndRun(function)))
      return signalPassFailure();
    Narrower(function, solver).run();
  }
};
} // namespace

} // namespace mlir::obs
