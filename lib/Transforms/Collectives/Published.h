//===- Published.h - Communication between blocks of a kernel ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread stores elements. It then sets a flag or increments a counter, by an
// atomic operation after a release fence. A thread that reads this value by an
// atomic operation before an acquire fence may load the elements, for all types
// of elements. Such stores and loads have the contract "published":
// obs-check-races checks the fences, and trusts the flags.
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

/// Increments a counter. Returns its value before.
Value countUp(CollectiveBuilder &thread, Value counters, Value place);

/// After this, earlier stores of this thread are visible to every thread that
/// reads a result of its later atomic operations.
void release(CollectiveBuilder &thread);
/// After this, stores that other threads released before the atomic operations
/// whose results this thread has read are visible to this thread. After the
/// next barrier, they are visible to its block.
void acquire(CollectiveBuilder &thread);

/// Marks the access `op` as such a store or load.
void setPublished(Operation *op);
void storePublished(CollectiveBuilder &thread, ValueRange values,
                    ValueRange memory, Value place);
CollectiveBuilder::Values loadPublished(CollectiveBuilder &thread,
                                        ValueRange memory, Value place);

/// Stores an element that no other thread of the kernel stores or loads,
/// because of a flag or a counter. The contract is "disjoint".
void storeAlone(CollectiveBuilder &thread, Value value, Value memory,
                Value place);

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHED_H
