//===- Memory.h - Memory of tools -------------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TOOLS_MEMORY_H
#define OBSIDIAN_TOOLS_MEMORY_H

namespace mlir::obs {

/// Keeps memory that is freed for later allocations of the process. By default,
/// glibc returns it to the system after each pass, and the next pass
/// needs it again, page by page.
void keepFreedMemory();

} // namespace mlir::obs

#endif // OBSIDIAN_TOOLS_MEMORY_H
