//===- ObsPullInterfaces.cpp - Reads of elements and extents --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"

using namespace mlir;
using namespace mlir::obs;

/// An array over a region that `body` fills. Nested elements consist of these.
static Value
buildGenerate(OpBuilder &builder, Location loc, PullType type,
              ValueRange extents,
              function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto op = GenerateOp::create(builder, loc, type, extents);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(type.getRank(), builder.getIndexType());
  SmallVector<Location> locs(type.getRank(), loc);
  Block *block = builder.createBlock(&op.getBody(), {}, types, locs);
  YieldOp::create(builder, loc, body(builder, block->getArguments()));
  return op;
}

/// `condition ? then : otherwise`, where only the branch taken is evaluated.
static SmallVector<Value>
buildChoice(OpBuilder &builder, Location loc, Value condition,
            function_ref<SmallVector<Value>(OpBuilder &)> thenBody,
            function_ref<SmallVector<Value>(OpBuilder &)> elseBody) {
  auto op = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &b, Location l) {
        scf::YieldOp::create(b, l, thenBody(b));
      },
      [&](OpBuilder &b, Location l) {
        scf::YieldOp::create(b, l, elseBody(b));
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

Value ViewOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                          unsigned dim) {
  return memref::DimOp::create(builder, loc, getMemory().front(), dim);
}

SmallVector<Value> IotaOp::buildElement(OpBuilder &builder, Location loc,
                                        unsigned, ValueRange indices) {
  Type type = getType().getElementTypes().front();
  if (type.isIndex())
    return {indices.front()};
  return {builder.createOrFold<arith::IndexCastOp>(loc, type, indices.front())};
}

SmallVector<Value> SplatOp::buildElement(OpBuilder &, Location, unsigned,
                                         ValueRange) {
  return llvm::to_vector(getValues());
}

SmallVector<Value> GenerateOp::buildElement(OpBuilder &builder, Location,
                                            unsigned, ValueRange indices) {
  return cloneBody(builder, getBody(), indices);
}

//===----------------------------------------------------------------------===//
// map, reindex
//===----------------------------------------------------------------------===//

SmallVector<Value> MapOp::buildElement(OpBuilder &builder, Location loc,
                                       unsigned, ValueRange indices) {
  SmallVector<Value> elements;
  for (Value array : getArrays())
    llvm::append_range(elements, buildGet(builder, loc, array, indices));
  return cloneBody(builder, getBody(), elements);
}
Value MapOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                         unsigned dim) {
  // A push operand determines the written elements.
  for (Value array : getArrays())
    if (isa<PushType>(array.getType()))
      return obs::buildExtent(builder, loc, array, dim);
  for (Value array : getArrays())
    if (!ShapedType::isDynamic(getArrayExtents(array.getType())[dim]))
      return obs::buildExtent(builder, loc, array, dim);
  return obs::buildExtent(builder, loc, getArrays().front(), dim);
}

SmallVector<Value> ReindexOp::buildSource(OpBuilder &builder, Location,
                                          ValueRange indices) {
  return cloneBody(builder, getBody(), indices);
}

//===----------------------------------------------------------------------===//
// Named index maps
//===----------------------------------------------------------------------===//

/// True if the elements of an array of type `part`, a box in an array of type
/// `array`, are adjacent. After a dimension that is not whole, all dimensions
/// are whole. Before it, all have one element.
static bool isOneRun(Type part, Type array) {
  ArrayRef<int64_t> extents = getArrayExtents(part);
  ArrayRef<int64_t> whole = getArrayExtents(array);
  int d = extents.size() - 1;
  while (d > 0 && !ShapedType::isDynamic(extents[d]) && extents[d] == whole[d])
    --d;
  return llvm::all_of(extents.take_front(std::max(d, 0)),
                      [](int64_t extent) { return extent == 1; });
}

SmallVector<Value> ReverseOp::buildSource(OpBuilder &builder, Location loc,
                                          ValueRange indices) {
  IndexBuilder index{builder, loc};
  unsigned dim = getDimension();
  SmallVector<Value> source(indices);
  Value last = index.sub(obs::buildExtent(builder, loc, getArray(), dim),
                         index.constant(1));
  source[dim] = index.sub(last, source[dim]);
  return source;
}

SmallVector<Value> SliceOp::buildSource(OpBuilder &builder, Location loc,
                                        ValueRange indices) {
  IndexBuilder index{builder, loc};
  SmallVector<Value> offsets =
      buildMixed(builder, loc, getOffsets(), getStaticOffsets());
  SmallVector<Value> strides =
      buildMixed(builder, loc, getStrides(), getStaticStrides());
  SmallVector<Value> source;
  for (auto [i, offset, stride] : llvm::zip(indices, offsets, strides))
    source.push_back(index.add(offset, index.mul(i, stride)));
  return source;
}
Value SliceOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                           unsigned dim) {
  return buildMixed(builder, loc, getSizes(), getStaticSizes())[dim];
}
bool SliceOp::isContiguous() {
  return llvm::all_of(getStaticStrides(),
                      [](int64_t stride) { return stride == 1; }) &&
         isOneRun(getType(), getArray().getType());
}
SmallVector<Value> SliceOp::buildBegin(OpBuilder &builder, Location loc) {
  return buildMixed(builder, loc, getOffsets(), getStaticOffsets());
}

SmallVector<Value> TakeOp::buildSource(OpBuilder &, Location,
                                       ValueRange indices) {
  return llvm::to_vector(indices);
}
bool TakeOp::isContiguous() {
  return isOneRun(getType(), getArray().getType());
}
Value TakeOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                          unsigned dim) {
  return buildMixed(builder, loc, getCounts(), getStaticCounts())[dim];
}

bool SplitOp::mayPad(unsigned dim) {
  int64_t n = getArray().getType().getExtents()[dim];
  int64_t size = getStaticSizes()[dim];
  bool divides = !ShapedType::isDynamic(n) && !ShapedType::isDynamic(size) &&
                 size > 0 && n % size == 0;
  return !getPads().empty() && !divides;
}

SmallVector<Value> SplitOp::buildElement(OpBuilder &builder, Location loc,
                                         unsigned, ValueRange chunk) {
  auto inner = cast<PullType>(getType().getElementTypes().front());
  SmallVector<Value> sizes =
      buildMixed(builder, loc, getSizes(), getStaticSizes());
  SmallVector<Value> dynamicSizes;
  for (auto [extent, size] : llvm::zip(inner.getExtents(), sizes))
    if (ShapedType::isDynamic(extent))
      dynamicSizes.push_back(size);
  auto element = [&](OpBuilder &b, ValueRange indices) -> SmallVector<Value> {
    IndexBuilder index{b, loc};
    SmallVector<Value> position;
    Value inside;
    for (unsigned d = 0; d < indices.size(); ++d) {
      Value extent = obs::buildExtent(b, loc, getArray(), d);
      if (getStrided()) {
        Value chunks = index.ceilDiv(extent, sizes[d]);
        position.push_back(index.add(chunk[d], index.mul(indices[d], chunks)));
      } else {
        position.push_back(
            index.add(index.mul(chunk[d], sizes[d]), indices[d]));
      }
      if (!mayPad(d))
        continue;
      inside = index.both(inside, index.below(position[d], extent));
    }
    if (!inside)
      return buildGet(b, loc, getArray(), position);
    return buildChoice(
        b, loc, inside,
        [&](OpBuilder &then) {
          return buildGet(then, loc, getArray(), position);
        },
        [&](OpBuilder &) { return llvm::to_vector_of<Value>(getPads()); });
  };
  return {buildGenerate(builder, loc, inner, dynamicSizes, element)};
}
Value SplitOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                           unsigned dim) {
  IndexBuilder index{builder, loc};
  return index.ceilDiv(
      obs::buildExtent(builder, loc, getArray(), dim),
      buildMixed(builder, loc, getSizes(), getStaticSizes())[dim]);
}

/// Chunk counts and chunk extents of the operand of a join.
static void buildJoinExtents(JoinOp join, OpBuilder &builder, Location loc,
                             SmallVector<Value> &outer,
                             SmallVector<Value> &inner) {
  SmallVector<Value> extents = buildExtents(builder, loc, join.getArray());
  auto pull = dyn_cast<PullType>(join.getArray().getType());
  if (pull && pull.isNested()) {
    outer = extents;
    auto innerType = cast<PullType>(pull.getElementTypes().front());
    if (innerType.hasStaticExtents()) {
      for (int64_t extent : innerType.getExtents())
        inner.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
    } else {
      inner = buildExtents(builder, loc,
                           buildAnyElement(builder, loc, join.getArray()));
    }
    return;
  }
  unsigned rank = extents.size() / 2;
  outer.assign(extents.begin(), extents.begin() + rank);
  inner.assign(extents.begin() + rank, extents.end());
}

SmallVector<Value> JoinOp::buildElement(OpBuilder &builder, Location loc,
                                        unsigned, ValueRange indices) {
  IndexBuilder index{builder, loc};
  SmallVector<Value> outer, inner, chunk, element;
  buildJoinExtents(*this, builder, loc, outer, inner);
  for (auto [i, chunks, size] : llvm::zip(indices, outer, inner)) {
    Value divisor = getStrided() ? chunks : size;
    Value quotient = index.div(i, divisor), remainder = index.rem(i, divisor);
    chunk.push_back(getStrided() ? remainder : quotient);
    element.push_back(getStrided() ? quotient : remainder);
  }
  if (cast<PullType>(getArray().getType()).isNested())
    return buildGet(builder, loc,
                    buildGet(builder, loc, getArray(), chunk).front(), element);
  llvm::append_range(chunk, element);
  return buildGet(builder, loc, getArray(), chunk);
}
Value JoinOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                          unsigned dim) {
  if (std::optional<ArrayRef<int64_t>> extents = getStaticExtents())
    return buildMixed(builder, loc, getExtents(), *extents)[dim];
  SmallVector<Value> outer, inner;
  buildJoinExtents(*this, builder, loc, outer, inner);
  return IndexBuilder{builder, loc}.mul(outer[dim], inner[dim]);
}

SmallVector<Value> NestOp::buildElement(OpBuilder &builder, Location loc,
                                        unsigned, ValueRange outer) {
  auto inner = cast<PullType>(getType().getElementTypes().front());
  SmallVector<Value> extents;
  for (auto [d, extent] : llvm::enumerate(inner.getExtents()))
    if (ShapedType::isDynamic(extent))
      extents.push_back(
          obs::buildExtent(builder, loc, getArray(), outer.size() + d));
  return {buildGenerate(builder, loc, inner, extents,
                        [&](OpBuilder &b, ValueRange indices) {
                          SmallVector<Value> source(outer);
                          llvm::append_range(source, indices);
                          return buildGet(b, loc, getArray(), source);
                        })};
}

SmallVector<Value> UnnestOp::buildElement(OpBuilder &builder, Location loc,
                                          unsigned, ValueRange indices) {
  unsigned rank = getArrayExtents(getArray().getType()).size();
  Value inner =
      buildGet(builder, loc, getArray(), indices.take_front(rank)).front();
  return buildGet(builder, loc, inner, indices.drop_front(rank));
}
Value UnnestOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                            unsigned dim) {
  unsigned rank = getArrayExtents(getArray().getType()).size();
  if (dim < rank)
    return obs::buildExtent(builder, loc, getArray(), dim);
  return obs::buildExtent(
      builder, loc, buildAnyElement(builder, loc, getArray()), dim - rank);
}

SmallVector<Value> TransposeOp::buildSource(OpBuilder &, Location,
                                            ValueRange indices) {
  SmallVector<Value> source(indices.size());
  for (auto [d, p] : llvm::enumerate(getPermutation()))
    source[p] = indices[d];
  return source;
}
Value TransposeOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                               unsigned dim) {
  return obs::buildExtent(builder, loc, getArray(), getPermutation()[dim]);
}

/// The extents of an array result of this operation as values.
static SmallVector<Value> resultExtents(OpBuilder &builder, Location loc,
                                        Value result) {
  auto op = cast<ArrayOpInterface>(result.getDefiningOp());
  unsigned number = cast<OpResult>(result).getResultNumber();
  SmallVector<Value> extents;
  for (auto [d, extent] : llvm::enumerate(getArrayExtents(result.getType())))
    extents.push_back(
        ShapedType::isDynamic(extent)
            ? op.buildExtent(builder, loc, number, d)
            : Value(arith::ConstantIndexOp::create(builder, loc, extent)));
  return extents;
}

SmallVector<Value> ReshapeOp::buildSource(OpBuilder &builder, Location loc,
                                          ValueRange indices) {
  return IndexBuilder{builder, loc}.reshape(
      indices, resultExtents(builder, loc, getResult()),
      buildExtents(builder, loc, getArray()));
}
bool ReshapeOp::isContiguous() { return true; }

//===----------------------------------------------------------------------===//
// Several arrays
//===----------------------------------------------------------------------===//

/// Element of the first of `arrays` (with numbers from `first` on) for which
/// `inside` holds; the last one needs no test.
static SmallVector<Value> buildSelection(
    OpBuilder &builder, Location loc, ValueRange arrays, unsigned first,
    function_ref<Value(OpBuilder &, unsigned)> inside,
    function_ref<SmallVector<Value>(OpBuilder &, unsigned)> element) {
  if (first + 1 == arrays.size())
    return element(builder, first);
  return buildChoice(
      builder, loc, inside(builder, first),
      [&](OpBuilder &b) { return element(b, first); },
      [&](OpBuilder &b) {
        return buildSelection(b, loc, arrays, first + 1, inside, element);
      });
}

SmallVector<Value> ConcatOp::buildElement(OpBuilder &builder, Location loc,
                                          unsigned, ValueRange indices) {
  unsigned dim = getDimension();
  IndexBuilder outer{builder, loc};
  // The start of each array; ends[i] is the start of array i + 1.
  SmallVector<Value> starts{outer.constant(0)};
  for (Value array : getArrays().drop_back())
    starts.push_back(
        outer.add(starts.back(), obs::buildExtent(builder, loc, array, dim)));
  return buildSelection(
      builder, loc, getArrays(), 0,
      [&](OpBuilder &b, unsigned i) {
        return IndexBuilder{b, loc}.below(indices[dim], starts[i + 1]);
      },
      [&](OpBuilder &b, unsigned i) {
        SmallVector<Value> source(indices);
        source[dim] = IndexBuilder{b, loc}.sub(source[dim], starts[i]);
        return buildGet(b, loc, getArrays()[i], source);
      });
}
Value ConcatOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                            unsigned dim) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, getArrays().front(), dim);
  if (dim == getDimension())
    for (Value array : getArrays().drop_front())
      extent = index.add(extent, obs::buildExtent(builder, loc, array, dim));
  return extent;
}

SmallVector<Value> InterleaveOp::buildElement(OpBuilder &builder, Location loc,
                                              unsigned, ValueRange indices) {
  IndexBuilder index{builder, loc};
  Value count = index.constant(getArrays().size());
  Value which = index.rem(indices[0], count);
  SmallVector<Value> source(indices);
  source[0] = index.div(indices[0], count);
  return buildSelection(
      builder, loc, getArrays(), 0,
      [&](OpBuilder &b, unsigned i) {
        IndexBuilder index{b, loc};
        return index.equal(which, index.constant(i));
      },
      [&](OpBuilder &b, unsigned i) {
        return buildGet(b, loc, getArrays()[i], source);
      });
}
Value InterleaveOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                                unsigned dim) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, getArrays().front(), dim);
  if (dim == 0)
    extent = index.mul(extent, index.constant(getArrays().size()));
  return extent;
}

SmallVector<Value> ZipOp::buildElement(OpBuilder &builder, Location loc,
                                       unsigned, ValueRange indices) {
  SmallVector<Value> elements;
  for (Value array : getArrays())
    llvm::append_range(elements, buildGet(builder, loc, array, indices));
  return elements;
}

SmallVector<Value> UnzipOp::buildElement(OpBuilder &builder, Location loc,
                                         unsigned result, ValueRange indices) {
  return {buildGet(builder, loc, getArray(), indices)[result]};
}
