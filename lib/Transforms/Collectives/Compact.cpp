//===- Compact.cpp - The elements whose flag is set -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "OnePassCompaction.h"
#include "Published.h"
#include "Strategies.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// True if `array` is `source`, or an index map or map of it.
static bool isMadeOf(Value array, Value source) {
  while (array && array != source) {
    auto push = array.getDefiningOp<PushOpInterface>();
    array = push ? push.getSource() : Value();
  }
  return static_cast<bool>(array);
}

/// Tries to move the elements to a separate force before that of the count.
/// True if the kernel of the elements then runs once, and the kernel of the
/// count after it.
static bool forceBeforeCount(CompactOp op) {
  if (!findOnlyForce(op.getResult()))
    return false;
  if (op.getCount().use_empty())
    return true;
  ForceOp force = findOnlyForce(op.getResult());
  ForceOp other = findOnlyForce(op.getCount());
  if (!force || !other)
    return false;
  if (force != other)
    return force->getBlock() == other->getBlock() &&
           force->isBeforeInBlock(other);
  // One force of both is divided into two.
  if (force.getArrays().size() != 2 || !force.getInto().empty())
    return false;
  bool isCountFirst = isMadeOf(force.getArrays()[0], op.getCount());
  if (!isMadeOf(force.getArrays()[isCountFirst ? 1 : 0], op.getResult()) ||
      !isMadeOf(force.getArrays()[isCountFirst ? 0 : 1], op.getCount()))
    return false;
  OpBuilder builder(force);
  auto forceOne = [&](unsigned i) {
    auto one = ForceOp::create(
        builder, force.getLoc(), TypeRange(force.getResults()[i].getType()),
        force.getArrays()[i], ValueRange(), force.getStorageAttr(),
        (i == 0) == isCountFirst ? StringAttr() : force.getKernelAttr(),
        force.getThreadsAttr(), UnitAttr());
    force.getResults()[i].replaceAllUsesWith(one.getResults().front());
  };
  forceOne(isCountFirst ? 1 : 0);
  forceOne(isCountFirst ? 0 : 1);
  force.erase();
  return true;
}

namespace {
/// The memory in which the kernel of the elements stores the count, and the
/// maps that are applied to the count before.
struct StoredCount {
  Value memory;
  SmallVector<MapOp> maps;
};
} // namespace

/// True if a kernel at the position of `op` can compute `map`.
static bool canRunAt(MapOp map, Operation *op) {
  llvm::SetVector<Value> needed;
  getUsedValuesDefinedAbove(map.getBody(), needed);
  needed.insert_range(map.getArrays());
  DominanceInfo dominance;
  bool isKnown = llvm::all_of(needed, [&](Value value) {
    return value == map.getSource() || dominance.properlyDominates(value, op);
  });
  return isKnown && !hasCollectives(map);
}

/// Memory for the count, if the kernel of the elements stores the count: in one
/// pass, if the count has a separate force. The result of this force is then
/// the memory.
static StoredCount allocateCount(CollectiveBuilder &c, CompactOp op) {
  if (op.getStrategy().value_or("one_pass") != "one_pass" ||
      op.getCount().use_empty())
    return {};
  StoredCount stored;
  Operation *user = *op.getCount().user_begin();
  for (auto map = dyn_cast<MapOp>(user); map; map = dyn_cast<MapOp>(user)) {
    if (!map->hasOneUse() || !canRunAt(map, op))
      return {};
    stored.maps.push_back(map);
    user = *map->user_begin();
  }
  auto force = dyn_cast<ForceOp>(user);
  if (!force || force.getArrays().size() != 1 || !force.getInto().empty())
    return {};
  Value result = force.getResults().front();
  auto type = cast<PullType>(result.getType());
  if (type.getElementTypes().size() != 1)
    return {};
  stored.memory = memref::AllocOp::create(
      c.builder, c.loc, MemRefType::get({1}, type.getElementTypes()[0]));
  OpBuilder builder(force);
  result.replaceAllUsesWith(buildView(builder, c.loc, type, stored.memory));
  force.erase();
  return stored;
}

/// The number of kept elements at level grid, if the elements are not used: a
/// sum, which needs no positions.
static LogicalResult expandCountAtGrid(CollectiveBuilder &c, CompactOp op,
                                       Extent n) {
  if (failed(verifyGridStrategy(op, op.getStrategy(),
                                {"one_pass", "three_kernels"})))
    return failure();
  if (op.getCount().use_empty())
    return success();
  Type type = op.getCount().getType().getElementTypes().front();
  CollectiveBuilder adder = c;
  adder.elementTypes = {type};
  Value flags = c.shareReads(op.getFlags());
  Value numbers = adder.shareReads(adder.generate(n, [&](Value i) {
    return Values{convert(adder, c.get(flags, i).front(), type,
                          /*isUnsigned=*/true)};
  }));
  Value zero = convert(adder, c.constant(0), type);
  Value count = reduceByOneKernel(adder, numbers, zero);
  if (!findOnlyForce(op.getCount()))
    count = PushOp::create(c.builder, c.loc, op.getCount().getType(),
                           forceAtGrid(adder, count));
  op.getCount().replaceAllUsesWith(count);
  return success();
}

/// One kernel, if the program names this strategy or uses the count after the
/// kernel.
static LogicalResult expandCompactInOnePass(CollectiveBuilder &c, CompactOp op,
                                            Extent n, bool isAlone) {
  StoredCount stored = isAlone ? allocateCount(c, op) : StoredCount();
  Type countType = op.getCount().getType().getElementTypes().front();
  auto writeCount = [&](CollectiveBuilder &thread, Value all) {
    Values count{convert(thread, all, countType)};
    for (MapOp map : stored.maps)
      count = mapElement(thread, map, count, thread.constant(0));
    storeAlone(thread, count.front(), stored.memory, thread.constant(0));
  };
  PushType type = op.getResult().getType();
  CollectiveBuilder elements = c;
  elements.elementTypes = SmallVector<Type>(type.getElementTypes());
  Value flags = c.shareReads(op.getFlags());
  Value array = c.shareReads(op.getArray());
  OnePassCompaction compaction(
      c, n,
      {elements, [&](Value i) { return c.get(flags, i).front(); },
       [&](Value i) { return c.get(array, i); },
       isCheap(flags) && isCheap(array), isTotal(array)});
  ValueRange extents(n.value);
  if (type.hasStaticExtents())
    extents = {};
  Value result = stored.memory
                     ? compaction.fill(type, extents, op.getInit(), writeCount)
                     : compaction.fill(type, extents, op.getInit(), {});
  for (MapOp map : llvm::reverse(stored.maps))
    map.erase();
  // The kernel runs only once, and the count is known after it.
  if (!isAlone)
    result = PushOp::create(c.builder, c.loc, type, forceAtGrid(c, result));
  if (!op.getCount().use_empty())
    op.getCount().replaceAllUsesWith(
        buildPush(c, op.getCount(), c.getConstantExtent(1),
                  [&](Value) { return compaction.getCount(); }));
  op.getResult().replaceAllUsesWith(result);
  return success();
}

static LogicalResult expandCompactAtGrid(CollectiveBuilder &c, CompactOp op,
                                         Extent n) {
  if (failed(verifyGridStrategy(op, op.getStrategy(),
                                {"one_pass", "three_kernels"})))
    return failure();
  bool isAlone = forceBeforeCount(op);
  if (op.getStrategy().value_or(isAlone ? "one_pass" : "three_kernels") ==
      "one_pass")
    return expandCompactInOnePass(c, op, n, isAlone);
  auto isKept = [&](Value i) { return c.get(op.getFlags(), i).front(); };
  Value numbers = c.shareReads(c.generate(n, [&](Value i) {
    return Values{toIndex(c, isKept(i), /*isUnsigned=*/true)};
  }));
  std::unique_ptr<GridScan> scan = buildThreeKernelScan(c, numbers, n);
  PushType type = op.getResult().getType();
  Value result = scan->fill(
      type, type.hasStaticExtents() ? ValueRange() : ValueRange(n.value),
      op.getInit(), [&](Value i, auto current, auto) {
        buildIf(c, isKept(i), [&] {
          write(c, c.get(op.getArray(), i),
                c.sub(current().front(), c.constant(1)));
        });
      });
  if (!op.getCount().use_empty())
    op.getCount().replaceAllUsesWith(
        buildPush(c, op.getCount(), c.getConstantExtent(1), [&](Value) {
          return c
              .choose(
                  c.equal(n.value, c.constant(0)),
                  [&] { return Values{c.constant(0)}; },
                  [&] { return scan->getTotal(); })
              .front();
        }));
  op.getResult().replaceAllUsesWith(result);
  return success();
}

LogicalResult strategies::expandCompact(OpBuilder &builder, CompactOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Type number = c.elementTypes.front();
  Extent n = getCommonExtent(c, op.getArray(), op.getFlags().getType());
  PushType type = op.getResult().getType();
  Value one = c.constant(1);
  auto isKept = [&](Value i) { return c.get(op.getFlags(), i).front(); };
  auto getFlag = [&](Value i) { return convert(c, isKept(i), number, true); };
  auto writeElement = [&](Value i, Value position) {
    write(c, c.get(op.getArray(), i), position);
  };
  Value result, count;
  if (isSequential(op, c)) {
    Value zero = c.constant(0);
    auto getNext = [&](Value i, Value position) {
      return c.add(position, toIndex(c, isKept(i), true));
    };
    result = buildFill(c, type, n.value, op.getInit(), true, [&] {
      accumulate(c, n.value, zero, [&](Value i, Value position) {
        buildIf(c, isKept(i), [&] { writeElement(i, position); });
        return getNext(i, position);
      });
    });
    count = buildPush(c, op.getCount(), c.getConstantExtent(1), [&](Value) {
      return accumulate(c, n.value, zero, getNext);
    });
  } else if (c.level == Level::Grid && dropUnused(op.getResult())) {
    return expandCountAtGrid(c, op, n);
  } else if (c.level == Level::Grid) {
    return expandCompactAtGrid(c, op, n);
  } else if (c.level != Level::Thread && scansInTiles(c, n)) {
    // The number of elements may need more than 32 bits.
    CollectiveBuilder wide = c;
    wide.elementTypes = {builder.getIndexType()};
    Value numbers = wide.shareReads(wide.generate(n, [&](Value i) {
      return Values{toIndex(c, isKept(i), /*isUnsigned=*/true)};
    }));
    LogicalResult built = success();
    result = buildFill(c, type, n.value, op.getInit(), true, [&] {
      built = scanInTiles(
          wide, op, numbers, n.value, [&](Value i, auto current, auto) {
            buildIf(c, isKept(i),
                    [&] { writeElement(i, c.sub(current().front(), one)); });
          });
    });
    if (failed(built))
      return failure();
    if (!op.getCount().use_empty()) {
      Values all = reduceAll(wide, numbers, c.constant(0));
      count = buildPush(c, op.getCount(), c.getConstantExtent(1),
                        [&](Value) { return all.front(); });
      op.getCount().replaceAllUsesWith(count);
    }
    op.getResult().replaceAllUsesWith(result);
    return success();
  } else {
    FailureOr<Value> scanned = scanNumbers(c, op, n, getFlag);
    if (failed(scanned))
      return failure();
    result = buildFill(c, type, n.value, op.getInit(), true, [&] {
      forEach(c, n.value, [&](Value i) {
        buildIf(c, isKept(i), [&] {
          Value behind = toIndex(c, c.get(*scanned, i).front());
          writeElement(i, c.sub(behind, one));
        });
      });
    });
    count = buildPush(c, op.getCount(), c.getConstantExtent(1),
                      [&](Value) { return getSum(c, *scanned, n.value); });
  }
  op.getResult().replaceAllUsesWith(result);
  op.getCount().replaceAllUsesWith(count);
  return success();
}
