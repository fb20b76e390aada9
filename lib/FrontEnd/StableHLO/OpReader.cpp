//===- OpReader.cpp - Checked access to operations of StableHLO -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

StringRef stablehlo::getText(Operation *op, StringRef name) {
  auto text = dyn_cast_or_null<OpaqueAttr>(op->getAttr(name));
  return text && text.getDialectNamespace() == "stablehlo" ? text.getAttrData()
                                                           : StringRef();
}

StringRef stablehlo::getWord(Operation *op, StringRef name) {
  return getText(op, name).rtrim('>').rsplit(' ').second;
}

bool stablehlo::areDims(ArrayRef<int64_t> dims, int64_t rank, int64_t *wrong) {
  DenseSet<int64_t> seen;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second) {
      if (wrong)
        *wrong = dim;
      return false;
    }
  return true;
}

void OpReader::requireResult(ArrayRef<int64_t> extents, Type element,
                             unsigned number) {
  auto type = cast<RankedTensorType>(op->getResult(number).getType());
  bool isEqual = type.getShape() == extents && type.getElementType() == element;
  if (!isEqual && valid)
    op->emitOpError("has a result of type ")
        << RankedTensorType::get(extents, element) << ", not " << type;
  valid &= isEqual;
}

void OpReader::requireRegion(unsigned region, TypeRange arguments,
                             TypeRange results) {
  auto areTensors = [](TypeRange found, TypeRange types) {
    return llvm::equal(found, types, [](Type tensor, Type type) {
      return tensor == (isa<RankedTensorType>(type)
                            ? type
                            : RankedTensorType::get({}, type));
    });
  };
  Region &body = op->getRegion(region);
  require(body.hasOneBlock() && !body.front().empty() &&
              body.front().back().getName().getStringRef() ==
                  "stablehlo.return" &&
              areTensors(body.getArgumentTypes(), arguments) &&
              areTensors(body.front().back().getOperandTypes(), results),
          "has a region that does not take and return the values that it "
          "needs");
}

void OpReader::requireArrays(ValueRange arrays, ValueRange others,
                             ArrayRef<int64_t> shape) {
  for (auto [array, other] : llvm::zip_equal(arrays, others))
    require(getShape(array) == getShape(arrays.front()) &&
                getShape(other) == shape &&
                getElement(other) == getElement(array),
            "has operands or initial values of different types");
  SmallVector<Type> elements = getElements(arrays), both(elements);
  llvm::append_range(both, elements);
  requireRegion(0, both, elements);
}

void OpReader::requireDims(StringRef name, ArrayRef<int64_t> dims,
                           int64_t rank) {
  int64_t wrong = 0;
  bool isValid = areDims(dims, rank, &wrong);
  require(isValid, "has the dimension ", wrong, " in ", name,
          ", which is out of range or there twice");
}

SmallVector<int64_t> OpReader::getNumbers(StringRef name, int64_t count,
                                          std::optional<int64_t> omitted) {
  Attribute attribute = op->getAttr(name);
  Numbers numbers;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    numbers.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
           dense && dense.getNumElements() < 1024 &&
           dense.getElementType().isInteger(64))
    for (const APInt &number : dense)
      numbers.push_back(number.getSExtValue());
  else if (!attribute && omitted)
    numbers.assign(count, *omitted);
  else
    require(!attribute && count <= 0, "needs numbers in the attribute ", name);
  int64_t size = numbers.size();
  require(count < 0 || size == count, "needs ", count,
          " numbers in the attribute ", name, ", not ", size);
  // So sums and products of such numbers have no overflow.
  constexpr int64_t most = int64_t(1) << 31;
  auto isSmall = [](int64_t n) { return -most <= n && n <= most; };
  require(llvm::all_of(numbers, isSmall), "has a number out of range in ",
          name);
  return valid ? numbers : Numbers(std::max<int64_t>(count, 0), 0);
}

int64_t OpReader::getNumber(StringRef name) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  bool isNumber = number && number.getType().isSignlessInteger(64);
  require(isNumber, "needs a number in the attribute ", name);
  return isNumber ? number.getInt() : 0;
}

SmallVector<int64_t> OpReader::getDims(StringRef name, int64_t count,
                                       int64_t rank) {
  Numbers dims = getNumbers(name, count);
  requireDims(name, dims, rank);
  return dims;
}

int64_t OpReader::getDim(StringRef name, int64_t rank) {
  int64_t dim = getNumber(name);
  requireDims(name, dim, rank);
  return dim;
}

DictionaryAttr OpReader::getFields(StringRef name) {
  // In braces, the fields are a dictionary of MLIR.
  StringRef fields = getText(op, name).split('<').second;
  if (!fields.consume_back(">"))
    return {};
  ScopedDiagnosticHandler ignore(op->getContext(),
                                 [](Diagnostic &) { return success(); });
  return dyn_cast_or_null<DictionaryAttr>(
      parseAttribute(("{" + fields + "}").str(), op->getContext()));
}

SmallVector<int64_t> OpReader::getList(DictionaryAttr fields, StringRef name) {
  Numbers numbers;
  Attribute found = fields ? fields.get(name) : Attribute();
  auto list = dyn_cast_or_null<ArrayAttr>(found);
  bool areNumbers =
      !found || (list && llvm::all_of(list, [](Attribute number) {
                   auto typed = dyn_cast<IntegerAttr>(number);
                   return typed && typed.getType().isSignlessInteger(64);
                 }));
  if (require(areNumbers, "has a list without numbers: ", name) && list)
    for (auto number : list.getAsRange<IntegerAttr>())
      numbers.push_back(number.getInt());
  return numbers;
}
