//===- ProductTiles.h - Tiles of products of matrices -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes of the tiles that blocks compute of a product, and the programs of
// these blocks.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PRODUCTTILES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PRODUCTTILES_H

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"

namespace mlir::obs::strategies {

/// The multiprocessors of the GPU whose times the choice of tiles is made of.
constexpr int64_t multiprocessors = 132;

/// The tile of a block: `height` x `width` sums.
struct TileShape {
  int64_t height, width;
  /// A thread computes `side` x `side` sums in registers. By tensor cores, a
  /// warp computes a part of the tile.
  int64_t side = 1;
  bool byTensorCores = false;
  /// The columns of the left operand of which a step loads those of the tile.
  int64_t depth = 16;

  int64_t getThreads() const {
    // A warp has up to 64 x 64 sums.
    constexpr int64_t fewest = 128, sums = 128;
    return byTensorCores ? std::max(fewest, height * width / sums)
                         : height * width / (side * side);
  }
};

/// The tiles of a product by all blocks, and the number of parts of its sums,
/// which are products of their own: all of the GPU is busy.
struct ProductTiles {
  TileShape shape;
  int64_t parts;
  /// The shape for parts of sums if the host finds few tiles of `shape`.
  std::optional<TileShape> fewer = std::nullopt;
};

/// The tiles for `op`, of level grid, with the least estimated time; null if
/// blocks with `sharedBytes` bytes of shared memory cannot compute any by
/// tensor cores. There is one part if `areWhole`.
std::optional<ProductTiles> chooseProductTiles(MatmulOp op, bool byTensorCores,
                                               bool areWhole,
                                               int64_t sharedBytes);

/// The number of columns of the left operand that a step of a product of tensor
/// cores loads, for a tile of these extents and sums of `count` products; 0 if
/// tensor cores cannot compute the tile, or shared memory is too small.
int64_t chooseProductDepth(int64_t height, int64_t width, int64_t count,
                           int64_t sharedBytes);

/// The part of a sum that a block computes, its number and the number of all
/// parts; null if there is one. Parts are of whole steps. The last ones may be
/// shorter, or have no steps.
struct ProductPart {
  Value number, all;

  /// The first step, the one after the last, and if there are any.
  struct Steps {
    Value begin, end, exist;
  };
  /// Those of `steps` steps that belong to the part.
  Steps getSteps(OpBuilder &builder, Location loc, Value steps) const;
};

/// True if the elements of a line of an operand, which is a row of the left one
/// or a column of the right one, are neighbours in memory.
bool hasLines(Value array, bool isLeft);

/// One operand of the product of a block.
struct ProductOperand {
  Value array;
  /// The batch of the matrix, in the first dimensions of `array`.
  SmallVector<Value> batch;
  /// See the function of this name.
  bool hasLines;
  /// The first line of the tile, and the number of lines of the matrix. The
  /// elements of others are zeros. Null if the matrix has the lines of the tile
  /// only, and `all` also if it has all lines of each tile.
  Value first, all;
};

/// A tile of a product by tensor cores.
struct ProductTile {
  ProductOperand left, right;
  /// A multiple of 16 rows and of 8 columns.
  int64_t height, width;
  int64_t depth;
  /// The initial value of each sum, an f32.
  Value init;
  ProductPart part;
};

/// The push array of level block that is the product for a tile. The height and
/// the width are those for which `chooseProductDepth` finds a depth.
Value buildProductByTensorCores(OpBuilder &builder, Location loc,
                                const ProductTile &tile);

/// The push array of level block that is tile `number`, the number of its batch
/// in each dimension, its row and its column, of a part of the product `op`,
/// whose sums begin with `init`. The operands are split into chunks of the
/// rows, or the columns, of a tile, and of the products of a step.
Value buildProductByRegisters(OpBuilder &builder, MatmulOp op, Value left,
                              Value right, Value init, const TileShape &shape,
                              ValueRange number, const ProductPart &part);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PRODUCTTILES_H
