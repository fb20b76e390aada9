//===- InPlaceFills.h - Programs that may write what they read --*- C++ -*-===//
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
  /// If they are one parameter, so that barriers order the accesses of the
  /// threads of a block or warp.
  OneParameter,
  /// The thread that writes an element has read it before, and no other one
  /// does: two pointers may be to the same memory.
  OwnElements
};

/// The only loop of `fill`, with nothing else in it that does anything; null if
/// there is another form.
ParOp getOnlyLoop(FillOp fill);

/// Whether `fill` has the same result if it writes the memory of `arrays`,
/// names of one array of the same extents, which it reads.
InPlace mayFillInPlace(FillOp fill, ArrayRef<Value> arrays);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INPLACEFILLS_H
