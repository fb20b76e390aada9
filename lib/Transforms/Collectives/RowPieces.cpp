//===- RowPieces.cpp - One warp combines rows of an array -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an array, and a part of it, which is some rows of neighbouring elements.
// Out: the combination of the part, by the lanes of one warp. Strategies of
// reductions divide an array into such pieces.
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"
#include "ExpansionUtils.h"
#include "Strategies.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

SmallVector<Values> strategies::load(CollectiveBuilder &c, Value x, Value first,
                                     int64_t count, int64_t width,
                                     int64_t distance) {
  SmallVector<Values> elements;
  for (int64_t row = 0; row < count; ++row)
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(
          c.get(x, c.add(first, c.constant(row * distance + i))));
  return elements;
}

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
  bool areTogether = isFull || piece.n->isMultipleOf(piece.width);
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

/// The elements of lane `lane` of `piece`: the combination of its neighbours in
/// each of the rows. If the order does not matter, the combination of all.
static Values readRows(CollectiveBuilder &warp, const Piece &piece,
                       Value lane) {
  Value mine =
      warp.add(piece.begin, warp.mul(lane, warp.constant(piece.width)));
  auto getFirst = [&](int64_t row) {
    return warp.add(mine, warp.constant(row * piece.getRowSize()));
  };
  Values folded;
  if (!warp.commutative && piece.n && !piece.n->isStatic()) {
    // All rows are read at once. Elements that do not exist are not used.
    assert(piece.width == 1 && "neighbours may be on both sides of the end");
    Value last = warp.sub(piece.n->value, warp.constant(1));
    for (int64_t row = 0; row < piece.rows; ++row)
      llvm::append_range(folded,
                         warp.get(piece.x, warp.min(getFirst(row), last)));
    return folded;
  }
  // Rows that are always full are first. All of them are read before the first
  // combination.
  int64_t full = piece.countFullRows(piece.getRowSize());
  SmallVector<Values> elements =
      load(warp, piece.x, mine, full, piece.width, piece.getRowSize());
  Values none = getZeros(warp);
  for (int64_t row = 0; row < piece.rows; ++row) {
    bool isFirst = row == 0 || !warp.commutative;
    ArrayRef<Values> read =
        row < full ? ArrayRef(elements).slice(row * piece.width, piece.width)
                   : ArrayRef<Values>();
    Values value = combineNeighbours(warp, piece, getFirst(row), read,
                                     isFirst ? none : folded, isFirst);
    if (!isFirst)
      folded.clear();
    llvm::append_range(folded, value);
  }
  return folded;
}

/// In each stage, two lanes exchange half of their rows: a lane on the left
/// continues with the even ones, the other lane with the odd ones. So lane l
/// has one row in the end, whose number is the lowest bits of l, and the last
/// stages combine the rows. The stages of 8 rows have 12 shuffles, not 40.
///
/// The elements of a lane and of the lanes on its right up to the next power of
/// two are combined with the elements after these, if such exist. Later
/// elements do not exist, either, so nothing reads a combination of missing
/// elements.
Value strategies::reduceInLanes(CollectiveBuilder &warp, const Piece &piece) {
  OpBuilder &builder = warp.builder;
  Location loc = warp.loc;
  Extent lanes = warp.getConstantExtent(warpSize);
  size_t arity = warp.elementTypes.size();
  auto getRow = [&](ValueRange values, int64_t row) {
    return values.slice(row * arity, arity);
  };
  int64_t rows = warp.commutative ? 1 : piece.rows;
  int64_t groups = llvm::bit_ceil(static_cast<uint64_t>(rows));
  int64_t full =
      std::min(rows, piece.countFullRows(piece.width * (warpSize - 1) + 1));
  // The number of elements of lanes, row by row.
  Value left = warp.constant(rows * warpSize);
  if (full < rows)
    left = warp.max(
        warp.min(warp.ceilDiv({warp.sub(piece.n->value, piece.begin),
                               ShapedType::kDynamic, ShapedType::kDynamic},
                              piece.width)
                     .value,
                 left),
        warp.constant(0));
  auto maskLane = [&](Value lane, int64_t bits) -> Value {
    return arith::AndIOp::create(builder, loc, lane, warp.constant(bits));
  };
  // Combines `second`, if it exists, with what is before it. A lane is in a
  // group of `size` lanes, which have as many neighbouring rows. The first
  // element of `second` is `distance` behind the first one of lane and row, and
  // its row is at most `last`.
  auto combine = [&](ValueRange first, ValueRange second, Value lane,
                     int64_t size, int64_t distance, int64_t last) {
    auto combineBoth = [&] { return warp.combine(first, second); };
    if (last < full)
      return combineBoth();
    Value place = warp.add(
        lane, warp.mul(maskLane(lane, size - 1), warp.constant(warpSize - 1)));
    return warp.choose(
        warp.less(warp.add(place, warp.constant(distance)), left), combineBoth,
        [&] { return Values(first); });
  };
  auto getOther = [&](CollectiveBuilder &c, Value array, Value lane,
                      int64_t distance) {
    return c.get(array, arith::XOrIOp::create(builder, loc, lane,
                                              warp.constant(distance))
                            .getResult());
  };
  CollectiveBuilder all = repeatTypes(warp, rows);
  Value y = all.force(all.generate(
      lanes, [&](Value lane) { return readRows(warp, piece, lane); }));
  int64_t distance = 1;
  for (; distance < groups; distance *= 2) {
    int64_t size = 2 * distance;
    CollectiveBuilder half = repeatTypes(warp, llvm::divideCeil(rows, 2));
    // Every second row of `own`. A last row without a partner is both.
    auto getHalf = [&](ValueRange own, int64_t first) {
      Values values;
      for (int64_t row = first; row < rows + first; row += 2)
        llvm::append_range(values, getRow(own, std::min(row, rows - 1)));
      return values;
    };
    auto choose = [&](Value lane, ValueRange ifRight, ValueRange ifLeft) {
      Value isRight = warp.less(warp.constant(0), maskLane(lane, distance));
      Values values;
      for (auto [x, z] : llvm::zip_equal(ifRight, ifLeft))
        values.push_back(arith::SelectOp::create(builder, loc, isRight, x, z));
      return values;
    };
    Value sent = half.force(half.generate(lanes, [&](Value lane) {
      Values own = all.get(y, lane);
      return choose(lane, getHalf(own, 0), getHalf(own, 1));
    }));
    y = half.force(half.generate(lanes, [&](Value lane) {
      Values own = all.get(y, lane), both;
      Values kept = choose(lane, getHalf(own, 1), getHalf(own, 0)),
             other = getOther(half, sent, lane, distance);
      Values first = choose(lane, other, kept),
             second = choose(lane, kept, other);
      for (int64_t row = 0; 2 * row < rows; ++row)
        llvm::append_range(both,
                           combine(getRow(first, row), getRow(second, row),
                                   lane, size, row * size * warpSize + distance,
                                   (row + 1) * size - 1));
      return both;
    }));
    rows = llvm::divideCeil(rows, 2);
    all.elementTypes = half.elementTypes;
  }
  // The results of other lanes than the first of a group are not used.
  auto addStage = [&](int64_t lanesAway, int64_t elementsAway) {
    y = warp.force(warp.generate(lanes, [&](Value lane) {
      return combine(warp.get(y, lane), getOther(warp, y, lane, lanesAway),
                     lane, groups, elementsAway, groups - 1);
    }));
  };
  for (; distance < warpSize; distance *= 2)
    addStage(distance, distance);
  for (distance = 1; distance < groups; distance *= 2)
    addStage(distance, distance * warpSize);
  return y;
}

CollectiveBuilder::Values strategies::reducePiece(CollectiveBuilder &warp,
                                                  const Piece &piece) {
  return warp.get(reduceInLanes(warp, piece), warp.constant(0));
}
