//===- ExtentHoister.h - Numbers of a program before it runs ----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_EXTENTHOISTER_H
#define OBSIDIAN_DIALECT_OBS_IR_EXTENTHOISTER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::obs {

/// Computes, before an operation with regions, numbers that its regions
/// compute. Most of them are extents of arrays.
class ExtentHoister {
public:
  /// The insertion point of `builder` is before `root`. With `mayRead`,
  /// elements of arrays are read if a number depends on them.
  ExtentHoister(OpBuilder &builder, Operation *root, bool mayRead)
      : builder(builder), root(root), mayRead(mayRead) {}

  /// Maps values inside the operation to equal values before it.
  void map(ValueRange inside, ValueRange outside) {
    mapping.map(inside, outside);
  }
  /// The value of `value` before the operation; null if only its execution
  /// determines it.
  Value hoist(Value value);
  /// The extent of an array. The extent of a force is that of its operand. The
  /// extents of chunks of an array of arrays are those of the first chunk.
  Value hoistExtent(Value array, unsigned dim);

private:
  bool isInside(Value value) const;
  Value hoistArgument(BlockArgument argument);

  OpBuilder &builder;
  Operation *root;
  bool mayRead;
  IRMapping mapping;
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_EXTENTHOISTER_H
