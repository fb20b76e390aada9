//===- OwnedArrays.cpp - Arrays of blocks in registers --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnedArrays.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "RingFlow.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LeafSteps LeafSteps::get(scf::ForallOp leaf, int64_t threads) {
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  return {*getIterations(leaf), threads,
          distribution && distribution.getValue() == Distribution::Blocked};
}

int64_t LeafSteps::getCount() const {
  return llvm::divideCeil(extent, threads);
}

int64_t LeafSteps::getThread(int64_t iteration) const {
  return isBlocked ? iteration / getCount() : iteration % threads;
}

int64_t LeafSteps::getStep(int64_t iteration) const {
  return isBlocked ? iteration % getCount() : iteration / threads;
}

bool LeafSteps::isFull(int64_t step) const {
  return isBlocked ? extent == getCount() * threads
                   : (step + 1) * threads <= extent;
}

int64_t obs::countRegisters(Type type, int64_t elements) {
  return elements *
         static_cast<int64_t>(llvm::divideCeil(getElementBits(type), 32u));
}

//===----------------------------------------------------------------------===//
// Owners
//===----------------------------------------------------------------------===//

namespace {
/// Finds the threads and the registers of the elements of one array.
class OwnerSearch {
public:
  OwnerSearch(memref::AllocOp alloc, int64_t threads,
              std::optional<NotOwned> *why)
      : alloc(alloc), threads(threads), why(why) {}
  std::optional<OwnedArray> run();

private:
  bool fail(Operation *op, const Twine &reason) {
    if (why)
      *why = NotOwned{op, reason.str()};
    return false;
  }
  LeafSteps getSteps(Operation *access);
  bool collect();
  bool addSteps(Operation *access);
  bool nameRegisters(OwnedArray &array);
  bool keepsOrder(const OwnedArray &array);

  memref::AllocOp alloc;
  int64_t threads;
  std::optional<NotOwned> *why;
  bool isRing = false;
  /// In the order of the program.
  SmallVector<Operation *> accesses;
  /// Of each access, the element of each iteration, or -1.
  SmallVector<SmallVector<int64_t>> reached;
  /// The first number of the steps of each access, and which of all those reach
  /// the same register.
  SmallVector<unsigned> firstStep;
  unsigned numSteps = 0;
  llvm::IntEqClasses steps;
  /// The thread of each element, and one of the steps that reach it; or -1.
  SmallVector<int64_t> owners, reachedIn;
};
} // namespace

static scf::ForallOp getLeaf(Operation *access) {
  return access->getParentOfType<scf::ForallOp>();
}

LeafSteps OwnerSearch::getSteps(Operation *access) {
  scf::ForallOp leaf = getLeaf(access);
  if (scf::ForOp warps = getOneTurn(leaf, threads))
    return {*getConstantIntValue(warps.getUpperBound()) * warpSize, threads,
            /*isBlocked=*/false};
  return LeafSteps::get(leaf, threads);
}

/// Appends the operations of `users`, which are in `block`, in the order of the
/// code. This visits far fewer operations than a walk of the code.
static void appendInOrder(Block &block, ArrayRef<Operation *> users,
                          SmallVectorImpl<Operation *> &ordered) {
  llvm::MapVector<Operation *, SmallVector<Operation *>> inside;
  for (Operation *user : users) {
    Operation *around = block.findAncestorOpInBlock(*user);
    SmallVector<Operation *> &others = inside[around];
    if (user != around)
      others.push_back(user);
  }
  auto entries = inside.takeVector();
  llvm::sort(entries, [](auto &a, auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  for (auto &[op, others] : entries) {
    if (llvm::is_contained(users, op))
      ordered.push_back(op);
    for (Region &region : op->getRegions())
      for (Block &inner : region) {
        SmallVector<Operation *> here;
        llvm::copy_if(others, std::back_inserter(here), [&](Operation *user) {
          return inner.findAncestorOpInBlock(*user);
        });
        if (!here.empty())
          appendInOrder(inner, here, ordered);
      }
  }
}

/// Fails if an access is not an access of one thread of the block to one
/// element.
bool OwnerSearch::collect() {
  llvm::SetVector<Operation *> users(alloc->user_begin(), alloc->user_end());
  appendInOrder(*alloc->getBlock(), users.getArrayRef(), accesses);
  for (Operation *op : accesses) {
    scf::ForallOp leaf = getLeaf(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!isa<memref::LoadOp>(op) &&
        !(store && store.getMemRef() == alloc.getResult()))
      return fail(op, "needs its address here");
    if (!leaf)
      return fail(op, "is read here by all threads");
    MapAttr map = getLeafMap(leaf);
    if (!map || (map.getScope() != Level::Block && !getOneTurn(leaf, threads)))
      return fail(op, "is used here by the lanes of warps, in a loop of more "
                      "iterations than the block has warps");
    if (!getIterations(leaf))
      return fail(op, "is used here in a loop whose extent is not a constant");
    if (getSteps(op).getCount() > maxOwnedRegisters)
      return fail(op, "is used here in a loop of more than " +
                          Twine(maxOwnedRegisters) +
                          " iterations for each thread");
  }
  return !accesses.empty();
}

/// Records the elements that `access` reaches. Fails if another thread uses one
/// of them.
bool OwnerSearch::addSteps(Operation *access) {
  scf::ForallOp leaf = getLeaf(access);
  unsigned skipped = isRing ? 1 : 0;
  ValueRange indices = getIndexedMemory(access).second.drop_front(skipped);
  std::optional<SmallVector<int64_t>> elements;
  // Arrays of tuples, and a read before a write, have the same indices.
  for (auto [other, found] : llvm::zip(accesses, reached))
    if (getLeaf(other) == leaf &&
        getIndexedMemory(other).second.drop_front(skipped) == indices)
      elements = found;
  if (!elements)
    elements = evaluateIndices(leaf, indices,
                               alloc.getType().getShape().drop_front(skipped),
                               getOneTurn(leaf, threads));
  if (!elements)
    return fail(access, "is used here at an index that depends on more than "
                        "the iteration");
  if (reachesOutside(access, leaf, *elements))
    return fail(access, "has an index here that is outside of the array");
  LeafSteps spread = getSteps(access);
  unsigned first = numSteps;
  numSteps += spread.getCount();
  steps.grow(numSteps);
  for (auto [t, element] : llvm::enumerate(*elements)) {
    if (element < 0)
      continue;
    int64_t thread = spread.getThread(t);
    unsigned step = first + spread.getStep(t);
    if (owners[element] < 0)
      owners[element] = thread;
    else if (owners[element] != thread)
      return fail(access, "has an element that thread " +
                              Twine(owners[element]) +
                              " uses, and here thread " + Twine(thread));
    if (reachedIn[element] < 0)
      reachedIn[element] = step;
    else
      steps.join(reachedIn[element], step);
  }
  firstStep.push_back(first);
  reached.push_back(std::move(*elements));
  return true;
}

/// Numbers the registers. Fails if a thread would keep two elements in one.
bool OwnerSearch::nameRegisters(OwnedArray &array) {
  steps.compress();
  // Steps in which no element is reached need no register.
  SmallVector<int64_t> number(steps.getNumClasses(), -1);
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> kept;
  for (auto [element, step] : llvm::enumerate(reachedIn)) {
    if (step < 0)
      continue;
    int64_t &own = number[steps[step]];
    if (own < 0)
      own = array.elements++;
    auto [entry, isNew] =
        kept.try_emplace({owners[element], own}, int64_t(element));
    if (!isNew)
      return fail(alloc, "has elements of one thread, " + Twine(entry->second) +
                             " and " + Twine(element) +
                             ", that no constant tells apart");
  }
  for (auto [access, first] : llvm::zip(accesses, firstStep)) {
    SmallVector<int64_t> &registers = array.accesses[access];
    int64_t count = getSteps(access).getCount();
    for (unsigned step = first; step < first + count; ++step)
      registers.push_back(std::max<int64_t>(0, number[steps[step]]));
  }
  return true;
}

/// Steps of a loop run in any order, so no step may read an element that
/// another one writes.
bool OwnerSearch::keepsOrder(const OwnedArray &array) {
  for (auto &[access, registers] : array.accesses) {
    if (!isa<memref::LoadOp>(access))
      continue;
    for (auto &[other, written] : array.accesses) {
      if (!isa<memref::StoreOp>(other) || getLeaf(other) != getLeaf(access))
        continue;
      for (auto [s, own] : llvm::enumerate(registers))
        for (auto [u, store] : llvm::enumerate(written))
          if (s != u && own == store)
            return fail(access, "has an element that is read here in one "
                                "iteration and written in another one");
    }
  }
  return true;
}

std::optional<OwnedArray> OwnerSearch::run() {
  MemRefType type = alloc.getType();
  if (!getRegisterHome(alloc, Level::Block) || !type.hasStaticShape() ||
      type.getNumElements() == 0 || type.getNumElements() > maxBlockElements ||
      !collect())
    return std::nullopt;
  isRing = isRingOfTwo(alloc);
  int64_t count = type.getNumElements() / (isRing ? 2 : 1);
  owners.assign(count, -1);
  reachedIn.assign(count, -1);
  for (Operation *access : accesses)
    if (!addSteps(access))
      return std::nullopt;
  if (isRing && !readsLastSlotOnly(alloc)) {
    fail(alloc, "is carried by a loop that reads the old array after it has "
                "written the new one");
    return std::nullopt;
  }
  OwnedArray array;
  if (!nameRegisters(array) || !keepsOrder(array))
    return std::nullopt;
  return array;
}

std::optional<OwnedArray> obs::findOwnedArray(memref::AllocOp alloc,
                                              int64_t threads,
                                              std::optional<NotOwned> *why) {
  return OwnerSearch(alloc, threads, why).run();
}
