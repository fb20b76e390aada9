//===- Elementwise.cpp - Elementwise operations of StableHLO --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;
using Order = ScalarBuilder::Order;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// The kinds of elements that an operation takes.
enum Kinds { Floats = 1, Integers = 2, Bits = 4, Numbers = 3, All = 7 };

/// True for elements that the operation computes as numbers without a sign.
static bool isUnsigned(Operation *op) {
  Type element = getElement(op->getOperand(0));
  return element.isUnsignedInteger() || element.isInteger(1);
}

template <typename Op>
static Value unary(ScalarBuilder &b, Operation *, ValueRange x) {
  return Op::create(b, x[0]);
}
template <typename Op>
static Value binary(ScalarBuilder &b, Operation *, ValueRange x) {
  return Op::create(b, x[0], x[1]);
}
/// A method of the builder.
template <auto method>
static Value call(ScalarBuilder &b, Operation *, ValueRange x) {
  if constexpr (std::is_invocable_v<decltype(method), ScalarBuilder &, Value>)
    return (b.*method)(x[0]);
  else
    return (b.*method)(x[0], x[1], x[2]);
}
/// One operation for each kind of elements. As a bit, 1 is larger than 0.
template <typename Real, typename Signed, typename Unsigned, typename Bit>
static Value choose(ScalarBuilder &b, Operation *op, ValueRange x) {
  if (x[0].getType().isInteger(1))
    return Bit::create(b, x[0], x[1]);
  return isUnsigned(op) ? b.build<Real, Unsigned>(x[0], x[1])
                        : b.build<Real, Signed>(x[0], x[1]);
}

/// The quotient or remainder of integers, for every divisor. As in XLA, they
/// are -1 and the dividend if the divisor is 0.
template <typename Real, typename Signed, typename Unsigned>
static Value divide(ScalarBuilder &b, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  if (isa<FloatType>(type))
    return Real::create(b, x[0], x[1]);
  constexpr bool isQuotient = std::is_same_v<Real, arith::DivFOp>;
  Value zero = b.getNumber(type, 0), one = b.getNumber(type, 1),
        none = b.getNumber(type, -1);
  Value isZero = b.compare(Order::EQ, x[1], zero),
        divisor = b.select(isZero, one, x[1]),
        undefined = isQuotient ? none : x[0];
  if (isUnsigned(op))
    return b.select(isZero, undefined, Unsigned::create(b, x[0], divisor));
  // The quotient of the smallest number and -1 is the smallest number.
  Value isMinus = b.compare(Order::EQ, x[1], none);
  divisor = b.select(isMinus, one, divisor);
  Value result = Signed::create(b, x[0], divisor);
  if (isQuotient)
    result = b.select(isMinus, arith::SubIOp::create(b, zero, x[0]), result);
  return b.select(isZero, undefined, result);
}

/// If a number is shifted by its width or more, the result is 0, or its sign.
template <typename Op>
static Value shift(ScalarBuilder &b, Operation *, ValueRange x) {
  Type type = x[0].getType();
  Value last = b.getNumber(type, type.getIntOrFloatBitWidth() - 1);
  Value amount = arith::MinUIOp::create(b, x[1], last);
  if (std::is_same_v<Op, arith::ShRSIOp>)
    return Op::create(b, x[0], amount);
  Value isAll = b.compare(Order::GT, x[1], last, /*isUnsigned=*/true);
  Value shifted = Op::create(b, x[0], amount);
  return b.select(isAll, b.getNumber(type, 0), shifted);
}

static Value invert(ScalarBuilder &b, Operation *, ValueRange x) {
  return arith::XOrIOp::create(b, x[0], b.getNumber(x[0].getType(), -1));
}

static Value square(ScalarBuilder &b, Operation *, ValueRange x) {
  return b.mul(x[0], x[0]);
}

static Value absolute(ScalarBuilder &b, Operation *op, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return math::AbsFOp::create(b, x[0]);
  return isUnsigned(op) ? x[0] : math::AbsIOp::create(b, x[0]).getResult();
}

static Value sign(ScalarBuilder &b, Operation *op, ValueRange x) {
  Type type = x[0].getType();
  Value zero = b.getNumber(type, 0), one = b.getNumber(type, 1);
  if (isa<FloatType>(type)) {
    // Zeros and NaNs are unchanged.
    Value isSame =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UEQ, x[0], zero);
    return b.select(isSame, x[0], math::CopySignOp::create(b, one, x[0]));
  }
  Value isZero = b.compare(Order::EQ, x[0], zero), result = one;
  if (!isUnsigned(op)) {
    Value isLess = b.compare(Order::LT, x[0], zero);
    result = b.select(isLess, b.getNumber(type, -1), one);
  }
  return b.select(isZero, zero, result);
}

static Value logistic(ScalarBuilder &b, Operation *, ValueRange x) {
  Value one = b.getNumber(x[0].getType(), 1);
  Value rest = math::ExpOp::create(b, b.negate(x[0]));
  return arith::DivFOp::create(b, one, b.add(one, rest));
}

/// Builds `function` of a float of at least 32 bits.
static Value buildWide(ScalarBuilder &b, Value x,
                       function_ref<Value(Value)> function) {
  Type type = x.getType();
  Type wide = type.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : type;
  return b.convert(function(b.convert(x, wide)), type);
}

/// The positive number whose error function is `y`, from an approximation:
/// three steps of Halley's method. Near 1, the distance to 1 is precise.
static Value refineInverseErf(ScalarBuilder &b, Value y, Value x) {
  auto number = [&](double n) { return b.getNumber(y.getType(), n); };
  Value one = number(1), rest = b.sub(one, y);
  Value isSmall = b.compare(Order::LT, y, number(0.5));
  for (unsigned step = 0; step < 3; ++step) {
    Value error = b.select(isSmall, b.sub(math::ErfOp::create(b, x), y),
                           b.sub(rest, math::ErfcOp::create(b, x)));
    Value slope = b.mul(number(2 * llvm::numbers::inv_sqrtpi),
                        math::ExpOp::create(b, b.negate(b.mul(x, x))));
    Value distance = arith::DivFOp::create(b, error, slope);
    x = b.sub(
        x, arith::DivFOp::create(b, distance, b.add(one, b.mul(x, distance))));
  }
  return x;
}

/// The inverse error function: the polynomials of Giles (2010), which are
/// precise for f32.
static Value inverseErf(ScalarBuilder &b, Operation *, ValueRange operands) {
  static constexpr double inner[] = {
      2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
      -4.39150654e-06, 0.00021858087,  -0.00125372503,
      -0.00417768164,  0.246640727,    1.50140941};
  static constexpr double outer[] = {
      -0.000200214257, 0.000100950558, 0.00134934322,
      -0.00367342844,  0.00573950773,  -0.0076224613,
      0.00943887047,   1.00167406,     2.83297682};
  /// The polynomials are those of numbers up to this one.
  constexpr double last = 16;
  return buildWide(b, operands[0], [&](Value x) -> Value {
    auto number = [&](double n) { return b.getNumber(x.getType(), n); };
    Value squared = b.mul(x, x);
    Value w = b.negate(math::Log1pOp::create(b, b.negate(squared)));
    Value isInner = b.compare(Order::LT, w, number(5));
    Value t = b.select(isInner, b.sub(w, number(2.5)),
                       b.sub(math::SqrtOp::create(b, w), number(3)));
    Value p = b.select(isInner, number(inner[0]), number(outer[0]));
    for (unsigned k = 1; k < std::size(inner); ++k)
      p = b.add(b.select(isInner, number(inner[k]), number(outer[k])),
                b.mul(p, t));
    Value size = math::AbsFOp::create(b, x), found = b.mul(p, x);
    Value infinity = number(std::numeric_limits<double>::infinity());
    if (x.getType().isF64()) {
      // The rest of the error function is about exp(-x^2) / (x sqrt(pi)).
      Value logarithm =
          math::LogOp::create(b, b.mul(number(llvm::numbers::pi), w));
      Value far =
          math::SqrtOp::create(b, b.sub(b.add(w, number(llvm::numbers::ln2)),
                                        b.mul(number(0.5), logarithm)));
      Value start =
          b.select(b.compare(Order::LT, w, number(last)), b.mul(p, size), far);
      found = math::CopySignOp::create(b, refineInverseErf(b, size, start), x);
    }
    Value isEnd = b.compare(Order::EQ, size, number(1));
    return b.select(isEnd, b.mul(infinity, x), found);
  });
}

namespace {
/// The series of Lanczos (1964) for the gamma function, with g = 7: the gamma
/// function of z + 1 is sqrt(2 pi) t^(z + 1/2) e^-t s, with t = z + g + 1/2.
struct Lanczos {
  /// At x, or for x < 1/2 at 1 - x.
  Lanczos(ScalarBuilder &b, Value x);

  Value number(double n) { return b.getNumber(x.getType(), n); }

  ScalarBuilder &b;
  Value x, isReflected, z, t, logT, sum, derivative;
  /// The distance of x to the next whole number.
  Value rest;
};
} // namespace

Lanczos::Lanczos(ScalarBuilder &b, Value x) : b(b), x(x) {
  static constexpr double terms[] = {
      676.520368121885098567009190444019, -1259.13921672240287047156078755283,
      771.3234287776530788486528258894,   -176.61502916214059906584551354,
      12.507343278686904814458936853,     -0.13857109526572011689554707,
      9.984369578019570859563e-6,         1.50563273514931155834e-7};
  isReflected = b.compare(Order::LT, x, number(0.5));
  z = b.select(isReflected, b.negate(x), b.sub(x, number(1)));
  sum = number(0.99999999999980993227684700473478);
  derivative = number(0);
  for (auto [k, term] : llvm::enumerate(terms)) {
    Value place = b.add(z, number(k + 1.0));
    Value part = arith::DivFOp::create(b, number(term), place);
    sum = b.add(sum, part);
    derivative = b.sub(derivative, arith::DivFOp::create(b, part, place));
  }
  // The logarithm is precise for small z.
  Value ratio = arith::DivFOp::create(b, z, number(7.5));
  t = b.add(z, number(7.5));
  logT = b.add(number(std::log(7.5)), math::Log1pOp::create(b, ratio));
  Value size = math::AbsFOp::create(b, x);
  rest = b.sub(size, math::FloorOp::create(b, size));
  rest = arith::MinimumFOp::create(b, rest, b.sub(number(1), rest));
}

/// The logarithm of the magnitude of the gamma function.
static Value logGamma(ScalarBuilder &b, Operation *, ValueRange operands) {
  return buildWide(b, operands[0], [&](Value x) -> Value {
    Lanczos l(b, x);
    Value ratio = arith::DivFOp::create(b, l.t, l.logT);
    Value found = b.mul(b.sub(b.add(l.z, l.number(0.5)), ratio), l.logT);
    found = b.add(found, l.number(0.5 * std::log(2 * llvm::numbers::pi)));
    found = b.add(found, math::LogOp::create(b, l.sum));
    Value sine =
        math::SinOp::create(b, b.mul(l.number(llvm::numbers::pi), l.rest));
    Value mirror = b.sub(l.number(std::log(llvm::numbers::pi)),
                         math::LogOp::create(b, sine));
    Value infinity = l.number(std::numeric_limits<double>::infinity());
    Value isInfinite =
        b.compare(Order::EQ, math::AbsFOp::create(b, x), infinity);
    // It is also infinite where the sine is 0.
    found = b.select(l.isReflected, b.sub(mirror, found), found);
    return b.select(isInfinite, infinity, found);
  });
}

/// The derivative of `logGamma`; a NaN for 0, -1 and so on.
static Value digamma(ScalarBuilder &b, Operation *, ValueRange operands) {
  return buildWide(b, operands[0], [&](Value x) -> Value {
    Lanczos l(b, x);
    Value found = arith::DivFOp::create(b, l.derivative, l.sum);
    Value part = arith::DivFOp::create(b, l.number(7), l.t);
    found = b.sub(b.add(found, l.logT), part);
    // x + rest or x - rest is whole.
    Value whole = math::RoundEvenOp::create(b, x);
    Value tangent = math::TanOp::create(
        b, b.mul(l.number(llvm::numbers::pi), b.sub(x, whole)));
    Value mirror =
        arith::DivFOp::create(b, l.number(llvm::numbers::pi), tangent);
    Value isPole = b.both(b.compare(Order::EQ, x, whole),
                          b.compare(Order::LE, x, l.number(0)));
    Value undefined = l.number(std::numeric_limits<double>::quiet_NaN());
    found = b.select(l.isReflected, b.sub(found, mirror), found);
    return b.select(isPole, undefined, found);
  });
}

/// The number with fewer bits of the exponent and of the mantissa, to which it
/// is rounded. Numbers beyond its range are infinite, or zero.
static Value reducePrecision(ScalarBuilder &b, Operation *op, ValueRange x) {
  using namespace arith;
  auto type = cast<FloatType>(x[0].getType());
  unsigned width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1,
           exponent = width - 1 - fraction;
  auto wanted = [&](StringRef name) {
    return op->getAttrOfType<IntegerAttr>(name).getValue().getZExtValue();
  };
  uint64_t kept = wanted("mantissa_bits"), range = wanted("exponent_bits");
  Type bits = b.getIntegerType(width);
  auto number = [&](uint64_t n) -> Value {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(bits, APInt(width, n, false, true)));
  };
  Value result = BitcastOp::create(b, bits, x[0]);
  if (kept < fraction) {
    // Half of the last bit that is kept, less one if this bit is even.
    uint64_t lost = fraction - kept, half = uint64_t(1) << (lost - 1);
    Value isOdd =
        AndIOp::create(b, ShRUIOp::create(b, result, number(lost)), number(1));
    result = b.add(result, b.add(isOdd, number(half - 1)));
    result = AndIOp::create(b, result, number(~(2 * half - 1)));
  }
  if (range < exponent) {
    uint64_t bias = (uint64_t(1) << (exponent - 1)) - 1,
             own = (uint64_t(1) << (range - 1)) - 1,
             all = ((uint64_t(1) << exponent) - 1) << fraction;
    Value place = AndIOp::create(b, result, number(all));
    Value sign = AndIOp::create(b, result, number(uint64_t(1) << (width - 1)));
    Value isLarge =
        b.compare(Order::GT, place, number((bias + own) << fraction),
                  /*isUnsigned=*/true);
    Value isSmall =
        b.compare(Order::LE, place, number((bias - own) << fraction),
                  /*isUnsigned=*/true);
    result = b.select(isLarge, OrIOp::create(b, sign, number(all)), result);
    result = b.select(isSmall, sign, result);
  }
  Value isNaN = CmpFOp::create(b, CmpFPredicate::UNO, x[0], x[0]);
  return b.select(isNaN, x[0], BitcastOp::create(b, type, result));
}

/// The number next to x[0] in the direction of x[1].
static Value nextAfter(ScalarBuilder &b, Operation *, ValueRange x) {
  using namespace arith;
  auto type = cast<FloatType>(x[0].getType());
  Type bits = b.getIntegerType(type.getWidth());
  Value zero = b.getNumber(bits, 0), one = b.getNumber(bits, 1);
  Value from = BitcastOp::create(b, bits, x[0]),
        to = BitcastOp::create(b, bits, x[1]);
  auto toFloat = [&](Value number) -> Value {
    return BitcastOp::create(b, type, number);
  };
  auto magnitude = [&](Value number) -> Value {
    return ShLIOp::create(b, number, one);
  };
  // The bits of numbers of one sign have the order of their magnitudes. Bits
  // are compared because the host may read the smallest numbers as 0.
  Value isNearer = OrIOp::create(
      b, b.compare(Order::GT, magnitude(from), magnitude(to), true),
      b.compare(Order::LT, XOrIOp::create(b, from, to), zero));
  Value step = b.select(isNearer, b.getNumber(bits, -1), one);
  Value least = math::CopySignOp::create(b, toFloat(one), x[1]);
  Value next = b.select(b.compare(Order::EQ, magnitude(from), zero), least,
                        toFloat(b.add(from, step)));
  next = b.select(b.compare(Order::EQ, x[0], x[1]), x[1], next);
  Value isNaN = CmpFOp::create(b, CmpFPredicate::UNO, x[0], x[1]);
  return b.select(isNaN, b.add(x[0], x[1]), next);
}

static std::optional<Order> getOrder(Operation *op) {
  // In the order of `Order`.
  static constexpr StringLiteral names[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  auto found = llvm::find(names, getWord(op, "comparison_direction"));
  return found == std::end(names)
             ? std::nullopt
             : std::optional(static_cast<Order>(found - std::begin(names)));
}

static Value compare(ScalarBuilder &b, Operation *op, ValueRange x) {
  auto type = dyn_cast<FloatType>(x[0].getType());
  if (!type || getWord(op, "compare_type") != "TOTALORDER")
    return b.compare(*getOrder(op), x[0], x[1], isUnsigned(op));
  // The bits of a float in the order of IEEE 754, as a signed number.
  auto order = [&](Value value) -> Value {
    auto bits = b.getIntegerType(type.getWidth());
    Value number = arith::BitcastOp::create(b, bits, value);
    Value last = b.getNumber(bits, type.getWidth() - 1);
    Value rest = arith::ConstantOp::create(
        b, b.getIntegerAttr(bits, APInt::getSignedMaxValue(type.getWidth())));
    Value sign = arith::ShRSIOp::create(b, number, last);
    return arith::XOrIOp::create(b, number,
                                 arith::AndIOp::create(b, sign, rest));
  };
  return b.compare(*getOrder(op), order(x[0]), order(x[1]));
}

static Value clamp(ScalarBuilder &b, Operation *op, ValueRange x) {
  using namespace arith;
  Value low = choose<MaximumFOp, MaxSIOp, MaxUIOp, OrIOp>(b, op, {x[1], x[0]});
  return choose<MinimumFOp, MinSIOp, MinUIOp, AndIOp>(b, op, {low, x[2]});
}

Value stablehlo::convertScalar(ScalarBuilder &b, Value x, Type from, Type to) {
  return b.convert(x, convertElementType(to), from.isUnsignedInteger(),
                   to.isUnsignedInteger());
}

static Value convert(ScalarBuilder &b, Operation *op, ValueRange x) {
  return convertScalar(b, x[0], getElement(op->getOperand(0)),
                       getElement(op->getResult(0)));
}

const ElementOp *ElementOp::find(Operation *op) {
  using namespace arith;
  using namespace math;
  static const llvm::StringMap<ElementOp> table = {
      {"stablehlo.abs", {1, Numbers, absolute}},
      {"stablehlo.add", {2, All, choose<AddFOp, AddIOp, AddIOp, OrIOp>}},
      {"stablehlo.and", {2, Integers | Bits, binary<AndIOp>}},
      {"stablehlo.atan2", {2, Floats, binary<Atan2Op>}},
      {"stablehlo.bitcast_convert",
       {1, All,
        [](ScalarBuilder &b, Operation *op, ValueRange x) -> Value {
          return b.createOrFold<BitcastOp>(
              convertElementType(getElement(op->getResult(0))), x[0]);
        },
        Any, false}},
      {"stablehlo.cbrt", {1, Floats, unary<CbrtOp>}},
      {"stablehlo.ceil", {1, Floats, unary<CeilOp>}},
      {"stablehlo.clamp", {3, All, clamp}},
      {"stablehlo.compare", {2, All, compare, Bit}},
      {"stablehlo.convert", {1, All, convert, Any}},
      {"stablehlo.cosine", {1, Floats, unary<CosOp>}},
      {"stablehlo.count_leading_zeros",
       {1, Integers, unary<CountLeadingZerosOp>}},
      {"stablehlo.divide", {2, Numbers, divide<DivFOp, DivSIOp, DivUIOp>}},
      {"stablehlo.exponential", {1, Floats, unary<ExpOp>}},
      {"stablehlo.exponential_minus_one", {1, Floats, unary<ExpM1Op>}},
      {"stablehlo.floor", {1, Floats, unary<FloorOp>}},
      {"stablehlo.is_finite", {1, Floats, unary<IsFiniteOp>, Bit}},
      {"stablehlo.log", {1, Floats, unary<LogOp>}},
      {"stablehlo.log_plus_one", {1, Floats, unary<Log1pOp>}},
      {"stablehlo.logistic", {1, Floats, logistic}},
      {"stablehlo.maximum",
       {2, All, choose<MaximumFOp, MaxSIOp, MaxUIOp, OrIOp>}},
      {"stablehlo.minimum",
       {2, All, choose<MinimumFOp, MinSIOp, MinUIOp, AndIOp>}},
      {"stablehlo.multiply", {2, All, choose<MulFOp, MulIOp, MulIOp, AndIOp>}},
      {"stablehlo.negate", {1, Numbers, call<&ScalarBuilder::negate>}},
      {"stablehlo.not", {1, Integers | Bits, invert}},
      {"stablehlo.or", {2, Integers | Bits, binary<OrIOp>}},
      {"stablehlo.popcnt", {1, Integers, unary<CtPopOp>}},
      {"stablehlo.power", {2, Floats, binary<PowFOp>}},
      {"stablehlo.reduce_precision", {1, Floats, reducePrecision, Same, false}},
      {"stablehlo.remainder", {2, Numbers, divide<RemFOp, RemSIOp, RemUIOp>}},
      {"stablehlo.round_nearest_afz", {1, Floats, unary<RoundOp>}},
      {"stablehlo.round_nearest_even", {1, Floats, unary<RoundEvenOp>}},
      {"stablehlo.rsqrt", {1, Floats, unary<RsqrtOp>}},
      {"stablehlo.select", {3, All, call<&ScalarBuilder::select>}},
      {"stablehlo.shift_left", {2, Integers, shift<ShLIOp>}},
      {"stablehlo.shift_right_arithmetic", {2, Integers, shift<ShRSIOp>}},
      {"stablehlo.shift_right_logical", {2, Integers, shift<ShRUIOp>}},
      {"stablehlo.sign", {1, Numbers, sign}},
      {"stablehlo.sine", {1, Floats, unary<SinOp>}},
      {"stablehlo.sqrt", {1, Floats, unary<SqrtOp>}},
      {"stablehlo.subtract",
       {2, Numbers, choose<SubFOp, SubIOp, SubIOp, XOrIOp>}},
      {"stablehlo.tan", {1, Floats, unary<TanOp>}},
      {"stablehlo.tanh", {1, Floats, unary<TanhOp>}},
      {"stablehlo.xor", {2, Integers | Bits, binary<XOrIOp>}},
      {"chlo.acos", {1, Floats, unary<AcosOp>}},
      {"chlo.acosh", {1, Floats, unary<AcoshOp>}},
      {"chlo.asin", {1, Floats, unary<AsinOp>}},
      {"chlo.asinh", {1, Floats, unary<AsinhOp>}},
      {"chlo.atan", {1, Floats, unary<AtanOp>}},
      {"chlo.atanh", {1, Floats, unary<AtanhOp>}},
      {"chlo.cosh", {1, Floats, unary<CoshOp>}},
      {"chlo.digamma", {1, Floats, digamma, Same, false}},
      {"chlo.erf", {1, Floats, unary<ErfOp>}},
      {"chlo.erf_inv", {1, Floats, inverseErf, Same, false}},
      {"chlo.erfc", {1, Floats, unary<ErfcOp>}},
      {"chlo.lgamma", {1, Floats, logGamma, Same, false}},
      {"chlo.next_after", {2, Floats, nextAfter, Same, false}},
      {"chlo.sinh", {1, Floats, unary<SinhOp>}},
      {"chlo.square", {1, Floats, square}},
      {"chlo.tan", {1, Floats, unary<TanOp>}}};
  auto found = table.find(op->getName().getStringRef());
  return found == table.end() ? nullptr : &found->second;
}

bool ElementOp::isOnHost(Operation *op) {
  const ElementOp *elements = find(op);
  return elements && elements->onHost &&
         getWord(op, "compare_type") != "TOTALORDER";
}

void ElementOp::verify(OpReader &op) const {
  if (!op.require(op->getNumOperands() == operands &&
                      op->getNumResults() == 1 && op->getNumRegions() == 0,
                  "takes ", operands,
                  " operands, no region, and has one result"))
    return;
  StringRef name = op->getName().getStringRef();
  bool isSelect = name == "stablehlo.select";
  SmallVector<Type> types = getElements(op->getOperands());
  Type found = getElement(op->getResult(0)), first = types[isSelect ? 1 : 0],
       bit = IntegerType::get(op->getContext(), 1);
  for (auto [k, type] : llvm::enumerate(types))
    op.require(type == (isSelect && k == 0 ? bit : first),
               "has operands of the wrong element types");
  unsigned kind = isa<FloatType>(first) ? Floats
                  : first == bit        ? Bits
                                        : Integers;
  op.require(kinds & kind, "does not take elements of type ", first);
  Type expected = result == Same ? first : result == Bit ? bit : found;
  op.require(found == expected, "has a result of elements of type ", found,
             ", not ", expected);
  op.require(name != "stablehlo.bitcast_convert" ||
                 found.getIntOrFloatBitWidth() == first.getIntOrFloatBitWidth(),
             "between element types of different widths is not supported");
  auto isPositive = [&](StringRef bits, int64_t least) {
    auto number = op->getAttrOfType<IntegerAttr>(bits);
    return number && number.getValue().sge(least);
  };
  op.require(
      name != "stablehlo.reduce_precision" ||
          (isPositive("exponent_bits", 1) && isPositive("mantissa_bits", 0)),
      "needs exponent_bits of at least 1 and mantissa_bits of at least "
      "0");
  op.require(name != "stablehlo.compare" || getOrder(op),
             "needs a comparison_direction: EQ, NE, LT, LE, GT or GE");
}

//===----------------------------------------------------------------------===//
// Arrays and scalars
//===----------------------------------------------------------------------===//

SmallVector<Value> Importer::importElements(OpReader &op,
                                            const ElementOp &elements) {
  elements.verify(op);
  if (!op.isValid())
    return {};
  Value result = op->getResult(0);
  ArrayRef<int64_t> shape = getShape(result);
  StringRef name = op->getName().getStringRef();
  bool mayMix = name == "stablehlo.select" || name == "stablehlo.clamp";
  for (Value operand : op->getOperands())
    op.require(getShape(operand) == shape ||
                   (mayMix && getShape(operand).empty()),
               "has operands and a result of different extents");
  if (!op.isValid())
    return {};
  auto build = [&](ValueRange x) -> Values {
    return {elements.build(b, op, x)};
  };
  if (elementLoc)
    return build(getScalars(op->getOperands()));
  Values operands = lookup(op->getOperands()), scalars = operands;
  if (name == "stablehlo.convert" &&
      op->getOperand(0).getType() == result.getType())
    return operands;
  // Elements that are equal at all indices are computed once, by the host.
  for (Value &scalar : scalars)
    if (auto same = scalar.getDefiningOp<SplatOp>())
      scalar = same.getValues().front();
  if (!ElementOp::isOnHost(op) ||
      llvm::any_of(ValueRange(scalars).getTypes(), llvm::IsaPred<PullType>))
    return {b.mapElements(operands, getExtents(shape), build)};
  if (shape.empty())
    return build(scalars);
  return {b.splat(build(scalars), getExtents(shape))};
}
