//===- HintLoads.cpp - Loads of elements that are not read again ----------===//
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
#include "llvm/IR/Argument.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

namespace mlir::obs::detail {

bool isGlobal(const llvm::Value *pointer) {
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return llvm::any_of(objects, [](const llvm::Value *object) {
    unsigned space = object->getType()->getPointerAddressSpace();
    return !llvm::isa<llvm::AllocaInst>(object) &&
           (space == llvm::NVPTXAS::ADDRESS_SPACE_GENERIC ||
            space == llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  });
}

/// True if no thread writes the array of `pointer` while the kernel runs, as
/// NVPTX decides it for loads by the read-only path.
static bool isReadOnly(const llvm::Value *pointer) {
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return llvm::all_of(objects, [](const llvm::Value *object) {
    auto *array = llvm::dyn_cast<llvm::Argument>(object);
    return array && array->hasNoAliasAttr() && array->onlyReadsMemory();
  });
}

/// True if `loop` does not write global memory.
static bool onlyReads(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &op : *block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&op);
          store && isGlobal(store->getPointerOperand()))
        return false;
  return true;
}

/// True if `load` reads other elements in each thread, in each block, and in
/// each iteration of all loops around it, of which `loop` is the innermost one.
/// The same elements may be in the cache.
static bool readsOthers(llvm::LoadInst &load, const llvm::Loop *loop,
                        llvm::ScalarEvolution &evolution) {
  const llvm::SCEV *place = evolution.getSCEV(load.getPointerOperand());
  for (; loop; loop = loop->getParentLoop())
    if (evolution.isLoopInvariant(place, loop))
      return false;
  auto dependsOn = [&](llvm::Intrinsic::ID number) {
    return llvm::SCEVExprContains(place, [&](const llvm::SCEV *part) {
      auto *value = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      auto *call = value
                       ? llvm::dyn_cast<llvm::IntrinsicInst>(value->getValue())
                       : nullptr;
      return call && call->getIntrinsicID() == number;
    });
  };
  return dependsOn(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x) &&
         dependsOn(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
}

/// The elements that `load` reads, by an instruction that has the hint. LLVM
/// has no such load.
static llvm::Value *buildLoad(llvm::LoadInst *load) {
  llvm::IRBuilder<> builder(load);
  bool isLong = load->getType()->getScalarSizeInBits() == 64;
  llvm::SmallVector<llvm::Type *> types(isLong ? 2 : 4,
                                        builder.getIntNTy(isLong ? 64 : 32));
  auto *pointer = llvm::PointerType::get(load->getContext(),
                                         llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL);
  auto *type = llvm::FunctionType::get(
      llvm::StructType::get(load->getContext(), types), pointer,
      /*isVarArg=*/false);
  auto *instruction = llvm::InlineAsm::get(
      type,
      isLong ? "ld.global.nc.L1::evict_first.v2.b64 {$0, $1}, [$2];"
             : "ld.global.nc.L1::evict_first.v4.b32 {$0, $1, $2, $3}, [$4];",
      isLong ? "=l,=l,l" : "=r,=r,=r,=r,l", /*hasSideEffects=*/false);
  llvm::CallInst *read = builder.CreateCall(
      type, instruction,
      builder.CreateAddrSpaceCast(load->getPointerOperand(), pointer));
  read->setDoesNotThrow();
  read->setOnlyReadsMemory();
  llvm::Value *all = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(types.front(), types.size()));
  for (unsigned i = 0; i < types.size(); ++i)
    all = builder.CreateInsertElement(all, builder.CreateExtractValue(read, i),
                                      i);
  return builder.CreateBitCast(all, load->getType());
}

/// The loads of `function` that stream an array.
static llvm::SmallVector<llvm::LoadInst *>
findStreams(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::SmallDenseMap<llvm::Loop *, bool> known;
  llvm::SmallVector<llvm::LoadInst *> loads;
  for (llvm::BasicBlock &block : function) {
    llvm::Loop *loop = loops.getLoopFor(&block);
    if (!loop)
      continue;
    for (llvm::Instruction &op : block) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&op);
      if (!load || !load->isSimple() ||
          !isReadOnly(load->getPointerOperand()) ||
          !readsOthers(*load, loop, evolution))
        continue;
      auto [entry, isNew] = known.try_emplace(loop);
      if (isNew)
        entry->second = onlyReads(*loop);
      if (entry->second)
        loads.push_back(load);
    }
  }
  return loads;
}

llvm::PreservedAnalyses
HintLoadsPass::run(llvm::Function &function,
                   llvm::FunctionAnalysisManager &analyses) {
  if (findStreams(function, analyses).empty())
    return llvm::PreservedAnalyses::all();
  // NVPTX itself joins loads of neighbours later, when no pass can be added.
  analyses.invalidate(function,
                      llvm::LoadStoreVectorizerPass().run(function, analyses));
  const llvm::DataLayout &layout = function.getDataLayout();
  for (llvm::LoadInst *load : findStreams(function, analyses)) {
    if (layout.getTypeSizeInBits(load->getType()) != 128 ||
        load->getAlign() < llvm::Align(16))
      continue;
    load->replaceAllUsesWith(buildLoad(load));
    load->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace mlir::obs::detail
