//===- Passes.h - Kernels and host code -------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_HOST_PASSES_H
#define OBSIDIAN_TRANSFORMS_HOST_PASSES_H

#include "Obsidian/Transforms/Level/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Transforms/Host/Passes.h.inc"

/// A canonicalizer for control flow that is structured, so that there are no
/// blocks to merge and no unreachable ones. To look for them takes as long as
/// the patterns.
std::unique_ptr<Pass> createStructuredCanonicalizerPass();

/// Adds the passes from `convert-obs-to-scf` to `obs-plan-shared`, which decide
/// what the shared memory of a block contains. It has `limit` bytes.
void addLevelPasses(OpPassManager &pm, int64_t limit);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_HOST_PASSES_H
