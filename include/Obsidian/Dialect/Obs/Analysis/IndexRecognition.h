//===- IndexRecognition.h - Index maps of values -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRECOGNITION_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRECOGNITION_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::obs {

/// Turns index values into expressions. Values defined outside of the leaves
/// are uniform and become symbols, the same for all leaves of one recognizer;
/// values that a leaf computes become expressions of its variables, or opaque.
/// Values of less than 64 bits are extended by their sign; those of type i1 are
/// 0 or 1. The only assumption about a number is that the extents of memory,
/// and the numbers of iterations that have run, are less than `maxExtent`.
class IndexRecognizer {
public:
  static constexpr int64_t maxExtent = int64_t(1) << 40;

  /// Declares that values of `body` differ from thread to thread.
  void addLeaf(Region &body) { leaves.push_back(&body); }
  /// Declares `value` a variable in [0, extent). Returns its number.
  unsigned addVariable(Value value,
                       std::optional<int64_t> extent = std::nullopt);
  /// Declares that threads run the iterations of `loop`, in a leaf, side by
  /// side. Its counter is its lower bound plus its step times a variable, which
  /// is in [0, extent) if there is an extent. Returns the number of the
  /// variable.
  unsigned addRounds(scf::ForOp loop,
                     std::optional<int64_t> extent = std::nullopt);
  /// Declares that `value` is `expr`.
  void define(Value value, IndexExpr expr) { known.insert({value, expr}); }
  /// Declares the bounds of a uniform value, before it is first met.
  void setRange(Value value, IndexRange range) { ranges[value] = range; }

  IndexExpr get(Value value);
  /// 1 where `condition`, of type i1, holds and 0 where it does not; opaque if
  /// it is not recognized.
  IndexExpr getCondition(Value condition) { return get(condition); }
  /// The indices that a region of obs.reindex yields. Its arguments are
  /// variables 0 to rank - 1 of these extents (negative: unknown). For a new
  /// recognizer.
  IndexMap getYields(Region &body, ArrayRef<int64_t> extents);
  /// The value that a symbol stands for; for the counter of a loop with
  /// constant bounds, the symbol is the number of the iteration.
  Value getValue(unsigned symbol) const { return values[symbol]; }
  unsigned getNumVariables() const { return numVariables; }
  /// From now on `get` returns, for a uniform value, a symbol with bounds where
  /// its expression has none. For questions about bounds alone.
  void preferRanges() { prefersRanges = true; }

private:
  IndexExpr compute(Value value);
  std::optional<IndexExpr> recognize(OpResult value);
  std::optional<IndexExpr> recognizeLoop(Value value);
  /// `onTrue` where the comparison holds, else `onFalse`.
  std::optional<IndexExpr> compare(Operation *comparison, IndexExpr onTrue,
                                   IndexExpr onFalse);
  /// `onTrue` where `condition` is true, else `onFalse`.
  IndexExpr choose(Value condition, IndexExpr onTrue, IndexExpr onFalse);
  /// An operation that is the same signed and unsigned where no operand is
  /// negative; opaque elsewhere.
  std::optional<IndexExpr> combineNaturals(IndexExpr::Kind kind, IndexExpr a,
                                           IndexExpr b, bool isWide);
  std::optional<IndexRange> inferRange(Value value);
  IndexExpr makeSymbol(Value value, std::optional<IndexRange> range);
  bool isInLeaf(Value value) const;

  SmallVector<Region *> leaves;
  llvm::DenseMap<Value, IndexExpr> known;
  llvm::DenseMap<Value, IndexRange> ranges;
  llvm::DenseMap<Value, unsigned> symbols;
  /// By the number of the symbol.
  SmallVector<Value> values;
  unsigned numVariables = 0;
  bool prefersRanges = false;
};

/// Bounds of a uniform value; all numbers of 64 bits where nothing is proved.
IndexRange getUniformRange(Value value);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRECOGNITION_H
