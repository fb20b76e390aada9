//===- ReachedElements.h - The elements that an access reaches --*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_REACHEDELEMENTS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_REACHEDELEMENTS_H

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/SymbolicEvaluator.h"
#include <vector>

namespace mlir::obs {

/// The range of some threads; empty without threads.
struct WorkerSpan {
  int64_t first = std::numeric_limits<int64_t>::max(), last = -1;

  void add(const WorkerSpan &other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

/// Elements whose index in each dimension is the same sum of multiples of
/// terms, plus a number.
struct ElementGroup {
  /// nullopt for a dimension in which the index can be any number.
  SmallVector<std::optional<TermSum::Terms>, 2> dimensions;
  /// Of each element, the number in each dimension, which is 0 if the index can
  /// be any number, and a range of threads that access it. An element can be
  /// here more than once, with other threads.
  std::vector<std::pair<SmallVector<int64_t, 2>, WorkerSpan>> elements;
};
using ReachedElements = SmallVector<ElementGroup, 1>;

/// Limits of the numbers of iterations of leaves. They follow from the
/// assumption that no index is outside of its array at run time.
class LeafLimits {
public:
  /// The limit of `leaf`. It follows from the accesses in each iteration, of
  /// this leaf or of another one that runs whenever `leaf` runs and has the
  /// same iterations for each thread.
  std::optional<int64_t> get(scf::ForallOp leaf);
  /// The largest number that `bound`, of `loop`, can be, given that numbers of
  /// iterations of leaves that run whenever `loop` runs are within limits.
  std::optional<int64_t> getMost(Value bound, scf::ForOp loop);

private:
  void collect(Operation *op);

  bool isCollected = false;
  /// The leaves whose own accesses limit them, by the number of iterations.
  llvm::MapVector<Value, SmallVector<std::pair<scf::ForallOp, int64_t>, 1>>
      limits;
};

/// The index arithmetic of the accesses of a kernel. Values that are equal in
/// all threads of a block (or of a warp, at warp scope) are symbols. The
/// numbers of iterations of loops in leaves are variables.
struct IndexModel {
  explicit IndexModel(Workers workers) : workers(workers) {}

  Workers workers;
  IndexRecognizer recognizer;
  TermTable terms;
  LeafLimits limits;
  /// The variables of loops.
  llvm::DenseMap<Operation *, unsigned> variables;

  /// The variable for `counter` of `loop`, which is below `extent`.
  unsigned addCounter(LoopLikeOpInterface loop, Value counter,
                      std::optional<int64_t> extent);
};

/// True if each thread runs consecutive iterations.
bool isBlocked(scf::ForallOp leaf);

/// Evaluates the indices of an access for each time that it runs in one
/// iteration of the loops around its leaf.
class AccessEvaluator {
public:
  /// The maximum number of evaluations for one access: far more than two passes
  /// over the largest block.
  static constexpr int64_t maxEvaluations = 1 << 18;

  AccessEvaluator(const Access &access, IndexModel &model);

  /// The symbols that the elements depend on.
  ArrayRef<IndexExpr> getSymbols() const { return symbols; }
  /// From now on, `symbol` is `value`.
  void fixSymbol(unsigned symbol, int64_t value);
  /// The elements, and the threads that access them; nullopt if the ranges of
  /// the loops are unknown, or if the enumeration takes too long.
  std::optional<ReachedElements> getElements();
  /// The number of evaluations in getElements.
  int64_t getCost() const { return cost; }

  /// The access for a comparison by the algebra, if it cannot be evaluated: the
  /// indices, the variable of the leaf and its number of iterations.
  IndexMap getAddress() const;
  unsigned getIteration() const { return iteration; }
  const IndexExpr &getCount() const { return *count; }
  /// The maximum number of iterations of the leaf, if it is known.
  std::optional<int64_t> getMostIterations() const { return mostIterations; }

private:
  struct Loop {
    unsigned variable;
    /// The maximum number of iterations, if it is known.
    std::optional<int64_t> extent;
    /// The lower bound, the upper bound and the step.
    SymbolicEvaluator bounds;
    /// The threads depend on the iteration.
    bool isSpread;
  };

  void addLoop(scf::ForOp loop);
  void addWarps(scf::ForOp loop);
  void addLeaf();
  void appendLoop(unsigned variable, std::optional<int64_t> extent,
                  ArrayRef<IndexExpr> bounds, bool isSpread);
  std::optional<int64_t> limitByShape(Value counter,
                                      std::optional<int64_t> extent) const;
  std::optional<int64_t> getRounds(Loop &loop);
  bool visitLoops(unsigned depth, ReachedElements &reached);
  bool visitPoint(ReachedElements &reached);
  void addElement(ArrayRef<const TermSum *> point, ReachedElements &reached);
  WorkerSpan getWorkers() const;

  IndexModel *model;
  scf::ForallOp leaf;
  scf::ForOp warps;
  /// True if a warp executes the leaf, and true if each of its threads executes
  /// consecutive iterations.
  bool isOfWarp = false, isBlockedLeaf = false;
  ValueRange indices;
  ArrayRef<int64_t> shape;
  /// The variable of the leaf, that of the loop over warps, and the number of
  /// iterations of the leaf.
  unsigned iteration = 0, warp = 0;
  std::optional<IndexExpr> count;
  std::optional<int64_t> mostIterations;
  /// The loops whose iterations differ from thread to thread, outermost first.
  SmallVector<Loop, 1> loops;
  /// The indices, then the conditions under which the access runs.
  SmallVector<IndexExpr> exprs;
  /// The possible values of each index, if they are few, even if it depends on
  /// data.
  SmallVector<SmallVector<TermSum, 0>, 2> bounded;
  std::optional<SymbolicEvaluator> evaluator;
  /// The values that the conditions must have.
  SmallVector<bool> wanted;
  SmallVector<IndexExpr> symbols;
  SmallVector<std::optional<int64_t>> variables;
  int64_t cost = 0;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_REACHEDELEMENTS_H
