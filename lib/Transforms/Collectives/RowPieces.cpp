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

Value strategies::reduceInLanes(CollectiveBuilder &warp, const Piece &piece) {
  if (!warp.commutative)
    return reduceInOrder(warp, piece);
  Value y = combineInLanes(warp, piece, 0, piece.rows);
  return piece.hasAlways(0, piece.width * (warpSize - 1) + 1)
             ? reduceFullRows(warp, y, 1)
             : reduceLanes(warp, y, countLanes(warp, piece, piece.begin));
}

Value strategies::reduceSideBySide(CollectiveBuilder &warp,
                                   const Piece &piece) {
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

CollectiveBuilder::Values strategies::reducePiece(CollectiveBuilder &warp,
                                                  const Piece &piece) {
  return warp.get(reduceInLanes(warp, piece), warp.constant(0));
}
