//===- Scalars.h - Elementwise operations of StableHLO ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations are not registered, so nothing of them was verified.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_STABLEHLO_SCALARS_H
#define OBSIDIAN_LIB_FRONTEND_STABLEHLO_SCALARS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::obs::stablehlo {

/// The type of elements in obs for those of a tensor; null if there is none.
/// Signedness belongs to operations there.
Type convertElement(Type type);
/// The element type of a tensor; null for other types.
Type getElement(Value value);

/// True if `op` is an operation on elements that this file knows.
bool isScalarOp(Operation *op);
/// True if the host can compute it.
bool isHostOp(Operation *op);
/// Emits an error unless the operands, element types and attributes of a known
/// operation are valid. Shapes are the caller's.
LogicalResult verifyScalarOp(Operation *op);
/// Builds a verified operation for elements.
Value buildScalarOp(ImplicitLocOpBuilder &b, Operation *op, ValueRange x);
/// A value of element type `from` of tensors, as one of `to`.
Value convertScalar(ImplicitLocOpBuilder &b, Value x, Type from, Type to);
/// True if `op` combines two elements and their order does not matter.
bool isCommutative(Operation *op);

/// The text of an attribute of the dialect, which is not registered; empty if
/// there is none.
StringRef getText(Operation *op, StringRef name);

} // namespace mlir::obs::stablehlo

#endif // OBSIDIAN_LIB_FRONTEND_STABLEHLO_SCALARS_H
