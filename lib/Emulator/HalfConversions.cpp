//===- HalfConversions.cpp - Calls for f16 and bf16 -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfConversions.h"

#if defined(__x86_64__)

#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <cstring>

// These functions may not use the conversions of C++, which would call them.

template <typename Half>
static Half round(llvm::APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint16_t bits = value.bitcastToAPInt().getZExtValue();
  Half result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

_Float16 mlir::obs::emulator::truncateFloatToHalf(float value) {
  return round<_Float16>(llvm::APFloat(value), llvm::APFloat::IEEEhalf());
}

_Float16 mlir::obs::emulator::truncateDoubleToHalf(double value) {
  return round<_Float16>(llvm::APFloat(value), llvm::APFloat::IEEEhalf());
}

float mlir::obs::emulator::extendHalfToFloat(_Float16 value) {
  uint16_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  llvm::APFloat wide(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool losesInfo;
  wide.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  return wide.convertToFloat();
}

__bf16 mlir::obs::emulator::truncateFloatToBFloat(float value) {
  // A bf16 is the upper half of a float.
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bool isNaN = (bits & 0x7FFFFFFF) > 0x7F800000;
  uint16_t half =
      isNaN ? (bits >> 16) | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  __bf16 result;
  std::memcpy(&result, &half, sizeof(result));
  return result;
}

__bf16 mlir::obs::emulator::truncateDoubleToBFloat(double value) {
  return round<__bf16>(llvm::APFloat(value), llvm::APFloat::BFloat());
}

#endif
