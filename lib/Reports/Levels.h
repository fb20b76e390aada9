//===- Levels.h - The level IR that reports read ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_REPORTS_LEVELS_H
#define OBSIDIAN_REPORTS_LEVELS_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelIR.h"
#include "Obsidian/Pipelines/Pipelines.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// The dialects that `getLevels` can make operations of.
void addLevelDialects(DialectRegistry &registry);

/// A copy of `module` in level IR with barriers and shared memory placed: as it
/// is if it has kernels (`obs.kernel`), else compiled with `options`. Fails,
/// with a diagnostic, for lowered kernels, which `[report-stage]` excludes, and
/// where compilation fails.
FailureOr<OwningOpRef<ModuleOp>> getLevels(ModuleOp module,
                                           const ObsToGPUOptions &options);

/// The file, line and column of `location` as an object, or null.
llvm::json::Value toJSON(Location location);

/// The name of the entry point that `kernel` becomes.
StringRef getEntryName(KernelOp kernel);

/// The properties of a kernel that are known only when it is lowered.
struct Lowered {
  std::string name;
  /// Threads of a block that are launched.
  int64_t threads = 0;
};

/// The dialects that `getLowered` can make operations of, and `getLevels`.
void addLoweredDialects(DialectRegistry &registry);

/// Lowers the kernels of a copy of `levels`, in their order.
FailureOr<SmallVector<Lowered>> getLowered(ModuleOp levels);

} // namespace mlir::obs

#endif // OBSIDIAN_REPORTS_LEVELS_H
