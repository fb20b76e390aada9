//===- ControlFlow.cpp - Loops and branches of StableHLO ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

/// Finds the tensors of rank 0 that cannot be scalars of the host.
void Importer::findDeviceScalars() {
  bool isChanged = true;
  auto mark = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && !type.getRank())
      isChanged |= deviceScalars.insert(value).second;
  };
  auto flow = [&](auto from, auto to) {
    for (auto [source, target] : llvm::zip(from, to))
      if (deviceScalars.contains(source))
        mark(target);
  };
  auto flowResults = [&](Region &region, ValueRange to) {
    if (region.hasOneBlock() && !region.front().empty())
      flow(region.front().back().getOperands(), to);
  };
  while (std::exchange(isChanged, false))
    source.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name == "stablehlo.while" && op->getNumRegions() == 2) {
        flow(op->getOperands(), op->getResults());
        flowResults(op->getRegion(1), op->getResults());
        for (Region &region : op->getRegions())
          if (region.hasOneBlock())
            flow(op->getResults(), region.front().getArguments());
      } else if (name == "stablehlo.case" || name == "stablehlo.if") {
        for (Region &region : op->getRegions())
          flowResults(region, op->getResults());
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = tables.lookup<func::FuncOp>(call.getCallee());
        if (callee && callee.getBody().hasOneBlock()) {
          flow(op->getOperands(), callee.getArguments());
          flowResults(callee.getBody(), op->getResults());
        }
      } else if (isHostOp(op) || name == "stablehlo.reshape" ||
                 name == "stablehlo.broadcast_in_dim" ||
                 name == "stablehlo.optimization_barrier") {
        for (Value operand : op->getOperands()) {
          auto type = dyn_cast<RankedTensorType>(operand.getType());
          if (!type || type.getRank() || deviceScalars.contains(operand))
            llvm::for_each(op->getResults(), mark);
        }
      } else if (name != "stablehlo.constant") {
        llvm::for_each(op->getResults(), mark);
      }
    });
}

void Importer::importBarrier(Operation *op) {
  require(op, op->getOperandTypes() == op->getResultTypes(),
          "has results of other types than its operands");
  define(op->getResults(), lookup(op->getOperands()));
}

void Importer::importWhile(Operation *op) {
  auto types = op->getOperandTypes();
  require(op, types == op->getResultTypes(),
          "has results of other types than its operands");
  requireRegion(op, 0, types, b.getI1Type());
  requireRegion(op, 1, types, types);
  if (isInvalid)
    return;
  // Scalars of the host stay scalars. All other values are in memory. The
  // extents of carried arrays do not change.
  Values init = getStored(op->getOperands(), op->getResults());
  SmallVector<Type> lowered(ValueRange(init).getTypes());
  auto loop = scf::WhileOp::create(b, lowered, init);
  SmallVector<Location> locs(lowered.size(), op->getLoc());
  for (auto [region, into] :
       llvm::zip_equal(op->getRegions(), loop->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&into, {}, lowered, locs);
    define(region.getArguments(), block->getArguments());
    auto returned = region.front().back().getOperands();
    isInvalid = failed(importRegion(region.front()));
    if (isInvalid)
      return;
    b.setLoc(op->getLoc());
    if (&into == &loop.getBefore())
      scf::ConditionOp::create(b, getHostScalar(returned.front()),
                               block->getArguments());
    else
      scf::YieldOp::create(b, getStored(returned, op->getResults()));
  }
  define(op->getResults(), loop.getResults());
}

void Importer::importBranches(Operation *op) {
  bool isIf = op->getName().getStringRef() == "stablehlo.if";
  unsigned count = op->getNumRegions();
  Type chooserType = isIf ? Type(b.getI1Type()) : Type(b.getI32Type());
  require(op,
          op->getOperand(0).getType() == RankedTensorType::get({}, chooserType),
          "needs a scalar that chooses the branch");
  for (unsigned k = 0; k < count; ++k)
    requireRegion(op, k, {}, op->getResultTypes());
  if (isInvalid)
    return;
  auto types = llvm::map_to_vector(op->getResults(), [&](Value result) -> Type {
    Type element = convertElementType(getElement(result));
    return isHostScalar(result) ? element
                                : getPullType(getShape(result), element);
  });
  Value chooser = getHostScalar(op->getOperand(0));
  // Each branch but the last one is the first region of an `if`, whose second
  // region has the branches after it.
  auto importFrom = [&](auto &self, unsigned k) -> Values {
    scf::IfOp choice;
    OpBuilder::InsertionGuard guard(b);
    if (k + 1 < count) {
      Value condition = chooser;
      if (!isIf)
        condition = b.compare(ScalarBuilder::Order::EQ, chooser,
                              b.getNumber(b.getI32Type(), k));
      choice = scf::IfOp::create(b, types, condition, true, true);
      b.setInsertionPointToStart(&choice.getThenRegion().front());
    }
    Block &block = op->getRegion(k).front();
    isInvalid = isInvalid || failed(importRegion(block));
    if (isInvalid)
      return {};
    b.setLoc(op->getLoc());
    Values found = getStored(block.back().getOperands(), op->getResults());
    if (!choice)
      return found;
    scf::YieldOp::create(b, found);
    b.setInsertionPointToStart(&choice.getElseRegion().front());
    Values others = self(self, k + 1);
    if (!isInvalid)
      scf::YieldOp::create(b, others);
    return llvm::to_vector_of<Value>(choice.getResults());
  };
  Values results = importFrom(importFrom, 0);
  if (!isInvalid)
    define(op->getResults(), results);
}
