//===- Printf.h - The printf of kernels -------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_PRINTF_H
#define OBSIDIAN_LIB_EMULATOR_PRINTF_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir::obs::emulator {

/// The error in a format string of C for arguments of these kinds ('i': an
/// integer, 'f': a float), or an empty string.
std::string checkPrintfFormat(llvm::StringRef format, llvm::StringRef kinds);

/// Formats text by the rules of C. `args` has 64 bits for each conversion: an
/// integer or the bits of a double. `format` has passed checkPrintfFormat.
std::string formatPrintf(llvm::StringRef format, const uint64_t *args);

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_PRINTF_H
