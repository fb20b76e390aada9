//===- RowScan.cpp - Scans of tiles in registers --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator has no neutral element. So an element is not combined if no
// element is before it: in lane 0, in warp 0, in the first tile.
//
//===----------------------------------------------------------------------===//

#include "RowScan.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

RowShape::RowShape(ArrayRef<Type> elementTypes, bool items, int64_t maxRows) {
  if (!items)
    return;
  // The maximum number of bytes of an access, of rows, and of registers for the
  // elements of a thread.
  constexpr int64_t accessBytes = 16, maxNeighbours = 4, maxRegisters = 32;
  int64_t widest = 1, registers = 0;
  for (Type type : elementTypes) {
    widest = std::max<int64_t>(widest, getElementBytes(type));
    registers += llvm::divideCeil(getElementBytes(type), 4);
  }
  neighbours = std::clamp<int64_t>(accessBytes / widest, 1, maxNeighbours);
  rows = std::clamp<int64_t>(
      llvm::bit_floor<uint64_t>(maxRegisters / (neighbours * registers)), 1,
      maxRows);
}

Value RowShape::getBegin(CollectiveBuilder &c, Value first, Value warp,
                         Value lane) const {
  Value own = c.add(c.mul(warp, c.constant(warpSize * getItems())),
                    c.mul(lane, c.constant(neighbours)));
  return c.add(first, own);
}

int64_t RowShape::getDistance(int64_t k) const {
  return k / neighbours * warpSize * neighbours + k % neighbours;
}

SmallVector<Values>
RowShape::load(CollectiveBuilder &c, Value first, Value warp, Value lane,
               Value isFull, Value end, llvm::function_ref<Values(Value)> get,
               llvm::function_ref<Values()> getNothing,
               llvm::function_ref<Values(ArrayRef<Values>)> buildRow) const {
  Value begin = getBegin(c, first, warp, lane), left = c.sub(end, begin);
  size_t width = 0;
  auto loadAll = [&](bool isGuarded) {
    Values nothing;
    if (isGuarded)
      nothing = getNothing();
    SmallVector<Values> items(getItems());
    for (int64_t i = 0; i < getItems(); ++i) {
      // LLVM would share the last load of both branches, which is then no part
      // of a wide access. So the order is reversed.
      int64_t k = isGuarded ? getItems() - 1 - i : i;
      Value distance = c.constant(getDistance(k));
      auto getItem = [&] { return get(c.add(begin, distance)); };
      items[k] = isGuarded ? c.choose(c.less(distance, left), getItem,
                                      [&] { return nothing; })
                           : getItem();
    }
    Values loaded;
    for (int64_t row = 0; row < rows; ++row) {
      auto own = ArrayRef(items).slice(row * neighbours, neighbours);
      Values built = buildRow(own);
      width = built.size();
      llvm::append_range(loaded, built);
    }
    return loaded;
  };
  auto loadGuarded = [&] { return loadAll(true); };
  Values loaded =
      getItems() == 1
          ? loadGuarded()
          : c.choose(isFull, [&] { return loadAll(false); }, loadGuarded);
  SmallVector<Values> found;
  for (int64_t row = 0; row < rows; ++row)
    found.push_back(Values(ValueRange(loaded).slice(row * width, width)));
  return found;
}

SmallVector<Values> RowShape::loadElements(CollectiveBuilder &c, Value array,
                                           Value first, Value warp, Value lane,
                                           Value isFull, Value end) const {
  SmallVector<Values> elements;
  size_t width = c.elementTypes.size();
  for (const Values &row : load(
           c, first, warp, lane, isFull, end,
           [&](Value place) { return c.get(array, place); },
           [&] { return c.get(array, first); },
           [](ArrayRef<Values> items) {
             Values values;
             for (const Values &item : items)
               llvm::append_range(values, item);
             return values;
           }))
    for (size_t begin = 0; begin < row.size(); begin += width)
      elements.push_back(Values(ValueRange(row).slice(begin, width)));
  return elements;
}

/// A builder whose elements consist of `count` elements of `c`, and of `count`
/// values of each type in `carried`.
static CollectiveBuilder repeatTypes(const CollectiveBuilder &c, int64_t count,
                                     ArrayRef<Type> carried = {}) {
  CollectiveBuilder result = c;
  result.elementTypes.clear();
  for (int64_t i = 0; i < count; ++i)
    llvm::append_range(result.elementTypes, c.elementTypes);
  for (int64_t i = 0; i < count; ++i)
    llvm::append_range(result.elementTypes, carried);
  return result;
}

/// Element `i` of several elements.
static Values getPart(ValueRange values, size_t width, int64_t i) {
  return Values(values.slice(i * width, width));
}

/// At level warp: for each row, the combination of the lanes up to each lane.
/// `y` contains the elements of each lane.
static Value scanLanes(CollectiveBuilder &warp, CollectiveBuilder &byRow,
                       Value y, const RowShape &shape) {
  Extent lanes = warp.getConstantExtent(warpSize);
  size_t width = warp.elementTypes.size();
  Value s = byRow.force(byRow.generate(lanes, [&](Value lane) {
    Values own = warp.get(y, lane), last;
    for (int64_t row = 0; row < shape.rows; ++row)
      llvm::append_range(last,
                         getPart(own, width, (row + 1) * shape.neighbours - 1));
    return last;
  }));
  for (int64_t distance = 1; distance < warpSize; distance *= 2)
    s = byRow.force(byRow.generate(lanes, [&](Value lane) {
      Value by = warp.constant(distance);
      return warp.choose(
          warp.less(lane, by), [&] { return byRow.get(s, lane); },
          [&] {
            Values left = byRow.get(s, warp.sub(lane, by)),
                   own = byRow.get(s, lane), both;
            for (int64_t row = 0; row < shape.rows; ++row)
              llvm::append_range(both, warp.combine(getPart(left, width, row),
                                                    getPart(own, width, row)));
            return both;
          });
    }));
  return s;
}

RowScan::RowScan(CollectiveBuilder &block, const RowShape &shape,
                 ArrayRef<Type> carried,
                 llvm::function_ref<SmallVector<Values>(Value, Value)> elements)
    : block(block), shape(shape), carried(carried),
      all(repeatTypes(block, shape.rows * shape.neighbours, carried)) {
  for (int64_t i = 0; i <= shape.rows; ++i)
    llvm::append_range(all.elementTypes, block.elementTypes);
  Extent workers = block.getConstantExtent(RowShape::workers);
  Extent warps = block.getConstantExtent(RowShape::warps);
  Extent lanes = block.getConstantExtent(warpSize);
  size_t width = block.elementTypes.size();
  scanned = all.distributeWarps(
      warps, warpSize, workers, [&](CollectiveBuilder &inner, Value number) {
        CollectiveBuilder warp = inner;
        warp.elementTypes = block.elementTypes;
        CollectiveBuilder byItem =
            repeatTypes(warp, shape.rows * shape.neighbours, carried);
        CollectiveBuilder byRow = repeatTypes(warp, shape.rows);
        Value y = byItem.force(byItem.generate(lanes, [&](Value lane) {
          SmallVector<Values> own = elements(number, lane);
          Values result, value;
          for (auto [k, element] : llvm::enumerate(own)) {
            Values next = getPart(element, width, 0);
            value =
                k % shape.neighbours == 0 ? next : warp.combine(value, next);
            llvm::append_range(result, value);
          }
          for (const Values &element : own)
            llvm::append_range(result, ValueRange(element).drop_front(width));
          return result;
        }));
        Value s = scanLanes(warp, byRow, y, shape);
        // The combinations of the rows before each row, and of all rows.
        Values ends = byRow.get(s, warp.constant(warpSize - 1));
        SmallVector<Values> carries{getPart(ends, width, 0)};
        for (int64_t row = 1; row < shape.rows; ++row)
          carries.push_back(
              warp.combine(carries.back(), getPart(ends, width, row)));
        return inner.generate(lanes, [&](Value lane) {
          Values result = byItem.get(y, lane);
          Value zero = warp.constant(0);
          Values left = warp.choose(
              warp.equal(lane, zero), [&] { return byRow.get(s, lane); },
              [&] { return byRow.get(s, warp.sub(lane, warp.constant(1))); });
          llvm::append_range(result, getPart(left, width, 0));
          for (int64_t row = 1; row < shape.rows; ++row)
            llvm::append_range(
                result,
                warp.choose(
                    warp.equal(lane, zero), [&] { return carries[row - 1]; },
                    [&] {
                      return warp.combine(carries[row - 1],
                                          getPart(left, width, row));
                    }));
          llvm::append_range(result, carries.back());
          return result;
        });
      });
  for (int64_t warp = 0; warp < RowShape::warps; ++warp) {
    Values found = all.get(scanned, block.constant(warp * warpSize));
    Values sum(ValueRange(found).take_back(width));
    sums.push_back(warp == 0 ? sum : block.combine(sums.back(), sum));
  }
}

RowScan::Thread RowScan::getThread(Value worker, ValueRange prefix,
                                   Value hasPrefix) {
  CollectiveBuilder &c = block;
  size_t width = c.elementTypes.size();
  Value size = c.constant(warpSize), zero = c.constant(0);
  Thread thread;
  thread.warp = c.div(worker, size);
  thread.lane = c.rem(worker, size);
  // The combination of the warps before.
  Values warps = sums.front();
  for (int64_t warp = 2; warp < RowShape::warps; ++warp)
    warps = c.choose(
        c.equal(thread.warp, c.constant(warp)), [&] { return sums[warp - 1]; },
        [&] { return warps; });
  Value hasWarps = c.less(zero, thread.warp),
        hasLanes = c.less(zero, thread.lane);
  Values base = c.choose(
      hasWarps,
      [&] {
        return c.choose(
            hasPrefix, [&] { return c.combine(prefix, warps); },
            [&] { return warps; });
      },
      [&] { return Values(prefix); });
  Value hasBase = c.either(hasWarps, hasPrefix);
  Value hasAny = c.either(hasBase, hasLanes);
  Values found = all.get(scanned, worker);
  int64_t items = shape.rows * shape.neighbours;
  ValueRange behind =
      ValueRange(found).drop_front(items * (width + carried.size()));
  for (int64_t k = 0; k < items; ++k)
    thread.carried.push_back(getPart(
        ValueRange(found).drop_front(items * width), carried.size(), k));
  for (int64_t row = 0; row < shape.rows; ++row) {
    Values inWarp = getPart(behind, width, row);
    auto getBoth = [&] { return c.combine(base, inWarp); };
    Values before = c.choose(
        hasBase,
        [&] {
          if (row > 0)
            return getBoth();
          return c.choose(hasLanes, getBoth, [&] { return base; });
        },
        [&] { return inWarp; });
    for (int64_t i = 0; i < shape.neighbours; ++i) {
      Values own = getPart(found, width, row * shape.neighbours + i);
      thread.inRow.push_back(own);
      auto getElement = [&] { return c.combine(before, own); };
      thread.elements.push_back(
          row > 0 ? getElement()
                  : c.choose(hasAny, getElement, [&] { return own; }));
    }
    thread.before.push_back(before);
  }
  return thread;
}
