//===- Collectives.cpp - Folds and scans of whole arrays ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dimensions that an operation combines are moved to the end and joined.
// Then a vector is one collective at level grid, and the rows of other arrays
// are sub-programs. The length of the rows determines their level.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "RowLevels.h"

using namespace mlir;
using namespace mlir::obs;

/// All blocks share rows of this number of elements or more if there are few.
static constexpr int64_t longRow = 1 << 15;

/// A warp folds and scans rows of up to these numbers of elements. Its scans
/// are in shared memory, of which long rows leave too little for other warps.
static constexpr int64_t foldsOfWarp = 1024, scansOfWarp = 512;

/// The elements of an array whose columns are reduced in pieces.
static constexpr int64_t leastElements = 1 << 18;

/// The maximum number of components of the element that columns are joined to.
static constexpr int64_t maxComponents = 4;

/// The level of a row: a thread up to `ofThread` elements, a warp up to
/// `ofWarp` elements, else a block. If the length is dynamic, the level is
/// block.
static Level getRowLevel(Value array, int64_t ofThread, int64_t ofWarp) {
  ArrayRef<int64_t> extents = getArrayExtents(array.getType());
  int64_t length = getArrayBound(array.getType(), extents.size() - 1);
  if (ShapedType::isDynamic(length) || length > ofWarp)
    return Level::Block;
  ArrayRef<int64_t> outer = extents.drop_back();
  int64_t count = ShapedType::isDynamicShape(outer)
                      ? -1
                      : ShapedType::getNumElements(outer);
  if (ShapedType::isDynamic(extents.back()))
    count = 0;
  return isRowOfThread(length, count, ofThread) ? Level::Thread : Level::Warp;
}

static StringAttr getStrategy(ArrayBuilder &b,
                              const CollectiveOptions &options) {
  return options.strategy.empty() ? StringAttr()
                                  : b.getStringAttr(options.strategy);
}

SmallVector<Value> ArrayBuilder::distributePush(Extents extents, Level level,
                                                ScalarCode code) {
  SmallVector<Value> numbers;
  for (unsigned dim = 0, e = extents.size(); dim < e; ++dim)
    numbers.push_back(generate(
        extents, [&](ValueRange i) -> SmallVector<Value> { return {i[dim]}; }));
  Region region;
  SmallVector<Value> values =
      buildBlock(region, SmallVector<Type>(extents.size(), getIndexType()),
                 [&](ValueRange i) {
                   SmallVector<Value> arrays = code(i);
                   for (Value &array : arrays)
                     if (isa<PullType>(array.getType()))
                       array = PushOp::create(*this, level, array);
                   return arrays;
                 });
  auto outer = cast<PullType>(numbers.front().getType());
  SmallVector<Type> types;
  for (Value value : values) {
    auto inner = cast<PushType>(value.getType());
    auto join = [](auto a, auto b) {
      SmallVector<int64_t> both(a);
      both.append(b.begin(), b.end());
      return both;
    };
    SmallVector<int64_t> all = join(outer.getExtents(), inner.getExtents());
    SmallVector<int64_t> bounds =
        join(outer.getBoundedExtents(), inner.getBoundedExtents());
    if (bounds == all)
      bounds.clear();
    types.push_back(PushType::get(getContext(), Level::Grid, all, bounds,
                                  inner.getElementTypes()));
  }
  auto parts = DistributeOp::create(*this, types, numbers, level, Level::Grid);
  parts.getBody().takeBody(region);
  return llvm::to_vector_of<Value>(parts.getParts());
}

SmallVector<Value> ArrayBuilder::distribute(Extents extents, Level level,
                                            ScalarCode code) {
  SmallVector<Value> parts = distributePush(extents, level, code);
  return llvm::to_vector_of<Value>(
      ForceOp::create(*this, parts, ValueRange()).getResults());
}

Value ArrayBuilder::dropLast(Value array, Extents extents) {
  auto push = cast<PushType>(array.getType());
  ArrayRef<int64_t> bounds = push.getBounds();
  if (!bounds.empty())
    bounds = bounds.drop_back();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(extents, dynamic, statics);
  Region region;
  buildBlock(region, SmallVector<Type>(extents.size() + 1, getIndexType()),
             [&](ValueRange i) { return SmallVector<Value>(i.drop_back()); });
  auto place = ReindexOp::create(*this,
                                 PushType::get(getContext(), push.getLevel(),
                                               push.getExtents().drop_back(),
                                               bounds, push.getElementTypes()),
                                 array, dynamic, /*unchecked=*/false);
  place.getBody().takeBody(region);
  return place.getResult();
}

Value ArrayBuilder::getRow(Value array, ValueRange place) {
  unsigned rank = place.size();
  SmallVector<OpFoldResult> rest = getExtents(array);
  rest.erase(rest.begin(), rest.begin() + rank);
  return generate(rest, [&](ValueRange i) {
    SmallVector<Value> indices(place);
    llvm::append_range(indices, i);
    return get(array, indices);
  });
}

SmallVector<Value> ArrayBuilder::fold(Value vector, ValueRange init,
                                      ScalarCode combine, bool commutative) {
  ArrayRef<Type> element = getArrayElementTypes(vector.getType());
  Region region;
  buildOperator(region, element, combine);
  auto reduce =
      ReduceOp::create(*this, element, vector, init, LevelAttr(),
                       commutative ? getUnitAttr() : UnitAttr(), StringAttr());
  reduce.getBody().takeBody(region);
  return llvm::to_vector_of<Value>(reduce.getValues());
}

/// The dimensions of an array that are not in `dims`.
static SmallVector<int64_t> getOthers(Value array, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t d = 0, e = getArrayExtents(array.getType()).size(); d < e; ++d)
    if (!llvm::is_contained(dims, d))
      others.push_back(d);
  return others;
}

/// The number of elements of a piece of a column of `length` elements, of which
/// there are `count`, so that about `threads` threads have a piece. A multiple
/// of `steps`, or all elements.
static int64_t getPieceSize(int64_t length, int64_t count) {
  constexpr int64_t threads = 1 << 18, steps = 32;
  int64_t pieces = llvm::divideCeil(threads, count);
  return std::min<int64_t>(
      length, llvm::alignTo(llvm::divideCeil(length, pieces), steps));
}

Value ArrayBuilder::foldPieces(Value array, int64_t dim, int64_t size,
                               ValueRange init, ScalarCode combine,
                               const CollectiveOptions &options) {
  SmallVector<OpFoldResult> extents = getExtents(array);
  int64_t length = *getConstantIntValue(extents[dim]);
  bool isExact = length % size == 0;
  extents[dim] = getIndexAttr(llvm::divideCeil(length, size));
  Value sums =
      distributePush(
          extents, Level::Thread,
          [&](ValueRange i) -> SmallVector<Value> {
            Value first = mul(i[dim], getIndex(size));
            OpFoldResult count = getIndexAttr(size);
            if (!isExact)
              count = createOrFold<arith::MinUIOp>(
                  getIndex(size), sub(getIndex(length), first));
            SmallVector<Value> start(init), place(i);
            if (init.empty()) {
              // The first element is the start.
              place[dim] = first;
              start = get(array, place);
              Value one = getIndex(1);
              first = add(first, one);
              count = createOrFold<arith::SubIOp>(getIndex(count), one);
            }
            Value piece = generate({count}, [&](ValueRange k) {
              place[dim] = add(first, k[0]);
              return get(array, place);
            });
            return {splat(fold(piece, start, combine, options.commutative),
                          {getIndexAttr(1)})};
          })
          .front();
  return forceOne(dropLast(sums, extents));
}

Value ArrayBuilder::reduceColumns(Value array, unsigned firstColumn,
                                  ValueRange init, ArrayRef<int64_t> dims,
                                  ScalarCode combine,
                                  const CollectiveOptions &options) {
  SmallVector<OpFoldResult> extents = getExtents(array), outer(extents);
  outer.truncate(firstColumn);
  OpFoldResult count = getProduct(ArrayRef(extents).drop_front(firstColumn));
  unsigned columns = *getConstantIntValue(count), size = init.size();
  auto addColumns = [&](ArrayRef<OpFoldResult> places) {
    SmallVector<OpFoldResult> all(places);
    all.push_back(count);
    return all;
  };

  Value table = reshape(array, addColumns(outer));
  Value elements = generate(outer, [&](ValueRange i) {
    SmallVector<Value> element, place(i);
    place.emplace_back();
    for (unsigned c = 0; c < columns; ++c) {
      place.back() = getIndex(c);
      llvm::append_range(element, get(table, place));
    }
    return element;
  });
  SmallVector<Value> starts;
  for (unsigned c = 0; c < columns; ++c)
    llvm::append_range(starts, init);
  Value sums = reduce(
      elements, starts, dims,
      [&](ValueRange e) {
        SmallVector<Value> combined;
        for (unsigned c = 0; c < columns; ++c) {
          SmallVector<Value> both(e.slice(c * size, size));
          llvm::append_range(both, e.slice((columns + c) * size, size));
          llvm::append_range(combined, combine(both));
        }
        return combined;
      },
      options);

  SmallVector<OpFoldResult> kept;
  if (dims.size() < firstColumn)
    kept = getExtents(sums);
  Value result = generate(addColumns(kept), [&](ValueRange i) {
    SmallVector<Value> place(i.drop_back());
    if (place.empty())
      place.push_back(getIndex(0));
    SmallVector<Value> all = get(sums, place),
                       found(ArrayRef(all).take_front(size));
    for (unsigned c = 1; c < columns; ++c) {
      Value isColumn = compare(Order::EQ, i.back(), getIndex(c));
      for (unsigned k = 0; k < size; ++k)
        found[k] = select(isColumn, all[c * size + k], found[k]);
    }
    return found;
  });
  llvm::append_range(kept, ArrayRef(extents).drop_front(firstColumn));
  return reshape(result, kept);
}

Value ArrayBuilder::reduce(Value array, ValueRange init, ArrayRef<int64_t> dims,
                           ScalarCode combine,
                           const CollectiveOptions &options) {
  ArrayRef<Type> element = getArrayElementTypes(array.getType());
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  // Neighbouring dimensions are one.
  for (unsigned k = 1; k < sorted.size(); ++k)
    if (sorted[k] == sorted[k - 1] + 1) {
      SmallVector<OpFoldResult> joined = getExtents(array);
      joined[sorted[k]] =
          getProduct({joined[sorted[k - 1]], joined[sorted[k]]});
      joined.erase(joined.begin() + sorted[k - 1]);
      sorted.erase(sorted.begin() + k);
      for (int64_t &dim : MutableArrayRef(sorted).drop_front(k))
        --dim;
      return reduce(reshape(array, joined), init, sorted, combine, options);
    }
  SmallVector<int64_t> kept = getOthers(array, sorted), order(kept);
  // Rows of one element need no kernel of their own.
  if (sorted.size() == 1 && !kept.empty() && !options.level &&
      getArrayExtents(array.getType())[sorted.front()] == 1) {
    SmallVector<OpFoldResult> others = getExtents(array);
    others.erase(others.begin() + sorted.front());
    return generate(others, [&](ValueRange i) {
      SmallVector<Value> place(i), values(init);
      place.insert(place.begin() + sorted.front(), getIndex(0));
      llvm::append_range(values, get(array, place));
      return combine(values);
    });
  }
  llvm::append_range(order, sorted);
  bool isLastKept =
      !kept.empty() && !dims.empty() && kept.back() > sorted.back();
  auto source = cast<PullType>(array.getType());
  // Neighbouring elements of `side` columns belong to different results.
  unsigned firstColumn = dims.empty() ? 0 : sorted.back() + 1;
  ArrayRef<int64_t> columns = source.getExtents().drop_front(firstColumn);
  int64_t side = ShapedType::isDynamicShape(columns)
                     ? ShapedType::kDynamic
                     : ShapedType::getNumElements(columns);
  // One unit combines a few columns together: it reads whole pieces of memory,
  // and computes once what the columns share. Short columns stay separate,
  // because neighbouring threads combine them. So do the columns of one matrix
  // that is not long: they would need a second kernel.
  if (isLastKept && !options.level && source.hasStaticExtents()) {
    int64_t length = 1, components = element.size();
    for (int64_t dim : sorted)
      length *= source.getExtents()[dim];
    bool isLong =
        kept.size() > columns.size() ? length > shortRow : length >= longRow;
    if (isLong && side > 0 && side * components <= maxComponents &&
        canRepeat(array, side - 1))
      return reduceColumns(array, firstColumn, init, dims, combine, options);
  }
  // Neighbouring threads read neighbouring columns, each thread a piece of one
  // column.
  if (isLastKept && sorted.size() == 1 && options.neutral && !options.level &&
      side > 1 && source.hasStaticExtents()) {
    int64_t dim = sorted.front(), length = source.getExtents()[dim], count = 1;
    for (int64_t d : kept)
      count *= source.getExtents()[d];
    // A short reduction needs no second kernel.
    int64_t size = count > 0 && length >= leastElements / count
                       ? getPieceSize(length, count)
                       : length;
    if (size < length) {
      Value sums = foldPieces(array, dim, size, init, combine, options);
      CollectiveOptions ofRows = options;
      ofRows.level =
          getRowLevel(transpose(sums, order), stagedRow, foldsOfWarp);
      return reduce(sums, init, dim, combine, ofRows);
    }
  }
  Value rows = transpose(array, order);
  SmallVector<OpFoldResult> extents = getExtents(rows), outer(extents);
  outer.truncate(kept.size());
  SmallVector<OpFoldResult> flat(outer);
  flat.push_back(getProduct(ArrayRef(extents).drop_front(kept.size())));
  rows = reshape(rows, flat);

  Level level = options.level.value_or(
      kept.empty() ? Level::Grid : getRowLevel(rows, stagedRow, foldsOfWarp));
  // Neighbouring threads read neighbouring columns.
  auto count = getConstantIntValue(getProduct(outer));
  if (isLastKept && !options.level && count && *count >= 2048 &&
      (ShapedType::isDynamic(side) || side >= 16))
    level = Level::Thread;
  // If there are few long rows, all blocks combine them together: a block
  // combines a part of a row. If no number of parts divides the rows, or `init`
  // may be combined only once, the rows are segments.
  int64_t length = getConstantIntValue(flat.back()).value_or(0);
  StringAttr strategy = getStrategy(*this, options);
  if (!isLastKept && !kept.empty() && !options.level && count && *count <= 64 &&
      length >= longRow) {
    int64_t parts = 1;
    for (int64_t divisor = 2, last = std::min<int64_t>(length >> 12, 1024);
         divisor <= last; ++divisor)
      if (length % divisor == 0 && divisor * *count <= 1024)
        parts = divisor;
    if (options.neutral && parts > 1) {
      CollectiveOptions perBlock = options;
      perBlock.level = Level::Block;
      int64_t last = flat.size();
      Value sums = reduce(splitDim(rows, last - 1, parts), init, last, combine,
                          perBlock);
      return reduce(sums, init, last - 1, combine, options);
    }
    level = Level::Grid;
    if (!strategy)
      strategy = getStringAttr("one_pass");
  }

  if (level == Level::Grid && kept.empty()) {
    Region region;
    buildOperator(region, element, combine);
    auto type = PushType::get(getContext(), Level::Grid, {1}, element);
    auto sum =
        ReduceOp::create(*this, TypeRange(type), rows, init,
                         LevelAttr::get(getContext(), Level::Grid),
                         options.commutative ? getUnitAttr() : UnitAttr(),
                         getStrategy(*this, options));
    sum.getBody().takeBody(region);
    return forceOne(sum.getValues().front());
  }
  if (level == Level::Grid) {
    OpFoldResult number = getProduct(outer);
    Value length = getIndex(flat.back());
    Value one = getIndex(1);
    OpFoldResult limits = createOrFold<arith::AddIOp>(getIndex(number), one);
    if (auto known = getConstantIntValue(number))
      limits = getIndexAttr(*known + 1);
    Value offsets = generate(limits, [&](ValueRange i) -> SmallVector<Value> {
      return {mul(i[0], length)};
    });
    Region region;
    buildOperator(region, element, combine);
    auto type = PushType::get(
        getContext(), Level::Grid,
        {getConstantIntValue(number).value_or(ShapedType::kDynamic)}, element);
    auto sums = SegmentedReduceOp::create(
        *this, type, reshape(rows, getProduct(flat)), init, offsets,
        ValueRange(), Level::Grid, options.commutative, strategy);
    sums.getBody().takeBody(region);
    return reshape(forceOne(sums.getResult()), outer);
  }
  if (kept.empty())
    outer.push_back(getIndexAttr(1));
  Value sums =
      distributePush(outer, level, [&](ValueRange i) -> SmallVector<Value> {
        Value row = kept.empty() ? rows : getRow(rows, i);
        return {splat(fold(row, init, combine, options.commutative),
                      {getIndexAttr(1)})};
      }).front();
  return forceOne(dropLast(sums, outer));
}

/// The operation on two elements with the same values in the other order.
static SmallVector<Value> flip(ValueRange both) {
  SmallVector<Value> flipped(both.drop_front(both.size() / 2));
  llvm::append_range(flipped, both.take_front(both.size() / 2));
  return flipped;
}

Value ArrayBuilder::scanRow(Value row, ValueRange init, Level level,
                            bool exclusive, ScalarCode combine,
                            const CollectiveOptions &options) {
  ArrayRef<Type> element = getArrayElementTypes(row.getType());
  Region region;
  buildOperator(region, element, combine);
  auto like = cast<PullType>(row.getType());
  auto scan =
      ScanOp::create(*this,
                     PushType::get(getContext(), level, like.getExtents(),
                                   like.getBounds(), element),
                     TypeRange(), row, init, level, exclusive, /*total=*/false,
                     options.commutative, getStrategy(*this, options));
  scan.getBody().takeBody(region);
  return scan.getResult();
}

Value ArrayBuilder::scanPieces(Value array, ValueRange init, int64_t dim,
                               int64_t size, bool exclusive, ScalarCode combine,
                               const CollectiveOptions &options) {
  SmallVector<OpFoldResult> extents = getExtents(array), tiles(extents);
  unsigned rank = extents.size();
  Value length = getIndex(extents[dim]);
  int64_t pieces = llvm::divideCeil(*getConstantIntValue(extents[dim]), size);
  bool isExact = pieces * size == *getConstantIntValue(extents[dim]);
  Value starts;
  if (pieces > 1) {
    // The pieces are read twice.
    if (!canRepeat(array, 1))
      array = store(array).front();
    Value sums = foldPieces(array, dim, size, init, combine, options);
    SmallVector<int64_t> order = getOthers(sums, dim);
    order.push_back(dim);
    CollectiveOptions ofRows = options;
    ofRows.level = getRowLevel(transpose(sums, order), stagedScan, scansOfWarp);
    starts = scan(sums, init, dim, /*exclusive=*/!init.empty(),
                  /*reverse=*/false, combine, ofRows);
  }

  tiles[dim] = getIndexAttr(pieces);
  SmallVector<int64_t> inTile(rank, 1);
  inTile[dim] = size;
  auto scanPiece = [&](ValueRange i) -> SmallVector<Value> {
    SmallVector<Value> place(i), start(init);
    if (starts && !init.empty())
      start = get(starts, i);
    Value first = mul(i[dim], getIndex(size));
    // The last piece may be shorter. Nothing uses its last results then.
    auto getElement = [&](Value k) {
      place[dim] = add(first, k);
      if (isExact)
        return get(array, place);
      return choose(
          compare(Order::LT, place[dim], length),
          [&] { return get(array, place); },
          [&] {
            if (!init.empty())
              return SmallVector<Value>(init);
            place[dim] = first;
            return get(array, place);
          });
    };
    // Without an initial value, the first element stands before the scan.
    bool isSeparate = starts && init.empty();
    if (isSeparate) {
      Value zero = getIndex(0);
      SmallVector<Value> element = getElement(zero);
      start = choose(
          compare(Order::GT, i[dim], zero),
          [&] {
            SmallVector<Value> before(i);
            before[dim] = sub(i[dim], getIndex(1));
            SmallVector<Value> both = get(starts, before);
            llvm::append_range(both, element);
            return combine(both);
          },
          [&] { return element; });
    }
    Value piece =
        generate({getIndexAttr(size - isSeparate)}, [&](ValueRange k) {
          return getElement(isSeparate ? add(k[0], getIndex(1)) : k[0]);
        });
    Value scanned =
        scanRow(piece, start, Level::Thread, exclusive, combine, options);
    if (isSeparate) {
      Value first =
          PushOp::create(*this, Level::Thread, splat(start, {getIndexAttr(1)}));
      scanned = ConcatOp::create(*this, ValueRange{first, scanned}, 0);
    }
    Region region;
    buildBlock(region, getIndexType(), [&](ValueRange k) {
      SmallVector<Value> at(rank, getIndex(0));
      at[dim] = k[0];
      return at;
    });
    auto tile =
        ReindexOp::create(*this,
                          PushType::get(getContext(), Level::Thread, inTile, {},
                                        getArrayElementTypes(array.getType())),
                          scanned, ValueRange(), /*unchecked=*/false);
    tile.getBody().takeBody(region);
    return {tile.getResult()};
  };
  Value parts = distributePush(tiles, Level::Thread, scanPiece).front();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(extents, dynamic, statics);
  return JoinOp::create(*this, parts, dynamic, getDenseI64ArrayAttr(statics),
                        UnitAttr());
}

Value ArrayBuilder::scan(Value array, ValueRange init, int64_t dim,
                         bool exclusive, bool reverse, ScalarCode combine,
                         const CollectiveOptions &options) {
  auto flipped = [&](ValueRange both) { return combine(flip(both)); };
  ScalarCode ordered = combine;
  if (reverse) {
    array = this->reverse(array, dim);
    ordered = flipped;
  }
  auto finish = [&](Value scanned, int64_t dim) {
    if (reverse)
      scanned = ReverseOp::create(*this, scanned, dim);
    return forceOne(scanned);
  };
  auto source = cast<PullType>(array.getType());
  int64_t last = source.getExtents().size() - 1;
  if (dim != last && (options.neutral || init.empty()) && !options.level &&
      source.hasStaticExtents()) {
    // Neighbouring threads read neighbouring columns, each thread a piece of
    // one column.
    int64_t length = source.getExtents()[dim], count = 1;
    for (int64_t d : getOthers(array, dim))
      count *= source.getExtents()[d];
    if (count > 0 && length > 0)
      return finish(scanPieces(array, init, dim, getPieceSize(length, count),
                               exclusive, ordered, options),
                    dim);
  }

  SmallVector<int64_t> order = getOthers(array, dim);
  order.push_back(dim);
  Value rows = transpose(array, order), scanned;
  Level level = options.level.value_or(
      last ? getRowLevel(rows, stagedScan, scansOfWarp) : Level::Grid);
  if (last && level == Level::Grid)
    level = Level::Block;
  if (level == Level::Grid) {
    scanned = scanRow(rows, init, level, exclusive, ordered, options);
  } else {
    SmallVector<OpFoldResult> extents = getExtents(rows);
    if (!last) {
      extents.insert(extents.begin(), getIndexAttr(1));
      rows = reshape(rows, extents);
    }
    scanned = distributePush(ArrayRef(extents).drop_back(), level,
                             [&](ValueRange i) -> SmallVector<Value> {
                               return {scanRow(getRow(rows, i), init, level,
                                               exclusive, ordered, options)};
                             })
                  .front();
  }
  scanned = finish(scanned, getArrayExtents(scanned.getType()).size() - 1);
  if (last + 1 !=
      static_cast<int64_t>(getArrayExtents(scanned.getType()).size()))
    return reshape(scanned, getExtents(array));
  SmallVector<int64_t> back(order.size());
  for (auto [place, from] : llvm::enumerate(order))
    back[from] = place;
  return transpose(scanned, back);
}
