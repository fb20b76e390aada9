//===- Scans.cpp - Scans, segmented scans and segmented reductions --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies know neither initial values nor segments, so the operand contains
// both: the first element of each segment is combined with the initial value,
// if there is one.
// With segments, an element is a pair of a flag and a value. The operator is
//   (f, x) ∘ (g, y) = (f or g, g ? y : x ∘ y),
// It is associative if ∘ is, so an ordinary scan is sufficient.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"

#include "Obsidian/Dialect/Obs/IR/Regions.h"
using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

namespace {
/// A scan with or without segments. The same code serves several operations.
struct Scan {
  Scan(CollectiveBuilder &c, CollectiveOpInterface op, Extent n)
      : c(c), op(op), array(op.getArray()), init(op.getInit()), n(n) {}

  /// A condition: element i is the first one of a segment.
  Value startsSegment(Value i);
  /// `array` with the initial value in the first element of each segment. If
  /// there are segments, an element begins with a flag; if segments are
  /// counted, a number follows, which is 1 at the first element.
  Value buildOperand(CollectiveBuilder &lifted);
  /// A builder for the elements of this array.
  CollectiveBuilder lift();
  /// At level grid: the strategy of the scan.
  FailureOr<std::unique_ptr<GridScan>> buildGridScan(CollectiveBuilder &lifted);
  /// Scans the array. Element i of `result` is a flag, a number, and the
  /// combination of the elements of `array` from the beginning of the segment
  /// of i to i.
  LogicalResult run();
  /// The elements of `result`, without flag and number.
  Values getElement(Value i) { return drop(c.get(result, i)); }
  /// Element i of the scan, from the combinations up to it and before it.
  Values choose(Value i, bool exclusive, GridScan::ElementFn current,
                GridScan::ElementFn previous) {
    if (!exclusive)
      return drop(current());
    return c.choose(
        startsSegment(i), [&] { return Values(init); },
        [&] { return drop(previous()); });
  }
  Values drop(Values values) const {
    values.erase(values.begin(), values.begin() + getNumLifted());
    return values;
  }
  unsigned getNumLifted() const {
    return (flags ? 1 : 0) + (isCounted ? 1 : 0);
  }

  CollectiveBuilder &c;
  CollectiveOpInterface op;
  Value array;
  ValueRange init;
  Extent n;
  /// An array of i1, if there are segments.
  Value flags;
  /// True if the number of the segment of each element is needed.
  bool isCounted = false;
  Value result;
};
} // namespace

Value Scan::startsSegment(Value i) {
  Value isFirst = c.equal(i, c.constant(0));
  if (!flags)
    return isFirst;
  return c.either(isFirst, c.get(flags, i).front());
}

CollectiveBuilder Scan::lift() {
  if (!flags)
    return c;
  SmallVector<Type> types{c.builder.getI1Type()};
  if (isCounted)
    types.push_back(c.builder.getIndexType());
  llvm::append_range(types, c.elementTypes);
  auto combine = [this](OpBuilder &b, Location loc, ValueRange left,
                        ValueRange right) {
    Values values{arith::OrIOp::create(b, loc, left[0], right[0])};
    if (isCounted)
      values.push_back(arith::AddIOp::create(b, loc, left[1], right[1]));
    ValueRange x = left.drop_front(getNumLifted());
    ValueRange y = right.drop_front(getNumLifted());
    llvm::append_range(values, c.choose(
                                   right[0], [&] { return Values(y); },
                                   [&] { return c.combine(x, y); }));
    return values;
  };
  return CollectiveBuilder(c.builder, c.loc, c.level, types, false, combine);
}

Value Scan::buildOperand(CollectiveBuilder &lifted) {
  return lifted.generate(n, [&](Value i) {
    bool hasInit = !init.empty();
    Value isFirst = flags || hasInit ? startsSegment(i) : Value();
    Values values;
    if (flags)
      values.push_back(isFirst);
    if (isCounted)
      values.push_back(arith::IndexCastUIOp::create(
          c.builder, c.loc, c.builder.getIndexType(), isFirst));
    Values element = c.get(array, i);
    if (hasInit)
      element = c.choose(
          isFirst, [&] { return c.combine(init, element); },
          [&] { return element; });
    llvm::append_range(values, element);
    return values;
  });
}

/// True if the grouping of elements does not change the result, because no
/// operation rounds.
static bool isExact(CollectiveOpInterface op) {
  auto isFloat = llvm::IsaPred<FloatType>;
  return !containsOp(op.getBody(), [&](Operation *inner) {
    return llvm::any_of(inner->getOperandTypes(), isFloat) ||
           llvm::any_of(inner->getResultTypes(), isFloat);
  });
}

/// True if one kernel scans at level grid.
static bool isInOnePass(CollectiveOpInterface op) {
  return op.getStrategy().value_or("one_pass") == "one_pass";
}

/// True if the maps of the push array `array` take few operations.
static bool isMappedCheaply(Value array) {
  return llvm::all_of(array.getUsers(), [](Operation *user) {
    auto map = dyn_cast<MapOp>(user);
    return (!map || isCheap(map.getBody())) &&
           (!isa<PushOpInterface>(user) ||
            llvm::all_of(user->getResults(), isMappedCheaply));
  });
}

FailureOr<std::unique_ptr<GridScan>>
Scan::buildGridScan(CollectiveBuilder &lifted) {
  if (failed(verifyGridStrategy(op, op.getStrategy(),
                                {"one_pass", "three_kernels"})))
    return failure();
  Value operand = lifted.shareReads(buildOperand(lifted));
  if (isInOnePass(op))
    return buildOnePassScan(lifted, operand, n,
                            {/*isInOrder=*/!isExact(op),
                             isCheap(operand) && isCheap(op.getBody()) &&
                                 isMappedCheaply(op->getResult(0))});
  return buildThreeKernelScan(lifted, operand, n);
}

LogicalResult Scan::run() {
  if (c.level == Level::Grid) {
    CollectiveBuilder lifted = lift();
    FailureOr<std::unique_ptr<GridScan>> grid = buildGridScan(lifted);
    if (failed(grid))
      return failure();
    PullType pull = lifted.getPullType(n);
    auto type = PushType::get(pull.getContext(), Level::Grid, pull.getExtents(),
                              pull.getBounds(), pull.getElementTypes());
    result = lifted.shareReads(forceAtGrid(
        c, (*grid)->fill(type, n.getOperands(), {},
                         [&](Value i, auto current, auto) {
                           WriteOp::create(c.builder, c.loc, current(), i,
                                           ContractAttr(), StringAttr());
                         })));
    return success();
  }
  FailureOr<const ScanStrategy *> strategy =
      findScanStrategy(op, op.getStrategy(), c.level, n);
  if (failed(strategy))
    return failure();
  CollectiveBuilder lifted = lift();
  result = lifted.shareReads(
      (*strategy)->scan(lifted, lifted.shareReads(buildOperand(lifted))));
  return success();
}

/// The stored flags of segments that are given by offsets.
static Value buildFlags(CollectiveBuilder &c, Extent n, Value offsets,
                        llvm::function_ref<Value(Value)> getOffset) {
  CollectiveBuilder flags = c;
  flags.elementTypes = {c.builder.getI1Type()};
  Value off = arith::ConstantIntOp::create(c.builder, c.loc, 0, 1);
  Value on = arith::ConstantIntOp::create(c.builder, c.loc, 1, 1);
  // Segments that are not empty start at different elements. This follows from
  // the values of the offsets only.
  Extent all = c.getExtent(offsets);
  Value count = c.sub(all.value, c.constant(1));
  return flags.forceFill(
      {n}, count,
      [&](Value s, auto write) {
        Value begin = getOffset(s), end = getOffset(c.add(s, c.constant(1)));
        auto guard = scf::IfOp::create(c.builder, c.loc, c.less(begin, end),
                                       /*withElseRegion=*/false);
        OpBuilder::InsertionGuard inner(c.builder);
        c.builder.setInsertionPointToStart(guard.thenBlock());
        write(on, begin);
      },
      off, /*unchecked=*/true);
}

/// The same for an array that is scanned tile by tile, whose flags are not
/// stored: each element searches in the offsets.
static Value findFlags(CollectiveBuilder &c, Extent n, Value offsets,
                       llvm::function_ref<Value(Value)> getOffset) {
  CollectiveBuilder flags = c;
  flags.elementTypes = {c.builder.getI1Type()};
  Extent all = c.getExtent(offsets);
  Value one = c.constant(1), last = c.sub(all.value, one);
  Value off = arith::ConstantIntOp::create(c.builder, c.loc, 0, 1);
  return flags.generate(n, [&](Value i) {
    Value behind = findFirstAbove(
        c, all, i, [&](Value s) { return getOffset(c.min(s, last)); });
    Value isInside =
        c.both(c.less(c.constant(0), behind), c.less(behind, all.value));
    return c.choose(
        isInside,
        [&] { return Values{c.equal(getOffset(c.sub(behind, one)), i)}; },
        [&] { return Values{off}; });
  });
}

/// Offset s as an index.
static Value buildOffset(CollectiveBuilder &c, Value offsets, Value s) {
  Value offset = c.get(offsets, s).front();
  if (offset.getType().isIndex())
    return offset;
  return arith::IndexCastOp::create(c.builder, c.loc, c.builder.getIndexType(),
                                    offset);
}

/// Replaces a result of `op` by the push array of `element`.
static void replaceByPush(CollectiveBuilder &c, OpResult result, Extent n,
                          llvm::function_ref<Values(Value)> element) {
  result.replaceAllUsesWith(PushOp::create(c.builder, c.loc, result.getType(),
                                           c.generate(n, element)));
}

/// The array of one thread, which writes the elements one after the other.
static void expandScanInThread(CollectiveBuilder &c, Scan &scan,
                               OpResult result, bool exclusive) {
  auto type = cast<PushType>(result.getType());
  auto fill = FillOp::create(
      c.builder, c.loc, type, ValueRange(), Value(),
      type.hasStaticExtents() ? ValueRange() : ValueRange(scan.n.value),
      ContractAttr::get(c.builder.getContext(), Contract::Disjoint),
      StringAttr(), UnitAttr());
  result.replaceAllUsesWith(fill);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  if (scan.init.empty() && !scan.flags)
    return scanInOrder(c, scan.array, scan.n.value,
                       [&](ValueRange values, Value i) {
                         WriteOp::create(c.builder, c.loc, values, i,
                                         ContractAttr(), StringAttr());
                       });
  auto getElement = [&](Value i) { return c.get(scan.array, i); };
  scf::ForOp::create(
      c.builder, c.loc, c.constant(0), scan.n.value, c.constant(1),
      scan.init.empty() ? getUnusedValues(c) : Values(scan.init),
      [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
        Values before(carried), after;
        if (scan.init.empty()) {
          after = c.choose(
              scan.startsSegment(i), [&] { return getElement(i); },
              [&] { return c.combine(before, getElement(i)); });
        } else {
          if (scan.flags)
            before = c.choose(
                scan.startsSegment(i), [&] { return Values(scan.init); },
                [&] { return Values(carried); });
          after = c.combine(before, getElement(i));
        }
        WriteOp::create(b, loc, exclusive ? before : after, i, ContractAttr(),
                        StringAttr());
        scf::YieldOp::create(b, loc, after);
      });
}

/// Replaces a result of an operation by the last kernel of a scan by all
/// blocks. If the result would be stored several times, it is stored here once.
static void replaceByFill(CollectiveBuilder &c, GridScan &grid, Value result,
                          Value fill) {
  if (grid.runsOnce() && !findOnlyForce(result))
    fill = PushOp::create(c.builder, c.loc, result.getType(),
                          forceAtGrid(c, fill));
  result.replaceAllUsesWith(fill);
}

/// True if no operation before the end of `op` uses the values.
static bool areUsedBehind(ValueRange values, Operation *op) {
  for (Value value : values)
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor || !op->isBeforeInBlock(ancestor))
        return false;
    }
  return true;
}

/// Replaces the result of a scan and its totals. If the last kernel runs only
/// once, the totals are known after the force that it is part of. If the totals
/// are used before this force, the result is stored here.
static void replaceWithTotals(CollectiveBuilder &c, Scan &scan, GridScan &grid,
                              ScanOp op, Value fill) {
  Value result = op->getResult(0);
  if (grid.runsOnce()) {
    ForceOp force = findOnlyForce(result);
    if (force && areUsedBehind(op.getTotals(), force)) {
      result.replaceAllUsesWith(fill);
      c.builder.setInsertionPointAfter(force);
    } else {
      result.replaceAllUsesWith(PushOp::create(
          c.builder, c.loc, result.getType(), forceAtGrid(c, fill)));
    }
  } else {
    result.replaceAllUsesWith(fill);
  }
  Values totals = c.choose(
      c.equal(scan.n.value, c.constant(0)), [&] { return Values(scan.init); },
      [&] { return grid.getTotal(); });
  for (auto [old, total] : llvm::zip_equal(op.getTotals(), totals))
    old.replaceAllUsesWith(total);
}

/// A scan by all blocks.
static LogicalResult expandScanAtGrid(CollectiveBuilder &c, Scan &scan,
                                      OpResult result, bool exclusive) {
  auto op = dyn_cast<ScanOp>(result.getOwner());
  if (op && !op.getTotals().empty() && isInOnePass(op) && dropUnused(result)) {
    // Only the totals are used, which need no scan.
    Value all = forceAtGrid(
        c, reduceByOneKernel(c, c.shareReads(scan.array), scan.init));
    for (auto [old, total] :
         llvm::zip_equal(op.getTotals(), c.get(all, c.constant(0))))
      old.replaceAllUsesWith(total);
    return success();
  }
  CollectiveBuilder lifted = scan.lift();
  FailureOr<std::unique_ptr<GridScan>> grid = scan.buildGridScan(lifted);
  if (failed(grid))
    return failure();
  auto type = cast<PushType>(result.getType());
  Value last = (*grid)->fill(
      type, type.hasStaticExtents() ? ValueRange() : ValueRange(scan.n.value),
      {}, [&](Value i, auto current, auto previous) {
        write(c, scan.choose(i, exclusive, current, previous), i);
      });
  if (op && !op.getTotals().empty())
    replaceWithTotals(c, scan, **grid, op, last);
  else
    replaceByFill(c, **grid, result, last);
  return success();
}

/// The array of a warp or block that scans an array tile by tile.
static LogicalResult expandInTiles(CollectiveBuilder &c, Scan &scan,
                                   OpResult result, bool exclusive) {
  CollectiveBuilder lifted = scan.lift();
  auto type = cast<PushType>(result.getType());
  LogicalResult built = success();
  Value fill =
      buildFill(c, type, scan.n.value, /*init=*/{}, /*unchecked=*/false, [&] {
        Value operand = lifted.shareReads(scan.buildOperand(lifted));
        built = scanInTiles(
            lifted, scan.op, operand, scan.n.value,
            [&](Value i, auto current, auto previous) {
              write(c, scan.choose(i, exclusive, current, previous), i);
            });
      });
  result.replaceAllUsesWith(fill);
  return built;
}

static LogicalResult expandResult(CollectiveBuilder &c, Scan &scan,
                                  OpResult result, bool exclusive) {
  if (c.level == Level::Grid)
    return expandScanAtGrid(c, scan, result, exclusive);
  if (isSequential(scan.op, c.level)) {
    expandScanInThread(c, scan, result, exclusive);
    return success();
  }
  if (scansInTiles(c, scan.n))
    return expandInTiles(c, scan, result, exclusive);
  if (failed(scan.run()))
    return failure();
  replaceByPush(c, result, scan.n, [&](Value i) {
    if (!exclusive)
      return scan.getElement(i);
    return c.choose(
        scan.startsSegment(i), [&] { return Values(scan.init); },
        [&] { return scan.getElement(c.sub(i, c.constant(1))); });
  });
  return success();
}

LogicalResult strategies::expandScan(OpBuilder &builder, ScanOp op,
                                     const ExpansionOptions &options) {
  CollectiveBuilder c = getBuilder(builder, op);
  c.plain = options.plain;
  Scan scan(c, op, getCommonExtent(c, op.getArray(), op.getResult().getType()));
  if (failed(expandResult(c, scan, op->getResult(0), op.getExclusive())))
    return failure();
  if (op.getTotals().empty() || c.level == Level::Grid)
    return success();
  Values totals;
  if (!scan.result) {
    // No stored array contains the total.
    totals = reduceAll(c, scan.array, scan.init);
  } else {
    // One worker reads the last element, and all workers read its result.
    Value one = c.force(c.generate(c.getConstantExtent(1), [&](Value) {
      return c.choose(
          c.equal(scan.n.value, c.constant(0)),
          [&] { return Values(scan.init); },
          [&] { return scan.getElement(c.sub(scan.n.value, c.constant(1))); });
    }));
    totals = c.get(one, c.constant(0));
  }
  for (auto [old, total] : llvm::zip(op.getTotals(), totals))
    old.replaceAllUsesWith(total);
  return success();
}

LogicalResult strategies::expandSegmentedScan(OpBuilder &builder,
                                              SegmentedScanOp op) {
  CollectiveBuilder c = getBuilder(builder, op);
  Extent n = getCommonExtent(c, op.getArray(), op.getResult().getType());
  Scan scan(c, op, n);
  scan.flags = op.getSegments();
  if (!op.isByFlags()) {
    auto getOffset = [&](Value s) {
      return buildOffset(c, op.getSegments(), s);
    };
    scan.flags = scansInTiles(c, n)
                     ? findFlags(c, n, op.getSegments(), getOffset)
                     : buildFlags(c, n, op.getSegments(), getOffset);
  }
  return expandResult(c, scan, op->getResult(0), op.getExclusive());
}

//===----------------------------------------------------------------------===//
// segmented_reduce
//===----------------------------------------------------------------------===//

static LogicalResult expandByOffsets(CollectiveBuilder &c,
                                     SegmentedReduceOp op) {
  Value offsets = op.getSegments();
  auto getOffset = [&](Value s) { return buildOffset(c, offsets, s); };
  Extent n = c.getExtent(op.getArray());
  Extent all = c.getExtent(offsets);
  Extent segments = {c.sub(all.value, c.constant(1)),
                     all.isStatic() ? all.size - 1 : all.size,
                     all.isBounded() ? all.bound - 1 : all.bound};
  auto next = [&](Value s) { return c.add(s, c.constant(1)); };
  // An array without a bound cannot be stored.
  bool isAlone = c.level == Level::Thread || c.level == Level::Grid;
  StringRef strategy =
      op.getStrategy().value_or(isAlone || !n.isBounded() ? "sequential" : "");
  if (strategy == "sequential") {
    // One worker for each segment.
    replaceByPush(c, op->getResult(0), segments, [&](Value s) {
      return c.fold(op.getArray(), op.getInit(), getOffset(s),
                    getOffset(next(s)));
    });
    return success();
  }
  if (c.level == Level::Grid &&
      failed(verifyGridStrategy(op, op.getStrategy(),
                                {"sequential", "one_pass", "three_kernels"})))
    return failure();
  Scan scan(c, op, n);
  scan.flags = buildFlags(c, n, offsets, getOffset);
  if (failed(scan.run()))
    return failure();
  replaceByPush(c, op->getResult(0), segments, [&](Value s) {
    Value end = getOffset(next(s));
    return c.choose(
        c.less(getOffset(s), end),
        [&] { return scan.getElement(c.sub(end, c.constant(1))); },
        [&] { return Values(op.getInit()); });
  });
  return success();
}

/// If element i is the last one of its segment, writes the result of `element`
/// at the number of the segment.
static void writeIfLast(CollectiveBuilder &c, const Scan &scan, Value i,
                        llvm::function_ref<Values()> element) {
  Value one = c.constant(1);
  Value next = c.add(i, one);
  Value on = arith::ConstantIntOp::create(c.builder, c.loc, 1, 1);
  Value isLast = c.choose(
                      c.equal(next, scan.n.value), [&] { return Values{on}; },
                      [&] { return c.get(scan.flags, next); })
                     .front();
  auto branch = scf::IfOp::create(c.builder, c.loc, isLast,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(branch.thenBlock());
  Values values = element();
  WriteOp::create(c.builder, c.loc, ValueRange(values).drop_front(2),
                  c.sub(values[1], one), ContractAttr(), StringAttr());
}

static LogicalResult expandByFlags(CollectiveBuilder &c, SegmentedReduceOp op) {
  Scan scan(c, op,
            getCommonExtent(c, op.getArray(), op.getSegments().getType()));
  scan.flags = op.getSegments();
  scan.isCounted = true;
  if (c.level == Level::Grid) {
    CollectiveBuilder lifted = scan.lift();
    FailureOr<std::unique_ptr<GridScan>> grid = scan.buildGridScan(lifted);
    if (failed(grid))
      return failure();
    Value last = (*grid)->fill(
        op.getType(), op.getExtents(), op.getInit(),
        [&](Value i, auto current, auto) { writeIfLast(c, scan, i, current); });
    replaceByFill(c, **grid, op.getResult(), last);
    return success();
  }
  Value segments = op.getExtents().empty() ? Value() : op.getExtents().front();
  Value fill;
  LogicalResult built = success();
  if (!scansInTiles(c, scan.n)) {
    if (failed(scan.run()))
      return failure();
    fill = buildFill(c, op.getType(), segments, op.getInit(), true, [&] {
      forEach(c, scan.n.value, [&](Value i) {
        writeIfLast(c, scan, i, [&] { return c.get(scan.result, i); });
      });
    });
  } else {
    CollectiveBuilder lifted = scan.lift();
    fill = buildFill(c, op.getType(), segments, op.getInit(), true, [&] {
      Value operand = lifted.shareReads(scan.buildOperand(lifted));
      built = scanInTiles(lifted, op, operand, scan.n.value,
                          [&](Value i, auto current, auto) {
                            writeIfLast(c, scan, i, current);
                          });
    });
  }
  op.getResult().replaceAllUsesWith(fill);
  return built;
}

LogicalResult strategies::expandSegmentedReduce(OpBuilder &builder,
                                                SegmentedReduceOp op) {
  CollectiveBuilder c = getBuilder(builder, op);
  return op.isByFlags() ? expandByFlags(c, op) : expandByOffsets(c, op);
}
