//===- Tiles.cpp - Scans of long arrays by a warp or a block --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp or block scans a long array, or one without a bound, in a loop over
// tiles. It scans a tile, combines each element with the carry (the combination
// of all tiles before), uses the elements, and passes the new carry on. Only
// one tile is stored.
//
// If elements are cheap, a block scans a tile in registers (`RowScan`). A
// thread has one element of each of four rows, because nothing shows that
// neighbours of a row of unknown length are one access. If the operator takes
// many operations, a thread has four neighbours of one row: then there are half
// as many combinations.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "RowScan.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// True if the operator of a collective takes so many operations that their
/// number is more important than the accesses of memory. On an H100, scans of
/// 4096 rows of 8191 floats by logaddexp take 0.35 ms, and 0.77 ms with single
/// elements.
static bool isHeavy(Operation *op) {
  constexpr unsigned fewOperations = 4;
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  return collective && !isCheap(collective.getBody(), fewOperations);
}

/// At level block: the same as `scanInTiles`, in registers.
static void scanInRegisters(CollectiveBuilder &block, Operation *op,
                            Value operand, Value n, VisitFn visit) {
  constexpr int64_t maxItems = 4;
  RowShape shape(block.elementTypes, /*items=*/false);
  if (isHeavy(op))
    shape.neighbours = maxItems;
  else
    shape.rows = std::max<int64_t>(
        llvm::bit_floor(maxItems / block.elementTypes.size()), 1);
  Value zero = block.constant(0), size = block.constant(shape.getTile());
  auto loop = scf::ForOp::create(block.builder, block.loc, zero, n, size,
                                 getUnusedValues(block));
  OpBuilder::InsertionGuard guard(block.builder);
  block.builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), left = block.sub(n, first);
  Value isFull = block.less(block.constant(shape.getTile() - 1), left);
  RowScan scan(block, shape, /*carried=*/{}, [&](Value warp, Value lane) {
    return shape.loadElements(block, operand, first, warp, lane, isFull, n);
  });
  Values carry(loop.getRegionIterArgs());
  Value hasCarry = block.less(zero, first);
  forEach(block, block.constant(RowShape::workers), [&](Value worker) {
    RowScan::Thread found = scan.getThread(worker, carry, hasCarry);
    Value begin = shape.getBegin(block, first, found.warp, found.lane);
    for (int64_t k = 0; k < shape.getItems(); ++k) {
      Value place = block.add(begin, block.constant(shape.getDistance(k)));
      buildIf(block, block.less(place, n), [&] {
        visit(
            place, [&] { return found.elements[k]; },
            [&] { return found.getBefore(k); });
      });
    }
  });
  scf::YieldOp::create(block.builder, block.loc,
                       block.choose(
                           hasCarry,
                           [&] { return block.combine(carry, scan.getSum()); },
                           [&] { return scan.getSum(); }));
}

/// At level warp or block: the same, with a tile that `strategy` scans.
static void scanInMemory(CollectiveBuilder &c, const ScanStrategy &strategy,
                         Extent size, Value operand, Value n, VisitFn visit) {
  Value zero = c.constant(0), one = c.constant(1);
  auto loop = scf::ForOp::create(c.builder, c.loc, zero, n, size.value,
                                 getUnusedValues(c));
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(loop.getBody());
  Value begin = loop.getInductionVar();
  Values carry(loop.getRegionIterArgs());
  Value count = c.min(c.sub(n, begin), size.value);
  Value tile =
      c.generate({count, ShapedType::kDynamic, size.size},
                 [&](Value i) { return c.get(operand, c.add(begin, i)); });
  Value scanned = c.force(c.shareReads(strategy.scan(c, tile)));
  auto getElement = [&](Value i) {
    Values own = c.get(scanned, i);
    return c.choose(
        c.equal(begin, zero), [&] { return own; },
        [&] { return c.combine(carry, own); });
  };
  forEach(c, count, [&](Value j) {
    auto getPrevious = [&] {
      return c.choose(
          c.equal(j, zero), [&] { return carry; },
          [&] { return getElement(c.sub(j, one)); });
    };
    visit(c.add(begin, j), [&] { return getElement(j); }, getPrevious);
  });
  // One worker computes the carry of the next tile.
  Value last = c.force(c.generate(c.getConstantExtent(1), [&](Value) {
    return getElement(c.sub(count, one));
  }));
  scf::YieldOp::create(c.builder, c.loc, c.get(last, zero));
}

LogicalResult strategies::scanInTiles(CollectiveBuilder &c,
                                      ExpandableOpInterface op, Value operand,
                                      Value n, VisitFn visit) {
  Extent size =
      c.getConstantExtent(c.level == Level::Warp ? 4 * warpSize : 1024);
  FailureOr<const ScanStrategy *> strategy =
      findScanStrategy(op, op.getStrategy(), c.level, size);
  if (failed(strategy))
    return failure();
  if (c.level == Level::Block && !op.getStrategy() && !c.plain &&
      isCheap(operand))
    scanInRegisters(c, op, operand, n, visit);
  else
    scanInMemory(c, **strategy, size, operand, n, visit);
  return success();
}
