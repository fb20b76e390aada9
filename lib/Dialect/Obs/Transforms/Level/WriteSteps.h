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
// loop in the body stays one loop, which computes for all steps in each
// iteration.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WRITESTEPS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WRITESTEPS_H

#include "OwnedArrays.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::obs {

/// Marks `access`, a load or store with one index, as one that reaches element
/// `elements[s]` in step s of its leaf.
void markSteps(Operation *access, ArrayRef<int64_t> elements);

/// True if `leaf` contains an access with such a mark.
bool hasMarkedSteps(scf::ForallOp leaf);

/// Numbers the stores of `leaf` that have a contract, with `obs.origin`, before
/// its steps are written one by one: what a store promises, it promises
/// together with its copies. `nextOrigin` counts.
void numberOrigins(scf::ForallOp leaf, int64_t &nextOrigin);

/// Writes the steps of `leaf` for the thread of number `thread` at the
/// insertion point. The leaf stays.
void writeSteps(OpBuilder &builder, scf::ForallOp leaf, const LeafSteps &spread,
                Value thread);

/// Writes `body` once for each of several iterations, side by side, at the
/// insertion point. `copies` has, for the counter and for results in the body
/// that are there already, one value for each of the iterations.
void writeSideBySide(OpBuilder &builder, Block &body,
                     const llvm::MapVector<Value, SmallVector<Value>> &copies);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WRITESTEPS_H
