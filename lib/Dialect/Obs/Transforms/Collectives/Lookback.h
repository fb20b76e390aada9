//===- Lookback.h - Communication between the tiles of a kernel -*- C++ -*-===//
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
  /// No result is published yet.
  Unknown = 0,
  /// The combination of the elements of the tile is published.
  Own = 1,
  /// The combination of all elements up to the end of the tile is published.
  Everything = 2,
};

/// The algorithm of the look-back.
enum class LookbackKind {
  /// Tiles are combined as soon as their results are published.
  AnyGrouping,
  /// Tiles are combined one after the other, so that each result has the same
  /// bits in every run.
  InOrder,
  /// Elements are numbers of elements, of type `index`, which are added.
  Counts,
};

/// The memory in which the tiles of one kernel publish their results.
class Lookback {
public:
  using Values = CollectiveBuilder::Values;

  /// For elements of the types of the builder. Builds code of the host.
  Lookback(CollectiveBuilder &c, Value tiles, LookbackKind kind);

  /// At level block: the number of the next tile.
  Value drawTile(CollectiveBuilder &block);
  /// In one thread: publishes a result of a tile.
  void publish(CollectiveBuilder &thread, Value number, TileState state,
               ValueRange values);
  /// At level block: the combination of all elements before a tile; `own`, the
  /// result of the tile itself, if there are no elements before it. Publishes
  /// both, if another tile waits for this one (`isAwaited`).
  Values buildPrefix(CollectiveBuilder &block, Value number, ValueRange own,
                     Value isAwaited);
  /// On the host: the combination of all elements, which the last tile
  /// published.
  Values getTotal(CollectiveBuilder &c);

private:
  Value pack(CollectiveBuilder &thread, TileState state, ValueRange values);
  /// The elements in a word. The state is in the bits above them.
  Values unpack(CollectiveBuilder &thread, Value word);
  Value position(CollectiveBuilder &thread, Value number, TileState state);
  Values await(CollectiveBuilder &thread, Value number);
  Value buildWindow(CollectiveBuilder &pairs, Value end, ValueRange any);
  Values combineWindow(CollectiveBuilder &warp, CollectiveBuilder &pairs,
                       Value end, ValueRange any, ValueRange before);
  Values lookBack(CollectiveBuilder &warp, Value number, ValueRange own);

  Value tiles;
  LookbackKind kind;
  /// The word of elements and a state, if all components fit.
  std::optional<Packing> packing;
  /// True if one word contains the state and the result of each tile.
  bool isInWords;
  /// The state of each tile, followed by the number of tiles that were drawn.
  /// If results fit in the words of the states, they are stored there.
  Value flags;
  /// Two elements for each tile: the combination of its elements, and the
  /// combination of all elements up to its end.
  SmallVector<Value> found;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_LOOKBACK_H
