//===- Grid.h - Reductions and scans by all blocks --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_GRID_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_GRID_H

#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

/// How an array is dealt out to blocks: parts of equal length, none empty, the
/// last perhaps shorter.
struct GridParts {
  GridParts(CollectiveBuilder &c, Extent n);

  /// The number of elements.
  Extent n;
  /// The number of parts, at most `maxParts`.
  Extent count;
  /// Elements of a part, a multiple of `unit`.
  Value length;

  static constexpr int64_t maxParts = 1024;
  static constexpr int64_t unit = 4096;
};

/// True if one block alone reduces so many elements.
bool isForOneBlock(Extent n);

/// The elements of each part of `x`, combined. Stored, by one kernel.
Value reduceParts(CollectiveBuilder &c, Value x, const GridParts &parts);

/// An array of one element, the reduction of `x` behind `init`, not stored yet:
/// the blocks' results are combined by one block of the next kernel.
Value reduceByTwoKernels(CollectiveBuilder &c, Value x, ValueRange init,
                         PushType type);

/// The same in one kernel: the blocks' results are combined by atomic
/// operations of `kind`, which is what the operator does.
Value reduceByAtomics(CollectiveBuilder &c, Value x, ValueRange init,
                      StringRef kind, PushType type);

/// A scan by all blocks, in three kernels: the parts' combinations, a scan of
/// those by one block, and the parts, each behind what is before it.
class GridScan {
public:
  /// Builds the first two kernels. `x` has `n` elements and no initial value.
  GridScan(CollectiveBuilder &c, Value x, Extent n);

  using ElementFn = llvm::function_ref<CollectiveBuilder::Values()>;
  /// Writes what element i of the operand gives. `current` builds the
  /// combination of elements 0 to i, `previous` that of 0 to i - 1, which is
  /// meaningless for i = 0.
  using EmitFn =
      llvm::function_ref<void(Value i, ElementFn current, ElementFn previous)>;
  /// The third kernel, not stored yet: a fill of this type.
  Value fill(PushType type, ValueRange extents, ValueRange init, EmitFn emit);

  /// All elements combined, on the host. There is at least one.
  CollectiveBuilder::Values getTotal();

private:
  CollectiveBuilder &c;
  Value x;
  GridParts parts;
  /// The combination of all elements up to the end of each part.
  Value sums;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_GRID_H
