//===- Growth.h - Differences of values between neighbours ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that executes neighbouring iterations accesses neighbouring elements
// if the index grows by one from each iteration to the next. The analysis
// assumes that the length of the rows of an array of two dimensions is a
// multiple of the number of neighbours, so that these are in one row. The
// caller must test the divisors.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_GROWTH_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_GROWTH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::obs {

/// The difference of a value between one iteration and the next.
enum class Growth { None, One, Unknown };

/// The growth of the values in the body of a loop.
class Growths {
public:
  Growths(Value counter, Block *body) : counter(counter), body(body) {}

  Growth get(Value value);
  /// True if neighbouring iterations access neighbouring elements by `access`,
  /// a load or store.
  bool isContiguous(Operation *access);
  /// The divisor if `op` is the quotient or the remainder of the counter by a
  /// number that is the same for all iterations; else null.
  Value getDivisor(Operation *op);

private:
  Growth compute(Value value);

  Value counter;
  Block *body;
  llvm::DenseMap<Value, Growth> known;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_GROWTH_H
