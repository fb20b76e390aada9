//===- OnePassCompaction.cpp - The kept elements, in one kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are loaded together with their flags. They stay in registers until
// the number of kept elements before them is known.
//
//===----------------------------------------------------------------------===//

#include "OnePassCompaction.h"
#include "Grid.h"
#include "Pieces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// The types of the values that a thread keeps for one element.
static SmallVector<Type> getTypes(const OnePassCompaction::Source &source) {
  SmallVector<Type> types(source.elements.elementTypes);
  types.push_back(source.elements.builder.getI32Type());
  return types;
}

OnePassCompaction::OnePassCompaction(CollectiveBuilder &c, Extent n,
                                     Source given)
    : c(c), n(n), source(std::move(given)),
      shape(getTypes(source), /*items=*/!c.plain && source.isCheap),
      // One block runs even if there are no elements, because it counts them.
      tiles(c.max(c.ceilDiv(n, shape.getTile()).value, c.constant(1))),
      lookback(c, tiles, LookbackKind::Counts) {}

/// Zeros of the types of `c`.
static Values getZeros(CollectiveBuilder &c) {
  Values zeros;
  for (Type type : c.elementTypes)
    zeros.push_back(arith::ConstantOp::create(c.builder, c.loc,
                                              c.builder.getZeroAttr(type)));
  return zeros;
}

/// The flags of a thread as numbers, followed by the elements. An element that
/// is not kept is computed only if this cannot cause an error.
SmallVector<Values> OnePassCompaction::load(CollectiveBuilder &block,
                                            Value first, Value isFull,
                                            Value warp, Value lane) {
  auto get = [&](Value place) {
    Value i = block.add(first, place), flag = source.flag(i);
    auto getElement = [&] { return source.element(i); };
    Values all{convert(block, flag, block.builder.getI32Type(),
                       /*isUnsigned=*/true)};
    llvm::append_range(all, source.isTotal
                                ? getElement()
                                : block.choose(flag, getElement, [&] {
                                    return getZeros(source.elements);
                                  }));
    return all;
  };
  auto getGuarded = [&](Value place) {
    return block.choose(
        block.less(block.add(first, place), n.value),
        [&] { return get(place); },
        [&] {
          Values nothing{arith::ConstantIntOp::create(block.builder, block.loc,
                                                      0, /*width=*/32)};
          llvm::append_range(nothing, getZeros(source.elements));
          return nothing;
        });
  };
  return shape.load(block, warp, lane, isFull, get, getGuarded);
}

/// A loop over the numbers below `count`, which LLVM unrolls.
static void buildUnrolled(CollectiveBuilder &c, int64_t count,
                          llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(c.builder, c.loc, c.constant(0),
                                 c.constant(count), c.constant(1));
  MLIRContext *context = c.builder.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, {}, {}, {}, /*full=*/c.builder.getBoolAttr(true), {}, {}, {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}));
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Writes the kept elements from `begin` on. All of them have one write, in a
/// loop. Contract `disjoint` is a promise for the executions of one write, so
/// with several writes it would not state that they write different elements.
void OnePassCompaction::emit(CollectiveBuilder &block, RowScan &scan,
                             Value begin) {
  Value zero = arith::ConstantIntOp::create(block.builder, block.loc, 0, 32),
        yes = arith::ConstantIntOp::create(block.builder, block.loc, 1, 1);
  forEach(block, block.constant(RowShape::workers), [&](Value worker) {
    RowScan::Thread found = scan.getThread(worker, zero, yes);
    int64_t items = found.elements.size();
    auto writeItem = [&](Value item) {
      // True if the element is kept; its position; the element.
      Values own;
      for (int64_t k = 0; k < items; ++k) {
        Value left =
            k % shape.neighbours == 0 ? zero : found.inRow[k - 1].front();
        Values next{arith::CmpIOp::create(block.builder, block.loc,
                                          arith::CmpIPredicate::ne,
                                          found.inRow[k].front(), left),
                    found.getBefore(k).front()};
        llvm::append_range(next, found.carried[k]);
        if (k == 0)
          own = next;
        else
          for (auto [value, other] : llvm::zip_equal(own, next))
            value = arith::SelectOp::create(
                block.builder, block.loc, block.equal(item, block.constant(k)),
                other, value);
      }
      buildIf(block, own[0], [&] {
        write(block, ValueRange(own).drop_front(2),
              block.add(begin, toIndex(block, own[1], /*isUnsigned=*/true)));
      });
    };
    if (items == 1)
      writeItem(block.constant(0));
    else
      buildUnrolled(block, items, writeItem);
  });
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
        RowScan scan(counts, shape, source.elements.elementTypes,
                     [&](Value warp, Value lane) {
                       return load(block, first, isFull, warp, lane);
                     });
        Value yes = arith::ConstantIntOp::create(builder, block.loc, 1, 1);
        Value own = toIndex(block, scan.getSum().front(), /*isUnsigned=*/true);
        Values before =
            lookback.buildPrefix(block, number, own, /*isAwaited=*/yes);
        Value begin = block
                          .choose(
                              block.equal(number, block.constant(0)),
                              [&] { return Values{block.constant(0)}; },
                              [&] { return before; })
                          .front();
        emit(block, scan, begin);
        if (!atEnd)
          return;
        forEach(block, block.constant(1), [&](Value) {
          Value last = block.sub(tiles, block.constant(1));
          buildIf(block, block.equal(number, last),
                  [&] { atEnd(block, block.add(begin, own)); });
        });
      });
}
