//===- Warps.cpp - Each warp combines 32 elements -------------- ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has one element in each lane, in arrays of level warp. If those arrays
// are in registers, a read of the element of another lane is a shuffle. Lanes
// past the end have a copy of the last element, which is not combined.
//
// The strategy `lanes` is for one warp: a lane first combines every 32nd
// element alone. The number of elements may be known at run time only, and the
// lanes are in registers nevertheless.
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;

static constexpr int64_t size = warpSize;

/// The maximum number of elements that a lane reads without a loop.
static constexpr int64_t mostUnrolled = 32;

/// The elements of `x` from `begin` on, at level warp. Lanes past the end read
/// the first of these elements. If threads read an array of a block that they
/// wrote, this element is of the same warp.
static Value load(CollectiveBuilder &warp, Value x, Extent n, Value begin) {
  return warp.force(warp.generate(warp.getConstantExtent(size), [&](Value i) {
    Value index = warp.add(begin, i);
    if (!n.isMultipleOf(size))
      index = arith::SelectOp::create(warp.builder, warp.loc,
                                      warp.less(index, n.value), index, begin);
    return warp.get(x, index);
  }));
}

Value strategies::reduceLanes(CollectiveBuilder &warp, Value y, Value live) {
  if (!live)
    live = warp.constant(size);
  for (int64_t distance = 1; distance < size; distance *= 2) {
    y = warp.force(warp.generate(warp.getConstantExtent(size), [&](Value i) {
      Value other = warp.add(i, warp.constant(distance));
      return warp.choose(
          warp.less(other, live),
          [&] { return warp.combine(warp.get(y, i), warp.get(y, other)); },
          [&] { return warp.get(y, i); });
    }));
  }
  return y;
}

CollectiveBuilder::Values strategies::getZeros(CollectiveBuilder &c) {
  CollectiveBuilder::Values zeros;
  for (Type type : c.elementTypes)
    zeros.push_back(arith::ConstantOp::create(c.builder, c.loc,
                                              c.builder.getZeroAttr(type)));
  return zeros;
}

/// Combines every 32nd element of `x`, which has `n`, from element `lane` on.
/// If `n` is known at run time only, the first two are loaded together: a loop
/// would wait for the first one, and most rows of a sparse matrix have no more.
/// A lane without a second one loads the last element of all.
static CollectiveBuilder::Values foldLane(CollectiveBuilder &c, Value x,
                                          Value lane, Extent n) {
  Value step = c.constant(size), next = c.add(lane, step);
  CollectiveBuilder::Values value = c.get(x, lane);
  if (n.isStatic())
    return c.fold(x, value, next, n.value, step);
  CollectiveBuilder::Values second =
      c.get(x, c.min(next, c.sub(n.value, c.constant(1))));
  value = c.choose(
      c.less(next, n.value), [&] { return c.combine(value, second); },
      [&] { return value; });
  Value third = c.add(next, step);
  return c.choose(
      c.less(third, n.value),
      [&] { return c.fold(x, value, third, n.value, step); },
      [&] { return value; });
}

static Value reduceByOneWarp(CollectiveBuilder &c, Value x) {
  Extent extent = c.getExtent(x);
  if (extent.isStatic() && !extent.isAtMost(0) &&
      extent.isAtMost(mostUnrolled * size) && strategies::profitsFromRows(x))
    return strategies::reduceByLanes(c, x);
  if (!c.commutative)
    return strategies::reduceByLanesInOrder(c, x);
  Value n = extent.value, step = c.constant(size);
  Value lanes = c.force(c.generate(c.getConstantExtent(size), [&](Value lane) {
    return c.choose(
        c.less(lane, n), [&] { return foldLane(c, x, lane, extent); },
        [&] { return strategies::getZeros(c); });
  }));
  // The comparisons are of 32 bits, because the number has a range.
  Value live = c.max(c.min(n, step), c.constant(0));
  Value all = strategies::reduceLanes(c, lanes, live);
  Extent few = {c.min(n, c.constant(1)), ShapedType::kDynamic, 1};
  return c.shareReads(c.generate(few, [&](Value i) { return c.get(all, i); }));
}

static Value reduce(CollectiveBuilder &c, Value x) {
  for (Extent n = c.getExtent(x); !n.isAtMost(2); n = c.getExtent(x)) {
    Extent chunks = c.ceilDiv(n, size);
    x = c.distributeWarps(
        chunks, 1, chunks, [&](CollectiveBuilder &warp, Value number) {
          Value begin = warp.mul(number, warp.constant(size));
          Value live = warp.constant(size);
          if (!n.isMultipleOf(size))
            live = warp.min(live, warp.sub(n.value, begin));
          Value y =
              strategies::reduceLanes(warp, load(warp, x, n, begin), live);
          return warp.generate(warp.getConstantExtent(1),
                               [&](Value i) { return warp.get(y, i); });
        });
  }
  return x;
}

static Value scan(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  if (n.isAtMost(1))
    return x;
  Extent chunks = c.ceilDiv(n, size);
  Value s = c.distributeWarps(
      chunks, size, n, [&](CollectiveBuilder &warp, Value number) {
        Value begin = warp.mul(number, warp.constant(size));
        return strategies::scanKoggeStone(warp, load(warp, x, n, begin));
      });
  if (n.isAtMost(size))
    return s;
  Value ends = c.generate(chunks, [&](Value number) {
    Value last = c.add(c.mul(number, c.constant(size)), c.constant(size - 1));
    return c.get(s, c.min(last, c.sub(n.value, c.constant(1))));
  });
  Value sums = c.force(scan(c, ends));
  return c.generate(n, [&](Value i) {
    Value number = c.div(i, c.constant(size));
    return c.choose(
        c.equal(number, c.constant(0)), [&] { return c.get(s, i); },
        [&] {
          Value before = c.sub(number, c.constant(1));
          return c.combine(c.get(sums, before), c.get(s, i));
        });
  });
}

void strategies::addWarps(Registry &registry) {
  ReduceStrategy strategy;
  strategy.shorten = reduce;
  strategy.storesElements = true;
  strategy.minLevel = Level::Block;
  registry.reduce["warps"] = strategy;
  registry.scan["warps"] = {scan, Level::Block};
  ReduceStrategy lanes;
  lanes.shorten = reduceByOneWarp;
  lanes.minLevel = Level::Warp;
  registry.reduce["lanes"] = lanes;
}
