//===- ObsAsm.cpp - Parsing and printing of obs ops -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::obs;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Syntax that several operations share
//===----------------------------------------------------------------------===//

/// Resolves `operands` to `index`.
static ParseResult resolveIndices(OpAsmParser &parser,
                                  ArrayRef<Operand> operands,
                                  OperationState &state) {
  return parser.resolveOperands(operands, parser.getBuilder().getIndexType(),
                                state.operands);
}

/// (`[` operands `]`)?
static ParseResult parseExtents(OpAsmParser &parser,
                                SmallVectorImpl<Operand> &extents) {
  return parser.parseOperandList(extents,
                                 OpAsmParser::Delimiter::OptionalSquare);
}

static void printExtents(OpAsmPrinter &printer, ValueRange extents) {
  if (!extents.empty())
    printer << " [" << extents << ']';
}

/// (`(` %i, %j `)`) : arguments of type index.
static ParseResult parseIndexArguments(OpAsmParser &parser,
                                       SmallVectorImpl<Argument> &arguments) {
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  for (Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  return success();
}

static void printArguments(OpAsmPrinter &printer, Block &block) {
  printer << " (";
  llvm::interleaveComma(block.getArguments(), printer,
                        [&](Value argument) { printer << argument; });
  printer << ')';
}

/// A region with statements and without a terminator. It always has a block.
static ParseResult parseStatements(OpAsmParser &parser, OperationState &state,
                                   ArrayRef<Argument> arguments = {}) {
  Region *region = state.addRegion();
  if (parser.parseRegion(*region, arguments))
    return failure();
  if (region->empty()) {
    Block &block = region->emplaceBlock();
    for (const Argument &argument : arguments)
      block.addArgument(argument.type, state.location);
  }
  return success();
}

/// `(` (%x, %y = %array (`:` type)?),* `)`: names for the elements of arrays. A
/// type is that of all arrays before it that have none.
static ParseResult parseElementBindings(OpAsmParser &parser,
                                        SmallVectorImpl<Argument> &arguments,
                                        OperationState &state) {
  /// An array without a type, and the position of its first name.
  struct Binding {
    Operand array;
    size_t first, end;
  };
  SmallVector<Binding> untyped;
  auto bind = [&](SMLoc loc, Type type) -> ParseResult {
    if (!isa<PullType, PushType>(type))
      return parser.emitError(loc, "expected a pull or push array type");
    ArrayRef<Type> elements = getArrayElementTypes(type);
    for (auto [array, first, end] : untyped) {
      if (parser.resolveOperand(array, type, state.operands))
        return failure();
      if (elements.size() != end - first)
        return parser.emitError(loc)
               << "the array has " << elements.size() << " element types but "
               << end - first << " names";
      for (auto [i, element] : llvm::enumerate(elements))
        arguments[first + i].type = element;
    }
    untyped.clear();
    return success();
  };
  if (parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
            Binding binding;
            binding.first = arguments.size();
            do {
              if (parser.parseArgument(arguments.emplace_back()))
                return failure();
            } while (succeeded(parser.parseOptionalComma()));
            binding.end = arguments.size();
            if (parser.parseEqual() || parser.parseOperand(binding.array))
              return failure();
            untyped.push_back(binding);
            if (failed(parser.parseOptionalColon()))
              return success();
            Type type;
            SMLoc loc = parser.getCurrentLocation();
            return failure(parser.parseType(type) || bind(loc, type));
          }))
    return failure();
  if (untyped.empty())
    return success();
  return parser.emitError(untyped.back().array.location,
                          "expected ':' and the type of the array");
}

static void printElementBindings(OpAsmPrinter &printer, Block &block,
                                 ValueRange arrays) {
  printer << " (";
  unsigned next = 0;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    unsigned count = getArrayElementTypes(array.getType()).size();
    llvm::interleaveComma(block.getArguments().slice(next, count), printer,
                          [&](Value argument) { printer << argument; });
    next += count;
    printer << " = " << array;
    bool isLast = i + 1 == arrays.size();
    if (isLast || arrays[i + 1].getType() != array.getType())
      printer << " : " << array.getType();
    if (!isLast)
      printer << ", ";
  }
  printer << ')';
}

static void printYieldRegion(OpAsmPrinter &printer, Region &region) {
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// splat, generate, map, reindex, split
//===----------------------------------------------------------------------===//

ParseResult SplatOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> values, extents;
  PullType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(values) || parseExtents(parser, extents) ||
      syntax::parseAttributes(parser, state) || parser.parseColonType(type) ||
      parser.resolveOperands(values, type.getElementTypes(), loc,
                             state.operands) ||
      resolveIndices(parser, extents, state))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int>(values.size()), static_cast<int>(extents.size())};
  state.addTypes(type);
  return success();
}

void SplatOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValues();
  printExtents(printer, getExtents());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getType();
}

ParseResult GenerateOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> extents;
  PullType type;
  if (parseIndexArguments(parser, arguments) || parseExtents(parser, extents) ||
      resolveIndices(parser, extents, state) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state) || parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

void GenerateOp::print(OpAsmPrinter &printer) {
  printArguments(printer, getBody().front());
  printExtents(printer, getExtents());
  printYieldRegion(printer, getBody());
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
    if (parseElementBindings(parser, arguments, state) ||
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
    printer.printOptionalAttrDict((*this)->getAttrs());
    syntax::printArrayTypes(printer, getArrays().getTypes());
    syntax::printResultTypes(printer, *this);
    return;
  }
  printElementBindings(printer, getBody().front(), getArrays());
  syntax::printResultTypes(printer, *this);
  printYieldRegion(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs());
}

ParseResult ReindexOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> extents;
  Operand array;
  Type sourceType, type;
  if (parseIndexArguments(parser, arguments) || parser.parseEqual() ||
      parser.parseOperand(array) || parseExtents(parser, extents))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("unchecked")))
    state.getOrAddProperties<Properties>().unchecked =
        parser.getBuilder().getUnitAttr();
  if (parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state) ||
      parser.parseColonType(sourceType) || parser.parseArrow() ||
      parser.parseType(type) ||
      parser.resolveOperand(array, sourceType, state.operands) ||
      resolveIndices(parser, extents, state))
    return failure();
  state.addTypes(type);
  return success();
}

void ReindexOp::print(OpAsmPrinter &printer) {
  printArguments(printer, getBody().front());
  printer << " = " << getArray();
  printExtents(printer, getExtents());
  if (getUnchecked())
    printer << " unchecked";
  printYieldRegion(printer, getBody());
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
      resolveIndices(parser, sizes, state))
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
      resolveIndices(parser, offsets, state) ||
      resolveIndices(parser, sizes, state) ||
      resolveIndices(parser, strides, state))
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
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"static_offsets", "static_sizes",
                                 "static_strides", "operandSegmentSizes"});
  syntax::printArrayTypes(printer, getArray().getType());
  syntax::printResultTypes(printer, *this);
}

/// array [counts] attr-dict `:` type (`->` type)?
ParseResult TakeOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array;
  SmallVector<Operand> counts;
  SmallVector<Type> types;
  if (parser.parseOperand(array) ||
      syntax::parseIndexList(
          parser, counts,
          state.getOrAddProperties<Properties>().static_counts) ||
      syntax::parseAttributes(parser, state) ||
      syntax::parseArrayTypes(parser, array, state) ||
      syntax::parseOptionalResultTypes(parser, types) ||
      resolveIndices(parser, counts, state))
    return failure();
  return syntax::setResultTypes(state, types);
}

void TakeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray() << ' ';
  printDynamicIndexList(printer, *this, getCounts(), getStaticCounts());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"static_counts"});
  syntax::printArrayTypes(printer, getArray().getType());
  syntax::printResultTypes(printer, *this);
}

/// array `strided`? (`to` [extents])? attr-dict `:` type (`->` type)?
ParseResult JoinOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array;
  SmallVector<Operand> extents;
  SmallVector<Type> types;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperand(array))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("strided")))
    properties.strided = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("to")) &&
      syntax::parseIndexList(parser, extents, properties.static_extents))
    return failure();
  if (syntax::parseAttributes(parser, state) ||
      syntax::parseArrayTypes(parser, array, state) ||
      syntax::parseOptionalResultTypes(parser, types) ||
      resolveIndices(parser, extents, state))
    return failure();
  return syntax::setResultTypes(state, types);
}

void JoinOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray();
  if (getStrided())
    printer << " strided";
  if (getStaticExtents()) {
    printer << " to ";
    printDynamicIndexList(printer, *this, getExtents(), *getStaticExtents());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"strided", "static_extents"});
  syntax::printArrayTypes(printer, getArray().getType());
  syntax::printResultTypes(printer, *this);
}

/// attr-dict `:` types (`->` type)?, after arrays.
static ParseResult parseTypesOf(OpAsmParser &parser, ArrayRef<Operand> arrays,
                                OperationState &state) {
  SmallVector<Type> types;
  return failure(syntax::parseAttributes(parser, state) ||
                 syntax::parseArrayTypes(parser, arrays, state) ||
                 syntax::parseOptionalResultTypes(parser, types) ||
                 syntax::setResultTypes(state, types));
}

static void printTypesOf(OpAsmPrinter &printer, Operation *op,
                         ArrayRef<StringRef> elided = {}) {
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  syntax::printArrayTypes(printer, op->getOperandTypes());
  syntax::printResultTypes(printer, op);
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
  printTypesOf(printer, *this, {"dimension"});
}

/// arrays attr-dict `:` types (`->` type)?
ParseResult InterleaveOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> arrays;
  return failure(parser.parseOperandList(arrays) ||
                 parseTypesOf(parser, arrays, state));
}

void InterleaveOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArrays();
  printTypesOf(printer, *this);
}

/// arrays attr-dict `:` types (`->` type)?
ParseResult ZipOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> arrays;
  return failure(parser.parseOperandList(arrays) ||
                 parseTypesOf(parser, arrays, state));
}

void ZipOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArrays();
  printTypesOf(printer, *this);
}

//===----------------------------------------------------------------------===//
// push
//===----------------------------------------------------------------------===//

void PushOp::build(OpBuilder &builder, OperationState &state, Level level,
                   Value array) {
  state.addOperands(array);
  state.getOrAddProperties<Properties>().level =
      LevelAttr::get(builder.getContext(), level);
  // Every pull array can be pushed, unless its elements are arrays.
  if (failed(syntax::setResultTypes(state, {})))
    mlir::detail::reportFatalInferReturnTypesError(state);
}

void PushOp::build(OpBuilder &builder, OperationState &state, Type result,
                   Value array) {
  build(
      builder, state, result, array,
      LevelAttr::get(builder.getContext(), cast<PushType>(result).getLevel()));
}

/// level? array attr-dict `:` type (`->` type)?
ParseResult PushOp::parse(OpAsmParser &parser, OperationState &state) {
  LevelAttr level;
  Operand array;
  PullType type;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (syntax::parseOptionalLevel(parser, level) || parser.parseOperand(array) ||
      syntax::parseAttributes(parser, state) || parser.parseColonType(type) ||
      syntax::parseOptionalResultTypes(parser, types) ||
      syntax::findLevel(parser, loc, types, level) ||
      parser.resolveOperand(array, type, state.operands))
    return failure();
  state.getOrAddProperties<Properties>().level = level;
  return syntax::setResultTypes(state, types);
}

void PushOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyLevel(getLevel()) << ' ' << getArray();
  printTypesOf(printer, *this, {"level"});
}

//===----------------------------------------------------------------------===//
// fill, par, distribute, force
//===----------------------------------------------------------------------===//

/// The part of `par` after its name, without attributes.
static void printPar(OpAsmPrinter &printer, ParOp par) {
  if (par.getUnit() != Level::Thread)
    printer << ' ' << stringifyLevel(par.getUnit());
  printArguments(printer, par.getBody().front());
  printer << " in (" << par.getExtents() << ") ";
  printer.printRegion(par.getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

static ParseResult parsePar(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> extents;
  LevelAttr unit;
  if (syntax::parseOptionalLevel(parser, unit))
    return failure();
  if (unit && unit.getValue() != Level::Thread)
    state.getOrAddProperties<ParOp::Properties>().unit = unit;
  return failure(
      parseIndexArguments(parser, arguments) || parser.parseKeyword("in") ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren) ||
      resolveIndices(parser, extents, state) ||
      parseStatements(parser, state, arguments));
}

ParseResult ParOp::parse(OpAsmParser &parser, OperationState &state) {
  return failure(parsePar(parser, state) ||
                 syntax::parseAttributes(parser, state));
}

void ParOp::print(OpAsmPrinter &printer) {
  printPar(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"unit"});
}

/// The thread-level `par` without attributes that is the whole body of `fill`,
/// or null. Attributes after the short form belong to the fill.
static ParOp getOnlyPar(FillOp fill) {
  Block &block = fill.getBody().front();
  if (!llvm::hasSingleElement(block))
    return {};
  auto par = dyn_cast<ParOp>(block.front());
  return par && par.getUnit() == Level::Thread &&
                 par->getDiscardableAttrs().empty()
             ? par
             : ParOp();
}

/// `par` instead of a body.
static ParseResult parseParBody(OpAsmParser &parser, OperationState &state) {
  OperationState par(state.location, ParOp::getOperationName());
  if (parsePar(parser, par))
    return failure();
  Block &block = state.addRegion()->emplaceBlock();
  block.push_back(Operation::create(par));
  return success();
}

ParseResult FillOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> init, extents;
  Operand onto;
  PullType ontoType;
  bool hasOnto = false;
  PushType type;
  auto &properties = state.getOrAddProperties<Properties>();
  SMLoc initLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("init")) &&
      parser.parseOperandList(init))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("onto"))) {
    hasOnto = true;
    if (parser.parseOperand(onto) || parser.parseColonType(ontoType))
      return failure();
  }
  ContractAttr contract;
  if (syntax::parseContract(parser, contract, properties.kind))
    return failure();
  properties.contract = contract;
  if (succeeded(parser.parseOptionalKeyword("unchecked")))
    properties.unchecked = parser.getBuilder().getUnitAttr();
  if (parseExtents(parser, extents))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("par"))) {
    if (parseParBody(parser, state))
      return failure();
  } else if (parseStatements(parser, state)) {
    return failure();
  }
  if (syntax::parseAttributes(parser, state) || parser.parseColonType(type))
    return failure();
  if (!init.empty() && parser.resolveOperands(init, type.getElementTypes(),
                                              initLoc, state.operands))
    return failure();
  if (hasOnto && parser.resolveOperand(onto, ontoType, state.operands))
    return failure();
  if (resolveIndices(parser, extents, state))
    return failure();
  properties.operandSegmentSizes = {static_cast<int>(init.size()),
                                    static_cast<int>(hasOnto),
                                    static_cast<int>(extents.size())};
  state.addTypes(type);
  return success();
}

void FillOp::print(OpAsmPrinter &printer) {
  if (!getInit().empty())
    printer << " init " << getInit();
  if (getOnto())
    printer << " onto " << getOnto() << " : " << getOnto().getType();
  syntax::printContract(printer, getContract(), getKindAttr());
  if (getUnchecked())
    printer << " unchecked";
  printExtents(printer, getExtents());
  if (ParOp par = getOnlyPar(*this)) {
    printer << " par";
    printPar(printer, par);
  } else {
    printer << ' ';
    printer.printRegion(getBody());
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"contract", "kind", "unchecked", "operandSegmentSizes"});
  printer << " : " << getType();
}

/// level (`in` level)? bindings (`->` types)? region attr-dict
ParseResult DistributeOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Type> types;
  LevelAttr level, outer;
  if (syntax::parseLevel(parser, level))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if ((succeeded(parser.parseOptionalKeyword("in")) &&
       syntax::parseLevel(parser, outer)) ||
      parseElementBindings(parser, arguments, state) ||
      syntax::parseOptionalResultTypes(parser, types))
    return failure();
  if (!outer && types.empty())
    return parser.emitError(loc, "expected 'in' and the level around: thread, "
                                 "warp, block or grid");
  if (syntax::findLevel(parser, loc, types, outer) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state))
    return failure();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.level = level;
  properties.outer = outer;
  return syntax::setResultTypes(state, types);
}

void DistributeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyLevel(getLevel()) << " in "
          << stringifyLevel(getOuter());
  printElementBindings(printer, getBody().front(), getArrays());
  syntax::printResultTypes(printer, *this);
  printYieldRegion(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"level", "outer"});
}

void ForceOp::build(OpBuilder &builder, OperationState &state,
                    ValueRange arrays, ValueRange into) {
  state.addOperands(arrays);
  state.addOperands(into);
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int>(arrays.size()), static_cast<int>(into.size())};
  if (syntax::setResultTypes(state, {}))
    mlir::detail::reportFatalInferReturnTypesError(state);
}

ParseResult ForceOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> arrays, into;
  SmallVector<Type> intoTypes, resultTypes;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperandList(arrays) || syntax::parseAttributes(parser, state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("into")) &&
      parser.parseOperandList(into))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Storage> storage = symbolizeStorage(keyword);
    if (!storage)
      return parser.emitError(loc,
                              "expected registers, shared, global or constant");
    properties.storage = StorageAttr::get(parser.getContext(), *storage);
  }
  SMLoc loc = parser.getCurrentLocation();
  if (syntax::parseAttributes(parser, state) ||
      syntax::parseArrayTypes(parser, arrays, state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("into")) &&
      parser.parseTypeList(intoTypes))
    return failure();
  if (syntax::parseOptionalResultTypes(parser, resultTypes) ||
      parser.resolveOperands(into, intoTypes, loc, state.operands))
    return failure();
  properties.operandSegmentSizes = {static_cast<int>(arrays.size()),
                                    static_cast<int>(into.size())};
  return syntax::setResultTypes(state, resultTypes);
}

void ForceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArrays();
  if (!getInto().empty())
    printer << " into " << getInto();
  if (getStorage() != Storage::Auto)
    printer << " in " << stringifyStorage(getStorage());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"storage", "operandSegmentSizes"});
  syntax::printArrayTypes(printer, getArrays().getTypes());
  if (!getInto().empty())
    printer << " into " << getInto().getTypes();
  syntax::printResultTypes(printer, *this);
}

//===----------------------------------------------------------------------===//
// kernel, launch, barrier
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, state, /*allowVariadic=*/false,
      getFunctionTypeAttrName(state.name), buildType,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

ParseResult LaunchOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  FlatSymbolRefAttr kernel;
  Operand blocks;
  SmallVector<Operand> work, args;
  SmallVector<Type> types;
  bool hasBlocks = false;
  if (parser.parseAttribute(kernel))
    return failure();
  properties.kernel = kernel;
  if (succeeded(parser.parseOptionalKeyword("blocks"))) {
    hasBlocks = true;
    if (parser.parseOperand(blocks))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("work"))) {
    SmallVector<Attribute> units;
    auto parseUnit = [&]() -> ParseResult {
      LevelAttr level;
      if (syntax::parseLevel(parser, level))
        return failure();
      units.push_back(level);
      return success();
    };
    if (parser.parseOperandList(work, OpAsmParser::Delimiter::Square) ||
        parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       parseUnit))
      return failure();
    properties.units = parser.getBuilder().getArrayAttr(units);
  }
  if (parser.parseKeyword("args") ||
      parser.parseOperandList(args, OpAsmParser::Delimiter::Paren) ||
      syntax::parseAttributes(parser, state))
    return failure();
  if (!args.empty() && parser.parseColonTypeList(types))
    return failure();
  if (hasBlocks && resolveIndices(parser, blocks, state))
    return failure();
  if (resolveIndices(parser, work, state) ||
      parser.resolveOperands(args, types, parser.getNameLoc(), state.operands))
    return failure();
  properties.operandSegmentSizes = {static_cast<int>(hasBlocks),
                                    static_cast<int>(work.size()),
                                    static_cast<int>(args.size())};
  return success();
}

void LaunchOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getKernel());
  if (getBlocks())
    printer << " blocks " << getBlocks();
  if (getUnits()) {
    printer << " work [" << getWork() << "] [";
    llvm::interleaveComma(
        getUnits()->getAsRange<LevelAttr>(), printer,
        [&](LevelAttr unit) { printer << stringifyLevel(unit.getValue()); });
    printer << ']';
  }
  printer << " args(" << getArgs() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"kernel", "units", "operandSegmentSizes"});
  if (!getArgs().empty())
    printer << " : " << getArgs().getTypes();
}

ParseResult BarrierOp::parse(OpAsmParser &parser, OperationState &state) {
  LevelAttr scope;
  if (syntax::parseLevel(parser, scope))
    return failure();
  state.getOrAddProperties<Properties>().scope = scope;
  return syntax::parseAttributes(parser, state);
}

void BarrierOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyLevel(getScope());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"scope"});
}
