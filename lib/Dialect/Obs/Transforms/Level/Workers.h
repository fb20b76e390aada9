//===- Workers.h - The threads that run a kernel ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WORKERS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WORKERS_H

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// The threads of a block.
struct Workers {
  /// Those that loops over the threads of the block are spread over.
  int64_t threads;
  /// Those that run: in a kernel with warp-level code, whole warps.
  int64_t launched;
};

/// The workers of `kernel`, after `obs-set-launch`; before it, as many as a
/// block can have.
Workers getWorkers(KernelOp kernel);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_WORKERS_H
