//===- ObsExchanges.cpp - Operations between the blocks of a kernel -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"

using namespace mlir;
using namespace mlir::obs;

static LogicalResult verifyCounter(CounterOpInterface op) {
  auto counters = cast<MemRefType>(op.getCounters().getType());
  Type count = counters.getElementType();
  if ((!count.isInteger(32) && !count.isInteger(64)) ||
      counters.getRank() != int64_t(op.getIndices().size()))
    return op->emitOpError("[counter-memory] counts in one element of type i32 "
                           "or i64, with one index for each dimension; not in ")
           << counters << " with " << op.getIndices().size() << " indices";
  if (!op.getCell())
    return success();
  auto cell = cast<MemRefType>(op.getCell().getType());
  if (cell.getRank() != 0 || !cell.getElementType().isIndex())
    return op->emitOpError(
               "[counter-cell] passes the number on through a memref "
               "of one index, not through ")
           << cell;
  return success();
}

LogicalResult TicketOp::verify() { return verifyCounter(*this); }
LogicalResult ArriveOp::verify() { return verifyCounter(*this); }

/// Checks the memory of results with values of these types.
static LogicalResult verifyResults(Operation *op, ValueRange memory,
                                   TypeRange types, Value flags) {
  auto isArrayOf = [](Value array, Type type) {
    auto of = cast<MemRefType>(array.getType());
    return of.getRank() == 1 && of.getElementType() == type;
  };
  if (!isArrayOf(flags, IntegerType::get(op->getContext(), 32)))
    return op->emitOpError("[publish-flags] has one flag of type i32 for each "
                           "result, not ")
           << flags.getType();
  if (memory.size() != types.size() ||
      !llvm::all_of_zip(memory, types, isArrayOf))
    return op->emitOpError("[publish-memory] has memory of one dimension for "
                           "each value, with elements of its type");
  return success();
}

LogicalResult PublishOp::verify() {
  if (getState() != 1 && getState() != 2)
    return emitOpError("[publish-state] publishes state 1 or 2, not ")
           << getState();
  return verifyResults(*this, getMemory(), getValues().getTypes(), getFlags());
}

LogicalResult AwaitOp::verify() {
  return verifyResults(*this, getMemory(), getValues().getTypes(), getFlags());
}

ArriveOp obs::findArrival(Operation *write, Operation *read) {
  for (; read->getParentOp(); read = read->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(read->getParentOp());
    if (!branch || read->getParentRegion() != &branch.getThenRegion())
      continue;
    SmallVector<Value> conditions{branch.getCondition()};
    while (!conditions.empty()) {
      Operation *condition = conditions.pop_back_val().getDefiningOp();
      if (auto both = dyn_cast_or_null<arith::AndIOp>(condition))
        llvm::append_range(conditions, both->getOperands());
      auto arrival = dyn_cast_or_null<ArriveOp>(condition);
      Operation *before =
          arrival ? arrival->getBlock()->findAncestorOpInBlock(*write)
                  : nullptr;
      if (before && before->isBeforeInBlock(arrival))
        return arrival;
    }
  }
  return {};
}
