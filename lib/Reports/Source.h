//===- Source.h - The source of a program in its kernels --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowered code keeps the locations in the source. It keeps no other information
// about the source.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_SOURCE_H
#define OBSIDIAN_LIB_REPORTS_SOURCE_H

#include "CodeModel.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// The program over arrays from which kernels were compiled.
struct Source {
  /// An operation that computes the elements of a virtual array.
  struct Pull {
    std::string name;
    Location location;
    /// Locations and names of the operations for each element.
    std::vector<std::pair<std::string, OperationName>> body;
    /// The number of surrounding sub-programs of blocks or warps.
    unsigned depth = 0;
    /// The number of elements, if it is known.
    std::optional<int64_t> elements;
  };

  /// Empty for kernels that are already compiled.
  static Source get(ModuleOp module);

  std::vector<Pull> pulls;
  /// The name of the collective at a location.
  llvm::StringMap<std::string> storing;
};

/// Writes the number of computations of the elements of each virtual array in
/// `kernel`, and returns the same as data.
llvm::json::Array
reportPulls(KernelOp kernel, const Source &source,
            llvm::function_ref<CodeModel &(Operation *)> getModel,
            raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_SOURCE_H
