//===- Bounds.h - Bounds of indices -----------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_BOUNDS_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_BOUNDS_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::obs {

/// Bounds of a signed number, each known or not.
struct Bounds {
  std::optional<int64_t> min, max;
};

/// Bounds of an index, from constants, the bounds of loops and arithmetic that
/// is taken not to wrap. Values carried by loops have none.
Bounds getBounds(Value value);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVEL_BOUNDS_H
