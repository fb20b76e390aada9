//===- Constraints.h - Linear constraints on integers -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear equalities and inequalities. The solver decides whether there are
// integers that satisfy all of them, and finds such integers. Numbers have any
// size, because shifts by many bits become large factors.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_CONSTRAINTS_H
#define OBSIDIAN_REPORTS_RACES_CONSTRAINTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace mlir::obs::races {

/// A sum of columns with factors, and a constant. No factor is 0.
struct Sum {
  std::map<unsigned, llvm::DynamicAPInt> terms;
  llvm::DynamicAPInt constant;

  /// Adds `other`, times `factor`.
  void add(const Sum &other, const llvm::DynamicAPInt &factor);
  bool isConstant() const { return terms.empty(); }
  /// The value of the sum if the columns have these values.
  llvm::DynamicAPInt evaluate(llvm::ArrayRef<llvm::DynamicAPInt> values) const;
  bool operator==(const Sum &other) const {
    return constant == other.constant && terms == other.terms;
  }
};

Sum number(const llvm::DynamicAPInt &value);
Sum number(int64_t value);
Sum difference(const Sum &a, const Sum &b);

/// Sums that are 0, and sums that are at least 0. Each sum is divided by the
/// common divisor of its factors. The constant is then rounded, because the
/// columns are integers. This often shows that there is no solution.
class Constraints {
public:
  /// sum = 0
  void requireZero(Sum sum);
  /// sum >= 0
  void require(Sum sum);
  /// No integers satisfy the constraints.
  void refute() { refuted = true; }
  /// True if it is known, without a search, that there is no solution.
  bool isRefuted() const { return refuted; }
  llvm::ArrayRef<Sum> getZeros() const { return zeros; }
  llvm::ArrayRef<Sum> getNaturals() const { return naturals; }

  /// Integers for the columns below `numColumns` that satisfy all constraints;
  /// nullopt if there are none.
  std::optional<llvm::SmallVector<llvm::DynamicAPInt>>
  findSample(unsigned numColumns) const;

private:
  /// A column, and the sum of other columns that is equal to it.
  using Solution = std::pair<unsigned, Sum>;

  bool joinOpposites();
  std::optional<Solution> takeSolution();
  void substitute(const Solution &solution);

  llvm::SmallVector<Sum> zeros, naturals;
  bool refuted = false;
};

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_CONSTRAINTS_H
