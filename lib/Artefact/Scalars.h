//===- Scalars.h - Scalars of the host as text ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_ARTEFACT_SCALARS_H
#define OBSIDIAN_LIB_ARTEFACT_SCALARS_H

#include "Obsidian/Artefact/Artefact.h"

namespace mlir::obs::artefact {

/// The text for an operand of an operation, and its element type.
struct Operand {
  std::string text;
  llvm::StringRef type;
};

/// The result of `op`, which is the text of a `Let`, as an expression in the
/// language of docs/Interop.md. Empty if this language does not have the
/// operation.
std::string express(llvm::StringRef op, llvm::ArrayRef<Operand> operands,
                    llvm::StringRef type);

/// A constant as such an expression, from which its bits can be read.
std::string expressConstant(llvm::StringRef type, uint64_t bits);

/// The bits of a constant that was written by `expressConstant`.
std::optional<uint64_t> readConstant(llvm::StringRef type,
                                     llvm::StringRef text);

/// True if `name` has a meaning in expressions, so that no value can have it.
bool isWordOfExpressions(llvm::StringRef name);

/// The type of a scalar in C99; an unsigned integer if `isUnsigned`. Empty if
/// there is none.
std::string getCType(llvm::StringRef type, bool isUnsigned = false);

/// The result of `op` as an expression of C99, <math.h> and the functions of
/// HostCPrelude.inc. If the result is defined in MLIR, it is defined in C, too,
/// and has the same value. Empty if C has no such operation.
std::string printInC(llvm::StringRef op, llvm::ArrayRef<Operand> operands,
                     llvm::StringRef type);

/// A constant as such an expression.
std::string printConstantInC(llvm::StringRef type, uint64_t bits);

/// True if `name` is a function of <math.h> that these expressions may call.
bool isMathFunction(llvm::StringRef name);

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_LIB_ARTEFACT_SCALARS_H
