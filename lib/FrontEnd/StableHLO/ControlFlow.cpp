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
  // The values that are computed from a value, and those that are found.
  DenseMap<Value, Values> users;
  Values found;
  auto flow = [&](ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      users[source].push_back(target);
  };
  auto flowResults = [&](Region &region, ValueRange to) {
    if (region.hasOneBlock() && !region.front().empty())
      flow(region.front().back().getOperands(), to);
  };
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
    } else if (ElementOp::isOnHost(op) || name == "stablehlo.reshape" ||
               name == "stablehlo.broadcast_in_dim" ||
               name == "stablehlo.optimization_barrier") {
      for (Value operand : op->getOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        if (!type || type.getRank())
          llvm::append_range(found, op->getResults());
        for (Value result : op->getResults())
          users[operand].push_back(result);
      }
    } else if (name != "stablehlo.constant") {
      llvm::append_range(found, op->getResults());
    }
  });
  while (!found.empty()) {
    Value value = found.pop_back_val();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && !type.getRank() && deviceScalars.insert(value).second)
      llvm::append_range(found, users.lookup(value));
  }
}

SmallVector<Value> Importer::importBarrier(OpReader &op) {
  op.require(op->getOperandTypes() == op->getResultTypes(),
             "has results of other types than its operands");
  return lookup(op->getOperands());
}

SmallVector<Value> Importer::importWhile(OpReader &op) {
  auto types = op->getOperandTypes();
  op.require(types == op->getResultTypes(),
             "has results of other types than its operands");
  op.requireRegion(0, types, b.getI1Type());
  op.requireRegion(1, types, types);
  if (!op.isValid())
    return {};
  // Scalars of the host stay scalars. All other values are in memory. The
  // extents of carried arrays do not change.
  Values init = getStored(op->getOperands(), op->getResults());
  auto importBody = [&](unsigned region, ValueRange arguments) {
    Block &block = op->getRegion(region).front();
    define(block.getArguments(), arguments);
    importRegion(block);
    return block.back().getOperands();
  };
  auto loop = scf::WhileOp::create(
      b, ValueRange(init).getTypes(), init,
      [&](OpBuilder &, Location, ValueRange x) {
        ValueRange condition = importBody(0, x);
        if (!hasError)
          scf::ConditionOp::create(b, getHostScalar(condition.front()), x);
      },
      [&](OpBuilder &, Location, ValueRange x) {
        ValueRange next = importBody(1, x);
        if (!hasError)
          scf::YieldOp::create(b, getStored(next, op->getResults()));
      });
  return loop.getResults();
}

SmallVector<Value> Importer::importBranches(OpReader &op) {
  bool isIf = op->getName().getStringRef() == "stablehlo.if";
  Type chooserType = isIf ? Type(b.getI1Type()) : Type(b.getI32Type());
  op.require(op->getOperand(0).getType() ==
                 RankedTensorType::get({}, chooserType),
             "needs a scalar that chooses the branch");
  for (unsigned k = 0; k < op->getNumRegions(); ++k)
    op.requireRegion(k, {}, op->getResultTypes());
  if (!op.isValid())
    return {};
  Value chooser = getHostScalar(op->getOperand(0));
  auto importBody = [&](unsigned k) {
    Block &block = op->getRegion(k).front();
    importRegion(block);
    return hasError ? Values()
                    : getStored(block.back().getOperands(), op->getResults());
  };
  // Each branch but the last one is the first region of an `if`, whose second
  // region has the branches after it.
  auto importFrom = [&](auto &self, unsigned k) -> Values {
    if (k + 1 == op->getNumRegions())
      return importBody(k);
    Value condition = isIf ? chooser
                           : b.compare(ScalarBuilder::Order::EQ, chooser,
                                       b.getNumber(b.getI32Type(), k));
    auto choice = scf::IfOp::create(
        b, condition,
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, importBody(k)); },
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(b, self(self, k + 1));
        });
    return choice.getResults();
  };
  return importFrom(importFrom, 0);
}
