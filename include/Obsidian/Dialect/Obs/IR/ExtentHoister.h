//===- ExtentHoister.h - Numbers of a program, before it runs ---*- C++ -*-===//
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

/// Computes numbers that an operation with regions computes inside, extents of
/// arrays mostly, in front of it.
class ExtentHoister {
public:
  /// The insertion point of `builder` is in front of `root`. With `mayRead`,
  /// elements of arrays are read where a number depends on them.
  ExtentHoister(OpBuilder &builder, Operation *root, bool mayRead)
      : builder(builder), root(root), mayRead(mayRead) {}

  /// Declares what `inside` is in front of the operation.
  void map(ValueRange inside, ValueRange outside) {
    mapping.map(inside, outside);
  }
  /// `value` in front of the operation; null if only running it tells.
  Value hoist(Value value);
  /// The extent of an array. A force has that of what it forces; chunks of an
  /// array of arrays have that of the first one.
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
