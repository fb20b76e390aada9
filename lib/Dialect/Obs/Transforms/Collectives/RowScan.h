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
  RowShape(ArrayRef<Type> elementTypes, bool items, int64_t maxRows = 4);

  static constexpr int64_t workers = 256, warps = workers / warpSize;
  /// Neighbours of a row that a lane has, and rows of a warp.
  int64_t neighbours = 1, rows = 1;

  int64_t getTile() const { return workers * neighbours * rows; }
  /// The place in a tile of neighbour `i` of row `row` of a thread.
  Value getPlace(CollectiveBuilder &c, Value warp, Value lane, int64_t row,
                 int64_t i) const;

  using LoadFn = llvm::function_ref<CollectiveBuilder::Values(Value place)>;
  /// What `get` gives for the places of a thread, row by row, or `getGuarded`
  /// if the tile is not full. Full tiles load neighbours together.
  SmallVector<CollectiveBuilder::Values> load(CollectiveBuilder &thread,
                                              Value warp, Value lane,
                                              Value isFull, LoadFn get,
                                              LoadFn getGuarded) const;
};

/// A tile that is scanned, at level block.
class RowScan {
public:
  using Values = CollectiveBuilder::Values;

  /// Scans what `elements` builds at level warp: all elements of a thread, row
  /// by row. Behind each stand values of the types `carried`, which the thread
  /// keeps.
  RowScan(
      CollectiveBuilder &block, const RowShape &shape, ArrayRef<Type> carried,
      llvm::function_ref<SmallVector<Values>(Value warp, Value lane)> elements);

  /// All elements combined.
  const Values &getSum() const { return sums.back(); }

  /// The elements of one thread, in order, each combined with all before it.
  struct Thread {
    Value warp, lane;
    /// What is before the first element of each row: anything, if nothing is.
    SmallVector<Values> before;
    /// Row by row; `inRow` behind the thread's elements of the row alone.
    SmallVector<Values> elements, inRow, carried;
    /// What is before element `k`.
    const Values &getBefore(int64_t k) const {
      int64_t neighbours = elements.size() / before.size();
      return k % neighbours == 0 ? before[k / neighbours] : elements[k - 1];
    }
  };
  /// In thread `worker`: what the elements are behind `prefix`, which is there
  /// if `hasPrefix` holds.
  Thread getThread(Value worker, ValueRange prefix, Value hasPrefix);

private:
  CollectiveBuilder &block;
  RowShape shape;
  SmallVector<Type> carried;
  /// Of an array with an element for each thread: its elements, what it keeps
  /// beside them, what is before each row in its warp, and the sum of the warp.
  CollectiveBuilder all;
  Value scanned;
  /// The combination of the warps up to each.
  SmallVector<Values> sums;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_ROWSCAN_H
