//===- WriteSteps.h - Leaf loops without a loop -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf loop whose steps use different registers has a copy of its body for
// each step. Iterations may run in any order, so the copies go side by side,
// operation by operation: what they have in common stands there once, and a
// loop in the body stays one loop, which computes for all steps in each turn.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WRITESTEPS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WRITESTEPS_H

#include "OwnedArrays.h"

namespace mlir::obs {

/// Marks `access`, a load or store with one index, as one that reaches element
/// `elements[s]` in step s of its leaf.
void markSteps(Operation *access, ArrayRef<int64_t> elements);

/// True if `leaf` contains an access with such a mark.
bool hasMarkedSteps(scf::ForallOp leaf);

/// Writes the steps of `leaf` for the thread of number `thread` at the
/// insertion point. The leaf stays. What a store with a contract promises, it
/// promises together with its copies: they get one number as `obs.origin`,
/// which `nextOrigin` counts.
void writeSteps(OpBuilder &builder, scf::ForallOp leaf, const LeafSteps &spread,
                Value thread, int64_t &nextOrigin);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WRITESTEPS_H
