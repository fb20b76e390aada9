//===- RowLeaves.h - Loops that follow the rows of warps --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps that combine an array by rows (the strategy `rows`) read it in a fixed
// order: lane l of warp w reads the same few neighbours in each row of the
// warp. If all other loops over the elements have the same order, each element
// belongs to one thread, and the array can be in registers. One access then
// reads all neighbours from global memory.
//
// The same order is for arrays that no warp combines, but that a loop copies
// from global memory with wide accesses.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_ROWLEAVES_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_ROWLEAVES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::obs {

/// True if the array of `alloc`, an array of a block, is used only by loops
/// with one iteration for each element.
bool isCopied(memref::AllocOp alloc, int64_t threads);

/// Rewrites the loops over the elements of arrays that warps read by rows, or
/// that a loop with `obs.items` copies. They
/// become loops over threads, with the elements of a thread side by side. The
/// loops in `asked` do not change.
void writeRowLeaves(KernelOp kernel, int64_t threads,
                    const llvm::SmallPtrSet<Operation *, 4> &asked);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_ROWLEAVES_H
