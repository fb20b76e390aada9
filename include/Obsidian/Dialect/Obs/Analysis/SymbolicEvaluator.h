//===- SymbolicEvaluator.h - Values with unknown symbols --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_SYMBOLICEVALUATOR_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_SYMBOLICEVALUATOR_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::obs {

/// Numbers of the uniform expressions whose multiples occur in values. Equal
/// expressions have the same number. Evaluators whose values are compared share
/// one table.
class TermTable {
public:
  unsigned getNumber(const IndexExpr &expr);
  const IndexExpr &getExpr(unsigned number) const { return exprs[number]; }

private:
  llvm::SmallVector<IndexExpr> exprs;
};

/// A number plus multiples of terms of a TermTable. A term is given by its
/// number, and no factor is 0.
struct TermSum {
  using Terms = llvm::SmallVector<std::pair<unsigned, int64_t>, 2>;

  int64_t constant = 0;
  Terms terms;

  bool isConstant() const { return terms.empty(); }
  bool operator==(const TermSum &other) const {
    return constant == other.constant && terms == other.terms;
  }
  /// Adds `factor` times `other`.
  void add(const TermSum &other, int64_t factor);
};

/// Evaluates expressions at many points, although symbols are unknown: a value
/// is a number plus multiples of symbols and of uniform expressions that are
/// not sums. A value that depends on an unknown condition has several possible
/// values. Arithmetic may wrap, unless declared ranges exclude this.
class SymbolicEvaluator {
public:
  /// A value with more possible values than this is treated as unknown.
  static constexpr unsigned maxValues = 4;

  SymbolicEvaluator(llvm::ArrayRef<IndexExpr> exprs, TermTable &terms);

  /// The evaluated expressions.
  llvm::ArrayRef<IndexExpr> getExprs() const { return exprs; }
  /// From now on, `symbol` is `value`. If an expression with this symbol stays
  /// a term, it is still the same term.
  void fixSymbol(unsigned symbol, int64_t value);
  /// Evaluates the expressions at a point: variable `v` is `variables[v]`, and
  /// is unknown if this is missing or nullopt.
  void evaluate(llvm::ArrayRef<std::optional<int64_t>> variables = {});
  /// The values that expression `i` can have at the last point. If there are
  /// none, it can have any value.
  llvm::ArrayRef<TermSum> getValues(unsigned i) const;
  /// The value of expression `i`, if it is one number.
  std::optional<int64_t> getNumber(unsigned i) const;

private:
  /// The possible values of a step: any number if `values` is empty.
  struct Value {
    llvm::SmallVector<TermSum, 1> values;

    std::optional<int64_t> getNumber() const;
    void set(int64_t number);
  };
  struct Step {
    IndexExpr expr;
    llvm::SmallVector<unsigned, 4> operands;
    bool isUniform;
    /// The variables in it, as bits.
    uint64_t variables;
    Value value;
  };

  void run(Step &step, llvm::ArrayRef<std::optional<int64_t>> variables);
  void select(Step &step);
  void combine(Step &step);
  std::optional<bool> compare(IndexExpr::Compare compare, const TermSum &a,
                              const TermSum &b);
  std::optional<TermSum> combine(IndexExpr::Kind kind, const TermSum &a,
                                 const TermSum &b);
  std::optional<TermSum> combineWithNumber(IndexExpr::Kind kind,
                                           const TermSum &a, int64_t number);
  /// Bounds, if no operation wraps.
  std::optional<IndexRange> getRange(const TermSum &sum) const;
  /// The quotient by `divisor`, which is positive, and the remainder in
  /// [0, divisor), if both are sums.
  struct Division {
    TermSum quotient, rest;
  };
  std::optional<Division> divide(const TermSum &sum, int64_t divisor) const;

  TermTable *terms;
  llvm::SmallVector<IndexExpr> exprs;
  llvm::SmallVector<Step> steps;
  llvm::SmallVector<unsigned> outputs;
  llvm::DenseMap<unsigned, int64_t> fixed;
  /// The last point. Only steps in which a variable has changed run again.
  llvm::SmallVector<std::optional<int64_t>> point;
  /// All steps have the values of that point.
  bool isStarted = false;
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_SYMBOLICEVALUATOR_H
