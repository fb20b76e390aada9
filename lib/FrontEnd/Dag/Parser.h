//===- Parser.h - From the text of a Dag program to its graph ---*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser checks types and makes the graph in one pass: names are declared
// before their uses, so the values of all parts of an expression are known when
// the expression is parsed. Parser.cpp has declarations, statements and
// expressions, and Calls.cpp has operators, primitives and functions.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_PARSER_H
#define OBSIDIAN_LIB_FRONTEND_DAG_PARSER_H

#include "Lexer.h"
#include <deque>
#include <map>
#include <optional>

namespace mlir::obs::dag {

enum class Operands { Numbers, Ints, Bools };

/// A binary operator, with its precedence: 0 is the lowest.
struct Operator {
  StringLiteral spelling;
  Opcode opcode;
  unsigned precedence;
  Operands operands;
  bool isTest = false;
};
/// Null if the token is no binary operator.
const Operator *findOperator(const Token &token);

/// A primitive.
struct Signature {
  StringLiteral name;
  unsigned count; ///< The number of arguments; of `zip_with` the least number.
  bool takesFunction = false;
  /// The first argument besides the function that has to be an array, as those
  /// after it.
  unsigned firstArray = 2;
};
/// The primitive of a name; null if there is none.
const Signature *findPrimitive(StringRef name);

/// A function of the program. Each call parses its statements again, with the
/// arguments as its variables.
struct Function {
  const DagType *result;
  StringRef name;
  llvm::SMLoc loc;
  std::vector<Variable> params;
  Lexer body; ///< At the begin of the statements.
};

/// A value, and its place in the source.
struct Operand {
  Node *node;
  llvm::SMLoc loc;
};

/// An operator, or the name of a primitive or function, as the argument of a
/// primitive.
struct Callee {
  const Operator *op = nullptr;
  StringRef name;
  llvm::SMLoc loc;
};

/// After an error, all tokens are `End`, and values are arbitrary ones.
class Parser {
public:
  explicit Parser(Graph &graph)
      : graph(graph), diagnostics(graph.diagnostics),
        lexer(diagnostics.sources
                  .getMemoryBuffer(diagnostics.sources.getMainFileID())
                  ->getBuffer(),
              diagnostics) {
    for (const DagType *type : {graph.intType, graph.floatType, graph.boolType})
      namedTypes[type->name] = type;
  }

  void parseProgram(StringRef entry);

private:
  /// Reports an error. The parts replace {0}, {1} and so on in the message.
  template <typename... Parts>
  Node *error(llvm::SMLoc loc, const char *message, const Parts &...parts) {
    return error(diagnostics.getLocation(loc),
                 llvm::formatv(message, parts...).str());
  }
  Node *error(Location loc, const Twine &message) {
    diagnostics.error(loc, message);
    lexer.stop();
    graph.onlyTypes = true;
    return graph.constant(0);
  }
  /// Reports that another token was expected here.
  void expected(const Twine &what);
  const Token &token() const { return lexer.token; }
  bool takeIf(StringRef spelling);
  void require(StringRef spelling, const char *after);
  Token requireName(const char *what);
  bool isName() const;

  // Declarations.
  const DagType *parseType(Token &name, const char *what);
  Variable parseVariable();
  void declareOnce(std::vector<Variable> &variables, const char *what);
  void declare(const Variable &variable, Node *value);
  Node *find(StringRef variable) const;
  void parseStruct();
  void parseFunction();

  // Statements and expressions.
  Operand parseBlock();
  bool isDeclaration() const;
  void rejectStatement();
  Operand parseExpr(unsigned precedence = 0);
  Operand parseUnary();
  Operand parsePrimary();
  Node *parseFor(llvm::SMLoc loc);
  Node *parseStructValue(llvm::SMLoc loc);
  Node *parseCall(const Token &name);
  bool isAlone() const;
  Callee parseCallee();
  Node *getBinary(const Operator &op, llvm::SMLoc loc, Node *left, Node *right,
                  Node *guard = nullptr);
  Node *getPrimitive(const Signature &signature, StringRef name,
                     llvm::SMLoc loc, const Callee &callee,
                     ArrayRef<Operand> args);
  const Function *findFunction(StringRef name) const;
  Node *call(const Function &function, ArrayRef<Operand> args);
  Node *evaluate(const Function &function, std::vector<Node *> args);
  Node *apply(const Callee &callee, ArrayRef<Node *> args);

  /// The next nodes are at `loc`.
  void setLoc(llvm::SMLoc loc) { graph.loc = diagnostics.getLocation(loc); }

  Graph &graph;
  Diagnostics &diagnostics;
  Lexer lexer;
  std::map<StringRef, const DagType *> namedTypes;
  std::deque<Function> functions; ///< In the order of the source.
  /// The variables of the blocks around the current place.
  std::vector<std::map<StringRef, Node *>> scopes;
  /// The function, its arguments, and the place of the call.
  using CallKey =
      std::tuple<const Function *, std::vector<Node *>, std::vector<Node *>>;
  std::map<CallKey, Node *> results;
  unsigned nesting = 0, callDepth = 0;
};

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_PARSER_H
