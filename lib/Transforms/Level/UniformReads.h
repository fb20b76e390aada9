//===- UniformReads.h - Reads of one address by a warp ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_UNIFORMREADS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_UNIFORMREADS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// True if the lanes of a warp that execute `load` at the same time are known
/// to read the same element, in blocks of `threads` threads.
bool isUniformOverWarps(memref::LoadOp load, int64_t threads);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_UNIFORMREADS_H
