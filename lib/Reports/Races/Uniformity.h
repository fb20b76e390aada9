//===- Uniformity.h - Values that two threads share -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_RACES_UNIFORMITY_H
#define OBSIDIAN_LIB_REPORTS_RACES_UNIFORMITY_H

#include "KernelAccesses.h"

namespace mlir::obs::races {

/// Finds the values that are the same for both threads of a pair, while both
/// are in the same iterations of all loops.
class Uniformity {
public:
  explicit Uniformity(gpu::GPUFuncOp kernel) : kernel(kernel) {}
  bool isUniform(Value value, Between between);
  /// Fails, with a diagnostic, if the two threads of `between` can take
  /// different branches at `op`, an scf operation that contains a `what` for
  /// both.
  LogicalResult require(Operation *op, Between between, StringRef what);

private:
  struct Varying {
    llvm::DenseSet<Value> values;
    bool isComplete = false;
  };

  bool compute(Value value, Between between);

  gpu::GPUFuncOp kernel;
  Varying known[3];
};

/// Fails, with a diagnostic `[barrier-divergence]`, if only some lanes of a
/// warp can reach a shuffle.
LogicalResult requireConvergence(gpu::GPUFuncOp kernel, Uniformity &uniformity);

} // namespace mlir::obs::races

#endif // OBSIDIAN_LIB_REPORTS_RACES_UNIFORMITY_H
