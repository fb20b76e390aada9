//===- ControlFlow.cpp - Calls, loops and branches of StableHLO -----------===//
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
  auto flowRegions = [&](Operation *op, ValueRange to) {
    for (Region &region : op->getRegions())
      if (region.hasOneBlock() && !region.front().empty())
        flow(region.front().back().getOperands(), to);
  };
  while (std::exchange(isChanged, false))
    source.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name == "stablehlo.while" && op->getNumRegions() == 2 &&
          op->getRegion(1).hasOneBlock()) {
        flow(op->getOperands(), op->getResults());
        Block &body = op->getRegion(1).front();
        if (!body.empty())
          flow(body.back().getOperands(), op->getResults());
        for (Region &region : op->getRegions())
          if (region.hasOneBlock())
            flow(op->getResults(), region.front().getArguments());
      } else if (name == "stablehlo.case" || name == "stablehlo.if") {
        flowRegions(op, op->getResults());
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = tables.lookup<func::FuncOp>(call.getCallee());
        if (callee && callee.getBody().hasOneBlock()) {
          flow(op->getOperands(), callee.getArguments());
          flowRegions(callee, op->getResults());
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

bool stablehlo::hasPlainBody(func::FuncOp function) {
  Region &body = function.getBody();
  return body.hasOneBlock() && !body.front().empty() &&
         isa<func::ReturnOp>(body.front().back());
}

FailureOr<func::FuncOp> Importer::findCallee(Operation *op) {
  auto callee = tables.lookup<func::FuncOp>(cast<func::CallOp>(op).getCallee());
  if (!callee || !hasPlainBody(callee))
    return op->emitOpError("calls a function without a body of one block");
  if (op->getOperandTypes() != callee.getArgumentTypes() ||
      op->getResultTypes() != callee.getResultTypes())
    return op->emitOpError("calls a function of another type");
  if (llvm::is_contained(calls, callee))
    return op->emitOpError("calls a function that calls itself");
  return callee;
}

LogicalResult Importer::importCall(Operation *op) {
  FailureOr<func::FuncOp> callee = findCallee(op);
  if (failed(callee))
    return failure();
  for (auto [argument, operand] :
       llvm::zip_equal(callee->getArguments(), op->getOperands()))
    values[argument] = lookup(operand);
  calls.push_back(*callee);
  FailureOr<Values> results = importBlock(callee->getBody().front());
  calls.pop_back();
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    values[result] = value;
  return success();
}

LogicalResult Importer::importWhile(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, count, 2, count)))
    return failure();
  auto types = op->getOperandTypes();
  if (types != op->getResultTypes())
    return op->emitOpError("has results of other types than its operands");
  for (Region &region : op->getRegions()) {
    bool isCondition = &region == &op->getRegion(0);
    if (!region.hasOneBlock() || region.front().empty() ||
        region.front().getArgumentTypes() != types ||
        region.front().back().getName().getStringRef() != "stablehlo.return")
      return op->emitOpError("has a region whose arguments are not those of "
                             "the loop");
    auto returned = region.front().back().getOperandTypes();
    if (isCondition
            ? returned.size() != 1 ||
                  returned.front() != RankedTensorType::get({}, b.getI1Type())
            : returned != types)
      return op->emitOpError("has a region that returns other types than the "
                             "loop has");
  }
  // Scalars of the host stay scalars. All other values are in memory.
  auto getCarried = [&](ValueRange tensors) {
    Values carried, arrays;
    for (auto [tensor, result] : llvm::zip_equal(tensors, op->getResults())) {
      bool isScalar =
          getShape(result).empty() && !deviceScalars.contains(result);
      carried.push_back(isScalar ? getHostScalar(tensor) : getArray(tensor));
      if (!isScalar)
        arrays.push_back(carried.back());
    }
    Values stored = b.store(arrays);
    auto next = stored.begin();
    for (Value &value : carried)
      if (isa<PullType>(value.getType()))
        value = *next++;
    return carried;
  };
  Values init = getCarried(op->getOperands());
  SmallVector<Type> lowered(ValueRange(init).getTypes());
  // The extents of carried arrays do not change.
  auto loop = scf::WhileOp::create(b, lowered, init);
  SmallVector<Location> locs(count, op->getLoc());
  for (auto [region, into] :
       llvm::zip_equal(op->getRegions(), loop->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&into, {}, lowered, locs);
    for (auto [argument, value] :
         llvm::zip_equal(region.front().getArguments(), block->getArguments()))
      values[argument] = value;
    bool isCondition = &into == &loop.getBefore();
    Operation *end = &region.front().back();
    if (failed(importBlock(region.front())))
      return failure();
    b.setLoc(op->getLoc());
    if (isCondition)
      scf::ConditionOp::create(b, getHostScalar(end->getOperand(0)),
                               block->getArguments());
    else
      scf::YieldOp::create(b, getCarried(end->getOperands()));
  }
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), loop.getResults()))
    values[result] = value;
  return success();
}

LogicalResult Importer::importBranches(Operation *op) {
  bool isIf = op->getName().getStringRef() == "stablehlo.if";
  unsigned count = op->getNumRegions();
  if (failed(verifyCounts(op, 1, isIf ? 2 : std::max(count, 1u),
                          op->getNumResults())))
    return failure();
  Type element = isIf ? Type(b.getI1Type()) : Type(b.getI32Type());
  if (op->getOperand(0).getType() != RankedTensorType::get({}, element))
    return op->emitOpError("needs a scalar that chooses the branch");
  for (Region &region : op->getRegions())
    if (!region.hasOneBlock() || region.front().empty() ||
        region.front().getNumArguments() ||
        region.front().back().getName().getStringRef() != "stablehlo.return" ||
        region.front().back().getOperandTypes() != op->getResultTypes())
      return op->emitOpError("has a region that does not return its results");
  SmallVector<Type> types;
  for (Value result : op->getResults()) {
    Type type = convertElement(getElement(result));
    bool isScalar = getShape(result).empty() && !deviceScalars.contains(result);
    Numbers extents(getShape(result));
    if (extents.empty())
      extents.push_back(1);
    types.push_back(isScalar ? type
                             : PullType::get(b.getContext(), extents, type));
  }
  Value chooser = getHostScalar(op->getOperand(0));
  // Each branch but the last one is the first region of an `if`.
  OpBuilder::InsertionGuard guard(b);
  Operation *first = nullptr;
  for (unsigned k = 0; k < count; ++k) {
    scf::IfOp choice;
    if (k + 1 < count) {
      Value condition = chooser;
      if (!isIf)
        condition = arith::CmpIOp::create(
            b, arith::CmpIPredicate::eq, chooser,
            arith::ConstantOp::create(b, b.getI32IntegerAttr(k)));
      choice = scf::IfOp::create(b, types, condition, true, true);
      if (first)
        scf::YieldOp::create(b, choice.getResults());
      first = first ? first : choice;
      b.setInsertionPointToStart(&choice.getThenRegion().front());
    }
    Block &block = op->getRegion(k).front();
    if (failed(importBlock(block)))
      return failure();
    b.setLoc(op->getLoc());
    Values found, arrays;
    for (auto [value, type] :
         llvm::zip_equal(block.back().getOperands(), types)) {
      found.push_back(isa<PullType>(type) ? getArray(value)
                                          : getHostScalar(value));
      if (isa<PullType>(type))
        arrays.push_back(found.back());
    }
    Values stored = b.store(arrays);
    auto next = stored.begin();
    for (Value &value : found)
      if (isa<PullType>(value.getType()))
        value = *next++;
    if (!first) {
      // There is only one branch.
      for (auto [result, value] : llvm::zip_equal(op->getResults(), found))
        values[result] = value;
      return success();
    }
    scf::YieldOp::create(b, found);
    if (choice)
      b.setInsertionPointToStart(&choice.getElseRegion().front());
  }
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), first->getResults()))
    values[result] = value;
  return success();
}
