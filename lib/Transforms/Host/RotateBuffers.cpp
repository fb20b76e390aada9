//===- RotateBuffers.cpp - Memory of arrays that loops pass on ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries arrays stores new arrays in each iteration. If their
// extents have a maximum that is known before the loop, buffers that are
// allocated before the loop replace the allocations. A new array takes the
// first buffer that contains no live array. If n arrays are live, n + 1 buffers
// are sufficient.
//
// The buffer of an array depends on the iteration, on the numbers of iterations
// of inner loops, and on the branches taken. So loops and branches pass on,
// with each array, a bit that identifies its buffer. An array from outside of
// the loop is in no buffer: it has no bit, and is never overwritten. Two arrays
// may be the same array, or parts of one: they have the same bit. So no
// assumption about carried arrays is necessary: an array may be live after an
// inner loop that begins with it, and also be the result of that loop.
//
// If a kernel is the last one to read an array and may run in place, the array
// counts as dead while the kernel writes another one. The same holds for an
// array that is copied before a kernel that writes onto the copy: if both are
// in one buffer in this iteration, there is no copy.
//
// In: host code on memrefs that frees its memory after the last use. Out: no
// loop allocates the arrays that it passes on, if the maximum of their extents
// is known before the loop.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSROTATEBUFFERSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostExtents.h"
#include "HostMemory.h"
#include "InPlace.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// The storage of an array: how it shares a buffer.
struct ArrayStorage {
  gpu::AllocOp alloc;
  /// Arrays that must be in other buffers.
  SmallVector<Value> others;
  /// The array whose buffer this array may use, if there is one.
  Place place;
  /// The array is in the buffer of `place` in every iteration.
  bool isSame = false;
};

/// Arrays of the iterations of one loop that may use the same buffers.
class Rotation {
public:
  /// If `followCopies` is set, the source and the result of a copy belong to
  /// one rotation.
  Rotation(LoopLikeOpInterface loop, const SymbolUserMap &launches,
           bool followCopies)
      : loop(loop), launches(launches), followCopies(followCopies),
        builder(loop->getContext()) {}

  /// Collects all arrays that `array` depends on, and that depend on it. False
  /// if one of them is used in a way that prevents buffers.
  bool collect(Value array);
  ArrayRef<gpu::AllocOp> getAllocs() const { return allocs; }
  /// Computes the number of buffers. False if the extents are not known.
  bool plan();
  /// Allocates the buffers and assigns them to the arrays. The loop is
  /// replaced.
  void apply();
  LoopLikeOpInterface getLoop() const { return loop; }

private:
  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  bool collectUses(Value array);
  bool hasMaximum();
  bool isOwn(Value first);
  bool isPure(Value array);
  bool isWhole(Value array);
  ArrayStorage choose(gpu::AllocOp alloc);

  void run(Block &block);
  Operation *runControlFlow(Operation *op);
  Value getBit(Value array);
  Value buildBit(unsigned buffer);
  std::pair<Value, Value> take(Location loc, ValueRange used);
  void makeArray(ArrayStorage &storage);
  void runInPlace(ArrayStorage &storage);
  void endBuffers();

  /// The outermost loop.
  LoopLikeOpInterface loop;
  const SymbolUserMap &launches;
  bool followCopies;
  OpBuilder builder;
  MemRefType type;
  /// Arrays of any iteration, and views of them.
  llvm::SetVector<Value> arrays;
  SmallVector<gpu::AllocOp> allocs;
  SmallVector<Maximum> maxima;
  /// Initial arrays of the loop that are buffers.
  SmallVector<Value> own;
  /// Arrays that are in buffers from the first iteration on.
  llvm::SmallDenseSet<Value> pure;
  /// Arrays that begin at the beginning of their buffers, if they are in one.
  llvm::SmallDenseSet<Value> whole;
  SmallVector<ArrayStorage> storages;
  size_t needed = 0;

  SmallVector<Value> buffers;
  /// The bit of the buffer of each array, by its number.
  llvm::SmallDenseMap<Value, Value> bits;
  llvm::SmallDenseMap<Operation *, Value> memory;
};
} // namespace

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

/// Adds the values to which `array` is passed on. All other users must be
/// kernels, copies and memsets.
bool Rotation::collectUses(Value array) {
  for (OpOperand &use : array.getUses()) {
    Operation *user = use.getOwner();
    auto copy = dyn_cast<gpu::MemcpyOp>(user);
    if (copy && followCopies &&
        (!collect(copy.getSrc()) || !collect(copy.getDst())))
      return false;
    if (isa<LaunchOp, memref::DimOp, gpu::MemcpyOp, gpu::MemsetOp>(user))
      continue;
    SmallVector<Value> names = isa<ViewLikeOpInterface>(user)
                                   ? SmallVector<Value>(user->getResults())
                                   : getReceivers(use);
    if (names.empty() ||
        !llvm::all_of(names, [&](Value name) { return collect(name); }))
      return false;
  }
  return true;
}

bool Rotation::collect(Value array) {
  if (isOutside(array) || !arrays.insert(array))
    return true;
  SmallVector<Value> sources = getMemorySources(array);
  if (auto alloc = array.getDefiningOp<gpu::AllocOp>()) {
    if (type && alloc.getType() != type)
      return false;
    type = alloc.getType();
    allocs.push_back(alloc);
  } else if (sources.empty()) {
    return false;
  }
  return llvm::all_of(sources, [&](Value source) { return collect(source); }) &&
         collectUses(array);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

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

/// True if `first`, an initial array of the loop, is memory that the program
/// has allocated for it, and is as large as any later array.
bool Rotation::isOwn(Value first) {
  auto alloc = first.getDefiningOp<gpu::AllocOp>();
  return alloc && alloc.getType() == type &&
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

bool Rotation::isPure(Value array) {
  return isOutside(array) ? llvm::is_contained(own, array)
                          : pure.contains(array);
}

bool Rotation::isWhole(Value array) {
  if (isa_and_nonnull<PartOp, memref::SubViewOp>(array.getDefiningOp()))
    return false;
  return isOutside(array) || whole.contains(array);
}

/// Repeatedly removes from `set` the arrays that have a source outside of it.
static void shrink(llvm::SmallDenseSet<Value> &set, ArrayRef<Value> arrays,
                   function_ref<bool(Value)> isIn) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Value array : arrays)
      if (set.contains(array) &&
          !(isIn(array) && llvm::all_of(getMemorySources(array), isIn)))
        changed |= set.erase(array);
  }
}

ArrayStorage Rotation::choose(gpu::AllocOp alloc) {
  ArrayStorage storage;
  storage.alloc = alloc;
  Value made = alloc.getMemref();
  for (Value array : arrays)
    if (getUnderlyingMemory(array) == array && isLive(array, alloc))
      storage.others.push_back(array);
  // True if no operation after `last` needs `array`.
  auto isFree = [&](Value array, Operation *last, LaunchOp launch) {
    return llvm::is_contained(storage.others, array) && whole.contains(array) &&
           array.getType() == made.getType() && !isLive(array, last) &&
           Extents().areEqual(array, made) &&
           llvm::none_of(storages, [&](const ArrayStorage &other) {
             return other.place.launch == launch &&
                    other.place.getArray() == array;
           });
  };
  // No other array can be in the buffer of this one, in any iteration.
  auto isAlone = [&](Value array) {
    return pure.contains(array) && storage.others.size() == 1;
  };
  storage.place = findPlace(alloc, launches, isFree, isAlone);
  if (Value array = storage.place.getArray()) {
    storage.isSame = isAlone(array);
    llvm::erase(storage.others, array);
  }
  return storage;
}

bool Rotation::plan() {
  if (!hasMaximum())
    return false;
  for (OpOperand &use : loop->getOpOperands())
    if (isa<MemRefType>(use.get().getType()) && isOwn(use.get()) &&
        arrays.contains(loop.getTiedLoopRegionIterArg(&use)))
      own.push_back(use.get());
  pure.insert(arrays.begin(), arrays.end());
  whole = pure;
  shrink(pure, arrays.getArrayRef(), [&](Value v) { return isPure(v); });
  shrink(whole, arrays.getArrayRef(), [&](Value v) { return isWhole(v); });
  for (gpu::AllocOp alloc : allocs) {
    const ArrayStorage &storage = storages.emplace_back(choose(alloc));
    needed = std::max(needed, storage.others.size() + 1);
  }
  // There is one bit for each buffer.
  return std::max(needed, own.size()) < 63;
}

//===----------------------------------------------------------------------===//
// Giving out buffers
//===----------------------------------------------------------------------===//

Value Rotation::buildBit(unsigned buffer) {
  return arith::ConstantIndexOp::create(builder, loop.getLoc(),
                                        int64_t(1) << buffer);
}

/// The bit of the buffer of `array`; 0 for arrays from outside.
Value Rotation::getBit(Value array) {
  if (Value bit = bits.lookup(getUnderlyingMemory(array)))
    return bit;
  return arith::ConstantIndexOp::create(builder, loop.getLoc(), 0);
}

/// The first buffer whose bit is not in `used`, and its bit.
std::pair<Value, Value> Rotation::take(Location loc, ValueRange used) {
  unsigned last = used.size();
  Value all;
  for (Value bit : used)
    all = IndexBuilder{builder, loc}.either(all, bit);
  Value buffer = buffers[last], bit = buildBit(last);
  for (unsigned i = last; i-- > 0;) {
    Value own = buildBit(i);
    Value common =
        last == 1 ? all : builder.createOrFold<arith::AndIOp>(loc, all, own);
    Value isUsed = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq, common, own);
    buffer =
        builder.createOrFold<arith::SelectOp>(loc, isUsed, buffer, buffers[i]);
    bit = builder.createOrFold<arith::SelectOp>(loc, isUsed, bit, own);
  }
  return {buffer, bit};
}

/// Chooses a buffer for the array of an allocation, before it.
void Rotation::makeArray(ArrayStorage &storage) {
  gpu::AllocOp alloc = storage.alloc;
  builder.setInsertionPoint(alloc);
  if (storage.isSame) {
    bits[alloc.getMemref()] = getBit(storage.place.getArray());
    return;
  }
  SmallVector<Value> used = llvm::map_to_vector(
      storage.others, [&](Value array) { return getBit(array); });
  std::tie(memory[alloc], bits[alloc.getMemref()]) = take(alloc.getLoc(), used);
}

void Rotation::run(Block &block) {
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
      auto *storage = llvm::find_if(
          storages, [&](const ArrayStorage &c) { return c.alloc == alloc; });
      if (storage != storages.end())
        makeArray(*storage);
    } else if (auto select = dyn_cast<arith::SelectOp>(op);
               select && arrays.contains(select.getResult())) {
      builder.setInsertionPointAfter(op);
      bits[select.getResult()] = builder.createOrFold<arith::SelectOp>(
          op->getLoc(), select.getCondition(), getBit(select.getTrueValue()),
          getBit(select.getFalseValue()));
    } else if (isControlFlow(op)) {
      op = runControlFlow(op);
    }
  }
}

/// Adds bits to the values that a loop or branch passes on, and returns the new
/// operation.
Operation *Rotation::runControlFlow(Operation *op) {
  unsigned control = isa<scf::ForOp>(op) ? 3 : isa<scf::IfOp>(op) ? 1 : 0;
  auto getArguments = [](Region &region) {
    unsigned counted = isa<scf::ForOp>(region.getParentOp()) ? 1 : 0;
    return region.getArguments().drop_front(counted);
  };
  // The positions of our arrays among the operands of the terminator of a
  // region, its initial values, and the results.
  auto find = [&](ValueRange names) {
    SmallVector<unsigned> numbers;
    for (auto [number, name] : llvm::enumerate(names))
      if (arrays.contains(name))
        numbers.push_back(number);
    return numbers;
  };
  SmallVector<unsigned> first;
  SmallVector<unsigned> last = find(op->getResults());
  if (!isa<scf::IfOp>(op)) {
    first = find(getArguments(op->getRegions().front()));
    // The results of the outermost loop are outside of it.
    last = find(getArguments(op->getRegions().back()));
  }
  auto getBits = [&](ValueRange values, ArrayRef<unsigned> numbers) {
    return llvm::map_to_vector(
        numbers, [&](unsigned number) { return getBit(values[number]); });
  };

  builder.setInsertionPoint(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addOperands(getBits(op->getOperands().drop_front(control), first));
  state.addTypes(op->getResultTypes());
  state.addTypes(SmallVector<Type>(last.size(), builder.getIndexType()));
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *created = builder.create(state);
  for (auto [before, after] :
       llvm::zip(op->getResults(), created->getResults())) {
    before.replaceAllUsesWith(after);
    for (ArrayStorage &storage : storages)
      llvm::replace(storage.others, Value(before), Value(after));
  }
  if (op == loop)
    loop = cast<LoopLikeOpInterface>(created);
  unsigned results = op->getNumResults();
  op->erase();

  for (Region &region : created->getRegions()) {
    if (region.empty())
      continue;
    bool isBegin = &region == &created->getRegions().front();
    ArrayRef<unsigned> begin = isBegin ? first : last;
    SmallVector<Value> carried(getArguments(region));
    if (!isa<scf::IfOp>(created))
      for (unsigned number : begin)
        bits[carried[number]] =
            region.addArgument(builder.getIndexType(), created->getLoc());
    run(region.front());
    Operation *terminator = region.front().getTerminator();
    builder.setInsertionPoint(terminator);
    bool isCondition = isa<scf::ConditionOp>(terminator);
    bool isAgain = isa<scf::WhileOp>(created) && !isCondition;
    terminator->insertOperands(
        terminator->getNumOperands(),
        getBits(terminator->getOperands().drop_front(isCondition ? 1 : 0),
                isAgain ? first : last));
  }
  for (auto [i, number] : llvm::enumerate(last))
    bits[created->getResult(number)] = created->getResult(results + i);
  return created;
}

/// Lets kernels that run in place write the memory that they read, and removes
/// copies within one buffer.
void Rotation::runInPlace(ArrayStorage &storage) {
  Value made = storage.alloc.getMemref(), array = storage.place.getArray();
  if (storage.isSame) {
    storage.place.share(made);
    made.replaceAllUsesWith(array);
    return;
  }
  // In some iterations they are different arrays.
  if (gpu::MemcpyOp copy = storage.place.copy) {
    Location loc = copy.getLoc();
    builder.setInsertionPoint(copy);
    Value areTwo = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         getBit(array), getBit(made));
    auto branch = scf::IfOp::create(builder, loc, areTwo,
                                    /*withElseRegion=*/false);
    copy->moveBefore(branch.thenYield());
  }
  if (storage.place.launch)
    storage.place.markParameters(made);
}

/// Frees the buffers that are not used after the loop.
void Rotation::endBuffers() {
  Location loc = loop.getLoc();
  auto end = [&](Value buffer) {
    gpu::DeallocOp::create(builder, loc, TypeRange(), ValueRange(), buffer);
  };
  Operation *last = loop;
  SmallVector<Value> used;
  for (Value result : loop->getResults()) {
    if (!bits.contains(result) || result.use_empty())
      continue;
    used.push_back(bits.lookup(result));
    last = last ? getLastUse(result, loop->getBlock(), last) : nullptr;
  }
  if (last) {
    builder.setInsertionPointAfter(last);
    llvm::for_each(buffers, end);
    return;
  }
  // If an array leaves the block, its buffer is known at run time only. So are
  // the buffers that are free.
  builder.setInsertionPointAfter(loop);
  while (used.size() < buffers.size()) {
    auto [buffer, bit] = take(loc, used);
    end(buffer);
    used.push_back(bit);
  }
}

void Rotation::apply() {
  Location loc = allocs.front().getLoc();
  builder.setInsertionPoint(loop);
  SmallVector<Value> sizes = buildMaxima(builder, loc, maxima);
  // This is done before the operands of extents are changed.
  SmallVector<bool> exact = llvm::map_to_vector(
      allocs, [&](gpu::AllocOp alloc) { return isExact(alloc, maxima); });
  buffers = own;
  while (buffers.size() < needed)
    buffers.push_back(gpu::AllocOp::create(builder, loc, type, Type(),
                                           ValueRange(), sizes, ValueRange())
                          .getMemref());
  for (auto [number, first] : llvm::enumerate(own))
    bits[first] = buildBit(number);
  runControlFlow(loop);
  endBuffers();
  for (auto [storage, isExact] : llvm::zip_equal(storages, exact)) {
    gpu::AllocOp alloc = storage.alloc;
    if (storage.place.getArray())
      runInPlace(storage);
    builder.setInsertionPoint(alloc);
    if (!storage.isSame)
      alloc.getMemref().replaceAllUsesWith(
          buildArray(builder, alloc, memory[alloc], sizes, isExact));
    alloc.erase();
  }
}

/// If the extents of arrays that iterations of `loop` store and pass on have a
/// maximum that is known before the loop, allocates their memory before the
/// loop. This includes arrays in inner loops and branches. Returns the loop,
/// which may be a new operation.
static LoopLikeOpInterface planLoop(LoopLikeOpInterface loop,
                                    const SymbolUserMap &launches) {
  SmallVector<gpu::AllocOp> allocs;
  loop->walk([&](gpu::AllocOp alloc) {
    if (llvm::none_of(alloc.getMemref().getUsers(),
                      llvm::IsaPred<gpu::DeallocOp>))
      allocs.push_back(alloc);
  });
  llvm::SmallDenseSet<Operation *> done;
  for (gpu::AllocOp alloc : allocs) {
    if (done.contains(alloc))
      continue;
    for (bool followCopies : {true, false}) {
      Rotation rotation(loop, launches, followCopies);
      if (!rotation.collect(alloc.getMemref()))
        continue;
      bool isPlanned = rotation.plan();
      if (isPlanned || !followCopies)
        done.insert_range(rotation.getAllocs());
      if (!isPlanned)
        continue;
      rotation.apply();
      loop = rotation.getLoop();
      break;
    }
  }
  return loop;
}

/// Plans the loops of `block`. Outer loops are first, because their plans
/// include the inner loops.
static void planLoopsIn(Block &block, const SymbolUserMap &launches) {
  for (Operation *op = &block.front(); op; op = op->getNextNode()) {
    if (isa<scf::ForOp, scf::WhileOp>(op))
      op = planLoop(cast<LoopLikeOpInterface>(op), launches);
    for (Region &region : op->getRegions())
      if (!region.empty())
        planLoopsIn(region.front(), launches);
  }
}

namespace {
struct RotateBuffers : obs::impl::ObsRotateBuffersPassBase<RotateBuffers> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SymbolUserMap launches(symbols, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      planLoopsIn(function.getBody().front(), launches);
      // An array that a loop changes in place has the same memory after it.
      simplifyControlFlow(function, llvm::IsaPred<scf::ForOp, scf::WhileOp>);
    }
  }
};
} // namespace
