//===- HostLoops.cpp - Arrays that loops of the host carry ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries arrays makes new ones in each turn. If their extents have
// a maximum that is known before the loop, memory from outside of it takes the
// place of the allocations. It is given out as registers are: each array that
// lives has a buffer of its own, and the others are free. A new array takes a
// free one, or in place that of an array which its kernel is the last to read.
// An array that dies gives its buffer back.
//
// Which buffer that is depends on the turn, so the loop carries them: besides
// each array its buffer, and those that are free. There are as many of them at
// the end of a turn as at its start, in inner loops and in both arms of a
// branch, too. The array that a loop begins with stays as it is: it is not in
// its buffer, unless it was allocated for the loop alone. After the turns that
// it takes to drop the first arrays, all arrays are in their buffers.
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "HostExtents.h"
#include "InPlace.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// Who has which buffer
//===----------------------------------------------------------------------===//

namespace {
/// Arrays that live at some point, with their buffers, and the other buffers.
/// While they are counted, buffers are null.
struct Buffers {
  llvm::MapVector<Value, Value> held;
  SmallVector<Value> free;
};

/// The arrays that one loop carries and that may take each other's places.
class Rotation {
public:
  Rotation(LoopLikeOpInterface loop)
      : loop(loop), builder(loop->getContext()) {}

  /// Collects all arrays that `carried` depends on, and that depend on it;
  /// false if something is done with one of them that keeps it.
  bool collect(Value carried);
  /// Gives the arrays memory from outside of the loop if that can be shown to
  /// be right. The loop is another operation then.
  bool apply();
  LoopLikeOpInterface getLoop() const { return loop; }

private:
  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  bool collectSources(Value array);
  bool collectUses(Value array);
  bool hasMaximum();
  bool isOwn(Value first);
  void findPure();

  bool run(Block &block, Buffers &buffers);
  bool runOp(Operation *&op, Buffers &buffers);
  bool runFor(scf::ForOp loop, Buffers &buffers, Operation *&replaced);
  bool runWhile(scf::WhileOp loop, Buffers &buffers, Operation *&replaced);
  bool runIf(scf::IfOp branch, Buffers &buffers, Operation *&replaced);
  void makeArray(gpu::AllocOp alloc, Buffers &buffers);
  std::optional<unsigned> findInPlace(LaunchOp launch, Value made,
                                      const Buffers &buffers);
  bool pass(ValueRange arrays, Operation *user, Buffers &buffers,
            SmallVectorImpl<Value> &all);
  Buffers receive(ValueRange arrays, ValueRange all);
  Value take(Buffers &buffers);
  void join(Buffers &buffers, ValueRange results, ValueRange all);
  void replace(Operation *old, Operation *op);
  void runInPlace(gpu::AllocOp alloc, unsigned in);
  void endBuffers(const Buffers &after, ArrayRef<Value> buffers);

  /// The outermost loop.
  LoopLikeOpInterface loop;
  OpBuilder builder;
  MemRefType type;
  /// Arrays of any turn.
  llvm::SetVector<Value> arrays;
  SmallVector<gpu::AllocOp> allocs;
  SmallVector<Maximum> maxima;
  /// Arrays that are in their buffers from the first turn on.
  llvm::SmallDenseSet<Value> pure;
  /// Allocations that take the memory of what the first kernel that uses them
  /// reads, as its argument of this number.
  llvm::SmallDenseMap<Operation *, unsigned> inPlace;
  llvm::SmallDenseMap<Operation *, Value> memory;

  /// Buffers are counted, nothing is changed.
  bool counting = true;
  unsigned needed = 0;
};
} // namespace

/// What uses the elements of `array`.
static auto getUsers(Value array) {
  return llvm::make_filter_range(array.getUsers(), [](Operation *user) {
    return !isa<memref::DimOp>(user);
  });
}

/// True if nothing in the block of `op` uses `array` at or after it, or only
/// after it.
static bool isDead(Value array, Operation *op, bool after) {
  return llvm::none_of(getUsers(array), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor &&
           (op->isBeforeInBlock(ancestor) || (!after && ancestor == op));
  });
}

/// The first user of `memory` in its block.
static Operation *getFirstUse(Value memory) {
  Operation *first = nullptr;
  Block *block = memory.getParentBlock();
  for (Operation *user : memory.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

/// Adds what `array` may be in one turn or another.
bool Rotation::collectSources(Value array) {
  if (auto argument = dyn_cast<BlockArgument>(array)) {
    unsigned number = argument.getArgNumber();
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto inner = dyn_cast<scf::ForOp>(parent))
      return collect(inner.getInitArgs()[number - 1]) &&
             collect(inner.getYieldedValues()[number - 1]);
    auto inner = dyn_cast<scf::WhileOp>(parent);
    if (!inner)
      return false;
    if (argument.getOwner() == inner.getAfterBody())
      return collect(inner.getConditionOp().getArgs()[number]);
    return collect(inner.getInits()[number]) &&
           collect(inner.getYieldOp().getOperand(number));
  }
  Operation *op = array.getDefiningOp();
  unsigned number = cast<OpResult>(array).getResultNumber();
  if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
    allocs.push_back(alloc);
    return true;
  }
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return collect(inner.getRegionIterArg(number));
  if (auto inner = dyn_cast<scf::WhileOp>(op))
    return collect(inner.getConditionOp().getArgs()[number]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return collect(branch.thenYield().getOperand(number)) &&
           collect(branch.elseYield().getOperand(number));
  return false;
}

/// Adds what `array` is passed on as. All others that use it may only be
/// kernels, copies and memsets.
bool Rotation::collectUses(Value array) {
  for (OpOperand &use : array.getUses()) {
    Operation *user = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (isa<LaunchOp, memref::DimOp, gpu::MemcpyOp, gpu::MemsetOp>(user))
      continue;
    if (isa<memref::SubViewOp>(user)) {
      if (!llvm::all_of(user->getUsers(), llvm::IsaPred<gpu::MemcpyOp>))
        return false;
      continue;
    }
    // Two arrays of the next turn would be one.
    if (llvm::count(user->getOperands(), array) != 1)
      return false;
    Operation *target = isa<scf::YieldOp>(user) ? user->getParentOp() : user;
    if (auto condition = dyn_cast<scf::ConditionOp>(user)) {
      auto inner = cast<scf::WhileOp>(user->getParentOp());
      if (!collect(inner.getAfterArguments()[number - 1]) ||
          (inner != loop && !collect(inner.getResult(number - 1))))
        return false;
    } else if (auto inner = dyn_cast<scf::ForOp>(target)) {
      if (target == user)
        number -= inner.getNumControlOperands();
      if (!collect(inner.getRegionIterArg(number)) ||
          (inner != loop && !collect(inner.getResult(number))))
        return false;
    } else if (auto inner = dyn_cast<scf::WhileOp>(target)) {
      if (!collect(inner.getBeforeArguments()[number]))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(target)) {
      if (!collect(branch.getResult(number)))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

bool Rotation::collect(Value array) {
  if (!type)
    type = dyn_cast<MemRefType>(array.getType());
  if (!type || array.getType() != type)
    return false;
  if (isOutside(array) || !arrays.insert(array))
    return true;
  return collectSources(array) && collectUses(array);
}

bool Rotation::hasMaximum() {
  for (int64_t d : llvm::seq<int64_t>(0, type.getRank())) {
    if (!type.isDynamicDim(d))
      continue;
    Maximum &maximum = maxima.emplace_back(loop);
    for (gpu::AllocOp alloc : allocs)
      if (!maximum.addExtent(alloc.getMemref(), d))
        return false;
  }
  return true;
}

/// True if the extents of `alloc` are the largest.
static bool isExact(gpu::AllocOp alloc, ArrayRef<Maximum> maxima) {
  return llvm::all_of(llvm::zip_equal(maxima, alloc.getDynamicSizes()),
                      [](const auto &pair) {
                        auto &[maximum, size] = pair;
                        return maximum.isExactly(size);
                      });
}

/// True if `first`, an array that the loop begins with, is memory that the
/// program has allocated for that, as large as any later array.
bool Rotation::isOwn(Value first) {
  auto alloc = first.getDefiningOp<gpu::AllocOp>();
  return alloc && first.getType() == type &&
         first.getParentBlock() == loop->getBlock() &&
         llvm::count(loop->getOperands(), first) == 1 &&
         isExact(alloc, maxima) &&
         llvm::all_of(first.getUsers(), [&](Operation *user) {
           Operation *ancestor = loop->getBlock()->findAncestorOpInBlock(*user);
           return user == loop || isa<memref::DimOp>(user) ||
                  (isa<LaunchOp, gpu::MemcpyOp, gpu::MemsetOp>(user) &&
                   ancestor->isBeforeInBlock(loop));
         });
}

/// Arrays are in their buffers unless they may come from outside.
void Rotation::findPure() {
  pure.insert(arrays.begin(), arrays.end());
  auto isPure = [&](Value array) {
    return isOutside(array) ? isOwn(array) : pure.contains(array);
  };
  auto getParts = [](Value array) -> SmallVector<Value> {
    if (auto argument = dyn_cast<BlockArgument>(array)) {
      if (auto [first, next] = getCarried(argument); first)
        return {first, next};
      auto inner = cast<scf::WhileOp>(argument.getOwner()->getParentOp());
      return {inner.getConditionOp().getArgs()[argument.getArgNumber()]};
    }
    Operation *op = array.getDefiningOp();
    unsigned number = cast<OpResult>(array).getResultNumber();
    if (auto inner = dyn_cast<scf::ForOp>(op))
      return {inner.getRegionIterArg(number)};
    if (auto inner = dyn_cast<scf::WhileOp>(op))
      return {inner.getConditionOp().getArgs()[number]};
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return {branch.thenYield().getOperand(number),
              branch.elseYield().getOperand(number)};
    return {};
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Value array : arrays)
      if (pure.contains(array) && !llvm::all_of(getParts(array), isPure))
        changed |= pure.erase(array);
  }
}

//===----------------------------------------------------------------------===//
// Giving out buffers
//===----------------------------------------------------------------------===//

Value Rotation::take(Buffers &buffers) {
  if (!buffers.free.empty())
    return buffers.free.pop_back_val();
  assert(counting && "all buffers were counted");
  ++needed;
  return {};
}

/// Collects the buffers of `arrays`, those of them that are among ours, as
/// `user` passes them on, and those that are free. False if an array lives on.
bool Rotation::pass(ValueRange passed, Operation *user, Buffers &buffers,
                    SmallVectorImpl<Value> &all) {
  SmallVector<std::optional<Value>> own;
  for (Value array : passed) {
    auto held = buffers.held.find(array);
    if (held == buffers.held.end()) {
      // What comes from outside is nobody's; it may get a buffer that is free.
      if (!isOutside(array))
        return false;
      own.push_back(std::nullopt);
      continue;
    }
    if (!isDead(array, user, /*after=*/true) ||
        llvm::any_of(getUsers(array), [&](Operation *other) {
          return user->isProperAncestor(other);
        }))
      return false;
    own.push_back(held->second);
    buffers.held.erase(held);
  }
  for (std::optional<Value> buffer : own)
    all.push_back(buffer ? *buffer : take(buffers));
  llvm::append_range(all, buffers.free);
  buffers.free.clear();
  return true;
}

/// The buffers of `arrays`, and those that are free, as `pass` puts them.
Buffers Rotation::receive(ValueRange received, ValueRange all) {
  Buffers buffers;
  for (auto [array, buffer] : llvm::zip(received, all))
    buffers.held[array] = buffer;
  llvm::append_range(buffers.free, all.drop_front(received.size()));
  return buffers;
}

/// The argument of `launch` in whose place `made` may be.
std::optional<unsigned> Rotation::findInPlace(LaunchOp launch, Value made,
                                              const Buffers &buffers) {
  auto arguments = launch.getArgs();
  if (llvm::count(arguments, made) != 1)
    return std::nullopt;
  unsigned out = llvm::find(arguments, made) - arguments.begin();
  for (auto [in, array] : llvm::enumerate(arguments)) {
    if (!buffers.held.contains(array) || llvm::count(arguments, array) != 1 ||
        !isDead(array, launch, /*after=*/true) ||
        !Extents().areEqual(array, made))
      continue;
    InPlace may = mayRunInPlace(launch, in, out);
    if (may == InPlace::OwnElements ||
        (may == InPlace::OneParameter && pure.contains(array)))
      return in;
  }
  return std::nullopt;
}

/// Gives the array of `alloc` a buffer.
void Rotation::makeArray(gpu::AllocOp alloc, Buffers &buffers) {
  Value made = alloc.getMemref();
  auto launch = dyn_cast_or_null<LaunchOp>(getFirstUse(made));
  if (counting && launch && launch->getBlock() == alloc->getBlock())
    if (std::optional<unsigned> in = findInPlace(launch, made, buffers))
      inPlace[alloc] = *in;
  auto found = inPlace.find(alloc);
  if (found == inPlace.end()) {
    buffers.held[made] = take(buffers);
  } else {
    Value array = launch.getArgs()[found->second];
    Value buffer = buffers.held.lookup(array);
    buffers.held.erase(array);
    buffers.held[made] = buffer;
  }
  memory[alloc] = buffers.held[made];
}

bool Rotation::run(Block &block, Buffers &buffers) {
  for (Operation *op = &block.front();; op = op->getNextNode()) {
    buffers.held.remove_if([&](auto &held) {
      bool dead = isDead(held.first, op, /*after=*/false);
      if (dead)
        buffers.free.push_back(held.second);
      return dead;
    });
    if (op->hasTrait<OpTrait::IsTerminator>())
      return true;
    if (!runOp(op, buffers))
      return false;
  }
}

/// `op` is what replaces it afterwards.
bool Rotation::runOp(Operation *&op, Buffers &buffers) {
  if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
    if (arrays.contains(alloc.getMemref()))
      makeArray(alloc, buffers);
    return true;
  }
  auto isOurs = [&](Value value) { return arrays.contains(value); };
  if (auto inner = dyn_cast<scf::ForOp>(op);
      inner && llvm::any_of(inner.getRegionIterArgs(), isOurs))
    return runFor(inner, buffers, op);
  if (auto inner = dyn_cast<scf::WhileOp>(op);
      inner && llvm::any_of(inner.getBeforeArguments(), isOurs))
    return runWhile(inner, buffers, op);
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && llvm::any_of(branch.getResults(), isOurs))
    return runIf(branch, buffers, op);
  // What is made in others would leave them unseen.
  return llvm::none_of(
      allocs, [&](gpu::AllocOp alloc) { return op->isProperAncestor(alloc); });
}

/// Those of `values` that stand where one of `ours` is among our arrays.
static SmallVector<Value> select(ValueRange values, ValueRange ours,
                                 const llvm::SetVector<Value> &arrays) {
  SmallVector<Value> selected;
  for (auto [value, our] : llvm::zip_equal(values, ours))
    if (arrays.contains(our))
      selected.push_back(value);
  return selected;
}

/// `buffers` as arguments of `block`.
static SmallVector<Value> addArguments(Block &block, ValueRange buffers,
                                       Location loc) {
  SmallVector<Value> arguments;
  for (Value buffer : buffers)
    arguments.push_back(block.addArgument(buffer.getType(), loc));
  return arguments;
}

bool Rotation::runFor(scf::ForOp inner, Buffers &buffers,
                      Operation *&replaced) {
  Block &body = *inner.getBody();
  SmallVector<Value> ours(inner.getRegionIterArgs());
  SmallVector<Value> all, end;
  if (!pass(select(inner.getInitArgs(), ours, arrays), inner, buffers, all))
    return false;
  SmallVector<Value> inside = all;
  if (!counting) {
    builder.setInsertionPoint(inner);
    SmallVector<Value> inits(inner.getInitArgs());
    inits.append(all);
    auto loop = scf::ForOp::create(
        builder, inner.getLoc(), inner.getLowerBound(), inner.getUpperBound(),
        inner.getStep(), inits, nullptr, inner.getUnsignedCmp());
    loop->setDiscardableAttrs(inner->getDiscardableAttrDictionary());
    loop.getRegion().takeBody(inner.getRegion());
    inside = addArguments(body, all, inner.getLoc());
    replace(inner, loop);
    replaced = inner = loop;
  }
  Buffers turn = receive(select(ours, ours, arrays), inside);
  Operation *yield = body.getTerminator();
  if (!run(body, turn) ||
      !pass(select(yield->getOperands(), ours, arrays), yield, turn, end))
    return false;
  if (!counting) {
    yield->insertOperands(ours.size(), end);
    all = inner.getResults().drop_front(ours.size());
  }
  join(buffers,
       select(replaced->getResults().take_front(ours.size()), ours, arrays),
       counting ? end : all);
  return true;
}

bool Rotation::runWhile(scf::WhileOp inner, Buffers &buffers,
                        Operation *&replaced) {
  Block &before = *inner.getBeforeBody(), &after = *inner.getAfterBody();
  SmallVector<Value> ours(inner.getBeforeArguments());
  SmallVector<Value> passed(inner.getAfterArguments());
  SmallVector<Value> all, middle, end;
  if (!pass(select(inner.getInits(), ours, arrays), inner, buffers, all))
    return false;
  SmallVector<Value> inBefore = all;
  if (!counting) {
    builder.setInsertionPoint(inner);
    SmallVector<Value> inits(inner.getInits());
    inits.append(all);
    SmallVector<Type> types(inner.getResultTypes());
    types.append(all.size(), type);
    auto loop = scf::WhileOp::create(builder, inner.getLoc(), types, inits,
                                     nullptr, nullptr);
    loop->setDiscardableAttrs(inner->getDiscardableAttrDictionary());
    loop.getBefore().takeBody(inner.getBefore());
    loop.getAfter().takeBody(inner.getAfter());
    inBefore = addArguments(before, all, inner.getLoc());
    replace(inner, loop);
    replaced = inner = loop;
  }
  Buffers turn = receive(select(ours, ours, arrays), inBefore);
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  if (!run(before, turn) || !pass(select(condition.getArgs(), passed, arrays),
                                  condition, turn, middle))
    return false;
  SmallVector<Value> inAfter = middle;
  if (!counting) {
    condition.getArgsMutable().append(middle);
    inAfter = addArguments(after, middle, inner.getLoc());
  }
  turn = receive(select(passed, passed, arrays), inAfter);
  Operation *yield = after.getTerminator();
  if (!run(after, turn) ||
      !pass(select(yield->getOperands(), ours, arrays), yield, turn, end))
    return false;
  if (!counting) {
    yield->insertOperands(ours.size(), end);
    all = inner.getResults().drop_front(passed.size());
  }
  join(buffers,
       select(replaced->getResults().take_front(passed.size()), passed, arrays),
       counting ? end : all);
  return true;
}

bool Rotation::runIf(scf::IfOp branch, Buffers &buffers, Operation *&replaced) {
  // What is dead behind the branch dies in its arms, if they do not pass it on.
  Buffers given;
  given.free = buffers.free;
  buffers.held.remove_if([&](auto &held) {
    bool dies = isDead(held.first, branch, /*after=*/true);
    if (dies)
      given.held.insert(held);
    return dies;
  });
  SmallVector<Value> ours(branch.getResults());
  SmallVector<Value> all;
  for (Region *region : branch.getRegions()) {
    Buffers arm = given;
    Operation *yield = region->front().getTerminator();
    unsigned before = needed;
    all.clear();
    if (!run(region->front(), arm) ||
        !pass(select(yield->getOperands(), ours, arrays), yield, arm, all))
      return false;
    // What one arm needs more is there for the other one, too.
    given.free.append(needed - before, Value());
    if (!counting)
      yield->insertOperands(ours.size(), all);
  }
  if (!counting) {
    builder.setInsertionPoint(branch);
    SmallVector<Type> types(branch.getResultTypes());
    types.append(all.size(), type);
    auto other = scf::IfOp::create(builder, branch.getLoc(), types,
                                   branch.getCondition(), true, true);
    other.getThenRegion().takeBody(branch.getThenRegion());
    other.getElseRegion().takeBody(branch.getElseRegion());
    all = other.getResults().drop_front(ours.size());
    replace(branch, other);
    replaced = other;
  }
  join(buffers,
       select(replaced->getResults().take_front(ours.size()), ours, arrays),
       all);
  return true;
}

/// What `results` and `all` are after a loop or branch, in its place.
void Rotation::join(Buffers &buffers, ValueRange results, ValueRange all) {
  Buffers after = receive(results, all);
  buffers.free = after.free;
  for (auto &[array, buffer] : after.held)
    buffers.held[array] = buffer;
}

/// Puts `op`, with some results more, in the place of `old`.
void Rotation::replace(Operation *old, Operation *op) {
  for (auto [before, after] : llvm::zip(old->getResults(), op->getResults())) {
    if (arrays.contains(before))
      arrays.insert(after);
    if (pure.contains(before))
      pure.insert(after);
    before.replaceAllUsesWith(after);
  }
  if (old == loop)
    loop = cast<LoopLikeOpInterface>(op);
  old->erase();
}

//===----------------------------------------------------------------------===//
// Buffers for arrays
//===----------------------------------------------------------------------===//

/// Puts the array of `alloc` into `memory`, which has the extents `maxima`: as
/// it is, or its first part.
static Value buildArray(OpBuilder &builder, gpu::AllocOp alloc, Value memory,
                        ArrayRef<Value> maxima, bool isExact) {
  if (isExact)
    return memory;
  Location loc = alloc.getLoc();
  // An extent that is negative is larger than any other.
  for (auto [size, maximum] :
       llvm::zip_equal(alloc.getDynamicSizes(), maxima)) {
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                       size, maximum);
    cf::AssertOp::create(builder, loc, fits,
                         "[R4-extents] an extent is negative");
  }
  return buildSmallerArray(builder, loc, memory, alloc.getType(),
                           alloc.getDynamicSizes());
}

static SmallVector<Value> buildMaxima(OpBuilder &builder, Location loc,
                                      ArrayRef<Maximum> maxima) {
  return llvm::map_to_vector(maxima, [&](const Maximum &maximum) {
    return maximum.build(builder, loc);
  });
}

/// Has the kernels that run in place write what they read.
void Rotation::runInPlace(gpu::AllocOp alloc, unsigned in) {
  auto launch = cast<LaunchOp>(getFirstUse(alloc.getMemref()));
  auto arguments = launch.getArgs();
  unsigned out = llvm::find(arguments, alloc.getMemref()) - arguments.begin();
  // Others have two parameters: in the first turns they are two arrays.
  if (pure.contains(arguments[in]))
    return mergeParameters(launch, in, out);
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  for (unsigned number : {in, out})
    kernel.setArgAttr(number, mayAliasAttrName,
                      UnitAttr::get(kernel.getContext()));
}

/// Frees what nobody needs after the loop.
void Rotation::endBuffers(const Buffers &after, ArrayRef<Value> buffers) {
  Location loc = loop.getLoc();
  auto end = [&](Value buffer) {
    gpu::DeallocOp::create(builder, loc, TypeRange(), ValueRange(), buffer);
  };
  Operation *last = loop;
  for (auto &[array, buffer] : after.held)
    for (Value value : {array, buffer})
      last = last ? getLastUse(value, loop->getBlock(), last) : nullptr;
  // Which buffer an array that leaves the block is in is known to the program
  // alone, and so is which ones are free.
  builder.setInsertionPointAfter(last ? last : loop);
  llvm::for_each(last ? buffers : ArrayRef(after.free), end);
}

bool Rotation::apply() {
  if (allocs.empty() || !hasMaximum())
    return false;
  findPure();
  SmallVector<Value> own;
  for (Value first : loop->getOperands())
    if (isa<MemRefType>(first.getType()) && isOwn(first))
      own.push_back(first);
  Operation *op = loop;
  Buffers buffers;
  for (Value first : own)
    buffers.held[first] = Value();
  if (!runOp(op, buffers))
    return false;

  counting = false;
  Location loc = allocs.front().getLoc();
  builder.setInsertionPoint(loop);
  SmallVector<Value> sizes = buildMaxima(builder, loc, maxima);
  // Before anything changes what extents are made of.
  SmallVector<bool> exact = llvm::map_to_vector(
      allocs, [&](gpu::AllocOp alloc) { return isExact(alloc, maxima); });
  buffers = Buffers();
  SmallVector<Value> given = own;
  for (Value first : own)
    buffers.held[first] = first;
  for (unsigned i = 0; i < needed; ++i)
    given.push_back(gpu::AllocOp::create(builder, loc, type, Type(),
                                         ValueRange(), sizes, ValueRange())
                        .getMemref());
  // The first one is the first that is taken.
  buffers.free =
      llvm::to_vector(llvm::reverse(ArrayRef(given).drop_front(own.size())));
  runOp(op, buffers);
  endBuffers(buffers, given);
  for (auto [alloc, isExact] : llvm::zip_equal(allocs, exact)) {
    if (auto in = inPlace.find(alloc); in != inPlace.end())
      runInPlace(alloc, in->second);
    builder.setInsertionPoint(alloc);
    alloc.getMemref().replaceAllUsesWith(
        buildArray(builder, alloc, memory[alloc], sizes, isExact));
    alloc.erase();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What a loop carries: `array`, or the argument that it is the last of.
static BlockArgument getCarriedArgument(Value array) {
  if (auto argument = dyn_cast<BlockArgument>(array))
    return argument;
  auto result = cast<OpResult>(array);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getRegionIterArg(result.getResultNumber());
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return loop.getAfterArguments()[result.getResultNumber()];
  return {};
}

/// Extents of what a loop carries are those that it begins with.
static void foldExtents(func::FuncOp function) {
  function.walk([&](memref::DimOp dim) {
    std::optional<int64_t> number = dim.getConstantIndex();
    Value memory = dim.getSource();
    Extents extents;
    while (true) {
      BlockArgument argument = getCarriedArgument(memory);
      Value first = argument ? getCarried(argument).first : Value();
      if (!first || !extents.isKept(argument))
        break;
      memory = first;
    }
    if (memory == dim.getSource() || !number)
      return;
    OpBuilder builder(dim);
    dim.replaceAllUsesWith(
        memref::DimOp::create(builder, dim.getLoc(), memory, *number)
            .getResult());
    dim.erase();
  });
}

/// Moves what a loop allocates and frees in every turn to the outside of it.
static void hoistBuffers(LoopLikeOpInterface loop) {
  for (Region *region : loop.getLoopRegions())
    for (Operation &op : llvm::make_early_inc_range(region->front())) {
      auto dealloc = dyn_cast<gpu::DeallocOp>(op);
      auto alloc = dealloc ? dealloc.getMemref().getDefiningOp<gpu::AllocOp>()
                           : gpu::AllocOp();
      if (!alloc || alloc->getBlock() != op.getBlock())
        continue;
      SmallVector<Maximum> maxima(alloc.getDynamicSizes().size(),
                                  Maximum(loop));
      if (!llvm::all_of(llvm::zip_equal(maxima, alloc.getDynamicSizes()),
                        [](auto pair) {
                          auto [maximum, size] = pair;
                          return maximum.add(size);
                        }))
        continue;
      bool exact = isExact(alloc, maxima);
      OpBuilder builder(loop);
      SmallVector<Value> sizes = buildMaxima(builder, alloc.getLoc(), maxima);
      auto outside =
          gpu::AllocOp::create(builder, alloc.getLoc(), alloc.getType(), Type(),
                               ValueRange(), sizes, ValueRange());
      outside->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
      dealloc->moveAfter(loop);
      dealloc.getMemrefMutable().assign(outside.getMemref());
      builder.setInsertionPoint(alloc);
      alloc.getMemref().replaceAllUsesWith(
          buildArray(builder, alloc, outside.getMemref(), sizes, exact));
      alloc.erase();
    }
}

/// Plans the loops of `block`. Outer ones come first: they take inner ones
/// along.
static void planLoopsIn(Block &block) {
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      auto loop = cast<LoopLikeOpInterface>(op);
      auto getBody = [&]() -> Block & {
        return loop.getLoopRegions().back()->front();
      };
      for (unsigned i = 0; i < getBody().getNumArguments(); ++i) {
        Rotation rotation(loop);
        if (rotation.collect(getBody().getArgument(i)))
          rotation.apply();
        loop = rotation.getLoop();
      }
      op = loop;
    }
    for (Region &region : op->getRegions())
      if (!region.empty())
        planLoopsIn(region.front());
  }
}

void obs::planLoops(func::FuncOp function) {
  if (!function.isExternal())
    planLoopsIn(function.getBody().front());
}

void obs::hoistFromLoops(func::FuncOp function) {
  // Inner loops first: what leaves one may leave the next.
  function.walk([](LoopLikeOpInterface loop) {
    if (isa<scf::ForOp, scf::WhileOp>(loop.getOperation()))
      hoistBuffers(loop);
  });
}

void obs::prepareLoops(func::FuncOp function) {
  foldExtents(function);
  function.walk([](LoopLikeOpInterface loop) {
    if (isa<scf::ForOp, scf::WhileOp>(loop.getOperation()))
      moveLoopInvariantCode(loop);
  });
}
