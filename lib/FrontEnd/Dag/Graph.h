//===- Graph.h - A Dag program as a graph of values -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All calls are inlined, names are removed, and equal nodes are one node. An
// array is a node that describes the computation of an element: every `for`,
// `zip_with`, `map`, `range` and `transpose` is a `Build`.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_GRAPH_H
#define OBSIDIAN_LIB_FRONTEND_DAG_GRAPH_H

#include "AST.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>

namespace mlir::obs::dag {

struct Node {
  enum Kind {
    Const,
    ParamScalar, ///< Argument `attr` of the function.
    ParamArray,
    ParamDim, ///< Extent `attr` of the ParamArray.
    LoopVar,  ///< An index from 0 to ops[0] - 1.
    OpVar,    ///< A value that an operator of Reduce or Scan takes.
    Guard,    ///< Represents the condition of a `&&` or `||`; has no value.
    Unary,
    Binary, ///< `attr` is the Op. A third operand is the Guard of the second.
    Math,   ///< `attr` is the Primitive; FilterWith stands for int(bool).
    Tuple,
    Field,  ///< Field `attr` of a struct.
    Index,  ///< Element ops[1] of array ops[0].
    Build,  ///< Length, LoopVar, element.
    Reduce, ///< First value, array, two OpVars, their combination. `attr` is 1
            ///< + the Opcode, or 0 for a function.
    Scan,
    Filter, ///< Array, bools.
    Count   ///< The number of elements of the Filter.
  };
  Kind kind;
  const DagType *type;
  std::vector<Node *> ops;
  int64_t attr;
  double number;
  Location loc;
  unsigned id, depth;
  /// The variables that the value depends on, by id. A loop has a lower id than
  /// the loops inside of it.
  SmallVector<Node *, 4> free;
  /// The variables of the loops (and guards) around the place where the source
  /// computes the value. Outside of these loops, it could read out of bounds or
  /// divide by 0.
  SmallVector<Node *, 4> chain;
  bool isSafe;

  /// `free`. If the value cannot be computed at every place, also `chain`.
  SmallVector<Node *, 4> getDependences() const;
  bool dependsOn(Node *variable) const;
  bool is(Kind k) const { return kind == k; }
  /// `attr` of a Unary or Binary, and of a Math.
  Opcode opcode() const { return static_cast<Opcode>(attr); }
  Primitive primitive() const { return static_cast<Primitive>(attr); }
};

/// Two extents that the program expects to be equal.
struct Expectation {
  Node *a, *b;
  Location loc;
  std::string message;
  /// A node whose value needs them to be equal, or null.
  Node *user;
};

/// The graph of one function.
class Graph {
public:
  Graph(const Program &program, const Function &entry,
        Diagnostics &diagnostics);

  Node *result = nullptr; ///< Null after an error.
  std::vector<const DagType *>
      paramTypes; ///< One for each ParamScalar or -Array.
  std::vector<std::string> paramNames;
  std::vector<Node *> params;
  std::vector<Expectation> expectations;
  Diagnostics &diagnostics;
  const DagType *intType, *boolType;

  Node *constant(int64_t value);
  Node *index(Node *array, Node *i, bool isSafe = false);
  /// Extent `k`; null if it is not the same for all rows.
  Node *getDim(Node *array, unsigned k);
  /// A number that is at least `n` and depends on no variable; null if none is
  /// known.
  Node *getBound(Node *n);
  /// The same for extent `k` of an array.
  Node *getBound(Node *array, unsigned k);
  /// The lengths of all rows in dimension `k`, which are not equal.
  Node *getLengths(Node *array, unsigned k);
  /// The number of elements of a filter, as a sum.
  Node *getCountAsSum(Node *filter);
  /// An estimate of an int at run time. Each dimension of an argument of rank 1
  /// has 2^20 elements, of rank 2 1024 elements, and so on; ints are 1024.
  int64_t estimate(Node *node);
  Node *substitute(Node *node, Node *variable, Node *replacement);
  /// If `node` is an element of an array that is not stored: the expression
  /// that computes it.
  Node *beta(Node *node);

private:
  using Env = std::map<StringRef, Node *>;

  Node *make(Node::Kind kind, const DagType *type, std::vector<Node *> ops,
             int64_t attr = 0, double number = 0, bool isSafe = true);
  const DagType *getArray(const DagType *element);
  Node *makeParam(const DagType *type, const std::string &name,
                  llvm::SMLoc loc);
  Node *fresh(Node::Kind kind, const DagType *type, std::vector<Node *> ops);
  Node *field(Node *value, unsigned number);
  Node *math(Primitive primitive, const DagType *type, std::vector<Node *> ops);
  Node *build(Node *length, llvm::function_ref<Node *(Node *)> element,
              const DagType *type);
  void expectEqual(Node *a, Node *b, const char *message, Node *user = nullptr);
  Node *substitute(Node *node, std::map<Node *, Node *> &map);

  Node *evalBlock(const std::vector<Stmt> &stmts, Env &env);
  Node *eval(const Expr &expr, Env &env);
  Node *evalCall(const Expr &expr, Env &env);
  Node *evalBinary(const Expr &expr, Env &env);
  Node *call(const Function &function, ArrayRef<Node *> args);
  Node *apply(const Expr &function, ArrayRef<Node *> args);

  using Key =
      std::tuple<int, const DagType *, std::vector<Node *>, int64_t, double>;
  std::map<Key, Node *> nodes;
  /// The function, its arguments, and the place of the call.
  using CallKey =
      std::tuple<const Function *, std::vector<Node *>, std::vector<Node *>>;
  std::map<CallKey, Node *> results;
  std::deque<Node> storage;
  std::map<const DagType *, const DagType *> arrays;
  std::deque<DagType> types;
  std::map<Node *, Node *> counts;
  SmallVector<Node *, 8> chain;
  Location loc;
  unsigned callDepth = 0;
};

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_GRAPH_H
