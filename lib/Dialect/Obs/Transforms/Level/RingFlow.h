//===- RingFlow.h - Rings of which one slot is enough -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries an array has a ring of two slots: the array of this
// iteration, and the next one. Where nothing reads an array after the next one
// is written, registers can stand for both.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_RINGFLOW_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_RINGFLOW_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::obs {

/// True if the first index of `alloc` is the number of one of two slots, which
/// changes while the kernel runs.
bool isRingOfTwo(memref::AllocOp alloc);

/// True if each read of `ring` is of the slot that was written last, or stands
/// in the loop over threads that writes the next one, in front of its writes.
bool readsLastSlotOnly(memref::AllocOp ring);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_RINGFLOW_H
