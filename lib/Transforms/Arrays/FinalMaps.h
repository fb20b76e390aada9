//===- FinalMaps.h - Maps of combined elements ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_ARRAYS_FINALMAPS_H
#define OBSIDIAN_LIB_TRANSFORMS_ARRAYS_FINALMAPS_H

#include "mlir/IR/Operation.h"

namespace mlir::obs {

/// If a map of push arrays changes elements that writes of contract `reduce`
/// combine, every program below `root` first forces the combined elements. The
/// map becomes a map of pull arrays. Collectives must be expanded before.
void forceBeforeMaps(Operation *root);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_ARRAYS_FINALMAPS_H
