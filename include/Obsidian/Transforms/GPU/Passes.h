//===- Passes.h - Passes on GPU kernels -------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_GPU_PASSES_H
#define OBSIDIAN_TRANSFORMS_GPU_PASSES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Transforms/GPU/Passes.h.inc"

/// Replaces the operations between blocks in `kernel`, a `gpu.func` or a copy
/// of it with this size of a block, as `obs-expand-exchanges` does.
void expandExchanges(Operation *kernel, DenseI32ArrayAttr blockSize);

/// The same in level IR, for reports on the code that these operations become.
/// `describe` names a place in the reasons of barriers.
void expandExchanges(KernelOp kernel,
                     llvm::function_ref<std::string(Location)> describe);

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_GPU_PASSES_H
