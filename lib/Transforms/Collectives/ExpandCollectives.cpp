//===- ExpandCollectives.cpp - Reductions and scans as core operations ----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects a strategy, and expands the operations without a file in
// Collectives/. Calls the functions of these files for the others.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSEXPANDCOLLECTIVESPASS
#include "Obsidian/Transforms/Collectives/Passes.h"

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Transforms/Collectives/Collectives.h"
#include "Obsidian/Transforms/Level/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;
using strategies::findOnlyForce;
using strategies::forceAtGrid;
using strategies::getBuilder;
using strategies::isSequential;
using strategies::verifyGridStrategy;

using Values = CollectiveBuilder::Values;

CollectiveBuilder strategies::getBuilder(OpBuilder &builder,
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

bool strategies::scansInTiles(const CollectiveBuilder &c, Extent n) {
  if (c.level == Level::Grid)
    return false;
  if (!n.isBounded() || c.level == Level::Thread)
    return !n.isBounded();
  // A stage of a scan has two copies. A block has eight warps by default. A
  // quarter of the memory is for other arrays.
  constexpr int64_t copies = 2, warps = 8, most = sharedBytesOfBlock / 4 * 3;
  // On an H100, blocks scan 2^25 floats in rows of 1000 in 131 us in shared
  // memory and in 93 us in tiles. For rows of 512, the times are 130 us and 128
  // us, and for rows of 256, 149 us and 218 us.
  constexpr int64_t longest = 512;
  if (c.level == Level::Block && n.bound > longest)
    return true;
  int64_t bytes = copies * (c.level == Level::Warp ? warps : 1);
  int64_t element = 0;
  for (Type type : c.elementTypes)
    element += getElementBytes(type);
  return n.bound > most / (bytes * std::max<int64_t>(element, 1));
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
    InFlightDiagnostic diagnostic =
        op->emitOpError("[strategy-name] '")
        << name << "' is not a strategy of this operation; use ";
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

/// The default strategy for `array`. Elements that are cheap to read are read
/// several at a time where a block has enough of them for that. Registers keep
/// them if they are not too many. Long ones take more shuffles than that saves.
static StringRef chooseReduce(CollectiveBuilder &c, Value array) {
  constexpr int64_t most = 16384, maxBytes = 8, maxFreeBytes = 16;
  Extent n = c.getExtent(array);
  int64_t bytes = 0;
  for (Type type : c.elementTypes)
    bytes += getElementBytes(type);
  StringRef usual = getDefaultReduceStrategy(c.level, n, c.commutative);
  if (c.level < Level::Warp || c.level > Level::Block || c.plain ||
      n.isAtMost(warpSize) || !strategies::profitsFromRows(array))
    return usual;
  if (c.level == Level::Warp)
    return bytes <= maxBytes ? "lanes" : usual;
  if (n.isStatic() && n.size <= most && bytes <= maxBytes)
    return "rows";
  // In any order, a thread combines most elements without shuffles.
  bool isShort = bytes <= (c.commutative ? maxFreeBytes : maxBytes);
  return isShort && !n.isAtMost(1024) ? "block_stride" : usual;
}

static FailureOr<const ReduceStrategy *>
findReduceStrategy(ReduceOp op, CollectiveBuilder &c, Extent n) {
  StringRef name = op.getStrategy().value_or(chooseReduce(c, op.getArray()));
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
  InFlightDiagnostic diagnostic =
      op->emitOpError("[strategy-name] '")
      << *name << "' is not a strategy of this operation at level grid; use ";
  llvm::interleaveComma(known, diagnostic);
  return diagnostic;
}

bool strategies::isSequential(CollectiveOpInterface op, Level level) {
  return level == Level::Thread &&
         op.getStrategy().value_or("sequential") == "sequential";
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {
/// An operator that memory has, too.
struct AtomicOperator {
  /// The kind of `obs.fill reduce(kind)`; empty if there is none.
  StringRef kind;
  /// True if the result does not depend on the order of the elements.
  bool isExact = false;
  /// True if the program permits another result for another order.
  bool isRelaxed = false;
};
} // namespace

/// The atomic operation that is equal to the operator of `op`.
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
  return forceInto(c, push, {});
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

/// A reduction by all blocks. Its result is an array of one element.
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
    atOnce = !findOnlyForce(result);
  } else {
    reduced = strategies::reduceByTwoKernels(c, x, op.getInit(), type);
  }
  if (atOnce)
    reduced = PushOp::create(c.builder, c.loc, type, forceAtGrid(c, reduced));
  result.replaceAllUsesWith(reduced);
  return success();
}

/// The elements of `array` combined by `strategy`, below level grid.
static CollectiveBuilder::Values reduceWith(CollectiveBuilder &c,
                                            const ReduceStrategy &strategy,
                                            Value array, ValueRange init) {
  Value few = strategy.shorten(c, c.shareReads(array));
  auto foldAll = [&] {
    return c.fold(few, init, c.constant(0), c.getExtent(few).value);
  };
  if (c.level == Level::Thread)
    return foldAll();
  // All workers have the values of a splat.
  if (few.getDefiningOp<SplatOp>() ||
      (strategy.allCombine && few.getDefiningOp<ForceOp>()))
    return c.foldEach(few, init, 0, c.getExtent(few).value);
  // One worker combines the remaining elements, and all workers read its
  // result.
  Value one = c.force(
      c.generate(c.getConstantExtent(1), [&](Value) { return foldAll(); }));
  return c.get(one, c.constant(0));
}

CollectiveBuilder::Values strategies::reduceAll(CollectiveBuilder &c,
                                                Value array, ValueRange init) {
  return reduceWith(c, *lookupReduceStrategy(chooseReduce(c, array)), array,
                    init);
}

static LogicalResult expandReduce(OpBuilder &builder, ReduceOp op,
                                  const strategies::ExpansionOptions &options) {
  CollectiveBuilder c = getBuilder(builder, op);
  c.plain = options.plain;
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
  op->replaceAllUsesWith(reduceWith(c, **strategy, x, op.getInit()));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult expand(OpBuilder &builder, Operation *op,
                            const strategies::ExpansionOptions &options) {
  if (getEnclosingScope(op).level == Level::Grid &&
      op->getParentOfType<DistributeOp>())
    return op->emitOpError("[collective-grid] stands in a distribute grid, but "
                           "a collective by all blocks is not batched; use a "
                           "segmented form over the joined array, or "
                           "distribute block");
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReduceOp op) { return expandReduce(builder, op, options); })
      .Case([&](ScanOp op) {
        return strategies::expandScan(builder, op, options);
      })
      .Case([&](SegmentedReduceOp op) {
        return strategies::expandSegmentedReduce(builder, op);
      })
      .Case([&](SegmentedScanOp op) {
        return strategies::expandSegmentedScan(builder, op);
      })
      .Case([&](MatmulOp op) {
        return strategies::expandMatmul(builder, op, options);
      })
      .Case([&](ExpandableOpInterface op) {
        return strategies::expandIrregular(builder, op, options);
      });
}

/// Replaces strategies by all blocks whose rounding differs from run to run.
static void fixGrouping(CollectiveOpInterface op) {
  if (getEnclosingScope(op).level != Level::Grid)
    return;
  if (isa<ReduceOp>(op) && op.getStrategy() != "two_kernels" &&
      llvm::any_of(getArrayElementTypes(op.getArray().getType()),
                   llvm::IsaPred<FloatType>))
    op->setAttr("strategy", StringAttr::get(op.getContext(), "one_kernel"));
}

/// Replaces each divisor in the operator that is 0 by 1. The workers of a
/// strategy also combine values where there is no element, and drop the result.
static void protectDivisors(CollectiveOpInterface op) {
  if (getEnclosingScope(op).level == Level::Thread ||
      op.getStrategy() == "sequential")
    return;
  op.getBody().walk([](Operation *inner) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
            inner))
      return;
    OpOperand &divisor = inner->getOpOperand(1);
    if (std::optional<int64_t> known = getConstantIntValue(divisor.get());
        known && *known != 0)
      return;
    OpBuilder builder(inner);
    Type type = divisor.get().getType();
    Value one = arith::ConstantOp::create(builder, inner->getLoc(),
                                          builder.getIntegerAttr(type, 1));
    divisor.set(
        arith::MaxUIOp::create(builder, inner->getLoc(), divisor.get(), one));
  });
}

namespace {
struct ExpandCollectives
    : obs::impl::ObsExpandCollectivesPassBase<ExpandCollectives> {
  using ObsExpandCollectivesPassBase::ObsExpandCollectivesPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    strategies::ExpansionOptions options{sharedBytes, plain, tensorCores,
                                         threads};
    // First, since collectives become fills, and stand in loops of fills.
    SmallVector<FillOp> fills;
    getOperation()->walk([&](FillOp op) { fills.push_back(op); });
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (FillOp op : fills)
      if (!erased.contains(op) &&
          failed(strategies::expandFill(builder, op, options, erased)))
        return signalPassFailure();
    // Those in the operator of another one come first.
    SmallVector<Operation *> collectives;
    getOperation()->walk(
        [&](ExpandableOpInterface op) { collectives.push_back(op); });
    for (Operation *op : collectives) {
      if (auto combining = dyn_cast<CollectiveOpInterface>(op)) {
        if (deterministic)
          fixGrouping(combining);
        protectDivisors(combining);
      }
      if (failed(expand(builder, op, options)))
        return signalPassFailure();
      op->erase();
    }
  }
};
} // namespace
