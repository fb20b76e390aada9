//===- UnrollLoops.h - The number of copies of loop bodies ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TARGET_UNROLLLOOPS_H
#define OBSIDIAN_LIB_TARGET_UNROLLLOOPS_H

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class LPMUpdater;
} // namespace llvm

namespace mlir::obs::detail {

/// Asks LLVM for copies of the bodies of innermost loops: eight, if a short
/// body reads neighbouring elements, and all, if few iterations with a long
/// body read shared memory. LLVM itself makes fewer copies, or none: it counts
/// the operations of all copies, and not the accesses that they save.
struct UnrollLoopsPass : llvm::PassInfoMixin<UnrollLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                              llvm::LoopStandardAnalysisResults &analyses,
                              llvm::LPMUpdater &);
};

} // namespace mlir::obs::detail

#endif // OBSIDIAN_LIB_TARGET_UNROLLLOOPS_H
