//===- Grid.h - Reductions and scans by all blocks --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_GRID_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_GRID_H

#include "Obsidian/Transforms/Collectives/Collectives.h"
#include <functional>
#include <memory>

namespace mlir::obs::strategies {

/// The distribution of an array over blocks. Parts have equal lengths; only the
/// last one may be shorter. No part is empty.
struct GridParts {
  /// At most `most` parts. Each has at least `least` elements, if `least` is
  /// given.
  GridParts(CollectiveBuilder &c, Extent n, Value least = {},
            int64_t most = maxParts);

  /// The number of elements.
  Extent n;
  /// The number of parts.
  Extent count;
  /// The number of elements of a part, a multiple of the unit.
  Value length;

  /// 132 multiprocessors execute this number of blocks of 256 threads at once
  /// if a thread has 64 registers.
  static constexpr int64_t maxParts = 528;
  static constexpr int64_t unit = 4096;
};

/// True if one block alone reduces this number of elements.
bool isForOneBlock(Extent n);

/// The combination of each part of `x`. One kernel stores these results.
Value reduceParts(CollectiveBuilder &c, Value x, const GridParts &parts);

/// An array of one element, the combination of `init` and the elements of `x`.
/// It is not stored yet. One block computes it, for any length.
Value reduceByOneBlock(CollectiveBuilder &c, Value x, ValueRange init,
                       PushType type);

/// The same by all blocks. One block of a second kernel combines their results.
Value reduceByTwoKernels(CollectiveBuilder &c, Value x, ValueRange init,
                         PushType type);

/// The same in one kernel. Each block publishes its result and increments a
/// counter, and the block that counts last combines all results.
/// Parts and grouping are those of two kernels, so the bits are equal, and do
/// not depend on which block is the last one. The kernel may run only once.
Value reduceByLastBlock(CollectiveBuilder &c, Value x, ValueRange init,
                        PushType type);

/// The same in one kernel. The results of the blocks are combined by atomic
/// operations of `kind`, which has the meaning of the operator.
Value reduceByAtomics(CollectiveBuilder &c, Value x, ValueRange init,
                      StringRef kind, PushType type);

/// One element, the combination of `init` and the elements of `x`, by one
/// kernel. The strategy is one of the two above. The kernel may run only once.
Value reduceByOneKernel(CollectiveBuilder &c, Value x, ValueRange init);

/// A scan by all blocks. The last of its kernels is not stored yet, so that
/// operations on its result become part of it.
class GridScan {
public:
  using Values = CollectiveBuilder::Values;
  using ElementFn = llvm::function_ref<Values()>;
  /// Writes the element of the result for element i of the operand. `current`
  /// builds the combination of elements 0 to i, and `previous` that of elements
  /// 0 to i - 1, which is not defined for i = 0.
  using EmitFn =
      llvm::function_ref<void(Value i, ElementFn current, ElementFn previous)>;

  virtual ~GridScan() = default;
  /// The last kernel: a fill of this type.
  virtual Value fill(PushType type, ValueRange extents, ValueRange init,
                     EmitFn emit) = 0;
  /// The combination of all elements, on the host. There is at least one
  /// element.
  virtual Values getTotal() = 0;
  /// True if the last kernel changes memory that must be prepared for it. It
  /// may then run only once, and the total is known only after it.
  virtual bool runsOnce() const { return false; }
};

/// A scan in three kernels: the combinations of the parts, a scan of those by
/// one block, and the parts again, each with the combination before it. The
/// grouping of elements depends on their number only, so all runs have equal
/// bits. Builds the first two kernels. `x` has `n` elements and no initial
/// value.
std::unique_ptr<GridScan> buildThreeKernelScan(CollectiveBuilder &c, Value x,
                                               Extent n);

/// Options of a scan in one pass.
struct OnePassOptions {
  /// The grouping of tiles does not depend on the speed of blocks.
  bool isInOrder = false;
  /// An element, and the values that are written for it, need few operations.
  /// It is then faster if a thread processes several elements.
  bool isCheap = true;
};

/// A scan in one kernel, which reads each element once. Each block publishes
/// the result of its tile as soon as possible, and looks back at the tiles
/// before it.
std::unique_ptr<GridScan> buildOnePassScan(CollectiveBuilder &c, Value x,
                                           Extent n, OnePassOptions options);

//===----------------------------------------------------------------------===//
// Parts of the strategies
//===----------------------------------------------------------------------===//

/// The push array of level grid that `body` writes. `body` runs for each of
/// `blocks` at level block. With a `kind`, writes are combined with the stored
/// elements by this atomic operation.
Value fillByBlocks(CollectiveBuilder &c, PushType type, ValueRange extents,
                   ValueRange init, StringRef kind, Value blocks,
                   llvm::function_ref<void(CollectiveBuilder &, Value)> body);

/// The number of neighbours of 4 bytes in the widest access, and its bytes.
constexpr int64_t neighbours = 4, accessBytes = 16;

/// At level block: a few elements that have the same combination as elements
/// `begin` to `end` of `x`. A thread reads `width` neighbours together.
Value shortenInOrder(CollectiveBuilder &block, Value x, Value begin, Value end,
                     int64_t width);
/// The same if the order of elements does not matter.
Value shortenInAnyOrder(CollectiveBuilder &block, Value x, Value begin,
                        Value end, int64_t width);

/// Runs `body` for each number below `n`, in a thread.
void forEach(CollectiveBuilder &c, Value n,
             llvm::function_ref<void(Value)> body);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_GRID_H
