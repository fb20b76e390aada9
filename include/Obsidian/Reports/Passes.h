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
#include "llvm/Support/JSON.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Reports/Passes.h.inc"

struct ObsToGPUOptions;

/// Prints the report of `obs-report-cost` for `module` to `os`, and returns it
/// as data. Emits `[report-stage]`, and the errors of the compilation. Adds the
/// number of points of loops that the report looked at to `points`.
FailureOr<llvm::json::Value> reportCost(ModuleOp module,
                                        const ObsToGPUOptions &options,
                                        raw_ostream &os,
                                        int64_t *points = nullptr);

/// Emits the report of `obs-explain-barriers` for `module`, and returns it as
/// data. Emits `[report-stage]`, and the errors of the compilation.
FailureOr<llvm::json::Value> explainBarriers(ModuleOp module,
                                             const ObsToGPUOptions &options);

/// Emits the answers of `obs-check-races` for the kernels of `module`, and
/// appends each of them as data, in order: the remarks of proofs, and the
/// errors that begin with `[race`. Fails if there is no proof for a kernel.
LogicalResult checkRaces(ModuleOp module,
                         SmallVectorImpl<llvm::json::Object> &answers);

} // namespace mlir::obs

#endif // OBSIDIAN_REPORTS_PASSES_H
