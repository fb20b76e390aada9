//===- PairModel.h - Two accesses as a query about numbers ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts two accesses by two threads, and the known facts about the
// iterations of both threads, to a query about integers: can all conditions
// be true while both addresses overlap?
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_RACES_PAIRMODEL_H
#define OBSIDIAN_REPORTS_RACES_PAIRMODEL_H

#include "Uniformity.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs::races {

/// The number of iterations of a loop since an access.
enum class Age : uint8_t { ThisTurn, LastTurn, Earlier };

/// The position of the earlier access of a pair in a loop around it.
struct PastLoop {
  Operation *loop;
  Age age = Age::ThisTurn;
  /// The loop has ended since then; `age` counts from its last iteration.
  bool left = false;

  bool operator==(const PastLoop &other) const {
    return loop == other.loop && age == other.age && left == other.left;
  }
};

/// A loop that began after the earlier access, and the position of the later
/// one in it.
struct NewLoop {
  Operation *loop;
  bool firstTurn = true;

  bool operator==(const NewLoop &other) const {
    return loop == other.loop && firstTurn == other.firstTurn;
  }
};

/// An access after which the two threads have not waited for each other. The
/// lists contain only loops with a barrier for both threads, outermost first.
/// In all other loops, each thread has its own iteration.
struct PendingAccess {
  const MemoryAccess *access;
  SmallVector<PastLoop, 2> past;
  SmallVector<NewLoop, 2> begun;
  /// Only the conditions of the query decide whether threads can come here
  /// without a barrier. No barrier is in another branch.
  bool isCertain = true;
  /// The masks of the barriers since then at which only some lanes of the warp
  /// have waited for each other.
  SmallVector<Value, 0> masks;

  /// True for the same access at the same position in the same loops.
  bool operator==(const PendingAccess &other) const {
    return access == other.access && past == other.past &&
           begun == other.begun && masks == other.masks;
  }
};

/// The thread of the pair to which a number belongs.
enum class Owner : uint8_t { Both, First, Second };

struct Unknown {
  Owner owner;
  std::optional<IndexRange> range;
  /// The number of a block, or the value that a loop over the grid has in a
  /// block. It differs between threads of different blocks.
  bool isBlock = false;
  /// It depends on data, not only on numbers of threads and iterations.
  bool isData = false;
  /// It can have more values here than in a run, so not every solution is a
  /// race.
  bool isLoose = false;
  /// The operation of which it is the ticket. It differs from the tickets that
  /// other blocks have drawn there.
  Operation *ticket = nullptr;
};

/// An unknown shift amount.
struct Shift {
  unsigned unknown;
  /// The expression of the amount.
  IndexExpr amount;
};

/// One dimension of the two addresses. Each access covers `width` numbers from
/// its address on.
struct DimensionPair {
  IndexExpr first;
  IndexExpr second;
  int64_t firstWidth = 1;
  int64_t secondWidth = 1;
};

/// The query whether all `conditions` can be other than 0 while all
/// `dimensions` overlap. Symbol s of an expression is `unknowns[s]`.
struct OverlapQuery {
  Between between;
  int64_t threads;
  SmallVector<Unknown> unknowns;
  SmallVector<IndexExpr> conditions;
  SmallVector<DimensionPair> dimensions;
  /// The dimensions are those of one array and count its elements, not bytes.
  bool isByElement = false;
  /// The numbers of the threads in their blocks, also for lanes of one warp.
  IndexExpr firstThread = IndexExpr::constant(0);
  IndexExpr secondThread = IndexExpr::constant(0);
  SmallVector<Shift> shifts;
  /// `conditions` contain all conditions of the two accesses. Only then, a
  /// solution is a race.
  bool isComplete = true;
  /// The lanes in one of these masks wait for each other between the accesses.
  SmallVector<Value, 0> masks;
  /// The query concerns the first thread only.
  bool isOneThread = false;
};

/// True if a barrier orders the two threads, which have these numbers.
inline bool areOrdered(const OverlapQuery &query, int64_t first,
                       int64_t second) {
  return llvm::any_of(query.masks, [&](Value mask) {
    return waitTogether(mask, first, second);
  });
}

/// True if `expr` depends on data.
bool hasData(const OverlapQuery &query, const IndexExpr &expr);

/// The bits of an integer; 64 for `index`.
inline unsigned getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

inline IndexExpr constant(int64_t value) { return IndexExpr::constant(value); }

/// The number of values in `range`, less one. The difference of its ends as
/// signed numbers could overflow.
inline uint64_t getSpan(const IndexRange &range) {
  return uint64_t(range.max) - uint64_t(range.min);
}

/// 1 if the comparison of `a` with `b` is true, else 0.
inline IndexExpr compare(IndexExpr::Compare how, IndexExpr a, IndexExpr b) {
  return IndexExpr::select(how, a, b, constant(1), constant(0));
}

/// 1 if `condition` is 0, else 0.
inline IndexExpr negate(IndexExpr condition) {
  return compare(IndexExpr::Compare::Equal, condition, constant(0));
}

class PairModel {
public:
  PairModel(gpu::GPUFuncOp kernel, int64_t threads, Uniformity &uniformity,
            const Ranges &ranges)
      : kernel(kernel), threads(threads), uniformity(uniformity),
        ranges(ranges), equalParameters(getEqualParameters(kernel)) {}

  /// The query for `pending` and `later`. Control flow is at `later`. With
  /// `unequal`, one of these values must differ between the two threads.
  OverlapQuery ask(const PendingAccess &pending, const MemoryAccess &later,
                   Between between, ValueRange unequal = {});

  /// The query whether another thread of a block than the first one can make
  /// `access`.
  OverlapQuery askOtherThread(const MemoryAccess &access);

  /// The query whether a thread can make `access` with an index outside of
  /// its array. There is no assumption about other indices, either.
  OverlapQuery askBounds(const MemoryAccess &access);

private:
  void startOneThread(const PendingAccess &pending);
  void start(const PendingAccess &pending, const MemoryAccess &later,
             Between between);
  std::optional<IndexExpr> getQuotient(Operation *op, Owner side);
  IndexExpr get(Value value, Owner side);
  IndexExpr compute(Value value, Owner side);
  IndexExpr computeArith(OpResult result, Owner side);
  IndexExpr computeUnwrapped(OpResult result, Owner side);
  bool isOneInLaunch(Value value);
  TicketOp getTicket(Value value);
  IndexExpr wrapTo(const IndexExpr &expr, Type type);
  IndexExpr narrow(const IndexExpr &expr, Type type);
  std::optional<IndexExpr> getNatural(Value operand, Owner side);
  std::optional<IndexExpr> getCarried(Value value, Operation *loop, Owner side);
  /// What a loop passes to its iteration: `initial`, or `next` of the iteration
  /// before, if it is known which of them.
  std::optional<IndexExpr> getPassed(Operation *loop, Value initial, Value next,
                                     Owner side);
  std::optional<IndexExpr> getLoopResult(OpResult result, Owner side);
  IndexExpr getArgument(BlockArgument argument, Owner side);
  std::optional<IndexExpr> getSlot(scf::ForOp loop, BlockArgument argument,
                                   Owner side);
  std::optional<IndexExpr> getLastSlot(scf::ForOp loop, unsigned i, Owner side);
  IndexExpr getTurn(scf::ForOp loop, Owner side);
  IndexExpr makeTurn(scf::ForOp loop, Owner side, Owner owner);
  IndexExpr getUnknown(Value value, Owner side);
  std::optional<IndexExpr> getCounter(scf::ForOp loop, BlockArgument argument,
                                      Owner side);
  IndexExpr getWhileArgument(scf::WhileOp loop, BlockArgument argument,
                             Owner side);
  IndexExpr makeUnknown(Unknown unknown);
  IndexExpr getThread(Owner side);
  IndexExpr getBlock(Owner side);
  Owner getOwner(Value value, Owner side);
  const PastLoop *findPast(Operation *loop) const;
  const NewLoop *findBegun(Operation *loop) const;
  void addGuards(const MemoryAccess &access, Owner side);
  int64_t getMostIndex(scf::ForOp loop, Owner side);
  IndexExpr getShift(Value amount, Owner side);
  void addDimensions(MemoryAccess a, MemoryAccess b);
  IndexExpr getIndex(const MemoryAccess &access, unsigned d, Owner side);
  SmallVector<IndexExpr> getBounds(const MemoryAccess &access, Owner side);
  bool isRowMajor(Value array);
  bool haveEqualRows(Value a, Value b);
  std::optional<IndexExpr> getBase(Value memory, Owner side);
  IndexExpr getByteAddress(const MemoryAccess &access, Owner side);
  std::optional<SmallVector<IndexExpr>> getStrides(Value array, Owner side);

  gpu::GPUFuncOp kernel;
  int64_t threads;
  Uniformity &uniformity;
  const Ranges &ranges;

  /// The parameters that are equal in all launches. They are used for bounds
  /// only, so a proof that there are no races holds for any launch.
  llvm::DenseMap<Value, Value> equalParameters;

  OverlapQuery query;
  /// Indices are assumed to be within their arrays.
  bool assumesBounds = true;
  const PendingAccess *first = nullptr;
  const MemoryAccess *second = nullptr;
  llvm::DenseMap<std::pair<Value, unsigned>, IndexExpr> known;
  llvm::DenseMap<std::pair<Operation *, unsigned>, IndexExpr> turns;
  llvm::DenseMap<std::pair<Value, unsigned>, IndexExpr> shifts;
  /// Upper limits of the counters of loops, for all queries: in an iteration
  /// with a larger counter, an access in the loop would be out of bounds.
  llvm::DenseMap<Operation *, int64_t> mostIndices;
  std::optional<IndexExpr> warp, lanes[3], blocks[3];
};

} // namespace mlir::obs::races

#endif // OBSIDIAN_REPORTS_RACES_PAIRMODEL_H
