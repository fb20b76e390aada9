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
#include "Obsidian/Dialect/Obs/Transforms/LevelIR.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {

/// A read or a write of memory at one place.
struct MemoryAccess {
  enum class Kind { Read, Write, Atomic };
  /// nullopt for operations that do not access memory.
  static std::optional<MemoryAccess> get(Operation *op);

  Operation *op;
  Kind kind;
  Value memory;
  ValueRange indices;
  Type element;
  /// Elements side by side that one thread accesses at once.
  int64_t width;
};

/// One loop over threads of a kernel in level IR, or all code that is in none.
class CodeModel {
public:
  /// Of any part of the grid, with arrays of any size; or, if `isInside`, of a
  /// part near the middle of large arrays, whose rows begin at a multiple of a
  /// sector.
  CodeModel(KernelOp kernel, scf::ForallOp leaf, bool isInside = false);

  scf::ForallOp getLeaf() const { return leaf; }
  /// The number of times that `block` runs, by all units together, while
  /// `scope` runs once: the kernel, or a loop around the block.
  Count getRuns(Block *block, Operation *scope);
  /// The number of the element that `access` is about; nothing for parts of
  /// arrays.
  std::optional<IndexExpr> getAddress(const MemoryAccess &access);
  /// Calls `query` about an access in the leaf with the address, the number of
  /// iterations and the conditions on them: once, or where it needs to know
  /// that (and so returns false) for each way that the loops around can stand.
  /// False if one of the calls was not answered.
  using Query =
      llvm::function_ref<bool(const IndexExpr &, int64_t, ArrayRef<IndexExpr>)>;
  bool ask(const MemoryAccess &access, int64_t workers, Query query);
  /// True if the distance between the lanes of `access` may depend on the size
  /// of another array, except through a divisor.
  bool dependsOnOthers(const MemoryAccess &access);
  /// The number of iterations of the leaf, if each of them is looked at.
  std::optional<int64_t> getIterations() const;
  /// The value of `value` in terms of arguments of the kernel, or the most that
  /// it is if it depends on a loop; not known for values that the kernel loads.
  Count getSize(Value value) const;

private:
  using Fixed = SmallVector<std::pair<IndexExpr, int64_t>>;

  /// Of a loop of a thread from `lower` to `upper` in steps of a constant: at
  /// most `size` numbers are between the bounds.
  struct Stride {
    IndexExpr lower, upper;
    int64_t step;
    Count size;
  };
  struct Loop {
    /// The number of its iterations, as an expression and, if that is no
    /// number, as text.
    IndexExpr trips = IndexExpr::constant(1);
    Count size = 1;
    /// Iteration r has `counter` at first + r * step.
    std::optional<IndexExpr> counter;
    IndexExpr first = IndexExpr::constant(0), step = IndexExpr::constant(1);
    bool isLeaf = false;
    std::optional<Stride> stride;
  };
  /// The loops and conditions around a block, from outside to inside.
  struct Context {
    SmallVector<Loop> loops;
    /// Each has to differ from 0.
    SmallVector<IndexExpr> conditions;
    bool isKnown = true;
    /// The loops may run less often.
    bool isBound = false;
  };

  /// `open` are values whose size is being computed.
  Count getSize(Value value, SmallVectorImpl<Value> &open) const;
  /// lhs - rhs, without the parts that both are sums of. The number of a thread
  /// in `rhs` counts as 0.
  Count getDifference(Value lhs, Value rhs, SmallVectorImpl<Value> &open) const;
  bool isCounted(scf::ForOp loop);
  Loop describe(scf::ForOp loop);
  Context getContext(Block *block, Operation *scope);
  /// Joins the innermost loop with the loop over threads where all threads
  /// together step over the numbers from base to `upper`: thread t begins at
  /// base + t and a step is as many numbers as there are threads.
  static void joinStrides(Context &context);
  /// Calls `visit` at every point of the loops that `needed` depends on, with
  /// how often the others run. False if there are too many points.
  bool
  forEachPoint(ArrayRef<Loop> loops, ArrayRef<IndexExpr> needed,
               llvm::function_ref<void(const Fixed &, const Count &)> visit);
  void moveInside();
  IndexExpr getExtent(Value memory, unsigned dimension);

  KernelOp kernel;
  scf::ForallOp leaf;
  bool isInside;
  /// The first of the iterations that are looked at.
  int64_t firstIteration = 0;
  IndexRecognizer recognizer;
  llvm::DenseMap<std::pair<Block *, Operation *>, Count> runs;
  /// Symbols for extents that no value of the kernel holds.
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> unknownExtents;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_CODEMODEL_H
