//===- ArrayBuilder.cpp - Elementwise functions and index maps ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that store nothing. StoreArrays.cpp decides which arrays are
// stored.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// Scalars and extents
//===----------------------------------------------------------------------===//

OpFoldResult ArrayBuilder::getExtent(Value array, unsigned dim) {
  int64_t extent = getArrayExtents(array.getType())[dim];
  if (!ShapedType::isDynamic(extent))
    return getIndexAttr(extent);
  // The operation that built the array has the extents, so the array is not
  // read.
  while (auto map = array.getDefiningOp<MapOp>())
    array = map.getArrays().front();
  if (auto same = array.getDefiningOp<SplatOp>()) {
    auto before = getArrayExtents(same.getType()).take_front(dim);
    return same.getExtents()[llvm::count_if(before, ShapedType::isDynamic)];
  }
  return createOrFold<DimOp>(array, dim);
}

SmallVector<OpFoldResult> ArrayBuilder::getExtents(Value array) {
  SmallVector<OpFoldResult> extents;
  for (unsigned dim = 0, e = getArrayExtents(array.getType()).size(); dim < e;
       ++dim)
    extents.push_back(getExtent(array, dim));
  return extents;
}

OpFoldResult ArrayBuilder::getProduct(Extents extents) {
  int64_t known = 1;
  Value rest;
  for (OpFoldResult extent : extents) {
    if (auto number = getConstantIntValue(extent))
      known *= *number;
    else if (!rest)
      rest = cast<Value>(extent);
    else
      rest = mul(rest, cast<Value>(extent));
  }
  if (!rest || !known)
    return getIndexAttr(known);
  return known == 1 ? rest : mul(rest, getIndex(known));
}

SmallVector<Value> ArrayBuilder::get(Value array, ValueRange indices) {
  return buildGet(*this, getLoc(), array, indices);
}

//===----------------------------------------------------------------------===//
// Elementwise functions and sources
//===----------------------------------------------------------------------===//

SmallVector<Value> ArrayBuilder::buildBlock(Region &region, TypeRange arguments,
                                            ScalarCode code) {
  OpBuilder::InsertionGuard guard(*this);
  Block *block = createBlock(&region, region.end(), arguments,
                             SmallVector<Location>(arguments.size(), getLoc()));
  SmallVector<Value> values = code(block->getArguments());
  YieldOp::create(*this, values);
  return values;
}

SmallVector<Value> ArrayBuilder::buildOperator(Region &region,
                                               TypeRange element,
                                               ScalarCode code) {
  SmallVector<Type> both(element);
  llvm::append_range(both, element);
  return buildBlock(region, both, code);
}

/// The pull type with some extents. Dynamic extents have the bounds of the
/// arrays that they are extents of.
static PullType getPullType(MLIRContext *context,
                            ArrayRef<OpFoldResult> extents,
                            TypeRange elements) {
  SmallVector<int64_t> statics, bounds;
  bool isBounded = false;
  for (OpFoldResult extent : extents) {
    auto number = getConstantIntValue(extent);
    statics.push_back(number.value_or(ShapedType::kDynamic));
    bounds.push_back(statics.back());
    if (number)
      continue;
    if (auto dim = cast<Value>(extent).getDefiningOp<DimOp>())
      bounds.back() =
          getArrayBound(dim.getArray().getType(), dim.getDimension());
    isBounded |= !ShapedType::isDynamic(bounds.back());
  }
  if (!isBounded)
    bounds.clear();
  return PullType::get(context, statics, bounds, SmallVector<Type>(elements));
}

/// The values of the extents that are not static.
static SmallVector<Value> getDynamic(ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> dynamic;
  for (OpFoldResult extent : extents)
    if (!getConstantIntValue(extent))
      dynamic.push_back(cast<Value>(extent));
  return dynamic;
}

/// The numbers of a mixed list, with kDynamic for each value. `dynamic` is set
/// to the values.
static SmallVector<int64_t> getStatic(ArrayRef<OpFoldResult> numbers,
                                      SmallVectorImpl<Value> &dynamic) {
  dynamic = getDynamic(numbers);
  return llvm::map_to_vector(numbers, [](OpFoldResult number) {
    return getConstantIntValue(number).value_or(ShapedType::kDynamic);
  });
}

Value ArrayBuilder::map(ValueRange arrays, ScalarCode code) {
  SmallVector<Type> components;
  for (Value array : arrays)
    llvm::append_range(components, getArrayElementTypes(array.getType()));
  Region region;
  SmallVector<Value> values = buildBlock(region, components, code);
  // The array with the most static extents and bounds.
  Value known = arrays.front();
  for (Value array : arrays)
    if (!ShapedType::isDynamicShape(getArrayExtents(array.getType()))) {
      known = array;
      break;
    }
  auto like = cast<PullType>(known.getType());
  auto type = PullType::get(getContext(), like.getExtents(), like.getBounds(),
                            SmallVector<Type>(ValueRange(values).getTypes()));
  auto map = MapOp::create(*this, type, arrays);
  map.getBody().takeBody(region);
  return map.getResult();
}

Value ArrayBuilder::mapElements(ValueRange operands, Extents extents,
                                ScalarCode code) {
  bool isOne = extents.size() == 1 && isOneInteger(extents.front());
  SmallVector<Value> arrays, scalars;
  for (Value operand : operands) {
    auto same = operand.getDefiningOp<SplatOp>();
    Value value = same ? same.getValues().front() : operand;
    auto type = dyn_cast<PullType>(value.getType());
    bool isElement = type && type.getExtents().size() == extents.size() &&
                     (isOne || type.getExtents() != ArrayRef<int64_t>(1));
    scalars.push_back(isElement ? Value() : value);
    if (isElement)
      arrays.push_back(value);
  }
  auto build = [&](ValueRange elements) {
    SmallVector<Value> values;
    auto next = elements.begin();
    for (Value scalar : scalars)
      values.push_back(!scalar ? *next++
                       : isa<PullType>(scalar.getType())
                           ? getOne(scalar, getIndex(0))
                           : scalar);
    return code(values);
  };
  return arrays.empty()
             ? generate(extents, [&](ValueRange) { return build({}); })
             : map(arrays, build);
}

Value ArrayBuilder::generate(Extents extents, ScalarCode code) {
  Region region;
  SmallVector<Type> indices(extents.size(), getIndexType());
  SmallVector<Value> values = buildBlock(region, indices, code);
  auto generate = GenerateOp::create(
      *this, getPullType(getContext(), extents, ValueRange(values).getTypes()),
      getDynamic(extents));
  generate.getBody().takeBody(region);
  return limitReads(generate.getResult());
}

Value ArrayBuilder::splat(ValueRange element, Extents extents) {
  return SplatOp::create(*this,
                         getPullType(getContext(), extents, element.getTypes()),
                         element, getDynamic(extents));
}

Value ArrayBuilder::zip(ValueRange arrays) {
  return arrays.size() == 1 ? arrays.front()
                            : ZipOp::create(*this, arrays).getResult();
}

SmallVector<Value> ArrayBuilder::unzip(Value array) {
  if (getArrayElementTypes(array.getType()).size() == 1)
    return {array};
  return llvm::to_vector_of<Value>(UnzipOp::create(*this, array).getParts());
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

Value ArrayBuilder::gather(Value array, Extents extents, ScalarCode place) {
  if (auto same = array.getDefiningOp<SplatOp>())
    return splat(same.getValues(), extents);
  Region region;
  SmallVector<Type> indices(extents.size(), getIndexType());
  buildBlock(region, indices, place);
  auto reindex = ReindexOp::create(
      *this,
      getPullType(getContext(), extents, getArrayElementTypes(array.getType())),
      array, getDynamic(extents), /*unchecked=*/false);
  reindex.getBody().takeBody(region);
  return limitReads(reindex.getResult());
}

Value ArrayBuilder::broadcast(Value array, Extents extents,
                              ArrayRef<int64_t> dims) {
  auto source = cast<PullType>(array.getType()).getExtents();
  auto repeats = [&](unsigned d) {
    return source[d] == 1 && getConstantIntValue(extents[dims[d]]) != 1;
  };
  bool isSame = dims.size() == extents.size();
  for (auto [d, dim] : llvm::enumerate(dims))
    isSame &= dim == static_cast<int64_t>(d) && !repeats(d);
  bool isOne = source.size() == 1 && source.front() == 1 &&
               extents.size() == 1 && getConstantIntValue(extents.front()) == 1;
  if (isSame || isOne)
    return array;
  return gather(array, extents, [&](ValueRange i) {
    SmallVector<Value> place;
    for (unsigned d = 0, e = source.size(); d < e; ++d)
      place.push_back(d >= dims.size() || repeats(d) ? getIndex(0)
                                                     : i[dims[d]]);
    return place;
  });
}

Value ArrayBuilder::transpose(Value array, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return array;
  return limitReads(TransposeOp::create(*this, array, permutation));
}

Value ArrayBuilder::reshape(Value array, Extents extents) {
  auto source = cast<PullType>(array.getType());
  PullType type = getPullType(getContext(), extents, source.getElementTypes());
  if (type.getExtents() == source.getExtents() && type.hasStaticExtents())
    return array;
  if (auto same = array.getDefiningOp<SplatOp>())
    return splat(same.getValues(), extents);
  return ReshapeOp::create(*this, type, array, getDynamic(extents));
}

Value ArrayBuilder::splitDim(Value array, int64_t dim, int64_t parts) {
  int64_t size = getArrayExtents(array.getType())[dim] / parts;
  SmallVector<OpFoldResult> extents = getExtents(array);
  extents[dim] = getIndexAttr(size);
  extents.insert(extents.begin() + dim, getIndexAttr(parts));
  return gather(array, extents, [&](ValueRange i) {
    SmallVector<Value> place(i);
    place[dim + 1] = add(mul(place[dim], getIndex(size)), place[dim + 1]);
    place.erase(place.begin() + dim);
    return place;
  });
}

Value ArrayBuilder::slice(Value array, Extents offsets, Extents sizes,
                          ArrayRef<int64_t> strides) {
  if (auto same = array.getDefiningOp<SplatOp>())
    return splat(same.getValues(), sizes);
  SmallVector<Value> starts, counts;
  SmallVector<int64_t> staticStarts = getStatic(offsets, starts);
  SmallVector<int64_t> staticCounts = getStatic(sizes, counts);
  return limitReads(SliceOp::create(*this, array, starts, counts, ValueRange(),
                                    staticStarts, staticCounts, strides));
}

Value ArrayBuilder::reverse(Value array, ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    array = limitReads(ReverseOp::create(*this, array, dim));
  return array;
}

Value ArrayBuilder::concat(ValueRange arrays, int64_t dim) {
  if (arrays.size() == 1)
    return arrays.front();
  return limitReads(ConcatOp::create(*this, arrays, dim));
}

SmallVector<Value>
ArrayBuilder::readPadded(Value array, ValueRange places,
                         ArrayRef<int64_t> holes,
                         llvm::function_ref<SmallVector<Value>()> padding) {
  SmallVector<Value> indices;
  Value zero = getIndex(0), isInside;
  auto require = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    Value holds = arith::CmpIOp::create(*this, predicate, a, b);
    isInside = both(isInside, holds);
  };
  for (auto [d, place] : llvm::enumerate(places)) {
    Value index = place;
    if (holes[d]) {
      Value distance = getIndex(holes[d] + 1);
      require(arith::CmpIPredicate::eq,
              arith::RemSIOp::create(*this, place, distance), zero);
      index = arith::FloorDivSIOp::create(*this, place, distance);
    }
    require(arith::CmpIPredicate::sge, index, zero);
    require(arith::CmpIPredicate::slt, index, getIndex(getExtent(array, d)));
    indices.push_back(index);
  }
  return choose(isInside, [&] { return get(array, indices); }, padding);
}

SmallVector<Value>
ArrayBuilder::choose(Value condition,
                     llvm::function_ref<SmallVector<Value>()> then,
                     llvm::function_ref<SmallVector<Value>()> otherwise) {
  return llvm::to_vector_of<Value>(
      scf::IfOp::create(
          *this, condition,
          [&](OpBuilder &, Location) { scf::YieldOp::create(*this, then()); },
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(*this, otherwise());
          })
          .getResults());
}

Value ArrayBuilder::pad(Value array, Extents low, Extents high,
                        ArrayRef<int64_t> holes, ScalarCode element) {
  auto isCut = [](OpFoldResult number) {
    return getConstantIntValue(number).value_or(1) <= 0;
  };
  bool hasHoles = llvm::any_of(holes, [](int64_t n) { return n != 0; });
  if (!hasHoles && llvm::all_of(low, isZeroInteger) &&
      llvm::all_of(high, isZeroInteger))
    return array;
  SmallVector<OpFoldResult> extents, starts;
  for (auto [d, extent] : llvm::enumerate(getExtents(array))) {
    auto known = getConstantIntValue(extent),
         before = getConstantIntValue(low[d]),
         after = getConstantIntValue(high[d]);
    starts.push_back(before ? OpFoldResult(getIndexAttr(-*before)) : low[d]);
    if (known && before && after) {
      // Without elements there are no holes, either.
      int64_t inside = *known ? *known * (holes[d] + 1) - holes[d] : 0;
      extents.push_back(
          getIndexAttr(std::max<int64_t>(inside + *before + *after, 0)));
      continue;
    }
    Value scaled =
        createOrFold<arith::MulIOp>(getIndex(extent), getIndex(holes[d] + 1));
    Value holed = createOrFold<arith::MaxSIOp>(
        createOrFold<arith::SubIOp>(scaled, getIndex(holes[d])), getIndex(0));
    Value added =
        createOrFold<arith::AddIOp>(getIndex(low[d]), getIndex(high[d]));
    extents.push_back(createOrFold<arith::MaxSIOp>(
        createOrFold<arith::AddIOp>(holed, added), getIndex(0)));
  }
  if (!hasHoles && llvm::all_of(low, isCut) && llvm::all_of(high, isCut) &&
      getDynamic(extents).empty() &&
      llvm::none_of(extents, [](OpFoldResult n) { return isZeroInteger(n); }))
    return slice(array, starts, extents,
                 SmallVector<int64_t>(extents.size(), 1));
  return generate(extents, [&](ValueRange i) {
    SmallVector<Value> places;
    for (auto [index, before] : llvm::zip_equal(i, low))
      places.push_back(createOrFold<arith::SubIOp>(index, getIndex(before)));
    return readPadded(array, places, holes, [&] { return element(i); });
  });
}

Value ArrayBuilder::windows(Value array, ValueRange padding,
                            ArrayRef<WindowDim> dims) {
  auto counts =
      llvm::map_to_vector(dims, [](const WindowDim &dim) { return dim.count; });
  auto sizes =
      llvm::map_to_vector(dims, [](const WindowDim &dim) { return dim.size; });
  auto holes =
      llvm::map_to_vector(dims, [](const WindowDim &dim) { return dim.holes; });
  return generate(counts, [&](ValueRange i) -> SmallVector<Value> {
    return {generate(sizes, [&](ValueRange k) {
      SmallVector<Value> places;
      for (auto [d, dim] : llvm::enumerate(dims)) {
        Value start = createOrFold<arith::MulIOp>(i[d], getIndex(dim.stride));
        Value offset =
            createOrFold<arith::MulIOp>(k[d], getIndex(dim.dilation));
        places.push_back(createOrFold<arith::SubIOp>(
            createOrFold<arith::AddIOp>(start, offset), getIndex(dim.low)));
      }
      if (padding.empty())
        return get(array, places);
      return readPadded(array, places, holes,
                        [&] { return SmallVector<Value>(padding); });
    })};
  });
}
