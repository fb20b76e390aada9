//===- ScalarBuilder.h - Scalar code for front ends -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder of operations on elements. The types of the operands determine
// the operations of `arith`. Integers have no sign in obs, so a caller says
// which of them are unsigned.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_SCALARBUILDER_H
#define OBSIDIAN_FRONTEND_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::obs {

/// The element type in obs for a type of another language; null if there is
/// none. In obs, operations and not types have a sign.
Type convertElementType(Type type);

class ScalarBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// A constant of any element type.
  Value getNumber(Type type, double value);
  /// An extent, or another number, as a value of type `index`.
  Value getIndex(OpFoldResult number);
  Value getIndex(int64_t number) { return getIndex(getIndexAttr(number)); }

  /// `Real` for floats, `Integer` for integers and indices.
  template <typename Real, typename Integer>
  Value build(Value x, Value y) {
    if (isa<FloatType>(x.getType()))
      return Real::create(*this, x, y);
    return Integer::create(*this, x, y);
  }
  Value add(Value x, Value y) {
    return build<arith::AddFOp, arith::AddIOp>(x, y);
  }
  Value sub(Value x, Value y) {
    return build<arith::SubFOp, arith::SubIOp>(x, y);
  }
  Value mul(Value x, Value y) {
    return build<arith::MulFOp, arith::MulIOp>(x, y);
  }
  Value negate(Value x);

  /// Lets a product of floats and the sum that it is added to be rounded once.
  static Value contractible(Value x);

  enum class Order { EQ, NE, LT, LE, GT, GE };
  /// An i1. With a NaN, only NE is true.
  Value compare(Order order, Value x, Value y, bool isUnsigned = false);
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(*this, condition, yes, no);
  }
  /// The conjunction of two conditions. The first one may be null.
  Value both(Value condition, Value other) {
    return condition ? arith::AndIOp::create(*this, condition, other) : other;
  }
  /// The number as one of another element type. As an i1, each number but 0 is
  /// true.
  Value convert(Value x, Type type, bool isUnsigned = false,
                bool isResultUnsigned = false);
  Value castToIndex(Value x, bool isUnsigned = false);
};

} // namespace mlir::obs

#endif // OBSIDIAN_FRONTEND_SCALARBUILDER_H
