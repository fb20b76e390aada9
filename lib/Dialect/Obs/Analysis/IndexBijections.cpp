//===- IndexBijections.cpp - Proofs that index maps are bijections --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexBijections.h"
#include "IndexPoints.h"
#include "Obsidian/Dialect/Obs/Analysis/BitLinearMap.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;
using Kind = IndexExpr::Kind;

/// Unknown extents are assumed to be less than this, so that sums of a few
/// multiples do not wrap around.
static constexpr int64_t maxExtent = int64_t(1) << 40;

static Bijection yes() { return {Bijection::Kind::Yes, {}}; }
static Bijection ifInside() { return {Bijection::Kind::IfInside, {}}; }
static Bijection no(ArrayRef<int64_t> witness) {
  return {Bijection::Kind::No, SmallVector<int64_t>(witness)};
}
static bool isUnknown(const Bijection &answer) {
  return answer.kind == Bijection::Kind::Unknown;
}

static std::optional<SmallVector<int64_t>> getNumbers(ArrayRef<IndexExpr> box) {
  SmallVector<int64_t> extents;
  for (const IndexExpr &extent : box) {
    if (!extent.getConstant())
      return std::nullopt;
    extents.push_back(extent.getValue());
  }
  return extents;
}

/// The number of elements of a box; nullopt if it does not fit into 64 bits.
static std::optional<uint64_t> countElements(ArrayRef<int64_t> box) {
  uint64_t count = 1;
  bool overflowed = false;
  if (llvm::any_of(box, [](int64_t extent) { return extent <= 0; }))
    return 0;
  for (int64_t extent : box) {
    bool overflows = false;
    count = llvm::SaturatingMultiply(count, uint64_t(extent), &overflows);
    overflowed |= overflows;
  }
  return overflowed ? std::nullopt : std::optional(count);
}

namespace {
/// The quotient of `dividend` and `divisor`, rounded down, or the remainder.
struct Division {
  IndexExpr dividend;
  int64_t divisor;
  bool isRest;

  static std::optional<Division> get(const IndexExpr &expr);
};
} // namespace

std::optional<Division> Division::get(const IndexExpr &expr) {
  if (expr.getOperands().size() != 2)
    return std::nullopt;
  IndexExpr a = expr.getOperands()[0], b = expr.getOperands()[1];
  std::optional<int64_t> c = b.getConstant();
  switch (expr.getKind()) {
  case Kind::FloorDiv:
  case Kind::Mod:
    if (!c || *c <= 1)
      return std::nullopt;
    return Division{a, *c, expr.getKind() == Kind::Mod};
  case Kind::And:
    if (!c) {
      std::swap(a, b);
      c = b.getConstant();
    }
    if (!c || *c <= 0 || !llvm::isMask_64(*c) || *c >= maxExtent)
      return std::nullopt;
    return Division{a, *c + 1, true};
  case Kind::Shr:
    if (!c || *c <= 0 || *c >= 40 || !a.getRange() || a.getRange()->min < 0)
      return std::nullopt;
    return Division{a, int64_t(1) << *c, false};
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

/// Tries all indices of two boxes of the same size.
static Bijection tryPoints(ArrayRef<IndexExpr> map, ArrayRef<int64_t> domain,
                           ArrayRef<int64_t> range) {
  std::optional<uint64_t> points = countPoints(domain);
  if (!points)
    return {};
  IndexEvaluator evaluator(map);
  llvm::BitVector seen(*points);
  SmallVector<int64_t> point(domain.size(), 0);
  do {
    std::optional<ArrayRef<int64_t>> target = evaluator.evaluate(point);
    if (!target)
      return {};
    int64_t position = 0;
    for (auto [index, extent] : llvm::zip(*target, range)) {
      if (index < 0 || index >= extent)
        return no(point);
      position = position * extent + index;
    }
    if (seen.test(position))
      return no(point);
    seen.set(position);
  } while (advance(point, domain));
  return yes();
}

//===----------------------------------------------------------------------===//
// Linear over bits
//===----------------------------------------------------------------------===//

/// Decides maps that are linear over the bits of boxes of powers of two.
static Bijection classifyBits(ArrayRef<IndexExpr> map, ArrayRef<int64_t> domain,
                              ArrayRef<int64_t> range) {
  SmallVector<VariableBits> variables;
  unsigned bits = 0;
  for (auto [id, extent] : llvm::enumerate(domain)) {
    if (!llvm::isPowerOf2_64(extent))
      return {};
    unsigned width = llvm::Log2_64(extent);
    variables.push_back({unsigned(id), bits, width});
    bits += width;
  }
  if (bits > 62)
    return {};
  auto decode = [&](uint64_t x) {
    SmallVector<int64_t> point;
    for (const VariableBits &variable : variables)
      point.push_back(x >> variable.firstBit &
                      llvm::maskTrailingOnes<uint64_t>(variable.numBits));
    return point;
  };
  SmallVector<uint64_t> rows;
  std::optional<uint64_t> outside;
  for (auto [expr, extent] : llvm::zip(map, range)) {
    std::optional<BitLinearMap> part = getBitLinearMap(expr, variables, bits);
    if (!part || !llvm::isPowerOf2_64(extent))
      return {};
    for (unsigned i = 0; i < 64; ++i) {
      if (i < llvm::Log2_64(extent))
        rows.push_back(part->getRow(i));
      else if (part->getConstant() >> i & 1)
        outside = 0;
      else if (uint64_t row = part->getRow(i); row && !outside)
        outside = row & -row;
    }
  }
  if (outside)
    return no(decode(*outside));
  BitSubspace kernel = BitLinearMap(bits, rows).getKernel();
  if (kernel.getDimension() > 0)
    return no(decode(kernel.getBasis().front()));
  return yes();
}

//===----------------------------------------------------------------------===//
// One index
//===----------------------------------------------------------------------===//

/// The factor of variable `id` in `form`; nullopt if another term is not
/// uniform.
static std::optional<int64_t> getFactor(const LinearForm &form, unsigned id) {
  int64_t factor = 0;
  for (auto &[term, coefficient] : form.terms) {
    if (term.getKind() == Kind::Variable && term.getId() == id)
      factor = coefficient;
    else if (!term.isUniform())
      return std::nullopt;
  }
  return factor;
}

/// Decides `expr` = c + i or c - i, for i below `domain`.
static Bijection classifyShift(const IndexExpr &expr, unsigned id,
                               const IndexExpr &domain,
                               const IndexExpr &range) {
  LinearForm rest = LinearForm::get(expr);
  std::optional<int64_t> factor = getFactor(rest, id);
  if (factor != 1 && factor != -1)
    return {};
  llvm::erase_if(rest.terms, [](auto &term) {
    return term.first.getKind() == Kind::Variable;
  });
  bool isNumber = rest.terms.empty();
  Bijection fits = domain == range ? yes() : ifInside();
  std::optional<int64_t> extent = domain.getConstant();
  if (factor == 1) {
    if (!isNumber)
      return {};
    if (rest.constant == 0)
      return fits;
    return extent ? no({rest.constant > 0 ? *extent - 1 : 0}) : Bijection();
  }
  // The last index must become the first.
  LinearForm excess = rest;
  excess.constant += 1;
  excess.add(LinearForm::get(range), -1);
  if (excess.terms.empty() && excess.constant == 0)
    return fits;
  if (excess.terms.empty() && extent) {
    bool endsEarly = rest.constant >= 0 && rest.constant < *extent;
    return no({endsEarly ? rest.constant + 1 : 0});
  }
  // Two extents that are known at run time may be equal. Numbers must agree.
  if (!excess.terms.empty() && !isNumber && !range.getConstant() &&
      excess.constant == 0)
    return ifInside();
  return {};
}

/// Decides `expr` = (c * i + d) mod n, for i below n, where d may have symbols.
static Bijection classifyModular(const IndexExpr &expr, unsigned id,
                                 int64_t extent) {
  std::optional<Division> division = Division::get(expr);
  if (!division || !division->isRest || division->divisor != extent)
    return {};
  LinearForm form = LinearForm::get(division->dividend);
  std::optional<int64_t> coefficient = getFactor(form, id);
  if (!coefficient)
    return {};
  // Arithmetic modulo 2^64 has the same result if n divides 2^64.
  if (!llvm::isPowerOf2_64(extent) && !form.getRange())
    return {};
  uint64_t factor = *coefficient;
  if (*coefficient < 0)
    factor = -factor;
  uint64_t common = std::gcd(factor, uint64_t(extent));
  return common == 1 ? yes() : no({extent / int64_t(common)});
}

/// Recognizes exclusive ors with symbols and permutations of bits by symbols.
/// They permute all numbers. They also permute the numbers below a power of
/// two, if the result of each such number is below it.
static Bijection classifyPermuted(const IndexExpr &expr, unsigned id,
                                  const IndexExpr &domain,
                                  const IndexExpr &range) {
  if (domain.getConstant() && !llvm::isPowerOf2_64(domain.getValue()))
    return {};
  IndexExpr inner = expr;
  while (true) {
    ArrayRef<IndexExpr> operands = inner.getOperands();
    if (inner.getKind() == Kind::Variable && inner.getId() == id)
      break;
    IndexExpr next = IndexExpr::opaque();
    if (inner.getKind() == Kind::Permute && operands[1].isUniform() &&
        operands[2].isUniform())
      next = operands[0];
    else if (inner.getKind() == Kind::Xor && operands[0].isUniform())
      next = operands[1];
    else if (inner.getKind() == Kind::Xor && operands[1].isUniform())
      next = operands[0];
    else
      return {};
    inner = next;
  }
  std::optional<IndexRange> values = expr.getRange();
  bool isInside = values && values->min >= 0 && domain.getConstant() &&
                  domain == range && values->max < range.getValue();
  return isInside ? yes() : ifInside();
}

/// Decides a map of one index, the variable `id`.
static Bijection classifyOne(const IndexExpr &expr, unsigned id,
                             const IndexExpr &domain, const IndexExpr &range) {
  if (Bijection shift = classifyShift(expr, id, domain, range);
      !isUnknown(shift))
    return shift;
  if (domain.getConstant() && range.getConstant()) {
    IndexExpr alone =
        expr.substitute([&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
          if (leaf.getKind() == Kind::Variable && leaf.getId() == id)
            return IndexExpr::variable(0, domain.getValue());
          return std::nullopt;
        });
    int64_t from = domain.getValue(), to = range.getValue();
    if (from == to)
      if (Bijection rest = classifyModular(alone, 0, from); !isUnknown(rest))
        return rest;
    if (Bijection bits = classifyBits(alone, from, to); !isUnknown(bits))
      return bits;
    if (Bijection points = tryPoints(alone, from, to); !isUnknown(points))
      return points;
  }
  return classifyPermuted(expr, id, domain, range);
}

/// Decides maps whose components each permute one index, for any value of the
/// indices that other components permute: (i, j) -> (j, i xor j).
static Bijection classifyTriangular(ArrayRef<IndexExpr> map,
                                    ArrayRef<IndexExpr> domain,
                                    ArrayRef<IndexExpr> range) {
  if (domain.size() != range.size())
    return {};
  // Symbols from this number on are indices in functions of other indices.
  constexpr unsigned firstIndex = 1u << 31;
  SmallVector<IndexExpr> left(map);
  SmallVector<bool> done(map.size(), false);
  Bijection answer = yes();
  for (unsigned step = 0; step < map.size(); ++step) {
    bool found = false;
    for (unsigned d = 0; d < map.size() && !found; ++d) {
      SmallVector<IndexExpr> variables = collectLeaves(left[d], Kind::Variable);
      if (done[d] || variables.size() != 1 ||
          variables[0].getId() >= domain.size())
        continue;
      unsigned id = variables[0].getId();
      std::optional<int64_t> from = domain[id].getConstant();
      std::optional<int64_t> to = range[d].getConstant();
      if (from && to && *from != *to)
        return {};
      Bijection one = classifyOne(left[d], id, domain[id], range[d]);
      if (isUnknown(one))
        return {};
      if (one.kind == Bijection::Kind::No) {
        SmallVector<int64_t> witness(domain.size(), 0);
        witness[id] = one.witness[0];
        return no(witness);
      }
      answer.kind = std::min(answer.kind, one.kind);
      found = done[d] = true;
      IndexRange values{0, from.value_or(maxExtent) - 1};
      for (IndexExpr &expr : left)
        expr = expr.substitute(
            [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
              if (leaf.getKind() == Kind::Variable && leaf.getId() == id)
                return IndexExpr::symbol(firstIndex + id, values);
              return std::nullopt;
            });
    }
    if (!found)
      return {};
  }
  return answer;
}

//===----------------------------------------------------------------------===//
// Mixed radix
//===----------------------------------------------------------------------===//

namespace {
/// Splits indices into digits. Quotients and remainders then become sums of
/// multiples of digits.
class Digits {
public:
  Digits(ArrayRef<IndexExpr> map, ArrayRef<IndexExpr> domain);
  Bijection classify(ArrayRef<IndexExpr> range);

private:
  void collectDivisors(const IndexExpr &expr);
  bool split(unsigned id, const IndexExpr &extent);
  IndexExpr rewrite(const IndexExpr &expr);
  IndexExpr compute(const IndexExpr &expr);

  ArrayRef<IndexExpr> map, domain;
  /// The divisors of each index, in ascending order.
  SmallVector<SmallVector<int64_t>> divisors;
  /// Each index, as a sum of multiples of its digits.
  SmallVector<IndexExpr> sums;
  /// The number of values of each digit; nullopt if it is not known.
  SmallVector<std::optional<int64_t>> extents;
  llvm::DenseMap<const void *, IndexExpr> rewritten;
  llvm::DenseMap<const void *, bool> visited;
};
} // namespace

Digits::Digits(ArrayRef<IndexExpr> map, ArrayRef<IndexExpr> domain)
    : map(map), domain(domain), divisors(domain.size()) {}

void Digits::collectDivisors(const IndexExpr &expr) {
  if (!visited.insert({expr.getIdentity(), true}).second)
    return;
  for (const IndexExpr &operand : expr.getOperands())
    collectDivisors(operand);
  std::optional<Division> division = Division::get(expr);
  if (!division)
    return;
  int64_t divisor = division->divisor;
  IndexExpr index = division->dividend;
  if (std::optional<Division> inner = Division::get(index);
      inner && !inner->isRest) {
    if (llvm::MulOverflow(divisor, inner->divisor, divisor))
      return;
    index = inner->dividend;
  }
  if (index.getKind() == Kind::Variable && index.getId() < domain.size() &&
      divisor < maxExtent)
    divisors[index.getId()].push_back(divisor);
}

/// Splits index `id` into digits. False if their values do not cover it evenly.
bool Digits::split(unsigned id, const IndexExpr &extent) {
  SmallVector<int64_t> weights = divisors[id];
  llvm::sort(weights);
  weights.erase(llvm::unique(weights), weights.end());
  weights.insert(weights.begin(), 1);
  IndexExpr sum = IndexExpr::constant(0);
  for (auto [i, weight] : llvm::enumerate(weights)) {
    bool isTop = i + 1 == weights.size();
    std::optional<int64_t> end =
        isTop ? extent.getConstant() : std::optional(weights[i + 1]);
    if (end && *end % weight != 0)
      return false;
    std::optional<int64_t> values =
        end ? std::optional(*end / weight) : std::nullopt;
    if (values == 1)
      continue;
    sum = sum + IndexExpr::variable(extents.size(),
                                    values.value_or(maxExtent / weight)) *
                    IndexExpr::constant(weight);
    extents.push_back(values);
  }
  sums.push_back(sum);
  return true;
}

IndexExpr Digits::rewrite(const IndexExpr &expr) {
  auto found = rewritten.find(expr.getIdentity());
  if (found != rewritten.end())
    return found->second;
  IndexExpr result = compute(expr);
  rewritten.insert({expr.getIdentity(), result});
  return result;
}

IndexExpr Digits::compute(const IndexExpr &expr) {
  if (expr.getKind() == Kind::Variable)
    return expr.getId() < sums.size() ? sums[expr.getId()]
                                      : IndexExpr::opaque();
  if (std::optional<Division> division = Division::get(expr)) {
    LinearForm form = LinearForm::get(rewrite(division->dividend));
    LinearForm quotient, rest;
    auto add = [&](int64_t factor, std::optional<IndexExpr> term) {
      bool divides = factor % division->divisor == 0;
      LinearForm &part = divides ? quotient : rest;
      int64_t own = divides ? factor / division->divisor : factor;
      if (term)
        part.add(*term, own);
      else
        part.constant += own;
    };
    add(form.constant, std::nullopt);
    for (auto &[term, factor] : form.terms)
      add(factor, term);
    std::optional<IndexRange> left = rest.getRange();
    if (!form.getRange() || !left || left->min < 0 ||
        left->max >= division->divisor)
      return IndexExpr::opaque();
    return (division->isRest ? rest : quotient).toExpr();
  }
  switch (expr.getKind()) {
  case Kind::Constant:
  case Kind::Symbol:
    return expr;
  case Kind::Add:
  case Kind::Sub:
  case Kind::Mul:
  case Kind::Shl:
    return IndexExpr::binary(expr.getKind(), rewrite(expr.getOperands()[0]),
                             rewrite(expr.getOperands()[1]));
  default:
    return IndexExpr::opaque();
  }
}

Bijection Digits::classify(ArrayRef<IndexExpr> range) {
  for (const IndexExpr &expr : map)
    collectDivisors(expr);
  for (auto [id, extent] : llvm::enumerate(domain))
    if (!split(id, extent))
      return {};
  Bijection answer = yes();
  SmallVector<bool> seen(extents.size(), false);
  for (auto [expr, end] : llvm::zip(map, range)) {
    LinearForm form = LinearForm::get(rewrite(expr));
    // Weights and digits, the least first.
    SmallVector<std::pair<int64_t, unsigned>> places;
    int64_t first = form.constant;
    for (auto &[term, factor] : form.terms) {
      if (term.getKind() != Kind::Variable || seen[term.getId()] ||
          factor <= -maxExtent || factor >= maxExtent)
        return {};
      seen[term.getId()] = true;
      std::optional<int64_t> values = extents[term.getId()];
      if (factor < 0) {
        int64_t last;
        if (!values || llvm::MulOverflow(factor, *values - 1, last) ||
            llvm::AddOverflow(first, last, first))
          return {};
      }
      places.push_back({std::abs(factor), term.getId()});
    }
    llvm::sort(places);
    int64_t weight = 1;
    bool isKnown = true;
    for (auto [factor, digit] : places) {
      if (!isKnown || factor != weight)
        return {};
      isKnown = extents[digit].has_value();
      if (isKnown && llvm::MulOverflow(weight, *extents[digit], weight))
        return {};
    }
    if (first != 0 || (isKnown && end.getConstant().value_or(weight) != weight))
      return {};
    if (!isKnown || !end.getConstant())
      answer = ifInside();
  }
  return llvm::all_of(seen, [](bool used) { return used; }) ? answer
                                                            : Bijection();
}

//===----------------------------------------------------------------------===//
// All methods
//===----------------------------------------------------------------------===//

Bijection mlir::obs::classifyBijection(ArrayRef<IndexExpr> map,
                                       ArrayRef<IndexExpr> domain,
                                       ArrayRef<IndexExpr> range) {
  if (map.size() != range.size())
    return {};
  std::optional<SmallVector<int64_t>> from = getNumbers(domain);
  std::optional<SmallVector<int64_t>> to = getNumbers(range);
  if (from && to) {
    std::optional<uint64_t> size = countElements(*from);
    if (!size)
      return {};
    if (countElements(*to) != size)
      return no(ArrayRef<int64_t>());
    if (*size == 0)
      return yes();
  }
  Bijection answer = classifyTriangular(map, domain, range);
  // Without symbols, the pass can decide whether all values are inside.
  if (answer.kind == Bijection::Kind::IfInside && from && to &&
      collectLeaves(map, Kind::Symbol).empty())
    answer = {};
  if (isUnknown(answer) && from && to)
    answer = classifyBits(map, *from, *to);
  if (isUnknown(answer))
    answer = Digits(map, domain).classify(range);
  if (!from || !to)
    return answer;
  if (isUnknown(answer))
    return tryPoints(map, *from, *to);
  if (answer.kind == Bijection::Kind::No)
    if (Bijection first = tryPoints(map, *from, *to); !isUnknown(first))
      return first;
  return answer;
}
