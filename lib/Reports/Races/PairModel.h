//===- PairModel.h - Two accesses as a question about numbers ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns two accesses by two threads, with what is known about the iterations
// that the two are in, into a question about integers: can all conditions hold
// and both addresses overlap?
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_PAIRMODEL_H
#define OBSIDIAN_REPORTS_RACES_PAIRMODEL_H

#include "KernelAccesses.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs::races {

/// How many turns of a loop ago something happened.
enum class Age : uint8_t { ThisTurn, LastTurn, Earlier };

/// Where the earlier access of a pair stands in a loop around it.
struct PastLoop {
  Operation *loop;
  Age age = Age::ThisTurn;
  /// The loop has ended since; `age` counts from its last turn.
  bool left = false;

  bool operator==(const PastLoop &other) const {
    return loop == other.loop && age == other.age && left == other.left;
  }
};

/// A loop that began after the earlier access: where the later one is in it.
struct NewLoop {
  Operation *loop;
  bool firstTurn = true;

  bool operator==(const NewLoop &other) const {
    return loop == other.loop && firstTurn == other.firstTurn;
  }
};

/// An access since which the two threads have not waited for each other.
/// Only loops that hold a barrier for the two are listed, outermost first: in
/// all others, each thread is in a turn of its own.
struct PendingAccess {
  const MemoryAccess *access;
  SmallVector<PastLoop, 2> past;
  SmallVector<NewLoop, 2> begun;

  bool operator==(const PendingAccess &other) const {
    return access == other.access && past == other.past && begun == other.begun;
  }
};

/// Which of the two threads a number belongs to.
enum class Owner : uint8_t { Both, First, Second };

struct Unknown {
  Owner owner;
  std::optional<IndexRange> range;
  /// The number of a block, or of what a loop over the grid gives a block:
  /// different for threads of different blocks.
  bool isBlock = false;
  /// Comes from data, not from numbers of threads and turns.
  bool isData = false;
};

/// One dimension of the two addresses: each reaches `width` numbers.
struct Meeting {
  IndexExpr first;
  IndexExpr second;
  int64_t firstWidth = 1;
  int64_t secondWidth = 1;
};

/// Can all `conditions` be other than zero, and all `meetings` overlap?
/// Symbol s of an expression is `unknowns[s]`.
struct Question {
  Between between;
  int64_t threads;
  SmallVector<Unknown> unknowns;
  SmallVector<IndexExpr> conditions;
  SmallVector<Meeting> meetings;
  /// Numbers of the threads in their blocks; for lanes of one warp too.
  IndexExpr firstThread = IndexExpr::constant(0);
  IndexExpr secondThread = IndexExpr::constant(0);
};

class PairModel {
public:
  PairModel(gpu::GPUFuncOp kernel, int64_t threads, Uniformity &uniformity,
            const Ranges &ranges)
      : kernel(kernel), threads(threads), uniformity(uniformity),
        ranges(ranges) {}

  /// The question for `pending` and `later`, which is where control flow is
  /// now.
  Question ask(const PendingAccess &pending, const MemoryAccess &later,
               Between between);

private:
  IndexExpr get(Value value, Owner side);
  IndexExpr compute(Value value, Owner side);
  IndexExpr computeArith(Operation *op, Owner side);
  std::optional<IndexExpr> getLoopResult(OpResult result);
  IndexExpr getArgument(BlockArgument argument, Owner side);
  std::optional<IndexExpr> getSlot(scf::ForOp loop, BlockArgument argument,
                                   Owner side);
  IndexExpr getTurn(scf::ForOp loop, Owner side);
  IndexExpr makeTurn(scf::ForOp loop, Owner side, Owner owner);
  IndexExpr getUnknown(Value value, Owner side);
  IndexExpr makeUnknown(Unknown unknown);
  IndexExpr getThread(Owner side);
  IndexExpr getBlock(Owner side);
  Owner getOwner(Value value, Owner side);
  const PastLoop *findPast(Operation *loop) const;
  const NewLoop *findBegun(Operation *loop) const;
  void addGuards(Operation *op, Owner side);
  int64_t getMostIndex(scf::ForOp loop, Owner side);
  IndexExpr getShift(Value amount, Owner side);
  void addMeetings(MemoryAccess a, MemoryAccess b);
  IndexExpr getByteAddress(const MemoryAccess &access, Owner side);
  std::optional<SmallVector<IndexExpr>> getStrides(Value array, Owner side);

  gpu::GPUFuncOp kernel;
  int64_t threads;
  Uniformity &uniformity;
  const Ranges &ranges;

  Question question;
  const PendingAccess *first = nullptr;
  const MemoryAccess *second = nullptr;
  llvm::DenseMap<std::pair<Value, unsigned>, IndexExpr> known;
  llvm::DenseMap<std::pair<Operation *, unsigned>, IndexExpr> turns;
  llvm::DenseMap<std::pair<Value, unsigned>, IndexExpr> shifts;
  /// What the variables of loops stay below in turns that make all accesses
  /// that stand in them, for all questions.
  llvm::DenseMap<Operation *, int64_t> mostIndices;
  std::optional<IndexExpr> warp, lanes[3], blocks[3];
};

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_PAIRMODEL_H
