//===- SignedLoops.h - Loops that compare with signs ------------*- C++ -*-===//
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

/// Replaces each `scf.for unsigned` inside of `root` by a loop over the number
/// of its iteration, from 0 in steps of 1: no analysis of level IR needs to
/// know loops without signs.
void makeLoopsSigned(Operation *root);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_CONVERSION_OBSTOSCF_SIGNEDLOOPS_H
