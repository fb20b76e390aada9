//===- IndexRecognition.cpp - Index maps of values -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using Kind = IndexExpr::Kind;

static IndexExpr number(int64_t value) { return IndexExpr::constant(value); }
static IndexExpr shiftLeft(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(Kind::Shl, a, b);
}

static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// True if signed and unsigned arithmetic agree on the value.
static bool isNatural(const IndexExpr &expr) {
  std::optional<IndexRange> range = expr.getRange();
  return range && range->min >= 0;
}

unsigned IndexRecognizer::addVariable(Value value,
                                      std::optional<int64_t> extent) {
  known.insert({value, IndexExpr::variable(numVariables, extent)});
  return numVariables++;
}

unsigned IndexRecognizer::addRounds(scf::ForOp loop) {
  IndexExpr counter = get(loop.getLowerBound()) +
                      IndexExpr::variable(numVariables) * get(loop.getStep());
  known.insert({loop.getInductionVar(), counter});
  return numVariables++;
}

std::optional<unsigned> IndexRecognizer::getSymbol(Value value) const {
  auto found = symbols.find(value);
  return found == symbols.end() ? std::nullopt : std::optional(found->second);
}

bool IndexRecognizer::isInLeaf(Value value) const {
  return llvm::any_of(leaves, [&](Region *leaf) {
    return leaf->isAncestor(value.getParentRegion());
  });
}

IndexExpr IndexRecognizer::get(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  IndexExpr expr = compute(value);
  known.insert({value, expr});
  return expr;
}

IndexExpr IndexRecognizer::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getBitWidth() <= 64)
    return number(constant.getSExtValue());
  bool usable =
      value.getType().isIntOrIndex() && getWidth(value.getType()) <= 64;
  std::optional<IndexExpr> expr;
  auto declared = ranges.find(value);
  if (usable && declared == ranges.end())
    expr = value.getDefiningOp() ? recognize(value.getDefiningOp())
                                 : recognizeLoop(value);
  unsigned width = usable ? getWidth(value.getType()) : 64;
  if (expr && width < 64) {
    std::optional<IndexRange> range = expr->getRange();
    int64_t end = int64_t(1) << (width - 1);
    if (!range || range->min < -end || range->max >= end)
      expr.reset();
  }
  if (expr && !expr->hasOpaque())
    return *expr;
  if (isInLeaf(value))
    return expr.value_or(IndexExpr::opaque());
  unsigned id = symbols.insert({value, symbols.size()}).first->second;
  return IndexExpr::symbol(id, declared == ranges.end()
                                   ? std::nullopt
                                   : std::optional(declared->second));
}

/// The induction variable of a loop with constant bounds: a variable in a leaf,
/// a symbol of known range outside.
std::optional<IndexExpr> IndexRecognizer::recognizeLoop(Value value) {
  auto loop = dyn_cast<scf::ForOp>(
      cast<BlockArgument>(value).getOwner()->getParentOp());
  if (!loop || value != loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> lower = get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> step = get(loop.getStep()).getConstant();
  std::optional<IndexRange> upper = get(loop.getUpperBound()).getRange();
  if (!lower || !step || *step <= 0 || *lower < 0 || !upper ||
      upper->max <= *lower)
    return std::nullopt;
  int64_t trips = (upper->max - *lower - 1) / *step + 1;
  if (isInLeaf(value))
    return number(*lower) +
           IndexExpr::variable(numVariables++, trips) * number(*step);
  unsigned id = symbols.insert({value, symbols.size()}).first->second;
  return number(*lower) +
         IndexExpr::symbol(id, IndexRange{0, trips - 1}) * number(*step);
}

std::optional<IndexExpr> IndexRecognizer::recognize(Operation *op) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  auto binary = [&](Kind kind) -> std::optional<IndexExpr> {
    return IndexExpr::binary(kind, operand(0), operand(1));
  };
  // Where operands are not negative, signedness does not matter.
  auto naturalBinary = [&](Kind kind) -> std::optional<IndexExpr> {
    if (!isNatural(operand(0)) || !isNatural(operand(1)))
      return std::nullopt;
    return binary(kind);
  };
  using Result = std::optional<IndexExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return binary(Kind::Add); })
      .Case([&](arith::SubIOp) { return binary(Kind::Sub); })
      .Case([&](arith::MulIOp) { return binary(Kind::Mul); })
      .Case([&](arith::AndIOp) { return binary(Kind::And); })
      .Case([&](arith::OrIOp) { return binary(Kind::Or); })
      .Case([&](arith::XOrIOp) { return binary(Kind::Xor); })
      .Case([&](arith::ShLIOp) { return binary(Kind::Shl); })
      .Case([&](arith::MinSIOp) { return binary(Kind::Min); })
      .Case([&](arith::MaxSIOp) { return binary(Kind::Max); })
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
        bool isWide = getWidth(op->getResult(0).getType()) == 64;
        if (!isNatural(operand(0)) && !(isWide && isa<arith::ShRUIOp>(op)))
          return std::nullopt;
        return binary(Kind::Shr);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](Operation *) -> Result {
        if (op->getOperand(0).getType().isInteger(1) || !isNatural(operand(0)))
          return std::nullopt;
        return operand(0);
      })
      .Case([&](arith::SelectOp select) -> Result {
        return choose(select.getCondition().getDefiningOp(), operand(1),
                      operand(2));
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
      .Case<RotateOp, BitReverseOp, BitSwapOp>([&](Operation *) -> Result {
        // Bit by bit, for known numbers.
        std::optional<int64_t> p = operand(1).getConstant(), q = p;
        if (op->getNumOperands() > 2)
          q = operand(2).getConstant();
        if (!p || !q || *p < 0 || *q < 0 || *p > 61 || *q > 61)
          return std::nullopt;
        bool isSwap = isa<BitSwapOp>(op), isRotate = isa<RotateOp>(op);
        int64_t width = isSwap ? std::max(*p, *q) + 1 : isRotate ? *q : *p;
        if (isRotate && *p >= *q)
          return std::nullopt;
        IndexExpr result = operand(0) & number(-(int64_t(1) << width));
        for (int64_t i = 0; i < width; ++i) {
          int64_t target = isRotate ? (i + *p) % width : width - 1 - i;
          if (isSwap)
            target = i == *p ? *q : i == *q ? *p : i;
          IndexExpr bit =
              IndexExpr::binary(Kind::Shr, operand(0), number(i)) & number(1);
          result = result | shiftLeft(bit, number(target));
        }
        return result;
      })
      .Default([](Operation *) { return Result(); });
}

std::optional<IndexExpr> IndexRecognizer::choose(Operation *comparison,
                                                 IndexExpr onTrue,
                                                 IndexExpr onFalse) {
  auto compare = dyn_cast_or_null<arith::CmpIOp>(comparison);
  if (!compare || !compare.getLhs().getType().isIntOrIndex())
    return std::nullopt;
  IndexExpr a = get(compare.getLhs()), b = get(compare.getRhs());
  using C = IndexExpr::Compare;
  using P = arith::CmpIPredicate;
  bool natural = isNatural(a) && isNatural(b);
  bool isWide = getWidth(compare.getLhs().getType()) == 64;
  auto order = [&](C kind, bool swapped,
                   bool isUnsigned) -> std::optional<IndexExpr> {
    if (isUnsigned && !isWide && !natural)
      return std::nullopt;
    return swapped ? IndexExpr::select(kind, b, a, onTrue, onFalse)
                   : IndexExpr::select(kind, a, b, onTrue, onFalse);
  };
  switch (compare.getPredicate()) {
  case P::eq:
    return IndexExpr::select(C::Equal, a, b, onTrue, onFalse);
  case P::ne:
    return IndexExpr::select(C::Equal, a, b, onFalse, onTrue);
  case P::slt:
    return order(C::Less, false, false);
  case P::sle:
    return order(C::LessEqual, false, false);
  case P::sgt:
    return order(C::Less, true, false);
  case P::sge:
    return order(C::LessEqual, true, false);
  case P::ult:
    return order(C::UnsignedLess, false, true);
  case P::ule:
    return order(C::UnsignedLessEqual, false, true);
  case P::ugt:
    return order(C::UnsignedLess, true, true);
  case P::uge:
    return order(C::UnsignedLessEqual, true, true);
  }
  return std::nullopt;
}

IndexExpr IndexRecognizer::getCondition(Value condition) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return number(constant.isZero() ? 0 : 1);
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return IndexExpr::binary(isa<arith::AndIOp>(op)  ? Kind::And
                             : isa<arith::OrIOp>(op) ? Kind::Or
                                                     : Kind::Xor,
                             getCondition(op->getOperand(0)),
                             getCondition(op->getOperand(1)));
  return choose(op, number(1), number(0)).value_or(IndexExpr::opaque());
}

IndexMap IndexRecognizer::getYields(Region &body, ArrayRef<int64_t> extents) {
  addLeaf(body);
  for (auto [argument, extent] : llvm::zip(body.getArguments(), extents))
    addVariable(argument, extent >= 0 ? std::optional(extent) : std::nullopt);
  IndexMap map;
  for (Value value : body.front().getTerminator()->getOperands())
    map.push_back(get(value));
  return map;
}
