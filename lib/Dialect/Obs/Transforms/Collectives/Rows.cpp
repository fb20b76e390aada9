//===- Rows.cpp - Parts of arrays, row by row
//------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//
//
// A thread reads four neighbours, which are one access, and the threads beside
// it read those beside them: a row. It reads four rows before it combines
// anything, so that four accesses are on their way.
//
// In order, a warp takes the four rows of 512 neighbouring elements. A lane
// combines its neighbours, five shuffles combine the lanes of each row, and
// lane 0 combines the rows. In any order, each thread goes through the whole
// part with sixteen accumulators.
//
// The grouping depends on the number of elements alone: workers are virtual.
//
// The strategy `rows` of a block is the same for an array that the block may
// keep: each warp combines one piece, of a few rows. Which element belongs to
// which lane shows by constants alone, so the array can live in registers.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Pieces.h"
#include "Strategies.h"
#include <numeric>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// Neighbours of a thread, rows that are read at once, and threads of a block.
static constexpr int64_t neighbours = 4, rows = 4, workers = 256;
/// Elements of a segment, which one warp combines.
static constexpr int64_t segment = neighbours * rows * warpSize;
/// Segments whose results a block stores at a time.
static constexpr int64_t maxSegments = 1024;

/// The elements from `first` on that a thread combines at once: `width` of each
/// of `count` rows, each `distance` behind the one before.
static SmallVector<Values> load(CollectiveBuilder &c, Value x, Value first,
                                int64_t count, int64_t width,
                                int64_t distance) {
  SmallVector<Values> elements;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(
          c.get(x, c.add(first, c.constant(row * distance + i))));
  return elements;
}

static Values getZeros(CollectiveBuilder &c) {
  Values zeros;
  for (Type type : c.elementTypes)
    zeros.push_back(arith::ConstantOp::create(c.builder, c.loc,
                                              c.builder.getZeroAttr(type)));
  return zeros;
}

namespace {
/// A part of an array that one warp combines: rows of 32 * `width` elements, of
/// which lane l reads the `width` from l * `width` on.
struct Piece {
  Value x;
  Value begin;
  int64_t rows;
  int64_t width;
  /// The number of elements of `x`, and the place where the last piece begins:
  /// there, rows may have fewer elements. Nothing if no piece is shorter.
  std::optional<Extent> n;
  int64_t last = 0;

  int64_t getRowSize() const { return width * warpSize; }
  /// Whether row `row` has at least `count` elements in every piece.
  bool hasAlways(int64_t row, int64_t count) const {
    return !n ||
           (n->isStatic() && last + row * getRowSize() + count <= n->size);
  }
};
} // namespace

/// What `combine` gives where element `index` exists, else `otherwise`.
static Values ifThere(CollectiveBuilder &warp, const Piece &piece, bool always,
                      Value index, ValueRange otherwise,
                      llvm::function_ref<Values()> combine) {
  if (always)
    return combine();
  return warp.choose(warp.less(index, piece.n->value), combine,
                     [&] { return Values(otherwise); });
}

/// The elements of row `row` from `first` on, as many as a lane has there,
/// combined with `value` before them, or alone if they begin the combination;
/// `value` if there are none. `elements` are those of a row that all pieces
/// have in full; they are read already.
static Values combineNeighbours(CollectiveBuilder &warp, const Piece &piece,
                                Value first, ArrayRef<Values> elements,
                                ValueRange value, bool isFirst) {
  bool isFull = !elements.empty();
  // All of them exist, or none.
  bool areTogether =
      isFull || (piece.n->isStatic() && piece.n->size % piece.width == 0);
  return ifThere(warp, piece, isFull, first, value, [&] {
    auto getElement = [&](int64_t i) {
      return isFull ? elements[i]
                    : warp.get(piece.x, warp.add(first, warp.constant(i)));
    };
    Values all = getElement(0);
    if (!isFirst)
      all = warp.combine(value, all);
    for (int64_t i = 1; i < piece.width; ++i)
      all = ifThere(warp, piece, areTogether,
                    areTogether ? Value() : warp.add(first, warp.constant(i)),
                    all, [&] { return warp.combine(all, getElement(i)); });
    return all;
  });
}

/// At level warp: an array of one element, the combination of `piece`. In
/// order, lanes combine each row; in any order, what the lanes have of all
/// rows.
static Value reducePiece(CollectiveBuilder &warp, const Piece &piece) {
  Extent lanes = warp.getConstantExtent(warpSize);
  int64_t trees = warp.commutative ? 1 : piece.rows;
  // One array with all rows: a stage shuffles them side by side.
  CollectiveBuilder all = warp;
  all.elementTypes.clear();
  for (int64_t row = 0; row < trees; ++row)
    llvm::append_range(all.elementTypes, warp.elementTypes);
  unsigned arity = warp.elementTypes.size();
  auto getRow = [&](ValueRange values, int64_t row) {
    return values.slice(row * arity, arity);
  };
  auto getBegin = [&](int64_t row) {
    return warp.add(piece.begin, warp.constant(row * piece.getRowSize()));
  };
  Value y = all.force(all.generate(lanes, [&](Value lane) {
    Value mine = warp.mul(lane, warp.constant(piece.width));
    // Rows that are always full come first, and all of them are read before
    // anything is combined.
    int64_t full = 0;
    while (full < piece.rows && piece.hasAlways(full, piece.getRowSize()))
      ++full;
    SmallVector<Values> elements =
        load(warp, piece.x, warp.add(piece.begin, mine), full, piece.width,
             piece.getRowSize());
    Values folded, none = getZeros(warp);
    for (int64_t row = 0; row < piece.rows; ++row) {
      bool isFirst = row == 0 || !warp.commutative;
      ArrayRef<Values> read =
          row < full ? ArrayRef(elements).slice(row * piece.width, piece.width)
                     : ArrayRef<Values>();
      Values value =
          combineNeighbours(warp, piece, warp.add(getBegin(row), mine), read,
                            isFirst ? none : folded, isFirst);
      if (!isFirst)
        folded.clear();
      llvm::append_range(folded, value);
    }
    return folded;
  }));
  // The lanes that have elements of each row.
  SmallVector<Value> live;
  for (int64_t row = 0; row < trees; ++row)
    live.push_back(
        piece.hasAlways(row, piece.width * (warpSize - 1) + 1)
            ? lanes.value
            : warp.min(lanes.value,
                       warp.div(warp.add(warp.max(warp.sub(piece.n->value,
                                                           getBegin(row)),
                                                  warp.constant(0)),
                                         warp.constant(piece.width - 1)),
                                warp.constant(piece.width))));
  // A lane whose number is a multiple of 2 d combines what it has with that of
  // the lane d to the right. What the other lanes have after that does not
  // matter, so all of them do the same, without a condition.
  for (int64_t distance = 1; distance < warpSize; distance *= 2)
    y = all.force(all.generate(lanes, [&](Value lane) {
      Value other = arith::XOrIOp::create(warp.builder, warp.loc, lane,
                                          warp.constant(distance));
      Value last = arith::OrIOp::create(warp.builder, warp.loc, lane,
                                        warp.constant(distance));
      Values own = all.get(y, lane), stage;
      // Rows with as many lanes have one condition.
      for (int64_t row = 0, next; row < trees; row = next) {
        for (next = row + 1; next < trees && live[next] == live[row];)
          ++next;
        auto combineRows = [&] {
          Values neighbour = all.get(y, other), both;
          for (int64_t r = row; r < next; ++r)
            llvm::append_range(
                both, warp.combine(getRow(own, r), getRow(neighbour, r)));
          return both;
        };
        if (live[row] == lanes.value)
          llvm::append_range(stage, combineRows());
        else
          // Both have elements.
          llvm::append_range(
              stage, warp.choose(warp.less(last, live[row]), combineRows, [&] {
                return Values(
                    ValueRange(own).slice(row * arity, (next - row) * arity));
              }));
      }
      return stage;
    }));
  return warp.generate(warp.getConstantExtent(1), [&](Value i) {
    Values found = all.get(y, i);
    Values value(getRow(found, 0));
    for (int64_t row = 1; row < trees; ++row)
      value =
          ifThere(warp, piece, piece.hasAlways(row, 1), getBegin(row), value,
                  [&] { return warp.combine(value, getRow(found, row)); });
    return value;
  });
}

/// At level block: few elements whose combination is that of `x`.
static Value shorten(CollectiveBuilder &block, Value x) {
  StringRef name = getDefaultReduceStrategy(Level::Block, block.getExtent(x),
                                            /*commutative=*/false);
  return lookupReduceStrategy(name)->shorten(block, x);
}

/// The combination of segments that exist, in all threads of a block; anything
/// if there are none.
static Values reduceSegments(CollectiveBuilder &block, Value x, Value begin,
                             Value segments) {
  OpBuilder &builder = block.builder;
  Value zero = block.constant(0);
  auto loop = scf::ForOp::create(
      builder, block.loc, zero, segments, block.constant(maxSegments),
      getZeros(block),
      [&](OpBuilder &, Location loc, Value first, ValueRange carried) {
        Extent count = {
            block.min(block.sub(segments, first), block.constant(maxSegments)),
            ShapedType::kDynamic, maxSegments};
        Value results = block.distributeWarps(
            count, 1, count, [&](CollectiveBuilder &warp, Value number) {
              Value place =
                  warp.mul(warp.add(first, number), warp.constant(segment));
              return reducePiece(
                  warp, {x, warp.add(begin, place), rows, neighbours, {}});
            });
        Value few = block.shareReads(shorten(block, results));
        Value one =
            block.force(block.generate(block.getConstantExtent(1), [&](Value) {
              return block.fold(few, zero, block.getExtent(few).value);
            }));
        Values next = block.get(one, zero);
        scf::YieldOp::create(builder, loc,
                             block.choose(
                                 block.equal(first, zero), [&] { return next; },
                                 [&] { return block.combine(carried, next); }));
      });
  return Values(loop.getResults());
}

Value strategies::shortenInOrder(CollectiveBuilder &block, Value x, Value begin,
                                 Value end) {
  Value count = block.sub(end, begin), size = block.constant(segment);
  Value segments = block.div(count, size);
  Values all = reduceSegments(block, x, begin, segments);
  // What is behind the last segment.
  Extent left = {block.rem(count, size), ShapedType::kDynamic, segment - 1};
  Value behind = block.add(begin, block.mul(segments, size));
  Value rest = block.shareReads(
      shorten(block, block.shareReads(block.generate(left, [&](Value i) {
        return block.get(x, block.add(behind, i));
      }))));
  Value isThere = block.min(segments, block.constant(1));
  Extent few = {block.add(isThere, block.getExtent(rest).value),
                ShapedType::kDynamic, ShapedType::kDynamic};
  if (block.getExtent(rest).isBounded())
    few.bound = block.getExtent(rest).bound + 1;
  return block.shareReads(block.generate(few, [&](Value i) {
    return block.choose(
        block.less(i, isThere), [&] { return all; },
        [&] { return block.get(rest, block.sub(i, isThere)); });
  }));
}

Value strategies::shortenInAnyOrder(CollectiveBuilder &block, Value x,
                                    Value begin, Value end) {
  OpBuilder &builder = block.builder;
  constexpr int64_t chunk = workers * neighbours * rows;
  Value count = block.sub(end, begin), step = block.constant(workers);
  Value whole =
      block.mul(block.div(count, block.constant(chunk)), block.constant(chunk));
  Value behind = block.add(begin, whole);
  Extent busy = {block.min(count, step), ShapedType::kDynamic, workers};
  unsigned width = block.elementTypes.size();
  Value results = block.force(block.generate(busy, [&](Value w) {
    auto loadChunk = [&](Value first) {
      return load(block, x,
                  block.add(first, block.mul(w, block.constant(neighbours))),
                  rows, neighbours, workers * neighbours);
    };
    auto reduceWhole = [&] {
      Values start;
      for (const Values &element : loadChunk(begin))
        llvm::append_range(start, element);
      auto loop = scf::ForOp::create(
          builder, block.loc, block.add(begin, block.constant(chunk)), behind,
          block.constant(chunk), start,
          [&](OpBuilder &, Location loc, Value first, ValueRange carried) {
            Values next;
            for (auto [i, element] : llvm::enumerate(loadChunk(first)))
              llvm::append_range(
                  next,
                  block.combine(carried.slice(i * width, width), element));
            scf::YieldOp::create(builder, loc, next);
          });
      ValueRange found = loop.getResults();
      Values value(found.take_front(width));
      for (int64_t i = 1; i < neighbours * rows; ++i)
        value = block.combine(value, found.slice(i * width, width));
      return block.fold(x, value, block.add(behind, w), end, step);
    };
    return block.choose(block.less(block.constant(0), whole), reduceWhole, [&] {
      return block.fold(x, block.add(begin, w), end, step);
    });
  }));
  return block.shareReads(shorten(block, results));
}

//===----------------------------------------------------------------------===//
// The strategy
//===----------------------------------------------------------------------===//

/// Elements of a lane, of an array of `n`. There are up to 32, so that few
/// warps, which are resident beside those of other blocks, have many accesses
/// on their way.
static int64_t chooseItems(int64_t n) {
  int64_t count = llvm::divideCeil(n, neighbours * warpSize);
  return neighbours * (count <= 4 ? 1 : count <= 8 ? 2 : count <= 32 ? 4 : 8);
}

/// Neighbours of a lane: as many as all rows of a matrix with `n` columns can
/// be read in.
static int64_t chooseWidth(Extent n) {
  return n.isStatic() ? std::gcd(n.size, neighbours) : 1;
}

/// At most 32 elements whose combination is that of `x`.
static Value reduce(CollectiveBuilder &c, Value x) {
  for (Extent n = c.getExtent(x); !n.isAtMost(warpSize); n = c.getExtent(x)) {
    int64_t items = chooseItems(n.bound), width = chooseWidth(n);
    int64_t size = items * warpSize;
    Extent pieces = c.ceilDiv(n, size);
    x = c.distributeWarps(
        pieces, 1, pieces, [&](CollectiveBuilder &warp, Value number) {
          return reducePiece(warp, {x, warp.mul(number, warp.constant(size)),
                                    items / width, width, n,
                                    (pieces.bound - 1) * size});
        });
  }
  return x;
}

void strategies::addRows(Registry &registry) {
  ReduceStrategy strategy;
  strategy.shorten = reduce;
  strategy.storesElements = true;
  strategy.allCombine = true;
  strategy.minLevel = Level::Block;
  registry.reduce["rows"] = strategy;
}
