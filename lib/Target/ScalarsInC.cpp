//===- ScalarsInC.cpp - Types and scalar operations in C ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarsInC.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::obs;
using llvm::formatv;

std::string obs::getCType(Type type, bool isUnsigned) {
  if (type.isIndex())
    return isUnsigned ? "uint64_t" : "int64_t";
  if (type.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(type))
    if (llvm::is_contained({8, 16, 32, 64}, integer.getWidth()))
      return formatv("{0}int{1}_t", isUnsigned ? "u" : "", integer.getWidth());
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  // Passed on only.
  if (type.isF16() || type.isBF16())
    return "uint16_t";
  if (isa<MemRefType>(type))
    return "obs_array";
  return "";
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static std::string printReal(const APFloat &value, Type type) {
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  if (type.isF16() || type.isBF16())
    return std::to_string(bits);
  if (!value.isFinite())
    return formatv("obsrt_{0}(UINT64_C({1}))", getCType(type), bits);
  SmallString<32> digits;
  value.toString(digits, 20);
  return formatv("({0}){1}", getCType(type), digits);
}

static std::string printConstant(TypedAttr attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return printReal(real.getValue(), real.getType());
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer)
    return "";
  APInt value = integer.getValue();
  if (value.getBitWidth() == 1)
    return value.isOne() ? "true" : "false";
  // There is no literal for it.
  if (value.getBitWidth() == 64 && value.isMinSignedValue())
    return "INT64_MIN";
  return formatv("INT64_C({0})", value.getSExtValue());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Patterns of expressions: {0}, {1}, {2} are operands.

/// Of operations that see their operands without a sign. They wrap.
static StringRef getUnsignedPattern(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addi", "{0} + {1}")
      .Case("arith.subi", "{0} - {1}")
      .Case("arith.muli", "{0} * {1}")
      .Case("arith.divui", "{0} / {1}")
      .Case("arith.remui", "{0} % {1}")
      .Case("arith.ceildivui", "{0} / {1} + ({0} % {1} != 0)")
      .Case("arith.andi", "{0} & {1}")
      .Case("arith.ori", "{0} | {1}")
      .Case("arith.xori", "{0} ^ {1}")
      .Case("arith.shli", "{0} << {1}")
      .Case("arith.shrui", "{0} >> {1}")
      .Case("arith.maxui", "{0} > {1} ? {0} : {1}")
      .Case("arith.minui", "{0} < {1} ? {0} : {1}")
      .Cases({"arith.extui", "arith.index_castui", "arith.uitofp"}, "{0}")
      .Case("math.ctpop", "obsrt_ones({0})")
      .Case("math.ctlz", "obsrt_zeros({0}, {w}, true)")
      .Case("math.cttz", "obsrt_zeros({0}, {w}, false)")
      .Default("");
}

static StringRef getSignedPattern(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.divsi", "{0} / {1}")
      .Case("arith.remsi", "{0} % {1}")
      .Case("arith.floordivsi",
            "{0} / {1} - ({0} % {1} != 0 && ({0} < 0) != ({1} < 0))")
      .Case("arith.ceildivsi",
            "{0} / {1} + ({0} % {1} != 0 && ({0} < 0) == ({1} < 0))")
      .Case("arith.shrsi", "{0} >> {1}")
      .Case("arith.maxsi", "{0} > {1} ? {0} : {1}")
      .Case("arith.minsi", "{0} < {1} ? {0} : {1}")
      .Cases(
          {"arith.extsi", "arith.trunci", "arith.index_cast", "arith.sitofp"},
          "{0}")
      .Case("math.absi", "{0} < 0 ? 0 - (uint64_t){0} : (uint64_t){0}")
      .Default("");
}

/// Of operations on floats; {f} is what functions for the type end with.
static StringRef getRealPattern(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addf", "{0} + {1}")
      .Case("arith.subf", "{0} - {1}")
      .Case("arith.mulf", "{0} * {1}")
      .Case("arith.divf", "{0} / {1}")
      .Case("arith.remf", "fmod{f}({0}, {1})")
      .Case("arith.negf", "-{0}")
      .Case("arith.maximumf", "obsrt_maximum({0}, {1})")
      .Case("arith.minimumf", "-obsrt_maximum(-{0}, -{1})")
      .Case("arith.maxnumf", "{0} != {0} ? {1} : {1} != {1} ? {0} : "
                             "obsrt_maximum({0}, {1})")
      .Case("arith.minnumf", "{0} != {0} ? {1} : {1} != {1} ? {0} : "
                             "-obsrt_maximum(-{0}, -{1})")
      .Cases({"arith.extf", "arith.truncf", "arith.fptosi", "arith.fptoui"},
             "{0}")
      .Case("math.absf", "fabs{f}({0})")
      .Case("math.powf", "pow{f}({0}, {1})")
      .Case("math.fma", "fma{f}({0}, {1}, {2})")
      .Case("math.roundeven", "nearbyint{f}({0})")
      .Case("math.rsqrt", "1 / sqrt{f}({0})")
      .Cases({"math.isfinite", "math.isinf", "math.isnan", "math.isnormal"},
             "{n}({0})")
      .Cases({"math.atan2", "math.copysign"}, "{n}{f}({0}, {1})")
      .Cases({"math.acos", "math.acosh", "math.asin", "math.asinh", "math.atan",
              "math.atanh", "math.cbrt", "math.ceil", "math.cos", "math.cosh"},
             "{n}{f}({0})")
      .Cases({"math.erf", "math.erfc", "math.exp", "math.exp2", "math.expm1",
              "math.floor", "math.log", "math.log10", "math.log1p",
              "math.log2"},
             "{n}{f}({0})")
      .Cases({"math.round", "math.sin", "math.sinh", "math.sqrt", "math.tan",
              "math.tanh", "math.trunc"},
             "{n}{f}({0})")
      .Default("");
}

static StringRef getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "{0} == {1}";
  case arith::CmpIPredicate::ne:
    return "{0} != {1}";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "{0} < {1}";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "{0} <= {1}";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return "{0} > {1}";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return "{0} >= {1}";
  }
  llvm_unreachable("unknown predicate");
}

/// Comparisons of C are false if an operand is no number, but for `!=`.
static StringRef getComparison(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return "false";
  case arith::CmpFPredicate::OEQ:
    return "{0} == {1}";
  case arith::CmpFPredicate::OGT:
    return "{0} > {1}";
  case arith::CmpFPredicate::OGE:
    return "{0} >= {1}";
  case arith::CmpFPredicate::OLT:
    return "{0} < {1}";
  case arith::CmpFPredicate::OLE:
    return "{0} <= {1}";
  case arith::CmpFPredicate::ONE:
    return "{0} < {1} || {0} > {1}";
  case arith::CmpFPredicate::ORD:
    return "{0} == {0} && {1} == {1}";
  case arith::CmpFPredicate::UEQ:
    return "!({0} < {1} || {0} > {1})";
  case arith::CmpFPredicate::UGT:
    return "!({0} <= {1})";
  case arith::CmpFPredicate::UGE:
    return "!({0} < {1})";
  case arith::CmpFPredicate::ULT:
    return "!({0} >= {1})";
  case arith::CmpFPredicate::ULE:
    return "!({0} > {1})";
  case arith::CmpFPredicate::UNE:
    return "{0} != {1}";
  case arith::CmpFPredicate::UNO:
    return "{0} != {0} || {1} != {1}";
  case arith::CmpFPredicate::AlwaysTrue:
    return "true";
  }
  llvm_unreachable("unknown predicate");
}

/// The bits of a value as those of another type.
static std::string printBitcast(arith::BitcastOp cast,
                                const std::string &operand) {
  Type from = cast.getIn().getType(), to = cast.getType();
  std::string bits = operand;
  if (from.isF32() || from.isF64())
    bits = formatv("obsrt_bits_of_{0}({1})", getCType(from), operand);
  if (to.isF32() || to.isF64())
    return formatv("obsrt_{0}({1})", getCType(to), bits);
  return bits;
}

namespace {
enum class Sign { None, Signed, Unsigned };
} // namespace

/// `op` by a pattern, of operands that are seen with or without a sign.
static std::string fill(StringRef pattern, Operation *op, Sign sign,
                        function_ref<std::string(Value)> operand) {
  std::string text;
  while (!pattern.empty()) {
    auto [before, rest] = pattern.split('{');
    text += before;
    if (rest.empty())
      break;
    char key = rest.front();
    pattern = rest.drop_front(2);
    Type type = op->getOperand(0).getType();
    if (key == 'f') {
      text += type.isF32() ? "f" : "";
    } else if (key == 'n') {
      text += op->getName().stripDialect();
    } else if (key == 'w') {
      text += std::to_string(getElementBits(type));
    } else {
      Value value = op->getOperand(key - '0');
      // A truth value with a sign is 0 or -1. In C, 16 bits become an `int`,
      // in which not every product of them has room.
      if (sign == Sign::Signed && value.getType().isInteger(1))
        text += "-(int)";
      if (sign == Sign::Unsigned && value.getType().isInteger(16))
        text += "(uint32_t)";
      if (sign == Sign::Unsigned && value.getType().isIntOrIndex())
        text += "(" + getCType(value.getType(), /*isUnsigned=*/true) + ")";
      text += operand(value);
    }
  }
  return text;
}

std::string obs::printInC(Operation *op,
                          function_ref<std::string(Value)> operand) {
  if (op->getNumResults() != 1)
    return "";
  Type type = op->getResult(0).getType();
  bool isHalf = llvm::any_of(op->getOperandTypes(), [](Type operand) {
    return operand.isF16() || operand.isBF16();
  });
  std::string ctype = getCType(type);
  if (ctype.empty() || (isHalf && !isa<arith::SelectOp, arith::BitcastOp>(op)))
    return "";
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return printConstant(constant.getValue());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return formatv("{0} ? {1} : {2}", operand(select.getCondition()),
                   operand(select.getTrueValue()),
                   operand(select.getFalseValue()));
  if (auto cast = dyn_cast<arith::BitcastOp>(op))
    return printBitcast(cast, operand(cast.getIn()));
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
    return fill(getComparison(compare.getPredicate()), op,
                isUnsigned ? Sign::Unsigned : Sign::Signed, operand);
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return fill(getComparison(compare.getPredicate()), op, Sign::None, operand);

  StringRef name = op->getName().getStringRef();
  if (StringRef pattern = getRealPattern(name); !pattern.empty()) {
    std::string text = fill(pattern, op, Sign::None, operand);
    return isa<arith::FPToUIOp>(op)
               ? "(" + getCType(type, /*isUnsigned=*/true) + ")" + text
               : text;
  }
  StringRef pattern = getUnsignedPattern(name);
  Sign sign = pattern.empty() ? Sign::Signed : Sign::Unsigned;
  if (pattern.empty())
    pattern = getSignedPattern(name);
  std::string text = fill(pattern, op, sign, operand);
  // Truth values wrap as well, which conversions of C to `bool` do not.
  return type.isInteger(1) && !text.empty() ? "(" + text + ") & 1" : text;
}

bool obs::isMathFunction(StringRef name) {
  for (StringRef stem : {name, name.ends_with("f") ? name.drop_back() : name})
    if (llvm::is_contained({"fabs", "fmod", "nearbyint", "pow"}, stem) ||
        !getRealPattern(("math." + stem).str()).empty())
      return true;
  return false;
}
