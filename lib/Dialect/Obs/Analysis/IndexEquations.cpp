//===- IndexEquations.cpp - Solutions of index equations ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexEquations.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using Kind = IndexExpr::Kind;

IndexExpr mlir::obs::substitute(const IndexExpr &expr,
                                const IndexSolution &solution) {
  return expr.substitute([&](const IndexExpr &leaf) {
    auto found = leaf.getKind() == Kind::Variable ? solution.find(leaf.getId())
                                                  : solution.end();
    return found == solution.end() ? std::nullopt
                                   : std::optional(found->second);
  });
}

/// Adds the operands of a sum without carry, where two equal ones are nothing.
static void collectBits(const IndexExpr &expr,
                        SmallVectorImpl<IndexExpr> &terms) {
  if (expr.getKind() == Kind::Xor) {
    for (const IndexExpr &operand : expr.getOperands())
      collectBits(operand, terms);
    return;
  }
  auto same = llvm::find(terms, expr);
  if (same != terms.end())
    terms.erase(same);
  else
    terms.push_back(expr);
}

static IndexExpr xorAll(ArrayRef<IndexExpr> terms) {
  IndexExpr result = IndexExpr::constant(0);
  for (const IndexExpr &term : terms)
    result = result ^ term;
  return result;
}

/// `budget` bounds the work on shared subexpressions, as in
/// IndexExpr::operator==.
static bool areEqualWithin(const IndexExpr &a, const IndexExpr &b,
                           unsigned &budget) {
  if (a == b)
    return true;
  if (a.hasOpaque() || b.hasOpaque() || budget == 0)
    return false;
  --budget;
  LinearForm difference = LinearForm::get(a);
  difference.add(LinearForm::get(b), -1);
  if (difference.terms.empty())
    return difference.constant == 0;
  SmallVector<IndexExpr> bits;
  collectBits(a, bits);
  collectBits(b, bits);
  if (xorAll(bits).getConstant() == 0)
    return true;
  ArrayRef<IndexExpr> left = a.getOperands(), right = b.getOperands();
  return a.getKind() == b.getKind() && !left.empty() &&
         left.size() == right.size() && a.getCompare() == b.getCompare() &&
         a.getPermutation() == b.getPermutation() &&
         llvm::all_of(llvm::zip(left, right), [&](auto operands) {
           auto &[x, y] = operands;
           return areEqualWithin(x, y, budget);
         });
}

bool mlir::obs::areEqual(const IndexExpr &a, const IndexExpr &b) {
  unsigned budget = 100;
  return areEqualWithin(a, b, budget);
}

namespace {
class Solver {
public:
  explicit Solver(ArrayRef<unsigned> unknowns) : unknowns(unknowns) {}

  /// Extends `solution` so that `part` is `goal`; leaves it if that is not
  /// found.
  bool solve(const IndexExpr &part, const IndexExpr &goal);

  IndexSolution solution;

private:
  bool extend(const IndexExpr &part, const IndexExpr &goal);
  bool solveSum(const LinearForm &part, const IndexExpr &goal);
  bool solveXor(const IndexExpr &part, const IndexExpr &goal);
  bool solvePermutation(const IndexExpr &part, const IndexExpr &goal);
  bool solveOperands(const IndexExpr &part, const IndexExpr &goal);
  bool isOpen(const IndexExpr &expr) const;

  ArrayRef<unsigned> unknowns;
  /// The remaining work of a query: operands that commute have many orders.
  unsigned budget = 1000;
};
} // namespace

/// True if a variable that is not solved for occurs.
bool Solver::isOpen(const IndexExpr &expr) const {
  return llvm::any_of(collectLeaves(expr, Kind::Variable),
                      [&](const IndexExpr &leaf) {
                        return llvm::is_contained(unknowns, leaf.getId()) &&
                               !solution.contains(leaf.getId());
                      });
}

bool Solver::solve(const IndexExpr &part, const IndexExpr &goal) {
  IndexSolution before = solution;
  if (extend(substitute(part, solution), goal))
    return true;
  solution = std::move(before);
  return false;
}

bool Solver::extend(const IndexExpr &part, const IndexExpr &goal) {
  if (goal.hasOpaque() || budget == 0)
    return false;
  --budget;
  if (!isOpen(part))
    return areEqual(part, goal);
  if (part.getKind() == Kind::Variable)
    return solution.insert({part.getId(), goal}).second;
  LinearForm sum = LinearForm::get(part);
  if (sum.terms.size() != 1 ||
      sum.terms.front().first.getIdentity() != part.getIdentity())
    return solveSum(sum, goal);
  return solveOperands(part, goal) || solvePermutation(part, goal) ||
         (part.getKind() == Kind::Xor && solveXor(part, goal));
}

/// The larger multiples take of the goal all that they can, as digits do.
bool Solver::solveSum(const LinearForm &part, const IndexExpr &goal) {
  LinearForm rest = LinearForm::get(goal);
  rest.constant = int64_t(uint64_t(rest.constant) - uint64_t(part.constant));
  SmallVector<std::pair<IndexExpr, int64_t>> open;
  for (auto [term, factor] : part.terms)
    if (isOpen(term))
      open.push_back({term, factor});
    else
      rest.add(term, int64_t(-uint64_t(factor)));
  auto getSize = [](auto &digit) { return llvm::AbsoluteValue(digit.second); };
  // Of equal multiples first those that can only be some of the terms.
  llvm::stable_sort(open, [&](auto &a, auto &b) {
    if (getSize(a) != getSize(b))
      return getSize(a) > getSize(b);
    return a.first.getKind() != Kind::Variable &&
           b.first.getKind() == Kind::Variable;
  });
  for (unsigned i = 0; i < open.size(); ++i) {
    auto [digit, factor] = open[i];
    bool isLast = i + 1 == open.size();
    if (!isLast && getSize(open[i + 1]) == getSize(open[i])) {
      auto found = llvm::find_if(
          rest.terms, [&, digit = digit, factor = factor](auto &term) {
            return term.second == factor && solve(digit, term.first);
          });
      if (found == rest.terms.end())
        return false;
      rest.terms.erase(found);
      continue;
    }
    LinearForm quotient, remainder;
    if (factor == -1) {
      quotient.add(rest, -1);
    } else if (factor > 0) {
      quotient.constant = llvm::divideFloorSigned(rest.constant, factor);
      // The product alone may wrap, where the floor is below all numbers.
      remainder.constant = int64_t(uint64_t(rest.constant) -
                                   uint64_t(quotient.constant) * factor);
      for (auto &[term, count] : rest.terms)
        if (count % factor == 0)
          quotient.add(term, count / factor);
        else
          remainder.add(term, count);
    } else {
      return false;
    }
    if (!solve(digit, quotient.toExpr()))
      return false;
    rest = remainder;
  }
  return rest.terms.empty() && rest.constant == 0;
}

bool Solver::solveXor(const IndexExpr &part, const IndexExpr &goal) {
  SmallVector<IndexExpr> terms, rest, open;
  collectBits(part, terms);
  for (const IndexExpr &term : terms)
    if (isOpen(term))
      open.push_back(term);
    else
      collectBits(term, rest);
  collectBits(goal, rest);
  if (open.empty())
    return rest.empty();
  // All but the last are some of the terms each.
  llvm::stable_sort(open, [](const IndexExpr &a, const IndexExpr &b) {
    return a.getKind() != Kind::Variable && b.getKind() == Kind::Variable;
  });
  for (const IndexExpr &term : ArrayRef(open).drop_back()) {
    auto found = llvm::find_if(
        rest, [&](const IndexExpr &other) { return solve(term, other); });
    if (found == rest.end())
      return false;
    rest.erase(found);
  }
  return solve(open.back(), xorAll(rest));
}

/// Permutes the goal back.
bool Solver::solvePermutation(const IndexExpr &part, const IndexExpr &goal) {
  if (part.getKind() != Kind::Permute)
    return false;
  ArrayRef<IndexExpr> operands = part.getOperands();
  std::optional<int64_t> p = operands[1].getConstant();
  std::optional<int64_t> q = operands[2].getConstant();
  if (!p || !q || !getPermutedBits(part.getPermutation(), *p, *q))
    return false;
  bool turns = part.getPermutation() == IndexExpr::Permutation::Rotate;
  int64_t back = turns ? (*q - *p) % *q : *p;
  return solve(operands[0],
               IndexExpr::permute(part.getPermutation(), goal,
                                  IndexExpr::constant(back), operands[2]));
}

bool Solver::solveOperands(const IndexExpr &part, const IndexExpr &goal) {
  ArrayRef<IndexExpr> parts = part.getOperands(), goals = goal.getOperands();
  if (part.getKind() != goal.getKind() || parts.size() != goals.size() ||
      part.getCompare() != goal.getCompare() ||
      part.getPermutation() != goal.getPermutation())
    return false;
  auto solveBy = [&](ArrayRef<unsigned> order) {
    IndexSolution before = solution;
    for (auto [i, j] : llvm::enumerate(order))
      if (!solve(parts[i], goals[j])) {
        solution = std::move(before);
        return false;
      }
    return true;
  };
  bool commutes = llvm::is_contained({Kind::Add, Kind::Mul, Kind::And, Kind::Or,
                                      Kind::Xor, Kind::Min, Kind::Max},
                                     part.getKind());
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, parts.size()));
  return solveBy(order) || (commutes && solveBy({1, 0}));
}

std::optional<IndexSolution> mlir::obs::solveFor(ArrayRef<unsigned> unknowns,
                                                 ArrayRef<IndexExpr> map,
                                                 ArrayRef<IndexExpr> target) {
  Solver solver(unknowns);
  for (auto [part, goal] : llvm::zip_equal(map, target))
    if (!solver.solve(part, goal))
      return std::nullopt;
  return std::move(solver.solution);
}
