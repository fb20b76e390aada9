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

struct ExpansionOptions;

/// The cost of combining an element with a value in memory. It decides how many
/// elements have copies for threads and warps: the higher the cost, the more it
/// is worth to keep others away.
enum class UpdateCost {
  /// Shared memory does it, for all lanes of a warp at once.
  Shared,
  /// Device memory does it, shared memory with a loop of compare-and-swap.
  Device,
  /// It is a loop of compare-and-swap everywhere.
  Loop
};

/// The sizes at which a reduction at level grid has copies of its result. Times
/// are those of 2^24 values on an H200 (of 2^22 for `Loop`), the worst of
/// uniform and equal keys, in
/// benchmarks/results/cuda-scatter-privatisation.txt.
struct CopyLimits {
  /// Elements of a copy in registers of each thread, which compares each index
  /// with each of them, by `UpdateCost`. 8 integers of 32 bits take 0.029 ms so
  /// and 0.041 ms in copies of blocks, 16 take twice as long as there; 16
  /// floats take 0.083 ms and 0.21 ms in copies of warps; 32 maxima 0.053 and
  /// 0.058 ms, and 64 nine times as long as there.
  static constexpr int64_t registerElements[] = {8, 16, 32};
  /// Bytes of such a copy. More do not stay in registers: 32 integers of 64
  /// bits take 24 times as long as in copies of warps.
  static constexpr int64_t registerBytes = 128;
  /// Copies of a block for its warps: as many as it has warps of 32 threads if
  /// it has 256 threads, so that only lanes of one warp meet in a copy.
  static constexpr int64_t warpCopies = 8;
  /// Elements of such a copy, by `UpdateCost`. 1024 integers of 64 bits take
  /// 0.49 ms so and 1.36 ms in copies of blocks, 2048 of them 0.34 and 0.09 ms
  /// if keys are uniform; 4096 elements of a function 0.19 and 2 ms.
  static constexpr int64_t warpElements[] = {0, 1024, 4096};
  /// Bytes of all copies of a block, where the GPU has as much. Those of 32768
  /// integers take 0.22 ms, and without copies 0.28 to 12 ms. More are not
  /// measured: one block of a multiprocessor would be all that has room.
  static constexpr int64_t blockBytes = 131072;
  /// Ranges of a result that is too large for one copy of a block: so many
  /// blocks read the same iterations, and each combines those of its range.
  /// With 2^25 keys, 2 ranges take 0.073 ms and 4 take 0.129 ms, and without
  /// copies 0.40 and 0.37 ms (benchmarks/results/cuda-run-time-bins.txt).
  static constexpr int64_t maxRanges = 4;
  /// Bytes of the smaller of two copies for a number of elements that is known
  /// when the program runs: several blocks of a multiprocessor have room.
  static constexpr int64_t smallBytes = 8192;
  /// Threads of a block with a copy, and parts, unless the program says how
  /// many threads there are: few blocks, so few copies to combine.
  static constexpr int64_t threads = 1024, parts = 256;
  /// Parts that keep all multiprocessors busy. Longer parts have fewer copies.
  static constexpr int64_t busyParts = 128;
  /// Iterations of a thread: neighbouring ones, and groups of those.
  static constexpr int64_t neighbours = 4, groups = 2;
  /// Elements that are mapped by the part that is done with them last. With
  /// 2^14 and 2^19 values, 512 take 0.012 ms and 0.014 ms so and 0.013 ms and
  /// 0.014 ms if a kernel behind maps them, 1024 take longer; with 2^24 values
  /// 0.048 to 0.052 ms and 0.044 to 0.050 ms
  /// (benchmarks/results/cuda-mapped-histogram.txt).
  static constexpr int64_t mappedElements = 512;
  /// Of the copies that the threads of a block or a warp have for themselves:
  /// one block then has room beside another one.
  static constexpr int64_t ownCopiesBytes = 32768;
  /// The same at level grid, in global memory.
  static constexpr int64_t ownCopiesBytesAtGrid = 1 << 26;
  /// Of one such copy: with 4096 threads they fill what there is at level grid.
  static constexpr int64_t ownCopyBytes = 16384;
};

class MappedResult;

/// The writes of many iterations to one array of rank 1 by contract `reduce`.
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

  /// Builds these iterations side by side, and calls `write` for each of their
  /// writes.
  virtual void run(ValueRange iterations, WriteFn write) = 0;
  /// True if iterations are so short, and read their elements in such order,
  /// that a thread better runs several at once.
  virtual bool profitsFromItems() = 0;
  /// The same for a copy of the result that is values: returns what `update`
  /// makes of `row`, one write after the other. An index may be none of the
  /// result.
  virtual Values fold(Value i, Values row, UpdateFn update) = 0;
  /// True if `fold` can be called.
  virtual bool canFold() const { return true; }

  /// Combines element i of the result with `values`.
  void add(CollectiveBuilder &c, ValueRange values, Value i) const;
  /// For a part at the level of `c`: builds `addElement` for each element of
  /// the result, spread over threads, and what is due when a part has added
  /// all.
  void addElements(CollectiveBuilder &c,
                   llvm::function_ref<void(Value i)> addElement) const;

  PushType getType() const {
    return cast<PushType>(op->getResult(0).getType());
  }
  ArrayRef<Type> getElementTypes() const { return getType().getElementTypes(); }

  CollectiveBuilder &c;
  Operation *op;
  /// The name of an operation, which combines each component of an element, or
  /// a function of elements of one type.
  Attribute kind;
  /// The initial contents of the result: scalars or an array, or neither.
  ValueRange init;
  Value onto;
  /// The number of iterations, and of elements of the result.
  Extent n, size;
  /// The result before it is mapped, if that is what is built.
  MappedResult *mapped = nullptr;
};

/// The result of the operation or the function that `kind` names for two
/// elements.
CollectiveBuilder::Values combineElements(OpBuilder &builder, Location loc,
                                          Attribute kind, Operation *from,
                                          ValueRange x, ValueRange y);

/// The owners of copies of a result. `AtRunTime`: the host chooses when it
/// knows the number of elements.
enum class Copies { None, Thread, Warp, Block, AtRunTime };

/// The owners of copies of the result of `op`: those that `strategy` names, or
/// that its size suggests.
/// `reduction` is null if it can have none. Emits `[strategy-name]` and
/// `[R2-bounded]`.
FailureOr<Copies> findCopies(Operation *op, std::optional<StringRef> strategy,
                             const Reduction *reduction,
                             const ExpansionOptions &options);

/// The result: parts of the iterations write to copies of it, which are then
/// combined. `copies` is not `None`. If only a map uses the result and can be
/// part of the same kernel, this is the result of the map, which is replaced.
Value buildCopies(Reduction &reduction, Copies copies,
                  const ExpansionOptions &options);

/// The force that is all that becomes of the result of `op`; null if there is
/// more.
ForceOp findForceAlone(Operation *op);

/// The results of reductions to arrays of equal extents, stored by the kernel
/// that the host chooses by the number of their elements: one with copies, or
/// the one of the push arrays that `buildPlain` gives for each. If one force
/// of all of them is all that uses the results, those kernels replace it.
CollectiveBuilder::Values
buildAtRunTime(ArrayRef<Reduction *> reductions,
               const ExpansionOptions &options,
               llvm::function_ref<Value(unsigned)> buildPlain);

/// The result of a function of elements that are too long for atomic
/// operations: threads have copies that nobody else writes to, and one thread
/// combines all copies of an element. Emits `[strategy-name]`, `[R2-bounded]`
/// and `[R7-room]`.
FailureOr<Value> buildOwnCopies(Reduction &reduction,
                                std::optional<StringRef> strategy);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_COPIES_H
