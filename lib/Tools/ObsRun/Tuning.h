//===- Tuning.h - Options that a search has found ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_TUNING_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_TUNING_H

#include "Options.h"

namespace mlir::obs::run {

/// Sets the options that `python -m obsidian tune` has found for a program with
/// this text, where the command line does not set them. The environment
/// variable OBS_TUNED names the file, a JSON object. Its keys are the SHA-256
/// of the texts of programs. No variable, no file and no entry change nothing.
llvm::Error applyTuning(llvm::StringRef text, Options &options);

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_TUNING_H
