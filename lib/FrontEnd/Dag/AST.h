//===- AST.h - Programs in Dag as they are written --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_AST_H
#define OBSIDIAN_LIB_FRONTEND_DAG_AST_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"
#include <map>
#include <memory>
#include <vector>

namespace mlir::obs::dag {

struct StructDecl;

/// A type. Types are unique: equal types have equal addresses.
struct DagType {
  enum Kind { Int, Float, Bool, Struct, Array };
  Kind kind;
  const StructDecl *decl = nullptr; ///< Of a struct.
  const DagType *element = nullptr; ///< Of an array.

  bool isArray() const { return kind == Array; }
  bool isNumber() const { return kind == Int || kind == Float; }
  /// True for an array and for a struct that contains one.
  bool hasArrays() const;
  /// The number of dimensions; 0 for other types.
  unsigned getRank() const;
  /// The type of the elements that are no arrays.
  const DagType *getScalar() const;
  /// As the source spells it: `float[][]`.
  std::string str() const;
};

/// A type as the source names it: a word and the number of `[]` behind it.
struct TypeName {
  StringRef name;
  unsigned rank = 0;
  llvm::SMLoc loc;
};

struct Parameter {
  TypeName typeName;
  StringRef name;
  llvm::SMLoc loc;
  const DagType *type = nullptr;
};

struct StructDecl {
  StringRef name;
  llvm::SMLoc loc;
  std::vector<Parameter> fields;

  /// The number of the field; -1 if there is none of this name.
  int find(StringRef field) const;
};

enum class Opcode {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Shl,
  Shr,
  AndAnd,
  OrOr,
  And,
  Or,
  Xor,
  Lt,
  Le,
  Gt,
  Ge,
  Neg,
  Not
};

/// `&&`, `+`, ...
StringRef getSpelling(Opcode op);

enum class Primitive {
  ZipWith,
  Map,
  FilterWith,
  Reduce,
  Scan,
  Range,
  Transpose,
  Dim,
  Min,
  Max,
  Log2,
  FloatOfInt,
  IntOfFloat
};

struct Function;
struct Stmt;

struct Expr {
  enum Kind {
    Int,
    Float,
    Bool,
    Name,
    Call,
    Index,
    Field,
    Struct,
    Unary,
    Binary,
    For,
    Operator ///< A bare operator, as the argument of a primitive.
  };
  Kind kind;
  llvm::SMLoc loc;
  StringRef name; ///< Of a name, call, field, struct, or variable of a `for`.
  int32_t integer = 0;
  double number = 0;
  Opcode op = Opcode::Add;
  std::vector<std::unique_ptr<Expr>> args;
  /// The names of the fields of a struct.
  std::vector<std::pair<StringRef, llvm::SMLoc>> fields;
  TypeName typeName; ///< Of the variable of a `for`.
  std::vector<Stmt> body;

  // What the type checker finds:
  const DagType *type = nullptr;
  /// The user's function that is called, or that a name means as an argument.
  const Function *function = nullptr;
  std::optional<Primitive> primitive;
  int field = 0;      ///< The number of a field, or N of `dimN`.
  unsigned depth = 1; ///< Of the tree, which is limited.
};

/// `type name = value;` or `return value;`.
struct Stmt {
  bool isReturn;
  TypeName typeName;
  StringRef name;
  llvm::SMLoc loc;
  std::unique_ptr<Expr> value;
};

struct Function {
  TypeName resultName;
  StringRef name;
  llvm::SMLoc loc;
  std::vector<Parameter> params;
  std::vector<Stmt> body;
  const DagType *result = nullptr;
};

struct Program {
  std::vector<std::unique_ptr<StructDecl>> structs;
  /// In the order of the source.
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<DagType>> types;
  /// Structs and functions, in the order of the source.
  std::vector<std::pair<StructDecl *, Function *>> order;
};

/// Reports the first error of a program, at its place in the source.
class Diagnostics {
public:
  Diagnostics(llvm::SourceMgr &sources, MLIRContext *context)
      : sources(sources), context(context) {}

  Location getLocation(llvm::SMLoc loc) const;
  void error(llvm::SMLoc loc, const Twine &message);
  void error(Location loc, const Twine &message);
  bool hasFailed() const { return failed; }
  /// The error was of an attempt only.
  void forget() { failed = false; }

  llvm::SourceMgr &sources;
  MLIRContext *const context;

private:
  bool failed = false;
};

/// Parses the main buffer of `diagnostics.sources`.
Program parse(Diagnostics &diagnostics);

/// Checks every function, and writes types and callees into the tree.
void checkTypes(Program &program, Diagnostics &diagnostics);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_AST_H
