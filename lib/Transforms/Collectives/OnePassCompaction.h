//===- OnePassCompaction.h - The kept elements, in one kernel ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_ONEPASSCOMPACTION_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_ONEPASSCOMPACTION_H

#include "Grid.h"
#include "Lookback.h"
#include "RowScan.h"

namespace mlir::obs::strategies {

/// The compaction of an array at level grid by one kernel that reads each flag
/// once. The kernel may run only once.
class OnePassCompaction {
public:
  using Values = CollectiveBuilder::Values;

  /// The operands of the compaction.
  struct Source {
    /// A builder for the elements.
    CollectiveBuilder elements;
    std::function<Value(Value i)> flag;
    std::function<Values(Value i)> element;
    /// An element and its flag need few operations. It is then faster if a
    /// thread processes several elements.
    bool isCheap;
    /// Elements that are not kept can also be computed without an error.
    bool isTotal;
  };

  /// `c` adds numbers of type `index`. Builds code of the host.
  OnePassCompaction(CollectiveBuilder &c, Extent n, Source source);

  /// The kernel. If `atEnd` is given, one thread executes its code with the
  /// number of kept elements, even if there are none.
  Value fill(PushType type, ValueRange extents, ValueRange init,
             llvm::function_ref<void(CollectiveBuilder &, Value)> atEnd);
  /// The number of kept elements, on the host, after the kernel.
  Value getCount() { return lookback.getTotal(c).front(); }

private:
  SmallVector<Values> load(CollectiveBuilder &block, Value first, Value isFull,
                           Value warp, Value lane);
  Value gather(CollectiveBuilder &block, RowScan &scan);

  CollectiveBuilder &c;
  Extent n;
  Source source;
  RowShape shape;
  Value tiles;
  Lookback lookback;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_ONEPASSCOMPACTION_H
