//===- MappedResult.h - Results that are mapped when complete ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel can compute a reduction at level grid whose result is only mapped
// and then forced once. Its parts combine elements in memory of the reduction.
// Each thread of a part has a column of the elements. When the part has added
// its values to this column, the thread increments the counter of the column.
// The thread that counts last maps the column. So no thread waits, and the
// columns are mapped by different blocks. A part combines its values before it
// adds them to this memory, so it counts only once.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_MAPPEDRESULT_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_MAPPEDRESULT_H

#include "Copies.h"

namespace mlir::obs::strategies {

/// The map of the result of `reduction`, if its kernel can also compute the
/// map. Null if it cannot, or if a second kernel takes less time.
MapOp findMapOfResult(const Reduction &reduction);

class MappedResult {
public:
  /// Prepares memory on the host. `parts` is the number of parts, at least 1.
  MappedResult(Reduction &reduction, MapOp map, Value parts);

  /// Combines element i with `values`.
  void add(CollectiveBuilder &thread, ValueRange values, Value i);
  /// For each part: builds `addElement` for each element, which may add to it,
  /// and the code that maps the elements.
  void run(CollectiveBuilder &part,
           llvm::function_ref<void(Value i)> addElement);
  /// Replaces the map by `result`, which the parts write. The result of the
  /// reduction then has no uses.
  void replaceMap(Value result);

private:
  /// Builds `body` for each element of a column.
  void forColumn(CollectiveBuilder &thread, Value column,
                 llvm::function_ref<void(Value i)> body);

  Reduction &reduction;
  MapOp map;
  /// The number of columns, and of counters.
  Value columns;
  /// One for each component.
  SmallVector<Value> elements;
  /// The index of the counter of column w is `firstCounter` + w.
  Value counters, firstCounter;
  /// The value of a counter before the last part counts.
  Value last;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_MAPPEDRESULT_H
