//===- IndexExpr.cpp - Arithmetic on indices, without IR -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values, ranges and zero bits of each kind of operation stand in one file:
// a new kind needs all of them.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;
using Permutation = IndexExpr::Permutation;

struct IndexExpr::Node {
  Kind kind;
  int64_t value = 0;
  unsigned id = 0;
  Compare compare = Compare::Equal;
  Permutation permutation = Permutation::Rotate;
  std::optional<IndexRange> declared;
  std::optional<IndexRange> range;
  bool hasVariable = false;
  bool hasOpaque = false;
  /// The number of low bits that are always 0.
  unsigned zeroBits = 0;
  SmallVector<IndexExpr, 2> operands;
};

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

std::optional<int64_t> IndexExpr::fold(Kind kind, int64_t a, int64_t b) {
  uint64_t x = a, y = b;
  switch (kind) {
  case Kind::Add:
    return wrap(x + y);
  case Kind::Sub:
    return wrap(x - y);
  case Kind::Mul:
    return wrap(x * y);
  case Kind::FloorDiv:
    if (b <= 0)
      return std::nullopt;
    return a / b - (a % b < 0);
  case Kind::Mod:
    if (b <= 0)
      return std::nullopt;
    return a % b + (a % b < 0 ? b : 0);
  case Kind::And:
    return wrap(x & y);
  case Kind::Or:
    return wrap(x | y);
  case Kind::Xor:
    return wrap(x ^ y);
  case Kind::Shl:
    return y < 64 ? std::optional(wrap(x << y)) : std::nullopt;
  case Kind::Shr:
    return y < 64 ? std::optional(wrap(x >> y)) : std::nullopt;
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  default:
    return std::nullopt;
  }
}

bool IndexExpr::holds(Compare compare, int64_t a, int64_t b) {
  switch (compare) {
  case Compare::Equal:
    return a == b;
  case Compare::Less:
    return a < b;
  case Compare::LessEqual:
    return a <= b;
  case Compare::UnsignedLess:
    return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  case Compare::UnsignedLessEqual:
    return static_cast<uint64_t>(a) <= static_cast<uint64_t>(b);
  }
  llvm_unreachable("all comparisons are listed");
}

/// The width of the bits that `how` moves; nullopt where it has no meaning.
static std::optional<unsigned> getPermutedWidth(Permutation how, int64_t p,
                                                int64_t q) {
  if (p < 0 || q < 0 || p > 64 || q > 64)
    return std::nullopt;
  switch (how) {
  case Permutation::Rotate:
    return p < q ? std::optional<unsigned>(q) : std::nullopt;
  case Permutation::Reverse:
    return p;
  case Permutation::Swap:
    return p < 64 && q < 64 ? std::optional<unsigned>(std::max(p, q) + 1)
                            : std::nullopt;
  }
  llvm_unreachable("all permutations are listed");
}

/// The position to which bit `i` of the permuted ones goes.
static unsigned getTarget(Permutation how, unsigned i, int64_t p, int64_t q) {
  switch (how) {
  case Permutation::Rotate:
    return (i + p) % q;
  case Permutation::Reverse:
    return p - 1 - i;
  case Permutation::Swap:
    return i == p ? q : i == q ? p : i;
  }
  llvm_unreachable("all permutations are listed");
}

static std::optional<int64_t> permuteNumber(Permutation how, int64_t value,
                                            int64_t p, int64_t q) {
  std::optional<unsigned> width = getPermutedWidth(how, p, q);
  if (!width)
    return std::nullopt;
  uint64_t x = value, result = x & ~llvm::maskTrailingOnes<uint64_t>(*width);
  for (unsigned i = 0; i < *width; ++i)
    result |= (x >> i & 1) << getTarget(how, i, p, q);
  return wrap(result);
}

std::optional<SmallVector<unsigned>>
mlir::obs::getPermutedBits(Permutation how, int64_t p, int64_t q) {
  std::optional<unsigned> width = getPermutedWidth(how, p, q);
  if (!width)
    return std::nullopt;
  SmallVector<unsigned> targets;
  for (unsigned i = 0; i < 64; ++i)
    targets.push_back(i < *width ? getTarget(how, i, p, q) : i);
  return targets;
}

/// The range of an operation that is least and greatest at limits of the ranges
/// of its operands; nullopt if it may wrap. `wraps` is not 0 if it does.
template <int64_t (*wraps)(int64_t, int64_t, int64_t &)>
static std::optional<IndexRange> combineRanges(IndexRange a, IndexRange b) {
  std::optional<IndexRange> r;
  for (int64_t x : {a.min, a.max})
    for (int64_t y : {b.min, b.max}) {
      int64_t result;
      if (wraps(x, y, result))
        return std::nullopt;
      if (!r)
        r = IndexRange{result, result};
      r->min = std::min(r->min, result);
      r->max = std::max(r->max, result);
    }
  return r;
}

/// The bounds of min(x, y) - z, where x and y may have z as a part: the number
/// of elements of the last piece, min(n, (i + 1) * size) - i * size.
static std::optional<IndexRange> getLeastOfDifferences(const IndexExpr &least,
                                                       const IndexExpr &rhs) {
  std::optional<IndexRange> result;
  for (const IndexExpr &operand : least.getOperands()) {
    LinearForm difference = LinearForm::get(operand);
    difference.add(LinearForm::get(rhs), -1);
    std::optional<IndexRange> range = difference.getRange();
    if (!range)
      return std::nullopt;
    result = result ? IndexRange{std::min(result->min, range->min),
                                 std::min(result->max, range->max)}
                    : *range;
  }
  return result;
}

static std::optional<IndexRange> getRangeOf(Kind kind, const IndexExpr &lhs,
                                            const IndexExpr &rhs) {
  std::optional<IndexRange> a = lhs.getRange(), b = rhs.getRange();
  auto isNatural = [](std::optional<IndexRange> r) { return r && r->min >= 0; };
  if (kind == Kind::Mod && b && b->min > 0) {
    if (isNatural(a) && a->max < b->min)
      return a;
    return IndexRange{0, b->max - 1};
  }
  if (kind == Kind::And && (isNatural(a) || isNatural(b))) {
    int64_t max = std::numeric_limits<int64_t>::max();
    if (isNatural(a))
      max = a->max;
    if (isNatural(b))
      max = std::min(max, b->max);
    return IndexRange{0, max};
  }
  if (kind == Kind::Sub && lhs.getKind() == Kind::Min && !rhs.getConstant())
    if (std::optional<IndexRange> range = getLeastOfDifferences(lhs, rhs))
      return range;
  // One side is enough to bound them from one side.
  if (kind == Kind::Min && (a || b) && !(a && b))
    return IndexRange{std::numeric_limits<int64_t>::min(), (a ? a : b)->max};
  if (kind == Kind::Max && (a || b) && !(a && b))
    return IndexRange{(a ? a : b)->min, std::numeric_limits<int64_t>::max()};
  if (!a || !b)
    return std::nullopt;
  switch (kind) {
  case Kind::Add:
    return combineRanges<llvm::AddOverflow<int64_t>>(*a, *b);
  case Kind::Sub:
    return combineRanges<llvm::SubOverflow<int64_t>>(*a, *b);
  case Kind::Mul:
    return combineRanges<llvm::MulOverflow<int64_t>>(*a, *b);
  case Kind::FloorDiv:
    if (b->min <= 0)
      return std::nullopt;
    return IndexRange{
        *IndexExpr::fold(kind, a->min, a->min < 0 ? b->min : b->max),
        *IndexExpr::fold(kind, a->max, a->max < 0 ? b->max : b->min)};
  case Kind::Or:
  case Kind::Xor: {
    if (!isNatural(a) || !isNatural(b))
      return std::nullopt;
    unsigned bits = 64 - llvm::countl_zero(static_cast<uint64_t>(a->max) |
                                           static_cast<uint64_t>(b->max));
    // The bits of a constant above all bits of the other one stay.
    int64_t min = 0;
    for (auto [number, other] : {std::pair(*a, *b), std::pair(*b, *a)})
      if (number.min == number.max)
        min = std::max<int64_t>(
            min,
            number.min & ~int64_t(llvm::bit_ceil(uint64_t(other.max) + 1) - 1));
    return IndexRange{
        min, static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(bits))};
  }
  case Kind::Shl:
    if (b->min < 0 || b->max > 62)
      return std::nullopt;
    return combineRanges<llvm::MulOverflow<int64_t>>(
        *a, {int64_t(1) << b->min, int64_t(1) << b->max});
  case Kind::Shr:
    if (!isNatural(a) || b->min < 0 || b->max > 63)
      return std::nullopt;
    return IndexRange{a->min >> b->max, a->max >> b->min};
  case Kind::Min:
    return IndexRange{std::min(a->min, b->min), std::min(a->max, b->max)};
  case Kind::Max:
    return IndexRange{std::max(a->min, b->min), std::max(a->max, b->max)};
  default:
    return std::nullopt;
  }
}

/// The number of low zero bits of the result, given the numbers of low zero
/// bits of the operands. Results that wrap around keep them.
static unsigned countZeroBits(Kind kind, unsigned a, unsigned b,
                              std::optional<int64_t> rhs) {
  switch (kind) {
  case Kind::Add:
  case Kind::Sub:
  case Kind::Mod:
  case Kind::Or:
  case Kind::Xor:
    return std::min(a, b);
  case Kind::Mul:
    return std::min(a + b, 64u);
  case Kind::And:
    return std::max(a, b);
  case Kind::Shl:
    return rhs && *rhs >= 0 && *rhs < 64 ? std::min<unsigned>(a + *rhs, 64) : 0;
  default:
    return 0;
  }
}

IndexExpr IndexExpr::constant(int64_t value) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Constant;
  node->value = value;
  node->zeroBits = llvm::countr_zero(uint64_t(value));
  node->range = IndexRange{value, value};
  return IndexExpr(node);
}

IndexExpr IndexExpr::variable(unsigned id, std::optional<int64_t> extent) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Variable;
  node->id = id;
  node->hasVariable = true;
  // An empty domain is no range: such an expression is never evaluated.
  if (extent && *extent > 0)
    node->declared = node->range = IndexRange{0, *extent - 1};
  return IndexExpr(node);
}

IndexExpr IndexExpr::symbol(unsigned id, std::optional<IndexRange> range) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Symbol;
  node->id = id;
  node->declared = node->range = range;
  return IndexExpr(node);
}

IndexExpr IndexExpr::opaque() {
  auto node = std::make_shared<Node>();
  node->kind = Kind::Opaque;
  node->hasOpaque = true;
  return IndexExpr(node);
}

IndexExpr IndexExpr::binary(Kind kind, IndexExpr lhs, IndexExpr rhs) {
  std::optional<int64_t> a = lhs.getConstant(), b = rhs.getConstant();
  if (a && b)
    if (std::optional<int64_t> value = fold(kind, *a, *b))
      return constant(*value);
  bool zeroIsNeutral = kind == Kind::Add || kind == Kind::Or ||
                       kind == Kind::Xor || kind == Kind::Sub ||
                       kind == Kind::Shl || kind == Kind::Shr;
  if (b == 0 && zeroIsNeutral)
    return lhs;
  if (a == 0 && (kind == Kind::Add || kind == Kind::Or || kind == Kind::Xor))
    return rhs;
  if (b == 1 && (kind == Kind::Mul || kind == Kind::FloorDiv))
    return lhs;
  if (a == 1 && kind == Kind::Mul)
    return rhs;
  if ((a == 0 || b == 0) && (kind == Kind::Mul || kind == Kind::And))
    return constant(0);
  // Nothing is left of the bits that are 0.
  auto width = [](int64_t mask) -> unsigned {
    return 64 - llvm::countl_zero(uint64_t(mask));
  };
  if (kind == Kind::And && ((b && width(*b) <= lhs.node->zeroBits) ||
                            (a && width(*a) <= rhs.node->zeroBits)))
    return constant(0);
  if (std::optional<IndexRange> range = lhs.getRange();
      b && *b > 0 && range && range->min >= 0 && range->max < *b) {
    if (kind == Kind::Mod)
      return lhs;
    if (kind == Kind::FloorDiv)
      return constant(0);
  }
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->hasVariable = lhs.hasVariable() || rhs.hasVariable();
  node->hasOpaque = lhs.hasOpaque() || rhs.hasOpaque();
  node->range = getRangeOf(kind, lhs, rhs);
  node->zeroBits =
      countZeroBits(kind, lhs.node->zeroBits, rhs.node->zeroBits, b);
  node->operands = {std::move(lhs), std::move(rhs)};
  return IndexExpr(node);
}

/// The result of a comparison of numbers within bounds, if it is the same for
/// all of them.
static std::optional<bool> compareRanges(Compare compare,
                                         std::optional<IndexRange> a,
                                         std::optional<IndexRange> b) {
  if (!a || !b)
    return std::nullopt;
  bool isUnsigned =
      compare == Compare::UnsignedLess || compare == Compare::UnsignedLessEqual;
  if (isUnsigned && (a->min < 0 || b->min < 0))
    return std::nullopt;
  bool isBelow = a->max < b->min;
  bool isAbove = a->min > b->max;
  switch (compare) {
  case Compare::Equal:
    if (a->min == b->max && a->max == b->min)
      return true;
    return isBelow || isAbove ? std::optional(false) : std::nullopt;
  case Compare::Less:
  case Compare::UnsignedLess:
    if (a->min >= b->max)
      return false;
    return isBelow ? std::optional(true) : std::nullopt;
  case Compare::LessEqual:
  case Compare::UnsignedLessEqual:
    if (a->max <= b->min)
      return true;
    return isAbove ? std::optional(false) : std::nullopt;
  }
  llvm_unreachable("all comparisons are listed");
}

IndexExpr IndexExpr::select(Compare compare, IndexExpr lhs, IndexExpr rhs,
                            IndexExpr onTrue, IndexExpr onFalse) {
  if (lhs.getConstant() && rhs.getConstant())
    return holds(compare, lhs.getValue(), rhs.getValue()) ? onTrue : onFalse;
  if (std::optional<bool> isTrue =
          compareRanges(compare, lhs.getRange(), rhs.getRange()))
    return *isTrue ? onTrue : onFalse;
  if (onTrue == onFalse)
    return onTrue;
  auto node = std::make_shared<Node>();
  node->kind = Kind::Select;
  node->compare = compare;
  std::optional<IndexRange> a = onTrue.getRange(), b = onFalse.getRange();
  if (a && b)
    node->range =
        IndexRange{std::min(a->min, b->min), std::max(a->max, b->max)};
  node->zeroBits = std::min(onTrue.node->zeroBits, onFalse.node->zeroBits);
  node->operands = {std::move(lhs), std::move(rhs), std::move(onTrue),
                    std::move(onFalse)};
  for (const IndexExpr &operand : node->operands) {
    node->hasVariable |= operand.hasVariable();
    node->hasOpaque |= operand.hasOpaque();
  }
  return IndexExpr(node);
}

IndexExpr IndexExpr::permute(Permutation how, IndexExpr value, IndexExpr p,
                             IndexExpr q) {
  std::optional<int64_t> first = p.getConstant(), second = q.getConstant();
  std::optional<unsigned> width =
      first && second ? getPermutedWidth(how, *first, *second) : std::nullopt;
  if (width && value.getConstant())
    return constant(*permuteNumber(how, value.getValue(), *first, *second));
  auto node = std::make_shared<Node>();
  node->kind = Kind::Permute;
  node->permutation = how;
  std::optional<IndexRange> range = value.getRange();
  if (width && *width < 63 && range && range->min >= 0) {
    unsigned bits = 64 - llvm::countl_zero(static_cast<uint64_t>(range->max));
    node->range = IndexRange{
        0, wrap(llvm::maskTrailingOnes<uint64_t>(std::max(*width, bits)))};
  }
  node->operands = {std::move(value), std::move(p), std::move(q)};
  for (const IndexExpr &operand : node->operands) {
    node->hasVariable |= operand.hasVariable();
    node->hasOpaque |= operand.hasOpaque();
  }
  return IndexExpr(node);
}

Kind IndexExpr::getKind() const { return node->kind; }
int64_t IndexExpr::getValue() const { return node->value; }
std::optional<int64_t> IndexExpr::getConstant() const {
  return node->kind == Kind::Constant ? std::optional(node->value)
                                      : std::nullopt;
}
unsigned IndexExpr::getId() const { return node->id; }
std::optional<IndexRange> IndexExpr::getDeclaredRange() const {
  return node->declared;
}
Compare IndexExpr::getCompare() const { return node->compare; }
Permutation IndexExpr::getPermutation() const { return node->permutation; }
ArrayRef<IndexExpr> IndexExpr::getOperands() const { return node->operands; }
bool IndexExpr::isUniform() const {
  return !node->hasVariable && !node->hasOpaque;
}
bool IndexExpr::hasOpaque() const { return node->hasOpaque; }
bool IndexExpr::hasVariable() const { return node->hasVariable; }
std::optional<IndexRange> IndexExpr::getRange() const { return node->range; }
unsigned IndexExpr::getZeroBits() const { return node->zeroBits; }

/// `budget` bounds the work on shared subexpressions: "different" is the safe
/// answer, since equality only ever simplifies.
static bool isEqual(const IndexExpr &a, const IndexExpr &b, unsigned &budget) {
  if (a.hasOpaque() || b.hasOpaque() || budget == 0)
    return false;
  if (a.getIdentity() == b.getIdentity())
    return true;
  --budget;
  if (a.getKind() != b.getKind() || a.getId() != b.getId() ||
      a.getCompare() != b.getCompare() ||
      a.getPermutation() != b.getPermutation() ||
      a.getOperands().size() != b.getOperands().size() ||
      (a.getKind() == Kind::Constant && a.getValue() != b.getValue()))
    return false;
  for (auto [x, y] : llvm::zip(a.getOperands(), b.getOperands()))
    if (!isEqual(x, y, budget))
      return false;
  return true;
}

bool IndexExpr::operator==(const IndexExpr &other) const {
  unsigned budget = 1000;
  return isEqual(*this, other, budget);
}

void mlir::obs::collectSubexpressions(
    const IndexExpr &expr, llvm::DenseMap<const void *, unsigned> &seen,
    llvm::SmallVectorImpl<IndexExpr> &order) {
  if (seen.contains(expr.getIdentity()))
    return;
  for (const IndexExpr &operand : expr.getOperands())
    collectSubexpressions(operand, seen, order);
  seen[expr.getIdentity()] = order.size();
  order.push_back(expr);
}

using Replace = llvm::function_ref<std::optional<IndexExpr>(const IndexExpr &)>;
/// The new expression of each node that was visited. Most expressions have few
/// nodes, and costs are computed from thousands of substitutions.
using Replaced = llvm::SmallDenseMap<const void *, IndexExpr, 32>;

static IndexExpr replaceIn(const IndexExpr &expr, Replace replace,
                           Replaced &replaced) {
  if (expr.getConstant())
    return expr;
  if (auto found = replaced.find(expr.getIdentity()); found != replaced.end())
    return found->second;
  auto compute = [&]() -> IndexExpr {
    if (std::optional<IndexExpr> whole = replace(expr))
      return *whole;
    SmallVector<IndexExpr, 4> operands;
    bool isChanged = false;
    for (const IndexExpr &operand : expr.getOperands()) {
      operands.push_back(replaceIn(operand, replace, replaced));
      isChanged |= operands.back().getIdentity() != operand.getIdentity();
    }
    // Most expressions have few parts that change.
    if (!isChanged)
      return expr;
    if (expr.getKind() == Kind::Select)
      return IndexExpr::select(expr.getCompare(), operands[0], operands[1],
                               operands[2], operands[3]);
    if (expr.getKind() == Kind::Permute)
      return IndexExpr::permute(expr.getPermutation(), operands[0], operands[1],
                                operands[2]);
    return IndexExpr::binary(expr.getKind(), operands[0], operands[1]);
  };
  return replaced.try_emplace(expr.getIdentity(), compute()).first->second;
}

IndexExpr IndexExpr::replace(Replace part) const {
  Replaced replaced;
  return replaceIn(*this, part, replaced);
}

IndexExpr IndexExpr::substitute(Replace leaf) const {
  return replace([&](const IndexExpr &part) -> std::optional<IndexExpr> {
    bool isLeaf =
        part.getKind() == Kind::Variable || part.getKind() == Kind::Symbol;
    return isLeaf ? leaf(part) : std::nullopt;
  });
}

SmallVector<IndexExpr> mlir::obs::collectLeaves(ArrayRef<IndexExpr> exprs,
                                                Kind kind) {
  llvm::DenseMap<const void *, unsigned> seen;
  SmallVector<IndexExpr> order, leaves;
  for (const IndexExpr &expr : exprs)
    collectSubexpressions(expr, seen, order);
  for (const IndexExpr &expr : order)
    if (expr.getKind() == kind && llvm::none_of(leaves, [&](IndexExpr &leaf) {
          return leaf.getId() == expr.getId();
        }))
      leaves.push_back(expr);
  return leaves;
}

static void addTo(LinearForm &form, const IndexExpr &expr, int64_t factor) {
  uint64_t scale = factor;
  if (std::optional<int64_t> constant = expr.getConstant()) {
    form.constant = wrap(form.constant + scale * uint64_t(*constant));
    return;
  }
  ArrayRef<IndexExpr> operands = expr.getOperands();
  switch (expr.getKind()) {
  case Kind::Add:
    addTo(form, operands[0], factor);
    return addTo(form, operands[1], factor);
  case Kind::Sub:
    addTo(form, operands[0], factor);
    return addTo(form, operands[1], wrap(-scale));
  case Kind::Mul:
    if (std::optional<int64_t> c = operands[1].getConstant())
      return addTo(form, operands[0], wrap(scale * uint64_t(*c)));
    if (std::optional<int64_t> c = operands[0].getConstant())
      return addTo(form, operands[1], wrap(scale * uint64_t(*c)));
    break;
  case Kind::Shl:
    if (std::optional<int64_t> c = operands[1].getConstant();
        c && *c >= 0 && *c < 64)
      return addTo(form, operands[0], wrap(scale << *c));
    break;
  default:
    break;
  }
  form.add(expr, factor);
}

LinearForm LinearForm::get(const IndexExpr &expr) {
  LinearForm form;
  addTo(form, expr, 1);
  return form;
}

void LinearForm::add(const IndexExpr &expr, int64_t factor) {
  for (auto &[term, coefficient] : terms)
    if (term == expr) {
      coefficient = wrap(uint64_t(coefficient) + uint64_t(factor));
      llvm::erase_if(terms, [](auto &term) { return term.second == 0; });
      return;
    }
  if (factor != 0)
    terms.push_back({expr, factor});
}

void LinearForm::add(const LinearForm &other, int64_t factor) {
  constant = wrap(constant + uint64_t(factor) * uint64_t(other.constant));
  for (auto &[term, coefficient] : other.terms)
    add(term, wrap(uint64_t(factor) * uint64_t(coefficient)));
}

IndexExpr LinearForm::toExpr() const {
  IndexExpr sum = IndexExpr::constant(constant);
  for (auto &[term, coefficient] : terms)
    if (coefficient == -1)
      sum = sum - term;
    else
      sum = sum + term * IndexExpr::constant(coefficient);
  return sum;
}

std::optional<IndexRange> LinearForm::getRange() const {
  IndexRange range{constant, constant};
  for (auto &[term, coefficient] : terms) {
    std::optional<IndexRange> part = term.getRange();
    if (part)
      part = combineRanges<llvm::MulOverflow<int64_t>>(
          *part, {coefficient, coefficient});
    if (part)
      part = combineRanges<llvm::AddOverflow<int64_t>>(range, *part);
    if (!part)
      return std::nullopt;
    range = *part;
  }
  return range;
}

std::optional<std::pair<unsigned, int64_t>>
mlir::obs::solveForSymbol(const IndexExpr &expr, int64_t value) {
  LinearForm form = LinearForm::get(expr);
  if (form.terms.size() != 1 ||
      form.terms.front().first.getKind() != Kind::Symbol)
    return std::nullopt;
  auto &[symbol, factor] = form.terms.front();
  int64_t difference;
  if (llvm::SubOverflow(value, form.constant, difference) ||
      factor == std::numeric_limits<int64_t>::min() ||
      difference == std::numeric_limits<int64_t>::min() ||
      difference % factor != 0)
    return std::nullopt;
  return std::pair(symbol.getId(), difference / factor);
}

IndexEvaluator::IndexEvaluator(ArrayRef<IndexExpr> exprs) {
  llvm::DenseMap<const void *, unsigned> seen;
  SmallVector<IndexExpr> order;
  for (const IndexExpr &expr : exprs)
    collectSubexpressions(expr, seen, order);
  for (const IndexExpr &expr : order) {
    Step step{expr, {}};
    for (const IndexExpr &operand : expr.getOperands())
      step.operands.push_back(seen[operand.getIdentity()]);
    steps.push_back(std::move(step));
  }
  for (const IndexExpr &expr : exprs)
    outputs.push_back(seen[expr.getIdentity()]);
  values.resize(steps.size());
  defined.resize(steps.size());
  results.resize(outputs.size());
}

std::optional<ArrayRef<int64_t>>
IndexEvaluator::evaluate(ArrayRef<int64_t> variables,
                         ArrayRef<int64_t> symbols) {
  for (unsigned i = 0, e = steps.size(); i < e; ++i) {
    const Step &step = steps[i];
    std::optional<int64_t> value;
    auto get = [&](unsigned operand) -> std::optional<int64_t> {
      unsigned slot = step.operands[operand];
      return defined[slot] ? std::optional(values[slot]) : std::nullopt;
    };
    switch (step.expr.getKind()) {
    case Kind::Constant:
      value = step.expr.getValue();
      break;
    case Kind::Variable:
      if (step.expr.getId() < variables.size())
        value = variables[step.expr.getId()];
      break;
    case Kind::Symbol:
      if (step.expr.getId() < symbols.size())
        value = symbols[step.expr.getId()];
      break;
    case Kind::Opaque:
      break;
    case Kind::Select:
      if (get(0) && get(1))
        value = get(
            IndexExpr::holds(step.expr.getCompare(), *get(0), *get(1)) ? 2 : 3);
      break;
    case Kind::Permute:
      if (get(0) && get(1) && get(2))
        value = permuteNumber(step.expr.getPermutation(), *get(0), *get(1),
                              *get(2));
      break;
    default:
      if (get(0) && get(1))
        value = IndexExpr::fold(step.expr.getKind(), *get(0), *get(1));
    }
    defined[i] = value.has_value();
    values[i] = value.value_or(0);
  }
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!defined[output])
      return std::nullopt;
    results[i] = values[output];
  }
  return ArrayRef<int64_t>(results);
}
