//===- Fusion.h - Steps of obs-fuse-arrays ----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_ARRAYS_FUSION_H
#define OBSIDIAN_LIB_TRANSFORMS_ARRAYS_FUSION_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::obs {

/// If a map of push arrays changes elements that writes of contract `reduce`
/// combine, every program below `root` first forces the combined elements. The
/// map becomes a map of pull arrays. Collectives must be expanded before.
void forceBeforeMaps(Operation *root);

/// Says which elements are expensive and computed more than once, and which
/// reductions in scalar code are repeated for each element of an array that
/// uses them; of those in several copies of a function only one.
void remarkRecomputation(Operation *root);

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

#endif // OBSIDIAN_LIB_TRANSFORMS_ARRAYS_FUSION_H
