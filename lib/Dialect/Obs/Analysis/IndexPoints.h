//===- IndexPoints.h - The points of a box ----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_ANALYSIS_INDEXPOINTS_H
#define OBSIDIAN_LIB_DIALECT_OBS_ANALYSIS_INDEXPOINTS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"

namespace mlir::obs {

/// The number of points of a box; nullopt if it is over the budget.
inline std::optional<uint64_t> countPoints(llvm::ArrayRef<int64_t> domain) {
  uint64_t points = 1;
  for (int64_t extent : domain) {
    if (extent <= 0)
      return 0;
    if (uint64_t(extent) > indexEnumerationBudget ||
        (points *= extent) > indexEnumerationBudget)
      return std::nullopt;
  }
  return points;
}

/// Moves to the next point of a box, last dimension fastest. False after the
/// last point.
inline bool advance(llvm::SmallVectorImpl<int64_t> &point,
                    llvm::ArrayRef<int64_t> domain) {
  for (unsigned i = domain.size(); i-- > 0;) {
    if (++point[i] < domain[i])
      return true;
    point[i] = 0;
  }
  return false;
}

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_ANALYSIS_INDEXPOINTS_H
