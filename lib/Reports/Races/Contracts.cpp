//===- Contracts.cpp - Pairs of accesses that a contract covers -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;

/// True if both accesses belong to the same iteration of each loop around them
/// that begins a new array in shared memory.
static bool isOneRun(const PendingAccess &first, const MemoryAccess &second) {
  return !second.isShared || llvm::all_of(first.past, [](const PastLoop &past) {
    return !past.left && past.age == Age::ThisTurn;
  });
}

/// True if the accesses may belong to two forces, each of an iteration of a
/// loop around them: it has begun an iteration in between, or its iterations do
/// not wait for each other.
static bool mayBeTwoForces(const PendingAccess &first,
                           const MemoryAccess &second) {
  auto outer = getAttr<ObsDialect::OuterLoopsAttrHelper>(second.op);
  if (!outer)
    return false;
  for (Operation *loop = second.op->getParentOp(); !isa<gpu::GPUFuncOp>(loop);
       loop = loop->getParentOp()) {
    auto number = getAttr<ObsDialect::LoopAttrHelper>(loop);
    if (!number || !llvm::is_contained(outer.asArrayRef(), number.getInt()))
      continue;
    auto past = llvm::find_if(
        first.past, [&](const PastLoop &past) { return past.loop == loop; });
    if (past == first.past.end() || past->left || past->age != Age::ThisTurn)
      return true;
  }
  return false;
}

/// True if what `load` reads only decides whether a thread stores to the same
/// element with contract `any`.
static bool decidesStoresOnly(const MemoryAccess &load) {
  auto isStore = [&](Operation &op) {
    std::optional<MemoryAccess> access = getMemoryAccess(&op);
    return access && access->effect == Effect::Write &&
           access->contract == WriteMark::Any && access->array == load.array &&
           access->indices == load.indices;
  };
  SetVector<Value> values;
  values.insert_range(load.op->getResults());
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (auto branch = dyn_cast<scf::IfOp>(user)) {
        if (branch.getNumResults() != 0 || !branch.getElseRegion().empty() ||
            !llvm::all_of(branch.thenBlock()->without_terminator(), isStore))
          return false;
      } else if (user->getNumRegions() != 0 || !isMemoryEffectFree(user) ||
                 user->hasTrait<OpTrait::IsTerminator>()) {
        return false;
      }
      values.insert_range(user->getResults());
    }
  return true;
}

bool races::hasContract(const PendingAccess &pending,
                        const MemoryAccess &second) {
  const MemoryAccess &first = *pending.access;
  bool isFirstRead = first.effect == Effect::Read;
  const MemoryAccess &read = isFirstRead ? first : second;
  bool isReadAndWrite = isFirstRead || second.effect == Effect::Read;
  // A contract says nothing about another array in the same bytes.
  if (first.array != second.array)
    return false;
  // Copies of one store have one contract together.
  auto origin = getAttr<ObsDialect::OriginAttrHelper>(second.op);
  bool isSame =
      !isReadAndWrite &&
      (first.op == second.op ||
       (origin && getAttr<ObsDialect::OriginAttrHelper>(first.op) == origin));
  // A load finds a value that another iteration stored, and then omits a store.
  // Two stores are a separate pair.
  bool isTest = isReadAndWrite && first.contract == WriteMark::Any &&
                second.contract == WriteMark::Any && decidesStoresOnly(read);
  return (isSame || isTest) && isOneRun(pending, second) &&
         !mayBeTwoForces(pending, second) &&
         (second.contract == WriteMark::Any ||
          second.contract == WriteMark::Disjoint);
}
