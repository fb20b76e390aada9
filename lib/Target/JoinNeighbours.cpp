//===- JoinNeighbours.cpp - Accesses of neighbours as vectors -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM joins accesses of neighbours, and NVPTX runs this pass at its end. LLVM
// 22 compares all addresses whose distance is a known number together. If there
// are gaps between them, as between the rows of a tile, it joins the neighbours
// after the first gap only in part: of eight halves whose address is a multiple
// of 16, it loads two alone, two together and four together. So accesses that
// make whole vectors have hidden addresses while the pass runs, each run of
// neighbours another one. It runs at the end once more, and joins what has
// different bases.
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

namespace mlir::obs::detail {

namespace {
/// An access to the address `base` plus a number of bytes.
struct Access {
  llvm::Instruction *op = nullptr;
  llvm::GetElementPtrInst *base = nullptr;
  int64_t distance = 0;
  uint64_t bytes = 0;
  llvm::Align alignment;
};
} // namespace

/// The access of `op`. The base is null if the address does not depend on other
/// values, and if `op` is no access.
static Access getAccess(llvm::Instruction &op, const llvm::DataLayout &layout) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&op);
  if (!pointer)
    return {};
  llvm::APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  // Numbers at the end of the address, but not those in front of its base.
  llvm::Value *base = const_cast<llvm::Value *>(pointer);
  while (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(base)) {
    // It may add some indices and fail at the next one.
    llvm::APInt more = distance;
    if (!step->accumulateConstantOffset(layout, more))
      return {&op, step, distance.getSExtValue(),
              layout.getTypeStoreSize(llvm::getLoadStoreType(&op)),
              llvm::getLoadStoreAlignment(&op)};
    distance = more;
    base = step->getPointerOperand();
  }
  return {};
}

/// True if accesses to neighbours make whole vectors of 16 bytes, or one
/// shorter vector.
static bool areVectors(llvm::ArrayRef<Access> run) {
  uint64_t bytes =
      run.back().distance + run.back().bytes - run.front().distance;
  return run.size() > 1 && (bytes % 16 == 0 || bytes == 8 || bytes == 4) &&
         run.front().alignment.value() >= std::min<uint64_t>(bytes, 16);
}

/// Hides the addresses of a run of accesses. The result is the hidden base.
static llvm::CallInst *hide(llvm::ArrayRef<Access> run) {
  llvm::GetElementPtrInst *base = run.front().base;
  llvm::IRBuilder<> builder(base->getParent(), std::next(base->getIterator()));
  auto *hidden =
      llvm::cast<llvm::CallInst>(builder.CreateLaunderInvariantGroup(base));
  for (const Access &access : run) {
    builder.SetInsertPoint(access.op);
    llvm::Value *pointer =
        access.distance == 0
            ? hidden
            : builder.CreatePtrAdd(hidden, builder.getInt64(access.distance));
    access.op->setOperand(llvm::isa<llvm::StoreInst>(access.op), pointer);
  }
  return hidden;
}

llvm::PreservedAnalyses
JoinNeighboursPass::run(llvm::Function &function,
                        llvm::FunctionAnalysisManager &analyses) {
  llvm::MapVector<llvm::GetElementPtrInst *, llvm::SmallVector<Access>> groups;
  for (llvm::Instruction &op : llvm::instructions(function)) {
    Access access = getAccess(op, function.getDataLayout());
    if (access.base)
      groups[access.base].push_back(access);
  }
  llvm::SmallVector<llvm::CallInst *> hidden;
  for (auto &[base, accesses] : groups) {
    llvm::stable_sort(accesses, [](const Access &a, const Access &b) {
      return a.distance < b.distance;
    });
    for (llvm::ArrayRef<Access> rest = accesses; !rest.empty();) {
      size_t count = 1;
      while (count < rest.size() &&
             rest[count].distance ==
                 rest[count - 1].distance + int64_t(rest[count - 1].bytes))
        ++count;
      if (areVectors(rest.take_front(count)))
        hidden.push_back(hide(rest.take_front(count)));
      rest = rest.drop_front(count);
    }
  }
  // Distances that are known are those without the calls.
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::LoadStoreVectorizerPass().run(function, analyses);
  for (llvm::CallInst *call : hidden) {
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace mlir::obs::detail
