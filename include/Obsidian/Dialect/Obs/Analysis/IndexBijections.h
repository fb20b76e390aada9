//===- IndexBijections.h - Whether a map hits every index once --*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXBIJECTIONS_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXBIJECTIONS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"

namespace mlir::obs {

/// The known properties of a map from one box of indices to another.
struct Bijection {
  enum class Kind {
    /// Two indices have the same target, or a target is outside of the range.
    No,
    Unknown,
    /// No two indices have the same target. All targets are inside of the range
    /// if symbols and extents agree, as in a reversal by a length that is known
    /// at run time.
    IfInside,
    /// Every element of the range is the target of exactly one index.
    Yes
  };
  Kind kind = Kind::Unknown;
  /// For No: an index whose target is outside of the range or is also the
  /// target of another index. If all indices can be tried, it is the first one.
  /// Empty if no such index is known.
  llvm::SmallVector<int64_t> witness;
};

/// Decides whether `map` is a bijection from the indices below the extents
/// `domain` to those below the extents `range`. Variables 0 to rank - 1 are the
/// index. The extents are constants or symbols. The proofs are tried in this
/// order: affine forms (permuted, reversed, modular and mixed-radix indices),
/// linear maps over bits, permutations of bits with symbols as parameters, and
/// enumeration of at most `indexEnumerationBudget` indices.
Bijection classifyBijection(llvm::ArrayRef<IndexExpr> map,
                            llvm::ArrayRef<IndexExpr> domain,
                            llvm::ArrayRef<IndexExpr> range);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXBIJECTIONS_H
