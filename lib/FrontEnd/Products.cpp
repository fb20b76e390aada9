//===- Products.cpp - Sums of products of whole arrays --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two arrays, and the dimensions that are combined. Out: products of
// matrices by tiles in shared memory and registers, or sums of threads, warps
// and blocks if there are few rows or columns.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"

using namespace mlir;
using namespace mlir::obs;

/// True if reads of `array` compute only indices.
static bool isMove(Value array) {
  Operation *op = array.getDefiningOp();
  if (ArrayBuilder::isStored(array) || isa<SplatOp>(op))
    return true;
  bool isReading = false;
  op->walk([&](GetOp) { isReading = true; });
  auto map = dyn_cast<IndexMapOpInterface>(op);
  return !isReading && map && isMove(map.getArray());
}

/// The dimension of an array whose neighbours are neighbours in memory; none if
/// the array has one element, or is no view of a stored array and no function
/// of the elements of such a view.
static std::optional<int64_t> getInnermost(Value array) {
  ArrayRef<int64_t> extents = getArrayExtents(array.getType());
  Operation *op = array.getDefiningOp();
  if (op && isa<SliceOp, ReverseOp, MapOp>(op))
    return getInnermost(op->getOperand(0));
  if (auto transpose = array.getDefiningOp<TransposeOp>()) {
    auto inner = getInnermost(transpose.getSource());
    auto place = llvm::find(transpose.getPermutation(), inner.value_or(-1));
    if (place == transpose.getPermutation().end())
      return std::nullopt;
    return place - transpose.getPermutation().begin();
  }
  auto getStride = [](ArrayRef<int64_t> extents, int64_t dim) {
    return ShapedType::isDynamicShape(extents)
               ? ShapedType::kDynamic
               : ShapedType::getNumElements(extents.drop_front(dim + 1));
  };
  if (auto reshape = array.getDefiningOp<ReshapeOp>()) {
    auto source = getArrayExtents(reshape.getSource().getType());
    auto inner = getInnermost(reshape.getSource());
    if (!inner)
      return std::nullopt;
    int64_t stride = getStride(source, *inner);
    for (int64_t dim = extents.size() - 1; dim >= 0; --dim)
      if (extents[dim] != 1 && getStride(extents, dim) == stride)
        return dim;
    return std::nullopt;
  }
  if (!ArrayBuilder::isStored(array))
    return std::nullopt;
  for (int64_t dim = extents.size() - 1; dim >= 0; --dim)
    if (extents[dim] != 1)
      return dim;
  return std::nullopt;
}

/// True if `block` has one of these operations, on its arguments in order.
template <typename... Ops>
static bool isOne(Block &block) {
  return block.getOperations().size() == 2 && isa<Ops...>(block.front()) &&
         llvm::equal(block.front().getOperands(), block.getArguments()) &&
         llvm::equal(block.getTerminator()->getOperands(),
                     block.front().getResults());
}

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// True if `block` multiplies its arguments, f16 or bf16, in f32.
static bool isProductOfHalves(Block &block) {
  if (block.getOperations().size() != 4 || block.getNumArguments() != 2 ||
      !llvm::all_of(block.getArgumentTypes(), isHalf))
    return false;
  auto product = dyn_cast<arith::MulFOp>(block.getTerminator()->getPrevNode());
  return product && product.getType().isF32() &&
         llvm::equal(block.getTerminator()->getOperands(),
                     product->getResults()) &&
         llvm::equal(product->getOperands(), block.getArguments(),
                     [](Value factor, Value argument) {
                       auto wide = factor.getDefiningOp<arith::ExtFOp>();
                       return wide && wide.getIn() == argument;
                     });
}

/// The array of f16 or bf16 whose elements `array` has in f32; null if there is
/// none.
static Value getHalves(Value array) {
  auto map = array.getDefiningOp<MapOp>();
  if (!map || map.getArrays().size() != 1)
    return {};
  Block &body = map.getBody().front();
  Value source = map.getArrays().front();
  ArrayRef<Type> elements = getArrayElementTypes(source.getType());
  if (elements.size() != 1 || !isHalf(elements.front()) ||
      !getArrayElementTypes(array.getType()).front().isF32() ||
      !isOne<arith::ExtFOp>(body))
    return {};
  return source;
}

namespace {
/// The shape of a product by tiles: a block has `rows` x `columns` threads, and
/// each thread computes `side` x `side` sums of a tile. By tensor cores, each
/// warp computes a part of the tile.
struct TileShape {
  int64_t rows = 16, columns = 16, side = 1, depth = 16;
  bool byTensorCores = false;

  int64_t getHeight() const { return rows * side; }
  int64_t getWidth() const { return columns * side; }
  int64_t getThreads() const { return byTensorCores ? 128 : rows * columns; }
};
} // namespace

/// The microseconds that a GPU takes for `blocks` blocks with `steps` products
/// of one tile each. The rates are those of one, two and three blocks on each
/// of 132 multiprocessors with 128 FMAs in each cycle, or 1024 by tensor cores
/// (H100): `matmul` in benchmarks/results/jax-h100.json.
static double estimateTiles(const TileShape &shape, int64_t blocks,
                            int64_t steps) {
  constexpr int64_t multiprocessors = 132, resident = 3;
  const double perMicrosecond = shape.byTensorCores ? 1744e3 : 218e3;
  // Before the first step, a block waits for its tiles.
  const int64_t waiting = shape.byTensorCores ? 128 : 48;
  std::array<double, resident> rates = {0.59, 0.80, 0.865};
  if (shape.side < 8)
    rates = {0.27, 0.42, 0.5};
  if (shape.side < 4)
    rates = {0.07, 0.12, 0.15};
  if (shape.byTensorCores) {
    rates = {0.33, 0.5, 0.57};
    if (shape.getHeight() < 128 || shape.getWidth() < 128)
      rates = {0.25, 0.38, 0.45};
    if (shape.getHeight() < 128 && shape.getWidth() < 128)
      rates = {0.15, 0.25, 0.3};
  }
  double block = static_cast<double>(shape.getHeight() * shape.getWidth()) *
                 static_cast<double>(steps + waiting) / perMicrosecond;
  int64_t waves = blocks / (multiprocessors * resident);
  int64_t last =
      llvm::divideCeil(blocks % (multiprocessors * resident), multiprocessors);
  double time = static_cast<double>(waves * resident) / rates.back();
  if (last > 0)
    time += static_cast<double>(last) / rates[last - 1];
  return time * block;
}

/// The shape of the tiles for a product of `x` and `y`, and the number of parts
/// of its sums, which are products of their own: all of the GPU is busy. There
/// is one part if `areWhole`.
static std::pair<TileShape, int64_t>
chooseTiles(PullType x, PullType y, bool areWhole, bool byTensorCores) {
  constexpr int64_t shortest = 64, mostParts = 256;
  // A kernel adds the parts.
  constexpr double launch = 2, bytesPerMicrosecond = 3e6, moreWork = 1.05;
  TileShape small, medium{16, 16, 4}, wide{8, 16, 8}, high{16, 8, 8};
  SmallVector<TileShape> shapes = {wide, high, medium, small};
  if (byTensorCores) {
    shapes = {{16, 16, 8}, wide, high, medium};
    for (TileShape &shape : shapes)
      shape.byTensorCores = true;
  }
  if (!x.hasStaticExtents() || !y.hasStaticExtents()) {
    auto isLarge = [](int64_t bound) {
      return ShapedType::isDynamic(bound) || bound >= 64;
    };
    return {isLarge(x.getExtentBound(1)) && isLarge(y.getExtentBound(2))
                ? medium
                : small,
            1};
  }
  auto [batch, height, length] =
      std::tuple(x.getExtents()[0], x.getExtents()[1], x.getExtents()[2]);
  int64_t width = y.getExtents()[2];
  std::pair<TileShape, int64_t> best{shapes.back(), 1};
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape &shape : shapes) {
    int64_t tiles = batch * llvm::divideCeil(height, shape.getHeight()) *
                    llvm::divideCeil(width, shape.getWidth());
    for (int64_t parts = 1; parts <= (areWhole ? 1 : mostParts); ++parts) {
      if (length % parts || (parts > 1 && length / parts < shortest))
        continue;
      double time = estimateTiles(shape, tiles * parts, length / parts);
      if (parts > 1)
        time =
            moreWork * time + launch +
            static_cast<double>((parts + 1) * batch * height * width *
                                getElementBytes(x.getElementTypes().front())) /
                bytesPerMicrosecond;
      if (time < least)
        std::tie(least, best) = std::pair(time, std::pair(shape, parts));
    }
  }
  return best;
}

/// The smallest number of parts of a sum of `length` products with which
/// `units` sums are enough for all threads; if there is none, the largest
/// number.
static int64_t countProductParts(int64_t length, int64_t units) {
  constexpr int64_t wanted = 1 << 16, shortest = 64;
  int64_t parts = 1;
  for (int64_t divisor = 2; divisor <= length / shortest; ++divisor)
    if (length % divisor == 0 && units * parts < wanted)
      parts = divisor;
  return parts;
}

Value ArrayBuilder::contract(Value x, Value y, ValueRange init,
                             ScalarCode multiply, ScalarCode combine,
                             const CollectiveOptions &options) {
  // A product reads each element many times, unless the other side has few rows
  // or columns. Then to store the elements would take longer.
  constexpr int64_t fewReads = 4;
  auto prepare = [&](Value factor, int64_t reads) {
    bool isRepeated = ShapedType::isDynamic(reads) || reads > fewReads;
    return isRepeated && !isMove(factor) ? store(factor).front() : factor;
  };
  int64_t height = getArrayBound(x.getType(), 1),
          width = getArrayBound(y.getType(), 2);
  x = prepare(x, width);
  y = prepare(y, height);
  auto left = cast<PullType>(x.getType()), right = cast<PullType>(y.getType());
  auto isAtLeast = [](int64_t bound, int64_t least) {
    return ShapedType::isDynamic(bound) || bound >= least;
  };
  SmallVector<Type> components(left.getElementTypes());
  llvm::append_range(components, right.getElementTypes());
  bool isSumOfProducts = false, byTensorCores = false;
  if (components.size() == 2) {
    Region product, sum;
    buildBlock(product, components, multiply);
    buildOperator(sum, init.front().getType(), combine);
    bool isSum = isOne<arith::AddFOp, arith::AddIOp>(sum.front());
    byTensorCores = isSum && options.commutative &&
                    isProductOfHalves(product.front()) &&
                    left.hasStaticExtents() && right.hasStaticExtents() &&
                    left.getElementTypes() == right.getElementTypes();
    isSumOfProducts =
        isSum && (isOne<arith::MulFOp, arith::MulIOp>(product.front()) ||
                  isProductOfHalves(product.front()));
  }
  // Tiles are padded with zeros, which do not change the sums of products.
  bool hasTiles = !options.level && isSumOfProducts && isAtLeast(height, 16) &&
                  isAtLeast(width, 16) && isAtLeast(left.getExtentBound(2), 8);

  CollectiveOptions rows = options;
  int64_t length = left.getExtentBound(2);
  // Neighbouring threads compute neighbouring sums of few rows or few columns,
  // where these are neighbours in memory.
  auto isOfThreads = [&](int64_t few, int64_t many, Value array, int64_t dim) {
    return !isAtLeast(few, 16) && isAtLeast(many, 2048) &&
           getInnermost(array).value_or(dim) == dim;
  };
  if (!options.level &&
      ((!ShapedType::isDynamic(length) && length <= 32) ||
       isOfThreads(height, width, y, 2) || isOfThreads(width, height, x, 1)))
    rows.level = Level::Thread;

  // One unit computes the sums of a few columns or rows together, so that it
  // reads the elements of the other side once.
  auto isFew = [&](int64_t extent) {
    return !options.level && isSumOfProducts && isAtLeast(length, 33) &&
           extent > 1 && extent <= 8;
  };
  bool areColumnsFew = isFew(right.getExtents()[2]),
       areRowsFew = !areColumnsFew && isFew(left.getExtents()[1]);

  // Few long sums are divided into parts, so that all of the GPU is busy.
  bool isZero = matchPattern(init.front(), m_AnyZeroFloat()) ||
                matchPattern(init.front(), m_Zero());
  rows.neutral |= isZero && isSumOfProducts;
  if (!options.level && isSumOfProducts && isZero &&
      (hasTiles || rows.level == Level::Thread) && left.hasStaticExtents() &&
      right.hasStaticExtents()) {
    int64_t batch = left.getExtents()[0];
    int64_t parts =
        hasTiles
            ? chooseTiles(left, right, /*areWhole=*/false, byTensorCores).second
            : countProductParts(length, batch * (areRowsFew ? 1 : height) *
                                            (areColumnsFew ? 1 : width));
    if (parts > 1 && batch * height * width > 0) {
      // The parts of each batch are batches of their own.
      auto joinBatches = [&](Value array) {
        SmallVector<OpFoldResult> extents = getExtents(array);
        extents.erase(extents.begin());
        extents.front() = getIndexAttr(batch * parts);
        return gather(array, extents, [&](ValueRange i) -> SmallVector<Value> {
          Value first = getIndex(0), second = i[0], count = getIndex(parts);
          if (batch > 1) {
            first = arith::DivUIOp::create(*this, i[0], count);
            second = arith::RemUIOp::create(*this, i[0], count);
          }
          return {first, second, i[1], i[2]};
        });
      };
      Value u = joinBatches(transpose(splitDim(x, 2, parts), {0, 2, 1, 3})),
            v = joinBatches(splitDim(y, 1, parts));
      CollectiveOptions whole;
      whole.commutative = options.commutative;
      Value sums = contract(u, v, init, multiply, combine, whole);
      whole.neutral = true;
      auto extents = llvm::map_to_vector(
          ArrayRef<int64_t>{batch, parts, height, width},
          [&](int64_t extent) -> OpFoldResult { return getIndexAttr(extent); });
      return reduce(reshape(sums, extents), init, 1, combine, whole);
    }
  }
  if (hasTiles && byTensorCores)
    return contractByTensorCores(x, y, init);
  if (hasTiles)
    return contractTiles(x, y, init, multiply, combine);

  auto readProduct = [&](Value batch, Value row, Value column, Value k) {
    SmallVector<Value> pair = get(x, {batch, row, k});
    llvm::append_range(pair, get(y, {batch, k, column}));
    return multiply(pair);
  };
  OpFoldResult batches = getExtent(x, 0), numRows = getExtent(x, 1),
               numColumns = getExtent(y, 2), numProducts = getExtent(x, 2);
  if (areColumnsFew)
    return reduceColumns(generate({batches, numRows, numProducts, numColumns},
                                  [&](ValueRange i) {
                                    return readProduct(i[0], i[1], i[3], i[2]);
                                  }),
                         /*firstColumn=*/3, init, {2}, combine, rows);
  if (areRowsFew)
    return transpose(
        reduceColumns(generate({batches, numColumns, numProducts, numRows},
                               [&](ValueRange i) {
                                 return readProduct(i[0], i[3], i[1], i[2]);
                               }),
                      /*firstColumn=*/3, init, {2}, combine, rows),
        {0, 2, 1});
  Value products =
      generate({batches, numRows, numColumns, numProducts}, [&](ValueRange i) {
        return readProduct(i[0], i[1], i[2], i[3]);
      });
  return reduce(products, init, 3, combine, rows);
}

Value ArrayBuilder::contractInOrder(const Side &x, const Side &y,
                                    ValueRange init, ScalarCode multiply,
                                    ScalarCode combine, Extents extents,
                                    ArrayRef<int64_t> order,
                                    const CollectiveOptions &options) {
  auto all = llvm::map_to_vector(
      order, [&](int64_t dim) -> OpFoldResult { return extents[dim]; });
  for (int64_t dim : x.combined)
    all.push_back(getExtent(x.array, dim));
  Value products = generate(all, [&](ValueRange i) {
    SmallVector<Value> place(order.size());
    for (auto [d, dim] : llvm::enumerate(order))
      place[dim] = i[d];
    auto read = [&](const Side &side, ValueRange own) {
      SmallVector<Value> at(own.size() + side.batch.size() +
                            side.combined.size());
      for (auto [dims, values] :
           {std::pair(ArrayRef(side.batch),
                      ValueRange(place).take_front(side.batch.size())),
            std::pair(ArrayRef(side.own), own),
            std::pair(ArrayRef(side.combined), i.drop_front(order.size()))})
        for (auto [dim, value] : llvm::zip_equal(dims, values))
          at[dim] = value;
      return get(side.array, at);
    };
    ValueRange own = ValueRange(place).drop_front(x.batch.size());
    SmallVector<Value> pair = read(x, own.take_front(x.own.size()));
    llvm::append_range(pair, read(y, own.drop_front(x.own.size())));
    return multiply(pair);
  });
  CollectiveOptions ofThreads = options;
  ofThreads.level = Level::Thread;
  return reduce(products, init,
                llvm::to_vector(llvm::seq<int64_t>(order.size(), all.size())),
                combine, ofThreads);
}

Value ArrayBuilder::contract(const Side &x, const Side &y, ValueRange init,
                             ScalarCode multiply, ScalarCode combine,
                             const CollectiveOptions &options,
                             ArrayRef<int64_t> order) {
  // Halves become wider where they are multiplied, so that tensor cores can do
  // this, which add in any order.
  if (Value u = getHalves(x.array), v = getHalves(y.array);
      u && v && options.commutative && !options.level &&
      cast<PullType>(u.getType()).hasStaticExtents() &&
      cast<PullType>(v.getType()).hasStaticExtents() &&
      getArrayElementTypes(u.getType()) == getArrayElementTypes(v.getType())) {
    auto multiplyHalves = [&](ValueRange pair) {
      SmallVector<Value> wide;
      for (Value factor : pair)
        wide.push_back(arith::ExtFOp::create(*this, getF32Type(), factor));
      return multiply(wide);
    };
    Side narrow[] = {x, y};
    narrow[0].array = u;
    narrow[1].array = v;
    return contract(narrow[0], narrow[1], init, multiplyHalves, combine,
                    options, order);
  }

  auto getSizes = [&](const Side &side, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(
        dims, [&](int64_t dim) { return getExtent(side.array, dim); });
  };
  SmallVector<OpFoldResult> extents = getSizes(x, x.batch);
  llvm::append_range(extents, getSizes(x, x.own));
  llvm::append_range(extents, getSizes(y, y.own));

  // Matrices with few rows or columns share few reads. Then reads and writes of
  // neighbours in memory matter more.
  constexpr int64_t few = 16, longest = 256;
  auto isBelow = [&](const Side &side, ArrayRef<int64_t> dims, int64_t limit) {
    auto size = getConstantIntValue(getProduct(getSizes(side, dims)));
    return size && *size < limit;
  };
  if (!order.empty() && !options.level && !isBelow(x, x.batch, 2) &&
      (isBelow(x, x.own, few) || isBelow(y, y.own, few)) &&
      isBelow(x, x.combined, longest))
    return contractInOrder(x, y, init, multiply, combine, extents, order,
                           options);

  // All dimensions of a kind are one.
  auto flatten = [&](const Side &side, ArrayRef<int64_t> second,
                     ArrayRef<int64_t> third) {
    SmallVector<int64_t> dims;
    SmallVector<OpFoldResult> flat;
    for (ArrayRef<int64_t> kind : {ArrayRef(side.batch), second, third}) {
      flat.push_back(getProduct(getSizes(side, kind)));
      llvm::append_range(dims, kind);
    }
    return reshape(dims.empty() ? side.array : transpose(side.array, dims),
                   flat);
  };
  Value left = flatten(x, x.own, x.combined),
        right = flatten(y, y.combined, y.own);
  if (extents.empty())
    extents.push_back(getIndexAttr(1));
  Value product =
      reshape(contract(left, right, init, multiply, combine, options), extents);
  return order.empty() ? product : transpose(product, order);
}

Value ArrayBuilder::contractTiles(Value x, Value y, ValueRange init,
                                  ScalarCode multiply, ScalarCode combine) {
  TileShape shape =
      chooseTiles(cast<PullType>(x.getType()), cast<PullType>(y.getType()),
                  /*areWhole=*/true, /*byTensorCores=*/false)
          .first;
  int64_t side = shape.side, depth = shape.depth, height = shape.getHeight(),
          width = shape.getWidth();
  auto split = [&](Value array, ArrayRef<int64_t> sizes) -> Value {
    Value zero = getNumber(getArrayElementTypes(array.getType()).front(), 0);
    return SplitOp::create(*this, array, ValueRange(), zero, sizes,
                           /*strided=*/false);
  };
  Value xs = split(x, {1, height, depth}), ys = split(y, {1, depth, width});
  SmallVector<OpFoldResult> extents = {getExtent(x, 0), getExtent(x, 1),
                                       getExtent(y, 2)};
  Value zero = getIndex(0), one = getIndex(1),
        steps = getIndex(getExtent(xs, 2));
  SmallVector<OpFoldResult> lanes = {getIndexAttr(shape.rows),
                                     getIndexAttr(shape.columns)};
  SmallVector<Value> none(side * side, init.front());
  /// The positions of the sums of a thread in one dimension of the tile: groups
  /// of neighbours, which one access reads or writes.
  auto getPlaces = [&](Value first, int64_t count) {
    int64_t group = std::min<int64_t>(side, 4);
    Value start = mul(first, getIndex(group));
    SmallVector<Value> places;
    for (int64_t k = 0; k < side; ++k)
      places.push_back(
          add(start, getIndex(k / group * group * count + k % group)));
    return places;
  };
  auto getSumPlaces = [&](ValueRange i) {
    return std::pair(getPlaces(i[0], shape.rows),
                     getPlaces(i[1], shape.columns));
  };
  /// Step `step` of the tiles of a block, read from global memory; zeros if
  /// there is no step.
  auto read = [&](ValueRange at, Value step) -> SmallVector<Value> {
    bool mayBeEmpty =
        step == zero && ShapedType::isDynamic(getArrayExtents(xs.getType())[2]);
    auto load = [&](Value parts, ArrayRef<Value> place, int64_t rows,
                    int64_t columns) {
      auto readOne = [&](ValueRange i) {
        return get(getOne(parts, place), {zero, i[0], i[1]});
      };
      return generate(
          {getIndexAttr(rows), getIndexAttr(columns)},
          [&](ValueRange i) -> SmallVector<Value> {
            if (!mayBeEmpty)
              return readOne(i);
            Value isStep = arith::CmpIOp::create(
                *this, arith::CmpIPredicate::sgt, steps, zero);
            auto found = scf::IfOp::create(
                *this, isStep,
                [&](OpBuilder &, Location) {
                  scf::YieldOp::create(*this, readOne(i));
                },
                [&](OpBuilder &, Location) {
                  Type type = getArrayElementTypes(
                                  getArrayElementTypes(parts.getType()).front())
                                  .front();
                  scf::YieldOp::create(*this, getNumber(type, 0));
                });
            return found.getResults();
          });
    };
    SmallVector<Value> both = {load(xs, {at[0], at[1], step}, height, depth),
                               load(ys, {at[0], step, at[2]}, depth, width)};
    return ForceOp::create(*this, both, ValueRange()).getResults();
  };
  /// The tiles in shared memory. A thread reads neighbours of one column of the
  /// left tile, so these are neighbours there.
  auto store = [&](ArrayRef<Value> tiles) -> SmallVector<Value> {
    Type type = getArrayElementTypes(tiles[0].getType()).front();
    auto columns =
        PushType::get(getContext(), Level::Block, {depth, height}, type);
    auto turn = [&] {
      par({getIndexAttr(height), getIndexAttr(depth)}, Level::Thread,
          [&](ValueRange i) {
            WriteOp::create(*this, get(tiles[0], i), ValueRange{i[1], i[0]},
                            ContractAttr(), Attribute());
          });
    };
    SmallVector<Value> both = {
        fill(columns, {}, Value(), {}, WriteContract(), turn), tiles[1]};
    auto shared = ForceOp::create(*this, both, ValueRange());
    shared.setStorage(Storage::Shared);
    return shared.getResults();
  };
  /// The sums after the products of one step.
  auto addProducts = [&](Value sums, Value u, Value v) -> Value {
    return forceOne(generate(lanes, [&](ValueRange i) {
      auto [rows, columns] = getSumPlaces(i);
      auto added = scf::ForOp::create(
          *this, zero, getIndex(depth), one, get(sums, i),
          [&, &rows = rows, &columns = columns](OpBuilder &, Location, Value t,
                                                ValueRange sums) {
            SmallVector<Value> us, vs, found;
            for (Value row : rows)
              us.push_back(getOne(u, {t, row}));
            for (Value column : columns)
              vs.push_back(getOne(v, {t, column}));
            for (auto [k, sum] : llvm::enumerate(sums)) {
              Value product =
                  multiply(ValueRange{us[k / side], vs[k % side]}).front();
              found.push_back(combine(ValueRange{sum, product}).front());
            }
            scf::YieldOp::create(*this, found);
          });
      return llvm::to_vector_of<Value>(added.getResults());
    }));
  };
  /// The sums of a tile. The tiles of the next step are read while those of one
  /// step are multiplied.
  auto computeTile = [&](ValueRange at) -> SmallVector<Value> {
    SmallVector<Value> start = {splat(none, lanes)};
    llvm::append_range(start, store(read(at, zero)));
    Value last = sub(steps, one);
    auto loop = scf::ForOp::create(
        *this, zero, steps, one, start,
        [&](OpBuilder &, Location, Value step, ValueRange carried) {
          Value next = arith::MinSIOp::create(*this, add(step, one), last);
          SmallVector<Value> tiles = read(at, next);
          SmallVector<Value> found = {
              addProducts(carried[0], carried[1], carried[2])};
          llvm::append_range(found, store(tiles));
          scf::YieldOp::create(*this, found);
        });
    auto type = PushType::get(getContext(), Level::Block, {1, height, width},
                              init.front().getType());
    return {fill(type, {}, Value(), {}, WriteContract(), [&] {
      par(lanes, Level::Thread, [&](ValueRange i) {
        auto [rows, columns] = getSumPlaces(i);
        for (auto [k, sum] : llvm::enumerate(get(loop.getResult(0), i)))
          WriteOp::create(*this, sum,
                          ValueRange{zero, rows[k / side], columns[k % side]},
                          ContractAttr(), Attribute());
      });
    })};
  };
  Value tiles = distributePush({extents[0], getExtent(xs, 1), getExtent(ys, 2)},
                               Level::Block, computeTile)
                    .front();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(extents, dynamic, statics);
  Value joined = JoinOp::create(*this, tiles, dynamic,
                                getDenseI64ArrayAttr(statics), UnitAttr());
  auto force = ForceOp::create(*this, joined, ValueRange());
  force.setThreads(shape.getThreads());
  return force.getResults().front();
}

Value ArrayBuilder::contractByTensorCores(Value x, Value y, ValueRange init) {
  TileShape shape =
      chooseTiles(cast<PullType>(x.getType()), cast<PullType>(y.getType()),
                  /*areWhole=*/true, /*byTensorCores=*/true)
          .first;
  ArrayRef<int64_t> xExtents = getArrayExtents(x.getType()),
                    yExtents = getArrayExtents(y.getType());
  int64_t height = shape.getHeight(), width = shape.getWidth();
  // Rows `first` to `first + size - 1` of a matrix, or its columns. Others than
  // those of the matrix are zeros.
  auto cut = [&](Value matrices, Value batch, Value number, int64_t size,
                 unsigned dim) {
    SmallVector<OpFoldResult> extents = getExtents(matrices);
    int64_t all = getArrayExtents(matrices.getType())[dim];
    extents.erase(extents.begin());
    extents[dim - 1] = getIndexAttr(size);
    Value first = mul(number, getIndex(size));
    return generate(extents, [&](ValueRange i) -> SmallVector<Value> {
      SmallVector<Value> place = {batch, i[0], i[1]};
      place[dim] = add(first, place[dim]);
      if (all % size == 0)
        return get(matrices, place);
      Type type = getArrayElementTypes(matrices.getType()).front();
      Value isInside = arith::CmpIOp::create(*this, arith::CmpIPredicate::ult,
                                             place[dim], getIndex(all));
      return choose(
          isInside, [&] { return get(matrices, place); },
          [&] { return SmallVector<Value>{getNumber(type, 0)}; });
    });
  };
  bool hasColumns = getInnermost(x) == 1, areRowsOther = getInnermost(y) == 1;
  auto computeTile = [&](ValueRange at) -> SmallVector<Value> {
    Type sum = init.front().getType();
    auto matrix =
        PushType::get(getContext(), Level::Block, {height, width}, sum);
    auto tile =
        PushType::get(getContext(), Level::Block, {1, height, width}, sum);
    auto product = MatmulOp::create(
        *this, matrix, cut(x, at[0], at[1], height, 1),
        cut(y, at[0], at[2], width, 2), init.front(), hasColumns, areRowsOther,
        /*strategy=*/StringAttr());
    return {ReshapeOp::create(*this, tile, product, ValueRange())};
  };
  Value tiles =
      distributePush({getIndexAttr(xExtents[0]),
                      getIndexAttr(llvm::divideCeil(xExtents[1], height)),
                      getIndexAttr(llvm::divideCeil(yExtents[2], width))},
                     Level::Block, computeTile)
          .front();
  Value joined = JoinOp::create(
      *this, tiles, ValueRange(),
      getDenseI64ArrayAttr({xExtents[0], xExtents[1], yExtents[2]}),
      UnitAttr());
  auto force = ForceOp::create(*this, joined, ValueRange());
  force.setThreads(shape.getThreads());
  return force.getResults().front();
}
