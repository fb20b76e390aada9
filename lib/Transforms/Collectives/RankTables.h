//===- RankTables.h - Ranks of keys by the warps of a block -----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp ranks a chunk of keys, 32 at a time. Two tables in shared memory have
// a row for each chunk and a column for each key.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_RANKTABLES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_RANKTABLES_H

#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

/// The tables of a block. The builder has elements of type i32.
class RankTables {
public:
  RankTables(CollectiveBuilder &block, int64_t numChunks, Extent numKeys);

  /// Counts the keys of each kind in each chunk. `visit` runs for each of
  /// `workers`, and calls the function in its argument with the chunk and the
  /// kind of each of its keys.
  void
  count(CollectiveBuilder &block, Value workers,
        llvm::function_ref<void(Value, llvm::function_ref<void(Value, Value)>)>
            visit);
  /// After `count`: the number of keys of a kind in a chunk.
  Value getCount(CollectiveBuilder &block, Value chunk, Value key) const;
  /// Sets the ranks of the first key of each kind in each chunk. `first` is the
  /// rank of the first key of a kind in the block, and `count` is the number of
  /// keys of a kind in a chunk.
  void start(CollectiveBuilder &block, llvm::function_ref<Value(Value)> first,
             llvm::function_ref<Value(Value, Value)> count);

private:
  friend class RankedRow;
  int64_t numChunks;
  Extent numKeys;
  /// The rank of the next key of each kind, first their number, and words of 32
  /// bits, one for each lane.
  Value next, seen;
};

/// At level warp: 32 neighbouring keys of a chunk. The rows of a chunk are
/// built in order.
class RankedRow {
public:
  /// `key` is the key of a lane, as an index, and `forEachLane` runs code in
  /// each lane that has one.
  using LaneFn = std::function<Value(Value)>;
  using LanesFn = std::function<void(llvm::function_ref<void(Value)>)>;
  RankedRow(CollectiveBuilder &warp, const RankTables &tables, Value chunk,
            LaneFn key, LanesFn forEachLane);

  /// The rank of the key of a lane.
  Value getRank(Value lane);
  /// Goes on to the next row.
  void finish();

private:
  Value load(Value memory, Value lane);
  void update(arith::AtomicRMWKind kind, Value value, Value memory, Value lane);
  Value getBit(Value lane);
  Value getLower(Value lane);

  CollectiveBuilder &warp;
  const RankTables &tables;
  Value chunk;
  LaneFn key;
  LanesFn forEachLane;
  /// The lanes with the same key, as bits.
  Value equal;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_RANKTABLES_H
