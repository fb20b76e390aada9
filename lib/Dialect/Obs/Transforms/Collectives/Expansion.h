//===- Expansion.h - Pieces of obs-expand-collectives -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_EXPANSION_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_EXPANSION_H

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

/// The extent of `array`, from whichever of its type and `other`, that of an
/// array of the same extent, tells most.
Extent getCommonExtent(CollectiveBuilder &c, Value array, Type other);

/// The scan strategy that `op` asks for, or the default one. Emits
/// `[strategy-name]`, `[strategy-level]` and `[R2-bounded]`.
FailureOr<const ScanStrategy *> findScanStrategy(Operation *op,
                                                 std::optional<StringRef> name,
                                                 Level level, Extent n);

/// At level grid: `[strategy-name]` unless the strategy, if one is asked for,
/// is one of `known`.
LogicalResult verifyGridStrategy(Operation *op, std::optional<StringRef> name,
                                 ArrayRef<StringRef> known);

/// Stores what is pushed at level grid.
Value forceAtGrid(CollectiveBuilder &c, Value push);

/// True if the program of the push array `array` is run once, by a force that
/// stands beside it.
bool isForcedOnce(Value array);

/// Replaces the results of `op` by core operations.
LogicalResult expandIrregular(OpBuilder &builder, IrregularOpInterface op);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_EXPANSION_H
