//===- CheckTypes.h - The types of a Dag program ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are declared before their uses, so the parser has the types of all
// parts of an expression when it has parsed the expression.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_CHECKTYPES_H
#define OBSIDIAN_LIB_FRONTEND_DAG_CHECKTYPES_H

#include "AST.h"

namespace mlir::obs::dag {

/// The names of a program, and the types of expressions. A null type means that
/// an error was reported.
class Checker {
public:
  Checker(Program &program, Diagnostics &diagnostics);

  /// Sets the type of an expression whose parts have types.
  void check(Expr &expr);
  const DagType *getArray(const DagType *element);
  const DagType *findType(StringRef name, llvm::SMLoc loc);
  /// A `for` over the array `array` declares `variable`.
  void checkVariable(const Expr &array, const Parameter &variable,
                     llvm::SMLoc typeLoc);

  void declare(const Parameter &variable);
  void declare(const Function &function);
  void declare(const StructDecl &decl);

  /// True if argument 0 of a call of `name` is a function.
  static bool takesFunction(StringRef name);

  /// The variables of the blocks around the current place.
  std::vector<std::map<StringRef, const DagType *>> scopes;

private:
  template <typename... Parts>
  const DagType *error(llvm::SMLoc loc, const char *message,
                       const Parts &...parts) {
    diagnostics.error(loc, message, parts...);
    return nullptr;
  }
  const DagType *findVariable(StringRef name) const;
  const DagType *compute(Expr &expr);
  const DagType *checkBinary(llvm::SMLoc loc, Opcode op, const DagType *left,
                             const DagType *right);
  const DagType *checkStruct(Expr &expr);
  const DagType *checkCall(Expr &expr);
  const DagType *checkPrimitive(Expr &expr);
  /// The result type of a function for arguments of `types`, which are at
  /// `locs`.
  const DagType *checkArguments(const Function &function,
                                ArrayRef<const DagType *> types,
                                ArrayRef<llvm::SMLoc> locs);
  /// The same for the function or operator `expr`, which is an argument.
  const DagType *apply(Expr &expr, ArrayRef<const DagType *> types);

  Program &program;
  Diagnostics &diagnostics;
  std::map<StringRef, const DagType *> namedTypes;
  std::map<StringRef, const Function *> functions;
  const DagType *intType, *floatType, *boolType;
};

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_CHECKTYPES_H
