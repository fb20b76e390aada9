//===- BlockTiles.h - Loops and tiles of blocks -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that divide loops over the grid into tiles build these operations.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_ARRAYS_BLOCKTILES_H
#define OBSIDIAN_LIB_TRANSFORMS_ARRAYS_BLOCKTILES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// The loops over the threads of the grid in the fills of `root`.
SmallVector<ParOp> findThreadLoops(Operation *root);

/// Builds a loop without operations. The insertion point is then inside.
ParOp enterLoop(OpBuilder &b, Location loc, ValueRange extents, Level unit);

/// Builds an array of a block in shared memory, with static `extents`. `build`
/// makes the program that writes all elements.
Value storeTile(OpBuilder &b, Location loc, ArrayRef<int64_t> extents,
                TypeRange elements, function_ref<void()> build);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_ARRAYS_BLOCKTILES_H
