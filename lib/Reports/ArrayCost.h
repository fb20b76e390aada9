//===- ArrayCost.h - What the arrays of a kernel take -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_ARRAYCOST_H
#define OBSIDIAN_LIB_REPORTS_ARRAYCOST_H

#include "Source.h"

namespace mlir::obs {

/// Writes what the arrays of `kernel`, in level IR after `obs-plan-shared`,
/// take of registers and shared memory, while what code runs, and which of them
/// operations of the source, such as collectives, made for themselves.
void reportArrays(KernelOp kernel, const Source &source, raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_ARRAYCOST_H
