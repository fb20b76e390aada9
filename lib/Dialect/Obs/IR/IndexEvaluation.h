//===- IndexEvaluation.h - Run index arithmetic on numbers ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reindex region over constants is a function from numbers to numbers. These
// classes run it, which decides rule R5 for small domains by enumeration.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_IR_INDEXEVALUATION_H
#define OBSIDIAN_LIB_DIALECT_OBS_IR_INDEXEVALUATION_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::obs {

/// A straight-line region of integer `arith` and `obs.bit` operations, compiled
/// to a list of steps over numbered slots.
class IndexFunction {
public:
  /// Compiles the single block of `body`, or gives nullopt if an operation or a
  /// value from outside is not known at compile time.
  static std::optional<IndexFunction> compile(Region &body);

  /// The yielded numbers (sign-extended from their types) for one number per
  /// block argument, or nullopt where the arithmetic is undefined (division by
  /// zero, shift by the width or more). The result is valid until the next
  /// call.
  std::optional<ArrayRef<int64_t>> run(ArrayRef<int64_t> arguments);

private:
  /// Computes one value from its operands; false where it is undefined. `data`
  /// is a number known when compiling, such as a predicate or a width.
  using Evaluate = bool (*)(const uint64_t *operands, unsigned width,
                            uint64_t data, uint64_t &result);
  struct Step {
    Evaluate evaluate;
    /// Bits of the first operand.
    unsigned width;
    /// Bits of the result.
    unsigned resultWidth;
    uint64_t data;
    SmallVector<unsigned, 3> operands;
  };

  unsigned numArguments = 0;
  SmallVector<unsigned> argumentWidths;
  SmallVector<Step> steps;
  SmallVector<unsigned> yields;
  SmallVector<unsigned> yieldWidths;
  /// Arguments, then constants, then the results of the steps, zero-extended.
  SmallVector<uint64_t> slots;
  unsigned firstStepSlot = 0;
  SmallVector<int64_t> results;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_IR_INDEXEVALUATION_H
