//===- HostExtents.h - Extents of arrays of host code -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTEXTENTS_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTEXTENTS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::obs {

/// True if the analysis proves that the number `value` is not negative.
bool isNotNegative(Value value);

/// Groups memrefs with the same extents.
class Extents {
public:
  /// True if both have the same extents in all dimensions.
  bool areEqual(Value a, Value b);
  /// True if loops that carry `value` do not change its extents.
  bool isKept(Value value);

private:
  /// A number, or dimension `dim` of a memref about which nothing is known.
  struct Extent {
    Value value;
    int64_t number;
    bool isDim;
    bool operator==(const Extent &other) const;
  };
  Extent get(Value memory, unsigned dim);
  Extent resolve(Value number);

  /// Carried arrays whose extents do not change, or are assumed not to change.
  llvm::SmallDenseSet<Value> kept;
};

/// A number that is known before a loop and is not exceeded by any of the added
/// numbers. This assumes that these are sizes: they are not negative in a
/// program without errors.
class Maximum {
public:
  explicit Maximum(LoopLikeOpInterface loop) : loop(loop) {}

  /// Adds a number of any iteration of the loop, or extent `dim` of `memory`.
  /// False if no number that is known before the loop bounds it. These are
  /// bounded: extents of carried arrays that never grow, numbers that loops
  /// count, and their sums, differences, quotients, minima and similar
  /// operations.
  bool add(Value number);
  bool addExtent(Value memory, unsigned dim);

  /// True if `number` is the maximum.
  bool isExactly(Value number) const;
  /// The maximum, or 0 if it is negative: the loop then has no iterations.
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
  /// The numbers and extents that are bounded if all leaves are bounded.
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
};

/// True if the dynamic extents of `alloc` are `maxima`.
bool isExact(gpu::AllocOp alloc, ArrayRef<Maximum> maxima);

SmallVector<Value> buildMaxima(OpBuilder &builder, Location loc,
                               ArrayRef<Maximum> maxima);

/// Replaces the memory of `alloc` by `memory`, which has the dynamic extents
/// `maxima`, or by the first part of it.
Value buildArray(OpBuilder &builder, gpu::AllocOp alloc, Value memory,
                 ArrayRef<Value> maxima, bool isExact);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_HOSTEXTENTS_H
