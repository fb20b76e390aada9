//===- ObsTypeInference.cpp - Result types of obs ops ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function returns the most precise type that follows from operands,
// attributes and regions. It returns some type for operands that break a rule:
// the verifier then names the rule. It fails only if there is no type at all.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// Without a location, the caller does not expect errors.
static InFlightDiagnostic emitErrorOf(TypeInference in) {
  return in.loc ? mlir::emitError(*in.loc) : InFlightDiagnostic();
}

namespace {
/// Extents and bounds of the array type that is inferred.
class Shape {
public:
  Shape() = default;
  explicit Shape(Type array) {
    for (unsigned dim = 0, e = getArrayExtents(array).size(); dim < e; ++dim)
      add(array, dim);
  }

  /// A dimension of `extent`, or, if that is kDynamic, of at most `bound`
  /// elements. A number that is no extent counts as not known.
  void add(int64_t extent, int64_t bound = ShapedType::kDynamic) {
    extents.push_back(extent < 0 ? ShapedType::kDynamic : extent);
    bounds.push_back(extent >= 0  ? extent
                     : bound >= 0 ? bound
                                  : ShapedType::kDynamic);
  }
  /// Dimension `dim` of `array`.
  void add(Type array, unsigned dim) {
    add(getArrayExtents(array)[dim], getArrayBound(array, dim));
  }
  /// Replaces dimension `dim`.
  void set(unsigned dim, int64_t extent, int64_t bound) {
    Shape one;
    one.add(extent, bound);
    extents[dim] = one.extents.front();
    bounds[dim] = one.bounds.front();
  }
  unsigned getRank() const { return extents.size(); }

  /// Adds the array type of these extents to the types: a push type of `level`,
  /// or a pull type. Fails, with an error, if an array cannot have the
  /// elements.
  LogicalResult infer(TypeInference in, std::optional<Level> level,
                      ArrayRef<Type> elements) const {
    SmallVector<int64_t> known;
    for (auto [extent, bound] : llvm::zip_equal(extents, bounds))
      if (ShapedType::isDynamic(extent) && !ShapedType::isDynamic(bound))
        known = bounds;
    auto emit = [&] { return emitErrorOf(in); };
    if (level)
      in.types.push_back(PushType::getChecked(
          emit, in.context, *level, ArrayRef<int64_t>(extents),
          ArrayRef<int64_t>(known), elements));
    else
      in.types.push_back(
          PullType::getChecked(emit, in.context, ArrayRef<int64_t>(extents),
                               ArrayRef<int64_t>(known), elements));
    return success(in.types.back() != nullptr);
  }
  /// The same for an array of the kind of `array`.
  LogicalResult inferLike(TypeInference in, Type array,
                          ArrayRef<Type> elements) const {
    auto push = dyn_cast<PushType>(array);
    return infer(in, push ? std::optional(push.getLevel()) : std::nullopt,
                 elements);
  }
  /// The same for a pull array of pull arrays with the extents of `inner`.
  LogicalResult inferNested(TypeInference in, const Shape &inner,
                            ArrayRef<Type> elements) const {
    SmallVector<Type, 1> type;
    if (failed(inner.infer({in.context, in.loc, type}, std::nullopt, elements)))
      return failure();
    return infer(in, std::nullopt, type);
  }

private:
  SmallVector<int64_t> extents, bounds;
};
} // namespace

/// Emits an error unless `type` is an array type; one of a pull array if
/// `isPull`.
static LogicalResult requireArray(TypeInference in, Type type,
                                  bool isPull = true) {
  if (isa<PullType>(type) || (!isPull && isa<PushType>(type)))
    return success();
  return emitOptionalError(in.loc, "expected a ",
                           isPull ? "pull" : "pull or push",
                           " array type, not ", type);
}

LogicalResult ViewOp::inferTypes(TypeInference in, Adaptor adaptor) {
  SmallVector<Type> elements;
  for (Type type : adaptor.getMemory().getTypes())
    if (auto memory = dyn_cast<BaseMemRefType>(type))
      elements.push_back(memory.getElementType());
  auto first = adaptor.getMemory().empty()
                   ? MemRefType()
                   : dyn_cast<MemRefType>(adaptor.getMemory()[0].getType());
  if (!first || first.getRank() == 0)
    return emitOptionalError(
        in.loc, "[view-memory] needs ranked memrefs of at least one dimension");
  // The verifier of the type reports errors in the bounds.
  auto emit = [&] { return emitErrorOf(in); };
  in.types.push_back(
      PullType::getChecked(emit, in.context, first.getShape(),
                           adaptor.getBounds().value_or(ArrayRef<int64_t>()),
                           ArrayRef<Type>(elements)));
  return success(in.types.back() != nullptr);
}

LogicalResult ConstantOp::inferTypes(TypeInference in, Adaptor adaptor) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type || type.getRank() == 0)
    return emitOptionalError(in.loc,
                             "[constant-type] needs a tensor literal of "
                             "at least one dimension");
  Shape shape;
  for (int64_t extent : type.getShape())
    shape.add(extent);
  return shape.infer(in, std::nullopt, type.getElementType());
}

LogicalResult TransposeOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (failed(requireArray(in, adaptor.getArray().getType(), /*isPull=*/false)))
    return failure();
  Type type = adaptor.getArray().getType();
  ArrayRef<int64_t> extents = getArrayExtents(type);
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, extents.size())))
    return emitOptionalError(in.loc,
                             "[transpose-permutation] needs each of the ",
                             extents.size(), " dimensions exactly once");
  Shape shape;
  for (int64_t dim : permutation)
    shape.add(type, dim);
  return shape.inferLike(in, type, getArrayElementTypes(type));
}

/// The type with the most information on the extents that `arrays` share: that
/// of the first array with static extents.
static Type getMostKnown(ValueRange arrays) {
  for (Type type : arrays.getTypes())
    if (!ShapedType::isDynamicShape(getArrayExtents(type)))
      return type;
  return arrays.front().getType();
}

LogicalResult ZipOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (adaptor.getArrays().empty())
    return emitOptionalError(in.loc, "[no-arrays] needs at least one array");
  SmallVector<Type> elements;
  for (Type type : adaptor.getArrays().getTypes())
    llvm::append_range(elements, getArrayElementTypes(type));
  return Shape(getMostKnown(adaptor.getArrays()))
      .infer(in, std::nullopt, elements);
}

LogicalResult UnzipOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (failed(requireArray(in, adaptor.getArray().getType())))
    return failure();
  auto type = cast<PullType>(adaptor.getArray().getType());
  for (Type element : type.getElementTypes())
    in.types.push_back(PullType::get(in.context, type.getExtents(),
                                     type.getBounds(), element));
  return success();
}

LogicalResult GetOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (failed(requireArray(in, adaptor.getArray().getType())))
    return failure();
  auto type = cast<PullType>(adaptor.getArray().getType());
  size_t count = adaptor.getIndices().size(), rank = type.getRank();
  // The types of a text in which a row is taken for an element disagree, so the
  // parser has to say this, before the verifier.
  if (count != rank)
    return emitOptionalError(
        in.loc, "[get-indices] has ", count, count == 1 ? " index" : " indices",
        " for an array of rank ", rank, "; give one for each dimension",
        count < rank && count > 0
            ? ", or read a row of an obs.nest of the array"
            : "");
  llvm::append_range(in.types, type.getElementTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

/// Entry `dim` of a list of constants; kDynamic if there is none.
static int64_t getEntry(ArrayRef<int64_t> list, unsigned dim) {
  return dim < list.size() ? list[dim] : ShapedType::kDynamic;
}

/// The product of two extents; kDynamic if one is unknown or missing.
static int64_t multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (a < 0 || b < 0 || llvm::MulOverflow(a, b, product))
    return ShapedType::kDynamic;
  return product;
}

/// The number of pieces of `size` that hold `extent` elements; kDynamic if one
/// is not known.
static int64_t countPieces(int64_t extent, int64_t size) {
  if (extent < 0 || size < 1)
    return ShapedType::kDynamic;
  return llvm::divideCeilSigned(extent, size);
}

LogicalResult SliceOp::inferTypes(TypeInference in, Adaptor adaptor) {
  Type source = adaptor.getArray().getType();
  Shape shape;
  for (unsigned dim = 0, e = getArrayExtents(source).size(); dim < e; ++dim)
    // The part lies within the source.
    shape.add(getEntry(adaptor.getStaticSizes(), dim),
              countPieces(getArrayBound(source, dim),
                          getEntry(adaptor.getStaticStrides(), dim)));
  return shape.inferLike(in, source, getArrayElementTypes(source));
}

LogicalResult TakeOp::inferTypes(TypeInference in, Adaptor adaptor) {
  Type source = adaptor.getArray().getType();
  Shape shape;
  for (unsigned dim = 0, e = getArrayExtents(source).size(); dim < e; ++dim)
    shape.add(getEntry(adaptor.getStaticCounts(), dim),
              getArrayBound(source, dim));
  return shape.inferLike(in, source, getArrayElementTypes(source));
}

LogicalResult SplitOp::inferTypes(TypeInference in, Adaptor adaptor) {
  Type source = adaptor.getArray().getType();
  Shape chunks, chunk;
  for (unsigned dim = 0, e = getArrayExtents(source).size(); dim < e; ++dim) {
    int64_t size = getEntry(adaptor.getStaticSizes(), dim);
    int64_t bound = getArrayBound(source, dim);
    chunk.add(size);
    // A chunk has an element at least.
    chunks.add(countPieces(getArrayExtents(source)[dim], size),
               ShapedType::isDynamic(size) ? bound : countPieces(bound, size));
  }
  return chunks.inferNested(in, chunk, getArrayElementTypes(source));
}

LogicalResult JoinOp::inferTypes(TypeInference in, Adaptor adaptor) {
  Type source = adaptor.getArray().getType();
  ArrayRef<Type> elements = getArrayElementTypes(source);
  Type chunk = elements.front();
  unsigned rank = getArrayExtents(source).size(), first = 0;
  if (!isa<PullType>(chunk) && rank % 2 != 0)
    return emitOptionalError(in.loc,
                             "[join-source] needs an array of arrays of its "
                             "own rank, or an array of even rank, not ",
                             source);
  if (isa<PullType>(chunk)) {
    elements = getArrayElementTypes(chunk);
    rank = std::min<unsigned>(rank, getArrayExtents(chunk).size());
  } else {
    // The last half of the dimensions are those of a chunk.
    chunk = source;
    first = rank /= 2;
  }
  Shape shape;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t product = multiply(getArrayExtents(source)[dim],
                               getArrayExtents(chunk)[first + dim]);
    int64_t bound =
        multiply(getArrayBound(source, dim), getArrayBound(chunk, first + dim));
    if (adaptor.getStaticExtents())
      product = getEntry(*adaptor.getStaticExtents(), dim);
    shape.add(product, bound);
  }
  return shape.inferLike(in, source, elements);
}

LogicalResult NestOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (failed(requireArray(in, adaptor.getArray().getType())))
    return failure();
  Type source = adaptor.getArray().getType();
  int64_t rank = getArrayExtents(source).size(), dims = adaptor.getDims();
  if (dims < 1 || dims >= rank)
    return emitOptionalError(in.loc, "[nest-dims] keeps ", dims,
                             " dimensions outside of the elements; an array of "
                             "rank ",
                             rank, " can keep 1 to ", rank - 1);
  Shape outer, inner;
  for (int64_t dim = 0; dim < rank; ++dim)
    (dim < dims ? outer : inner).add(source, dim);
  return outer.inferNested(in, inner, getArrayElementTypes(source));
}

LogicalResult UnnestOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (failed(requireArray(in, adaptor.getArray().getType())))
    return failure();
  Type source = adaptor.getArray().getType();
  ArrayRef<Type> elements = getArrayElementTypes(source);
  auto inner = dyn_cast<PullType>(elements.front());
  if (!inner || elements.size() != 1)
    return emitOptionalError(
        in.loc, "[unnest-source] needs an array of arrays, not ", source);
  Shape shape(source);
  for (unsigned dim = 0; dim < inner.getRank(); ++dim)
    shape.add(inner, dim);
  return shape.infer(in, std::nullopt, inner.getElementTypes());
}

LogicalResult ConcatOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (adaptor.getArrays().empty())
    return emitOptionalError(in.loc, "[no-arrays] needs at least one array");
  Type first = adaptor.getArrays().front().getType();
  Shape shape(first);
  int64_t dim = adaptor.getDimension(), extent = 0, bound = 0;
  auto add = [](int64_t &sum, int64_t more) {
    if (sum < 0 || more < 0 || llvm::AddOverflow(sum, more, sum))
      sum = ShapedType::kDynamic;
  };
  for (Type type : adaptor.getArrays().getTypes()) {
    if (dim < 0 || dim >= static_cast<int64_t>(getArrayExtents(type).size()))
      return shape.inferLike(in, first, getArrayElementTypes(first));
    add(extent, getArrayExtents(type)[dim]);
    add(bound, getArrayBound(type, dim));
  }
  if (dim < shape.getRank())
    shape.set(dim, extent, bound);
  return shape.inferLike(in, first, getArrayElementTypes(first));
}

LogicalResult InterleaveOp::inferTypes(TypeInference in, Adaptor adaptor) {
  if (adaptor.getArrays().empty())
    return emitOptionalError(in.loc, "[no-arrays] needs at least one array");
  Type type = getMostKnown(adaptor.getArrays());
  Shape shape(type);
  int64_t count = adaptor.getArrays().size();
  shape.set(0, multiply(getArrayExtents(type).front(), count),
            multiply(getArrayBound(type, 0), count));
  return shape.inferLike(in, type, getArrayElementTypes(type));
}

//===----------------------------------------------------------------------===//
// Functions of elements
//===----------------------------------------------------------------------===//

/// The yield of the region of an operation on arrays; null, after an error, if
/// it does not end with one, or if there are no arrays.
template <typename Adaptor>
static YieldOp getYield(TypeInference in, Adaptor adaptor) {
  if (adaptor.getArrays().empty()) {
    (void)emitOptionalError(in.loc, "[no-arrays] needs at least one array");
    return {};
  }
  Region *body = adaptor.getRegions().front();
  if (!body->empty() && !body->front().empty())
    if (auto yield = dyn_cast<YieldOp>(body->front().back()))
      return yield;
  (void)emitOptionalError(in.loc,
                          "[region-yield] the region must end with obs.yield");
  return {};
}

LogicalResult MapOp::inferTypes(TypeInference in, Adaptor adaptor) {
  YieldOp yield = getYield(in, adaptor);
  if (!yield)
    return failure();
  Type kind = adaptor.getArrays().front().getType();
  for (Type type : adaptor.getArrays().getTypes())
    if (isa<PushType>(type))
      kind = type;
  return Shape(getMostKnown(adaptor.getArrays()))
      .inferLike(in, kind, llvm::to_vector(yield.getValues().getTypes()));
}

//===----------------------------------------------------------------------===//
// Programs of a level
//===----------------------------------------------------------------------===//

/// The result is a push array of `level` like `source`.
static LogicalResult inferPushed(TypeInference in, std::optional<Level> level,
                                 Type source) {
  return Shape(source).infer(in, level, getArrayElementTypes(source));
}

LogicalResult PushOp::inferTypes(TypeInference in, Adaptor adaptor) {
  return inferPushed(in, adaptor.getLevel(), adaptor.getArray().getType());
}

LogicalResult DistributeOp::inferTypes(TypeInference in, Adaptor adaptor) {
  YieldOp yield = getYield(in, adaptor);
  if (!yield)
    return failure();
  for (Type part : yield.getValues().getTypes()) {
    Shape shape(getMostKnown(adaptor.getArrays()));
    auto push = dyn_cast<PushType>(part);
    if (!push)
      return emitOptionalError(in.loc, "[R1-yield] a distribute ",
                               stringifyLevel(adaptor.getLevel()),
                               " yields push arrays of that level, not ", part);
    for (unsigned dim = 0; dim < push.getRank(); ++dim)
      shape.add(part, dim);
    if (failed(shape.infer(in, adaptor.getOuter(), push.getElementTypes())))
      return failure();
  }
  return success();
}

LogicalResult ForceOp::inferTypes(TypeInference in, Adaptor adaptor) {
  for (Type type : adaptor.getArrays().getTypes())
    in.types.push_back(isa<PushType>(type) ? cast<PushType>(type).getPullType()
                                           : type);
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferTypes(TypeInference in, Adaptor adaptor) {
  ArrayRef<Type> elements = getArrayElementTypes(adaptor.getArray().getType());
  if (!adaptor.getLevel()) {
    llvm::append_range(in.types, elements);
    return success();
  }
  Shape shape;
  shape.add(1);
  return shape.infer(in, adaptor.getLevel(), elements);
}

LogicalResult ScanOp::inferTypes(TypeInference in, Adaptor adaptor) {
  Type source = adaptor.getArray().getType();
  if (failed(inferPushed(in, adaptor.getLevel(), source)))
    return failure();
  if (adaptor.getTotal())
    llvm::append_range(in.types, getArrayElementTypes(source));
  return success();
}

LogicalResult SegmentedScanOp::inferTypes(TypeInference in, Adaptor adaptor) {
  return inferPushed(in, adaptor.getLevel(), adaptor.getArray().getType());
}

LogicalResult SegmentedReduceOp::inferTypes(TypeInference in, Adaptor adaptor) {
  Type segments = adaptor.getSegments().getType();
  Shape shape;
  if (!getArrayElementTypes(segments).front().isInteger(1)) {
    int64_t offsets = getArrayExtents(segments).front();
    int64_t bound = getArrayBound(segments, 0);
    shape.add(offsets - (offsets > 0), bound - (bound > 0));
  } else if (!adaptor.getExtents().empty()) {
    shape.add(ShapedType::kDynamic);
  } else {
    return emitOptionalError(
        in.loc,
        "[segment-extent] the number of segments does not follow from "
        "flags; give it in brackets, or the type of the result after ->");
  }
  return shape.infer(in, adaptor.getLevel(),
                     getArrayElementTypes(adaptor.getArray().getType()));
}
