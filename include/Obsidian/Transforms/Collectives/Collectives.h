//===- Collectives.h - Strategies of reductions and scans -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A strategy is the algorithm by which the workers of a level share a reduction
// or a scan. It is a function that builds core operations, and
// `obs-expand-collectives` finds it by its name:
//
//   ReduceStrategy byEights;
//   byEights.shorten = [](CollectiveBuilder &c, Value x) {
//     Extent n = c.getExtent(x);
//     return c.tree(c.force(c.generate(c.ceilDiv(n, 8), [&](Value i) {
//       Value begin = c.mul(i, c.constant(8));
//       Value end = c.min(c.add(begin, c.constant(8)), n.value);
//       return c.fold(x, begin, end);
//     })));
//   };
//   byEights.storesElements = true;
//   registerReduceStrategy("by_eights", byEights);
//
// A strategy gets an array of rank 1 and an associative operator, which has no
// known neutral element. `obs-expand-collectives` adds initial values,
// exclusive scans, totals and segments around the code of the strategy.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_COLLECTIVES_COLLECTIVES_H
#define OBSIDIAN_TRANSFORMS_COLLECTIVES_COLLECTIVES_H

#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include <functional>

namespace mlir::obs {

/// A number of elements, as far as it is known at compile time.
struct Extent {
  /// Of type `index`.
  Value value;
  /// The number, or kDynamic.
  int64_t size;
  /// The largest number that it can be, or kDynamic.
  int64_t bound;

  bool isStatic() const { return !ShapedType::isDynamic(size); }
  bool isBounded() const { return !ShapedType::isDynamic(bound); }
  bool isAtMost(int64_t limit) const { return isBounded() && bound <= limit; }
  bool isMultipleOf(int64_t k) const { return isStatic() && size % k == 0; }
  /// The operand `extents` of an array with this extent: one number, or none.
  ValueRange getOperands() const {
    return isStatic() ? ValueRange() : ValueRange(value);
  }
};

/// Builds the code of one collective at one level.
class CollectiveBuilder : public IndexBuilder {
public:
  using Values = SmallVector<Value>;
  /// Builds the combination of two elements, the left one first.
  using Operator =
      std::function<Values(OpBuilder &, Location, ValueRange, ValueRange)>;

  /// Stages are unrolled for static extents up to this number. For larger
  /// extents, there is a loop over stages.
  static constexpr int64_t maxUnrolledExtent = 128;

  CollectiveBuilder(OpBuilder &builder, Location loc, Level level,
                    ArrayRef<Type> elementTypes, bool commutative,
                    Operator combineFn)
      : IndexBuilder{builder, loc}, level(level), elementTypes(elementTypes),
        commutative(commutative), combineFn(std::move(combineFn)) {}

  /// The level of the code at the insertion point: `force` stores there.
  Level level;
  SmallVector<Type> elementTypes;
  /// True if elements may be combined in any order.
  bool commutative;
  /// True if elements are read one at a time (`plain` of the pass).
  bool plain = false;

  // Signed numbers.
  Value min(Value a, Value b) { return join<arith::MinSIOp>(a, b); }
  Value max(Value a, Value b) { return join<arith::MaxSIOp>(a, b); }
  Value less(Value a, Value b) {
    return compare(arith::CmpIPredicate::slt, a, b);
  }
  /// Exponent of the smallest power of two that is not less than `n`.
  Value ceilLog2(Extent n);

  // Extents.
  Extent getConstantExtent(int64_t size);
  Extent getExtent(Value array);
  Extent ceilDiv(Extent n, int64_t k);
  /// `n` without its static size, for extents that a loop changes.
  static Extent forget(Extent n) {
    return {n.value, ShapedType::kDynamic, n.bound};
  }
  /// An array of these extents and elements of this collective.
  PullType getPullType(ArrayRef<Extent> extents);

  // Elements.
  Values combine(ValueRange left, ValueRange right) {
    return combineFn(builder, loc, left, right);
  }
  Values get(Value array, ValueRange indices);
  /// The values that one of the two functions builds.
  Values choose(Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  /// Combines `start` and the elements [begin, end) of `array`, in steps, from
  /// left to right.
  Values fold(Value array, ValueRange start, Value begin, Value end,
              Value step = {});
  /// The same from element `begin`, which exists.
  Values fold(Value array, Value begin, Value end, Value step = {}) {
    return fold(array, get(array, begin), add(begin, step ? step : constant(1)),
                end, step);
  }
  /// The same without a loop, for a bounded array.
  Values foldEach(Value array, ValueRange start, int64_t begin, Value end);

  // Arrays.
  /// The pull array whose elements `element` builds from the index. It is not
  /// stored.
  Value generate(Extent n, llvm::function_ref<Values(Value)> element);
  /// The same array. Several places read it, but each element in one place
  /// only, so no remark recommends a force.
  Value shareReads(Value array);
  /// Stores a pull array in memory of the level, unless it is stored already.
  Value force(Value array);
  using WriteFn =
      llvm::function_ref<void(ValueRange values, ValueRange indices)>;
  /// Stores the elements that `body` writes. `body` runs once for each of
  /// `workers`, and calls the function in its argument to write. No element is
  /// written twice; the fill is `unchecked` if this depends on values. Elements
  /// without a write have the value `init`.
  Value forceFill(ArrayRef<Extent> extents, Value workers,
                  llvm::function_ref<void(Value, WriteFn)> body,
                  ValueRange init = {}, bool unchecked = false);
  /// Replaces `array`, which is stored, `count` times by the result of `stage`,
  /// which takes the number of the stage and the array. Its result has the same
  /// type.
  Value repeat(Value count, Value array,
               llvm::function_ref<Value(Value, Value)> stage);
  /// The stored array of the first `total` elements of all parts, one part
  /// after the other. `part` builds each part at level warp, as an array of
  /// `partExtent` elements.
  Value
  distributeWarps(Extent parts, int64_t partExtent, Extent total,
                  llvm::function_ref<Value(CollectiveBuilder &, Value)> part);

  /// Shortens an array to at most two elements, stage by stage.
  Value tree(Value array);

private:
  Operator combineFn;
};

/// A strategy of reductions. `shorten` returns an array of few elements, which
/// need not be stored. Their combination from left to right is that of all
/// elements. For an empty array, the result is empty.
struct ReduceStrategy {
  std::function<Value(CollectiveBuilder &, Value)> shorten;
  /// The strategy changes the order of elements.
  bool commutativeOnly = false;
  /// The strategy stores arrays of the length of its operand. So the operand
  /// needs a bound.
  bool storesElements = false;
  /// The result is stored and has at most 32 elements. All workers combine
  /// them. Otherwise, one worker combines them and stores the result for all.
  bool allCombine = false;
  /// The lowest level at which the strategy works.
  Level minLevel = Level::Thread;
};

/// A strategy of scans. `scan` returns an array with the extent of its operand,
/// which need not be stored. Its element i is the combination of elements 0 to
/// i.
struct ScanStrategy {
  std::function<Value(CollectiveBuilder &, Value)> scan;
  Level minLevel = Level::Thread;
};

/// Adds a strategy, or replaces the one of that name. Not thread-safe: call it
/// before any pass runs.
void registerReduceStrategy(StringRef name, ReduceStrategy strategy);
void registerScanStrategy(StringRef name, ScanStrategy strategy);

/// The strategy of that name, or null.
const ReduceStrategy *lookupReduceStrategy(StringRef name);
const ScanStrategy *lookupScanStrategy(StringRef name);
/// All names, in alphabetical order.
SmallVector<StringRef> getReduceStrategies();
SmallVector<StringRef> getScanStrategies();

/// The default strategy.
StringRef getDefaultReduceStrategy(Level level, Extent n, bool commutative);
StringRef getDefaultScanStrategy(Level level, Extent n);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_COLLECTIVES_COLLECTIVES_H
