//===- Expressions.h - Scalars of the host as text --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TARGET_EXPRESSIONS_H
#define OBSIDIAN_LIB_TARGET_EXPRESSIONS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::obs {

/// The scalar operation `op`, of `arith` or `math`, as an expression over what
/// `operand` calls its operands, in the language of docs/Interop.md. Empty if
/// that has no word for it.
std::string expressScalar(Operation *op,
                          function_ref<std::string(Value)> operand);

/// A constant as such an expression; empty if it is no number.
std::string expressConstant(Attribute constant);

/// The array that a view of it, or a pointer to it, comes from.
Value getViewedArray(Value value);

/// The same, but a part of an array that need not begin where the array does is
/// one of its own.
Value getArrayFromStart(Value value);

/// The name in the program of `value`, a parameter or a result of a host
/// function: its `obs.name`. Empty if it has none, or one that expressions have
/// a use for.
StringRef getGivenName(Value value);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TARGET_EXPRESSIONS_H
