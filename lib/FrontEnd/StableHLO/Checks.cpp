//===- Checks.cpp - Checks of operations of StableHLO ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

LogicalResult Importer::verifyTensor(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return op->emitError("'")
           << op->getName() << "' has a value of type " << type
           << ": extents that are known at run time are not supported";
  if (!convertElement(tensor.getElementType()))
    return op->emitError("'") << op->getName()
                              << "' has elements of a type that obs does not "
                                 "have: "
                              << type;
  int64_t size = 1;
  for (int64_t extent : tensor.getShape())
    if (llvm::MulOverflow(size, extent, size) || size > int64_t(1) << 48)
      return op->emitError("'")
             << op->getName() << "' has a value of more than 2^48 elements";
  return success();
}

LogicalResult Importer::verifyCounts(Operation *op, unsigned operands,
                                     unsigned regions, unsigned results) {
  if (op->getNumOperands() == operands && op->getNumRegions() == regions &&
      op->getNumResults() == results)
    return success();
  return op->emitOpError("takes ")
         << operands << " operands and " << regions << " regions, and has "
         << results << " results";
}

LogicalResult Importer::verifyResult(Operation *op, ArrayRef<int64_t> extents,
                                     Type element, unsigned number) {
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  if (type.getShape() == extents && type.getElementType() == element)
    return success();
  return op->emitOpError("has a result of type ")
         << RankedTensorType::get(extents, element) << ", not " << type;
}

LogicalResult Importer::verifyDims(Operation *op, StringRef name,
                                   ArrayRef<int64_t> dims, int64_t rank) {
  DenseSet<int64_t> seen;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return op->emitOpError("has the dimension ")
             << dim << " in " << name
             << ", which is out of range or there twice";
  return success();
}

/// If `count` is negative, any number is allowed.
FailureOr<Numbers> Importer::getNumbers(Operation *op, StringRef name,
                                        int64_t count) {
  Numbers numbers;
  Attribute attribute = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    numbers.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
           dense && dense.getNumElements() < 1024 &&
           dense.getElementType().isInteger(64))
    for (const APInt &number : dense)
      numbers.push_back(number.getSExtValue());
  else if (attribute || count > 0)
    return op->emitOpError("needs numbers in the attribute ") << name;
  if (count >= 0 && static_cast<int64_t>(numbers.size()) != count)
    return op->emitOpError("needs ") << count << " numbers in the attribute "
                                     << name << ", not " << numbers.size();
  // So sums and products of such numbers have no overflow.
  for (int64_t number : numbers)
    if (number > int64_t(1) << 31 || number < -(int64_t(1) << 31))
      return op->emitOpError("has a number out of range in ") << name;
  return numbers;
}

FailureOr<int64_t> Importer::getNumber(Operation *op, StringRef name) {
  if (auto number = op->getAttrOfType<IntegerAttr>(name);
      number && number.getType().isSignlessInteger(64))
    return number.getInt();
  return op->emitOpError("needs a number in the attribute ") << name;
}

FailureOr<Numbers> stablehlo::parseList(Operation *op, StringRef text,
                                        StringRef name) {
  Numbers numbers;
  size_t place = text.find((name + " = [").str());
  while (place != StringRef::npos && place &&
         !llvm::is_contained(StringRef("< ,"), text[place - 1]))
    place = text.find((name + " = [").str(), place + 1);
  if (place == StringRef::npos)
    return numbers;
  StringRef list = text.drop_front(place + name.size() + 4);
  list = list.take_until([](char c) { return c == ']'; });
  SmallVector<StringRef> words;
  list.split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.trim().getAsInteger(10, numbers.emplace_back()))
      return op->emitOpError("has a list without numbers: ") << name;
  return numbers;
}

int64_t stablehlo::parseNumber(StringRef text, StringRef name) {
  size_t place = text.find((name + " = ").str());
  int64_t number = 0;
  if (place != StringRef::npos)
    text.drop_front(place + name.size() + 3)
        .take_while([](char c) { return llvm::isDigit(c); })
        .getAsInteger(10, number);
  return number;
}

/// MLIR does not check dominance in the regions of operations that are not
/// registered.
LogicalResult Importer::verifyOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *before = operand.getDefiningOp();
    bool isHere = operand.getParentBlock() == op->getBlock();
    if (isHere ? before && !before->isBeforeInBlock(op) : !lookup(operand))
      return op->emitOpError("reads a value that is not defined before it");
  }
  return success();
}

LogicalResult Importer::verifyScalarBlock(Block &block) {
  for (Operation &op : llvm::drop_end(block)) {
    for (Type type : op.getResultTypes()) {
      if (failed(verifyTensor(&op, type)))
        return failure();
      if (cast<RankedTensorType>(type).getRank())
        return op.emitOpError("in the function of elements of another "
                              "operation has no arrays");
    }
    StringRef name = op.getName().getStringRef();
    if (isScalarOp(&op)) {
      if (failed(verifyScalarOp(&op)))
        return failure();
    } else if (name == "stablehlo.constant") {
      if (!isa_and_nonnull<DenseElementsAttr>(op.getAttr("value")) ||
          cast<DenseElementsAttr>(op.getAttr("value")).getType() !=
              op.getResult(0).getType())
        return op.emitOpError("needs a dense value of the type of its result");
    } else if (name == "func.call") {
      FailureOr<func::FuncOp> callee = findCallee(&op);
      if (failed(callee))
        return failure();
      calls.push_back(*callee);
      LogicalResult valid = verifyScalarBlock(callee->getBody().front());
      calls.pop_back();
      if (failed(valid))
        return failure();
    } else if (name == "stablehlo.reshape" ||
               name == "stablehlo.broadcast_in_dim" ||
               name == "stablehlo.optimization_barrier") {
      if (failed(verifyCounts(&op, op.getNumResults(), 0, op.getNumResults())))
        return failure();
      if (op.getOperandTypes() != op.getResultTypes())
        return op.emitOpError("keeps the type of a scalar");
    } else {
      return op.emitOpError(
          "is not supported in the function of elements of another operation");
    }
    // An outer tensor of rank 0 is captured.
    if (failed(verifyOperands(&op)))
      return failure();
    for (Value operand : op.getOperands())
      if (!isa<RankedTensorType>(operand.getType()) ||
          cast<RankedTensorType>(operand.getType()).getRank())
        return op.emitOpError("reads an array in the function of elements of "
                              "another operation");
  }
  return success();
}

/// The region takes and returns tensors of rank 0 with these element types.
LogicalResult Importer::verifyRegion(Operation *op, unsigned region,
                                     TypeRange elements, TypeRange results) {
  auto toTensors = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) -> Type {
      return RankedTensorType::get({}, type);
    });
  };
  if (!op->getRegion(region).hasOneBlock())
    return op->emitOpError("needs a region of one block");
  Block &block = op->getRegion(region).front();
  if (!llvm::equal(block.getArgumentTypes(), toTensors(elements)))
    return op->emitOpError("has a region whose arguments are not the elements "
                           "that it combines");
  if (block.empty() ||
      block.back().getName().getStringRef() != "stablehlo.return" ||
      !llvm::equal(block.back().getOperandTypes(), toTensors(results)))
    return op->emitOpError("has a region that returns no element");
  if (failed(verifyOperands(&block.back())))
    return failure();
  return verifyScalarBlock(block);
}
