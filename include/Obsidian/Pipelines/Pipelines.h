//===- Pipelines.h - From programs to kernels -------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_PIPELINES_PIPELINES_H
#define OBSIDIAN_PIPELINES_PIPELINES_H

#include "Obsidian/Transforms/Level/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::obs {

/// Options of `obs-to-launches`.
struct ObsToLaunchesOptions : PassPipelineOptions<ObsToLaunchesOptions> {
  PassOptions::Option<bool> reuse{
      *this, "reuse",
      llvm::cl::desc("Let arrays of equal extents share memory if they are not "
                     "live at the same time, and allocate outside of loops"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> plan{
      *this, "plan", llvm::cl::desc("Report the plan of each host function"),
      llvm::cl::init(true)};
};

/// Options of `obs-to-gpu`.
struct ObsToGPUOptions : PassPipelineOptions<ObsToGPUOptions> {
  PassOptions::Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc("Threads of a block, 1 to 1024, for every kernel (0: from "
                     "the program, or chosen)"),
      llvm::cl::init(0)};
  PassOptions::Option<int64_t> blocks{
      *this, "blocks",
      llvm::cl::desc("Number of blocks of every launch (0: from the extents)"),
      llvm::cl::init(0)};
  PassOptions::Option<bool> runtimeChecks{
      *this, "runtime-checks",
      llvm::cl::desc("Also check the extents that only kernels know (rule R4). "
                     "The host always checks the other extents"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc("Exclude strategies of collectives that round floats "
                     "differently from run to run"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> plainCollectives{
      *this, "plain-collectives",
      llvm::cl::desc("The option `plain` of obs-expand-collectives"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> reuseBuffers{
      *this, "reuse-buffers",
      llvm::cl::desc("Let arrays of equal extents share device memory if they "
                     "are not live at the same time"),
      llvm::cl::init(true)};
  PassOptions::Option<int64_t> sharedBytes{
      *this, "shared-bytes",
      llvm::cl::desc("Shared memory of a block in bytes (227 KiB on sm_90)"),
      llvm::cl::init(sharedBytesOfBlock)};
  PassOptions::Option<bool> tiles{
      *this, "tiles",
      llvm::cl::desc("Let threads execute several iterations of a loop over "
                     "the grid at once"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> addsVectors{
      *this, "adds-vectors",
      llvm::cl::desc("The GPU adds to four neighbouring f32 by one instruction "
                     "(sm_90)"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> tensorCores{
      *this, "tensor-cores",
      llvm::cl::desc("The GPU multiplies matrices of f16 and bf16 by obs.mma "
                     "(sm_80)"),
      llvm::cl::init(true)};
  PassOptions::Option<bool> verifyLevels{
      *this, "verify-levels",
      llvm::cl::desc("Also check the rules of level IR after obs-stage-tables"),
      llvm::cl::init(false)};
};

/// Options of `obs-to-nvvm`.
struct ObsToNVVMOptions : PassPipelineOptions<ObsToNVVMOptions> {
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("The GPU to compile for"),
      llvm::cl::init("sm_90")};
  PassOptions::Option<std::string> format{
      *this, "format",
      llvm::cl::desc("isa: PTX in a gpu.binary; nvvm: kernels in the NVVM "
                     "dialect"),
      llvm::cl::init("isa")};
  PassOptions::Option<std::string> libdevice{
      *this, "libdevice", llvm::cl::desc("The file libdevice.10.bc, or none"),
      llvm::cl::init("")};
  PassOptions::Option<int64_t> threads{
      *this, "threads", llvm::cl::desc("As for obs-to-gpu"), llvm::cl::init(0)};
  PassOptions::Option<int64_t> blocks{
      *this, "blocks", llvm::cl::desc("As for obs-to-gpu"), llvm::cl::init(0)};
  PassOptions::Option<bool> deterministic{*this, "deterministic",
                                          llvm::cl::desc("As for obs-to-gpu"),
                                          llvm::cl::init(false)};
};

/// Sets the options that depend on the GPU.
void setChip(ObsToGPUOptions &options, StringRef chip);

/// Adds to `pm`, which runs on `builtin.module`, the passes from fused programs
/// over arrays to kernels, and host functions in memory that launch them.
void buildObsToLaunchesPipeline(OpPassManager &pm,
                                const ObsToLaunchesOptions &options);

/// Adds to `pm`, which runs on `builtin.module`, the passes from programs over
/// arrays to kernels in level IR with homes, barriers and offsets in shared
/// memory.
void buildObsToLevelsPipeline(OpPassManager &pm,
                              const ObsToGPUOptions &options);

/// Adds to `pm`, which runs on `builtin.module`, the passes from programs over
/// arrays to a `gpu.module @kernels` and host functions that launch its
/// kernels.
void buildObsToGPUPipeline(OpPassManager &pm, const ObsToGPUOptions &options);

/// Runs the passes of `manager` and verifies the result. A verification after
/// each pass would take a quarter of the time: that of a fill tries all
/// iterations of its writes. The module must have been verified.
LogicalResult runVerifiedOnce(PassManager &manager, ModuleOp module);

/// Runs `obs-to-gpu` on the function `entry` of `module` and the functions that
/// it calls. Other functions are erased. Emits the errors of the passes.
LogicalResult lowerToGPU(ModuleOp module, StringRef entry,
                         const ObsToGPUOptions &options);

/// Adds `obs-to-gpu` and the passes from kernels to NVVM or PTX. An unknown
/// format or chip is an error with a text.
llvm::Error buildObsToNVVMPipeline(OpPassManager &pm,
                                   const ObsToNVVMOptions &options);

/// Adds `obs-to-gpu` and the passes from kernels to the functions in the LLVM
/// dialect that the emulator compiles for the CPU.
void buildObsToCPUPipeline(OpPassManager &pm, const ObsToGPUOptions &options);

/// Registers `obs-to-launches`, `obs-to-levels`, `obs-to-gpu`, `obs-to-nvvm`
/// and `obs-to-cpu`, and the passes of Obsidian/Target.
void registerObsPipelines();

} // namespace mlir::obs

#endif // OBSIDIAN_PIPELINES_PIPELINES_H
