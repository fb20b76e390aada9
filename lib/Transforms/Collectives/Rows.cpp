//===- Rows.cpp - Parts of arrays, row by row -----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread reads four neighbours, which are one access, and neighbouring
// threads read neighbouring accesses: a row. A thread reads several rows before
// it combines an element, so that several accesses are in flight.
//
// If the order matters, a warp combines the eight rows of 1024 neighbouring
// elements. A lane combines its neighbours, five stages of shuffles combine the
// lanes of each row, and three more combine the rows. In any order, each thread
// reads four rows of the whole part at once, with four accumulators.
//
// The grouping depends on the number of elements only: workers are virtual.
//
// If nothing shows that neighbours are one access, as in a row of a matrix
// whose length is known at run time only, a thread reads one element of each
// row, and a warp combines 256 neighbouring elements. This is the strategy
// `block_stride` of a block, for arrays of any length, and the strategy `lanes`
// of a warp that combines an array alone.
//
// The strategy `rows` of a block does the same for an array that can be in
// registers of the block: each warp combines one piece of a few rows. The
// assignment of elements to lanes is known at compile time, so the array can be
// in registers.
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "Grid.h"
#include "RowPieces.h"
#include "Strategies.h"
#include <numeric>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The maximum number of rows that a thread reads at once if the order does not
/// matter: of several neighbours, or of one element each.
static constexpr int64_t neighbourRows = 4, singleRows = 8;
/// The maximum number of neighbours of all rows that a thread reads at once.
static constexpr int64_t maxItems = 32;
/// The number of threads of a block.
static constexpr int64_t workers = 256;
/// The number of rows of a segment, which one warp combines in order. A warp
/// does not load while its shuffles combine: the sum of 2^28 floats takes 0.243
/// ms on an H200, and 0.251 ms with 4 rows.
static constexpr int64_t segmentRows = 8;
/// The number of rows of a piece after the last full segment of a long array.
/// Few rows are little code.
static constexpr int64_t longTailRows = 2;
/// The number of segments whose results a block stores at a time, if a lane
/// reads several neighbours, and if it reads single elements of a row.
static constexpr int64_t neighbourSegments = 1024, singleSegments = 128;
/// The number of rows for which a branch between full and other pieces is not
/// worth it.
static constexpr int64_t fewRows = 2;

/// The first element of an array, and an array of one value.
static Value takeFirst(CollectiveBuilder &warp, Value lanes) {
  return warp.generate(warp.getConstantExtent(1),
                       [&](Value i) { return warp.get(lanes, i); });
}
static Value getArray(CollectiveBuilder &warp, const Values &value) {
  return warp.generate(warp.getConstantExtent(1), [&](Value) { return value; });
}

Value strategies::reduceByLanes(CollectiveBuilder &warp, Value x) {
  Extent n = warp.getExtent(x);
  int64_t rows = llvm::divideCeil(n.size, int64_t(warpSize));
  return takeFirst(
      warp, reduceInLanes(warp, {x, warp.constant(0), rows, /*width=*/1, n}));
}

Value strategies::reduceByLanesInOrder(CollectiveBuilder &warp, Value x) {
  Extent n = warp.getExtent(x);
  Value zero = warp.constant(0), size = warp.constant(segmentRows * warpSize);
  // The length of a row by offsets is a difference, which nothing bounds.
  n.value = warp.max(n.value, zero);
  Value full = warp.div(n.value, size), behind = warp.mul(full, size);
  auto loop = scf::ForOp::create(
      warp.builder, warp.loc, zero, behind, size, getZeros(warp),
      [&](OpBuilder &builder, Location loc, Value begin, ValueRange carried) {
        Values next = reducePiece(warp, {x, begin, segmentRows, 1, {}});
        scf::YieldOp::create(builder, loc,
                             warp.choose(
                                 warp.equal(begin, zero), [&] { return next; },
                                 [&] { return warp.combine(carried, next); }));
      });
  Values before(loop.getResults());
  Values value = warp.choose(
      warp.less(behind, n.value),
      [&] {
        Values rest = reducePiece(
            warp, {x, behind, segmentRows, 1, CollectiveBuilder::forget(n)});
        return warp.choose(
            warp.equal(behind, zero), [&] { return rest; },
            [&] { return warp.combine(before, rest); });
      },
      [&] { return before; });
  Extent few = {warp.min(n.value, warp.constant(1)), ShapedType::kDynamic, 1};
  return warp.generate(few, [&](Value) { return value; });
}

/// At level block: a few elements that have the same combination as `x`.
static Value shorten(CollectiveBuilder &block, Value x) {
  StringRef name = getDefaultReduceStrategy(Level::Block, block.getExtent(x),
                                            /*commutative=*/false);
  return lookupReduceStrategy(name)->shorten(block, x);
}

Value strategies::shortenInOrder(CollectiveBuilder &block, Value x, Value begin,
                                 Value end, int64_t width) {
  OpBuilder &builder = block.builder;
  // The elements after the last full segment are pieces of single elements,
  // whose loads need no access to be complete.
  int64_t tailRows = width == 1 ? segmentRows : longTailRows;
  int64_t piece = tailRows * warpSize;
  int64_t segment = width * segmentRows * warpSize;
  int64_t maxSegments = width == 1 ? singleSegments : neighbourSegments;
  Value zero = block.constant(0), size = block.constant(segment);
  Value full = block.div(block.sub(end, begin), size);
  Value behind = block.add(begin, block.mul(full, size));
  Extent left = {block.sub(end, behind), ShapedType::kDynamic, segment - 1};
  Value segments = block.add(full, block.ceilDiv(left, piece).value);
  auto loop = scf::ForOp::create(
      builder, block.loc, zero, segments, block.constant(maxSegments),
      getZeros(block),
      [&](OpBuilder &, Location loc, Value first, ValueRange carried) {
        Extent some = {
            block.min(block.sub(segments, first), block.constant(maxSegments)),
            ShapedType::kDynamic, maxSegments};
        Value results = block.distributeWarps(
            some, 1, some, [&](CollectiveBuilder &warp, Value number) {
              Value place = warp.add(first, number);
              Values value = warp.choose(
                  warp.less(place, full),
                  [&] {
                    Value own = warp.add(begin, warp.mul(place, size));
                    return reducePiece(warp, {x, own, segmentRows, width, {}});
                  },
                  [&] {
                    Value own =
                        warp.add(behind, warp.mul(warp.sub(place, full),
                                                  warp.constant(piece)));
                    return reducePiece(warp, {x, own, tailRows, 1,
                                              Extent{end, ShapedType::kDynamic,
                                                     ShapedType::kDynamic}});
                  });
              return getArray(warp, value);
            });
        // All threads combine the results, or the few that are left of them.
        Value few = maxSegments <= warpSize
                        ? results
                        : block.force(shorten(block, results));
        Values next = block.fold(few, zero, block.getExtent(few).value);
        scf::YieldOp::create(builder, loc,
                             block.choose(
                                 block.equal(first, zero), [&] { return next; },
                                 [&] { return block.combine(carried, next); }));
      });
  Extent one = {block.min(segments, block.constant(1)), ShapedType::kDynamic,
                1};
  return SplatOp::create(builder, block.loc, block.getPullType({one}),
                         loop.getResults(), one.value);
}

Value strategies::shortenInAnyOrder(CollectiveBuilder &block, Value x,
                                    Value begin, Value end, int64_t width) {
  OpBuilder &builder = block.builder;
  int64_t rows =
      width == 1 ? singleRows : std::min(neighbourRows, maxItems / width);
  int64_t chunk = workers * width * rows;
  Value count = block.sub(end, begin), step = block.constant(workers);
  // The quotient and the remainder tell analyses more than a difference.
  Value size = block.constant(chunk), left = block.rem(count, size);
  Value whole = block.mul(block.div(count, size), size);
  Value behind = block.add(begin, whole);
  Value hasChunk = block.less(block.constant(0), whole);
  Extent busy = {block.min(count, step), ShapedType::kDynamic, workers};
  unsigned arity = block.elementTypes.size();
  std::optional<int64_t> knownCount = getConstantIntValue(count);
  if (width == 1 || (knownCount && *knownCount < chunk))
    knownCount.reset();
  Value results = block.force(block.generate(busy, [&](Value w) {
    auto loadChunk = [&](Value first) {
      return load(block, x,
                  block.add(first, block.mul(w, block.constant(width))), rows,
                  width, workers * width);
    };
    // Row after row: a thread has as few accumulators as neighbours, so that
    // several blocks have room on a multiprocessor.
    auto combineRows = [&](Values values, ArrayRef<Values> elements) {
      for (auto [k, element] : llvm::enumerate(elements)) {
        size_t first = k % width * arity;
        llvm::copy(
            block.combine(ValueRange(values).slice(first, arity), element),
            values.begin() + first);
      }
      return values;
    };
    auto reduceRest = [&](Values values) {
      int64_t row = workers * width, full = *knownCount % chunk / row,
              part = *knownCount % row;
      Value own = block.mul(w, block.constant(width));
      auto loadRows = [&](int64_t number, int64_t rows) {
        Value place = block.add(behind, block.constant(number * row));
        return load(block, x, block.add(place, own), rows, width, row);
      };
      if (full > 0)
        values = combineRows(values, loadRows(0, full));
      if (part == 0)
        return values;
      return block.choose(
          block.less(own, block.constant(part)),
          [&] { return combineRows(values, loadRows(full, 1)); },
          [&] { return values; });
    };
    auto reduceWhole = [&] {
      SmallVector<Values> loaded = loadChunk(begin);
      Values start;
      for (const Values &element : ArrayRef(loaded).take_front(width))
        llvm::append_range(start, element);
      start = combineRows(start, ArrayRef(loaded).drop_front(width));
      auto loop = scf::ForOp::create(
          builder, block.loc, block.add(begin, block.constant(chunk)), behind,
          block.constant(chunk), start,
          [&](OpBuilder &, Location loc, Value first, ValueRange carried) {
            scf::YieldOp::create(
                builder, loc, combineRows(Values(carried), loadChunk(first)));
          });
      Values found = loop.getResults();
      if (knownCount)
        found = reduceRest(found);
      Values value(ArrayRef(found).take_front(arity));
      for (int64_t i = 1; i < width; ++i)
        value = block.combine(value, ValueRange(found).slice(i * arity, arity));
      return value;
    };
    // With a known length, the rest after the last chunk is full rows and a
    // part of a row, whose length is a multiple of the width.
    if (knownCount)
      return reduceWhole();
    Values start = block.choose(hasChunk, reduceWhole, [&] {
      return block.get(x, block.add(begin, w));
    });
    // Without a chunk, the first element of a thread is its start.
    Value done = arith::SelectOp::create(builder, block.loc, hasChunk,
                                         block.constant(0), step);
    Value first = block.add(block.add(behind, done), w);
    Value last = block.add(behind, left);
    if (width > 1)
      return block.fold(x, start, first, last, step);
    // Most rows of a matrix are short. A loop would wait for each element.
    SmallVector<Value> places;
    for (int64_t row = 0; row < rows; ++row)
      places.push_back(block.add(first, block.constant(row * workers)));
    SmallVector<Values> elements;
    for (Value place : places)
      elements.push_back(
          block.get(x, block.min(place, block.sub(end, block.constant(1)))));
    for (size_t row = 0; row < places.size(); ++row)
      start = block.choose(
          block.less(places[row], last),
          [&] { return block.combine(start, elements[row]); },
          [&] { return start; });
    return start;
  }));
  return block.shareReads(shorten(block, results));
}

//===----------------------------------------------------------------------===//
// The strategy
//===----------------------------------------------------------------------===//

/// The number of rows of each warp, for an array of `n` elements of which a
/// lane reads `width` neighbours. A lane has up to 32 elements, so that a few
/// warps have many accesses in flight, and other blocks are resident, too. All
/// warps but the last one have the same number of rows, and no warp has few of
/// them.
static int64_t chooseRows(int64_t n, int64_t width) {
  int64_t count = llvm::divideCeil(n, neighbours * warpSize);
  int64_t items = neighbours * (count <= 4    ? 1
                                : count <= 8  ? 2
                                : count <= 32 ? 4
                                              : 8);
  int64_t warps = llvm::divideCeil(n, items * warpSize);
  return llvm::divideCeil(n, warps * width * warpSize);
}

/// True if the elements of `x` are those of a chunk that may be padded: each
/// has a condition of its own, so that neighbours are not one access.
static bool isPadded(Value x) {
  if (auto chunk = dyn_cast<BlockArgument>(x)) {
    auto program = dyn_cast<DistributeOp>(chunk.getOwner()->getParentOp());
    // One padded array decides for the chunks of all arrays.
    return program && llvm::any_of(program.getArrays(), isPadded);
  }
  Operation *op = x.getDefiningOp();
  if (auto split = dyn_cast<SplitOp>(op))
    if (!split.getPads().empty())
      return llvm::any_of(llvm::seq<unsigned>(split.getStaticSizes().size()),
                          [&](unsigned dim) { return split.mayPad(dim); });
  return isa<ObsDialect>(op->getDialect()) && !isa<ForceOp>(op) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return isa<PullType>(operand.getType()) && isPadded(operand);
         });
}

/// The number of neighbours of a lane. All rows of a matrix with `n` columns
/// can be read in accesses of this number of elements.
static int64_t chooseWidth(Value x, Extent n) {
  return n.isStatic() && !isPadded(x) ? std::gcd(n.size, neighbours) : 1;
}

/// At most 32 elements that have the same combination as `x`.
static Value reduce(CollectiveBuilder &c, Value x) {
  for (Extent n = c.getExtent(x); !n.isAtMost(warpSize); n = c.getExtent(x)) {
    int64_t width = chooseWidth(x, n);
    int64_t rows = chooseRows(n.bound, width);
    int64_t size = rows * width * warpSize;
    Extent pieces = c.ceilDiv(n, size);
    x = c.distributeWarps(
        pieces, 1, pieces, [&](CollectiveBuilder &warp, Value number) {
          Piece piece = {
              x, warp.mul(number, warp.constant(size)), rows, width, {}};
          Piece last = piece;
          last.n = n;
          last.last = (pieces.bound - 1) * size;
          if (last.hasAlways(rows - 1, last.getRowSize()))
            return takeFirst(warp, reduceInLanes(warp, piece));
          if (warp.commutative || pieces.bound == 1 || !n.isStatic() ||
              rows <= fewRows)
            return takeFirst(warp, reduceInLanes(warp, last));
          // In order, full rows need no conditions.
          last.rows = llvm::divideCeil(n.size - last.last, last.getRowSize());
          return getArray(
              warp, warp.choose(
                        warp.less(number, warp.constant(pieces.bound - 1)),
                        [&] { return reducePiece(warp, piece); },
                        [&] { return reducePiece(warp, last); }));
        });
  }
  return x;
}

/// A few elements that have the same combination as `x`.
static Value reduceLong(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  auto shortenAll = c.commutative ? shortenInAnyOrder : shortenInOrder;
  // The length of a row by offsets is a difference, which nothing bounds.
  Value zero = c.constant(0),
        end = n.isStatic() ? n.value : c.max(n.value, zero);
  return shortenAll(c, x, zero, end, chooseWidth(x, n));
}

void strategies::addRows(Registry &registry) {
  ReduceStrategy blockStride;
  blockStride.shorten = reduceLong;
  blockStride.minLevel = Level::Block;
  registry.reduce["block_stride"] = blockStride;
  ReduceStrategy strategy;
  strategy.shorten = reduce;
  strategy.storesElements = true;
  strategy.allCombine = true;
  strategy.minLevel = Level::Block;
  registry.reduce["rows"] = strategy;
}
