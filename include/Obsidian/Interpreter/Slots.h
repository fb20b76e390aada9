//===- Slots.h - Parameters and results of functions ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter or result of a function is one value, or one array for each
// component of the elements.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_SLOTS_H
#define OBSIDIAN_INTERPRETER_SLOTS_H

#include "Obsidian/Interpreter/Interpreter.h"

namespace mlir::obs::interpreter {

/// True if an array may have the extents `given`, by the extents and bounds of
/// its type. Negative ones are not in the type.
bool allowsExtents(ArrayRef<int64_t> extents, ArrayRef<int64_t> bounds,
                   ArrayRef<int64_t> given);

/// One array or scalar of the parameters or results of a function.
struct Slot {
  /// The number of the parameter or result in the type of the function.
  unsigned index;
  Type type;
  Type elementType;
  bool isScalar;
  /// Extents and bounds of an array. An extent that is not in the type is
  /// ShapedType::kDynamic, and then its bound is kDynamic if there is none.
  SmallVector<int64_t> extents, bounds;

  /// True if the type allows an array of these extents.
  bool allows(ArrayRef<int64_t> given) const {
    return allowsExtents(extents, bounds, given);
  }
};

/// The arrays and scalars of values of `types`. An error if a type cannot be
/// passed. `what` is `parameter` or `result`.
llvm::Expected<std::vector<Slot>> getSlots(TypeRange types, StringRef what);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_INTERPRETER_SLOTS_H
