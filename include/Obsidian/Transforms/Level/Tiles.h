//===- Tiles.h - Loops over tiles of a grid ---------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_LEVEL_TILES_H
#define OBSIDIAN_TRANSFORMS_LEVEL_TILES_H

#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::obs {

/// Limits for a leaf loop over a grid, or the loop that it becomes, if its
/// iterations have inner loops; otherwise 0.
struct TileLimits {
  /// A launch has at least this number of blocks, if there are enough
  /// iterations.
  int64_t blocks = 0;
  /// With fewer tiles, a thread executes one iteration at a time: the tiles
  /// would not keep the GPU busy.
  int64_t tiles = 0;
};

TileLimits getTileLimits(Operation *loop);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_LEVEL_TILES_H
