//===- ReadExpander.cpp - Reads of virtual arrays -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read of a virtual array becomes the code that computes the element. The
// reads of the arrays that depend on the most other arrays are first: all
// arrays that are computed from such an array have been replaced already. So
// all reads of the array exist, and equal reads become one. In any other order,
// each layer of a permutation would double the code.
//
// Each layer visits only the operations that the layer before it has built.
// Common subexpressions are eliminated when the code has doubled since the last
// elimination, so the total time is proportional to the size of the code.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// One read
//===----------------------------------------------------------------------===//

/// get (virtual array) [i] = the element at i.
static void readVirtual(GetOp op, PullOpInterface array,
                        RewriterBase &rewriter) {
  unsigned number = cast<OpResult>(op.getArray()).getResultNumber();
  rewriter.replaceOp(
      op, array.buildElement(rewriter, op.getLoc(), number, op.getIndices()));
}

/// get (c ? a : b) [i] = if c then get a [i] else get b [i].
static void readEither(GetOp op, Value condition, RewriterBase &rewriter,
                       function_ref<Value(OpBuilder &, bool isThen)> getArray) {
  auto readArm = [&](bool isThen) {
    return [&, isThen](OpBuilder &b, Location loc) {
      Value array = getArray(b, isThen);
      scf::YieldOp::create(b, loc, buildGet(b, loc, array, op.getIndices()));
    };
  };
  auto read = scf::IfOp::create(rewriter, op.getLoc(), condition, readArm(true),
                                readArm(false));
  rewriter.replaceOp(op, read.getResults());
}

static void readChoice(GetOp op, scf::IfOp choice, RewriterBase &rewriter) {
  unsigned number = cast<OpResult>(op.getArray()).getResultNumber();
  readEither(op, choice.getCondition(), rewriter,
             [&](OpBuilder &b, bool isThen) {
               return cloneBody(
                   b, isThen ? choice.getThenRegion() : choice.getElseRegion(),
                   {})[number];
             });
}

/// Upstream turns an `if` that only passes on arrays into a select.
static void readSelected(GetOp op, arith::SelectOp choice,
                         RewriterBase &rewriter) {
  readEither(op, choice.getCondition(), rewriter,
             [&](OpBuilder &, bool isThen) {
               return isThen ? choice.getTrueValue() : choice.getFalseValue();
             });
}

/// The operation that defines how `array` is read, or null if it is storage.
static Operation *getVirtualArray(Value array) {
  Operation *op = array.getDefiningOp();
  if (auto choice = dyn_cast_or_null<scf::IfOp>(op))
    return isVirtualChoice(choice) ? op : nullptr;
  return isa_and_nonnull<PullOpInterface, arith::SelectOp>(op) ? op : nullptr;
}

/// True for an operation whose region computes elements where they are read.
static bool isExpandedWhereRead(Operation *op) {
  if (isa<PullOpInterface>(op))
    return true;
  auto choice = dyn_cast<scf::IfOp>(op);
  return choice &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<PullType>) &&
         isVirtualChoice(choice);
}

//===----------------------------------------------------------------------===//
// The order of reads
//===----------------------------------------------------------------------===//

namespace {
class ReadExpander : RewriterBase::Listener {
public:
  explicit ReadExpander(Operation *root)
      : root(root), rewriter(root->getContext(), this) {}

  LogicalResult run(const FrozenRewritePatternSet &simplifications);

private:
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override;
  void notifyOperationModified(Operation *op) override;
  void notifyOperationErased(Operation *op) override;
  /// The number of virtual arrays between `array` and storage.
  unsigned getDepth(Value array);
  void addRead(GetOp read);
  void findReads();
  /// Adds the reads that are new, or whose array has changed.
  void registerReads();
  void eliminateCommonSubexpressions();
  /// Starts the count of what is built since the last elimination.
  void measureCode();
  /// True if the code, or a layer of reads, has doubled since the last
  /// elimination of common subexpressions.
  bool hasDoubled(size_t numReads) const;
  /// The deepest reads, in the order of the code.
  SmallVector<GetOp> getDeepest();
  void expand(ArrayRef<GetOp> deepest,
              const FrozenRewritePatternSet &simplifications);
  /// Guards the reads of storage that only extents depend on.
  void guardExtentReads();

  Operation *root;
  IRRewriter rewriter;
  llvm::DenseMap<Operation *, unsigned> depths;
  /// Reads of virtual arrays, by the depth of the array.
  std::map<unsigned, llvm::SetVector<Operation *>> reads;
  llvm::DenseMap<Operation *, unsigned> depthOfRead;
  llvm::SetVector<Operation *> inserted;
  /// A read that only extents depend on, while it is expanded.
  GetOp extentRead;
  /// Operations that were inserted since the last elimination, and the number
  /// of operations and of reads in the deepest layer just after it.
  size_t numInserted = 0, numOperations = 0, numDeepest = 0;
};
} // namespace

void ReadExpander::notifyOperationInserted(Operation *op,
                                           OpBuilder::InsertPoint) {
  inserted.insert(op);
  ++numInserted;
  auto read = dyn_cast<GetOp>(op);
  if (!extentRead || !read)
    return;
  // The elements of virtual arrays are not read here.
  for (Operation *parent = op->getParentOp();
       parent && parent != extentRead->getParentOp();
       parent = parent->getParentOp())
    if (isa<PullOpInterface>(parent))
      return;
  read.setExtentRead(true);
}

void ReadExpander::notifyOperationModified(Operation *op) {
  // A read of an element that is an array reads another array after that
  // element has been computed.
  inserted.insert(op);
  for (; op && op != root; op = op->getParentOp())
    depths.erase(op);
}

void ReadExpander::notifyOperationErased(Operation *op) {
  op->walk([&](Operation *inner) {
    inserted.remove(inner);
    depths.erase(inner);
    if (auto read = depthOfRead.find(inner); read != depthOfRead.end()) {
      reads[read->second].remove(inner);
      depthOfRead.erase(read);
    }
  });
}

unsigned ReadExpander::getDepth(Value array) {
  Operation *op = getVirtualArray(array);
  if (!op)
    return 0;
  if (auto known = depths.find(op); known != depths.end())
    return known->second;
  unsigned depth = 0;
  op->walk([&](Operation *user) {
    for (Value operand : user->getOperands())
      if (isa<PullType>(operand.getType()))
        depth = std::max(depth, getDepth(operand));
  });
  return depths[op] = depth + 1;
}

void ReadExpander::addRead(GetOp read) {
  for (Operation *op = read->getParentOp(); op && op != root;
       op = op->getParentOp())
    if (isExpandedWhereRead(op))
      return;
  unsigned depth = getDepth(read.getArray());
  if (auto known = depthOfRead.find(read); known != depthOfRead.end()) {
    reads[known->second].remove(read);
    depthOfRead.erase(known);
  }
  if (depth == 0)
    return;
  reads[depth].insert(read);
  depthOfRead[read] = depth;
}

void ReadExpander::findReads() {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // In the order of the code, so that the depths of the operands of an array
    // are known before its own.
    for (Value result : op->getResults())
      if (isa<PullType>(result.getType()))
        getDepth(result);
    if (isExpandedWhereRead(op))
      return WalkResult::skip();
    if (auto read = dyn_cast<GetOp>(op))
      addRead(read);
    return WalkResult::advance();
  });
}

SmallVector<GetOp> ReadExpander::getDeepest() {
  while (!reads.empty() && reads.rbegin()->second.empty())
    reads.erase(std::prev(reads.end()));
  if (reads.empty())
    return {};
  SmallVector<GetOp> deepest;
  for (Operation *op : std::prev(reads.end())->second)
    deepest.push_back(cast<GetOp>(op));
  return deepest;
}

void ReadExpander::expand(ArrayRef<GetOp> deepest,
                          const FrozenRewritePatternSet &simplifications) {
  llvm::SetVector<Operation *> arrays, choices;
  for (GetOp read : deepest) {
    Operation *array = read.getArray().getDefiningOp();
    arrays.insert(array);
    for (Operation *parent = read->getParentOp(); isa<scf::IfOp>(parent);
         parent = parent->getParentOp())
      choices.insert(parent);
    rewriter.setInsertionPoint(read);
    extentRead = read.getExtentRead() ? read : GetOp();
    if (auto pull = dyn_cast<PullOpInterface>(array))
      readVirtual(read, pull, rewriter);
    else if (auto choice = dyn_cast<scf::IfOp>(array))
      readChoice(read, choice, rewriter);
    else
      readSelected(read, cast<arith::SelectOp>(array), rewriter);
  }
  extentRead = {};
  for (Operation *array : arrays)
    if (isOpTriviallyDead(array))
      rewriter.eraseOp(array);
  if (choices.empty())
    return;
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  config.setListener(this);
  (void)applyOpPatternsGreedily(choices.getArrayRef(), simplifications, config);
}

void ReadExpander::registerReads() {
  for (Operation *op : inserted)
    if (auto read = dyn_cast<GetOp>(op))
      addRead(read);
  inserted.clear();
}

void ReadExpander::eliminateCommonSubexpressions() {
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, root);
  registerReads();
  measureCode();
}

void ReadExpander::measureCode() {
  numInserted = numOperations = 0;
  root->walk([&](Operation *) { ++numOperations; });
  numDeepest = getDeepest().size();
}

bool ReadExpander::hasDoubled(size_t numReads) const {
  // For small layers, a visit of the whole code is not worthwhile.
  constexpr size_t minReads = 64;
  return numInserted > numOperations || numReads > 2 * numDeepest + minReads;
}

LogicalResult
ReadExpander::run(const FrozenRewritePatternSet &simplifications) {
  // Programs with forces need far fewer reads. A kernel of this size would take
  // minutes to compile.
  constexpr unsigned maxReads = 1 << 12;
  findReads();
  if (reads.empty()) {
    guardExtentReads();
    return success();
  }
  // The pipelines have just eliminated common subexpressions.
  measureCode();
  for (SmallVector<GetOp> deepest = getDeepest(); !deepest.empty();
       deepest = getDeepest()) {
    if (hasDoubled(deepest.size())) {
      eliminateCommonSubexpressions();
      deepest = getDeepest();
    }
    llvm::SmallDenseMap<Operation *, unsigned> numReads;
    for (GetOp read : deepest)
      if (Operation *array = read.getArray().getDefiningOp();
          ++numReads[array] > maxReads)
        return array->emitError("[fuse-size] is read in more than ")
               << maxReads
               << " places after fusion; force it, or an array that "
                  "depends on it";
    expand(deepest, simplifications);
    registerReads();
  }
  eliminateCommonSubexpressions();
  guardExtentReads();
  return success();
}

void ReadExpander::guardExtentReads() {
  SmallVector<GetOp> found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isExpandedWhereRead(op))
      return WalkResult::skip();
    auto read = dyn_cast<GetOp>(op);
    if (read && read.getExtentRead() && !getVirtualArray(read.getArray()))
      found.push_back(read);
    return WalkResult::advance();
  });
  for (GetOp read : found) {
    read.setExtentRead(false);
    rewriter.setInsertionPoint(read);
    Location loc = read.getLoc();
    IndexBuilder b{rewriter, loc};
    Value isInside;
    for (auto [d, index] : llvm::enumerate(read.getIndices())) {
      Value fits =
          b.below(index, buildExtent(rewriter, loc, read.getArray(), d));
      if (!matchPattern(fits, m_One()))
        isInside = b.both(isInside, fits);
    }
    if (!isInside)
      continue;
    auto element = [&](OpBuilder &b, Location l) {
      scf::YieldOp::create(b, l,
                           buildGet(b, l, read.getArray(), read.getIndices()));
    };
    auto none = [&](OpBuilder &b, Location l) {
      SmallVector<Value> zeros;
      for (Type type : read.getResultTypes())
        zeros.push_back(arith::ConstantOp::create(b, l, b.getZeroAttr(type)));
      scf::YieldOp::create(b, l, zeros);
    };
    auto guarded = scf::IfOp::create(rewriter, loc, isInside, element, none);
    rewriter.replaceOp(read, guarded.getResults());
  }
}

LogicalResult obs::expandReads(Operation *root,
                               const FrozenRewritePatternSet &simplifications) {
  return ReadExpander(root).run(simplifications);
}

bool obs::readsVirtualArrays(Operation *root) {
  return root
      ->walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isExpandedWhereRead(op))
          return WalkResult::skip();
        auto read = dyn_cast<GetOp>(op);
        return read && getVirtualArray(read.getArray())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
