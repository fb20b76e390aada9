//===- ScalarTable.h - The table of scalar ops ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_INTERPRETER_SCALARTABLE_H
#define OBSIDIAN_LIB_INTERPRETER_SCALARTABLE_H

#include "Obsidian/Interpreter/ScalarOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::obs::interpreter {

using Operands = ArrayRef<Scalar>;
using Results = SmallVectorImpl<Scalar>;

/// The functions that evaluate the operations.
using ScalarTable = llvm::DenseMap<TypeID, ScalarOpFn>;

template <typename OpTy>
void add(ScalarTable &table, ScalarOpFn fn) {
  table.try_emplace(TypeID::get<OpTy>(), fn);
}

/// Adds the operations on floats, and those between them and integers.
void addFloatOps(ScalarTable &table);

/// `x * y + sum` of floats of one type, with one rounding.
Scalar multiplyAdd(const Scalar &x, const Scalar &y, const Scalar &sum);

/// Appends the result of an operation.
inline llvm::Error give(Results &results, Scalar result) {
  results.push_back(result);
  return llvm::Error::success();
}

/// The error that `op` has no result for its operands.
llvm::Error trap(Operation *op, const Twine &reason);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_LIB_INTERPRETER_SCALARTABLE_H
