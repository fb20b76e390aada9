//===- LeafIndices.h - Accesses of loops over threads -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_LEAFINDICES_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_LEAFINDICES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {

/// The number of the element at `indices`, in an array with the extents
/// `shape`, for each iteration of `leaf`, whose extent is static. It is -1 if
/// the indices are outside of the array; such an iteration does not execute the
/// access. Empty if the indices depend on more than the iteration, or there are
/// more iterations than `maxBlockElements`.
std::optional<SmallVector<int64_t>> evaluateIndices(scf::ForallOp leaf,
                                                    ValueRange indices,
                                                    ArrayRef<int64_t> shape,
                                                    scf::ForOp warps = {});

/// The loop over the warps of a block around `leaf`, a loop over all lanes of a
/// warp. Null if one of the warps of `threads` threads executes more than one
/// iteration of it.
scf::ForOp getOneTurn(scf::ForallOp leaf, int64_t threads);

/// True if `access`, which reaches `elements` in the iterations of `leaf`, is
/// outside of the array in an iteration that certainly executes it. Such an
/// array stays in memory, so that the emulator reports the error.
bool reachesOutside(Operation *access, scf::ForallOp leaf,
                    ArrayRef<int64_t> elements);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_LEAFINDICES_H
