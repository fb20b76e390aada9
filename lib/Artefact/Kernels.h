//===- Kernels.h - Descriptions of the kernels of a program -----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_ARTEFACT_KERNELS_H
#define OBSIDIAN_LIB_ARTEFACT_KERNELS_H

#include "Obsidian/Artefact/Artefact.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::obs::artefact {

/// The kernels of a module after `obs-to-gpu`.
std::vector<Kernel> describeKernels(ModuleOp module);

/// The name in the program of `value`, a parameter or a result of a host
/// function: its `obs.name`. Empty if it has none, or if the name has a meaning
/// in expressions.
StringRef getGivenName(Value value);

/// The text of a `Let` for `op`.
std::string spellOperation(Operation *op);

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_LIB_ARTEFACT_KERNELS_H
