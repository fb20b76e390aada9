//===- Results.h - Printing and writing results -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_RESULTS_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_RESULTS_H

#include "Obsidian/Interpreter/Interpreter.h"

namespace mlir::obs::run {

/// Prints a scalar as a number and an array in nested brackets, one row to a
/// line. Of an array of more than 1000 elements only the first and last three
/// along each dimension are printed.
void printValue(raw_ostream &os, const interpreter::HostValue &value);

/// Writes `values` to `paths`: a .npy file if the name ends so, and otherwise
/// the raw elements. `-` prints to `os`. Each file is first written under
/// another name. All are renamed at the end, so no file is incomplete. Unless a
/// rename fails, either all files are written or none.
llvm::Error writeValues(ArrayRef<interpreter::HostValue> values,
                        ArrayRef<std::string> paths, raw_ostream &os);

/// An error when a file cannot be written in the folder of one of `paths`. Run
/// before the program, so that a long run is not in vain.
llvm::Error checkWritable(ArrayRef<std::string> paths);

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_RESULTS_H
