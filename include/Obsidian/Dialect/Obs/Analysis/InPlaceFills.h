//===- InPlaceFills.h - Fills that may run in place -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INPLACEFILLS_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INPLACEFILLS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {

enum class InPlace {
  No,
  /// Allowed if both arrays are one parameter. Barriers then order the accesses
  /// of the threads of a block or warp.
  OneParameter,
  /// Allowed also for two pointers to the same memory: only the thread that
  /// writes an element reads it, before the write.
  OwnElements
};

/// The only loop of `fill`, if nothing else in it has an effect; null
/// otherwise.
ParOp getOnlyLoop(FillOp fill);

/// Decides whether `fill` has the same result if it writes the memory of
/// `arrays`, which it reads. `arrays` are names of one array of the same
/// extents.
InPlace mayFillInPlace(FillOp fill, ArrayRef<Value> arrays);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INPLACEFILLS_H
