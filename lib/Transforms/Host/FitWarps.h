//===- FitWarps.h - The number of warps whose arrays fit --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_FITWARPS_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_FITWARPS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// The largest number of threads, at most `threads`, whose blocks have room for
/// the arrays of each warp in `limit` bytes of shared memory. If there is none,
/// the result is that of one warp: then `obs-plan-shared` reports what even one
/// warp needs.
int64_t fitWarps(KernelOp kernel, int64_t threads, int64_t limit);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_FITWARPS_H
