//===- HostPlan.h - Launches of a host function -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTPLAN_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs {

/// Emits a remark that counts the launches, memsets, copies and buffers of
/// `function`, whose kernels are outlined. A note for each of them, in order,
/// names the arrays that a kernel reads and writes, or the size of a buffer.
void reportPlan(func::FuncOp function);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTPLAN_H
