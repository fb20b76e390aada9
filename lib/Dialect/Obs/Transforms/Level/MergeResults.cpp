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
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSMERGERESULTSPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Merges one loop over instances into another.
class Merger {
public:
  Merger(scf::ForOp first, scf::ForOp second) : first(first), second(second) {}

  /// False if the loops were not changed.
  bool run();

private:
  bool isEqual(Operation *a, Operation *b);
  void match();
  bool isComplete(memref::AllocOp alloc);

  scf::ForOp first, second;
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
  equal[second.getInductionVar()] = first.getInductionVar();
  Block::iterator next = first.getBody()->begin();
  Block::iterator end = first.getBody()->getTerminator()->getIterator();
  for (Operation &op : second.getBody()->without_terminator())
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

/// True if all writes of `alloc`, of the first loop, are matched, so that its
/// contents are those of its counterpart.
bool Merger::isComplete(memref::AllocOp alloc) {
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    Operation *top = first.getBody()->findAncestorOpInBlock(*user);
    return isa<memref::LoadOp>(user) || (top && taken.contains(top));
  });
}

bool Merger::run() {
  match();
  // If one program writes the array later, the arrays are different.
  for (auto [own, other] : matched) {
    auto alloc = dyn_cast<memref::AllocOp>(other);
    if (alloc && !isComplete(alloc))
      return false;
  }
  bool sharesArray = llvm::any_of(
      matched, [](auto &pair) { return isa<memref::AllocOp>(pair.first); });
  if (!sharesArray)
    return false;
  Operation *terminator = first.getBody()->getTerminator();
  for (Operation &op :
       llvm::make_early_inc_range(second.getBody()->without_terminator())) {
    if (matched.contains(&op))
      continue;
    op.moveBefore(terminator);
  }
  second.getInductionVar().replaceAllUsesWith(first.getInductionVar());
  for (auto [own, other] : matched)
    own->replaceAllUsesWith(other->getResults());
  second.erase();
  return true;
}

/// True for two loops over the same instances, which are in one block.
static bool areSiblings(scf::ForOp a, scf::ForOp b) {
  auto map = a->getAttrOfType<MapAttr>("obs.map");
  return map && map.getScope() == Level::Grid &&
         map == b->getAttrOfType<MapAttr>("obs.map") &&
         a.getLowerBound() == b.getLowerBound() &&
         a.getUpperBound() == b.getUpperBound() && a.getStep() == b.getStep();
}

namespace {
struct MergeResults : obs::impl::ObsMergeResultsPassBase<MergeResults> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    SmallVector<scf::ForOp> loops(body.getOps<scf::ForOp>());
    for (unsigned i = 0; i + 1 < loops.size();) {
      scf::ForOp first = loops[i], second = loops[i + 1];
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
