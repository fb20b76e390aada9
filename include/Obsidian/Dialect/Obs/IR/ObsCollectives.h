//===- ObsCollectives.h - Reductions and scans ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVES_H
#define OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs::detail {
/// Emits `[collective-order]` if small numbers show that the operator of a
/// collective is not associative, unless one worker combines all elements in
/// order. For an operation with a valid region.
LogicalResult verifyAssociative(Operation *op);
} // namespace mlir::obs::detail

#include "Obsidian/Dialect/Obs/IR/ObsCollectiveInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsCollectiveOps.h.inc"

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVES_H
