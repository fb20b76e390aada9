//===- Slots.h - Slots of buffers that accesses use -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_SLOTS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_SLOTS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexEquations.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {

/// The slot of a buffer that an access uses: its first index.
struct Slot {
  /// The value of symbol 0 of `index`; null if `index` is a number.
  Value base;
  /// nullopt: any slot.
  std::optional<IndexExpr> index;

  bool operator==(const Slot &other) const {
    return base == other.base && index == other.index;
  }
  bool operator!=(const Slot &other) const { return !(*this == other); }
  /// True if both slots are certainly different memory: x is never 1 - x.
  bool differs(const Slot &other) const {
    return index && other.index && base == other.base &&
           areNeverEqual(*index, *other.index);
  }
};

/// Finds slots. Slots that counted loops carry are composed iteration by
/// iteration, because the number of flips depends on numbers of iterations
/// only. The reader caches its results, so the code must not change between two
/// questions.
class SlotReader {
public:
  /// The slot of an access whose first index is `index`.
  Slot get(Value index);

private:
  Slot compute(Value index);
  IndexExpr getExpr(Value value);
  std::optional<IndexExpr> runLoop(scf::ForOp loop, unsigned i);

  IndexRecognizer recognizer;
  /// The values of symbols in this iteration.
  llvm::DenseMap<unsigned, IndexExpr> turn;
  unsigned numTurns = 0;
  llvm::DenseMap<Value, Slot> known;
};

/// `slot` as an expression of the value of `to`, if `from`, an expression of
/// the value of `slot`, is the same number as `to`.
Slot carry(const Slot &slot, const Slot &from, const Slot &to);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_SLOTS_H
