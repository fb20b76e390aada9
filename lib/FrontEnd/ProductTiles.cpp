//===- ProductTiles.cpp - Tiles of products of matrices -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two arrays of matrices, and the number of parts of each sum. Out: each
// block computes a tile of the product, from tiles in shared memory.
//
//===----------------------------------------------------------------------===//

#include "ProductTiles.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"

using namespace mlir;
using namespace mlir::obs;

std::optional<int64_t> obs::getInnermost(Value array) {
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

/// The rates of one, two, ... blocks on each multiprocessor that can be
/// resident together. Those of FMAs are of an H100 (`matmul` in
/// benchmarks/results/jax-h100.json), those of tensor cores of an H200
/// (benchmarks/results/bfloat-products-h200.txt).
static SmallVector<double> getRates(const TileShape &shape) {
  if (shape.byTensorCores) {
    if (shape.getThreads() > 128)
      return {0.846};
    if (shape.getHeight() >= 128 && shape.getWidth() >= 128)
      return {0.46, 0.748};
    if (shape.getHeight() >= 128 || shape.getWidth() >= 128)
      return {0.367, 0.556};
    return {0.178, 0.32, 0.424};
  }
  if (shape.side < 4)
    return {0.07, 0.12, 0.15};
  if (shape.side < 8)
    return {0.27, 0.42, 0.5};
  return {0.59, 0.80, 0.865};
}

/// The microseconds that a GPU takes for `blocks` blocks with `steps` products
/// of one tile each. There are 132 multiprocessors with 128 FMAs in each cycle,
/// or 1024 by tensor cores.
static double estimateTiles(const TileShape &shape, int64_t blocks,
                            int64_t steps) {
  constexpr int64_t multiprocessors = 132;
  const double perMicrosecond = shape.byTensorCores ? 1744e3 : 218e3;
  SmallVector<double> rates = getRates(shape);
  auto resident = static_cast<int64_t>(rates.size());
  // Before the first step, a block waits for its tiles. Other blocks may work.
  const int64_t waiting = !shape.byTensorCores ? 48 : resident > 1 ? 192 : 256;
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

std::pair<TileShape, int64_t>
obs::chooseTiles(PullType x, PullType y, bool areWhole, bool byTensorCores) {
  constexpr int64_t shortest = 64, mostParts = 256;
  // A kernel adds the parts.
  constexpr double launch = 2, bytesPerMicrosecond = 3e6, moreWork = 1.05;
  TileShape small, medium{16, 16, 4}, wide{8, 16, 8}, high{16, 8, 8};
  SmallVector<TileShape> shapes = {wide, high, medium, small};
  if (byTensorCores) {
    shapes = {{16, 32, 8}, {16, 16, 8}, wide, high, medium};
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

std::pair<Value, Value> ArrayBuilder::splitBatch(Value number, int64_t batch,
                                                 int64_t parts) {
  if (parts == 1)
    return {number, getIndex(0)};
  if (batch == 1)
    return {getIndex(0), number};
  Value count = getIndex(parts);
  return {createOrFold<arith::DivUIOp>(number, count),
          createOrFold<arith::RemUIOp>(number, count)};
}

Value ArrayBuilder::contractByTensorCores(Value x, Value y, ValueRange init,
                                          int64_t parts) {
  TileShape shape =
      chooseTiles(cast<PullType>(x.getType()), cast<PullType>(y.getType()),
                  /*areWhole=*/parts == 1, /*byTensorCores=*/true)
          .first;
  ArrayRef<int64_t> xExtents = getArrayExtents(x.getType()),
                    yExtents = getArrayExtents(y.getType());
  int64_t height = shape.getHeight(), width = shape.getWidth();
  int64_t length = xExtents[2] / parts;
  // `size` rows of a part of a matrix, or columns, from a multiple of `size`
  // on. Others than those of the matrix are zeros.
  auto cut = [&](Value matrices, Value batch, Value number, int64_t size,
                 unsigned dim) {
    auto [matrix, part] = splitBatch(batch, xExtents[0], parts);
    int64_t all = getArrayExtents(matrices.getType())[dim];
    unsigned other = 3 - dim;
    std::array<OpFoldResult, 2> extents;
    extents[dim - 1] = getIndexAttr(size);
    extents[other - 1] = getIndexAttr(length);
    Value first = mul(number, getIndex(size)),
          begin = mul(part, getIndex(length));
    return generate(
        extents, [&, matrix = matrix](ValueRange i) -> SmallVector<Value> {
          SmallVector<Value> place = {matrix, i[0], i[1]};
          place[dim] = add(first, place[dim]);
          if (parts > 1)
            place[other] = add(begin, place[other]);
          if (all % size == 0)
            return get(matrices, place);
          Type type = getArrayElementTypes(matrices.getType()).front();
          Value isInside = arith::CmpIOp::create(
              *this, arith::CmpIPredicate::ult, place[dim], getIndex(all));
          return choose(
              isInside, [&] { return get(matrices, place); },
              [&] { return SmallVector<Value>{getNumber(type, 0)}; });
        });
  };
  bool leftColumns = getInnermost(x) == 1, rightColumns = getInnermost(y) == 1;
  auto computeTile = [&](ValueRange at) -> SmallVector<Value> {
    Type sum = init.front().getType();
    auto matrix =
        PushType::get(getContext(), Level::Block, {height, width}, sum);
    auto tile =
        PushType::get(getContext(), Level::Block, {1, height, width}, sum);
    auto product = MatmulOp::create(
        *this, matrix, cut(x, at[0], at[1], height, 1),
        cut(y, at[0], at[2], width, 2), init.front(), leftColumns, rightColumns,
        /*strategy=*/StringAttr());
    return {ReshapeOp::create(*this, tile, product, ValueRange())};
  };
  Value tiles =
      distributePush({getIndexAttr(xExtents[0] * parts),
                      getIndexAttr(llvm::divideCeil(xExtents[1], height)),
                      getIndexAttr(llvm::divideCeil(yExtents[2], width))},
                     Level::Block, computeTile)
          .front();
  Value joined = JoinOp::create(
      *this, tiles, ValueRange(),
      getDenseI64ArrayAttr({xExtents[0] * parts, xExtents[1], yExtents[2]}),
      UnitAttr());
  auto force = ForceOp::create(*this, joined, ValueRange());
  force.setThreads(shape.getThreads());
  return force.getResults().front();
}
