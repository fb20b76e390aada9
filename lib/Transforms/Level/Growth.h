//===- Growth.h - Differences of values between neighbours ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread executes a group of neighbouring iterations. The analysis finds how
// much a value differs between them: 0, 1, 2, 3 for the counter, and 0, 0, 1, 1
// for half of it. The first iteration is a multiple of their number. So the
// group is in one row if the length of rows is such a multiple, too, and one
// quotient, remainder or comparison determines those of the whole group.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_GROWTH_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_GROWTH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace mlir::obs {

/// A value in the iterations of a group: `values`, plus one multiple of
/// 2^`bits`, which is not known, but the same in all of them.
struct Group {
  SmallVector<int64_t, 4> values;
  unsigned bits = 0;

  /// The number of bits of values that are known completely.
  static constexpr unsigned allBits = 62;

  bool isKnown() const { return bits == allBits; }
  /// True if the value is the same in all iterations.
  bool isCommon() const { return llvm::all_equal(values); }
  int64_t getLeast() const { return *llvm::min_element(values); }
  int64_t getMost() const { return *llvm::max_element(values); }
  /// True if each value is one more than the value before.
  bool isOneByOne() const;
  /// True if neighbours are next to each other: there are no gaps, and not all
  /// are the same.
  bool isDense() const;
  /// True if the least value is a multiple of the number of iterations.
  bool isAligned() const;
};

/// A load or store in a group.
struct GroupAccess {
  Operation *op;
  /// The number of the element in the array; empty if differences are not
  /// known.
  std::optional<Group> element;
  /// True if the elements of the group are next to each other.
  bool isWide;
};

/// The values in the body of a loop, for groups of iterations.
class Growths {
public:
  /// Groups of `items` iterations, a power of two, of the loop with `counter`
  /// and `body`. If `assumesRows`, a group is in one row for every length of
  /// rows.
  Growths(Value counter, Block *body, int64_t items, bool assumesRows = false);

  /// Empty if differences in `value` are not known.
  std::optional<Group> get(Value value);
  bool isCommon(Value value) {
    std::optional<Group> group = get(value);
    return group && group->isCommon();
  }
  /// The number of the element of `access`, a load or store, in its array. If
  /// the rows of the array have a length that is known at run time only, it
  /// must be a multiple of `items`.
  std::optional<Group> getElement(Operation *access);
  SmallVector<GroupAccess> getAccesses();
  /// True if `value` is a digit of the counter: a quotient or a remainder of it
  /// or of another digit, by any numbers.
  bool isDigit(Value value);

  /// Numbers that must be multiples of `items`.
  const llvm::SetVector<Value> &getLengths() const { return lengths; }

  /// The quotients, remainders and comparisons that those of the first
  /// iteration determine.
  ArrayRef<Operation *> getKeys() const { return keys; }
  /// True if `buildFirst` can build `value`.
  bool canBuild(Value value);
  /// Builds `value` for the iteration to which `map` maps the counter.
  Value buildFirst(OpBuilder &builder, Value value, IRMapping &map);

private:
  std::optional<Group> compute(Value value);
  std::optional<Group> combine(Operation *op);
  std::optional<Group> divide(Value dividend, Value divisor,
                              std::optional<int64_t> number, bool isQuotient);
  std::optional<Group> compare(Operation *op);
  std::optional<Group> choose(Operation *op);
  Group getAll(int64_t number, unsigned bits) const;
  bool isOutside(Value value) const;
  bool isMultiple(Value length, bool isOfCounter);

  Value counter;
  Block *body;
  int64_t items;
  bool assumesRows;
  llvm::DenseMap<Value, std::optional<Group>> known;
  llvm::DenseMap<Value, bool> buildable;
  llvm::SetVector<Value> lengths;
  SmallVector<Operation *> keys;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_GROWTH_H
