//===- ArrayCost.h - What the arrays of a kernel take -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_ARRAYCOST_H
#define OBSIDIAN_LIB_REPORTS_ARRAYCOST_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// Bytes of an element of this type in memory.
int64_t getElementBytes(Type type);

/// Writes what the arrays of `kernel`, in level IR after `obs-plan-shared`,
/// take of registers and shared memory, and while what code runs.
void reportArrays(KernelOp kernel, raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_ARRAYCOST_H
