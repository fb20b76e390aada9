//===- HalfConversions.h - Calls for f16 and bf16 ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On processors without instructions for them, LLVM converts from and to f16
// and bf16 by calls of compiler-rt. The libgcc of some systems does not have
// these functions, so the emulator defines them. All round to nearest, ties to
// even.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_HALFCONVERSIONS_H
#define OBSIDIAN_LIB_EMULATOR_HALFCONVERSIONS_H

#if defined(__x86_64__)

namespace mlir::obs::emulator {

_Float16 truncateFloatToHalf(float value);
_Float16 truncateDoubleToHalf(double value);
float extendHalfToFloat(_Float16 value);
__bf16 truncateFloatToBFloat(float value);
__bf16 truncateDoubleToBFloat(double value);

/// Calls `define(name, function)` for each function, with the name that
/// compiled code calls.
template <typename Define>
void forEachHalfConversion(Define define) {
  define("__truncsfhf2", &truncateFloatToHalf);
  define("__truncdfhf2", &truncateDoubleToHalf);
  define("__extendhfsf2", &extendHalfToFloat);
  define("__truncsfbf2", &truncateFloatToBFloat);
  define("__truncdfbf2", &truncateDoubleToBFloat);
}

} // namespace mlir::obs::emulator

#else

namespace mlir::obs::emulator {
/// Other processors have instructions, or their C library has the functions.
template <typename Define>
void forEachHalfConversion(Define) {}
} // namespace mlir::obs::emulator

#endif

#endif // OBSIDIAN_LIB_EMULATOR_HALFCONVERSIONS_H
