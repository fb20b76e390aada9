//===- Passes.h - Passes of the emulator ------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMULATOR_PASSES_H
#define OBSIDIAN_EMULATOR_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs::emulator {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#include "Obsidian/Emulator/Passes.h.inc"

/// Builds the module that the emulator compiles from `source`; see the
/// description of `convert-gpu-to-emulator`. Emits an error and fails if the
/// module has an operation that the emulator does not support. `source` is not
/// changed. `watchPrivate` is that of MachineOptions.
FailureOr<OwningOpRef<ModuleOp>>
convertGPUModuleToEmulator(gpu::GPUModuleOp source, bool watchPrivate = false);

/// Adds the passes that lower the result of `convert-gpu-to-emulator` to the
/// LLVM dialect. `pm` and the passes run on `builtin.module`. The context has
/// the interfaces of registerEmulatorToLLVMInterfaces().
void buildEmulatorToLLVMPipeline(OpPassManager &pm);

/// Registers the conversions to LLVM of the dialects that the emulator lowers.
void registerEmulatorToLLVMInterfaces(DialectRegistry &registry);

/// Registers the pass `convert-gpu-to-emulator` and the pipeline
/// `lower-emulator-to-llvm`.
void registerEmulatorPasses();

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_EMULATOR_PASSES_H
