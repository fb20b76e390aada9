//===- Rank.cpp - The positions of sorted keys ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "RankTables.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of chunks of keys of a block: a warp ranks a chunk.
static constexpr int64_t maxChunks = 8;
/// The minimum length of a chunk. A table has a row for each chunk, so shorter
/// chunks would cost more than they save.
static constexpr int64_t minChunk = 128;

/// For one thread, which passes over all elements for each key.
static void expandRankInThread(CollectiveBuilder &c, RankOp op, Extent n) {
  Value keys = op.getKeys();
  Type keyType = op.getKeys().getType().getElementTypes().front();
  PushType type = op.getRanks().getType();
  Extent numKeys =
      c.getConstantExtent(op.getCounts().getType().getExtents().front());
  Value zero = c.constant(0);
  auto isKey = [&](Value i, Value key) {
    return c.equal(c.get(keys, i).front(), convert(c, key, keyType, true));
  };
  auto getNext = [&](Value i, Value key, Value position) {
    return c.add(position, toIndex(c, isKey(i, key), true));
  };
  Value ranks = buildFill(c, type, n.value, {}, true, [&] {
    accumulate(c, numKeys.value, zero, [&](Value key, Value begin) {
      return accumulate(c, n.value, begin, [&](Value i, Value position) {
        buildIf(c, isKey(i, key), [&] {
          write(c, convert(c, position, type.getElementTypes().front()), i);
        });
        return getNext(i, key, position);
      });
    });
  });
  Value counts = buildPush(c, op.getCounts(), numKeys, [&](Value key) {
    return accumulate(c, n.value, zero, [&](Value i, Value position) {
      return getNext(i, key, position);
    });
  });
  op.getRanks().replaceAllUsesWith(ranks);
  op.getCounts().replaceAllUsesWith(counts);
}

/// The stored array of integers.
static Value forceKeys(CollectiveBuilder &c, Value keys) {
  CollectiveBuilder typed = c;
  typed.elementTypes =
      llvm::to_vector(cast<PullType>(keys.getType()).getElementTypes());
  return typed.force(keys);
}

namespace {
/// The stored keys of a warp or block, in chunks.
struct RankedKeys {
  RankedKeys(CollectiveBuilder &c, RankOp op, Extent n);

  /// Key i, as an index.
  Value getKey(CollectiveBuilder &c, Value i) {
    return toIndex(c, c.get(keys, i).front(), /*isUnsigned=*/true);
  }
  /// The number of occurrences of each key in each chunk: chunk by chunk.
  Value buildTable(CollectiveBuilder &c);
  /// Writes the ranks of the keys of a chunk, at level warp.
  void writeRanks(CollectiveBuilder &warp, const RankTables &tables,
                  Value chunk, Type type);

  Value keys;
  Extent n;
  Extent numKeys;
  int64_t chunkSize;
  int64_t numChunks;
  /// Each chunk has `chunkSize` keys, also the last one.
  bool isWhole;

private:
  /// Runs `body` for each lane whose key exists, if the first lane has key
  /// `at`.
  void forEachLane(CollectiveBuilder &warp, Value at,
                   llvm::function_ref<void(Value)> body);
};
} // namespace

RankedKeys::RankedKeys(CollectiveBuilder &c, RankOp op, Extent n)
    : keys(forceKeys(c, op.getKeys())), n(n),
      numKeys(
          c.getConstantExtent(op.getCounts().getType().getExtents().front())) {
  int64_t most =
      c.level == Level::Warp
          ? 1
          : std::clamp<int64_t>(
                maxKeyTable / std::max<int64_t>(numKeys.size, 1), 1, maxChunks);
  chunkSize = llvm::alignTo(
      std::max<uint64_t>(llvm::divideCeil(n.bound, most), minChunk), warpSize);
  numChunks = std::max<int64_t>(llvm::divideCeil(n.bound, chunkSize), 1);
  isWhole = n.isStatic() && n.size == numChunks * chunkSize;
}

void RankedKeys::forEachLane(CollectiveBuilder &warp, Value at,
                             llvm::function_ref<void(Value)> body) {
  forEach(warp, warp.constant(warpSize), [&](Value lane) {
    if (isWhole)
      return body(lane);
    buildIf(warp, warp.less(warp.add(at, lane), n.value), [&] { body(lane); });
  });
}

Value RankedKeys::buildTable(CollectiveBuilder &c) {
  PullType type = c.getPullType(c.getConstantExtent(numChunks * numKeys.size));
  Value zero = convert(c, c.constant(0), c.elementTypes.front());
  Value one = convert(c, c.constant(1), c.elementTypes.front());
  Value fill = buildContractFill(
      c, Contract::Reduce, c.builder.getStringAttr("addi"),
      PushType::get(type.getContext(), c.level, type.getExtents(),
                    type.getBounds(), type.getElementTypes()),
      Value(), zero, Value(), [&] {
        forEach(c, n.value, [&](Value i) {
          Value row = c.mul(c.div(i, c.constant(chunkSize)), numKeys.value);
          write(c, one, c.add(row, getKey(c, i)));
        });
      });
  return ForceOp::create(c.builder, c.loc, fill, ValueRange())
      .getResults()
      .front();
}

void RankedKeys::writeRanks(CollectiveBuilder &warp, const RankTables &tables,
                            Value chunk, Type type) {
  Extent lanes = warp.getConstantExtent(warpSize);
  CollectiveBuilder typed = warp;
  typed.elementTypes =
      llvm::to_vector(cast<PullType>(keys.getType()).getElementTypes());
  Value first = warp.mul(chunk, warp.constant(chunkSize));
  Value end =
      isWhole ? warp.add(first, warp.constant(chunkSize))
              : warp.min(warp.add(first, warp.constant(chunkSize)), n.value);
  buildLoop(warp, first, end, lanes.value, [&](Value at) {
    Value own = typed.force(typed.generate(lanes, [&](Value lane) {
      Value i = warp.add(at, lane);
      if (!isWhole)
        i = warp.min(i, warp.sub(n.value, warp.constant(1)));
      return typed.get(keys, i);
    }));
    RankedRow row(
        warp, tables, chunk,
        [&](Value lane) {
          return toIndex(warp, warp.get(own, lane).front(),
                         /*isUnsigned=*/true);
        },
        [&](llvm::function_ref<void(Value)> body) {
          forEachLane(warp, at, body);
        });
    forEachLane(warp, at, [&](Value lane) {
      write(warp, convert(warp, row.getRank(lane), type), warp.add(at, lane));
    });
    row.finish();
  });
}

LogicalResult strategies::expandRank(OpBuilder &builder, RankOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Extent n = getCommonExtent(c, op.getKeys(), op.getRanks().getType());
  if (c.level == Level::Thread) {
    // There is no scan, whatever strategy the operation names.
    if (failed(findScanStrategy(
            op, op.getStrategy(), c.level,
            c.getConstantExtent(
                op.getCounts().getType().getExtents().front()))))
      return failure();
    expandRankInThread(c, op, n);
    return success();
  }
  if (!n.isBounded())
    return op.emitOpError("[R2-bounded] stores the keys, but their number is "
                          "not bounded; give the array a bound, as in ? x i32 "
                          "bound [1024]");
  Type number = c.elementTypes.front();
  RankedKeys ranked(c, op, n);
  Value table = ranked.buildTable(c);
  Value chunks = c.constant(ranked.numChunks);
  auto getCount = [&](Value chunk, Value key) {
    Value row = c.mul(chunk, ranked.numKeys.value);
    return toIndex(c, c.get(table, c.add(row, key)).front());
  };
  FailureOr<Value> scanned = scanNumbers(c, op, ranked.numKeys, [&](Value key) {
    Value sum =
        accumulate(c, chunks, c.constant(0), [&](Value chunk, Value before) {
          return c.add(before, getCount(chunk, key));
        });
    return convert(c, sum, number);
  });
  if (failed(scanned))
    return failure();
  Value sums = c.force(*scanned);

  PushType type = op.getRanks().getType();
  Value ranks = buildFill(c, type, n.value, {}, /*unchecked=*/false, [&] {
    RankTables tables(c, ranked.numChunks, ranked.numKeys);
    tables.start(c, [&](Value key) { return getSum(c, sums, key); }, getCount);
    buildPar(c, Level::Warp, chunks, [&](CollectiveBuilder &warp, Value chunk) {
      ranked.writeRanks(warp, tables, chunk, type.getElementTypes().front());
    });
  });
  Value counts = buildPush(c, op.getCounts(), ranked.numKeys, [&](Value key) {
    return c.sub(getSum(c, sums, c.add(key, c.constant(1))),
                 getSum(c, sums, key));
  });
  op.getRanks().replaceAllUsesWith(ranks);
  op.getCounts().replaceAllUsesWith(counts);
  return success();
}
