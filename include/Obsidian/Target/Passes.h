//===- Passes.h - From kernels to NVVM and PTX ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_PASSES_H
#define OBSIDIAN_TARGET_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#include "Obsidian/Target/Passes.h.inc"

/// Adds to `pm`, which runs on `gpu.module`, the passes from kernels of
/// `obs-to-gpu` to the NVVM dialect for `chip`. `libdevice` is a file name,
/// `none`, or empty. If it is empty, the file is searched in the CUDA toolkit.
void buildKernelsToNVVMPipeline(OpPassManager &pm, StringRef chip,
                                StringRef libdevice);

#define GEN_PASS_REGISTRATION
#include "Obsidian/Target/Passes.h.inc"

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_PASSES_H
