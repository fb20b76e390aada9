//===- HostArrays.h - Arrays of host code become memrefs --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTARRAYS_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTARRAYS_H

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs {

/// The memrefs, one for each element type, that hold an array of type `type` in
/// device memory.
SmallVector<Type> getMemoryTypes(PullType type);

/// The values that `memory`, a memref of a host function, can be, or can be a
/// part of: the operands of views and choices, and the values that loops and
/// branches pass on. Empty for arguments of functions and allocations.
SmallVector<Value> getMemorySources(Value memory);

/// Replaces pull arrays by memrefs in arguments, results and carried values of
/// `function`. Every incoming array becomes an `obs.view`. An
/// `unrealized_conversion_cast` converts an array that is returned or passed on
/// to its memory. Fails if an array is returned or carried and is not in
/// memory.
LogicalResult convertHostArrays(func::FuncOp function);

/// If a force of `function` only copies a stored array, and no operation writes
/// the memory of the stored array afterwards, replaces the results of the force
/// by the stored array.
void dropCopies(func::FuncOp function);

/// Replaces the casts by the memory of the views that they cast. Replaces reads
/// of views by copies of one element, and their extents by `memref.dim`.
LogicalResult finishHostArrays(func::FuncOp function);

/// Frees every `gpu.alloc` of `function` after its last use, unless it leaves
/// its block.
void insertDeallocations(func::FuncOp function);

/// The last operation of `block` that uses `memory` or a view of it, but not
/// before `last`. Null if the memory leaves the block, or if the program frees
/// it.
Operation *getLastUse(Value memory, Block *block, Operation *last);

/// The first operation in the block of `memory` that uses elements of it, after
/// `after` if it is given; null if there is none.
Operation *getFirstUse(Value memory, Operation *after = nullptr);

/// True if the same computation has both numbers as its result.
bool areEqualNumbers(Value a, Value b);

/// Reuses memory for arrays of the same type and extents. An array can use the
/// memory of an array that was freed before it in the same block, or of an
/// array that its kernel is the last to read, if the kernel may run in place.
void reuseBuffers(func::FuncOp function);

/// Moves computations that are equal in every iteration out of the loops of
/// `function`, for example extents of carried arrays.
void prepareLoops(func::FuncOp function);

/// Allocates the memory of carried arrays outside of the loop. The number of
/// buffers is the number of arrays that are live at the same time; it is
/// smaller if kernels may run in place.
void planLoops(func::FuncOp function);

/// Moves allocations that a loop allocates and frees in every iteration out of
/// the loop.
void hoistFromLoops(func::FuncOp function);

/// An attribute of a `gpu.alloc` until the plan is reported: the number of
/// arrays that use it, one after the other.
constexpr StringLiteral arraysAttrName = "obs.arrays";

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTARRAYS_H
