//===- Build.h - Artefacts of lowered modules -------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_ARTEFACT_BUILD_H
#define OBSIDIAN_ARTEFACT_BUILD_H

#include "Obsidian/Artefact/Artefact.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::obs::artefact {

/// The types of the parameters and results of functions, by their names.
using Signatures = llvm::StringMap<FunctionType>;

/// Those of `module` as it is now: before `obs-to-gpu` they say which arrays
/// are parts of one, and how long arrays are.
Signatures getSignatures(ModuleOp module);

/// The artefact of `module`, which is a module after `obs-to-gpu` for `chip`.
/// Parameters and results have the types of `signatures` where these fit. Every
/// function has a plan, which says what has no step. The kernels have the names
/// that the module has for them.
Artefact build(ModuleOp module, StringRef chip,
               const Signatures &signatures = {});

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_ARTEFACT_BUILD_H
