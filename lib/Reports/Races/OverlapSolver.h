//===- OverlapSolver.h - Decides if two accesses can overlap ----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the queries of PairModel in two ways. If all relevant numbers are
// known to be few, it tries all of them, with one table for each thread's side
// instead of all pairs. A part of an address with few values, such as the slot
// of an unknown iteration, is one such number. Otherwise it uses Presburger
// arithmetic. Quotients and remainders by constants and bit masks are exact.
// Products and quotients by numbers that are known at run time only are related
// by the rule x < y  =>  x * m + m <= y * m for m >= 0. If numbers are shifted
// by few unknown amounts, it tries all of these amounts, and then answers the
// remaining query.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_OVERLAPSOLVER_H
#define OBSIDIAN_REPORTS_RACES_OVERLAPSOLVER_H

#include "PairModel.h"

namespace mlir::obs::races {

struct Answer {
  enum Kind {
    /// No two threads access the same address.
    Apart,
    /// The two threads below access the same address.
    Meet,
    /// It could not be decided. If there are threads, these two may access the
    /// same address.
    Open
  };
  Kind kind = Open;
  bool hasThreads = false;
  int64_t firstThread = 0;
  int64_t secondThread = 0;
  /// The common address, in the numbers of the query.
  SmallVector<int64_t> address;
};

Answer solve(const OverlapQuery &query);

/// True if a number in `range` has few enough values to try them one by one.
inline bool hasValuesToTry(const std::optional<IndexRange> &range) {
  return range && getSpan(*range) < (uint64_t(1) << 16);
}

/// True if `expr` has so few values that each can be a case of its own.
inline bool isNarrow(const IndexExpr &expr) {
  std::optional<IndexRange> range = expr.getRange();
  return range && getSpan(*range) < 64;
}

/// Tries all numbers. nullopt if the answer depends on unknown numbers, or if
/// more than `budget` evaluations were necessary.
std::optional<Answer> solveByEnumeration(const OverlapQuery &query,
                                         uint64_t budget);

/// Uses Presburger arithmetic. nullopt if there are too many cases. A value
/// that has no expression in this arithmetic can be any number.
std::optional<Answer> solveByPresburger(const OverlapQuery &query);

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_OVERLAPSOLVER_H
