//===- LoopBuffers.h - Memory of arrays that loops pass on ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_LOOPBUFFERS_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_LOOPBUFFERS_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::obs {

/// Gives arrays that iterations of `loop` make and pass on, in inner loops and
/// branches, too, memory from outside of it, where their extents have a maximum
/// that is known before. Returns the loop, which may be another operation.
LoopLikeOpInterface planLoop(LoopLikeOpInterface loop);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_LOOPBUFFERS_H
