//===- FunctionImporter.cpp - Functions of other dialects -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionImporter.h"

using namespace mlir;
using namespace mlir::obs;

/// True if the function has one block, which ends with a return.
static bool hasPlainBody(func::FuncOp function) {
  Region &body = function.getBody();
  return body.hasOneBlock() && !body.front().empty() &&
         isa<func::ReturnOp>(body.front().back());
}

FailureOr<func::FuncOp> FunctionImporter::findCallee(func::CallOp op) {
  auto callee = tables.lookup<func::FuncOp>(op.getCallee());
  if (!callee || !hasPlainBody(callee))
    return op.emitOpError("calls a function without a body of one block");
  if (op.getOperandTypes() != callee.getArgumentTypes() ||
      op.getResultTypes() != callee.getResultTypes())
    return op.emitOpError("calls a function of another type");
  if (llvm::is_contained(calls, callee))
    return op.emitOpError("calls a function that calls itself: write a loop "
                          "instead");
  return callee;
}

LogicalResult FunctionImporter::importCall(func::CallOp op) {
  FailureOr<func::FuncOp> callee = findCallee(op);
  if (failed(callee))
    return failure();
  define(callee->getArguments(), lookup(op.getOperands()));
  Block &body = callee->getBody().front();
  calls.push_back(*callee);
  LogicalResult result = importBlock(body);
  calls.pop_back();
  if (succeeded(result))
    define(op.getResults(), lookup(body.back().getOperands()));
  return result;
}

LogicalResult FunctionImporter::importBlock(Block &block) {
  for (Operation &op : llvm::drop_end(block)) {
    b.setLoc(op.getLoc());
    if (failed(verifyOperands(&op)) || failed(importOp(&op)))
      return failure();
  }
  b.setLoc(block.back().getLoc());
  return verifyOperands(&block.back());
}

FailureOr<func::FuncOp>
FunctionImporter::importFunction(func::FuncOp function) {
  if (!hasPlainBody(function))
    return function.emitOpError("needs a body of one block");
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes())) {
    types.push_back(convertParameter(function, type));
    if (!types.back())
      return failure();
  }
  types.truncate(function.getNumArguments());
  OpBuilder::InsertionGuard guard(b);
  b.setLoc(function.getLoc());
  b.setInsertionPointToEnd(target->getBody());
  auto lowered =
      func::FuncOp::create(b, function.getName(), b.getFunctionType(types, {}));
  Block *entry = lowered.addEntryBlock(), &body = function.getBody().front();
  define(function.getArguments(), entry->getArguments());
  b.setInsertionPointToEnd(entry);
  calls.assign(1, function);
  if (failed(importBlock(body)))
    return failure();
  Values results =
      b.store(llvm::map_to_vector(body.back().getOperands(), [&](Value value) {
        return getReturned(value);
      }));
  func::ReturnOp::create(b, results);
  lowered.setFunctionType(
      b.getFunctionType(types, ValueRange(results).getTypes()));
  b.finish(lowered);
  return lowered;
}

SmallVector<OpFoldResult>
FunctionImporter::getExtents(ArrayRef<int64_t> numbers) {
  return orOne(llvm::map_to_vector(
      numbers, [&](int64_t n) -> OpFoldResult { return b.getIndexAttr(n); }));
}

LogicalResult FunctionImporter::verifySize(Operation *op,
                                           ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    if (!ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(size, extent, size) || size > int64_t(1) << 48))
      return op->emitOpError("has a value of more than 2^48 elements");
  return success();
}

LogicalResult FunctionImporter::verifyOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *before = operand.getDefiningOp();
    bool isHere = operand.getParentBlock() == op->getBlock();
    if (isHere ? before && !before->isBeforeInBlock(op) : !lookup(operand))
      return op->emitOpError("reads a value that is not defined before it");
  }
  return success();
}

FailureOr<Value> FunctionImporter::buildConstant(Operation *op,
                                                 DenseElementsAttr elements,
                                                 Type element, bool isScalar) {
  ArrayRef<int64_t> shape = elements.getType().getShape();
  if (elements.empty() || elements.isSplat() ||
      elements.getNumElements() == 1) {
    // The attribute of a number has the type of the tensor, with a sign.
    Attribute number =
        elements.empty() ? Attribute() : *elements.value_begin<Attribute>();
    auto integer = dyn_cast_or_null<IntegerAttr>(number);
    Attribute typed = !number   ? b.getZeroAttr(element)
                      : integer ? b.getIntegerAttr(element, integer.getValue())
                                : number;
    Value scalar = arith::ConstantOp::create(b, cast<TypedAttr>(typed));
    return isScalar && shape.empty() ? scalar
                                     : b.splat(scalar, getExtents(shape));
  }
  if (elements.getNumElements() > 1 << 24)
    return op->emitOpError("has more than 2^24 elements: give them as a "
                           "parameter");
  if (elements.getElementType() != element)
    elements = elements.bitcast(element);
  return ConstantOp::create(b, elements).getResult();
}
