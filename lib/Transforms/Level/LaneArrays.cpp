//===- LaneArrays.cpp - Arrays of warps in registers ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of n iterations becomes several copies of its body, one for each of
// its steps. So the register of each access is a constant, or one of a few. A
// copy has no branches: conditions around shuffles become predicates, because
// all lanes must take part in a shuffle.
//
//===----------------------------------------------------------------------===//

#include "LaneArrays.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "Obsidian/Dialect/Obs/Analysis/BitLinearMap.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "RingFlow.h"
#include "Workers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum number of registers of one lane for an array.
static constexpr int64_t maxRegisters = 32;
/// The maximum number of registers among which a read may select at run time.
static constexpr unsigned maxChoices = 4;

/// The registers and lanes that one copy of the body reads.
struct LaneMapper::Table {
  SmallVector<int64_t> registers;
  SmallVector<int> lanes = SmallVector<int>(warpSize, -1);
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The iterations as a function of the lane, if it is linear over the bits of
/// the lane.
static std::optional<BitLinearMap> fit(ArrayRef<int64_t> iterations) {
  return BitLinearMap::fit(
      SmallVector<uint64_t>(iterations.begin(), iterations.end()));
}

/// The bit of the lane that determines which of two writes a lane keeps: 5 if
/// all lanes keep the same write. Empty if no bit determines it.
static std::optional<unsigned> findDecidingBit(ArrayRef<int> writes) {
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
    if (llvm::is_contained(step.writes, -1) || !fit(step.iterations) ||
        !findDecidingBit(step.writes))
      return std::nullopt;
    step.ownedRegister = first / warpSize;
    steps.push_back(step);
  }
  return steps;
}

/// The steps of `leaf` in which the owners execute all writes to arrays in
/// lanes; empty if this is not possible.
static std::optional<SmallVector<LaneStep>> findSteps(scf::ForallOp leaf,
                                                      ShapeOf shapeOf) {
  int64_t extent = *getConstantIntValue(leaf.getMixedUpperBound()[0]);
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
    std::optional<int64_t> extent =
        getConstantIntValue(leaf.getMixedUpperBound()[0]);
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
    std::optional<int64_t> extent =
        leaf ? getConstantIntValue(leaf.getMixedUpperBound()[0]) : 1;
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
  auto home = dyn_cast_or_null<HomeAttr>(type.getMemorySpace());
  if (!home || home.getOwner() != Level::Warp ||
      (home.getStorage() != Storage::Auto &&
       home.getStorage() != Storage::Registers))
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
      auto steps = findSteps(leaf, shapeOf);
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
    bool isByLanes = leaf.walk([&](Operation *op) {
                           Value memory = getIndexedMemory(op).first;
                           return memory && shapeOf(memory)
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (!isByLanes)
      return;
    auto steps = findSteps(leaf, shapeOf);
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

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

Value LaneMapper::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

std::optional<ArrayRef<int64_t>> LaneMapper::getShape(Value memory) const {
  auto found = arrays.find(memory);
  if (found == arrays.end())
    return std::nullopt;
  return ArrayRef<int64_t>(found->second);
}

/// The iteration of each lane.
Value LaneMapper::buildIteration() {
  if (!step.ownedRegister)
    return step.iterations.front() == 0
               ? lane
               : arith::AddIOp::create(builder, loc, lane,
                                       constant(step.iterations.front()));
  BitLinearMap function = *fit(step.iterations);
  // Bits that move by the same distance are moved together.
  std::map<int, int64_t> moved;
  Value sum = constant(function.getConstant());
  for (unsigned bit = 0; bit < function.getNumInputs(); ++bit) {
    uint64_t mask = function.getColumn(bit);
    if (mask == 0)
      continue;
    if (llvm::isPowerOf2_64(mask)) {
      moved[static_cast<int>(llvm::Log2_64(mask)) - static_cast<int>(bit)] |=
          int64_t(1) << bit;
      continue;
    }
    Value own = arith::AndIOp::create(
        builder, loc, arith::ShRUIOp::create(builder, loc, lane, constant(bit)),
        constant(1));
    sum = arith::XOrIOp::create(
        builder, loc, sum,
        arith::MulIOp::create(builder, loc, own, constant(mask)));
  }
  for (auto [distance, bits] : moved) {
    Value part = arith::AndIOp::create(builder, loc, lane, constant(bits));
    if (distance > 0)
      part = arith::ShLIOp::create(builder, loc, part, constant(distance));
    else if (distance < 0)
      part = arith::ShRUIOp::create(builder, loc, part, constant(-distance));
    sum = arith::XOrIOp::create(builder, loc, sum, part);
  }
  return sum;
}

/// True in the lanes whose number has this bit.
Value LaneMapper::hasBit(unsigned bit) {
  Value own =
      arith::AndIOp::create(builder, loc, lane, constant(int64_t(1) << bit));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own,
                               constant(0));
}

/// For each owner, stores the values of the body that it keeps.
void LaneMapper::keepOwned() {
  unsigned bit = *findDecidingBit(step.writes);
  for (auto &[memory, values] : written) {
    Value value = values[step.writes[0]];
    if (bit < 5)
      value =
          arith::SelectOp::create(builder, loc, hasBit(bit),
                                  values[step.writes[size_t(1) << bit]], value);
    memref::StoreOp::create(builder, loc, value, memory,
                            constant(*step.ownedRegister));
  }
}

bool LaneMapper::uses(scf::ForallOp leaf) const {
  return leaf
      .walk([&](Operation *op) {
        return arrays.contains(getIndexedMemory(op).first)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Value LaneMapper::linearize(Value memory, ValueRange indices,
                            IRMapping &mapping) {
  Value element;
  for (auto [index, size] : llvm::zip(indices, arrays[memory])) {
    Value own = mapping.lookupOrDefault(index);
    if (element)
      own = arith::AddIOp::create(
          builder, loc,
          arith::MulIOp::create(builder, loc, element, constant(size)), own);
    element = own;
  }
  return element ? element : constant(0);
}

/// `value` in other lanes. Lanes exchange words of 32 bits.
Value LaneMapper::shuffle(Value value, Value index, const Table &table) {
  Value kept = value;
  LanePattern pattern = classifyLanes(table.lanes);
  if (pattern.kind == LanePattern::Kind::Identity)
    return value;
  auto mode = gpu::ShuffleMode::IDX;
  Value amount;
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(n));
  };
  switch (pattern.kind) {
  // The reads of both elements of an exchange are one shuffle.
  case LanePattern::Kind::Exchange:
  case LanePattern::Kind::Xor:
    mode = gpu::ShuffleMode::XOR;
    amount = number(pattern.amount);
    break;
  case LanePattern::Kind::Up:
    mode = gpu::ShuffleMode::UP;
    amount = number(pattern.amount);
    break;
  case LanePattern::Kind::Down:
    mode = gpu::ShuffleMode::DOWN;
    amount = number(pattern.amount);
    break;
  case LanePattern::Kind::Broadcast:
    amount = number(pattern.amount);
    break;
  default:
    Value lane =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
    amount = arith::AndIOp::create(builder, loc, lane, number(warpSize - 1));
    break;
  }
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, amount, number(warpSize),
                                  mode)
        .getShuffleResult();
  };
  Type type = value.getType();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, i64, value);
  else if (isa<FloatType>(type))
    value = arith::BitcastOp::create(
        builder, loc, builder.getIntegerType(type.getIntOrFloatBitWidth()),
        value);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width > 32) {
    Value wide =
        width == 64 ? value : arith::ExtUIOp::create(builder, loc, i64, value);
    Value shift =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
    Value high = arith::TruncIOp::create(
        builder, loc, i32, arith::ShRUIOp::create(builder, loc, wide, shift));
    Value low = exchange(arith::TruncIOp::create(builder, loc, i32, wide));
    high = exchange(high);
    Value joined = arith::OrIOp::create(
        builder, loc, arith::ExtUIOp::create(builder, loc, i64, low),
        arith::ShLIOp::create(builder, loc,
                              arith::ExtUIOp::create(builder, loc, i64, high),
                              shift));
    value = width == 64 ? joined
                        : arith::TruncIOp::create(builder, loc, value.getType(),
                                                  joined);
  } else if (width == 32) {
    value = exchange(value);
  } else {
    Value word = exchange(arith::ExtUIOp::create(builder, loc, i32, value));
    value = arith::TruncIOp::create(builder, loc, value.getType(), word);
  }
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  else if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, loc, type, value);
  if (pattern.kind != LanePattern::Kind::Exchange)
    return value;
  Value condition = hasBit(pattern.bit);
  return pattern.own
             ? arith::SelectOp::create(builder, loc, condition, kept, value)
             : arith::SelectOp::create(builder, loc, condition, value, kept);
}

Value LaneMapper::emitLoad(memref::LoadOp load, IRMapping &mapping) {
  Value memory = load.getMemRef();
  Value index = linearize(memory, load.getIndices(), mapping);
  Table table;
  if (auto elements =
          evaluateIndices(leaf, load.getIndices(), arrays[memory])) {
    llvm::SmallSetVector<int64_t, 4> registers;
    for (auto [lane, t] : llvm::enumerate(step.iterations)) {
      int64_t element = t < 0 ? -1 : (*elements)[t];
      if (element < 0)
        continue;
      registers.insert(element / warpSize);
      table.lanes[lane] = element % warpSize;
    }
    table.registers = registers.takeVector();
  } else {
    // One register of any lane.
    table.registers.push_back(0);
    for (int lane = 0; lane < warpSize; ++lane)
      table.lanes[lane] = (lane * 5 + 3) % warpSize;
  }
  if (table.registers.empty())
    table.registers.push_back(0);
  Value result;
  Value number;
  for (int64_t own : table.registers) {
    Value value =
        shuffle(memref::LoadOp::create(builder, loc, memory, constant(own)),
                index, table);
    if (!result) {
      result = value;
      continue;
    }
    if (!number)
      number = arith::DivUIOp::create(builder, loc, index, constant(warpSize));
    Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        number, constant(own));
    result = arith::SelectOp::create(builder, loc, isOwn, value, result);
  }
  return result;
}

void LaneMapper::emitStore(memref::StoreOp store, Value active,
                           IRMapping &mapping) {
  Value memory = store.getMemRef();
  if (step.ownedRegister) {
    written[memory].push_back(mapping.lookupOrDefault(store.getValue()));
    return;
  }
  auto elements = evaluateIndices(leaf, store.getIndices(), arrays[memory]);
  int64_t own = -1;
  for (int64_t t : step.iterations)
    if (t >= 0 && (*elements)[t] >= 0)
      own = (*elements)[t] / warpSize;
  if (own < 0)
    return;
  Value value = mapping.lookupOrDefault(store.getValue());
  Value number = constant(own);
  if (active) {
    Value old = memref::LoadOp::create(builder, loc, memory, number);
    value = arith::SelectOp::create(builder, loc, active, value, old);
  }
  memref::StoreOp::create(builder, loc, value, memory, number);
}

void LaneMapper::emitIf(scf::IfOp branch, Value active, IRMapping &mapping) {
  Value condition = mapping.lookupOrDefault(branch.getCondition());
  Value no = arith::XOrIOp::create(
      builder, loc, condition,
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  auto both = [&](Value predicate) -> Value {
    return active
               ? Value(arith::AndIOp::create(builder, loc, active, predicate))
               : predicate;
  };
  emitBlock(*branch.thenBlock(), both(condition), mapping);
  if (branch.elseBlock())
    emitBlock(*branch.elseBlock(), both(no), mapping);
  for (auto [k, result] : llvm::enumerate(branch.getResults())) {
    Value a = mapping.lookupOrDefault(branch.thenYield().getOperand(k));
    Value b = mapping.lookupOrDefault(branch.elseYield().getOperand(k));
    mapping.map(
        result,
        arith::SelectOp::create(builder, loc, condition, a, b).getResult());
  }
}

void LaneMapper::emitOp(Operation &op, Value active, IRMapping &mapping) {
  loc = op.getLoc();
  if (auto load = dyn_cast<memref::LoadOp>(op);
      load && contains(load.getMemRef()))
    return mapping.map(load.getResult(), emitLoad(load, mapping));
  if (auto store = dyn_cast<memref::StoreOp>(op);
      store && contains(store.getMemRef()))
    return emitStore(store, active, mapping);
  bool hasArrays = op.walk([&](Operation *inner) {
                       return contains(getIndexedMemory(inner).first)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && hasArrays)
    return emitIf(branch, active, mapping);
  if (!active || (isSpeculatable(&op) && isMemoryEffectFree(&op))) {
    builder.clone(op, mapping);
    return;
  }
  auto guarded = scf::IfOp::create(builder, loc, op.getResultTypes(), active,
                                   /*withElseRegion=*/op.getNumResults() != 0);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  Operation *clone = builder.clone(op, mapping);
  if (op.getNumResults() == 0)
    return;
  scf::YieldOp::create(builder, loc, clone->getResults());
  builder.setInsertionPointToStart(guarded.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : op.getResultTypes())
    zeros.push_back(arith::ConstantOp::create(builder, loc, type,
                                              builder.getZeroAttr(type)));
  scf::YieldOp::create(builder, loc, zeros);
  mapping.map(op.getResults(), guarded.getResults());
}

void LaneMapper::emitBlock(Block &block, Value active, IRMapping &mapping) {
  for (Operation &op : block.without_terminator())
    emitOp(op, active, mapping);
}

void LaneMapper::mapLeaf(scf::ForallOp op, Value number) {
  leaf = op;
  lane = number;
  auto steps = findSteps(leaf, [&](Value memory) { return getShape(memory); });
  int64_t extent = *getConstantIntValue(leaf.getMixedUpperBound()[0]);
  for (const LaneStep &next : *steps) {
    step = next;
    written.clear();
    loc = leaf.getLoc();
    IRMapping mapping;
    Value iteration = buildIteration();
    mapping.map(leaf.getInductionVar(0), iteration);
    Value active;
    if (llvm::is_contained(step.iterations, -1))
      active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     iteration, constant(extent));
    emitBlock(*leaf.getBody(), active, mapping);
    if (step.ownedRegister)
      keepOwned();
  }
}

void LaneMapper::mapUniformLoad(memref::LoadOp load) {
  loc = load.getLoc();
  builder.setInsertionPoint(load);
  IRMapping mapping;
  Value memory = load.getMemRef();
  Value index = linearize(memory, load.getIndices(), mapping);
  Table table;
  int64_t own = 0, element = 0;
  bool isKnown = true;
  for (auto [value, size] : llvm::zip(load.getIndices(), arrays[memory])) {
    std::optional<int64_t> number = getConstantIntValue(value);
    isKnown &= number.has_value();
    element = element * size + number.value_or(0);
  }
  if (isKnown) {
    own = element / warpSize;
    table.lanes.assign(warpSize, element % warpSize);
  } else {
    for (int lane = 0; lane < warpSize; ++lane)
      table.lanes[lane] = (lane * 5 + 3) % warpSize;
  }
  Value value =
      shuffle(memref::LoadOp::create(builder, loc, memory, constant(own)),
              index, table);
  load.replaceAllUsesWith(value);
  load.erase();
}
