//===- Expansion.h - Pieces of obs-expand-collectives -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_EXPANSION_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_EXPANSION_H

#include "Grid.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

/// How collectives are expanded.
struct ExpansionOptions {
  /// Shared memory of a block.
  int64_t sharedBytes;
  /// Elements one by one, and no kernels among which the host chooses.
  bool plain;
};

/// A builder for the elements and operator of `op`, standing where `op` does.
CollectiveBuilder getBuilder(OpBuilder &builder, CollectiveOpInterface op);

/// True if one thread computes elements one after the other, without storage.
bool isSequential(CollectiveOpInterface op, Level level);

/// The extent of `array`, from whichever of its type and `other`, that of an
/// array of the same extent, tells most.
Extent getCommonExtent(CollectiveBuilder &c, Value array, Type other);

/// The scan strategy that `op` asks for, or the default one. Emits
/// `[strategy-name]`, `[strategy-level]` and `[R2-bounded]`.
FailureOr<const ScanStrategy *> findScanStrategy(Operation *op,
                                                 std::optional<StringRef> name,
                                                 Level level, Extent n);

/// The elements of `array` combined, from `init` on: the same in all workers of
/// a level below grid.
CollectiveBuilder::Values reduceAll(CollectiveBuilder &c, Value array,
                                    ValueRange init);

/// The number of elements that a warp or block scans at once, if the number of
/// elements of the array has no bound.
Extent getTile(CollectiveBuilder &c);

/// Scans the `n` elements of `operand` tile by tile. Builds `visit` for each
/// element i, given the elements combined up to i and before i; i is not 0
/// where the latter are used.
void scanInTiles(CollectiveBuilder &c, const ScanStrategy &strategy,
                 Value operand, Value n,
                 llvm::function_ref<void(Value i, GridScan::ElementFn current,
                                         GridScan::ElementFn previous)>
                     visit);

/// At level grid: `[strategy-name]` unless the strategy, if one is asked for,
/// is one of `known`.
LogicalResult verifyGridStrategy(Operation *op, std::optional<StringRef> name,
                                 ArrayRef<StringRef> known);

/// Stores what is pushed at level grid.
Value forceAtGrid(CollectiveBuilder &c, Value push);

/// The force that stands beside the push array `array` and alone runs its
/// program; null if there is none, or more.
ForceOp findOnlyForce(Value array);

/// True if there are collectives in the region of `map`. They are expanded
/// where they stand.
bool hasCollectives(MapOp map);

/// Drops what is forced of the push array `array` and then not used. True if
/// nobody uses the array then.
bool dropUnused(Value array);

// They replace the results of `op` by core operations.
LogicalResult expandScan(OpBuilder &builder, ScanOp op,
                         const ExpansionOptions &options);
LogicalResult expandSegmentedScan(OpBuilder &builder, SegmentedScanOp op);
LogicalResult expandSegmentedReduce(OpBuilder &builder, SegmentedReduceOp op);
/// Those that write at indices that depend on values, and those of other
/// dialects.
LogicalResult expandIrregular(OpBuilder &builder, ExpandableOpInterface op,
                              const ExpansionOptions &options);

/// Replaces a fill whose result is to have copies, together with others of its
/// force: `erased` are those that are done. Emits `[strategy-name]` and
/// `[R2-bounded]`.
LogicalResult expandFill(OpBuilder &builder, FillOp op,
                         const ExpansionOptions &options,
                         llvm::SmallPtrSetImpl<Operation *> &erased);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_EXPANSION_H
