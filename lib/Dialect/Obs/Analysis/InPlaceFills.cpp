//===- InPlaceFills.cpp - Fills that may run in place ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of one loop may run in place if each iteration reads only elements
// that no other iteration writes, and that it has not written itself. This file
// finds the accesses. One of two proofs about their indices is sufficient:
//  - The same iteration later writes the element that it reads, in some
//  iteration
//    of the inner loops. Then by contract `disjoint` no other iteration writes
//    it. Only this equation of the indices is solved, so they may be any
//    arithmetic, including shifts by run-time numbers.
//  - Two iterations that access the same element are always the same iteration.
//    This needs no contract, and allows elements that are not written.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/InPlaceFills.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexEquations.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"

using namespace mlir;
using namespace mlir::obs;
using Path = SmallVector<Operation *>;

namespace {
/// A loop around an access: its counter is a variable.
struct Counter {
  unsigned variable;
  /// The number of iterations, or all that it depends on.
  IndexMap bounds;
};

/// A read of one array by a program, and a write of another one like it.
class AccessPair {
public:
  AccessPair(FillOp fill, ParOp grid, ArrayRef<Value> arrays, GetOp read,
             WriteOp write);

  /// The result that follows if the iteration writes the element that it reads.
  InPlace compareOwn();
  /// The result that follows if the iterations that meet are one. A result of
  /// at least `enough` need not be exact.
  InPlace compareAll(InPlace enough);

private:
  void declareExtents(ArrayRef<Value> arrays);
  void declareLoop(Operation *op, SmallVectorImpl<Counter> &counters);
  IndexMap getIndices(ValueRange indices);
  IndexMap getConditions(ArrayRef<Operation *> path, Operation *inner);
  bool isIteration(const IndexExpr &number, const Counter &loop) const;

  FillOp fill;
  ParOp grid;
  GetOp read;
  WriteOp write;
  /// From the accesses to two statements of the innermost block that has both,
  /// or empty.
  Path readPath, writePath;
  /// The loops around both, and around one.
  SmallVector<Counter> common, readLoops, writeLoops;
  /// The index arithmetic, in which the iterations of `grid` are variables.
  IndexRecognizer recognizer;
  /// The extents of both arrays.
  IndexMap extents;
  /// The result if the iterations that meet are one.
  InPlace inOrder = InPlace::No;
};
} // namespace

/// `op` and the operations around it, from the inside out, up to a statement of
/// the loop `grid` in `fill`. The position of a forced program is that of its
/// force. Empty if there is another operation in between.
static Path getPath(Operation *op, ParOp grid, FillOp fill) {
  Path path;
  while (true) {
    path.push_back(op);
    Operation *parent = op->getParentOp();
    if (parent == grid)
      return path;
    if (auto inner = dyn_cast<FillOp>(parent)) {
      if (inner == fill || !inner->hasOneUse())
        return {};
      auto force = dyn_cast<ForceOp>(*inner->getUsers().begin());
      if (!force || force->getBlock() != inner->getBlock())
        return {};
      op = force;
    } else if (isa<ParOp, scf::ForOp, scf::IfOp>(parent)) {
      op = parent;
    } else {
      return {};
    }
  }
}

AccessPair::AccessPair(FillOp fill, ParOp grid, ArrayRef<Value> arrays,
                       GetOp read, WriteOp write)
    : fill(fill), grid(grid), read(read), write(write) {
  Path from = getPath(read, grid, fill), to = getPath(write, grid, fill);
  Operation **last = llvm::find_if(from, [&](Operation *op) {
    return llvm::any_of(to, [&](Operation *other) {
      return other->getBlock() == op->getBlock();
    });
  });
  if (last == from.end())
    return;
  readPath.assign(from.begin(), last + 1);
  for (Operation *op : to) {
    writePath.push_back(op);
    if (op->getBlock() == (*last)->getBlock())
      break;
  }
  for (Operation *statement : {readPath.back(), writePath.back()})
    for (Region &region : statement->getRegions())
      recognizer.addLeaf(region);
  declareExtents(arrays);
  declareLoop(grid, common);
  bool inThread = grid.getUnit() == Level::Thread;
  for (Operation *op : llvm::reverse(ArrayRef(from).slice(readPath.size()))) {
    declareLoop(op, common);
    if (auto loop = dyn_cast<ParOp>(op))
      inThread |= loop.getUnit() == Level::Thread;
  }
  for (Operation *op : llvm::reverse(readPath))
    declareLoop(op, readLoops);
  for (Operation *op : llvm::reverse(writePath))
    if (!llvm::is_contained(readPath, op))
      declareLoop(op, writeLoops);
  // One thread runs an iteration of the innermost loop over threads.
  if (readPath.back() != writePath.back() &&
      readPath.back()->isBeforeInBlock(writePath.back()))
    inOrder = inThread ? InPlace::OwnElements : InPlace::OneParameter;
}

/// The two arrays have the same extents, which are less than 2^40.
void AccessPair::declareExtents(ArrayRef<Value> arrays) {
  PushType type = fill.getResult().getType();
  unsigned next = 0;
  for (unsigned d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicExtent(d)) {
      extents.push_back(IndexExpr::constant(type.getExtents()[d]));
      continue;
    }
    Value extent = fill.getExtents()[next++];
    if (!recognizer.get(extent).getRange() && !isa<OpResult>(extent))
      recognizer.setRange(extent, {0, IndexRecognizer::maxExtent});
    extents.push_back(recognizer.get(extent));
  }
  for (Value array : arrays)
    for (Operation *user : array.getUsers())
      if (auto dim = dyn_cast<DimOp>(user))
        recognizer.define(dim, extents[dim.getDimension()]);
}

void AccessPair::declareLoop(Operation *op,
                             SmallVectorImpl<Counter> &counters) {
  if (auto loop = dyn_cast<ParOp>(op)) {
    for (auto [counter, extent] :
         llvm::zip_equal(loop.getBody().getArguments(), loop.getExtents())) {
      IndexExpr count = recognizer.get(extent);
      int64_t most = count.getConstant().value_or(IndexRecognizer::maxExtent);
      counters.push_back({recognizer.addVariable(counter, most), {count}});
    }
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    IndexMap bounds = getIndices(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    int64_t most = IndexRecognizer::maxExtent;
    if (std::optional<APInt> rounds = loop.getStaticTripCount();
        rounds && rounds->isStrictlyPositive() && rounds->ult(most)) {
      most = rounds->getSExtValue();
      bounds = {IndexExpr::constant(most)};
    }
    counters.push_back({recognizer.addRounds(loop, most), bounds});
  }
}

IndexMap AccessPair::getIndices(ValueRange indices) {
  return llvm::map_to_vector<6>(
      indices, [&](Value index) { return recognizer.get(index); });
}

/// Conditions of the branches in `path` that are 1 if `inner` runs.
IndexMap AccessPair::getConditions(ArrayRef<Operation *> path,
                                   Operation *inner) {
  IndexMap conditions;
  for (Operation *op : path) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !branch->isProperAncestor(inner))
      continue;
    SmallVector<IndexExpr> work{recognizer.get(branch.getCondition())};
    if (!branch.getThenRegion().isAncestor(inner->getParentRegion()))
      work.front() = work.front() ^ IndexExpr::constant(1);
    while (!work.empty()) {
      IndexExpr condition = work.pop_back_val();
      if (condition.getKind() == IndexExpr::Kind::And)
        llvm::append_range(work, condition.getOperands());
      else
        conditions.push_back(condition);
    }
  }
  return conditions;
}

/// True if `number` is the number of an iteration of `loop`, at every read.
bool AccessPair::isIteration(const IndexExpr &number,
                             const Counter &loop) const {
  std::optional<IndexRange> range = number.getRange();
  std::optional<int64_t> count = loop.bounds.front().getConstant();
  if (loop.bounds.size() == 1 && count && range && range->min >= 0 &&
      range->max < *count)
    return true;
  return number.getKind() == IndexExpr::Kind::Variable &&
         llvm::any_of(readLoops, [&](const Counter &other) {
           return other.variable == number.getId() &&
                  other.bounds == loop.bounds;
         });
}

InPlace AccessPair::compareOwn() {
  if (inOrder == InPlace::No)
    return InPlace::No;
  SmallVector<unsigned> unknowns;
  for (const Counter &loop : writeLoops)
    unknowns.push_back(loop.variable);
  IndexMap from = getIndices(read.getIndices());
  std::optional<IndexSolution> iterations =
      solveFor(unknowns, getIndices(write.getIndices()), from);
  // The write happens if the read does: in one iteration of all loops, under no
  // other condition. That the index is in the array is one of the read as well.
  if (!iterations || !llvm::all_of(writeLoops, [&](const Counter &loop) {
        auto iteration = iterations->find(loop.variable);
        return iteration != iterations->end() &&
               isIteration(iteration->second, loop);
      }))
    return InPlace::No;
  IndexMap given = getConditions(readPath, read);
  for (auto [index, extent] : llvm::zip_equal(from, extents))
    for (auto less :
         {IndexExpr::Compare::Less, IndexExpr::Compare::UnsignedLess})
      given.push_back(IndexExpr::select(
          less, index, extent, IndexExpr::constant(1), IndexExpr::constant(0)));
  return llvm::all_of(getConditions(writePath, write),
                      [&](const IndexExpr &required) {
                        IndexExpr needed = substitute(required, *iterations);
                        return llvm::any_of(
                            given, [&](const IndexExpr &condition) {
                              return areEqual(needed, condition);
                            });
                      })
             ? inOrder
             : InPlace::No;
}

InPlace AccessPair::compareAll(InPlace enough) {
  if (readPath.empty())
    return InPlace::No;
  // A loop of one iteration meets itself only.
  if (inOrder >= enough && llvm::all_of(common, [](const Counter &loop) {
        return loop.bounds.size() == 1 &&
               loop.bounds.front().getConstant() == 1;
      }))
    return inOrder;
  IndexMap from = getIndices(read.getIndices());
  IndexMap to = getIndices(write.getIndices());
  // Values of one iteration are others in another one.
  IndexMap both = from;
  llvm::append_range(both, to);
  SmallVector<unsigned> independent;
  for (const IndexExpr &leaf : collectLeaves(both, IndexExpr::Kind::Symbol))
    if (grid->isAncestor(
            recognizer.getValue(leaf.getId()).getParentRegion()->getParentOp()))
      independent.push_back(leaf.getId());
  SmallVector<CommonLoop> loops;
  for (const Counter &loop : common)
    loops.push_back({loop.variable, loop.bounds.size() == 1
                                        ? loop.bounds.front()
                                        : IndexExpr::opaque()});
  switch (relateTurns(from, to, loops, independent)) {
  case ThreadRelation::Disjoint:
    return InPlace::OwnElements;
  case ThreadRelation::SameThread:
    return inOrder;
  default:
    return InPlace::No;
  }
}

ParOp obs::getOnlyLoop(FillOp fill) {
  ParOp loop;
  for (Operation &op : fill.getBody().front()) {
    if (auto par = dyn_cast<ParOp>(op); par && !loop)
      loop = par;
    else if (!isMemoryEffectFree(&op))
      return {};
  }
  return loop;
}

InPlace obs::mayFillInPlace(FillOp fill, ArrayRef<Value> arrays) {
  ParOp loop = getOnlyLoop(fill);
  if (!loop || fill.getContract() != Contract::Disjoint)
    return InPlace::No;
  SmallVector<WriteOp> writes;
  bool isPlain = true, isPromised = true;
  fill.getBody().walk([&](Operation *op) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      if (write->getParentOfType<FillOp>() != fill)
        return;
      // The mark stands for initial contents, or for a contract without a
      // proof.
      std::optional<WriteMark> mark = getWriteMark(write);
      isPlain &= write.getEffectiveContract().contract == Contract::Disjoint &&
                 mark != WriteMark::Initial;
      isPromised &= !mark || mark == WriteMark::Unproved;
      writes.push_back(write);
    }
    isPlain &= !isa<PutOp>(op);
  });
  if (!isPlain)
    return InPlace::No;

  InPlace result = InPlace::OwnElements;
  for (Value array : arrays)
    for (Operation *access : array.getUsers()) {
      if (isa<DimOp>(access) || !fill->isProperAncestor(access))
        continue;
      auto get = dyn_cast<GetOp>(access);
      if (!get || !loop->isProperAncestor(get))
        return InPlace::No;
      InPlace own = InPlace::No, all = InPlace::OwnElements;
      for (WriteOp write : writes)
        if (isPromised && own < result)
          own = std::max(
              own, AccessPair(fill, loop, arrays, get, write).compareOwn());
      for (WriteOp write : writes)
        if (own < result && own < all)
          all = std::min(all, AccessPair(fill, loop, arrays, get, write)
                                  .compareAll(std::min(result, all)));
      result = std::min(result, std::max(own, all));
      if (result == InPlace::No)
        return result;
    }
  return result;
}
