//===- Graph.h - A Dag program as a graph of values -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only representation of a program. The parser makes a node for each
// expression: all calls are inlined, names are removed, and equal nodes are one
// node. An array is a node that describes the computation of an element: every
// `for`, `zip_with`, `map`, `range` and `transpose` is a `Build`.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_GRAPH_H
#define OBSIDIAN_LIB_FRONTEND_DAG_GRAPH_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <deque>
#include <map>
#include <vector>

namespace mlir::obs::dag {

struct DagType;

/// A parameter, the variable of a `for`, or a field of a struct.
struct Variable {
  const DagType *type;
  StringRef name;
  llvm::SMLoc loc;
};

/// A type. Types are unique: equal types have equal addresses.
struct DagType {
  enum Kind { Int, Float, Bool, Struct, Array };
  Kind kind;
  const DagType *element = nullptr; ///< The element type of an array.
  StringRef name = {};
  std::vector<Variable> fields = {}; ///< Of a struct.

  bool isArray() const { return kind == Array; }
  bool isNumber() const { return kind == Int || kind == Float; }
  /// True for an array and for a struct that contains one.
  bool hasArrays() const;
  /// The number of dimensions; 0 for other types.
  unsigned getRank() const { return isArray() ? element->getRank() + 1 : 0; }
  /// The element type of the innermost array.
  const DagType *getScalar() const {
    return isArray() ? element->getScalar() : this;
  }
  /// The number of the field; -1 if no field has this name.
  int find(StringRef field) const;
  /// The type as in the source: `float[][]`.
  std::string str() const {
    return isArray() ? element->str() + "[]" : name.str();
  }
};

/// A function of numbers and bools.
enum class Opcode {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Shl,
  Shr,
  And,
  Or,
  Xor,
  AndAnd,
  OrOr,
  Lt,
  Le,
  Gt,
  Ge,
  Neg,
  Not,
  Min,
  Max,
  Log2,
  FloatOfInt,
  IntOfFloat,
  IntOfBool ///< Counts the elements of a filter. No primitive has it.
};

struct Node {
  enum Kind {
    Const,
    Param,    ///< Argument `attr` of the function.
    ParamDim, ///< Extent `attr` of the Param.
    LoopVar,  ///< An index from 0 to ops[0] - 1.
    OpVar,    ///< A value that an operator of Reduce or Scan takes.
    Guard,    ///< Represents the condition of a `&&` or `||`; has no value.
    Scalar,   ///< `attr` is the Opcode. A third operand is the Guard of the
              ///< second.
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
  bool is(Opcode op) const { return kind == Scalar && opcode() == op; }
  Opcode opcode() const { return static_cast<Opcode>(attr); }
  /// True for a constant that is at least `low` and less than `high`.
  bool isBetween(int64_t low, int64_t high) const {
    return kind == Const && attr >= low && attr < high;
  }
};

/// Two extents that the program expects to be equal.
struct Expectation {
  Node *a, *b;
  Location loc;
  std::string message;
  /// A node whose value needs them to be equal, or null.
  Node *user;
};

/// Reports the first error of a program, at its place in the source.
class Diagnostics {
public:
  Diagnostics(llvm::SourceMgr &sources, MLIRContext *context)
      : sources(sources), context(context) {}

  Location getLocation(llvm::SMLoc loc) const;
  void error(Location loc, const Twine &message);
  bool hasFailed() const { return failed; }
  /// The error occurred in an attempt only.
  void forget() { failed = false; }

  llvm::SourceMgr &sources;
  MLIRContext *const context;

private:
  bool failed = false;
};

/// The graph of one function.
class Graph {
public:
  explicit Graph(Diagnostics &diagnostics);

  Diagnostics &diagnostics;
  std::string name; ///< Of the function.
  Node *result = nullptr;
  std::vector<Node *> params;
  std::vector<std::string> paramNames;
  std::vector<Expectation> expectations;
  const DagType *intType, *floatType, *boolType;

  //===--- Construction ---------------------------------------------------===//

  /// If true, a node has a type only: functions are checked that may never be
  /// called.
  bool onlyTypes = false;
  /// The place of the next nodes in the source, and the loops around it.
  Location loc;
  SmallVector<Node *, 8> chain;

  const DagType *addType(const DagType &type);
  const DagType *getArray(const DagType *element);
  Node *make(Node::Kind kind, const DagType *type, std::vector<Node *> ops,
             int64_t attr = 0, double number = 0, bool isSafe = true);
  Node *constant(int64_t value) {
    return make(Node::Const, intType, {}, value);
  }
  Node *scalar(Opcode op, const DagType *type, std::vector<Node *> ops);
  Node *makeParam(const DagType *type, const std::string &name, Location at);
  Node *index(Node *array, Node *i, bool isSafe = false);
  Node *field(Node *value, unsigned number);
  Node *build(Node *length, llvm::function_ref<Node *(Node *)> element);
  /// `combine` takes the two OpVars.
  Node *fold(Node::Kind kind, Node *init, Node *array, int64_t attr,
             llvm::function_ref<Node *(Node *, Node *)> combine);
  /// The numbers from 0 to `length` - 1.
  Node *range(Node *length) {
    return build(length, [](Node *i) { return i; });
  }
  void expectEqual(Node *a, Node *b, const char *message, Node *user = nullptr);

  //===--- Extents --------------------------------------------------------===//

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

  //===--- Substitution ---------------------------------------------------===//

  /// If `node` is an element of an array that is not stored: the expression
  /// that computes it.
  Node *beta(Node *node);

private:
  Node *substitute(Node *node, std::map<Node *, Node *> &map);

  using Key =
      std::tuple<int, const DagType *, std::vector<Node *>, int64_t, double>;
  std::map<Key, Node *> nodes;
  std::deque<Node> storage;
  std::deque<DagType> types;
  std::map<Node *, Node *> counts;
};

/// Parses the main buffer of `graph.diagnostics.sources`, checks all types, and
/// makes the graph of the function `entry`, or of the last one if it is empty.
void parse(Graph &graph, StringRef entry);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_GRAPH_H
