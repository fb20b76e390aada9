//===- Borders.h - Guards that hold away from borders -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil limits its indices to the extent of the array: `min(max(i - 1, 0),
// n - 1)`, a remainder, or a comparison that selects another value. Such a
// guard costs more than the load that it protects. With it, the code generator
// cannot see that neighbouring iterations read neighbouring elements. Away from
// the borders, the result of a guard is known. Most iterations are there, and
// one test for a group of them shows it.
//
// Indices are linear forms: a sum of values that are equal in the whole group,
// plus a range of constants. The range covers the iterations of the group and
// those of inner loops with constant bounds.
//
// A branch that holds for one half of a row, for example, is no guard. But most
// groups are in one half: a test of their first and last iteration shows it.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_BORDERS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_BORDERS_H

#include "Growth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include <optional>
#include <variant>

namespace mlir::obs {

/// The guards in the body of a loop, for groups of neighbouring iterations.
class Borders {
public:
  /// Groups have `items` iterations, which are in one row of every array.
  Borders(scf::ForOp loop, int64_t items)
      : Borders(loop, loop.getInductionVar(), loop.getUpperBound(), items,
                /*assumesRows=*/false) {}
  Borders(scf::ForallOp loop, int64_t items)
      : Borders(loop, loop.getInductionVar(0), loop.getMixedUpperBound()[0],
                items, /*assumesRows=*/true) {}

  /// True if a test of the group can decide a guard.
  bool hasGuards() const { return !decided.empty(); }

  /// True if guards limit `value` plus a constant, which is the next number in
  /// the next row: rows share elements. One comparison of `value` alone, such
  /// as whether it is 0, limits no other row.
  bool hasGuardOf(Value value) const;

  /// Builds the test that all guards hold for the group that begins at
  /// iteration `first`.
  Value buildTest(OpBuilder &builder, Location loc, Value first);

  /// Returns a copy of the loop, an scf.for, before the loop, for groups that
  /// pass the test. The copy has no guards. Its inner loops with constant
  /// bounds are unrolled, while `items` copies of the body have at most
  /// `maxOperations` operations.
  scf::ForOp buildInside(OpBuilder &builder, int64_t maxOperations);

private:
  /// The sum of the terms, each a value times a factor, plus each number from
  /// `low` to `high`.
  struct Form {
    SmallVector<std::pair<Value, int64_t>, 2> terms;
    int64_t low = 0, high = 0;
  };
  /// True if all numbers of `less` that occur are less than all of `more`, or
  /// equal if not `isStrict`.
  struct Order {
    Form less, more;
    bool isStrict;
  };
  /// A comparison of `one` with `other` that has one result in a group. Only
  /// `one` changes in the group.
  struct Uniform {
    Form one, other;
    bool isSwapped;
  };
  /// The result of a guard: one of its operands, or a truth value.
  using Result = std::variant<Value, bool, Uniform>;

  Borders(LoopLikeOpInterface loop, Value counter, OpFoldResult bound,
          int64_t items, bool assumesRows);
  bool varies(Value term);
  std::optional<Form> getForm(Value value);
  std::optional<Form> computeForm(Value value);
  std::optional<Form> computeSum(Operation *op);
  std::optional<Form> add(const Form &a, const Form &b, int64_t factor);
  double estimateDigit(Value digit);
  double estimate(const Form &form);
  double estimateReach(const Form &form);
  bool isComparable(const Form &a, const Form &b);
  void require(const Form &less, const Form &more, bool isStrict);
  void addRange(const Form &form);
  std::optional<bool> getTruth(Value value);
  std::optional<Result> decide(Operation *op);
  std::optional<Result> decideUniform(arith::CmpIOp op);
  Value buildOfFirst(OpBuilder &builder, arith::CmpIOp op,
                     const Uniform &uniform, IRMapping map);
  Value buildUniform(OpBuilder &builder, arith::CmpIOp op,
                     const Uniform &uniform, int64_t item, IRMapping &map);
  Value build(OpBuilder &builder, Location loc, const Form &form,
              int64_t constant, IRMapping &map);

  LoopLikeOpInterface loop;
  Value counter;
  OpFoldResult bound;
  int64_t items;
  Growths growths;
  llvm::MapVector<Operation *, Result> decided;
  llvm::DenseMap<Value, std::optional<Form>> forms;
  SmallVector<Order> orders;
  /// Forms whose numbers must not wrap around.
  SmallVector<Form> ranges;
};

/// The first index of a group in a row, and the length of the row: the first
/// index is not negative, and the row has all elements of the group.
struct RowPlace {
  Value first, length;
};

/// Replaces guards in `block`, which computes a group of `items` neighbours,
/// whose results follow from the places of the group in rows. The other guards
/// are for elements beside the group. Inner loops with constant bounds are
/// unrolled, except loops over rows, while there are at most `maxOperations`
/// operations.
void decideInRows(Block &block, ArrayRef<RowPlace> places, int64_t items,
                  int64_t maxOperations);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_BORDERS_H
