//===- Calls.h - The messages of one call -----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMBED_CALLS_H
#define OBSIDIAN_LIB_EMBED_CALLS_H

#include "Obsidian/Embed.h"

namespace mlir::obs::embed {

/// While this object exists, diagnostics become messages of the compiler. Its
/// constructor removes the earlier messages.
class Compiler::Call : public ScopedDiagnosticHandler {
public:
  explicit Call(Compiler &compiler);
};

} // namespace mlir::obs::embed

#endif // OBSIDIAN_LIB_EMBED_CALLS_H
