//===- Lookback.h - What tiles of a kernel know of each other ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_LOOKBACK_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_LOOKBACK_H

#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"
#include "Tuples.h"

namespace mlir::obs::strategies {

/// The state of a tile.
enum class TileState : int64_t {
  /// Nothing is known yet.
  Unknown = 0,
  /// The combination of its elements.
  Own = 1,
  /// That of all elements up to its end.
  Everything = 2,
};

/// How tiles look back.
enum class LookbackKind {
  /// Tiles are combined as they become known.
  AnyGrouping,
  /// Tiles are combined one after the other, so that each result has the same
  /// bits in every run.
  InOrder,
  /// Elements are numbers of elements, of type `index`, which are added.
  Counts,
};

/// The memory in which the tiles of one kernel publish what they know.
class Lookback {
public:
  using Values = CollectiveBuilder::Values;

  /// For elements of the builder's types. Stands on the host.
  Lookback(CollectiveBuilder &c, Value tiles, LookbackKind kind);

  /// At level block: the number of the next tile.
  Value drawTile(CollectiveBuilder &block);
  /// In one thread: says what is known of a tile.
  void publish(CollectiveBuilder &thread, Value number, TileState state,
               ValueRange values);
  /// At level block: the combination of all elements before a tile; `own`, what
  /// the tile itself gives, if there are none. Publishes both, if the tile
  /// `isAwaited`.
  Values buildPrefix(CollectiveBuilder &block, Value number, ValueRange own,
                     Value isAwaited);
  /// On the host: what the last tile published, of everything.
  Values getTotal(CollectiveBuilder &c);

private:
  Value pack(CollectiveBuilder &thread, TileState state, ValueRange values);
  /// The elements in a word, and behind them the state.
  Values unpack(CollectiveBuilder &thread, Value word);
  Value position(CollectiveBuilder &thread, Value number, TileState state);
  Values await(CollectiveBuilder &thread, Value number);
  Value buildWindow(CollectiveBuilder &pairs, Value end, ValueRange any);
  Values combineWindow(CollectiveBuilder &warp, CollectiveBuilder &pairs,
                       Value end, ValueRange any, ValueRange before);
  Values lookBack(CollectiveBuilder &warp, Value number, ValueRange own);

  Value tiles;
  LookbackKind kind;
  /// Of elements and a state in one word, if they have room.
  std::optional<Packing> packing;
  /// Whether the state of each tile is in one word with what is known.
  bool isInWords;
  /// The state of each tile, and behind them how many were drawn; as words that
  /// hold what is known, too, if that has room.
  Value flags;
  /// Two elements for each tile: its own combination, and that of everything.
  SmallVector<Value> found;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_LOOKBACK_H
