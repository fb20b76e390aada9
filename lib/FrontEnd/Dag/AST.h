//===- AST.h - The syntax tree of Dag programs --- --------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_AST_H
#define OBSIDIAN_LIB_FRONTEND_DAG_AST_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"
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
  const StructDecl *decl = nullptr; ///< The declaration of a struct.
  const DagType *element = nullptr; ///< The element type of an array.

  bool isArray() const { return kind == Array; }
  bool isNumber() const { return kind == Int || kind == Float; }
  /// True for an array and for a struct that contains one.
  bool hasArrays() const;
  /// The number of dimensions; 0 for other types.
  unsigned getRank() const;
  /// The element type of the innermost array.
  const DagType *getScalar() const;
  /// The type as in the source: `float[][]`.
  std::string str() const;
};

struct Parameter {
  const DagType *type;
  StringRef name;
  llvm::SMLoc loc;
};

struct StructDecl {
  StringRef name;
  llvm::SMLoc loc;
  std::vector<Parameter> fields;

  /// The number of the field; -1 if no field has this name.
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
  StringRef name; ///< The name of a variable, call, field or struct.
  int32_t integer = 0;
  double number = 0;
  Opcode op = Opcode::Add;
  std::vector<std::unique_ptr<Expr>> args;
  /// The names of the fields of a struct.
  std::vector<std::pair<StringRef, llvm::SMLoc>> fields;
  std::vector<Stmt> body; ///< Of a `for`.

  // Set by the type checker:
  const DagType *type = nullptr;
  /// The function of the program that is called, or that a name as an argument
  /// refers to.
  const Function *function = nullptr;
  std::optional<Primitive> primitive;
  int field = 0;      ///< The number of a field, or N of `dimN`.
  unsigned depth = 1; ///< The depth of the tree, which is limited.
};

/// `type name = value;` or `return value;`.
struct Stmt {
  bool isReturn;
  StringRef name;
  llvm::SMLoc loc;
  std::unique_ptr<Expr> value;
};

struct Function {
  const DagType *result;
  StringRef name;
  llvm::SMLoc loc;
  std::vector<Parameter> params;
  std::vector<Stmt> body;
};

struct Program {
  std::vector<std::unique_ptr<StructDecl>> structs;
  /// In the order of the source.
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<DagType>> types;
};

/// Reports the first error of a program, at its place in the source.
class Diagnostics {
public:
  Diagnostics(llvm::SourceMgr &sources, MLIRContext *context)
      : sources(sources), context(context) {}

  Location getLocation(llvm::SMLoc loc) const;
  void error(Location loc, const Twine &message);
  /// The parts replace {0}, {1} and so on in the message.
  template <typename... Parts>
  void error(llvm::SMLoc loc, const char *message, const Parts &...parts) {
    error(getLocation(loc), llvm::formatv(message, parts...).str());
  }
  bool hasFailed() const { return failed; }
  /// The error occurred in an attempt only.
  void forget() { failed = false; }

  llvm::SourceMgr &sources;
  MLIRContext *const context;

private:
  bool failed = false;
};

/// Parses the main buffer of `diagnostics.sources`, and checks all types.
Program parse(Diagnostics &diagnostics);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_AST_H
