//===- HostMemory.cpp - Memory of host code -------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::obs;

bool obs::isHostFunction(func::FuncOp function) {
  return !function->hasAttr("obs.level");
}

SmallVector<ForceOp> obs::getHostForces(func::FuncOp function) {
  SmallVector<ForceOp> forces;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto force = dyn_cast<ForceOp>(op))
      forces.push_back(force);
    return isa<FillOp, DistributeOp>(op) ? WalkResult::skip()
                                         : WalkResult::advance();
  });
  return forces;
}

SmallVector<Type> obs::getMemoryTypes(PullType type) {
  SmallVector<Type> types;
  for (Type element : type.getElementTypes())
    types.push_back(MemRefType::get(type.getExtents(), element));
  return types;
}

SmallVector<Value> obs::getMemorySources(Value memory) {
  if (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    return {view.getViewSource()};
  if (auto choice = memory.getDefiningOp<arith::SelectOp>())
    return {choice.getTrueValue(), choice.getFalseValue()};
  auto argument = dyn_cast<BlockArgument>(memory);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : memory.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned number = argument ? argument.getArgNumber() - 1
                               : cast<OpResult>(memory).getResultNumber();
    return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (argument && argument.getOwner() == loop.getBeforeBody())
      return {loop.getInits()[argument.getArgNumber()],
              loop.getYieldOp().getOperand(argument.getArgNumber())};
    unsigned number = argument ? argument.getArgNumber()
                               : cast<OpResult>(memory).getResultNumber();
    return {loop.getConditionOp().getArgs()[number]};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(memory).getResultNumber();
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  }
  return {};
}

Operation *obs::getLastUse(Value memory, Block *block, Operation *last) {
  for (Operation *user : memory.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!ancestor || user->hasTrait<OpTrait::IsTerminator>() ||
        isa<scf::ForOp, scf::WhileOp, gpu::DeallocOp>(user))
      return nullptr;
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
    if (isa<ViewLikeOpInterface, arith::SelectOp>(user)) {
      // Passed on under another name.
      last = getLastUse(user->getResult(0), block, last);
      if (!last)
        return nullptr;
    }
  }
  return last;
}

Operation *obs::getFirstUse(Value memory, Operation *after) {
  Operation *first = nullptr;
  Block *block = memory.getParentBlock();
  for (Operation *user : memory.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!isa<memref::DimOp>(user) &&
        (!after || after->isBeforeInBlock(ancestor)) &&
        (!first || ancestor->isBeforeInBlock(first)))
      first = ancestor;
  }
  return first;
}

bool obs::areEqualNumbers(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || first->getName() != second->getName() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber() ||
      first->getNumRegions() != 0 || !isMemoryEffectFree(first))
    return false;
  return OperationEquivalence::isEquivalentTo(
      first, second,
      [](Value x, Value y) { return success(areEqualNumbers(x, y)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}
