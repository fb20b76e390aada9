//===- ForwardOwned.h - Elements that only their writers read ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads that wrote the last array of a scan read it, except for one
// element, the total. The pass splits such an array. The elements that their
// own threads read are an array that can be in registers. The elements that
// other threads read are a small array.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_FORWARDOWNED_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_FORWARDOWNED_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// Splits the arrays of the block, without a home, of which threads other than
/// the writers read at most an eighth. `threads` threads run the kernel.
void forwardOwnedElements(KernelOp kernel, int64_t threads);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_FORWARDOWNED_H
