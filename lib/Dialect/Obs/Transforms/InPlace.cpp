//===- InPlace.cpp - Kernels that may write what they read ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a loop over a grid. It may run in place if each iteration reads
// only elements that no other one writes. The contract `disjoint` says that no
// element is written twice; so it is enough to find, for every read, a write of
// the same iteration to the same index: then no other iteration writes there.
// The two indices are the same function of the iteration, where what an inner
// loop of the write counts is replaced by some number of its range. That takes
// no solving and holds for any arithmetic, shifts by run-time numbers included.
// What stays is the order within the iteration.
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Compares the reads of one array by a kernel with its writes.
class InPlaceProof {
public:
  InPlaceProof(FillOp fill, ParOp grid, Value memory)
      : fill(fill), grid(grid), memory(memory) {}

  /// Whether `write` is to the element that `read` reads, and comes later.
  InPlace compare(GetOp read, WriteOp write);

private:
  /// `op` and what it stands in, from the inside out, up to a statement of the
  /// grid's loop. Programs that are forced stand where they are forced.
  bool getPath(Operation *op, SmallVectorImpl<Operation *> &path);
  bool match(Value a, Value b);
  bool bind(Value number, BlockArgument variable);
  bool isSame(Value a, Value b);
  std::optional<unsigned> getExtentDimension(Value value);
  void collectConditions(ArrayRef<Operation *> path, Operation *inner,
                         SmallVectorImpl<Value> &conditions, bool &known);
  bool isBoundOf(Value condition, WriteOp write);

  FillOp fill;
  ParOp grid;
  Value memory;
  /// Variables of inner loops of the write, and in which turn of them what the
  /// read reads is written; null where that is open.
  llvm::DenseMap<Value, Value> turns;
};
} // namespace

bool InPlaceProof::getPath(Operation *op, SmallVectorImpl<Operation *> &path) {
  while (true) {
    path.push_back(op);
    Operation *parent = op->getParentOp();
    if (parent == grid)
      return true;
    if (auto inner = dyn_cast<FillOp>(parent)) {
      if (inner == fill || !inner->hasOneUse())
        return false;
      auto force = dyn_cast<ForceOp>(*inner->getUsers().begin());
      if (!force || force->getBlock() != inner->getBlock())
        return false;
      op = force;
    } else if (isa<ParOp, scf::ForOp, scf::IfOp>(parent)) {
      op = parent;
    } else {
      return false;
    }
  }
}

/// The dimension of which `value` is the extent, in both arrays.
std::optional<unsigned> InPlaceProof::getExtentDimension(Value value) {
  if (auto dim = value.getDefiningOp<DimOp>()) {
    auto view = dim.getArray().getDefiningOp<ViewOp>();
    if (view && llvm::is_contained(view.getMemory(), memory))
      return dim.getDimension();
  }
  PushType type = fill.getResult().getType();
  APInt constant;
  bool isConstant = matchPattern(value, m_ConstantInt(&constant));
  unsigned next = 0;
  for (unsigned d = 0; d < type.getRank(); ++d) {
    if (type.isDynamicExtent(d)) {
      if (fill.getExtents()[next++] == value)
        return d;
    } else if (isConstant && constant == uint64_t(type.getExtents()[d])) {
      return d;
    }
  }
  return std::nullopt;
}

/// The operands of two operations that compute the same of them; nothing if
/// they do not.
static bool computeTheSame(Value a, Value b) {
  auto first = dyn_cast<OpResult>(a), second = dyn_cast<OpResult>(b);
  return first && second &&
         first.getResultNumber() == second.getResultNumber() &&
         first.getOwner()->getNumRegions() == 0 &&
         isMemoryEffectFree(first.getOwner()) &&
         OperationEquivalence::isEquivalentTo(
             first.getOwner(), second.getOwner(),
             OperationEquivalence::ignoreValueEquivalence, nullptr,
             OperationEquivalence::IgnoreLocations);
}

/// True if both are one number wherever both are known.
bool InPlaceProof::isSame(Value a, Value b) {
  if (a == b)
    return true;
  std::optional<unsigned> dimension = getExtentDimension(a);
  if (dimension && dimension == getExtentDimension(b))
    return true;
  return computeTheSame(a, b) &&
         llvm::equal(a.getDefiningOp()->getOperands(),
                     b.getDefiningOp()->getOperands(),
                     [&](Value x, Value y) { return isSame(x, y); });
}

/// A number that `value`, which is not negative, does not exceed; nullopt if
/// none is known or `value` may be negative.
static std::optional<uint64_t> getMaximum(Value value) {
  constexpr uint64_t limit = uint64_t(1) << 40;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.ult(limit) ? std::optional(constant.getZExtValue())
                               : std::nullopt;
  if (auto variable = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<ParOp>(variable.getOwner()->getParentOp());
    if (loop &&
        matchPattern(loop.getExtents()[variable.getArgNumber()],
                     m_ConstantInt(&constant)) &&
        constant.isStrictlyPositive() && constant.ult(limit))
      return constant.getZExtValue() - 1;
    return std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (!isa<arith::XOrIOp, arith::OrIOp, arith::AndIOp, arith::SelectOp,
           arith::SubIOp>(op))
    return std::nullopt;
  unsigned last = op->getNumOperands() - 1;
  std::optional<uint64_t> first = getMaximum(op->getOperand(last - 1));
  std::optional<uint64_t> second = getMaximum(op->getOperand(last));
  if (!first || !second)
    return std::nullopt;
  if (isa<arith::AndIOp>(op))
    return std::min(first, second);
  if (isa<arith::SelectOp>(op))
    return std::max(first, second);
  if (isa<arith::XOrIOp, arith::OrIOp>(op))
    return llvm::NextPowerOf2(std::max(*first, *second)) - 1;
  // Mirrored: a constant less a number that is no larger.
  if (matchPattern(op->getOperand(0), m_ConstantInt(&constant)) &&
      *second <= *first)
    return first;
  return std::nullopt;
}

/// Takes `number`, known at the read, as the turn of the loop of the write that
/// `variable` counts, if that has such a turn.
bool InPlaceProof::bind(Value number, BlockArgument variable) {
  auto turn = turns.find(variable);
  if (turn == turns.end())
    return false;
  if (turn->second)
    return isSame(turn->second, number);
  bool inRange = false;
  Operation *op = variable.getOwner()->getParentOp();
  auto same = dyn_cast<BlockArgument>(number);
  Operation *other = same ? same.getOwner()->getParentOp() : nullptr;
  if (auto loop = dyn_cast<ParOp>(op)) {
    Value extent = loop.getExtents()[variable.getArgNumber()];
    if (auto otherLoop = dyn_cast_or_null<ParOp>(other))
      inRange = isSame(otherLoop.getExtents()[same.getArgNumber()], extent);
    APInt constant;
    std::optional<uint64_t> maximum = getMaximum(number);
    if (maximum && matchPattern(extent, m_ConstantInt(&constant)))
      inRange |= constant.ugt(*maximum);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto otherLoop = dyn_cast_or_null<scf::ForOp>(other);
    inRange = otherLoop && variable == loop.getInductionVar() &&
              same == otherLoop.getInductionVar() &&
              isSame(loop.getLowerBound(), otherLoop.getLowerBound()) &&
              isSame(loop.getUpperBound(), otherLoop.getUpperBound()) &&
              isSame(loop.getStep(), otherLoop.getStep());
  }
  if (inRange)
    turns[variable] = number;
  return inRange;
}

/// True if `a`, known at the read, is `b` of the write in some turn of its
/// loops.
bool InPlaceProof::match(Value a, Value b) {
  if (a == b)
    return true;
  std::optional<unsigned> dimension = getExtentDimension(a);
  if (dimension && dimension == getExtentDimension(b))
    return true;
  if (auto variable = dyn_cast<BlockArgument>(b))
    return bind(a, variable);
  return computeTheSame(a, b) &&
         llvm::equal(a.getDefiningOp()->getOperands(),
                     b.getDefiningOp()->getOperands(),
                     [&](Value x, Value y) { return match(x, y); });
}

/// Adds what must hold for `inner` to run, of the branches in `path`; clears
/// `known` if it is the other one of a branch that must be taken.
void InPlaceProof::collectConditions(ArrayRef<Operation *> path,
                                     Operation *inner,
                                     SmallVectorImpl<Value> &conditions,
                                     bool &known) {
  for (Operation *op : path) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !branch->isProperAncestor(inner))
      continue;
    if (!branch.getThenRegion().isAncestor(inner->getParentRegion())) {
      known = false;
      continue;
    }
    SmallVector<Value> work = {branch.getCondition()};
    while (!work.empty()) {
      Value condition = work.pop_back_val();
      if (auto both = condition.getDefiningOp<arith::AndIOp>())
        llvm::append_range(work, both->getOperands());
      else
        conditions.push_back(condition);
    }
  }
}

/// True for the condition that an index of `write` is below the extent, which
/// holds for every element that is read.
bool InPlaceProof::isBoundOf(Value condition, WriteOp write) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || (compare.getPredicate() != arith::CmpIPredicate::ult &&
                   compare.getPredicate() != arith::CmpIPredicate::slt))
    return false;
  for (auto [d, index] : llvm::enumerate(write.getIndices()))
    if (isSame(compare.getLhs(), index) &&
        getExtentDimension(compare.getRhs()) == unsigned(d))
      return true;
  return false;
}

InPlace InPlaceProof::compare(GetOp read, WriteOp write) {
  turns.clear();
  SmallVector<Operation *> from, to;
  if (!getPath(read, from) || !getPath(write, to))
    return InPlace::No;
  // The innermost block where both are statements.
  size_t i = 0, j = 0;
  for (i = 0; i < from.size(); ++i) {
    auto found = llvm::find_if(to, [&](Operation *op) {
      return op->getBlock() == from[i]->getBlock();
    });
    j = found - to.begin();
    if (found != to.end())
      break;
  }
  if (i == from.size() || from[i] == to[j] || !from[i]->isBeforeInBlock(to[j]))
    return InPlace::No;
  ArrayRef<Operation *> readIn = ArrayRef(from).slice(0, i + 1);
  ArrayRef<Operation *> writtenIn = ArrayRef(to).slice(0, j + 1);
  for (Operation *op : writtenIn) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      turns[loop.getInductionVar()] = Value();
    else if (auto loop = dyn_cast<ParOp>(op))
      for (Value variable : loop.getBody().getArguments())
        turns[variable] = Value();
  }
  if (!llvm::equal(read.getIndices(), write.getIndices(),
                   [&](Value a, Value b) { return match(a, b); }))
    return InPlace::No;

  // The write happens if the read does: in one turn of all loops, under no
  // other condition.
  if (llvm::any_of(turns, [](auto &turn) { return !turn.second; }))
    return InPlace::No;
  SmallVector<Value> required, given;
  bool known = true, ignored = true;
  collectConditions(writtenIn, write, required, known);
  collectConditions(readIn, read, given, ignored);
  if (!known || !llvm::all_of(required, [&](Value condition) {
        return isBoundOf(condition, write) ||
               llvm::any_of(
                   given, [&](Value other) { return match(other, condition); });
      }))
    return InPlace::No;

  // One thread runs an iteration of the innermost loop over threads.
  bool inThread = grid.getUnit() == Level::Thread;
  for (Operation *op : ArrayRef(from).drop_front(i + 1))
    if (auto loop = dyn_cast<ParOp>(op))
      inThread |= loop.getUnit() == Level::Thread;
  if (inThread)
    return InPlace::OwnElements;
  return InPlace::OneParameter;
}

/// The only loop of `fill`, with nothing else in it that does anything.
static ParOp getOnlyLoop(FillOp fill) {
  ParOp loop;
  for (Operation &op : fill.getBody().front()) {
    if (auto par = dyn_cast<ParOp>(op); par && !loop)
      loop = par;
    else if (!isMemoryEffectFree(&op))
      return {};
  }
  return loop;
}

InPlace obs::mayRunInPlace(LaunchOp launch, unsigned in, unsigned out) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  Value read = kernel.getBody().getArgument(in);
  Value written = kernel.getBody().getArgument(out);
  if (in == out || read.getType() != written.getType() || !written.hasOneUse())
    return InPlace::No;
  auto force = dyn_cast<ForceOp>(*written.getUsers().begin());
  if (!force)
    return InPlace::No;

  // The program that writes it.
  FillOp fill;
  unsigned next = 0;
  for (Value array : force.getArrays()) {
    unsigned count = getArrayElementTypes(array.getType()).size();
    if (llvm::is_contained(force.getInto().slice(next, count), written))
      fill = array.getDefiningOp<FillOp>();
    next += count;
  }
  ParOp loop = fill ? getOnlyLoop(fill) : ParOp();
  if (!loop || fill.getContract() != Contract::Disjoint)
    return InPlace::No;
  SmallVector<WriteOp> writes;
  bool plain = true;
  fill.getBody().walk([&](Operation *op) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      if (write->getParentOfType<FillOp>() != fill)
        return;
      // A mark is of initial contents, or of a claim that nobody has proved.
      plain &= write.getEffectiveContract().contract == Contract::Disjoint &&
               !write->hasAttr("obs.contract");
      writes.push_back(write);
    }
    plain &= !isa<PutOp>(op);
  });
  if (!plain)
    return InPlace::No;

  // Everything that reads it.
  InPlace result = InPlace::OwnElements;
  InPlaceProof proof(fill, loop, read);
  for (Operation *user : read.getUsers()) {
    auto view = dyn_cast<ViewOp>(user);
    if (!view)
      return InPlace::No;
    for (Operation *access : view->getUsers()) {
      if (isa<DimOp>(access))
        continue;
      auto get = dyn_cast<GetOp>(access);
      if (!get || !loop->isProperAncestor(get))
        return InPlace::No;
      InPlace best = InPlace::No;
      for (WriteOp write : writes)
        best = std::max(best, proof.compare(get, write));
      result = std::min(result, best);
    }
  }
  return result;
}

void obs::mergeParameters(LaunchOp launch, unsigned in, unsigned out) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  Block &body = kernel.getBody().front();
  body.getArgument(out).replaceAllUsesWith(body.getArgument(in));
  (void)kernel.eraseArgument(out);
  launch.getArgsMutable().erase(out);
}
