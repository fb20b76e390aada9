//===- Expand.cpp - Several elements for each length ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "RowScan.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The element with number `j` of length `i`.
static Values buildElement(CollectiveBuilder &c, ExpandOp op, Value i,
                           Value j) {
  return cloneBody(c.builder, op.getBody(), {i, j});
}

/// For one thread, which processes the lengths in order. It writes nothing past
/// the end of the result.
static void expandExpandInThread(CollectiveBuilder &c, ExpandOp op, Extent n,
                                 Value capacity) {
  Value zero = c.constant(0);
  auto getLength = [&](Value i) {
    return toIndex(c, c.get(op.getLengths(), i).front());
  };
  Value result =
      buildFill(c, op.getResult().getType(), capacity, op.getInit(), true, [&] {
        accumulate(c, n.value, zero, [&](Value i, Value begin) {
          Value end = c.add(begin, getLength(i));
          Value count = c.sub(c.min(end, capacity), begin);
          accumulate(c, count, begin, [&](Value j, Value position) {
            write(c, buildElement(c, op, i, j), position);
            return c.add(position, c.constant(1));
          });
          return end;
        });
      });
  Value count = buildPush(c, op.getCount(), c.getConstantExtent(1), [&](Value) {
    return accumulate(c, n.value, zero, [&](Value i, Value sum) {
      return c.add(sum, getLength(i));
    });
  });
  op.getResult().replaceAllUsesWith(result);
  op.getCount().replaceAllUsesWith(count);
}

namespace {
/// The elements of an `expand`, from the sums of its lengths.
struct ExpandedElements {
  /// The index of the length that element `t` belongs to: the first one at
  /// which the sum is larger than `t`.
  Value findLength(CollectiveBuilder &c, Value t) {
    return findFirstAbove(c, n, t,
                          [&](Value length) { return getEnd(c, length); });
  }
  /// The same at level warp: lanes compare elements of 32 lengths in each step,
  /// so that a warp waits for memory in few steps.
  Value findLengthByLanes(CollectiveBuilder &warp, Value t);
  /// The sum up to length `i`.
  Value getEnd(CollectiveBuilder &c, Value i) {
    return toIndex(c, c.get(sums, i).front());
  }
  /// The number of elements of all lengths.
  Value getTotal(CollectiveBuilder &c) { return getSum(c, sums, n.value); }
  /// Writes element `t`, which belongs to length `i`.
  void write(CollectiveBuilder &c, Value i, Value t) {
    Value j = c.sub(t, getSum(c, sums, i));
    strategies::write(c, buildElement(c, op, i, j), t);
  }
  /// At level block: writes the elements from `first` to `end`, at most as many
  /// as a tile of `shape` has. There is at least one.
  void writeTile(CollectiveBuilder &block, const RowShape &shape, Value first,
                 Value end);

  ExpandOp op;
  Extent n;
  /// The sum of the lengths up to each length.
  Value sums;

private:
  void writeDense(CollectiveBuilder &block, const RowShape &shape, Value first,
                  Value end, Value low, Value high);
};
} // namespace

Value ExpandedElements::findLengthByLanes(CollectiveBuilder &warp, Value t) {
  OpBuilder &builder = warp.builder;
  CollectiveBuilder counts(
      builder, warp.loc, Level::Warp, builder.getI32Type(),
      /*commutative=*/true,
      [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        return Values{arith::AddIOp::create(b, loc, x[0], y[0])};
      });
  Value zero = warp.constant(0), one = warp.constant(1),
        last = warp.sub(n.value, one);
  // Of k candidates, at most k / 33 remain after a step.
  Value steps = warp.add(warp.div(warp.ceilLog2(n), warp.constant(5)), one);
  auto loop = scf::ForOp::create(
      builder, warp.loc, zero, steps, one, ValueRange{zero, n.value},
      [&](OpBuilder &b, Location loc, Value, ValueRange bounds) {
        Value low = bounds[0], high = bounds[1];
        // Lane i compares the last candidate of part i.
        Value size = warp.add(
            warp.div(warp.sub(high, low), warp.constant(warpSize + 1)), one);
        auto getLast = [&](Value part) {
          return warp.sub(warp.add(low, warp.mul(warp.add(part, one), size)),
                          one);
        };
        Value isBefore = counts.force(counts.generate(
            counts.getConstantExtent(warpSize), [&](Value lane) {
              Value place = getLast(lane);
              Value isBehind =
                  warp.less(t, getEnd(warp, warp.min(place, last)));
              Value no = arith::ConstantIntOp::create(b, loc, 0, 1);
              Value holds = arith::SelectOp::create(b, loc, isBehind, no,
                                                    warp.less(place, high));
              return Values{
                  arith::ExtUIOp::create(b, loc, b.getI32Type(), holds)};
            }));
        Value part =
            toIndex(warp, counts.get(reduceLanes(counts, isBefore), zero)[0]);
        scf::YieldOp::create(b, loc,
                             ValueRange{warp.add(low, warp.mul(part, size)),
                                        warp.min(getLast(part), high)});
      });
  return loop.getResult(0);
}

/// The first elements of the lengths after `low` are marked with the distance
/// of their length from `low`. The maximum of the marks up to an element is the
/// distance of the length of the element.
void ExpandedElements::writeDense(CollectiveBuilder &block,
                                  const RowShape &shape, Value first, Value end,
                                  Value low, Value high) {
  OpBuilder &builder = block.builder;
  Type number = builder.getI32Type();
  Value zero = arith::ConstantIntOp::create(builder, block.loc, 0, 32),
        yes = arith::ConstantIntOp::create(builder, block.loc, 1, 1);
  CollectiveBuilder marks(
      builder, block.loc, Level::Block, number, /*commutative=*/true,
      [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        return Values{arith::MaxUIOp::create(b, loc, x[0], y[0])};
      });
  Value heads = marks.forceFill(
      {block.getConstantExtent(shape.getTile())}, block.sub(high, low),
      [&](Value k, auto mark) {
        Value distance = block.add(k, block.constant(1));
        Value i = block.add(low, distance);
        // There is a length before this one.
        Value begin = getEnd(block, block.sub(i, block.constant(1)));
        // Only one length begins at an element and is not empty.
        buildIf(block, block.less(begin, getEnd(block, i)), [&] {
          mark(convert(block, distance, number), block.sub(begin, first));
        });
      },
      zero, /*unchecked=*/true);
  RowScan scan(marks, shape, {}, [&](Value warp, Value lane) {
    SmallVector<Values> own;
    Value begin = shape.getBegin(block, block.constant(0), warp, lane);
    for (int64_t k = 0; k < shape.getItems(); ++k)
      own.push_back(marks.get(
          heads, block.add(begin, block.constant(shape.getDistance(k)))));
    return own;
  });
  Value isFull =
      block.equal(block.sub(end, first), block.constant(shape.getTile()));
  forEach(block, block.constant(RowShape::workers), [&](Value worker) {
    RowScan::Thread found = scan.getThread(worker, zero, yes);
    Value begin = shape.getBegin(block, first, found.warp, found.lane),
          left = block.sub(end, begin);
    auto writeAll = [&](bool isGuarded) {
      for (int64_t item = 0; item < shape.getItems(); ++item) {
        // Reversed, as in a scan in one pass.
        int64_t k = isGuarded ? shape.getItems() - 1 - item : item;
        Value place = block.constant(shape.getDistance(k)),
              t = block.add(begin, place);
        Value i = block.add(low, toIndex(block, found.elements[k].front(),
                                         /*isUnsigned=*/true));
        if (isGuarded)
          buildIf(block, block.less(place, left), [&] { write(block, i, t); });
        else
          write(block, i, t);
      }
      return Values();
    };
    block.choose(
        isFull, [&] { return writeAll(false); },
        [&] { return writeAll(true); });
  });
}

void ExpandedElements::writeTile(CollectiveBuilder &block,
                                 const RowShape &shape, Value first,
                                 Value end) {
  // Two warps look for the lengths of the first and the last element.
  Extent one = block.getConstantExtent(1), two = block.getConstantExtent(2);
  CollectiveBuilder numbers = block;
  numbers.elementTypes = {block.builder.getIndexType()};
  Value bounds = numbers.distributeWarps(
      two, 1, two, [&](CollectiveBuilder &warp, Value k) {
        Value t =
            warp.choose(
                    warp.equal(k, warp.constant(0)),
                    [&] { return Values{first}; },
                    [&] { return Values{warp.sub(end, warp.constant(1))}; })
                .front();
        Value found = findLengthByLanes(warp, t);
        return warp.generate(one, [&](Value) { return Values{found}; });
      });
  Value low = block.get(bounds, block.constant(0)).front();
  Value high = block.get(bounds, block.constant(1)).front();
  // Many lengths of 0 would keep one block busy.
  Value isDense =
      block.less(block.sub(high, low), block.constant(16 * shape.getTile()));
  block.choose(
      isDense,
      [&] {
        writeDense(block, shape, first, end, low, high);
        return Values();
      },
      [&] {
        forEach(block, block.sub(end, first), [&](Value place) {
          Value t = block.add(first, place);
          write(block, findLength(block, t), t);
        });
        return Values();
      });
}

LogicalResult strategies::expandExpand(OpBuilder &builder, ExpandOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Extent n = c.getExtent(op.getLengths());
  PushType type = op.getResult().getType();
  Value capacity = type.hasStaticExtents()
                       ? c.constant(type.getExtents().front())
                       : op.getExtents().front();
  if (isSequential(op, c)) {
    expandExpandInThread(c, op, n, capacity);
    return success();
  }
  auto getLength = [&](Value i) {
    return convert(c, c.get(op.getLengths(), i).front(),
                   c.elementTypes.front());
  };
  Value sums;
  if (c.level == Level::Grid) {
    FailureOr<std::unique_ptr<GridScan>> grid =
        scanAtGrid(c, op, n, "one_pass", getLength);
    if (failed(grid))
      return failure();
    PullType pull = c.getPullType(n);
    auto sumsType =
        PushType::get(pull.getContext(), Level::Grid, pull.getExtents(),
                      pull.getBounds(), pull.getElementTypes());
    sums = forceAtGrid(c, (*grid)->fill(sumsType, n.getOperands(), {},
                                        [&](Value i, auto current, auto) {
                                          write(c, current(), i);
                                        }));
  } else {
    FailureOr<Value> scanned = scanNumbers(c, op, n, getLength);
    if (failed(scanned))
      return failure();
    sums = c.force(*scanned);
  }
  ExpandedElements elements{op, n, sums};
  Value result;
  if (c.level == Level::Grid) {
    RowShape shape(builder.getI32Type(),
                   /*items=*/!c.plain && isCheap(op.getBody()), /*maxRows=*/4);
    Value size = c.constant(shape.getTile());
    result = fillByBlocks(
        c, type, type.hasStaticExtents() ? ValueRange() : ValueRange(capacity),
        op.getInit(), "",
        c.ceilDiv({capacity, ShapedType::kDynamic, ShapedType::kDynamic},
                  shape.getTile())
            .value,
        [&](CollectiveBuilder &block, Value tile) {
          Value first = block.mul(tile, size);
          Value end = block.min(block.add(first, size),
                                block.min(capacity, elements.getTotal(block)));
          buildIf(block, block.less(first, end),
                  [&] { elements.writeTile(block, shape, first, end); });
        });
  } else {
    result = buildFill(c, type, capacity, op.getInit(), false, [&] {
      forEach(c, capacity, [&](Value t) {
        buildIf(c, c.less(t, elements.getTotal(c)),
                [&] { elements.write(c, elements.findLength(c, t), t); });
      });
    });
  }
  Value count = buildPush(c, op.getCount(), c.getConstantExtent(1),
                          [&](Value) { return elements.getTotal(c); });
  op.getResult().replaceAllUsesWith(result);
  op.getCount().replaceAllUsesWith(count);
  return success();
}
