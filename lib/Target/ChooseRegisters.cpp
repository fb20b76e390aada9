//===- ChooseRegisters.cpp - Registers of kernels with many sums ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace mlir::obs::detail {

static constexpr llvm::StringLiteral kResident = "nvvm.minctasm",
                                     kThreads = "nvvm.maxntid",
                                     kRegisters = "nvvm.maxnreg";

/// The registers of 32 bits that `loop` carries to its next iteration.
static uint64_t countCarried(const llvm::Loop &loop) {
  const llvm::DataLayout &layout =
      loop.getHeader()->getModule()->getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::PHINode &value : loop.getHeader()->phis())
    bytes += std::max<uint64_t>(4, layout.getTypeStoreSize(value.getType()));
  return bytes / 4;
}

/// The threads of a block; 0 if they are not known.
static uint64_t countThreads(const llvm::Function &function) {
  llvm::SmallVector<llvm::StringRef, 3> extents;
  function.getFnAttribute(kThreads).getValueAsString().split(extents, ',');
  uint64_t threads = 1;
  for (llvm::StringRef extent : extents) {
    uint64_t count = 0;
    extent.trim().getAsInteger(10, count);
    threads *= count;
  }
  return threads;
}

llvm::PreservedAnalyses
ChooseRegistersPass::run(llvm::Function &function,
                         llvm::FunctionAnalysisManager &analyses) {
  constexpr uint64_t manyRegisters = 64, mostThreads = 256, registers = 200,
                     mostRegisters = 255;
  uint64_t threads = countThreads(function);
  if (threads == 0 || threads > mostThreads ||
      function.hasFnAttribute(kResident))
    return llvm::PreservedAnalyses::all();
  for (const llvm::Loop *loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (uint64_t carried = countCarried(*loop); carried >= manyRegisters) {
      bool needsMost = carried >= 2 * manyRegisters;
      function.addFnAttr(kRegisters,
                         std::to_string(needsMost ? mostRegisters : registers));
      break;
    }
  return llvm::PreservedAnalyses::all();
}

} // namespace mlir::obs::detail
