//===- InMemory.cpp - Arrays of host code that are in memory --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/InMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

bool obs::isHostFunction(func::FuncOp function) {
  return !function->hasAttr("obs.level");
}

bool obs::isVirtualChoice(scf::IfOp choice) {
  return isMemoryEffectFree(choice) &&
         !choice
              .walk([](LoopLikeOpInterface loop) {
                return llvm::any_of(loop->getResultTypes(),
                                    llvm::IsaPred<PullType>)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

bool obs::isInMemory(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op)
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](ZipOp zip) { return llvm::all_of(zip.getArrays(), isInMemory); })
      .Case([](UnzipOp unzip) { return isInMemory(unzip.getArray()); })
      .Case([](IndexMapOpInterface map) {
        return isa<PullType>(map.getArray().getType()) && map.isContiguous() &&
               isInMemory(map.getArray());
      })
      .Case([](arith::SelectOp choice) {
        return isInMemory(choice.getTrueValue()) &&
               isInMemory(choice.getFalseValue());
      })
      .Case([&](scf::IfOp choice) {
        // Arrays of the branches are forced in the branches.
        if (!isVirtualChoice(choice))
          return true;
        unsigned number = cast<OpResult>(array).getResultNumber();
        return isInMemory(choice.thenYield().getOperand(number)) &&
               isInMemory(choice.elseYield().getOperand(number));
      })
      .Default([](Operation *other) {
        return !isa<PullOpInterface, GetOp, ConstantOp>(other);
      });
}
