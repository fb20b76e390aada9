//===- ObsCollectives.cpp - Syntax and rules of reductions and scans ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Syntax.h"
#include "Verification.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

#include "Obsidian/Dialect/Obs/IR/ObsCollectiveInterfaces.cpp.inc"

/// The lanes have these elements; those of `c` and of the results are f32.
static ParseResult
parseFragmentTypes(OpAsmParser &parser, SmallVectorImpl<Type> &aTypes,
                   ArrayRef<Operand> a, SmallVectorImpl<Type> &bTypes,
                   ArrayRef<Operand> b, SmallVectorImpl<Type> &cTypes,
                   ArrayRef<Operand> c, SmallVectorImpl<Type> &results) {
  Type type;
  if (parser.parseType(type))
    return failure();
  Type sum = parser.getBuilder().getF32Type();
  aTypes.assign(a.size(), type);
  bTypes.assign(b.size(), type);
  cTypes.assign(c.size(), sum);
  results.assign(c.size(), sum);
  return success();
}

static void printFragmentTypes(OpAsmPrinter &printer, Operation *,
                               TypeRange aTypes, ValueRange, TypeRange,
                               ValueRange, TypeRange, ValueRange, TypeRange) {
  printer << aTypes.front();
}

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

  /// (short-body | `(` arguments `)` `=`) array (`init` values)?
  ParseResult parseOperands(bool needsInit) {
    argumentsLoc = parser.getCurrentLocation();
    if (body.parseOptional(parser))
      return failure();
    if (!body &&
        (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) ||
         parser.parseEqual()))
      return failure();
    if (parser.parseOperand(array))
      return failure();
    initLoc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword("init"))) {
      if (needsInit)
        return parser.emitError(initLoc, "expected 'init'");
      return success();
    }
    hasInit = true;
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
        (hasInit && parser.resolveOperands(init, arrayType.getElementTypes(),
                                           initLoc, state.operands)))
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
  bool hasInit = false, hasSegments = false, hasTotal = false;
  SMLoc levelLoc, argumentsLoc, initLoc, segmentsLoc;
};
} // namespace

/// ` level`, if there is one
static void printLevel(OpAsmPrinter &printer, std::optional<Level> level) {
  if (level)
    printer << ' ' << stringifyLevel(*level);
}

/// (` (` arguments `) =` | short-body) ` ` array (` init ` values)?
static void printOperands(OpAsmPrinter &printer, CollectiveOpInterface op) {
  if (Operation *body = syntax::getShortBody(op.getBody())) {
    syntax::printShortBody(printer, body);
  } else {
    printer << " (";
    llvm::interleaveComma(op.getBody().front().getArguments(), printer,
                          [&](Value argument) { printer << argument; });
    printer << ") =";
  }
  printer << ' ' << op.getArray();
  if (!op.getInit().empty())
    printer << " init " << op.getInit();
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
  if (pieces.parseLevel() || pieces.parseOperands(/*needsInit=*/true) ||
      pieces.parseTypes())
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
  if (pieces.parseLevel() || pieces.parseKind() ||
      pieces.parseOperands(/*needsInit=*/false) || pieces.parseTotal() ||
      pieces.parseTypes() || pieces.findLevel(properties.level))
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
  if (pieces.parseLevel() || pieces.parseOperands(/*needsInit=*/true) ||
      pieces.parseSegments() || pieces.parseExtents() || pieces.parseTypes() ||
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
      pieces.parseLevel() || pieces.parseKind() ||
      pieces.parseOperands(/*needsInit=*/false) || pieces.parseSegments() ||
      pieces.parseTypes() ||
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
/// them. `needsInit` says that the collective has an initial value.
static LogicalResult verifyCollective(CollectiveOpInterface op,
                                      bool needsInit = true) {
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
  if ((needsInit || !op.getInit().empty()) &&
      failed(verifyElementTypes(op, op.getInit().getTypes(), elements,
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

/// The operands of a scan. `isComplete` says that element 0 of the result or
/// the total of an empty array is the initial value.
static LogicalResult verifyScanOperands(CollectiveOpInterface op,
                                        bool isComplete) {
  if (isComplete && op.getInit().empty())
    return op->emitOpError("[scan-init] has no initial value, but the first "
                           "element of an exclusive scan and the total of an "
                           "empty array are the initial value; add init, or "
                           "make the scan inclusive without a total");
  return verifyCollective(op, /*needsInit=*/false);
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
  if (failed(verifyScanOperands(*this, getExclusive() || getTotal())) ||
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
  if (failed(verifyScanOperands(*this, getExclusive())) ||
      failed(verifySegments(*this, getSegments().getType(), isByFlags())) ||
      failed(verifyLevel(*this, getLevel(), getResult().getType())))
    return failure();
  return verifyScanResult(*this, getResult().getType());
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

Value MatmulOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                            unsigned dim) {
  bool isColumns = dim == getBatchRank() + 1;
  return obs::buildExtent(builder, loc, isColumns ? getRight() : getLeft(),
                          dim);
}

/// True if an element of type `from` becomes a number of type `to` exactly.
static bool isWidened(Type from, Type to) {
  if (from == to)
    return from.isIntOrFloat();
  bool areFloats = isa<FloatType>(from) && isa<FloatType>(to),
       areIntegers = isa<IntegerType>(from) && isa<IntegerType>(to);
  return (areFloats || areIntegers) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

LogicalResult MatmulOp::verify() {
  PullType left = getLeft().getType(), right = getRight().getType();
  PushType result = getResult().getType();
  size_t rank = result.getExtents().size();
  for (Type type : {Type(left), Type(right), Type(result)})
    if (getArrayElementTypes(type).size() != 1 || rank < 2 ||
        getArrayExtents(type).size() != rank)
      return emitOpError("[matmul-types] multiplies matrices of one number, "
                         "whose batches have the same rank, not ")
             << left << " and " << right << " to " << result;
  Type element = left.getElementTypes().front(),
       sum = result.getElementTypes().front();
  if (right.getElementTypes().front() != element || !isWidened(element, sum))
    return emitOpError("[matmul-types] has operands of one type of numbers, "
                       "and a result of this type or a wider one, not ")
           << element << ", " << right.getElementTypes().front() << " and "
           << sum;
  unsigned batches = rank - 2;
  auto verifyEqual = [&](unsigned leftDim, unsigned rightDim,
                         StringRef what) -> LogicalResult {
    ExtentInfo a = getExtentInfo(left, leftDim),
               b = getExtentInfo(right, rightDim);
    if (extentsAgree(a, b))
      return success();
    return emitOpError("[R4-extents] has ")
           << what << ", not " << a.extent << " and " << b.extent;
  };
  for (unsigned dim = 0; dim < batches; ++dim)
    if (failed(verifyEqual(dim, dim, "operands with the same batches")) ||
        failed(verifyExtent(*this, result, dim, left.getExtents()[dim],
                            "the number of batches of the left operand")))
      return failure();
  if (failed(verifyEqual(
          batches + 1, batches,
          "as many columns of the left operand as rows of the right one")) ||
      failed(verifyExtent(*this, result, batches, left.getExtents()[batches],
                          "the number of rows of the left operand")) ||
      failed(verifyExtent(*this, result, batches + 1,
                          right.getExtents()[batches + 1],
                          "the number of columns of the right operand")))
    return failure();
  return success();
}

Value MatmulOp::buildSum(OpBuilder &builder, Location loc, Value x, Value y,
                         Value sum) {
  Type type = sum.getType();
  bool isFloat = isa<FloatType>(type);
  for (Value *element : {&x, &y})
    if (element->getType() != type)
      *element =
          isFloat
              ? arith::ExtFOp::create(builder, loc, type, *element).getResult()
              : arith::ExtSIOp::create(builder, loc, type, *element);
  if (isFloat && getContract())
    return math::FmaOp::create(builder, loc, x, y, sum);
  if (isFloat)
    return arith::AddFOp::create(builder, loc, sum,
                                 arith::MulFOp::create(builder, loc, x, y));
  return arith::AddIOp::create(builder, loc, sum,
                               arith::MulIOp::create(builder, loc, x, y));
}

LogicalResult MatmulOp::expand(OpBuilder &builder) {
  Location loc = getLoc();
  IndexBuilder index{builder, loc};
  PushType type = getResult().getType();
  SmallVector<Value> extents, dynamic;
  for (auto [dim, extent] : llvm::enumerate(type.getExtents())) {
    extents.push_back(buildExtent(builder, loc, 0, dim));
    if (ShapedType::isDynamic(extent))
      dynamic.push_back(extents.back());
  }
  Value count = obs::buildExtent(builder, loc, getLeft(), getBatchRank() + 1);
  auto fill =
      FillOp::create(builder, loc, type, ValueRange(), Value(), dynamic,
                     ContractAttr::get(getContext(), Contract::Disjoint),
                     Attribute(), UnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&fill.getBody());
  auto par = ParOp::create(builder, loc, extents, Level::Thread);
  Block *body = builder.createBlock(
      &par.getBody(), {},
      SmallVector<Type>(extents.size(), builder.getIndexType()),
      SmallVector<Location>(extents.size(), loc));
  auto place = llvm::to_vector_of<Value>(body->getArguments());
  auto loop = scf::ForOp::create(
      builder, loc, index.constant(0), count, index.constant(1), getInit(),
      [&](OpBuilder &, Location, Value k, ValueRange soFar) {
        SmallVector<Value> row(place), column(place);
        row.back() = column[getBatchRank()] = k;
        Value x = buildGet(builder, loc, getLeft(), row).front(),
              y = buildGet(builder, loc, getRight(), column).front();
        scf::YieldOp::create(builder, loc,
                             buildSum(builder, loc, x, y, soFar.front()));
      });
  WriteOp::create(builder, loc, loop.getResults(), place, ContractAttr(),
                  Attribute());
  getResult().replaceAllUsesWith(fill.getResult());
  return success();
}

LogicalResult MmaOp::verify() {
  auto isOne = [](TypeRange types, Type type) {
    return llvm::all_of(types, [&](Type other) { return other == type; });
  };
  if (getA().size() != 8 || getB().size() != 4 || getC().size() != 4 ||
      getResults().size() != 4)
    return emitOpError("[mma-elements] has 8 elements of a, 4 of b, 4 of c and "
                       "4 of the result for each lane, not ")
           << getA().size() << ", " << getB().size() << ", " << getC().size()
           << " and " << getResults().size();
  if (!isOne(getA().getTypes(), getElementType()) ||
      !isOne(getB().getTypes(), getElementType()))
    return emitOpError("[mma-elements] has elements of one type");
  return success();
}
