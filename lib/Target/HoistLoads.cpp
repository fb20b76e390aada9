//===- HoistLoads.cpp - Loads before quotients and roots ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: blocks of LLVM IR. Out: the same blocks, in which global loads stand
// before the first of at least three exact quotients and roots. The assembler
// makes a branch of each of these, for the operands that need more steps, and
// it moves no load across a branch: a thread would wait for each load before it
// begins the next one.
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace mlir::obs::detail {

/// The maximum number of bytes that a thread loads early: 32 registers.
static constexpr uint64_t mostBytes = 128;

/// The number of quotients and roots of a window for which early loads are
/// worth their registers. A layer norm has a root and a reciprocal, and then
/// loads: it reaches 0.96 of the rate of a copy on an H200, and 0.94 with early
/// loads.
static constexpr unsigned leastBranches = 3;

/// True if the assembler makes a branch of `op`.
static bool hasBranch(const llvm::Instruction &op) {
  if (auto *call = dyn_cast<llvm::IntrinsicInst>(&op))
    return call->getIntrinsicID() == llvm::Intrinsic::sqrt;
  return op.getOpcode() == llvm::Instruction::FDiv;
}

/// Adds the operations from `first` on that compute `value`, operands first.
/// False if they cannot be executed before `first`.
static bool collect(llvm::Value *value, llvm::Instruction *first,
                    llvm::SetVector<llvm::Instruction *> &found) {
  auto *op = dyn_cast<llvm::Instruction>(value);
  if (!op || op->getParent() != first->getParent() || op->comesBefore(first) ||
      found.contains(op))
    return true;
  if (op->mayReadOrWriteMemory() || hasBranch(*op) ||
      !llvm::isSafeToSpeculativelyExecute(op) ||
      !llvm::all_of(op->operands(), [&](llvm::Value *operand) {
        return collect(operand, first, found);
      }))
    return false;
  found.insert(op);
  return true;
}

namespace {
/// Operations of a block from a quotient or root on, without a write.
struct Window {
  llvm::Instruction *first = nullptr;
  SmallVector<llvm::LoadInst *> loads;
  uint64_t bytes = 0;
  unsigned branches = 0;

  /// Moves the loads before `first`, if this is worth the registers.
  bool hoist() const {
    if (branches < leastBranches)
      return false;
    bool isChanged = false;
    for (llvm::LoadInst *load : loads) {
      llvm::SetVector<llvm::Instruction *> address;
      if (!collect(load->getPointerOperand(), first, address))
        continue;
      for (llvm::Instruction *part : address)
        part->moveBefore(first->getIterator());
      load->moveBefore(first->getIterator());
      isChanged = true;
    }
    return isChanged;
  }
};
} // namespace

/// Moves the loads of `block` that follow a quotient or root. A load stays
/// behind a write, and behind an operation that may not return.
static bool hoistLoads(llvm::BasicBlock &block) {
  Window window;
  bool isChanged = false;
  auto close = [&] {
    isChanged |= window.hoist();
    window = {};
  };
  for (llvm::Instruction &op : block) {
    if (hasBranch(op)) {
      window.first = window.first ? window.first : &op;
      ++window.branches;
    }
    if (op.mayWriteToMemory() ||
        !llvm::isGuaranteedToTransferExecutionToSuccessor(&op))
      close();
    auto *load = dyn_cast<llvm::LoadInst>(&op);
    if (!load || !window.first || !load->isSimple() ||
        !isGlobal(load->getPointerOperand()))
      continue;
    uint64_t size = block.getDataLayout().getTypeStoreSize(load->getType());
    if (window.bytes + size > mostBytes) {
      close();
      continue;
    }
    window.loads.push_back(load);
    window.bytes += size;
  }
  close();
  return isChanged;
}

llvm::PreservedAnalyses HoistLoadsPass::run(llvm::Function &function,
                                            llvm::FunctionAnalysisManager &) {
  bool isChanged = false;
  for (llvm::BasicBlock &block : function)
    isChanged |= hoistLoads(block);
  return isChanged ? llvm::PreservedAnalyses::none()
                   : llvm::PreservedAnalyses::all();
}

} // namespace mlir::obs::detail
