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
    /// Two indices have one target, or a target is outside.
    No,
    Unknown,
    /// No two indices have one target, and all targets are inside if symbols
    /// and extents fit each other, as in a reversal by a length that is known
    /// at run time.
    IfInside,
    /// Every target is hit exactly once.
    Yes
  };
  Kind kind = Kind::Unknown;
  /// For No: an index whose target is outside or that of another index, the
  /// first one where they can be tried one by one. Empty if none is known.
  llvm::SmallVector<int64_t> witness;
};

/// Whether `map` takes the box `domain` to the box `range`. Variables 0 to rank
/// - 1 are the index; the extents are constants or symbols. Answers by affine
/// forms (permuted, reversed, modular and mixed-radix indices), linear maps
/// over bits, by permutations of bits with symbols as parameters, and by trying
/// at most `indexEnumerationBudget` indices, in this order.
Bijection classifyBijection(llvm::ArrayRef<IndexExpr> map,
                            llvm::ArrayRef<IndexExpr> domain,
                            llvm::ArrayRef<IndexExpr> range);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXBIJECTIONS_H
