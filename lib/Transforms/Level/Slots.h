//===- Slots.h - Slots of buffers that accesses use -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_SLOTS_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_SLOTS_H

#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::obs {

/// The slot of a buffer that an access uses: its first index.
struct Slot {
  /// Null if the slot is a constant.
  Value base;
  /// The constant. With a base x, 0 stands for x, and 1 for 1 - x. nullopt: any
  /// slot.
  std::optional<int64_t> number;

  bool operator==(const Slot &other) const {
    return base == other.base && number == other.number;
  }
  bool operator!=(const Slot &other) const { return !(*this == other); }
  /// True if both slots are certainly different memory: x is never 1 - x.
  bool differs(const Slot &other) const {
    return number && other.number && base == other.base &&
           number != other.number;
  }
  /// The other slot of a ring of two.
  Slot getOther() const { return {base, 1 - *number}; }
};

/// Finds slots. Slots that counted loops carry are followed iteration by
/// iteration, because the number of flips depends on numbers of iterations
/// only. The reader caches its results, so the code must not change between two
/// questions.
class SlotReader {
public:
  /// The slot of an access whose first index is `index`.
  Slot get(Value index);

private:
  Slot follow(Value value);
  std::optional<Slot> runLoop(scf::ForOp loop, unsigned i);
  std::optional<int64_t> getNumber(Value value);

  IndexRecognizer recognizer;
  /// The counters of loops, and the slots that they carry, in this iteration.
  llvm::DenseMap<unsigned, IndexExpr> counters;
  llvm::DenseMap<Value, Slot> carried;
  unsigned numTurns = 0;
  llvm::DenseMap<Value, Slot> known;
};

/// `slot` as an expression of the value of `to`, if `from`, an expression of
/// the value of `slot`, is the same number as `to`.
Slot carry(const Slot &slot, const Slot &from, const Slot &to);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_SLOTS_H
