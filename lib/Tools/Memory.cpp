//===- Memory.cpp - Memory of tools ---------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/Memory.h"
#include <cstdlib> // Defines __GLIBC__.
#ifdef __GLIBC__
#include <malloc.h>
#endif

void mlir::obs::keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int mebibyte = 1 << 20;
  // Larger than the arrays of passes, and the most that glibc accepts.
  mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);
  mallopt(M_TRIM_THRESHOLD, 1024 * mebibyte);
  mallopt(M_TOP_PAD, mebibyte);
#endif
}
