//===- Lowering.h - From the graph of a Dag program to obs ------*- C++ -*-===//
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
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H
#define OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H

#include "Graph.h"
#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"
#include <set>

namespace mlir::obs::dag {

/// The schedule of one kernel. The instances of `level` execute the iterations
/// of the outer `prefix` loops of its nest in parallel. The threads of each
/// instance share the reductions that depend on these loops only, and the inner
/// loops. With level thread and all loops, each thread computes one element.
struct Schedule {
  Level level = Level::Thread;
  unsigned prefix = 0;
  /// A matrix product by tiles in shared memory.
  bool isTiled = false;

  bool operator==(const Schedule &other) const {
    return level == other.level && prefix == other.prefix &&
           isTiled == other.isTiled;
  }
};

/// The selected choices of a program.
struct Plan {
  /// True if a Build or Reduce is stored, false if not. Contains only nodes
  /// that differ from the default.
  std::map<Node *, bool> stores;
  /// The schedules of stored arrays that do not have the default.
  std::map<Node *, Schedule> schedules;
};

/// The possible choices: the arrays and values that may be stored, with the
/// default, and the schedules of each kernel, the default first.
struct Choices {
  std::vector<std::pair<Node *, bool>> stores;
  struct Kernel {
    Node *node = nullptr;
    std::string name = {};
    std::vector<int64_t> extents = {}; ///< As estimated.
    std::vector<Schedule> schedules = {};
    Schedule taken = {};
    double reads = 1; ///< Per element of a collective of level grid.
    double time = 0;  ///< In microseconds, as estimated.

    /// True if each thread computes one element.
    bool isFlat() const {
      return taken.level == Level::Thread && taken.prefix == extents.size();
    }
  };
  std::vector<Kernel> kernels;
  /// Extents and ints of the function, with numbers for a report.
  std::vector<std::pair<Value, int64_t>> estimates;
  /// The arrays that all threads of the grid combine.
  SmallVector<Value> gridArrays;
};

class Lowering {
public:
  Lowering(Graph &graph, const Plan &plan, Choices &choices)
      : graph(graph), plan(plan), choices(choices),
        b(UnknownLoc::get(graph.diagnostics.context),
          graph.diagnostics.context) {}

  /// Builds a module of the graph with the choices of the plan. Null after an
  /// error. Writes the other possible choices to `choices`.
  OwningOpRef<ModuleOp> run();

private:
  using Values = SmallVector<Value>;
  using Types = SmallVector<mlir::Type, 4>;
  using Body = llvm::function_ref<Values()>;
  using Nodes = SmallVector<Node *, 4>;

  //===--- Stored values (Storage.cpp) ------------------------------------===//

  void analyze();
  void visit(Node *node);
  Node *resolve(Node *node);
  bool isStored(Node *node);
  bool canBeStored(Node *node);
  bool isHeavy(Node *node);
  Nodes getLoops(Node *node);
  /// The stored nodes that `node` reads.
  void collectStored(Node *node, std::set<Node *> &seen, Nodes &found);
  /// The reductions that the kernel of `node` computes.
  void collectReductions(Node *node, std::set<Node *> &seen, Nodes &found);
  Schedule getSchedule(Node *node, ArrayRef<Node *> loops, unsigned rank);
  /// The factors of a matrix product. The first depends on the rows of the
  /// result, the second on the columns. Null if `node` is not a matrix product.
  std::pair<Node *, Node *> getFactors(Node *node);

  //===--- Scopes and values (Values.cpp) ---------------------------------===//

  void addTypes(const DagType *type, Types &types);
  Types getTypes(const DagType *type);
  PullType pull(unsigned rank, ArrayRef<mlir::Type> types) {
    return PullType::get(b.getContext(),
                         SmallVector<int64_t>(rank, ShapedType::kDynamic),
                         types);
  }
  Level getLevel() const { return scopes.back().level; }
  unsigned getDepth() const { return scopes.size() - 1; }
  /// The innermost scope of some values.
  unsigned getDepth(ValueRange values);
  /// The scope of the innermost loop that `node` depends on.
  unsigned getLoopDepth(Node *node);
  /// The values of `work` in scope `depth`. The scopes inside of it are closed
  /// during this time.
  Values at(unsigned depth, Body work);
  /// The values of `work` in a new scope for the block at the insertion point.
  Values inside(Level level, Body work);
  std::vector<const void *> getKey(Node *node, bool isIndex);
  /// The values of `body` if `condition` is true, else `others`.
  Values choose(Value condition, ArrayRef<Value> others, Body body);
  /// The values of `body` if `index` is less than the length of the row, else
  /// zeros. A null length is that of all rows.
  Values chooseInRow(Node *length, Value index, const DagType *type, Body body);
  Values getZeros(TypeRange types);

  Values emit(Node *node, bool isIndex = false);
  /// An int as a value of type `index`.
  Value emitIndex(Node *node) { return emit(node, /*isIndex=*/true)[0]; }
  Values compute(Node *node);
  Value computeIndex(Node *node);
  Values computeLazily(Node *node);
  /// A function of the values of all operands.
  Value computeFrom(Node *node, bool isIndex,
                    llvm::function_ref<Value(ValueRange)> function);
  Value computeScalar(Opcode op, ValueRange operands);
  /// An element of memory, whose first indices are those of loops around a
  /// stored value. If a loop is not open here, the value is equal for all of
  /// its iterations: it is that of the first one, or 0 if there is none.
  Values readStored(Value memory, ArrayRef<Node *> loops, ValueRange indices,
                    unsigned depth);
  /// The element of `array`. It is not computed outside of scope `depth`.
  Values access(Node *array, Values indices, unsigned depth = 0);
  /// The array of a reduction. A filter that nothing else reads is a condition:
  /// the second array has the bools.
  std::pair<Node *, Node *> getReduced(Node *node);
  Values reduceByLoop(Node *node);
  Values reduceByLevel(Node *node);
  Values getFirst(Node *node);
  /// The operator of a reduction or scan. If elements have one more component,
  /// the first one is true if the element is combined.
  Values combine(Node *node, ValueRange elements);
  Values combineElements(Node *node, ValueRange elements) {
    return inside(Level::Thread, [&] { return combine(node, elements); });
  }

  //===--- Kernels (Kernels.cpp) ------------------------------------------===//

  struct Stored {
    Value array;
    Value count; ///< The number of elements of a filter in loops.
    Nodes loops;
  };
  Value generate(ValueRange extents,
                 llvm::function_ref<Values(ValueRange)> element);
  /// One kernel, in which the instances of `level` execute the iterations of
  /// loops. `body` returns the arrays of an iteration.
  Values distribute(Level level, ArrayRef<Value> extents,
                    ArrayRef<Node *> loops, Body body);
  Value reshape(Value array, ArrayRef<Value> extents);
  Value getExtent(Node *bound);
  Values getExtents(ArrayRef<Node *> loops);
  void addGridKernel(Node *node, Node *array);
  /// Gives the force of stored arrays the name of the last kernel.
  Values nameKernel(Values arrays);
  /// Stores arrays by one kernel.
  Values force(ValueRange arrays);
  void store(Node *node);
  /// Stores all arrays that `nodes` read, and returns false after an error.
  bool storeSources(ArrayRef<Node *> nodes);
  void storeElements(Node *node, Stored &result);
  void storeCollective(Node *node, Stored &result);
  Value storeProduct(Node *node);
  Value getFactor(Node *factor, Node *outer, Node *inner);
  Value read(ArrayRef<Node *> arrays, Value extent);
  Values runCollective(Node *node, Level level, Value extent);
  Values emitElement(Node *node, ArrayRef<Node *> loops,
                     ArrayRef<Value> indices, Node *current);
  Node *open(Node *array);

  //===--- The function (Lowering.cpp) ------------------------------------===//

  void returnValue(Node *node, Values &values, const std::string &name);
  void checkExpectations();
  bool hasFailed() const { return graph.diagnostics.hasFailed(); }

  Graph &graph;
  const Plan &plan;
  Choices &choices;
  ArrayBuilder b;
  std::vector<std::string> resultNames;

  struct Scope {
    Block *block;
    Level level;
    std::map<std::vector<const void *>, Values> known;
    /// An index that is less than the length of its row in this scope. It may
    /// be larger outside.
    Value indexInRow = nullptr;
  };
  std::vector<Scope> scopes;
  /// The values of variables and parameters.
  std::map<Node *, Values> bindings;
  std::map<Node *, Stored> stored;
  /// The stored node of the current kernel.
  Node *root = nullptr;

  // Results of the analysis.
  std::set<Node *> visited, results, readFilters, storedByDefault;
  /// The reads of each array, in the order of the program.
  llvm::MapVector<Node *, std::set<Node *>> reads;
};

/// The array that a chain of Index reads, and the indices.
Node *getBase(Node *node, SmallVectorImpl<Node *> *indices = nullptr);

/// True for an operator whose order of combination does not matter.
bool isAssociative(Node *node);

/// The plan with the lowest score, or candidate `number` if that is not
/// negative. Prints all candidates, their scores and the reason to `explain`.
Plan search(Graph &graph, int number, raw_ostream *explain);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_LOWERING_H
