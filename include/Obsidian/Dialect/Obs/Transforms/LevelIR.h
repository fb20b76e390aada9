//===- LevelIR.h - What is asked of level IR --------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELIR_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELIR_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include <string>

namespace mlir::obs {

/// The alloc, kernel argument or table that `memory` is (a part of); null if
/// that is not known.
Value getRoot(Value memory);

/// "file.mlir:3:5", or "?" for what has no place in a file.
std::string getPlace(Location location);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_LEVELIR_H
