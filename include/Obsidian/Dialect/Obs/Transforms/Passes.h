//===- Passes.h - Passes on arrays ------------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_H
#define OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_H

#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

#define GEN_PASS_DECL
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_TRANSFORMS_PASSES_H
