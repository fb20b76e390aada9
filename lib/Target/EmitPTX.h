//===- EmitPTX.h - LLVM IR of NVVM modules ----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TARGET_EMITPTX_H
#define OBSIDIAN_LIB_TARGET_EMITPTX_H

#include "Obsidian/Target/ToPTX.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::obs::detail {

inline constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// The compiler for `chip`, which is known to be valid. Errors are reported at
/// `op`.
FailureOr<std::unique_ptr<llvm::TargetMachine>>
getTargetMachine(Operation *op, StringRef chip);

/// Gives the operations of kernels in the NVVM dialect the scopes that LLVM
/// needs to write their lines into the PTX.
void addLineInfo(gpu::GPUModuleOp nvvmModule);

/// Optimised LLVM IR of a module in the NVVM dialect.
FailureOr<std::unique_ptr<llvm::Module>>
emitLLVMIR(gpu::GPUModuleOp nvvmModule, llvm::LLVMContext &context,
           llvm::TargetMachine &machine, const PTXOptions &options);

} // namespace mlir::obs::detail

#endif // OBSIDIAN_LIB_TARGET_EMITPTX_H
