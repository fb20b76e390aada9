//===- ErrorHandlers.h - Errors of the system in tools ----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TOOLS_ERRORHANDLERS_H
#define OBSIDIAN_TOOLS_ERRORHANDLERS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::obs {

/// Call it in the first line of the main function of a tool. Afterwards:
///
/// - If memory is exhausted or output cannot be written, the tool prints one
///   error and has exit status 1.
/// - If the pipe after the tool is closed, the tool ends without a message.
/// - After a crash, the tool requests a report to this project.
void installErrorHandlers(llvm::StringRef tool);

} // namespace mlir::obs

#endif // OBSIDIAN_TOOLS_ERRORHANDLERS_H
