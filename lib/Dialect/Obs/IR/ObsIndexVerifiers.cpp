//===- ObsIndexVerifiers.cpp - Verifiers of index maps --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of ObsIndexOps.td, except map, and of ObsPartOps.td. Every
// diagnostic starts with the label of its rule in docs/Spec.md and ends with a
// correction of the program.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexBijections.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Verification.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

/// True if `a` and `b` are both pull arrays, or push arrays of one level.
static bool haveOneKind(Type a, Type b) {
  auto push = dyn_cast<PushType>(a), otherPush = dyn_cast<PushType>(b);
  if (!push || !otherPush)
    return !push && !otherPush;
  return push.getLevel() == otherPush.getLevel();
}

/// Emits `[array-kind]` unless the result of an index map is of the kind of its
/// source.
static LogicalResult verifyKind(Operation *op, Type source, Type result) {
  if (haveOneKind(source, result))
    return success();
  return op->emitOpError("[array-kind] turns ")
         << source << " into " << result
         << "; an index map keeps pull arrays pull, and push arrays push at "
            "their level (obs.push and obs.force change the kind)";
}

LogicalResult obs::detail::verifyIndexMap(Operation *op) {
  auto isArray = [](Type type) { return isa<PullType, PushType>(type); };
  Value array = cast<IndexMapOpInterface>(op).getArray();
  if (op->getNumResults() != 1 || !array || !isArray(array.getType()) ||
      !isArray(op->getResult(0).getType()))
    return op->emitOpError("[index-map] has the elements of one array in one "
                           "array, but its operand or its results are none");
  Type source = array.getType(), result = op->getResult(0).getType();
  if (failed(verifyKind(op, source, result)))
    return failure();
  if (isa<PushType>(source) && !isa<PushOpInterface>(op))
    return op->emitOpError("[array-kind] moves the elements of pull arrays "
                           "only; force the push array first, or give the "
                           "operation PushOpInterface and buildTarget");
  return verifyElementTypes(op, getArrayElementTypes(result),
                            getArrayElementTypes(source), "the result");
}

/// Emits `[no-dimension]` unless `dimension` is one of the dimensions of
/// `type`.
static LogicalResult verifyDimension(Operation *op, Type type,
                                     int64_t dimension) {
  int64_t rank = getArrayExtents(type).size();
  if (dimension >= 0 && dimension < rank)
    return success();
  return op->emitOpError("[no-dimension] has no dimension ")
         << dimension << "; the array has rank " << rank;
}

/// Emits `[index-list]` unless a list of constants and values has one entry per
/// dimension, none of them below `least`.
static LogicalResult verifyIndexList(Operation *op, ArrayRef<int64_t> statics,
                                     ValueRange dynamics, unsigned rank,
                                     StringRef what, int64_t least) {
  if (statics.size() != rank)
    return op->emitOpError("[index-list] has ")
           << statics.size() << ' ' << what << " for " << rank
           << " dimensions; give one for each";
  if (static_cast<size_t>(llvm::count_if(statics, ShapedType::isDynamic)) !=
      dynamics.size())
    return op->emitOpError("[index-list] the number of values does not match "
                           "the ")
           << what << " that are not constants";
  for (int64_t value : statics)
    if (!ShapedType::isDynamic(value) && value < least)
      return op->emitOpError("[index-list] ")
             << value << " among the " << what << " is too small; the least is "
             << least;
  return success();
}

//===----------------------------------------------------------------------===//
// reindex
//===----------------------------------------------------------------------===//

LogicalResult ReindexOp::verify() {
  Type source = getArray().getType();
  if (failed(verifyDynamicExtents(*this, getType(), getExtents())))
    return failure();
  Type domain = isa<PushType>(source) ? source : getType();
  SmallVector<Type> indices(getArrayExtents(domain).size(),
                            IndexType::get(getContext()));
  return verifyBody(*this, getBody(), indices, /*yields=*/true);
}

/// Classifies the map of `op`, from the indices of its source to those of its
/// result.
static Bijection classify(ReindexOp op) {
  ArrayRef<int64_t> source = getArrayExtents(op.getArray().getType());
  ArrayRef<int64_t> result = getArrayExtents(op.getType());
  IndexRecognizer recognizer;
  SmallVector<IndexExpr> domain, range;
  OperandRange::iterator next = op.getExtents().begin();
  for (int64_t extent : result)
    range.push_back(ShapedType::isDynamic(extent)
                        ? recognizer.get(*next++)
                        : IndexExpr::constant(extent));
  // Symbols from here on are extents that no value holds.
  constexpr unsigned firstUnknown = 1u << 30;
  for (auto [d, extent] : llvm::enumerate(source)) {
    IndexExpr unknown = IndexExpr::symbol(firstUnknown + d);
    if (ShapedType::isDynamic(extent))
      // A bijection of one index keeps the extent.
      domain.push_back(source.size() == 1 && result.size() == 1 ? range[0]
                                                                : unknown);
    else
      domain.push_back(IndexExpr::constant(extent));
  }
  IndexMap map = recognizer.getYields(op.getBody(), source);
  return classifyBijection(map, domain, range);
}

LogicalResult ReindexOp::verifyRegions() {
  if (!isa<PushType>(getArray().getType()) || getUnchecked())
    return success();
  ArrayRef<int64_t> source = getArrayExtents(getArray().getType());
  ArrayRef<int64_t> result = getArrayExtents(getType());
  int64_t size = getNumElements(source), resultSize = getNumElements(result);
  bool isStatic =
      !ShapedType::isDynamic(size) && !ShapedType::isDynamic(resultSize);
  if (isStatic && size != resultSize)
    return emitOpError("[R5-size] maps ")
           << size << " elements to " << resultSize
           << "; a bijection keeps their number: pad or take first";
  Bijection answer = classify(*this);
  if (answer.kind >= Bijection::Kind::IfInside)
    return success();
  if (answer.kind == Bijection::Kind::No && !answer.witness.empty()) {
    InFlightDiagnostic diagnostic =
        emitOpError("[R5-bijection] is not a bijection: the target of (");
    llvm::interleaveComma(answer.witness, diagnostic);
    return diagnostic << ") is out of range or taken; each element of the "
                         "result must be written exactly once";
  }
  return emitOpError("[R5-proof] cannot be proved to be a bijection; build it "
                     "from obs.bit operations or n - 1 - i, give static "
                     "extents of at most ")
         << indexEnumerationBudget << " elements, or mark it unchecked";
}

//===----------------------------------------------------------------------===//
// Named index maps
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::verify() {
  return verifyDimension(*this, getType(), getDimension());
}

LogicalResult SliceOp::verify() {
  PullType source = getArray().getType(), result = getType();
  unsigned rank = source.getRank();
  if (failed(verifyIndexList(*this, getStaticOffsets(), getOffsets(), rank,
                             "offsets", 0)) ||
      failed(verifyIndexList(*this, getStaticSizes(), getSizes(), rank, "sizes",
                             0)) ||
      failed(verifyIndexList(*this, getStaticStrides(), getStrides(), rank,
                             "strides", 1)))
    return failure();
  if (result.getRank() != rank)
    return emitOpError("[R4-extents] keeps the rank, ")
           << rank << "; the result has rank " << result.getRank();
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t offset = getStaticOffsets()[dim], size = getStaticSizes()[dim],
            stride = getStaticStrides()[dim];
    if (!ShapedType::isDynamic(size) &&
        failed(verifyExtent(*this, result, dim, size, "its size")))
      return failure();
    int64_t bound = source.getExtentBound(dim);
    if (ShapedType::isDynamic(bound) || size == 0)
      continue;
    // Unknown numbers are taken as their least values.
    int64_t last = ShapedType::isDynamic(offset) ? 0 : offset, length = 0;
    bool overflow =
        !ShapedType::isDynamic(size) &&
        (llvm::MulOverflow(size - 1, ShapedType::isDynamic(stride) ? 1 : stride,
                           length) ||
         llvm::AddOverflow(last, length, last));
    if (overflow)
      return emitOpError("[R4-range] reads elements beyond 2^63 of dimension ")
             << dim << ", which has " << bound
             << "; the part must lie within the source";
    if (!ShapedType::isDynamic(size) && last >= bound)
      return emitOpError("[R4-range] reads element ")
             << last << " of dimension " << dim << ", which has " << bound
             << "; the part must lie within the source";
  }
  return success();
}

LogicalResult TakeOp::verify() {
  Type source = getArray().getType();
  unsigned rank = getArrayExtents(source).size();
  if (failed(verifyIndexList(*this, getStaticCounts(), getCounts(), rank,
                             "counts", 0)))
    return failure();
  if (getArrayExtents(getType()).size() != rank)
    return emitOpError("[R4-extents] keeps the rank, ")
           << rank << "; the result has rank "
           << getArrayExtents(getType()).size();
  for (auto [dim, count] : llvm::enumerate(getStaticCounts())) {
    if (ShapedType::isDynamic(count))
      continue;
    if (failed(verifyExtent(*this, getType(), dim, count, "its count")))
      return failure();
    int64_t bound = getArrayBound(source, dim);
    if (!ShapedType::isDynamic(bound) && count > bound)
      return emitOpError("[R4-range] takes ")
             << count << " elements of dimension " << dim << ", which has "
             << bound << "; take no more than there are";
  }
  return success();
}

LogicalResult SplitOp::verify() {
  PullType source = getArray().getType(), result = getType();
  unsigned rank = source.getRank();
  auto chunk = result.getElementTypes().size() == 1
                   ? dyn_cast<PullType>(result.getElementTypes()[0])
                   : PullType();
  if (!chunk || result.getRank() != rank || chunk.getRank() != rank)
    return emitOpError("[split-result] gives an array of arrays, each of rank ")
           << rank << ", as in !obs.pull<? x !obs.pull<512 x i32>>";
  if (failed(verifyElementTypes(*this, chunk.getElementTypes(),
                                source.getElementTypes(), "the chunk")) ||
      failed(verifyIndexList(*this, getStaticSizes(), getSizes(), rank, "sizes",
                             1)))
    return failure();
  if (!getPads().empty() &&
      failed(verifyElementTypes(*this, getPads().getTypes(),
                                source.getElementTypes(), "the pad list")))
    return failure();
  for (auto [dim, size] : llvm::enumerate(getStaticSizes())) {
    if (ShapedType::isDynamic(size))
      continue;
    if (failed(verifyExtent(*this, chunk, dim, size, "the chunk size")))
      return failure();
    int64_t extent = source.getExtents()[dim];
    if (ShapedType::isDynamic(extent))
      continue;
    if (getPads().empty() && extent % size != 0)
      return emitOpError("[R4-split] chunks of ")
             << size << " do not divide the extent " << extent
             << "; give a pad value for elements past the end";
    if (failed(verifyExtent(*this, result, dim,
                            llvm::divideCeilSigned(extent, size),
                            "the number of chunks")))
      return failure();
  }
  return success();
}

LogicalResult JoinOp::verify() {
  Type source = getArray().getType();
  if (failed(verifyKind(*this, source, getType())))
    return failure();
  ArrayRef<int64_t> extents = getArrayExtents(source);
  ArrayRef<Type> elements = getArrayElementTypes(source);
  unsigned rank = getArrayExtents(getType()).size();
  SmallVector<ExtentInfo> outer, inner;
  auto addExtents = [&](Type type, unsigned begin, unsigned count,
                        SmallVectorImpl<ExtentInfo> &list) {
    for (unsigned dim = begin; dim < begin + count; ++dim)
      list.push_back(getExtentInfo(type, dim));
  };
  auto chunk = dyn_cast<PullType>(elements[0]);
  if (chunk && elements.size() == 1 && chunk.getRank() == extents.size()) {
    addExtents(source, 0, extents.size(), outer);
    addExtents(chunk, 0, extents.size(), inner);
    elements = chunk.getElementTypes();
  } else if (!chunk && extents.size() % 2 == 0) {
    addExtents(source, 0, extents.size() / 2, outer);
    addExtents(source, extents.size() / 2, extents.size() / 2, inner);
  } else {
    return emitOpError("[join-source] needs an array of arrays of its own "
                       "rank, or an array of even rank, not ")
           << source;
  }
  if (rank != outer.size())
    return emitOpError("[R4-extents] gives rank ")
           << outer.size() << " but the result has rank " << rank;
  if (failed(verifyElementTypes(*this, getArrayElementTypes(getType()),
                                elements, "the result")))
    return failure();
  if (getStaticExtents() &&
      failed(verifyIndexList(*this, *getStaticExtents(), getExtents(), rank,
                             "extents", 0)))
    return failure();
  if (!getStaticExtents() && !getExtents().empty())
    return emitOpError("[index-list] has extents but no list of them");
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t product = getNumElements({outer[dim].extent, inner[dim].extent});
    int64_t wanted = getStaticExtents() ? (*getStaticExtents())[dim] : product;
    if (ShapedType::isDynamic(wanted))
      continue;
    if (failed(verifyExtent(*this, getType(), dim, wanted,
                            getStaticExtents() ? "its list of extents"
                                               : "gluing the chunks")))
      return failure();
    if (!ShapedType::isDynamic(product) && wanted > product)
      return emitOpError("[R4-range] cannot give ")
             << wanted << " elements in dimension " << dim
             << "; the chunks have " << product;
  }
  return success();
}

LogicalResult TransposeOp::verify() {
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  unsigned rank = getArrayExtents(getArray().getType()).size();
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return emitOpError("[transpose-permutation] needs each of the ")
           << rank << " dimensions exactly once";
  return success();
}

LogicalResult ReshapeOp::verify() {
  Type source = getArray().getType();
  if (failed(verifyDynamicExtents(*this, getType(), getExtents())))
    return failure();
  int64_t size = getNumElements(getArrayExtents(source));
  int64_t resultSize = getNumElements(getArrayExtents(getType()));
  if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(resultSize) &&
      size != resultSize)
    return emitOpError("[R4-size] the source has ")
           << size << " elements but the result has " << resultSize
           << "; a reshape keeps their number";
  return success();
}

static LogicalResult verifyRank(Operation *op, Type operand, size_t rank) {
  if (getArrayExtents(operand).size() == rank)
    return success();
  return op->emitOpError("[R4-extents] an operand has rank ")
         << getArrayExtents(operand).size() << " but the result has rank "
         << rank;
}

/// The common rules of concat and interleave: operands of the kind, rank and
/// element types of the result that agree with it in all but `dimension`.
static LogicalResult verifyPieces(Operation *op, ValueRange arrays, Type result,
                                  unsigned dimension) {
  if (failed(verifyNotEmpty(op, arrays)))
    return failure();
  size_t rank = getArrayExtents(result).size();
  Type first = arrays.front().getType();
  if (failed(verifyRank(op, first, rank)))
    return failure();
  for (Value array : arrays) {
    Type type = array.getType();
    if (failed(verifyKind(op, type, result)) ||
        failed(verifyElementTypes(op, getArrayElementTypes(type),
                                  getArrayElementTypes(result), "an operand")))
      return failure();
    if (failed(verifyRank(op, type, rank)))
      return failure();
    for (unsigned dim = 0; dim < rank; ++dim) {
      ExtentInfo extent = getExtentInfo(type, dim);
      if (dim != dimension &&
          (!extentsAgree(extent, getExtentInfo(result, dim)) ||
           !extentsAgree(extent, getExtentInfo(first, dim))))
        return op->emitOpError("[R4-extents] dimension ")
               << dim << " differs among the operands and the result; only "
               << "dimension " << dimension << " may";
    }
  }
  return success();
}

LogicalResult ConcatOp::verify() {
  if (failed(verifyDimension(*this, getType(), getDimension())) ||
      failed(verifyPieces(*this, getArrays(), getType(), getDimension())))
    return failure();
  int64_t sum = 0;
  for (Value array : getArrays()) {
    int64_t extent = getArrayExtents(array.getType())[getDimension()];
    if (ShapedType::isDynamic(extent) || llvm::AddOverflow(sum, extent, sum))
      return success();
  }
  return verifyExtent(*this, getType(), getDimension(), sum,
                      "the sum of the operands");
}

LogicalResult InterleaveOp::verify() {
  if (failed(verifyPieces(*this, getArrays(), getType(), 0)))
    return failure();
  Type first = getArrays().front().getType();
  for (Value array : getArrays())
    if (failed(verifySameExtents(*this, array.getType(), "an operand", first,
                                 "the first operand")))
      return failure();
  for (Value array : getArrays()) {
    int64_t extent = getArrayExtents(array.getType())[0], product = 0;
    int64_t count = getArrays().size();
    if (!ShapedType::isDynamic(extent) &&
        !llvm::MulOverflow(extent, count, product) &&
        failed(verifyExtent(*this, getType(), 0, product,
                            "interleaving the operands")))
      return failure();
  }
  return success();
}

LogicalResult ZipOp::verify() {
  for (Value array : getArrays())
    if (failed(verifySameExtents(*this, array.getType(), "an operand",
                                 getType(), "the result")))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

LogicalResult GetOp::verify() {
  PullType type = getArray().getType();
  if (size_t count = getIndices().size(); count != type.getRank())
    return emitOpError("[get-indices] has ")
           << count << (count == 1 ? " index" : " indices")
           << " for an array of rank " << type.getRank()
           << "; give one for each dimension";
  return success();
}

LogicalResult DimOp::verify() {
  return verifyDimension(*this, getArray().getType(), getDimension());
}
