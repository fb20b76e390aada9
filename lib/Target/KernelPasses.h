//===- KernelPasses.h - Passes on LLVM IR of kernels ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TARGET_KERNELPASSES_H
#define OBSIDIAN_LIB_TARGET_KERNELPASSES_H

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class LPMUpdater;
} // namespace llvm

namespace mlir::obs::detail {

/// True if an access of `pointer` may reach global memory.
bool isGlobal(const llvm::Value *pointer);

/// Asks LLVM for copies of the bodies of innermost loops: eight, if a short
/// body reads neighbouring elements, and all, if few iterations with a long
/// body read shared memory. LLVM itself makes fewer copies, or none: it counts
/// the operations of all copies, and not the accesses that they save.
struct UnrollLoopsPass : llvm::PassInfoMixin<UnrollLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &analyses,
                              llvm::LPMUpdater &);
};

/// Joins loads, and stores, of neighbours whose addresses have one base.
struct JoinNeighboursPass : llvm::PassInfoMixin<JoinNeighboursPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Moves global loads before the first of several exact quotients and roots of
/// a block. A thread would wait for each load before it begins the next one.
struct HoistLoadsPass : llvm::PassInfoMixin<HoistLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Marks loads of 16 bytes that stream an array into registers or shared
/// memory, as in a reduction or a histogram: the first cache drops their
/// elements before others. The kernel does not write the array, the innermost
/// loop around the load writes no array, and each thread, block and iteration
/// reads other elements. On an H100, histograms of 2^25 keys take 0.85 of the
/// time, and sums of 2^28 numbers 0.98. Loops that also write an array
/// become slower with the mark.
struct HintLoadsPass : llvm::PassInfoMixin<HintLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Joins the additions of f32 to four neighbours in global memory, whose first
/// address is a multiple of 16: one instruction of `sm_90` makes them. Each
/// component is added atomically on its own.
struct JoinAdditionsPass : llvm::PassInfoMixin<JoinAdditionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Gives up to 200 registers to the threads of a kernel that carry many values
/// from one iteration of a loop to the next, such as the sums of a matrix
/// product. By itself, the assembler uses fewer, so that more threads are
/// resident, and orders loads and products worse. On an H100, a product of two
/// matrices of 2048 x 2048 `f32` takes 0.40 ms, and 0.57 ms without the limit.
/// With 168 or 216 registers, `matmul_registers.py` takes 8 % and 6 % longer.
///
/// Threads that carry at least 128 values have up to 255 registers. Otherwise,
/// a thread loads the next tile after its last product, because the sums and
/// the tile need all registers. On an H200, a product of two matrices of 4096 x
/// 4096 `bf16` by blocks of 128 threads takes 0.41 ms, and 0.49 ms with 200
/// registers.
///
/// Kernels that have a number of resident blocks keep it.
struct ChooseRegistersPass : llvm::PassInfoMixin<ChooseRegistersPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace mlir::obs::detail

#endif // OBSIDIAN_LIB_TARGET_KERNELPASSES_H
