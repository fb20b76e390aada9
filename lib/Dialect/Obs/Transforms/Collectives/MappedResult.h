//===- MappedResult.h - Results that are mapped when complete ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction at level grid whose result is only mapped, and then forced once,
// can be one kernel. Its parts combine elements in memory of the reduction.
// Each of their threads has a column of the elements, and counts that the part
// is done with it. Whoever counts last maps the column, so nobody waits, and
// there is no last block that does it for all. A part adds up before it adds to
// this memory, so it counts only once.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_MAPPEDRESULT_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_MAPPEDRESULT_H

#include "Copies.h"

namespace mlir::obs::strategies {

/// The map of the result of `reduction`, if its kernel can do that, too; null
/// if it cannot, or if a kernel behind it takes less time.
MapOp findMapOfResult(const Reduction &reduction);

class MappedResult {
public:
  /// Prepares memory on the host. `parts` is their number, at least 1.
  MappedResult(Reduction &reduction, MapOp map, Value parts);

  /// Combines element i with `values`.
  void add(CollectiveBuilder &thread, ValueRange values, Value i);
  /// For each part: builds `addElement` for each element, which may add to it,
  /// and what maps the elements.
  void run(CollectiveBuilder &part,
           llvm::function_ref<void(Value i)> addElement);
  /// Puts `result`, which the parts write, in the place of the map. Nobody uses
  /// the result of the reduction then.
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
  /// That of column w is at `firstCounter` + w.
  Value counters, firstCounter;
  /// The value of a counter before the last part counts.
  Value last;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_MAPPEDRESULT_H
