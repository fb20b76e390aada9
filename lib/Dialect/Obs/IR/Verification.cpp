//===- Verification.cpp - Checks that the verifiers share -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

using namespace mlir;
using namespace mlir::obs;

verification::ExtentInfo verification::getExtentInfo(Type arrayType,
                                                     unsigned dim) {
  return {getArrayExtents(arrayType)[dim], getArrayBound(arrayType, dim)};
}

bool verification::extentsAgree(ExtentInfo a, ExtentInfo b) {
  bool aStatic = !ShapedType::isDynamic(a.extent);
  bool bStatic = !ShapedType::isDynamic(b.extent);
  if (aStatic && bStatic)
    return a.extent == b.extent;
  if (aStatic && !ShapedType::isDynamic(b.bound))
    return a.extent <= b.bound;
  if (bStatic && !ShapedType::isDynamic(a.bound))
    return b.extent <= a.bound;
  return true;
}

LogicalResult verification::verifySameExtents(Operation *op, Type a,
                                              StringRef what, Type b,
                                              StringRef other) {
  size_t rank = getArrayExtents(a).size(),
         otherRank = getArrayExtents(b).size();
  if (rank != otherRank)
    return op->emitOpError("[R4-extents] ")
           << what << " has rank " << rank << " but " << other << " has rank "
           << otherRank << "; give both the same number of dimensions";
  for (unsigned dim = 0; dim < rank; ++dim) {
    ExtentInfo x = getExtentInfo(a, dim), y = getExtentInfo(b, dim);
    if (extentsAgree(x, y))
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError("[R4-extents] ");
    auto print = [&](ExtentInfo info) {
      if (ShapedType::isDynamic(info.extent))
        diagnostic << "at most " << info.bound;
      else
        diagnostic << info.extent;
    };
    diagnostic << "dimension " << dim << " of " << what << " is ";
    print(x);
    diagnostic << " but that of " << other << " is ";
    print(y);
    return diagnostic << "; the extents must agree";
  }
  return success();
}

LogicalResult verification::verifyExtent(Operation *op, Type arrayType,
                                         unsigned dim, int64_t expected,
                                         StringRef reason) {
  ExtentInfo expectedInfo{expected, expected};
  ExtentInfo info = getExtentInfo(arrayType, dim);
  if (extentsAgree(info, expectedInfo))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("[R4-extents] dimension ")
                                  << dim << " of the result is ";
  if (ShapedType::isDynamic(info.extent))
    diagnostic << "at most " << info.bound;
  else
    diagnostic << info.extent;
  return diagnostic << " but " << reason << " gives " << expected << "; write "
                    << expected << " or ?";
}

LogicalResult verification::verifyElementTypes(Operation *op, TypeRange actual,
                                               TypeRange expected,
                                               StringRef what) {
  if (llvm::equal(actual, expected))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("[element-types] ");
  diagnostic << what << ' ';
  if (actual.empty())
    diagnostic << "has no types";
  else
    diagnostic << "has types (" << actual << ')';
  return diagnostic << " but (" << expected << ") are needed";
}

LogicalResult verification::verifyLevel(Operation *op, Level level,
                                        Type array) {
  auto push = dyn_cast<PushType>(array);
  if (push && push.getLevel() == level)
    return success();
  return op->emitOpError("[array-level] names level ")
         << stringifyLevel(level) << " but its result is " << array
         << "; name the level of the result";
}

LogicalResult verification::verifyNotEmpty(Operation *op, ValueRange arrays) {
  if (!arrays.empty())
    return success();
  return op->emitOpError("[no-arrays] needs at least one array");
}

LogicalResult verification::verifyDynamicExtents(Operation *op, Type arrayType,
                                                 ValueRange extents) {
  unsigned needed =
      llvm::count_if(getArrayExtents(arrayType), ShapedType::isDynamic);
  if (extents.size() == needed)
    return success();
  return op->emitOpError("[dynamic-extents] has ")
         << extents.size() << " extents in brackets but its result has "
         << needed << " dynamic ones; give one index for each ?";
}

LogicalResult verification::verifyNotInScalarCode(Operation *op) {
  if (!getEnclosingScope(op).isScalar)
    return success();
  return op->emitOpError(
      "[R1-scalar] stands in a region that computes one element; move it out "
      "of the map, generate or reindex");
}

LogicalResult verification::verifyStandsAt(Operation *op, Level level,
                                           StringRef verb) {
  if (failed(verifyNotInScalarCode(op)))
    return failure();
  Level enclosing = getEnclosingScope(op).level;
  if (enclosing == level)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("[R1-level] stands in a "
                                                  "region of level ")
                                  << stringifyLevel(enclosing) << " but "
                                  << verb << " an array of level "
                                  << stringifyLevel(level) << "; ";
  if (level < enclosing) {
    diagnostic << "use level " << stringifyLevel(enclosing)
               << " or move it into a distribute " << stringifyLevel(level);
    if (isa<FunctionOpInterface>(op->getParentOp()))
      diagnostic << ", or give the function the attribute obs.level = "
                    "#obs.level<"
                 << stringifyLevel(level) << ">";
    return diagnostic;
  }
  return diagnostic << "use level " << stringifyLevel(enclosing)
                    << " or move it out of the " << stringifyLevel(enclosing)
                    << " region";
}

LogicalResult verification::verifyBody(Operation *op, Region &body,
                                       TypeRange arguments, bool yields) {
  Block &block = body.front();
  if (!llvm::equal(block.getArgumentTypes(), arguments)) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("[region-arguments] the arguments of the region ");
    if (block.getNumArguments() == 0)
      diagnostic << "are missing";
    else
      diagnostic << "have types (" << block.getArgumentTypes() << ')';
    return diagnostic << "; (" << arguments << ") are needed";
  }
  if (yields && (block.empty() || !isa<YieldOp>(block.back())))
    return op->emitOpError("[region-yield] the region must end with obs.yield");
  return success();
}

int64_t verification::getNumElements(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  if (llvm::is_contained(extents, 0))
    return 0;
  for (int64_t extent : extents)
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(product, extent, product))
      return ShapedType::kDynamic;
  return product;
}
