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

/// Applies `fn` in the precision of the type. Basic arithmetic of f16 and bf16
/// runs in f64, whose 53 bits are more than twice theirs and two, so rounding
/// twice gives what rounding once does.
template <typename Fn>
Error evalFloatBinary(Operation *, Operands in, Results &out) {
  Type type = in[0].type;
  if (isa<Float32Type>(type))
    out.push_back(makeFloat(type, Fn()(asFloat(in[0]), asFloat(in[1]))));
  else
    out.push_back(
        Scalar::fromDouble(type, Fn()(in[0].getDouble(), in[1].getDouble())));
  return Error::success();
}

struct AddF {
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct SubF {
  template <typename T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct MulF {
  template <typename T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct DivF {
  template <typename T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct RemF {
  template <typename T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};
/// The `maximumf` and `minimumf` of IEEE 754-2019: NaN if either is, -0 < +0.
struct MaximumF {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
};
struct MinimumF {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
/// The C `fmax` and `fmin`: a number if either is one; -0 < +0.
struct MaxNumF {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a))
      return b;
    return std::isnan(b) ? a : MaximumF()(a, b);
  }
};
struct MinNumF {
  template <typename T>
  T operator()(T a, T b) const {
    if (std::isnan(a))
      return b;
    return std::isnan(b) ? a : MinimumF()(a, b);
  }
};

Error evalCmpF(Operation *op, Operands in, Results &out) {
  double a = in[0].getDouble(), b = in[1].getDouble();
  bool unordered = std::isnan(a) || std::isnan(b);
  bool result = false;
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    break;
  case arith::CmpFPredicate::OEQ:
    result = a == b;
    break;
  case arith::CmpFPredicate::OGT:
    result = a > b;
    break;
  case arith::CmpFPredicate::OGE:
    result = a >= b;
    break;
  case arith::CmpFPredicate::OLT:
    result = a < b;
    break;
  case arith::CmpFPredicate::OLE:
    result = a <= b;
    break;
  case arith::CmpFPredicate::ONE:
    result = a < b || a > b;
    break;
  case arith::CmpFPredicate::ORD:
    result = !unordered;
    break;
  case arith::CmpFPredicate::UEQ:
    result = unordered || a == b;
    break;
  case arith::CmpFPredicate::UGT:
    result = unordered || a > b;
    break;
  case arith::CmpFPredicate::UGE:
    result = unordered || a >= b;
    break;
  case arith::CmpFPredicate::ULT:
    result = unordered || a < b;
    break;
  case arith::CmpFPredicate::ULE:
    result = unordered || a <= b;
    break;
  case arith::CmpFPredicate::UNE:
    result = a != b;
    break;
  case arith::CmpFPredicate::UNO:
    result = unordered;
    break;
  case arith::CmpFPredicate::AlwaysTrue:
    result = true;
    break;
  }
  out.push_back(Scalar(op->getResult(0).getType(), result));
  return Error::success();
}

uint64_t signBit(Type type) {
  return uint64_t(1) << (getScalarWidth(type) - 1);
}

// Sign ops touch the sign bit and nothing else, of NaNs too.
Error evalNegF(Operation *, Operands in, Results &out) {
  out.push_back(Scalar(in[0].type, in[0].bits ^ signBit(in[0].type)));
  return Error::success();
}
Error evalAbsF(Operation *, Operands in, Results &out) {
  out.push_back(Scalar(in[0].type, in[0].bits & ~signBit(in[0].type)));
  return Error::success();
}
Error evalCopySign(Operation *, Operands in, Results &out) {
  uint64_t sign = signBit(in[0].type);
  out.push_back(Scalar(in[0].type, (in[0].bits & ~sign) | (in[1].bits & sign)));
  return Error::success();
}

Error evalFma(Operation *, Operands in, Results &out) {
  Type type = in[0].type;
  if (isa<Float32Type>(type)) {
    out.push_back(makeFloat(
        type, std::fma(asFloat(in[0]), asFloat(in[1]), asFloat(in[2]))));
  } else if (isa<Float64Type>(type)) {
    out.push_back(
        Scalar::fromDouble(type, std::fma(in[0].getDouble(), in[1].getDouble(),
                                          in[2].getDouble())));
  } else {
    // A product and a sum of f16 need more than 53 bits: no shortcut.
    APFloat value = in[0].getAPFloat();
    value.fusedMultiplyAdd(in[1].getAPFloat(), in[2].getAPFloat(),
                           APFloat::rmNearestTiesToEven);
    out.push_back(Scalar(type, value.bitcastToAPInt().getZExtValue()));
  }
  return Error::success();
}

Error evalClampF(Operation *, Operands in, Results &out) {
  auto clamp = [](auto value, auto low, auto high) {
    return MaximumF()(MinimumF()(value, high), low);
  };
  Type type = in[0].type;
  out.push_back(Scalar::fromDouble(
      type, clamp(in[0].getDouble(), in[1].getDouble(), in[2].getDouble())));
  return Error::success();
}

/// A `math` function of one operand: f64 in double, all others in float.
template <typename Fn>
Error evalMathUnary(Operation *, Operands in, Results &out) {
  Type type = in[0].type;
  if (isa<Float64Type>(type))
    out.push_back(Scalar::fromDouble(type, Fn()(in[0].getDouble())));
  else if (isa<Float32Type>(type))
    out.push_back(makeFloat(type, Fn()(asFloat(in[0]))));
  else
    out.push_back(
        Scalar::fromDouble(type, Fn()(static_cast<float>(in[0].getDouble()))));
  return Error::success();
}

template <typename Fn>
Error evalMathBinary(Operation *, Operands in, Results &out) {
  Type type = in[0].type;
  if (isa<Float64Type>(type))
    out.push_back(
        Scalar::fromDouble(type, Fn()(in[0].getDouble(), in[1].getDouble())));
  else if (isa<Float32Type>(type))
    out.push_back(makeFloat(type, Fn()(asFloat(in[0]), asFloat(in[1]))));
  else
    out.push_back(
        Scalar::fromDouble(type, Fn()(static_cast<float>(in[0].getDouble()),
                                      static_cast<float>(in[1].getDouble()))));
  return Error::success();
}

#define OBS_MATH_UNARY(NAME, EXPRESSION)                                       \
  struct NAME {                                                                \
    template <typename T>                                                      \
    T operator()(T x) const {                                                  \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
OBS_MATH_UNARY(Acos, std::acos(x))
OBS_MATH_UNARY(Acosh, std::acosh(x))
OBS_MATH_UNARY(Asin, std::asin(x))
OBS_MATH_UNARY(Asinh, std::asinh(x))
OBS_MATH_UNARY(Atan, std::atan(x))
OBS_MATH_UNARY(Atanh, std::atanh(x))
OBS_MATH_UNARY(Cbrt, std::cbrt(x))
OBS_MATH_UNARY(Ceil, std::ceil(x))
OBS_MATH_UNARY(Cos, std::cos(x))
OBS_MATH_UNARY(Cosh, std::cosh(x))
OBS_MATH_UNARY(Erf, std::erf(x))
OBS_MATH_UNARY(Erfc, std::erfc(x))
OBS_MATH_UNARY(Exp, std::exp(x))
OBS_MATH_UNARY(Exp2, std::exp2(x))
OBS_MATH_UNARY(ExpM1, std::expm1(x))
OBS_MATH_UNARY(Floor, std::floor(x))
OBS_MATH_UNARY(Log, std::log(x))
OBS_MATH_UNARY(Log10, std::log10(x))
OBS_MATH_UNARY(Log1p, std::log1p(x))
OBS_MATH_UNARY(Log2, std::log2(x))
OBS_MATH_UNARY(Round, std::round(x))
// The default rounding mode, which nothing here changes, is to even.
OBS_MATH_UNARY(RoundEven, std::nearbyint(x))
OBS_MATH_UNARY(Rsqrt, T(1) / std::sqrt(x))
OBS_MATH_UNARY(Sin, std::sin(x))
OBS_MATH_UNARY(Sinh, std::sinh(x))
OBS_MATH_UNARY(Sqrt, std::sqrt(x))
OBS_MATH_UNARY(Tan, std::tan(x))
OBS_MATH_UNARY(Tanh, std::tanh(x))
OBS_MATH_UNARY(Trunc, std::trunc(x))
#undef OBS_MATH_UNARY

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
  if (Error error = evalMathUnary<Sin>(op, in, out))
    return error;
  return evalMathUnary<Cos>(op, in, out);
}

/// Repeated squaring, the reciprocal last, as compilers expand it.
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
  if (isa<Float64Type>(type))
    out.push_back(Scalar::fromDouble(type, powi(in[0].getDouble(), exponent)));
  else
    out.push_back(Scalar::fromDouble(
        type, powi(static_cast<float>(in[0].getDouble()), exponent)));
  return Error::success();
}

template <bool (*Fn)(double)>
Error evalFloatClass(Operation *op, Operands in, Results &out) {
  out.push_back(Scalar(op->getResult(0).getType(), Fn(in[0].getDouble())));
  return Error::success();
}

bool isFinite(double x) { return std::isfinite(x); }
bool isInf(double x) { return std::isinf(x); }
bool isNaN(double x) { return std::isnan(x); }

/// Normal in the type, not in f64, where every f32 and f16 is.
Error evalIsNormal(Operation *op, Operands in, Results &out) {
  out.push_back(
      Scalar(op->getResult(0).getType(), in[0].getAPFloat().isNormal()));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Error evalExtF(Operation *op, Operands in, Results &out) {
  out.push_back(
      Scalar::fromDouble(op->getResult(0).getType(), in[0].getDouble()));
  return Error::success();
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
  out.push_back(Scalar(type, value.bitcastToAPInt().getZExtValue()));
  return Error::success();
}

template <bool IsSigned>
Error evalIntToFP(Operation *op, Operands in, Results &out) {
  Type type = op->getResult(0).getType();
  APFloat value(cast<FloatType>(type).getFloatSemantics());
  value.convertFromAPInt(in[0].getAPInt(), IsSigned,
                         APFloat::rmNearestTiesToEven);
  out.push_back(Scalar(type, value.bitcastToAPInt().getZExtValue()));
  return Error::success();
}

template <bool IsSigned>
Error evalFPToInt(Operation *op, Operands in, Results &out) {
  Type type = op->getResult(0).getType();
  unsigned width = getScalarWidth(type);
  double value = std::trunc(in[0].getDouble());
  // Powers of two are exact, and so are these comparisons. NaN fails both.
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
  out.push_back(
      Scalar(type, IsSigned ? static_cast<uint64_t>(static_cast<int64_t>(value))
                            : static_cast<uint64_t>(value)));
  return Error::success();
}
} // namespace

void mlir::obs::interpreter::addFloatOps(ScalarTable &t) {
  add<arith::ExtFOp>(t, evalExtF);
  add<arith::TruncFOp>(t, evalTruncF);
  add<arith::UIToFPOp>(t, evalIntToFP<false>);
  add<arith::SIToFPOp>(t, evalIntToFP<true>);
  add<arith::FPToUIOp>(t, evalFPToInt<false>);
  add<arith::FPToSIOp>(t, evalFPToInt<true>);
  add<arith::AddFOp>(t, evalFloatBinary<AddF>);
  add<arith::SubFOp>(t, evalFloatBinary<SubF>);
  add<arith::MulFOp>(t, evalFloatBinary<MulF>);
  add<arith::DivFOp>(t, evalFloatBinary<DivF>);
  add<arith::RemFOp>(t, evalFloatBinary<RemF>);
  add<arith::MaximumFOp>(t, evalFloatBinary<MaximumF>);
  add<arith::MinimumFOp>(t, evalFloatBinary<MinimumF>);
  add<arith::MaxNumFOp>(t, evalFloatBinary<MaxNumF>);
  add<arith::MinNumFOp>(t, evalFloatBinary<MinNumF>);
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
  add<math::AcosOp>(t, evalMathUnary<Acos>);
  add<math::AcoshOp>(t, evalMathUnary<Acosh>);
  add<math::AsinOp>(t, evalMathUnary<Asin>);
  add<math::AsinhOp>(t, evalMathUnary<Asinh>);
  add<math::AtanOp>(t, evalMathUnary<Atan>);
  add<math::AtanhOp>(t, evalMathUnary<Atanh>);
  add<math::Atan2Op>(t, evalMathBinary<Atan2>);
  add<math::CbrtOp>(t, evalMathUnary<Cbrt>);
  add<math::CeilOp>(t, evalMathUnary<Ceil>);
  add<math::CosOp>(t, evalMathUnary<Cos>);
  add<math::CoshOp>(t, evalMathUnary<Cosh>);
  add<math::ErfOp>(t, evalMathUnary<Erf>);
  add<math::ErfcOp>(t, evalMathUnary<Erfc>);
  add<math::ExpOp>(t, evalMathUnary<Exp>);
  add<math::Exp2Op>(t, evalMathUnary<Exp2>);
  add<math::ExpM1Op>(t, evalMathUnary<ExpM1>);
  add<math::FloorOp>(t, evalMathUnary<Floor>);
  add<math::FPowIOp>(t, evalFPowI);
  add<math::LogOp>(t, evalMathUnary<Log>);
  add<math::Log10Op>(t, evalMathUnary<Log10>);
  add<math::Log1pOp>(t, evalMathUnary<Log1p>);
  add<math::Log2Op>(t, evalMathUnary<Log2>);
  add<math::PowFOp>(t, evalMathBinary<PowF>);
  add<math::RoundOp>(t, evalMathUnary<Round>);
  add<math::RoundEvenOp>(t, evalMathUnary<RoundEven>);
  add<math::RsqrtOp>(t, evalMathUnary<Rsqrt>);
  add<math::SinOp>(t, evalMathUnary<Sin>);
  add<math::SincosOp>(t, evalSincos);
  add<math::SinhOp>(t, evalMathUnary<Sinh>);
  add<math::SqrtOp>(t, evalMathUnary<Sqrt>);
  add<math::TanOp>(t, evalMathUnary<Tan>);
  add<math::TanhOp>(t, evalMathUnary<Tanh>);
  add<math::TruncOp>(t, evalMathUnary<Trunc>);
}
