//===- IntegerRanges.h - Ranges of upstream that are wrong ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INTEGERRANGES_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INTEGERRANGES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace mlir::obs {

/// True if the range that `op` infers from the ranges of its operands does not
/// contain its result. Upstream's `arith.ceildivsi` takes the least number, if
/// it is the dividend, for a number without a sign.
inline bool hasWrongRange(Operation *op, ArrayRef<ConstantIntRanges> operands) {
  return isa<arith::CeilDivSIOp>(op) &&
         operands.front().smin().isMinSignedValue();
}

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INTEGERRANGES_H
