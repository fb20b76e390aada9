//===- LanePatterns.h - Reads between the lanes of a warp -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_LANEPATTERNS_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_LANEPATTERNS_H

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::obs {

/// The pattern of lanes from which the lanes of a warp read a value.
struct LanePattern {
  enum class Kind {
    Identity,
    Broadcast,
    Xor,
    Rotate,
    Up,
    Down,
    Exchange,
    Indexed
  };
  Kind kind;
  /// The lane of a broadcast, the mask of an xor, or the distance: lane l
  /// reads (l + distance) mod 32 in a rotation, l - distance in an up shift,
  /// l + distance in a down shift. In an exchange, some lanes read their own
  /// value, and the others read as in an xor.
  unsigned amount = 0;
  /// The bit of the lane that decides on this in an exchange: lanes in which it
  /// has the value `own` read their own value.
  unsigned bit = 0;
  bool own = false;
};

/// `sources[l]` is the lane that lane l reads, or -1 if any lane is correct.
LanePattern classifyLanes(llvm::ArrayRef<int> sources);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_LANEPATTERNS_H
