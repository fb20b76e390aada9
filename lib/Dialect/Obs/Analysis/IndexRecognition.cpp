//===- IndexRecognition.cpp - Index maps of values -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/IntegerRanges.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using Kind = IndexExpr::Kind;

static IndexExpr number(int64_t value) { return IndexExpr::constant(value); }
static IndexExpr shiftLeft(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(Kind::Shl, a, b);
}

/// True if signed and unsigned arithmetic agree on the value.
static bool isNatural(const IndexExpr &expr) {
  std::optional<IndexRange> range = expr.getRange();
  return range && range->min >= 0;
}

/// The value of `width` bits of `expr`, as an unsigned number.
static IndexExpr extendZeros(const IndexExpr &expr, unsigned width) {
  return expr & number((int64_t(1) << width) - 1);
}

/// The signed number that the low `width` bits of `expr` represent.
static IndexExpr wrapTo(const IndexExpr &expr, unsigned width) {
  IndexExpr half = number(int64_t(1) << (width - 1));
  IndexExpr mask = number((int64_t(1) << width) - 1);
  return ((expr + half) & mask) - half;
}

unsigned IndexRecognizer::addVariable(Value value,
                                      std::optional<int64_t> extent) {
  known.insert({value, IndexExpr::variable(numVariables, extent)});
  return numVariables++;
}

unsigned IndexRecognizer::addRounds(scf::ForOp loop,
                                    std::optional<int64_t> extent) {
  IndexExpr counter =
      get(loop.getLowerBound()) +
      IndexExpr::variable(numVariables, extent) * get(loop.getStep());
  // Unsigned counters continue after the largest signed number.
  unsigned width = getElementBits(loop.getInductionVar().getType());
  if (loop.getUnsignedCmp() && width < 64)
    counter = wrapTo(counter, width);
  known.insert({loop.getInductionVar(), counter});
  return numVariables++;
}

bool IndexRecognizer::isInLeaf(Value value) const {
  return llvm::any_of(leaves, [&](Region *leaf) {
    return leaf->isAncestor(value.getParentRegion());
  });
}

IndexExpr IndexRecognizer::get(Value value) {
  // A region that is not verified yet may contain a cycle here.
  auto [found, isNew] = known.insert({value, IndexExpr::opaque()});
  if (!isNew)
    return found->second;
  IndexExpr expr = compute(value);
  known.find(value)->second = expr;
  return expr;
}

IndexExpr IndexRecognizer::makeSymbol(Value value,
                                      std::optional<IndexRange> range) {
  auto [found, isNew] = symbols.insert({value, symbols.size()});
  if (isNew)
    values.push_back(value);
  return IndexExpr::symbol(found->second, range);
}

/// Bounds of a result that its operation implies; nullopt if the result can be
/// any number of its type.
std::optional<IndexRange> IndexRecognizer::inferRange(Value value) {
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndex())
      return std::nullopt;
    unsigned width = ConstantIntRanges::getStorageBitwidth(operand.getType());
    std::optional<IndexRange> range;
    if (width > 1 && width <= 64)
      range = get(operand).getRange();
    operands.push_back(range ? ConstantIntRanges::fromSigned(
                                   APInt(width, range->min, /*isSigned=*/true),
                                   APInt(width, range->max, /*isSigned=*/true))
                             : ConstantIntRanges::maxRange(width));
  }
  std::optional<IndexRange> inferred;
  if (hasWrongRange(op, operands))
    return inferred;
  op.inferResultRanges(operands, [&](Value result, const ConstantIntRanges &r) {
    if (result == value && r.smin().getBitWidth() <= 64 &&
        (!r.smin().isMinSignedValue() || !r.smax().isMaxSignedValue()))
      inferred = IndexRange{r.smin().getSExtValue(), r.smax().getSExtValue()};
  });
  return inferred;
}

IndexExpr IndexRecognizer::compute(Value value) {
  APInt constant;
  bool isBit = value.getType().isInteger(1);
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getBitWidth() <= 64)
    return number(isBit ? constant.getZExtValue() : constant.getSExtValue());
  bool usable =
      value.getType().isIntOrIndex() && getElementBits(value.getType()) <= 64;
  std::optional<IndexExpr> expr;
  auto declared = ranges.find(value);
  if (usable && declared == ranges.end())
    expr = isa<OpResult>(value) ? recognize(cast<OpResult>(value))
                                : recognizeLoop(value);
  unsigned width = usable ? getElementBits(value.getType()) : 64;
  if (expr && width < 64) {
    std::optional<IndexRange> range = expr->getRange();
    int64_t end = int64_t(1) << (width - 1), begin = isBit ? 0 : -end;
    if (isBit)
      end = 2;
    if (!range || range->min < begin || range->max >= end) {
      // If the value depends on data, only its zero bits are useful.
      bool isWorthIt = !expr->hasOpaque() || expr->getZeroBits() > 0;
      if (isInLeaf(value) && isWorthIt && !isBit)
        expr = wrapTo(*expr, width);
      else
        expr.reset();
    }
  }
  bool isComplete = expr && !expr->hasOpaque();
  if (isComplete && (!prefersRanges || expr->getRange()))
    return *expr;
  if (isInLeaf(value))
    return expr    ? *expr
           : isBit ? IndexExpr::opaque() & number(1)
                   : IndexExpr::opaque();
  std::optional<IndexRange> range;
  if (declared != ranges.end())
    range = declared->second;
  else if (expr && expr->getRange())
    range = expr->getRange();
  else if (isBit)
    range = IndexRange{0, 1};
  else if (auto dim = value.getDefiningOp<ShapedDimOpInterface>())
    range = IndexRange{0, maxExtent};
  if (std::optional<IndexRange> inferred = inferRange(value);
      inferred && !isBit) {
    if (range) {
      inferred->min = std::max(inferred->min, range->min);
      inferred->max = std::min(inferred->max, range->max);
    }
    // Code that never runs may contradict itself.
    if (inferred->min <= inferred->max)
      range = inferred;
  }
  return makeSymbol(value, range);
}

/// The induction variable of a loop with constant bounds. In a leaf it is a
/// variable, and outside of leaves a symbol with a known range.
std::optional<IndexExpr> IndexRecognizer::recognizeLoop(Value value) {
  auto loop = dyn_cast<scf::ForOp>(
      cast<BlockArgument>(value).getOwner()->getParentOp());
  if (!loop || value != loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> lower = get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> step = get(loop.getStep()).getConstant();
  std::optional<IndexRange> upper = get(loop.getUpperBound()).getRange();
  if (loop.getUnsignedCmp() && upper && upper->min < 0)
    return std::nullopt;
  if (!lower || !step || *step <= 0 || *lower < 0 || !upper ||
      upper->max <= *lower)
    return std::nullopt;
  int64_t trips = (upper->max - *lower - 1) / *step + 1;
  if (isInLeaf(value))
    return number(*lower) +
           IndexExpr::variable(numVariables++, trips) * number(*step);
  return number(*lower) +
         makeSymbol(value, IndexRange{0, trips - 1}) * number(*step);
}

std::optional<IndexExpr> IndexRecognizer::recognize(OpResult value) {
  Operation *op = value.getOwner();
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  auto binary = [&](Kind kind) -> std::optional<IndexExpr> {
    return IndexExpr::binary(kind, operand(0), operand(1));
  };
  bool isWide = op->getNumResults() == 1 &&
                op->getResult(0).getType().isIntOrIndex() &&
                getElementBits(op->getResult(0).getType()) == 64;
  auto naturalBinary = [&](Kind kind) -> std::optional<IndexExpr> {
    IndexExpr a = operand(0), b = operand(1);
    if (!isWide && isInLeaf(value) && !isNatural(a)) {
      if (isa<arith::DivSIOp, arith::RemSIOp>(op) && isNatural(b)) {
        // The quotient is rounded towards zero.
        IndexExpr zero = number(0);
        IndexExpr below = IndexExpr::binary(Kind::FloorDiv, zero - a, b);
        IndexExpr above = IndexExpr::binary(Kind::FloorDiv, a, b);
        IndexExpr quotient = IndexExpr::select(IndexExpr::Compare::Less, a,
                                               zero, zero - below, above);
        return kind == Kind::FloorDiv ? quotient : a - quotient * b;
      }
      if (!isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(op))
        a = extendZeros(a, getElementBits(value.getType()));
    }
    // Signed and unsigned numbers have the same low bits.
    std::optional<int64_t> c = b.getConstant();
    if (isa<arith::RemUIOp>(op) && isWide && isInLeaf(value) && !isNatural(a) &&
        c && *c > 0 && llvm::isPowerOf2_64(*c))
      return a & number(*c - 1);
    if (isWide && isa<arith::RemSIOp, arith::MaxUIOp>(op)) {
      // The remainder of a negative operand may be negative.
      IndexExpr result = IndexExpr::binary(kind, a, b);
      for (const IndexExpr &side : {a, b})
        if (!isNatural(side))
          result = IndexExpr::select(IndexExpr::Compare::Less, side, number(0),
                                     IndexExpr::opaque(), result);
      return result;
    }
    return combineNaturals(kind, a, b, isWide);
  };
  using Result = std::optional<IndexExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp add) -> Result {
        // Each use of data may be another number.
        if (add.getLhs() == add.getRhs())
          return operand(0) * number(2);
        return binary(Kind::Add);
      })
      .Case([&](arith::SubIOp) { return binary(Kind::Sub); })
      .Case([&](arith::MulIOp) { return binary(Kind::Mul); })
      .Case([&](arith::AndIOp) { return binary(Kind::And); })
      .Case([&](arith::OrIOp) { return binary(Kind::Or); })
      .Case([&](arith::XOrIOp) { return binary(Kind::Xor); })
      .Case([&](arith::ShLIOp) { return binary(Kind::Shl); })
      // As a signed number, true is -1, which is less than false.
      .Case([&](arith::MinSIOp) {
        return binary(value.getType().isInteger(1) ? Kind::Max : Kind::Min);
      })
      .Case([&](arith::MaxSIOp) {
        return binary(value.getType().isInteger(1) ? Kind::Min : Kind::Max);
      })
      .Case([&](arith::MinUIOp) { return naturalBinary(Kind::Min); })
      .Case([&](arith::MaxUIOp) { return naturalBinary(Kind::Max); })
      .Case([&](arith::FloorDivSIOp) { return binary(Kind::FloorDiv); })
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](auto) { return naturalBinary(Kind::FloorDiv); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto) -> Result {
        IndexExpr above = operand(0) + (operand(1) - number(1));
        if (!isNatural(operand(0)) || !isNatural(operand(1)) ||
            !isNatural(above))
          return std::nullopt;
        return IndexExpr::binary(Kind::FloorDiv, above, operand(1));
      })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return naturalBinary(Kind::Mod); })
      .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto) -> Result {
        if (isWide && isa<arith::ShRUIOp>(op))
          return binary(Kind::Shr);
        return naturalBinary(Kind::Shr);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](Operation *) -> Result {
        if (op->getOperand(0).getType().isInteger(1)) {
          bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(op);
          return isSigned ? number(0) - operand(0) : operand(0);
        }
        if (op->getResult(0).getType().isInteger(1))
          return operand(0) & number(1);
        if (isNatural(operand(0)))
          return operand(0);
        // In a leaf, a symbol would lose the index.
        if (!isInLeaf(value))
          return std::nullopt;
        bool isUnsigned = isa<arith::IndexCastUIOp, arith::ExtUIOp>(op);
        unsigned from = getElementBits(op->getOperand(0).getType());
        if (isUnsigned && from < getElementBits(value.getType()))
          return extendZeros(operand(0), from);
        return operand(0);
      })
      .Case([&](arith::CmpIOp comparison) {
        return compare(comparison, number(1), number(0));
      })
      .Case([&](arith::SelectOp select) {
        return choose(select.getCondition(), operand(1), operand(2));
      })
      .Case([&](scf::IfOp branch) {
        unsigned i = value.getResultNumber();
        return choose(branch.getCondition(),
                      get(branch.thenYield().getOperand(i)),
                      get(branch.elseYield().getOperand(i)));
      })
      .Case([&](InsertZeroOp) -> Result {
        IndexExpr low = shiftLeft(number(1), operand(1)) - number(1);
        return (operand(0) & low) |
               shiftLeft(operand(0) & (low ^ number(-1)), number(1));
      })
      .Case([&](FlipOp) -> Result {
        return operand(0) ^ shiftLeft(number(1), operand(1));
      })
      .Case([&](FlipLowOp) -> Result {
        return operand(0) ^ (shiftLeft(number(2), operand(1)) - number(1));
      })
      .Case([&](RotateOp) {
        return IndexExpr::permute(IndexExpr::Permutation::Rotate, operand(0),
                                  operand(1), operand(2));
      })
      .Case([&](BitReverseOp) {
        return IndexExpr::permute(IndexExpr::Permutation::Reverse, operand(0),
                                  operand(1), number(0));
      })
      .Case([&](BitSwapOp) {
        return IndexExpr::permute(IndexExpr::Permutation::Swap, operand(0),
                                  operand(1), operand(2));
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<IndexExpr> IndexRecognizer::combineNaturals(Kind kind,
                                                          IndexExpr a,
                                                          IndexExpr b,
                                                          bool isWide) {
  for (IndexExpr *operand : {&a, &b}) {
    if (isNatural(*operand))
      continue;
    if (!isWide)
      return std::nullopt;
    *operand = IndexExpr::select(IndexExpr::Compare::Less, *operand, number(0),
                                 IndexExpr::opaque(), *operand);
  }
  return IndexExpr::binary(kind, a, b);
}

IndexExpr IndexRecognizer::choose(Value condition, IndexExpr onTrue,
                                  IndexExpr onFalse) {
  if (std::optional<IndexExpr> choice =
          compare(condition.getDefiningOp(), onTrue, onFalse))
    return *choice;
  return IndexExpr::select(IndexExpr::Compare::Equal, get(condition), number(0),
                           onFalse, onTrue);
}

std::optional<IndexExpr> IndexRecognizer::compare(Operation *comparison,
                                                  IndexExpr onTrue,
                                                  IndexExpr onFalse) {
  auto cmp = dyn_cast_or_null<arith::CmpIOp>(comparison);
  if (!cmp || !cmp.getLhs().getType().isIntOrIndex())
    return std::nullopt;
  return compareNumbers(cmp, get(cmp.getLhs()), get(cmp.getRhs()), onTrue,
                        onFalse);
}

std::optional<IndexExpr> obs::compareNumbers(arith::CmpIOp comparison,
                                             IndexExpr a, IndexExpr b,
                                             IndexExpr onTrue,
                                             IndexExpr onFalse) {
  using C = IndexExpr::Compare;
  using P = arith::CmpIPredicate;
  P predicate = comparison.getPredicate();
  if (comparison.getLhs().getType().isInteger(1) && P::slt <= predicate &&
      predicate <= P::sge)
    return std::nullopt;
  // In the order of the predicates. Sign-extended numbers also keep their order
  // in unsigned comparisons.
  static constexpr C compares[] = {C::Equal,        C::Equal,
                                   C::Less,         C::LessEqual,
                                   C::Less,         C::LessEqual,
                                   C::UnsignedLess, C::UnsignedLessEqual,
                                   C::UnsignedLess, C::UnsignedLessEqual};
  if (predicate == P::ne)
    std::swap(onTrue, onFalse);
  if (llvm::is_contained({P::sgt, P::sge, P::ugt, P::uge}, predicate))
    std::swap(a, b);
  return IndexExpr::select(compares[static_cast<unsigned>(predicate)], a, b,
                           onTrue, onFalse);
}

IndexMap IndexRecognizer::getYields(Region &body, ArrayRef<int64_t> extents) {
  addLeaf(body);
  for (auto [argument, extent] : llvm::zip(body.getArguments(), extents))
    addVariable(argument, extent >= 0 ? extent : maxExtent);
  IndexMap map;
  for (Value value : body.front().getTerminator()->getOperands())
    map.push_back(get(value));
  return map;
}

IndexRange obs::getUniformRange(Value value) {
  IndexRecognizer recognizer;
  recognizer.preferRanges();
  return recognizer.get(value).getRange().value_or(
      IndexRange{std::numeric_limits<int64_t>::min(),
                 std::numeric_limits<int64_t>::max()});
}
