//===- Arguments.h - Values from the command line ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TOOLS_OBSRUN_ARGUMENTS_H
#define OBSIDIAN_LIB_TOOLS_OBSRUN_ARGUMENTS_H

#include "Obsidian/Interpreter/Interpreter.h"
#include <vector>

namespace mlir::obs::run {

/// Reads the arguments of `entry` from the texts of the command line. An error
/// names the argument and what the function needs.
llvm::Expected<std::vector<interpreter::HostValue>>
readArguments(func::FuncOp entry, ArrayRef<std::string> texts);

/// One array or scalar of the parameters or results of a function.
struct Slot {
  /// Of the parameter or result in the function's type.
  unsigned index;
  Type type;
  Type elementType;
  bool isScalar;
  /// Of an array; ShapedType::kDynamic where the type leaves it open, and then
  /// the bound of it, or kDynamic.
  SmallVector<int64_t> extents, bounds;
};

/// The arrays and scalars that make up values of `types`; an error where a type
/// cannot be passed. `what` is `parameter` or `result`.
llvm::Expected<std::vector<Slot>> getSlots(TypeRange types, StringRef what);

} // namespace mlir::obs::run

#endif // OBSIDIAN_LIB_TOOLS_OBSRUN_ARGUMENTS_H
