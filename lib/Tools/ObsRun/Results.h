//===- Results.h - Printing and writing results -----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_RESULTS_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_RESULTS_H

#include "Obsidian/Interpreter/Interpreter.h"
#include "Options.h"

namespace mlir::obs::run {

/// Prints a scalar as a number, and an array in nested brackets with one row in
/// each line. Of an array of more than 1000 elements, only the first three and
/// the last three elements of each dimension are printed.
void printValue(raw_ostream &os, const HostValue &value);

/// Writes `values` to `paths`: a NumPy file if the name ends in .npy, and
/// otherwise the raw elements. `-` prints to `os`. Each file is first written
/// under a temporary name. All files are renamed at the end, so no file is
/// incomplete. Unless a renaming fails, either all files are written or none.
Error writeValues(ArrayRef<HostValue> values, ArrayRef<std::string> paths,
                  raw_ostream &os);

/// An error if a file cannot be written in the folder of one of `paths`. It is
/// called before the program runs, so that no result of a long run is lost.
Error checkWritable(ArrayRef<std::string> paths);

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_RESULTS_H
