//===- OwnedArrays.cpp - Arrays of blocks in registers --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnedArrays.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

static ValueRange getIndices(Operation *access) {
  if (auto load = dyn_cast<memref::LoadOp>(access))
    return load.getIndices();
  return cast<memref::StoreOp>(access).getIndices();
}

/// True if `value` is 1 - `slot`.
static bool isOther(Value value, Value slot) {
  auto sub = value.getDefiningOp<arith::SubIOp>();
  return sub && getConstantIntValue(sub.getLhs()) == 1 && sub.getRhs() == slot;
}

/// True if the first index of `accesses` is the slot of a ring of one loop, and
/// every read is of the slot that was written last: in front of the loop all
/// use the slot that it starts with, behind it the one that it ends with, and
/// an iteration reads its own slot before it writes the other.
static bool readsLastSlot(ArrayRef<Operation *> accesses) {
  scf::ForOp loop;
  BlockArgument slot;
  for (Operation *access : accesses)
    if (auto argument = dyn_cast<BlockArgument>(getIndices(access)[0])) {
      slot = argument;
      loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    }
  if (!loop || slot == loop.getInductionVar())
    return false;
  unsigned number = slot.getArgNumber() - loop.getNumInductionVars();
  Value init = loop.getInitArgs()[number];
  std::optional<int64_t> first = getConstantIntValue(init);
  if (!first || !isOther(loop.getYieldedValues()[number], slot))
    return false;
  bool written = false;
  for (Operation *access : accesses) {
    Operation *leaf = access->getParentOfType<scf::ForallOp>();
    Value index = getIndices(access)[0];
    bool isStore = isa<memref::StoreOp>(access);
    if (leaf->getBlock() == loop.getBody()) {
      if (isStore ? !isOther(index, slot) : index != slot || written)
        return false;
      written |= isStore;
    } else if (leaf->getBlock() != loop->getBlock()) {
      return false;
    } else if (leaf->isBeforeInBlock(loop)) {
      if (getConstantIntValue(index) != first)
        return false;
    } else if (isStore || index != loop.getResult(number)) {
      return false;
    }
  }
  return true;
}

bool obs::isOwned(memref::AllocOp alloc, int64_t threads) {
  MemRefType type = alloc.getType();
  auto home = dyn_cast_or_null<HomeAttr>(type.getMemorySpace());
  if (!home || home.getOwner() != Level::Block ||
      (home.getStorage() != Storage::Auto &&
       home.getStorage() != Storage::Registers) ||
      !type.hasStaticShape() || type.getNumElements() == 0)
    return false;

  // In the order of the program.
  SmallVector<Operation *> accesses;
  bool isKnown = true;
  alloc->getParentOfType<KernelOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *op) {
        if (!llvm::is_contained(op->getOperands(), alloc.getResult()))
          return;
        auto leaf = op->getParentOfType<scf::ForallOp>();
        MapAttr map = leaf ? getLeafMap(leaf) : MapAttr();
        auto store = dyn_cast<memref::StoreOp>(op);
        std::optional<int64_t> extent =
            leaf ? getConstantIntValue(leaf.getMixedUpperBound()[0])
                 : std::nullopt;
        isKnown &= map && map.getScope() == Level::Block && extent &&
                   *extent <= threads &&
                   (isa<memref::LoadOp>(op) ||
                    (store && store.getMemRef() == alloc.getResult()));
        accesses.push_back(op);
      });
  if (!isKnown || accesses.empty())
    return false;

  // All extents are at most the threads, so iteration t is thread t.
  bool isRing = type.getRank() > 1 && type.getDimSize(0) == 2 &&
                llvm::any_of(accesses, [](Operation *access) {
                  return !getConstantIntValue(getIndices(access)[0]);
                });
  llvm::DenseMap<int64_t, int64_t> owners, elements;
  for (Operation *access : accesses) {
    ValueRange indices = getIndices(access).drop_front(isRing ? 1 : 0);
    auto reached =
        evaluateIndices(access->getParentOfType<scf::ForallOp>(), indices,
                        type.getShape().drop_front(isRing ? 1 : 0));
    if (!reached)
      return false;
    for (auto [t, element] : llvm::enumerate(*reached)) {
      if (element < 0)
        continue;
      int64_t thread = static_cast<int64_t>(t);
      if (owners.try_emplace(element, thread).first->second != thread ||
          elements.try_emplace(thread, element).first->second != element)
        return false;
    }
  }
  return !isRing || readsLastSlot(accesses);
}
