//===- Constraints.cpp - Linear constraints on integers -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using llvm::ArrayRef;
using llvm::DynamicAPInt;
using llvm::SmallVector;

void Sum::add(const Sum &other, const DynamicAPInt &factor) {
  for (const auto &[column, coefficient] : other.terms)
    if ((terms[column] += factor * coefficient) == 0)
      terms.erase(column);
  constant += factor * other.constant;
}

DynamicAPInt Sum::evaluate(ArrayRef<DynamicAPInt> values) const {
  DynamicAPInt result = constant;
  for (const auto &[column, coefficient] : terms)
    result += coefficient * values[column];
  return result;
}

Sum races::number(const DynamicAPInt &value) {
  Sum sum;
  sum.constant = value;
  return sum;
}

Sum races::number(int64_t value) { return number(DynamicAPInt(value)); }

Sum races::difference(const Sum &a, const Sum &b) {
  Sum sum = a;
  sum.add(b, DynamicAPInt(-1));
  return sum;
}

/// The greatest number that divides the factors of all columns.
static DynamicAPInt getDivisor(const Sum &sum) {
  DynamicAPInt divisor(0);
  for (const auto &[column, coefficient] : sum.terms)
    divisor = gcd(divisor, abs(coefficient));
  return divisor;
}

/// Divides the constant, too, and rounds it down.
static void divideTerms(Sum &sum, const DynamicAPInt &divisor) {
  if (divisor == 1)
    return;
  for (auto &[column, coefficient] : sum.terms)
    coefficient /= divisor;
  sum.constant = floorDiv(sum.constant, divisor);
}

void Constraints::requireZero(Sum sum) {
  DynamicAPInt divisor = getDivisor(sum);
  if (sum.isConstant() || sum.constant % divisor != 0) {
    refuted |= sum.constant != 0;
    return;
  }
  divideTerms(sum, divisor);
  zeros.push_back(std::move(sum));
}

void Constraints::require(Sum sum) {
  if (sum.isConstant()) {
    refuted |= sum.constant < 0;
    return;
  }
  divideTerms(sum, getDivisor(sum));
  naturals.push_back(std::move(sum));
}

/// True if the factors of the columns are those of the other sum, times -1.
static bool areOpposite(const Sum &a, const Sum &b) {
  return a.terms.size() == b.terms.size() &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(),
                    [](const auto &x, const auto &y) {
                      return x.first == y.first && x.second == -y.second;
                    });
}

/// x >= 0 and -x >= 0  =>  x = 0. True if there was such a pair.
bool Constraints::joinOpposites() {
  bool changed = false;
  for (size_t i = 0; i < naturals.size(); ++i)
    for (size_t j = i + 1; j < naturals.size(); ++j) {
      if (!areOpposite(naturals[i], naturals[j]))
        continue;
      DynamicAPInt width = naturals[i].constant + naturals[j].constant;
      refuted |= width < 0;
      if (width != 0)
        continue;
      zeros.push_back(std::move(naturals[i]));
      naturals.erase(naturals.begin() + j);
      naturals.erase(naturals.begin() + i--);
      changed = true;
      break;
    }
  return changed;
}

/// Solves an equality for a column with a factor of 1 or -1, and removes it.
std::optional<Constraints::Solution> Constraints::takeSolution() {
  for (Sum &sum : zeros)
    for (const auto &[column, coefficient] : sum.terms) {
      if (abs(coefficient) != 1)
        continue;
      Solution solution{column, Sum()};
      solution.second.add(sum, -coefficient);
      solution.second.terms.erase(column);
      std::swap(sum, zeros.back());
      zeros.pop_back();
      return solution;
    }
  return std::nullopt;
}

void Constraints::substitute(const Solution &solution) {
  auto [column, value] = solution;
  for (SmallVector<Sum> *sums : {&zeros, &naturals}) {
    SmallVector<Sum> old = std::move(*sums);
    sums->clear();
    for (Sum &sum : old) {
      auto found = sum.terms.find(column);
      if (found == sum.terms.end()) {
        sums->push_back(std::move(sum));
        continue;
      }
      DynamicAPInt factor = found->second;
      sum.terms.erase(found);
      sum.add(value, factor);
      if (sums == &zeros)
        requireZero(std::move(sum));
      else
        require(std::move(sum));
    }
  }
}

std::optional<SmallVector<DynamicAPInt>>
Constraints::findSample(unsigned numColumns) const {
  // Equalities are solved first. The remaining constraints have few columns,
  // and often have no solution without a search.
  Constraints rest = *this;
  SmallVector<Solution> solutions;
  do
    while (std::optional<Solution> solution = rest.takeSolution()) {
      rest.substitute(*solution);
      solutions.push_back(std::move(*solution));
    }
  while (rest.joinOpposites());
  if (rest.refuted)
    return std::nullopt;

  std::map<unsigned, unsigned> positions;
  for (const SmallVector<Sum> *sums : {&rest.zeros, &rest.naturals})
    for (const Sum &sum : *sums)
      for (const auto &[column, coefficient] : sum.terms)
        positions.try_emplace(column, positions.size());
  auto getRow = [&](const Sum &sum) {
    SmallVector<DynamicAPInt> row(positions.size() + 1);
    for (const auto &[column, coefficient] : sum.terms)
      row[positions.find(column)->second] = coefficient;
    row.back() = sum.constant;
    return row;
  };
  presburger::IntegerPolyhedron set(
      presburger::PresburgerSpace::getSetSpace(positions.size()));
  for (const Sum &sum : rest.zeros)
    set.addEquality(getRow(sum));
  for (const Sum &sum : rest.naturals)
    set.addInequality(getRow(sum));
  auto point = set.findIntegerSample();
  if (!point)
    return std::nullopt;

  SmallVector<DynamicAPInt> sample(numColumns);
  for (auto [column, position] : positions)
    sample[column] = (*point)[position];
  for (const auto &[column, value] : llvm::reverse(solutions))
    sample[column] = value.evaluate(sample);
  return sample;
}
