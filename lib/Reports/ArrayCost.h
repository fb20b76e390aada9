//===- ArrayCost.h - Registers and memory of arrays -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_ARRAYCOST_H
#define OBSIDIAN_LIB_REPORTS_ARRAYCOST_H

#include "Source.h"

namespace mlir::obs {

/// Writes the registers and the shared memory of the arrays of `kernel`, in
/// level IR after `obs-plan-shared`: the code in which each array is live, and
/// the arrays of operations of the source, such as collectives. Adds the arrays
/// to `data`.
void reportArrays(KernelOp kernel, const Source &source, raw_ostream &os,
                  llvm::json::Object &data);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_ARRAYCOST_H
