//===- RowScan.h - Scans of tiles in registers ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is scanned by 256 threads. A warp has neighbouring elements, in rows:
// a lane has a few neighbours of each row, which are one access. The elements
// stay in the registers of their thread from the load to the store. A thread
// combines its neighbours, five shuffles combine the lanes of all rows side by
// side, and each warp leaves its sum in shared memory.
//
// The grouping depends on the types and the number of elements alone: threads
// and warps are virtual.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_ROWSCAN_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_ROWSCAN_H

#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

/// The number of elements that a thread has, and their places.
struct RowShape {
  /// For elements of these types. Without `items`, each thread has one.
  RowShape(ArrayRef<Type> elementTypes, bool items);

  static constexpr int64_t workers = 256, warps = workers / warpSize;
  /// Neighbours of a row that a lane has, and rows of a warp.
  int64_t neighbours = 1, rows = 1;

  int64_t getTile() const { return workers * neighbours * rows; }
  /// The place in a tile of neighbour `i` of row `row` of a thread.
  Value getPlace(CollectiveBuilder &c, Value warp, Value lane, int64_t row,
                 int64_t i) const;
};

/// A tile that is scanned, at level block.
class RowScan {
public:
  using Values = CollectiveBuilder::Values;

  /// Scans what `element` gives for each place of the tile, at level warp.
  /// `element` returns all elements of a thread, row by row.
  RowScan(
      CollectiveBuilder &block, const RowShape &shape,
      llvm::function_ref<SmallVector<Values>(Value warp, Value lane)> elements);

  /// All elements combined.
  const Values &getSum() const { return sums.back(); }

  /// The elements of one thread, in order, each combined with all before it.
  struct Thread {
    Value warp, lane;
    /// What is before the first element of each row: anything, if nothing is.
    SmallVector<Values> before;
    /// Row by row.
    SmallVector<Values> elements;
  };
  /// In thread `worker`: what the elements are behind `prefix`, which is there
  /// if `hasPrefix` holds.
  Thread getThread(Value worker, ValueRange prefix, Value hasPrefix);

private:
  CollectiveBuilder &block;
  RowShape shape;
  /// Of an array with an element for each thread: its elements, what is before
  /// each row in its warp, and the sum of the warp.
  CollectiveBuilder all;
  Value scanned;
  /// The combination of the warps up to each.
  SmallVector<Values> sums;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_ROWSCAN_H
