//===- Recomputation.cpp - Remarks on repeated computations ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// The location of `op` in the source, without those of its callers.
static Location getInnermostLoc(Operation *op) {
  Location loc = op->getLoc();
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  return loc;
}

/// The number of places in `block` where `readers` stand, on one path of
/// execution. The copies of one operation of the source within an operation of
/// the block count once: copies side by side, and copies in the arms of a
/// choice of the host.
static unsigned countPlaces(Block *block, ArrayRef<Operation *> readers) {
  llvm::MapVector<Operation *, SmallVector<Operation *>> readersIn;
  for (Operation *reader : readers)
    readersIn[block->findAncestorOpInBlock(*reader)].push_back(reader);
  unsigned count = 0;
  for (auto &[op, inside] : readersIn) {
    if (isa<scf::IfOp>(op)) {
      unsigned most = 0;
      for (Region &region : op->getRegions()) {
        SmallVector<Operation *> arm;
        llvm::copy_if(inside, std::back_inserter(arm), [&](Operation *reader) {
          return region.isAncestor(reader->getParentRegion());
        });
        if (!arm.empty())
          most = std::max(most, countPlaces(&region.front(), arm));
      }
      count += most;
      continue;
    }
    llvm::SmallDenseSet<Location> places;
    for (Operation *reader : inside)
      places.insert(reader->getLoc());
    count += places.size();
  }
  return count;
}

/// The number of places that read elements of `array`, without those that read
/// different parts of it.
static unsigned countReaders(Value array) {
  llvm::SmallSetVector<Operation *, 4> readers;
  bool isWhole = false;
  for (Operation *user : array.getUsers()) {
    if (isa<DimOp>(user))
      continue;
    readers.insert(user);
    isWhole |= !isa<TakeOp, SliceOp>(user);
  }
  return isWhole ? countPlaces(array.getParentBlock(), readers.getArrayRef())
                 : 1;
}

/// True if a program reads extents of an array or of its elements, and nothing
/// else of it.
static bool isOnlyMeasured(Value array) {
  return llvm::all_of(array.getUsers(), [](Operation *user) {
    auto get = dyn_cast<GetOp>(user);
    return isa<DimOp>(user) ||
           (get && llvm::all_of(get->getResults(), [](Value result) {
              return isa<PullType>(result.getType()) && isOnlyMeasured(result);
            }));
  });
}

void obs::remarkRecomputation(Operation *root) {
  llvm::DenseSet<Location> places;
  root->walk([&](Operation *op) {
    // An earlier run of the pass has fused the elements of such an array.
    for (Operation *around = op; around != root; around = around->getParentOp())
      if (isa<PullOpInterface>(around) &&
          llvm::all_of(around->getResults(), isOnlyMeasured))
        return;
    Location loc = getInnermostLoc(op);
    bool isScalar = getEnclosingScope(op).isScalar;
    if (isa<MapOp, GenerateOp>(op) && isa<PullType>(op->getResult(0).getType()))
      if (unsigned readers = countReaders(op->getResult(0));
          readers > 1 && places.insert(loc).second)
        emitRemark(loc) << "each element is computed in " << readers
                        << " places; "
                        << (isScalar ? "distribute over the elements around "
                                       "it, and force it in each"
                                     : "force the array to compute it once");
    if (!isScalar || !isa<scf::ForOp, scf::WhileOp>(op))
      return;
    // A loop of a reduction; what reads it here computes elements.
    bool isRepeated = llvm::any_of(op->getUsers(), [&](Operation *user) {
      Operation *array = op->getBlock()->findAncestorOpInBlock(*user);
      return array && array != user && isa<PullOpInterface>(array);
    });
    if (isRepeated && places.insert(loc).second)
      emitRemark(loc) << "this loop is repeated for each element of the array "
                         "that uses its result; distribute over the elements "
                         "around it (obs.distribute), and force the array in "
                         "each, to run it once";
  });
}
