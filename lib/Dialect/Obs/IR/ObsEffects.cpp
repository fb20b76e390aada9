//===- ObsEffects.cpp - Memory effects of forces --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are values: they do nothing until a force runs them. The force also
// does their writes beside the result.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;

/// True if values of this type can be memory: not numbers, arrays or programs.
static bool canBeMemory(Type type) {
  return !type.isIntOrIndexOrFloat() && !isa<PullType, PushType>(type);
}

/// True if only `program`, and the operations that give the memory its first
/// contents, use `memory`.
static bool isOwnMemory(Value memory, Operation *program) {
  Operation *alloc = memory.getDefiningOp();
  if (!alloc || !hasSingleEffect<MemoryEffects::Allocate>(alloc, memory))
    return false;
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (program->isProperAncestor(user))
      return true;
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return effects && user->getNumResults() == 0 &&
           !effects.getEffectOnValue<MemoryEffects::Read>(memory);
  });
}

/// True if a force of `arrays` runs a program that writes memory that outlives
/// it, beside its result.
static bool writeForeignMemory(ValueRange arrays) {
  SmallVector<Value> worklist(arrays);
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    Operation *program = worklist.pop_back_val().getDefiningOp();
    if (!program || !seen.insert(program).second)
      continue;
    auto isForeign = [&](const MemoryEffects::EffectInstance &effect) {
      Value memory = effect.getValue();
      if (!memory || !isa<MemoryEffects::Write>(effect.getEffect()))
        return false;
      memory = getUnderlyingMemory(memory);
      return !program->isAncestor(memory.getParentRegion()->getParentOp()) &&
             !isOwnMemory(memory, program);
    };
    WalkResult walk = program->walk([&](Operation *op) {
      bool hasMemory = false;
      for (Value operand : op->getOperands()) {
        if (isa_and_present<PushType>(operand.getType()))
          worklist.push_back(operand);
        hasMemory |= canBeMemory(operand.getType());
      }
      // Most operations have no such operand, which is faster to see.
      if (!hasMemory)
        return WalkResult::advance();
      SmallVector<MemoryEffects::EffectInstance> effects;
      if (auto force = dyn_cast<ForceOp>(op)) {
        // The programs that it runs stand in this one, or are visited, too.
        for (OpOperand &memory : force.getIntoMutable())
          effects.emplace_back(MemoryEffects::Write::get(), &memory);
      } else if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
        interface.getEffects(effects);
      }
      return llvm::any_of(effects, isForeign) ? WalkResult::interrupt()
                                              : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return true;
  }
  return false;
}

void ForceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Fresh arrays die with their results; given memory is written for good.
  for (OpResult result : getOperation()->getResults()) {
    if (getInto().empty())
      effects.emplace_back(MemoryEffects::Allocate::get(), result);
    effects.emplace_back(MemoryEffects::Write::get(), result);
  }
  for (OpOperand &memory : getIntoMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &memory);
  if (writeForeignMemory(getArrays()))
    effects.emplace_back(MemoryEffects::Write::get());
}
