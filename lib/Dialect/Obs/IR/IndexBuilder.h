//===- IndexBuilder.h - Folded index arithmetic -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_IR_INDEXBUILDER_H
#define OBSIDIAN_LIB_DIALECT_OBS_IR_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

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
  Value less(Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                               a, b);
  }

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

private:
  static bool isOne(Value value) { return matchPattern(value, m_One()); }
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_IR_INDEXBUILDER_H
