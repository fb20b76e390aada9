//===- Passes.h - Programs of other dialects as programs of obs -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_PASSES_H
#define OBSIDIAN_FRONTEND_PASSES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/FrontEnd/Passes.h.inc"

/// Runs `convert-linalg-to-obs`. After an error, `module` is unchanged.
LogicalResult convertLinalgToObs(ModuleOp module);

/// Runs `obs-import-stablehlo`. After an error, `module` is unchanged. See
/// `StableHLO.h` for contexts that can parse such a module.
LogicalResult importStableHLO(ModuleOp module);

} // namespace mlir::obs

#endif // OBSIDIAN_FRONTEND_PASSES_H
