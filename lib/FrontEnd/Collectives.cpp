//===- Collectives.cpp - Folds, scans and products of whole arrays --------===//
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

using namespace mlir;
using namespace mlir::obs;

/// The level of a row: a thread for short rows, a warp up to 1024 elements,
/// else a block. If the length is dynamic, the level is block.
static Level getRowLevel(Value array) {
  int64_t length = getArrayBound(array.getType(),
                                 getArrayExtents(array.getType()).size() - 1);
  if (ShapedType::isDynamic(length) || length > 1024)
    return Level::Block;
  return length <= 8 ? Level::Thread : Level::Warp;
}

static StringAttr getStrategy(ArrayBuilder &b, const Choice &choice) {
  return choice.strategy.empty() ? StringAttr()
                                 : b.getStringAttr(choice.strategy);
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
  SmallVector<Type> both(element);
  llvm::append_range(both, element);
  Region region;
  buildBlock(region, both, combine);
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

int64_t ArrayBuilder::countParts(int64_t length, int64_t count, int64_t side) {
  constexpr int64_t threads = 1 << 16, least = 1 << 18;
  int64_t parts = 1;
  // With few neighbouring results, a warp would use a small part of the data
  // that it loads, and a short reduction needs no second kernel.
  if (side < 16 || count == 0 || length < least / count)
    return parts;
  for (int64_t divisor = 2; divisor <= std::min(length / 8, threads); ++divisor)
    if (length % divisor == 0 && parts * count < threads)
      parts = divisor;
  return parts;
}

Value ArrayBuilder::reduce(Value array, ValueRange init, ArrayRef<int64_t> dims,
                           ScalarCode combine, const Choice &choice) {
  ArrayRef<Type> element = getArrayElementTypes(array.getType());
  SmallVector<Type> both(element);
  llvm::append_range(both, element);

  SmallVector<int64_t> kept = getOthers(array, dims), order(kept);
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  llvm::append_range(order, sorted);
  bool isLastKept =
      !kept.empty() && !dims.empty() && kept.back() > sorted.back();
  auto source = cast<PullType>(array.getType());
  // Neighbouring threads read neighbouring columns, each thread a part of one
  // column.
  if (isLastKept && sorted.size() == 1 && choice.neutral && !choice.level &&
      source.hasStaticExtents()) {
    int64_t dim = sorted.front(), length = source.getExtents()[dim], count = 1;
    for (int64_t d : kept)
      count *= source.getExtents()[d];
    int64_t parts = countParts(length, count, source.getExtents().back());
    if (parts > 1) {
      SmallVector<OpFoldResult> extents = getExtents(array);
      extents[dim] = getIndexAttr(length / parts);
      extents.insert(extents.begin() + dim, getIndexAttr(parts));
      Choice perThread = choice;
      perThread.level = Level::Thread;
      Value sums =
          reduce(reshape(array, extents), init, dim + 1, combine, perThread);
      return reduce(sums, init, dim, combine, choice);
    }
  }
  Value rows = transpose(array, order);
  SmallVector<OpFoldResult> extents = getExtents(rows), outer(extents);
  outer.truncate(kept.size());
  SmallVector<OpFoldResult> flat(outer);
  flat.push_back(getProduct(ArrayRef(extents).drop_front(kept.size())));
  rows = reshape(rows, flat);

  Level level =
      choice.level.value_or(kept.empty() ? Level::Grid : getRowLevel(rows));
  // Neighbouring threads read neighbouring columns.
  auto count = getConstantIntValue(getProduct(outer));
  if (isLastKept && !choice.level && count && *count >= 2048)
    level = Level::Thread;
  // If there are few long rows, all blocks combine them together.
  if (!isLastKept && !choice.level && count && *count <= 64 &&
      getConstantIntValue(flat.back()).value_or(0) >= 1 << 15)
    level = Level::Grid;

  if (level == Level::Grid && kept.empty()) {
    Region region;
    buildBlock(region, both, combine);
    auto type = PushType::get(getContext(), Level::Grid, {1}, element);
    auto sum = ReduceOp::create(*this, TypeRange(type), rows, init,
                                LevelAttr::get(getContext(), Level::Grid),
                                choice.commutative ? getUnitAttr() : UnitAttr(),
                                getStrategy(*this, choice));
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
      return {arith::MulIOp::create(*this, i[0], length)};
    });
    Region region;
    buildBlock(region, both, combine);
    auto type = PushType::get(
        getContext(), Level::Grid,
        {getConstantIntValue(number).value_or(ShapedType::kDynamic)}, element);
    auto sums = SegmentedReduceOp::create(
        *this, type, reshape(rows, getProduct(flat)), init, offsets,
        ValueRange(), Level::Grid, choice.commutative,
        getStrategy(*this, choice));
    sums.getBody().takeBody(region);
    return reshape(forceOne(sums.getResult()), outer);
  }
  if (kept.empty())
    outer.push_back(getIndexAttr(1));
  Value sums =
      distributePush(outer, level, [&](ValueRange i) -> SmallVector<Value> {
        Value row = kept.empty() ? rows : getRow(rows, i);
        return {splat(fold(row, init, combine, choice.commutative),
                      {getIndexAttr(1)})};
      }).front();
  // Each row has one element.
  auto push = cast<PushType>(sums.getType());
  SmallVector<int64_t> bounds;
  if (!push.getBounds().empty())
    bounds.assign(push.getBounds().drop_back().begin(),
                  push.getBounds().drop_back().end());
  SmallVector<Value> dynamic;
  for (OpFoldResult extent : outer)
    if (auto value = dyn_cast<Value>(extent))
      dynamic.push_back(value);
  Region region;
  buildBlock(region, SmallVector<Type>(outer.size() + 1, getIndexType()),
             [&](ValueRange i) { return SmallVector<Value>(i.drop_back()); });
  auto place = ReindexOp::create(*this,
                                 PushType::get(getContext(), Level::Grid,
                                               push.getExtents().drop_back(),
                                               bounds, push.getElementTypes()),
                                 sums, dynamic, /*unchecked=*/false);
  place.getBody().takeBody(region);
  return forceOne(place.getResult());
}

Value ArrayBuilder::scan(Value array, ValueRange init, int64_t dim,
                         bool exclusive, bool reverse, ScalarCode combine,
                         const Choice &choice) {
  ArrayRef<Type> element = getArrayElementTypes(array.getType());
  SmallVector<Type> both(element);
  llvm::append_range(both, element);
  SmallVector<int64_t> order = getOthers(array, dim);
  order.push_back(dim);
  Value rows = transpose(array, order);
  int64_t last = order.size() - 1;
  if (reverse)
    rows = this->reverse(rows, last);

  auto scanRow = [&](Value row, Level level) {
    Region region;
    buildBlock(region, both, [&](ValueRange e) {
      if (!reverse)
        return combine(e);
      SmallVector<Value> flipped(e.drop_front(element.size()));
      llvm::append_range(flipped, e.take_front(element.size()));
      return combine(flipped);
    });
    auto like = cast<PullType>(row.getType());
    auto scan = ScanOp::create(
        *this,
        PushType::get(getContext(), level, like.getExtents(), like.getBounds(),
                      element),
        TypeRange(), row, init, level, exclusive, /*total=*/false,
        choice.commutative, getStrategy(*this, choice));
    scan.getBody().takeBody(region);
    return scan.getResult();
  };

  Value scanned;
  Level level = choice.level.value_or(last ? getRowLevel(rows) : Level::Grid);
  if (last && level == Level::Grid)
    level = Level::Block;
  if (level == Level::Grid) {
    scanned = scanRow(rows, Level::Grid);
  } else {
    SmallVector<OpFoldResult> extents = getExtents(rows);
    if (!last) {
      extents.insert(extents.begin(), getIndexAttr(1));
      rows = reshape(rows, extents);
    }
    scanned = distributePush(ArrayRef(extents).drop_back(), level,
                             [&](ValueRange i) -> SmallVector<Value> {
                               return {scanRow(getRow(rows, i), level)};
                             })
                  .front();
  }
  if (reverse)
    scanned = ReverseOp::create(*this, scanned,
                                getArrayExtents(scanned.getType()).size() - 1);
  scanned = forceOne(scanned);
  if (last + 1 !=
      static_cast<int64_t>(getArrayExtents(scanned.getType()).size()))
    return reshape(scanned, getExtents(array));
  SmallVector<int64_t> back(order.size());
  for (auto [place, from] : llvm::enumerate(order))
    back[from] = place;
  return transpose(scanned, back);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// True if reads of `array` compute only indices.
static bool isMove(Value array) {
  Operation *op = array.getDefiningOp();
  if (ArrayBuilder::isStored(array) || isa<SplatOp>(op))
    return true;
  bool isReading = false;
  op->walk([&](GetOp) { isReading = true; });
  return !isReading &&
         isa<TransposeOp, ReshapeOp, SliceOp, ReverseOp, ReindexOp>(op) &&
         isMove(op->getOperand(0));
}

/// True if `code` builds one operation `name` on its arguments in order.
template <typename... Ops>
static bool isOne(Block &block) {
  return block.getOperations().size() == 2 && isa<Ops...>(block.front()) &&
         llvm::equal(block.front().getOperands(), block.getArguments()) &&
         llvm::equal(block.getTerminator()->getOperands(),
                     block.front().getResults());
}

Value ArrayBuilder::contract(Value x, Value y, ValueRange init,
                             ScalarCode multiply, ScalarCode combine,
                             const Choice &choice) {
  // A product reads each element many times.
  SmallVector<Value> factors;
  for (Value factor : {x, y})
    factors.push_back(isMove(factor) ? factor : store(factor).front());
  x = factors[0];
  y = factors[1];
  auto left = cast<PullType>(x.getType()), right = cast<PullType>(y.getType());
  auto isAtLeast = [](int64_t bound, int64_t least) {
    return ShapedType::isDynamic(bound) || bound >= least;
  };
  SmallVector<Type> components(left.getElementTypes());
  llvm::append_range(components, right.getElementTypes());
  if (!choice.level && isAtLeast(left.getExtentBound(1), 16) &&
      isAtLeast(right.getExtentBound(2), 16) &&
      isAtLeast(left.getExtentBound(2), 8) && components.size() == 2) {
    // Tiles are padded with zeros, which do not change the sums of products.
    Region product, sum;
    buildBlock(product, components, multiply);
    SmallVector<Type> both(2, init.front().getType());
    buildBlock(sum, both, combine);
    if (isOne<arith::MulFOp, arith::MulIOp>(product.front()) &&
        isOne<arith::AddFOp, arith::AddIOp>(sum.front()))
      return contractTiles(x, y, init, multiply, combine);
  }

  SmallVector<OpFoldResult> extents = {getExtent(x, 0), getExtent(x, 1),
                                       getExtent(y, 2), getExtent(x, 2)};
  Value products = generate(extents, [&](ValueRange i) {
    SmallVector<Value> pair = get(x, {i[0], i[1], i[3]});
    llvm::append_range(pair, get(y, {i[0], i[3], i[2]}));
    return multiply(pair);
  });
  Choice rows = choice;
  int64_t length = left.getExtentBound(2);
  if (!choice.level && ((!ShapedType::isDynamic(length) && length <= 32) ||
                        (!isAtLeast(left.getExtentBound(1), 16) &&
                         isAtLeast(right.getExtentBound(2), 2048))))
    rows.level = Level::Thread;
  return reduce(products, init, 3, combine, rows);
}

Value ArrayBuilder::contractTiles(Value x, Value y, ValueRange init,
                                  ScalarCode multiply, ScalarCode combine) {
  // A block has 16 x 16 threads. Each thread computes `side` x `side` sums of a
  // tile.
  constexpr int64_t lanes = 16, depth = 16;
  auto isLarge = [](Value array, unsigned dim) {
    int64_t bound = getArrayBound(array.getType(), dim);
    return ShapedType::isDynamic(bound) || bound >= 64;
  };
  int64_t side = isLarge(x, 1) && isLarge(y, 2) ? 4 : 1, tile = lanes * side;
  auto split = [&](Value array, ArrayRef<int64_t> sizes) -> Value {
    Value zero = getNumber(getArrayElementTypes(array.getType()).front(), 0);
    return SplitOp::create(*this, array, ValueRange(), zero, sizes,
                           /*strided=*/false);
  };
  Value xs = split(x, {1, tile, depth}), ys = split(y, {1, depth, tile});
  SmallVector<OpFoldResult> extents = {getExtent(x, 0), getExtent(x, 1),
                                       getExtent(y, 2)};
  Value zero = getIndex(0), one = getIndex(1),
        steps = getIndex(getExtent(xs, 2));
  OpFoldResult lane = getIndexAttr(lanes);
  SmallVector<Value> none(side * side, init.front());
  /// The positions of the sums of a thread in one dimension of the tile.
  auto getPlaces = [&](Value first) {
    SmallVector<Value> places = {first};
    for (int64_t k = 1; k < side; ++k)
      places.push_back(
          arith::AddIOp::create(*this, first, getIndex(k * lanes)));
    return places;
  };
  Value tiles =
      distributePush(
          {extents[0], getExtent(xs, 1), getExtent(ys, 2)}, Level::Block,
          [&](ValueRange at) -> SmallVector<Value> {
            Value start = splat(none, {lane, lane});
            auto loop = scf::ForOp::create(
                *this, zero, steps, one, start,
                [&](OpBuilder &, Location, Value step, ValueRange carried) {
                  auto load = [&](Value parts, ArrayRef<Value> place,
                                  int64_t height, int64_t width) {
                    Value part = getOne(parts, place);
                    return generate({getIndexAttr(height), getIndexAttr(width)},
                                    [&](ValueRange i) {
                                      return get(part, {zero, i[0], i[1]});
                                    });
                  };
                  SmallVector<Value> both = {
                      load(xs, {at[0], at[1], step}, tile, depth),
                      load(ys, {at[0], step, at[2]}, depth, tile)};
                  auto shared = ForceOp::create(*this, both, ValueRange());
                  shared.setStorage(Storage::Shared);
                  Value u = shared.getResults()[0], v = shared.getResults()[1];
                  Value next = generate({lane, lane}, [&](ValueRange i) {
                    SmallVector<Value> rows = getPlaces(i[0]),
                                       columns = getPlaces(i[1]);
                    auto sums = scf::ForOp::create(
                        *this, zero, getIndex(depth), one,
                        get(carried.front(), i),
                        [&](OpBuilder &, Location, Value t, ValueRange sums) {
                          SmallVector<Value> us, vs, found;
                          for (Value row : rows)
                            us.push_back(getOne(u, {row, t}));
                          for (Value column : columns)
                            vs.push_back(getOne(v, {t, column}));
                          for (auto [k, sum] : llvm::enumerate(sums)) {
                            Value product =
                                multiply(ValueRange{us[k / side], vs[k % side]})
                                    .front();
                            found.push_back(
                                combine(ValueRange{sum, product}).front());
                          }
                          scf::YieldOp::create(*this, found);
                        });
                    return llvm::to_vector_of<Value>(sums.getResults());
                  });
                  scf::YieldOp::create(*this, forceOne(next));
                });
            auto type = PushType::get(getContext(), Level::Block,
                                      {1, tile, tile}, init.front().getType());
            return {fill(type, {}, Value(), {}, WriteContract(), [&] {
              par({lane, lane}, Level::Thread, [&](ValueRange i) {
                SmallVector<Value> rows = getPlaces(i[0]),
                                   columns = getPlaces(i[1]);
                for (auto [k, sum] : llvm::enumerate(get(loop.getResult(0), i)))
                  WriteOp::create(
                      *this, sum,
                      ValueRange{zero, rows[k / side], columns[k % side]},
                      ContractAttr(), Attribute());
              });
            })};
          })
          .front();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(extents, dynamic, statics);
  Value joined = JoinOp::create(*this, tiles, dynamic,
                                getDenseI64ArrayAttr(statics), UnitAttr());
  auto force = ForceOp::create(*this, joined, ValueRange());
  force.setThreads(lanes * lanes);
  return force.getResults().front();
}
