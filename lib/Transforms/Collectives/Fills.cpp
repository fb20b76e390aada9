//===- Fills.cpp - Privatised copies of a fill ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "Tuples.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"
#include <deque>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

namespace {
/// A fill that is one loop of threads.
class FillReduction : public Reduction {
public:
  FillReduction(CollectiveBuilder &c, FillOp fill, ParOp loop);

  void run(ValueRange iterations, WriteFn write) override;
  bool profitsFromItems() override;
  Values fold(Value i, Values row, UpdateFn update) override;
  bool canFold() const override;

private:
  IRMapping mapIndices(Value i);
  /// Builds a block that may write, for a privatised copy in SSA values.
  Values fold(Block &block, IRMapping &mapping, Values row, UpdateFn update);
  bool hasWrite(Operation &op) const {
    return llvm::any_of(writes, [&](WriteOp write) {
      return op.isAncestor(write.getOperation());
    });
  }

  ParOp loop;
  SmallVector<WriteOp> writes;
};
} // namespace

/// The number of iterations of a loop.
static Extent countIterations(CollectiveBuilder &c, ParOp loop) {
  Extent n = c.getConstantExtent(1);
  for (Value extent : loop.getExtents()) {
    int64_t size = ShapedType::kDynamic, bound = ShapedType::kDynamic;
    if (std::optional<int64_t> known = getConstantIntValue(extent)) {
      size = bound = *known;
    } else if (auto dim = extent.getDefiningOp<DimOp>()) {
      Type array = dim.getArray().getType();
      unsigned k = dim.getDimension();
      size = getArrayExtents(array)[k];
      bound = ShapedType::isDynamic(size) ? getArrayBound(array, k) : size;
    }
    auto multiply = [](int64_t a, int64_t b) {
      int64_t product;
      bool isKnown = !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
                     !llvm::MulOverflow(a, b, product);
      return isKnown ? product : int64_t(ShapedType::kDynamic);
    };
    n = {c.mul(n.value, extent), multiply(n.size, size),
         multiply(n.bound, bound)};
  }
  return n;
}

static Extent getSize(CollectiveBuilder &c, FillOp fill) {
  PushType type = fill.getType();
  if (type.hasStaticExtents())
    return c.getConstantExtent(type.getExtents().front());
  return {fill.getExtents().front(), ShapedType::kDynamic,
          getArrayBound(type, 0)};
}

FillReduction::FillReduction(CollectiveBuilder &c, FillOp fill, ParOp loop)
    : Reduction(c, fill, fill.getKindAttr(), fill.getInit(), fill.getOnto(),
                countIterations(c, loop), getSize(c, fill)),
      loop(loop) {
  loop.walk([&](WriteOp write) {
    if (write->getParentOfType<FillOp>() == fill)
      writes.push_back(write);
  });
}

IRMapping FillReduction::mapIndices(Value i) {
  IRMapping mapping;
  unsigned rank = loop.getExtents().size();
  for (unsigned k = rank; k-- > 0;) {
    Value extent = loop.getExtents()[k];
    mapping.map(loop.getBody().getArgument(k), k == 0 ? i : c.rem(i, extent));
    if (k > 0)
      i = c.div(i, extent);
  }
  return mapping;
}

void FillReduction::run(ValueRange iterations, WriteFn write) {
  SmallVector<IRMapping> mappings =
      llvm::map_to_vector(iterations, [&](Value i) { return mapIndices(i); });
  // The operations are built one after the other for all iterations, so that
  // all reads are before the first write.
  for (Operation &inner : loop.getBody().front())
    for (IRMapping &mapping : mappings)
      c.builder.clone(inner, mapping);
  for (IRMapping &mapping : mappings)
    for (WriteOp original : writes) {
      auto copy = cast<WriteOp>(mapping.lookup(original.getOperation()));
      OpBuilder::InsertionGuard guard(c.builder);
      c.builder.setInsertionPoint(copy);
      write(copy.getValues(), copy.getIndices().front());
      copy.erase();
    }
}

bool FillReduction::profitsFromItems() {
  // The elements of neighbouring iterations are neighbours.
  return loop.getExtents().size() == 1 && isCheap(loop.getBody());
}

bool FillReduction::canFold() const {
  return llvm::all_of(writes, [&](WriteOp write) {
    Operation *around = write->getParentOp();
    while (isa<scf::IfOp, scf::ForOp>(around))
      around = around->getParentOp();
    return around == loop;
  });
}

Reduction::Values FillReduction::fold(Block &block, IRMapping &mapping,
                                      Values row, UpdateFn update) {
  OpBuilder &builder = c.builder;
  auto lookup = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  // The values that a block yields, followed by the values of the copy.
  auto foldInto = [&](Block *inner, Values before) {
    Values after = fold(*inner, mapping, before, update);
    Values all = lookup(inner->getTerminator()->getOperands());
    llvm::append_range(all, after);
    return all;
  };
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (!hasWrite(op)) {
      builder.clone(op, mapping);
      continue;
    }
    if (auto write = dyn_cast<WriteOp>(op)) {
      row = update(row, lookup(write.getValues()),
                   lookup(write.getIndices()).front());
      continue;
    }
    Values results;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      results = c.choose(
          mapping.lookupOrDefault(branch.getCondition()),
          [&] { return foldInto(branch.thenBlock(), row); },
          [&] {
            Block *other = branch.elseBlock();
            return other ? foldInto(other, row) : row;
          });
    } else {
      auto inner = cast<scf::ForOp>(op);
      Values start = lookup(inner.getInitArgs());
      llvm::append_range(start, row);
      unsigned carriedCount = inner.getInitArgs().size();
      auto copy = scf::ForOp::create(
          builder, op.getLoc(), mapping.lookupOrDefault(inner.getLowerBound()),
          mapping.lookupOrDefault(inner.getUpperBound()),
          mapping.lookupOrDefault(inner.getStep()), start,
          [&](OpBuilder &, Location loc, Value k, ValueRange carried) {
            mapping.map(inner.getInductionVar(), k);
            mapping.map(inner.getRegionIterArgs(),
                        carried.take_front(carriedCount));
            scf::YieldOp::create(
                builder, loc,
                foldInto(inner.getBody(),
                         Values(carried.drop_front(carriedCount))));
          },
          inner.getUnsignedCmp());
      results = Values(copy.getResults());
    }
    ValueRange all = results;
    mapping.map(op.getResults(), all.take_front(op.getNumResults()));
    row = Values(all.drop_front(op.getNumResults()));
  }
  return row;
}

Reduction::Values FillReduction::fold(Value i, Values row, UpdateFn update) {
  IRMapping mapping = mapIndices(i);
  return fold(loop.getBody().front(), mapping, std::move(row), update);
}

static bool hasStart(FillOp op) {
  return !op.getInit().empty() || op.getOnto();
}

/// The loop of threads of a fill that consists of this loop, if its result can
/// have privatised copies; else null.
static ParOp findCopyableLoop(FillOp op) {
  PushType type = op.getType();
  Block &body = op.getBody().front();
  if (op.getContract() != Contract::Reduce || type.getExtents().size() != 1 ||
      !llvm::hasSingleElement(body) ||
      type.getLevel() != getEnclosingScope(op).level)
    return {};
  // Programs that run side by side do not have separate parts of the grid.
  if (type.getLevel() == Level::Grid && op->getParentOfType<DistributeOp>())
    return {};
  auto par = dyn_cast<ParOp>(body.front());
  if (!par || par.getUnit() != Level::Thread)
    return {};
  return containsOp(par, [](PutOp) { return true; }) ? ParOp() : par;
}

/// For elements that no atomic operation combines.
static LogicalResult expandOwnCopies(CollectiveBuilder &c, FillOp op) {
  ParOp loop = findCopyableLoop(op);
  if (!loop)
    return op.emitOpError("[R7-room] combines elements of ")
           << countElementBits(op.getType().getElementTypes())
           << " bits in copies for each thread, so it has rank 1 and is one "
              "loop of threads that writes; use such a fill, or elements of at "
              "most "
           << maxAtomicBits << " bits that start from init or onto";
  FillReduction reduction(c, op, loop);
  StringAttr strategy = op->getAttrOfType<StringAttr>("strategy");
  FailureOr<Value> result = buildOwnCopies(
      reduction, strategy ? std::optional(strategy.getValue()) : std::nullopt);
  if (failed(result))
    return failure();
  op.getResult().replaceAllUsesWith(*result);
  op.erase();
  return success();
}

/// The fills of the kernels among which the host selects. `op` is one of them.
/// Empty if the fills differ in a property that must be equal.
static SmallVector<FillOp> getPeers(FillOp op) {
  return strategies::findPeers<FillOp>(op, [&](FillOp fill) {
    return findForceAlone(fill) == findForceAlone(op) && hasStart(fill) &&
           !fill->hasAttr("strategy") && findCopyableLoop(fill) &&
           !isa_and_nonnull<FlatSymbolRefAttr>(fill.getKindAttr());
  });
}

LogicalResult
strategies::expandFill(OpBuilder &builder, FillOp op,
                       const ExpansionOptions &options,
                       llvm::SmallPtrSetImpl<Operation *> &erased) {
  ArrayRef<Type> types = op.getType().getElementTypes();
  if (op.getContract() == Contract::Reduce && !hasStart(op) &&
      !op.getStarted()) {
    CollectiveBuilder c = getAdder(builder, op);
    Values neutral = buildNeutral(builder, c.loc, op.getKindAttr(), types);
    if (neutral.empty())
      return expandOwnCopies(c, op);
    op.getInitMutable().assign(neutral);
  }
  if (combinesTuples(types, op.getKindAttr(), /*fetches=*/false)) {
    CollectiveBuilder c = getAdder(builder, op);
    if (countElementBits(types) > maxAtomicBits)
      return expandOwnCopies(c, op);
    Packing packing(builder, types);
    FillOp packed = buildPackedFill(c, packing, op);
    FailureOr<Value> result = unpackPush(c, packing, packed, op);
    if (failed(result))
      return failure();
    op.getResult().replaceAllUsesWith(*result);
    op.erase();
    op = packed;
  }
  if (!options.plain && op.getContract() == Contract::Any &&
      op.getType().getExtents().size() == 1) {
    CollectiveBuilder c = getAdder(builder, op);
    if (FillOp packed = packMarks(c, op, getSize(c, op)))
      op = packed;
  }
  StringAttr strategy = op->getAttrOfType<StringAttr>("strategy");
  ParOp loop = hasStart(op) ? findCopyableLoop(op) : ParOp();
  if (!strategy && !loop)
    return success();
  CollectiveBuilder c = getAdder(builder, op);
  std::optional<FillReduction> reduction;
  if (loop)
    reduction.emplace(c, op, loop);
  FailureOr<Copies> copies = findCopies(
      op, strategy ? std::optional(strategy.getValue()) : std::nullopt,
      reduction ? &*reduction : nullptr, options);
  if (failed(copies))
    return failure();
  SmallVector<FillOp> peers;
  if (*copies == Copies::AtRunTime)
    peers = getPeers(op);
  if (!peers.empty()) {
    if (peers.size() > 1)
      builder.setInsertionPoint(findForceAlone(op));
    std::deque<FillReduction> reductions;
    for (FillOp other : peers)
      reductions.emplace_back(c, other, findCopyableLoop(other));
    SmallVector<Reduction *> all;
    for (FillReduction &one : reductions)
      all.push_back(&one);
    CollectiveBuilder::Values results =
        buildAtRunTime(all, options, [&](unsigned i) -> Value {
          return cast<FillOp>(c.builder.clone(*all[i]->op)).getResult();
        });
    for (auto [one, result] : llvm::zip_equal(all, results)) {
      one->op->getResult(0).replaceAllUsesWith(result);
      one->op->walk([&](Operation *inner) { erased.insert(inner); });
      one->op->erase();
    }
  } else if (*copies != Copies::None && *copies != Copies::AtRunTime) {
    op.getResult().replaceAllUsesWith(
        buildCopies(*reduction, *copies, options));
    op.erase();
  } else if (strategy) {
    op->removeAttr("strategy");
  }
  return success();
}
