//===- LeafIndices.h - Accesses of loops over threads -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_LEAFINDICES_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_LEAFINDICES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {

/// The number, in an array with the extents `shape`, of the element that
/// `indices` are in each iteration of `leaf`, whose extent is static: -1 where
/// they are none of the array, which then does not happen. Nothing if they
/// depend on more than the iteration.
std::optional<SmallVector<int64_t>> evaluateIndices(scf::ForallOp leaf,
                                                    ValueRange indices,
                                                    ArrayRef<int64_t> shape,
                                                    scf::ForOp warps = {});

/// The loop over the warps of a block around `leaf`, a loop over all lanes of a
/// warp, if each of the warps that `threads` threads are has at most one turn
/// of it; else null.
scf::ForOp getOneTurn(scf::ForallOp leaf, int64_t threads);

/// True if `access`, which reaches `elements` in the iterations of `leaf`,
/// reaches none of the array in an iteration that certainly runs it. Such an
/// array stays in memory, so that the emulator sees the mistake.
bool reachesOutside(Operation *access, scf::ForallOp leaf,
                    ArrayRef<int64_t> elements);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_LEAFINDICES_H
