//===- OuterLoops.h - Loops around forces in kernels ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OUTERLOOPS_H
#define OBSIDIAN_DIALECT_OBS_IR_OUTERLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::obs {

/// On a loop of a kernel: its number among those with the attribute.
constexpr llvm::StringLiteral loopAttrName = "obs.loop";

/// On a write with a contract: the numbers of the loops around the force that
/// runs it. Each iteration of these loops runs a force of its own, and the
/// contract covers the writes of one force.
constexpr llvm::StringLiteral outerLoopsAttrName = "obs.outer_loops";

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_OUTERLOOPS_H
