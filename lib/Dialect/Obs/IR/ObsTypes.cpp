//===- ObsTypes.cpp - Types of the obs dialect ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

#define GET_TYPEDEF_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsTypes.cpp.inc"

void ObsDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Obsidian/Dialect/Obs/IR/ObsTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Parsing and printing
//===----------------------------------------------------------------------===//

namespace {
/// The text between `<` and `>` of an array type, without the level.
struct ArrayBody {
  SmallVector<int64_t> extents, bounds;
  SmallVector<Type> elementTypes;
};
} // namespace

/// array-body ::= dimensions `x` type (`,` type)* (`bound` `[` (int | `?`)*
/// `]`)?
static ParseResult parseArrayBody(AsmParser &parser, ArrayBody &body) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(body.extents, /*allowDynamic=*/true,
                                /*withTrailingX=*/true))
    return failure();
  if (body.extents.empty())
    return parser.emitError(
        loc, "[type-rank] an array has at least one dimension; write the "
             "extents before the element type, as in 8 x i32");
  do {
    if (parser.parseType(body.elementTypes.emplace_back()))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  if (failed(parser.parseOptionalKeyword("bound")))
    return success();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          body.bounds.push_back(ShapedType::kDynamic);
          return success();
        }
        return parser.parseInteger(body.bounds.emplace_back());
      });
}

static void printExtents(AsmPrinter &printer, ArrayRef<int64_t> extents,
                         StringRef separator) {
  llvm::interleave(
      extents, printer.getStream(),
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          printer << '?';
        else
          printer << extent;
      },
      separator);
}

static void printArrayBody(AsmPrinter &printer, ArrayRef<int64_t> extents,
                           ArrayRef<int64_t> bounds,
                           ArrayRef<Type> elementTypes) {
  printExtents(printer, extents, " x ");
  printer << " x ";
  llvm::interleaveComma(elementTypes, printer);
  if (!bounds.empty()) {
    printer << " bound [";
    printExtents(printer, bounds, ", ");
    printer << ']';
  }
}

/// Bounds that say no more than the extents are dropped, so that equal types
/// are identical.
static ArrayRef<int64_t> canonicalBounds(ArrayRef<int64_t> extents,
                                         ArrayRef<int64_t> bounds) {
  for (auto [extent, bound] : llvm::zip(extents, bounds))
    // The verifier refuses bounds that contradict static extents.
    if (!ShapedType::isDynamic(bound) && bound != extent)
      return bounds;
  return bounds.size() == extents.size() || bounds.empty() ? ArrayRef<int64_t>()
                                                           : bounds;
}

Type PullType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  ArrayBody body;
  if (parser.parseLess() || parseArrayBody(parser, body) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PullType>(loc, parser.getContext(), body.extents,
                                     canonicalBounds(body.extents, body.bounds),
                                     body.elementTypes);
}

void PullType::print(AsmPrinter &printer) const {
  printer << '<';
  printArrayBody(printer, getExtents(), getBounds(), getElementTypes());
  printer << '>';
}

Type PushType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<Level> level = symbolizeLevel(keyword);
  if (!level) {
    parser.emitError(loc, "[type-level] expected thread, warp, block or grid, "
                          "got '")
        << keyword << "'";
    return {};
  }
  ArrayBody body;
  if (parser.parseComma() || parseArrayBody(parser, body) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PushType>(
      loc, parser.getContext(), *level, body.extents,
      canonicalBounds(body.extents, body.bounds), body.elementTypes);
}

void PushType::print(AsmPrinter &printer) const {
  printer << '<' << stringifyLevel(getLevel()) << ", ";
  printArrayBody(printer, getExtents(), getBounds(), getElementTypes());
  printer << '>';
}

PullType PushType::getPullType() const {
  return PullType::get(getContext(), getExtents(), getBounds(),
                       getElementTypes());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) {
  return type.isIndex() || type.isSignlessInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

/// The elements of the largest array of this type, where a dynamic extent
/// without a bound counts as 1; nothing if they are more than `maxElements`.
static std::optional<int64_t> countElements(ArrayRef<int64_t> extents,
                                            ArrayRef<int64_t> bounds,
                                            ArrayRef<Type> elementTypes) {
  SmallVector<int64_t> factors(extents);
  for (auto [factor, bound] : llvm::zip(factors, bounds))
    if (ShapedType::isDynamic(factor))
      factor = bound;
  int64_t most = 1, count = 1;
  for (Type type : elementTypes)
    if (auto inner = dyn_cast<PullType>(type))
      most = std::max(most, countElements(inner.getExtents(), inner.getBounds(),
                                          inner.getElementTypes())
                                .value_or(maxElements));
  factors.push_back(most);
  for (int64_t factor : factors)
    if (factor == 0)
      return 0;
  for (int64_t factor : factors)
    if (!ShapedType::isDynamic(factor) &&
        (llvm::MulOverflow(count, factor, count) || count > maxElements))
      return std::nullopt;
  return count;
}

static LogicalResult verifyArray(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> extents,
                                 ArrayRef<int64_t> bounds,
                                 ArrayRef<Type> elementTypes,
                                 bool allowNested) {
  if (extents.empty() || elementTypes.empty())
    return emitError() << "[type-rank] an array has at least one dimension and "
                          "one element type";
  for (int64_t extent : extents)
    if (!ShapedType::isDynamic(extent) && extent < 0)
      return emitError() << "[type-rank] an extent cannot be negative";
  for (Type type : elementTypes) {
    if (isScalar(type) || (allowNested && isa<PullType>(type)))
      continue;
    return emitError() << "[type-element] " << type
                       << " cannot be an element; elements are i1, i8, i16, "
                          "i32, i64, index, f16, bf16, f32, f64"
                       << (allowNested ? " and pull arrays" : "");
  }
  if (!bounds.empty() && bounds.size() != extents.size())
    return emitError() << "[type-bound] 'bound' has " << bounds.size()
                       << " entries for " << extents.size()
                       << " extents; give one for each, ? where unknown";
  for (auto [extent, bound] : llvm::zip(extents, bounds)) {
    if (!ShapedType::isDynamic(bound) && bound < 0)
      return emitError() << "[type-bound] a bound cannot be negative";
    if (!ShapedType::isDynamic(extent) && bound != extent)
      return emitError() << "[type-bound] the bound of static extent " << extent
                         << " must equal it";
  }
  if (!countElements(extents, bounds, elementTypes))
    return emitError() << "[type-size] an array has at most 2^48 elements";
  return success();
}

LogicalResult PullType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> extents,
                               ArrayRef<int64_t> bounds,
                               ArrayRef<Type> elementTypes) {
  return verifyArray(emitError, extents, bounds, elementTypes,
                     /*allowNested=*/true);
}

LogicalResult PushType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Level level, ArrayRef<int64_t> extents,
                               ArrayRef<int64_t> bounds,
                               ArrayRef<Type> elementTypes) {
  return verifyArray(emitError, extents, bounds, elementTypes,
                     /*allowNested=*/false);
}
