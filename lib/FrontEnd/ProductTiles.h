//===- ProductTiles.h - Tiles of products of matrices -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_PRODUCTTILES_H
#define OBSIDIAN_LIB_FRONTEND_PRODUCTTILES_H

#include "Obsidian/FrontEnd/ArrayBuilder.h"

namespace mlir::obs {

/// The shape of a product by tiles: a block has `rows` x `columns` threads, and
/// each thread computes `side` x `side` sums of a tile. By tensor cores, each
/// warp computes a part of the tile.
struct TileShape {
  int64_t rows = 16, columns = 16, side = 1, depth = 16;
  bool byTensorCores = false;

  int64_t getHeight() const { return rows * side; }
  int64_t getWidth() const { return columns * side; }
  int64_t getThreads() const {
    // A warp has up to 64 x 64 sums.
    constexpr int64_t fewest = 128, sums = 128;
    return byTensorCores ? std::max(fewest, getHeight() * getWidth() / sums)
                         : rows * columns;
  }
};
/// The shape of the tiles for a product of `x` and `y`, and the number of parts
/// of its sums, which are products of their own: all of the GPU is busy. There
/// is one part if `areWhole`.
std::pair<TileShape, int64_t> chooseTiles(PullType x, PullType y, bool areWhole,
                                          bool byTensorCores);

/// The dimension of an array whose neighbours are neighbours in memory; none if
/// the array has one element, or is no view of a stored array and no function
/// of the elements of such a view.
std::optional<int64_t> getInnermost(Value array);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_FRONTEND_PRODUCTTILES_H
