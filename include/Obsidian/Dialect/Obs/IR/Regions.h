//===- Regions.h - Questions about the code in regions ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_REGIONS_H
#define OBSIDIAN_DIALECT_OBS_IR_REGIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::obs {

/// True if `holds` is true for an operation of `root`, which is an operation, a
/// block or a region. An operation contains itself. As in a walk, the type of
/// the argument of `holds` selects the operations.
template <typename Root, typename Predicate>
bool containsOp(Root &&root, Predicate holds) {
  using Op = typename llvm::function_traits<Predicate>::template arg_t<0>;
  WalkResult result = root.walk([&](Op op) {
    return holds(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The values from outside that an operation and its regions read: its
/// operands first.
llvm::SetVector<Value> getReads(Operation *op);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_REGIONS_H
