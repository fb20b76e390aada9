//===- RingFlow.h - Rings for which one slot is sufficient ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries an array has a ring of two slots: one for the array of
// this iteration, and one for the next array. If nothing reads an array after
// the next one is written, the same registers can be both slots.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_RINGFLOW_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_RINGFLOW_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::obs {

/// True if the first index of `alloc` is the number of one of two slots, and
/// changes while the kernel runs.
bool isRingOfTwo(memref::AllocOp alloc);

/// True if each read of `ring` is of the slot that was written last, or stands
/// in the loop over threads that writes the next slot, before its writes.
bool readsLastSlotOnly(memref::AllocOp ring);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_RINGFLOW_H
