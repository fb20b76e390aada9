//===- ScalarBuilder.cpp - Scalar code for front ends ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ScalarBuilder.h"

using namespace mlir;
using namespace mlir::obs;

Type obs::convertElementType(Type type) {
  if (auto integer = dyn_cast_or_null<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth())
               ? IntegerType::get(type.getContext(), integer.getWidth())
               : Type();
  return type && (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
             ? type
             : Type();
}

Value ScalarBuilder::getNumber(Type type, double value) {
  if (auto real = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(*this, getFloatAttr(real, value));
  return arith::ConstantOp::create(
      *this, getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value ScalarBuilder::getIndex(OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return value;
  return arith::ConstantOp::create(*this,
                                   getIndexAttr(*getConstantIntValue(number)));
}

Value ScalarBuilder::negate(Value x) {
  if (isa<FloatType>(x.getType()))
    return arith::NegFOp::create(*this, x);
  return arith::SubIOp::create(*this, getNumber(x.getType(), 0), x);
}

Value ScalarBuilder::contractible(Value x) {
  if (auto op = x.getDefiningOp<arith::ArithFastMathInterface>())
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(x.getContext(),
                                              arith::FastMathFlags::contract));
  return x;
}

Value ScalarBuilder::compare(Order order, Value x, Value y, bool isUnsigned) {
  using Real = arith::CmpFPredicate;
  using Int = arith::CmpIPredicate;
  // In the order of `Order`.
  static constexpr Real reals[] = {Real::OEQ, Real::UNE, Real::OLT,
                                   Real::OLE, Real::OGT, Real::OGE};
  static constexpr Int ints[] = {Int::eq,  Int::ne,  Int::slt,
                                 Int::sle, Int::sgt, Int::sge};
  static constexpr Int naturals[] = {Int::eq,  Int::ne,  Int::ult,
                                     Int::ule, Int::ugt, Int::uge};
  auto number = static_cast<unsigned>(order);
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(*this, reals[number], x, y);
  return arith::CmpIOp::create(
      *this, isUnsigned ? naturals[number] : ints[number], x, y);
}

Value ScalarBuilder::convert(Value x, Type type, bool isUnsigned,
                             bool isResultUnsigned) {
  Type source = x.getType();
  isUnsigned |= source.isInteger(1);
  if (source == type)
    return x;
  if (type.isInteger(1))
    return compare(Order::NE, x, getNumber(source, 0));
  auto create = [&](auto op) -> Value {
    return decltype(op)::create(*this, type, x);
  };
  auto real = dyn_cast<FloatType>(source), result = dyn_cast<FloatType>(type);
  if (real && result) {
    // Two formats of 16 bits: f32 has the numbers of both.
    if (real.getWidth() == result.getWidth())
      x = arith::ExtFOp::create(*this, getF32Type(), x);
    return real.getWidth() < result.getWidth() ? create(arith::ExtFOp())
                                               : create(arith::TruncFOp());
  }
  if (real)
    return isResultUnsigned ? create(arith::FPToUIOp())
                            : create(arith::FPToSIOp());
  if (result)
    return isUnsigned ? create(arith::UIToFPOp()) : create(arith::SIToFPOp());
  if (source.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return create(arith::TruncIOp());
  return isUnsigned ? create(arith::ExtUIOp()) : create(arith::ExtSIOp());
}

Value ScalarBuilder::castToIndex(Value x, bool isUnsigned) {
  if (x.getType().isIndex())
    return x;
  if (isUnsigned)
    return arith::IndexCastUIOp::create(*this, getIndexType(), x);
  return arith::IndexCastOp::create(*this, getIndexType(), x);
}
