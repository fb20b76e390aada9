//===- Execution.h - Meaning of foreign operations --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation of another dialect needs to take part in the reference
// interpreter: InterpretableOpInterface, and the execution of one operation
// that its method gets. Arrays are functions, so what an operation gives for
// its results runs later, and as often as somebody reads them.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_EXECUTION_H
#define OBSIDIAN_INTERPRETER_EXECUTION_H

#include "Obsidian/Interpreter/Arrays.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::obs::interpreter {

struct Frame;
struct Instruction;

/// One execution of an operation. The functions that it gives stay valid as
/// long as the program runs; the execution itself does not.
class Execution {
public:
  using TrapFn = std::function<LogicalResult(const Twine &)>;
  using RegionFn = std::function<LogicalResult(DataRef, Data &)>;

  Execution(Frame &frame, const Instruction &inst) : frame(frame), inst(inst) {}

  // Operands. A read outside of the extents of an array is a trap.
  Scalar getScalar(unsigned operand) const;
  PullPtr getPull(unsigned operand) const;
  PushPtr getPush(unsigned operand) const;
  /// The only region of the operation as a function of its arguments.
  RegionFn getRegion() const;

  // Results. Extents that contradict the type of the result, a write outside of
  // them, or another number of values than the array has element types are a
  // trap.
  void setScalar(unsigned result, Scalar value);
  LogicalResult setPull(unsigned result, Index extents, ElementFn read);
  LogicalResult setPush(unsigned result, Index extents, ProgramFn run);
  /// The result of an index map: the array of operand `operand` under other
  /// indices. Pull: element i is the source's element at `toSource(i)`. Push:
  /// element i of the source goes to `toTarget(i)`, or is dropped if that is
  /// nothing; `toTarget` may be null if the operand is a pull array.
  LogicalResult
  setMoved(unsigned operand, Index extents,
           std::function<IndexVector(Index)> toSource,
           std::function<std::optional<IndexVector>(Index)> toTarget = nullptr);

  /// Stops the program with a message at the operation.
  LogicalResult trap(const Twine &message) const { return getTrap()(message); }
  /// The same for functions that run later.
  TrapFn getTrap() const;

private:
  Frame &frame;
  const Instruction &inst;
};

} // namespace mlir::obs::interpreter

#include "Obsidian/Interpreter/InterpreterInterfaces.h.inc"

#endif // OBSIDIAN_INTERPRETER_EXECUTION_H
