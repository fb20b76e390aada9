//===- Syntax.cpp - Syntax that operations share --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::obs;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

ParseResult syntax::parseAttributes(OpAsmParser &parser,
                                    OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  return state.name.getRegisteredInfo()->verifyInherentAttrs(
      state.attributes, [&] { return parser.emitError(loc); });
}

ParseResult syntax::parseContract(OpAsmParser &parser, ContractAttr &contract,
                                  Attribute &kind) {
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
    // The default may be written.
    (void)parser.parseOptionalKeyword("disjoint");
  }
  contract = ContractAttr::get(parser.getContext(), which);
  return success();
}

void syntax::printContract(OpAsmPrinter &printer, Contract contract,
                           Attribute kind) {
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
}

// Upstream's `parseDynamicIndexList` has two errors for a bad list.
ParseResult
syntax::parseIndexList(OpAsmParser &parser,
                       SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values,
                       DenseI64ArrayAttr &numbers) {
  SmallVector<int64_t> entries;
  auto parseEntry = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand value;
    if (OptionalParseResult found = parser.parseOptionalOperand(value);
        found.has_value()) {
      values.push_back(value);
      entries.push_back(ShapedType::kDynamic);
      return *found;
    }
    int64_t number = 0;
    OptionalParseResult found = parser.parseOptionalInteger(number);
    if (!found.has_value())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a value or an integer");
    entries.push_back(number);
    return *found;
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseEntry,
                                     " before a list of values and integers"))
    return failure();
  numbers = parser.getBuilder().getDenseI64ArrayAttr(entries);
  return success();
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

ParseResult syntax::parseOptionalLevel(OpAsmParser &parser, LevelAttr &level) {
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword,
                                         {"thread", "warp", "block", "grid"})))
    return success();
  level = LevelAttr::get(parser.getContext(), *symbolizeLevel(keyword));
  return success();
}

ParseResult syntax::parseLevel(OpAsmParser &parser, LevelAttr &level) {
  SMLoc loc = parser.getCurrentLocation();
  level = {};
  if (parseOptionalLevel(parser, level))
    return failure();
  if (level)
    return success();
  return parser.emitError(loc, "expected thread, warp, block or grid");
}

ParseResult syntax::findLevel(OpAsmParser &parser, SMLoc loc, TypeRange types,
                              LevelAttr &level) {
  for (Type type : types)
    if (auto push = dyn_cast<PushType>(type); push && !level)
      level = LevelAttr::get(parser.getContext(), push.getLevel());
  if (level)
    return success();
  return parser.emitError(loc, "expected the level of the result: thread, "
                               "warp, block or grid");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ParseResult
syntax::parseArrayTypes(OpAsmParser &parser,
                        ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                        OperationState &state) {
  SmallVector<Type> types;
  SMLoc loc;
  if (parser.parseColon())
    return failure();
  loc = parser.getCurrentLocation();
  if (parser.parseTypeList(types))
    return failure();
  for (Type type : types)
    if (!isa<PullType, PushType>(type))
      return parser.emitError(loc, "expected a pull or push array type");
  if (types.size() == 1)
    types.resize(operands.size(), types.front());
  return parser.resolveOperands(operands, types, loc, state.operands);
}

void syntax::printArrayTypes(OpAsmPrinter &printer, TypeRange types) {
  printer << " : ";
  if (!types.empty() && llvm::all_equal(types))
    printer << types.front();
  else
    printer << types;
}

ParseResult syntax::parseOptionalResultTypes(OpAsmParser &parser,
                                             SmallVectorImpl<Type> &types) {
  return parser.parseOptionalArrowTypeList(types);
}

/// The types that follow from the rest of an operation. An error has the
/// location, if it is given.
static LogicalResult inferTypes(OperationName name, MLIRContext *context,
                                std::optional<Location> loc,
                                ValueRange operands, DictionaryAttr attributes,
                                OpaqueProperties properties,
                                RegionRange regions,
                                SmallVectorImpl<Type> &types) {
  return name.getInterface<InferTypeOpInterface>()->inferReturnTypes(
      context, loc, operands, attributes, properties, regions, types);
}

ParseResult syntax::setResultTypes(OperationState &state, TypeRange types) {
  if (!types.empty()) {
    state.addTypes(types);
    return success();
  }
  MLIRContext *context = state.getContext();
  return inferTypes(state.name, context, state.location, state.operands,
                    state.attributes.getDictionary(context),
                    state.getRawProperties(), state.regions, state.types);
}

void syntax::printResultTypes(OpAsmPrinter &printer, Operation *op) {
  SmallVector<Type> types;
  if (succeeded(inferTypes(op->getName(), op->getContext(), std::nullopt,
                           op->getOperands(), op->getRawDictionaryAttrs(),
                           op->getPropertiesStorage(), op->getRegions(),
                           types)) &&
      types == op->getResultTypes())
    return;
  printer.printArrowTypeList(op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Bodies of one operation
//===----------------------------------------------------------------------===//

/// True for operations on scalars whose result types follow from any number of
/// operands.
static bool canBeShort(OperationName name) {
  return name.hasInterface<InferTypeOpInterface>() &&
         (name.hasTrait<OpTrait::Elementwise>() ||
          name.hasTrait<OpTrait::SameOperandsAndResultType>());
}

ParseResult syntax::ShortBody::parseOptional(OpAsmParser &parser) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  loc = parser.getCurrentLocation();
  FailureOr<OperationName> found = parser.parseCustomOperationName();
  if (failed(found))
    return failure();
  name = *found;
  if (!name->isRegistered())
    return parser.emitError(loc)
           << "expected the full name of an operation, such as arith.addi";
  if (!canBeShort(*name))
    return parser.emitError(loc)
           << "'" << name->getStringRef()
           << "' cannot be a body of its own, because the type of its result "
              "does not follow from its operands; write a region with names "
              "for its arguments";
  SMLoc attributesLoc = parser.getCurrentLocation();
  return failure(
      parser.parseOptionalAttrDict(attributes) ||
      failed(name->getRegisteredInfo()->verifyInherentAttrs(
          attributes, [&] { return parser.emitError(attributesLoc); })) ||
      parser.parseOptionalLocationSpecifier(location) || parser.parseRBrace());
}

ParseResult syntax::ShortBody::build(OpAsmParser &parser, TypeRange arguments,
                                     OperationState &state) const {
  Location location = this->location.value_or(parser.getEncodedSourceLoc(loc));
  Block &block = state.addRegion()->emplaceBlock();
  for (Type type : arguments)
    block.addArgument(type, location);
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState body(location, *name, block.getArguments(), TypeRange(),
                      attributes.getAttrs());
  if (failed(inferTypes(*name, parser.getContext(), location, body.operands,
                        attributes.getDictionary(parser.getContext()), nullptr,
                        {}, body.types)) ||
      body.types.empty())
    return parser.emitError(loc)
           << "'" << name->getStringRef() << "' has no result for operands of "
           << "types (" << arguments << "), the arguments of the body";
  YieldOp::create(builder, location, builder.create(body)->getResults());
  return success();
}

Operation *syntax::getShortBody(Region &body) {
  if (!llvm::hasSingleElement(body) || body.front().empty())
    return nullptr;
  Operation &op = body.front().front();
  auto yield = dyn_cast_or_null<YieldOp>(op.getNextNode());
  bool isShort = yield && canBeShort(op.getName()) && op.getNumRegions() == 0 &&
                 op.getNumSuccessors() == 0 && op.getNumResults() > 0 &&
                 yield->getAttrs().empty() &&
                 !op.getNextNode()->getNextNode() &&
                 llvm::equal(op.getOperands(), body.front().getArguments()) &&
                 llvm::equal(yield.getValues(), op.getResults());
  return isShort ? &op : nullptr;
}

/// True if `os`, to which something was written, discards its text.
static bool isDiscarded(raw_ostream &os) {
  if (os.get_kind() != raw_ostream::OStreamKind::OK_OStream)
    return false;
  os.flush();
  return os.tell() == 0;
}

void syntax::printShortBody(OpAsmPrinter &printer, Operation *op) {
  printer << " { " << op->getName();
  SmallVector<StringRef, 2> defaults;
  for (NamedAttribute attribute : op->getAttrs()) {
    Attribute value = attribute.getValue();
    auto math = dyn_cast<arith::FastMathFlagsAttr>(value);
    auto overflow = dyn_cast<arith::IntegerOverflowFlagsAttr>(value);
    if ((math && math.getValue() == arith::FastMathFlags::none) ||
        (overflow && overflow.getValue() == arith::IntegerOverflowFlags::none))
      defaults.push_back(attribute.getName());
  }
  printer.printOptionalAttrDict(op->getAttrs(), defaults);
  // The search for aliases, whose text is discarded, would declare one for the
  // location even if locations are not printed.
  if (!isDiscarded(printer.getStream()))
    printer.printOptionalLocationSpecifier(op->getLoc());
  printer << " }";
}

ParseResult syntax::resolveIndices(OpAsmParser &parser,
                                   ArrayRef<Operand> operands,
                                   OperationState &state) {
  return parser.resolveOperands(operands, parser.getBuilder().getIndexType(),
                                state.operands);
}

ParseResult syntax::parseExtents(OpAsmParser &parser,
                                 SmallVectorImpl<Operand> &extents) {
  return parser.parseOperandList(extents,
                                 OpAsmParser::Delimiter::OptionalSquare);
}

void syntax::printExtents(OpAsmPrinter &printer, ValueRange extents) {
  if (!extents.empty())
    printer << " [" << extents << ']';
}

ParseResult syntax::parseIndexArguments(OpAsmParser &parser,
                                        SmallVectorImpl<Argument> &arguments) {
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  for (Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  return success();
}

void syntax::printArguments(OpAsmPrinter &printer, Block &block) {
  printer << " (";
  llvm::interleaveComma(block.getArguments(), printer,
                        [&](Value argument) { printer << argument; });
  printer << ')';
}

ParseResult syntax::InitValues::parseOptional(OpAsmParser &parser) {
  loc = parser.getCurrentLocation();
  return failure(succeeded(parser.parseOptionalKeyword("init")) &&
                 parser.parseOperandList(values));
}

ParseResult syntax::InitValues::resolve(OpAsmParser &parser, TypeRange types,
                                        OperationState &state) const {
  return failure(!values.empty() &&
                 parser.resolveOperands(values, types, loc, state.operands));
}

void syntax::printInit(OpAsmPrinter &printer, ValueRange init) {
  if (!init.empty())
    printer << " init " << init;
}

ParseResult syntax::parseStatements(OpAsmParser &parser, OperationState &state,
                                    ArrayRef<Argument> arguments) {
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

ParseResult syntax::parseElementBindings(OpAsmParser &parser,
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

void syntax::printElementBindings(OpAsmPrinter &printer, Block &block,
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

void syntax::printYieldRegion(OpAsmPrinter &printer, Region &region) {
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

void syntax::printTypesOf(OpAsmPrinter &printer, Operation *op,
                          ArrayRef<StringRef> elided) {
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  syntax::printArrayTypes(
      printer, llvm::filter_to_vector(op->getOperandTypes(),
                                      llvm::IsaPred<PullType, PushType>));
  syntax::printResultTypes(printer, op);
}
