//===- Passes.h - Passes on GPU kernels -------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_GPU_PASSES_H
#define OBSIDIAN_TRANSFORMS_GPU_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

#define GEN_PASS_DECL
#include "Obsidian/Transforms/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Obsidian/Transforms/GPU/Passes.h.inc"

/// Replaces each `obs.ticket` in `kernel`, whose blocks have `threads` threads,
/// as `obs-expand-tickets` does.
void expandTickets(Operation *kernel, int64_t threads);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_GPU_PASSES_H
