//===- SignedLoops.h - Loops with signed comparisons ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_CONVERSION_OBSTOSCF_SIGNEDLOOPS_H
#define OBSIDIAN_LIB_CONVERSION_OBSTOSCF_SIGNEDLOOPS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::obs {

/// Replaces each `scf.for unsigned` in `root` by a loop over the number of its
/// iteration, from 0 in steps of 1. So analyses of level IR need not support
/// unsigned loops.
void makeLoopsSigned(Operation *root);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_CONVERSION_OBSTOSCF_SIGNEDLOOPS_H
