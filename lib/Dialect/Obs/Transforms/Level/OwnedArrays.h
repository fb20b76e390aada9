//===- OwnedArrays.h - Arrays of blocks in registers ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array of a block needs no memory if every element is written and read by
// one thread only, as accumulators are: each thread keeps its element in a
// register. The two slots of a ring are one register then, since the thread has
// read the old element when it writes the new one.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_OWNEDARRAYS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_OWNEDARRAYS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// True for an array of a block, with no home or registers asked for, of which
/// each thread uses at most one element, and no other thread that element.
bool isOwned(memref::AllocOp alloc, int64_t threads);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_OWNEDARRAYS_H
