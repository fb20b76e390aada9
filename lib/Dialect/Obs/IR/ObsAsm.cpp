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
// Pieces that several operations share
//===----------------------------------------------------------------------===//

/// level ::= `thread` | `warp` | `block` | `grid`
static ParseResult parseLevel(OpAsmParser &parser, LevelAttr &level) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Level> value = symbolizeLevel(keyword);
  if (!value)
    return parser.emitError(loc, "expected thread, warp, block or grid");
  level = LevelAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult syntax::parseAttributes(OpAsmParser &parser,
                                    OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  return state.name.getRegisteredInfo()->verifyInherentAttrs(
      state.attributes, [&] { return parser.emitError(loc); });
}

ParseResult syntax::parseContract(OpAsmParser &parser, ContractAttr &contract,
                                  Attribute &kind, UnitAttr &unchecked) {
  Contract which = Contract::Disjoint;
  if (succeeded(parser.parseOptionalKeyword("any"))) {
    which = Contract::Any;
  } else if (succeeded(parser.parseOptionalKeyword("reduce"))) {
    which = Contract::Reduce;
    StringAttr symbol;
    StringRef name;
    if (parser.parseLParen())
      return failure();
    if (succeeded(parser.parseOptionalSymbolName(symbol)))
      kind = FlatSymbolRefAttr::get(symbol);
    else if (parser.parseKeyword(&name))
      return failure();
    else
      kind = parser.getBuilder().getStringAttr(name);
    if (parser.parseRParen())
      return failure();
  } else {
    // The default, which may be named.
    (void)parser.parseOptionalKeyword("disjoint");
  }
  contract = ContractAttr::get(parser.getContext(), which);
  if (succeeded(parser.parseOptionalKeyword("unchecked")))
    unchecked = parser.getBuilder().getUnitAttr();
  return success();
}

void syntax::printContract(OpAsmPrinter &printer, Contract contract,
                           Attribute kind, bool unchecked) {
  if (contract == Contract::Any)
    printer << " any";
  if (contract == Contract::Reduce) {
    printer << " reduce(";
    if (auto name = dyn_cast_or_null<StringAttr>(kind))
      printer << name.getValue();
    else
      printer << kind;
    printer << ')';
  }
  if (unchecked)
    printer << " unchecked";
}

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

/// A region with statements and no terminator: never without a block.
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

/// `(` (%x, %y = %array : type),* `)`: the elements of arrays, by name.
static ParseResult parseElementBindings(OpAsmParser &parser,
                                        SmallVectorImpl<Argument> &arguments,
                                        OperationState &state) {
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        size_t first = arguments.size();
        do {
          if (parser.parseArgument(arguments.emplace_back()))
            return failure();
        } while (succeeded(parser.parseOptionalComma()));
        Operand operand;
        Type type;
        if (parser.parseEqual() || parser.parseOperand(operand))
          return failure();
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseColonType(type) ||
            parser.resolveOperand(operand, type, state.operands))
          return failure();
        if (!isa<PullType, PushType>(type))
          return parser.emitError(loc, "expected a pull or push array type");
        ArrayRef<Type> elements = getArrayElementTypes(type);
        if (elements.size() != arguments.size() - first)
          return parser.emitError(loc)
                 << "the array has " << elements.size() << " element types but "
                 << arguments.size() - first << " names";
        for (auto [i, element] : llvm::enumerate(elements))
          arguments[first + i].type = element;
        return success();
      });
}

static void printElementBindings(OpAsmPrinter &printer, Block &block,
                                 ValueRange arrays) {
  printer << " (";
  unsigned next = 0;
  llvm::interleaveComma(arrays, printer, [&](Value array) {
    llvm::interleaveComma(
        block.getArguments().slice(
            next, getArrayElementTypes(array.getType()).size()),
        printer, [&](Value argument) { printer << argument; });
    next += getArrayElementTypes(array.getType()).size();
    printer << " = " << array << " : " << array.getType();
  });
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

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  Type type;
  if (parseElementBindings(parser, arguments, state) || parser.parseArrow() ||
      parser.parseType(type) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state))
    return failure();
  state.addTypes(type);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printElementBindings(printer, getBody().front(), getArrays());
  printer << " -> " << getType();
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
  PullType sourceType, type;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperand(array))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("strided")))
    properties.strided = parser.getBuilder().getUnitAttr();
  if (parser.parseKeyword("by") ||
      parseDynamicIndexList(parser, sizes, properties.static_sizes))
    return failure();
  SMLoc padLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("pad")) &&
      parser.parseOperandList(pads))
    return failure();
  if (syntax::parseAttributes(parser, state) ||
      parser.parseColonType(sourceType) || parser.parseArrow() ||
      parser.parseType(type) ||
      parser.resolveOperand(array, sourceType, state.operands) ||
      resolveIndices(parser, sizes, state))
    return failure();
  if (!pads.empty() &&
      parser.resolveOperands(pads, sourceType.getElementTypes(), padLoc,
                             state.operands))
    return failure();
  properties.operandSegmentSizes = {1, static_cast<int>(sizes.size()),
                                    static_cast<int>(pads.size())};
  state.addTypes(type);
  return success();
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
  printer << " : " << getArray().getType() << " -> " << getType();
}

//===----------------------------------------------------------------------===//
// fill, par, distribute, force
//===----------------------------------------------------------------------===//

/// The part of `par` after its name.
static void printPar(OpAsmPrinter &printer, ParOp par) {
  if (par.getUnit() != Level::Thread)
    printer << ' ' << stringifyLevel(par.getUnit());
  printArguments(printer, par.getBody().front());
  printer << " in (" << par.getExtents() << ") ";
  printer.printRegion(par.getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
  printer.printOptionalAttrDict(par->getAttrs(), {"unit"});
}

ParseResult ParOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> extents;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    std::optional<Level> unit = symbolizeLevel(keyword);
    if (!unit)
      return parser.emitError(loc, "expected thread, warp, block or grid");
    if (*unit != Level::Thread)
      state.getOrAddProperties<Properties>().unit =
          LevelAttr::get(parser.getContext(), *unit);
  }
  if (parseIndexArguments(parser, arguments) || parser.parseKeyword("in") ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren) ||
      resolveIndices(parser, extents, state) ||
      parseStatements(parser, state, arguments) ||
      syntax::parseAttributes(parser, state))
    return failure();
  return success();
}

void ParOp::print(OpAsmPrinter &printer) { printPar(printer, *this); }

/// The thread-level `par` that alone makes up the body of `fill`, or null.
static ParOp getOnlyPar(FillOp fill) {
  Block &block = fill.getBody().front();
  if (!llvm::hasSingleElement(block))
    return {};
  auto par = dyn_cast<ParOp>(block.front());
  return par && par.getUnit() == Level::Thread ? par : ParOp();
}

/// `par` written in the place of a body.
static ParseResult parseParBody(OpAsmParser &parser, OperationState &state) {
  OperationState par(state.location, ParOp::getOperationName());
  if (ParOp::parse(parser, par))
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
  UnitAttr unchecked;
  if (syntax::parseContract(parser, contract, properties.kind, unchecked))
    return failure();
  properties.contract = contract;
  properties.unchecked = unchecked;
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
  syntax::printContract(printer, getContract(), getKindAttr(), getUnchecked());
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

ParseResult DistributeOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  SmallVector<Type> types;
  LevelAttr level;
  if (parseLevel(parser, level) ||
      parseElementBindings(parser, arguments, state) || parser.parseArrow())
    return failure();
  state.getOrAddProperties<Properties>().level = level;
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseTypeList(types) || parser.parseRParen())
      return failure();
  } else if (parser.parseType(types.emplace_back())) {
    return failure();
  }
  if (parser.parseRegion(*state.addRegion(), arguments) ||
      syntax::parseAttributes(parser, state))
    return failure();
  state.addTypes(types);
  return success();
}

void DistributeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyLevel(getLevel());
  printElementBindings(printer, getBody().front(), getArrays());
  printer << " -> ";
  if (getNumResults() == 1)
    printer << getResultTypes().front();
  else
    printer << '(' << getResultTypes() << ')';
  printYieldRegion(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"level"});
}

ParseResult ForceOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> arrays, into;
  SmallVector<Type> arrayTypes, intoTypes, resultTypes;
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
      parser.parseColonTypeList(arrayTypes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("into")) &&
      parser.parseTypeList(intoTypes))
    return failure();
  if (parser.parseArrowTypeList(resultTypes) ||
      parser.resolveOperands(arrays, arrayTypes, loc, state.operands) ||
      parser.resolveOperands(into, intoTypes, loc, state.operands))
    return failure();
  properties.operandSegmentSizes = {static_cast<int>(arrays.size()),
                                    static_cast<int>(into.size())};
  state.addTypes(resultTypes);
  return success();
}

void ForceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArrays();
  if (!getInto().empty())
    printer << " into " << getInto();
  if (getStorage() != Storage::Auto)
    printer << " in " << stringifyStorage(getStorage());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"storage", "operandSegmentSizes"});
  printer << " : " << getArrays().getTypes();
  if (!getInto().empty())
    printer << " into " << getInto().getTypes();
  printer.printArrowTypeList(getResultTypes());
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
      if (parseLevel(parser, level))
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
  if (parseLevel(parser, scope))
    return failure();
  state.getOrAddProperties<Properties>().scope = scope;
  return syntax::parseAttributes(parser, state);
}

void BarrierOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyLevel(getScope());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"scope"});
}
