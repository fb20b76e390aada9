//===- ForwardOwned.h - Elements that their writers read --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last array of a scan is read by the threads that wrote it, but for one
// element, which is the total. It is split: what a thread reads of its own is
// an array that can live in registers, and what others read is a small one.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_FORWARDOWNED_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_FORWARDOWNED_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// Splits the arrays of the block, without a home, of which other threads than
/// the writers read at most an eighth. `threads` threads run the kernel.
void forwardOwnedElements(KernelOp kernel, int64_t threads);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_FORWARDOWNED_H
