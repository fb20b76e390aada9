//===- RowLevels.h - Rows that one thread processes -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_ROWLEVELS_H
#define OBSIDIAN_LIB_FRONTEND_ROWLEVELS_H

#include <cstdint>

namespace mlir::obs {

/// A thread has a row of up to `shortRow` elements. It also folds rows of up to
/// `stagedRow` elements and scans rows of up to `stagedScan`, if they are at
/// least `manyRows`: blocks copy them to shared memory (`obs-stage-rows`).
constexpr int64_t shortRow = 16, stagedRow = 64, stagedScan = 128,
                  manyRows = 1 << 15;

/// True if a thread processes a row of `length` elements, of `count` rows. A
/// negative count is not known. `longest` is the limit for many rows.
inline bool isRowOfThread(int64_t length, int64_t count,
                          int64_t longest = stagedRow) {
  bool areMany = count < 0 || count >= manyRows;
  return length <= (areMany ? longest : shortRow);
}

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_FRONTEND_ROWLEVELS_H
