//===- ScalarOps.h - Exact evaluation of scalar ops -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of `arith` and `math` on single values. The reference interpreter
// and the executor of host programs use it.
//
// A value is a type and a bit pattern of at most 64 bits. `index` has 64 bits.
// Operations on integers wrap; `nsw` and `nuw` have no effect. Operations on
// f32 and f64 use the arithmetic of the machine, in the precision of their
// type. Arithmetic of f16 and bf16 is correctly rounded. Functions of `math` on
// f16 and bf16 are computed in f32 and rounded.
//
// If the result of an operation is undefined, the evaluation is an error:
// division by zero, overflow of a signed division, a shift by the width or
// more, and the conversion of a float to an integer type that cannot represent
// it.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_INTERPRETER_SCALAROPS_H
#define OBSIDIAN_INTERPRETER_SCALAROPS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::obs::interpreter {

/// True for the types that a Scalar can hold: integers of 1 to 64 bits,
/// `index`, `f16`, `bf16`, `f32`, `f64`.
bool isScalarType(Type type);

/// The number of bits of a scalar type; 64 for `index`.
unsigned getScalarWidth(Type type);

/// The size of a scalar type in memory, in bytes: 1 for `i1`, the next power of
/// two for other integers, and 8 for `index`.
unsigned getScalarBytes(Type type);

/// One value of a scalar type. Bits above the width of the type are zero.
struct Scalar {
  Type type;
  uint64_t bits = 0;

  Scalar() = default;
  /// A value with these bits; bits above the width are dropped.
  Scalar(Type type, uint64_t bits);

  /// `value` of an integer or index type, wrapped to its width.
  static Scalar fromInt(Type type, int64_t value) {
    return Scalar(type, static_cast<uint64_t>(value));
  }
  /// `value` rounded to the nearest (ties to even) of a float type.
  static Scalar fromDouble(Type type, double value);
  /// The value of an integer, index, bool or float attribute.
  static llvm::Expected<Scalar> fromAttr(Attribute attr);
  /// Parses a literal, such as `-3`, `0x1f`, `true`, `1.5e-3`, `inf` or `nan`.
  /// An integer must fit the type, with or without sign.
  static llvm::Expected<Scalar> parse(Type type, StringRef text);
  /// Reads `getScalarBytes(type)` bytes in the byte order of the host.
  static Scalar load(Type type, const void *memory);
  /// Writes `getScalarBytes(type)` bytes.
  void store(void *memory) const;

  bool isTrue() const { return bits & 1; }
  uint64_t getUInt() const { return bits; }
  int64_t getSInt() const;
  /// The value of a float type, exactly.
  double getDouble() const;
  llvm::APInt getAPInt() const;
  llvm::APFloat getAPFloat() const;
  /// The value as an attribute of its type.
  TypedAttr getAttr() const;

  /// Same type and same bits (so NaN equals itself, and -0 is not 0).
  bool operator==(const Scalar &other) const {
    return type == other.type && bits == other.bits;
  }
  bool operator!=(const Scalar &other) const { return !(*this == other); }

  /// Signed decimal, `true`/`false` for i1, shortest decimal for floats.
  void print(llvm::raw_ostream &os) const;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Scalar &scalar);

/// Evaluates one operation and appends its results. The caller must check that
/// the operands have the types of the operation's operands. An error names the
/// operation and the reason, and not the location.
using ScalarOpFn = llvm::Error (*)(Operation *op, ArrayRef<Scalar> operands,
                                   SmallVectorImpl<Scalar> &results);

/// The evaluator of `op`. Null if `op` is not a supported operation of `arith`
/// or `math` on scalars. A caller that keeps the evaluator saves the lookup and
/// the checks of types.
ScalarOpFn lookupScalarOp(Operation *op);

/// `file:line:col` of `loc` (of the innermost call site, or of the first part
/// of a fused location). Empty if it has none.
std::string formatLocation(Location loc);

/// An error with the text `file:line:col: message`.
llvm::Error makeLocatedError(Location loc, const llvm::Twine &message);

/// The `file:line:col` at the start of `text`, and the text after `: `. If
/// there is no location, an empty string and all of `text`.
std::pair<StringRef, StringRef> splitLocation(StringRef text);

/// Prefixes `error` with `loc`, unless it is success.
llvm::Error addLocation(Location loc, llvm::Error error);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_INTERPRETER_SCALAROPS_H
