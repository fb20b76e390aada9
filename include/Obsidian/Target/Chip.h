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

/// True if a kernel on `chip`, such as `sm_90`, can start before the kernel
/// that was launched before it has ended, and wait for it.
inline bool canWaitForKernels(llvm::StringRef chip) {
  unsigned number;
  return chip.consume_front("sm_") && !chip.consumeInteger(10, number) &&
         number >= 90;
}

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_CHIP_H
