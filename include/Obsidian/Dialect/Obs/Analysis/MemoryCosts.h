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
  /// The cost of the most expensive request.
  unsigned max = 0;
  /// The sum of the costs of all requests.
  uint64_t total = 0;
  uint64_t requests = 0;
  /// Active lanes of all requests.
  uint64_t lanes = 0;
};

/// The wavefronts of an access to shared memory, which has 32 banks of 4 bytes.
/// `address` is the number of the first of `width` elements. Its variable 0 is
/// the number of the iteration, from 0 to `count` - 1, and `threads` workers
/// share the iterations. A warp executes an access of 8 bytes in two halves,
/// and one of 16 bytes in four quarters. Iterations in which one of
/// `conditions` is known to be 0 access nothing. nullopt if the address is
/// unknown, except for an offset that is equal in all lanes of a request, or if
/// the count exceeds the budget.
std::optional<WarpCost>
getBankConflicts(const IndexExpr &address, int64_t count, unsigned threads,
                 unsigned elementBytes,
                 IterationLayout layout = IterationLayout::Striped,
                 llvm::ArrayRef<IndexExpr> conditions = {}, unsigned width = 1);

/// The same for sectors of 32 bytes in global memory. An offset that is equal
/// in all lanes is assumed to be a multiple of a sector.
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

/// The relation of neighbouring elements in all of the first `count`
/// iterations; nullopt if the address is not known, apart from an offset that
/// they share.
std::optional<Neighbours> getNeighbours(const IndexExpr &address, int64_t count,
                                        int64_t items);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_MEMORYCOSTS_H
