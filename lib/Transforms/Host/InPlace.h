//===- InPlace.h - Kernels that can run in place ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_INPLACE_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_INPLACE_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::obs {

/// An array in the memory of another one, which is not used later: the
/// operation that permits it.
struct Place {
  /// The copy of the initial contents of the array from the other one.
  gpu::MemcpyOp copy;
  /// The first kernel that uses the array, if it may run in place, and its
  /// argument that is the other array.
  LaunchOp launch;
  unsigned argument = 0;

  /// The other array; null if there is none.
  Value getArray() const;
  /// Drops the copy, and passes `made`, the array, and the other one to the
  /// kernel as one argument. This is the only launch of the kernel.
  void share(Value made);
  /// States that both may be one array.
  void markParameters(Value made);
};

/// A place for the array of `alloc` if its first uses are a copy, or a kernel
/// with one launch. `launches` knows the launches of all kernels.
/// `isFree` is true if no operation after `last` needs `array`; `launch` is the
/// first kernel that uses the array, or null. `isAlone` is true if both arrays
/// would always share their memory.
Place findPlace(
    gpu::AllocOp alloc, const SymbolUserMap &launches,
    function_ref<bool(Value array, Operation *last, LaunchOp launch)> isFree,
    function_ref<bool(Value array)> isAlone);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_INPLACE_H
