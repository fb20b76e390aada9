//===- ObsViewVerifier.cpp - Views after a force into their memory --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rule R8. A view denotes the contents of memory at the point where it stands,
// but reads them where it is used. So no operation may write this memory
// between the two points. For each force `into` memory, the check finds the
// views (and earlier forces) of that memory, collects the arrays that are
// computed from each, and examines their uses.
//
// Two memrefs are the same memory if they come from one value by casts and
// subviews. Two arguments of a function are assumed to be different memory,
// which callers must respect. Otherwise, the check is conservative.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "Verification.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

static bool isArray(Value value) {
  return isa<PullType, PushType>(value.getType());
}

/// `root` and all casts and parts of it.
static llvm::SetVector<Value> getAliases(Value root) {
  llvm::SetVector<Value> aliases;
  aliases.insert(root);
  for (unsigned i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers())
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        if (view.getViewSource() == aliases[i])
          aliases.insert(view.getViewDest());
  return aliases;
}

/// The arrays that become `operand` when its user runs, which moves values
/// between regions: tied results and block arguments.
static void getForwarded(OpOperand &operand, llvm::SetVector<Value> &arrays) {
  Operation *user = operand.getOwner();
  Operation *parent = user->getParentOp();
  unsigned number = operand.getOperandNumber();
  auto insert = [&](auto range, unsigned index) {
    if (index < range.size())
      arrays.insert(range[index]);
  };
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (number < loop.getNumControlOperands())
      return;
    insert(loop.getRegionIterArgs(), number - loop.getNumControlOperands());
    insert(loop.getResults(), number - loop.getNumControlOperands());
  } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
    insert(loop.getBeforeArguments(), number);
  } else if (isa<scf::ConditionOp>(user)) {
    if (auto loop = dyn_cast<scf::WhileOp>(parent); loop && number > 0) {
      insert(loop.getAfterArguments(), number - 1);
      insert(loop.getResults(), number - 1);
    }
  } else if (isa<scf::YieldOp>(user)) {
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      insert(loop.getBeforeArguments(), number);
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      insert(loop.getRegionIterArgs(), number);
    insert(parent->getResults(), number);
  } else if (!isa<ForceOp>(user)) {
    for (Value result : user->getResults())
      if (isArray(result))
        arrays.insert(result);
  }
}

/// All arrays that read `source`, including itself: arrays computed from it,
/// and deferred programs (obs operations with a region) that use it.
static llvm::SetVector<Value> getDerived(Value source) {
  llvm::SetVector<Value> derived;
  derived.insert(source);
  for (unsigned i = 0; i < derived.size(); ++i) {
    Value array = derived[i];
    for (OpOperand &use : array.getUses()) {
      getForwarded(use, derived);
      for (Operation *parent = use.getOwner()->getParentOp(); parent;
           parent = parent->getParentOp())
        if (isa<LevelScopeOpInterface>(parent))
          // Only programs for which `array` comes from outside read it later.
          if (!parent->isProperAncestor(
                  array.getParentBlock()->getParentOp()) &&
              parent != array.getParentBlock()->getParentOp())
            for (Value result : parent->getResults())
              if (isArray(result))
                derived.insert(result);
    }
  }
  return derived;
}

/// True if `array` is defined before `force` runs. A use after the force then
/// reads the old contents. The result of the force or of its loop is no such
/// array.
static bool isBoundBefore(Value array, ForceOp force) {
  Operation *ancestor =
      array.getParentBlock()->findAncestorOpInBlock(*force.getOperation());
  Operation *definition = array.getDefiningOp();
  if (!ancestor || !definition)
    return ancestor;
  return ancestor != definition && definition->isBeforeInBlock(ancestor);
}

/// True if `use` may run after `force` while `array`, which is defined before,
/// is still the same value.
static bool mayFollow(Operation *use, ForceOp force, Value array) {
  for (Operation *at = force; at && at->getBlock(); at = at->getParentOp()) {
    if (isa<FunctionOpInterface>(at))
      return false;
    Operation *parent = at->getParentOp();
    if (Operation *ancestor = at->getBlock()->findAncestorOpInBlock(*use)) {
      if (ancestor != at && at->isBeforeInBlock(ancestor))
        return true;
      // A loop repeats `use`, with the same array if it is from outside.
      for (Operation *loop = at; loop; loop = loop->getParentOp())
        if (isa<LoopLikeOpInterface>(loop) && loop->isProperAncestor(use) &&
            !loop->isAncestor(array.getParentBlock()->getParentOp()))
          return true;
      return false;
    }
    auto loop = dyn_cast_or_null<scf::WhileOp>(parent);
    if (loop && loop.getBefore().isAncestor(at->getParentRegion()) &&
        loop.getAfter().isAncestor(use->getParentRegion()))
      return true;
  }
  return false;
}

/// True if `get`, in an iteration of `loop`, runs before `write`.
static bool runsBefore(GetOp get, WriteOp write, ParOp loop) {
  for (Operation *at = get; at != loop; at = at->getParentOp()) {
    if (isa<LoopLikeOpInterface>(at))
      return false;
    if (Operation *ancestor = at->getBlock()->findAncestorOpInBlock(*write)) {
      for (Operation *op = at->getParentOp(); op != loop;
           op = op->getParentOp())
        if (isa<LoopLikeOpInterface>(op))
          return false;
      return ancestor != at && at->isBeforeInBlock(ancestor);
    }
  }
  return false;
}

/// True if no iteration of `loop` writes, at one of `writes`, an element that
/// another iteration reads at one of `gets`, and no iteration reads an element
/// that it has written itself.
static bool readsOnlyOwn(ParOp loop, ArrayRef<GetOp> gets,
                         ArrayRef<WriteOp> writes) {
  Block &body = loop.getBody().front();
  if (body.getNumArguments() != 1)
    return false;
  IndexRecognizer recognizer;
  recognizer.addLeaf(loop.getBody());
  IndexExpr count = recognizer.get(loop.getExtents()[0]);
  unsigned iteration =
      recognizer.addVariable(body.getArgument(0), count.getConstant());
  auto getAddress = [&](ValueRange indices) {
    IndexMap address;
    for (Value index : indices)
      address.push_back(recognizer.get(index));
    return address;
  };
  for (GetOp get : gets)
    for (WriteOp write : writes) {
      IndexMap from = getAddress(get.getIndices());
      IndexMap to = getAddress(write.getIndices());
      ThreadRelation relation = relate(
          {from, iteration, count, IterationLayout::Blocked},
          {to, iteration, count, IterationLayout::Blocked}, workersForEach);
      if (relation > ThreadRelation::SameThread ||
          (relation == ThreadRelation::SameThread &&
           !runsBefore(get, write, loop)))
        return false;
    }
  return true;
}

/// True if `fill` may write `memory`, although it reads arrays of `derived`:
/// it is one loop whose iterations read only those elements of these arrays
/// that no other iteration writes. Adds these arrays to `read`. `isForced` if
/// nothing changes the elements between the fill and the memory.
static bool readsWhereItWrites(FillOp fill, ValueRange memory, bool isForced,
                               const llvm::SetVector<Value> &derived,
                               SmallVectorImpl<Value> &read) {
  bool startsFromMemory =
      isForced && fill.getOnto() && isContentsOf(fill.getOnto(), memory);
  if (fill.getOnto() && derived.contains(fill.getOnto()) && !startsFromMemory)
    return false;
  bool readsNothing = true;
  fill.getBody().walk([&](Operation *op) {
    if (!isa<DimOp>(op))
      readsNothing &= llvm::none_of(op->getOperands(), [&](Value operand) {
        return derived.contains(operand);
      });
  });
  if (readsNothing)
    return true;
  // Other initial contents replace the elements before the loop reads them.
  if (hasInitialContents(fill.getResult()) && !startsFromMemory)
    return false;
  ParOp loop;
  for (Operation &op : fill.getBody().front())
    if (auto par = dyn_cast<ParOp>(op); par && !loop)
      loop = par;
    else if (!isMemoryEffectFree(&op))
      return false;
  if (!loop)
    return false;
  // The threads of an inner loop run side by side.
  if (containsOp(loop.getBody(), [](ParOp) { return true; }))
    return false;
  auto isOwn = [&](OperandRange indices) {
    return llvm::equal(indices, loop.getBody().front().getArguments());
  };
  SmallVector<GetOp> gets;
  SmallVector<WriteOp> writes;
  bool isOwnIndex = true, isKnown = true;
  fill.getBody().walk([&](Operation *op) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      isOwnIndex &= isOwn(write.getIndices());
      writes.push_back(write);
    } else if (auto get = dyn_cast<GetOp>(op)) {
      if (!derived.contains(get.getArray()))
        return;
      isKnown &= loop->isProperAncestor(op);
      isOwnIndex &= isOwn(get.getIndices());
      gets.push_back(get);
      read.push_back(get.getArray());
    } else if (!isa<DimOp>(op)) {
      isKnown &= llvm::none_of(op->getOperands(), [&](Value operand) {
        return derived.contains(operand);
      });
    }
  });
  return isKnown && (isOwnIndex || readsOnlyOwn(loop, gets, writes));
}

/// True if element i of `array` reads at most element i of `source`, or if the
/// iteration that writes it reads other elements that only this iteration
/// writes. `derived` is the set of the arrays derived from `source`, and
/// `memory` the memory that is written.
static bool readsOwnElement(Value array, Value source, ValueRange memory,
                            const llvm::SetVector<Value> &derived) {
  llvm::SmallPtrSet<Value, 16> seen;
  SmallVector<Value> work = {array};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == source || !derived.contains(value) ||
        !seen.insert(value).second)
      continue;
    if (SmallVector<Value> carried = getPossibleArrays(value);
        !carried.empty()) {
      llvm::append_range(work, carried);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto fill = dyn_cast_or_null<FillOp>(op)) {
      if (!readsWhereItWrites(fill, memory, /*isForced=*/value == array,
                              derived, work))
        return false;
      continue;
    }
    auto known = dyn_cast_or_null<ArrayOpInterface>(op);
    if (!known || !known.isElementwise())
      return false;
    bool captures = false;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          captures |= derived.contains(operand);
      });
    // The initial contents are changed, too, and are written first.
    bool readsOther = llvm::any_of(op->getOperands(), [&](Value operand) {
      return isa<PullType>(operand.getType()) && derived.contains(operand);
    });
    if (captures ||
        (readsOther && llvm::any_of(op->getOperands(), hasInitialContents)))
      return false;
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// Emits `[R8-inside]` if `force` reads `source`, an array of the memory
/// `root`, at another element than the one that it writes.
static LogicalResult verifyReads(ForceOp force, Value source, Value root,
                                 const llvm::SetVector<Value> &derived) {
  if (force.getUnchecked())
    return success();
  auto isOwn = [&](ValueRange memory) {
    return llvm::all_of(getViewedMemory(source), [&](Value viewed) {
      return getUnderlyingMemory(viewed) != root ||
             llvm::is_contained(memory, viewed);
    });
  };
  for (auto [array, result] :
       llvm::zip(force.getArrays(), force.getResults())) {
    ValueRange memory = getViewedMemory(result);
    if (!derived.contains(array) ||
        (isOwn(memory) && readsOwnElement(array, source, memory, derived)))
      continue;
    return force.emitOpError(
        "[R8-inside] reads memory that it writes, and an element may be "
        "overwritten before it is read; force into other memory, or mark it "
        "{unchecked}");
  }
  return success();
}

LogicalResult verification::verifyViewUses(ForceOp force) {
  llvm::SetVector<Value> roots;
  for (Value memory : force.getInto())
    roots.insert(getUnderlyingMemory(memory));
  for (Value root : roots) {
    // Views of the memory, and results of forces into it. A loop brings back
    // the results of this force.
    llvm::SetVector<Value> sources;
    for (Value alias : getAliases(root))
      for (Operation *user : alias.getUsers())
        if (isa<ViewOp, ForceOp>(user))
          for (Value result : user->getResults())
            if (isa<ViewOp>(user) ||
                llvm::any_of(getViewedMemory(result), [&](Value memory) {
                  return getUnderlyingMemory(memory) == root;
                }))
              sources.insert(result);
    for (Value source : sources) {
      llvm::SetVector<Value> derived = getDerived(source);
      if (failed(verifyReads(force, source, root, derived)))
        return failure();
      for (Value array : derived) {
        if (!isBoundBefore(array, force))
          continue;
        for (Operation *user : array.getUsers()) {
          if (!mayFollow(user, force, array))
            continue;
          InFlightDiagnostic diagnostic =
              user->emitOpError("[R8-after] uses an array that reads memory "
                                "which a force has overwritten; use the result "
                                "of the force, or force a copy first");
          diagnostic.attachNote(force.getLoc()) << "the force is here";
          return diagnostic;
        }
      }
    }
  }
  return success();
}
