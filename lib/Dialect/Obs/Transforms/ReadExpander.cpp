//===- ReadExpander.cpp - Reads of virtual arrays -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read of a virtual array becomes the code that computes the element. The
// arrays that depend on the most others come first: when a read of one is
// replaced, every array that is built on it is gone, so all its reads are
// there, and equal ones become one. In any other order each layer of a
// permutation would double the code.
//
// Each layer looks at the operations that the layer before it has built, and at
// no others: the time is that of the code.
//
//===----------------------------------------------------------------------===//

#include "ReadExpander.h"
#include "HostArrays.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
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

/// get (if c then a else b) [i] = if c then get a [i] else get b [i].
static void readChoice(GetOp op, scf::IfOp choice, RewriterBase &rewriter) {
  unsigned number = cast<OpResult>(op.getArray()).getResultNumber();
  auto readArm = [&](Region &arm) {
    return [&](OpBuilder &b, Location loc) {
      Value array = cloneBody(b, arm, {})[number];
      scf::YieldOp::create(b, loc, buildGet(b, loc, array, op.getIndices()));
    };
  };
  auto read = scf::IfOp::create(rewriter, op.getLoc(), choice.getCondition(),
                                readArm(choice.getThenRegion()),
                                readArm(choice.getElseRegion()));
  rewriter.replaceOp(op, read.getResults());
}

/// get (select c, a, b) [i] = if c then get a [i] else get b [i]. Upstream
/// turns an `if` that only passes on arrays into a select.
static void readSelected(GetOp op, arith::SelectOp choice,
                         RewriterBase &rewriter) {
  auto readArm = [&](Value array) {
    return [&, array](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, buildGet(b, loc, array, op.getIndices()));
    };
  };
  auto read = scf::IfOp::create(rewriter, op.getLoc(), choice.getCondition(),
                                readArm(choice.getTrueValue()),
                                readArm(choice.getFalseValue()));
  rewriter.replaceOp(op, read.getResults());
}

/// The operation that says how to read `array`, or null if it is storage.
static Operation *getVirtualArray(Value array) {
  Operation *op = array.getDefiningOp();
  if (auto choice = dyn_cast_or_null<scf::IfOp>(op))
    return isVirtualChoice(choice) ? op : nullptr;
  return isa_and_nonnull<PullOpInterface, arith::SelectOp>(op) ? op : nullptr;
}

//===----------------------------------------------------------------------===//
// Equal operations
//===----------------------------------------------------------------------===//

namespace {
/// Finds operations that compute what others have computed before, one at a
/// time: the common subexpressions of code that grows.
class Expressions {
public:
  explicit Expressions(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Adds the operations of `ops`, each after those that make its operands.
  /// Erases those that are dead, or equal to one that runs before them.
  void add(ArrayRef<Operation *> ops);
  /// Forgets an operation that is erased.
  void forget(Operation *op);

private:
  void add(Operation *op);
  void replace(Operation *op, Operation *by);
  static bool dominates(Operation *op, Operation *later);

  RewriterBase &rewriter;
  llvm::DenseMap<size_t, SmallVector<Operation *, 1>> known;
  llvm::DenseMap<Operation *, size_t> hashes;
  llvm::SetVector<Operation *> pending;
};
} // namespace

void Expressions::add(ArrayRef<Operation *> ops) {
  // The first one is taken first.
  for (Operation *op : llvm::reverse(ops))
    pending.insert(op);
  while (!pending.empty())
    add(pending.pop_back_val());
}

void Expressions::forget(Operation *op) {
  pending.remove(op);
  auto found = hashes.find(op);
  if (found == hashes.end())
    return;
  llvm::erase(known[found->second], op);
  hashes.erase(found);
}

bool Expressions::dominates(Operation *op, Operation *later) {
  Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*later);
  return ancestor && ancestor != op && op->isBeforeInBlock(ancestor);
}

void Expressions::replace(Operation *op, Operation *by) {
  // The users have other operands now.
  for (Operation *user : op->getUsers())
    if (hashes.contains(user) && user != by) {
      forget(user);
      pending.insert(user);
    }
  rewriter.replaceOp(op, by);
}

void Expressions::add(Operation *op) {
  if (isOpTriviallyDead(op)) {
    SmallVector<Value> operands(op->getOperands());
    rewriter.eraseOp(op);
    for (Value operand : operands)
      if (Operation *before = operand.getDefiningOp();
          before && operand.use_empty())
        pending.insert(before);
    return;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumResults() == 0 ||
      op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return;
  size_t hash = OperationEquivalence::computeHash(
      op, OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  SmallVector<Operation *, 1> &equal = known[hash];
  for (Operation *other : equal) {
    if (other == op)
      return;
    if (!OperationEquivalence::isEquivalentTo(
            other, op, OperationEquivalence::IgnoreLocations))
      continue;
    if (dominates(other, op))
      return replace(op, other);
    if (dominates(op, other)) {
      pending.insert(op);
      return replace(other, op);
    }
  }
  equal.push_back(op);
  hashes[op] = hash;
}

//===----------------------------------------------------------------------===//
// The order of reads
//===----------------------------------------------------------------------===//

namespace {
class ReadExpander : RewriterBase::Listener {
public:
  explicit ReadExpander(Operation *root)
      : root(root), rewriter(root->getContext(), this), expressions(rewriter) {}

  LogicalResult run(const FrozenRewritePatternSet &simplifications);

private:
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override;
  void notifyOperationModified(Operation *op) override;
  void notifyOperationErased(Operation *op) override;
  /// How many arrays stand between `array` and storage.
  unsigned getDepth(Value array);
  void addRead(GetOp read);
  void findReads();
  /// The deepest reads, in the order of the code.
  SmallVector<GetOp> takeDeepest();
  void expand(ArrayRef<GetOp> deepest,
              const FrozenRewritePatternSet &simplifications);

  Operation *root;
  IRRewriter rewriter;
  Expressions expressions;
  llvm::DenseMap<Operation *, unsigned> depths;
  /// Reads of virtual arrays, by the depth of the array.
  std::map<unsigned, llvm::SetVector<Operation *>> reads;
  llvm::DenseMap<Operation *, unsigned> depthOfRead;
  llvm::SetVector<Operation *> inserted;
};
} // namespace

void ReadExpander::notifyOperationInserted(Operation *op,
                                           OpBuilder::InsertPoint) {
  inserted.insert(op);
}

void ReadExpander::notifyOperationModified(Operation *op) {
  // A read of an element that is an array reads another array when that element
  // is computed.
  inserted.insert(op);
  for (; op && op != root; op = op->getParentOp())
    depths.erase(op);
}

void ReadExpander::notifyOperationErased(Operation *op) {
  op->walk([&](Operation *inner) {
    inserted.remove(inner);
    depths.erase(inner);
    expressions.forget(inner);
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

/// True for an operation whose region computes elements where they are read.
static bool isExpandedWhereRead(Operation *op) {
  if (isa<PullOpInterface>(op))
    return true;
  auto choice = dyn_cast<scf::IfOp>(op);
  return choice &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<PullType>) &&
         isVirtualChoice(choice);
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
    // In the order of the code, so that no array is asked for before those that
    // it is made of.
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

SmallVector<GetOp> ReadExpander::takeDeepest() {
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
    if (auto pull = dyn_cast<PullOpInterface>(array))
      readVirtual(read, pull, rewriter);
    else if (auto choice = dyn_cast<scf::IfOp>(array))
      readChoice(read, choice, rewriter);
    else
      readSelected(read, cast<arith::SelectOp>(array), rewriter);
  }
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

LogicalResult
ReadExpander::run(const FrozenRewritePatternSet &simplifications) {
  // Far above what a program with forces in it needs; a kernel of this size
  // would take minutes to compile.
  constexpr unsigned maxReads = 1 << 14;
  findReads();
  if (reads.empty())
    return success();
  SmallVector<Operation *> all;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root)
      all.push_back(op);
    return isExpandedWhereRead(op) ? WalkResult::skip() : WalkResult::advance();
  });
  expressions.add(all);
  for (SmallVector<GetOp> deepest = takeDeepest(); !deepest.empty();
       deepest = takeDeepest()) {
    if (deepest.size() > maxReads)
      return deepest.front().getArray().getDefiningOp()->emitError(
                 "[fuse-size] is read in more than ")
             << maxReads
             << " places after fusion; force it, or an array that "
                "depends on it";
    expand(deepest, simplifications);
    expressions.add(inserted.getArrayRef());
    for (Operation *op : inserted)
      if (auto read = dyn_cast<GetOp>(op))
        addRead(read);
    inserted.clear();
  }
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, root);
  return success();
}

LogicalResult obs::expandReads(Operation *root,
                               const FrozenRewritePatternSet &simplifications) {
  return ReadExpander(root).run(simplifications);
}
