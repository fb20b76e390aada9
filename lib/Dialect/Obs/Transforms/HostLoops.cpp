//===- HostLoops.cpp - Arrays that loops of the host carry ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries an array makes a new one in each turn. Its extents are
// those of the first, if that can be shown; then memory from outside of the
// loop takes the place of the allocations:
//
//   in place    every kernel that makes a new array may write what it reads.
//   One
//               buffer is enough: that of the first array, if nobody else needs
//               it, else another one, which the first turn writes;
//   ping-pong   two buffers. The loop carries, besides the array, a buffer that
//               is free and one that is free once the array is dead, and each
//               new array moves them on: (a, b, c) becomes (b, c, b). The first
//               array stays as it is: in the first turn c is not its memory,
//               unless that is allocated for it alone.
//
// The new array may come out of inner loops and branches.
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "InPlace.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

namespace {
/// Which memrefs have the same extents.
class Extents {
public:
  /// True if both have the same extents in all dimensions.
  bool areEqual(Value a, Value b);
  /// True if loops that carry `value`, an argument of their body, give it the
  /// extents that it has at first.
  bool isKept(BlockArgument value);

private:
  /// A number, or dimension `dim` of a memref that nothing is known of.
  struct Extent {
    Value value;
    int64_t number;
    bool isDim;
    bool operator==(const Extent &other) const {
      if (value == other.value)
        return number == other.number && isDim == other.isDim;
      return !isDim && !other.isDim && value && other.value &&
             areEqualNumbers(value, other.value);
    }
  };
  Extent get(Value memory, unsigned dim);
  Extent resolve(Value number);

  /// Arguments of loops that keep their extents, or are assumed to.
  llvm::SmallDenseSet<Value> kept;
};
} // namespace

/// The array that a loop begins with, and that it goes on with, for an argument
/// of its body; null for others.
static std::pair<Value, Value> getCarried(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return {};
    return {loop.getInitArgs()[number - 1],
            loop.getYieldedValues()[number - 1]};
  }
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return {};
  if (argument.getOwner() == loop.getBeforeBody())
    return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
  // What the condition passes on is carried if it came in.
  auto passed =
      dyn_cast<BlockArgument>(loop.getConditionOp().getArgs()[number]);
  if (!passed || passed.getOwner() != loop.getBeforeBody())
    return {};
  return getCarried(passed);
}

Extents::Extent Extents::resolve(Value number) {
  if (auto dim = number.getDefiningOp<memref::DimOp>())
    if (std::optional<int64_t> d = dim.getConstantIndex())
      return get(dim.getSource(), *d);
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return {Value(), *constant, false};
  return {number, 0, false};
}

Extents::Extent Extents::get(Value memory, unsigned dim) {
  auto type = cast<MemRefType>(memory.getType());
  if (!type.isDynamicDim(dim))
    return {Value(), type.getDimSize(dim), false};
  if (auto alloc = memory.getDefiningOp<gpu::AllocOp>())
    return resolve(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  if (auto cast = memory.getDefiningOp<memref::CastOp>())
    return get(cast.getSource(), dim);
  if (auto part = memory.getDefiningOp<memref::ReinterpretCastOp>())
    if (auto size = dyn_cast<Value>(part.getMixedSizes()[dim]))
      return resolve(size);
  if (auto argument = dyn_cast<BlockArgument>(memory))
    if (Value first = getCarried(argument).first; first && isKept(argument))
      return get(first, dim);
  if (auto result = dyn_cast<OpResult>(memory)) {
    unsigned number = result.getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner());
        loop && isKept(loop.getRegionIterArg(number)))
      return get(loop.getInitArgs()[number], dim);
    if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
      if (BlockArgument argument = loop.getAfterArguments()[number];
          getCarried(argument).first && isKept(argument))
        return get(getCarried(argument).first, dim);
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      Extent first = get(branch.thenYield().getOperand(number), dim);
      if (first == get(branch.elseYield().getOperand(number), dim))
        return first;
    }
  }
  return {memory, dim, true};
}

bool Extents::areEqual(Value a, Value b) {
  auto type = cast<MemRefType>(a.getType());
  return type == b.getType() &&
         llvm::all_of(llvm::seq<unsigned>(0, type.getRank()),
                      [&](unsigned d) { return get(a, d) == get(b, d); });
}

bool Extents::isKept(BlockArgument value) {
  auto [first, next] = getCarried(value);
  if (!first || !isa<MemRefType>(value.getType()))
    return false;
  // By induction over the turns: it is assumed while it is shown.
  if (!kept.insert(value).second)
    return true;
  llvm::SmallDenseSet<Value> before = kept;
  if (areEqual(first, next))
    return true;
  kept = std::move(before);
  kept.erase(value);
  return false;
}

//===----------------------------------------------------------------------===//
// New arrays for old ones
//===----------------------------------------------------------------------===//

namespace {
/// One step from the array that a turn begins with to that which it ends with:
/// an allocation with the kernel that fills it, or a loop or branch of steps.
struct Step {
  Operation *op;
  /// The result that is the array.
  unsigned number = 0;
  /// What first uses an allocation, and the kernel if that is one.
  Operation *first = nullptr;
  LaunchOp launch;
  Value previous;
};

/// The buffers of the steps to come: `out` is free, `next` is free once the
/// present array is dead.
struct Buffers {
  Value out, next;
};

/// The steps of one carried array.
class Chain {
public:
  explicit Chain(Extents &extents) : extents(extents) {}

  /// Finds the steps from `array` to `end` in `block`, which its terminator
  /// passes on; false if they are more than that.
  bool analyze(Block &block, Value array, Value end);
  /// How all kernels of the steps may run in place.
  InPlace getInPlace();
  void runInPlace(Value memory, bool oneParameter);
  Buffers rotate(Block &block, Buffers buffers);
  /// One of the allocations; null if there are none.
  gpu::AllocOp getAllocation() const {
    return launches.empty() ? nullptr : cast<gpu::AllocOp>(launches.front().op);
  }

private:
  Extents &extents;
  llvm::MapVector<Block *, SmallVector<Step>> steps;
  /// Every allocation with its kernel.
  SmallVector<Step> launches;
  /// Inner loops that a step is, and ends of branches without steps.
  llvm::SmallPtrSet<Operation *, 8> keepers;
};
} // namespace

/// True if nothing keeps `array` but `keepers`: all others that use it are
/// kernels and copies.
static bool isKeptBy(Value array,
                     const llvm::SmallPtrSetImpl<Operation *> &keepers) {
  return llvm::all_of(array.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (keepers.contains(user))
      return llvm::count(user->getOperands(), array) == 1;
    if (isa<memref::SubViewOp>(user))
      return llvm::all_of(user->getUsers(), llvm::IsaPred<gpu::MemcpyOp>);
    return isa<LaunchOp, memref::DimOp, gpu::MemcpyOp, gpu::MemsetOp>(user);
  });
}

/// True if nothing uses `array` once `op` has run, nor in it if `inside`.
static bool isDeadAfter(Value array, Operation *op, bool inside = false) {
  for (Operation *user : array.getUsers()) {
    if (user == op || isa<memref::DimOp>(user))
      continue;
    for (Operation *at = op; at; at = at->getParentOp()) {
      Operation *ancestor = at->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor)
        continue;
      if (at->isBeforeInBlock(ancestor) || (inside && ancestor == op))
        return false;
      break;
    }
  }
  return true;
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

bool Chain::analyze(Block &block, Value array, Value end) {
  SmallVector<Step> found;
  for (Value value = end; value != array;) {
    auto result = dyn_cast<OpResult>(value);
    if (!result || result.getOwner()->getBlock() != &block)
      return false;
    Step step;
    step.op = result.getOwner();
    step.number = result.getResultNumber();
    step.previous = array;
    if (isa<gpu::AllocOp>(step.op)) {
      if (!launches.empty() &&
          !extents.areEqual(value, launches.front().op->getResult(0)))
        return false;
      step.first = getFirstUse(value);
      step.launch = dyn_cast<LaunchOp>(step.first);
      // It is made of the result of another step, or of the first array.
      for (Value argument :
           step.launch ? ValueRange(step.launch.getArgs()) : ValueRange()) {
        auto made = dyn_cast<OpResult>(argument);
        if (argument != value && made &&
            made.getOwner()->getBlock() == &block &&
            isa<scf::ForOp, scf::IfOp>(made.getOwner()) &&
            argument.getType() == value.getType())
          step.previous = argument;
      }
      launches.push_back(step);
    } else if (auto loop = dyn_cast<scf::ForOp>(step.op)) {
      step.previous = loop.getInitArgs()[step.number];
      if (!analyze(*loop.getBody(), loop.getRegionIterArg(step.number),
                   loop.getYieldedValues()[step.number]))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(step.op)) {
      for (Region *arm : branch.getRegions())
        if (!analyze(arm->front(), array,
                     arm->front().getTerminator()->getOperand(step.number)))
          return false;
    } else {
      return false;
    }
    // Only the next step may keep it.
    llvm::SmallPtrSet<Operation *, 1> keeper = {
        found.empty() ? block.getTerminator() : found.back().op};
    if (!isKeptBy(value, keeper))
      return false;
    found.push_back(step);
    value = step.previous;
  }
  // What a step begins with is dead when a later one writes, or the next turn
  // of an inner loop.
  for (auto [i, step] : llvm::enumerate(found))
    if ((isa<scf::ForOp>(step.op) &&
         !isDeadAfter(step.previous, step.op, /*inside=*/true)) ||
        (i > 0 &&
         !isDeadAfter(step.previous, step.first ? step.first : step.op)))
      return false;
  if (found.empty())
    keepers.insert(block.getTerminator());
  for (Step &step : found)
    if (isa<scf::ForOp>(step.op))
      keepers.insert(step.op);
  if (array.getParentBlock() == &block && !isKeptBy(array, keepers))
    return false;
  steps[&block] = llvm::to_vector(llvm::reverse(found));
  return true;
}

InPlace Chain::getInPlace() {
  InPlace result = InPlace::OwnElements;
  for (Step &step : launches) {
    if (!step.launch)
      return InPlace::No;
    Value made = step.op->getResult(0);
    auto arguments = step.launch.getArgs();
    auto in = llvm::find(arguments, step.previous);
    if (llvm::count(arguments, made) != 1 || in == arguments.end() ||
        llvm::count(arguments, step.previous) != 1 ||
        !isDeadAfter(step.previous, step.launch))
      return InPlace::No;
    result = std::min(
        result, mayRunInPlace(step.launch, in - arguments.begin(),
                              llvm::find(arguments, made) - arguments.begin()));
  }
  return result;
}

/// Has all kernels write `memory`, which is what they read from the first turn
/// on if that is `oneParameter`, else from the second.
void Chain::runInPlace(Value memory, bool oneParameter) {
  for (Step &step : launches) {
    Value made = step.op->getResult(0);
    auto arguments = step.launch.getArgs();
    unsigned in = llvm::find(arguments, step.previous) - arguments.begin();
    unsigned out = llvm::find(arguments, made) - arguments.begin();
    if (oneParameter) {
      mergeParameters(step.launch, in, out);
    } else {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
          step.launch, step.launch.getKernelAttr());
      for (unsigned number : {in, out})
        kernel.setArgAttr(number, mayAliasAttrName,
                          UnitAttr::get(kernel.getContext()));
    }
    made.replaceAllUsesWith(memory);
    step.op->erase();
  }
}

/// Lets the steps of `block` write `buffers`; gives those at its end.
Buffers Chain::rotate(Block &block, Buffers buffers) {
  for (Step &step : steps[&block]) {
    if (isa<gpu::AllocOp>(step.op)) {
      step.op->getResult(0).replaceAllUsesWith(buffers.out);
      step.op->erase();
      buffers = {buffers.next, buffers.out};
      continue;
    }
    IRRewriter rewriter(step.op);
    unsigned count = step.op->getNumResults();
    if (auto loop = dyn_cast<scf::ForOp>(step.op)) {
      auto replaced = loop.replaceWithAdditionalYields(
          rewriter, {buffers.out, buffers.next},
          /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
            Buffers end = rotate(*loop.getBody(), {added[0], added[1]});
            return SmallVector<Value>{end.out, end.next};
          });
      step.op = *replaced;
    } else {
      auto branch = cast<scf::IfOp>(step.op);
      for (Region *arm : branch.getRegions()) {
        Buffers end = rotate(arm->front(), buffers);
        arm->front().getTerminator()->insertOperands(count,
                                                     {end.out, end.next});
      }
      SmallVector<Type> types(branch.getResultTypes());
      types.append(2, buffers.out.getType());
      auto replaced = scf::IfOp::create(rewriter, branch.getLoc(), types,
                                        branch.getCondition(), true, true);
      replaced.getThenRegion().takeBody(branch.getThenRegion());
      replaced.getElseRegion().takeBody(branch.getElseRegion());
      branch->replaceAllUsesWith(replaced.getResults().take_front(count));
      branch.erase();
      step.op = replaced;
    }
    buffers = {step.op->getResult(count), step.op->getResult(count + 1)};
  }
  return buffers;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Memory of `type` for the array `first`, or if that has other extents, like
/// that of `alloc`.
static Value buildBuffer(OpBuilder &builder, Value first, bool hasExtents,
                         gpu::AllocOp alloc) {
  MemRefType type = alloc.getType();
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    auto made = hasExtents ? first.getDefiningOp<gpu::AllocOp>() : alloc;
    if (made)
      sizes.push_back(made.getDynamicSizes()[type.getDynamicDimIndex(d)]);
    else
      sizes.push_back(memref::DimOp::create(builder, alloc.getLoc(), first, d));
  }
  return gpu::AllocOp::create(builder, alloc.getLoc(), type, Type(),
                              ValueRange(), sizes, ValueRange())
      .getMemref();
}

/// True if `size` makes sense where a loop around it has no turns: differences
/// and the like may be negative there.
static bool isAlwaysSize(Value size) {
  Operation *op = size.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      isa<memref::DimOp>(op))
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant >= 0;
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::CeilDivUIOp,
             arith::RemUIOp, arith::ShRUIOp, arith::MinUIOp, arith::MinSIOp,
             arith::MaxSIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
         llvm::all_of(op->getOperands(), isAlwaysSize);
}

/// True if memory with the dynamic extents `sizes` can be allocated before
/// `loop`.
static bool canBeOutside(ValueRange sizes, LoopLikeOpInterface loop) {
  return llvm::all_of(sizes, [&](Value size) {
    return loop.isDefinedOutsideOfLoop(size) && isAlwaysSize(size);
  });
}

/// True if `array`, the first of those that `loop` carries, is memory that the
/// program has allocated for that.
static bool isForLoopOnly(Value array, Operation *loop) {
  return array.getDefiningOp<gpu::AllocOp>() &&
         array.getParentBlock() == loop->getBlock() &&
         llvm::count(loop->getOperands(), array) == 1 &&
         llvm::all_of(array.getUsers(), [&](Operation *user) {
           Operation *ancestor = loop->getBlock()->findAncestorOpInBlock(*user);
           return user == loop || isa<memref::DimOp>(user) ||
                  (isa<LaunchOp, gpu::MemcpyOp, gpu::MemsetOp>(user) &&
                   ancestor->isBeforeInBlock(loop));
         });
}

/// Gives what `loop` carries in place of `argument` memory from outside. `loop`
/// is another operation afterwards.
static void planCarried(LoopLikeOpInterface &loop, BlockArgument argument) {
  auto [first, next] = getCarried(argument);
  Extents extents;
  Chain chain(extents);
  Location loc = argument.getLoc();
  if (!first || first.getType() != next.getType())
    return;
  bool isKept = extents.isKept(argument);
  if (!chain.analyze(*argument.getOwner(), argument, next) ||
      !chain.getAllocation())
    return;
  gpu::AllocOp alloc = chain.getAllocation();
  isKept = isKept && extents.areEqual(alloc.getMemref(), first);
  if (!isKept && !canBeOutside(alloc.getDynamicSizes(), loop))
    return;
  OpBuilder builder(loop);
  bool isOwn = isKept && isForLoopOnly(first, loop);
  InPlace inPlace = isKept ? chain.getInPlace() : InPlace::No;
  auto build = [&] { return buildBuffer(builder, first, isKept, alloc); };
  if (inPlace == InPlace::OwnElements ||
      (inPlace == InPlace::OneParameter && isOwn)) {
    chain.runInPlace(isOwn ? first : build(), isOwn);
    return;
  }
  Buffers buffers;
  buffers.out = build();
  buffers.next = isOwn ? first : build();
  IRRewriter rewriter(loop);
  if (auto forLoop = dyn_cast<scf::ForOp>(loop.getOperation())) {
    loop = *forLoop.replaceWithAdditionalYields(
        rewriter, {buffers.out, buffers.next}, false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
          Buffers end = chain.rotate(*forLoop.getBody(), {added[0], added[1]});
          return SmallVector<Value>{end.out, end.next};
        });
    return;
  }
  auto whileLoop = cast<scf::WhileOp>(loop.getOperation());
  auto add = [&](Block &block) {
    Value out = block.addArgument(first.getType(), loc);
    return Buffers{out, block.addArgument(first.getType(), loc)};
  };
  Buffers before = add(*whileLoop.getBeforeBody());
  whileLoop.getConditionOp().getArgsMutable().append({before.out, before.next});
  Buffers end =
      chain.rotate(*whileLoop.getAfterBody(), add(*whileLoop.getAfterBody()));
  whileLoop.getYieldOp()->insertOperands(
      whileLoop.getYieldOp().getNumOperands(), {end.out, end.next});
  SmallVector<Value> inits(whileLoop.getInits());
  inits.append({buffers.out, buffers.next});
  SmallVector<Type> types(whileLoop.getResultTypes());
  types.append(2, first.getType());
  auto replaced = scf::WhileOp::create(rewriter, whileLoop.getLoc(), types,
                                       inits, nullptr, nullptr);
  replaced.getBefore().takeBody(whileLoop.getBefore());
  replaced.getAfter().takeBody(whileLoop.getAfter());
  replaced->setDiscardableAttrs(whileLoop->getDiscardableAttrDictionary());
  whileLoop->replaceAllUsesWith(replaced.getResults().drop_back(2));
  whileLoop.erase();
  loop = replaced;
}

/// Extents of what a loop carries are those that it begins with.
static void foldExtents(func::FuncOp function) {
  function.walk([&](memref::DimOp dim) {
    std::optional<int64_t> number = dim.getConstantIndex();
    Value memory = dim.getSource();
    Extents extents;
    while (auto argument = dyn_cast<BlockArgument>(memory)) {
      Value first = getCarried(argument).first;
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
      if (!alloc || alloc->getBlock() != op.getBlock() ||
          !canBeOutside(alloc.getDynamicSizes(), loop))
        continue;
      alloc->moveBefore(loop);
      dealloc->moveAfter(loop);
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
      for (unsigned i = 0; i < getBody().getNumArguments(); ++i)
        if (isa<MemRefType>(getBody().getArgument(i).getType()))
          planCarried(loop, getBody().getArgument(i));
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
