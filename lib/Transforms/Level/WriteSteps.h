//===- WriteSteps.h - Leaf loops without a loop -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf loop whose steps use different registers is replaced by one copy of
// its body for each step. Iterations may run in any order, so the copies of
// each operation are neighbours. Operations that are equal in all steps exist
// once. A loop in the body stays one loop, whose body contains all steps. So
// does a branch whose condition is the same in all steps.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_WRITESTEPS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_WRITESTEPS_H

#include "OwnedArrays.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::obs {

/// Marks `access`, a load or store with one index, as one that reaches element
/// `elements[s]` in step s of its leaf.
void markSteps(Operation *access, ArrayRef<int64_t> elements);

/// True if `leaf` contains an access with such a mark.
bool hasMarkedSteps(scf::ForallOp leaf);

/// Numbers the stores of `leaf` that have a contract, with `obs.origin`, before
/// its steps are unrolled: the contract of a store also covers its copies.
/// `nextOrigin` counts.
void numberOrigins(scf::ForallOp leaf, int64_t &nextOrigin);

/// Builds the steps of `leaf` for thread `thread` at the insertion point. The
/// leaf is not removed.
void writeSteps(OpBuilder &builder, scf::ForallOp leaf, const LeafSteps &spread,
                Value thread);

/// Builds copies of `body` for several iterations at the insertion point,
/// operation by operation. `copies` contains one value for each iteration: for
/// the counter, and for results in the body that exist already.
void writeSideBySide(OpBuilder &builder, Block &body,
                     const llvm::MapVector<Value, SmallVector<Value>> &copies);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_WRITESTEPS_H
