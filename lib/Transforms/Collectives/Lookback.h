//===- Lookback.h - Communication between the tiles of a kernel -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_LOOKBACK_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_LOOKBACK_H

#include "PublishedResults.h"

namespace mlir::obs::strategies {

/// The algorithm of the look-back.
enum class LookbackKind {
  /// Tiles are combined as soon as their results are published.
  AnyGrouping,
  /// Tiles are combined in groups of 32, which do not depend on the speed of
  /// blocks. So each result has the same bits in every run.
  InOrder,
  /// Elements are numbers of elements, of type `index`, which are added.
  Counts,
};

/// The communication between the tiles of one kernel.
class Lookback {
public:
  using Values = CollectiveBuilder::Values;

  /// For elements of the types of the builder. Builds code of the host.
  Lookback(CollectiveBuilder &c, Value tiles, LookbackKind kind);

  /// At level block: the number of the next tile.
  Value drawTile(CollectiveBuilder &block) { return results.draw(block); }
  /// At level block: publishes `own`, the result of a tile, if another tile
  /// waits for it (`isAwaited`).
  void publishTile(CollectiveBuilder &block, Value number, ValueRange own,
                   Value isAwaited);
  /// At level block, after `publishTile`: the combination of all elements
  /// before a tile; `own` if there are none. Publishes it, combined with `own`.
  Values buildPrefix(CollectiveBuilder &block, Value number, ValueRange own,
                     Value isAwaited);
  /// In a thread of the last tile, which no other tile waits for: publishes the
  /// combination of all elements.
  void publishTotal(CollectiveBuilder &thread, ValueRange total);
  /// On the host: this combination.
  Values getTotal(CollectiveBuilder &c);

private:
  Values lookBack(CollectiveBuilder &warp, Value number, ValueRange own);
  Values combineGroups(CollectiveBuilder &warp, Value group, ValueRange any);
  Values lookBackInOrder(CollectiveBuilder &warp, Value number, ValueRange own,
                         Value isAwaited);

  Value tiles;
  bool isInOrder;
  /// The results of the tiles, followed by those of the full groups of tiles if
  /// tiles are combined in order.
  PublishedResults results;
};

/// The communication between the tiles of one kernel that counts the elements
/// with each key.
class KeyLookback {
public:
  /// Counts have the element type of the builder: `i32` or `index`. Builds code
  /// of the host. `leastThreads` is that of `PublishedResults`.
  KeyLookback(CollectiveBuilder &c, Value tiles, int64_t numKeys,
              int64_t leastThreads);

  /// At level block: the number of the next tile.
  Value drawTile(CollectiveBuilder &block) { return results.draw(block); }
  /// In one thread: publishes the number of elements of a tile with this key.
  void publishTile(CollectiveBuilder &thread, Value number, Value key,
                   Value own);
  /// In one thread, after `publishTile`: the number of elements with this key
  /// before the tile. Publishes its sum with `own`.
  Value countBefore(CollectiveBuilder &thread, Value number, Value key,
                    Value own);

private:
  Value getPlace(CollectiveBuilder &c, Value number, Value key);

  int64_t numKeys;
  /// Those of the first tile, key by key, then those of the next one.
  PublishedResults results;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_LOOKBACK_H
