//===- LaneArrays.cpp - The choice of arrays of warps in registers --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneArrays.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "RingFlow.h"
#include "Workers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum number of registers of one lane for an array.
static constexpr int64_t maxRegisters = 32;
/// The maximum number of registers among which a read may select at run time.
static constexpr unsigned maxChoices = 4;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::optional<BitLinearMap> LaneStep::fitIterations() const {
  return BitLinearMap::fit(
      SmallVector<uint64_t>(iterations.begin(), iterations.end()));
}

std::optional<unsigned> LaneStep::findDecidingBit() const {
  if (llvm::all_equal(writes))
    return 5;
  for (unsigned bit = 0; bit < 5; ++bit) {
    bool decides = true;
    for (auto [lane, write] : llvm::enumerate(writes))
      decides &= write == writes[(lane >> bit & 1) << bit];
    if (decides)
      return bit;
  }
  return std::nullopt;
}

/// Lane t mod 32 executes iteration t.
static SmallVector<LaneStep> getPlainSteps(int64_t extent) {
  SmallVector<LaneStep> steps;
  for (int64_t first = 0; first < extent; first += warpSize) {
    LaneStep &step = steps.emplace_back();
    for (int64_t t = first; t < first + warpSize; ++t)
      step.iterations.push_back(t < extent ? t : -1);
  }
  return steps;
}

/// True if the lane of iteration t owns element `elements[t]`, in the same
/// register as the other lanes of its step.
static bool writesOwnElements(ArrayRef<int64_t> elements) {
  for (auto [t, element] : llvm::enumerate(elements)) {
    if (element < 0)
      continue;
    int64_t first = static_cast<int64_t>(t - t % warpSize);
    if (element % warpSize != static_cast<int64_t>(t % warpSize))
      return false;
    for (int64_t other : elements.slice(
             first, std::min<size_t>(warpSize, elements.size() - first)))
      if (other >= 0 && other / warpSize != element / warpSize)
        return false;
  }
  return true;
}

/// The steps in which the owner of each element executes the iteration that
/// writes it. `writes` are the elements that each write of one array reaches.
static std::optional<SmallVector<LaneStep>>
getOwnerSteps(ArrayRef<SmallVector<int64_t>> writes, int64_t numElements) {
  if (numElements % warpSize != 0)
    return std::nullopt;
  SmallVector<std::pair<int, int64_t>> writer(numElements, {-1, -1});
  for (auto [k, elements] : llvm::enumerate(writes))
    for (auto [t, element] : llvm::enumerate(elements)) {
      if (element < 0 || writer[element].first >= 0)
        return std::nullopt;
      writer[element] = {static_cast<int>(k), static_cast<int64_t>(t)};
    }
  SmallVector<LaneStep> steps;
  for (int64_t first = 0; first < numElements; first += warpSize) {
    LaneStep step;
    for (auto [k, t] : ArrayRef(writer).slice(first, warpSize)) {
      step.writes.push_back(k);
      step.iterations.push_back(t);
    }
    if (llvm::all_of(step.writes, [](int k) { return k < 0; }))
      continue;
    if (llvm::is_contained(step.writes, -1) || !step.fitIterations() ||
        !step.findDecidingBit())
      return std::nullopt;
    step.ownedRegister = first / warpSize;
    steps.push_back(step);
  }
  return steps;
}

std::optional<SmallVector<LaneStep>> obs::findLaneSteps(scf::ForallOp leaf,
                                                        ShapeOf shapeOf) {
  int64_t extent = *getIterations(leaf);
  llvm::MapVector<Value, SmallVector<SmallVector<int64_t>>> writes;
  bool isPlain = true, isRepeatable = true, isKnown = true;
  leaf.getBody()->walk([&](Operation *op) {
    auto store = dyn_cast<memref::StoreOp>(op);
    auto shape = store ? shapeOf(store.getMemRef()) : std::nullopt;
    if (!shape) {
      // Owners run an iteration several times.
      isRepeatable &= isa<memref::LoadOp>(op) || isMemoryEffectFree(op) ||
                      op->hasTrait<OpTrait::IsTerminator>() ||
                      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      return;
    }
    isRepeatable &= op->getBlock() == leaf.getBody();
    auto elements = evaluateIndices(
        leaf, store.getIndices().take_back(shape->size()), *shape);
    isKnown &= elements.has_value();
    if (!elements)
      return;
    isPlain &= writesOwnElements(*elements);
    writes[store.getMemRef()].push_back(std::move(*elements));
  });
  if (!isKnown)
    return std::nullopt;
  if (isPlain)
    return getPlainSteps(extent);
  if (!isRepeatable)
    return std::nullopt;
  // Several arrays are written at the same indices.
  for (auto &[memory, elements] : writes)
    if (elements != writes.front().second)
      return std::nullopt;
  int64_t numElements = 1;
  ArrayRef<int64_t> shape = *shapeOf(writes.front().first);
  for (int64_t size : shape)
    numElements *= size;
  return getOwnerSteps(writes.front().second, numElements);
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

static int64_t countLaneRegisters(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return llvm::divideCeil(count, warpSize);
}

/// True if each step reads few registers.
static bool readsFewRegisters(ArrayRef<LaneStep> steps,
                              ArrayRef<int64_t> elements) {
  for (const LaneStep &step : steps) {
    llvm::SmallSetVector<int64_t, 4> registers;
    for (int64_t t : step.iterations)
      if (t >= 0 && elements[t] >= 0)
        registers.insert(elements[t] / warpSize);
    if (registers.size() > maxChoices)
      return false;
  }
  return true;
}

/// True if only conditions stand between `op` and its leaf.
static bool isUnderConditions(Operation *op, scf::ForallOp leaf) {
  for (op = op->getParentOp(); op != leaf; op = op->getParentOp())
    if (!isa<scf::IfOp>(op))
      return false;
  return true;
}

/// The reason, other than the steps of its loop, why `user` cannot use an array
/// in `registers` registers of each lane; empty if there is none.
static std::string getObstacle(Operation *user, memref::AllocOp alloc,
                               int64_t registers) {
  auto load = dyn_cast<memref::LoadOp>(user);
  if (!load && !(isa<memref::StoreOp>(user) &&
                 getIndexedMemory(user).first == alloc.getResult()))
    return "is used here other than by reading and writing elements";
  if (auto leaf = user->getParentOfType<scf::ForallOp>()) {
    MapAttr map = getLeafMap(leaf);
    std::optional<int64_t> extent = getIterations(leaf);
    if (!map || map.getScope() != Level::Warp)
      return "is used here by threads of more than its warp";
    if (!extent)
      return "is used here in a loop whose extent is not a constant; bound it, "
             "and let a condition leave out the rest";
    if (*extent > maxRegisters * warpSize)
      return "is used here in a loop of more than " +
             std::to_string(maxRegisters * warpSize) + " iterations";
    return isUnderConditions(user, leaf)
               ? ""
               : "is used here in a loop of a lane, which other lanes cannot "
                 "take part in";
  }
  // All lanes read one element.
  if (!load)
    return "is written here by no loop over lanes";
  bool isFixed = llvm::all_of(load.getIndices(), [](Value index) {
    return getConstantIntValue(index).has_value();
  });
  return isFixed || registers == 1
             ? ""
             : "is read here by all lanes at an index that is not a constant, "
               "which does not name one of the " +
                   std::to_string(registers) + " registers of a lane";
}

/// True if one register of each lane can represent both slots of `alloc`: for
/// an array of at most 32 elements, a lane has read its operands before any
/// lane writes the next array.
static bool isRingOfOneRegister(memref::AllocOp alloc) {
  if (!isRingOfTwo(alloc) || !alloc.getType().hasStaticShape() ||
      alloc.getType().getNumElements() > 2 * warpSize)
    return false;
  bool isOneStep = llvm::all_of(alloc->getUsers(), [](Operation *user) {
    auto leaf = user->getParentOfType<scf::ForallOp>();
    std::optional<int64_t> extent = leaf ? getIterations(leaf) : 1;
    return extent && *extent <= warpSize;
  });
  return isOneStep && readsLastSlotOnly(alloc);
}

/// Reduces a ring to one slot.
static void dropSlots(memref::AllocOp ring) {
  MemRefType type = ring.getType();
  ring.getMemref().setType(
      MemRefType::Builder(type).setShape(type.getShape().drop_front()));
  for (Operation *user : ring->getUsers())
    user->eraseOperand(isa<memref::LoadOp>(user) ? 1 : 2);
}

/// True if `alloc` can be in lanes, except for the steps of loops. A ring
/// counts with one slot if one is sufficient.
static bool isCandidate(memref::AllocOp alloc, bool isRing,
                        llvm::DenseMap<Operation *, NotOwned> &why) {
  MemRefType type = alloc.getType();
  if (!getRegisterHome(alloc, Level::Warp))
    return false;
  Type element = type.getElementType();
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      (!element.isIndex() && element.getIntOrFloatBitWidth() > 64) ||
      alloc->use_empty())
    return false;
  int64_t registers = countLaneRegisters(type.getShape().drop_front(isRing));
  if (registers > maxRegisters) {
    why.insert({alloc,
                {alloc, "has " + std::to_string(registers) +
                            " elements in each lane, more than " +
                            std::to_string(maxRegisters)}});
    return false;
  }
  for (Operation *user : alloc->getUsers())
    if (std::string reason = getObstacle(user, alloc, registers);
        !reason.empty()) {
      why.insert({alloc, {user, reason}});
      return false;
    }
  return true;
}

llvm::SmallPtrSet<Operation *, 8>
obs::findLaneArrays(KernelOp kernel,
                    llvm::DenseMap<Operation *, NotOwned> &why) {
  llvm::SmallPtrSet<Operation *, 8> arrays, rings;
  kernel.walk([&](memref::AllocOp alloc) {
    bool isRing = isRingOfOneRegister(alloc);
    if (isRing)
      rings.insert(alloc);
    if (isCandidate(alloc, isRing, why))
      arrays.insert(alloc);
  });
  auto shapeOf = [&](Value memory) -> std::optional<ArrayRef<int64_t>> {
    if (!arrays.contains(memory.getDefiningOp()))
      return std::nullopt;
    return cast<MemRefType>(memory.getType())
        .getShape()
        .drop_front(rings.contains(memory.getDefiningOp()));
  };
  // If an array is removed, others may be removed, too: they may be written by
  // a loop that the owners then cannot execute.
  for (bool changed = !arrays.empty(); changed;) {
    changed = false;
    auto drop = [&](Operation *access, const std::string &reason) {
      Operation *alloc = getIndexedMemory(access).first.getDefiningOp();
      changed |= arrays.erase(alloc);
      why.insert({alloc, {access, reason}});
    };
    kernel.walk([&](scf::ForallOp leaf) {
      SmallVector<Operation *> accesses;
      leaf.walk([&](Operation *op) {
        Value memory = getIndexedMemory(op).first;
        if (memory && shapeOf(memory))
          accesses.push_back(op);
      });
      if (accesses.empty())
        return;
      auto steps = findLaneSteps(leaf, shapeOf);
      for (Operation *op : accesses) {
        auto load = dyn_cast<memref::LoadOp>(op);
        auto shape = shapeOf(getIndexedMemory(op).first);
        if (!shape)
          continue;
        if (!steps) {
          // Without the arrays that are not written in place, the others can
          // stay.
          auto store = dyn_cast<memref::StoreOp>(op);
          auto elements =
              store
                  ? evaluateIndices(leaf,
                                    store.getIndices().take_back(shape->size()),
                                    *shape)
                  : std::nullopt;
          if (store && (!elements || !writesOwnElements(*elements)))
            drop(store, elements
                            ? "is written here by other lanes than hold the "
                              "elements: lane l holds l, l + 32, and so on"
                            : "is written here at an index that depends on "
                              "more than the iteration");
          continue;
        }
        if (!load)
          continue;
        auto elements = evaluateIndices(
            leaf, load.getIndices().take_back(shape->size()), *shape);
        if (elements && reachesOutside(load, leaf, *elements)) {
          drop(load, "has an index here that is outside of the array");
          continue;
        }
        int64_t registers = countLaneRegisters(*shape);
        if (elements && !readsFewRegisters(*steps, *elements))
          drop(load, "is read here from more than " +
                         std::to_string(maxChoices) +
                         " registers of lanes at once");
        else if (!elements && registers > 1)
          drop(load, "is read here at an index that depends on more than the "
                     "iteration, and so on which of the " +
                         std::to_string(registers) +
                         " registers of a lane; of at most 32 elements a "
                         "shuffle finds the one");
      }
    });
  }
  kernel.walk([&](scf::ForallOp leaf) {
    bool isByLanes = containsOp(leaf, [&](Operation *op) {
      Value memory = getIndexedMemory(op).first;
      return memory && shapeOf(memory);
    });
    if (!isByLanes)
      return;
    auto steps = findLaneSteps(leaf, shapeOf);
    if (!steps->empty() && steps->front().ownedRegister)
      setAttr<ObsDialect::DistributionAttrHelper>(
          leaf,
          DistributionAttr::get(kernel.getContext(), Distribution::Owners));
  });
  for (Operation *ring : rings)
    if (arrays.contains(ring))
      dropSlots(cast<memref::AllocOp>(ring));
  return arrays;
}
