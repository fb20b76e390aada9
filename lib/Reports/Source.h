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
  /// The name of an operation, and the type of its first result.
  using Kind = std::pair<OperationName, Type>;
  /// The operations at one location that compute the elements of virtual
  /// arrays. A loop that a front end has unrolled makes several of one kind.
  struct Pull {
    std::string name;
    Location location;
    /// Locations and kinds of the operations for each element.
    std::vector<std::pair<std::string, Kind>> body;
    /// The number of surrounding sub-programs of blocks or warps.
    unsigned depth = 0;
    /// The number of elements of all arrays, if it is known.
    std::optional<int64_t> elements;
    unsigned numArrays = 1;
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
