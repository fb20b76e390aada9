//===- Strategies.h - The strategies that come with the compiler -*- C++ -*-==//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_STRATEGIES_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_STRATEGIES_H

#include "Obsidian/Transforms/Collectives/Collectives.h"
#include <map>

namespace mlir::obs::strategies {

/// Strategies by name.
struct Registry {
  std::map<std::string, ReduceStrategy> reduce;
  std::map<std::string, ScanStrategy> scan;
};

// One function for each file of strategies.
void addSequential(Registry &registry);
void addTrees(Registry &registry);
void addRaking(Registry &registry);
void addWarps(Registry &registry);
void addRows(Registry &registry);

/// In each stage, an element is combined with the element 2^k to its left.
Value scanKoggeStone(CollectiveBuilder &c, Value x);

/// An element whose components are 0, in a place whose value is not used.
CollectiveBuilder::Values getZeros(CollectiveBuilder &c);

/// At level warp: an array of one element, the combination of the elements of
/// `x`, whose number is static. Each lane reads every 32nd of them without a
/// loop.
Value reduceByLanes(CollectiveBuilder &warp, Value x);

/// At level warp: an array of at most one element, the combination of the
/// elements of `x` in order. Each lane reads every 32nd of them, eight at once.
Value reduceByLanesInOrder(CollectiveBuilder &warp, Value x);

/// At level warp: an array whose element 0 is the combination of the first
/// `live` elements of the stored array `y`, in order. It has 32 elements, of
/// which all are combined by default.
Value reduceLanes(CollectiveBuilder &warp, Value y, Value live = {});

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_STRATEGIES_H
