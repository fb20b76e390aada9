//===- ObsRun.h - The tool that runs programs -------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TOOLS_OBSRUN_OBSRUN_H
#define OBSIDIAN_TOOLS_OBSRUN_OBSRUN_H

namespace mlir {
class DialectRegistry;
namespace obs {

/// The complete tool `obs-run`. It reads the command line, runs one function of
/// a program on the interpreter, the emulator or a GPU, and prints or writes
/// its results. `registry` has the dialects that a program may use, and the
/// translations to LLVM IR. Returns the exit status: 0, or 1 after an error in
/// the program or its data, or 2 after an error in the command line. Errors go
/// to the standard error output.
int obsRunMain(int argc, char **argv, DialectRegistry &registry);

} // namespace obs
} // namespace mlir

#endif // OBSIDIAN_TOOLS_OBSRUN_OBSRUN_H
