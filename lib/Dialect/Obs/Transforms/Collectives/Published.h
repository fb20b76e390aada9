//===- Published.h - Communication between blocks of a kernel ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread stores elements, and then raises a flag or counts a counter by an
// atomic operation behind a release fence. Whoever reads that by an atomic
// operation before an acquire fence may load the elements, whatever their types
// are. Such stores and loads have the contract "published", by which
// obs-check-races knows that flags keep them apart.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_PUBLISHED_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_PUBLISHED_H

#include "Obsidian/Dialect/Obs/Transforms/Collectives.h"

namespace mlir::obs::strategies {

/// Memory of the device for `extent` elements of the builder's types.
SmallVector<Value> allocatePublished(CollectiveBuilder &c, Value extent);

/// Memory of the device for `extent` flags or counters of so many bits, which a
/// memset makes 0 before the kernel.
Value allocateFlags(CollectiveBuilder &c, Value extent, unsigned bits = 32);

/// Counts a counter up. Returns its value before.
Value countUp(CollectiveBuilder &thread, Value counters, Value place);

/// Stores of this thread are visible to every thread that sees an atomic
/// operation that it does from here on.
void release(CollectiveBuilder &thread);
/// Stores that other threads released before the atomic operations that this
/// thread saw are visible to it, and behind the next barrier to its block.
void acquire(CollectiveBuilder &thread);

/// `op`, an access, is such a store or load.
void setPublished(Operation *op);
void storePublished(CollectiveBuilder &thread, ValueRange values,
                    ValueRange memory, Value place);
CollectiveBuilder::Values loadPublished(CollectiveBuilder &thread,
                                        ValueRange memory, Value place);

/// Stores what no other thread of the kernel stores or loads, as a flag or a
/// counter says: the contract is "disjoint".
void storeAlone(CollectiveBuilder &thread, Value value, Value memory,
                Value place);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_COLLECTIVES_PUBLISHED_H
