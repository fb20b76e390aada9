//===- ScalarOps.h - Exact evaluation of scalar ops -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of `arith` and `math` on single values, used by everything that
// executes IR by walking it: the reference interpreter and host programs.
//
// A value is a type and a bit pattern of at most 64 bits, so nothing is
// allocated. `index` is 64 bits wide. Integer ops wrap; `nsw` and `nuw` change
// nothing. f32 and f64 ops run in the machine's own arithmetic, in the
// precision of their type; f16 and bf16 arithmetic is correctly rounded, and
// `math` functions of them are computed in f32 and rounded.
//
// An operation whose result the IR leaves undefined is an error here, not a
// number:
// division by zero, overflow of signed division, a shift by the width or more,
// conversion of a float to an integer type that cannot hold it.
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

/// Width in bits of a scalar type; `index` is 64.
unsigned getScalarWidth(Type type);

/// Size in bytes of a scalar type in memory: `i1` takes one byte, an integer
/// the next power of two of bytes, `index` eight.
unsigned getScalarBytes(Type type);

/// One value of a scalar type. Bits above the width of the type are zero.
struct Scalar {
  Type type;
  uint64_t bits = 0;

  Scalar() = default;
  /// A value with the given pattern; bits above the width are dropped.
  Scalar(Type type, uint64_t bits);

  /// `value` of an integer or index type, wrapped to its width.
  static Scalar fromInt(Type type, int64_t value) {
    return Scalar(type, static_cast<uint64_t>(value));
  }
  /// `value` rounded to the nearest (ties to even) of a float type.
  static Scalar fromDouble(Type type, double value);
  /// The number in an integer, index, bool or float attribute.
  static llvm::Expected<Scalar> fromAttr(Attribute attr);
  /// Parses a literal as a person writes it: `-3`, `0x1f`, `true`, `1.5e-3`,
  /// `inf`, `nan`. Integers must fit the type, signed or unsigned.
  static llvm::Expected<Scalar> parse(Type type, StringRef text);
  /// Reads `getScalarBytes(type)` bytes in the host's byte order.
  static Scalar load(Type type, const void *memory);
  /// Writes `getScalarBytes(type)` bytes.
  void store(void *memory) const;

  bool isTrue() const { return bits & 1; }
  uint64_t getUInt() const { return bits; }
  int64_t getSInt() const;
  /// The value of a float type; exact.
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

/// Evaluates one op; appends its results. The caller has checked that the
/// operands have the types of the op's operands. The error, if any, names the
/// op and the reason but not the location.
using ScalarOpFn = llvm::Error (*)(Operation *op, ArrayRef<Scalar> operands,
                                   SmallVectorImpl<Scalar> &results);

/// The evaluator of `op`, or null when it is not an `arith` or `math` op whose
/// operands and results all are scalars, or none that is known. Looking it up
/// once and keeping it saves the lookup and the checks of types.
ScalarOpFn lookupScalarOp(Operation *op);

/// `file:line:col` of `loc` (the innermost call site, the first of a fused
/// location), or an empty string when it has none.
std::string formatLocation(Location loc);

/// An error with the text `file:line:col: message`.
llvm::Error makeLocatedError(Location loc, const llvm::Twine &message);

/// The `file:line:col` at the start of `text`, and the text after `: `. Without
/// a location, an empty string and all of `text`.
std::pair<StringRef, StringRef> splitLocation(StringRef text);

/// Prefixes `error` with `loc`, unless it is success.
llvm::Error addLocation(Location loc, llvm::Error error);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_INTERPRETER_SCALAROPS_H
