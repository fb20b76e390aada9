//===- ObsAsm.cpp - Parsing and printing of obs ops -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

using namespace mlir;
using namespace mlir::obs;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsOps.cpp.inc"

//===----------------------------------------------------------------------===//
// splat, generate, map, reindex, split
//===----------------------------------------------------------------------===//

ParseResult SplatOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> values, extents;
  PullType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(values) ||
      syntax::parseExtents(parser, extents) ||
      syntax::parseAttributes(parser, state) || parser.parseColonType(type) ||
      parser.resolveOperands(values, type.getElementTypes(), loc,
                             state.operands) ||
      syntax::resolveIndices(parser, extents, state))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int>(values.size()), static_cast<int>(extents.size())};
  state.addTypes(type);
  return success();
}

void SplatOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValues();
  syntax::printExtents(printer, getExtents());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getType();
}

ParseResult GenerateOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> extents;
  PullType type;
  if (syntax::parseIndexArguments(parser, arguments) ||
      syntax::parseExtents(parser, extents) ||
      syntax::resolveIndices(parser, extents, state) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state) || parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

void GenerateOp::print(OpAsmPrinter &printer) {
  syntax::printArguments(printer, getBody().front());
  syntax::printExtents(printer, getExtents());
  syntax::printYieldRegion(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType();
}

/// The element types of arrays, in order.
static SmallVector<Type> getElementTypes(ValueRange arrays) {
  SmallVector<Type> types;
  for (Type type : arrays.getTypes())
    llvm::append_range(types, getArrayElementTypes(type));
  return types;
}

/// short-body arrays attr-dict `:` types (`->` type)?
/// bindings (`->` type)? region attr-dict
ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  syntax::ShortBody body;
  SmallVector<Type> types;
  if (body.parseOptional(parser))
    return failure();
  if (body) {
    SmallVector<Operand> arrays;
    if (parser.parseOperandList(arrays) ||
        syntax::parseAttributes(parser, state) ||
        syntax::parseArrayTypes(parser, arrays, state) ||
        syntax::parseOptionalResultTypes(parser, types) ||
        body.build(parser, getElementTypes(state.operands), state))
      return failure();
  } else {
    SmallVector<Argument> arguments;
    if (syntax::parseElementBindings(parser, arguments, state) ||
        syntax::parseOptionalResultTypes(parser, types) ||
        parser.parseRegion(*state.addRegion(), arguments) ||
        syntax::parseAttributes(parser, state))
      return failure();
  }
  return syntax::setResultTypes(state, types);
}

void MapOp::print(OpAsmPrinter &printer) {
  if (Operation *op = syntax::getShortBody(getBody())) {
    syntax::printShortBody(printer, op);
    printer << ' ' << getArrays();
    syntax::printTypesOf(printer, *this);
    return;
  }
  syntax::printElementBindings(printer, getBody().front(), getArrays());
  syntax::printResultTypes(printer, *this);
  syntax::printYieldRegion(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs());
}

ParseResult ReindexOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> extents;
  Operand array;
  Type sourceType, type;
  if (syntax::parseIndexArguments(parser, arguments) || parser.parseEqual() ||
      parser.parseOperand(array) || syntax::parseExtents(parser, extents))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("unchecked")))
    state.getOrAddProperties<Properties>().unchecked =
        parser.getBuilder().getUnitAttr();
  if (parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state) ||
      parser.parseColonType(sourceType) || parser.parseArrow() ||
      parser.parseType(type) ||
      parser.resolveOperand(array, sourceType, state.operands) ||
      syntax::resolveIndices(parser, extents, state))
    return failure();
  state.addTypes(type);
  return success();
}

void ReindexOp::print(OpAsmPrinter &printer) {
  syntax::printArguments(printer, getBody().front());
  printer << " = " << getArray();
  syntax::printExtents(printer, getExtents());
  if (getUnchecked())
    printer << " unchecked";
  syntax::printYieldRegion(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"unchecked"});
  printer << " : " << getArray().getType() << " -> " << getType();
}

ParseResult SplitOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array;
  SmallVector<Operand> sizes, pads;
  PullType sourceType;
  SmallVector<Type> types;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperand(array))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("strided")))
    properties.strided = parser.getBuilder().getUnitAttr();
  if (parser.parseKeyword("by") ||
      syntax::parseIndexList(parser, sizes, properties.static_sizes))
    return failure();
  SMLoc padLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("pad")) &&
      parser.parseOperandList(pads))
    return failure();
  if (syntax::parseAttributes(parser, state) ||
      parser.parseColonType(sourceType) ||
      syntax::parseOptionalResultTypes(parser, types) ||
      parser.resolveOperand(array, sourceType, state.operands) ||
      syntax::resolveIndices(parser, sizes, state))
    return failure();
  if (!pads.empty() &&
      parser.resolveOperands(pads, sourceType.getElementTypes(), padLoc,
                             state.operands))
    return failure();
  properties.operandSegmentSizes = {1, static_cast<int>(sizes.size()),
                                    static_cast<int>(pads.size())};
  return syntax::setResultTypes(state, types);
}

void SplitOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray();
  if (getStrided())
    printer << " strided";
  printer << " by ";
  printDynamicIndexList(printer, *this, getSizes(), getStaticSizes());
  if (!getPads().empty())
    printer << " pad " << getPads();
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"strided", "static_sizes", "operandSegmentSizes"});
  printer << " : " << getArray().getType();
  syntax::printResultTypes(printer, *this);
}

//===----------------------------------------------------------------------===//
// slice, take, join, concat, interleave, zip
//===----------------------------------------------------------------------===//

/// attr-dict `:` types (`->` type)?, after arrays and indices.
static ParseResult parseTypesOf(OpAsmParser &parser, ArrayRef<Operand> arrays,
                                OperationState &state,
                                ArrayRef<Operand> indices = {}) {
  SmallVector<Type> types;
  return failure(syntax::parseAttributes(parser, state) ||
                 syntax::parseArrayTypes(parser, arrays, state) ||
                 syntax::parseOptionalResultTypes(parser, types) ||
                 syntax::resolveIndices(parser, indices, state) ||
                 syntax::setResultTypes(state, types));
}

/// array [offsets] [sizes] [strides] attr-dict `:` type (`->` type)?
ParseResult SliceOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array;
  SmallVector<Operand> offsets, sizes, strides;
  SmallVector<Type> types;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperand(array) ||
      syntax::parseIndexList(parser, offsets, properties.static_offsets) ||
      syntax::parseIndexList(parser, sizes, properties.static_sizes) ||
      syntax::parseIndexList(parser, strides, properties.static_strides) ||
      syntax::parseAttributes(parser, state) ||
      syntax::parseArrayTypes(parser, array, state) ||
      syntax::parseOptionalResultTypes(parser, types) ||
      syntax::resolveIndices(parser, offsets, state) ||
      syntax::resolveIndices(parser, sizes, state) ||
      syntax::resolveIndices(parser, strides, state))
    return failure();
  if (!isa<PullType>(state.operands.front().getType()))
    return parser.emitError(array.location, "expected a pull array");
  properties.operandSegmentSizes = {1, static_cast<int>(offsets.size()),
                                    static_cast<int>(sizes.size()),
                                    static_cast<int>(strides.size())};
  return syntax::setResultTypes(state, types);
}

void SliceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray() << ' ';
  printDynamicIndexList(printer, *this, getOffsets(), getStaticOffsets());
  printer << ' ';
  printDynamicIndexList(printer, *this, getSizes(), getStaticSizes());
  printer << ' ';
  printDynamicIndexList(printer, *this, getStrides(), getStaticStrides());
  syntax::printTypesOf(printer, *this,
                       {"static_offsets", "static_sizes", "static_strides",
                        "operandSegmentSizes"});
}

/// array [counts] attr-dict `:` type (`->` type)?
ParseResult TakeOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array;
  SmallVector<Operand> counts;
  return failure(parser.parseOperand(array) ||
                 syntax::parseIndexList(
                     parser, counts,
                     state.getOrAddProperties<Properties>().static_counts) ||
                 parseTypesOf(parser, array, state, counts));
}

void TakeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray() << ' ';
  printDynamicIndexList(printer, *this, getCounts(), getStaticCounts());
  syntax::printTypesOf(printer, *this, {"static_counts"});
}

/// array `strided`? (`to` [extents])? attr-dict `:` type (`->` type)?
ParseResult JoinOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array;
  SmallVector<Operand> extents;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperand(array))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("strided")))
    properties.strided = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("to")) &&
      syntax::parseIndexList(parser, extents, properties.static_extents))
    return failure();
  return parseTypesOf(parser, array, state, extents);
}

void JoinOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray();
  if (getStrided())
    printer << " strided";
  if (getStaticExtents()) {
    printer << " to ";
    printDynamicIndexList(printer, *this, getExtents(), *getStaticExtents());
  }
  syntax::printTypesOf(printer, *this, {"strided", "static_extents"});
}

/// arrays (`dim` number)? attr-dict `:` types (`->` type)?
ParseResult ConcatOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> arrays;
  int64_t dimension = 0;
  if (parser.parseOperandList(arrays) ||
      (succeeded(parser.parseOptionalKeyword("dim")) &&
       parser.parseInteger(dimension)))
    return failure();
  state.getOrAddProperties<Properties>().dimension =
      parser.getBuilder().getI64IntegerAttr(dimension);
  return parseTypesOf(parser, arrays, state);
}

void ConcatOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArrays();
  if (getDimension() != 0)
    printer << " dim " << getDimension();
  syntax::printTypesOf(printer, *this, {"dimension"});
}

/// arrays attr-dict `:` types (`->` type)?
static ParseResult parseArrays(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> arrays;
  return failure(parser.parseOperandList(arrays) ||
                 parseTypesOf(parser, arrays, state));
}

static void printArrays(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << op->getOperands();
  syntax::printTypesOf(printer, op);
}

ParseResult InterleaveOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseArrays(parser, state);
}
void InterleaveOp::print(OpAsmPrinter &printer) { printArrays(printer, *this); }

ParseResult ZipOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseArrays(parser, state);
}
void ZipOp::print(OpAsmPrinter &printer) { printArrays(printer, *this); }
