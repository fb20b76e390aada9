//===- IndexRelations.cpp - Threads that access one address ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"
#include "IndexPoints.h"
#include "Obsidian/Dialect/Obs/Analysis/BitLinearMap.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;
using Kind = IndexExpr::Kind;

namespace {
/// Both sides of an access pair; symbols may have been replaced by numbers.
struct Pair {
  SmallVector<std::pair<IndexExpr, IndexExpr>> equations;
  std::optional<IndexExpr> counts[2];
  unsigned iterations[2];
  IterationLayout layouts[2];
  uint64_t threads;

  IndexExpr get(unsigned equation, unsigned side) const {
    return side ? equations[equation].second : equations[equation].first;
  }
  std::optional<int64_t> getCount(unsigned side) const {
    return counts[side] ? counts[side]->getConstant() : std::nullopt;
  }
};
} // namespace

/// Threads of one warp cannot be further apart than that.
static ThreadRelation limit(const Pair &pair) {
  if (pair.threads == 1)
    return ThreadRelation::SameThread;
  return pair.threads <= warpSize ? ThreadRelation::SameWarp
                                  : ThreadRelation::SameBlock;
}

/// Takes away what both sides have in common: xor with one uniform number, and
/// uniform terms of sums. Keeps the constants, so that numbers stay linear
/// over bits.
static void cancel(IndexExpr &a, IndexExpr &b) {
  while (a.getKind() == Kind::Xor && b.getKind() == Kind::Xor) {
    bool found = false;
    for (unsigned i = 0; i < 2 && !found; ++i)
      for (unsigned j = 0; j < 2 && !found; ++j) {
        IndexExpr x = a.getOperands()[i], y = b.getOperands()[j];
        if (!x.isUniform() || x != y)
          continue;
        IndexExpr restA = a.getOperands()[1 - i];
        IndexExpr restB = b.getOperands()[1 - j];
        a = restA;
        b = restB;
        found = true;
      }
    if (!found)
      break;
  }
  LinearForm left = LinearForm::get(a), right = LinearForm::get(b);
  bool changed = false;
  for (auto [term, factor] : SmallVector<std::pair<IndexExpr, int64_t>>(
           right.terms.begin(), right.terms.end())) {
    if (!term.isUniform() || term.getConstant())
      continue;
    for (auto &[other, otherFactor] : left.terms) {
      if (other != term)
        continue;
      left.add(term, int64_t(-uint64_t(factor)));
      right.add(term, int64_t(-uint64_t(factor)));
      changed = true;
      break;
    }
  }
  if (!changed)
    return;
  a = left.toExpr();
  b = right.toExpr();
}

/// The relation if one dimension implies factor * (i - j) = difference for the
/// iterations of both sides. The terms of other variables only need bounds: a
/// digit that is smaller than `factor` determines i - j.
static ThreadRelation relateShift(const Pair &pair) {
  ThreadRelation best = limit(pair);
  for (unsigned k = 0; k < pair.equations.size(); ++k) {
    // The uniform terms, which both sides may have in common, and the others.
    LinearForm uniform[2], digits[2];
    int64_t factors[2] = {0, 0};
    for (unsigned side = 0; side < 2; ++side) {
      LinearForm form = LinearForm::get(pair.get(k, side));
      uniform[side].constant = form.constant;
      for (auto &[term, factor] : form.terms) {
        if (term.getKind() == Kind::Variable &&
            term.getId() == pair.iterations[side])
          factors[side] = factor;
        else
          (term.isUniform() ? uniform : digits)[side].add(term, factor);
      }
    }
    std::optional<IndexRange> digitRanges[2] = {digits[0].getRange(),
                                                digits[1].getRange()};
    int64_t factor = factors[0];
    if (!digitRanges[0] || !digitRanges[1] || factor != factors[1] ||
        factor == std::numeric_limits<int64_t>::min())
      continue;
    unsigned first = 0, second = 1;
    if (factor < 0) {
      std::swap(first, second);
      factor = -factor;
    }
    LinearForm difference = uniform[second];
    difference.add(uniform[first], -1);
    auto addDigits = [&](IndexRange range) -> std::optional<IndexRange> {
      const IndexRange &plus = *digitRanges[second];
      const IndexRange &minus = *digitRanges[first];
      if (llvm::AddOverflow(range.min, plus.min, range.min) ||
          llvm::AddOverflow(range.max, plus.max, range.max) ||
          llvm::SubOverflow(range.min, minus.max, range.min) ||
          llvm::SubOverflow(range.max, minus.min, range.max))
        return std::nullopt;
      return range;
    };
    // i - j is less than the count of the first side, and more than minus
    // that of the second.
    for (unsigned side = 0; side < 2; ++side) {
      if (!pair.counts[side] || factor == 0)
        continue;
      LinearForm excess = difference;
      excess.add(LinearForm::get(*pair.counts[side]), side ? factor : -factor);
      std::optional<IndexRange> range = excess.getRange();
      if (range)
        range = addDigits(*range);
      if (range && (side ? range->max <= 0 : range->min >= 0))
        return ThreadRelation::Disjoint;
    }
    std::optional<IndexRange> range = difference.getRange();
    if (range)
      range = addDigits(*range);
    if (!range)
      continue;
    if (factor == 0) {
      if (range->min > 0 || range->max < 0)
        return ThreadRelation::Disjoint;
      continue;
    }
    // The least and the greatest i - j.
    int64_t shift = llvm::divideCeilSigned(range->min, factor);
    int64_t last = llvm::divideFloorSigned(range->max, factor);
    if (shift > last)
      return ThreadRelation::Disjoint;
    if (shift != last)
      continue;
    bool sameLoops = pair.layouts[0] == pair.layouts[1];
    if (pair.layouts[0] == IterationLayout::Blocked)
      sameLoops &= pair.counts[0] && pair.counts[1] &&
                   *pair.counts[0] == *pair.counts[1];
    bool striped = pair.layouts[0] == IterationLayout::Striped;
    if (sameLoops &&
        (shift == 0 || (striped && shift % int64_t(pair.threads) == 0)))
      best = std::min(best, ThreadRelation::SameThread);
  }
  return best;
}

/// Solves the equations that are linear over bits. Sets `exact` if all
/// equations are, on domains that are powers of two.
static ThreadRelation relateBits(const Pair &pair, bool &exact) {
  exact = false;
  ThreadRelation worst = limit(pair);
  SmallVector<VariableBits> variables[2];
  unsigned totals[2] = {0, 0};
  bool powers = true;
  for (unsigned side = 0; side < 2; ++side) {
    SmallVector<IndexExpr> exprs{
        IndexExpr::variable(pair.iterations[side], pair.getCount(side))};
    for (unsigned k = 0; k < pair.equations.size(); ++k)
      exprs.push_back(pair.get(k, side));
    for (const IndexExpr &leaf : collectLeaves(exprs, Kind::Variable)) {
      bool isIteration = leaf.getId() == pair.iterations[side];
      std::optional<IndexRange> range = leaf.getDeclaredRange();
      int64_t extent = 0;
      if (isIteration && !pair.getCount(side)) {
        // A loop of unknown length is part of a longer one.
        range =
            pair.counts[side] ? pair.counts[side]->getRange() : std::nullopt;
        if (!range)
          return worst;
        extent = range->max;
        powers = false;
      } else if (isIteration) {
        extent = *pair.getCount(side);
      } else if (range) {
        extent = range->max + 1;
      } else {
        return worst;
      }
      if (extent <= 0)
        return ThreadRelation::Disjoint;
      powers &= llvm::isPowerOf2_64(extent);
      unsigned bits = llvm::Log2_64_Ceil(extent);
      variables[side].push_back({leaf.getId(), totals[side], bits});
      totals[side] += bits;
    }
  }
  unsigned total = totals[0] + totals[1];
  if (total > 62)
    return worst;
  exact = powers;
  for (VariableBits &variable : variables[1])
    variable.firstBit += totals[0];

  SmallVector<BitSubspace::Equation> system;
  for (unsigned k = 0; k < pair.equations.size(); ++k) {
    std::optional<BitLinearMap> a =
        getBitLinearMap(pair.get(k, 0), variables[0], total);
    std::optional<BitLinearMap> b =
        getBitLinearMap(pair.get(k, 1), variables[1], total);
    if (!a || !b) {
      exact = false;
      continue;
    }
    uint64_t differ = a->getConstant() ^ b->getConstant();
    for (unsigned i = 0; i < 64; ++i)
      system.push_back({a->getRow(i) ^ b->getRow(i), bool(differ >> i & 1)});
  }
  BitSubspace pairs = BitSubspace::solve(total, system);
  if (pairs.isEmpty())
    return ThreadRelation::Disjoint;

  // The bits of the worker's number, as bits of the iteration's.
  unsigned numBits[2], firstBit[2];
  for (unsigned side = 0; side < 2; ++side) {
    const VariableBits *own =
        llvm::find_if(variables[side], [&](const VariableBits &variable) {
          return variable.id == pair.iterations[side];
        });
    bool isShort = (uint64_t(1) << own->numBits) <= pair.threads;
    if (!isShort && !llvm::isPowerOf2_64(pair.threads)) {
      exact = false;
      return worst;
    }
    unsigned skipped = 0;
    numBits[side] =
        isShort ? own->numBits : unsigned(llvm::Log2_64(pair.threads));
    if (pair.layouts[side] == IterationLayout::Blocked && !isShort) {
      if (!powers) {
        exact = false;
        return worst;
      }
      skipped = own->numBits - numBits[side];
    }
    firstBit[side] = own->firstBit + skipped;
  }
  ThreadRelation relation = ThreadRelation::SameThread;
  for (unsigned i = 0; i < std::max(numBits[0], numBits[1]); ++i) {
    uint64_t mask = 0;
    for (unsigned side = 0; side < 2; ++side)
      if (i < numBits[side])
        mask ^= uint64_t(1) << (firstBit[side] + i);
    if (pairs.getParity(mask) == false)
      continue;
    relation = std::max(relation, i < llvm::Log2_32(warpSize)
                                      ? ThreadRelation::SameWarp
                                      : ThreadRelation::SameBlock);
  }
  return std::min(relation, worst);
}

namespace {
/// The workers that meet at one address, from each side.
struct WorkerRanges {
  int64_t min[2] = {std::numeric_limits<int64_t>::max(),
                    std::numeric_limits<int64_t>::max()};
  int64_t max[2] = {-1, -1};
};
} // namespace

/// Tries all iterations; nullopt over the budget or without values.
static std::optional<ThreadRelation> relatePoints(const Pair &pair) {
  std::map<std::vector<int64_t>, WorkerRanges> workersByAddress;
  for (unsigned side = 0; side < 2; ++side) {
    std::optional<int64_t> count = pair.getCount(side);
    if (!count)
      return std::nullopt;
    IndexMap exprs;
    for (unsigned k = 0; k < pair.equations.size(); ++k)
      exprs.push_back(pair.get(k, side));
    SmallVector<int64_t> domain{*count};
    SmallVector<unsigned> ids{pair.iterations[side]};
    for (const IndexExpr &leaf : collectLeaves(exprs, Kind::Variable)) {
      if (leaf.getId() == pair.iterations[side])
        continue;
      if (!leaf.getDeclaredRange())
        return std::nullopt;
      ids.push_back(leaf.getId());
      domain.push_back(leaf.getDeclaredRange()->max + 1);
    }
    std::optional<uint64_t> points = countPoints(domain);
    if (!points)
      return std::nullopt;
    if (*points == 0)
      return ThreadRelation::Disjoint;
    int64_t chunk = llvm::divideCeil(*count, int64_t(pair.threads));
    IndexEvaluator evaluator(exprs);
    SmallVector<int64_t> point(domain.size(), 0);
    SmallVector<int64_t> variables(*llvm::max_element(ids) + 1, 0);
    do {
      for (auto [id, value] : llvm::zip(ids, point))
        variables[id] = value;
      std::optional<ArrayRef<int64_t>> address = evaluator.evaluate(variables);
      if (!address)
        return std::nullopt;
      int64_t worker = pair.layouts[side] == IterationLayout::Striped
                           ? point[0] % int64_t(pair.threads)
                           : point[0] / chunk;
      WorkerRanges &workers = workersByAddress[address->vec()];
      workers.min[side] = std::min(workers.min[side], worker);
      workers.max[side] = std::max(workers.max[side], worker);
    } while (advance(point, domain));
  }
  ThreadRelation relation = ThreadRelation::Disjoint;
  for (auto &[address, workers] : workersByAddress) {
    if (workers.max[0] < 0 || workers.max[1] < 0)
      continue;
    int64_t first = std::min(workers.min[0], workers.min[1]);
    int64_t last = std::max(workers.max[0], workers.max[1]);
    ThreadRelation here = ThreadRelation::SameBlock;
    if (first == last)
      here = ThreadRelation::SameThread;
    else if (first / warpSize == last / warpSize)
      here = ThreadRelation::SameWarp;
    relation = std::max(relation, here);
  }
  return relation;
}

/// The relation where all symbols that are left are unknown.
static ThreadRelation relateOnce(const Pair &pair) {
  // Unknown dimensions do not separate iterations, but the others do.
  Pair known = pair;
  llvm::erase_if(known.equations, [](auto &equation) {
    IndexMap both{equation.first, equation.second};
    return equation.first.hasOpaque() || equation.second.hasOpaque() ||
           !collectLeaves(both, Kind::Symbol).empty();
  });
  ThreadRelation shift = relateShift(pair);
  if (shift == ThreadRelation::Disjoint)
    return shift;
  bool exact = false;
  ThreadRelation bits = relateBits(known, exact);
  if (exact || bits == ThreadRelation::Disjoint)
    return std::min(bits, shift);
  if (std::optional<ThreadRelation> points = relatePoints(known))
    return std::min(*points, shift);
  return std::min(bits, shift);
}

/// Adds the shifts and divisions in `exprs`, except those in arms of a choice,
/// of which only one needs a value.
static void collectPartial(ArrayRef<IndexExpr> exprs,
                           llvm::DenseMap<const void *, unsigned> &seen,
                           llvm::SmallVectorImpl<IndexExpr> &partial) {
  for (const IndexExpr &expr : exprs) {
    if (!seen.insert({expr.getIdentity(), 0}).second)
      continue;
    ArrayRef<IndexExpr> operands = expr.getOperands();
    if (expr.getKind() == Kind::Select)
      operands = operands.take_front(2);
    collectPartial(operands, seen, partial);
    if (llvm::is_contained({Kind::Shl, Kind::Shr, Kind::FloorDiv, Kind::Mod},
                           expr.getKind()) &&
        !operands[1].getConstant() && operands[1].isUniform())
      partial.push_back(IndexExpr::binary(expr.getKind(),
                                          IndexExpr::constant(1), operands[1]));
  }
}

/// True if a part of an access has no value, or a condition does not hold: then
/// there is no such access. Ranges of symbols have more values than loops that
/// bound each other take.
static bool isExcluded(
    ArrayRef<IndexExpr> partial, ArrayRef<IndexExpr> conditions,
    llvm::function_ref<std::optional<IndexExpr>(const IndexExpr &)> assign) {
  return llvm::any_of(conditions,
                      [&](const IndexExpr &condition) {
                        return condition.substitute(assign).getConstant() == 0;
                      }) ||
         llvm::any_of(partial, [&](const IndexExpr &expr) {
           IndexExpr fixed = expr.substitute(assign);
           return !fixed.getConstant() && !fixed.getOperands().empty() &&
                  fixed.getOperands()[1].getConstant();
         });
}

ThreadRelation mlir::obs::relate(const LeafAccess &a, const LeafAccess &b,
                                 uint64_t threads,
                                 ArrayRef<unsigned> independent,
                                 ArrayRef<IndexExpr> conditions) {
  // Symbols with separate values on the second side get separate numbers.
  constexpr unsigned other = 1u << 31;
  auto rename = [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
    if (leaf.getKind() != Kind::Symbol ||
        !llvm::is_contained(independent, leaf.getId()))
      return std::nullopt;
    return IndexExpr::symbol(leaf.getId() | other, leaf.getDeclaredRange());
  };
  Pair pair{{},
            {a.count, b.count},
            {a.iteration, b.iteration},
            {a.layout, b.layout},
            threads};
  if (pair.counts[1])
    pair.counts[1] = pair.counts[1]->substitute(rename);
  IndexMap exprs;
  for (auto [x, y] : llvm::zip(a.address, b.address)) {
    IndexExpr left = x, right = y.substitute(rename);
    cancel(left, right);
    pair.equations.push_back({left, right});
    exprs.append({left, right});
  }
  for (const std::optional<IndexExpr> &count : pair.counts)
    if (count)
      exprs.push_back(*count);
  llvm::append_range(exprs, conditions);

  // Symbols of few values are tried one by one.
  constexpr uint64_t maxAssignments = 4096;
  SmallVector<IndexExpr> symbols;
  SmallVector<int64_t> extents;
  uint64_t assignments = 1;
  for (const IndexExpr &symbol : collectLeaves(exprs, Kind::Symbol)) {
    std::optional<IndexRange> range = symbol.getDeclaredRange();
    if (!range || range->max < range->min)
      continue;
    uint64_t values = uint64_t(range->max) - uint64_t(range->min) + 1;
    if (values == 0 || values > maxAssignments ||
        assignments * values > maxAssignments)
      continue;
    assignments *= values;
    symbols.push_back(symbol);
    extents.push_back(values);
  }
  if (symbols.empty())
    return relateOnce(pair);
  llvm::DenseMap<const void *, unsigned> seen;
  SmallVector<IndexExpr> partial;
  for (auto &[left, right] : pair.equations)
    collectPartial(IndexMap{left, right}, seen, partial);
  // A relation that holds for all values at once need not be tried.
  ThreadRelation upper = relateShift(pair);
  ThreadRelation relation = ThreadRelation::Disjoint;
  SmallVector<int64_t> point(symbols.size(), 0);
  do {
    auto assign = [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
      if (leaf.getKind() == Kind::Symbol)
        for (unsigned i = 0; i < symbols.size(); ++i)
          if (symbols[i].getId() == leaf.getId())
            return IndexExpr::constant(symbols[i].getDeclaredRange()->min +
                                       point[i]);
      return std::nullopt;
    };
    if (isExcluded(partial, conditions, assign))
      continue;
    Pair fixed = pair;
    for (auto &[left, right] : fixed.equations) {
      left = left.substitute(assign);
      right = right.substitute(assign);
    }
    for (std::optional<IndexExpr> &count : fixed.counts)
      if (count)
        count = count->substitute(assign);
    relation = std::max(relation, relateOnce(fixed));
    if (relation >= upper)
      return upper;
  } while (advance(point, extents));
  return relation;
}

ThreadRelation mlir::obs::relateTurns(ArrayRef<IndexExpr> a,
                                      ArrayRef<IndexExpr> b,
                                      ArrayRef<CommonLoop> loops,
                                      ArrayRef<unsigned> independent,
                                      ArrayRef<IndexExpr> conditions) {
  // Numbers that are no variables and no symbols of the caller.
  constexpr unsigned own = 1u << 30;
  // If the iterations that meet are one, its number is the same on both sides.
  SmallVector<CommonLoop> open(loops);
  auto isIn = [](ArrayRef<CommonLoop> set, unsigned variable) {
    return llvm::any_of(
        set, [&](const CommonLoop &loop) { return loop.variable == variable; });
  };
  auto fix = [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
    if (leaf.getKind() != Kind::Variable || !isIn(loops, leaf.getId()) ||
        isIn(open, leaf.getId()))
      return std::nullopt;
    return IndexExpr::symbol(own + leaf.getId());
  };
  auto fixAll = [&](ArrayRef<IndexExpr> map) {
    return llvm::map_to_vector<6>(
        map, [&](const IndexExpr &expr) { return expr.substitute(fix); });
  };
  auto relateLoop = [&](const CommonLoop &loop) {
    std::optional<IndexExpr> count = loop.count.substitute(fix);
    if (!count->isUniform())
      count.reset();
    else if (std::optional<int64_t> number = count->getConstant();
             number && *number >= 0)
      // As a bound, not as a number: it is not worthwhile to try iterations.
      count = IndexExpr::symbol(
          own - 1,
          IndexRange{*number - 2 * int64_t(indexEnumerationBudget), *number});
    auto relateMaps = [&](ArrayRef<IndexExpr> x, ArrayRef<IndexExpr> y) {
      return relate({x, loop.variable, count}, {y, loop.variable, count},
                    workersForEach, independent, conditions);
    };
    // Relates the indices as they are, and with fixed loops too, because
    // equations over bits have no symbols.
    ThreadRelation relation = relateMaps(a, b);
    return open.size() == loops.size()
               ? relation
               : std::min(relation, relateMaps(fixAll(a), fixAll(b)));
  };
  for (unsigned i = 0; i < open.size();) {
    ThreadRelation relation = relateLoop(open[i]);
    if (relation == ThreadRelation::Disjoint)
      return relation;
    if (relation != ThreadRelation::SameThread) {
      ++i;
      continue;
    }
    // The value may determine others.
    open.erase(open.begin() + i);
    i = 0;
  }
  // A loop of one iteration around all.
  if (!llvm::equal(a, b) &&
      relateLoop({own, IndexExpr::constant(1)}) == ThreadRelation::Disjoint)
    return ThreadRelation::Disjoint;
  return open.empty() ? ThreadRelation::SameThread : ThreadRelation::SameBlock;
}
