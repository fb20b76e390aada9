//===- Arguments.h - Values from the command line ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_ARGUMENTS_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_ARGUMENTS_H

#include "Options.h"
#include <vector>

namespace mlir::obs::run {

/// Reads the arguments of `entry` from the texts of the command line. An error
/// names the argument and the requirement of the function.
Expected<std::vector<HostValue>> readArguments(func::FuncOp entry,
                                               ArrayRef<std::string> texts);

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_ARGUMENTS_H
