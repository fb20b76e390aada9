//===- CodeModel.h - Executions of code, and its addresses ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_CODEMODEL_H
#define OBSIDIAN_LIB_REPORTS_CODEMODEL_H

#include "Count.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/MemoryCosts.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {

/// One loop over threads of a kernel in level IR, or all code outside of such
/// loops.
class CodeModel {
public:
  /// The model of any part of the grid, with arrays of any size. If `isInside`,
  /// the model of a part in the middle of large arrays, whose rows begin at a
  /// multiple of a sector.
  CodeModel(KernelOp kernel, scf::ForallOp leaf, bool isInside = false);

  scf::ForallOp getLeaf() const { return leaf; }
  /// The number of executions of `block`, by all units together, in one
  /// execution of `scope`: the kernel, or a loop around the block.
  Count getRuns(Block *block, Operation *scope);
  /// The number of the accessed element; nullopt for parts of arrays.
  std::optional<IndexExpr> getAddress(const ElementAccess &access);
  /// Calls `query` for an access in the leaf, with the address, the number of
  /// iterations and their conditions. If `query` returns false, it needs the
  /// iterations of the surrounding loops, and is called once for each
  /// combination of them. Returns false if one of these calls returns false.
  using Query =
      llvm::function_ref<bool(const IndexExpr &, int64_t, ArrayRef<IndexExpr>)>;
  bool ask(const ElementAccess &access, int64_t workers, Query query);
  /// True if the distance between the lanes of `access` may depend on the size
  /// of another array, except through a divisor.
  bool dependsOnOthers(const ElementAccess &access);
  /// The number of iterations of the leaf, if all of them are evaluated.
  std::optional<int64_t> getIterations() const;
  /// `value` as a formula of the arguments of the kernel, or its maximum if it
  /// depends on a loop. Unknown for values that the kernel loads.
  Count getSize(Value value) const;
  /// The number of points of loops that all questions looked at, which is a
  /// measure of their time.
  int64_t getPoints() const { return allPoints; }

private:
  using Fixed = SmallVector<std::pair<IndexExpr, int64_t>>;

  /// A loop of a thread from `lower` to `upper` with a constant step. At most
  /// `size` numbers are between the bounds.
  struct Stride {
    IndexExpr lower, upper;
    int64_t step;
    Count size;
  };
  struct Loop {
    /// The number of iterations, as an expression, and as a formula if the
    /// expression is not constant.
    IndexExpr trips = IndexExpr::constant(1);
    Count size = 1;
    /// In iteration r, `counter` is first + r * step.
    std::optional<IndexExpr> counter;
    IndexExpr first = IndexExpr::constant(0), step = IndexExpr::constant(1);
    bool isLeaf = false;
    std::optional<Stride> stride;
  };
  /// The loops and conditions around a block, from outside to inside.
  struct Context {
    SmallVector<Loop> loops;
    /// Each must be other than 0.
    SmallVector<IndexExpr> conditions;
    bool isKnown = true;
    /// The loops may have fewer iterations.
    bool isBound = false;
  };

  /// `open` are values whose size is being computed.
  Count getSize(Value value, SmallVectorImpl<Value> &open) const;
  /// lhs - rhs, without the common terms of both sums. The number of a thread
  /// in `rhs` counts as 0.
  Count getDifference(Value lhs, Value rhs, SmallVectorImpl<Value> &open) const;
  bool isCounted(scf::ForOp loop);
  Loop describe(scf::ForOp loop);
  Context getContext(Block *block, Operation *scope);
  /// Joins the innermost loop with the loop over threads, if all threads
  /// together count the numbers from base to `upper`: thread t begins at base +
  /// t, and the step is the number of threads.
  static void joinStrides(Context &context);
  /// Calls `visit` for every point of the loops that `needed` depends on, with
  /// the number of executions by the other loops. False if there are too many
  /// points.
  bool
  forEachPoint(ArrayRef<Loop> loops, ArrayRef<IndexExpr> needed,
               llvm::function_ref<void(const Fixed &, const Count &)> visit);
  void moveInside();
  IndexExpr getExtent(Value memory, unsigned dimension);

  KernelOp kernel;
  scf::ForallOp leaf;
  bool isInside;
  /// The first iteration that is evaluated.
  int64_t firstIteration = 0;
  int64_t allPoints = 0;
  IndexRecognizer recognizer;
  llvm::DenseMap<std::pair<Block *, Operation *>, Count> runs;
  /// Symbols for extents that are no values of the kernel.
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> unknownExtents;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_CODEMODEL_H
