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

/// Converts index values to expressions. Values that are defined outside of the
/// leaf loops are uniform and become symbols, which are the same for all leaf
/// loops of one recognizer. Values that a leaf loop computes become expressions
/// of its variables, or opaque numbers. Values of less than 64 bits are
/// extended by their sign; those of type i1 are 0 or 1. The only assumption is
/// that the extents of memory, and the numbers of executed iterations, are less
/// than `maxExtent`.
class IndexRecognizer {
public:
  static constexpr int64_t maxExtent = int64_t(1) << 40;

  /// Declares that values of `body` differ from thread to thread.
  void addLeaf(Region &body) { leaves.push_back(&body); }
  /// Declares that `value` is a variable in [0, extent). Returns its number.
  unsigned addVariable(Value value,
                       std::optional<int64_t> extent = std::nullopt);
  /// Declares that threads run the iterations of `loop`, which is in a leaf
  /// loop, side by side. Its counter is its lower bound plus its step times a
  /// variable, which is in [0, extent) if there is an extent. Returns the
  /// number of the variable.
  unsigned addRounds(scf::ForOp loop,
                     std::optional<int64_t> extent = std::nullopt);
  /// Declares that `value` is `expr`.
  void define(Value value, IndexExpr expr) { known.insert({value, expr}); }
  /// Declares the bounds of a uniform value. Call it before the value is used.
  void setRange(Value value, IndexRange range) { ranges[value] = range; }

  IndexExpr get(Value value);
  /// The indices that a region of obs.reindex yields. Its arguments are
  /// variables 0 to rank - 1 of these extents (negative: unknown). Call it on a
  /// new recognizer only.
  IndexMap getYields(Region &body, ArrayRef<int64_t> extents);
  /// The value of a symbol. If the value is the counter of a loop with constant
  /// bounds, the symbol is the number of the iteration.
  Value getValue(unsigned symbol) const { return values[symbol]; }
  unsigned getNumVariables() const { return numVariables; }
  /// From now on, `get` returns a symbol with bounds for a uniform value whose
  /// expression has no bounds. Use it only if bounds are sufficient.
  void preferRanges() { prefersRanges = true; }

private:
  IndexExpr compute(Value value);
  std::optional<IndexExpr> recognize(OpResult value);
  std::optional<IndexExpr> recognizeLoop(Value value);
  /// `onTrue` if the comparison is true, else `onFalse`.
  std::optional<IndexExpr> compare(Operation *comparison, IndexExpr onTrue,
                                   IndexExpr onFalse);
  /// `onTrue` if `condition` is true, else `onFalse`.
  IndexExpr choose(Value condition, IndexExpr onTrue, IndexExpr onFalse);
  /// An operation whose signed and unsigned results are equal if no operand is
  /// negative. Opaque if an operand may be negative.
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

/// `onTrue` if `comparison` is true for the numbers `a` and `b`, else
/// `onFalse`. A bit is 0 or 1; nullopt for an order of bits with a sign.
std::optional<IndexExpr> compareNumbers(arith::CmpIOp comparison, IndexExpr a,
                                        IndexExpr b, IndexExpr onTrue,
                                        IndexExpr onFalse);

/// Bounds of a uniform value; all numbers of 64 bits if nothing is proved.
IndexRange getUniformRange(Value value);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRECOGNITION_H
