//===- SymbolicEvaluator.cpp - Values with unknown symbols ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/SymbolicEvaluator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

unsigned TermTable::getNumber(const IndexExpr &expr) {
  auto *found = llvm::find(exprs, expr);
  if (found == exprs.end()) {
    exprs.push_back(expr);
    return exprs.size() - 1;
  }
  return found - exprs.begin();
}

void TermSum::add(const TermSum &other, int64_t factor) {
  uint64_t scale = factor;
  constant = wrap(constant + scale * other.constant);
  if (other.terms.empty())
    return;
  Terms sum;
  const auto *a = terms.begin();
  for (auto [term, count] : other.terms) {
    for (; a != terms.end() && a->first < term; ++a)
      sum.push_back(*a);
    uint64_t total = scale * count;
    if (a != terms.end() && a->first == term)
      total += (a++)->second;
    if (total != 0)
      sum.push_back({term, wrap(total)});
  }
  sum.append(a, const_cast<const Terms &>(terms).end());
  terms = std::move(sum);
}

static TermSum number(int64_t value) { return TermSum{value, {}}; }

std::optional<IndexRange>
SymbolicEvaluator::getRange(const TermSum &sum) const {
  LinearForm form;
  form.constant = sum.constant;
  for (auto [term, count] : sum.terms)
    form.terms.push_back({terms->getExpr(term), count});
  return form.getRange();
}

std::optional<SymbolicEvaluator::Division>
SymbolicEvaluator::divide(const TermSum &sum, int64_t divisor) const {
  Division result;
  for (auto [term, count] : sum.terms)
    if (count % divisor == 0)
      result.quotient.terms.push_back({term, count / divisor});
    else
      result.rest.terms.push_back({term, count});
  result.rest.constant = sum.constant;
  std::optional<IndexRange> rest = getRange(result.rest);
  if (!rest || !getRange(sum))
    return std::nullopt;
  int64_t least = llvm::divideFloorSigned(rest->min, divisor);
  if (least != llvm::divideFloorSigned(rest->max, divisor))
    return std::nullopt;
  result.quotient.constant = least;
  result.rest.constant = wrap(result.rest.constant - uint64_t(least) * divisor);
  return result;
}

std::optional<TermSum> SymbolicEvaluator::combineWithNumber(Kind kind,
                                                            const TermSum &a,
                                                            int64_t number) {
  // True if no term reaches the lowest `bits` bits.
  auto isAbove = [&](unsigned bits) {
    return bits < 64 &&
           llvm::all_of(
               a.terms,
               [&](auto &term) {
                 return unsigned(llvm::countr_zero(uint64_t(term.second))) >=
                        bits;
               });
  };
  auto getWidth = [](uint64_t value) { return 64 - llvm::countl_zero(value); };
  TermSum result;
  switch (kind) {
  case Kind::Mul:
    result.add(a, number);
    if (number == 0)
      result.terms.clear();
    llvm::erase_if(result.terms, [](auto &term) { return term.second == 0; });
    return result;
  case Kind::Shl:
    if (number < 0 || number > 63)
      return std::nullopt;
    return combineWithNumber(Kind::Mul, a, wrap(uint64_t(1) << number));
  case Kind::FloorDiv:
  case Kind::Mod:
    if (number <= 0)
      return std::nullopt;
    if (kind == Kind::Mod && llvm::isPowerOf2_64(number) &&
        isAbove(llvm::Log2_64(number)))
      return TermSum{a.constant & (number - 1), {}};
    if (std::optional<Division> division = divide(a, number))
      return kind == Kind::Mod ? division->rest : division->quotient;
    return std::nullopt;
  case Kind::Shr: {
    std::optional<IndexRange> range = getRange(a);
    if (number < 0 || number > 62 || !range || range->min < 0)
      return std::nullopt;
    return combineWithNumber(Kind::FloorDiv, a, int64_t(1) << number);
  }
  case Kind::And:
    if (number >= 0 && isAbove(getWidth(number)))
      return TermSum{a.constant & number, {}};
    if (number < 0 && isAbove(getWidth(~number))) {
      result = a;
      result.constant &= number;
      return result;
    }
    // The rest of a division, where that is a sum.
    if (number > 0 && llvm::isPowerOf2_64(uint64_t(number) + 1) &&
        uint64_t(number) + 1 < uint64_t(1) << 62)
      if (std::optional<Division> division = divide(a, number + 1))
        return division->rest;
    return std::nullopt;
  case Kind::Or:
  case Kind::Xor:
    if (number < 0 || !isAbove(getWidth(number)))
      return std::nullopt;
    result = a;
    result.constant = kind == Kind::Or ? a.constant | number //
                                       : a.constant ^ number;
    return result;
  default:
    return std::nullopt;
  }
}

std::optional<TermSum> SymbolicEvaluator::combine(Kind kind, const TermSum &a,
                                                  const TermSum &b) {
  TermSum result = a;
  switch (kind) {
  case Kind::Add:
    result.add(b, 1);
    return result;
  case Kind::Sub:
    result.add(b, -1);
    return result;
  case Kind::Min:
  case Kind::Max:
    if (std::optional<bool> isLess = compare(Compare::LessEqual, a, b))
      return *isLess == (kind == Kind::Min) ? a : b;
    return std::nullopt;
  default:
    break;
  }
  if (b.isConstant())
    return combineWithNumber(kind, a, b.constant);
  bool commutes = kind == Kind::Mul || kind == Kind::And || kind == Kind::Or ||
                  kind == Kind::Xor;
  if (a.isConstant() && commutes)
    return combineWithNumber(kind, b, a.constant);
  return std::nullopt;
}

std::optional<bool> SymbolicEvaluator::compare(Compare compare,
                                               const TermSum &a,
                                               const TermSum &b) {
  if (a.isConstant() && b.isConstant())
    return IndexExpr::holds(compare, a.constant, b.constant);
  TermSum difference = a;
  difference.add(b, -1);
  if (compare == Compare::Equal) {
    if (difference.isConstant())
      return difference.constant == 0;
    // Multiples of a power of two stay such when they wrap.
    uint64_t bits = 0;
    for (auto [term, count] : difference.terms)
      bits |= count;
    if (llvm::countr_zero(uint64_t(difference.constant)) <
        llvm::countr_zero(bits))
      return false;
  }
  std::optional<IndexRange> left = getRange(a), right = getRange(b);
  if (!left || !right)
    return std::nullopt;
  if (compare == Compare::UnsignedLess ||
      compare == Compare::UnsignedLessEqual) {
    if (left->min < 0 || right->min < 0)
      return std::nullopt;
    compare =
        compare == Compare::UnsignedLess ? Compare::Less : Compare::LessEqual;
  }
  // Nothing wraps: bounds of both, and of how far they are apart, count.
  std::optional<IndexRange> apart = getRange(difference);
  bool isBelow = left->max < right->min || (apart && apart->max < 0);
  bool isAbove = left->min > right->max || (apart && apart->min > 0);
  switch (compare) {
  case Compare::Less:
    if (isBelow)
      return true;
    if (left->min >= right->max || (apart && apart->min >= 0))
      return false;
    return std::nullopt;
  case Compare::LessEqual:
    if (isAbove)
      return false;
    if (left->max <= right->min || (apart && apart->max <= 0))
      return true;
    return std::nullopt;
  default: {
    if (isBelow || isAbove)
      return false;
    // A multiple of their common divisor cannot be any other number.
    int64_t divisor = 0;
    for (auto [term, count] : difference.terms)
      divisor = std::gcd(divisor, count);
    if (apart && divisor != 0 && difference.constant % divisor != 0)
      return false;
    return std::nullopt;
  }
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::optional<int64_t> SymbolicEvaluator::Value::getNumber() const {
  if (values.size() == 1 && values.front().isConstant())
    return values.front().constant;
  return std::nullopt;
}

void SymbolicEvaluator::Value::set(int64_t number) {
  values.resize(1);
  values.front().constant = number;
  values.front().terms.clear();
}

/// The bit of a variable in a set of variables; some share a bit.
static uint64_t getVariableBit(unsigned variable) {
  return uint64_t(1) << variable % 64;
}

SymbolicEvaluator::SymbolicEvaluator(ArrayRef<IndexExpr> exprs,
                                     TermTable &terms)
    : terms(&terms), exprs(exprs) {
  llvm::DenseMap<const void *, unsigned> seen;
  SmallVector<IndexExpr> order;
  for (const IndexExpr &expr : exprs)
    collectSubexpressions(expr, seen, order);
  for (const IndexExpr &expr : order) {
    Step step{expr, {}, expr.isUniform(), 0, {}};
    if (expr.getKind() == Kind::Variable)
      step.variables = getVariableBit(expr.getId());
    for (const IndexExpr &operand : expr.getOperands()) {
      step.operands.push_back(seen[operand.getIdentity()]);
      step.variables |= steps[step.operands.back()].variables;
    }
    steps.push_back(std::move(step));
  }
  for (const IndexExpr &expr : exprs)
    outputs.push_back(seen[expr.getIdentity()]);
}

void SymbolicEvaluator::fixSymbol(unsigned symbol, int64_t value) {
  auto [found, isNew] = fixed.insert({symbol, value});
  if (!isNew && found->second == value)
    return;
  found->second = value;
  isStarted = false;
}

/// Both, as far as they differ; empty if those are too many.
static void join(llvm::SmallVectorImpl<TermSum> &values,
                 ArrayRef<TermSum> others, unsigned limit) {
  for (const TermSum &other : others)
    if (!llvm::is_contained(values, other))
      values.push_back(other);
  if (values.size() > limit)
    values.clear();
}

void SymbolicEvaluator::select(Step &step) {
  const Value &a = steps[step.operands[0]].value;
  const Value &b = steps[step.operands[1]].value;
  bool canHold = a.values.empty() || b.values.empty(), canFail = canHold;
  for (const TermSum &x : a.values)
    for (const TermSum &y : b.values) {
      std::optional<bool> holds = compare(step.expr.getCompare(), x, y);
      canHold |= !holds || *holds;
      canFail |= !holds || !*holds;
    }
  const Value &onTrue = steps[step.operands[2]].value;
  const Value &onFalse = steps[step.operands[3]].value;
  if (!canFail || !canHold) {
    step.value = canFail ? onFalse : onTrue;
  } else if (!onTrue.values.empty() && !onFalse.values.empty()) {
    step.value = onTrue;
    join(step.value.values, onFalse.values, maxValues);
  }
}

void SymbolicEvaluator::combine(Step &step) {
  Kind kind = step.expr.getKind();
  const Value &a = steps[step.operands[0]].value;
  const Value &b = steps[step.operands[1]].value;
  SmallVector<TermSum, 1> &result = step.value.values;
  std::optional<int64_t> x = a.getNumber(), y = b.getNumber();
  if (x && y) {
    if (std::optional<int64_t> value = IndexExpr::fold(kind, *x, *y))
      result.push_back(number(*value));
    return;
  }
  // The result of a product with zero is zero.
  if ((kind == Kind::Mul || kind == Kind::And) && (x == 0 || y == 0)) {
    result.push_back(number(0));
    return;
  }
  for (const TermSum &left : a.values)
    for (const TermSum &right : b.values) {
      std::optional<TermSum> value;
      if (left.isConstant() && right.isConstant()) {
        if (std::optional<int64_t> folded =
                IndexExpr::fold(kind, left.constant, right.constant))
          value = number(*folded);
      } else {
        value = combine(kind, left, right);
      }
      if (!value && (kind == Kind::Min || kind == Kind::Max))
        join(result, {left, right}, maxValues);
      else if (value)
        join(result, *value, maxValues);
      else
        result.clear();
      if (result.empty())
        return;
    }
}

void SymbolicEvaluator::run(Step &step,
                            ArrayRef<std::optional<int64_t>> variables) {
  const IndexExpr &expr = step.expr;
  // Mostly numbers come from numbers.
  if (step.operands.size() == 2) {
    std::optional<int64_t> x = steps[step.operands[0]].value.getNumber();
    std::optional<int64_t> y = steps[step.operands[1]].value.getNumber();
    if (std::optional<int64_t> result =
            x && y ? IndexExpr::fold(expr.getKind(), *x, *y) : std::nullopt)
      return step.value.set(*result);
  }
  // The memory of the last value is used again.
  SmallVector<TermSum, 1> &values = step.value.values;
  values.clear();
  auto isNumber = [&](int64_t known) { values.push_back(number(known)); };
  switch (expr.getKind()) {
  case Kind::Constant:
    isNumber(expr.getValue());
    break;
  case Kind::Variable:
    if (expr.getId() < variables.size() && variables[expr.getId()])
      return step.value.set(*variables[expr.getId()]);
    break;
  case Kind::Symbol:
    if (auto found = fixed.find(expr.getId()); found != fixed.end())
      isNumber(found->second);
    break;
  case Kind::Opaque:
    break;
  case Kind::Select:
    select(step);
    break;
  case Kind::Permute: {
    SmallVector<IndexExpr> numbers;
    for (unsigned operand : step.operands)
      if (std::optional<int64_t> known = steps[operand].value.getNumber())
        numbers.push_back(IndexExpr::constant(*known));
    if (numbers.size() < step.operands.size())
      break;
    if (std::optional<int64_t> result =
            IndexExpr::permute(expr.getPermutation(), numbers[0], numbers[1],
                               numbers[2])
                .getConstant())
      isNumber(*result);
    break;
  }
  default:
    combine(step);
  }
  // The expression is one of a few numbers.
  std::optional<IndexRange> range = expr.getRange();
  if (values.empty() && !step.isUniform && range &&
      uint64_t(range->max) - uint64_t(range->min) < maxValues)
    for (int64_t i = 0; i <= range->max - range->min; ++i)
      isNumber(range->min + i);
  // A uniform value stands for itself, even if it is not known.
  if (step.isUniform && values.size() != 1)
    values.assign(1, TermSum{0, {{terms->getNumber(expr), 1}}});
}

void SymbolicEvaluator::evaluate(ArrayRef<std::optional<int64_t>> variables) {
  uint64_t changed = 0;
  point.resize(std::max(point.size(), variables.size()));
  for (unsigned v = 0; v < point.size(); ++v) {
    std::optional<int64_t> value =
        v < variables.size() ? variables[v] : std::nullopt;
    if (value != point[v])
      changed |= getVariableBit(v);
    point[v] = value;
  }
  for (Step &step : steps)
    if (!isStarted || (step.variables & changed) != 0)
      run(step, variables);
  isStarted = true;
}

ArrayRef<TermSum> SymbolicEvaluator::getValues(unsigned i) const {
  return steps[outputs[i]].value.values;
}

std::optional<int64_t> SymbolicEvaluator::getNumber(unsigned i) const {
  return steps[outputs[i]].value.getNumber();
}
