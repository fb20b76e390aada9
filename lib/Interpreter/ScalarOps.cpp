//===- ScalarOps.cpp - Exact evaluation of scalar ops ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::obs::interpreter;
using llvm::APInt;
using llvm::Error;

Error mlir::obs::interpreter::trap(Operation *op, const Twine &reason) {
  return llvm::createStringError("'" + op->getName().getStringRef() + "' " +
                                 reason);
}

namespace {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

int64_t minSigned(unsigned width) {
  return width == 64 ? std::numeric_limits<int64_t>::min()
                     : -(int64_t(1) << (width - 1));
}

/// An integer operation of two operands that is defined for all values.
template <uint64_t (*Fn)(const Scalar &, const Scalar &)>
Error evalInt(Operation *, Operands in, Results &out) {
  return give(out, Scalar(in[0].type, Fn(in[0], in[1])));
}

uint64_t addi(const Scalar &a, const Scalar &b) { return a.bits + b.bits; }
uint64_t subi(const Scalar &a, const Scalar &b) { return a.bits - b.bits; }
uint64_t muli(const Scalar &a, const Scalar &b) { return a.bits * b.bits; }
uint64_t andi(const Scalar &a, const Scalar &b) { return a.bits & b.bits; }
uint64_t ori(const Scalar &a, const Scalar &b) { return a.bits | b.bits; }
uint64_t xori(const Scalar &a, const Scalar &b) { return a.bits ^ b.bits; }
uint64_t maxui(const Scalar &a, const Scalar &b) {
  return std::max(a.bits, b.bits);
}
uint64_t minui(const Scalar &a, const Scalar &b) {
  return std::min(a.bits, b.bits);
}
uint64_t maxsi(const Scalar &a, const Scalar &b) {
  return std::max(a.getSInt(), b.getSInt());
}
uint64_t minsi(const Scalar &a, const Scalar &b) {
  return std::min(a.getSInt(), b.getSInt());
}

/// Unsigned division and remainder. Only the divisor zero is undefined.
template <uint64_t (*Fn)(uint64_t, uint64_t)>
Error evalDivUI(Operation *op, Operands in, Results &out) {
  if (in[1].bits == 0)
    return trap(op, "divides by zero");
  return give(out, Scalar(in[0].type, Fn(in[0].bits, in[1].bits)));
}

uint64_t divui(uint64_t a, uint64_t b) { return a / b; }
uint64_t remui(uint64_t a, uint64_t b) { return a % b; }
uint64_t ceildivui(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/// Signed division. The quotient of the least value and -1 does not fit. Its
/// remainder is undefined, too, since machines compute both together.
template <int64_t (*Fn)(int64_t, int64_t)>
Error evalDivSI(Operation *op, Operands in, Results &out) {
  int64_t a = in[0].getSInt(), b = in[1].getSInt();
  if (b == 0)
    return trap(op, "divides by zero");
  if (b == -1 && a == minSigned(getScalarWidth(in[0].type)))
    return trap(op, "overflows: " + Twine(a) + " divided by -1");
  return give(out, Scalar::fromInt(in[0].type, Fn(a, b)));
}

int64_t divsi(int64_t a, int64_t b) { return a / b; }
int64_t remsi(int64_t a, int64_t b) { return a % b; }
int64_t ceildivsi(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}
int64_t floordivsi(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

template <uint64_t (*Fn)(const Scalar &, unsigned)>
Error evalShift(Operation *op, Operands in, Results &out) {
  unsigned width = getScalarWidth(in[0].type);
  if (in[1].bits >= width)
    return trap(op, "shifts " + Twine(width) + " bits by " + Twine(in[1].bits) +
                        ", the width or more");
  return give(out, Scalar(in[0].type, Fn(in[0], in[1].bits)));
}

uint64_t shli(const Scalar &a, unsigned by) { return a.bits << by; }
uint64_t shrui(const Scalar &a, unsigned by) { return a.bits >> by; }
uint64_t shrsi(const Scalar &a, unsigned by) { return a.getSInt() >> by; }

Error evalAddUIExtended(Operation *op, Operands in, Results &out) {
  Scalar sum(in[0].type, in[0].bits + in[1].bits);
  // The wrapped sum is less than an operand if and only if there was a carry.
  out.push_back(sum);
  return give(out, Scalar(op->getResult(1).getType(), sum.bits < in[0].bits));
}

template <APInt (*High)(const APInt &, const APInt &)>
Error evalMulExtended(Operation *, Operands in, Results &out) {
  Type type = in[0].type;
  out.push_back(Scalar(type, in[0].bits * in[1].bits));
  return give(
      out,
      Scalar(type, High(in[0].getAPInt(), in[1].getAPInt()).getZExtValue()));
}

Error evalCmpI(Operation *op, Operands in, Results &out) {
  return give(out, Scalar(op->getResult(0).getType(),
                          arith::applyCmpPredicate(
                              cast<arith::CmpIOp>(op).getPredicate(),
                              in[0].getAPInt(), in[1].getAPInt())));
}

/// Truncation, zero extension and casts that keep the bits.
Error evalZeroExtend(Operation *op, Operands in, Results &out) {
  return give(out, Scalar(op->getResult(0).getType(), in[0].bits));
}

Error evalSignExtend(Operation *op, Operands in, Results &out) {
  return give(out,
              Scalar::fromInt(op->getResult(0).getType(), in[0].getSInt()));
}

template <uint64_t (*Fn)(const Scalar &, unsigned)>
Error evalIntUnary(Operation *, Operands in, Results &out) {
  return give(out, Scalar(in[0].type, Fn(in[0], getScalarWidth(in[0].type))));
}

uint64_t absi(const Scalar &a, unsigned) {
  return a.getSInt() < 0 ? -a.bits : a.bits;
}
uint64_t ctpop(const Scalar &a, unsigned) { return llvm::popcount(a.bits); }
uint64_t ctlz(const Scalar &a, unsigned width) {
  return llvm::countl_zero(a.bits) - (64 - width);
}
uint64_t cttz(const Scalar &a, unsigned width) {
  return std::min<unsigned>(llvm::countr_zero(a.bits), width);
}

Error evalIPowI(Operation *op, Operands in, Results &out) {
  Type type = in[0].type;
  int64_t base = in[0].getSInt(), exponent = in[1].getSInt();
  if (exponent < 0) {
    // The reciprocal of a power, rounded towards zero.
    if (base == 0)
      return trap(op, "divides by zero");
    int64_t value = base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    return give(out, Scalar::fromInt(type, value));
  }
  uint64_t result = 1, factor = in[0].bits;
  for (; exponent; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return give(out, Scalar(type, result));
}
Error evalConstant(Operation *op, Operands, Results &out) {
  llvm::Expected<Scalar> value =
      Scalar::fromAttr(cast<arith::ConstantOp>(op).getValue());
  if (!value)
    return value.takeError();
  return give(out, *value);
}

Error evalSelect(Operation *, Operands in, Results &out) {
  return give(out, in[0].isTrue() ? in[1] : in[2]);
}
//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

APInt mulhs(const APInt &a, const APInt &b) {
  return llvm::APIntOps::mulhs(a, b);
}
APInt mulhu(const APInt &a, const APInt &b) {
  return llvm::APIntOps::mulhu(a, b);
}

ScalarTable makeTable() {
  ScalarTable t;
  add<arith::ConstantOp>(t, evalConstant);
  add<arith::SelectOp>(t, evalSelect);
  add<arith::AddIOp>(t, evalInt<addi>);
  add<arith::SubIOp>(t, evalInt<subi>);
  add<arith::MulIOp>(t, evalInt<muli>);
  add<arith::AndIOp>(t, evalInt<andi>);
  add<arith::OrIOp>(t, evalInt<ori>);
  add<arith::XOrIOp>(t, evalInt<xori>);
  add<arith::MaxSIOp>(t, evalInt<maxsi>);
  add<arith::MaxUIOp>(t, evalInt<maxui>);
  add<arith::MinSIOp>(t, evalInt<minsi>);
  add<arith::MinUIOp>(t, evalInt<minui>);
  add<arith::DivUIOp>(t, evalDivUI<divui>);
  add<arith::RemUIOp>(t, evalDivUI<remui>);
  add<arith::CeilDivUIOp>(t, evalDivUI<ceildivui>);
  add<arith::DivSIOp>(t, evalDivSI<divsi>);
  add<arith::RemSIOp>(t, evalDivSI<remsi>);
  add<arith::CeilDivSIOp>(t, evalDivSI<ceildivsi>);
  add<arith::FloorDivSIOp>(t, evalDivSI<floordivsi>);
  add<arith::ShLIOp>(t, evalShift<shli>);
  add<arith::ShRUIOp>(t, evalShift<shrui>);
  add<arith::ShRSIOp>(t, evalShift<shrsi>);
  add<arith::AddUIExtendedOp>(t, evalAddUIExtended);
  add<arith::MulSIExtendedOp>(t, evalMulExtended<mulhs>);
  add<arith::MulUIExtendedOp>(t, evalMulExtended<mulhu>);
  add<arith::CmpIOp>(t, evalCmpI);
  add<math::AbsIOp>(t, evalIntUnary<absi>);
  add<math::CtPopOp>(t, evalIntUnary<ctpop>);
  add<math::CountLeadingZerosOp>(t, evalIntUnary<ctlz>);
  add<math::CountTrailingZerosOp>(t, evalIntUnary<cttz>);
  add<math::IPowIOp>(t, evalIPowI);
  add<arith::ExtUIOp>(t, evalZeroExtend);
  add<arith::TruncIOp>(t, evalZeroExtend);
  add<arith::IndexCastUIOp>(t, evalZeroExtend);
  add<arith::BitcastOp>(t, evalZeroExtend);
  add<arith::ExtSIOp>(t, evalSignExtend);
  add<arith::IndexCastOp>(t, evalSignExtend);
  addFloatOps(t);
  return t;
}

} // namespace

ScalarOpFn mlir::obs::interpreter::lookupScalarOp(Operation *op) {
  static const ScalarTable table = makeTable();
  auto found = table.find(op->getName().getTypeID());
  if (found == table.end() ||
      !llvm::all_of(op->getOperandTypes(), isScalarType) ||
      !llvm::all_of(op->getResultTypes(), isScalarType))
    return nullptr;
  return found->second;
}
