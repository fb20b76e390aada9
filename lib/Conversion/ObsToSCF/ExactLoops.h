//===- ExactLoops.h - Loops whose counters do not wrap ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_CONVERSION_OBSTOSCF_EXACTLOOPS_H
#define OBSIDIAN_LIB_CONVERSION_OBSTOSCF_EXACTLOOPS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::obs {

/// Rewrites each `scf.for` in `root` that is unsigned, or whose counter may
/// wrap where the loop ends, to a signed loop that computes with more bits or
/// counts its iterations. So neither the analyses of level IR nor the targets
/// need to support such loops.
void makeLoopsExact(Operation *root);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_CONVERSION_OBSTOSCF_EXACTLOOPS_H
