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

/// The number of tiles of `loop`, a leaf loop over a grid or the loop that it
/// becomes, below which a thread executes one iteration at a time: fewer tiles
/// would not keep the GPU busy. 0 if iterations have no inner loops.
int64_t getLeastTiles(Operation *loop);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_LEVEL_TILES_H
