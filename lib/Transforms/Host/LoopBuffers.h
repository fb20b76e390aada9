//===- LoopBuffers.h - Memory of arrays that loops pass on ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_LOOPBUFFERS_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_LOOPBUFFERS_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::obs {

/// If the extents of arrays that iterations of `loop` store and pass on have a
/// maximum that is known before the loop, allocates their memory before the
/// loop. This includes arrays in inner loops and branches. Returns the loop,
/// which may be a new operation.
LoopLikeOpInterface planLoop(LoopLikeOpInterface loop);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_LOOPBUFFERS_H
