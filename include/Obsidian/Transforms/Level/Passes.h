//===- LevelPasses.h - Passes on level IR -----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_LEVEL_PASSES_H
#define OBSIDIAN_TRANSFORMS_LEVEL_PASSES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

/// Shared memory that a block can have on sm_90, in bytes: 227 KiB.
constexpr int64_t sharedBytesOfBlock = 227 * 1024;

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Transforms/Level/Passes.h.inc"

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_LEVEL_PASSES_H
