//===- ReadExpander.h - Reads of virtual arrays -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_ARRAYS_READEXPANDER_H
#define OBSIDIAN_LIB_TRANSFORMS_ARRAYS_READEXPANDER_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::obs {

/// Replaces the reads of virtual arrays below `root` by the code that computes
/// the elements from stored arrays. `simplifications` are patterns for the
/// choices around such reads. Fails with `[fuse-size]` if the code would become
/// too large. The time is proportional to the size of the new code.
LogicalResult expandReads(Operation *root,
                          const FrozenRewritePatternSet &simplifications);

/// True if a read of a virtual array is left below `root`, outside of the
/// regions of virtual arrays.
bool readsVirtualArrays(Operation *root);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_ARRAYS_READEXPANDER_H
