//===- ErrorHandlers.h - What tools do about errors of the system -*- C++
//-*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TOOLS_ERRORHANDLERS_H
#define OBSIDIAN_TOOLS_ERRORHANDLERS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::obs {

/// For the first line of a tool's main function. From then on
///
/// - memory that cannot be had, and output that cannot be written, is one line
///   of error and exit status 1;
/// - a closed pipe behind the tool ends it without a word;
/// - a crash asks for a report to this project.
void installErrorHandlers(llvm::StringRef tool);

} // namespace mlir::obs

#endif // OBSIDIAN_TOOLS_ERRORHANDLERS_H
