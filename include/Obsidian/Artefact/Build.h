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

/// The signatures of `module`. Before `obs-to-gpu`, the types contain extents,
/// and show which arrays are components of one tuple.
Signatures getSignatures(ModuleOp module);

/// The artefact of `module`, which is the result of `obs-to-gpu` for `chip`.
/// Parameters and results have the types of `signatures` if these fit. Every
/// function has a plan. The plan also names an operation that no step
/// corresponds to. The kernels have the names that they have in the module.
/// Fails if the host passes a value on as another type.
llvm::Expected<Artefact> build(ModuleOp module, StringRef chip,
                               const Signatures &signatures = {});

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_ARTEFACT_BUILD_H
