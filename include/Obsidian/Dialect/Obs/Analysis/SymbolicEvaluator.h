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

/// Numbers the uniform expressions that values are multiples of; equal ones
/// have one number. Shared by evaluators whose values are compared.
class TermTable {
public:
  unsigned getNumber(const IndexExpr &expr);
  const IndexExpr &getExpr(unsigned number) const { return exprs[number]; }

private:
  llvm::SmallVector<IndexExpr> exprs;
};

/// A number plus multiples of terms of a TermTable, by number, none of them 0.
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

/// Evaluates expressions at many points where symbols are not known: a value is
/// a number plus multiples of symbols and of uniform expressions that are not
/// sums. A value that depends on an unknown condition has several possible
/// values. Arithmetic may wrap, unless declared ranges exclude it.
class SymbolicEvaluator {
public:
  /// A value with more possible values than this is treated as unknown.
  static constexpr unsigned maxValues = 4;

  SymbolicEvaluator(llvm::ArrayRef<IndexExpr> exprs, TermTable &terms);

  /// The expressions that it evaluates.
  llvm::ArrayRef<IndexExpr> getExprs() const { return exprs; }
  /// From now on, `symbol` is `value`. An expression that stays a term although
  /// a symbol in it is fixed is still the same term.
  void fixSymbol(unsigned symbol, int64_t value);
  /// Evaluates where variable `v` is `variables[v]`, unknown if that is missing
  /// or nullopt.
  void evaluate(llvm::ArrayRef<std::optional<int64_t>> variables = {});
  /// The values that expression `i` can have at the last point; empty: any.
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
  /// Bounds where nothing wraps.
  std::optional<IndexRange> getRange(const TermSum &sum) const;
  /// The sum as a multiple of `divisor` and a rest in [0, divisor), if both are
  /// sums again; divisor > 0.
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
