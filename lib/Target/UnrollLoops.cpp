//===- UnrollLoops.cpp - The number of copies of loop bodies --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace mlir::obs::detail {

/// The number of copies: four elements of 32 bits are one access.
static constexpr unsigned copies = 4;
/// The maximum number of operations of an iteration. Longer ones hide the time
/// of accesses and branches themselves.
static constexpr unsigned maxOperations = 64;
/// Loops of fewer iterations are left to LLVM, which may remove them.
static constexpr unsigned fewIterations = 32;

/// True if `load` reads the element behind that of the iteration before.
static bool readsNeighbours(llvm::LoadInst &load, llvm::Loop &loop,
                            llvm::ScalarEvolution &evolution) {
  auto *place = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
      evolution.getSCEV(load.getPointerOperand()));
  if (!place || place->getLoop() != &loop || !place->isAffine())
    return false;
  auto *step =
      llvm::dyn_cast<llvm::SCEVConstant>(place->getStepRecurrence(evolution));
  llvm::TypeSize size = load.getDataLayout().getTypeStoreSize(load.getType());
  return step && step->getAPInt() == size.getFixedValue();
}

llvm::PreservedAnalyses
UnrollLoopsPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                     llvm::LoopStandardAnalysisResults &analyses,
                     llvm::LPMUpdater &) {
  llvm::ScalarEvolution &evolution = analyses.SE;
  auto unchanged = llvm::PreservedAnalyses::all();
  unsigned trips = evolution.getSmallConstantTripCount(&loop);
  if (!loop.isInnermost() || (trips != 0 && trips <= fewIterations) ||
      llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.count"))
    return unchanged;
  unsigned operations = 0, loads = 0, neighbours = 0;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &op : *block) {
      ++operations;
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&op);
      if (load && load->isSimple()) {
        ++loads;
        neighbours += readsNeighbours(*load, loop, evolution);
      } else if (op.mayReadOrWriteMemory()) {
        return unchanged;
      }
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&op);
          call && call->isConvergent())
        return unchanged;
    }
  // A loop that counts ends at its head only.
  bool endsAnywhere = llvm::isa<llvm::SCEVCouldNotCompute>(
      evolution.getBackedgeTakenCount(&loop));
  if ((neighbours > 0 || (loads == 0 && endsAnywhere)) &&
      operations <= maxOperations)
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", copies);
  return unchanged;
}

} // namespace mlir::obs::detail
