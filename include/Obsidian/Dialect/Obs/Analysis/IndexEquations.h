//===- IndexEquations.h - Solutions of index equations ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEQUATIONS_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEQUATIONS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"

namespace mlir::obs {

/// Expressions for variables, by their numbers.
using IndexSolution = llvm::DenseMap<unsigned, IndexExpr>;

/// Returns `expr` with the variables of `solution` replaced by their values.
IndexExpr substitute(const IndexExpr &expr, const IndexSolution &solution);

/// True if both expressions are proved to be equal wherever both have a value:
/// as sums, as sums without carry, or by their structure.
bool areEqual(const IndexExpr &a, const IndexExpr &b);

/// Solves the equation `map` = `target` for the variables `unknowns` that occur
/// in it. It holds for all values of all other variables and symbols. nullopt
/// if no solution is found. Sums are solved as digits, xor and permutations of
/// bits by their inverses, and all other operations operand by operand. So any
/// arithmetic may occur, including shifts by symbols. The caller must compare
/// the ranges of the unknowns with those of their values.
std::optional<IndexSolution> solveFor(llvm::ArrayRef<unsigned> unknowns,
                                      llvm::ArrayRef<IndexExpr> map,
                                      llvm::ArrayRef<IndexExpr> target);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEQUATIONS_H
