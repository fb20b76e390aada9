//===- Interpreter.h - Reference interpreter of obs programs ----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter executes a function of the obs dialect directly, with one
// simple function for each operation. It defines the meaning of the language
// and shares no code with the compiler: no folder, pass or interface that code
// generation uses is called. Operations of other dialects define their meaning
// by InterpretableOpInterface.
//
// A violation of a rule of the language is a trap: an error with the location
// of the operation. Examples are an index out of range, extents that disagree,
// a read of an element that was never written, two writes of one element under
// `disjoint`, a use of a view after a force into its memory, and the errors
// that ScalarOps.h lists.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_INTERPRETER_H
#define OBSIDIAN_INTERPRETER_INTERPRETER_H

#include "Obsidian/Interpreter/ScalarOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <limits>
#include <vector>

namespace mlir::obs::interpreter {

/// A scalar or an array of scalars in host memory: an argument or a result.
///
/// An array of tuples consists of one HostValue for each element type, in
/// order, with the same extents. Every other argument or result is one
/// HostValue.
struct HostValue {
  Type elementType;
  bool isScalar = false;
  /// The extents of an array; none is negative. A memref of rank 0 has none.
  SmallVector<int64_t> extents;
  /// `getScalarBytes(elementType)` bytes for each element, in row-major order.
  std::vector<char> data;

  static HostValue scalar(Scalar value);
  /// An array of zeros, or an error if the host has no memory for it. No extent
  /// is negative.
  static llvm::Expected<HostValue> array(Type elementType,
                                         ArrayRef<int64_t> extents);

  /// Product of the extents; 1 for a scalar.
  int64_t getNumElements() const;
  /// The element at a row-major position, which must be in range.
  Scalar get(int64_t position) const;
  void set(int64_t position, Scalar value);
};

/// True if the host can allocate this number of bytes now. A container reports
/// no error of its own, since the code has no exceptions.
bool canAllocate(uint64_t bytes);

/// Options of the interpreter.
struct InterpreterOptions {
  /// The output of `obs.print`; if null, nothing is printed.
  raw_ostream *output = nullptr;
  /// The maximum number of executions of regions. More executions are an error.
  uint64_t budget = std::numeric_limits<uint64_t>::max();
};

/// The element types of the HostValues of one argument or result of type `type`
/// (a scalar, a memref, or a pull array that is not nested), in order. Empty if
/// a value of the type cannot be passed.
SmallVector<Type> getHostElementTypes(Type type);

/// Runs `entry` on `arguments`. The arguments must have the types and extents
/// of the parameters; otherwise an error is returned. Arguments of memref type
/// are memory, which afterwards contains the elements that the program has
/// written. Returns the results; virtual pull arrays are evaluated. Every error
/// has the form `file:line:col: message`.
llvm::Expected<SmallVector<HostValue>>
interpret(func::FuncOp entry, MutableArrayRef<HostValue> arguments,
          const InterpreterOptions &options = {});

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_INTERPRETER_INTERPRETER_H
