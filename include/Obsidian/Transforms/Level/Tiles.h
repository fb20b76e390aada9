//===- Tiles.h - Marks of loops over tiles of a grid ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_LEVEL_TILES_H
#define OBSIDIAN_TRANSFORMS_LEVEL_TILES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::obs {

/// Attribute of a leaf loop over a grid, and of the loop that it becomes, or of
/// a leaf loop of a block: the number of neighbouring iterations that a thread
/// executes side by side.
constexpr llvm::StringLiteral itemsAttrName = "obs.items";

/// Attribute of a loop over rows that do not depend on each other, in a leaf
/// loop.
constexpr llvm::StringLiteral rowsAttrName = "obs.rows";

/// The number of tiles of `loop`, a leaf loop over a grid or the loop that it
/// becomes, below which a thread executes one iteration at a time: fewer tiles
/// would not keep the GPU busy. 0 if iterations have no inner loops.
int64_t getLeastTiles(Operation *loop);

/// Attribute of a launch whose number of blocks follows from extents.
constexpr llvm::StringLiteral byExtentAttrName = "obs.by_extent";

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_LEVEL_TILES_H
