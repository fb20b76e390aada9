//===- HostMemory.h - Memory of host code -----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTMEMORY_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTMEMORY_H

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs {

/// The forces of `function` that are kernels, in order.
SmallVector<ForceOp> getHostForces(func::FuncOp function);

/// The memrefs, one for each element type, that hold an array of type `type` in
/// device memory.
SmallVector<Type> getMemoryTypes(PullType type);

/// The operation that defines `value`, as a result or as an argument of a
/// region.
Operation *getMaker(Value value);

/// The values that `value` can be: the operands of a choice, or the values that
/// loops and branches pass on. Empty for other values.
SmallVector<Value> getPassed(Value value);

/// The values that can be the value of `use`, an operand of a choice, a loop, a
/// branch or the end of one. Empty for other operations.
SmallVector<Value> getReceivers(OpOperand &use);

/// The initial value and the next value of a value that a loop carries, an
/// argument of its body or a result; empty for other values.
SmallVector<Value> getCarried(Value value);

/// The values that `memory`, a memref of a host function, can be, or can be a
/// part of: the operands of views, and `getPassed`.
SmallVector<Value> getMemorySources(Value memory);

/// `memory` as a memref of `type`, which has more or fewer static extents.
Value castTo(OpBuilder &builder, Value memory, Type type);

/// The first elements of `memory` as an array of type `type` with the dynamic
/// extents `sizes`.
Value buildFirstPart(OpBuilder &builder, Location loc, Value memory,
                     MemRefType type, ValueRange sizes);

/// The last operation of `block` that uses `memory` or a view of it, but not
/// before `last`. Null if the memory leaves the block, or if the program frees
/// it.
Operation *getLastUse(Value memory, Block *block, Operation *last);

/// True if an operation after `point` uses elements of `array`, which is
/// defined before.
bool isLive(Value array, Operation *point);

/// True if the same computation has both numbers as its result.
bool areEqualNumbers(Value a, Value b);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTMEMORY_H
