//===- Published.h - Communication between blocks of a kernel ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the device in which blocks exchange results (`obs.publish`,
// `obs.arrive`), and flags and counters for it.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHED_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHED_H

#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

/// Memory of the device for `extent` elements of the builder's types.
SmallVector<Value> allocatePublished(CollectiveBuilder &c, Value extent);

/// Memory of the device for `extent` flags or counters with this number of
/// bits. A memset sets them to 0 before the kernel.
Value allocateFlags(CollectiveBuilder &c, Value extent, unsigned bits = 32);

/// At level block: memory through which one thread passes an index on to the
/// others.
Value allocateCell(CollectiveBuilder &block);

/// Stores an element that no other thread of the kernel stores or loads,
/// because of a flag or a counter. The contract is "disjoint".
void storeAlone(CollectiveBuilder &thread, Value value, Value memory,
                Value place);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHED_H
