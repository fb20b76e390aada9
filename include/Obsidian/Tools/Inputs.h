//===- Inputs.h - Files that tools read -------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TOOLS_INPUTS_H
#define OBSIDIAN_TOOLS_INPUTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace mlir::obs {

/// True if `path` names a device that may have no end, such as /dev/zero. `-`
/// is the standard input. Terminals and /dev/null have an end.
bool isEndlessDevice(const Twine &path);

/// Fails if `path`, the input of a tool, is a device that may have no end.
llvm::Error checkHasEnd(StringRef path);

/// The same for tools whose options are parsed later: checks every argument
/// except the output file. Without an input file among the arguments, checks
/// the standard input, too.
llvm::Error checkInputsHaveEnd(ArrayRef<const char *> arguments);

} // namespace mlir::obs

#endif // OBSIDIAN_TOOLS_INPUTS_H
