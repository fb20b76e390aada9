//===- InMemory.h - Arrays of host code that are in memory ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_INMEMORY_H
#define OBSIDIAN_DIALECT_OBS_IR_INMEMORY_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::obs {

/// True if the host executes `function`: it is no function of a level.
bool isHostFunction(func::FuncOp function);

/// True for control flow that may pass on arrays: `scf.for`, `scf.while` and
/// `scf.if`.
bool isControlFlow(Operation *op);

/// Canonicalizes the control flow in `root` for which `isChosen` is true.
void simplifyControlFlow(Operation *root,
                         llvm::function_ref<bool(Operation *)> isChosen);

/// True if a read of an array that `choice` returns can be replaced by a choice
/// between reads: no array is stored in the branches of `choice`, and no loop
/// in them carries arrays.
bool isVirtualChoice(scf::IfOp choice);

/// True if `array`, of a host function, is in memory after its force is
/// outlined. This holds for storage; a part of it with consecutive elements;
/// its elements with other extents; components of an array of tuples; several
/// arrays zipped to one; and a choice between arrays in memory. No copy is
/// needed to pass such an array on.
bool isInMemory(Value array);

/// The dimension of `array` whose neighbours are neighbours in memory; none if
/// the array has one element, or is no view of an array in memory and no
/// function of the elements of such a view.
std::optional<unsigned> findInnermost(Value array);

/// The owner and the storage of an array of level IR; null for other memory.
HomeAttr getHome(Value memory);

/// The memory of which `memory` is a cast, a view or a part.
Value getUnderlyingMemory(Value memory);

/// The arrays that `value` may be, if it is a block argument or result of an
/// `scf.for`, or a result of an `scf.if`; empty for other values.
SmallVector<Value> getPossibleArrays(Value value);

/// The memory of which `array` is a view or the result of a force `into`; empty
/// for other arrays.
ValueRange getViewedMemory(Value array);

/// Emits `[memref-dim]` if `dim` names a dimension that its memory does not
/// have. MLIR's canonicalization of such operations crashes.
LogicalResult verifyDimension(memref::DimOp dim);

/// True if `array` is always a view of `memory`, whole and in this order, or
/// the result of a force into it.
bool isContentsOf(Value array, ValueRange memory);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_INMEMORY_H
