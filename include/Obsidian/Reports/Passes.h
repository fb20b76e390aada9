//===- Passes.h - Reports on kernels ----------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_PASSES_H
#define OBSIDIAN_REPORTS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Reports/Passes.h.inc"

/// Prints the report of `obs-report-cost` for `module` to `os`. Emits
/// `[report-stage]`, and the errors of the compilation.
LogicalResult reportCost(ModuleOp module, int64_t threads, raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_REPORTS_PASSES_H
