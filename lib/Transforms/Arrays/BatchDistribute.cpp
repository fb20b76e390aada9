//===- BatchDistribute.cpp - Sub-programs of one level side by side -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `par L (%i)` in a region of level L is distributed over the statements of its
// body (loop fission), which is the "two distributes over sync" law of the
// Obsidian papers: par i { A; force; B } = par i { A }; force; par i { B }.
// Statements share arrays, which get the instances as leading dimensions, and
// pure values, which are computed again where they are used.
//
// A body whose control flow or extents depend on the instance is unchanged.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSBATCHDISTRIBUTEPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;

/// Operations of `block` that are statements or values, without a terminator.
static auto withoutTerminator(Block &block) {
  bool hasTerminator =
      !block.empty() && block.back().hasTrait<OpTrait::IsTerminator>();
  return llvm::make_range(block.begin(),
                          hasTerminator ? std::prev(block.end()) : block.end());
}

namespace {
/// Distributes one `par` over its statements.
class Batcher {
public:
  explicit Batcher(ParOp par)
      : par(par), builder(par), instances(par.getExtents()) {}

  /// True when every statement of the body can be distributed.
  bool canBatch();

  /// Replaces the `par`. Only after `canBatch`.
  void run() {
    batch(par.getBody().front(), FillOp());
    par.erase();
  }

private:
  bool isUniform(Value value);
  bool canBatch(Operation *op);
  bool canBatch(Block &block) {
    return llvm::all_of(withoutTerminator(block),
                        [&](Operation &op) { return canBatch(&op); });
  }

  bool fitsType(PushType type);
  Value hoist(Value value);
  SmallVector<Value> hoist(ValueRange values) {
    SmallVector<Value> result;
    for (Value value : values)
      result.push_back(hoist(value));
    return result;
  }
  Value addInstance(OpBuilder &body, Location loc, Value batched,
                    PullType type);
  void addInstances(Operation *old, ValueRange batched);
  void batch(Block &block, FillOp target);
  void batchPar(ParOp inner, FillOp target);
  void batchForce(ForceOp force);
  void batchFor(scf::ForOp loop, FillOp target);
  void batchIf(scf::IfOp branch, FillOp target);

  ParOp par;
  OpBuilder builder;
  ValueRange instances;
  /// Static numbers of instances, dynamic at level grid only.
  SmallVector<int64_t> counts;
  /// Values of the body that are the same for all instances: block arguments,
  /// while checking.
  llvm::DenseSet<Value> uniformArguments;
  /// Their values in the new code.
  IRMapping uniform;
  /// The array of all instances for an array of one.
  llvm::DenseMap<Value, Value> batchedArrays;
  /// Pure operations met so far, to be computed again in every leaf.
  SmallVector<Operation *> pureOps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// True when `value` is the same for all instances and can be computed before
/// the `par`.
bool Batcher::isUniform(Value value) {
  if (!par.getBody().isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return uniformArguments.contains(value);
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) || isa<GetOp>(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isUniform(operand); });
}

bool Batcher::canBatch() {
  for (Value extent : instances) {
    std::optional<int64_t> count = getConstantIntValue(extent);
    // Space below grid level is reserved at compile time. No type has a
    // negative extent.
    if (count ? *count < 0 : par.getUnit() != Level::Grid)
      return false;
    counts.push_back(count.value_or(ShapedType::kDynamic));
  }
  return canBatch(par.getBody().front());
}

/// True if the arrays of all instances together are one that a type allows.
bool Batcher::fitsType(PushType type) {
  int64_t total = 1;
  SmallVector<int64_t> extents(counts);
  llvm::append_range(extents, type.getBoundedExtents());
  return llvm::all_of(extents, [&](int64_t extent) {
    return ShapedType::isDynamic(extent) || extent <= 0 ||
           (!llvm::MulOverflow(total, extent, total) && total <= maxElements);
  });
}

bool Batcher::canBatch(Operation *op) {
  auto allUniform = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isUniform(value); });
  };
  if (isMemoryEffectFree(op))
    return true;
  if (auto inner = dyn_cast<ParOp>(op))
    return inner.getUnit() != par.getUnit() && allUniform(inner.getExtents());
  if (auto force = dyn_cast<ForceOp>(op)) {
    if (!force.getInto().empty())
      return false;
    return llvm::all_of(force.getArrays(), [&](Value array) {
      auto fill = array.getDefiningOp<FillOp>();
      return fill && !fill.getOnto() && fitsType(fill.getType()) &&
             allUniform(fill.getInit()) && allUniform(fill.getExtents()) &&
             canBatch(fill.getBody().front());
    });
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (!isUniform(loop.getLowerBound()) || !isUniform(loop.getUpperBound()) ||
        !isUniform(loop.getStep()))
      return false;
    uniformArguments.insert(loop.getInductionVar());
    // Carried arrays are those of a force; scalars would differ by instance.
    for (auto [init, yielded] :
         llvm::zip(loop.getInitArgs(), loop.getYieldedValues())) {
      auto type = dyn_cast<PullType>(init.getType());
      if (!type || type.getNumDynamicExtents() != 0 ||
          !init.getDefiningOp<ForceOp>() || !yielded.getDefiningOp<ForceOp>() ||
          !par->isProperAncestor(init.getDefiningOp()))
        return false;
    }
    return canBatch(*loop.getBody());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() != 0 || !isUniform(branch.getCondition()))
      return false;
    return canBatch(*branch.thenBlock()) &&
           (!branch.elseBlock() || canBatch(*branch.elseBlock()));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Distribution
//===----------------------------------------------------------------------===//

/// `value`, which is uniform, in the new code.
Value Batcher::hoist(Value value) {
  if (Value known = uniform.lookupOrNull(value))
    return known;
  if (!par.getBody().isAncestor(value.getParentRegion()))
    return value;
  Operation *op = value.getDefiningOp();
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, hoist(operand));
  // The clone is not cached: it may be in a loop that does not dominate the
  // next use. CSE removes repeated computations.
  Operation *clone = builder.clone(*op, operands);
  return clone->getResult(cast<OpResult>(value).getResultNumber());
}

/// One instance of the array `batched`, for use in the old body.
Value Batcher::addInstance(OpBuilder &body, Location loc, Value batched,
                           PullType type) {
  SmallVector<Value> extents;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (type.isDynamicExtent(d))
      extents.push_back(
          obs::buildExtent(body, loc, batched, d + instances.size()));
  auto reindex =
      ReindexOp::create(body, loc, type, batched, extents, UnitAttr());
  OpBuilder::InsertionGuard guard(body);
  SmallVector<Type> types(type.getRank(), body.getIndexType());
  SmallVector<Location> locs(type.getRank(), loc);
  Block *block = body.createBlock(&reindex.getBody(), {}, types, locs);
  SmallVector<Value> indices(par.getBody().front().getArguments());
  llvm::append_range(indices, block->getArguments());
  YieldOp::create(body, loc, indices);
  batchedArrays[reindex.getResult()] = batched;
  return reindex;
}

/// Makes the results of `old` instances of the arrays `batched`.
void Batcher::addInstances(Operation *old, ValueRange batched) {
  OpBuilder after(old->getContext());
  after.setInsertionPointAfter(old);
  Operation *last = old;
  for (auto [result, all] : llvm::zip(old->getResults(), batched)) {
    Value one = addInstance(after, old->getLoc(), all,
                            cast<PullType>(result.getType()));
    result.replaceAllUsesWith(one);
    // With what its extents are computed by.
    while (last != one.getDefiningOp()) {
      last = last->getNextNode();
      pureOps.push_back(last);
    }
  }
}

void Batcher::batch(Block &block, FillOp target) {
  size_t outer = pureOps.size();
  for (Operation &op : llvm::make_early_inc_range(withoutTerminator(block))) {
    if (isa<FillOp>(op))
      continue;
    if (isMemoryEffectFree(&op))
      pureOps.push_back(&op);
    else if (auto inner = dyn_cast<ParOp>(op))
      batchPar(inner, target);
    else if (auto force = dyn_cast<ForceOp>(op))
      batchForce(force);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      batchFor(loop, target);
    else
      batchIf(cast<scf::IfOp>(op), target);
  }
  // Values that a nested region computed are out of scope after it.
  pureOps.resize(outer);
}

void Batcher::batchPar(ParOp inner, FillOp target) {
  Location loc = inner.getLoc();
  SmallVector<Value> extents(instances);
  llvm::append_range(extents, hoist(inner.getExtents()));
  auto merged = ParOp::create(builder, loc, extents, inner.getUnit());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(extents.size(), builder.getIndexType());
  SmallVector<Location> locs(extents.size(), loc);
  Block *block = builder.createBlock(&merged.getBody(), {}, types, locs);

  IRMapping mapping = uniform;
  ValueRange arguments = block->getArguments();
  mapping.map(par.getBody().front().getArguments(),
              arguments.take_front(instances.size()));
  mapping.map(inner.getBody().front().getArguments(),
              arguments.drop_front(instances.size()));
  for (Operation *op : pureOps)
    builder.clone(*op, mapping);
  for (Operation &op : inner.getBody().front())
    builder.clone(op, mapping);
  if (!target)
    return;
  merged.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FillOp>(op))
      return WalkResult::skip();
    if (auto write = dyn_cast<WriteOp>(op)) {
      SmallVector<Value> indices(arguments.take_front(instances.size()));
      llvm::append_range(indices, write.getIndices());
      write.getIndicesMutable().assign(indices);
    }
    return WalkResult::advance();
  });
}

void Batcher::batchForce(ForceOp force) {
  Location loc = force.getLoc();
  SmallVector<Value> fills;
  SmallVector<Type> types;
  for (Value array : force.getArrays()) {
    auto fill = array.getDefiningOp<FillOp>();
    PushType type = fill.getType();
    SmallVector<int64_t> shape(counts), bounds(counts);
    llvm::append_range(shape, type.getExtents());
    llvm::append_range(bounds, type.getBoundedExtents());
    if (type.getBounds().empty())
      bounds.clear();
    SmallVector<Value> extents;
    for (auto [count, extent] : llvm::zip(counts, instances))
      if (ShapedType::isDynamic(count))
        extents.push_back(extent);
    llvm::append_range(extents, hoist(fill.getExtents()));
    auto batchedType = PushType::get(builder.getContext(), type.getLevel(),
                                     shape, bounds, type.getElementTypes());
    auto batched = FillOp::create(
        builder, loc, batchedType, hoist(fill.getInit()), Value(), extents,
        fill.getContractAttr(), fill.getKindAttr(), fill.getUncheckedAttr());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&batched.getBody());
    batch(fill.getBody().front(), batched);
    fills.push_back(batched);
    types.push_back(batchedType.getPullType());
  }
  auto batched = ForceOp::create(
      builder, loc, types, fills, ValueRange(), force.getStorageAttr(),
      force.getKernelAttr(), force.getThreadsAttr(), force.getUncheckedAttr());
  addInstances(force, batched.getResults());
}

void Batcher::batchFor(scf::ForOp loop, FillOp target) {
  Location loc = loop.getLoc();
  SmallVector<Value> init;
  for (Value array : loop.getInitArgs())
    init.push_back(batchedArrays.lookup(array));
  auto merged = scf::ForOp::create(
      builder, loc, hoist(loop.getLowerBound()), hoist(loop.getUpperBound()),
      hoist(loop.getStep()), init,
      [](OpBuilder &, Location, Value, ValueRange) {}, loop.getUnsignedCmp());
  merged->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  uniform.map(loop.getInductionVar(), merged.getInductionVar());

  size_t outer = pureOps.size();
  OpBuilder start = OpBuilder::atBlockBegin(loop.getBody());
  for (auto [old, all] :
       llvm::zip(loop.getRegionIterArgs(), merged.getRegionIterArgs())) {
    Value one = addInstance(start, loc, all, cast<PullType>(old.getType()));
    old.replaceAllUsesWith(one);
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(merged.getBody());
    batch(*loop.getBody(), target);
    SmallVector<Value> yielded;
    for (Value array : loop.getYieldedValues())
      yielded.push_back(batchedArrays.lookup(array));
    if (!yielded.empty())
      scf::YieldOp::create(builder, loc, yielded);
    else
      scf::ForOp::ensureTerminator(merged.getRegion(), builder, loc);
  }
  pureOps.resize(outer);
  addInstances(loop, merged.getResults());
}

void Batcher::batchIf(scf::IfOp branch, FillOp target) {
  auto merged =
      scf::IfOp::create(builder, branch.getLoc(), hoist(branch.getCondition()),
                        /*withElseRegion=*/branch.elseBlock() != nullptr);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(merged.thenBlock()->getTerminator());
  batch(*branch.thenBlock(), target);
  if (!branch.elseBlock())
    return;
  builder.setInsertionPoint(merged.elseBlock()->getTerminator());
  batch(*branch.elseBlock(), target);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct BatchDistribute
    : obs::impl::ObsBatchDistributePassBase<BatchDistribute> {
  void runOnOperation() override {
    // Inner ones first, so that an outer one finds loops only.
    SmallVector<ParOp> pars;
    getOperation()->walk([&](ParOp par) {
      if (par.getUnit() != Level::Thread &&
          getEnclosingScope(par).level == par.getUnit())
        pars.push_back(par);
    });
    for (ParOp par : pars) {
      Batcher batcher(par);
      if (batcher.canBatch())
        batcher.run();
    }
  }
};
} // namespace
