//===- IndexExpr.h - Arithmetic on indices, without IR -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEXPR_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace mlir::obs {

/// The maximum number of points that a query tries one by one.
constexpr uint64_t indexEnumerationBudget = uint64_t(1) << 16;

/// The numbers from `min` to `max`, both included.
struct IndexRange {
  int64_t min;
  int64_t max;
};

/// An immutable expression over variables and symbols, which have numbers. The
/// value of a variable differs from worker to worker or from step to step. A
/// symbol has one value, which is unknown. Arithmetic has 64 bits in two's
/// complement: sums and products wrap, divisions round down, and `shr` shifts
/// zeros in. A copy is cheap, and equal subexpressions may be shared.
class IndexExpr {
public:
  enum class Kind {
    Constant,
    Variable,
    Symbol,
    Opaque,
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
    Select,
    Permute
  };
  enum class Compare {
    Equal,
    Less,
    LessEqual,
    UnsignedLess,
    UnsignedLessEqual
  };
  /// The kind of a permutation of the bits of a number, with parameters p and
  /// q.
  enum class Permutation {
    /// Bit i of the low q bits moves to bit (i + p) mod q.
    Rotate,
    /// Bit i of the low p bits moves to bit p - 1 - i; q is 0.
    Reverse,
    /// Bits p and q change places.
    Swap
  };

  static IndexExpr constant(int64_t value);
  /// Variable `id` in [0, extent). Without an extent, it can be any number.
  static IndexExpr variable(unsigned id,
                            std::optional<int64_t> extent = std::nullopt);
  /// Symbol `id`, with its range if that is known.
  static IndexExpr symbol(unsigned id,
                          std::optional<IndexRange> range = std::nullopt);
  /// An unknown number, which may differ between evaluations.
  static IndexExpr opaque();
  /// `kind` is one of Add to Max. Constants and neutral operands are folded.
  static IndexExpr binary(Kind kind, IndexExpr lhs, IndexExpr rhs);
  /// `onTrue` if the comparison of `lhs` with `rhs` is true, else `onFalse`.
  static IndexExpr select(Compare compare, IndexExpr lhs, IndexExpr rhs,
                          IndexExpr onTrue, IndexExpr onFalse);
  /// `value` with its bits permuted. The expression has no value if p or q are
  /// not valid for 64 bits, or if a rotation is not by less than its width.
  static IndexExpr permute(Permutation how, IndexExpr value, IndexExpr p,
                           IndexExpr q);

  Kind getKind() const;
  /// The number of a constant.
  int64_t getValue() const;
  std::optional<int64_t> getConstant() const;
  /// The number of a variable or a symbol.
  unsigned getId() const;
  /// The known range of a variable or a symbol.
  std::optional<IndexRange> getDeclaredRange() const;
  Compare getCompare() const;
  Permutation getPermutation() const;
  /// The operands: of `select` lhs, rhs, onTrue, onFalse; of `permute` the
  /// value, p and q.
  llvm::ArrayRef<IndexExpr> getOperands() const;
  /// True if neither a variable nor an opaque number occurs.
  bool isUniform() const;
  bool hasOpaque() const;
  bool hasVariable() const;
  const void *getIdentity() const { return node.get(); }

  /// Bounds of the value if no part of the expression can wrap around; nullopt
  /// if no bounds are known.
  std::optional<IndexRange> getRange() const;

  /// A number of low bits that are 0 for all values.
  unsigned getZeroBits() const;

  /// The value of a binary operation on numbers; nullopt if it has none.
  static std::optional<int64_t> fold(Kind kind, int64_t lhs, int64_t rhs);
  /// True if the comparison of `lhs` with `rhs` is true.
  static bool holds(Compare compare, int64_t lhs, int64_t rhs);

  /// Structural equality. An opaque number is not equal to any expression.
  bool operator==(const IndexExpr &other) const;
  bool operator!=(const IndexExpr &other) const { return !(*this == other); }

  /// Replaces variables and symbols. `leaf` returns nullopt for those that do
  /// not change.
  IndexExpr substitute(
      llvm::function_ref<std::optional<IndexExpr>(const IndexExpr &)> leaf)
      const;

  /// Replaces parts. `part` is asked for each subexpression that is not a
  /// constant, the whole expression first, and not for the parts of what it
  /// replaces. It returns nullopt for a part that stays.
  IndexExpr
  replace(llvm::function_ref<std::optional<IndexExpr>(const IndexExpr &)> part)
      const;

  struct Node;

private:
  explicit IndexExpr(std::shared_ptr<const Node> node)
      : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

inline IndexExpr operator+(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(IndexExpr::Kind::Add, a, b);
}
inline IndexExpr operator-(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(IndexExpr::Kind::Sub, a, b);
}
inline IndexExpr operator*(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(IndexExpr::Kind::Mul, a, b);
}
inline IndexExpr operator^(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(IndexExpr::Kind::Xor, a, b);
}
inline IndexExpr operator&(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(IndexExpr::Kind::And, a, b);
}
inline IndexExpr operator|(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(IndexExpr::Kind::Or, a, b);
}

/// The target of each of 64 bits by a permutation; nullopt if the permutation
/// is not valid.
std::optional<llvm::SmallVector<unsigned>>
getPermutedBits(IndexExpr::Permutation how, int64_t p, int64_t q);

/// The variables and symbols of some expressions, each once, by kind and
/// number.
llvm::SmallVector<IndexExpr> collectLeaves(llvm::ArrayRef<IndexExpr> exprs,
                                           IndexExpr::Kind kind);

/// Appends the subexpressions of `expr`, operands first, each node once. `seen`
/// maps the identity of each node to its position in `order`.
void collectSubexpressions(const IndexExpr &expr,
                           llvm::DenseMap<const void *, unsigned> &seen,
                           llvm::SmallVectorImpl<IndexExpr> &order);

/// If `expr` is a number plus a multiple of one symbol: the number of this
/// symbol, and its value if `expr` is equal to `value`.
std::optional<std::pair<unsigned, int64_t>>
solveForSymbol(const IndexExpr &expr, int64_t value);

/// A tuple of indices: the address of an access, or the value of a reindex.
using IndexMap = llvm::SmallVector<IndexExpr>;

/// A sum of multiples of expressions that are not sums themselves.
struct LinearForm {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<IndexExpr, int64_t>> terms;

  static LinearForm get(const IndexExpr &expr);
  /// Adds `factor` times `expr`. If an equal term exists, its factor changes.
  void add(const IndexExpr &expr, int64_t factor);
  void add(const LinearForm &other, int64_t factor);
  IndexExpr toExpr() const;
  /// Bounds; nullopt if a term has none.
  std::optional<IndexRange> getRange() const;
};

/// Evaluates expressions at many points, one step for each subexpression.
class IndexEvaluator {
public:
  explicit IndexEvaluator(llvm::ArrayRef<IndexExpr> exprs);
  /// The values if variable `v` is `variables[v]` and symbol `s` is
  /// `symbols[s]`, valid until the next call. nullopt if one of them is missing
  /// or an expression has no value: an opaque number, a division by zero or
  /// less, or a shift by 64 or more.
  std::optional<llvm::ArrayRef<int64_t>>
  evaluate(llvm::ArrayRef<int64_t> variables,
           llvm::ArrayRef<int64_t> symbols = {});

private:
  struct Step {
    IndexExpr expr;
    llvm::SmallVector<unsigned, 4> operands;
  };
  llvm::SmallVector<Step> steps;
  llvm::SmallVector<unsigned> outputs;
  llvm::SmallVector<int64_t> values;
  /// True for each step that has a value. An operand of a select that is not
  /// selected needs none.
  llvm::SmallVector<bool> defined;
  llvm::SmallVector<int64_t> results;
};

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXEXPR_H
