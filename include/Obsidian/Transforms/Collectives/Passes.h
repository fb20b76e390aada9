//===- Passes.h - Expansion of collectives ----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_COLLECTIVES_PASSES_H
#define OBSIDIAN_TRANSFORMS_COLLECTIVES_PASSES_H

#include "Obsidian/Transforms/Level/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

#define GEN_PASS_DECL
#include "Obsidian/Transforms/Collectives/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Obsidian/Transforms/Collectives/Passes.h.inc"

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_COLLECTIVES_PASSES_H
