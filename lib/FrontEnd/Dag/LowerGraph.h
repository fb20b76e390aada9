//===- LowerGraph.h - The state of a lowering of a Dag program --*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every node is virtual or stored. A stored node inside of loops is stored for
// all iterations of these loops, by a separate kernel before the kernel that
// reads it. So kernels never need additional memory, and extents need no static
// bound.
//
// The code of a kernel is a stack of scopes: the host, the region of a level,
// the region of one element, loops. Each value is computed once, in the
// outermost scope in which all loops that it depends on are open.
//
// The functions of `Lowering` are in StoredValues.cpp, Scopes.cpp, Values.cpp,
// Reductions.cpp, Kernels.cpp and Lowering.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_LOWERGRAPH_H
#define OBSIDIAN_LIB_FRONTEND_DAG_LOWERGRAPH_H

#include "Lowering.h"
#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs::dag {

/// The array that a chain of Index reads, and the indices.
Node *getBase(Node *node, SmallVectorImpl<Node *> *indices = nullptr);

/// True for an operator whose order of combination does not matter.
bool isAssociative(Node *node);

/// The components of a value, and the number of the scope that computes them.
struct Result {
  SmallVector<Value> values;
  unsigned depth = 0;
};

struct Scope {
  Block *block;
  Level level;
  /// Code of this scope is inserted before this operation, which contains the
  /// inner scopes. If it is null, code is inserted at the end of the block.
  Operation *inner = nullptr;
  std::map<std::pair<std::vector<void *>, bool>, Result> known;
};

class Lowering {
public:
  Lowering(Graph &graph, const Plan &plan, Choices &choices)
      : graph(graph), plan(plan), choices(choices),
        context(graph.diagnostics.context),
        b(UnknownLoc::get(context), context), indexType(b.getIndexType()) {}

  OwningOpRef<ModuleOp> run();

private:
  using Types = SmallVector<mlir::Type, 4>;
  using Body = llvm::function_ref<SmallVector<Value>()>;

  // Decides which values are stored.
  void analyze();
  void visit(Node *node);
  Node *resolve(Node *node);
  bool isStored(Node *node);
  bool canBeStored(Node *node);
  SmallVector<Node *, 4> getLoops(Node *node);
  void collectStored(Node *node, std::set<Node *> &seen,
                     SmallVectorImpl<Node *> &found);
  void collectReductions(Node *node, std::set<Node *> &seen,
                         SmallVectorImpl<Node *> &found);
  bool isHeavy(Node *node);
  Schedule getSchedule(Node *node, ArrayRef<Node *> loops, unsigned rank);

  // Types.
  void addTypes(const DagType *type, Types &types);
  Types getTypes(const DagType *type);
  PullType pull(unsigned rank, ArrayRef<mlir::Type> types) {
    return PullType::get(
        context, SmallVector<int64_t>(rank, ShapedType::kDynamic), types);
  }
  PushType push(Level level, ArrayRef<int64_t> extents,
                ArrayRef<mlir::Type> types) {
    return PushType::get(context, level, extents, types);
  }

  // Scopes.
  /// The result of `work` in scope `depth`.
  Result compute(unsigned depth, Body work);
  /// Runs `work` with the insertion point in scope `depth`. Scopes inside of it
  /// are closed during this time.
  void at(unsigned depth, llvm::function_ref<void()> work);
  /// Runs `work` in a new scope for `block` of `op`. `op` is in the current
  /// innermost scope.
  void inside(Operation *op, Block *block, Level level,
              llvm::function_ref<void()> work);
  void bind(Node *variable, ArrayRef<Value> values);
  Level getLevel() const { return scopes.back().level; }
  unsigned getDepth() const { return scopes.size() - 1; }
  unsigned getLoopDepth(Node *node);
  Result getBinding(Node *loop);
  std::vector<void *> getKey(Node *node);

  // Values.
  Result emit(Node *node) { return emit(node, /*isIndex=*/false); }
  /// An int as a value of type `index`.
  Value emitIndex(Node *node) { return emit(node, true).values[0]; }
  Result emit(Node *node, bool isIndex);
  Result compute(Node *node);
  Result computeIndex(Node *node);
  Result computeLazily(Node *node);
  /// A function of the values of all operands.
  Result computeFrom(Node *node, bool isIndex,
                     llvm::function_ref<Value(ValueRange)> function);
  Value computeScalar(Opcode op, ValueRange operands);
  /// The element of `array`. It is not computed outside of scope `depth`.
  Result access(Node *array, SmallVector<Result, 4> indices,
                unsigned depth = 0);
  Result reduce(Node *node);
  std::pair<Node *, Node *> getReduced(Node *node);
  SmallVector<Value> reduceByLoop(Node *node);
  SmallVector<Value> reduceByLevel(Node *node, Level level);
  void addOperator(Region &region, Node *node, bool hasFlags);
  SmallVector<Value> getZeros(TypeRange types);
  /// The values of `body` if `condition` is true, else `others`.
  SmallVector<Value> choose(Value condition, ArrayRef<Value> others, Body body);

  // Arrays and kernels.
  struct Stored {
    Value array;
    Value count; ///< The number of elements of a filter in loops.
    SmallVector<Node *, 4> loops;
  };
  Value generate(ValueRange extents, ArrayRef<mlir::Type> types,
                 llvm::function_ref<SmallVector<Value>(ValueRange)> element);
  Value getExtent(Node *bound);
  SmallVector<Value> getExtents(ArrayRef<Node *> loops);
  Value addGridKernel(Node *node, Node *array, Value extent);
  void store(Node *node);
  void storeElements(Node *node, Stored &stored);
  void storeCollective(Node *node, Stored &stored);
  /// The factors of a matrix product. The first depends on the rows of the
  /// result, the second on the columns. Null if `node` is not a matrix product.
  std::pair<Node *, Node *> getFactors(Node *node);
  Value storeProduct(Node *node);
  Value getFactor(Node *factor, Node *outer, Node *inner);
  SmallVector<Value> runCollective(Node *node, Level level, Value extent);
  SmallVector<Value> emitElement(Node *node, ArrayRef<Node *> loops,
                                 ArrayRef<Value> indices, Node *current);
  Node *open(Node *array);
  SmallVector<Value> distribute(Level level, ArrayRef<Value> extents,
                                ArrayRef<Node *> loops,
                                llvm::function_ref<SmallVector<Value>()> body);
  void nameKernel(ForceOp op);
  SmallVector<Value> force(ValueRange arrays);
  void returnValue(Node *node, SmallVectorImpl<Value> &values,
                   const std::string &valueName);
  void checkExpectations();
  void fail(Node *node, const Twine &message) {
    graph.diagnostics.error(node->loc, message);
  }
  bool hasFailed() const { return graph.diagnostics.hasFailed(); }

  Graph &graph;
  const Plan &plan;
  Choices &choices;
  MLIRContext *context;
  ArrayBuilder b;
  mlir::Type indexType;
  func::FuncOp function;

  std::vector<std::string> resultNames;
  std::vector<Scope> scopes;
  std::map<Node *, Result> bindings;
  std::map<Node *, Stored> stored;
  /// The stored node of the current kernel.
  Node *root = nullptr;

  // Results of the analysis.
  std::set<Node *> visited, results, readFilters, storedByDefault;
  std::map<Node *, std::set<Node *>> reads;
  std::map<Node *, bool> heavy;
};

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_LOWERGRAPH_H
