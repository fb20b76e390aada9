//===- ObsVerifiers.cpp - Verifiers of sources and index maps -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of ObsSourceOps.td and ObsIndexOps.td. Every diagnostic starts
// with the label of its rule in docs/Spec.md and ends with a correction of the
// program.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexBijections.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Verification.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

/// Product of extents; kDynamic if one is unknown or the product overflows.
static int64_t getNumElements(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  if (llvm::is_contained(extents, 0))
    return 0;
  for (int64_t extent : extents)
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(product, extent, product))
      return ShapedType::kDynamic;
  return product;
}

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

LogicalResult obs::detail::refuseExpansion(Operation *op) {
  return op->emitOpError("[no-expansion] does not implement expand of "
                         "ExpandableOpInterface, which replaces it by core "
                         "operations");
}

LogicalResult obs::detail::verifyExpandable(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<PullType, PushType>(type) && !isa<ArrayOpInterface>(op) &&
        llvm::any_of(getArrayExtents(type), ShapedType::isDynamic))
      return op->emitOpError("[array-extents] makes an array of dynamic "
                             "extents, but does not implement "
                             "ArrayOpInterface, which builds them");
  for (Type type : op->getResultTypes())
    if (auto push = dyn_cast<PushType>(type);
        push && failed(verifyStandsAt(op, push.getLevel(), "makes")))
      return failure();
  return success();
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
// Sources
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto first = cast<MemRefType>(getMemory().front().getType());
  for (Value memory : getMemory()) {
    auto type = cast<MemRefType>(memory.getType());
    if (!type.getLayout().isIdentity())
      return emitOpError("[view-memory] ")
             << type << " has a layout; copy it to a memref without one";
    if (type.getShape() != first.getShape())
      return emitOpError(
                 "[R4-extents] memrefs of one view have one shape, but ")
             << type << " and " << first << " differ";
  }
  return success();
}

LogicalResult PartOp::verify() {
  auto from = cast<MemRefType>(getMemory().getType());
  auto to = cast<MemRefType>(getType());
  if (!from.getLayout().isIdentity() || !to.getLayout().isIdentity() ||
      from.getElementType() != to.getElementType() ||
      from.getMemorySpace() != to.getMemorySpace())
    return emitOpError("[part-memory] ")
           << to << " is not a part of " << from
           << "; they differ in extents alone and have no layout";
  if (static_cast<size_t>(to.getNumDynamicDims()) != getExtents().size())
    return emitOpError("[part-memory] ")
           << to << " has " << to.getNumDynamicDims()
           << " dynamic extents, but " << getExtents().size() << " are given";
  return success();
}

LogicalResult ConstantOp::verify() {
  constexpr int64_t maxTable = int64_t(1) << 24;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(getValue())) {
    if (dense.getNumElements() <= maxTable)
      return success();
    return emitOpError("[constant-size] is a table of more than 2^24 "
                       "elements; compute them, or give them as an argument");
  }
  return emitOpError("[constant-value] needs a dense literal of numbers, as in "
                     "dense<[1, 2]> : tensor<2xi32>");
}

LogicalResult IotaOp::verify() {
  PullType type = getType();
  if (type.getRank() != 1 || type.getElementTypes().size() != 1 ||
      !type.getElementTypes()[0].isIntOrIndex())
    return emitOpError("[iota-type] is one-dimensional and of one integer or "
                       "index type; use obs.generate for ")
           << type;
  return verifyDynamicExtents(*this, type, getExtents());
}

LogicalResult SplatOp::verify() {
  if (failed(verifyElementTypes(*this, getValues().getTypes(),
                                getType().getElementTypes(), "the value list")))
    return failure();
  return verifyDynamicExtents(*this, getType(), getExtents());
}

LogicalResult GenerateOp::verify() {
  SmallVector<Type> indices(getType().getRank(), IndexType::get(getContext()));
  if (failed(verifyBody(*this, getBody(), indices, /*yields=*/true)))
    return failure();
  return verifyDynamicExtents(*this, getType(), getExtents());
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

/// True if the definition of `array` reaches itself: code that a region without
/// dominance allows, and through which one cannot recurse.
static bool isCyclic(Value array) {
  llvm::SmallPtrSet<Operation *, 16> done;
  SmallVector<std::pair<Operation *, bool>> stack;
  llvm::SmallPtrSet<Operation *, 16> onPath;
  if (Operation *op = array.getDefiningOp())
    stack.push_back({op, false});
  while (!stack.empty()) {
    auto [op, leave] = stack.pop_back_val();
    if (leave) {
      onPath.erase(op);
      done.insert(op);
      continue;
    }
    if (done.contains(op))
      continue;
    if (!onPath.insert(op).second)
      return true;
    stack.push_back({op, true});
    auto follow = [&](Value operand) {
      Operation *next = operand.getDefiningOp();
      if (!isa<PushType>(operand.getType()) || !next || done.contains(next))
        return false;
      if (onPath.contains(next))
        return true;
      stack.push_back({next, false});
      return false;
    };
    for (Value operand : op->getOperands())
      if (follow(operand))
        return true;
    // A distribute depends on the arrays that it yields, and a fill on the
    // arrays that it puts.
    bool leadsBack = false;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          leadsBack |= follow(operand);
      });
    if (leadsBack)
      return true;
  }
  return false;
}

/// True if every element of the push array `array` has a value for any
/// writes of its program. The program is known.
static bool hasAllElements(Value array) {
  Operation *op = array.getDefiningOp();
  auto haveAll = [](ValueRange arrays) {
    return llvm::all_of(arrays, [](Value source) {
      return !isa<PushType>(source.getType()) || hasAllElements(source);
    });
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([](FillOp fill) {
        // An unchecked fill is taken to write all elements.
        bool writesAll =
            fill.getContract() == Contract::Disjoint && fill.getUnchecked();
        return writesAll || !fill.getInit().empty() || fill.getOnto();
      })
      .Case<CompactOp, ExpandOp, ScatterOp>([&](auto irregular) {
        return array != irregular.getResult() || !irregular.getInit().empty();
      })
      .Case([&](DistributeOp distribute) {
        YieldOp yield = cast<YieldOp>(distribute.getBody().front().back());
        return haveAll(
            yield.getValues()[cast<OpResult>(array).getResultNumber()]);
      })
      .Default([&](Operation *) { return haveAll(op->getOperands()); });
}

/// True if the program of the push array `array` writes initial contents, too.
static bool hasInitialContents(Value array) {
  auto haveAny = [](auto &&arrays) {
    return llvm::any_of(arrays, [](Value source) {
      return isa<PushType>(source.getType()) && hasInitialContents(source);
    });
  };
  Operation *op = array.getDefiningOp();
  if (!op)
    return false;
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](FillOp fill) {
        SmallVector<Value> puts;
        fill.getBody().walk([&](PutOp put) { puts.push_back(put.getArray()); });
        return !fill.getInit().empty() || fill.getOnto() || haveAny(puts);
      })
      .Case<CompactOp, ExpandOp, ScatterOp>([&](auto irregular) {
        return array == irregular.getResult() && !irregular.getInit().empty();
      })
      .Case([&](DistributeOp distribute) {
        YieldOp yield = cast<YieldOp>(distribute.getBody().front().back());
        return hasInitialContents(
            yield.getValues()[cast<OpResult>(array).getResultNumber()]);
      })
      .Default([&](Operation *) { return haveAny(op->getOperands()); });
}

LogicalResult verification::verifyPutOnce(PutOp put, FillOp fill) {
  Value array = put.getArray();
  if (fill.getContract() == Contract::Disjoint)
    return success();
  if (!isCyclic(array) && getWeakestContract(array) == Contract::Disjoint &&
      !hasInitialContents(array))
    return success();
  return put.emitOpError("[R7-final] puts an array into a fill of contract ")
         << stringifyContract(fill.getContract())
         << ", which requires that each element is written once, but this "
            "array has initial contents or its own contract; force it first, "
            "and put a push of the result";
}

/// Values that writes of contract `reduce` combine are stored before `op`
/// changes them. Emits `[R7-final]` and `[R2-bounded]` unless that is possible.
static LogicalResult verifyCombined(MapOp op, Value array) {
  auto type = cast<PushType>(array.getType());
  if (!hasAllElements(array))
    return op.emitOpError(
        "[R7-final] maps values that writes of contract reduce combine, but "
        "elements without a write have no value; give the fill or scatter init "
        "or onto");
  if (type.getLevel() != Level::Grid && !type.isBounded())
    return op.emitOpError(
        "[R2-bounded] maps values that writes of contract reduce combine, and "
        "stores them before, but their number is not bounded; give the array a "
        "bound, as in ? x f32 bound [1024]");
  return success();
}

/// Emits `[R7-final]` unless the program of `array` is known, and
/// `[R7-contract]` if `any` of several writes would give parts of several.
static LogicalResult verifyMapped(MapOp op, Value array) {
  std::optional<Contract> contract;
  if (array.getDefiningOp() && !isCyclic(array))
    contract = getWeakestContract(array);
  if (!contract)
    return op.emitOpError("[R7-final] maps a push array whose program is not "
                          "known; apply the map where the array is made");
  switch (*contract) {
  case Contract::Disjoint:
    return success();
  case Contract::Any:
    return verifyContract(op, *contract, Attribute(),
                          getArrayElementTypes(op.getType()));
  case Contract::Reduce:
    return verifyCombined(op, array);
  }
  llvm_unreachable("unknown contract");
}

LogicalResult MapOp::verify() {
  if (failed(verifyNotEmpty(*this, getArrays())))
    return failure();
  SmallVector<Type> elements;
  PushType push;
  for (Value array : getArrays()) {
    llvm::append_range(elements, getArrayElementTypes(array.getType()));
    auto type = dyn_cast<PushType>(array.getType());
    if (push && type)
      return emitOpError("[map-push] has several push operands; at most one "
                         "can drive the loop: force the others");
    if (type)
      push = type;
  }
  for (Value array : getArrays())
    if (failed(verifySameExtents(*this, array.getType(), "an operand",
                                 getType(), "the result")) ||
        failed(verifySameExtents(*this, array.getType(), "an operand",
                                 getArrays().front().getType(),
                                 "the first operand")))
      return failure();
  auto result = dyn_cast<PushType>(getType());
  if (static_cast<bool>(push) != static_cast<bool>(result) ||
      (push && push.getLevel() != result.getLevel()))
    return emitOpError("[array-kind] ")
           << (push ? "of a push array is a push array of the same level"
                    : "of pull arrays is a pull array")
           << ", not " << getType();
  return verifyBody(*this, getBody(), elements, /*yields=*/true);
}

LogicalResult MapOp::verifyRegions() {
  for (Value array : getArrays())
    if (isa<PushType>(array.getType()) && failed(verifyMapped(*this, array)))
      return failure();
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
