//===- ObsBitOps.cpp - Index arithmetic on bits ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are two definitions of every bit operation: `expand` builds `arith`
// operations, for any parameters, and `fold` computes with constants. The
// folders below use APInt and share no code with the expansions, so the tests
// of one check the other.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"

using namespace mlir;
using namespace mlir::obs;

#include "Obsidian/Dialect/Obs/IR/ObsBitInterfaces.cpp.inc"

namespace {
/// Builds integer expressions on values of one type.
struct Bits {
  OpBuilder &builder;
  Location loc;
  Type type;

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  template <typename OpTy>
  Value compute(Value a, Value b) {
    return OpTy::create(builder, loc, a, b);
  }
  Value add(Value a, Value b) { return compute<arith::AddIOp>(a, b); }
  Value sub(Value a, Value b) { return compute<arith::SubIOp>(a, b); }
  Value both(Value a, Value b) { return compute<arith::AndIOp>(a, b); }
  Value either(Value a, Value b) { return compute<arith::OrIOp>(a, b); }
  Value differ(Value a, Value b) { return compute<arith::XOrIOp>(a, b); }
  Value left(Value a, Value b) { return compute<arith::ShLIOp>(a, b); }
  Value right(Value a, Value b) { return compute<arith::ShRUIOp>(a, b); }
  /// 2^bit - 1, for bit less than the width of the type.
  Value lowMask(Value bit) { return sub(left(constant(1), bit), constant(1)); }
  /// 2^count - 1, for count from 0 to the width of the type. A shift by the
  /// whole width would be undefined, so the last bit is shifted separately.
  Value countMask(Value count) {
    unsigned bits = getElementBits(type);
    Value all = constant(bits);
    Value isAll = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        count, all);
    Value shift =
        arith::SelectOp::create(builder, loc, isAll, constant(0), count);
    Value mask = sub(left(constant(1), shift), constant(1));
    return arith::SelectOp::create(builder, loc, isAll, constant(-1), mask);
  }
};
} // namespace

Value InsertZeroOp::expand(OpBuilder &builder) {
  Bits b{builder, getLoc(), getType()};
  Value high =
      b.both(getValue(), b.differ(b.lowMask(getBit()), b.constant(-1)));
  return b.add(getValue(), high);
}

Value FlipOp::expand(OpBuilder &builder) {
  Bits b{builder, getLoc(), getType()};
  return b.differ(getValue(), b.left(b.constant(1), getBit()));
}

Value FlipLowOp::expand(OpBuilder &builder) {
  Bits b{builder, getLoc(), getType()};
  // 2^(bit+1) - 1, without a shift by the whole width.
  Value power = b.left(b.constant(1), getBit());
  Value mask = b.either(power, b.sub(power, b.constant(1)));
  return b.differ(getValue(), mask);
}

Value RotateOp::expand(OpBuilder &builder) {
  Bits b{builder, getLoc(), getType()};
  Value mask = b.countMask(getWidth());
  Value low = b.both(getValue(), mask);
  Value up = b.both(b.left(low, getAmount()), mask);
  // Two steps, because amount 0 would need a shift by the whole width.
  Value rest = b.sub(b.sub(getWidth(), getAmount()), b.constant(1));
  // For width 0 (a riffle of one element), there is no second step.
  if (APInt width;
      !matchPattern(getWidth(), m_ConstantInt(&width)) || width.isZero())
    rest = builder.createOrFold<arith::MaxSIOp>(getLoc(), rest, b.constant(0));
  Value down = b.right(b.right(low, b.constant(1)), rest);
  return b.differ(b.differ(getValue(), low), b.either(up, down));
}

Value BitReverseOp::expand(OpBuilder &builder) {
  Bits b{builder, getLoc(), getType()};
  // The whole word is reversed by exchanging larger and larger groups. Then the
  // reversed low bits move down. The bits above them are those of the value.
  unsigned bits = getElementBits(getType());
  Value word = getValue();
  Value low = b.both(word, b.countMask(getWidth()));
  Value above = b.differ(word, low);
  if (!llvm::isPowerOf2_32(bits) || bits == 1)
    return word;
  Value reversed = low;
  for (unsigned group = 1; group < bits; group *= 2) {
    APInt pattern(bits, 0);
    for (unsigned i = 0; i < bits; ++i)
      if (!(i & group))
        pattern.setBit(i);
    Value mask = b.constant(pattern.getSExtValue());
    Value shift = b.constant(group);
    reversed = b.either(b.left(b.both(reversed, mask), shift),
                        b.both(b.right(reversed, shift), mask));
  }
  // For width 0, the shift would be by the whole width. Then no bit moves.
  Value isNone = arith::CmpIOp::create(
      b.builder, b.loc, arith::CmpIPredicate::eq, getWidth(), b.constant(0));
  Value shift = arith::SelectOp::create(b.builder, b.loc, isNone, b.constant(0),
                                        b.sub(b.constant(bits), getWidth()));
  return b.either(above, b.right(reversed, shift));
}

Value BitSwapOp::expand(OpBuilder &builder) {
  Bits b{builder, getLoc(), getType()};
  Value differs = b.both(b.differ(b.right(getValue(), getFirst()),
                                  b.right(getValue(), getSecond())),
                         b.constant(1));
  return b.differ(getValue(), b.either(b.left(differs, getFirst()),
                                       b.left(differs, getSecond())));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// Folds an operation whose operands are all constants. `compute` takes the
/// value and the parameters as unsigned numbers, and may return no result.
static OpFoldResult
foldBits(ArrayRef<Attribute> operands, Type type,
         function_ref<std::optional<APInt>(const APInt &, ArrayRef<uint64_t>)>
             compute) {
  SmallVector<APInt> values;
  for (Attribute operand : operands) {
    auto integer = dyn_cast_or_null<IntegerAttr>(operand);
    if (!integer)
      return {};
    values.push_back(integer.getValue());
  }
  unsigned width = values[0].getBitWidth();
  SmallVector<uint64_t> parameters;
  for (const APInt &value : llvm::drop_begin(values)) {
    // The interpreter reports parameters that are out of range.
    if (value.uge(width))
      return {};
    parameters.push_back(value.getZExtValue());
  }
  if (std::optional<APInt> result = compute(values[0], parameters))
    return IntegerAttr::get(type, *result);
  return {};
}

OpFoldResult InsertZeroOp::fold(FoldAdaptor adaptor) {
  return foldBits(adaptor.getOperands(), getType(),
                  [](const APInt &x, ArrayRef<uint64_t> p) -> APInt {
                    APInt low = APInt::getLowBitsSet(x.getBitWidth(), p[0]);
                    return ((x & ~low) << 1) | (x & low);
                  });
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  return foldBits(adaptor.getOperands(), getType(),
                  [](const APInt &x, ArrayRef<uint64_t> p) -> APInt {
                    return x ^ APInt::getOneBitSet(x.getBitWidth(), p[0]);
                  });
}

OpFoldResult FlipLowOp::fold(FoldAdaptor adaptor) {
  return foldBits(adaptor.getOperands(), getType(),
                  [](const APInt &x, ArrayRef<uint64_t> p) -> APInt {
                    return x ^ APInt::getLowBitsSet(x.getBitWidth(), p[0] + 1);
                  });
}

OpFoldResult RotateOp::fold(FoldAdaptor adaptor) {
  return foldBits(
      adaptor.getOperands(), getType(),
      [](const APInt &x, ArrayRef<uint64_t> p) -> std::optional<APInt> {
        if (p[0] >= p[1])
          return std::nullopt;
        APInt result = x;
        for (uint64_t i = 0; i < p[1]; ++i)
          result.setBitVal((i + p[0]) % p[1], x[i]);
        return result;
      });
}

OpFoldResult BitReverseOp::fold(FoldAdaptor adaptor) {
  return foldBits(adaptor.getOperands(), getType(),
                  [](const APInt &x, ArrayRef<uint64_t> p) -> APInt {
                    APInt result = x;
                    for (uint64_t i = 0; i < p[0]; ++i)
                      result.setBitVal(p[0] - 1 - i, x[i]);
                    return result;
                  });
}

OpFoldResult BitSwapOp::fold(FoldAdaptor adaptor) {
  return foldBits(adaptor.getOperands(), getType(),
                  [](const APInt &x, ArrayRef<uint64_t> p) -> APInt {
                    APInt result = x;
                    result.setBitVal(p[0], x[p[1]]);
                    result.setBitVal(p[1], x[p[0]]);
                    return result;
                  });
}
