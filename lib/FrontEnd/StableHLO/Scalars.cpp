//===- Scalars.cpp - Elementwise operations of StableHLO ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

Type stablehlo::convertElement(Type type) {
  if (!type)
    return {};
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth())
               ? IntegerType::get(type.getContext(), integer.getWidth())
               : Type();
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ? type
                                                                       : Type();
}

Type stablehlo::getElement(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getElementType() : Type();
}

StringRef stablehlo::getText(Operation *op, StringRef name) {
  auto text = dyn_cast_or_null<OpaqueAttr>(op->getAttr(name));
  return text && text.getDialectNamespace() == "stablehlo" ? text.getAttrData()
                                                           : StringRef();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
using Build = Value (*)(ImplicitLocOpBuilder &b, Operation *op, ValueRange x);
/// The kinds of elements that an operation takes.
enum Kinds { Floats = 1, Integers = 2, Bits = 4, Numbers = 3, All = 7 };
struct Entry {
  unsigned operands;
  unsigned kinds;
  Build build;
  bool onHost = true;
};
} // namespace

static bool isUnsigned(Operation *op, unsigned operand = 0) {
  Type type = getElement(op->getOperand(operand));
  return type.isUnsignedInteger() || type.isInteger(1);
}

static Value getConstant(ImplicitLocOpBuilder &b, Type type, double number) {
  if (auto real = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(real, number));
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(type, static_cast<int64_t>(number)));
}

template <typename Op>
static Value unary(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  return Op::create(b, x[0]);
}
template <typename Op>
static Value binary(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  return Op::create(b, x[0], x[1]);
}
/// One operation for each kind of elements. As a bit, 1 is larger than 0.
template <typename Real, typename Signed, typename Unsigned, typename Bit>
static Value choose(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  if (isa<FloatType>(type))
    return Real::create(b, x[0], x[1]);
  if (type.isInteger(1))
    return Bit::create(b, x[0], x[1]);
  if (isUnsigned(op))
    return Unsigned::create(b, x[0], x[1]);
  return Signed::create(b, x[0], x[1]);
}

/// The quotient or remainder of integers, for every divisor. As in XLA, they
/// are -1 and the dividend if the divisor is 0.
static Value divide(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  bool isQuotient = op->getName().getStringRef() == "stablehlo.divide";
  Type type = x[0].getType();
  if (isa<FloatType>(type))
    return isQuotient ? arith::DivFOp::create(b, x[0], x[1]).getResult()
                      : arith::RemFOp::create(b, x[0], x[1]).getResult();
  Value zero = getConstant(b, type, 0), one = getConstant(b, type, 1),
        none = getConstant(b, type, -1);
  auto equals = [&](Value a, Value c) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c);
  };
  auto select = [&](Value c, Value y, Value n) -> Value {
    return arith::SelectOp::create(b, c, y, n);
  };
  Value isZero = equals(x[1], zero), divisor = select(isZero, one, x[1]);
  if (isUnsigned(op))
    return isQuotient
               ? select(isZero, none, arith::DivUIOp::create(b, x[0], divisor))
               : select(isZero, x[0], arith::RemUIOp::create(b, x[0], divisor));
  // The quotient of the smallest number and -1 is the smallest number.
  Value isMinus = equals(x[1], none);
  divisor = select(isMinus, one, divisor);
  if (isQuotient) {
    Value quotient = arith::DivSIOp::create(b, x[0], divisor);
    Value negated = arith::SubIOp::create(b, zero, x[0]);
    return select(isZero, none, select(isMinus, negated, quotient));
  }
  return select(isZero, x[0], arith::RemSIOp::create(b, x[0], divisor));
}

/// If a number is shifted by its width or more, the result is 0, or its sign.
static Value shift(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  StringRef name = op->getName().getStringRef();
  Type type = x[0].getType();
  Value last = getConstant(b, type, type.getIntOrFloatBitWidth() - 1);
  Value amount = arith::MinUIOp::create(b, x[1], last);
  if (name == "stablehlo.shift_right_arithmetic")
    return arith::ShRSIOp::create(b, x[0], amount);
  Value isAll = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, x[1], last);
  Value shifted = name == "stablehlo.shift_left"
                      ? arith::ShLIOp::create(b, x[0], amount).getResult()
                      : arith::ShRUIOp::create(b, x[0], amount).getResult();
  return arith::SelectOp::create(b, isAll, getConstant(b, type, 0), shifted);
}

static Value negate(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return arith::NegFOp::create(b, x[0]);
  return arith::SubIOp::create(b, getConstant(b, x[0].getType(), 0), x[0]);
}

static Value invert(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  return arith::XOrIOp::create(b, x[0], getConstant(b, x[0].getType(), -1));
}

static Value absolute(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return math::AbsFOp::create(b, x[0]);
  return isUnsigned(op) ? x[0] : math::AbsIOp::create(b, x[0]).getResult();
}

static Value sign(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  Value zero = getConstant(b, type, 0), one = getConstant(b, type, 1);
  if (isa<FloatType>(type)) {
    // Zeros and NaNs are unchanged.
    Value isSame =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UEQ, x[0], zero);
    return arith::SelectOp::create(b, isSame, x[0],
                                   math::CopySignOp::create(b, one, x[0]));
  }
  Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0], zero);
  Value result = one;
  if (!isUnsigned(op)) {
    Value isLess =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[0], zero);
    result = arith::SelectOp::create(b, isLess, getConstant(b, type, -1), one);
  }
  return arith::SelectOp::create(b, isZero, zero, result);
}

static Value power(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  return math::PowFOp::create(b, x[0], x[1]);
}

static Value logistic(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  Value one = getConstant(b, x[0].getType(), 1);
  Value rest = math::ExpOp::create(b, arith::NegFOp::create(b, x[0]));
  return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, rest));
}

static Value square(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  return arith::MulFOp::create(b, x[0], x[0]);
}

/// The inverse error function, by the polynomials of Giles (2010).
static Value inverseErf(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  static constexpr double inner[] = {
      2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
      -4.39150654e-06, 0.00021858087,  -0.00125372503,
      -0.00417768164,  0.246640727,    1.50140941};
  static constexpr double outer[] = {
      -0.000200214257, 0.000100950558, 0.00134934322,
      -0.00367342844,  0.00573950773,  -0.0076224613,
      0.00943887047,   1.00167406,     2.83297682};
  Type type = b.getF32Type();
  auto number = [&](double n) { return getConstant(b, type, n); };
  Value squared = arith::MulFOp::create(b, x[0], x[0]);
  Value w = arith::NegFOp::create(
      b, math::Log1pOp::create(b, arith::NegFOp::create(b, squared)));
  Value isInner =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, w, number(5));
  auto select = [&](Value y, Value n) -> Value {
    return arith::SelectOp::create(b, isInner, y, n);
  };
  w = select(arith::SubFOp::create(b, w, number(2.5)),
             arith::SubFOp::create(b, math::SqrtOp::create(b, w), number(3)));
  Value p = select(number(inner[0]), number(outer[0]));
  for (unsigned k = 1; k < std::size(inner); ++k)
    p = arith::AddFOp::create(b, select(number(inner[k]), number(outer[k])),
                              arith::MulFOp::create(b, p, w));
  Value isEnd = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                      math::AbsFOp::create(b, x[0]), number(1));
  Value factor = arith::SelectOp::create(
      b, isEnd, number(std::numeric_limits<double>::infinity()), p);
  return arith::MulFOp::create(b, factor, x[0]);
}

/// The last word of an attribute such as `comparison_direction LT`.
static StringRef getWord(Operation *op, StringRef name) {
  return getText(op, name).rtrim('>').rsplit(' ').second;
}

static Value compare(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  StringRef direction = getWord(op, "comparison_direction");
  using Int = arith::CmpIPredicate;
  using Real = arith::CmpFPredicate;
  bool noSign = isUnsigned(op);
  auto predicate = [&](bool noSign) {
    return llvm::StringSwitch<Int>(direction)
        .Case("EQ", Int::eq)
        .Case("NE", Int::ne)
        .Case("LT", noSign ? Int::ult : Int::slt)
        .Case("LE", noSign ? Int::ule : Int::sle)
        .Case("GT", noSign ? Int::ugt : Int::sgt)
        .Default(noSign ? Int::uge : Int::sge);
  };
  auto type = dyn_cast<FloatType>(x[0].getType());
  if (!type)
    return arith::CmpIOp::create(b, predicate(noSign), x[0], x[1]);
  if (getWord(op, "compare_type") == "TOTALORDER") {
    // The bits of a float in the order of IEEE 754, as a signed number.
    auto order = [&](Value value) -> Value {
      auto bits = b.getIntegerType(type.getWidth());
      Value number = arith::BitcastOp::create(b, bits, value);
      Value last = arith::ConstantOp::create(
          b, b.getIntegerAttr(bits, type.getWidth() - 1));
      Value rest = arith::ConstantOp::create(
          b, b.getIntegerAttr(bits, APInt::getSignedMaxValue(type.getWidth())));
      Value sign = arith::ShRSIOp::create(b, number, last);
      return arith::XOrIOp::create(b, number,
                                   arith::AndIOp::create(b, sign, rest));
    };
    return arith::CmpIOp::create(b, predicate(false), order(x[0]), order(x[1]));
  }
  auto real = llvm::StringSwitch<Real>(direction)
                  .Case("EQ", Real::OEQ)
                  .Case("NE", Real::UNE)
                  .Case("LT", Real::OLT)
                  .Case("LE", Real::OLE)
                  .Case("GT", Real::OGT)
                  .Default(Real::OGE);
  return arith::CmpFOp::create(b, real, x[0], x[1]);
}

static Value select(ImplicitLocOpBuilder &b, Operation *, ValueRange x) {
  return arith::SelectOp::create(b, x[0], x[1], x[2]);
}

static Value clamp(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  using namespace arith;
  Value low = choose<MaximumFOp, MaxSIOp, MaxUIOp, OrIOp>(b, op, {x[1], x[0]});
  return choose<MinimumFOp, MinSIOp, MinUIOp, AndIOp>(b, op, {low, x[2]});
}

Value stablehlo::convertScalar(ImplicitLocOpBuilder &b, Value x, Type from,
                               Type to) {
  Type source = convertElement(from), target = convertElement(to);
  bool hasSign = !from.isUnsignedInteger() && !from.isInteger(1);
  if (source == target)
    return x;
  auto real = dyn_cast<FloatType>(source), result = dyn_cast<FloatType>(target);
  if (to.isInteger(1)) {
    Value zero = getConstant(b, source, 0);
    if (real)
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
  }
  if (real && result) {
    if (real.getWidth() == result.getWidth())
      x = arith::ExtFOp::create(b, b.getF32Type(), x);
    else if (real.getWidth() < result.getWidth())
      return arith::ExtFOp::create(b, target, x);
    return arith::TruncFOp::create(b, target, x);
  }
  if (real)
    return to.isUnsignedInteger()
               ? arith::FPToUIOp::create(b, target, x).getResult()
               : arith::FPToSIOp::create(b, target, x).getResult();
  if (result)
    return hasSign ? arith::SIToFPOp::create(b, target, x).getResult()
                   : arith::UIToFPOp::create(b, target, x).getResult();
  if (source.getIntOrFloatBitWidth() > target.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, target, x);
  return hasSign ? arith::ExtSIOp::create(b, target, x).getResult()
                 : arith::ExtUIOp::create(b, target, x).getResult();
}

static Value convert(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  return convertScalar(b, x[0], getElement(op->getOperand(0)),
                       getElement(op->getResult(0)));
}

static Value bitcast(ImplicitLocOpBuilder &b, Operation *op, ValueRange x) {
  Type type = convertElement(getElement(op->getResult(0)));
  return x[0].getType() == type
             ? x[0]
             : arith::BitcastOp::create(b, type, x[0]).getResult();
}

/// The supported operations by their names; null for others.
static const Entry *find(Operation *op) {
  using namespace arith;
  static const llvm::StringMap<Entry> table = {
      {"stablehlo.abs", {1, Numbers, absolute}},
      {"stablehlo.add", {2, All, choose<AddFOp, AddIOp, AddIOp, OrIOp>}},
      {"stablehlo.and", {2, Integers | Bits, binary<AndIOp>}},
      {"stablehlo.atan2", {2, Floats, binary<math::Atan2Op>}},
      {"stablehlo.bitcast_convert", {1, All, bitcast, false}},
      {"stablehlo.cbrt", {1, Floats, unary<math::CbrtOp>}},
      {"stablehlo.ceil", {1, Floats, unary<math::CeilOp>}},
      {"stablehlo.clamp", {3, All, clamp}},
      {"stablehlo.compare", {2, All, compare}},
      {"stablehlo.convert", {1, All, convert}},
      {"stablehlo.cosine", {1, Floats, unary<math::CosOp>}},
      {"stablehlo.count_leading_zeros",
       {1, Integers, unary<math::CountLeadingZerosOp>}},
      {"stablehlo.divide", {2, Numbers, divide}},
      {"stablehlo.exponential", {1, Floats, unary<math::ExpOp>}},
      {"stablehlo.exponential_minus_one", {1, Floats, unary<math::ExpM1Op>}},
      {"stablehlo.floor", {1, Floats, unary<math::FloorOp>}},
      {"stablehlo.is_finite", {1, Floats, unary<math::IsFiniteOp>}},
      {"stablehlo.log", {1, Floats, unary<math::LogOp>}},
      {"stablehlo.log_plus_one", {1, Floats, unary<math::Log1pOp>}},
      {"stablehlo.logistic", {1, Floats, logistic}},
      {"stablehlo.maximum",
       {2, All, choose<MaximumFOp, MaxSIOp, MaxUIOp, OrIOp>}},
      {"stablehlo.minimum",
       {2, All, choose<MinimumFOp, MinSIOp, MinUIOp, AndIOp>}},
      {"stablehlo.multiply", {2, All, choose<MulFOp, MulIOp, MulIOp, AndIOp>}},
      {"stablehlo.negate", {1, Numbers, negate}},
      {"stablehlo.not", {1, Integers | Bits, invert}},
      {"stablehlo.or", {2, Integers | Bits, binary<OrIOp>}},
      {"stablehlo.popcnt", {1, Integers, unary<math::CtPopOp>}},
      {"stablehlo.power", {2, Floats, power}},
      {"stablehlo.remainder", {2, Numbers, divide}},
      {"stablehlo.round_nearest_afz", {1, Floats, unary<math::RoundOp>}},
      {"stablehlo.round_nearest_even", {1, Floats, unary<math::RoundEvenOp>}},
      {"stablehlo.rsqrt", {1, Floats, unary<math::RsqrtOp>}},
      {"stablehlo.select", {3, All, select}},
      {"stablehlo.shift_left", {2, Integers, shift}},
      {"stablehlo.shift_right_arithmetic", {2, Integers, shift}},
      {"stablehlo.shift_right_logical", {2, Integers, shift}},
      {"stablehlo.sign", {1, Numbers, sign}},
      {"stablehlo.sine", {1, Floats, unary<math::SinOp>}},
      {"stablehlo.sqrt", {1, Floats, unary<math::SqrtOp>}},
      {"stablehlo.subtract",
       {2, Numbers, choose<SubFOp, SubIOp, SubIOp, XOrIOp>}},
      {"stablehlo.tan", {1, Floats, unary<math::TanOp>}},
      {"stablehlo.tanh", {1, Floats, unary<math::TanhOp>}},
      {"stablehlo.xor", {2, Integers | Bits, binary<XOrIOp>}},
      {"chlo.acos", {1, Floats, unary<math::AcosOp>}},
      {"chlo.acosh", {1, Floats, unary<math::AcoshOp>}},
      {"chlo.asin", {1, Floats, unary<math::AsinOp>}},
      {"chlo.asinh", {1, Floats, unary<math::AsinhOp>}},
      {"chlo.atan", {1, Floats, unary<math::AtanOp>}},
      {"chlo.atanh", {1, Floats, unary<math::AtanhOp>}},
      {"chlo.cosh", {1, Floats, unary<math::CoshOp>}},
      {"chlo.erf", {1, Floats, unary<math::ErfOp>}},
      {"chlo.erf_inv", {1, Floats, inverseErf, false}},
      {"chlo.erfc", {1, Floats, unary<math::ErfcOp>}},
      {"chlo.sinh", {1, Floats, unary<math::SinhOp>}},
      {"chlo.square", {1, Floats, square}},
      {"chlo.tan", {1, Floats, unary<math::TanOp>}}};
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

bool stablehlo::isScalarOp(Operation *op) { return find(op); }

bool stablehlo::isHostOp(Operation *op) {
  const Entry *entry = find(op);
  return entry && entry->onHost && getWord(op, "compare_type") != "TOTALORDER";
}

bool stablehlo::isCommutative(Operation *op) {
  return llvm::is_contained({"stablehlo.add", "stablehlo.multiply",
                             "stablehlo.maximum", "stablehlo.minimum",
                             "stablehlo.and", "stablehlo.or", "stablehlo.xor"},
                            op->getName().getStringRef());
}

LogicalResult stablehlo::verifyScalarOp(Operation *op) {
  const Entry *entry = find(op);
  StringRef name = op->getName().getStringRef().rsplit('.').second;
  if (op->getNumOperands() != entry->operands || op->getNumResults() != 1 ||
      op->getNumRegions() != 0)
    return op->emitOpError("takes ")
           << entry->operands << " operands, no region, and has one result";
  SmallVector<Type> types;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    types.push_back(getElement(value));
    if (!convertElement(types.back()))
      return op->emitOpError("has elements of a type that obs does not have: ")
             << value.getType();
  }
  Type result = types.pop_back_val();
  bool isSelect = name == "select";
  Type first = types[isSelect ? 1 : 0];
  for (auto [k, type] : llvm::enumerate(types))
    if (isSelect && k == 0 ? !type.isInteger(1) : type != first)
      return op->emitOpError("has operands of the wrong element types");
  unsigned kind = isa<FloatType>(first) ? Floats
                  : first.isInteger(1)  ? Bits
                                        : Integers;
  if (!(entry->kinds & kind))
    return op->emitOpError("does not take elements of type ") << first;
  bool isTest = name == "compare" || name == "is_finite";
  if (isTest && !result.isInteger(1))
    return op->emitOpError("has a result of elements of type i1");
  if (!isTest && name != "convert" && name != "bitcast_convert" &&
      result != first)
    return op->emitOpError("has a result of another element type than its "
                           "operands");
  if (name == "bitcast_convert" &&
      (result.getIntOrFloatBitWidth() != first.getIntOrFloatBitWidth()))
    return op->emitOpError("between element types of different widths is not "
                           "supported");
  if (name == "erf_inv" && !first.isF32())
    return op->emitOpError("is supported for f32 only");
  if (name == "compare") {
    if (!llvm::is_contained({"EQ", "NE", "LT", "LE", "GT", "GE"},
                            getWord(op, "comparison_direction")))
      return op->emitOpError("needs a comparison_direction: EQ, NE, LT, LE, "
                             "GT or GE");
  }
  return success();
}

Value stablehlo::buildScalarOp(ImplicitLocOpBuilder &b, Operation *op,
                               ValueRange x) {
  return find(op)->build(b, op, x);
}
