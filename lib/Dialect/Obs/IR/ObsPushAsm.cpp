//===- ObsPushAsm.cpp - Syntax of push arrays and kernels -----------------===//
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
  syntax::printTypesOf(printer, *this, {"level"});
}

//===----------------------------------------------------------------------===//
// fill, par, distribute, force
//===----------------------------------------------------------------------===//

/// The part of `par` after its name, without attributes.
static void printPar(OpAsmPrinter &printer, ParOp par) {
  if (par.getUnit() != Level::Thread)
    printer << ' ' << stringifyLevel(par.getUnit());
  syntax::printArguments(printer, par.getBody().front());
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
      syntax::parseIndexArguments(parser, arguments) ||
      parser.parseKeyword("in") ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren) ||
      syntax::resolveIndices(parser, extents, state) ||
      syntax::parseStatements(parser, state, arguments));
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
  SmallVector<Operand> extents;
  syntax::InitValues init;
  Operand onto;
  PullType ontoType;
  bool hasOnto = false;
  PushType type;
  auto &properties = state.getOrAddProperties<Properties>();
  if (init.parseOptional(parser))
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
  if (syntax::parseExtents(parser, extents))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("par"))) {
    if (parseParBody(parser, state))
      return failure();
  } else if (syntax::parseStatements(parser, state)) {
    return failure();
  }
  if (syntax::parseAttributes(parser, state) || parser.parseColonType(type))
    return failure();
  if (init.resolve(parser, type.getElementTypes(), state) ||
      (hasOnto && parser.resolveOperand(onto, ontoType, state.operands)) ||
      syntax::resolveIndices(parser, extents, state))
    return failure();
  properties.operandSegmentSizes = {init.size(), static_cast<int>(hasOnto),
                                    static_cast<int>(extents.size())};
  state.addTypes(type);
  return success();
}

void FillOp::print(OpAsmPrinter &printer) {
  syntax::printInit(printer, getInit());
  if (getOnto())
    printer << " onto " << getOnto() << " : " << getOnto().getType();
  syntax::printContract(printer, getContract(), getKindAttr());
  if (getUnchecked())
    printer << " unchecked";
  syntax::printExtents(printer, getExtents());
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
      syntax::parseElementBindings(parser, arguments, state) ||
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
  syntax::printElementBindings(printer, getBody().front(), getArrays());
  syntax::printResultTypes(printer, *this);
  syntax::printYieldRegion(printer, getBody());
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
  SMLoc loc = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(
          parser, state, /*allowVariadic=*/false,
          getFunctionTypeAttrName(state.name), buildType,
          getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name)))
    return failure();
  return state.name.getRegisteredInfo()->verifyInherentAttrs(
      state.attributes, [&] { return parser.emitError(loc); });
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
  if (hasBlocks && syntax::resolveIndices(parser, blocks, state))
    return failure();
  if (syntax::resolveIndices(parser, work, state) ||
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
