//===- Partition.cpp - Elements sorted by small keys, in one kernel -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block loads a tile into registers. It counts the keys first, and publishes
// the counts before it ranks the keys, because other blocks wait for counts. It
// then looks back for each key while its elements are sorted in shared memory,
// so that neighbouring threads write neighbouring elements.
//
// Past the end, the last tile has elements with the largest key. They are the
// last ones of the sorted tile, and are not written. No other tile reads the
// counts of the last one.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "Lookback.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "RankTables.h"
#include "RowScan.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

namespace {
/// The kernel of one operation.
class Partition {
public:
  Partition(CollectiveBuilder &c, PartitionOp op, int64_t sharedBytes);
  Value fill();

private:
  Value load(CollectiveBuilder &block, Value first, Value isFull);
  Value sort(CollectiveBuilder &block, Value own, const RankTables &tables);

  /// The key of an element, of type i32.
  Value getKey(ValueRange element) {
    return convert(c, cloneBody(c.builder, op.getBody(), element).front(),
                   c.builder.getI32Type(), /*isUnsigned=*/true);
  }
  /// Key `k` of a thread, whose elements are `items`, as an index.
  Value getOwnKey(CollectiveBuilder &inner, ValueRange items, int64_t k) {
    return toIndex(inner, items[k * (width + 1) + width], /*isUnsigned=*/true);
  }

  CollectiveBuilder &c;
  PartitionOp op;
  Extent n, numKeys;
  /// Elements, and tuples of those of a thread with their keys.
  CollectiveBuilder elements, own;
  size_t width;
  /// A thread has rows of one element.
  RowShape shape;
  int64_t numWarps, tile, leastThreads;
};
} // namespace

Partition::Partition(CollectiveBuilder &c, PartitionOp op, int64_t sharedBytes)
    : c(c), op(op), n(c.getExtent(op.getArray())),
      numKeys(
          c.getConstantExtent(op.getStarts().getType().getExtents().front())),
      elements(c), own(c),
      width(op.getArray().getType().getElementTypes().size()),
      shape(ArrayRef<Type>(), /*items=*/false) {
  // Large tiles have few counts that other blocks wait for, and store more
  // neighbours for each key. But a short array has only a few tiles, each of
  // which then takes longer.
  constexpr int64_t maxItems = 22, maxRegisters = 44, maxWarps = 8;
  elements.elementTypes =
      llvm::to_vector(op.getArray().getType().getElementTypes());
  int64_t registers = 0;
  for (Type type : elements.elementTypes)
    registers += llvm::divideCeil(getElementBytes(type), 4);
  int64_t keys = std::max<int64_t>(numKeys.size, 1);
  numWarps = std::clamp<int64_t>(maxKeyTable / keys, 1, maxWarps);
  // In shared memory: the tile, two tables, and three numbers for each key.
  int64_t freeBytes = sharedBytes - keys * (2 * 4 * numWarps + 3 * 8);
  shape.rows = std::clamp<int64_t>(
      std::min(maxRegisters / registers,
               freeBytes / (numWarps * warpSize * 4 * registers)),
      1, maxItems);
  // Elements and keys stay in registers, which are too few for more threads.
  leastThreads = registers == 1 ? 768 : 256;
  tile = numWarps * warpSize * shape.rows;
  own.elementTypes.clear();
  for (int64_t k = 0; k < shape.rows; ++k) {
    llvm::append_range(own.elementTypes, elements.elementTypes);
    own.elementTypes.push_back(c.builder.getI32Type());
  }
}

/// An array with the elements of each thread, and their keys.
Value Partition::load(CollectiveBuilder &block, Value first, Value isFull) {
  CollectiveBuilder typed = own;
  typed.level = block.level;
  return typed.distributeWarps(
      block.getConstantExtent(numWarps), warpSize,
      block.getConstantExtent(numWarps * warpSize),
      [&](CollectiveBuilder &warp, Value number) {
        return warp.generate(warp.getConstantExtent(warpSize), [&](Value lane) {
          SmallVector<Values> rows = shape.load(
              warp, first, number, lane, isFull, n.value,
              [&](Value i) {
                Values element = warp.get(op.getArray(), i);
                element.push_back(getKey(element));
                return element;
              },
              [&] {
                Values nothing = getZeros(elements);
                nothing.push_back(arith::ConstantIntOp::create(
                    c.builder, c.loc, numKeys.size - 1, /*width=*/32));
                return nothing;
              },
              [](ArrayRef<Values> items) { return items.front(); });
          Values all;
          for (const Values &row : rows)
            llvm::append_range(all, row);
          return all;
        });
      });
}

/// The stored elements of the tile, sorted by their keys. A warp ranks 32
/// elements at a time, which are then stored. So no ranks are kept.
Value Partition::sort(CollectiveBuilder &block, Value loaded,
                      const RankTables &tables) {
  OpBuilder &builder = c.builder;
  PullType pull = elements.getPullType(block.getConstantExtent(tile));
  auto type = PushType::get(pull.getContext(), block.level, pull.getExtents(),
                            pull.getBounds(), pull.getElementTypes());
  Value filled = buildFill(block, type, Value(), {}, /*unchecked=*/true, [&] {
    Value warps = block.constant(numWarps);
    buildPar(
        block, Level::Warp, warps, [&](CollectiveBuilder &warp, Value number) {
          CollectiveBuilder typed = warp;
          typed.elementTypes = elements.elementTypes;
          typed.elementTypes.push_back(builder.getI32Type());
          Extent lanes = warp.getConstantExtent(warpSize);
          Value first = warp.mul(number, lanes.value);
          buildUnrolled(warp, shape.rows, [&](Value k) {
            Value items = typed.force(typed.generate(lanes, [&](Value lane) {
              Values all = warp.get(loaded, warp.add(first, lane));
              return selectItem(warp, k, shape.rows, [&](int64_t i) {
                return Values(
                    ValueRange(all).slice(i * (width + 1), width + 1));
              });
            }));
            RankedRow row(
                warp, tables, number,
                [&](Value lane) {
                  return toIndex(warp, warp.get(items, lane).back(),
                                 /*isUnsigned=*/true);
                },
                [&](llvm::function_ref<void(Value)> body) {
                  forEach(warp, lanes.value, body);
                });
            forEach(warp, lanes.value, [&](Value lane) {
              Values element = warp.get(items, lane);
              element.pop_back();
              write(warp, element,
                    toIndex(warp, row.getRank(lane), /*isUnsigned=*/true));
            });
            row.finish();
          });
        });
  });
  return ForceOp::create(builder, c.loc, filled, ValueRange())
      .getResults()
      .front();
}

Value Partition::fill() {
  PushType type = op.getResult().getType();
  OpBuilder &builder = c.builder;
  Type countType = op.getStarts().getType().getElementTypes().front();
  if (!countType.isIndex())
    countType = builder.getIntegerType(
        std::max(countType.getIntOrFloatBitWidth(), 32u));
  CollectiveBuilder counter = c;
  counter.elementTypes = {countType};
  Value tiles = c.ceilDiv(n, tile).value;
  KeyLookback lookback(counter, tiles, numKeys.size, leastThreads);
  return fillByBlocks(
      c, type, type.hasStaticExtents() ? ValueRange() : ValueRange(n.value), {},
      "", tiles, [&](CollectiveBuilder &inner, Value) {
        CollectiveBuilder block = inner;
        block.elementTypes = {builder.getI32Type()};
        Value number = lookback.drawTile(block);
        Value first = block.mul(number, block.constant(tile));
        Value isFull = block.less(block.add(number, block.constant(1)), tiles);
        Value loaded = load(block, first, isFull);
        Value chunks = block.constant(numWarps);
        RankTables tables(block, numWarps, numKeys);
        tables.count(
            block, block.constant(numWarps * warpSize),
            [&](Value worker, llvm::function_ref<void(Value, Value)> count) {
              Values items = block.get(loaded, worker);
              Value chunk = block.div(worker, block.constant(warpSize));
              for (int64_t k = 0; k < shape.rows; ++k)
                count(chunk, getOwnKey(block, items, k));
            });
        auto getCount = [&](Value chunk, Value key) {
          return tables.getCount(block, chunk, key);
        };
        Value totals = block.forceFill(
            {numKeys}, numKeys.value, [&](Value key, auto write) {
              Value sum =
                  accumulate(block, chunks, block.constant(0),
                             [&](Value chunk, Value before) {
                               return block.add(before, getCount(chunk, key));
                             });
              lookback.publishTile(block, number, key,
                                   convert(block, sum, countType));
              write(convert(block, sum, builder.getI32Type()), key);
            });
        auto getTotal = [&](Value key) {
          return block.get(totals, key).front();
        };
        FailureOr<Value> scanned = scanNumbers(block, op, numKeys, getTotal);
        assert(succeeded(scanned) && "the operation names no strategy");
        Value sums = block.force(*scanned);
        auto getBegin = [&](Value key) { return getSum(block, sums, key); };
        tables.start(block, getBegin, getCount);
        Value sorted = sort(block, loaded, tables);
        // Element p of the sorted tile has index p + base of its key.
        CollectiveBuilder wide = block;
        wide.elementTypes = {countType};
        Value bases = wide.force(wide.generate(numKeys, [&](Value key) {
          Value own = convert(block, getTotal(key), countType);
          Value before = lookback.countBefore(wide, number, key, own);
          Value begin = convert(block, getBegin(key), countType);
          Value start =
              convert(block, block.get(op.getStarts(), key).front(), countType);
          Value base = arith::AddIOp::create(builder, c.loc, start, before);
          return Values{arith::SubIOp::create(builder, c.loc, base, begin)};
        }));
        // All elements of the sorted tile exist. So only the write is guarded,
        // and several elements are read at the same time.
        Value left = block.sub(n.value, first);
        Value workers = block.constant(numWarps * warpSize);
        forEach(block, workers, [&](Value worker) {
          buildUnrolled(block, shape.rows, [&](Value k) {
            Value p = block.add(block.mul(k, workers), worker);
            Values element = block.get(sorted, p);
            Value key = toIndex(block, getKey(element), /*isUnsigned=*/true);
            Value place = arith::AddIOp::create(builder, c.loc,
                                                block.get(bases, key).front(),
                                                convert(block, p, countType));
            buildIf(block, block.less(p, left),
                    [&] { write(block, element, toIndex(block, place)); });
          });
        });
      });
}

LogicalResult strategies::expandPartition(OpBuilder &builder, PartitionOp op,
                                          const ExpansionOptions &options) {
  CollectiveBuilder c = getAdder(builder, op);
  Value result = Partition(c, op, options.sharedBytes).fill();
  // The kernel runs only once.
  if (!findOnlyForce(op.getResult()))
    result = PushOp::create(c.builder, c.loc, op.getResult().getType(),
                            forceAtGrid(c, result));
  op.getResult().replaceAllUsesWith(result);
  return success();
}
