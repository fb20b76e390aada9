//===- BitLinearMap.h - Linear maps over bits, with complement -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_BITLINEARMAP_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_BITLINEARMAP_H

#include "Obsidian/Dialect/Obs/Analysis/IndexExpr.h"

namespace mlir::obs {

/// The solutions of linear equations over `numBits` <= 64 bits: none, or the
/// numbers `origin` xor s, for all sums s (by xor) of elements of `basis`.
class BitSubspace {
public:
  /// The parity of `x & mask` is `value`.
  struct Equation {
    uint64_t mask;
    bool value;
  };
  static BitSubspace solve(unsigned numBits,
                           llvm::ArrayRef<Equation> equations);

  bool isEmpty() const { return empty; }
  /// log2 of the number of solutions, if there are any.
  unsigned getDimension() const { return basis.size(); }
  llvm::ArrayRef<uint64_t> getBasis() const { return basis; }
  /// The parity of `x & mask`, if it is the same for all solutions.
  std::optional<bool> getParity(uint64_t mask) const;

private:
  bool empty = false;
  uint64_t origin = 0;
  llvm::SmallVector<uint64_t> basis;
};

/// y = M x xor c. x and y have at most 64 bits. Row i is the mask of the bits
/// of x whose parity is bit i of M x.
class BitLinearMap {
public:
  BitLinearMap(unsigned numInputs, llvm::ArrayRef<uint64_t> rows,
               uint64_t constant = 0);

  static BitLinearMap andMask(unsigned bits, uint64_t mask);
  /// Bits that are shifted out of the width are lost.
  static BitLinearMap shiftLeft(unsigned bits, unsigned amount);
  static BitLinearMap shiftRight(unsigned bits, unsigned amount);
  /// Bit i moves to bit `targets[i]`.
  static BitLinearMap permute(llvm::ArrayRef<unsigned> targets);
  /// The map to 64 bits whose value for i is `values[i]`. The number of values
  /// is a power of two. nullopt if there is no such map.
  static std::optional<BitLinearMap> fit(llvm::ArrayRef<uint64_t> values);

  unsigned getNumInputs() const { return numInputs; }
  uint64_t getRow(unsigned output) const { return rows[output]; }
  /// The bits of the value that bit `input` changes.
  uint64_t getColumn(unsigned input) const;
  uint64_t getConstant() const { return constant; }

  uint64_t apply(uint64_t x) const;
  /// x -> this(inner(x)).
  BitLinearMap compose(const BitLinearMap &inner) const;
  /// The sum of two maps, if no bit can be set in both values; otherwise
  /// nullopt.
  std::optional<BitLinearMap> disjointAdd(const BitLinearMap &other) const;
  /// The inputs x for which M x is 0.
  BitSubspace getKernel() const;

private:
  unsigned numInputs;
  llvm::SmallVector<uint64_t> rows;
  uint64_t constant;
};

/// The position of the bits of a variable in the input of a map.
struct VariableBits {
  unsigned id;
  unsigned firstBit;
  unsigned numBits;
};

/// `expr` as a map from the bits of its variables to 64 bits. nullopt if it is
/// not linear over bits or has symbols. Every variable must be less than
/// 2^numBits.
std::optional<BitLinearMap>
getBitLinearMap(const IndexExpr &expr, llvm::ArrayRef<VariableBits> variables,
                unsigned numInputs);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_BITLINEARMAP_H
