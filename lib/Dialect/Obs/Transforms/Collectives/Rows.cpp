//===- Rows.cpp - Parts of arrays, row by row ------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//
//
// A thread reads four neighbours, which are one access, and the threads beside
// it read those beside them: a row. It reads four rows before it combines
// anything, so that four accesses are on their way.
//
// In order, a warp takes the four rows of 512 neighbouring elements. A lane
// combines its neighbours, five shuffles combine the lanes of each row, and
// lane 0 combines the rows. In any order, each thread goes through the whole
// part with sixteen accumulators.
//
// The grouping depends on the number of elements alone: workers are virtual.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Pieces.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// Neighbours of a thread, rows that are read at once, and threads of a block.
static constexpr int64_t neighbours = 4, rows = 4, workers = 256;
/// Elements of a segment, which one warp combines.
static constexpr int64_t segment = neighbours * rows * warpSize;
/// Segments whose results a block stores at a time.
static constexpr int64_t maxSegments = 1024;

/// The elements from `first` on that a thread combines at once, each row
/// `distance` behind the one before.
static SmallVector<Values> load(CollectiveBuilder &c, Value x, Value first,
                                int64_t distance) {
  SmallVector<Values> elements;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < neighbours; ++i)
      elements.push_back(
          c.get(x, c.add(first, c.constant(row * distance + i))));
  return elements;
}

static Values getZeros(CollectiveBuilder &c) {
  Values zeros;
  for (Type type : c.elementTypes)
    zeros.push_back(arith::ConstantOp::create(c.builder, c.loc,
                                              c.builder.getZeroAttr(type)));
  return zeros;
}

/// At level warp: an array of one element, the combination of the segment of
/// `x` from `begin` on.
static Value reduceSegment(CollectiveBuilder &warp, Value x, Value begin) {
  Extent lanes = warp.getConstantExtent(warpSize);
  // One array with all rows: a stage shuffles them side by side.
  CollectiveBuilder all = warp;
  all.elementTypes.clear();
  for (int64_t row = 0; row < rows; ++row)
    llvm::append_range(all.elementTypes, warp.elementTypes);
  unsigned width = warp.elementTypes.size();
  auto getRow = [&](ValueRange values, int64_t row) {
    return values.slice(row * width, width);
  };
  Value y = all.force(all.generate(lanes, [&](Value lane) {
    SmallVector<Values> elements =
        load(warp, x,
             warp.add(begin, warp.mul(lane, warp.constant(neighbours))),
             neighbours * warpSize);
    Values folded;
    for (int64_t row = 0; row < rows; ++row) {
      Values value = elements[row * neighbours];
      for (int64_t i = 1; i < neighbours; ++i)
        value = warp.combine(value, elements[row * neighbours + i]);
      llvm::append_range(folded, value);
    }
    return folded;
  }));
  for (int64_t distance = 1; distance < warpSize; distance *= 2)
    y = all.force(all.generate(lanes, [&](Value lane) {
      Value other = warp.add(lane, warp.constant(distance));
      return warp.choose(
          warp.less(other, lanes.value),
          [&] {
            Values own = all.get(y, lane), next = all.get(y, other), both;
            for (int64_t row = 0; row < rows; ++row)
              llvm::append_range(both, warp.combine(getRow(own, row),
                                                    getRow(next, row)));
            return both;
          },
          [&] { return all.get(y, lane); });
    }));
  return warp.generate(warp.getConstantExtent(1), [&](Value i) {
    Values found = all.get(y, i);
    Values value(getRow(found, 0));
    for (int64_t row = 1; row < rows; ++row)
      value = warp.combine(value, getRow(found, row));
    return value;
  });
}

/// At level block: few elements whose combination is that of `x`.
static Value shorten(CollectiveBuilder &block, Value x) {
  StringRef name = getDefaultReduceStrategy(Level::Block, block.getExtent(x),
                                            /*commutative=*/false);
  return lookupReduceStrategy(name)->shorten(block, x);
}

/// The combination of segments that exist, in all threads of a block; anything
/// if there are none.
static Values reduceSegments(CollectiveBuilder &block, Value x, Value begin,
                             Value segments) {
  OpBuilder &builder = block.builder;
  Value zero = block.constant(0);
  auto loop = scf::ForOp::create(
      builder, block.loc, zero, segments, block.constant(maxSegments),
      getZeros(block),
      [&](OpBuilder &, Location loc, Value first, ValueRange carried) {
        Extent count = {block.min(block.sub(segments, first),
                                  block.constant(maxSegments)),
                        ShapedType::kDynamic, maxSegments};
        Value results = block.distributeWarps(
            count, 1, count, [&](CollectiveBuilder &warp, Value number) {
              Value place = warp.mul(warp.add(first, number),
                                     warp.constant(segment));
              return reduceSegment(warp, x, warp.add(begin, place));
            });
        Value few = block.shareReads(shorten(block, results));
        Value one = block.force(
            block.generate(block.getConstantExtent(1), [&](Value) {
              return block.fold(few, zero, block.getExtent(few).value);
            }));
        Values next = block.get(one, zero);
        scf::YieldOp::create(
            builder, loc,
            block.choose(
                block.equal(first, zero), [&] { return next; },
                [&] { return block.combine(carried, next); }));
      });
  return Values(loop.getResults());
}

Value strategies::shortenInOrder(CollectiveBuilder &block, Value x, Value begin,
                                 Value end) {
  Value count = block.sub(end, begin), size = block.constant(segment);
  Value segments = block.div(count, size);
  Values all = reduceSegments(block, x, begin, segments);
  // What is behind the last segment.
  Extent left = {block.rem(count, size), ShapedType::kDynamic, segment - 1};
  Value behind = block.add(begin, block.mul(segments, size));
  Value rest = block.shareReads(
      shorten(block, block.shareReads(block.generate(left, [&](Value i) {
                return block.get(x, block.add(behind, i));
              }))));
  Value isThere = block.min(segments, block.constant(1));
  Extent few = {block.add(isThere, block.getExtent(rest).value),
                ShapedType::kDynamic, ShapedType::kDynamic};
  if (block.getExtent(rest).isBounded())
    few.bound = block.getExtent(rest).bound + 1;
  return block.shareReads(block.generate(few, [&](Value i) {
    return block.choose(
        block.less(i, isThere), [&] { return all; },
        [&] { return block.get(rest, block.sub(i, isThere)); });
  }));
}

Value strategies::shortenInAnyOrder(CollectiveBuilder &block, Value x,
                                    Value begin, Value end) {
  OpBuilder &builder = block.builder;
  constexpr int64_t chunk = workers * neighbours * rows;
  Value count = block.sub(end, begin), step = block.constant(workers);
  Value whole = block.mul(block.div(count, block.constant(chunk)),
                          block.constant(chunk));
  Value behind = block.add(begin, whole);
  Extent busy = {block.min(count, step), ShapedType::kDynamic, workers};
  unsigned width = block.elementTypes.size();
  Value results = block.force(block.generate(busy, [&](Value w) {
    auto loadChunk = [&](Value first) {
      return load(block, x,
                  block.add(first, block.mul(w, block.constant(neighbours))),
                  workers * neighbours);
    };
    auto reduceWhole = [&] {
      Values start;
      for (const Values &element : loadChunk(begin))
        llvm::append_range(start, element);
      auto loop = scf::ForOp::create(
          builder, block.loc, block.add(begin, block.constant(chunk)), behind,
          block.constant(chunk), start,
          [&](OpBuilder &, Location loc, Value first, ValueRange carried) {
            Values next;
            for (auto [i, element] : llvm::enumerate(loadChunk(first)))
              llvm::append_range(
                  next, block.combine(carried.slice(i * width, width),
                                      element));
            scf::YieldOp::create(builder, loc, next);
          });
      ValueRange found = loop.getResults();
      Values value(found.take_front(width));
      for (int64_t i = 1; i < neighbours * rows; ++i)
        value = block.combine(value, found.slice(i * width, width));
      return block.fold(x, value, block.add(behind, w), end, step);
    };
    return block.choose(
        block.less(block.constant(0), whole), reduceWhole,
        [&] { return block.fold(x, block.add(begin, w), end, step); });
  }));
  return block.shareReads(shorten(block, results));
}
