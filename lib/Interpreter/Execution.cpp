//===- Execution.cpp - Meaning of foreign operations ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Interpreter/Execution.h"
#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

#include "Obsidian/Interpreter/InterpreterInterfaces.cpp.inc"

LogicalResult interpreter::runInterpretable(Frame &frame,
                                            const Instruction &inst) {
  Execution execution(frame, inst);
  return cast<InterpretableOpInterface>(inst.op).interpret(execution);
}

Execution::TrapFn Execution::getTrap() const {
  return [&machine = frame.machine, loc = inst.op->getLoc()](
             const Twine &text) { return machine.trap(loc, text); };
}

/// Traps unless there is an element at `index`.
static LogicalResult checkIndex(const Execution::TrapFn &trap, Index index,
                                Index extents, StringRef verb) {
  if (index.size() == extents.size() && isInRange(index, extents))
    return success();
  return trap(verb + " index " + formatIndex(index) +
              ", outside of the extents " + formatIndex(extents));
}

/// Traps unless there is one value for each element type of `type`.
static LogicalResult checkValues(const Execution::TrapFn &trap, size_t count,
                                 Type type) {
  size_t needed = getArrayElementTypes(type).size();
  if (count == needed)
    return success();
  return trap("gives " + Twine(count) + " values for an element of " +
              Twine(needed));
}

Scalar Execution::getScalar(unsigned operand) const {
  return frame.get(inst, operand).scalar;
}

PullPtr Execution::getPull(unsigned operand) const {
  PullPtr source = frame.getPull(inst, operand);
  auto array = std::make_shared<PullArray>(*source);
  array->read = [source, trap = getTrap()](Location loc, Index index,
                                           Data &out) -> LogicalResult {
    if (failed(checkIndex(trap, index, source->extents, "reads")))
      return failure();
    return source->read(loc, index, out);
  };
  return array;
}

PushPtr Execution::getPush(unsigned operand) const {
  return frame.getPush(inst, operand);
}

Execution::RegionFn Execution::getRegion() const {
  return [closure = makeClosure(frame, inst)](DataRef arguments, Data &yields) {
    return (*closure)(arguments, yields);
  };
}

void Execution::setScalar(unsigned result, Scalar value) {
  frame.set(inst, result, value);
}

LogicalResult Execution::setPull(unsigned result, Index extents,
                                 ElementFn read) {
  Type type = inst.op->getResult(result).getType();
  return frame.setPull(
      inst, result, extents,
      [=, trap = getTrap()](Location loc, Index index, Data &out) {
        size_t before = out.size();
        if (failed(read(loc, index, out)))
          return failure();
        return checkValues(trap, out.size() - before, type);
      });
}

LogicalResult Execution::setPush(unsigned result, Index extents,
                                 ProgramFn run) {
  Type type = inst.op->getResult(result).getType();
  return frame.setPush(
      inst, result, extents,
      [=, trap = getTrap(), all = IndexVector(extents)](WriteFn writer) {
        return run([&](Location loc, DataRef values, Index index) {
          if (failed(checkIndex(trap, index, all, "writes")) ||
              failed(checkValues(trap, values.size(), type)))
            return failure();
          return writer(loc, values, index);
        });
      });
}

LogicalResult
Execution::setMoved(unsigned operand, Index extents,
                    std::function<IndexVector(Index)> toSource,
                    std::function<std::optional<IndexVector>(Index)> toTarget) {
  if (frame.isPull(inst, operand))
    return setPull(0, extents,
                   [source = getPull(operand),
                    toSource](Location loc, Index index, Data &out) {
                     return source->read(loc, toSource(index), out);
                   });
  if (!toTarget)
    return trap("moves the elements of pull arrays only");
  return setPush(
      0, extents, [source = getPush(operand), toTarget](WriteFn writer) {
        return source->run([&](Location loc, DataRef values, Index index) {
          std::optional<IndexVector> target = toTarget(index);
          return target ? writer(loc, values, *target) : success();
        });
      });
}
