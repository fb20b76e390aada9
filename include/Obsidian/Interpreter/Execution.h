//===- Execution.h - Meaning of foreign operations --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// InterpretableOpInterface, by which the reference interpreter executes
// operations of other dialects, and the class for one execution of such an
// operation. Arrays are functions. So an array result that an operation sets
// runs later, once for each read.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_EXECUTION_H
#define OBSIDIAN_INTERPRETER_EXECUTION_H

#include "Obsidian/Interpreter/Arrays.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::obs::interpreter {

struct Frame;
struct Instruction;

/// One execution of an operation. The functions that it returns stay valid
/// while the program runs. The execution itself does not.
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

  // Results. The program traps if extents contradict the type of the result, if
  // a write is outside of them, or if the number of values is not the number of
  // element types of the array.
  void setScalar(unsigned result, Scalar value);
  LogicalResult setPull(unsigned result, Index extents, ElementFn read);
  LogicalResult setPush(unsigned result, Index extents, ProgramFn run);
  /// The result of an index map: the array of operand `operand` with other
  /// indices. Pull array: element i is the element of the source at
  /// `toSource(i)`. Push array: element i of the source goes to `toTarget(i)`,
  /// or is dropped if `toTarget` returns nothing. `toTarget` may be null if the
  /// operand is a pull array.
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
