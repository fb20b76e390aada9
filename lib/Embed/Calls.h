//===- Calls.h - The messages of one call -----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMBED_CALLS_H
#define OBSIDIAN_LIB_EMBED_CALLS_H

#include "Obsidian/Embed.h"
#include <cfenv>

namespace mlir::obs::embed {

/// While this object exists, diagnostics become messages of the compiler. Its
/// constructor removes the earlier messages.
///
/// Floats are computed by the default rules: rounded to nearest, with
/// denormals. Other code in the process may have set other ones for its thread,
/// as XLA does when it calls foreign functions. Its rules are set again at the
/// end.
class Compiler::Call : public ScopedDiagnosticHandler {
public:
  explicit Call(Compiler &compiler);
  ~Call();

private:
  std::fenv_t rulesOfCaller;
};

} // namespace mlir::obs::embed

#endif // OBSIDIAN_LIB_EMBED_CALLS_H
