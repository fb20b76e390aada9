//===- ElementSizes.h - Sizes of elements in memory -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_ELEMENTSIZES_H
#define OBSIDIAN_DIALECT_OBS_IR_ELEMENTSIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::obs {

/// The number of bits of an integer, a float or `index`. `index` has 64 bits on
/// the host and on the device.
inline unsigned getElementBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The number of bytes of such an element in memory. An `i1` has one byte.
inline int64_t getElementBytes(Type type) {
  return llvm::divideCeil(getElementBits(type), 8);
}

/// The largest number of an integer type or `index`. It is 1 for `i1`, which
/// has no sign.
inline int64_t getMostNumber(Type type) {
  unsigned bits = getElementBits(type);
  return llvm::maxIntN(bits == 1 ? 2 : bits);
}

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_ELEMENTSIZES_H
