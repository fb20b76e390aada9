//===- HostExtents.h - Lengths of arrays of host code -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_HOSTEXTENTS_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_HOSTEXTENTS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::obs {

/// The initial value and the next value that a loop carries for an argument of
/// its body; null for others.
std::pair<Value, Value> getCarried(BlockArgument argument);

/// True if it is shown that `value`, a number, is not negative.
bool isNotNegative(Value value);

/// Which memrefs have the same extents.
class Extents {
public:
  /// True if both have the same extents in all dimensions.
  bool areEqual(Value a, Value b);
  /// True if loops that carry `value`, an argument of their body, give it the
  /// extents that it has at first.
  bool isKept(BlockArgument value);

private:
  /// A number, or dimension `dim` of a memref that nothing is known of.
  struct Extent {
    Value value;
    int64_t number;
    bool isDim;
    bool operator==(const Extent &other) const;
  };
  Extent get(Value memory, unsigned dim);
  Extent resolve(Value number);

  /// Arguments of loops that keep their extents, or are assumed to.
  llvm::SmallDenseSet<Value> kept;
};

/// A number that is known before a loop and is exceeded by none of the numbers
/// added. That rests on those being sizes, as those of a program without errors
/// are: not negative.
class Maximum {
public:
  explicit Maximum(LoopLikeOpInterface loop) : loop(loop) {}

  /// Adds a number of any iteration of the loop, or extent `dim` of `memory`;
  /// false if nothing that is known before the loop bounds it, by what is shown
  /// here: extents of carried arrays that never grow, numbers that loops count,
  /// and sums, differences, quotients, minima and the like of them.
  bool add(Value number);
  bool addExtent(Value memory, unsigned dim);

  /// True if `number` is the maximum.
  bool isExactly(Value number) const;
  /// The maximum, or 0 if that is negative: the loop has no iterations then.
  Value build(OpBuilder &builder, Location loc) const;

private:
  /// A number, or extent `dim` of an array, from outside of the loop.
  struct Leaf {
    Value value;
    std::optional<unsigned> dim;
  };
  bool isOutside(Value value) const {
    return LoopLikeOpInterface(loop).isDefinedOutsideOfLoop(value);
  }
  bool addAny(ValueRange numbers);
  bool addAll(ValueRange numbers);
  void addLeaf(Leaf leaf);
  bool canEvaluate(Value number) const;
  Value evaluate(OpBuilder &builder, Value number) const;
  Value buildLeaf(OpBuilder &builder, Location loc, Leaf leaf) const;

  LoopLikeOpInterface loop;
  SmallVector<Leaf> leaves;
  SmallVector<int64_t> constants;
  /// The numbers and extents that are bounded if all leaves are.
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
};

/// Memory of `type` in `memory`, which is large enough, with the dynamic
/// extents `sizes`.
Value buildSmallerArray(OpBuilder &builder, Location loc, Value memory,
                        MemRefType type, ValueRange sizes);

/// True if the dynamic extents of `alloc` are `maxima`.
bool isExact(gpu::AllocOp alloc, ArrayRef<Maximum> maxima);

SmallVector<Value> buildMaxima(OpBuilder &builder, Location loc,
                               ArrayRef<Maximum> maxima);

/// Puts the array of `alloc` into `memory`, which has the dynamic extents
/// `maxima`: as it is, or its first part.
Value buildArray(OpBuilder &builder, gpu::AllocOp alloc, Value memory,
                 ArrayRef<Value> maxima, bool isExact);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_HOSTEXTENTS_H
