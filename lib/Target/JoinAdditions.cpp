//===- JoinAdditions.cpp - Atomic additions of vectors --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The additions are inline assembly, because LLVM has no `red`. So are the
// joined ones.
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"

#include "Obsidian/Target/Chip.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

namespace mlir::obs::detail {

/// The number of additions that are joined.
static constexpr unsigned count = 4;

/// The call if `op` is an addition of an f32 to global memory; else null.
static llvm::CallInst *getAddition(llvm::Instruction &op) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&op);
  auto *code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())
                    : nullptr;
  return code && code->getAsmString() == additionOfFloats ? call : nullptr;
}

/// True if `additions` are those to neighbours, in order, and the address of
/// the first one is aligned.
static bool areNeighbours(llvm::ArrayRef<llvm::CallInst *> additions,
                          llvm::ScalarEvolution &evolution) {
  const llvm::DataLayout &layout = evolution.getDataLayout();
  llvm::Value *first = additions.front()->getArgOperand(0)->stripPointerCasts();
  for (auto [number, addition] : llvm::enumerate(additions)) {
    llvm::Type *type = addition->getArgOperand(1)->getType();
    auto distance = llvm::getPointersDiff(
        type, first, type, addition->getArgOperand(0)->stripPointerCasts(),
        layout, evolution, /*StrictCheck=*/true);
    if (!distance || *distance != int64_t(number))
      return false;
  }
  return llvm::getKnownAlignment(first, layout, additions.front()).value() >=
         count * sizeof(float);
}

static void join(llvm::ArrayRef<llvm::CallInst *> additions) {
  llvm::IRBuilder<> builder(additions.back());
  llvm::SmallVector<llvm::Value *> operands = {
      additions.front()->getArgOperand(0)};
  for (llvm::CallInst *addition : additions)
    operands.push_back(addition->getArgOperand(1));
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), types,
                                       /*isVarArg=*/false);
  auto *instruction = llvm::InlineAsm::get(
      type, "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};",
      "l,f,f,f,f,~{memory}", /*hasSideEffects=*/true);
  builder.CreateCall(type, instruction, operands)->setDoesNotThrow();
  for (llvm::CallInst *addition : additions)
    addition->eraseFromParent();
}

llvm::PreservedAnalyses
JoinAdditionsPass::run(llvm::Function &function,
                       llvm::FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (llvm::BasicBlock &block : function) {
    llvm::SmallVector<llvm::CallInst *> additions;
    for (llvm::Instruction &op : llvm::make_early_inc_range(block)) {
      if (llvm::CallInst *addition = getAddition(op)) {
        additions.push_back(addition);
        if (additions.size() > count)
          additions.erase(additions.begin());
        if (additions.size() == count &&
            areNeighbours(
                additions,
                analyses.getResult<llvm::ScalarEvolutionAnalysis>(function))) {
          join(additions);
          additions.clear();
          changed = true;
        }
      } else if (op.mayReadOrWriteMemory()) {
        // The order of accesses stays.
        additions.clear();
      }
    }
  }
  return changed ? llvm::PreservedAnalyses::none()
                 : llvm::PreservedAnalyses::all();
}

} // namespace mlir::obs::detail
