//===- Expansion.h - Pieces of obs-expand-collectives -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_EXPANSION_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_EXPANSION_H

#include "Grid.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

/// Options of the expansion of collectives.
struct ExpansionOptions {
  /// Shared memory of a block.
  int64_t sharedBytes;
  /// Elements are read one at a time, and the host does not select among
  /// kernels.
  bool plain;
  /// The GPU has `obs.mma` (sm_80).
  bool hasTensorCores;
  /// The threads of a block; 0 if they are not known.
  int64_t threads;
};

/// A builder for the elements and operator of `op`. It inserts before `op`.
CollectiveBuilder getBuilder(OpBuilder &builder, CollectiveOpInterface op);

/// True if one thread computes elements one after the other, without storage.
bool isSequential(CollectiveOpInterface op, Level level);

/// The extent of `array`. It is taken from the type of `array` or of `other`,
/// an array of the same extent, whichever has more information.
Extent getCommonExtent(CollectiveBuilder &c, Value array, Type other);

/// True if an array of `n` elements is scanned tile by tile below level grid:
/// nothing bounds `n`, or copies of the array could take most of the shared
/// memory.
bool scansInTiles(const CollectiveBuilder &c, Extent n);

/// The scan strategy that `op` names, or the default one. Emits
/// `[strategy-name]`, `[strategy-level]` and `[R2-bounded]`.
FailureOr<const ScanStrategy *> findScanStrategy(Operation *op,
                                                 std::optional<StringRef> name,
                                                 Level level, Extent n);

/// The combination of `init` and the elements of `array`: equal in all workers
/// of a level below grid.
CollectiveBuilder::Values reduceAll(CollectiveBuilder &c, Value array,
                                    ValueRange init);

/// Builds code for an element: its index, and functions that build the
/// combination of the elements up to it and of those before it.
using VisitFn = llvm::function_ref<void(Value i, GridScan::ElementFn current,
                                        GridScan::ElementFn previous)>;

/// At level warp or block: scans the `n` elements of `operand` tile by tile.
/// Builds `visit` for each element. The combination before element 0 is not
/// used. Emits `[strategy-name]`.
LogicalResult scanInTiles(CollectiveBuilder &c, ExpandableOpInterface op,
                          Value operand, Value n, VisitFn visit);

/// At level grid: emits `[strategy-name]` unless `op` names no strategy, or one
/// of `known`.
LogicalResult verifyGridStrategy(Operation *op, std::optional<StringRef> name,
                                 ArrayRef<StringRef> known);

/// The scan by all blocks of the numbers that `number` returns. The strategy is
/// `chosen`, unless the operation names one.
FailureOr<std::unique_ptr<GridScan>>
scanAtGrid(CollectiveBuilder &c, ExpandableOpInterface op, Extent n,
           StringRef chosen, llvm::function_ref<Value(Value)> number);

/// Stores the push arrays at level grid.
Value forceAtGrid(CollectiveBuilder &c, Value push);

// These functions replace the results of `op` by core operations.
LogicalResult expandScan(OpBuilder &builder, ScanOp op,
                         const ExpansionOptions &options);
LogicalResult expandSegmentedScan(OpBuilder &builder, SegmentedScanOp op);
LogicalResult expandSegmentedReduce(OpBuilder &builder, SegmentedReduceOp op);
LogicalResult expandMatmul(OpBuilder &builder, MatmulOp op,
                           const ExpansionOptions &options);
/// Those that write at indices that depend on values, and those of other
/// dialects.
LogicalResult expandIrregular(OpBuilder &builder, ExpandableOpInterface op,
                              const ExpansionOptions &options);

/// Replaces `op` and its force by those of words with 32 marks each, if `op`
/// only marks elements with true, and only kernels read the `size` marks.
/// Returns the fill of the words, or null.
FillOp packMarks(CollectiveBuilder &c, FillOp op, const Extent &size);

/// Replaces a fill whose result has privatised copies, together with the other
/// fills of its force. `erased` contains the fills that were replaced. Emits
/// `[strategy-name]` and `[R2-bounded]`.
LogicalResult expandFill(OpBuilder &builder, FillOp op,
                         const ExpansionOptions &options,
                         llvm::SmallPtrSetImpl<Operation *> &erased);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_EXPANSION_H
