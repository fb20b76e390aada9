//===- Scalars.cpp - Scalars of the host as text --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir::obs;
using namespace mlir::obs::artefact;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

namespace {
/// The interpretation of integers by an operation: signed, unsigned, or modulo
/// a power of two, for which the sign does not matter. Other operations take
/// floats, or any values.
enum Sight { Signed, Unsigned, Wrapping, Real, Any };

struct Spelling {
  StringRef op;
  Sight sight;
  /// The function in expressions, or the sign of an infix operator. `()` stands
  /// for no function. Empty text means that expressions have no such operation.
  StringRef word;
  /// {0}, {1}, {2} are operands. {f} is the suffix of functions of the type,
  /// {n} the name of the operation, and {w} the width of the operand.
  StringRef pattern;
};
} // namespace

static constexpr Spelling spellings[] = {
    {"arith.select", Any, "select", "{0} ? {1} : {2}"},
    {"arith.addi", Wrapping, "+", "{0} + {1}"},
    {"arith.subi", Wrapping, "-", "{0} - {1}"},
    {"arith.muli", Wrapping, "*", "{0} * {1}"},
    {"arith.andi", Wrapping, "&", "{0} & {1}"},
    {"arith.ori", Wrapping, "|", "{0} | {1}"},
    {"arith.xori", Wrapping, "^", "{0} ^ {1}"},
    {"arith.shli", Wrapping, "<<", "{0} << {1}"},
    {"arith.shrsi", Signed, ">>", "{0} >> {1}"},
    {"arith.shrui", Unsigned, "ushr", "{0} >> {1}"},
    {"arith.maxsi", Signed, "max", "{0} > {1} ? {0} : {1}"},
    {"arith.minsi", Signed, "min", "{0} < {1} ? {0} : {1}"},
    {"arith.maxui", Unsigned, "umax", "{0} > {1} ? {0} : {1}"},
    {"arith.minui", Unsigned, "umin", "{0} < {1} ? {0} : {1}"},
    {"arith.divsi", Signed, "truncdiv", "{0} / {1}"},
    {"arith.remsi", Signed, "truncmod", "{0} % {1}"},
    {"arith.floordivsi", Signed, "floordiv",
     "{0} / {1} - ({0} % {1} != 0 && ({0} < 0) != ({1} < 0))"},
    {"arith.ceildivsi", Signed, "ceildiv",
     "{0} / {1} + ({0} % {1} != 0 && ({0} < 0) == ({1} < 0))"},
    {"arith.divui", Unsigned, "udiv", "{0} / {1}"},
    {"arith.remui", Unsigned, "umod", "{0} % {1}"},
    {"arith.ceildivui", Unsigned, "uceildiv", "{0} / {1} + ({0} % {1} != 0)"},
    {"arith.cmpi eq", Wrapping, "eq", "{0} == {1}"},
    {"arith.cmpi ne", Wrapping, "ne", "{0} != {1}"},
    {"arith.cmpi slt", Signed, "slt", "{0} < {1}"},
    {"arith.cmpi sle", Signed, "sle", "{0} <= {1}"},
    {"arith.cmpi sgt", Signed, "sgt", "{0} > {1}"},
    {"arith.cmpi sge", Signed, "sge", "{0} >= {1}"},
    {"arith.cmpi ult", Unsigned, "ult", "{0} < {1}"},
    {"arith.cmpi ule", Unsigned, "ule", "{0} <= {1}"},
    {"arith.cmpi ugt", Unsigned, "ugt", "{0} > {1}"},
    {"arith.cmpi uge", Unsigned, "uge", "{0} >= {1}"},
    {"arith.extsi", Signed, "()", "{0}"},
    {"arith.trunci", Signed, "()", "{0}"},
    {"arith.index_cast", Signed, "()", "{0}"},
    {"arith.extui", Unsigned, "()", "{0}"},
    {"arith.index_castui", Unsigned, "()", "{0}"},
    {"arith.sitofp", Signed, "real", "{0}"},
    {"arith.uitofp", Unsigned, "ureal", "{0}"},
    {"math.absi", Signed, "abs", "{0} < 0 ? 0 - (uint64_t){0} : (uint64_t){0}"},
    {"math.ctpop", Unsigned, "ones", "obsrt_ones({0})"},
    {"math.ctlz", Unsigned, "leading", "obsrt_zeros({0}, {w}, true)"},
    {"math.cttz", Unsigned, "trailing", "obsrt_zeros({0}, {w}, false)"},
    {"arith.addf", Real, "+", "{0} + {1}"},
    {"arith.subf", Real, "-", "{0} - {1}"},
    {"arith.mulf", Real, "*", "{0} * {1}"},
    {"arith.divf", Real, "fdiv", "{0} / {1}"},
    {"arith.remf", Real, "fmod", "fmod{f}({0}, {1})"},
    {"arith.negf", Real, "neg", "-{0}"},
    {"arith.maximumf", Real, "maximum", "obsrt_maximum({0}, {1})"},
    {"arith.minimumf", Real, "minimum", "-obsrt_maximum(-{0}, -{1})"},
    {"arith.maxnumf", Real, "fmax",
     "{0} != {0} ? {1} : {1} != {1} ? {0} : obsrt_maximum({0}, {1})"},
    {"arith.minnumf", Real, "fmin",
     "{0} != {0} ? {1} : {1} != {1} ? {0} : -obsrt_maximum(-{0}, -{1})"},
    {"arith.extf", Real, "()", "{0}"},
    {"arith.truncf", Real, "()", "{0}"},
    {"arith.fptosi", Real, "integer", "{0}"},
    {"arith.fptoui", Real, "integer", "(uint64_t){0}"},
    // With a NaN operand, comparisons of C are false, except `!=`.
    {"arith.cmpf false", Real, "ffalse", "false"},
    {"arith.cmpf oeq", Real, "foeq", "{0} == {1}"},
    {"arith.cmpf ogt", Real, "fogt", "{0} > {1}"},
    {"arith.cmpf oge", Real, "foge", "{0} >= {1}"},
    {"arith.cmpf olt", Real, "folt", "{0} < {1}"},
    {"arith.cmpf ole", Real, "fole", "{0} <= {1}"},
    {"arith.cmpf one", Real, "fone", "{0} < {1} || {0} > {1}"},
    {"arith.cmpf ord", Real, "ford", "{0} == {0} && {1} == {1}"},
    {"arith.cmpf ueq", Real, "fueq", "!({0} < {1} || {0} > {1})"},
    {"arith.cmpf ugt", Real, "fugt", "!({0} <= {1})"},
    {"arith.cmpf uge", Real, "fuge", "!({0} < {1})"},
    {"arith.cmpf ult", Real, "fult", "!({0} >= {1})"},
    {"arith.cmpf ule", Real, "fule", "!({0} > {1})"},
    {"arith.cmpf une", Real, "fune", "{0} != {1}"},
    {"arith.cmpf uno", Real, "funo", "{0} != {0} || {1} != {1}"},
    {"arith.cmpf true", Real, "ftrue", "true"},
    {"math.absf", Real, "fabs", "fabs{f}({0})"},
    {"math.powf", Real, "pow", "pow{f}({0}, {1})"},
    {"math.fma", Real, "", "fma{f}({0}, {1}, {2})"},
    {"math.roundeven", Real, "roundeven", "nearbyint{f}({0})"},
    {"math.rsqrt", Real, "rsqrt", "1 / sqrt{f}({0})"},
    {"math.atan2", Real, "atan2", "{n}{f}({0}, {1})"},
    {"math.copysign", Real, "", "{n}{f}({0}, {1})"}};

// Functions of one float that have the same name in C and MLIR, and those that
// have it in expressions, too.
static constexpr StringRef functionsOfC[] = {
    "acos", "acosh", "asin",  "asinh", "atanh", "cbrt", "cosh",
    "erf",  "erfc",  "expm1", "log1p", "round", "sinh"};
static constexpr StringRef functions[] = {
    "atan",  "ceil", "cos", "exp",  "exp2", "floor", "log",
    "log10", "log2", "sin", "sqrt", "tan",  "tanh",  "trunc"};
static constexpr StringRef tests[] = {"isfinite", "isinf", "isnan", "isnormal"};

/// The spelling of `op`; null if it has none.
static const Spelling *findSpelling(StringRef op) {
  static const llvm::StringMap<Spelling> table = [] {
    llvm::StringMap<Spelling> made;
    for (const Spelling &spelling : spellings)
      made[spelling.op] = spelling;
    auto add = [&](StringRef name, StringRef word, StringRef pattern) {
      made[("math." + name).str()] = {name, Real, word, pattern};
    };
    for (StringRef name : functionsOfC)
      add(name, "", "{n}{f}({0})");
    for (StringRef name : functions)
      add(name, name, "{n}{f}({0})");
    for (StringRef name : tests)
      add(name, name == "isnormal" ? "" : name, "{n}({0})");
    return made;
  }();
  // The text has no rounding modes.
  auto found =
      table.find(op.starts_with("arith.cmp") ? op : op.split(' ').first);
  return found == table.end() ? nullptr : &found->second;
}

static bool isReal(StringRef type) {
  return type.starts_with("f") || type == "bf16";
}

unsigned artefact::getElementBits(StringRef type) {
  unsigned bits = 0;
  if (type == "index")
    return 64;
  if (type.consume_front("bf") || type.consume_front("f") ||
      type.consume_front("i"))
    type.getAsInteger(10, bits);
  return bits;
}

unsigned artefact::getElementBytes(StringRef type) {
  unsigned bytes = llvm::divideCeil(getElementBits(type), 8);
  return llvm::PowerOf2Ceil(bytes);
}

/// `bits` as a signed number. Truth values have no sign.
static int64_t getSigned(StringRef type, uint64_t bits) {
  return type == "i1" ? bits : llvm::SignExtend64(bits, getElementBits(type));
}

static const llvm::fltSemantics &getSemantics(StringRef type) {
  return type == "f16"    ? llvm::APFloat::IEEEhalf()
         : type == "bf16" ? llvm::APFloat::BFloat()
         : type == "f32"  ? llvm::APFloat::IEEEsingle()
                          : llvm::APFloat::IEEEdouble();
}

/// True for truth values that are computed as integers and wrap around. A
/// conversion to `bool` of C does not wrap around.
static bool isWrappedTruth(const Spelling &spelling, StringRef type) {
  return type == "i1" && spelling.sight < Real &&
         !spelling.op.starts_with("arith.cmp");
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// `operand` as the number that an operation reads. Here a truth value is 0 or
/// 1; a signed operation reads it as 0 or -1. Integers are signed.
static std::string see(const Operand &operand, Sight sight) {
  unsigned width = getElementBits(operand.type);
  if (sight == Signed && operand.type == "i1")
    return "(0 - " + operand.text + ")";
  if (sight != Unsigned || width == 1 || width >= 64)
    return operand.text;
  return formatv("({0} & {1})", operand.text,
                 llvm::maskTrailingOnes<uint64_t>(width));
}

std::string artefact::express(StringRef op, ArrayRef<Operand> operands,
                              StringRef type) {
  if (op == "memref.dim")
    return formatv("dim({0}, {1})", operands[0].text, operands[1].text);
  if (llvm::any_of(operands, [](auto &o) { return o.type == "bf16"; }) &&
      op != "arith.select")
    return "";
  if (op == "arith.bitcast")
    return formatv("bits({0}, {1}, {2})", operands[0].text, operands[0].type,
                   type);
  const Spelling *spelling = findSpelling(op);
  if (!spelling || spelling->word.empty())
    return "";
  StringRef word = spelling->word;
  if (word == "leading" || word == "trailing")
    return formatv("{0}({1}, {2})", word, operands[0].text,
                   getElementBits(operands[0].type));
  auto seen = llvm::map_to_vector(
      operands, [&](auto &operand) { return see(operand, spelling->sight); });
  std::string text =
      word == "()" ? seen[0]
      : llvm::isAlpha(word.front())
          ? (word + "(" + llvm::join(seen, ", ") + ")").str()
          : "(" + seen[0] + " " + word.str() + " " + seen[1] + ")";
  return isWrappedTruth(*spelling, type) ? "(" + text + " & 1)" : text;
}

std::string artefact::expressConstant(StringRef type, uint64_t bits) {
  if (!isReal(type))
    return std::to_string(getSigned(type, bits));
  llvm::APFloat value(getSemantics(type),
                      llvm::APInt(getElementBits(type), bits));
  llvm::SmallString<24> text;
  value.toString(text);
  std::string lower = text.str().lower();
  // There are several NaNs.
  return readConstant(type, lower) == bits
             ? lower
             : formatv("bits({0}, i{1}, {2})", bits, getElementBits(type), type)
                   .str();
}

std::optional<uint64_t> artefact::readConstant(StringRef type, StringRef text) {
  unsigned width = getElementBits(type);
  if (!isReal(type)) {
    int64_t number;
    if (width == 0 || text.getAsInteger(10, number))
      return std::nullopt;
    return number & llvm::maskTrailingOnes<uint64_t>(width);
  }
  uint64_t bits;
  if (text.consume_front("bits("))
    return text.split(',').first.getAsInteger(10, bits)
               ? std::nullopt
               : std::optional<uint64_t>(bits);
  llvm::APFloat value(getSemantics(type));
  auto status =
      value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return value.bitcastToAPInt().getZExtValue();
}

bool artefact::isWordOfExpressions(StringRef name) {
  auto isWord = [&](const Spelling &s) { return s.word == name; };
  return llvm::is_contained({"bf16", "bits", "dim", "f16", "f32", "f64", "i1",
                             "i16", "i32", "i64", "i8", "inf", "index", "nan"},
                            name) ||
         llvm::any_of(spellings, isWord) ||
         llvm::is_contained(functions, name) || llvm::is_contained(tests, name);
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

std::string artefact::getCType(StringRef type, bool isUnsigned) {
  if (type == "index")
    return isUnsigned ? "uint64_t" : "int64_t";
  if (type == "i1")
    return "bool";
  if (type.consume_front("i"))
    return llvm::is_contained({"8", "16", "32", "64"}, type)
               ? (isUnsigned ? "uint" : "int") + type.str() + "_t"
               : "";
  // Code of the host does not compute with halves.
  return type == "f32"                     ? "float"
         : type == "f64"                   ? "double"
         : type == "f16" || type == "bf16" ? "uint16_t"
                                           : "";
}

std::string artefact::printConstantInC(StringRef type, uint64_t bits) {
  if (type == "f16" || type == "bf16")
    return std::to_string(bits);
  if (isReal(type)) {
    llvm::APFloat value(getSemantics(type),
                        llvm::APInt(getElementBits(type), bits));
    if (!value.isFinite())
      return formatv("obsrt_{0}(UINT64_C({1}))", getCType(type), bits);
    llvm::SmallString<32> digits;
    value.toString(digits, 20);
    return formatv("({0}){1}", getCType(type), digits);
  }
  if (type == "i1")
    return bits ? "true" : "false";
  int64_t number = getSigned(type, bits);
  // C has no literal for this number.
  return number == INT64_MIN ? "INT64_MIN"
                             : formatv("INT64_C({0})", number).str();
}

/// Reinterprets the bits of a value as another type.
static std::string printBitcast(const Operand &operand, StringRef to) {
  std::string bits = operand.text;
  if (operand.type == "f32" || operand.type == "f64")
    bits = formatv("obsrt_bits_of_{0}({1})", getCType(operand.type), bits);
  return to == "f32" || to == "f64"
             ? formatv("obsrt_{0}({1})", getCType(to), bits).str()
             : bits;
}

std::string artefact::printInC(StringRef op, ArrayRef<Operand> operands,
                               StringRef type) {
  auto isHalf = [](StringRef t) { return t == "f16" || t == "bf16"; };
  if (getCType(type).empty())
    return "";
  if (op == "arith.bitcast")
    return printBitcast(operands[0], type);
  const Spelling *spelling = findSpelling(op);
  if (!spelling || (spelling->sight != Any &&
                    (isHalf(type) || llvm::any_of(operands, [&](auto &o) {
                       return isHalf(o.type);
                     }))))
    return "";
  Sight sight = spelling->sight;
  std::string text;
  StringRef pattern = spelling->pattern;
  while (!pattern.empty()) {
    auto [before, rest] = pattern.split('{');
    text += before;
    if (rest.empty())
      break;
    pattern = rest.drop_front(2);
    char key = rest.front();
    if (!llvm::isDigit(key)) {
      StringRef of = operands[0].type;
      text += key == 'f'   ? std::string(of == "f32" ? "f" : "")
              : key == 'n' ? op.split('.').second.str()
                           : std::to_string(getElementBits(of));
      continue;
    }
    const Operand &operand = operands[key - '0'];
    // A signed truth value is 0 or -1. In C, 16 bits become an `int`, which
    // cannot represent every product of such numbers.
    if (sight == Signed && operand.type == "i1")
      text += "-(int)";
    if (sight == Unsigned || sight == Wrapping)
      text += (operand.type == "i16" ? "(uint32_t)(" : "(") +
              getCType(operand.type, /*isUnsigned=*/true) + ")";
    text += operand.text;
  }
  return isWrappedTruth(*spelling, type) ? "(" + text + ") & 1" : text;
}

bool artefact::isMathFunction(StringRef name) {
  for (StringRef stem : {name, name.ends_with("f") ? name.drop_back() : name})
    if (llvm::is_contained(
            {"fabs", "fmod", "nearbyint", "pow", "fma", "copysign", "atan2"},
            stem) ||
        llvm::is_contained(functions, stem) ||
        llvm::is_contained(functionsOfC, stem) ||
        llvm::is_contained(tests, stem))
      return true;
  return false;
}
