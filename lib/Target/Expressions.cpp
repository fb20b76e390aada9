//===- Expressions.cpp - Scalars of the host as text ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

std::string obs::expressScalar(Operation *op,
                               function_ref<std::string(Value)> operand) {
  auto infix = [&](StringRef symbol) {
    return "(" + operand(op->getOperand(0)) + " " + symbol.str() + " " +
           operand(op->getOperand(1)) + ")";
  };
  auto call = [&](StringRef name) {
    return name.str() + "(" + operand(op->getOperand(0)) + ", " +
           operand(op->getOperand(1)) + ")";
  };
  return TypeSwitch<Operation *, std::string>(op)
      .Case<arith::AddIOp>([&](auto) { return infix("+"); })
      .Case<arith::SubIOp>([&](auto) { return infix("-"); })
      .Case<arith::MulIOp>([&](auto) { return infix("*"); })
      .Case<arith::AndIOp>([&](auto) { return infix("&"); })
      .Case<arith::OrIOp>([&](auto) { return infix("|"); })
      .Case<arith::XOrIOp>([&](auto) { return infix("^"); })
      .Case<arith::ShLIOp>([&](auto) { return infix("<<"); })
      .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto) { return infix(">>"); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return call("max"); })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return call("min"); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return call("ceildiv"); })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return call("floordiv"); })
      .Case<arith::DivSIOp>([&](auto) { return call("truncdiv"); })
      .Case<arith::RemUIOp>([&](auto) { return call("mod"); })
      .Case<arith::RemSIOp>([&](auto) { return call("truncmod"); })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](auto) {
        std::string text = operand(op->getOperand(0));
        auto type = dyn_cast<IntegerType>(op->getOperand(0).getType());
        if (!type || type.getWidth() >= 64 || type.getWidth() == 1)
          return text;
        return "(" + text + " & " +
               std::to_string((uint64_t(1) << type.getWidth()) - 1) + ")";
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([&](auto) {
        std::string text = operand(op->getOperand(0));
        // A truth value is 0 or 1 here.
        bool isTruth = op->getOperand(0).getType().isInteger(1);
        return isTruth ? "(0 - " + text + ")" : text;
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        return "select(" + operand(select.getCondition()) + ", " +
               operand(select.getTrueValue()) + ", " +
               operand(select.getFalseValue()) + ")";
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        return call(arith::stringifyCmpIPredicate(compare.getPredicate()));
      })
      .Default([](Operation *) { return std::string(); });
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

int64_t obs::getSizeInBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
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
      "ceildiv",  "dim",    "eq",  "floordiv", "max", "min", "mod",
      "ne",       "select", "sge", "sgt",      "sle", "slt", "truncdiv",
      "truncmod", "uge",    "ugt", "ule",      "ult"};
  return name && !operators.contains(name.getValue()) ? name.getValue()
                                                      : StringRef();
}
