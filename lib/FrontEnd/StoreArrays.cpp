//===- StoreArrays.cpp - Arrays that front ends store ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "RowFolds.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace mlir::obs;

bool ArrayBuilder::isStored(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op || isa<ForceOp, ViewOp, ConstantOp>(op))
    return true;
  if (isa<ReshapeOp, ZipOp, UnzipOp>(op))
    return llvm::all_of(op->getOperands(), [](Value operand) {
      return !isa<PullType>(operand.getType()) || isStored(operand);
    });
  return op->getName().getDialectNamespace() ==
         scf::SCFDialect::getDialectNamespace();
}

SmallVector<Value> ArrayBuilder::store(ValueRange arrays) {
  llvm::SetVector<Value> rest;
  for (Value array : arrays)
    if (isa<PullType>(array.getType()) &&
        (!isStored(array) || array.getDefiningOp<ConstantOp>()))
      rest.insert(array);
  SmallVector<Value> stored(arrays);
  if (rest.empty())
    return stored;
  auto force = ForceOp::create(*this, rest.getArrayRef(), ValueRange());
  for (Value &array : stored)
    for (auto [virtualArray, result] :
         llvm::zip_equal(rest, force.getResults()))
      if (array == virtualArray)
        array = result;
  return stored;
}

Value ArrayBuilder::forceOne(Value array, Storage storage) {
  auto force = ForceOp::create(*this, array, ValueRange());
  force.setStorage(storage);
  return force.getResults().front();
}

namespace {
/// Counts the reads of virtual arrays in the code that computes one element.
/// Reads of one element of one array count once: an elementwise operation reads
/// at its own index, and every other read is at an index of its own.
class ReadCounter {
public:
  /// Larger numbers are treated as equal.
  explicit ReadCounter(unsigned limit) : limit(limit) {}

  unsigned count(Value array) {
    read(array, nullptr);
    return seen.size();
  }

  /// The reads without the first one of each operation: those that repeat code.
  unsigned countRepeated(Value array) {
    read(array, nullptr);
    return seen.size() - operations.size();
  }

private:
  void read(Value array, const void *index) {
    Operation *op = array.getDefiningOp();
    if (seen.size() > limit + operations.size() ||
        ArrayBuilder::isStored(array) || !seen.insert({op, index}).second)
      return;
    operations.insert(op);
    bool isSame = isa<MapOp, ZipOp, UnzipOp>(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<PullType>(operand.get().getType()))
        read(operand.get(), isSame ? index : getIndex(operand, index));
    op->walk([&](Operation *inner) {
      if (inner == op)
        return;
      for (OpOperand &operand : inner->getOpOperands())
        if (isa<PullType>(operand.get().getType()) &&
            operand.get().getParentRegion()->isProperAncestor(
                inner->getParentRegion()))
          read(operand.get(), getIndex(operand, index));
    });
  }
  /// A name for the index at which `operand` is read for an element at `index`.
  const void *getIndex(OpOperand &operand, const void *index) {
    return &*names.insert({&operand, index}).first;
  }

  using Read = std::pair<const void *, const void *>;
  unsigned limit;
  std::set<Read> seen, names;
  llvm::SmallPtrSet<Operation *, 16> operations;
};
} // namespace

/// If an element needed more repeated reads, the same operations would be
/// executed many times, and the code of a kernel would be large.
static constexpr unsigned maxReads = 48;

bool ArrayBuilder::canRepeat(Value array, unsigned times) {
  return ReadCounter(maxReads).count(array) * times <= maxReads;
}

/// The elements of `array` in memory, if they were stored before `op`; else
/// null.
static Value findStored(Value array, Operation *op) {
  for (Operation *user : array.getUsers()) {
    auto force = dyn_cast<ForceOp>(user);
    if (!force || force.getArrays().size() != 1 || !force.getInto().empty())
      continue;
    Operation *here = force->getBlock()->findAncestorOpInBlock(*op);
    if (here && force->isBeforeInBlock(here))
      return force.getResults().front();
  }
  return {};
}

/// Returns `array`, which its operation has just made; maps need no such test,
/// because they repeat only what operands repeat. If one element repeats
/// too many reads, the operands with the most reads are stored first.
Value ArrayBuilder::limitReads(Value array) {
  Operation *op = array.getDefiningOp();
  // In code of a lower level, and in a region without an operation yet, the
  // caller decides.
  if (!op || !op->getParentOfType<FunctionOpInterface>())
    return array;
  if (ScopeInfo scope = getEnclosingScope(op);
      scope.isScalar || scope.level != Level::Grid)
    return array;
  while (ReadCounter(maxReads).countRepeated(array) > maxReads) {
    llvm::SetVector<Value> operands;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<PullType>(operand.getType()) && !isStored(operand) &&
            !op->isAncestor(operand.getParentRegion()->getParentOp()))
          operands.insert(operand);
    });
    Value most;
    unsigned reads = 1;
    for (Value operand : operands)
      if (unsigned found = ReadCounter(maxReads).count(operand);
          found > reads && !cast<PullType>(operand.getType()).isNested()) {
        reads = found;
        most = operand;
      }
    if (!most)
      break;
    Value stored = findStored(most, op);
    if (!stored) {
      OpBuilder::InsertionGuard guard(*this);
      setInsertionPoint(op);
      stored = forceOne(most);
    }
    most.replaceUsesWithIf(
        stored, [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
  }
  return array;
}

/// Replaces later reads of an array that `force` stores by reads of memory, if
/// more than one operation computes an element.
static void readStored(ForceOp force) {
  if (force.getArrays().size() != 1 || !force.getInto().empty() ||
      getEnclosingScope(force).level != Level::Grid)
    return;
  Value array = force.getArrays().front();
  if (!isa<PullType>(array.getType()) || ReadCounter(1).count(array) < 2)
    return;
  array.replaceUsesWithIf(force.getResults().front(), [&](OpOperand &use) {
    Operation *user = force->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return user && force->isBeforeInBlock(user);
  });
}

namespace {
/// The operations that need each virtual array: those that store arrays, and
/// collectives.
class Readers {
public:
  /// Adds the arrays of `block`, last ones first: users stand behind arrays.
  void add(Block &block);
  /// Their number; 0 if all of them read `array` through one other array.
  size_t count(Value array) const;

private:
  using Operations = llvm::SmallSetVector<Operation *, 2>;
  llvm::DenseMap<Value, Operations> all;
};
} // namespace

void Readers::add(Block &block) {
  for (Operation &op : llvm::reverse(block))
    for (Value array : op.getResults()) {
      if (!isa<PullType>(array.getType()))
        continue;
      Operations found;
      for (Operation *user : array.getUsers()) {
        Operation *reader = block.findAncestorOpInBlock(*user);
        if (!reader || isa<DimOp>(user))
          continue;
        bool isVirtual = isa<PullOpInterface>(reader);
        if (!isVirtual)
          found.insert(reader);
        for (Value result : reader->getResults())
          if (isVirtual)
            found.insert_range(all.lookup(result));
      }
      all[array] = std::move(found);
    }
}

size_t Readers::count(Value array) const {
  size_t number = all.find(array)->second.size();
  Block *block = array.getParentBlock();
  bool isForOne = llvm::any_of(array.getUsers(), [&](Operation *user) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    return isa<PullOpInterface>(reader) &&
           llvm::any_of(reader->getResults(), [&](Value result) {
             return all.lookup(result).size() == number;
           });
  });
  return isForOne ? 0 : number;
}

void ArrayBuilder::storeRepeated(FunctionOpInterface function) {
  SmallVector<Block *> blocks;
  Readers readers;
  function.walk<WalkOrder::PreOrder>([&](Block *block) {
    if (block->empty())
      return;
    ScopeInfo scope = getEnclosingScope(&block->front());
    if (scope.isScalar || scope.level != Level::Grid)
      return;
    blocks.push_back(block);
    readers.add(*block);
  });
  // A short chain for few operations is faster than one more kernel.
  constexpr unsigned shortest = 48, mostRepeated = 512;
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (!isa<PullOpInterface>(op) || op.getNumResults() != 1)
        continue;
      Value array = op.getResult(0);
      auto type = dyn_cast<PullType>(array.getType());
      if (!type || type.isNested())
        continue;
      size_t times = readers.count(array);
      if (times < 2)
        continue;
      unsigned length = ReadCounter(mostRepeated).count(array);
      if (length <= shortest || length * (times - 1) <= mostRepeated)
        continue;
      setInsertionPointAfter(&op);
      Value stored = store(array).front();
      array.replaceAllUsesExcept(stored, stored.getDefiningOp());
    }
}

/// The push array whose elements a force stores, if only one elementwise
/// function reads them; else null.
static Value getUnreadPush(ForceOp force, Value operand) {
  if (force.getArrays().size() != 1 || !force.getInto().empty() ||
      !operand.hasOneUse())
    return {};
  Value array = force.getArrays().front();
  // Such a function would need a kernel after all writes.
  auto fill = array.getDefiningOp<FillOp>();
  return fill && fill.getContract() == Contract::Reduce ? Value() : array;
}

/// True for a reshape that only adds or removes extents of 1.
static bool keepsIndices(ReshapeOp reshape) {
  auto getOthers = [](Value array) {
    ArrayRef<int64_t> extents = getArrayExtents(array.getType());
    return llvm::filter_to_vector(extents,
                                  [](int64_t extent) { return extent != 1; });
  };
  auto extents = getOthers(reshape.getArray());
  return !ShapedType::isDynamicShape(extents) &&
         extents == getOthers(reshape.getResult());
}

namespace {
/// The elementwise functions between two forces, each of which is read by the
/// next one only.
struct StoredChain {
  explicit StoredChain(ForceOp last) : last(last) {}

  ForceOp last;
  /// The operations from `last` on, and the force whose array they read.
  SmallVector<Operation *> ops;
  ForceOp first;
  /// The push array of `first`.
  Value push;

  /// Finds the force from which `array` is computed.
  bool find(Value array);
};
} // namespace

bool StoredChain::find(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op || op->getBlock() != last->getBlock())
    return false;
  if (auto force = dyn_cast<ForceOp>(op)) {
    first = force;
    push = getUnreadPush(force, array);
    return push != nullptr && !ops.empty();
  }
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!op->hasOneUse() ||
      !(isa<MapOp>(op) || (reshape && keepsIndices(reshape))))
    return false;
  ops.push_back(op);
  // The nearest force comes first.
  auto isForce = [](Value operand) {
    return operand.getDefiningOp<ForceOp>() != nullptr;
  };
  for (bool nearest : {true, false})
    for (Value operand : op->getOperands())
      if (isForce(operand) == nearest && find(operand))
        return true;
  ops.pop_back();
  return false;
}

void ArrayBuilder::finish(FunctionOpInterface function) {
  // The primal result of a gradient, for example, is often not used.
  function.walk([](Block *block) { eraseUnused(*block); });
  function.walk(readStored);
  inlineFolds(function);
  fuseRows(function);
  storeRepeated(function);
  SmallVector<ForceOp> forces;
  function.walk([&](ForceOp force) {
    if (getEnclosingScope(force).level == Level::Grid)
      forces.push_back(force);
  });
  for (ForceOp last : forces)
    for (Value array : llvm::to_vector(last.getArrays())) {
      StoredChain chain(last);
      if (!chain.find(array) || isa<ReshapeOp>(chain.ops.front()))
        continue;
      if (!last.getThreads() && chain.first.getThreads())
        last.setThreads(*chain.first.getThreads());
      chain.first.getResults().front().replaceAllUsesWith(chain.push);
      chain.first.erase();
      if (auto type = dyn_cast<PushType>(chain.push.getType()))
        for (Operation *op : llvm::reverse(chain.ops)) {
          auto like = cast<PullType>(op->getResult(0).getType());
          op->getResult(0).setType(
              PushType::get(getContext(), type.getLevel(), like.getExtents(),
                            like.getBounds(), like.getElementTypes()));
        }
    }
}
