//===- OnePassScan.cpp - A scan by all blocks in one pass -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block scans a tile in registers, looks back at the tiles before it, and
// combines its elements with their result. A block waits for full tiles only,
// so only the last tile has guards.
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "Grid.h"
#include "Lookback.h"
#include "RowScan.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

namespace {
class OnePassScan : public GridScan {
public:
  OnePassScan(CollectiveBuilder &c, Value x, Extent n, OnePassOptions options);
  Value fill(PushType type, ValueRange extents, ValueRange init,
             EmitFn emit) override;
  Values getTotal() override { return lookback.getTotal(c); }
  bool runsOnce() const override { return true; }

private:
  SmallVector<Values> load(CollectiveBuilder &thread, Value first, Value isFull,
                           Value warp, Value lane);
  void emitThread(CollectiveBuilder &thread, Value first, Value isFull,
                  const RowScan::Thread &found, EmitFn emit);
  void finish(CollectiveBuilder &thread, Value first,
              const RowScan::Thread &found);

  CollectiveBuilder &c;
  Value x;
  Extent n;
  OnePassOptions options;
  RowShape shape;
  Value tiles;
  Lookback lookback;
};
} // namespace

OnePassScan::OnePassScan(CollectiveBuilder &c, Value x, Extent n,
                         OnePassOptions given)
    : c(c), x(x), n(n), options(std::move(given)),
      shape(c.elementTypes, /*items=*/!c.plain && options.isCheap),
      tiles(c.ceilDiv(n, shape.getTile()).value),
      lookback(c, tiles,
               options.isInOrder ? LookbackKind::InOrder
                                 : LookbackKind::AnyGrouping) {}

/// The elements of a thread of the tile that begins with element `first`. Past
/// the last element, a thread has element `first` again: because there is no
/// neutral element, the values there are also combined.
SmallVector<Values> OnePassScan::load(CollectiveBuilder &thread, Value first,
                                      Value isFull, Value warp, Value lane) {
  return shape.loadElements(thread, x, first, warp, lane, isFull, n.value);
}

/// Writes the results for the elements of a thread.
void OnePassScan::emitThread(CollectiveBuilder &thread, Value first,
                             Value isFull, const RowScan::Thread &found,
                             EmitFn emit) {
  OpBuilder &builder = thread.builder;
  Value begin = shape.getBegin(thread, first, found.warp, found.lane),
        left = thread.sub(n.value, begin);
  auto emitAll = [&](bool guarded) {
    for (int64_t i = 0; i < shape.getItems(); ++i) {
      // LLVM would share the last store of both branches, which is then no part
      // of a wide access. So the order is reversed.
      int64_t k = guarded ? shape.getItems() - 1 - i : i;
      const Values &before = found.getBefore(k);
      Value distance = thread.constant(shape.getDistance(k)),
            place = thread.add(begin, distance);
      auto emitOne = [&] {
        emit(place, [&] { return found.elements[k]; }, [&] { return before; });
      };
      if (guarded)
        buildIf(thread, thread.less(distance, left), emitOne);
      else
        emitOne();
    }
  };
  if (shape.getTile() == RowShape::workers)
    return emitAll(/*guarded=*/true);
  auto branch = scf::IfOp::create(builder, thread.loc, isFull,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitAll(/*guarded=*/false);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitAll(/*guarded=*/true);
}

/// In the last tile: the thread that has the last element publishes the total.
void OnePassScan::finish(CollectiveBuilder &thread, Value first,
                         const RowScan::Thread &found) {
  Value begin = shape.getBegin(thread, first, found.warp, found.lane),
        last = thread.sub(n.value, thread.add(begin, thread.constant(1)));
  Value isHere = arith::ConstantIntOp::create(thread.builder, thread.loc, 0, 1);
  Values value = found.elements.front();
  for (auto [k, element] : llvm::enumerate(found.elements)) {
    Value isLast = thread.equal(thread.constant(shape.getDistance(k)), last);
    isHere = thread.either(isHere, isLast);
    for (auto [own, other] : llvm::zip(value, element))
      own = arith::SelectOp::create(thread.builder, thread.loc, isLast, other,
                                    own);
  }
  buildIf(thread, isHere, [&] { lookback.publishTotal(thread, value); });
}

Value OnePassScan::fill(PushType type, ValueRange extents, ValueRange init,
                        EmitFn emit) {
  return fillByBlocks(
      c, type, extents, init, "", tiles, [&](CollectiveBuilder &block, Value) {
        Value zero = block.constant(0);
        Value number = lookback.drawTile(block);
        Value first = block.mul(number, block.constant(shape.getTile()));
        Value isFull = block.less(block.add(number, block.constant(1)), tiles);
        RowScan scan(block, shape, /*carried=*/ArrayRef<Type>(),
                     [&](Value warp, Value lane) {
                       return load(block, first, isFull, warp, lane);
                     });
        lookback.publishTile(block, number, scan.getSum(), isFull);
        Values prefix =
            lookback.buildPrefix(block, number, scan.getSum(), isFull);
        forEach(block, block.constant(RowShape::workers), [&](Value worker) {
          RowScan::Thread found =
              scan.getThread(worker, prefix, block.less(zero, number));
          emitThread(block, first, isFull, found, emit);
          Value last = block.sub(tiles, block.constant(1));
          buildIf(block, block.equal(number, last),
                  [&] { finish(block, first, found); });
        });
      });
}

std::unique_ptr<GridScan> strategies::buildOnePassScan(CollectiveBuilder &c,
                                                       Value x, Extent n,
                                                       OnePassOptions options) {
  return std::make_unique<OnePassScan>(c, x, n, std::move(options));
}
