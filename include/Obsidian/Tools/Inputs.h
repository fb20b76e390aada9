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
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace mlir::obs {

/// True if `path` names a device that may have no end, such as /dev/zero. `-`
/// is the standard input. Terminals and /dev/null have an end.
bool isEndlessDevice(const Twine &path);

/// True if `path` names a pipe, whose writer may never stop. `-` is the
/// standard input.
bool isPipe(const Twine &path);

/// The contents of `path`. Fails for a device that may have no end, and for a
/// pipe of more than 2^30 bytes.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInput(StringRef path);

/// The same for tools that open their input `path` themselves. The contents of
/// a pipe become the standard input, and the result is `-`; for other inputs
/// the result is `path`.
llvm::Expected<std::string> prepareInput(StringRef path);

/// The same for tools whose options are parsed later: prepares every argument
/// except the output file, and replaces those that are pipes. Without an input
/// file among the arguments, prepares the standard input, too.
llvm::Error prepareInputs(MutableArrayRef<char *> arguments);

} // namespace mlir::obs

#endif // OBSIDIAN_TOOLS_INPUTS_H
