//===- Rank.cpp - The positions of sorted keys ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Grid.h"
#include "Pieces.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// The number of entries of a table with a column for each chunk of keys and a
/// row for each key. With this number, chunks of a tile of bytes have few
/// elements, and the table fits in shared memory.
static constexpr int64_t tableSize = 4096;
/// The minimum length of a chunk. Each element is compared with those before it
/// in its chunk, so chunks are longer only if the table would cost more.
static constexpr int64_t minChunk = 8;

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

LogicalResult strategies::expandRank(OpBuilder &builder, RankOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Extent n = getCommonExtent(c, op.getKeys(), op.getRanks().getType());
  if (isSequential(op, c)) {
    expandRankInThread(c, op, n);
    return success();
  }
  if (!n.isBounded())
    return op.emitOpError("[R2-bounded] stores the keys, but their number is "
                          "not bounded; give the array a bound, as in ? x i32 "
                          "bound [1024]");
  int64_t numKeys = op.getCounts().getType().getExtents().front();
  int64_t chunkSize = std::max(
      minChunk, static_cast<int64_t>(llvm::divideCeil(
                    static_cast<uint64_t>(n.bound) * numKeys, tableSize)));
  Value chunk = c.constant(chunkSize);
  // Without keys there is one empty chunk.
  Extent columns = c.ceilDiv(n, chunkSize);
  columns =
      columns.isStatic()
          ? c.getConstantExtent(std::max<int64_t>(columns.size, 1))
          : Extent{c.max(columns.value, c.constant(1)), ShapedType::kDynamic,
                   std::max<int64_t>(columns.bound, 1)};
  Extent cells = columns.isStatic()
                     ? c.getConstantExtent(columns.size * numKeys)
                     : Extent{c.mul(columns.value, c.constant(numKeys)),
                              ShapedType::kDynamic, columns.bound * numKeys};

  Value keys = forceKeys(c, op.getKeys());
  auto getKey = [&](Value i) { return c.get(keys, i).front(); };
  auto getCell = [&](Value i) {
    Value row = c.mul(toIndex(c, getKey(i), true), columns.value);
    return c.add(row, c.div(i, chunk));
  };
  // The number of occurrences of each key in each chunk.
  Type number = c.elementTypes.front();
  Value zero = arith::ConstantIntOp::create(c.builder, c.loc, number, 0);
  Value one = arith::ConstantIntOp::create(c.builder, c.loc, number, 1);
  PullType tableType = c.getPullType(cells);
  auto fill = FillOp::create(
      c.builder, c.loc,
      PushType::get(tableType.getContext(), c.level, tableType.getExtents(),
                    tableType.getBounds(), tableType.getElementTypes()),
      zero, Value(), cells.isStatic() ? ValueRange() : ValueRange(cells.value),
      ContractAttr::get(c.builder.getContext(), Contract::Reduce),
      c.builder.getStringAttr("addi"), UnitAttr());
  {
    OpBuilder::InsertionGuard guard(c.builder);
    c.builder.createBlock(&fill.getBody());
    forEach(c, n.value, [&](Value i) { write(c, one, getCell(i)); });
  }
  Value table =
      ForceOp::create(c.builder, c.loc, TypeRange(tableType), fill.getResult(),
                      ValueRange(),
                      StorageAttr::get(c.builder.getContext(), Storage::Auto),
                      StringAttr(), IntegerAttr(), UnitAttr())
          .getResults()
          .front();
  FailureOr<Value> scanned = scanNumbers(
      c, op, cells, [&](Value i) { return c.get(table, i).front(); });
  if (failed(scanned))
    return failure();
  Value sums = c.force(*scanned);

  Value ranks = buildPush(c, op.getRanks(), n, [&](Value i) {
    Value key = getKey(i);
    Value first = c.mul(c.div(i, chunk), chunk);
    Value equal = accumulate(
        c, c.sub(i, first), c.constant(0), [&](Value j, Value count) {
          Value isEqual = c.equal(getKey(c.add(first, j)), key);
          return c.add(count, toIndex(c, isEqual, true));
        });
    return c.add(getSum(c, sums, getCell(i)), equal);
  });
  Value counts = buildPush(
      c, op.getCounts(), c.getConstantExtent(numKeys), [&](Value key) {
        Value begin = c.mul(key, columns.value);
        Value end = c.add(begin, columns.value);
        return c.sub(getSum(c, sums, end), getSum(c, sums, begin));
      });
  op.getRanks().replaceAllUsesWith(ranks);
  op.getCounts().replaceAllUsesWith(counts);
  return success();
}
