//===- ObsCollectives.cpp - Syntax and rules of reductions and scans ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Syntax.h"
#include "Verification.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

#include "Obsidian/Dialect/Obs/IR/ObsCollectiveInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsCollectiveOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

namespace {
/// Parses the common parts of the collectives, piece by piece.
class CollectiveParser {
public:
  CollectiveParser(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state) {}

  /// level?
  ParseResult parseLevel() {
    levelLoc = parser.getCurrentLocation();
    return syntax::parseOptionalLevel(parser, level);
  }

  /// (`inclusive` | `exclusive`)
  ParseResult parseKind() {
    SMLoc loc = parser.getCurrentLocation();
    StringRef kind;
    if (parser.parseKeyword(&kind))
      return failure();
    if (kind == "exclusive")
      state.addAttribute("exclusive", parser.getBuilder().getUnitAttr());
    else if (kind != "inclusive")
      return parser.emitError(loc, "expected inclusive or exclusive");
    return success();
  }

  /// (short-body | `(` arguments `)` `=`) array `init` values
  ParseResult parseOperands() {
    argumentsLoc = parser.getCurrentLocation();
    if (body.parseOptional(parser))
      return failure();
    if (!body &&
        (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
         parser.parseEqual()))
      return failure();
    if (parser.parseOperand(array) || parser.parseKeyword("init"))
      return failure();
    initLoc = parser.getCurrentLocation();
    return parser.parseOperandList(init);
  }

  /// `total`?
  ParseResult parseTotal() {
    hasTotal = succeeded(parser.parseOptionalKeyword("total"));
    return success();
  }

  /// (`flags` | `offsets`) segments
  ParseResult parseSegments() {
    segmentsLoc = parser.getCurrentLocation();
    hasSegments = true;
    if (parser.parseKeyword(&segmentsKeyword))
      return failure();
    if (segmentsKeyword != "flags" && segmentsKeyword != "offsets")
      return parser.emitError(segmentsLoc, "expected flags or offsets");
    return parser.parseOperand(segments);
  }

  /// (`[` extents `]`)?
  ParseResult parseExtents() {
    return parser.parseOperandList(extents,
                                   OpAsmParser::Delimiter::OptionalSquare);
  }

  /// attr-dict `:` types (`->` types)?. Adds operands in the order array, init,
  /// segments, extents.
  ParseResult parseTypes() {
    PullType segmentsType;
    if (syntax::parseAttributes(parser, state) ||
        parser.parseColonType(arrayType) ||
        (hasSegments &&
         (parser.parseComma() || parser.parseType(segmentsType))) ||
        syntax::parseOptionalResultTypes(parser, results) ||
        parser.resolveOperand(array, arrayType, state.operands) ||
        parser.resolveOperands(init, arrayType.getElementTypes(), initLoc,
                               state.operands))
      return failure();
    if (!hasSegments)
      return success();
    bool byFlags = segmentsType.getElementTypes().front().isInteger(1);
    if (byFlags != (segmentsKeyword == "flags"))
      return parser.emitError(segmentsLoc)
             << "flags are of type i1, and offsets of another integer type "
                "or index, but the segments are "
             << segmentsType;
    return failure(
        parser.resolveOperand(segments, segmentsType, state.operands) ||
        parser.resolveOperands(extents, parser.getBuilder().getIndexType(),
                               state.operands));
  }

  /// The level of the push array that the operation makes.
  ParseResult findLevel(LevelAttr &found) {
    if (syntax::findLevel(parser, levelLoc, results, level))
      return failure();
    found = level;
    return success();
  }
  /// The level that was named, or that of the push array that `results` has.
  LevelAttr getLevel() const {
    if (level || results.size() != 1)
      return level;
    auto push = dyn_cast<PushType>(results.front());
    return push ? LevelAttr::get(parser.getContext(), push.getLevel()) : level;
  }
  /// True if the results include totals.
  bool getTotal() const { return hasTotal || results.size() > 1; }

  /// The region, unless there was a short one, and the types of the results.
  ParseResult parseRest() {
    ArrayRef<Type> elements = arrayType.getElementTypes();
    SmallVector<Type> operands(elements);
    llvm::append_range(operands, elements);
    if (body)
      return failure(body.build(parser, operands, state) ||
                     syntax::setResultTypes(state, results));
    if (arguments.size() != operands.size())
      return parser.emitError(argumentsLoc)
             << "the array has " << elements.size()
             << " element types, so the operator takes " << operands.size()
             << " values, not " << arguments.size();
    for (auto [argument, type] : llvm::zip_equal(arguments, operands))
      argument.type = type;
    return failure(parser.parseRegion(*state.addRegion(), arguments) ||
                   syntax::setResultTypes(state, results));
  }

  int32_t getNumInit() const { return init.size(); }
  int32_t getNumExtents() const { return extents.size(); }

private:
  OpAsmParser &parser;
  OperationState &state;
  LevelAttr level;
  syntax::ShortBody body;
  SmallVector<Argument> arguments;
  Operand array, segments;
  SmallVector<Operand> init, extents;
  PullType arrayType;
  SmallVector<Type> results;
  StringRef segmentsKeyword;
  bool hasSegments = false, hasTotal = false;
  SMLoc levelLoc, argumentsLoc, initLoc, segmentsLoc;
};
} // namespace

/// ` level`, if there is one
static void printLevel(OpAsmPrinter &printer, std::optional<Level> level) {
  if (level)
    printer << ' ' << stringifyLevel(*level);
}

/// (` (` arguments `) =` | short-body) ` ` array ` init ` values
static void printOperands(OpAsmPrinter &printer, CollectiveOpInterface op) {
  if (Operation *body = syntax::getShortBody(op.getBody())) {
    syntax::printShortBody(printer, body);
  } else {
    printer << " (";
    llvm::interleaveComma(op.getBody().front().getArguments(), printer,
                          [&](Value argument) { printer << argument; });
    printer << ") =";
  }
  printer << ' ' << op.getArray() << " init " << op.getInit();
}

template <typename OpT>
static void printSegments(OpAsmPrinter &printer, OpT op) {
  printer << (op.isByFlags() ? " flags " : " offsets ") << op.getSegments();
}

static void printRest(OpAsmPrinter &printer, CollectiveOpInterface op,
                      Value segments = {}) {
  printer.printOptionalAttrDict(
      op->getAttrs(), {"level", "exclusive", "total", "operandSegmentSizes"});
  printer << " : " << op.getArray().getType();
  if (segments)
    printer << ", " << segments.getType();
  syntax::printResultTypes(printer, op);
  if (syntax::getShortBody(op.getBody()))
    return;
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  CollectiveParser pieces(parser, state);
  if (pieces.parseLevel() || pieces.parseOperands() || pieces.parseTypes())
    return failure();
  state.getOrAddProperties<Properties>().level = pieces.getLevel();
  return pieces.parseRest();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printLevel(printer, getLevel());
  printOperands(printer, *this);
  printRest(printer, *this);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  CollectiveParser pieces(parser, state);
  auto &properties = state.getOrAddProperties<Properties>();
  if (pieces.parseLevel() || pieces.parseKind() || pieces.parseOperands() ||
      pieces.parseTotal() || pieces.parseTypes() ||
      pieces.findLevel(properties.level))
    return failure();
  if (pieces.getTotal())
    properties.total = parser.getBuilder().getUnitAttr();
  return pieces.parseRest();
}

void ScanOp::print(OpAsmPrinter &printer) {
  printLevel(printer, getLevel());
  printer << (getExclusive() ? " exclusive" : " inclusive");
  printOperands(printer, *this);
  if (getTotal())
    printer << " total";
  printRest(printer, *this);
}

ParseResult SegmentedReduceOp::parse(OpAsmParser &parser,
                                     OperationState &state) {
  CollectiveParser pieces(parser, state);
  auto &properties = state.getOrAddProperties<Properties>();
  if (pieces.parseLevel() || pieces.parseOperands() || pieces.parseSegments() ||
      pieces.parseExtents() || pieces.parseTypes() ||
      pieces.findLevel(properties.level))
    return failure();
  properties.operandSegmentSizes = {1, pieces.getNumInit(), 1,
                                    pieces.getNumExtents()};
  return pieces.parseRest();
}

void SegmentedReduceOp::print(OpAsmPrinter &printer) {
  printLevel(printer, getLevel());
  printOperands(printer, *this);
  printSegments(printer, *this);
  syntax::printExtents(printer, getExtents());
  printRest(printer, *this, getSegments());
}

ParseResult SegmentedScanOp::parse(OpAsmParser &parser, OperationState &state) {
  CollectiveParser pieces(parser, state);
  return failure(
      pieces.parseLevel() || pieces.parseKind() || pieces.parseOperands() ||
      pieces.parseSegments() || pieces.parseTypes() ||
      pieces.findLevel(state.getOrAddProperties<Properties>().level) ||
      pieces.parseRest());
}

void SegmentedScanOp::print(OpAsmPrinter &printer) {
  printLevel(printer, getLevel());
  printer << (getExclusive() ? " exclusive" : " inclusive");
  printOperands(printer, *this);
  printSegments(printer, *this);
  printRest(printer, *this, getSegments());
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

Value SegmentedReduceOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                                     unsigned dim) {
  if (!getExtents().empty())
    return getExtents().front();
  Value offsets = obs::buildExtent(builder, loc, getSegments(), dim);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return arith::SubIOp::create(builder, loc, offsets, one);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Verifies the rules of every collective: a list of scalars, an operator on
/// them.
static LogicalResult verifyCollective(CollectiveOpInterface op) {
  auto type = cast<PullType>(op.getArray().getType());
  if (type.getRank() != 1)
    return op->emitOpError("[collective-rank] combines the elements of an "
                           "array of rank 1, not ")
           << type.getRank()
           << "; reshape it to rank 1, or distribute over its rows";
  if (type.isNested())
    return op->emitOpError("[R2-nested] the elements are arrays; join them "
                           "first, or distribute over them");
  ArrayRef<Type> elements = type.getElementTypes();
  if (failed(verifyElementTypes(op, op.getInit().getTypes(), elements,
                                "the initial value")))
    return failure();
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  return verifyBody(op, op.getBody(), arguments, /*yields=*/true);
}

/// At level grid no scalar is known before the kernel has run, so the result is
/// an array of one element, which is forced like others.
static LogicalResult verifyGridReduce(ReduceOp op) {
  PushType type;
  if (op->getNumResults() == 1)
    type = dyn_cast<PushType>(op->getResult(0).getType());
  if (op.getLevel() != Level::Grid || !type || type.getLevel() != Level::Grid ||
      type.getExtents() != ArrayRef<int64_t>{1})
    return op.emitOpError(
        "[reduce-grid] stands at level grid, where its result "
        "is one array of one element, a push<grid, 1 x ...>; "
        "write obs.reduce grid, force the array, and get the "
        "element if the host needs it");
  return verifyElementTypes(op, type.getElementTypes(),
                            op.getArray().getType().getElementTypes(),
                            "the result");
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCollective(*this)))
    return failure();
  if (getEnclosingScope(*this).level == Level::Grid)
    return verifyGridReduce(*this);
  if (getLevel())
    return emitOpError("[reduce-grid] makes an array at level grid only; its "
                       "results here are scalars: drop the level");
  return verifyElementTypes(*this, getValues().getTypes(),
                            getArray().getType().getElementTypes(),
                            "the result");
}

/// The result of a scan is like its operand, and made at its level.
static LogicalResult verifyScanResult(CollectiveOpInterface op,
                                      PushType result) {
  Type source = op.getArray().getType();
  if (failed(verifyElementTypes(op, result.getElementTypes(),
                                getArrayElementTypes(source), "the result")))
    return failure();
  return verifySameExtents(op, source, "the operand", result, "the result");
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCollective(*this)) ||
      failed(verifyLevel(*this, getLevel(), getResult().getType())) ||
      failed(verifyScanResult(*this, getResult().getType())))
    return failure();
  if (getTotal() == getTotals().empty())
    return emitOpError("[scan-total] has a result for each component of the "
                       "total if, and only if, it is marked total");
  if (getTotals().empty())
    return success();
  return verifyElementTypes(*this, getTotals().getTypes(),
                            getArray().getType().getElementTypes(),
                            "the total");
}

/// Segments are flags as long as the array, or offsets.
static LogicalResult verifySegments(CollectiveOpInterface op, PullType segments,
                                    bool byFlags) {
  ArrayRef<Type> elements = segments.getElementTypes();
  if (segments.getRank() != 1 || elements.size() != 1 ||
      !elements.front().isIntOrIndex())
    return op->emitOpError("[segment-type] segments are an array of rank 1 of "
                           "i1 (flags) or of integers or index (offsets), not ")
           << segments;
  if (byFlags)
    return verifySameExtents(op, op.getArray().getType(), "the operand",
                             segments, "the flags");
  if (segments.getExtents().front() == 0)
    return op->emitOpError("[segment-offsets] has no offsets; even without "
                           "segments there is one, the end of the last one");
  return success();
}

LogicalResult SegmentedReduceOp::verify() {
  PullType segments = getSegments().getType();
  PushType result = getResult().getType();
  if (failed(verifyCollective(*this)) ||
      failed(verifySegments(*this, segments, isByFlags())) ||
      failed(verifyElementTypes(*this, result.getElementTypes(),
                                getArray().getType().getElementTypes(),
                                "the result")))
    return failure();
  if (failed(verifyLevel(*this, getLevel(), result)))
    return failure();
  if (result.getRank() != 1)
    return emitOpError("[R4-extents] gives one element for each segment, an "
                       "array of rank 1, not ")
           << result.getRank();
  if (isByFlags()) {
    if (failed(verifyDynamicExtents(*this, result, getExtents())))
      return failure();
  } else if (!getExtents().empty()) {
    return emitOpError("[dynamic-extents] the number of segments follows from "
                       "the offsets; drop the extents in brackets");
  } else if (int64_t offsets = segments.getExtents().front();
             !ShapedType::isDynamic(offsets)) {
    if (failed(verifyExtent(*this, result, 0, offsets - 1,
                            "the number of offsets less one")))
      return failure();
  }
  return success();
}

LogicalResult SegmentedScanOp::verify() {
  if (failed(verifyCollective(*this)) ||
      failed(verifySegments(*this, getSegments().getType(), isByFlags())) ||
      failed(verifyLevel(*this, getLevel(), getResult().getType())))
    return failure();
  return verifyScanResult(*this, getResult().getType());
}
