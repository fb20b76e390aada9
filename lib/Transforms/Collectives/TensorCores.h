//===- TensorCores.h - Tiles of products by tensor cores --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_TENSORCORES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_TENSORCORES_H

#include "mlir/IR/Builders.h"

namespace mlir::obs::strategies {

/// The lines of an operand from which a block computes a tile. A line is a row
/// of the left operand, or a column of the right one.
struct ProductOperand {
  /// The matrix, a pull array.
  Value array;
  /// The elements of a line are neighbours in memory.
  bool hasLines;
  /// The first line of the tile, and the number of lines of the matrix. The
  /// elements of others are zeros. Null if the matrix has the lines of the tile
  /// only, and `all` also if it has all lines of each tile.
  Value first, all;
};

/// A tile of a product, which a block computes.
struct ProductTile {
  ProductOperand left, right;
  /// A multiple of 16 rows and of 8 columns.
  int64_t height, width;
  /// The columns of the left operand of which a step loads those of the tile.
  int64_t depth;
  /// The initial value of each sum, an f32.
  Value init;
};

/// The depth of a tile that fits into `sharedBytes` bytes, for `count` products
/// in each sum, which may be dynamic. 0 if there is none, or if the extents are
/// no multiples, or if more than 8 warps would compute the tile.
int64_t chooseProductDepth(int64_t height, int64_t width, int64_t count,
                           int64_t sharedBytes);

/// Builds the product of a tile, a push array of level block.
Value buildProductByTensorCores(OpBuilder &builder, Location loc,
                                const ProductTile &tile);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_TENSORCORES_H
