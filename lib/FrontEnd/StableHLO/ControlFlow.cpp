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

/// The integer that is each element of a constant.
static std::optional<int64_t> getInteger(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.constant")
    return std::nullopt;
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(op->getAttr("value"));
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>().trySExtValue();
}

/// The number of iterations of a loop that counts from a constant below a
/// constant, in steps of a constant.
static std::optional<int64_t> countIterations(Operation *loop) {
  Block &test = loop->getRegion(0).front(), &body = loop->getRegion(1).front();
  Operation *compare = test.back().getOperand(0).getDefiningOp();
  if (!compare || compare->getName().getStringRef() != "stablehlo.compare" ||
      compare->getNumOperands() != 2 ||
      getWord(compare, "comparison_direction") != "LT")
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare->getOperand(0));
  if (!counter || counter.getOwner() != &test)
    return std::nullopt;
  unsigned place = counter.getArgNumber();
  Operation *next = body.back().getOperand(place).getDefiningOp();
  if (!next || next->getName().getStringRef() != "stablehlo.add" ||
      next->getNumOperands() != 2 ||
      next->getOperand(0) != body.getArgument(place))
    return std::nullopt;
  auto first = getInteger(loop->getOperand(place)),
       end = getInteger(compare->getOperand(1)),
       step = getInteger(next->getOperand(1));
  if (!first || !end || !step || *first < 0 || *end < *first || *step <= 0)
    return std::nullopt;
  return llvm::divideCeil(*end - *first, *step);
}

/// The number of operations of a block, if all of them compute elements from
/// elements at the same or another place.
std::optional<int64_t> Importer::countElementwise(Block &block) {
  int64_t count = 0;
  for (Operation &op : llvm::drop_end(block)) {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee =
        call ? tables.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    if (callee && callee.getBody().hasOneBlock()) {
      std::optional<int64_t> inner = countElementwise(callee.front());
      if (!inner)
        return std::nullopt;
      count += *inner;
    } else if (ElementOp::find(&op) || isMove(&op)) {
      ++count;
    } else {
      return std::nullopt;
    }
  }
  return count;
}

SmallVector<Value> Importer::importWhile(OpReader &op) {
  auto types = op->getOperandTypes();
  op.require(types == op->getResultTypes(),
             "has results of other types than its operands");
  op.requireRegion(0, types, b.getI1Type());
  op.requireRegion(1, types, types);
  if (!op.isValid())
    return {};
  // A few iterations on elements are one map, such as the rounds of random
  // numbers. Otherwise, all values would be stored after each of them.
  constexpr int64_t mostIterations = 8, mostOperations = 1024;
  std::optional<int64_t> count = countIterations(op),
                         size = countElementwise(op->getRegion(1).front());
  if (count && size && *count <= mostIterations &&
      *count * *size <= mostOperations) {
    Values values = lookup(op->getOperands());
    for (int64_t k = 0; k < *count; ++k) {
      Block &body = op->getRegion(1).front();
      define(body.getArguments(), values);
      importRegion(body);
      if (hasError)
        return {};
      values = lookup(body.back().getOperands());
    }
    return values;
  }
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
