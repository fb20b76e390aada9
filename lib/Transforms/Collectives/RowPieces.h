//===- RowPieces.h - One warp combines rows of an array --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_ROWPIECES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_ROWPIECES_H

#include "Obsidian/Transforms/Collectives/Collectives.h"
#include <optional>

namespace mlir::obs::strategies {

/// A part of an array that one warp combines: rows of 32 * `width` elements.
/// Lane l reads `width` elements from l * `width` on.
struct Piece {
  Value x;
  Value begin;
  int64_t rows;
  int64_t width;
  /// The number of elements of `x`, and the position of the last piece, whose
  /// rows may have fewer elements. Empty if no piece is shorter.
  std::optional<Extent> n;
  int64_t last = 0;

  int64_t getRowSize() const { return width * warpSize; }
  /// True if row `row` has at least `count` elements in every piece.
  bool hasAlways(int64_t row, int64_t count) const {
    return !n ||
           (n->isStatic() && last + row * getRowSize() + count <= n->size);
  }
  /// The number of rows from the first on that have `count` elements in every
  /// piece.
  int64_t countFullRows(int64_t count) const {
    int64_t full = 0;
    while (full < rows && hasAlways(full, count))
      ++full;
    return full;
  }
};

/// The elements from `first` on that a thread combines at once: `width`
/// elements of each of `count` rows. A row begins `distance` elements after the
/// row before it.
SmallVector<CollectiveBuilder::Values> load(CollectiveBuilder &c, Value x,
                                            Value first, int64_t count,
                                            int64_t width, int64_t distance);

/// At level warp: an array of lanes whose element 0 is the combination of
/// `piece`. If the order does not matter, a lane combines its elements of all
/// rows before shuffles combine the lanes.
Value reduceInLanes(CollectiveBuilder &warp, const Piece &piece);

/// The same, as values that all lanes have.
CollectiveBuilder::Values reducePiece(CollectiveBuilder &warp,
                                      const Piece &piece);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_ROWPIECES_H
