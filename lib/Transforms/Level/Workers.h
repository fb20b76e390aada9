//===- Workers.h - The threads that run a kernel ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_WORKERS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_WORKERS_H

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// The threads of a block.
struct Workers {
  /// The threads over which loops over the threads of the block are
  /// distributed.
  int64_t threads;
  /// The threads that are launched: whole warps if the kernel uses warps.
  int64_t launched;
};

/// The workers of `kernel` after `obs-set-launch`. Before it, the maximum
/// number of workers of a block.
Workers getWorkers(KernelOp kernel);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_WORKERS_H
