//===- HostArrays.h - Arrays of host code become memrefs --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_HOSTARRAYS_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_HOSTARRAYS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs {

/// The memrefs, one for each element type, that hold an array of type `type` in
/// device memory.
SmallVector<Type> getMemoryTypes(PullType type);

/// True if reading an array that `choice` gives may choose in its place:
/// nothing is made in its arms, and no loop in them passes arrays on.
bool isVirtualChoice(scf::IfOp choice);

/// True if `array`, of a host function, is in memory once the force that makes
/// it is outlined: storage, a part of it whose elements stand one after the
/// other, its elements under other extents, some of the arrays of a tuple
/// array, arrays put together to one, or a choice between arrays in memory.
/// Passing it on copies nothing.
bool isInMemory(Value array);

/// The values that `memory`, a memref of a host function, can be, or be a part
/// of: the operands of views and choices, what loops and branches pass on.
/// Empty for arguments of functions and allocations.
SmallVector<Value> getMemorySources(Value memory);

/// Gives arguments, results and carried values of `function` memrefs in place
/// of pull arrays. Every array that came in becomes an `obs.view`; where an
/// array goes out stands an `unrealized_conversion_cast` from it to its memory.
/// Fails on an array that is returned or carried and is not in memory.
LogicalResult convertHostArrays(func::FuncOp function);

/// Replaces the results of forces of `function` that only copy an array which
/// the program has stored by that array, if nothing writes its memory
/// afterwards.
void dropCopies(func::FuncOp function);

/// Replaces the casts by the memory of the views that they cast, and reads and
/// extents of views by copies of one element and `memref.dim`.
LogicalResult finishHostArrays(func::FuncOp function);

/// Frees every `gpu.alloc` of `function` after its last use, unless it leaves
/// its block.
void insertDeallocations(func::FuncOp function);

/// The operation of `block`, `last` or a later one, behind which nothing in it
/// uses `memory` or a view of it; null if it leaves the block, or is freed by
/// the program.
Operation *getLastUse(Value memory, Block *block, Operation *last);

/// The first operation behind `after`, if that is given, in the block of
/// `memory` that uses elements of it; null if there is none.
Operation *getFirstUse(Value memory, Operation *after = nullptr);

/// True if the same computation gives both numbers.
bool areEqualNumbers(Value a, Value b);

/// Gives an array the memory of one that was freed before it in the same block,
/// or dies in the kernel that makes it and may run in place, if both have the
/// same type and extents.
void reuseBuffers(func::FuncOp function);

/// Takes what loops of `function` compute in every iteration, extents of
/// carried arrays among it, to the outside of them.
void prepareLoops(func::FuncOp function);

/// Gives arrays that loops carry memory from outside of the loop: as many
/// buffers as there are arrays at the same time, fewer where kernels may run in
/// place.
void planLoops(func::FuncOp function);

/// Allocates memory once that a loop allocates and frees in every iteration.
void hoistFromLoops(func::FuncOp function);

/// On a `gpu.alloc`, until the plan is reported: how many arrays it holds, one
/// after the other.
constexpr StringLiteral arraysAttrName = "obs.arrays";

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_HOSTARRAYS_H
