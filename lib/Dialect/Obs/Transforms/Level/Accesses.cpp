//===- Accesses.cpp - Memory accesses between barriers --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Meetings.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelIR.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool obs::isWarpLoop(Operation *op) {
  auto map = op->getAttrOfType<MapAttr>("obs.map");
  return isa<scf::ForOp>(op) && map && map.getUnit() == Level::Warp;
}

MapAttr obs::getLeafMap(scf::ForallOp leaf) {
  std::optional<ArrayAttr> mapping = leaf.getMapping();
  return mapping && mapping->size() == 1 ? dyn_cast<MapAttr>((*mapping)[0])
                                         : MapAttr();
}

/// The level whose instances own `buffer`; nothing for what is in global
/// memory.
static std::optional<Level> getOwner(Value buffer) {
  if (!buffer)
    return std::nullopt;
  auto type = cast<MemRefType>(buffer.getType());
  if (auto home = dyn_cast_or_null<HomeAttr>(type.getMemorySpace()))
    return home.getOwner();
  if (buffer.getDefiningOp<memref::AllocaOp>())
    return Level::Thread;
  return std::nullopt;
}

static bool isInRegisters(Value buffer) {
  auto home = dyn_cast_or_null<HomeAttr>(
      cast<MemRefType>(buffer.getType()).getMemorySpace());
  return home && home.getStorage() == Storage::Registers;
}

namespace {
/// Finds slots. Those that counted loops carry are composed turn by turn: who
/// flips a slot how often depends on numbers of turns only.
class SlotReader {
public:
  Slot read(Value index);

private:
  IndexExpr get(Value value);
  std::optional<IndexExpr> runLoop(scf::ForOp loop, unsigned i);

  IndexRecognizer recognizer;
  /// What symbols are in this turn.
  llvm::DenseMap<unsigned, IndexExpr> turn;
  unsigned numTurns = 0;
};
} // namespace

IndexExpr SlotReader::get(Value value) {
  IndexExpr expr = recognizer.get(value);
  return LinearForm::get(expr.substitute([&](const IndexExpr &leaf)
                                             -> std::optional<IndexExpr> {
           auto found = turn.find(leaf.getId());
           if (found != turn.end())
             return found->second;
           auto result = dyn_cast<OpResult>(recognizer.getValue(leaf.getId()));
           auto loop =
               result ? dyn_cast<scf::ForOp>(result.getOwner()) : scf::ForOp();
           return loop ? runLoop(loop, result.getResultNumber()) : std::nullopt;
         }))
      .toExpr();
}

/// The result `i` of `loop`.
std::optional<IndexExpr> SlotReader::runLoop(scf::ForOp loop, unsigned i) {
  constexpr unsigned maxTurns = 4096;
  std::optional<int64_t> from = get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> to = get(loop.getUpperBound()).getConstant();
  std::optional<int64_t> step = get(loop.getStep()).getConstant();
  if (!from || !to || !step || *step <= 0 || loop->hasAttr("obs.map"))
    return std::nullopt;
  IndexExpr counter = recognizer.get(loop.getInductionVar());
  unsigned carried = recognizer.get(loop.getRegionIterArg(i)).getId();
  IndexExpr slot = get(loop.getInitArgs()[i]);
  for (int64_t number = *from; number < *to; number += *step) {
    auto round = solveForSymbol(counter, number);
    if (!round || ++numTurns > maxTurns)
      return std::nullopt;
    turn.insert_or_assign(round->first, IndexExpr::constant(round->second));
    turn.insert_or_assign(carried, slot);
    slot = get(loop.getYieldedValues()[i]);
    // What else the turn computes is another value in the next one.
    for (const IndexExpr &symbol : collectLeaves(slot, IndexExpr::Kind::Symbol))
      if (loop.getRegion().isAncestor(
              recognizer.getValue(symbol.getId()).getParentRegion()))
        return std::nullopt;
  }
  return slot;
}

/// `index`, an expression of symbol 0, as part of a ring of two: what is
/// further off comes from no ring, and loops would go on with it.
static std::optional<IndexExpr> getNear(const IndexExpr &index) {
  LinearForm form = LinearForm::get(index);
  bool isNear =
      form.terms.empty() ||
      (form.terms.size() == 1 &&
       form.terms[0].first.getKind() == IndexExpr::Kind::Symbol &&
       std::abs(form.terms[0].second) == 1 && std::abs(form.constant) <= 1);
  return isNear ? std::optional(form.toExpr()) : std::nullopt;
}

Slot SlotReader::read(Value index) {
  IndexExpr expr = get(index);
  SmallVector<IndexExpr> symbols = collectLeaves(expr, IndexExpr::Kind::Symbol);
  IndexExpr own = IndexExpr::symbol(0);
  if (symbols.empty() && expr.getConstant())
    return {Value(), expr};
  if (symbols.size() == 1) {
    if (std::optional<IndexExpr> near =
            getNear(expr.substitute([&](const IndexExpr &) { return own; })))
      return {recognizer.getValue(symbols.front().getId()), near};
  }
  return {index, own};
}

Slot obs::getSlot(Value index) { return SlotReader().read(index); }

/// `slot` as an expression of what `to` is of, where `from`, of the same value,
/// is the same number as `to`.
static Slot carry(const Slot &slot, const Slot &from, const Slot &to) {
  if (!slot.index || !from.index || !to.index || slot.base != from.base)
    return {};
  if (std::optional<int64_t> number = from.index->getConstant()) {
    // Of two numbers each is the sum less the other one.
    if (slot.index->getConstant() == number)
      return to;
    IndexExpr other = *slot.index + *from.index - *to.index;
    std::optional<IndexExpr> near = getNear(other);
    return near ? Slot{to.base, near} : Slot();
  }
  // Back from `from` to the value, and from there to the slot.
  IndexExpr unknown = IndexExpr::variable(0);
  auto open = [&](const IndexExpr &expr) {
    return expr.substitute([&](const IndexExpr &) { return unknown; });
  };
  std::optional<IndexSolution> base =
      solveFor({0}, open(*from.index), *to.index);
  std::optional<IndexExpr> near;
  if (base)
    near = getNear(substitute(open(*slot.index), *base));
  return near ? Slot{to.base, near} : Slot();
}

/// True for a ring: two buffers, of which a loop carries the number of one.
static bool isRing(Value buffer) {
  if (!buffer || !buffer.getDefiningOp<memref::AllocOp>())
    return false;
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() < 2 || type.getDimSize(0) != 2)
    return false;
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    ValueRange indices;
    if (auto load = dyn_cast<memref::LoadOp>(user))
      indices = load.getIndices();
    else if (auto store = dyn_cast<memref::StoreOp>(user))
      indices = store.getIndices();
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

/// Adds the accesses of `op` itself.
static void appendAccesses(Operation *op, Level scope, Accesses &accesses) {
  auto leaf = op->getParentOfType<scf::ForallOp>();
  if (leaf && getLeafMap(leaf).getScope() == Level::Grid)
    return; // No barrier orders what different blocks do.
  auto append = [&](Value memory, AccessKind kind, ValueRange indices) {
    Access access;
    access.buffer = getRoot(memory);
    access.kind = kind;
    access.leaf = leaf;
    access.op = op;
    if (access.buffer && (access.buffer.getDefiningOp<memref::GetGlobalOp>() ||
                          getOwner(access.buffer) == Level::Thread ||
                          isInRegisters(access.buffer)))
      return; // Tables and private arrays are nobody else's.
    if (access.buffer == memory && !indices.empty())
      access.slot = getSlot(indices.front());
    if (!llvm::is_contained(accesses, access))
      accesses.push_back(access);
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return append(load.getMemRef(), AccessKind::Read, load.getIndices());
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    auto contract = op->getAttrOfType<StringAttr>("obs.contract");
    bool initial = contract && contract.getValue() == "init";
    return append(store.getMemRef(),
                  initial ? AccessKind::InitialWrite : AccessKind::Write,
                  store.getIndices());
  }
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return append(atomic.getMemref(), AccessKind::Atomic, atomic.getIndices());
  if (auto atomic = dyn_cast<memref::GenericAtomicRMWOp>(op))
    return append(atomic.getMemref(), AccessKind::Atomic, atomic.getIndices());
  // Anything else that says what it does to memory, else both.
  if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op))
    return;
  if (op->getNumRegions() != 0 || isMemoryEffectFree(op))
    return;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  for (Value operand : op->getOperands()) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    if (!effects || effects.getEffectOnValue<MemoryEffects::Read>(operand))
      append(operand, AccessKind::Read, {});
    if (!effects || effects.getEffectOnValue<MemoryEffects::Write>(operand))
      append(operand, AccessKind::Write, {});
  }
}

Accesses obs::collectAccesses(Operation *op, Level scope, bool withWarpArrays) {
  Accesses accesses;
  op->walk([&](Operation *inner) { appendAccesses(inner, scope, accesses); });
  if (scope == Level::Block && isWarpLoop(op)) {
    Accesses outside;
    for (Access access : accesses) {
      if (!withWarpArrays && getOwner(access.buffer) == Level::Warp)
        continue;
      access.warps = cast<scf::ForOp>(op);
      access.warpLeaf = access.leaf;
      access.leaf = {};
      if (access.slot.base &&
          op->isAncestor(access.slot.base.getParentRegion()->getParentOp()))
        access.slot = {};
      outside.push_back(access);
    }
    return outside;
  }
  // A slot that each thread chooses says nothing to the others.
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
    // The writes of one force are disjoint (or atomic, or any of them may win),
    // unless one gives the initial contents.
    bool oneForce = before.buffer && after.buffer && !before.renewed;
    bool sameKind = (before.kind == AccessKind::Atomic) ==
                    (after.kind == AccessKind::Atomic);
    if (oneForce && sameKind && before.kind != AccessKind::InitialWrite &&
        after.kind != AccessKind::InitialWrite)
      return std::nullopt;
  }
  std::optional<Level> scope = meetings.get(before, after);
  if (!scope || scope == Level::Thread ||
      (scope == Level::Warp && before.warpSynced))
    return std::nullopt;
  return Hazard{kind, *scope};
}

//===----------------------------------------------------------------------===//
// Flow
//===----------------------------------------------------------------------===//

/// Adds `accesses` to `pending`; true if any was new.
static bool add(Accesses &pending, ArrayRef<Access> accesses) {
  bool changed = false;
  for (const Access &access : accesses)
    if (!llvm::is_contained(pending, access)) {
      pending.push_back(access);
      changed = true;
    }
  return changed;
}

/// True when `op` indexes `buffer` by an expression of `slot`.
static bool indexesBy(Operation *op, Value buffer, Value slot) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (!op->isAncestor(user))
      return false;
    if (auto load = dyn_cast<memref::LoadOp>(user))
      return !load.getIndices().empty() &&
             getSlot(load.getIndices().front()).base == slot;
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return !store.getIndices().empty() &&
             getSlot(store.getIndices().front()).base == slot;
    return false;
  });
}

/// `pending` on the way into `loop`, where the values `from` become `to`.
static Accesses enter(const Accesses &pending, ValueRange from, ValueRange to,
                      Operation *loop) {
  Accesses result;
  for (Access access : pending) {
    // Several arguments can start from one number; the one that addresses the
    // buffer is the one that the body indexes it by.
    if (access.slot.index && access.buffer)
      for (auto [a, b] : llvm::zip(from, to)) {
        Slot source = getSlot(a);
        if (source.base != access.slot.base ||
            !indexesBy(loop, access.buffer, b))
          continue;
        access.slot = carry(access.slot, source, Slot{b, IndexExpr::symbol(0)});
        break;
      }
    add(result, access);
  }
  return result;
}

/// `pending` on the way out of `region` (or to its next run), where the values
/// `from` become `to`. Slots that other values of the region decide are unknown
/// from there on.
static Accesses leave(const Accesses &pending, ValueRange from, ValueRange to,
                      Region &region) {
  Accesses result;
  for (Access access : pending) {
    Value base = access.slot.base;
    if (base && region.isAncestor(base.getParentRegion())) {
      Slot slot;
      for (auto [a, b] : llvm::zip(from, to)) {
        Slot source = getSlot(a);
        if (source.base != base)
          continue;
        slot = carry(access.slot, source, getSlot(b));
        break;
      }
      access.slot = slot;
    }
    add(result, access);
  }
  return result;
}

/// What of `pending` reaches the next iteration of `loop`. Iterations that are
/// instances of a level run side by side on other units, so they share only
/// what a unit owns.
static Accesses getCarried(const Accesses &pending, Operation *loop) {
  auto map = loop->getAttrOfType<MapAttr>("obs.map");
  Accesses result;
  for (Access access : pending) {
    if (map && access.buffer) {
      std::optional<Level> owner = getOwner(access.buffer);
      if (!owner || *owner > map.getUnit())
        continue;
    }
    // Each iteration forces its own array into a slot of a ring.
    if (isRing(access.buffer))
      access.renewed = true;
    if (!access.stale || loop->isAncestor(access.stale))
      access.stale = loop;
    add(result, access);
  }
  return result;
}

/// Bounds of a number that is computed around `loop`, where counters of loops
/// over workers begin with 0.
static IndexRange getRangeAt(Value number, scf::ForOp loop) {
  IndexRecognizer recognizer;
  recognizer.assumeExtents();
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer;
       outer = outer->getParentOfType<scf::ForOp>())
    if (outer->hasAttr("obs.map")) {
      int64_t end = getExtentRange(outer.getUpperBound()).max;
      recognizer.setRange(outer.getInductionVar(),
                          {0, std::max<int64_t>(1, end) - 1});
    }
  return recognizer.get(number).getRange().value_or(getExtentRange(number));
}

/// The least that a counter of `loop` grows by in a turn.
static int64_t getLeastStep(scf::ForOp loop) {
  auto count = loop.getStep().getDefiningOp<WorkerCountOp>();
  if (!count)
    return getRangeAt(loop.getStep(), loop).min;
  // A grid is at least one block.
  if (count.getMap().getUnit() != Level::Warp)
    return 1;
  Workers workers = getWorkers(loop->getParentOfType<KernelOp>());
  return llvm::divideCeil(workers.launched, warpSize);
}

/// True when the body of `loop` runs at most once, for each worker if it is
/// spread over them.
static bool runsOnce(scf::ForOp loop) {
  // The numbers of workers begin with 0.
  int64_t from = loop.getLowerBound().getDefiningOp<WorkerIdOp>()
                     ? 0
                     : getRangeAt(loop.getLowerBound(), loop).min;
  int64_t length;
  return !llvm::SubOverflow(getRangeAt(loop.getUpperBound(), loop).max, from,
                            length) &&
         length <= std::max<int64_t>(1, getLeastStep(loop));
}

/// What is pending behind a barrier.
void AccessFlow::wait(Level barrier, Accesses &pending) {
  if (barrier >= scope)
    return pending.clear();
  Accesses synced;
  for (Access access : pending) {
    access.warpSynced = true;
    add(synced, access);
  }
  pending = std::move(synced);
}

void AccessFlow::statement(Operation *op, Accesses &pending) {
  Accesses accesses = collectAccesses(op, scope, withWarpArrays);
  if (accesses.empty())
    return;
  if (std::optional<Level> barrier = visit(op, accesses, pending))
    wait(*barrier, pending);
  add(pending, accesses);
}

void AccessFlow::run(Block &block, Accesses &pending) {
  for (Operation &op : block) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      wait(barrier.getScope(), pending);
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      // The same bytes again, for another array.
      Accesses renewed;
      for (Access access : pending) {
        access.renewed |= access.buffer == alloc.getResult();
        add(renewed, access);
      }
      pending = std::move(renewed);
    } else if (isa<scf::ForallOp>(op) ||
               (scope == Level::Block && isWarpLoop(&op))) {
      statement(&op, pending);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      runFor(loop, pending);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      runWhile(loop, pending);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      runIf(branch, pending);
    } else if (op.getNumRegions() != 0) {
      Accesses before = pending;
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          Accesses arm = before;
          run(inner, arm);
          add(pending, leave(arm, {}, {}, region));
        }
    } else {
      statement(&op, pending);
    }
  }
}

void AccessFlow::runFor(scf::ForOp loop, Accesses &pending) {
  Region &region = loop.getRegion();
  ValueRange arguments = loop.getRegionIterArgs();
  ValueRange yielded = loop.getYieldedValues();
  Accesses entry = enter(pending, loop.getInitArgs(), arguments, loop);
  Accesses in = entry, out;
  while (true) {
    out = in;
    run(*loop.getBody(), out);
    if (runsOnce(loop) ||
        !add(in, leave(getCarried(out, loop), yielded, arguments, region)))
      break;
  }
  pending.clear();
  for (Access access : out) {
    // With nothing stale, this was the last turn, here and in loops inside.
    if (!access.stale && loop->isProperAncestor(access.op))
      access.ended = loop;
    add(pending, {access});
  }
  pending = leave(pending, yielded, loop.getResults(), region);
  bool runs = getRangeAt(loop.getLowerBound(), loop).max <
                  getRangeAt(loop.getUpperBound(), loop).min &&
              !loop->hasAttr("obs.map");
  if (!runs) // No iteration at all.
    add(pending, leave(entry, arguments, loop.getResults(), region));
}

void AccessFlow::runWhile(scf::WhileOp loop, Accesses &pending) {
  ValueRange passed = loop.getConditionOp().getArgs();
  Accesses in =
      enter(pending, loop.getInits(), loop.getBeforeArguments(), loop);
  Accesses decided;
  while (true) {
    decided = in;
    run(*loop.getBeforeBody(), decided);
    Accesses out =
        leave(decided, passed, loop.getAfterArguments(), loop.getBefore());
    run(*loop.getAfterBody(), out);
    if (!add(in, leave(getCarried(out, loop), loop.getYieldOp().getOperands(),
                       loop.getBeforeArguments(), loop.getAfter())))
      break;
  }
  pending = leave(decided, passed, loop.getResults(), loop.getBefore());
}

void AccessFlow::runIf(scf::IfOp branch, Accesses &pending) {
  Accesses before;
  std::swap(before, pending);
  for (Region *region : branch.getRegions()) {
    Accesses arm = before;
    if (region->empty()) {
      add(pending, arm);
      continue;
    }
    run(region->front(), arm);
    ValueRange yielded = region->front().getTerminator()->getOperands();
    add(pending, leave(arm, yielded, branch.getResults(), *region));
  }
}

void AccessFlow::runWarpLoop(scf::ForOp loop) {
  // Even a single instance comes again when the code around it is in a loop.
  bool isRepeated = false;
  for (Operation *op = loop; op && !isa<KernelOp>(op); op = op->getParentOp()) {
    auto counted = dyn_cast<scf::ForOp>(op);
    isRepeated |=
        isa<LoopLikeOpInterface>(op) && !(counted && runsOnce(counted));
  }
  Accesses in, out;
  do {
    out = in;
    run(*loop.getBody(), out);
  } while (isRepeated &&
           add(in, leave(getCarried(out, loop), {}, {}, loop.getRegion())));
}
