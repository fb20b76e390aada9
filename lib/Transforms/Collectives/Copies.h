//===- Copies.h - Privatised copies of results ------- ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPIES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPIES_H

#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

struct ExpansionOptions;

/// The cost of combining an element with a value in memory. It determines the
/// number of elements for which threads and warps have privatised copies: if
/// the cost is high, it is worth more to avoid simultaneous updates.
enum class UpdateCost {
  /// Shared memory has the operation, for all lanes of a warp at once.
  Shared,
  /// Device memory has the operation. In shared memory it is a loop of
  /// compare-and-swap.
  Device,
  /// It is a loop of compare-and-swap in both memories.
  Loop
};

/// The sizes at which a reduction at level grid has copies of its result. Times
/// are those of 2^24 values on an H200 (of 2^22 for `Loop`), the worst of
/// uniform and equal keys, in
/// benchmarks/results/cuda-scatter-privatisation.txt.
struct CopyLimits {
  /// The maximum number of elements of a copy in registers of each thread, by
  /// `UpdateCost`. A thread compares each index with all elements. 8 integers
  /// of 32 bits take 0.029 ms, and 0.041 ms in copies of blocks; 16 take twice
  /// as long as in copies of blocks. 16 floats take 0.083 ms, and 0.21 ms in
  /// copies of warps. 32 maxima take 0.053 ms, and 0.058 ms in copies of warps;
  /// 64 take nine times as long as in copies of warps.
  static constexpr int64_t registerElements[] = {8, 16, 32};
  /// The maximum number of bytes of such a copy. Larger copies are not in
  /// registers: 32 integers of 64 bits take 24 times as long as in copies of
  /// warps.
  static constexpr int64_t registerBytes = 128;
  /// The number of copies of a block for its warps. A block of 256 threads has
  /// one copy for each warp, so that only lanes of one warp update the same
  /// copy.
  static constexpr int64_t warpCopies = 8;
  /// The maximum number of elements of such a copy, by `UpdateCost`. 1024
  /// integers of 64 bits take 0.49 ms, and 1.36 ms in copies of blocks. 2048 of
  /// them take 0.34 ms, and 0.09 ms in copies of blocks, if keys are uniform.
  /// 4096 elements of a function take 0.19 ms, and 2 ms in copies of blocks.
  static constexpr int64_t warpElements[] = {0, 1024, 4096};
  /// The maximum number of bytes of all copies of a block, if the GPU has as
  /// much. Copies of 32768 integers take 0.22 ms, and 0.28 to 12 ms without
  /// copies. Larger copies are not measured: a multiprocessor would have room
  /// for one block only.
  static constexpr int64_t blockBytes = 131072;
  /// The number of ranges of a result that is too large for one copy of a
  /// block. This number of blocks reads the same iterations, and each block
  /// combines the elements of its range. With 2^25 keys, 2 ranges take 0.073 ms
  /// and 4 take 0.129 ms; without copies, the times are 0.40 and 0.37 ms
  /// (benchmarks/results/cuda-run-time-bins.txt).
  static constexpr int64_t maxRanges = 4;
  /// The maximum number of bytes of a copy of which a multiprocessor has room
  /// for two, if the GPU has as much: one block then reads while the other one
  /// waits. If the number of elements is known at run time only, larger copies
  /// have a kernel of their own. If the program names a number of threads, a
  /// multiprocessor has room for several blocks.
  static constexpr int64_t smallBytes = 65536, narrowBytes = 8192;
  /// The number of threads of a block with a copy, and of parts, unless the
  /// program names a number of threads. There are few blocks, so few copies are
  /// combined.
  static constexpr int64_t threads = 1024, parts = 256;
  /// The number of parts that keeps all multiprocessors busy. With longer parts
  /// there are fewer copies.
  static constexpr int64_t busyParts = 128;
  /// The iterations of a thread: neighbouring iterations, and the number of
  /// groups of them, for small copies and for large ones.
  static constexpr int64_t neighbours = 4, groups = 2, largeGroups = 4;
  /// The maximum number of elements that the last part maps. With 2^14 and 2^19
  /// values, 512 elements take 0.012 ms and 0.014 ms, and 0.013 ms and 0.014 ms
  /// if a second kernel maps them; 1024 take longer. With 2^24 values they take
  /// 0.048 to 0.052 ms, and 0.044 to 0.050 ms with a second kernel
  /// (benchmarks/results/cuda-mapped-histogram.txt).
  static constexpr int64_t mappedElements = 512;
  /// The maximum number of bytes of the copies that each thread of a block or a
  /// warp has. A multiprocessor then has room for two blocks.
  static constexpr int64_t ownCopiesBytes = 32768;
  /// The same at level grid, in global memory.
  static constexpr int64_t ownCopiesBytesAtGrid = 1 << 26;
  /// The maximum number of bytes of one such copy: with 4096 threads, the
  /// copies use all of the memory at level grid.
  static constexpr int64_t ownCopyBytes = 16384;
};

class MappedResult;

/// The writes of contract `reduce` of many iterations to one array of rank 1.
class Reduction {
public:
  using Values = CollectiveBuilder::Values;
  using WriteFn = llvm::function_ref<void(ValueRange values, Value index)>;
  using UpdateFn = llvm::function_ref<Values(ValueRange row, ValueRange values,
                                             Value index)>;

  /// `c` is a builder at the level of `op`, whose result is the array.
  Reduction(CollectiveBuilder &c, Operation *op, Attribute kind,
            ValueRange init, Value onto, Extent n, Extent size)
      : c(c), op(op), kind(kind), init(init), onto(onto), n(n), size(size) {}
  virtual ~Reduction() = default;

  /// Builds the code of these iterations, all reads first, and calls `write`
  /// for each of their writes.
  virtual void run(ValueRange iterations, WriteFn write) = 0;
  /// True if iterations are so short, and read their elements in such an order,
  /// that it is faster if a thread executes several of them together.
  virtual bool profitsFromItems() = 0;
  /// The same for a privatised copy in SSA values. Returns the values that
  /// `update` computes from `row`, one write after the other. An index may be
  /// outside of the result.
  virtual Values fold(Value i, Values row, UpdateFn update) = 0;
  /// True if `fold` can be called.
  virtual bool canFold() const { return true; }

  /// Combines element i of the result with `values`.
  void add(CollectiveBuilder &c, ValueRange values, Value i) const;
  /// For a part at the level of `c`: builds `addElement` for each element of
  /// the result, distributed over threads, and the code that follows when a
  /// part has added all elements.
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
  /// The result before the map, if the code for it is built.
  MappedResult *mapped = nullptr;
};

/// The result of the operation or the function that `kind` names for two
/// elements.
CollectiveBuilder::Values combineElements(OpBuilder &builder, Location loc,
                                          Attribute kind, Operation *from,
                                          ValueRange x, ValueRange y);

/// The owners of the privatised copies of a result. `AtRunTime`: the host
/// selects them when it knows the number of elements.
enum class Copies { None, Thread, Warp, Block, AtRunTime };

/// The owners of the privatised copies of the result of `op`, by `strategy` or
/// by the size of the result. `reduction` is null if `op` cannot have copies.
/// Emits `[strategy-name]` and `[R2-bounded]`.
FailureOr<Copies> findCopies(Operation *op, std::optional<StringRef> strategy,
                             const Reduction *reduction,
                             const ExpansionOptions &options);

/// The result: parts of the iterations write to privatised copies of it, which
/// are then combined. `copies` is not `None`. If only a map uses the result,
/// and the same kernel can compute the map, this is the result of the map,
/// which is replaced.
Value buildCopies(Reduction &reduction, Copies copies,
                  const ExpansionOptions &options);

/// The force of the result of `op`, if it is the only use; else null.
ForceOp findForceAlone(Operation *op);

/// The operations whose results the force of `op` stores, so that the host
/// selects among the kernels of all: only `op`, if nothing else is stored.
/// Empty if `isAlike` is false for one, or if they differ in kind or extents.
template <typename OpTy>
SmallVector<OpTy> findPeers(OpTy op, llvm::function_ref<bool(OpTy)> isAlike) {
  ForceOp force = findForceAlone(op);
  if (!force || force.getArrays().size() == 1)
    return {op};
  SmallVector<OpTy> peers;
  for (Value array : force.getArrays()) {
    auto peer = array.getDefiningOp<OpTy>();
    if (!peer || !peer->hasOneUse() || llvm::is_contained(peers, peer) ||
        !llvm::equal(peer.getExtents(), op.getExtents()) || !isAlike(peer))
      return {};
    peers.push_back(peer);
  }
  return peers;
}

/// The results of reductions to arrays of equal extents. The host selects a
/// kernel by the number of their elements: one with privatised copies, or the
/// one of the push arrays that `buildPlain` returns for each. If all uses of
/// the results are in one force of all of them, these kernels replace it.
CollectiveBuilder::Values
buildAtRunTime(ArrayRef<Reduction *> reductions,
               const ExpansionOptions &options,
               llvm::function_ref<Value(unsigned)> buildPlain);

/// The result of a function of elements that are too long for atomic
/// operations. Each thread has a copy that no other thread writes, and one
/// thread combines all copies of an element. Emits `[strategy-name]`,
/// `[R2-bounded]` and `[R7-room]`.
FailureOr<Value> buildOwnCopies(Reduction &reduction,
                                std::optional<StringRef> strategy);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPIES_H
