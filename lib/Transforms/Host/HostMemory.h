//===- HostMemory.h - Memory of host code -----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTMEMORY_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTMEMORY_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs {

/// True if `function` runs on the host: it is not a function of a level.
bool isHostFunction(func::FuncOp function);

/// The forces of `function` that are kernels, in order.
SmallVector<ForceOp> getHostForces(func::FuncOp function);

/// The memrefs, one for each element type, that hold an array of type `type` in
/// device memory.
SmallVector<Type> getMemoryTypes(PullType type);

/// The values that `memory`, a memref of a host function, can be, or can be a
/// part of: the operands of views and choices, and the values that loops and
/// branches pass on. Empty for arguments of functions and allocations.
SmallVector<Value> getMemorySources(Value memory);

/// The last operation of `block` that uses `memory` or a view of it, but not
/// before `last`. Null if the memory leaves the block, or if the program frees
/// it.
Operation *getLastUse(Value memory, Block *block, Operation *last);

/// The first operation in the block of `memory` that uses elements of it, after
/// `after` if it is given; null if there is none.
Operation *getFirstUse(Value memory, Operation *after = nullptr);

/// True if the same computation has both numbers as its result.
bool areEqualNumbers(Value a, Value b);

/// An attribute of a `gpu.alloc`: the number of arrays that use it, one after
/// the other.
constexpr StringLiteral arraysAttrName = "obs.arrays";

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTMEMORY_H
