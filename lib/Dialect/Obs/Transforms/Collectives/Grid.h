//===- Grid.h - Reductions and scans by all blocks --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_GRID_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_GRID_H

#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"
#include <functional>
#include <memory>

namespace mlir::obs::strategies {

/// The distribution of an array to blocks: parts of equal length, none empty,
/// the last perhaps shorter.
struct GridParts {
  /// At most `most` parts, of at least `least` elements if that is given.
  GridParts(CollectiveBuilder &c, Extent n, Value least = {},
            int64_t most = maxParts);

  /// The number of elements.
  Extent n;
  /// The number of parts.
  Extent count;
  /// Elements of a part, a multiple of the unit.
  Value length;

  static constexpr int64_t maxParts = 640;
  static constexpr int64_t unit = 4096;
};

/// True if one block alone reduces so many elements.
bool isForOneBlock(Extent n);

/// The elements of each part of `x`, combined. Stored, by one kernel.
Value reduceParts(CollectiveBuilder &c, Value x, const GridParts &parts);

/// An array of one element, the reduction of `x` behind `init`, not stored yet,
/// by one block, whatever the length is.
Value reduceByOneBlock(CollectiveBuilder &c, Value x, ValueRange init,
                       PushType type);

/// The same by all blocks. Their results are combined by one block of the next
/// kernel.
Value reduceByTwoKernels(CollectiveBuilder &c, Value x, ValueRange init,
                         PushType type);

/// The same in one kernel: each block publishes its result and takes a number,
/// and the one that takes the last number combines them all. Parts and grouping
/// are those of two kernels, so the bits are the same, whichever block is the
/// last one. The kernel may run only once.
Value reduceByLastBlock(CollectiveBuilder &c, Value x, ValueRange init,
                        PushType type);

/// The same in one kernel: the blocks' results are combined by atomic
/// operations of `kind`, which is what the operator does.
Value reduceByAtomics(CollectiveBuilder &c, Value x, ValueRange init,
                      StringRef kind, PushType type);

/// One element, the reduction of `x` behind `init`, by one kernel, which may
/// run only once, as either of those does it.
Value reduceByOneKernel(CollectiveBuilder &c, Value x, ValueRange init);

/// A scan by all blocks. The last of its kernels is not stored yet, so that
/// what is done to its result becomes part of it.
class GridScan {
public:
  using Values = CollectiveBuilder::Values;
  using ElementFn = llvm::function_ref<Values()>;
  /// Writes what element i of the operand gives. `current` builds the
  /// combination of elements 0 to i, `previous` that of 0 to i - 1, which is
  /// meaningless for i = 0.
  using EmitFn =
      llvm::function_ref<void(Value i, ElementFn current, ElementFn previous)>;

  virtual ~GridScan() = default;
  /// The last kernel: a fill of this type.
  virtual Value fill(PushType type, ValueRange extents, ValueRange init,
                     EmitFn emit) = 0;
  /// All elements combined, on the host. There is at least one.
  virtual Values getTotal() = 0;
  /// True if the last kernel uses up memory that is prepared for it: then it
  /// may run only once, and the total is known only behind it.
  virtual bool runsOnce() const { return false; }
};

/// In three kernels: the parts' combinations, a scan of those by one block, and
/// the parts, each behind what is before it. The grouping of elements depends
/// on their number alone, so every run gives the same bits. Builds the first
/// two kernels. `x` has `n` elements and no initial value.
std::unique_ptr<GridScan> buildThreeKernelScan(CollectiveBuilder &c, Value x,
                                               Extent n);

/// How a scan in one pass is built.
struct OnePassOptions {
  /// The grouping of tiles does not depend on the speed of blocks.
  bool isInOrder = false;
  /// Few operations compute an element, and what is written for it, so a thread
  /// better has several.
  bool isCheap = true;
};

/// In one kernel, which reads each element once: every block publishes the
/// result of its tile as soon as it knows it, and looks back at those before
/// it.
std::unique_ptr<GridScan> buildOnePassScan(CollectiveBuilder &c, Value x,
                                           Extent n, OnePassOptions options);

//===----------------------------------------------------------------------===//
// Parts of the strategies
//===----------------------------------------------------------------------===//

/// The push array of level grid that `body` writes, which runs for each of
/// `blocks` at level block. With a `kind`, writes are combined with what is
/// there by that atomic operation.
Value fillByBlocks(CollectiveBuilder &c, PushType type, ValueRange extents,
                   ValueRange init, StringRef kind, Value blocks,
                   llvm::function_ref<void(CollectiveBuilder &, Value)> body);

/// At level block: few elements whose combination is that of the elements of
/// `x` from `begin` to `end`. Each is read with its neighbours.
Value shortenInOrder(CollectiveBuilder &block, Value x, Value begin, Value end);
/// The same if elements may change places. There is at least one.
Value shortenInAnyOrder(CollectiveBuilder &block, Value x, Value begin,
                        Value end);

/// Runs `body` in a thread for each of `n`.
void forEach(CollectiveBuilder &c, Value n,
             llvm::function_ref<void(Value)> body);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_GRID_H
