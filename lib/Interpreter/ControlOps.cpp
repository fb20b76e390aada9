//===- ControlOps.cpp - Meaning of loops, branches and calls --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

/// Sets the results of the operation.
static void setResults(Frame &frame, const Instruction &inst, DataRef values) {
  for (unsigned i = 0; i < inst.results.size(); ++i)
    frame.set(inst, i, values[i]);
}

/// The values that a loop carries are in memory: forces virtual arrays.
static LogicalResult materializeCarried(Frame &frame, const Instruction &inst,
                                        TypeRange types, Data &values) {
  for (auto [type, value] : llvm::zip(types, values))
    if (failed(frame.machine.materialize(inst.op->getLoc(), type, value)))
      return failure();
  return success();
}

/// Runs the body for lb, lb + step, ... below ub; it is given the counter and
/// the carried values, and yields the carried values of the next iteration.
LogicalResult interpreter::runFor(Frame &frame, const Instruction &inst) {
  auto op = cast<scf::ForOp>(inst.op);
  Scalar counter = frame.get(inst, 0).scalar;
  Scalar end = frame.get(inst, 1).scalar;
  Scalar step = frame.get(inst, 2).scalar;
  if (op.getUnsignedCmp() ? step.getUInt() == 0 : step.getSInt() <= 0)
    return frame.trap(inst, "the step of the loop is " + Twine(step.getSInt()) +
                                "; it must be positive");
  DataVector carried;
  for (unsigned i = 3; i < inst.operands.size(); ++i)
    carried.push_back(frame.get(inst, i));
  if (failed(materializeCarried(frame, inst, op.getResultTypes(), carried)))
    return failure();
  auto isBelow = [&](const Scalar &a, const Scalar &b) {
    return op.getUnsignedCmp() ? a.getUInt() < b.getUInt()
                               : a.getSInt() < b.getSInt();
  };
  while (isBelow(counter, end)) {
    DataVector arguments{Datum(counter)};
    arguments.append(carried);
    carried.clear();
    if (failed(frame.run(inst.bodies[0], arguments, carried)) ||
        failed(materializeCarried(frame, inst, op.getResultTypes(), carried)))
      return failure();
    Scalar next = Scalar::fromInt(counter.type, counter.bits + step.bits);
    // The counter would wrap: no further iteration is below the end.
    if (!isBelow(counter, next))
      break;
    counter = next;
  }
  setResults(frame, inst, carried);
  return success();
}

/// Runs the first region, which yields a condition and values. While the
/// condition is true, passes the values to the second region, which yields the
/// operands of the next iteration.
LogicalResult interpreter::runWhile(Frame &frame, const Instruction &inst) {
  auto op = cast<scf::WhileOp>(inst.op);
  if (frame.machine.isProbing())
    return frame.trap(inst, "the elements say how often the loop runs");
  DataVector carried;
  for (unsigned i = 0; i < inst.operands.size(); ++i)
    carried.push_back(frame.get(inst, i));
  while (true) {
    DataVector condition;
    if (failed(
            materializeCarried(frame, inst, op.getOperandTypes(), carried)) ||
        failed(frame.run(inst.bodies[0], carried, condition)))
      return failure();
    carried.assign(condition.begin() + 1, condition.end());
    if (failed(materializeCarried(frame, inst, op.getResultTypes(), carried)))
      return failure();
    if (!condition.front().scalar.isTrue())
      break;
    DataVector arguments = carried;
    carried.clear();
    if (failed(frame.run(inst.bodies[1], arguments, carried)))
      return failure();
  }
  setResults(frame, inst, carried);
  return success();
}

/// Runs one of two regions.
LogicalResult interpreter::runIf(Frame &frame, const Instruction &inst) {
  bool condition = frame.get(inst, 0).scalar.isTrue();
  DataVector results;
  if (failed(frame.run(inst.bodies[condition ? 0 : 1], {}, results)))
    return failure();
  setResults(frame, inst, results);
  return success();
}

/// Runs the region of the case, or the first region, which is the default.
LogicalResult interpreter::runIndexSwitch(Frame &frame,
                                          const Instruction &inst) {
  auto op = cast<scf::IndexSwitchOp>(inst.op);
  ArrayRef<int64_t> cases = op.getCases();
  const int64_t *found = llvm::find(cases, frame.get(inst, 0).scalar.getSInt());
  unsigned body = found == cases.end() ? 0 : found - cases.begin() + 1;
  DataVector results;
  if (failed(frame.run(inst.bodies[body], {}, results)))
    return failure();
  setResults(frame, inst, results);
  return success();
}

/// Runs the region once.
LogicalResult interpreter::runExecuteRegion(Frame &frame,
                                            const Instruction &inst) {
  if (!llvm::hasSingleElement(inst.op->getRegion(0)))
    return frame.trap(inst, "the region has several blocks");
  DataVector results;
  if (failed(frame.run(inst.bodies[0], {}, results)))
    return failure();
  setResults(frame, inst, results);
  return success();
}

/// One of two values, of any type (of scalars it is a scalar operation).
LogicalResult interpreter::runSelect(Frame &frame, const Instruction &inst) {
  bool condition = frame.get(inst, 0).scalar.isTrue();
  frame.set(inst, 0, frame.get(inst, condition ? 1 : 2));
  return success();
}

/// The results of a function of this module.
LogicalResult interpreter::runCall(Frame &frame, const Instruction &inst) {
  auto op = cast<func::CallOp>(inst.op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  DataVector arguments, results;
  for (unsigned i = 0; i < inst.operands.size(); ++i)
    arguments.push_back(frame.get(inst, i));
  if (failed(frame.machine.call(op.getLoc(), callee, arguments, results)))
    return failure();
  setResults(frame, inst, results);
  return success();
}

/// Stops with the message unless the condition holds.
LogicalResult interpreter::runAssert(Frame &frame, const Instruction &inst) {
  if (frame.get(inst, 0).scalar.isTrue() || frame.machine.isProbing())
    return success();
  return frame.trap(inst, "assertion failed: " +
                              cast<AssertOp>(inst.op).getMessage());
}

/// Prints the format and a line break; each `{}` is the next value.
LogicalResult interpreter::runPrint(Frame &frame, const Instruction &inst) {
  raw_ostream *output = frame.machine.options.output;
  if (!output)
    return success();
  StringRef rest = cast<PrintOp>(inst.op).getFormat();
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    auto [before, after] = rest.split("{}");
    *output << before << frame.get(inst, i).scalar;
    rest = after;
  }
  *output << rest << '\n';
  return success();
}
