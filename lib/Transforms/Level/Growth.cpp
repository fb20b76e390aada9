//===- Growth.cpp - Differences of values between neighbours --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Growth.h"
#include "Accesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;

Growth Growths::get(Value value) {
  if (value == counter)
    return Growth::One;
  if (!body->getParent()->isAncestor(value.getParentRegion()))
    return Growth::None;
  auto [found, isNew] = known.try_emplace(value, Growth::Unknown);
  if (!isNew)
    return found->second;
  Growth growth = compute(value);
  return known[value] = growth;
}

Growth Growths::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
                   get(loop.getLowerBound()) == Growth::None &&
                   get(loop.getStep()) == Growth::None
               ? Growth::None
               : Growth::Unknown;
  }
  Operation *op = value.getDefiningOp();
  if (getDivisor(op))
    return isa<arith::RemUIOp>(op) ? Growth::One : Growth::None;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return Growth::Unknown;
  SmallVector<Growth> growths = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return get(operand); });
  if (llvm::all_of(growths, [](Growth g) { return g == Growth::None; }))
    return Growth::None;
  bool isSum = isa<arith::AddIOp>(op) &&
               llvm::is_contained(growths, Growth::None) &&
               llvm::is_contained(growths, Growth::One);
  bool isDifference = isa<arith::SubIOp>(op) && growths[0] == Growth::One &&
                      growths[1] == Growth::None;
  return value.getType().isIndex() && (isSum || isDifference) ? Growth::One
                                                              : Growth::Unknown;
}

bool Growths::isContiguous(Operation *access) {
  ValueRange indices = getIndexedMemory(access).second;
  return !indices.empty() && get(indices.back()) == Growth::One &&
         llvm::all_of(indices.drop_back(),
                      [&](Value index) { return get(index) == Growth::None; });
}

Value Growths::getDivisor(Operation *op) {
  if (!isa<arith::DivUIOp, arith::RemUIOp>(op) ||
      op->getOperand(0) != counter || get(op->getOperand(1)) != Growth::None)
    return {};
  return op->getOperand(1);
}
