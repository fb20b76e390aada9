//===- MergeResults.cpp - One run for several results ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result of a force has a separate program, so common code of two results
// exists twice. Both programs were copied from one program, so their operations
// have the same order. The pass matches equal operations from the beginning on,
// and moves the remaining operations after the first program.
//
// Loops over instances merge if they share an array. Leaf loops over elements
// merge if they share a load or a loop, and no loop accesses what the other one
// writes.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSMERGERESULTSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Merges one loop into another of equal iterations.
class Merger {
public:
  Merger(Operation *first, Operation *second)
      : first(&first->getRegion(0).front()),
        second(&second->getRegion(0).front()) {}

  /// False if the loops were not changed.
  bool run();

private:
  bool isEqual(Operation *a, Operation *b);
  void match();
  bool isComplete(memref::AllocOp own, memref::AllocOp other);

  Block *first, *second;
  /// Values of the second loop that are values of the first.
  llvm::DenseMap<Value, Value> equal;
  /// Operations of the second loop, and of the first, that are matched.
  llvm::MapVector<Operation *, Operation *> matched;
  llvm::SmallPtrSet<Operation *, 16> taken;
};
} // namespace

bool Merger::isEqual(Operation *a, Operation *b) {
  llvm::DenseMap<Value, Value> inner;
  auto sameValue = [&](Value x, Value y) -> LogicalResult {
    if (auto known = inner.find(y); known != inner.end())
      return success(known->second == x);
    auto known = equal.find(y);
    return success(x == (known == equal.end() ? y : known->second));
  };
  auto mark = [&](Value x, Value y) { inner[y] = x; };
  return OperationEquivalence::isEquivalentTo(
      a, b, sameValue, mark, OperationEquivalence::IgnoreLocations);
}

void Merger::match() {
  for (auto [own, other] :
       llvm::zip_equal(second->getArguments(), first->getArguments()))
    equal[own] = other;
  Block::iterator next = first->begin();
  Block::iterator end = first->getTerminator()->getIterator();
  for (Operation &op : second->without_terminator())
    for (Block::iterator at = next; at != end; ++at) {
      if (taken.contains(&*at) || !isEqual(&*at, &op))
        continue;
      matched[&op] = &*at;
      taken.insert(&*at);
      for (auto [own, other] : llvm::zip(op.getResults(), at->getResults()))
        equal[own] = other;
      next = std::next(at);
      break;
    }
}

/// True if the second loop may use `other` of the first in place of `own`: all
/// writes of `other` are matched, and what is not matched may use it later, at
/// the end.
bool Merger::isComplete(memref::AllocOp own, memref::AllocOp other) {
  Operation *lastWrite = own, *lastUse = own;
  for (Operation *user : own->getUsers()) {
    Operation *top = second->findAncestorOpInBlock(*user);
    if (!matched.contains(top))
      continue;
    if (lastUse->isBeforeInBlock(top))
      lastUse = top;
    if (!isa<memref::LoadOp>(user) && lastWrite->isBeforeInBlock(top))
      lastWrite = top;
  }
  auto isKept = [&](Operation *user) {
    Operation *top = second->findAncestorOpInBlock(*user);
    return matched.contains(top) ||
           !top->isBeforeInBlock(isa<memref::LoadOp>(user) ? lastWrite
                                                           : lastUse);
  };
  auto isShared = [&](Operation *user) {
    Operation *top = first->findAncestorOpInBlock(*user);
    return isa<memref::LoadOp>(user) || (top && taken.contains(top));
  };
  return llvm::all_of(own->getUsers(), isKept) &&
         llvm::all_of(other->getUsers(), isShared);
}

bool Merger::run() {
  match();
  // If one program writes the array later, the arrays are different.
  for (auto [own, other] : matched) {
    auto alloc = dyn_cast<memref::AllocOp>(other);
    if (alloc && !isComplete(cast<memref::AllocOp>(own), alloc))
      return false;
  }
  bool isLeaf = isa<scf::ForallOp>(first->getParentOp());
  bool sharesWork = llvm::any_of(matched, [&](auto &pair) {
    return isa<memref::AllocOp>(pair.first) ||
           (isLeaf && (isa<memref::LoadOp>(pair.first) ||
                       pair.first->getNumRegions() != 0));
  });
  if (!sharesWork)
    return false;
  Operation *terminator = first->getTerminator();
  for (Operation &op :
       llvm::make_early_inc_range(second->without_terminator())) {
    if (matched.contains(&op))
      continue;
    op.moveBefore(terminator);
  }
  for (auto [own, other] :
       llvm::zip_equal(second->getArguments(), first->getArguments()))
    own.replaceAllUsesWith(other);
  for (auto [own, other] : matched)
    own->replaceAllUsesWith(other->getResults());
  second->getParentOp()->erase();
  return true;
}

/// Adds the memory outside of `leaf` that it reads and writes to the sets.
/// False if not all of it is known, or if the leaf has other effects.
static bool collectMemory(scf::ForallOp leaf,
                          llvm::SmallSetVector<Value, 8> &used,
                          llvm::SmallSetVector<Value, 8> &written) {
  return !leaf.getBody()
              ->walk([&](Operation *op) {
                auto [memory, indices] = getIndexedMemory(op);
                if (!memory)
                  return op->getNumRegions() != 0 || isa<memref::AllocOp>(op) ||
                                 isMemoryEffectFree(op)
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                Value root = getRoot(memory);
                if (!root)
                  return WalkResult::interrupt();
                if (leaf->isAncestor(root.getParentRegion()->getParentOp()))
                  return WalkResult::advance();
                used.insert(root);
                if (!isa<memref::LoadOp>(op))
                  written.insert(root);
                return WalkResult::advance();
              })
              .wasInterrupted();
}

/// True if the order of the accesses of two leaf loops does not matter.
static bool areIndependent(scf::ForallOp a, scf::ForallOp b) {
  llvm::SmallSetVector<Value, 8> used[2], written[2];
  if (!collectMemory(a, used[0], written[0]) ||
      !collectMemory(b, used[1], written[1]))
    return false;
  auto isUsed = [&](unsigned by) {
    return [&, by](Value memory) { return used[by].contains(memory); };
  };
  return llvm::none_of(written[0], isUsed(1)) &&
         llvm::none_of(written[1], isUsed(0));
}

/// True for two loops of the grid over the same instances or elements, which
/// are in one block.
static bool areSiblings(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getOperands() != b->getOperands() ||
      a->getAttrDictionary() != b->getAttrDictionary())
    return false;
  if (auto leaf = dyn_cast<scf::ForallOp>(a))
    return getLeafMap(leaf).getScope() == Level::Grid &&
           areIndependent(leaf, cast<scf::ForallOp>(b));
  auto map = getAttr<ObsDialect::MapAttrHelper>(a);
  return map && map.getScope() == Level::Grid;
}

namespace {
struct MergeResults : obs::impl::ObsMergeResultsPassBase<MergeResults> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    SmallVector<Operation *> loops;
    for (Operation &op : body)
      if (isa<scf::ForOp, scf::ForallOp>(op))
        loops.push_back(&op);
    for (unsigned i = 0; i + 1 < loops.size();) {
      Operation *first = loops[i], *second = loops[i + 1];
      // The values that the second needs must be available at the first.
      bool isNext = true;
      for (Operation *op = first->getNextNode(); op != second;
           op = op->getNextNode())
        isNext &= isMemoryEffectFree(op);
      if (isNext && areSiblings(first, second)) {
        first->moveBefore(second);
        if (Merger(first, second).run()) {
          loops.erase(loops.begin() + i + 1);
          continue;
        }
      }
      ++i;
    }
  }
};
} // namespace
