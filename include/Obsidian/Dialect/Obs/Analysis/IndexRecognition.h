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
/// what a leaf computes becomes an expression of its variables, or opaque.
/// Values of less than 64 bits count only where they cannot wrap.
class IndexRecognizer {
public:
  /// Declares that values of `body` differ from thread to thread.
  void addLeaf(Region &body) { leaves.push_back(&body); }
  /// Declares `value` a variable in [0, extent); gives its number.
  unsigned addVariable(Value value,
                       std::optional<int64_t> extent = std::nullopt);
  /// Declares that threads run the rounds of `loop`, in a leaf, side by side:
  /// its counter is where it starts plus a variable times its step. Gives the
  /// number of the variable.
  unsigned addRounds(scf::ForOp loop);
  /// Declares that `value` is `expr`.
  void define(Value value, IndexExpr expr) { known.insert({value, expr}); }
  /// Declares the bounds of a uniform value, before it is first met.
  void setRange(Value value, IndexRange range) { ranges[value] = range; }

  IndexExpr get(Value value);
  /// 1 where `condition`, of type i1, holds and 0 where it does not; opaque if
  /// it is not recognized.
  IndexExpr getCondition(Value condition);
  /// What a region of obs.reindex yields, of its arguments as variables 0 to
  /// rank - 1 of these extents (negative: unknown). For a fresh recognizer.
  IndexMap getYields(Region &body, ArrayRef<int64_t> extents);
  /// The number of the symbol that stands for a uniform value.
  std::optional<unsigned> getSymbol(Value value) const;

private:
  IndexExpr compute(Value value);
  std::optional<IndexExpr> recognize(Operation *op);
  std::optional<IndexExpr> recognizeLoop(Value value);
  /// `onTrue` where the comparison holds, else `onFalse`.
  std::optional<IndexExpr> choose(Operation *comparison, IndexExpr onTrue,
                                  IndexExpr onFalse);
  bool isInLeaf(Value value) const;

  SmallVector<Region *> leaves;
  llvm::DenseMap<Value, IndexExpr> known;
  llvm::DenseMap<Value, IndexRange> ranges;
  llvm::DenseMap<Value, unsigned> symbols;
  unsigned numVariables = 0;
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXRECOGNITION_H
