//===- Arithmetic.h - The operations of a loop over threads -----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_ARITHMETIC_H
#define OBSIDIAN_LIB_REPORTS_ARITHMETIC_H

#include "CodeModel.h"

namespace mlir::obs {

/// Operations by kind. Conversions and constants are not counted.
struct Arithmetic {
  /// Operations on values that are stored: on floats, functions of floats (such
  /// as sines and roots), and on integers.
  Count floats, functions, integers;
  /// Operations for addresses and conditions.
  Count indices;

  Arithmetic &operator+=(const Arithmetic &other);
  /// "2 float and 5 index operations", or "no operations".
  std::string str() const;
};

/// The operations that one execution of `scope` runs: the loop of `model`, or
/// an operation around it.
Arithmetic getArithmetic(CodeModel &model, Operation *scope);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_ARITHMETIC_H
