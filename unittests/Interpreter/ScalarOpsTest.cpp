//===- ScalarOpsTest.cpp - Scalars against closed forms and std -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Interpreter/ScalarOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::obs::interpreter;

namespace {

class ScalarOpsTest : public ::testing::Test {
protected:
  ScalarOpsTest() {
    context.loadDialect<arith::ArithDialect, math::MathDialect,
                        func::FuncDialect>();
  }

  Type type(StringRef text) { return parseType(text, &context); }
  Scalar integer(StringRef typeText, int64_t value) {
    return Scalar::fromInt(type(typeText), value);
  }
  Scalar number(StringRef typeText, double value) {
    return Scalar::fromDouble(type(typeText), value);
  }

  static llvm::Expected<SmallVector<Scalar>>
  evaluate(Operation *op, ArrayRef<Scalar> operands) {
    ScalarOpFn function = lookupScalarOp(op);
    if (!function)
      return llvm::createStringError("not an op on scalars");
    SmallVector<Scalar> results;
    if (llvm::Error error = function(op, operands, results))
      return std::move(error);
    return results;
  }

  /// Runs one op written as text, `%0`, `%1`, ... being its operands.
  llvm::Expected<SmallVector<Scalar>> run(StringRef opText,
                                          ArrayRef<Scalar> operands) {
    std::string source = "func.func @f(";
    llvm::raw_string_ostream os(source);
    for (auto [index, operand] : llvm::enumerate(operands))
      os << (index ? ", " : "") << "%a" << index << ": " << operand.type;
    os << ") {\n" << opText << "\n return }";
    auto module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return llvm::createStringError("does not parse: " + source);
    auto func = *module->getOps<func::FuncOp>().begin();
    return evaluate(&func.front().front(), operands);
  }

  Scalar value(StringRef opText, ArrayRef<Scalar> operands,
               unsigned result = 0) {
    auto results = run(opText, operands);
    if (!results) {
      ADD_FAILURE() << opText.str() << ": "
                    << llvm::toString(results.takeError());
      return Scalar();
    }
    return (*results)[result];
  }

  std::string error(StringRef opText, ArrayRef<Scalar> operands) {
    auto results = run(opText, operands);
    if (!results)
      return llvm::toString(results.takeError());
    return "no error";
  }

  /// A binary op on i8, for all pairs, against `expected`, which returns the
  /// mathematical result or nothing where there is none.
  void checkAllI8(StringRef name,
                  llvm::function_ref<std::optional<int>(int, int)> expected,
                  bool isSigned) {
    std::string source = "func.func @f(%a0: i8, %a1: i8) {\n " + name.str() +
                         " %a0, %a1 : i8\n return }";
    auto module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    Operation *op = &(*module->getOps<func::FuncOp>().begin()).front().front();
    ScalarOpFn fn = lookupScalarOp(op);
    ASSERT_TRUE(fn);
    int low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
    Type i8 = type("i8");
    for (int a = low; a <= high; ++a)
      for (int b = low; b <= high; ++b) {
        SmallVector<Scalar> results;
        llvm::Error err =
            fn(op, {Scalar::fromInt(i8, a), Scalar::fromInt(i8, b)}, results);
        std::optional<int> want = expected(a, b);
        ASSERT_EQ(!err, want.has_value()) << name.str() << " " << a << " " << b;
        if (err) {
          llvm::consumeError(std::move(err));
          continue;
        }
        ASSERT_EQ(results[0].bits, uint64_t(uint8_t(*want)))
            << name.str() << " " << a << " " << b;
      }
  }

  MLIRContext context;
};

TEST_F(ScalarOpsTest, WrappingArithmeticOfAllBytes) {
  checkAllI8("arith.addi", [](int a, int b) { return a + b; }, true);
  checkAllI8("arith.subi", [](int a, int b) { return a - b; }, true);
  checkAllI8("arith.muli", [](int a, int b) { return a * b; }, true);
  checkAllI8("arith.andi", [](int a, int b) { return a & b; }, false);
  checkAllI8("arith.ori", [](int a, int b) { return a | b; }, false);
  checkAllI8("arith.xori", [](int a, int b) { return a ^ b; }, false);
  checkAllI8("arith.maxsi", [](int a, int b) { return a > b ? a : b; }, true);
  checkAllI8("arith.minsi", [](int a, int b) { return a < b ? a : b; }, true);
  checkAllI8("arith.maxui", [](int a, int b) { return a > b ? a : b; }, false);
  checkAllI8("arith.minui", [](int a, int b) { return a < b ? a : b; }, false);
}

TEST_F(ScalarOpsTest, DivisionOfAllBytes) {
  using R = std::optional<int>;
  auto defined = [](int a, int b) { return b != 0 && !(a == -128 && b == -1); };
  checkAllI8(
      "arith.divsi",
      [&](int a, int b) -> R {
        if (!defined(a, b))
          return {};
        return int(std::trunc(double(a) / b));
      },
      true);
  checkAllI8(
      "arith.floordivsi",
      [&](int a, int b) -> R {
        if (!defined(a, b))
          return {};
        return int(std::floor(double(a) / b));
      },
      true);
  checkAllI8(
      "arith.ceildivsi",
      [&](int a, int b) -> R {
        if (!defined(a, b))
          return {};
        return int(std::ceil(double(a) / b));
      },
      true);
  checkAllI8(
      "arith.remsi",
      [&](int a, int b) -> R {
        if (!defined(a, b))
          return {};
        return int(std::fmod(a, b));
      },
      true);
  checkAllI8(
      "arith.divui", [](int a, int b) -> R { return b ? R(a / b) : R(); },
      false);
  checkAllI8(
      "arith.remui", [](int a, int b) -> R { return b ? R(a % b) : R(); },
      false);
  checkAllI8(
      "arith.ceildivui",
      [](int a, int b) -> R { return b ? R((a + b - 1) / b) : R(); }, false);
}

TEST_F(ScalarOpsTest, ShiftsOfAllBytes) {
  using R = std::optional<int>;
  checkAllI8(
      "arith.shli", [](int a, int b) -> R { return b < 8 ? R(a << b) : R(); },
      false);
  checkAllI8(
      "arith.shrui", [](int a, int b) -> R { return b < 8 ? R(a >> b) : R(); },
      false);
  checkAllI8(
      "arith.shrsi",
      [](int a, int b) -> R {
        if (b < 0 || b >= 8)
          return {};
        return int(std::floor(a / double(1 << b)));
      },
      true);
}

TEST_F(ScalarOpsTest, TrapsNameTheOpAndTheReason) {
  EXPECT_EQ(error("arith.divsi %a0, %a1 : i32",
                  {integer("i32", 7), integer("i32", 0)}),
            "'arith.divsi' divides by zero");
  EXPECT_EQ(error("arith.divsi %a0, %a1 : i64",
                  {integer("i64", std::numeric_limits<int64_t>::min()),
                   integer("i64", -1)}),
            "'arith.divsi' overflows: -9223372036854775808 divided by -1");
  EXPECT_EQ(error("arith.shli %a0, %a1 : i32",
                  {integer("i32", 1), integer("i32", 32)}),
            "'arith.shli' shifts 32 bits by 32, the width or more");
  EXPECT_EQ(error("arith.fptosi %a0 : f32 to i8", {number("f32", 128)}),
            "'arith.fptosi' has no result: 128.0 does not fit signed i8");
  EXPECT_EQ(error("arith.fptoui %a0 : f32 to i8", {number("f32", NAN)}),
            "'arith.fptoui' has no result: nan does not fit unsigned i8");
}

TEST_F(ScalarOpsTest, WideIntegers) {
  Scalar big = integer("index", -1), two = integer("index", 2);
  EXPECT_EQ(value("arith.addi %a0, %a1 : index", {big, two}).getSInt(), 1);
  EXPECT_EQ(value("arith.divui %a0, %a1 : index", {big, two}).bits,
            0x7fffffffffffffffull);
  EXPECT_EQ(value("arith.ceildivui %a0, %a1 : index", {big, two}).bits,
            0x8000000000000000ull);
  // (2^64 - 1)^2 = 2^128 - 2^65 + 1.
  Scalar ones = integer("i64", -1);
  EXPECT_EQ(
      value("%l, %h = arith.mului_extended %a0, %a1 : i64", {ones, ones}).bits,
      1u);
  EXPECT_EQ(
      value("%l, %h = arith.mului_extended %a0, %a1 : i64", {ones, ones}, 1)
          .bits,
      0xfffffffffffffffeull);
  EXPECT_EQ(
      value("%l, %h = arith.mulsi_extended %a0, %a1 : i64", {ones, ones}, 1)
          .bits,
      0u);
  EXPECT_EQ(value("%s, %o = arith.addui_extended %a0, %a1 : i64, i1",
                  {ones, integer("i64", 1)}, 1)
                .bits,
            1u);
  EXPECT_EQ(value("%s, %o = arith.addui_extended %a0, %a1 : i64, i1",
                  {ones, integer("i64", 0)}, 1)
                .bits,
            0u);
}

TEST_F(ScalarOpsTest, ExtendedProductsOfBytes) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(%a: i8, %b: i8) {\n %l, %h = arith.mulsi_extended %a, %b "
      ": i8\n return }",
      &context);
  ASSERT_TRUE(module);
  Operation *op = &(*module->getOps<func::FuncOp>().begin()).front().front();
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) {
      auto results =
          llvm::cantFail(evaluate(op, {integer("i8", a), integer("i8", b)}));
      ASSERT_EQ(int16_t(results[1].bits << 8 | results[0].bits), a * b);
    }
}

TEST_F(ScalarOpsTest, Comparisons) {
  // -1 against 1: less if signed, greater if unsigned.
  SmallVector<Scalar> pair = {integer("i32", -1), integer("i32", 1)};
  for (auto [predicate, expected] :
       std::initializer_list<std::pair<StringRef, bool>>{{"eq", false},
                                                         {"ne", true},
                                                         {"slt", true},
                                                         {"sle", true},
                                                         {"sgt", false},
                                                         {"sge", false},
                                                         {"ult", false},
                                                         {"ule", false},
                                                         {"ugt", true},
                                                         {"uge", true}})
    EXPECT_EQ(
        value(("arith.cmpi " + predicate + ", %a0, %a1 : i32").str(), pair)
            .isTrue(),
        expected)
        << predicate.str();

  // A float predicate is the set of relations {less, equal, greater,
  // unordered} for which it holds, and its name says which.
  struct {
    StringRef name;
    bool less, equal, greater, unordered;
  } rows[] = {{"false", 0, 0, 0, 0}, {"oeq", 0, 1, 0, 0}, {"ogt", 0, 0, 1, 0},
              {"oge", 0, 1, 1, 0},   {"olt", 1, 0, 0, 0}, {"ole", 1, 1, 0, 0},
              {"one", 1, 0, 1, 0},   {"ord", 1, 1, 1, 0}, {"ueq", 0, 1, 0, 1},
              {"ugt", 0, 0, 1, 1},   {"uge", 0, 1, 1, 1}, {"ult", 1, 0, 0, 1},
              {"ule", 1, 1, 0, 1},   {"une", 1, 0, 1, 1}, {"uno", 0, 0, 0, 1},
              {"true", 1, 1, 1, 1}};
  for (StringRef t : {"f16", "bf16", "f32", "f64"})
    for (auto &row : rows) {
      std::string op = ("arith.cmpf " + row.name + ", %a0, %a1 : " + t).str();
      Scalar one = number(t, 1), two = number(t, 2), nan = number(t, NAN);
      EXPECT_EQ(value(op, {one, two}).isTrue(), row.less) << op;
      EXPECT_EQ(value(op, {one, one}).isTrue(), row.equal) << op;
      EXPECT_EQ(value(op, {two, one}).isTrue(), row.greater) << op;
      EXPECT_EQ(value(op, {nan, one}).isTrue(), row.unordered) << op;
      EXPECT_EQ(value(op, {number(t, 0.0), number(t, -0.0)}).isTrue(),
                row.equal)
          << op;
    }
}

TEST_F(ScalarOpsTest, ConversionsOfIntegers) {
  EXPECT_EQ(value("arith.extsi %a0 : i8 to i32", {integer("i8", -2)}).getSInt(),
            -2);
  EXPECT_EQ(value("arith.extui %a0 : i8 to i32", {integer("i8", -2)}).getSInt(),
            254);
  EXPECT_EQ(value("arith.extsi %a0 : i1 to i32", {integer("i1", 1)}).getSInt(),
            -1);
  EXPECT_EQ(value("arith.trunci %a0 : i32 to i8", {integer("i32", 0x1ff)}).bits,
            0xffu);
  EXPECT_EQ(value("arith.index_cast %a0 : i32 to index", {integer("i32", -5)})
                .getSInt(),
            -5);
  EXPECT_EQ(value("arith.index_castui %a0 : i32 to index", {integer("i32", -5)})
                .getSInt(),
            0xfffffffbll);
  EXPECT_EQ(value("arith.bitcast %a0 : f32 to i32", {number("f32", 1)}).bits,
            0x3f800000u);
  EXPECT_EQ(value("arith.sitofp %a0 : i32 to f32", {integer("i32", 16777217)})
                .getDouble(),
            16777216.0);
  EXPECT_EQ(
      value("arith.uitofp %a0 : i64 to f64", {integer("i64", -1)}).getDouble(),
      std::ldexp(1.0, 64));
  // 2049 lies halfway between the f16 numbers 2048 and 2050: to even.
  EXPECT_EQ(value("arith.sitofp %a0 : i32 to f16", {integer("i32", 2049)})
                .getDouble(),
            2048.0);
  EXPECT_EQ(
      value("arith.fptosi %a0 : f32 to i32", {number("f32", -2.9)}).getSInt(),
      -2);
  EXPECT_EQ(value("arith.fptoui %a0 : f32 to i8", {number("f32", 255.9)}).bits,
            255u);
  EXPECT_EQ(value("arith.fptoui %a0 : f32 to i8", {number("f32", -0.9)}).bits,
            0u);
  EXPECT_EQ(value("arith.fptosi %a0 : f64 to i64",
                  {number("f64", -std::ldexp(1.0, 63))})
                .getSInt(),
            std::numeric_limits<int64_t>::min());
}

TEST_F(ScalarOpsTest, ConversionsOfFloats) {
  EXPECT_EQ(
      value("arith.truncf %a0 : f64 to f32", {number("f64", 0.1)}).getDouble(),
      double(0.1f));
  EXPECT_EQ(
      value("arith.truncf %a0 upward : f64 to f32", {number("f64", 1 + 1e-12)})
          .getDouble(),
      double(std::nextafter(1.0f, 2.0f)));
  // bf16 is the upper half of f32: 1 + 2^-8 is a tie, and goes to even.
  EXPECT_EQ(value("arith.truncf %a0 : f32 to bf16",
                  {number("f32", 1 + std::ldexp(1.0, -8))})
                .bits,
            0x3f80u);
  EXPECT_EQ(value("arith.truncf %a0 : f32 to bf16",
                  {number("f32", 1 + 3 * std::ldexp(1.0, -8))})
                .bits,
            0x3f82u);
  EXPECT_EQ(value("arith.extf %a0 : f16 to f32", {Scalar(type("f16"), 0x0001)})
                .getDouble(),
            std::ldexp(1.0, -24));
  EXPECT_TRUE(
      std::isinf(value("arith.truncf %a0 : f32 to f16", {number("f32", 65520)})
                     .getDouble()));
}

TEST_F(ScalarOpsTest, FloatArithmeticInThePrecisionOfTheType) {
  volatile float a = 0.1f, b = 0.7f;
  Scalar x = number("f32", a), y = number("f32", b);
  EXPECT_EQ(value("arith.addf %a0, %a1 : f32", {x, y}).getDouble(), a + b);
  EXPECT_EQ(value("arith.subf %a0, %a1 : f32", {x, y}).getDouble(), a - b);
  EXPECT_EQ(value("arith.mulf %a0, %a1 : f32", {x, y}).getDouble(), a * b);
  EXPECT_EQ(value("arith.divf %a0, %a1 : f32", {x, y}).getDouble(), a / b);
  EXPECT_EQ(value("arith.remf %a0, %a1 : f32", {y, x}).getDouble(),
            std::fmod(float(b), float(a)));
  EXPECT_EQ(value("arith.negf %a0 : f32", {number("f32", 0)}).bits,
            0x80000000u);
  EXPECT_EQ(value("math.fma %a0, %a1, %a2 : f32", {x, y, x}).getDouble(),
            std::fma(float(a), float(b), float(a)));
  EXPECT_TRUE(std::isinf(
      value("arith.divf %a0, %a1 : f32", {x, number("f32", 0)}).getDouble()));
}

TEST_F(ScalarOpsTest, HalfArithmeticIsCorrectlyRounded) {
  // APFloat computes in the semantics of the type directly.
  for (StringRef t : {"f16", "bf16"})
    for (auto [name, fn] : std::initializer_list<std::pair<
             StringRef, void (*)(llvm::APFloat &, const llvm::APFloat &)>>{
             {"arith.addf",
              [](llvm::APFloat &a, const llvm::APFloat &b) {
                a.add(b, llvm::APFloat::rmNearestTiesToEven);
              }},
             {"arith.mulf",
              [](llvm::APFloat &a, const llvm::APFloat &b) {
                a.multiply(b, llvm::APFloat::rmNearestTiesToEven);
              }},
             {"arith.divf", [](llvm::APFloat &a, const llvm::APFloat &b) {
                a.divide(b, llvm::APFloat::rmNearestTiesToEven);
              }}}) {
      std::string source = "func.func @f(%a: " + t.str() + ", %b: " + t.str() +
                           ") {\n " + name.str() + " %a, %b : " + t.str() +
                           "\n return }";
      auto module = parseSourceString<ModuleOp>(source, &context);
      ASSERT_TRUE(module);
      Operation *op =
          &(*module->getOps<func::FuncOp>().begin()).front().front();
      for (uint32_t a = 1; a < 0x10000; a += 97)
        for (uint32_t b = 3; b < 0x10000; b += 331) {
          Scalar x(type(t), a), y(type(t), b);
          llvm::APFloat want = x.getAPFloat();
          fn(want, y.getAPFloat());
          Scalar got = llvm::cantFail(evaluate(op, {x, y}))[0];
          if (want.isNaN()) {
            ASSERT_TRUE(got.getAPFloat().isNaN());
            continue;
          }
          ASSERT_EQ(got.bits, want.bitcastToAPInt().getZExtValue())
              << name.str() << " " << t.str() << " " << a << " " << b;
        }
    }
}

TEST_F(ScalarOpsTest, MinimaAndMaxima) {
  for (StringRef t : {"f16", "bf16", "f32", "f64"}) {
    Scalar nan = number(t, NAN), one = number(t, 1), plus = number(t, 0.0),
           minus = number(t, -0.0);
    auto op = [&](StringRef name) {
      return "arith." + name.str() + " %a0, %a1 : " + t.str();
    };
    EXPECT_TRUE(std::isnan(value(op("maximumf"), {one, nan}).getDouble()));
    EXPECT_TRUE(std::isnan(value(op("minimumf"), {nan, one}).getDouble()));
    EXPECT_EQ(value(op("maxnumf"), {one, nan}), one);
    EXPECT_EQ(value(op("minnumf"), {nan, one}), one);
    for (StringRef name : {"maximumf", "maxnumf"}) {
      EXPECT_EQ(value(op(name), {minus, plus}), plus);
      EXPECT_EQ(value(op(name), {plus, minus}), plus);
      EXPECT_EQ(value(op(name), {plus, one}), one);
    }
    for (StringRef name : {"minimumf", "minnumf"}) {
      EXPECT_EQ(value(op(name), {minus, plus}), minus);
      EXPECT_EQ(value(op(name), {plus, minus}), minus);
      EXPECT_EQ(value(op(name), {plus, one}), plus);
    }
  }
}

TEST_F(ScalarOpsTest, MathFunctionsAgreeWithStd) {
  struct {
    StringRef name;
    float (*inFloat)(float);
    double (*inDouble)(double);
  } rows[] = {
      {"exp", std::exp, std::exp},       {"exp2", std::exp2, std::exp2},
      {"expm1", std::expm1, std::expm1}, {"log", std::log, std::log},
      {"log2", std::log2, std::log2},    {"log10", std::log10, std::log10},
      {"log1p", std::log1p, std::log1p}, {"sqrt", std::sqrt, std::sqrt},
      {"sin", std::sin, std::sin},       {"cos", std::cos, std::cos},
      {"tan", std::tan, std::tan},       {"tanh", std::tanh, std::tanh},
      {"sinh", std::sinh, std::sinh},    {"cosh", std::cosh, std::cosh},
      {"asin", std::asin, std::asin},    {"acos", std::acos, std::acos},
      {"atan", std::atan, std::atan},    {"asinh", std::asinh, std::asinh},
      {"atanh", std::atanh, std::atanh}, {"erf", std::erf, std::erf},
      {"erfc", std::erfc, std::erfc},    {"cbrt", std::cbrt, std::cbrt},
      {"floor", std::floor, std::floor}, {"ceil", std::ceil, std::ceil},
      {"round", std::round, std::round}, {"trunc", std::trunc, std::trunc},
      {"absf", std::fabs, std::fabs}};
  for (auto &row : rows)
    for (double x : {0.0625, 0.3, 0.5, 0.99, 0.75}) {
      std::string op = "math." + row.name.str() + " %a0 : ";
      EXPECT_EQ(value(op + "f32", {number("f32", x)}).getDouble(),
                double(row.inFloat(float(x))))
          << op << x;
      EXPECT_EQ(value(op + "f64", {number("f64", x)}).getDouble(),
                row.inDouble(x))
          << op << x;
    }
  EXPECT_EQ(value("math.acosh %a0 : f32", {number("f32", 1.5)}).getDouble(),
            double(std::acosh(1.5f)));
  EXPECT_EQ(value("math.rsqrt %a0 : f32", {number("f32", 4)}).getDouble(), 0.5);
  EXPECT_EQ(
      value("math.powf %a0, %a1 : f32", {number("f32", 2), number("f32", 10)})
          .getDouble(),
      1024.0);
  EXPECT_EQ(
      value("math.atan2 %a0, %a1 : f64", {number("f64", 1), number("f64", -1)})
          .getDouble(),
      std::atan2(1.0, -1.0));
  EXPECT_EQ(value("math.fpowi %a0, %a1 : f64, i32",
                  {number("f64", 2), integer("i32", -3)})
                .getDouble(),
            0.125);
  EXPECT_EQ(value("math.copysign %a0, %a1 : f16",
                  {number("f16", 3), number("f16", -0.0)})
                .getDouble(),
            -3.0);
  // Ties: away from zero, and to even.
  EXPECT_EQ(value("math.round %a0 : f32", {number("f32", 2.5)}).getDouble(), 3);
  EXPECT_EQ(value("math.roundeven %a0 : f32", {number("f32", 2.5)}).getDouble(),
            2);
  EXPECT_EQ(value("math.clampf %a0 to [%a1, %a2] : f32",
                  {number("f32", 9), number("f32", -1), number("f32", 1)})
                .getDouble(),
            1);
  EXPECT_EQ(value("%s, %c = math.sincos %a0 : f32", {number("f32", 0.5)}, 1)
                .getDouble(),
            double(std::cos(0.5f)));
}

TEST_F(ScalarOpsTest, IntegerMath) {
  EXPECT_EQ(value("math.ctpop %a0 : i8", {integer("i8", -1)}).bits, 8u);
  EXPECT_EQ(value("math.ctlz %a0 : i8", {integer("i8", 1)}).bits, 7u);
  EXPECT_EQ(value("math.ctlz %a0 : i8", {integer("i8", 0)}).bits, 8u);
  EXPECT_EQ(value("math.cttz %a0 : i8", {integer("i8", 8)}).bits, 3u);
  EXPECT_EQ(value("math.cttz %a0 : i8", {integer("i8", 0)}).bits, 8u);
  EXPECT_EQ(value("math.absi %a0 : i8", {integer("i8", -7)}).getSInt(), 7);
  EXPECT_EQ(value("math.ipowi %a0, %a1 : i32",
                  {integer("i32", -3), integer("i32", 5)})
                .getSInt(),
            -243);
  EXPECT_EQ(value("math.ipowi %a0, %a1 : i32",
                  {integer("i32", -1), integer("i32", -3)})
                .getSInt(),
            -1);
  EXPECT_EQ(error("math.ipowi %a0, %a1 : i32",
                  {integer("i32", 0), integer("i32", -1)}),
            "'math.ipowi' divides by zero");
}

TEST_F(ScalarOpsTest, ClassesOfFloats) {
  // The least normal f16 is 2^-14.
  EXPECT_TRUE(
      value("math.isnormal %a0 : f16", {number("f16", std::ldexp(1, -14))})
          .isTrue());
  EXPECT_FALSE(
      value("math.isnormal %a0 : f16", {number("f16", std::ldexp(1, -15))})
          .isTrue());
  EXPECT_TRUE(value("math.isnan %a0 : f32", {number("f32", NAN)}).isTrue());
  EXPECT_TRUE(
      value("math.isinf %a0 : f32", {number("f32", INFINITY)}).isTrue());
  EXPECT_FALSE(
      value("math.isfinite %a0 : f32", {number("f32", INFINITY)}).isTrue());
}

TEST_F(ScalarOpsTest, ConstantsAndSelect) {
  EXPECT_EQ(value("arith.constant -7 : i16", {}).getSInt(), -7);
  EXPECT_EQ(value("arith.constant true", {}).bits, 1u);
  EXPECT_EQ(value("arith.constant 0.5 : bf16", {}).bits, 0x3f00u);
  EXPECT_EQ(value("arith.constant 12 : index", {}).getSInt(), 12);
  EXPECT_EQ(value("arith.select %a0, %a1, %a2 : i32",
                  {integer("i1", 1), integer("i32", 3), integer("i32", 4)})
                .getSInt(),
            3);
}

TEST_F(ScalarOpsTest, OnlyScalarsAreScalarOps) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(%a: vector<4xf32>, %b: i128, %c: i32) {\n"
      "  %0 = arith.addf %a, %a : vector<4xf32>\n"
      "  %1 = arith.addi %b, %b : i128\n"
      "  %2 = arith.addi %c, %c : i32\n"
      "  return }",
      &context);
  ASSERT_TRUE(module);
  SmallVector<bool> is;
  for (Operation &op : (*module->getOps<func::FuncOp>().begin()).front())
    is.push_back(lookupScalarOp(&op) != nullptr);
  EXPECT_EQ(is, (SmallVector<bool>{false, false, true, false}));
}

TEST_F(ScalarOpsTest, Literals) {
  auto parse = [&](StringRef t, StringRef text) {
    auto scalar = Scalar::parse(type(t), text);
    if (!scalar)
      return llvm::toString(scalar.takeError());
    std::string out;
    llvm::raw_string_ostream(out) << *scalar;
    return out;
  };
  EXPECT_EQ(parse("i32", "-3"), "-3");
  EXPECT_EQ(parse("i32", "0x1f"), "31");
  EXPECT_EQ(parse("i32", "010"), "10");
  EXPECT_EQ(parse("i8", "255"), "-1");
  EXPECT_EQ(parse("i8", "256"), "'256' does not fit i8");
  EXPECT_EQ(parse("i8", "-129"), "'-129' does not fit i8");
  EXPECT_EQ(parse("i1", "true"), "true");
  EXPECT_EQ(parse("index", "12"), "12");
  EXPECT_EQ(parse("i32", "1.5"), "'1.5' is not an integer of type i32");
  EXPECT_EQ(parse("f32", "0.1"), "0.1");
  EXPECT_EQ(parse("f32", "3"), "3.0");
  EXPECT_EQ(parse("f64", "-inf"), "-inf");
  EXPECT_EQ(parse("f32", "1e99"), "'1e99' is out of the range of f32");
  EXPECT_EQ(parse("f32", "abc"), "'abc' is not a number of type f32");
  EXPECT_EQ(parse("f16", "1e-3"), "0.001");
  // As Python prints them.
  EXPECT_EQ(parse("f32", "10"), "10.0");
  EXPECT_EQ(parse("f32", "20000"), "20000.0");
  EXPECT_EQ(parse("f64", "1e15"), "1000000000000000.0");
  EXPECT_EQ(parse("f64", "1e16"), "1e+16");
  EXPECT_EQ(parse("f64", "123456789012345680"), "1.2345678901234568e+17");
  EXPECT_EQ(parse("f64", "9007199254740993"), "9007199254740992.0");
  EXPECT_EQ(parse("f64", "-1e-4"), "-0.0001");
  EXPECT_EQ(parse("f64", "1e-5"), "1e-05");
  EXPECT_EQ(parse("f64", "-0.0"), "-0.0");
  EXPECT_EQ(parse("f64", "0.00012345"), "0.00012345");
  EXPECT_EQ(parse("f64", "1234.5"), "1234.5");
  EXPECT_EQ(parse("f64", "1e22"), "1e+22");
  EXPECT_EQ(parse("f64", "5e-324"), "5e-324");
  EXPECT_EQ(parse("f64", "100"), "100.0");
  EXPECT_EQ(parse("f32", "16777216"), "16777216.0");
  EXPECT_EQ(parse("f32", "3e-7"), "3e-07");
}

TEST_F(ScalarOpsTest, Memory) {
  for (auto [t, bytes] :
       std::initializer_list<std::pair<StringRef, unsigned>>{{"i1", 1},
                                                             {"i7", 1},
                                                             {"i8", 1},
                                                             {"i16", 2},
                                                             {"i24", 4},
                                                             {"i32", 4},
                                                             {"i48", 8},
                                                             {"i64", 8},
                                                             {"index", 8},
                                                             {"f16", 2},
                                                             {"bf16", 2},
                                                             {"f32", 4},
                                                             {"f64", 8}}) {
    ASSERT_EQ(getScalarBytes(type(t)), bytes) << t.str();
    unsigned char memory[16];
    std::fill(std::begin(memory), std::end(memory), 0xaa);
    Scalar scalar(type(t), 0x0123456789abcdefull);
    scalar.store(memory);
    EXPECT_EQ(Scalar::load(type(t), memory), scalar) << t.str();
    EXPECT_EQ(memory[bytes], 0xaa) << t.str();
  }
}

TEST_F(ScalarOpsTest, LocatedErrors) {
  Location file = FileLineColLoc::get(&context, "p.mlir", 3, 7);
  EXPECT_EQ(llvm::toString(makeLocatedError(file, "bad")), "p.mlir:3:7: bad");
  EXPECT_EQ(llvm::toString(makeLocatedError(UnknownLoc::get(&context), "bad")),
            "bad");
  EXPECT_EQ(formatLocation(
                FusedLoc::get(&context, {UnknownLoc::get(&context), file})),
            "p.mlir:3:7");
  EXPECT_EQ(splitLocation("p.mlir:3:7: bad: worse"),
            std::make_pair(StringRef("p.mlir:3:7"), StringRef("bad: worse")));
  for (StringRef text : {"bad: worse", "p.mlir:3: bad", "p.mlir:3:7", ""})
    EXPECT_EQ(splitLocation(text), std::make_pair(StringRef(""), text));
}

} // namespace
