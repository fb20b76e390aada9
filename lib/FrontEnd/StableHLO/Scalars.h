//===- Scalars.h - Elementwise operations of StableHLO ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations are not registered, so MLIR has not verified them.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_STABLEHLO_SCALARS_H
#define OBSIDIAN_LIB_FRONTEND_STABLEHLO_SCALARS_H

#include "Obsidian/FrontEnd/ScalarBuilder.h"

namespace mlir::obs::stablehlo {

/// The element type of a tensor; null for other types.
Type getElement(Value value);
/// True for elements that operations compute as numbers without a sign.
bool isUnsigned(Type element);
/// The text of an attribute of the dialect, which is not registered; empty if
/// the operation does not have it.
StringRef getText(Operation *op, StringRef name);

/// True if this file supports the elementwise operation `op`.
bool isScalarOp(Operation *op);
/// True if the host can compute it.
bool isHostOp(Operation *op);
/// Emits an error unless the operands, element types and attributes of a
/// supported operation are valid. The caller checks shapes.
LogicalResult verifyScalarOp(Operation *op);
/// Builds a verified operation on elements.
Value buildScalarOp(ScalarBuilder &b, Operation *op, ValueRange x);
/// Converts a value from the element type `from` of tensors to `to`.
Value convertScalar(ScalarBuilder &b, Value x, Type from, Type to);
/// True if the function of the block is one operation that combines the two
/// arguments, whose order does not matter.
bool isCommutative(Block &block);

} // namespace mlir::obs::stablehlo

#endif // OBSIDIAN_LIB_FRONTEND_STABLEHLO_SCALARS_H
