//===- Levels.h - The level IR that reports read ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_LEVELS_H
#define OBSIDIAN_REPORTS_LEVELS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Pipelines/Pipelines.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// Adds the dialects of the operations that `getLevels` and `getLowered` can
/// build.
void addReportDialects(DialectRegistry &registry);

/// A copy of `module` in level IR with barriers and a plan of shared memory. A
/// module with kernels (`obs.kernel`) is not changed; other modules are
/// compiled with `options`. Fails, with a diagnostic, for lowered kernels
/// (`[report-stage]`), and if the compilation fails.
FailureOr<OwningOpRef<ModuleOp>> getLevels(ModuleOp module,
                                           const ObsToGPUOptions &options);

/// The file, line and column of `location` as an object, or null.
llvm::json::Value toJSON(Location location);

/// A report as data, from its entries for kernels.
llvm::json::Value makeReport(llvm::json::Array kernels);

/// The properties of a kernel that are known only when it is lowered.
struct Lowered {
  std::string name;
  /// The launched threads of a block.
  int64_t threads = 0;
};

/// Lowers the kernels of a copy of `levels`, in their order.
FailureOr<SmallVector<Lowered>> getLowered(ModuleOp levels);

} // namespace mlir::obs

#endif // OBSIDIAN_REPORTS_LEVELS_H
