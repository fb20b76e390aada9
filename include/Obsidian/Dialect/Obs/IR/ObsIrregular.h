//===- ObsIrregular.h - Arrays whose indices depend on values ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSIRREGULAR_H
#define OBSIDIAN_DIALECT_OBS_IR_OBSIRREGULAR_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs {
/// The maximum number of bits of an element with atomic operations.
constexpr unsigned maxAtomicBits = 64;
/// The number of bits of all components of an element together. No component is
/// an index.
unsigned countElementBits(ArrayRef<Type> elements);
} // namespace mlir::obs

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsIrregularOps.h.inc"

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSIRREGULAR_H
