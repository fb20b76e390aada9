//===- Identifiers.h - Names that are valid in C and PTX --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_IDENTIFIERS_H
#define OBSIDIAN_DIALECT_OBS_IR_IDENTIFIERS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::obs {

/// True for a name in C and in PTX: letters, digits and '_', with no digit
/// first.
inline bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_IDENTIFIERS_H
