//===- Artefact.h - A compiled program as one structure ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artefact contains the kernels of a program and the plan of its host: the
// types of parameters and results, and the steps in order. It contains no types
// of MLIR. It is read from JSON, the launch contract, which `build` writes for
// a lowered module. The executor (HostProgram.h) and the printer of C
// (ToHostC.h) read only the artefact. The code of kernels is kept separately:
// PTX for a GPU, the `gpu` dialect for the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_ARTEFACT_ARTEFACT_H
#define OBSIDIAN_ARTEFACT_ARTEFACT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::obs::artefact {

/// An array or a scalar that is a parameter or result of a function. A tuple in
/// the source has one of them for each component.
struct Slot {
  /// Only for a parameter.
  std::string name;
  /// The type in the source, for messages.
  std::string type;
  /// `i1`, `i32`, `f16`, `bf16`, `index` and so on, as in all structures of
  /// this file.
  std::string elementType;
  /// The number of the parameter or result in the source.
  unsigned index = 0;
  bool isScalar = false;
  /// The extents and bounds of an array. An extent that is not in the type is
  /// negative. A missing bound is negative.
  std::vector<int64_t> extents, bounds;

  /// True if the type allows an array of these extents.
  bool allows(llvm::ArrayRef<int64_t> given) const;
};

/// A scalar or an array of a host function, which is defined once.
struct PlanValue {
  /// The name in the function; empty for a constant.
  std::string name;
  std::string elementType;
  /// The rank of an array; -1 for a scalar.
  int rank = -1;
  bool isConstant = false;
  /// The bits of a constant. Bits above the width are zero.
  uint64_t bits = 0;
};

/// The number of a value in its function.
using ValueNumber = unsigned;
using ValueList = std::vector<ValueNumber>;

/// One step of a host function. `kind` determines the number of operands and
/// lists, which have the order in its comment, and the meaning of `text`.
struct Step {
  enum Kind : uint8_t {
    /// text: an operation of `arith` or `math`, perhaps with a predicate after
    /// a space, or `memref.dim`; list: operands.
    Let,
    /// New memory of the device, or of the host; list: extents.
    Allocate,
    Host,
    /// Operand: array.
    Free,
    /// Operands: array, value.
    Fill,
    /// Operands: array, from.
    Copy,
    /// The elements of an array from the first one on, row by row. Operand:
    /// array; list: extents.
    View,
    /// The elements of an array from `offset` on, row by row. Operands: array,
    /// offset; list: extents.
    Part,
    /// The elements at offset + sum of index * stride, counted from the
    /// beginning of the memory of the array. Operands: array, offset; lists:
    /// extents, strides.
    Strided,
    /// Operand: array; lists: offsets, extents, strides; `dropped` are
    /// dimensions of the array that the result does not have.
    Slice,
    /// The same array with the type `text`. Operand: array; list: its extents,
    /// -1 where the type leaves an extent open.
    Cast,
    /// Operand: array; list: indices.
    Load,
    /// Operands: value, array; list: indices.
    Store,
    /// text: the kernel. Operands: blocks in x, threads in x, bytes of shared
    /// memory, blocks in y and z, threads in y and z; list: arguments.
    Launch,
    /// text: `unsigned` or empty. Operands: from, to, by; lists: initial and
    /// next values of the carried values. Inner: the carried values, the number
    /// of the iteration. One body.
    For,
    /// Operand: condition; lists: initial values, those passed on by the test,
    /// next values. Inner: the arguments of the test, then those of the body.
    /// Bodies: test, body.
    While,
    /// Operand: condition; lists: values of either body. Two bodies.
    If,
    /// Operand: condition; text: message.
    Assert,
    /// text: format; list: values.
    Print,
    /// text: an operation that no step corresponds to. A function with such an
    /// operation has no other steps.
    Unsupported
  };

  Kind kind = Let;
  /// The number of the step in the function, counted over all bodies.
  unsigned number = 0;
  std::string text;
  /// `file:line:column`, or empty.
  std::string location;
  ValueList operands;
  std::vector<ValueList> lists;
  ValueList inner, results;
  std::vector<unsigned> dropped;
  std::vector<std::vector<Step>> bodies;
};

/// A host function.
struct Function {
  /// Its object in the launch contract. The other members are read from it.
  llvm::json::Object contract;
  std::string name, location, returnLocation;
  /// Values 0, 1, ... are the parameters.
  std::vector<Slot> parameters, results;
  std::vector<PlanValue> values;
  std::vector<Step> steps;
  ValueList returned;
  unsigned numSteps = 0;
};

/// A kernel, and all data that a program in any language needs to launch it.
struct Kernel {
  std::string name, module, location;
  /// Its object in the launch contract; empty if nothing launches it.
  llvm::json::Object contract;

  unsigned getNumParameters() const;
  bool isArray(unsigned parameter) const;
  /// The type of a scalar, or of the elements of an array.
  llvm::StringRef getElementType(unsigned parameter) const;
  /// The address of an array is a multiple of this number of bytes. It is
  /// larger than an element if the kernel accesses several elements at once. 1
  /// for a scalar.
  uint64_t getAlignment(unsigned parameter) const;
  /// True if the kernel does not read an array, and stores each of its elements
  /// in the usual way.
  bool onlyWrites(unsigned parameter) const;
  /// True if the kernel itself waits for the kernels that were launched before
  /// it (`obs-wait-for-kernels`), so that its launch need not wait.
  bool waitsForKernels() const;
};

struct Artefact {
  /// The GPU, for example `sm_90`.
  std::string chip;
  std::vector<Kernel> kernels;
  std::vector<Function> functions;

  const Function *findFunction(llvm::StringRef name) const;
  const Kernel *findKernel(llvm::StringRef name) const;
};

/// Calls `visit` for each step, outer ones first.
void walk(llvm::ArrayRef<Step> steps,
          llvm::function_ref<void(const Step &)> visit);

/// The launch contract; docs/Interop.md describes it. It is an error if nothing
/// launches a kernel, because its launch is then unknown.
llvm::Expected<llvm::json::Value> toJSON(const Artefact &artefact);

/// Adds the function that `contract` describes to `artefact`, which has its
/// kernels. The error message describes the first problem, here and below.
llvm::Error addFunction(Artefact &artefact, llvm::json::Object contract);

/// Reads a launch contract.
llvm::Expected<Artefact> fromJSON(llvm::StringRef text);

/// The number of bits of an element of this type; 0 if it is not an element
/// type.
unsigned getElementBits(llvm::StringRef type);
/// The number of bytes of an element in memory.
unsigned getElementBytes(llvm::StringRef type);

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_ARTEFACT_ARTEFACT_H
