//===- Slots.h - The values that functions take and give --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter or result of a function is one value, or one array for each
// component of its elements.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_SLOTS_H
#define OBSIDIAN_INTERPRETER_SLOTS_H

#include "Obsidian/Interpreter/Interpreter.h"

namespace mlir::obs::interpreter {

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

  /// True if the type allows an array of these extents.
  bool allows(ArrayRef<int64_t> given) const;
};

/// The arrays and scalars that make up values of `types`; an error where a type
/// cannot be passed. `what` is `parameter` or `result`.
llvm::Expected<std::vector<Slot>> getSlots(TypeRange types, StringRef what);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_INTERPRETER_SLOTS_H
