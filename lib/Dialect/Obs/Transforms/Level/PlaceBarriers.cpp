//===- PlaceBarriers.cpp - A barrier wherever threads exchange data --------===// 
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A forward analysis over structured control flow in the way of Triton's
// membar: the state is the set of accesses since the last barrier; a statement
// that conflicts with one of them gets a barrier in front. Loops are repeated
// until the accesses that come around the back edge bring nothing new. When in
// doubt two accesses conflict.
//
// Block scope sees the kernel as one block runs it: loops over blocks are plain
// loops, leaf loops and loops over warps are statements. Warp scope sees the
// body of a loop over warps as one warp runs it.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSPLACEBARRIERSPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Which buffer of a ring: `base` or, if `flipped`, 1 - `base`; without a base
/// the number `flipped` itself.
struct Slot {
  Value base;
  bool flipped = false;
  bool known = false;

  bool operator==(const Slot &other) const {
    return base == other.base && flipped == other.flipped &&
           known == other.known;
  }
  /// True when the two cannot be the same memory.
  bool differs(const Slot &other) const {
    return known && other.known && base == other.base &&
           flipped != other.flipped;
  }
};

struct Access {
  Value buffer;
  Slot slot;
  bool write = false, initial = false, atomic = false;
  /// Came around the back edge of a loop.
  bool crossed = false;
  /// In a leaf loop: the loop, if the index is exactly its iteration.
  scf::ForallOp own;
  Location loc;

  bool operator==(const Access &other) const {
    return buffer == other.buffer && slot == other.slot &&
           write == other.write && initial == other.initial &&
           atomic == other.atomic && crossed == other.crossed &&
           own == other.own;
  }
};
using State = SmallVector<Access>;

class Placer {
public:
  explicit Placer(Level scope) : scope(scope) {}
  void visit(Block &block, State &state);
  void visitLoop(scf::ForOp loop, State &state);
  unsigned placedBlock = 0, placedWarp = 0;

private:
  void visitWhile(scf::WhileOp loop, State &state);
  void statement(Operation *op, ArrayRef<Access> accesses, State &state);

  Level scope;
};
} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// True for a loop whose iterations are warps.
static bool isWarpLoop(Operation *op) {
  auto map = op->getAttrOfType<MapAttr>("obs.map");
  return map && map.getUnit() == Level::Warp;
}

static bool isRing(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return buffer.getDefiningOp<memref::AllocOp>() && type.getRank() > 1 &&
         type.getDimSize(0) == 2;
}

static Slot getSlot(Value index) {
  if (std::optional<int64_t> value = getConstantIntValue(index))
    return {Value(), *value == 1, *value == 0 || *value == 1};
  if (auto sub = index.getDefiningOp<arith::SubIOp>())
    if (getConstantIntValue(sub.getLhs()) == 1) {
      Slot inner = getSlot(sub.getRhs());
      inner.flipped = !inner.flipped;
      return inner;
    }
  return {index, false, true};
}

/// The accesses of `op` itself.
static std::optional<Access> getAccess(Operation *op) {
  Access access{Value(), {}, false, false, false, false, {}, op->getLoc()};
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    access.buffer = load.getMemRef();
    indices = load.getIndices();
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    access.buffer = store.getMemRef();
    indices = store.getIndices();
    access.write = true;
    auto contract = op->getAttrOfType<StringAttr>("obs.contract");
    access.initial = contract && contract.getValue() == "init";
  } else if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op)) {
    access.buffer = atomic.getMemref();
    indices = atomic.getIndices();
    access.write = access.atomic = true;
  } else {
    return std::nullopt;
  }
  // Private arrays and tables are nobody else's.
  if (access.buffer.getDefiningOp<memref::GetGlobalOp>())
    return std::nullopt;
  auto type = cast<MemRefType>(access.buffer.getType());
  if (auto home = dyn_cast_or_null<HomeAttr>(type.getMemorySpace()))
    if (home.getOwner() == Level::Thread)
      return std::nullopt;
  bool ring = isRing(access.buffer);
  if (ring) {
    access.slot = getSlot(indices.front());
    indices = indices.drop_front();
  }
  auto leaf = op->getParentOfType<scf::ForallOp>();
  if (leaf && indices.size() == 1 && indices[0] == leaf.getInductionVar(0))
    access.own = leaf;
  return access;
}

/// All accesses in `op`; those of arrays of a warp only if `ofWarps`.
static SmallVector<Access> collect(Operation *op, bool ofWarps) {
  SmallVector<Access> accesses;
  op->walk([&](Operation *inner) {
    std::optional<Access> access = getAccess(inner);
    if (!access)
      return;
    auto home = dyn_cast_or_null<HomeAttr>(
        cast<MemRefType>(access->buffer.getType()).getMemorySpace());
    if (!ofWarps && home && home.getOwner() == Level::Warp)
      return;
    if (!llvm::is_contained(accesses, *access))
      accesses.push_back(*access);
  });
  return accesses;
}

/// True when iteration i of both loops is run by the same thread.
static bool sameWorkers(scf::ForallOp a, scf::ForallOp b) {
  return a && b && a.getMapping() == b.getMapping() &&
         a->getAttr("obs.distribution") == b->getAttr("obs.distribution") &&
         isEqualConstantIntOrValue(a.getMixedUpperBound()[0],
                                   b.getMixedUpperBound()[0]);
}

/// Why the two need a barrier, or null.
static const char *getHazard(const Access &before, const Access &after) {
  if (before.buffer != after.buffer || (!before.write && !after.write) ||
      (before.atomic && after.atomic) || before.slot.differs(after.slot))
    return nullptr;
  if (sameWorkers(before.own, after.own))
    return nullptr;
  if (before.write && after.write) {
    // The writes of one force are disjoint, unless the one gives initial
    // contents or the force is run again on the same bytes.
    bool fresh = before.crossed &&
                 before.buffer.getDefiningOp<memref::AllocOp>();
    if (!before.initial && !after.initial && !fresh)
      return nullptr;
    return "write after write";
  }
  return before.write ? "read after write" : "write after read";
}

//===----------------------------------------------------------------------===//
// Statements and control flow
//===----------------------------------------------------------------------===//

/// Adds `accesses` to `state`; true if any was new.
static bool add(State &state, ArrayRef<Access> accesses) {
  bool changed = false;
  for (const Access &access : accesses)
    if (!llvm::is_contained(state, access)) {
      state.push_back(access);
      changed = true;
    }
  return changed;
}

void Placer::statement(Operation *op, ArrayRef<Access> accesses,
                       State &state) {
  SetVector<StringRef> reasons;
  for (const Access &before : state)
    for (const Access &after : accesses)
      if (const char *hazard = getHazard(before, after))
        reasons.insert(hazard);
  if (!reasons.empty()) {
    OpBuilder builder(op);
    BarrierOp::create(builder, op->getLoc(), scope,
                      builder.getStrArrayAttr(reasons.getArrayRef()));
    ++(scope == Level::Block ? placedBlock : placedWarp);
    state.clear();
  }
  add(state, accesses);
}

void Placer::visit(Block &block, State &state) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (barrier.getScope() >= scope)
        state.clear();
    } else if (isa<scf::ForallOp>(op)) {
      statement(&op, collect(&op, /*ofWarps=*/true), state);
    } else if (isWarpLoop(&op) && scope == Level::Block) {
      statement(&op, collect(&op, /*ofWarps=*/false), state);
      Placer warp(Level::Warp);
      State inside;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        warp.visitLoop(loop, inside);
      else
        warp.visit(*cast<scf::IfOp>(op).thenBlock(), inside);
      placedWarp += warp.placedWarp;
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, state);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visitWhile(loop, state);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State otherwise = state;
      visit(*branch.thenBlock(), state);
      if (branch.elseBlock())
        visit(*branch.elseBlock(), otherwise);
      add(state, otherwise);
    } else if (std::optional<Access> access = getAccess(&op)) {
      statement(&op, *access, state);
    }
  }
}

/// `state` with the slots whose base is `from[k]` (or its opposite) said in
/// terms of `to[k]`. Slots that other values of `region` decide become unknown.
static State translate(const State &state, ValueRange from, ValueRange to,
                       Region *leaving,
                       function_ref<bool(Value buffer, Value slot)> indexes) {
  State result;
  for (Access access : state) {
    if (access.slot.known) {
      bool found = false;
      for (auto [a, b] : llvm::zip(from, to)) {
        Slot target = getSlot(a);
        if (target.base != access.slot.base || !indexes(access.buffer, b))
          continue;
        access.slot = {b, access.slot.flipped != target.flipped, true};
        found = true;
        break;
      }
      if (!found && access.slot.base && leaving &&
          leaving->isAncestor(access.slot.base.getParentRegion()))
        access.slot = {};
    }
    add(result, access);
  }
  return result;
}

void Placer::visitLoop(scf::ForOp loop, State &state) {
  Region *region = &loop.getRegion();
  auto arguments = loop.getRegionIterArgs();
  // Slot numbers of different rings may be equal constants on entry: the ring
  // that an argument addresses is the one that the body indexes by it.
  auto indexes = [&](Value buffer, Value slot) {
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      if (!loop->isAncestor(user))
        return false;
      std::optional<Access> access = getAccess(user);
      return access && access->buffer == buffer && access->slot.base == slot;
    });
  };
  auto always = [](Value, Value) { return true; };
  State entry =
      translate(state, loop.getInitArgs(), arguments, nullptr, indexes);
  State in = entry, out;
  while (true) {
    out = in;
    visit(*loop.getBody(), out);
    State back = translate(out, loop.getYieldedValues(), arguments, region,
                           always);
    for (Access &access : back)
      access.crossed = true;
    if (!add(in, back))
      break;
  }
  out = in;
  visit(*loop.getBody(), out);
  State after = translate(out, loop.getYieldedValues(), loop.getResults(),
                          region, always);
  // No iteration at all.
  add(after, translate(entry, arguments, loop.getResults(), region, always));
  state = std::move(after);
}

void Placer::visitWhile(scf::WhileOp loop, State &state) {
  // Slots are not followed through a while: what they were is forgotten.
  auto forget = [](State &accesses) {
    for (Access &access : accesses)
      if (access.slot.base)
        access.slot = {};
  };
  State in = state, atCondition;
  while (true) {
    atCondition = in;
    visit(*loop.getBeforeBody(), atCondition);
    State back = atCondition;
    visit(*loop.getAfterBody(), back);
    forget(back);
    for (Access &access : back)
      access.crossed = true;
    if (!add(in, back))
      break;
  }
  forget(atCondition);
  state = std::move(atCondition);
}

namespace {
struct PlaceBarriers : obs::impl::ObsPlaceBarriersPassBase<PlaceBarriers> {
  void runOnOperation() override {
    Placer placer(Level::Block);
    State state;
    placer.visit(getOperation().getBody().front(), state);
    blockBarriers += placer.placedBlock;
    warpBarriers += placer.placedWarp;
  }
};
} // namespace
