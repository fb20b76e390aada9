//===- DisjointWrites.h - Proofs of the contract disjoint -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_DISJOINTWRITES_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_DISJOINTWRITES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

/// True if the algebra of index maps proves that no two writes of `fill` have
/// the same element. Writes with another contract or a mark of their own are
/// ignored.
bool provesDisjointWrites(FillOp fill);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_DISJOINTWRITES_H
