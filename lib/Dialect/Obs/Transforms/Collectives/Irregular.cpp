//===- Irregular.cpp - compact, rank, expand and scatter -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where elements go is the scan of a number for each: of the flag, of the
// length, or of how often a key occurs; or values say it. One thread needs no
// scan: it writes one element after the other.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Grid.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Integers are extended as unsigned numbers if they are flags or keys.
static Value convert(CollectiveBuilder &c, Value value, Type type,
                     bool isUnsigned = false) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return isUnsigned
               ? c.builder.createOrFold<arith::IndexCastUIOp>(c.loc, type,
                                                              value)
               : c.builder.createOrFold<arith::IndexCastOp>(c.loc, type, value);
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return c.builder.createOrFold<arith::TruncIOp>(c.loc, type, value);
  return isUnsigned
             ? c.builder.createOrFold<arith::ExtUIOp>(c.loc, type, value)
             : c.builder.createOrFold<arith::ExtSIOp>(c.loc, type, value);
}

static Value toIndex(CollectiveBuilder &c, Value value,
                     bool isUnsigned = false) {
  return convert(c, value, c.builder.getIndexType(), isUnsigned);
}

/// A builder for sums at the level of `op`, standing where it does. Below level
/// grid 32 bits hold any position.
static CollectiveBuilder getAdder(OpBuilder &builder, Operation *op) {
  builder.setInsertionPoint(op);
  Level level = getEnclosingScope(op).level;
  Type type = level == Level::Grid ? Type(builder.getIndexType())
                                   : Type(builder.getI32Type());
  auto add = [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
    return Values{arith::AddIOp::create(b, loc, x[0], y[0])};
  };
  return CollectiveBuilder(builder, op->getLoc(), level, type,
                           /*commutative=*/true, add);
}

/// Builds `then` where `condition` holds.
static void buildIf(CollectiveBuilder &c, Value condition,
                    llvm::function_ref<void()> then) {
  auto branch = scf::IfOp::create(c.builder, c.loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(branch.thenBlock());
  then();
}

static void write(CollectiveBuilder &c, ValueRange values, Value index) {
  WriteOp::create(c.builder, c.loc, values, index, ContractAttr(),
                  StringAttr());
}

/// The push array of `type` that the program `body` writes.
static Value buildFill(CollectiveBuilder &c, PushType type, Value extent,
                       ValueRange init, bool unchecked,
                       llvm::function_ref<void()> body) {
  auto fill = FillOp::create(
      c.builder, c.loc, type, init, Value(),
      type.hasStaticExtents() ? ValueRange() : ValueRange(extent),
      ContractAttr::get(c.builder.getContext(), Contract::Disjoint),
      StringAttr(), unchecked ? c.builder.getUnitAttr() : UnitAttr());
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  body();
  return fill;
}

/// A loop of one thread over [0, n) that carries one number, from `start`.
static Value accumulate(CollectiveBuilder &c, Value n, Value start,
                        llvm::function_ref<Value(Value, Value)> step) {
  auto loop = scf::ForOp::create(
      c.builder, c.loc, c.constant(0), n, c.constant(1), start,
      [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
        scf::YieldOp::create(b, loc, step(i, carried.front()));
      });
  return loop.getResult(0);
}

/// A push array of the type of `result` in which element i is the integer
/// `element(i)`.
static Value buildPush(CollectiveBuilder &c, Value result, Extent n,
                       llvm::function_ref<Value(Value)> element) {
  auto type = cast<PushType>(result.getType());
  CollectiveBuilder numbers = c;
  numbers.elementTypes = {type.getElementTypes().front()};
  Value array = numbers.generate(n, [&](Value i) {
    return Values{convert(c, element(i), numbers.elementTypes.front())};
  });
  return PushOp::create(c.builder, c.loc, type, array);
}

/// True if one thread writes elements one after the other, without storage.
static bool isSequential(IrregularOpInterface op, const CollectiveBuilder &c) {
  return c.level == Level::Thread &&
         op.getStrategy().value_or("sequential") == "sequential";
}

/// The scan of the numbers that `number` gives, each with those before it. Not
/// stored.
static FailureOr<Value> scan(CollectiveBuilder &c, IrregularOpInterface op,
                             Extent n,
                             llvm::function_ref<Value(Value)> number) {
  FailureOr<const ScanStrategy *> strategy =
      findScanStrategy(op, op.getStrategy(), c.level, n);
  if (failed(strategy))
    return failure();
  Value numbers = c.generate(n, [&](Value i) { return Values{number(i)}; });
  return c.shareReads((*strategy)->scan(c, c.shareReads(numbers)));
}

/// Of a scan of `n` numbers: the sum of the first `count` of them.
static Value getSum(CollectiveBuilder &c, Value scanned, Value count) {
  return c
      .choose(
          c.equal(count, c.constant(0)), [&] { return Values{c.constant(0)}; },
          [&] {
            Value last = c.sub(count, c.constant(1));
            return Values{toIndex(c, c.get(scanned, last).front())};
          })
      .front();
}

/// The same by all blocks, in the way that is `chosen` unless one is asked for.
static FailureOr<std::unique_ptr<GridScan>>
scanAtGrid(CollectiveBuilder &c, IrregularOpInterface op, Extent n,
           StringRef chosen, llvm::function_ref<Value(Value)> number) {
  StringRef strategy = op.getStrategy().value_or(chosen);
  if (failed(verifyGridStrategy(op, strategy, {"one_pass", "three_kernels"})))
    return failure();
  Value numbers =
      c.shareReads(c.generate(n, [&](Value i) { return Values{number(i)}; }));
  return strategy == "one_pass" ? buildOnePassScan(c, numbers, n)
                                : buildThreeKernelScan(c, numbers, n);
}

//===----------------------------------------------------------------------===//
// compact
//===----------------------------------------------------------------------===//

/// Tries to have the elements forced before the count, by a force of their own.
/// True if the kernel of the elements then runs once, and that of the count
/// behind it.
static bool forceBeforeCount(CompactOp op) {
  if (!isForcedOnce(op.getResult()))
    return false;
  if (op.getCount().use_empty())
    return true;
  auto force = op.getResult().hasOneUse()
                   ? dyn_cast<ForceOp>(*op.getResult().user_begin())
                   : ForceOp();
  auto other = op.getCount().hasOneUse()
                   ? dyn_cast<ForceOp>(*op.getCount().user_begin())
                   : ForceOp();
  if (!force || !other)
    return false;
  if (force != other)
    return force->getBlock() == other->getBlock() &&
           force->isBeforeInBlock(other);
  // One force of both becomes two.
  if (force.getArrays().size() != 2 || !force.getInto().empty())
    return false;
  OpBuilder builder(force);
  auto forceOne = [&](unsigned i) {
    auto one = ForceOp::create(
        builder, force.getLoc(), TypeRange(force.getResults()[i].getType()),
        force.getArrays()[i], ValueRange(), force.getStorageAttr(),
        force.getArrays()[i] == op.getCount() ? StringAttr()
                                              : force.getKernelAttr(),
        force.getThreadsAttr(), UnitAttr());
    force.getResults()[i].replaceAllUsesWith(one.getResults().front());
  };
  bool isCountFirst = force.getArrays().front() == op.getCount();
  forceOne(isCountFirst ? 1 : 0);
  forceOne(isCountFirst ? 0 : 1);
  force.erase();
  return true;
}

static LogicalResult expandCompact(OpBuilder &builder, CompactOp op) {
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
  } else if (c.level == Level::Grid) {
    bool inOnePass = forceBeforeCount(op);
    FailureOr<std::unique_ptr<GridScan>> grid =
        scanAtGrid(c, op, n, inOnePass ? "one_pass" : "three_kernels", getFlag);
    if (failed(grid))
      return failure();
    result = (*grid)->fill(
        type, type.hasStaticExtents() ? ValueRange() : ValueRange(n.value),
        op.getInit(), [&](Value i, auto current, auto) {
          buildIf(c, isKept(i),
                  [&] { writeElement(i, c.sub(current().front(), one)); });
        });
    // It runs only once, and the count is known behind it.
    if ((*grid)->runsOnce() && !inOnePass)
      result = PushOp::create(builder, c.loc, type, forceAtGrid(c, result));
    count = buildPush(c, op.getCount(), c.getConstantExtent(1), [&](Value) {
      return c
          .choose(
              c.equal(n.value, c.constant(0)),
              [&] { return Values{c.constant(0)}; },
              [&] { return (*grid)->getTotal(); })
          .front();
    });
  } else {
    FailureOr<Value> scanned = scan(c, op, n, getFlag);
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

//===----------------------------------------------------------------------===//
// rank
//===----------------------------------------------------------------------===//

/// The numbers of a table with a column for each chunk of keys and a row for
/// each key: so many that a tile of keys and bytes still has chunks of few
/// elements, and small enough for shared memory.
static constexpr int64_t tableSize = 4096;
/// Each element is compared with those before it in its chunk, so chunks are no
/// shorter only where that would cost more than the table.
static constexpr int64_t minChunk = 8;

/// Of one thread, which goes through all elements for each key.
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

/// The array of integers, stored.
static Value forceKeys(CollectiveBuilder &c, Value keys) {
  CollectiveBuilder typed = c;
  typed.elementTypes =
      llvm::to_vector(cast<PullType>(keys.getType()).getElementTypes());
  return typed.force(keys);
}

static LogicalResult expandRank(OpBuilder &builder, RankOp op) {
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
  // How often each key occurs in each chunk.
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
  FailureOr<Value> scanned =
      scan(c, op, cells, [&](Value i) { return c.get(table, i).front(); });
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

//===----------------------------------------------------------------------===//
// expand
//===----------------------------------------------------------------------===//

/// The element with number `j` of length `i`.
static Values buildElement(CollectiveBuilder &c, ExpandOp op, Value i,
                           Value j) {
  return cloneBody(c.builder, op.getBody(), {i, j});
}

/// Of one thread, which goes through the lengths. Writes nothing past the end.
static void expandExpandInThread(CollectiveBuilder &c, ExpandOp op, Extent n,
                                 Value capacity) {
  Value zero = c.constant(0);
  auto getLength = [&](Value i) {
    return toIndex(c, c.get(op.getLengths(), i).front());
  };
  Value result =
      buildFill(c, op.getResult().getType(), capacity, op.getInit(), true, [&] {
        accumulate(c, n.value, zero, [&](Value i, Value begin) {
          Value end = c.add(begin, getLength(i));
          Value count = c.sub(c.min(end, capacity), begin);
          accumulate(c, count, begin, [&](Value j, Value position) {
            write(c, buildElement(c, op, i, j), position);
            return c.add(position, c.constant(1));
          });
          return end;
        });
      });
  Value count = buildPush(c, op.getCount(), c.getConstantExtent(1), [&](Value) {
    return accumulate(c, n.value, zero, [&](Value i, Value sum) {
      return c.add(sum, getLength(i));
    });
  });
  op.getResult().replaceAllUsesWith(result);
  op.getCount().replaceAllUsesWith(count);
}

/// The number of the length that element `t` comes from: the first one with
/// which the sum is more than `t`.
static Value findLength(CollectiveBuilder &c, Value sums, Extent n, Value t) {
  // Each step leaves at most half of the candidates.
  Value steps = c.add(c.ceilLog2(n), c.constant(1));
  auto loop = scf::ForOp::create(
      c.builder, c.loc, c.constant(0), steps, c.constant(1),
      ValueRange{c.constant(0), n.value},
      [&](OpBuilder &b, Location loc, Value, ValueRange bounds) {
        Value low = bounds[0], high = bounds[1];
        Value middle = c.div(c.add(low, high), c.constant(2));
        Value sum = toIndex(c, c.get(sums, middle).front());
        Value isBehind = c.less(t, sum);
        Value next = c.add(middle, c.constant(1));
        low = arith::SelectOp::create(b, loc, isBehind, low, next);
        high = arith::SelectOp::create(b, loc, isBehind, middle, high);
        scf::YieldOp::create(b, loc, ValueRange{low, high});
      });
  return loop.getResult(0);
}

static LogicalResult expandExpand(OpBuilder &builder, ExpandOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Extent n = c.getExtent(op.getLengths());
  PushType type = op.getResult().getType();
  Value capacity = type.hasStaticExtents()
                       ? c.constant(type.getExtents().front())
                       : op.getExtents().front();
  if (isSequential(op, c)) {
    expandExpandInThread(c, op, n, capacity);
    return success();
  }
  auto getLength = [&](Value i) {
    return convert(c, c.get(op.getLengths(), i).front(),
                   c.elementTypes.front());
  };
  Value sums;
  if (c.level == Level::Grid) {
    FailureOr<std::unique_ptr<GridScan>> grid =
        scanAtGrid(c, op, n, "one_pass", getLength);
    if (failed(grid))
      return failure();
    PullType pull = c.getPullType(n);
    auto sumsType =
        PushType::get(pull.getContext(), Level::Grid, pull.getExtents(),
                      pull.getBounds(), pull.getElementTypes());
    sums = forceAtGrid(
        c, (*grid)->fill(
               sumsType, n.isStatic() ? ValueRange() : ValueRange(n.value), {},
               [&](Value i, auto current, auto) { write(c, current(), i); }));
  } else {
    FailureOr<Value> scanned = scan(c, op, n, getLength);
    if (failed(scanned))
      return failure();
    sums = c.force(*scanned);
  }
  Value result = buildFill(c, type, capacity, op.getInit(), false, [&] {
    forEach(c, capacity, [&](Value t) {
      buildIf(c, c.less(t, getSum(c, sums, n.value)), [&] {
        Value i = findLength(c, sums, n, t);
        Value j = c.sub(t, getSum(c, sums, i));
        write(c, buildElement(c, op, i, j), t);
      });
    });
  });
  Value count = buildPush(c, op.getCount(), c.getConstantExtent(1),
                          [&](Value) { return getSum(c, sums, n.value); });
  op.getResult().replaceAllUsesWith(result);
  op.getCount().replaceAllUsesWith(count);
  return success();
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// The longest result that blocks have copies of if nobody asks for them.
static constexpr int64_t maxCopy = 4096;

namespace {
/// What a scatter works on.
struct Scatter {
  Scatter(CollectiveBuilder &c, ScatterOp op)
      : c(c), op(op),
        n(getCommonExtent(c, op.getArray(), op.getIndices().getType())) {
    PushType type = op.getResult().getType();
    size = type.hasStaticExtents()
               ? c.getConstantExtent(type.getExtents().front())
               : Extent{op.getExtents().front(), ShapedType::kDynamic,
                        getArrayBound(type, 0)};
  }

  Value getIndex(Value i) {
    return toIndex(c, c.get(op.getIndices(), i).front());
  }
  /// A condition: `index` is one of the result.
  Value isInRange(Value index) {
    return c.builder.createOrFold<arith::CmpIOp>(
        c.loc, arith::CmpIPredicate::ult, index, size.value);
  }
  /// Writes element i where it belongs.
  void write(Value i) {
    Value index = getIndex(i);
    buildIf(c, isInRange(index),
            [&] { ::write(c, c.get(op.getArray(), i), index); });
  }
  Value getElement(Value i) { return c.get(op.getArray(), i).front(); }

  CollectiveBuilder &c;
  ScatterOp op;
  /// Of the operands, and of the result.
  Extent n, size;
};
} // namespace

/// Atomic operations on memory of its own give what each element found; the
/// result is what is there then.
static LogicalResult expandFetch(Scatter &scatter) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  bool isGrid = c.level == Level::Grid;
  if (!isGrid && (!scatter.size.isBounded() || !scatter.n.isBounded()))
    return op.emitOpError("[R2-bounded] stores both results, but their extents "
                          "are not bounded; give the arrays a bound, as in "
                          "? x i32 bound [1024]");
  Type element = op.getArray().getType().getElementTypes().front();
  // Below level grid space is reserved for the bound.
  auto allocate = [&](Extent n) -> Value {
    auto type = isGrid ? MemRefType::get({n.size}, element)
                       : MemRefType::get({n.bound}, element,
                                         MemRefLayoutAttrInterface(),
                                         HomeAttr::get(builder.getContext(),
                                                       c.level, Storage::Auto));
    return memref::AllocOp::create(builder, c.loc, type,
                                   type.hasStaticShape() ? ValueRange()
                                                         : ValueRange(n.value));
  };
  Value memory = allocate(scatter.size);
  PushType resultType = op.getResult().getType();
  CollectiveBuilder elements = c;
  elements.elementTypes = {element};
  auto store = [&](ValueRange push, ValueRange into) {
    PullType stored = cast<PushType>(push.front().getType()).getPullType();
    return ForceOp::create(
               builder, c.loc, TypeRange(stored), push, into,
               StorageAttr::get(builder.getContext(), Storage::Auto),
               StringAttr(), IntegerAttr(), UnitAttr())
        .getResults()
        .front();
  };
  if (isGrid)
    store(buildFill(c, resultType, scatter.size.value, op.getInit(), false,
                    [] {}),
          memory);
  PushType foundType = cast<PushType>(op.getFound().getType());
  Value found = buildFill(c, foundType, scatter.n.value, {}, false, [&] {
    if (!isGrid)
      forEach(c, scatter.size.value, [&](Value i) {
        memref::StoreOp::create(builder, c.loc, op.getInit().front(), memory,
                                i);
      });
    forEach(c, scatter.n.value, [&](Value i) {
      Value index = scatter.getIndex(i);
      Values old = c.choose(
          scatter.isInRange(index),
          [&] {
            return Values{buildAtomic(builder, c.loc, op.getKindAttr(),
                                      scatter.getElement(i), memory, index,
                                      op)};
          },
          [&] { return Values(op.getInit()); });
      write(c, old, i);
    });
  });
  // A force into memory is never dead, even where nobody asks what was found.
  Value stored = store(found, allocate(scatter.n));
  Value result;
  if (isGrid) {
    result = buildView(builder, c.loc, resultType.getPullType(), memory);
  } else {
    result = elements.generate(scatter.size, [&](Value i) {
      return Values{memref::LoadOp::create(builder, c.loc, memory, i)};
    });
  }
  op.getResult().replaceAllUsesWith(
      PushOp::create(builder, c.loc, resultType, result));
  op.getFound().replaceAllUsesWith(
      PushOp::create(builder, c.loc, foundType, stored));
  return success();
}

/// A fill of `type` and the contract of `op` that `body` writes.
static FillOp buildContractFill(CollectiveBuilder &c, ScatterOp op,
                                PushType type, Value extent, ValueRange init,
                                llvm::function_ref<void()> body) {
  auto fill = FillOp::create(
      c.builder, c.loc, type, init, Value(),
      type.hasStaticExtents() ? ValueRange() : ValueRange(extent),
      op.getContractAttr(), op.getKindAttr(),
      op.getContract() == Contract::Disjoint ? c.builder.getUnitAttr()
                                             : UnitAttr());
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  body();
  return fill;
}

/// Instances of level `unit` each combine a part of the elements in a copy of
/// their own, and then that with the result.
static void expandByCopies(Scatter &scatter, Level unit) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  // Parts are so long that what it costs to combine the copies does not count.
  int64_t least = unit == Level::Block ? 8192 : unit == Level::Warp ? 1024 : 32;
  int64_t length = std::max(least, 8 * scatter.size.bound);
  Extent parts = c.ceilDiv(scatter.n, length);
  CollectiveBuilder inner = c;
  inner.level = unit;
  inner.elementTypes = {op.getArray().getType().getElementTypes().front()};
  auto kind = *arith::symbolizeAtomicRMWKind(
      cast<StringAttr>(op.getKindAttr()).getValue());
  Value neutral =
      arith::getIdentityValue(kind, inner.elementTypes.front(), builder, c.loc);
  auto addPart = [&](Value number) {
    Value begin = c.mul(number, c.constant(length));
    Value count = c.min(c.sub(scatter.n.value, begin), c.constant(length));
    PullType copyType = inner.getPullType(scatter.size);
    auto copy = buildContractFill(
        c, op,
        PushType::get(builder.getContext(), unit, copyType.getExtents(),
                      copyType.getBounds(), copyType.getElementTypes()),
        scatter.size.value, neutral, [&] {
          forEach(c, count, [&](Value t) { scatter.write(c.add(begin, t)); });
        });
    Value stored =
        ForceOp::create(builder, c.loc, TypeRange(copyType), copy.getResult(),
                        ValueRange(),
                        StorageAttr::get(builder.getContext(), Storage::Auto),
                        StringAttr(), IntegerAttr(), UnitAttr())
            .getResults()
            .front();
    forEach(c, scatter.size.value, [&](Value i) {
      Value value = c.get(stored, i).front();
      Value isNew =
          isa<FloatType>(value.getType())
              ? Value(arith::CmpFOp::create(
                    builder, c.loc, arith::CmpFPredicate::UNE, value, neutral))
              : Value(arith::CmpIOp::create(
                    builder, c.loc, arith::CmpIPredicate::ne, value, neutral));
      buildIf(c, isNew, [&] { write(c, value, i); });
    });
  };
  auto fill = buildContractFill(
      c, op, op.getResult().getType(), scatter.size.value, op.getInit(), [&] {
        auto par = ParOp::create(builder, c.loc, parts.value, unit);
        OpBuilder::InsertionGuard guard(builder);
        Block *block = builder.createBlock(&par.getBody(), {},
                                           builder.getIndexType(), c.loc);
        addPart(block->getArgument(0));
      });
  op.getResult().replaceAllUsesWith(fill);
}

/// The level of the copies of a scatter, or its own level if there are none.
static FailureOr<Level> findCopies(const Scatter &scatter) {
  ScatterOp op = scatter.op;
  Level level = scatter.c.level;
  bool mayCopy = op.getContract() == Contract::Reduce && !op.getFound() &&
                 isa<StringAttr>(op.getKindAttr());
  std::optional<StringRef> name = op.getStrategy();
  if (!name) {
    bool isSmall =
        scatter.size.isAtMost(maxCopy) && !scatter.n.isAtMost(maxCopy);
    return mayCopy && isSmall && level == Level::Grid ? Level::Block : level;
  }
  SmallVector<std::pair<StringRef, Level>> known{{"atomic", level}};
  for (auto [copies, unit] : {std::pair("per_thread", Level::Thread),
                              std::pair("per_warp", Level::Warp),
                              std::pair("per_block", Level::Block)})
    if (mayCopy && unit < level)
      known.emplace_back(copies, unit);
  for (auto [candidate, unit] : known)
    if (candidate == *name) {
      if (unit < level && !scatter.size.isBounded())
        return op.emitOpError("[R2-bounded] strategy '")
               << *name
               << "' stores copies of the result, but its extent is not "
                  "bounded; give it a bound, as in ? x i32 bound [1024], or "
                  "use atomic";
      return unit;
    }
  InFlightDiagnostic diagnostic = op.emitOpError("[strategy-name] '")
                                  << *name
                                  << "' is no strategy of such a scatter; use ";
  llvm::interleaveComma(llvm::make_first_range(known), diagnostic);
  return diagnostic;
}

static LogicalResult expandScatter(OpBuilder &builder, ScatterOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Scatter scatter(c, op);
  FailureOr<Level> copies = findCopies(scatter);
  if (failed(copies))
    return failure();
  if (op.getFound())
    return expandFetch(scatter);
  if (*copies < c.level) {
    expandByCopies(scatter, *copies);
    return success();
  }
  op.getResult().replaceAllUsesWith(buildContractFill(
      c, op, op.getResult().getType(), scatter.size.value, op.getInit(), [&] {
        forEach(c, scatter.n.value, [&](Value i) { scatter.write(i); });
      }));
  return success();
}

LogicalResult strategies::expandIrregular(OpBuilder &builder,
                                          IrregularOpInterface op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CompactOp op) { return expandCompact(builder, op); })
      .Case([&](RankOp op) { return expandRank(builder, op); })
      .Case([&](ExpandOp op) { return expandExpand(builder, op); })
      .Case([&](ScatterOp op) { return expandScatter(builder, op); });
}
