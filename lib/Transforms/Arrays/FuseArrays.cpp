//===- FuseArrays.cpp - Fuse everything that is not forced ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pull arrays fuse into their readers by PullOpInterface::buildElement, push
// arrays into the writer of their force by PushOpInterface::emit. Both work on
// the interfaces alone.
//
// After `forceBeforeMaps` follow three steps. After each step, the IR is valid:
//   1. arrays that loops carry or host functions return are forced, so that
//      only storage is passed on;
//   2. every force gets one fill for each result, outer ones first (step 1 is
//      repeated for the arrays that appear here);
//   3. reads of virtual arrays (ReadExpander.cpp), then greedily extents and
//      reads that the arms of a choice share.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSFUSEARRAYSPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Fusion.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// 1. Carried arrays
//===----------------------------------------------------------------------===//

/// True when `array` has memory of its own, or will have when the operation
/// that makes it is lowered.
static bool hasMemory(Value array) {
  Operation *op = array.getDefiningOp();
  // An element of a nested array is a virtual array, and so is a choice among
  // virtual arrays.
  if (auto choice = dyn_cast_or_null<scf::IfOp>(op))
    return !isVirtualChoice(choice);
  return !op || !isa<PullOpInterface, GetOp, ConstantOp, arith::SelectOp>(op);
}

/// True when `array` is in memory that `user`, a loop or the end of a function,
/// can pass on.
static bool isStorage(Value array, Operation *user) {
  // Pointers pass on parts of arrays; storage of a kernel has none.
  if (getEnclosingScope(user).level == Level::Grid &&
      !user->getParentOfType<FillOp>() &&
      !user->getParentOfType<DistributeOp>())
    return isInMemory(array);
  return hasMemory(array);
}

/// Forces `array` at the insertion point, at the level there.
static FailureOr<Value> forceHere(OpBuilder &builder, Location loc, Value array,
                                  Operation *user) {
  ScopeInfo scope = getEnclosingScope(user);
  auto type = cast<PullType>(array.getType());
  if (scope.isScalar || type.isNested())
    return user->emitOpError(
        "[R1-carried] carries an array that is not in memory through control "
        "flow in code that cannot store it; force it before, or carry scalars");
  if (scope.level != Level::Grid && !type.isBounded())
    return user->emitOpError(
        "[R2-bounded] carries a virtual array of unbounded extent below level "
        "grid; give the type a bound, as in !obs.pull<? x f32 bound [1024]>");
  auto force = ForceOp::create(builder, loc, array, ValueRange());
  return force.getResults().front();
}

/// `array`, a chunk of an array that is split, as a part of that array, which
/// may be in memory; null for others.
static SliceOp sliceChunk(OpBuilder &builder, Value array) {
  auto get = array.getDefiningOp<GetOp>();
  auto split = get ? get.getArray().getDefiningOp<SplitOp>() : SplitOp();
  if (!split || split.getStrided() || !split.getPads().empty())
    return {};
  SmallVector<Value> offsets;
  for (auto [index, size] : llvm::zip_equal(
           get.getIndices(), buildMixed(builder, get.getLoc(), split.getSizes(),
                                        split.getStaticSizes())))
    offsets.push_back(
        builder.createOrFold<arith::MulIOp>(get.getLoc(), index, size));
  SmallVector<int64_t> any(offsets.size(), ShapedType::kDynamic);
  SmallVector<int64_t> ones(offsets.size(), 1);
  return SliceOp::create(builder, get.getLoc(), array.getType(),
                         split.getArray(), offsets, split.getSizes(),
                         ValueRange(), any, split.getStaticSizes(), ones);
}

/// Forces the virtual arrays among the operands of `op`; sets `changed` if
/// there are any.
static LogicalResult forceOperands(OpBuilder &builder, Operation *op,
                                   bool &changed) {
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<PullType>(operand.get().getType()) || isStorage(operand.get(), op))
      continue;
    if (SliceOp part = sliceChunk(builder, operand.get())) {
      changed = true;
      if (isStorage(part, op)) {
        operand.set(part);
        continue;
      }
      part.erase();
    }
    FailureOr<Value> forced =
        forceHere(builder, operand.get().getLoc(), operand.get(), op);
    if (failed(forced))
      return failure();
    operand.set(*forced);
    changed = true;
  }
  return success();
}

static LogicalResult forceCarriedArrays(Operation *root, bool &changed) {
  OpBuilder builder(root->getContext());
  WalkResult result = root->walk([&](Operation *op) {
    if (isa<RegionBranchOpInterface>(op) && !isa<ArrayOpInterface>(op) &&
        !isControlFlow(op) &&
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<PullType>)) {
      op->emitOpError("[control-arrays] cannot pass arrays on; use scf.for, "
                      "scf.while or scf.if");
      return WalkResult::interrupt();
    }
    auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
    bool leavesHost =
        isa<func::ReturnOp>(op) && function && isHostFunction(function);
    if (leavesHost || isa<scf::ForOp, scf::WhileOp>(op) ||
        (isa<scf::YieldOp, scf::ConditionOp>(op) &&
         isControlFlow(op->getParentOp()))) {
      // An `if` of pure arms is a choice of the array that is read, not
      // storage.
      if (auto parent = dyn_cast_or_null<scf::IfOp>(op->getParentOp());
          parent && isa<scf::YieldOp>(op) && isVirtualChoice(parent))
        return WalkResult::advance();
      if (failed(forceOperands(builder, op, changed)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// 2. One fill for each forced array
//===----------------------------------------------------------------------===//

/// True when `fill` needs no further emission.
static bool isFused(FillOp fill) {
  WalkResult result =
      fill.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isa<FillOp>(op))
          return WalkResult::skip();
        return isa<PutOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      });
  return !result.wasInterrupted();
}

/// The fill at the bottom of a chain of push arrays that move elements or
/// change their values, or null.
static FillOp getChainRoot(Value array, SmallVectorImpl<Operation *> &chain) {
  Operation *op = array.getDefiningOp();
  if (auto fill = dyn_cast_or_null<FillOp>(op))
    return fill;
  auto push = dyn_cast_or_null<PushOpInterface>(op);
  Value source = push ? push.getSource() : Value();
  if (!source)
    return {};
  chain.push_back(op);
  return getChainRoot(source, chain);
}

/// The initial contents after a chain of operations on `root`, whose initial
/// contents are equal everywhere. Empty if they then differ.
static SmallVector<Value> buildInitial(OpBuilder &builder, FillOp root,
                                       ArrayRef<Operation *> chain) {
  SmallVector<Value> init(root.getInit());
  for (Operation *op : llvm::reverse(chain))
    if (!init.empty())
      init = cast<PushOpInterface>(op).buildInitial(builder, init);
  return init;
}

/// Rebuilds the chain that ends in `array` on a copy of its root without
/// initial contents, and returns the new end.
static Value dropInitialContents(OpBuilder &builder, Value array, FillOp root,
                                 ArrayRef<Operation *> chain) {
  IRMapping mapping;
  auto copy = cast<FillOp>(builder.clone(*root, mapping));
  copy.getInitMutable().clear();
  copy.getOntoMutable().clear();
  for (Operation *op : llvm::reverse(chain))
    builder.clone(*op, mapping);
  return mapping.lookupOrDefault(array);
}

/// The push array `array` as one fill.
static FailureOr<FillOp> buildFill(OpBuilder &builder, ForceOp force,
                                   Value array) {
  Location loc = array.getLoc();
  if (isa<PullType>(array.getType()))
    array = PushOp::create(builder, loc, force.getArrayLevel(), array);
  auto type = cast<PushType>(array.getType());
  Operation *program = array.getDefiningOp();
  if (program && program->getNumRegions() == 0 &&
      !isa<PushOpInterface>(program))
    return program->emitOpError(
        "[array-interface] makes a push array, but does not implement "
        "PushOpInterface, which builds its program");
  if (!isa_and_nonnull<PushOpInterface>(program))
    return force.emitOpError(
        "[R1-push] needs a push array whose program is known; push arrays do "
        "not pass through control flow: force each of them where it is made");

  SmallVector<Value> init;
  Value onto;
  WriteContract contract;
  SmallVector<Operation *> chain;
  if (FillOp root = getChainRoot(array, chain)) {
    // A virtual array is written element by element.
    bool isOntoVirtual = root.getOnto() && !hasMemory(root.getOnto());
    if (chain.empty() && isFused(root) && root->hasOneUse() &&
        !root.getUnchecked() && !isOntoVirtual)
      return root;
    // `onto` stays with its root: a moved array would need a moved copy. So do
    // initial contents that are not the same everywhere any more.
    init = buildInitial(builder, root, chain);
    if (!isOntoVirtual &&
        (chain.empty() ||
         (!root.getOnto() && init.empty() == root.getInit().empty()))) {
      onto = root.getOnto();
      contract = {root.getContract(), root.getKindAttr()};
      array = dropInitialContents(builder, array, root, chain);
    }
  }

  SmallVector<Value> extents;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (type.isDynamicExtent(d))
      extents.push_back(obs::buildExtent(builder, loc, array, d));
  auto fill =
      FillOp::create(builder, loc, type, init, onto, extents,
                     ContractAttr::get(builder.getContext(), contract.contract),
                     contract.kind, UnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&fill.getBody());
  emitPush(builder, loc, array,
           [&](OpBuilder &b, Location l, ValueRange values, ValueRange indices,
               WriteContract own) {
             auto write = WriteOp::create(b, l, values, indices, ContractAttr(),
                                          StringAttr());
             if (own.contract != contract.contract ||
                 own.kind != contract.kind) {
               write.setContract(own.contract);
               write.setKindAttr(own.kind);
             }
             // The checks of kernels need these marks of the write.
             if (own.initial)
               setWriteMark(write, WriteMark::Initial);
             if (own.initial > 1)
               write.setNesting(own.initial);
             if (own.initial)
               return;
             if (own.unchecked && own.contract == Contract::Disjoint)
               setWriteMark(write, WriteMark::Disjoint);
             else if (own.unproved && own.contract == Contract::Disjoint)
               setWriteMark(write, WriteMark::Unproved);
           });
  return fill;
}

/// Builds fills for every force in `region`, outermost first, because emission
/// clones the operations inside.
static LogicalResult fuseForces(OpBuilder &builder, Region &region) {
  SmallVector<ForceOp> forces;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto force = dyn_cast<ForceOp>(op))
      forces.push_back(force);
    // Programs that are not emitted yet are handled after emission.
    if (isa<FillOp, DistributeOp>(op))
      return WalkResult::skip();
    return WalkResult::advance();
  });
  for (ForceOp force : forces) {
    for (OpOperand &operand : force.getArraysMutable()) {
      builder.setInsertionPoint(force);
      FailureOr<FillOp> fill = buildFill(builder, force, operand.get());
      if (failed(fill))
        return failure();
      operand.set(fill->getResult());
      if (failed(fuseForces(builder, fill->getBody())))
        return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Extents, and reads in both arms of a choice
//===----------------------------------------------------------------------===//

/// The extent of a choice among arrays is the choice among their extents.
static LogicalResult foldDimOfChoice(DimOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  unsigned dim = op.getDimension();
  if (auto choice = op.getArray().getDefiningOp<arith::SelectOp>()) {
    Value first = obs::buildExtent(rewriter, loc, choice.getTrueValue(), dim);
    Value second = obs::buildExtent(rewriter, loc, choice.getFalseValue(), dim);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, choice.getCondition(),
                                                 first, second);
    return success();
  }
  auto choice = op.getArray().getDefiningOp<scf::IfOp>();
  if (!choice || !isVirtualChoice(choice))
    return rewriter.notifyMatchFailure(op, "not a choice of virtual arrays");
  unsigned number = cast<OpResult>(op.getArray()).getResultNumber();
  auto measureArm = [&](Region &arm) {
    return [&](OpBuilder &b, Location l) {
      Value array = cloneBody(b, arm, {})[number];
      scf::YieldOp::create(b, l, obs::buildExtent(b, l, array, dim));
    };
  };
  auto extent = scf::IfOp::create(rewriter, loc, choice.getCondition(),
                                  measureArm(choice.getThenRegion()),
                                  measureArm(choice.getElseRegion()));
  rewriter.replaceOp(op, extent.getResults());
  return success();
}

/// Extent `dim` of `array` from the operands of the operation that makes it;
/// null if the array is storage or the extent is static.
static Value buildExtentFromOperands(OpBuilder &builder, OpResult array,
                                     unsigned dim) {
  if (!ShapedType::isDynamic(getArrayExtents(array.getType())[dim]))
    return {};
  if (auto force = dyn_cast<ForceOp>(array.getOwner()))
    return obs::buildExtent(builder, array.getLoc(),
                            force.getArrays()[array.getResultNumber()], dim);
  auto op = dyn_cast<ArrayOpInterface>(array.getOwner());
  if (!op || isa<ViewOp>(array.getOwner()))
    return {};
  return op.buildExtent(builder, array.getLoc(), array.getResultNumber(), dim);
}

static LogicalResult foldDim(DimOp op, PatternRewriter &rewriter) {
  auto array = dyn_cast<OpResult>(op.getArray());
  if (!array)
    return rewriter.notifyMatchFailure(op, "extent of a carried array");
  Value extent = buildExtentFromOperands(rewriter, array, op.getDimension());
  if (!extent)
    return rewriter.notifyMatchFailure(op, "extent of storage, or static");
  rewriter.replaceOp(op, extent);
  return success();
}

/// Applies `foldDim` to the arrays in the reverse order of the code. So all
/// readers of an extent are known when its array is reached, also those that
/// the extents of later arrays have added, and each extent is built once.
/// `foldDim` alone would build the extent of the first of n arrays n times.
static void foldExtents(Operation *root) {
  SmallVector<Operation *> operations;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ForceOp, ArrayOpInterface>(op))
      operations.push_back(op);
  });
  OpBuilder builder(root->getContext());
  for (Operation *op : llvm::reverse(operations)) {
    for (OpResult array : op->getResults()) {
      llvm::SmallMapVector<unsigned, SmallVector<DimOp>, 2> readers;
      for (Operation *user : array.getUsers())
        if (auto dim = dyn_cast<DimOp>(user))
          readers[dim.getDimension()].push_back(dim);
      for (auto &[dim, dims] : readers) {
        builder.setInsertionPointAfter(op);
        Value extent = buildExtentFromOperands(builder, array, dim);
        if (!extent)
          continue;
        for (DimOp reader : dims) {
          reader.replaceAllUsesWith(extent);
          reader.erase();
        }
      }
    }
  }
}

/// if c then get a [i] else get a [j] = get a [if c then i else j]: one load in
/// place of two, and a select in place of a branch.
static LogicalResult shareReads(scf::IfOp op, PatternRewriter &rewriter) {
  if (op.getNumResults() == 0)
    return rewriter.notifyMatchFailure(op, "no results");
  auto thenYield = op.thenYield(), elseYield = op.elseYield();
  for (unsigned k = 0; k < op.getNumResults(); ++k) {
    auto first = thenYield.getOperand(k).getDefiningOp<GetOp>();
    auto second = elseYield.getOperand(k).getDefiningOp<GetOp>();
    if (!first || !second || first.getArray() != second.getArray() ||
        first->getBlock() != op.thenBlock() ||
        second->getBlock() != op.elseBlock() ||
        op->isAncestor(first.getArray().getParentBlock()->getParentOp()))
      continue;
    auto source = dyn_cast<OpResult>(thenYield.getOperand(k));
    if (source.getResultNumber() !=
        cast<OpResult>(elseYield.getOperand(k)).getResultNumber())
      continue;
    if (first.getArray().getDefiningOp() &&
        op->isProperAncestor(first.getArray().getDefiningOp()))
      continue;
    // Indices take the place of the element.
    auto exchange = [&](ValueRange values, ValueRange indices) {
      SmallVector<Value> exchanged(values);
      exchanged.erase(exchanged.begin() + k);
      llvm::append_range(exchanged, indices);
      return exchanged;
    };
    SmallVector<Value> thenValues =
        exchange(thenYield.getOperands(), first.getIndices());
    SmallVector<Value> elseValues =
        exchange(elseYield.getOperands(), second.getIndices());
    auto shared = scf::IfOp::create(
        rewriter, op.getLoc(), ValueRange(thenValues).getTypes(),
        op.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op.getThenRegion(), shared.getThenRegion(),
                                shared.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getElseRegion(), shared.getElseRegion(),
                                shared.getElseRegion().end());
    rewriter.modifyOpInPlace(thenYield,
                             [&] { thenYield->setOperands(thenValues); });
    rewriter.modifyOpInPlace(elseYield,
                             [&] { elseYield->setOperands(elseValues); });
    SmallVector<Value> element =
        buildGet(rewriter, op.getLoc(), first.getArray(),
                 shared.getResults().take_back(first.getIndices().size()));
    SmallVector<Value> results(
        shared.getResults().drop_back(first.getIndices().size()));
    results.insert(results.begin() + k, element[source.getResultNumber()]);
    rewriter.replaceOp(op, results);
    return success();
  }
  return rewriter.notifyMatchFailure(op, "the arms read different arrays");
}

/// An `if` whose arms only compute is a select: both arms are cheaper than a
/// branch that the threads of a warp may take differently. An array in an arm
/// stays there until its extents are known: they may be quotients, which only
/// this arm can compute.
static LogicalResult selectInsteadOfBranch(scf::IfOp op,
                                           PatternRewriter &rewriter) {
  constexpr unsigned maxOps = 16;
  if (op.getNumResults() == 0)
    return rewriter.notifyMatchFailure(op, "no results");
  for (Type type : op.getResultTypes())
    if (isa<PullType, PushType>(type))
      return rewriter.notifyMatchFailure(op, "chooses among arrays");
  unsigned count = 0;
  for (Block *arm : {op.thenBlock(), op.elseBlock()})
    for (Operation &inner : arm->without_terminator())
      if (++count > maxOps || inner.getNumRegions() != 0 ||
          !canSpeculate(&inner) ||
          llvm::any_of(inner.getResultTypes(), llvm::IsaPred<PullType>))
        return rewriter.notifyMatchFailure(op, "an arm is not only arithmetic");
  SmallVector<Value> thenValues(op.thenYield().getOperands());
  SmallVector<Value> elseValues(op.elseYield().getOperands());
  rewriter.eraseOp(op.thenYield());
  rewriter.eraseOp(op.elseYield());
  Value condition = op.getCondition();
  rewriter.inlineBlockBefore(op.thenBlock(), op);
  rewriter.inlineBlockBefore(op.elseBlock(), op);
  SmallVector<Value> results;
  for (auto [a, b] : llvm::zip(thenValues, elseValues))
    results.push_back(
        rewriter.createOrFold<arith::SelectOp>(op.getLoc(), condition, a, b));
  rewriter.replaceOp(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FuseArrays : obs::impl::ObsFuseArraysPassBase<FuseArrays> {
  void runOnOperation() override {
    Operation *root = getOperation();
    // An array that a loop carries and does not change is replaced by its
    // initial value, and the result of a branch by an array that both arms pass
    // on. A later simplification would reveal virtual arrays.
    simplifyControlFlow(root, [](Operation *op) {
      return llvm::any_of(op->getResultTypes(), llvm::IsaPred<PullType>);
    });
    forceBeforeMaps(root);
    remarkRecomputation(root);
    // The interfaces build values, and report the values that they cannot
    // build.
    bool reported = false;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      reported |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // Others print it.
    });
    // The operands of a sub-program are known after the program around it is
    // emitted. If an array is then found to be carried, it is forced, and its
    // force is emitted. This is repeated once for each level of nesting.
    OpBuilder builder(&getContext());
    bool changed = true;
    while (changed) {
      changed = false;
      if (failed(forceCarriedArrays(root, changed)))
        return signalPassFailure();
      WalkResult result = root->walk([&](FunctionOpInterface function) {
        return WalkResult(fuseForces(builder, function.getFunctionBody()));
      });
      if (result.wasInterrupted() || reported)
        return signalPassFailure();
    }

    RewritePatternSet simplifications(&getContext());
    simplifications.add(shareReads);
    simplifications.add(selectInsteadOfBranch);
    FrozenRewritePatternSet frozen(std::move(simplifications));
    RewritePatternSet patterns(&getContext());
    patterns.add(foldDim);
    patterns.add(foldDimOfChoice);
    patterns.add(shareReads);
    patterns.add(selectInsteadOfBranch);
    FrozenRewritePatternSet extents(std::move(patterns));
    // As many iterations as arrays are nested: each pattern takes an extent one
    // array closer to storage, so there is an end.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // The extents of elements that are arrays are those of one element, which
    // is read.
    do {
      if (failed(expandReads(root, frozen)) || reported)
        return signalPassFailure();
      foldExtents(root);
      if (failed(applyPatternsGreedily(root, extents, config)) || reported)
        return signalPassFailure();
    } while (readsVirtualArrays(root));
  }
};
} // namespace
