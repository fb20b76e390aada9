//===- IndexQueries.h - What passes ask of index maps -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXQUERIES_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXQUERIES_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"

namespace mlir::obs {

/// Points at most that a query tries one by one.
constexpr uint64_t indexEnumerationBudget = uint64_t(1) << 16;

/// Whether `map`, of variables 0 to rank - 1 that run over `domain`, never
/// gives one tuple twice. nullopt: not known.
std::optional<bool> isInjective(llvm::ArrayRef<IndexExpr> map,
                                llvm::ArrayRef<int64_t> domain);
/// Whether it hits every tuple of the box `range` exactly once and nothing
/// else. nullopt: not known.
std::optional<bool> isBijection(llvm::ArrayRef<IndexExpr> map,
                                llvm::ArrayRef<int64_t> domain,
                                llvm::ArrayRef<int64_t> range);

/// Which worker of T runs iteration i of n.
enum class IterationLayout {
  /// Worker i mod T.
  Striped,
  /// Worker i / ceil(n / T).
  Blocked
};

/// How far apart the threads of a block are that can meet at one address. Each
/// answer includes those before it.
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
/// Never answers too little. Exact for constant counts and ranges within the
/// budget, and for maps that are linear over bits where counts are powers of
/// two. Iterations are assumed to be fewer than 2^40, so that addresses do
/// not wrap.
ThreadRelation relate(const LeafAccess &a, const LeafAccess &b,
                      unsigned threads,
                      llvm::ArrayRef<unsigned> independent = {});

/// What the warps of a leaf loop cost at one access.
struct WarpCost {
  /// The worst request.
  unsigned max = 0;
  /// Over all requests.
  uint64_t total = 0;
  uint64_t requests = 0;
};

/// Serialised wavefronts in shared memory, of 32 banks of 4 bytes, when
/// variable 0 of `address`, an element number, runs over `count` iterations
/// spread over `threads` workers and access `width` elements from there on. 8
/// bytes go in two halves of a warp, 16 in four quarters. Iterations in which
/// one of `conditions` is known to be 0 access nothing. nullopt where the
/// address is not known but for an offset that the lanes of a request share, or
/// the count is over the budget.
std::optional<WarpCost>
getBankConflicts(const IndexExpr &address, int64_t count, unsigned threads,
                 unsigned elementBytes,
                 IterationLayout layout = IterationLayout::Striped,
                 llvm::ArrayRef<IndexExpr> conditions = {}, unsigned width = 1);

/// The same for sectors of 32 bytes in global memory; shared offsets are taken
/// to be multiples of a sector.
std::optional<WarpCost>
getSectors(const IndexExpr &address, int64_t count, unsigned threads,
           unsigned elementBytes,
           IterationLayout layout = IterationLayout::Striped,
           llvm::ArrayRef<IndexExpr> conditions = {}, unsigned width = 1);

/// Where the lanes of a warp take a value from.
struct LanePattern {
  enum class Kind { Identity, Broadcast, Xor, Rotate, Up, Down, Indexed };
  Kind kind;
  /// The lane of a broadcast, the mask of an xor, or the distance: lane l
  /// reads (l + distance) mod 32 in a rotation, l - distance in an up shift,
  /// l + distance in a down shift.
  unsigned amount = 0;
};

/// `sources[l]` is the lane that lane l reads, -1 where it does not matter.
LanePattern classifyLanes(llvm::ArrayRef<int> sources);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXQUERIES_H
