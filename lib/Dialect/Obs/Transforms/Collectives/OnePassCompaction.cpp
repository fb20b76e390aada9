//===- OnePassCompaction.cpp - The kept elements, in one kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are loaded with their flags, and stay in registers until the number
// of those before is known.
//
//===----------------------------------------------------------------------===//

#include "OnePassCompaction.h"
#include "Grid.h"
#include "Pieces.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// The types of what a thread has of an element.
static SmallVector<Type> getTypes(const OnePassCompaction::Source &source) {
  SmallVector<Type> types(source.elements.elementTypes);
  types.push_back(source.elements.builder.getI32Type());
  return types;
}

OnePassCompaction::OnePassCompaction(CollectiveBuilder &c, Extent n,
                                     Source given)
    : c(c), n(n), source(std::move(given)),
      shape(getTypes(source), /*items=*/!c.plain && source.isCheap),
      // One block counts even if there are no elements.
      tiles(c.max(c.ceilDiv(n, shape.getTile()).value, c.constant(1))),
      lookback(c, tiles, LookbackKind::Counts) {}

Value OnePassCompaction::fill(
    PushType type, ValueRange extents, ValueRange init,
    llvm::function_ref<void(CollectiveBuilder &, Value)> atEnd) {
  return fillByBlocks(
      c, type, extents, init, "", tiles, [&](CollectiveBuilder &block, Value) {
        OpBuilder &builder = block.builder;
        Value number = lookback.drawTile(block);
        Value first = block.mul(number, block.constant(shape.getTile()));
        Value isFull = block.less(block.add(number, block.constant(1)), tiles);
        CollectiveBuilder counts(
            builder, block.loc, Level::Block, builder.getIndexType(),
            /*commutative=*/true,
            [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
              return Values{arith::AddIOp::create(b, loc, x[0], y[0])};
            });
        auto get = [&](Value place) {
          Value i = block.add(first, place);
          Values all{toIndex(block, source.flag(i), /*isUnsigned=*/true)};
          llvm::append_range(all, source.element(i));
          return all;
        };
        auto getGuarded = [&](Value place) {
          return block.choose(
              block.less(block.add(first, place), n.value),
              [&] { return get(place); },
              [&] {
                Values nothing;
                for (Type type : counts.elementTypes)
                  nothing.push_back(arith::ConstantOp::create(
                      builder, block.loc, builder.getZeroAttr(type)));
                for (Type type : source.elements.elementTypes)
                  nothing.push_back(arith::ConstantOp::create(
                      builder, block.loc, builder.getZeroAttr(type)));
                return nothing;
              });
        };
        RowScan scan(counts, shape, source.elements.elementTypes,
                     [&](Value warp, Value lane) {
                       return shape.load(block, warp, lane, isFull, get,
                                         getGuarded);
                     });
        Value zero = block.constant(0);
        Value yes = arith::ConstantIntOp::create(builder, block.loc, 1, 1);
        Value own = scan.getSum().front();
        Values before =
            lookback.buildPrefix(block, number, own, /*isAwaited=*/yes);
        Value begin = block
                          .choose(
                              block.equal(number, block.constant(0)),
                              [&] { return Values{block.constant(0)}; },
                              [&] { return before; })
                          .front();
        forEach(block, block.constant(RowShape::workers), [&](Value worker) {
          RowScan::Thread found = scan.getThread(worker, zero, yes);
          for (size_t k = 0; k < found.elements.size(); ++k) {
            Value rank = found.getBefore(k).front();
            Value left =
                k % shape.neighbours == 0 ? zero : found.inRow[k - 1].front();
            Value isKept = arith::CmpIOp::create(builder, block.loc,
                                                 arith::CmpIPredicate::ne,
                                                 found.inRow[k].front(), left);
            buildIf(block, isKept, [&] {
              write(block, found.carried[k], block.add(begin, rank));
            });
          }
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
