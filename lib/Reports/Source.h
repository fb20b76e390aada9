//===- Source.h - The source of a program in its kernels --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowered code keeps the locations in the source, and no other information on
// it.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_SOURCE_H
#define OBSIDIAN_LIB_REPORTS_SOURCE_H

#include "CodeModel.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// The program over arrays that kernels were made from.
struct Source {
  /// An operation that computes the elements of a virtual array.
  struct Pull {
    std::string name;
    Location location;
    /// Locations of the operations for each element.
    std::vector<std::string> body;
    /// The number of sub-programs for blocks or warps that it is in.
    unsigned depth = 0;
    /// The number of its elements, if that is known.
    std::optional<int64_t> elements;
  };

  /// Nothing, for kernels that are compiled already.
  static Source get(ModuleOp module);

  std::vector<Pull> pulls;
  /// The name of the collective at a place.
  llvm::StringMap<std::string> storing;
};

/// Writes how often `kernel` computes the elements of each virtual array, and
/// returns the same as data.
llvm::json::Array
reportPulls(KernelOp kernel, const Source &source,
            llvm::function_ref<CodeModel &(Operation *)> getModel,
            raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_SOURCE_H
