//===- Copies.h - Copies of what many iterations write ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_COPIES_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_COPIES_H

#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

/// The sizes at which a reduction at level grid has copies of its result, all
/// of them. Bytes are those of the elements of the result.
struct CopyLimits {
  /// Of a copy in registers of each thread: it compares each index with each
  /// element of the copy, which costs less than an atomic operation that waits
  /// for the other lanes of the warp only while the elements are few.
  static constexpr int64_t registerBytes = 64;
  /// The same if memory has no such operation: the loop of compare-and-swap
  /// that it takes costs more, and threads that try it hold each other up.
  static constexpr int64_t registerBytesWithLoops = 128;
  /// Copies of a block for its warps: as many as it has warps of 32 threads if
  /// it has 256 threads, so that only lanes of one warp meet in a copy.
  static constexpr int64_t warpCopies = 8;
  /// Of all copies of the warps of a block: eight blocks of 256 threads, all
  /// that a multiprocessor runs at a time, then fit into its shared memory.
  static constexpr int64_t warpCopiesBytes = 8192;
  /// Of a copy of a block: as much as every GPU since sm_75 has for a block, of
  /// which an H200 runs three at a time. There a histogram of 2^24 numbers in
  /// 16384 bins takes 0.11 ms so, and 0.25 ms without copies; 12 ms if all are
  /// in one bin.
  static constexpr int64_t blockCopyBytes = 65536;
  /// So few iterations are one part, or less: they are done before copies are
  /// cleared and combined.
  static constexpr int64_t fewIterations = 4096;
  /// Elements that are mapped by the part that is done with them last: one for
  /// each thread of a block. More of them wait for each other's fences longer
  /// than a kernel takes.
  static constexpr int64_t mappedElements = 256;
  /// Of the copies that the threads of a block or a warp have for themselves:
  /// one block then has room beside another one.
  static constexpr int64_t ownCopiesBytes = 32768;
  /// The same at level grid, in global memory.
  static constexpr int64_t ownCopiesBytesAtGrid = 1 << 26;
  /// Of one such copy: with 4096 threads they fill what there is at level grid.
  static constexpr int64_t ownCopyBytes = 16384;
};

class MappedResult;

/// What many iterations write to one array of rank 1 by contract `reduce`.
class Reduction {
public:
  using Values = CollectiveBuilder::Values;
  using WriteFn = llvm::function_ref<void(ValueRange values, Value index)>;
  using UpdateFn = llvm::function_ref<Values(ValueRange row, ValueRange values,
                                             Value index)>;

  /// `c` is a builder at the level of `op`, which has the result.
  Reduction(CollectiveBuilder &c, Operation *op, Attribute kind,
            ValueRange init, Value onto, Extent n, Extent size)
      : c(c), op(op), kind(kind), init(init), onto(onto), n(n), size(size) {}
  virtual ~Reduction() = default;

  /// Builds iteration i, and calls `write` for each of its writes.
  virtual void run(Value i, WriteFn write) = 0;
  /// The same for a copy of the result that is values: returns what `update`
  /// makes of `row`, one write after the other. An index may be none of the
  /// result.
  virtual Values fold(Value i, Values row, UpdateFn update) = 0;
  /// True if `fold` can be called.
  virtual bool canFold() const { return true; }

  /// Combines element i of the result with `values`.
  void add(CollectiveBuilder &c, ValueRange values, Value i) const;

  PushType getType() const {
    return cast<PushType>(op->getResult(0).getType());
  }
  ArrayRef<Type> getElementTypes() const { return getType().getElementTypes(); }

  CollectiveBuilder &c;
  Operation *op;
  /// The name of an operation, which combines each component of an element, or
  /// a function of elements of one type.
  Attribute kind;
  /// What the result holds before: scalars or an array, or neither.
  ValueRange init;
  Value onto;
  /// The number of iterations, and of elements of the result.
  Extent n, size;
  /// The result before it is mapped, if that is what is built.
  MappedResult *mapped = nullptr;
};

/// What the operation or the function that `kind` names makes of two elements.
CollectiveBuilder::Values combineElements(OpBuilder &builder, Location loc,
                                          Attribute kind, Operation *from,
                                          ValueRange x, ValueRange y);

/// Who has copies of a result.
enum class Copies { None, Thread, Warp, Block };

/// Who has copies of the result of `op`: whom `strategy` names, or whom its
/// size suggests. `reduction` is null if it can have none. Emits
/// `[strategy-name]` and `[R2-bounded]`.
FailureOr<Copies> findCopies(Operation *op, std::optional<StringRef> strategy,
                             const Reduction *reduction);

/// The result: parts of the iterations write to copies of it, which are then
/// combined. `copies` is not `None`. If only a map uses the result and can be
/// part of the same kernel, this is the result of the map, which is replaced.
Value buildCopies(Reduction &reduction, Copies copies);

/// The result of a function of elements that are too long for atomic
/// operations: threads have copies that nobody else writes to, and one thread
/// combines all copies of an element. Emits `[strategy-name]`, `[R2-bounded]`
/// and `[R7-room]`.
FailureOr<Value> buildOwnCopies(Reduction &reduction,
                                std::optional<StringRef> strategy);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_COPIES_H
