//===- Tiles.cpp - Scans of arrays without a bound ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp or block scans an array without a bound in a loop over tiles. It scans
// a tile, combines each element with the carry (the combination of all tiles
// before), uses the elements, and passes the new carry on. Only one tile is
// stored.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

Extent strategies::getTile(CollectiveBuilder &c) {
  return c.getConstantExtent(c.level == Level::Warp ? 4 * warpSize : 1024);
}

void strategies::scanInTiles(
    CollectiveBuilder &c, const ScanStrategy &strategy, Value operand, Value n,
    llvm::function_ref<void(Value, GridScan::ElementFn, GridScan::ElementFn)>
        visit) {
  Extent size = getTile(c);
  Value zero = c.constant(0), one = c.constant(1);
  // In the first tile, no carry is combined.
  Values start;
  for (Type element : c.elementTypes)
    start.push_back(arith::ConstantOp::create(c.builder, c.loc,
                                              c.builder.getZeroAttr(element)));
  auto loop = scf::ForOp::create(c.builder, c.loc, zero, n, size.value, start);
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
