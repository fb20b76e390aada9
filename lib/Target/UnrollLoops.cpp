//===- UnrollLoops.cpp - The number of copies of loop bodies --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace mlir::obs::detail {

/// The number of copies: eight elements of 32 bits are two accesses. On an
/// H200, 65536 bodies take 6.57 ms with 8 copies, 6.66 ms with 4, and 8.12 ms
/// without; 2^24 points of k-means take 0.40, 0.42 and 0.45 ms.
static constexpr unsigned copies = 8;
/// The maximum number of operations of an iteration over global memory. Longer
/// ones hide the time of accesses and branches themselves.
static constexpr unsigned maxOperations = 64;
/// Loops of fewer iterations are left to LLVM, which may remove them, unless
/// they are long and read shared memory. Then all addresses of a loop without
/// branches are one register plus constants, and its loads are early. The work
/// matmul-registers-f32 of benchmarks/ has such a loop.
static constexpr unsigned fewIterations = 32;
/// The most elements of an array of a thread that become registers, and the
/// maximum number of operations of all copies of a loop without branches.
static constexpr unsigned maxRegisters = 64, maxCopied = 4096;
/// The maximum number of values that all threads of a block carry through a
/// loop over shared memory that becomes code without branches: a sixth of the
/// registers of a multiprocessor. The early loads of more would leave room for
/// one block only, as in products of large matrices in JAX.
static constexpr unsigned maxCarried = 10240;

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

/// True if the counter of `loop` is a part of the address of `op` in an array
/// of the thread: without the loop, the elements are registers.
static bool walksOwnArray(llvm::Instruction &op, llvm::Loop &loop) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&op);
  return pointer && !loop.isLoopInvariant(pointer) &&
         llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

/// True if `op` divides a number that is a constant in each iteration of `loop`
/// by a constant. If iterations are copies, their places in a window are known.
static bool dividesCounter(llvm::Instruction &op, llvm::Loop &loop,
                           llvm::ScalarEvolution &evolution) {
  if (!op.isIntDivRem() || !llvm::isa<llvm::ConstantInt>(op.getOperand(1)))
    return false;
  auto *number =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(op.getOperand(0)));
  return number && number->getLoop() == &loop && number->isAffine() &&
         llvm::isa<llvm::SCEVConstant>(number->getStart()) &&
         llvm::isa<llvm::SCEVConstant>(number->getStepRecurrence(evolution));
}

/// The number of values that all threads of a block carry through `loop`.
static size_t countCarried(llvm::Loop &loop) {
  unsigned threads = 1024;
  loop.getHeader()
      ->getParent()
      ->getFnAttribute("nvvm.maxntid")
      .getValueAsString()
      .split(',')
      .first.getAsInteger(10, threads);
  return threads * llvm::range_size(loop.getHeader()->phis());
}

llvm::PreservedAnalyses
UnrollLoopsPass::run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                     llvm::LoopStandardAnalysisResults &analyses,
                     llvm::LPMUpdater &) {
  llvm::ScalarEvolution &evolution = analyses.SE;
  auto unchanged = llvm::PreservedAnalyses::all();
  unsigned trips = evolution.getSmallConstantTripCount(&loop);
  if (!loop.isInnermost() ||
      llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.count"))
    return unchanged;
  unsigned operations = 0;
  bool profits = false, ownsArray = false, divides = false;
  for (llvm::BasicBlock *block : loop.blocks()) {
    operations += block->size();
    for (llvm::Instruction &op : *block) {
      ownsArray |= walksOwnArray(op, loop);
      divides |= dividesCounter(op, loop, evolution);
    }
  }
  if (ownsArray && trips != 0 && trips <= maxRegisters &&
      trips * operations <= maxCopied) {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
    // The loop around it, over the work of the grid, mostly runs once. The
    // addresses of all copies would be computed before it, in registers.
    for (llvm::Loop *outer = loop.getParentLoop(); outer;
         outer = outer->getParentLoop())
      if (!llvm::findStringMetadataForLoop(outer, "llvm.licm.disable"))
        llvm::addStringMetadataToLoop(outer, "llvm.licm.disable", 1);
    return unchanged;
  }
  bool isShort = trips != 0 && trips <= fewIterations;
  if (isShort && divides && trips * operations <= maxCopied) {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
    return unchanged;
  }
  if (isShort &&
      (operations <= maxOperations || trips * operations > maxCopied ||
       countCarried(loop) > maxCarried))
    return unchanged;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &op : *block) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&op);
      if (load && load->isSimple())
        profits |= isShort ? load->getPointerAddressSpace() ==
                                 llvm::NVPTXAS::ADDRESS_SPACE_SHARED
                           : readsNeighbours(*load, loop, evolution);
      else if (op.mayReadOrWriteMemory())
        return unchanged;
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&op);
          call && call->isConvergent())
        return unchanged;
    }
  if (profits && isShort)
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
  else if (profits && operations <= maxOperations)
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", copies);
  return unchanged;
}

} // namespace mlir::obs::detail
