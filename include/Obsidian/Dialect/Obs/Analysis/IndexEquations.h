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

/// True if both have the same value wherever both have one: as sums, as sums
/// without carry, or because they are built alike. False if that is not found.
bool areEqual(const IndexExpr &a, const IndexExpr &b);

/// True if the two differ wherever both have a value: by bounds, by an odd part
/// of a difference that is else even, or by xor with a number.
bool areNeverEqual(const IndexExpr &a, const IndexExpr &b);

/// Values of the variables `unknowns`, of those that occur, with which `map` is
/// `target` for all values of all other variables and symbols; nullopt if none
/// are found. Sums are solved as digits, xor and permutations of bits by their
/// inverses, all else operand by operand, so any arithmetic may occur, shifts
/// by symbols included. Ranges of the unknowns are for the caller to compare
/// with those of their values.
std::optional<IndexSolution> solveFor(llvm::ArrayRef<unsigned> unknowns,
                                      llvm::ArrayRef<IndexExpr> map,
                                      llvm::ArrayRef<IndexExpr> target);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEQUATIONS_H
