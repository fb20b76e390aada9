//===- FinalMaps.h - Maps of what writes combine ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_FINALMAPS_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_FINALMAPS_H

#include "mlir/IR/Operation.h"

namespace mlir::obs {

/// Every program that runs below `root` forces first what writes of contract
/// `reduce` combine and a map of push arrays then changes; the map becomes one
/// of pull arrays. Collectives are expanded before.
void forceBeforeMaps(Operation *root);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_FINALMAPS_H
