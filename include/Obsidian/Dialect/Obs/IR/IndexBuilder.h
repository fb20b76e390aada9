//===- IndexBuilder.h - Folded index arithmetic -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_INDEXBUILDER_H
#define OBSIDIAN_DIALECT_OBS_IR_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::obs {

/// Index expressions, which are folded when they are built. So the code of a
/// chain of index maps does not contain their constants.
struct IndexBuilder {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value sub(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  Value mul(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  /// Quotient and remainder of extents and indices, which are not negative.
  Value div(Value a, Value b) {
    if (isOne(b))
      return a;
    return builder.createOrFold<arith::DivUIOp>(loc, a, b);
  }
  Value rem(Value a, Value b) {
    if (isOne(b))
      return constant(0);
    return builder.createOrFold<arith::RemUIOp>(loc, a, b);
  }
  Value ceilDiv(Value a, Value b) {
    if (isOne(b))
      return a;
    return div(add(a, sub(b, constant(1))), b);
  }
  /// a < b, for numbers that are not negative.
  Value below(Value a, Value b) {
    return compare(arith::CmpIPredicate::ult, a, b);
  }
  Value equal(Value a, Value b) {
    return compare(arith::CmpIPredicate::eq, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  /// The number, or 0 if it is negative.
  Value natural(Value a) {
    return builder.createOrFold<arith::MaxSIOp>(loc, a, constant(0));
  }
  /// The number, or 1 if it is 0: a divisor in code that may not run.
  Value divisor(Value a) {
    return builder.createOrFold<arith::MaxUIOp>(loc, a, constant(1));
  }
  /// An operation on what there is so far, and `next`: only `next` if nothing
  /// is there yet (null).
  template <typename Op>
  Value join(Value soFar, Value next) {
    return soFar ? builder.createOrFold<Op>(loc, soFar, next) : next;
  }
  /// Conditions; the first one may be null.
  Value both(Value a, Value b) { return join<arith::AndIOp>(a, b); }
  Value either(Value a, Value b) { return join<arith::OrIOp>(a, b); }

  /// Row-major position of `indices` among `extents`.
  Value linearize(ValueRange indices, ValueRange extents) {
    Value linear = indices[0];
    for (unsigned d = 1; d < indices.size(); ++d)
      linear = add(mul(linear, extents[d]), indices[d]);
    return linear;
  }
  /// The inverse of `linearize`.
  SmallVector<Value> delinearize(Value linear, ValueRange extents) {
    SmallVector<Value> indices(extents.size());
    for (unsigned d = extents.size() - 1; d > 0; --d) {
      indices[d] = rem(linear, extents[d]);
      linear = div(linear, extents[d]);
    }
    indices[0] = linear;
    return indices;
  }
  /// The index among the extents `to` of the element that has an index among
  /// the extents `from`, in row-major order. The last dimensions of both that
  /// have one product are a group, and so on. An index is divided in its group
  /// only, so a dimension that both have keeps its index.
  SmallVector<Value> reshape(ValueRange indices, ValueRange from,
                             ValueRange to) {
    SmallVector<Value> result(to.size());
    size_t i = from.size(), k = to.size();
    while (k > 0) {
      // An index of a dimension of extent 1 is 0.
      if (i > 0 && isOne(from[i - 1])) {
        --i;
      } else if (i == 0 || isOne(to[k - 1])) {
        result[--k] = constant(0);
      } else {
        auto [first, start] = beginGroup(from.take_front(i), to.take_front(k));
        Value linear = linearize(indices.slice(first, i - first),
                                 from.slice(first, i - first));
        llvm::copy(delinearize(linear, to.slice(start, k - start)),
                   result.begin() + start);
        i = first;
        k = start;
      }
    }
    return result;
  }

private:
  /// The first dimensions of the shortest group at the end of both lists. If it
  /// is not known where a group begins, all dimensions are one.
  static std::pair<size_t, size_t> beginGroup(ValueRange from, ValueRange to) {
    size_t i = from.size() - 1, k = to.size() - 1;
    if (from[i] == to[k])
      return {i, k};
    auto left = getConstantIntValue(from[i]),
         right = getConstantIntValue(to[k]);
    while (left && right && *left != *right) {
      bool isLeft = *left < *right;
      if ((isLeft ? i : k) == 0)
        return {0, 0};
      auto next = getConstantIntValue(isLeft ? from[--i] : to[--k]);
      std::optional<int64_t> &product = isLeft ? left : right;
      product = next ? llvm::checkedMul(*product, *next) : std::nullopt;
    }
    return left && right ? std::pair(i, k) : std::pair<size_t, size_t>(0, 0);
  }
  static bool isOne(Value value) { return matchPattern(value, m_One()); }
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_INDEXBUILDER_H
