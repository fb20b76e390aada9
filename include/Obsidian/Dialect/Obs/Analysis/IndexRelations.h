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

/// The worker of T that runs iteration i of n.
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
  /// The address, one expression for each dimension. Variables other than
  /// `iteration` are of loops in the leaf; they need an extent to be of use.
  llvm::ArrayRef<IndexExpr> address;
  /// The number of the variable that counts the iterations of the leaf.
  unsigned iteration = 0;
  /// The number of iterations: a constant, a uniform expression, or nothing.
  std::optional<IndexExpr> count;
  IterationLayout layout = IterationLayout::Striped;
};

/// So many workers that each runs one iteration: then "the same thread" means
/// "the same iteration".
constexpr uint64_t workersForEach = uint64_t(1) << 40;

/// Over all pairs of an iteration of `a` and one of `b`, run by `threads`
/// workers in warps of 32, whose addresses can be equal: are there none, is
/// it always the same thread, always the same warp, or any two of the block.
/// Symbols have the same value on both sides, except those in `independent`,
/// and symbols of known range may have any value of it.
///
/// A symbol that stands for something of an enclosing loop is the same on both
/// sides only within one iteration: name it independent to compare different
/// ones.
///
/// Each of `conditions`, which are uniform, is not 0 where the accesses are:
/// bounds of loops around, as an example.
///
/// Never answers too little. Exact for constant counts and ranges within the
/// budget, and for maps that are linear over bits where counts are powers of
/// two. Iterations are assumed to be fewer than 2^40, so that addresses do
/// not wrap.
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

/// Decides whether two accesses to one element are of the same iteration of all
/// `loops`, outermost first (`SameThread`), or whether no two iterations access
/// one element (`Disjoint`). `SameBlock`: neither is proved. Symbols and
/// conditions are as in `relate`.
ThreadRelation relateTurns(llvm::ArrayRef<IndexExpr> a,
                           llvm::ArrayRef<IndexExpr> b,
                           llvm::ArrayRef<CommonLoop> loops,
                           llvm::ArrayRef<unsigned> independent = {},
                           llvm::ArrayRef<IndexExpr> conditions = {});

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRELATIONS_H
