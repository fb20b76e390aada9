//===- Expressions.cpp - Scalars of the host as text ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::obs;

/// A function of expressions, or the sign of an infix operator, for `op`: of
/// integers whose sign does not matter, or that have one.
static StringRef getSignedName(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addi", "+")
      .Case("arith.subi", "-")
      .Case("arith.muli", "*")
      .Case("arith.andi", "&")
      .Case("arith.ori", "|")
      .Case("arith.xori", "^")
      .Case("arith.shli", "<<")
      .Case("arith.shrsi", ">>")
      .Case("arith.maxsi", "max")
      .Case("arith.minsi", "min")
      .Case("arith.ceildivsi", "ceildiv")
      .Case("arith.floordivsi", "floordiv")
      .Case("arith.divsi", "truncdiv")
      .Case("arith.remsi", "truncmod")
      .Case("arith.sitofp", "real")
      .Case("math.absi", "abs")
      .Cases({"arith.extsi", "arith.trunci", "arith.index_cast"}, "()")
      .Default("");
}

/// Of integers without a sign.
static StringRef getUnsignedName(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.shrui", "ushr")
      .Case("arith.maxui", "umax")
      .Case("arith.minui", "umin")
      .Case("arith.ceildivui", "uceildiv")
      .Case("arith.divui", "udiv")
      .Case("arith.remui", "umod")
      .Case("arith.uitofp", "ureal")
      .Case("math.ctpop", "ones")
      .Cases({"arith.extui", "arith.index_castui"}, "()")
      .Default("");
}

/// Of floats.
static StringRef getRealName(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addf", "+")
      .Case("arith.subf", "-")
      .Case("arith.mulf", "*")
      .Case("arith.divf", "fdiv")
      .Case("arith.remf", "fmod")
      .Case("arith.negf", "neg")
      .Case("arith.maximumf", "maximum")
      .Case("arith.minimumf", "minimum")
      .Case("arith.maxnumf", "fmax")
      .Case("arith.minnumf", "fmin")
      .Cases({"arith.fptosi", "arith.fptoui"}, "integer")
      .Cases({"arith.extf", "arith.truncf"}, "()")
      .Case("math.absf", "fabs")
      .Case("math.powf", "pow")
      .Case("math.sqrt", "sqrt")
      .Case("math.rsqrt", "rsqrt")
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.log", "log")
      .Case("math.log2", "log2")
      .Case("math.log10", "log10")
      .Case("math.sin", "sin")
      .Case("math.cos", "cos")
      .Case("math.tan", "tan")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.tanh", "tanh")
      .Case("math.floor", "floor")
      .Case("math.ceil", "ceil")
      .Case("math.trunc", "trunc")
      .Case("math.roundeven", "roundeven")
      .Case("math.isnan", "isnan")
      .Case("math.isinf", "isinf")
      .Case("math.isfinite", "isfinite")
      .Default("");
}

std::string obs::expressScalar(Operation *op,
                               function_ref<std::string(Value)> operand) {
  if (op->getNumResults() != 1 ||
      llvm::any_of(op->getOperandTypes(), [](Type t) { return t.isBF16(); }))
    return "";
  // Of a truth value, which is 0 or 1 here, and of an integer, which has a
  // sign: the number that the operation takes it for.
  auto signedOperand = [&](Value value) {
    std::string text = operand(value);
    return value.getType().isInteger(1) ? "(0 - " + text + ")" : text;
  };
  auto unsignedOperand = [&](Value value) {
    std::string text = operand(value);
    auto type = dyn_cast<IntegerType>(value.getType());
    if (!type || type.getWidth() >= 64 || type.getWidth() == 1)
      return text;
    uint64_t mask = llvm::maskTrailingOnes<uint64_t>(type.getWidth());
    return "(" + text + " & " + std::to_string(mask) + ")";
  };
  auto apply = [&](StringRef name, function_ref<std::string(Value)> print) {
    auto operands = llvm::map_to_vector(op->getOperands(), print);
    if (name == "()")
      return operands[0];
    if (!llvm::isAlpha(name.front()))
      return "(" + operands[0] + " " + name.str() + " " + operands[1] + ")";
    return name.str() + "(" + llvm::join(operands, ", ") + ")";
  };

  if (isa<arith::SelectOp>(op))
    return apply("select", operand);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
    StringRef name = arith::stringifyCmpIPredicate(compare.getPredicate());
    return isUnsigned ? apply(name, unsignedOperand)
                      : apply(name, signedOperand);
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return apply(
        ("f" + arith::stringifyCmpFPredicate(compare.getPredicate())).str(),
        operand);
  if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
    return "bits(" + operand(cast.getIn()) + ", " +
           llvm::to_string(cast.getIn().getType()) + ", " +
           llvm::to_string(cast.getType()) + ")";
  }
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op)) {
    Type type = op->getOperand(0).getType();
    unsigned width = getElementBits(type);
    return (isa<math::CountLeadingZerosOp>(op) ? "leading(" : "trailing(") +
           operand(op->getOperand(0)) + ", " + std::to_string(width) + ")";
  }
  StringRef known = op->getName().getStringRef();
  if (StringRef name = getRealName(known); !name.empty())
    return apply(name, operand);
  std::string text;
  if (StringRef name = getUnsignedName(known); !name.empty())
    text = apply(name, unsignedOperand);
  else if (StringRef name = getSignedName(known); !name.empty())
    text = apply(name, signedOperand);
  // Truth values wrap as well.
  bool isTruth = !text.empty() && op->getResult(0).getType().isInteger(1);
  return isTruth ? "(" + text + " & 1)" : text;
}

std::string obs::expressConstant(Attribute constant) {
  SmallString<24> text;
  if (auto integer = dyn_cast<IntegerAttr>(constant))
    integer.getValue().toString(text, 10,
                                /*Signed=*/!integer.getType().isInteger(1));
  else if (auto real = dyn_cast<FloatAttr>(constant))
    real.getValue().toString(text);
  return text.str().lower();
}

Value obs::getViewedArray(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

Value obs::getArrayFromStart(Value value) {
  while (isa_and_nonnull<memref::CastOp, memref::ReinterpretCastOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

StringRef obs::getGivenName(Value value) {
  StringAttr name;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto function =
            dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   "obs.name");
  } else {
    for (OpOperand &use : value.getUses())
      if (isa<func::ReturnOp>(use.getOwner()))
        name = use.getOwner()
                   ->getParentOfType<func::FuncOp>()
                   .getResultAttrOfType<StringAttr>(use.getOperandNumber(),
                                                    "obs.name");
  }
  // In an expression these stand for something else.
  static const llvm::StringSet<> operators = {
      "abs",      "atan",    "atan2",    "bf16",     "bits",      "ceil",
      "ceildiv",  "cos",     "dim",      "eq",       "exp",       "exp2",
      "fabs",     "fdiv",    "floor",    "floordiv", "fmax",      "fmin",
      "fmod",     "f16",     "f32",      "f64",      "i16",       "i32",
      "i64",      "i8",      "inf",      "integer",  "isfinite",  "isinf",
      "isnan",    "leading", "trailing", "log",      "log10",     "log2",
      "max",      "maximum", "min",      "minimum",  "nan",       "ne",
      "neg",      "ones",    "pow",      "real",     "roundeven", "rsqrt",
      "select",   "sge",     "sgt",      "sin",      "sle",       "slt",
      "sqrt",     "tan",     "tanh",     "trunc",    "truncdiv",  "truncmod",
      "uceildiv", "udiv",    "uge",      "ugt",      "ule",       "ult",
      "umax",     "umin",    "umod",     "ureal",    "ushr",      "ffalse",
      "foeq",     "fogt",    "foge",     "folt",     "fole",      "fone",
      "ford",     "fueq",    "fugt",     "fuge",     "fult",      "fule",
      "fune",     "funo",    "ftrue"};
  return name && !operators.contains(name.getValue()) ? name.getValue()
                                                      : StringRef();
}
