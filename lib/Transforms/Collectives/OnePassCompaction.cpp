//===- OnePassCompaction.cpp - The kept elements, in one kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are loaded together with their flags. They stay in registers until
// the number of kept elements before them in the tile is known. The flags of
// neighbours are the bits of one number, and the scan has one count for these.
// Kept elements are gathered in shared memory while a warp looks back.
//
//===----------------------------------------------------------------------===//

#include "OnePassCompaction.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "Strategies.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

OnePassCompaction::OnePassCompaction(CollectiveBuilder &c, Extent n,
                                     Source given)
    : c(c), n(n), source(std::move(given)),
      shape(source.elements.elementTypes,
            /*items=*/!c.plain && source.isCheap),
      // One block runs even if there are no elements, because it counts them.
      tiles(c.max(c.ceilDiv(n, shape.getTile()).value, c.constant(1))),
      lookback(c, tiles, LookbackKind::Counts) {}

static Value getInteger(CollectiveBuilder &c, int64_t value) {
  return arith::ConstantIntOp::create(c.builder, c.loc, value, /*width=*/32);
}

static Value countBits(CollectiveBuilder &c, Value bits) {
  return math::CtPopOp::create(c.builder, c.loc, bits);
}

/// For each row of a thread: the number of kept elements, the elements, and the
/// flags as bits. An element that is not kept is computed only if this cannot
/// cause an error.
SmallVector<Values> OnePassCompaction::load(CollectiveBuilder &block,
                                            Value first, Value isFull,
                                            Value warp, Value lane) {
  OpBuilder &builder = block.builder;
  auto get = [&](Value i) {
    Value flag = source.flag(i);
    auto getElement = [&] { return source.element(i); };
    Values all{convert(block, flag, builder.getI32Type(), /*isUnsigned=*/true)};
    llvm::append_range(all, source.isTotal
                                ? getElement()
                                : block.choose(flag, getElement, [&] {
                                    return getZeros(source.elements);
                                  }));
    return all;
  };
  auto getNothing = [&] {
    Values nothing{getInteger(block, 0)};
    llvm::append_range(nothing, getZeros(source.elements));
    return nothing;
  };
  auto buildRow = [&](ArrayRef<Values> items) {
    Values row{Value()};
    Value bits;
    for (auto [i, item] : llvm::enumerate(items)) {
      Value bit = item.front();
      if (i > 0)
        bit = arith::ShLIOp::create(builder, block.loc, bit,
                                    getInteger(block, i));
      bits = bits ? arith::OrIOp::create(builder, block.loc, bits, bit) : bit;
      llvm::append_range(row, ValueRange(item).drop_front());
    }
    row.front() = countBits(block, bits);
    row.push_back(bits);
    return row;
  };
  return shape.load(block, first, warp, lane, isFull, n.value, get, getNothing,
                    buildRow);
}

/// Stores the kept elements of a tile without gaps, so that neighbouring
/// threads write neighbouring elements of the result.
Value OnePassCompaction::gather(CollectiveBuilder &block, RowScan &scan) {
  OpBuilder &builder = block.builder;
  Location loc = block.loc;
  Value zero = getInteger(block, 0), one = getInteger(block, 1),
        yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  auto gatherThread = [&](Value worker, auto write) {
    RowScan::Thread found = scan.getThread(worker, zero, yes);
    // True if the element is kept; its position; the element.
    auto getItem = [&](int64_t k) {
      int64_t row = k / shape.neighbours, i = k % shape.neighbours;
      const Values &kept = found.carried[row];
      Value bits = kept.back(), position = found.getBefore(row).front();
      if (i > 0) {
        Value left = arith::AndIOp::create(builder, loc, bits,
                                           getInteger(block, (1 << i) - 1));
        position = arith::AddIOp::create(builder, loc, position,
                                         countBits(block, left));
        bits = arith::ShRUIOp::create(builder, loc, bits, getInteger(block, i));
      }
      Value own = arith::AndIOp::create(builder, loc, bits, one);
      Values item{convert(block, own, builder.getI1Type()), position};
      size_t width = source.elements.elementTypes.size();
      llvm::append_range(item, ValueRange(kept).slice(i * width, width));
      return item;
    };
    buildUnrolled(block, shape.getItems(), [&](Value number) {
      Values own = selectItem(block, number, shape.getItems(), getItem);
      buildIf(block, own[0], [&] {
        write(ValueRange(own).drop_front(2),
              toIndex(block, own[1], /*isUnsigned=*/true));
      });
    });
  };
  CollectiveBuilder typed = block;
  typed.elementTypes = source.elements.elementTypes;
  return typed.forceFill({block.getConstantExtent(shape.getTile())},
                         block.constant(RowShape::workers), gatherThread, {},
                         /*unchecked=*/true);
}

Value OnePassCompaction::fill(
    PushType type, ValueRange extents, ValueRange init,
    llvm::function_ref<void(CollectiveBuilder &, Value)> atEnd) {
  return fillByBlocks(
      c, type, extents, init, "", tiles, [&](CollectiveBuilder &block, Value) {
        OpBuilder &builder = block.builder;
        Value number = lookback.drawTile(block);
        Value first = block.mul(number, block.constant(shape.getTile()));
        Value isFull = block.less(block.add(number, block.constant(1)), tiles);
        // The number of elements of a tile fits in 32 bits.
        CollectiveBuilder counts(
            builder, block.loc, Level::Block, builder.getI32Type(),
            /*commutative=*/true,
            [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
              return Values{arith::AddIOp::create(b, loc, x[0], y[0])};
            });
        RowShape byRow = shape;
        byRow.neighbours = 1;
        SmallVector<Type> carried;
        for (int64_t i = 0; i < shape.neighbours; ++i)
          llvm::append_range(carried, source.elements.elementTypes);
        carried.push_back(builder.getI32Type());
        RowScan scan(counts, byRow, carried, [&](Value warp, Value lane) {
          return load(block, first, isFull, warp, lane);
        });
        Value yes = arith::ConstantIntOp::create(builder, block.loc, 1, 1);
        Value own = toIndex(block, scan.getSum().front(), /*isUnsigned=*/true);
        lookback.publishTile(block, number, own, /*isAwaited=*/yes);
        Value kept = gather(block, scan);
        Values before =
            lookback.buildPrefix(block, number, own, /*isAwaited=*/yes);
        Value begin = block
                          .choose(
                              block.equal(number, block.constant(0)),
                              [&] { return Values{block.constant(0)}; },
                              [&] { return before; })
                          .front();
        CollectiveBuilder typed = block;
        typed.elementTypes = source.elements.elementTypes;
        forEach(block, own, [&](Value i) {
          write(block, typed.get(kept, i), block.add(begin, i));
        });
        if (!atEnd)
          return;
        forEach(block, block.constant(1), [&](Value) {
          Value last = block.sub(tiles, block.constant(1));
          buildIf(block, block.equal(number, last),
                  [&] { atEnd(block, block.add(begin, own)); });
        });
      });
}
