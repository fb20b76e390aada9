//===- ObsIrregular.cpp - Rules of compact, rank, expand, ... -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Syntax.h"
#include "Verification.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Initial values have the types of the elements.
static ParseResult parseInitTypes(OpAsmParser &, SmallVectorImpl<Type> &types,
                                  ArrayRef<Operand> init, Type array) {
  if (!init.empty())
    llvm::append_range(types, getArrayElementTypes(array));
  return success();
}

static void printInitTypes(OpAsmPrinter &, Operation *, TypeRange, ValueRange,
                           Type) {}

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsIrregularOps.cpp.inc"

/// `(` names `)` `=` array `from` starts attr-dict `:` type `,` type `->` type
/// region
ParseResult PartitionOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  Operand array, starts;
  PullType arrayType, startsType;
  PushType resultType;
  SMLoc argumentsLoc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
      parser.parseEqual() || parser.parseOperand(array) ||
      parser.parseKeyword("from") || parser.parseOperand(starts) ||
      syntax::parseAttributes(parser, state) ||
      parser.parseColonType(arrayType) || parser.parseComma() ||
      parser.parseType(startsType) || parser.parseArrow() ||
      parser.parseType(resultType) ||
      parser.resolveOperand(array, arrayType, state.operands) ||
      parser.resolveOperand(starts, startsType, state.operands))
    return failure();
  ArrayRef<Type> elements = arrayType.getElementTypes();
  if (arguments.size() != elements.size())
    return parser.emitError(argumentsLoc,
                            "the region takes the components of an element, ")
           << elements.size() << " of them";
  for (auto [argument, type] : llvm::zip_equal(arguments, elements))
    argument.type = type;
  state.addTypes(resultType);
  return parser.parseRegion(*state.addRegion(), arguments);
}

void PartitionOp::print(OpAsmPrinter &printer) {
  syntax::printArguments(printer, getBody().front());
  printer << " = " << getArray() << " from " << getStarts();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getArray().getType() << ", " << getStarts().getType()
          << " -> " << getResult().getType();
  syntax::printYieldRegion(printer, getBody());
}

/// `(` i `,` j `)` `=` lengths (`[` extents `]`)? (`init` values)? attr-dict
/// `:` type `->` type `,` type region
ParseResult ExpandOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> arguments;
  Operand lengths;
  SmallVector<Operand> extents;
  syntax::InitValues init;
  PullType lengthsType;
  PushType resultType, countType;
  SMLoc argumentsLoc = parser.getCurrentLocation();
  if (syntax::parseIndexArguments(parser, arguments) || parser.parseEqual() ||
      parser.parseOperand(lengths) || syntax::parseExtents(parser, extents) ||
      init.parseOptional(parser))
    return failure();
  if (arguments.size() != 2)
    return parser.emitError(argumentsLoc,
                            "the region takes two numbers, that of the length "
                            "and that of the element");
  if (syntax::parseAttributes(parser, state) ||
      parser.parseColonType(lengthsType) || parser.parseArrow() ||
      parser.parseType(resultType) || parser.parseComma() ||
      parser.parseType(countType) ||
      parser.resolveOperand(lengths, lengthsType, state.operands) ||
      syntax::resolveIndices(parser, extents, state) ||
      init.resolve(parser, resultType.getElementTypes(), state))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, static_cast<int32_t>(extents.size()), init.size()};
  state.addTypes({resultType, countType});
  return parser.parseRegion(*state.addRegion(), arguments);
}

void ExpandOp::print(OpAsmPrinter &printer) {
  syntax::printArguments(printer, getBody().front());
  printer << " = " << getLengths();
  syntax::printExtents(printer, getExtents());
  syntax::printInit(printer, getInit());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getLengths().getType() << " -> " << getResult().getType()
          << ", " << getCount().getType();
  syntax::printYieldRegion(printer, getBody());
}

/// array `at` indices (`init` values)? contract (`[` extents `]`)? `fetch`?
/// attr-dict `:` type `,` type `->` type (`,` type)?
ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &state) {
  Operand array, indices;
  SmallVector<Operand> extents;
  syntax::InitValues init;
  PullType arrayType, indicesType;
  PushType resultType, foundType;
  ContractAttr contract;
  auto &properties = state.getOrAddProperties<Properties>();
  if (parser.parseOperand(array) || parser.parseKeyword("at") ||
      parser.parseOperand(indices) || init.parseOptional(parser) ||
      syntax::parseContract(parser, contract, properties.kind) ||
      syntax::parseExtents(parser, extents))
    return failure();
  properties.contract = contract;
  bool fetches = succeeded(parser.parseOptionalKeyword("fetch"));
  if (syntax::parseAttributes(parser, state) ||
      parser.parseColonType(arrayType) || parser.parseComma() ||
      parser.parseType(indicesType) || parser.parseArrow() ||
      parser.parseType(resultType))
    return failure();
  state.addTypes(resultType);
  if (fetches) {
    if (parser.parseComma() || parser.parseType(foundType))
      return failure();
    state.addTypes(foundType);
  }
  if (parser.resolveOperand(array, arrayType, state.operands) ||
      parser.resolveOperand(indices, indicesType, state.operands) ||
      init.resolve(parser, arrayType.getElementTypes(), state) ||
      syntax::resolveIndices(parser, extents, state))
    return failure();
  properties.operandSegmentSizes = {1, 1, init.size(),
                                    static_cast<int32_t>(extents.size())};
  return success();
}

void ScatterOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getArray() << " at " << getIndices();
  syntax::printInit(printer, getInit());
  syntax::printContract(printer, getContract(), getKindAttr());
  syntax::printExtents(printer, getExtents());
  if (getFound())
    printer << " fetch";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"contract", "kind", "operandSegmentSizes"});
  printer << " : " << getArray().getType() << ", " << getIndices().getType()
          << " -> " << getResult().getType();
  if (getFound())
    printer << ", " << getFound().getType();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

Value ScatterOp::buildExtent(OpBuilder &builder, Location loc, unsigned result,
                             unsigned dim) {
  return result == 0 ? getExtents().front()
                     : obs::buildExtent(builder, loc, getArray(), dim);
}

Contract ScatterOp::getWeakestContract(unsigned result) {
  return result == 0 ? getContract() : Contract::Disjoint;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Emits `[collective-rank]` unless the type of `what` has one dimension, and
/// `[R2-nested]` if its elements are arrays.
static LogicalResult verifyList(Operation *op, Type type, StringRef what) {
  if (size_t rank = getArrayExtents(type).size(); rank != 1)
    return op->emitOpError("[collective-rank] ")
           << what << " has rank " << rank
           << ", but must have rank 1; reshape it to rank 1, or distribute "
              "over "
              "its rows";
  if (auto pull = dyn_cast<PullType>(type); pull && pull.isNested())
    return op->emitOpError("[R2-nested] the elements of ")
           << what << " are arrays; join them first, or distribute over them";
  return success();
}

/// The same, and emits `[integer-type]` unless there is one element type, of
/// integers.
static LogicalResult verifyNumbers(Operation *op, Type type, StringRef what) {
  if (failed(verifyList(op, type, what)))
    return failure();
  ArrayRef<Type> elements = getArrayElementTypes(type);
  if (elements.size() == 1 && elements.front().isIntOrIndex())
    return success();
  return op->emitOpError("[integer-type] ")
         << what << " is an array of integers or index, not " << type;
}

/// Verifies the scalars after `init`, if there are any.
static LogicalResult verifyInit(Operation *op, ValueRange init,
                                TypeRange elements) {
  return success(init.empty() ||
                 succeeded(verifyElementTypes(op, init.getTypes(), elements,
                                              "the initial value")));
}

/// Emits `[count-range]` unless the numbers of `what` can be as large as the
/// extent, or its bound, of an array of type `counted`. Others are checked when
/// the program runs.
static LogicalResult verifyRange(Operation *op, Type numbers, StringRef what,
                                 Type counted) {
  Type type = getArrayElementTypes(numbers).front();
  int64_t most = getArrayExtents(counted).front();
  if (ShapedType::isDynamic(most) || most <= getMostNumber(type))
    return success();
  return op->emitOpError("[count-range] ")
         << what << " of type " << type << " cannot be more than "
         << getMostNumber(type) << ", but there are " << most
         << " elements; use a wider type, such as index";
}

/// Verifies the result that contains the number of elements of the first one.
static LogicalResult verifyCount(Operation *op, PushType count, Level level,
                                 Type counted) {
  if (failed(verifyNumbers(op, count, "the count")) ||
      failed(verifyRange(op, count, "a count", counted)))
    return failure();
  if (count.getLevel() == level && count.getExtents() == ArrayRef<int64_t>{1})
    return success();
  return op->emitOpError(
             "[count-type] the count is an array of one element, of "
             "the level of the other result, as in !obs.push<")
         << stringifyLevel(level) << ", 1 x index>, not " << count;
}

LogicalResult CompactOp::verify() {
  PullType array = getArray().getType(), flags = getFlags().getType();
  PushType result = getResult().getType();
  if (failed(verifyList(*this, array, "the array")))
    return failure();
  if (flags.getElementTypes() !=
      ArrayRef<Type>(IntegerType::get(getContext(), 1)))
    return emitOpError("[compact-flags] the flags are an array of i1, not ")
           << flags;
  if (failed(
          verifySameExtents(*this, array, "the operand", flags, "the flags")) ||
      failed(verifyElementTypes(*this, result.getElementTypes(),
                                array.getElementTypes(), "the result")) ||
      failed(
          verifySameExtents(*this, array, "the operand", result, "the result")))
    return failure();
  if (failed(verifyInit(*this, getInit(), array.getElementTypes())))
    return failure();
  return verifyCount(*this, getCount().getType(), result.getLevel(), array);
}

LogicalResult RankOp::verify() {
  PullType keys = getKeys().getType();
  PushType ranks = getRanks().getType(), counts = getCounts().getType();
  if (failed(verifyNumbers(*this, keys, "the array of keys")) ||
      failed(verifyNumbers(*this, ranks, "the result")) ||
      failed(verifyNumbers(*this, counts, "the array of counts")) ||
      failed(
          verifySameExtents(*this, keys, "the operand", ranks, "the result")))
    return failure();
  if (failed(verifyRange(*this, ranks, "a rank", keys)) ||
      failed(verifyRange(*this, counts, "a count", keys)))
    return failure();
  if (counts.getLevel() != ranks.getLevel() || !counts.hasStaticExtents())
    return emitOpError("[rank-counts] the counts are an array of the level of "
                       "the other result, with one element for each possible "
                       "key, as in !obs.push<")
           << stringifyLevel(ranks.getLevel()) << ", 256 x i32>, not "
           << counts;
  if (ranks.getLevel() == Level::Grid)
    return emitOpError("[rank-grid] stands at level grid; rank parts of the "
                       "keys in a distribute, and scan their counts");
  return success();
}

LogicalResult PartitionOp::verify() {
  PullType array = getArray().getType(), starts = getStarts().getType();
  PushType result = getResult().getType();
  if (failed(verifyList(*this, array, "the operand")) ||
      failed(verifyList(*this, result, "the result")) ||
      failed(verifyNumbers(*this, starts, "the array of starts")) ||
      failed(verifyElementTypes(*this, result.getElementTypes(),
                                array.getElementTypes(), "the result")) ||
      failed(verifySameExtents(*this, array, "the operand", result,
                               "the result")) ||
      failed(verifyRange(*this, starts, "a start", array)))
    return failure();
  if (!starts.hasStaticExtents())
    return emitOpError("[partition-starts] the starts are an array with one "
                       "element for each possible key, as in !obs.pull<256 x "
                       "i32>, not ")
           << starts;
  int64_t numKeys = starts.getExtents().front();
  if (numKeys < 1 || numKeys > maxKeyTable)
    return emitOpError("[partition-starts] there are ")
           << numKeys << " starts, but 1 to " << maxKeyTable
           << " are possible; partition by parts of the key, the least "
              "significant one first";
  if (result.getLevel() != Level::Grid)
    return emitOpError("[partition-grid] stands at level ")
           << stringifyLevel(result.getLevel())
           << ", but must stand at level grid; below, compute indices by "
              "obs.rank, and write by a fill";
  if (failed(verifyBody(*this, getBody(), array.getElementTypes(),
                        /*yields=*/true)))
    return failure();
  ValueRange keys = cast<YieldOp>(getBody().front().back()).getValues();
  if (keys.size() == 1 && keys.front().getType().isIntOrIndex())
    return success();
  return emitOpError("[integer-type] the region yields the key of an element, "
                     "which is one integer or index");
}

LogicalResult ExpandOp::verify() {
  PushType result = getResult().getType();
  if (failed(verifyNumbers(*this, getLengths().getType(),
                           "the array of lengths")) ||
      failed(verifyList(*this, result, "the result")) ||
      failed(verifyDynamicExtents(*this, result, getExtents())))
    return failure();
  if (failed(verifyInit(*this, getInit(), result.getElementTypes())))
    return failure();
  Type index = IndexType::get(getContext());
  if (failed(verifyBody(*this, getBody(), {index, index}, /*yields=*/true)))
    return failure();
  return verifyCount(*this, getCount().getType(), result.getLevel(), result);
}

LogicalResult ScatterOp::verify() {
  PullType array = getArray().getType();
  PushType result = getResult().getType();
  if (failed(verifyList(*this, array, "the array")) ||
      failed(verifyNumbers(*this, getIndices().getType(),
                           "the array of indices")) ||
      failed(verifySameExtents(*this, array, "the operand",
                               getIndices().getType(), "the indices")) ||
      failed(verifyList(*this, result, "the result")) ||
      failed(verifyElementTypes(*this, result.getElementTypes(),
                                array.getElementTypes(), "the result")) ||
      failed(verifyDynamicExtents(*this, result, getExtents())))
    return failure();
  if (failed(verifyInit(*this, getInit(), array.getElementTypes())))
    return failure();
  if (failed(verifyContract(*this, getContract(), getKindAttr(),
                            array.getElementTypes())))
    return failure();
  if (getFound()) {
    PushType found = cast<PushType>(getFound().getType());
    if (getContract() != Contract::Reduce || getInit().empty())
      return emitOpError(
          "[scatter-fetch] fetch returns the value before each combination, so "
          "it requires init and contract reduce; drop fetch, or write init %x "
          "reduce(addi)");
    ArrayRef<Type> types = array.getElementTypes();
    if (unsigned bits = countElementBits(types);
        bits > maxAtomicBits && getEnclosingScope(*this).level != Level::Thread)
      return emitOpError("[scatter-fetch] fetches elements of ")
             << bits << " bits, but memory exchanges at most " << maxAtomicBits
             << " bits at once, so a found value could consist of parts of "
                "several elements; use smaller types, or scatter at level "
                "thread";
    if (failed(verifyElementTypes(*this, found.getElementTypes(),
                                  array.getElementTypes(),
                                  "what is fetched")) ||
        failed(verifySameExtents(*this, array, "the operand", found,
                                 "what is fetched")))
      return failure();
  }
  return success();
}

LogicalResult ScatterOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyOperator(*this, getKindAttr(),
                        getArray().getType().getElementTypes(), tables);
}
