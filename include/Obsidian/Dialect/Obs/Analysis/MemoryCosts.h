//===- MemoryCosts.h - Costs of the addresses of a warp ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_MEMORYCOSTS_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_MEMORYCOSTS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"

namespace mlir::obs {

/// The costs of one access for the warps of a leaf loop.
struct WarpCost {
  /// The worst request.
  unsigned max = 0;
  /// Over all requests.
  uint64_t total = 0;
  uint64_t requests = 0;
  /// Active lanes of all requests.
  uint64_t lanes = 0;
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

/// The elements that `items` neighbouring iterations access, where the number
/// of the first one is a multiple of `items`.
enum class Neighbours {
  /// One element.
  Same,
  /// Elements side by side, from a multiple of `items` on.
  Joined,
  /// Elements side by side, from another element on.
  Unaligned,
  Apart
};

/// What holds for all of the first `count` iterations; nullopt if the address
/// is not known, but for an offset that they share.
std::optional<Neighbours> getNeighbours(const IndexExpr &address, int64_t count,
                                        int64_t items);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_MEMORYCOSTS_H
