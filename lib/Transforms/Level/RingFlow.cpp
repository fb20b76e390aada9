//===- RingFlow.cpp - Rings for which one slot is sufficient --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingFlow.h"
#include "Accesses.h"
#include "Slots.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Follows the slot of a ring that contains the array that was written last.
class RingFlow {
public:
  explicit RingFlow(Value ring) : ring(ring) {}
  /// True if each read from `op` to the end of its block is of this slot.
  bool runFrom(Operation *op);

private:
  /// The slot, or nullopt before the first write.
  using State = std::optional<Slot>;

  bool isUsedIn(Operation *op) const;
  bool run(Block::iterator from, Block::iterator to, State &state);
  bool runLeaf(scf::ForallOp leaf, State &state);
  bool runLoop(scf::ForOp loop, State &state);

  Value ring;
  SlotReader slots;
};
} // namespace

bool RingFlow::isUsedIn(Operation *op) const {
  return llvm::any_of(ring.getUsers(),
                      [&](Operation *user) { return op->isAncestor(user); });
}

bool RingFlow::runLeaf(scf::ForallOp leaf, State &state) {
  State before = state;
  SmallVector<Operation *> stores;
  bool isKept = true;
  leaf.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!llvm::is_contained(op->getOperands(), ring))
      return;
    Slot slot = slots.get(getIndexedMemory(op).second[0]);
    if (isa<memref::StoreOp>(op)) {
      // A leaf loop writes one array.
      isKept &= stores.empty() || slot == state;
      state = slot;
      stores.push_back(op);
      return;
    }
    bool isAfterStore = llvm::any_of(stores, [&](Operation *store) {
      return !insideMutuallyExclusiveRegions(store, op);
    });
    isKept &= slot == (isAfterStore ? state : before);
  });
  return isKept;
}

bool RingFlow::runLoop(scf::ForOp loop, State &state) {
  Block &body = *loop.getBody();
  auto runBody = [&](State first) -> State {
    State last = first;
    return run(body.begin(), body.end(), last) ? last : State();
  };
  // The slot number that the loop carries for this ring.
  for (auto [number, init] : llvm::enumerate(loop.getInitArgs())) {
    if (slots.get(init) != state)
      continue;
    State last = runBody(slots.get(loop.getRegionIterArg(number)));
    if (last && last == slots.get(loop.getYieldedValues()[number])) {
      state = slots.get(loop.getResult(number));
      return true;
    }
  }
  // Without iterations, the array stays in its slot.
  State last = runBody(state);
  return last && last == state;
}

bool RingFlow::run(Block::iterator from, Block::iterator to, State &state) {
  for (Operation &op : llvm::make_range(from, to)) {
    if (!isUsedIn(&op))
      continue;
    if (auto leaf = dyn_cast<scf::ForallOp>(op)) {
      if (!runLeaf(leaf, state))
        return false;
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!runLoop(loop, state))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : branch.getRegions()) {
        State arm = state;
        if (!region->empty() &&
            (!run(region->front().begin(), region->front().end(), arm) ||
             arm != state))
          return false;
      }
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      // All lanes of a warp read one element.
      if (slots.get(load.getIndices().front()) != state)
        return false;
    } else {
      return false;
    }
  }
  return true;
}

bool RingFlow::runFrom(Operation *op) {
  State state;
  return run(std::next(op->getIterator()), op->getBlock()->end(), state);
}

bool obs::isRingOfTwo(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  return type.getRank() > 1 && type.getDimSize(0) == 2 &&
         llvm::any_of(alloc->getUsers(), [](Operation *user) {
           auto [memory, indices] = getIndexedMemory(user);
           return memory && !getConstantIntValue(indices[0]);
         });
}

bool obs::readsLastSlotOnly(memref::AllocOp ring) {
  return RingFlow(ring.getResult()).runFrom(ring);
}
