//===- Accesses.cpp - Memory accesses that threads share ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Meetings.h"

using namespace mlir;
using namespace mlir::obs;

bool obs::isWarpLoop(Operation *op) {
  auto map = getAttr<ObsDialect::MapAttrHelper>(op);
  return isa<scf::ForOp>(op) && map && map.getUnit() == Level::Warp;
}

HomeAttr obs::getRegisterHome(Value buffer, Level owner) {
  HomeAttr home = getHome(buffer);
  bool isPossible = home && home.getOwner() == owner &&
                    (home.getStorage() == Storage::Auto ||
                     home.getStorage() == Storage::Registers);
  return isPossible ? home : HomeAttr();
}

std::optional<Level> obs::getOwner(Value buffer) {
  if (!buffer)
    return std::nullopt;
  if (HomeAttr home = getHome(buffer))
    return home.getOwner();
  if (buffer.getDefiningOp<memref::AllocaOp>())
    return Level::Thread;
  return std::nullopt;
}

static bool isInRegisters(Value buffer) {
  HomeAttr home = getHome(buffer);
  return home && home.getStorage() == Storage::Registers;
}

std::pair<Value, ValueRange> obs::getIndexedMemory(Operation *op) {
  std::optional<ElementAccess> access = ElementAccess::get(op);
  return access && isa<memref::MemRefDialect>(op->getDialect())
             ? std::pair(access->memory, access->indices)
             : std::pair(Value(), ValueRange());
}

bool AccessReader::isRing(Value buffer) {
  auto found = rings.find(buffer);
  if (found == rings.end())
    found = rings.insert({buffer, computeIsRing(buffer)}).first;
  return found->second;
}

bool AccessReader::computeIsRing(Value buffer) {
  if (!buffer || !buffer.getDefiningOp<memref::AllocOp>())
    return false;
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() < 2 || type.getDimSize(0) != 2)
    return false;
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    ValueRange indices = getIndexedMemory(user).second;
    if (indices.empty())
      return false;
    Value base = getSlot(indices.front()).base;
    if (!base)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(base)) {
      Operation *owner = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(owner);
      return isa<scf::WhileOp>(owner) ||
             (loop && base != loop.getInductionVar());
    }
    return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(base.getDefiningOp());
  });
}

/// The kind of access of `op`, which accesses one element.
static AccessKind getKind(Operation *op) {
  if (isa<memref::LoadOp>(op))
    return AccessKind::Read;
  if (!isa<memref::StoreOp>(op))
    return AccessKind::Atomic;
  return getInitialNesting(op) ? AccessKind::InitialWrite : AccessKind::Write;
}

/// True if one access stands for both operations: the threads of a leaf execute
/// them together, and they have the same effect on the same array. Accesses to
/// the two slots of a ring are different ones.
static bool areAlike(Operation *a, Operation *b) {
  if (a->getName() != b->getName() || a->getLoc() != b->getLoc() ||
      a->getBlock() != b->getBlock())
    return false;
  auto [memory, indices] = getIndexedMemory(a);
  auto [other, others] = getIndexedMemory(b);
  if (!memory || memory != other || getKind(a) != getKind(b))
    return false;
  auto type = cast<MemRefType>(memory.getType());
  bool mayBeRing = type.getRank() && type.getDimSize(0) == 2;
  return !mayBeRing || indices.front() == others.front();
}

SmallVector<Operation *> obs::getMembers(const Access &access) {
  if (!access.leaf && !access.warpLeaf)
    return {access.op};
  SmallVector<Operation *> members;
  for (Operation &op : *access.op->getBlock())
    if (areAlike(access.op, &op))
      members.push_back(&op);
  return members;
}

/// Adds the accesses of `op` itself.
void AccessReader::append(Operation *op, Accesses &accesses) {
  auto leaf = op->getParentOfType<scf::ForallOp>();
  if (leaf && getLeafMap(leaf).getScope() == Level::Grid)
    return; // No barrier orders different blocks.
  auto add = [&](Value memory, AccessKind kind, ValueRange indices) {
    Access access;
    access.buffer = getRoot(memory);
    access.kind = kind;
    access.leaf = leaf;
    access.op = op;
    if (access.buffer && (access.buffer.getDefiningOp<memref::GetGlobalOp>() ||
                          getOwner(access.buffer) == Level::Thread ||
                          isInRegisters(access.buffer)))
      return; // Not written, or used by one thread only.
    if (access.buffer == memory && !indices.empty())
      access.slot = getSlot(indices.front());
    for (Access &known : accesses) {
      if (known == access)
        return;
      if (!leaf || known.leaf != leaf || !areAlike(known.op, op))
        continue;
      if (known.slot != access.slot)
        known.slot = {};
      return;
    }
    accesses.push_back(access);
  };
  if (auto [memory, indices] = getIndexedMemory(op); memory)
    return add(memory, getKind(op), indices);
  // No barrier orders what blocks exchange.
  if (auto counter = dyn_cast<CounterOpInterface>(op)) {
    if (!counter.getCell())
      return;
    add(counter.getCell(), AccessKind::Write, {});
    return add(counter.getCell(), AccessKind::Read, {});
  }
  if (isa<PublishOp, AwaitOp>(op))
    return;
  // Other operations: by their memory effects, else a read and a write.
  if (op->getNumRegions() != 0 || isMemoryEffectFree(op))
    return;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  for (Value operand : op->getOperands()) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    if (!effects || effects.getEffectOnValue<MemoryEffects::Read>(operand))
      add(operand, AccessKind::Read, {});
    if (!effects || effects.getEffectOnValue<MemoryEffects::Write>(operand))
      add(operand, AccessKind::Write, {});
  }
}

ArrayRef<Access> AccessReader::get(Operation *op) {
  auto found = known.find(op);
  if (found == known.end())
    found = known.insert({op, collect(op)}).first;
  return found->second;
}

/// Sets whether the warp of `access` always waits at a barrier before the
/// access, and after it.
static void findBarriers(Access &access) {
  for (Operation *op = access.op; op != access.warps; op = op->getParentOp())
    for (auto barrier : op->getBlock()->getOps<BarrierOp>())
      (barrier->isBeforeInBlock(op) ? access.isBehindBarrier
                                    : access.isBeforeBarrier) = true;
}

Accesses AccessReader::collect(Operation *op) {
  Accesses accesses;
  op->walk([&](Operation *inner) { append(inner, accesses); });
  if (scope == Level::Block && isWarpLoop(op)) {
    Accesses outside;
    for (Access access : accesses) {
      if (!withWarpArrays && getOwner(access.buffer) == Level::Warp)
        continue;
      access.warps = cast<scf::ForOp>(op);
      findBarriers(access);
      access.warpLeaf = access.leaf;
      access.leaf = {};
      if (access.slot.base &&
          op->isAncestor(access.slot.base.getParentRegion()->getParentOp()))
        access.slot = {};
      outside.push_back(access);
    }
    return outside;
  }
  // A slot that each thread chooses is not known to other threads.
  if (isa<scf::ForallOp>(op))
    for (Access &access : accesses)
      if (access.slot.base &&
          op->isAncestor(access.slot.base.getParentRegion()->getParentOp()))
        access.slot = {};
  return accesses;
}

std::optional<Hazard> obs::getHazard(const Access &before, const Access &after,
                                     Meetings &meetings) {
  if (before.buffer && after.buffer && before.buffer != after.buffer)
    return std::nullopt;
  if (!before.isWrite() && !after.isWrite())
    return std::nullopt;
  if (before.slot.differs(after.slot))
    return std::nullopt;
  const char *kind = !before.isWrite()  ? "write after read"
                     : !after.isWrite() ? "read after write"
                                        : "write after write";
  if (before.isWrite() && after.isWrite()) {
    // The writes of one force are disjoint (or atomic, or of contract `any`),
    // unless one of them stores the initial contents.
    bool oneForce = before.buffer && after.buffer && !before.renewed &&
                    getAttr<ObsDialect::UpdateAttrHelper>(before.op) ==
                        getAttr<ObsDialect::UpdateAttrHelper>(after.op);
    bool sameKind = (before.kind == AccessKind::Atomic) ==
                    (after.kind == AccessKind::Atomic);
    if (oneForce && sameKind && before.kind != AccessKind::InitialWrite &&
        after.kind != AccessKind::InitialWrite)
      return std::nullopt;
  }
  std::optional<Level> scope = meetings.get(before, after);
  if (!scope || scope == Level::Thread ||
      (scope == Level::Warp && (before.warpSynced || after.isBehindBarrier)))
    return std::nullopt;
  return Hazard{kind, *scope};
}
