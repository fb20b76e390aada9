//===- IndexRelations.h - Threads that access one address -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRELATIONS_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRELATIONS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"

namespace mlir::obs {

/// The worker that runs iteration i of n, if there are T workers.
enum class IterationLayout {
  /// Worker i mod T.
  Striped,
  /// Worker i / ceil(n / T).
  Blocked
};

/// The largest distance of two threads of a block that can access one address.
/// Each value includes those before it.
enum class ThreadRelation { Disjoint, SameThread, SameWarp, SameBlock };

/// One access of a leaf loop.
struct LeafAccess {
  /// The address, one expression for each dimension. Other variables than
  /// `iteration` are counters of loops in the leaf. A variable without an
  /// extent can be any number.
  llvm::ArrayRef<IndexExpr> address;
  /// The number of the variable that counts the iterations of the leaf.
  unsigned iteration = 0;
  /// The number of iterations: a constant, a uniform expression, or nothing.
  std::optional<IndexExpr> count;
  IterationLayout layout = IterationLayout::Striped;
};

/// A number of workers that is never less than that of the iterations. Each
/// worker then runs one iteration, so "the same thread" means "the same
/// iteration".
constexpr uint64_t workersForEach = uint64_t(1) << 40;

/// Considers all pairs of an iteration of `a` and an iteration of `b` whose
/// addresses can be equal. `threads` workers in warps of 32 run the iterations.
/// Returns `Disjoint` if there are no such pairs, `SameThread` or `SameWarp` if
/// the same thread or warp always runs both iterations, and else `SameBlock`.
/// Symbols have the same value in both accesses, except those in `independent`.
/// A symbol with a known range may have any value in this range.
///
/// A symbol that depends on a loop around the accesses has the same value in
/// both accesses only in one iteration of this loop. To compare different
/// iterations, add it to `independent`.
///
/// Each of `conditions`, which are uniform, is not 0 when the accesses are
/// executed. Bounds of surrounding loops are an example.
///
/// The result includes all threads that can access one address. It is exact for
/// constant counts and ranges within the budget, and for maps that are linear
/// over bits if counts are powers of two. The analysis assumes that there are
/// fewer than 2^40 iterations, so that addresses do not wrap.
ThreadRelation relate(const LeafAccess &a, const LeafAccess &b,
                      uint64_t threads,
                      llvm::ArrayRef<unsigned> independent = {},
                      llvm::ArrayRef<IndexExpr> conditions = {});

/// A loop around two accesses. Each of its iterations is compared with every
/// other one.
struct CommonLoop {
  /// The variable that counts its iterations, for both accesses.
  unsigned variable;
  /// The number of iterations if all loops around it are in the same iteration.
  IndexExpr count;
};

/// Returns `SameThread` if two accesses to one element are always in the same
/// iteration of all `loops` (outermost first), `Disjoint` if no two iterations
/// access one element, and `SameBlock` if neither is proved. Symbols and
/// conditions are as in `relate`.
ThreadRelation relateTurns(llvm::ArrayRef<IndexExpr> a,
                           llvm::ArrayRef<IndexExpr> b,
                           llvm::ArrayRef<CommonLoop> loops,
                           llvm::ArrayRef<unsigned> independent = {},
                           llvm::ArrayRef<IndexExpr> conditions = {});

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRELATIONS_H
