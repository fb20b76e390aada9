//===- ScalarsInC.h - Types and scalar operations in C ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TARGET_SCALARSINC_H
#define OBSIDIAN_LIB_TARGET_SCALARSINC_H

#include "mlir/IR/Operation.h"

namespace mlir::obs {

/// The type of C99 for a scalar or an array, which is unsigned if so asked and
/// an integer. Empty if there is none.
std::string getCType(Type type, bool isUnsigned = false);

/// The result of `op`, an operation of `arith` or `math`, as an expression of
/// C99, <math.h> and the functions of HostCPrelude.inc. `operand` names the
/// variables that hold the operands. A result that the dialects define is
/// defined in C, with the same value. Empty if C has no such operation.
std::string printInC(Operation *op, function_ref<std::string(Value)> operand);

/// Whether `name` is a function that those expressions may call.
bool isMathFunction(StringRef name);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TARGET_SCALARSINC_H
