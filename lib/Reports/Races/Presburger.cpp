//===- Presburger.cpp - Whether two accesses can meet, by arithmetic ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is one class. Each step of the translation adds variables and
// constraints to the same attempt.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "OverlapSolver.h"
#include "mlir/Analysis/Presburger/Simplex.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;
using llvm::DynamicAPInt;

/// The number of combinations of cases that are tried for one query.
constexpr unsigned maxCases = 2048;
/// Numbers beyond this bound nothing.
constexpr int64_t huge = int64_t(1) << 40;
constexpr int64_t largest = std::numeric_limits<int64_t>::max();

namespace {
/// One attempt at a query, with a choice made wherever an expression has
/// several cases. The choices come from outside, as a list that grows.
class Attempt {
public:
  Attempt(const OverlapQuery &query, bool withMultiples,
          SmallVector<std::pair<unsigned, unsigned>> &choices)
      : query(query), withMultiples(withMultiples), choices(choices),
        columns(query.unknowns.size()) {}

  /// Collects all constraints of the case. False if the case is impossible.
  bool collect();
  std::optional<Answer> sample();

  /// All that the expressions say is in the constraints.
  bool isExact = true;

private:
  struct Product {
    Sum factors[2];
    Sum value;
  };
  struct Quotient {
    Sum dividend;
    DynamicAPInt divisor;
    Sum value;
  };
  struct SymbolicQuotient {
    Sum dividend, divisor, quotient, remainder;
  };

  /// One of the numbers below `count`.
  unsigned choose(unsigned count) {
    if (position == choices.size())
      choices.push_back({0, count});
    return choices[position++].first;
  }
  Sum newColumn() {
    Sum sum;
    sum.terms[numColumns++] = DynamicAPInt(1);
    return sum;
  }
  void requireZero(Sum sum) { constraints.requireZero(std::move(sum)); }
  /// sum >= 0
  void require(Sum sum) { constraints.require(std::move(sum)); }
  /// a < b
  void requireLess(const Sum &a, const Sum &b) {
    Sum sum = difference(b, a);
    sum.constant -= 1;
    require(sum);
  }
  void requireRange(const Sum &sum, const std::optional<IndexRange> &range) {
    if (!range)
      return;
    if (range->min > -huge)
      require(difference(sum, number(range->min)));
    if (range->max < huge)
      require(difference(number(range->max), sum));
  }

  Sum get(const IndexExpr &expr);
  Sum compute(const IndexExpr &expr);
  Sum multiply(const Sum &a, const Sum &b);
  Sum divide(const Sum &a, const DynamicAPInt &divisor);
  const SymbolicQuotient &divide(const Sum &a, const Sum &b, bool isNatural);
  Sum maskBits(const IndexExpr &expr, uint64_t mask);
  std::optional<int64_t> pickValue(const IndexExpr &expr);
  /// Any number, for what cannot be expressed.
  Sum approximate(const IndexExpr &expr) {
    isExact = false;
    for (auto &[other, column] : approximations)
      if (other == expr)
        return column;
    Sum column = newColumn();
    approximations.push_back({expr, column});
    requireRange(column, expr.getRange());
    // A power of two times something: nothing wraps.
    if (expr.getKind() == Kind::Shl)
      if (std::optional<int64_t> base = expr.getOperands()[0].getConstant();
          base && *base >= 0)
        require(difference(column, number(*base)));
    return column;
  }
  void assume(const IndexExpr &condition, bool holds);
  void assumeCompare(Compare how, const IndexExpr &a, const IndexExpr &b,
                     bool holds);
  void assumeApart();
  void relateProducts();
  bool relate(const Product &a, const Product &b);
  SmallVector<DynamicAPInt> getRow(const Sum &sum) const;
  /// With all constraints so far.
  presburger::Simplex &getSimplex();
  /// Quick, may say no although there is no integer.
  bool isEmpty();
  bool isImplied(const Sum &sum);

  const OverlapQuery &query;
  /// Relate products to multiples by constants, too: rarely needed, and slow.
  bool withMultiples;
  SmallVector<std::pair<unsigned, unsigned>> &choices;
  size_t position = 0;
  unsigned numColumns = 0;
  SmallVector<std::optional<Sum>> columns;
  Constraints constraints;
  /// Grows with the constraints; they are never taken back.
  std::optional<presburger::Simplex> simplex;
  size_t numZeros = 0, numNaturals = 0;
  SmallVector<Product> products;
  /// Products by constants, which need no column.
  SmallVector<Product> multiples;
  SmallVector<Quotient> quotients;
  SmallVector<SymbolicQuotient> symbolicQuotients;
  SmallVector<std::pair<IndexExpr, Sum>> approximations;
  std::map<const void *, Sum> known;
  Sum threads[2];
  SmallVector<Sum> addresses;
};
} // namespace

Sum Attempt::get(const IndexExpr &expr) {
  auto found = known.find(expr.getIdentity());
  if (found != known.end())
    return found->second;
  Sum sum = compute(expr);
  known.emplace(expr.getIdentity(), sum);
  return sum;
}

/// A value of `expr` as one of few, with the condition that it has it.
std::optional<int64_t> Attempt::pickValue(const IndexExpr &expr) {
  if (std::optional<int64_t> constant = expr.getConstant())
    return constant;
  if (!isNarrow(expr))
    return std::nullopt;
  std::optional<IndexRange> range = expr.getRange();
  int64_t value = range->min + choose(getSpan(*range) + 1);
  requireZero(difference(get(expr), number(value)));
  return value;
}

Sum Attempt::multiply(const Sum &a, const Sum &b) {
  if (a.isConstant() || b.isConstant()) {
    const Sum &factor = a.isConstant() ? b : a;
    const DynamicAPInt &times = a.isConstant() ? a.constant : b.constant;
    Sum sum;
    sum.add(factor, times);
    if (!factor.isConstant() &&
        llvm::none_of(multiples, [&](const Product &multiple) {
          return multiple.factors[0] == number(times) &&
                 multiple.factors[1] == factor;
        }))
      multiples.push_back({{number(times), factor}, sum});
    return sum;
  }
  // (x + c) * m = x * m + c * m, so that equal parts stay equal.
  if (a.constant != 0 || b.constant != 0) {
    Sum restA = a, restB = b;
    restA.constant = restB.constant = DynamicAPInt(0);
    Sum sum = multiply(restA, restB);
    sum.add(restA, b.constant);
    sum.add(restB, a.constant);
    sum.constant += a.constant * b.constant;
    return sum;
  }
  for (const Product &product : products)
    if ((product.factors[0] == a && product.factors[1] == b) ||
        (product.factors[0] == b && product.factors[1] == a))
      return product.value;
  isExact = false;
  products.push_back({{a, b}, newColumn()});
  return products.back().value;
}

Sum Attempt::divide(const Sum &a, const DynamicAPInt &divisor) {
  if (divisor == 1)
    return a;
  if (a.isConstant())
    return number(floorDiv(a.constant, divisor));
  for (const Quotient &quotient : quotients)
    if (quotient.dividend == a && quotient.divisor == divisor)
      return quotient.value;
  // q * d <= a < q * d + d
  Sum value = newColumn();
  Sum rest = a;
  rest.add(value, -divisor);
  require(rest);
  requireLess(rest, number(divisor));
  quotients.push_back({a, divisor, value});
  return value;
}

/// The quotient of numbers of which the second is positive; the first is not
/// negative if `isNatural`.
const Attempt::SymbolicQuotient &Attempt::divide(const Sum &a, const Sum &b,
                                                 bool isNatural) {
  for (const SymbolicQuotient &quotient : symbolicQuotients)
    if (quotient.dividend == a && quotient.divisor == b)
      return quotient;
  isExact = false;
  SymbolicQuotient result{a, b, newColumn(), newColumn()};
  requireLess(number(0), b);
  require(result.remainder);
  requireLess(result.remainder, b);
  if (isNatural)
    require(result.quotient);
  Sum whole = multiply(result.quotient, b);
  whole.add(result.remainder, DynamicAPInt(1));
  requireZero(difference(whole, a));
  symbolicQuotients.push_back(result);
  return symbolicQuotients.back();
}

/// The bits of a number that is not negative, or any number for a mask of all
/// bits from some bit on.
Sum Attempt::maskBits(const IndexExpr &expr, uint64_t mask) {
  Sum value = get(expr);
  Sum result;
  std::optional<IndexRange> range = expr.getRange();
  bool isNegative = !range || range->min < 0;
  for (unsigned low = 0; low < 64;) {
    if (!(mask >> low & 1)) {
      ++low;
      continue;
    }
    unsigned high = low;
    while (high < 64 && (mask >> high & 1))
      ++high;
    bool isTop = high == 63;
    if ((isNegative && (isTop || (high < 64 && int64_t(mask) < 0))) || low > 62)
      return approximate(expr);
    auto power = [](unsigned bit) { return DynamicAPInt(int64_t(1) << bit); };
    Sum bits = divide(value, power(low));
    if (high < 63)
      bits.add(divide(value, power(high)), -power(high - low));
    result.add(bits, power(low));
    low = high;
  }
  return result;
}

Sum Attempt::compute(const IndexExpr &expr) {
  ArrayRef<IndexExpr> operands = expr.getOperands();
  switch (expr.getKind()) {
  case Kind::Constant:
    return number(expr.getValue());
  case Kind::Symbol: {
    std::optional<Sum> &column = columns[expr.getId()];
    if (!column) {
      const Unknown &unknown = query.unknowns[expr.getId()];
      column = newColumn();
      isExact &= !unknown.isData && !unknown.isLoose;
      requireRange(*column, unknown.range);
    }
    return *column;
  }
  case Kind::Variable:
  case Kind::Opaque:
  case Kind::Permute:
    isExact = false;
    return newColumn();
  case Kind::Add:
  case Kind::Sub: {
    Sum sum = get(operands[0]);
    sum.add(get(operands[1]),
            DynamicAPInt(expr.getKind() == Kind::Add ? 1 : -1));
    return sum;
  }
  case Kind::Mul:
    return multiply(get(operands[0]), get(operands[1]));
  case Kind::FloorDiv:
  case Kind::Mod: {
    Sum dividend = get(operands[0]);
    Sum divisor = get(operands[1]);
    bool isMod = expr.getKind() == Kind::Mod;
    if (!divisor.isConstant()) {
      std::optional<IndexRange> range = operands[0].getRange();
      const SymbolicQuotient &quotient =
          divide(dividend, divisor, range && range->min >= 0);
      return isMod ? quotient.remainder : quotient.quotient;
    }
    if (divisor.constant <= 0)
      return approximate(expr);
    Sum quotient = divide(dividend, divisor.constant);
    if (!isMod)
      return quotient;
    dividend.add(quotient, -divisor.constant);
    return dividend;
  }
  case Kind::And:
  case Kind::Or:
  case Kind::Xor: {
    IndexExpr a = operands[0], b = operands[1];
    if (a.getConstant() || !isNarrow(b))
      std::swap(a, b);
    if (!b.getConstant() && !isNarrow(b))
      return approximate(expr);
    std::optional<IndexRange> range = b.getRange();
    if (!b.getConstant() && range->min >= 0 && range->max < huge &&
        expr.getKind() != Kind::And) {
      // Only the low bits of the other change: one case, not one for each
      // value.
      Sum result = approximate(expr);
      DynamicAPInt block(int64_t(llvm::PowerOf2Ceil(range->max + 1)));
      requireZero(difference(divide(result, block), divide(get(a), block)));
      return result;
    }
    std::optional<int64_t> mask = pickValue(b);
    if (!mask)
      return approximate(expr);
    Sum both = maskBits(a, *mask);
    if (expr.getKind() == Kind::And)
      return both;
    // a | c = a + c - (a & c), a ^ c = a + c - 2 (a & c)
    Sum sum = get(a);
    sum.constant += *mask;
    sum.add(both, DynamicAPInt(expr.getKind() == Kind::Or ? -1 : -2));
    return sum;
  }
  case Kind::Shl:
  case Kind::Shr: {
    // For an arbitrary amount, a new unknown instead of one case for each.
    if (std::optional<IndexRange> by = operands[1].getRange();
        by && getSpan(*by) > 32)
      return approximate(expr);
    std::optional<int64_t> distance = pickValue(operands[1]);
    if (!distance || *distance < 0 || *distance > 40)
      return approximate(expr);
    if (expr.getKind() == Kind::Shl)
      return multiply(get(operands[0]), number(int64_t(1) << *distance));
    return divide(get(operands[0]), DynamicAPInt(int64_t(1) << *distance));
  }
  case Kind::Min:
  case Kind::Max: {
    Sum a = get(operands[0]), b = get(operands[1]);
    bool isMin = expr.getKind() == Kind::Min;
    if (choose(2) == 0) {
      require(difference(b, a));
      return isMin ? a : b;
    }
    requireLess(b, a);
    return isMin ? b : a;
  }
  case Kind::Select: {
    bool holds = choose(2) == 0;
    assumeCompare(expr.getCompare(), operands[0], operands[1], holds);
    return get(operands[holds ? 2 : 3]);
  }
  }
  llvm_unreachable("all kinds are listed");
}

void Attempt::assumeCompare(Compare how, const IndexExpr &a, const IndexExpr &b,
                            bool holds) {
  // A comparison of a condition with a constant is that condition.
  if (how == Compare::Equal && b.getConstant() && a.getKind() == Kind::Select &&
      a.getOperands()[2].getConstant() && a.getOperands()[3].getConstant()) {
    bool onTrue = *a.getOperands()[2].getConstant() == *b.getConstant();
    bool onFalse = *a.getOperands()[3].getConstant() == *b.getConstant();
    if (onTrue != onFalse)
      return assumeCompare(a.getCompare(), a.getOperands()[0],
                           a.getOperands()[1], holds == onTrue);
    if (onTrue != holds)
      constraints.refute();
    return;
  }
  if (how == Compare::Equal && b.getConstant() == 0) {
    std::optional<IndexRange> range = a.getRange();
    if (range && range->min >= 0 && range->max <= 1)
      return assume(a, !holds);
  }
  Sum left = get(a), right = get(b);
  switch (how) {
  case Compare::Equal:
    if (holds)
      return requireZero(difference(left, right));
    if (choose(2) == 0)
      return requireLess(left, right);
    return requireLess(right, left);
  case Compare::Less:
    return holds ? requireLess(left, right) : require(difference(left, right));
  case Compare::LessEqual:
    return holds ? require(difference(right, left)) : requireLess(right, left);
  case Compare::UnsignedLess:
  case Compare::UnsignedLessEqual: {
    std::optional<IndexRange> range = a.getRange(), bound = b.getRange();
    bool isNatural = range && range->min >= 0;
    bool isHigh = false;
    if (!bound || bound->min < 0) {
      // A number below 0 is above all that are not.
      isExact = false;
      isHigh = choose(2) == 1;
      if (isHigh)
        requireLess(right, number(0));
      else
        require(right);
    }
    auto less = [&](bool positive) {
      bool strict = (how == Compare::UnsignedLess) == positive;
      const Sum &small = positive ? left : right;
      const Sum &large = positive ? right : left;
      if (strict)
        requireLess(small, large);
      else
        require(difference(large, small));
    };
    // One case for each side of 0 that the left number can be on.
    bool isLeftHigh =
        holds < isHigh || (!isNatural && holds == isHigh && choose(2) == 1);
    if (isLeftHigh)
      requireLess(left, number(0));
    else
      require(left);
    if (isLeftHigh == isHigh)
      less(holds);
  }
  }
}

void Attempt::assume(const IndexExpr &condition, bool holds) {
  ArrayRef<IndexExpr> operands = condition.getOperands();
  auto isCondition = [](const IndexExpr &expr) {
    std::optional<IndexRange> range = expr.getRange();
    return range && range->min >= 0 && range->max <= 1;
  };
  switch (condition.getKind()) {
  case Kind::Select: {
    std::optional<int64_t> onTrue = operands[2].getConstant();
    std::optional<int64_t> onFalse = operands[3].getConstant();
    if (onTrue && onFalse && (*onTrue != 0) != (*onFalse != 0))
      return assumeCompare(condition.getCompare(), operands[0], operands[1],
                           holds == (*onTrue != 0));
    bool first = choose(2) == 0;
    assumeCompare(condition.getCompare(), operands[0], operands[1], first);
    return assume(operands[first ? 2 : 3], holds);
  }
  case Kind::And:
  case Kind::Or:
    if (!isCondition(operands[0]) || !isCondition(operands[1]))
      break;
    if ((condition.getKind() == Kind::And) == holds) {
      assume(operands[0], holds);
      return assume(operands[1], holds);
    }
    return assume(operands[choose(2)], holds);
  case Kind::Xor:
    if (isCondition(operands[0]) && operands[1].getConstant() == 1)
      return assume(operands[0], !holds);
    break;
  default:
    break;
  }
  Sum value = get(condition);
  if (!holds)
    return requireZero(value);
  if (isCondition(condition) || choose(2) == 0)
    return requireLess(number(0), value);
  requireLess(value, number(0));
}

/// The two threads are different, as the query requires.
void Attempt::assumeApart() {
  auto different = [&](const Sum &a, const Sum &b) {
    if (choose(2) == 0)
      requireLess(a, b);
    else
      requireLess(b, a);
  };
  if (query.isOneThread)
    return;
  threads[0] = get(query.firstThread);
  threads[1] = get(query.secondThread);
  switch (query.between) {
  case Between::Lanes:
    return different(threads[0], threads[1]);
  case Between::Warps:
    return different(divide(threads[0], DynamicAPInt(warpSize)),
                     divide(threads[1], DynamicAPInt(warpSize)));
  case Between::Blocks: {
    // All values that both threads have from their blocks.
    SmallVector<std::pair<Sum, Operation *>> blocks[2];
    SmallVector<IndexExpr> exprs(query.conditions);
    for (const DimensionPair &dimension : query.dimensions)
      exprs.append({dimension.first, dimension.second});
    for (const IndexExpr &leaf : collectLeaves(exprs, Kind::Symbol)) {
      const Unknown &unknown = query.unknowns[leaf.getId()];
      if (unknown.isBlock || unknown.ticket)
        blocks[unknown.owner == Owner::Second].push_back(
            {get(leaf), unknown.ticket});
    }
    for (auto &[first, ticket] : blocks[0])
      for (auto &[second, otherTicket] : blocks[1])
        if (ticket == otherTicket)
          different(first, second);
    return;
  }
  }
}

/// For m >= 0: x < y  =>  x * m + m <= y * m; x >= 1  =>  x * m >= m;
/// x >= 0  =>  x * m >= 0.
void Attempt::relateProducts() {
  for (size_t i = 0; i < products.size(); ++i) {
    for (int k : {0, 1}) {
      Product a = products[i];
      std::swap(a.factors[0], a.factors[k]);
      const Sum &x = a.factors[1], &m = a.factors[0];
      if (!isImplied(m))
        continue;
      if (isImplied(difference(x, number(1))))
        require(difference(a.value, m));
      else if (isImplied(x))
        require(a.value);
      SmallVector<Product> others(products.begin() + i + 1, products.end());
      if (withMultiples)
        others.append(multiples);
      for (Product &b : others) {
        if (b.factors[1] == m)
          std::swap(b.factors[0], b.factors[1]);
        if (b.factors[0] == m && !relate(a, b))
          return;
      }
    }
  }
}

/// Splits by the order of x and y in x * m and y * m. False if the case is
/// impossible.
bool Attempt::relate(const Product &a, const Product &b) {
  unsigned order = choose(3);
  if (order == 0) {
    requireZero(difference(a.factors[1], b.factors[1]));
    requireZero(difference(a.value, b.value));
  } else {
    const Product &low = order == 1 ? a : b;
    const Product &high = order == 1 ? b : a;
    requireLess(low.factors[1], high.factors[1]);
    Sum gap = difference(high.value, low.value);
    gap.add(a.factors[0], DynamicAPInt(-1));
    require(gap);
  }
  return !isEmpty();
}

bool Attempt::collect() {
  // Addresses first: numbers that no address needs are left out below.
  for (const DimensionPair &dimension : query.dimensions) {
    Sum first = get(dimension.first), second = get(dimension.second);
    addresses.push_back(second);
    if (dimension.firstWidth == 1 && dimension.secondWidth == 1) {
      requireZero(difference(first, second));
      continue;
    }
    // [first, first + w) and [second, second + v) overlap.
    Sum end = first;
    end.constant += dimension.firstWidth;
    requireLess(second, end);
    end = second;
    end.constant += dimension.secondWidth;
    requireLess(first, end);
  }
  assumeApart();
  relateProducts();
  if (isEmpty())
    return false;
  for (const IndexExpr &condition : query.conditions) {
    size_t before = position;
    assume(condition, true);
    // Cases that are impossible already need not be split further.
    if (position != before && isEmpty())
      return false;
  }
  // Conditions can bring in products, and facts about the others.
  if (!products.empty())
    relateProducts();
  return !constraints.isRefuted();
}

SmallVector<DynamicAPInt> Attempt::getRow(const Sum &sum) const {
  SmallVector<DynamicAPInt> row(numColumns + 1);
  for (const auto &[column, coefficient] : sum.terms)
    row[column] = coefficient;
  row[numColumns] = sum.constant;
  return row;
}

presburger::Simplex &Attempt::getSimplex() {
  if (!simplex)
    simplex.emplace(numColumns);
  else if (numColumns > simplex->getNumVariables())
    simplex->appendVariable(numColumns - simplex->getNumVariables());
  ArrayRef<Sum> zeros = constraints.getZeros();
  for (; numZeros < zeros.size(); ++numZeros)
    simplex->addEquality(getRow(zeros[numZeros]));
  ArrayRef<Sum> naturals = constraints.getNaturals();
  for (; numNaturals < naturals.size(); ++numNaturals)
    simplex->addInequality(getRow(naturals[numNaturals]));
  return *simplex;
}

bool Attempt::isEmpty() {
  return constraints.isRefuted() || getSimplex().isEmpty();
}

/// True if all solutions have sum >= 0.
bool Attempt::isImplied(const Sum &sum) {
  if (sum.isConstant())
    return sum.constant >= 0;
  presburger::Simplex &simplex = getSimplex();
  return simplex.isEmpty() || simplex.isRedundantInequality(getRow(sum));
}

std::optional<Answer> Attempt::sample() {
  if (isEmpty())
    return std::nullopt;
  std::optional<SmallVector<DynamicAPInt>> point =
      constraints.findSample(numColumns);
  if (!point)
    return std::nullopt;
  Answer answer;
  answer.kind = isExact ? Answer::Meet : Answer::Open;
  auto value = [&](const Sum &sum) {
    DynamicAPInt result = sum.evaluate(*point);
    if (result >= -largest && result <= largest)
      return int64_t(result);
    // There is no such number in a run.
    answer.kind = Answer::Open;
    return largest;
  };
  answer.hasThreads = true;
  answer.firstThread = value(threads[0]);
  answer.secondThread = value(threads[1]);
  for (const Sum &address : addresses)
    answer.address.push_back(value(address));
  return answer;
}

static std::optional<Answer> solveAllCases(const OverlapQuery &query,
                                           bool withMultiples) {
  SmallVector<std::pair<unsigned, unsigned>> choices;
  Answer answer;
  answer.kind = Answer::Apart;
  for (unsigned tried = 0; tried < maxCases; ++tried) {
    Attempt attempt(query, withMultiples, choices);
    // After an open case, only an exact case can improve the answer.
    bool matters =
        attempt.collect() && (answer.kind == Answer::Apart || attempt.isExact);
    if (matters)
      if (std::optional<Answer> found = attempt.sample()) {
        answer = *found;
        // Of one thread, only a proof matters.
        if (answer.kind == Answer::Meet || query.isOneThread)
          return answer;
      }
    // The next combination.
    while (!choices.empty() &&
           choices.back().first + 1 == choices.back().second)
      choices.pop_back();
    if (choices.empty())
      return answer;
    ++choices.back().first;
  }
  return std::nullopt;
}

std::optional<Answer> races::solveByPresburger(const OverlapQuery &query) {
  std::optional<Answer> answer = solveAllCases(query, false);
  if (!answer || answer->kind != Answer::Open || query.isOneThread)
    return answer;
  return solveAllCases(query, true);
}
