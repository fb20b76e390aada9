//===- Chip.h - What the chips can do ---------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_CHIP_H
#define OBSIDIAN_TARGET_CHIP_H

#include "llvm/ADT/StringRef.h"

namespace mlir::obs {

/// True if `chip`, such as `sm_90`, has at least the version `least`.
inline bool isAtLeast(llvm::StringRef chip, unsigned least) {
  unsigned number;
  return chip.consume_front("sm_") && !chip.consumeInteger(10, number) &&
         number >= least;
}

/// True if a kernel on `chip` can start before the kernel that was launched
/// before it has ended, and wait for it.
inline bool canWaitForKernels(llvm::StringRef chip) {
  return isAtLeast(chip, 90);
}

/// True if one instruction of `chip` adds to four neighbouring f32 in memory.
inline bool canAddVectors(llvm::StringRef chip) { return isAtLeast(chip, 90); }

/// True if the warps of `chip` multiply matrices of f16 and bf16 by `obs.mma`.
inline bool hasTensorCores(llvm::StringRef chip) { return isAtLeast(chip, 80); }

/// The instruction that adds an f32 to global memory, for the whole GPU.
inline constexpr llvm::StringLiteral additionOfFloats =
    "red.relaxed.gpu.global.add.f32 [$0], $1;";

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_CHIP_H
