//===- FloatOps.cpp - Exact evaluation of ops on floats -------------------===//
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
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <functional>
#include <utility>

using namespace mlir;
using namespace mlir::obs::interpreter;
using llvm::APFloat;
using llvm::Error;

namespace {

float asFloat(const Scalar &a) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(a.bits));
}

Scalar makeFloat(Type type, float value) {
  return Scalar(type, llvm::bit_cast<uint32_t>(value));
}

/// Applies `Fn` in the precision of the type. For f16 and bf16, applies it in
/// the precision of `Narrow`.
template <typename Fn, typename Narrow, size_t... I>
Scalar applyFloat(Operands in, std::index_sequence<I...>) {
  Type type = in[0].type;
  if (isa<Float32Type>(type))
    return makeFloat(type, Fn()(asFloat(in[I])...));
  if (isa<Float64Type>(type))
    return Scalar::fromDouble(type, Fn()(in[I].getDouble()...));
  return Scalar::fromDouble(type,
                            Fn()(static_cast<Narrow>(in[I].getDouble())...));
}

/// Basic arithmetic. For f16 and bf16 it is computed in f64, which has 53 bits.
/// This is more than twice their bits plus two, so the second rounding has no
/// effect.
template <typename Fn>
Error evalArith(Operation *, Operands in, Results &out) {
  return give(out, applyFloat<Fn, double>(in, std::make_index_sequence<2>()));
}

/// A `math` function of `N` operands: f64 in double, all others in float.
template <typename Fn, size_t N>
Error evalMath(Operation *, Operands in, Results &out) {
  return give(out, applyFloat<Fn, float>(in, std::make_index_sequence<N>()));
}

struct RemF {
  template <typename T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};
/// `maximumf` and `minimumf` of IEEE 754-2019: NaN if an operand is; -0 < +0.
template <typename Precedes>
struct ExtremumF {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    bool isFirst = a == b ? Precedes()(std::signbit(b), std::signbit(a))
                          : Precedes()(a, b);
    return isFirst ? a : b;
  }
};
using MaximumF = ExtremumF<std::greater<>>;
using MinimumF = ExtremumF<std::less<>>;
/// `fmax` and `fmin` of C: a number if an operand is one; -0 < +0.
template <typename OfNumbers>
struct NumberF {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a))
      return b;
    return std::isnan(b) ? a : OfNumbers()(a, b);
  }
};

Error evalCmpF(Operation *op, Operands in, Results &out) {
  return give(out, Scalar(op->getResult(0).getType(),
                          arith::applyCmpPredicate(
                              cast<arith::CmpFOp>(op).getPredicate(),
                              in[0].getAPFloat(), in[1].getAPFloat())));
}

uint64_t signBit(Type type) {
  return uint64_t(1) << (getScalarWidth(type) - 1);
}

// Operations on the sign change the sign bit only, also of a NaN.
Error evalNegF(Operation *, Operands in, Results &out) {
  return give(out, Scalar(in[0].type, in[0].bits ^ signBit(in[0].type)));
}
Error evalAbsF(Operation *, Operands in, Results &out) {
  return give(out, Scalar(in[0].type, in[0].bits & ~signBit(in[0].type)));
}
Error evalCopySign(Operation *, Operands in, Results &out) {
  uint64_t sign = signBit(in[0].type);
  return give(out,
              Scalar(in[0].type, (in[0].bits & ~sign) | (in[1].bits & sign)));
}

Error evalFma(Operation *, Operands in, Results &out) {
  return give(out, multiplyAdd(in[0], in[1], in[2]));
}

Error evalClampF(Operation *, Operands in, Results &out) {
  auto clamp = [](auto value, auto low, auto high) {
    return MaximumF()(MinimumF()(value, high), low);
  };
  Type type = in[0].type;
  return give(
      out, Scalar::fromDouble(type, clamp(in[0].getDouble(), in[1].getDouble(),
                                          in[2].getDouble())));
}

// The functions of one operand, each with its value at x. The rounding mode is
// the default, to nearest even. Nothing here changes it.
#define OBS_MATH_UNARY(ROW)                                                    \
  ROW(Acos, std::acos(x))                                                      \
  ROW(Acosh, std::acosh(x))                                                    \
  ROW(Asin, std::asin(x))                                                      \
  ROW(Asinh, std::asinh(x))                                                    \
  ROW(Atan, std::atan(x))                                                      \
  ROW(Atanh, std::atanh(x))                                                    \
  ROW(Cbrt, std::cbrt(x))                                                      \
  ROW(Ceil, std::ceil(x))                                                      \
  ROW(Cos, std::cos(x))                                                        \
  ROW(Cosh, std::cosh(x))                                                      \
  ROW(Erf, std::erf(x))                                                        \
  ROW(Erfc, std::erfc(x))                                                      \
  ROW(Exp, std::exp(x))                                                        \
  ROW(Exp2, std::exp2(x))                                                      \
  ROW(ExpM1, std::expm1(x))                                                    \
  ROW(Floor, std::floor(x))                                                    \
  ROW(Log, std::log(x))                                                        \
  ROW(Log10, std::log10(x))                                                    \
  ROW(Log1p, std::log1p(x))                                                    \
  ROW(Log2, std::log2(x))                                                      \
  ROW(Round, std::round(x))                                                    \
  ROW(RoundEven, std::nearbyint(x))                                            \
  ROW(Rsqrt, T(1) / std::sqrt(x))                                              \
  ROW(Sin, std::sin(x))                                                        \
  ROW(Sinh, std::sinh(x))                                                      \
  ROW(Sqrt, std::sqrt(x))                                                      \
  ROW(Tan, std::tan(x))                                                        \
  ROW(Tanh, std::tanh(x))                                                      \
  ROW(Trunc, std::trunc(x))

#define OBS_MATH_FUNCTION(NAME, EXPRESSION)                                    \
  struct NAME {                                                                \
    template <typename T>                                                      \
    T operator()(T x) const {                                                  \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
OBS_MATH_UNARY(OBS_MATH_FUNCTION)
#undef OBS_MATH_FUNCTION

struct Atan2 {
  template <typename T>
  T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};
struct PowF {
  template <typename T>
  T operator()(T x, T y) const {
    return std::pow(x, y);
  }
};

Error evalSincos(Operation *op, Operands in, Results &out) {
  if (Error error = evalMath<Sin, 1>(op, in, out))
    return error;
  return evalMath<Cos, 1>(op, in, out);
}

/// Repeated squaring, with the reciprocal last, as compilers expand it.
template <typename T>
T powi(T base, int64_t exponent) {
  T result = 1;
  uint64_t left = exponent < 0 ? -static_cast<uint64_t>(exponent) : exponent;
  for (; left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return exponent < 0 ? T(1) / result : result;
}

Error evalFPowI(Operation *, Operands in, Results &out) {
  Type type = in[0].type;
  int64_t exponent = in[1].getSInt();
  double base = in[0].getDouble();
  double power = isa<Float64Type>(type)
                     ? powi(base, exponent)
                     : powi(static_cast<float>(base), exponent);
  return give(out, Scalar::fromDouble(type, power));
}

template <bool (*Fn)(double)>
Error evalFloatClass(Operation *op, Operands in, Results &out) {
  return give(out, Scalar(op->getResult(0).getType(), Fn(in[0].getDouble())));
}

bool isFinite(double x) { return std::isfinite(x); }
bool isInf(double x) { return std::isinf(x); }
bool isNaN(double x) { return std::isnan(x); }

/// Tests for a normal number of the type. All f32 and f16 are normal in f64.
Error evalIsNormal(Operation *op, Operands in, Results &out) {
  return give(
      out, Scalar(op->getResult(0).getType(), in[0].getAPFloat().isNormal()));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Error evalExtF(Operation *op, Operands in, Results &out) {
  return give(
      out, Scalar::fromDouble(op->getResult(0).getType(), in[0].getDouble()));
}

APFloat::roundingMode convertRounding(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::to_nearest_even:
    return APFloat::rmNearestTiesToEven;
  case arith::RoundingMode::downward:
    return APFloat::rmTowardNegative;
  case arith::RoundingMode::upward:
    return APFloat::rmTowardPositive;
  case arith::RoundingMode::toward_zero:
    return APFloat::rmTowardZero;
  case arith::RoundingMode::to_nearest_away:
    return APFloat::rmNearestTiesToAway;
  }
  llvm_unreachable("unknown rounding mode");
}

Error evalTruncF(Operation *op, Operands in, Results &out) {
  Type type = op->getResult(0).getType();
  APFloat value = in[0].getAPFloat();
  bool losesInfo;
  value.convert(
      cast<FloatType>(type).getFloatSemantics(),
      convertRounding(cast<arith::TruncFOp>(op).getRoundingmode().value_or(
          arith::RoundingMode::to_nearest_even)),
      &losesInfo);
  return give(out, Scalar(type, value.bitcastToAPInt().getZExtValue()));
}

template <bool IsSigned>
Error evalIntToFP(Operation *op, Operands in, Results &out) {
  Type type = op->getResult(0).getType();
  APFloat value(cast<FloatType>(type).getFloatSemantics());
  value.convertFromAPInt(in[0].getAPInt(), IsSigned,
                         APFloat::rmNearestTiesToEven);
  return give(out, Scalar(type, value.bitcastToAPInt().getZExtValue()));
}

template <bool IsSigned>
Error evalFPToInt(Operation *op, Operands in, Results &out) {
  Type type = op->getResult(0).getType();
  unsigned width = getScalarWidth(type);
  double value = std::trunc(in[0].getDouble());
  // Powers of two are exact, and so are these comparisons. They fail for NaN.
  double low = IsSigned ? -std::ldexp(1.0, width - 1) : 0.0;
  double high = std::ldexp(1.0, IsSigned ? width - 1 : width);
  bool fits = value >= low && value < high;
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "has no result: " << in[0] << " does not fit "
       << (IsSigned ? "signed " : "unsigned ") << type;
    return trap(op, text);
  }
  return give(out, Scalar(type, IsSigned ? static_cast<uint64_t>(
                                               static_cast<int64_t>(value))
                                         : static_cast<uint64_t>(value)));
}
} // namespace

Scalar mlir::obs::interpreter::multiplyAdd(const Scalar &x, const Scalar &y,
                                           const Scalar &sum) {
  Type type = x.type;
  if (isa<Float32Type>(type))
    return makeFloat(type, std::fma(asFloat(x), asFloat(y), asFloat(sum)));
  if (isa<Float64Type>(type))
    return Scalar::fromDouble(
        type, std::fma(x.getDouble(), y.getDouble(), sum.getDouble()));
  // A product and a sum of f16 need more than 53 bits, so f64 is too small.
  APFloat value = x.getAPFloat();
  value.fusedMultiplyAdd(y.getAPFloat(), sum.getAPFloat(),
                         APFloat::rmNearestTiesToEven);
  return Scalar(type, value.bitcastToAPInt().getZExtValue());
}

void mlir::obs::interpreter::addFloatOps(ScalarTable &t) {
  add<arith::ExtFOp>(t, evalExtF);
  add<arith::TruncFOp>(t, evalTruncF);
  add<arith::UIToFPOp>(t, evalIntToFP<false>);
  add<arith::SIToFPOp>(t, evalIntToFP<true>);
  add<arith::FPToUIOp>(t, evalFPToInt<false>);
  add<arith::FPToSIOp>(t, evalFPToInt<true>);
  add<arith::AddFOp>(t, evalArith<std::plus<>>);
  add<arith::SubFOp>(t, evalArith<std::minus<>>);
  add<arith::MulFOp>(t, evalArith<std::multiplies<>>);
  add<arith::DivFOp>(t, evalArith<std::divides<>>);
  add<arith::RemFOp>(t, evalArith<RemF>);
  add<arith::MaximumFOp>(t, evalArith<MaximumF>);
  add<arith::MinimumFOp>(t, evalArith<MinimumF>);
  add<arith::MaxNumFOp>(t, evalArith<NumberF<MaximumF>>);
  add<arith::MinNumFOp>(t, evalArith<NumberF<MinimumF>>);
  add<arith::NegFOp>(t, evalNegF);
  add<arith::CmpFOp>(t, evalCmpF);
  add<math::AbsFOp>(t, evalAbsF);
  add<math::CopySignOp>(t, evalCopySign);
  add<math::FmaOp>(t, evalFma);
  add<math::ClampFOp>(t, evalClampF);
  add<math::IsFiniteOp>(t, evalFloatClass<isFinite>);
  add<math::IsInfOp>(t, evalFloatClass<isInf>);
  add<math::IsNaNOp>(t, evalFloatClass<isNaN>);
  add<math::IsNormalOp>(t, evalIsNormal);
  add<math::Atan2Op>(t, evalMath<Atan2, 2>);
  add<math::FPowIOp>(t, evalFPowI);
  add<math::PowFOp>(t, evalMath<PowF, 2>);
  add<math::SincosOp>(t, evalSincos);
#define OBS_ADD_FUNCTION(NAME, EXPRESSION)                                     \
  add<math::NAME##Op>(t, evalMath<NAME, 1>);
  OBS_MATH_UNARY(OBS_ADD_FUNCTION)
#undef OBS_ADD_FUNCTION
}
