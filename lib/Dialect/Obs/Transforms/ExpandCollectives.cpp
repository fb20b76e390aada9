//===- ExpandCollectives.cpp - Reductions and scans as core operations ----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies know neither initial values nor segments, so both are put into the
// operand first: the first element of each segment is combined with the initial
// value. With segments an element is a pair of a flag and a value, and
//   (f, x) ∘ (g, y) = (f or g, g ? y : x ∘ y),
// which is associative if ∘ is, so that an ordinary scan will do.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Expansion.h"
#include "Collectives/Grid.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"
#include "Obsidian/Dialect/Obs/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSEXPANDCOLLECTIVESPASS
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;
using strategies::forceAtGrid;
using strategies::getCommonExtent;
using strategies::isForcedOnce;
using strategies::verifyGridStrategy;

using Values = CollectiveBuilder::Values;

/// A builder for the elements and operator of `op`, standing where `op` does.
static CollectiveBuilder getBuilder(OpBuilder &builder,
                                    CollectiveOpInterface op) {
  Region &body = op.getBody();
  auto combine = [&body](OpBuilder &b, Location, ValueRange left,
                         ValueRange right) {
    Values arguments(left);
    llvm::append_range(arguments, right);
    return cloneBody(b, body, arguments);
  };
  builder.setInsertionPoint(op);
  return CollectiveBuilder(builder, op.getLoc(), getEnclosingScope(op).level,
                           getArrayElementTypes(op.getArray().getType()),
                           op.getCommutative(), combine);
}

Extent strategies::getCommonExtent(CollectiveBuilder &c, Value array,
                                   Type other) {
  Extent n = c.getExtent(array);
  int64_t size = getArrayExtents(other).front();
  if (!n.isStatic() && !ShapedType::isDynamic(size))
    return c.getConstantExtent(size);
  if (!n.isStatic() && !n.isBounded())
    n.bound = getArrayBound(other, 0);
  return n;
}

//===----------------------------------------------------------------------===//
// Choice of a strategy
//===----------------------------------------------------------------------===//

/// Emits `[strategy-name]`, `[strategy-level]`, `[strategy-bound]`.
template <typename Strategy>
static LogicalResult verifyStrategy(Operation *op, StringRef name,
                                    const Strategy *strategy,
                                    ArrayRef<StringRef> known, Level level,
                                    bool needsBound, Extent n) {
  if (!strategy) {
    InFlightDiagnostic diagnostic = op->emitOpError("[strategy-name] '")
                                    << name << "' is no strategy of it; use ";
    llvm::interleaveComma(known, diagnostic);
    return diagnostic;
  }
  if (level < strategy->minLevel)
    return op->emitOpError("[strategy-level] strategy '")
           << name << "' works at level " << stringifyLevel(strategy->minLevel)
           << " and above, not at level " << stringifyLevel(level)
           << "; leave the choice to the compiler, or name another one";
  if (needsBound && !n.isBounded())
    return op->emitOpError("[R2-bounded] strategy '")
           << name
           << "' stores the elements, but their number is not bounded; give "
              "the array a bound, as in ? x f32 bound [1024]";
  return success();
}

static FailureOr<const ReduceStrategy *>
findReduceStrategy(CollectiveOpInterface op, CollectiveBuilder &c, Extent n) {
  StringRef name = op.getStrategy().value_or(
      getDefaultReduceStrategy(c.level, n, c.commutative));
  const ReduceStrategy *strategy = lookupReduceStrategy(name);
  if (failed(verifyStrategy(op, name, strategy, getReduceStrategies(), c.level,
                            strategy && strategy->storesElements, n)))
    return failure();
  if (strategy->commutativeOnly && !c.commutative)
    return op->emitOpError("[strategy-order] strategy '")
           << name
           << "' changes the order of the elements; mark the operation "
              "commutative if the operator is, or use adjacent_tree";
  return strategy;
}

FailureOr<const ScanStrategy *>
strategies::findScanStrategy(Operation *op, std::optional<StringRef> asked,
                             Level level, Extent n) {
  StringRef name = asked.value_or(getDefaultScanStrategy(level, n));
  const ScanStrategy *strategy = lookupScanStrategy(name);
  if (failed(verifyStrategy(op, name, strategy, getScanStrategies(), level,
                            /*needsBound=*/true, n)))
    return failure();
  return strategy;
}

LogicalResult strategies::verifyGridStrategy(Operation *op,
                                             std::optional<StringRef> name,
                                             ArrayRef<StringRef> known) {
  if (!name || llvm::is_contained(known, *name))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("[strategy-name] '")
                                  << *name
                                  << "' is no strategy of it at level grid; "
                                     "use ";
  llvm::interleaveComma(known, diagnostic);
  return diagnostic;
}

/// True if one thread computes elements one after the other, without storage.
static bool isSequential(CollectiveOpInterface op, Level level) {
  return level == Level::Thread &&
         op.getStrategy().value_or("sequential") == "sequential";
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {
/// An operator that memory has, too.
struct AtomicOperator {
  /// Of `obs.fill reduce(kind)`; empty if there is none.
  StringRef kind;
  /// Whether the order of the elements changes nothing.
  bool isExact = false;
  /// Whether the order may change the result nevertheless.
  bool isRelaxed = false;
};
} // namespace

/// The atomic operation that does what the operator of `op` does.
static AtomicOperator findAtomicOperator(ReduceOp op) {
  Block &body = op.getBody().front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
    return {};
  Type type = body.getArgument(0).getType();
  if (!type.isInteger(32) && !type.isInteger(64) && !type.isF32() &&
      !type.isF64())
    return {};
  Operation &first = body.front();
  Value x = body.getArgument(0), y = body.getArgument(1);
  bool combinesBoth = first.getNumOperands() == 2 &&
                      ((first.getOperand(0) == x && first.getOperand(1) == y) ||
                       (first.getOperand(0) == y && first.getOperand(1) == x));
  if (!combinesBoth || first.getNumResults() != 1 ||
      body.getTerminator()->getOperands() != first.getResults())
    return {};
  if (auto add = dyn_cast<arith::AddFOp>(first)) {
    bool isRelaxed = arith::bitEnumContainsAll(add.getFastmath(),
                                               arith::FastMathFlags::reassoc);
    return {"addf", false, isRelaxed};
  }
  StringRef kind = TypeSwitch<Operation *, StringRef>(&first)
                       .Case([](arith::AddIOp) { return "addi"; })
                       .Case([](arith::MinSIOp) { return "mins"; })
                       .Case([](arith::MaxSIOp) { return "maxs"; })
                       .Case([](arith::MinUIOp) { return "minu"; })
                       .Case([](arith::MaxUIOp) { return "maxu"; })
                       .Case([](arith::AndIOp) { return "andi"; })
                       .Case([](arith::OrIOp) { return "ori"; })
                       .Case([](arith::XOrIOp) { return "xori"; })
                       .Default(StringRef());
  return {kind, /*isExact=*/true};
}

Value strategies::forceAtGrid(CollectiveBuilder &c, Value push) {
  PullType type = cast<PushType>(push.getType()).getPullType();
  return ForceOp::create(
             c.builder, c.loc, TypeRange(type), push, ValueRange(),
             StorageAttr::get(c.builder.getContext(), Storage::Auto),
             StringAttr(), IntegerAttr(), UnitAttr())
      .getResults()
      .front();
}

/// The strategy of a reduction by all blocks that names none.
static StringRef chooseReduceAtGrid(ReduceOp op, const AtomicOperator &atomic) {
  // Maps of the result run where its elements are final.
  bool byAtomics =
      !atomic.kind.empty() &&
      (atomic.isExact || (op.getCommutative() && atomic.isRelaxed)) &&
      llvm::all_of(op->getResult(0).getUsers(), llvm::IsaPred<ForceOp>);
  return byAtomics ? "atomic" : "one_kernel";
}

/// Emits `[strategy-atomic]` and `[strategy-order]`.
static LogicalResult verifyAtomicReduce(ReduceOp op,
                                        const AtomicOperator &atomic) {
  if (atomic.kind.empty())
    return op.emitOpError(
        "[strategy-atomic] strategy 'atomic' needs an operator that is one "
        "of addi, minsi, maxsi, minui, maxui, andi, ori, xori on i32 or i64, "
        "or addf on f32 or f64; use one_kernel");
  if (!atomic.isExact && !op.getCommutative())
    return op.emitOpError(
        "[strategy-order] strategy 'atomic' changes the order of the "
        "elements; mark the operation commutative if the rounding of sums "
        "may depend on it, or use one_kernel");
  return success();
}

/// A reduction by all blocks, which gives an array of one element.
static LogicalResult expandReduceAtGrid(CollectiveBuilder &c, ReduceOp op) {
  if (failed(verifyGridStrategy(op, op.getStrategy(),
                                {"atomic", "one_kernel", "two_kernels"})))
    return failure();
  AtomicOperator atomic = findAtomicOperator(op);
  StringRef strategy =
      op.getStrategy().value_or(chooseReduceAtGrid(op, atomic));
  if (strategy == "atomic" && failed(verifyAtomicReduce(op, atomic)))
    return failure();
  Value result = op->getResult(0);
  auto type = cast<PushType>(result.getType());
  c.commutative |= atomic.isExact;
  Value x = c.shareReads(op.getArray());
  bool isShort = strategies::isForOneBlock(c.getExtent(x));
  Value reduced;
  bool atOnce = false;
  if (isShort && (strategy != "atomic" || !op.getStrategy())) {
    reduced = strategies::reduceByOneBlock(c, x, op.getInit(), type);
  } else if (strategy == "atomic") {
    reduced =
        strategies::reduceByAtomics(c, x, op.getInit(), atomic.kind, type);
    atOnce = !llvm::all_of(result.getUsers(), llvm::IsaPred<ForceOp>);
  } else if (strategy == "one_kernel") {
    reduced = strategies::reduceByLastBlock(c, x, op.getInit(), type);
    atOnce = !isForcedOnce(result);
  } else {
    reduced = strategies::reduceByTwoKernels(c, x, op.getInit(), type);
  }
  if (atOnce)
    reduced = PushOp::create(c.builder, c.loc, type, forceAtGrid(c, reduced));
  result.replaceAllUsesWith(reduced);
  return success();
}

static LogicalResult expandReduce(OpBuilder &builder, ReduceOp op) {
  CollectiveBuilder c = getBuilder(builder, op);
  if (c.level == Level::Grid)
    return expandReduceAtGrid(c, op);
  Value x = op.getArray();
  Extent n = c.getExtent(x);
  FailureOr<const ReduceStrategy *> strategy = findReduceStrategy(op, c, n);
  if (failed(strategy))
    return failure();
  if (getEnclosingScope(op).isScalar && !isSequential(op, c.level))
    return op.emitOpError("[strategy-level] scalar code stores nothing, so its "
                          "only strategy is sequential");
  auto foldAll = [&](Value array) {
    return c.fold(array, op.getInit(), c.constant(0), c.getExtent(array).value);
  };
  Value few = (*strategy)->shorten(c, c.shareReads(x));
  if (c.level == Level::Thread) {
    op->replaceAllUsesWith(foldAll(few));
    return success();
  }
  // One worker combines what is left, and all read its result.
  Value one = c.force(
      c.generate(c.getConstantExtent(1), [&](Value) { return foldAll(few); }));
  op->replaceAllUsesWith(c.get(one, c.constant(0)));
  return success();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

namespace {
/// A scan with or without segments, before it is known what for.
struct Scan {
  Scan(CollectiveBuilder &c, CollectiveOpInterface op, Extent n)
      : c(c), op(op), array(op.getArray()), init(op.getInit()), n(n) {}

  /// A condition: element i is the first one of a segment.
  Value startsSegment(Value i);
  /// `array` with the initial value put into the first element of each segment,
  /// behind a flag if there are segments, and a 1 for it if they are counted.
  Value buildOperand(CollectiveBuilder &lifted);
  /// A builder for the elements of that.
  CollectiveBuilder lift();
  /// At level grid: how it is scanned there.
  FailureOr<std::unique_ptr<strategies::GridScan>>
  buildGridScan(CollectiveBuilder &lifted);
  /// Scans it. Element i of `result` is a flag, a number, and the elements of
  /// `array` combined from the beginning of the segment of i on.
  LogicalResult run();
  /// Of `result`: the elements, without what segments need.
  Values getElement(Value i) {
    Values values = c.get(result, i);
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
  /// Of i1, if there are segments.
  Value flags;
  /// Whether the number of the segment of each element is wanted.
  bool isCounted = false;
  Value result;
};
} // namespace

Value Scan::startsSegment(Value i) {
  Value isFirst = c.equal(i, c.constant(0));
  if (!flags)
    return isFirst;
  return c.builder.createOrFold<arith::OrIOp>(c.loc, isFirst,
                                              c.get(flags, i).front());
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
    Value isFirst = startsSegment(i);
    Values values;
    if (flags)
      values.push_back(isFirst);
    if (isCounted)
      values.push_back(arith::IndexCastUIOp::create(
          c.builder, c.loc, c.builder.getIndexType(), isFirst));
    Values element = c.get(array, i);
    llvm::append_range(values,
                       c.choose(
                           isFirst, [&] { return c.combine(init, element); },
                           [&] { return element; }));
    return values;
  });
}

/// True if how elements are grouped cannot show, because nothing is rounded.
static bool isExact(CollectiveOpInterface op) {
  auto isFloat = llvm::IsaPred<FloatType>;
  return !op.getBody()
              .walk([&](Operation *inner) {
                bool rounds = llvm::any_of(inner->getOperandTypes(), isFloat) ||
                              llvm::any_of(inner->getResultTypes(), isFloat);
                return rounds ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

FailureOr<std::unique_ptr<strategies::GridScan>>
Scan::buildGridScan(CollectiveBuilder &lifted) {
  if (failed(verifyGridStrategy(op, op.getStrategy(),
                                {"one_pass", "three_kernels"})))
    return failure();
  Value operand = lifted.shareReads(buildOperand(lifted));
  StringRef chosen = isExact(op) ? "one_pass" : "three_kernels";
  if (op.getStrategy().value_or(chosen) == "one_pass")
    return strategies::buildOnePassScan(lifted, operand, n);
  return strategies::buildThreeKernelScan(lifted, operand, n);
}

LogicalResult Scan::run() {
  if (c.level == Level::Grid) {
    CollectiveBuilder lifted = lift();
    FailureOr<std::unique_ptr<strategies::GridScan>> grid =
        buildGridScan(lifted);
    if (failed(grid))
      return failure();
    PullType pull = lifted.getPullType(n);
    auto type = PushType::get(pull.getContext(), Level::Grid, pull.getExtents(),
                              pull.getBounds(), pull.getElementTypes());
    result = lifted.shareReads(forceAtGrid(
        c,
        (*grid)->fill(type, n.isStatic() ? ValueRange() : ValueRange(n.value),
                      {}, [&](Value i, auto current, auto) {
                        WriteOp::create(c.builder, c.loc, current(), i,
                                        ContractAttr(), StringAttr());
                      })));
    return success();
  }
  FailureOr<const ScanStrategy *> strategy =
      strategies::findScanStrategy(op, op.getStrategy(), c.level, n);
  if (failed(strategy))
    return failure();
  CollectiveBuilder lifted = lift();
  result = lifted.shareReads(
      (*strategy)->scan(lifted, lifted.shareReads(buildOperand(lifted))));
  return success();
}

/// The flags of segments that are given by offsets. Stored.
static Value buildFlags(CollectiveBuilder &c, Extent n, Value offsets,
                        llvm::function_ref<Value(Value)> getOffset) {
  CollectiveBuilder flags = c;
  flags.elementTypes = {c.builder.getI1Type()};
  Value off = arith::ConstantIntOp::create(c.builder, c.loc, 0, 1);
  Value on = arith::ConstantIntOp::create(c.builder, c.loc, 1, 1);
  // Segments that are not empty start at different elements, but only the
  // values of the offsets say so.
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

/// Offset s, as an index.
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
  scf::ForOp::create(
      c.builder, c.loc, c.constant(0), scan.n.value, c.constant(1), scan.init,
      [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
        Values before(carried);
        if (scan.flags)
          before = c.choose(
              scan.startsSegment(i), [&] { return Values(scan.init); },
              [&] { return Values(carried); });
        Values after = c.combine(before, c.get(scan.array, i));
        WriteOp::create(b, loc, exclusive ? before : after, i, ContractAttr(),
                        StringAttr());
        scf::YieldOp::create(b, loc, after);
      });
}

bool strategies::isForcedOnce(Value array) {
  Operation *user = nullptr;
  for (Operation *other : array.getUsers()) {
    if (isa<DimOp>(other))
      continue;
    if (user)
      return false;
    user = other;
  }
  if (!user || user->getBlock() != array.getParentBlock())
    return false;
  return isa<ForceOp>(user) ||
         (isa<PushOpInterface>(user) && user->getNumResults() == 1 &&
          isForcedOnce(user->getResult(0)));
}

/// Replaces a result of an operation by the last kernel of a scan by all
/// blocks. It is stored at once if it would not be stored once, or `atOnce`.
static void replaceByFill(CollectiveBuilder &c, strategies::GridScan &grid,
                          Value result, Value fill, bool atOnce = false) {
  if (grid.runsOnce() && (atOnce || !isForcedOnce(result)))
    fill = PushOp::create(c.builder, c.loc, result.getType(),
                          forceAtGrid(c, fill));
  result.replaceAllUsesWith(fill);
}

/// A scan by all blocks. Gives its totals if they are wanted.
static LogicalResult expandScanAtGrid(CollectiveBuilder &c, Scan &scan,
                                      OpResult result, bool exclusive,
                                      Values *totals = nullptr) {
  CollectiveBuilder lifted = scan.lift();
  FailureOr<std::unique_ptr<strategies::GridScan>> grid =
      scan.buildGridScan(lifted);
  if (failed(grid))
    return failure();
  auto type = cast<PushType>(result.getType());
  Value last = (*grid)->fill(
      type, type.hasStaticExtents() ? ValueRange() : ValueRange(scan.n.value),
      {}, [&](Value i, auto current, auto previous) {
        auto element = [&](Values values) {
          values.erase(values.begin(), values.begin() + scan.getNumLifted());
          return values;
        };
        Values values = exclusive ? c.choose(
                                        scan.startsSegment(i),
                                        [&] { return Values(scan.init); },
                                        [&] { return element(previous()); })
                                  : element(current());
        WriteOp::create(c.builder, c.loc, values, i, ContractAttr(),
                        StringAttr());
      });
  replaceByFill(c, **grid, result, last, totals != nullptr);
  if (totals)
    *totals = c.choose(
        c.equal(scan.n.value, c.constant(0)), [&] { return Values(scan.init); },
        [&] { return (*grid)->getTotal(); });
  return success();
}

static LogicalResult expandScan(CollectiveBuilder &c, Scan &scan,
                                OpResult result, bool exclusive) {
  if (c.level == Level::Grid)
    return expandScanAtGrid(c, scan, result, exclusive);
  if (isSequential(scan.op, c.level)) {
    expandScanInThread(c, scan, result, exclusive);
    return success();
  }
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

static LogicalResult expandScan(OpBuilder &builder, ScanOp op) {
  CollectiveBuilder c = getBuilder(builder, op);
  Scan scan(c, op, getCommonExtent(c, op.getArray(), op.getResult().getType()));
  if (c.level == Level::Grid) {
    Values totals;
    bool hasTotals = !op.getTotals().empty();
    if (failed(expandScanAtGrid(c, scan, op->getResult(0), op.getExclusive(),
                                hasTotals ? &totals : nullptr)))
      return failure();
    for (auto [old, total] : llvm::zip_equal(op.getTotals(), totals))
      old.replaceAllUsesWith(total);
    return success();
  }
  if (failed(expandScan(c, scan, op->getResult(0), op.getExclusive())))
    return failure();
  if (op.getTotals().empty())
    return success();
  Values totals;
  if (!scan.result) {
    totals = c.fold(scan.array, scan.init, c.constant(0), scan.n.value);
  } else {
    // One worker reads the last element, and all read its result.
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

static LogicalResult expandSegmentedScan(OpBuilder &builder,
                                         SegmentedScanOp op) {
  CollectiveBuilder c = getBuilder(builder, op);
  Extent n = getCommonExtent(c, op.getArray(), op.getResult().getType());
  Scan scan(c, op, n);
  scan.flags = op.getSegments();
  if (!op.isByFlags()) {
    if (c.level != Level::Grid && !n.isBounded())
      return op.emitOpError("[R2-bounded] stores a flag for each element, but "
                            "their number is not bounded; give the array a "
                            "bound, as in ? x f32 bound [1024], or use flags");
    scan.flags = buildFlags(c, n, op.getSegments(), [&](Value s) {
      return buildOffset(c, op.getSegments(), s);
    });
  }
  return expandScan(c, scan, op->getResult(0), op.getExclusive());
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
  // Without a bound nothing can be stored.
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

/// If element i is the last one of its segment, writes what `element` gives to
/// the number of the segment.
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
    FailureOr<std::unique_ptr<strategies::GridScan>> grid =
        scan.buildGridScan(lifted);
    if (failed(grid))
      return failure();
    Value last = (*grid)->fill(
        op.getType(), op.getExtents(), op.getInit(),
        [&](Value i, auto current, auto) { writeIfLast(c, scan, i, current); });
    replaceByFill(c, **grid, op.getResult(), last);
    return success();
  }
  if (failed(scan.run()))
    return failure();
  auto fill = FillOp::create(
      c.builder, c.loc, op.getType(), op.getInit(), Value(), op.getExtents(),
      ContractAttr::get(c.builder.getContext(), Contract::Disjoint),
      StringAttr(), c.builder.getUnitAttr());
  op.getResult().replaceAllUsesWith(fill);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  auto par = ParOp::create(c.builder, c.loc, scan.n.value, Level::Thread);
  Block *body = c.builder.createBlock(&par.getBody(), {},
                                      c.builder.getIndexType(), c.loc);
  Value i = body->getArgument(0);
  writeIfLast(c, scan, i, [&] { return c.get(scan.result, i); });
  return success();
}

static LogicalResult expandSegmentedReduce(OpBuilder &builder,
                                           SegmentedReduceOp op) {
  CollectiveBuilder c = getBuilder(builder, op);
  return op.isByFlags() ? expandByFlags(c, op) : expandByOffsets(c, op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult expand(OpBuilder &builder, Operation *op) {
  if (getEnclosingScope(op).level == Level::Grid &&
      op->getParentOfType<DistributeOp>())
    return op->emitOpError("[collective-grid] stands in a distribute grid, but "
                           "a collective by all blocks is not batched; use a "
                           "segmented form over the joined array, or "
                           "distribute block");
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReduceOp op) { return expandReduce(builder, op); })
      .Case([&](ScanOp op) { return expandScan(builder, op); })
      .Case([&](SegmentedReduceOp op) {
        return expandSegmentedReduce(builder, op);
      })
      .Case(
          [&](SegmentedScanOp op) { return expandSegmentedScan(builder, op); })
      .Case([&](IrregularOpInterface op) {
        return strategies::expandIrregular(builder, op);
      });
}

/// Replaces strategies by all blocks whose rounding differs from run to run.
static void fixGrouping(CollectiveOpInterface op) {
  if (getEnclosingScope(op).level != Level::Grid)
    return;
  StringRef fixed;
  if (op.getStrategy() == "one_pass" ||
      (!op.getStrategy() && isa<ScanOp, SegmentedScanOp>(op)))
    fixed = "three_kernels";
  else if (isa<ReduceOp>(op) && op.getStrategy() != "two_kernels" &&
           llvm::any_of(getArrayElementTypes(op.getArray().getType()),
                        llvm::IsaPred<FloatType>))
    fixed = "one_kernel";
  if (!fixed.empty())
    op->setAttr("strategy", StringAttr::get(op.getContext(), fixed));
}

namespace {
struct ExpandCollectives
    : obs::impl::ObsExpandCollectivesPassBase<ExpandCollectives> {
  using ObsExpandCollectivesPassBase::ObsExpandCollectivesPassBase;

  void runOnOperation() override {
    // Those in the operator of another one come first.
    SmallVector<Operation *> collectives;
    getOperation()->walk([&](Operation *op) {
      if (isa<CollectiveOpInterface, IrregularOpInterface>(op))
        collectives.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : collectives) {
      if (auto combining = dyn_cast<CollectiveOpInterface>(op);
          combining && deterministic)
        fixGrouping(combining);
      if (failed(expand(builder, op)))
        return signalPassFailure();
      op->erase();
    }
  }
};
} // namespace
