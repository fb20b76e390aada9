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
#include "Strategies.h"
#include "llvm/ADT/bit.h"
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

/// The elements from `first` on that a thread combines at once: `width`
/// elements of each of `count` rows. A row begins `distance` elements after the
/// row before it.
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

namespace {
/// A part of an array that one warp combines: rows of 32 * `width` elements.
/// Lane l reads `width` elements from l * `width` on.
struct Piece {
  Value x;
  Value begin;
  int64_t rows;
  int64_t width;
  /// The number of elements of `x`, and the position of the last piece, whose
  /// rows may have fewer elements. Empty if no piece is shorter.
  std::optional<Extent> n;
  int64_t last = 0;

  int64_t getRowSize() const { return width * warpSize; }
  /// True if row `row` has at least `count` elements in every piece.
  bool hasAlways(int64_t row, int64_t count) const {
    return !n ||
           (n->isStatic() && last + row * getRowSize() + count <= n->size);
  }
};
} // namespace

/// The result of `combine` if element `index` exists, else `otherwise`.
static Values ifThere(CollectiveBuilder &warp, const Piece &piece, bool always,
                      Value index, ValueRange otherwise,
                      llvm::function_ref<Values()> combine) {
  if (always)
    return combine();
  return warp.choose(warp.less(index, piece.n->value), combine,
                     [&] { return Values(otherwise); });
}

/// The combination of `value` and the elements of a lane in row `row`, from
/// `first` on. If the row begins the combination, `value` is not used. If the
/// row has no elements, the result is `value`. `elements` are the elements of a
/// row that is full in all pieces; they were read before.
static Values combineNeighbours(CollectiveBuilder &warp, const Piece &piece,
                                Value first, ArrayRef<Values> elements,
                                ValueRange value, bool isFirst) {
  bool isFull = !elements.empty();
  // Either all of them exist, or none.
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

/// A builder of arrays whose elements have those of `c` for each of `rows`.
static CollectiveBuilder repeatTypes(const CollectiveBuilder &c, int64_t rows) {
  CollectiveBuilder all = c;
  all.elementTypes.clear();
  for (int64_t row = 0; row < rows; ++row)
    llvm::append_range(all.elementTypes, c.elementTypes);
  return all;
}

/// At level warp: `count` rows of the stored array `y` from row `begin` on. An
/// element of `y` has `rows` rows.
static Value takeRows(CollectiveBuilder &warp, Value y, int64_t rows,
                      int64_t begin, int64_t count) {
  if (count == rows)
    return y;
  size_t arity = warp.elementTypes.size();
  CollectiveBuilder all = repeatTypes(warp, rows),
                    some = repeatTypes(warp, count);
  return some.force(
      some.generate(warp.getConstantExtent(warpSize), [&](Value lane) {
        Values own = all.get(y, lane);
        return Values(ValueRange(own).slice(begin * arity, count * arity));
      }));
}

/// At level warp: an array of lanes whose element 0 is the combination of the
/// first `full` rows of the stored array `y`, or of all, in order. `count`, the
/// number of rows, is a power of two.
///
/// In each stage, two lanes exchange half of the rows, so that each continues
/// with the other half. The stages of 8 rows have 9 shuffles, not 40.
static Value reduceFullRows(CollectiveBuilder &warp, Value y, int64_t count,
                            Value full = {}) {
  int64_t rows = count;
  Extent lanes = warp.getConstantExtent(warpSize);
  size_t arity = warp.elementTypes.size();
  auto select = [&](Value condition, ValueRange a, ValueRange b) {
    Values values;
    for (auto [x, z] : llvm::zip_equal(a, b))
      values.push_back(
          arith::SelectOp::create(warp.builder, warp.loc, condition, x, z));
    return values;
  };
  int64_t distance = 1;
  auto getOther = [&](Value array, Value lane) {
    return warp.get(array, arith::XOrIOp::create(warp.builder, warp.loc, lane,
                                                 warp.constant(distance))
                               .getResult());
  };
  for (; distance < warpSize; distance *= 2) {
    // The results of lanes on the right are not used.
    if (rows == 1) {
      y = warp.force(warp.generate(lanes, [&](Value lane) {
        return warp.combine(warp.get(y, lane), getOther(y, lane));
      }));
      continue;
    }
    rows /= 2;
    size_t size = rows * arity;
    CollectiveBuilder half = repeatTypes(warp, rows);
    auto isRight = [&](Value lane) {
      Value bit = arith::AndIOp::create(warp.builder, warp.loc, lane,
                                        warp.constant(distance));
      return warp.less(warp.constant(0), bit);
    };
    // A lane on the left keeps the first rows.
    Value sent = half.force(half.generate(lanes, [&](Value lane) {
      Values own = warp.get(y, lane);
      return select(isRight(lane), ValueRange(own).take_front(size),
                    ValueRange(own).take_back(size));
    }));
    y = half.force(half.generate(lanes, [&](Value lane) {
      Value right = isRight(lane);
      Values own = warp.get(y, lane), other = getOther(sent, lane), both;
      Values kept = select(right, ValueRange(own).take_back(size),
                           ValueRange(own).take_front(size));
      Values first = select(right, other, kept),
             second = select(right, kept, other);
      for (size_t begin = 0; begin < size; begin += arity)
        llvm::append_range(
            both, warp.combine(ValueRange(first).slice(begin, arity),
                               ValueRange(second).slice(begin, arity)));
      return both;
    }));
  }
  // The first exchange decided between halves of all rows, so the lowest bits
  // of a lane are those of its row, reversed. Lanes whose higher bits are 0
  // have results that are used.
  for (distance = count / 2; distance > 0; distance /= 2)
    y = warp.force(warp.generate(lanes, [&](Value lane) {
      Values own = warp.get(y, lane), other = getOther(y, lane);
      if (!full)
        return warp.combine(own, other);
      Value row = warp.constant(count / (2 * distance));
      for (int64_t bit = 1; bit < distance; bit *= 2)
        row =
            warp.add(row, warp.mul(warp.rem(warp.div(lane, warp.constant(bit)),
                                            warp.constant(2)),
                                   warp.constant(count / (2 * bit))));
      return warp.choose(
          warp.less(row, full), [&] { return warp.combine(own, other); },
          [&] { return own; });
    }));
  return y;
}

/// The combinations of the elements of two arrays of lanes, if the condition
/// holds. Otherwise, those of the first array.
static Value combineArrays(CollectiveBuilder &warp, Value a, Value b,
                           Value condition = {}) {
  return warp.force(
      warp.generate(warp.getConstantExtent(warpSize), [&](Value lane) {
        Values left = warp.get(a, lane), right = warp.get(b, lane);
        if (!condition)
          return warp.combine(left, right);
        return warp.choose(
            condition, [&] { return warp.combine(left, right); },
            [&] { return left; });
      }));
}

/// At level warp: the stored array of 32 lanes whose elements have the
/// combinations of the lane's elements of each row from `first` on, `count`
/// rows. If the order does not matter, they have the combination of all of
/// these elements.
static Value combineInLanes(CollectiveBuilder &warp, const Piece &piece,
                            int64_t first, int64_t count) {
  CollectiveBuilder all = repeatTypes(warp, warp.commutative ? 1 : count);
  Value begin =
      warp.add(piece.begin, warp.constant(first * piece.getRowSize()));
  return all.force(
      all.generate(warp.getConstantExtent(warpSize), [&](Value lane) {
        Value mine =
            warp.add(begin, warp.mul(lane, warp.constant(piece.width)));
        // Rows that are always full are first. All of them are read before the
        // first combination.
        int64_t full = 0;
        while (full < count &&
               piece.hasAlways(first + full, piece.getRowSize()))
          ++full;
        SmallVector<Values> elements =
            load(warp, piece.x, mine, full, piece.width, piece.getRowSize());
        Values folded, none = getZeros(warp);
        for (int64_t row = 0; row < count; ++row) {
          bool isFirst = row == 0 || !warp.commutative;
          ArrayRef<Values> read =
              row < full
                  ? ArrayRef(elements).slice(row * piece.width, piece.width)
                  : ArrayRef<Values>();
          Values value = combineNeighbours(
              warp, piece,
              warp.add(mine, warp.constant(row * piece.getRowSize())), read,
              isFirst ? none : folded, isFirst);
          if (!isFirst)
            folded.clear();
          llvm::append_range(folded, value);
        }
        return folded;
      }));
}

/// The number of lanes that have elements of the row that begins at `begin`.
static Value countLanes(CollectiveBuilder &warp, const Piece &piece,
                        Value begin) {
  Value left = warp.max(warp.sub(piece.n->value, begin), warp.constant(0));
  Value live = warp.div(warp.add(left, warp.constant(piece.width - 1)),
                        warp.constant(piece.width));
  return warp.min(live, warp.constant(warpSize));
}

/// An array of lanes whose element 0 is the combination of a piece of single
/// elements in order, if their number is known at run time only. All rows are
/// read at once. The results of those that are not full are not used, and one
/// more row has the elements after the last full row.
static Value reduceAnyRows(CollectiveBuilder &warp, const Piece &piece) {
  int64_t rows = llvm::bit_ceil(static_cast<uint64_t>(piece.rows));
  Value zero = warp.constant(0), rowSize = warp.constant(warpSize);
  Value count = warp.min(warp.sub(piece.n->value, piece.begin),
                         warp.constant(piece.rows * warpSize));
  Value full = warp.div(count, rowSize), live = warp.rem(count, rowSize);
  Value last = warp.sub(piece.n->value, warp.constant(1));
  Extent lanes = warp.getConstantExtent(warpSize);
  CollectiveBuilder all = repeatTypes(warp, rows + 1);
  Value y = all.force(all.generate(lanes, [&](Value lane) {
    Value mine = warp.add(piece.begin, lane);
    Values elements;
    for (int64_t row = 0; row <= rows; ++row) {
      Value number = row < rows ? warp.constant(row) : full;
      Value index = warp.add(mine, warp.mul(number, rowSize));
      llvm::append_range(elements, warp.get(piece.x, warp.min(index, last)));
    }
    return elements;
  }));
  Value before =
      reduceFullRows(warp, takeRows(warp, y, rows + 1, 0, rows), rows, full);
  Value rest = reduceLanes(warp, takeRows(warp, y, rows + 1, rows, 1), live);
  return warp.force(warp.generate(lanes, [&](Value lane) {
    Values left = warp.get(before, lane), right = warp.get(rest, lane);
    return warp.choose(
        warp.equal(full, zero), [&] { return right; },
        [&] {
          return warp.choose(
              warp.equal(live, zero), [&] { return left; },
              [&] { return warp.combine(left, right); });
        });
  }));
}

/// An array of lanes whose element 0 is the combination of `piece` in order.
/// Shuffles combine the lanes of each row.
static Value reduceInOrder(CollectiveBuilder &warp, const Piece &piece) {
  if (piece.n && !piece.n->isStatic())
    return reduceAnyRows(warp, piece);
  Value result;
  auto add = [&](Value next, Value condition = {}) {
    result = result ? combineArrays(warp, result, next, condition) : next;
  };
  int64_t full = 0;
  while (full < piece.rows &&
         piece.hasAlways(full, piece.width * (warpSize - 1) + 1))
    ++full;
  Value y = full == 0 ? Value() : combineInLanes(warp, piece, 0, full);
  // Groups whose number of rows is a power of two, the largest first.
  for (int64_t begin = 0; begin < full;) {
    int64_t rows = llvm::bit_floor(static_cast<uint64_t>(full - begin));
    add(reduceFullRows(warp, takeRows(warp, y, full, begin, rows), rows));
    begin += rows;
  }
  for (int64_t row = full; row < piece.rows; ++row) {
    Value begin =
        warp.add(piece.begin, warp.constant(row * piece.getRowSize()));
    add(reduceLanes(warp, combineInLanes(warp, piece, row, 1),
                    countLanes(warp, piece, begin)),
        piece.hasAlways(row, 1) ? Value() : warp.less(begin, piece.n->value));
  }
  return result;
}

/// At level warp: an array of lanes whose element 0 is the combination of
/// `piece`. If the order does not matter, a lane combines its elements of all
/// rows before shuffles combine the lanes.
static Value reduceInLanes(CollectiveBuilder &warp, const Piece &piece) {
  if (!warp.commutative)
    return reduceInOrder(warp, piece);
  Value y = combineInLanes(warp, piece, 0, piece.rows);
  return piece.hasAlways(0, piece.width * (warpSize - 1) + 1)
             ? reduceFullRows(warp, y, 1)
             : reduceLanes(warp, y, countLanes(warp, piece, piece.begin));
}

/// The same for the few rows of each warp of a block, in order. Shuffles
/// combine the lanes of all rows side by side: no row waits for another one,
/// and all warps execute one code.
static Value reduceSideBySide(CollectiveBuilder &warp, const Piece &piece) {
  Extent lanes = warp.getConstantExtent(warpSize);
  size_t arity = warp.elementTypes.size();
  CollectiveBuilder all = repeatTypes(warp, piece.rows);
  auto getRow = [&](ValueRange values, int64_t row) {
    return values.slice(row * arity, arity);
  };
  SmallVector<Value> begins, live;
  for (int64_t row = 0; row < piece.rows; ++row) {
    begins.push_back(
        warp.add(piece.begin, warp.constant(row * piece.getRowSize())));
    live.push_back(piece.hasAlways(row, piece.width * (warpSize - 1) + 1)
                       ? Value()
                       : countLanes(warp, piece, begins.back()));
  }
  Value y = combineInLanes(warp, piece, 0, piece.rows);
  // A lane whose number is a multiple of 2 d combines its value with that of
  // lane + d. The values of the other lanes are not used later, so all lanes
  // execute the same code.
  for (int64_t distance = 1; distance < warpSize; distance *= 2)
    y = all.force(all.generate(lanes, [&](Value lane) {
      Value last = arith::OrIOp::create(warp.builder, warp.loc, lane,
                                        warp.constant(distance));
      Value other = arith::XOrIOp::create(warp.builder, warp.loc, lane,
                                          warp.constant(distance));
      Values own = all.get(y, lane), neighbour = all.get(y, other), stage;
      for (int64_t row = 0; row < piece.rows; ++row) {
        auto combine = [&] {
          return warp.combine(getRow(own, row), getRow(neighbour, row));
        };
        llvm::append_range(
            stage, live[row]
                       ? warp.choose(warp.less(last, live[row]), combine,
                                     [&] { return Values(getRow(own, row)); })
                       : combine());
      }
      return stage;
    }));
  return warp.force(warp.generate(lanes, [&](Value lane) {
    Values found = all.get(y, lane), value(getRow(found, 0));
    for (int64_t row = 1; row < piece.rows; ++row)
      value = ifThere(warp, piece, piece.hasAlways(row, 1), begins[row], value,
                      [&] { return warp.combine(value, getRow(found, row)); });
    return value;
  }));
}

/// The same, as values that all lanes have.
static Values reducePiece(CollectiveBuilder &warp, const Piece &piece) {
  return warp.get(reduceInLanes(warp, piece), warp.constant(0));
}

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
      ValueRange found = loop.getResults();
      Values value(found.take_front(arity));
      for (int64_t i = 1; i < width; ++i)
        value = block.combine(value, found.slice(i * arity, arity));
      return value;
    };
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
  auto divides = [](int64_t n, int64_t size) {
    return !ShapedType::isDynamic(n) && !ShapedType::isDynamic(size) &&
           size > 0 && n % size == 0;
  };
  if (auto split = dyn_cast<SplitOp>(op); split && !split.getPads().empty())
    return !llvm::all_of_zip(split.getArray().getType().getExtents(),
                             split.getStaticSizes(), divides);
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
          if (warp.commutative || pieces.bound == 1 || !n.isStatic())
            return takeFirst(warp, reduceInLanes(warp, last));
          if (rows <= fewRows)
            return takeFirst(warp, reduceSideBySide(warp, last));
          // In order, shuffles combine each row, and full rows need fewer.
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
