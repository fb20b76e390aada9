//===- BitLinearMap.cpp - Linear maps over bits, with complement ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/BitLinearMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::obs;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool parity(uint64_t value) { return llvm::popcount(value) & 1; }
static uint64_t bit(unsigned i) { return uint64_t(1) << i; }
static uint64_t low(unsigned bits) {
  return llvm::maskTrailingOnes<uint64_t>(bits);
}

/// Brings equations to reduced echelon form, in which each left side has a bit
/// that no other one has. False if the equations contradict each other.
static bool reduce(llvm::SmallVectorImpl<BitSubspace::Equation> &equations,
                   llvm::SmallVectorImpl<unsigned> &pivots) {
  unsigned rank = 0;
  for (unsigned column = 0; column < 64; ++column) {
    auto *pivot = std::find_if(equations.begin() + rank, equations.end(),
                               [&](auto &e) { return e.mask & bit(column); });
    if (pivot == equations.end())
      continue;
    std::swap(*pivot, equations[rank]);
    for (unsigned i = 0, e = equations.size(); i < e; ++i)
      if (i != rank && (equations[i].mask & bit(column))) {
        equations[i].mask ^= equations[rank].mask;
        equations[i].value ^= equations[rank].value;
      }
    pivots.push_back(column);
    ++rank;
  }
  for (unsigned i = rank, e = equations.size(); i < e; ++i)
    if (equations[i].value)
      return false;
  equations.truncate(rank);
  return true;
}

BitSubspace BitSubspace::solve(unsigned numBits, ArrayRef<Equation> equations) {
  BitSubspace result;
  SmallVector<Equation> system(equations);
  for (Equation &equation : system)
    equation.mask &= low(numBits);
  SmallVector<unsigned> pivots;
  if (!reduce(system, pivots)) {
    result.empty = true;
    return result;
  }
  uint64_t pivotMask = 0;
  for (auto [equation, pivot] : llvm::zip(system, pivots)) {
    pivotMask |= bit(pivot);
    if (equation.value)
      result.origin |= bit(pivot);
  }
  for (unsigned free = 0; free < numBits; ++free) {
    if (pivotMask & bit(free))
      continue;
    uint64_t vector = bit(free);
    for (auto [equation, pivot] : llvm::zip(system, pivots))
      if (equation.mask & bit(free))
        vector |= bit(pivot);
    result.basis.push_back(vector);
  }
  return result;
}

std::optional<bool> BitSubspace::getParity(uint64_t mask) const {
  for (uint64_t vector : basis)
    if (parity(vector & mask))
      return std::nullopt;
  return parity(origin & mask);
}

BitLinearMap::BitLinearMap(unsigned numInputs, ArrayRef<uint64_t> rows,
                           uint64_t constant)
    : numInputs(numInputs), rows(rows), constant(constant) {}

BitLinearMap BitLinearMap::andMask(unsigned bits, uint64_t mask) {
  SmallVector<uint64_t> rows;
  for (unsigned i = 0; i < bits; ++i)
    rows.push_back(bit(i) & mask);
  return BitLinearMap(bits, rows);
}

BitLinearMap BitLinearMap::shiftLeft(unsigned bits, unsigned amount) {
  SmallVector<uint64_t> rows;
  for (unsigned i = 0; i < bits; ++i)
    rows.push_back(i >= amount ? bit(i - amount) : 0);
  return BitLinearMap(bits, rows);
}

BitLinearMap BitLinearMap::shiftRight(unsigned bits, unsigned amount) {
  SmallVector<uint64_t> rows;
  for (unsigned i = 0; i < bits; ++i)
    rows.push_back(i + amount < bits ? bit(i + amount) : 0);
  return BitLinearMap(bits, rows);
}

BitLinearMap BitLinearMap::permute(ArrayRef<unsigned> targets) {
  SmallVector<uint64_t> rows(targets.size(), 0);
  for (auto [source, target] : llvm::enumerate(targets))
    rows[target] = bit(source);
  return BitLinearMap(targets.size(), rows);
}

std::optional<BitLinearMap> BitLinearMap::fit(ArrayRef<uint64_t> values) {
  unsigned numInputs = llvm::Log2_64(values.size());
  SmallVector<uint64_t> result(64, 0);
  for (unsigned input = 0; input < numInputs; ++input) {
    uint64_t column = values[bit(input)] ^ values[0];
    for (unsigned i = 0; i < 64; ++i)
      if (column & bit(i))
        result[i] |= bit(input);
  }
  BitLinearMap map(numInputs, result, values[0]);
  for (auto [x, value] : llvm::enumerate(values))
    if (map.apply(x) != value)
      return std::nullopt;
  return map;
}

uint64_t BitLinearMap::getColumn(unsigned input) const {
  return apply(bit(input)) ^ constant;
}

uint64_t BitLinearMap::apply(uint64_t x) const {
  uint64_t y = constant;
  for (auto [i, row] : llvm::enumerate(rows))
    if (parity(row & x))
      y ^= bit(i);
  return y;
}

BitLinearMap BitLinearMap::compose(const BitLinearMap &inner) const {
  SmallVector<uint64_t> result;
  for (uint64_t row : rows) {
    uint64_t combined = 0;
    for (auto [i, innerRow] : llvm::enumerate(inner.rows))
      if (row & bit(i))
        combined ^= innerRow;
    result.push_back(combined);
  }
  return BitLinearMap(inner.numInputs, result, apply(inner.constant));
}

std::optional<BitLinearMap>
BitLinearMap::disjointAdd(const BitLinearMap &other) const {
  SmallVector<uint64_t> result(rows);
  for (auto [i, row] : llvm::enumerate(other.rows)) {
    bool isZero = result[i] == 0 && !(constant & bit(i));
    bool otherIsZero = row == 0 && !(other.constant & bit(i));
    if (!isZero && !otherIsZero)
      return std::nullopt;
    result[i] ^= row;
  }
  return BitLinearMap(numInputs, result, constant ^ other.constant);
}

BitSubspace BitLinearMap::getKernel() const {
  SmallVector<BitSubspace::Equation> system;
  for (uint64_t row : rows)
    system.push_back({row, false});
  return BitSubspace::solve(numInputs, system);
}

namespace {
using Kind = IndexExpr::Kind;

/// Finds the map of an expression, each shared subexpression once.
class Linearizer {
public:
  Linearizer(ArrayRef<VariableBits> variables, unsigned numInputs)
      : variables(variables), numInputs(numInputs) {}

  std::optional<BitLinearMap> get(const IndexExpr &expr) {
    auto found = known.find(expr.getIdentity());
    if (found != known.end())
      return found->second;
    std::optional<BitLinearMap> map = compute(expr);
    known.insert({expr.getIdentity(), map});
    return map;
  }

private:
  BitLinearMap getConstantMap(uint64_t value) {
    return BitLinearMap(numInputs, SmallVector<uint64_t>(64, 0), value);
  }

  std::optional<BitLinearMap> compute(const IndexExpr &expr) {
    switch (expr.getKind()) {
    case Kind::Constant:
      return getConstantMap(expr.getValue());
    case Kind::Variable:
      for (const VariableBits &variable : variables)
        if (variable.id == expr.getId()) {
          SmallVector<uint64_t> rows(64, 0);
          for (unsigned i = 0; i < variable.numBits; ++i)
            rows[i] = bit(variable.firstBit + i);
          return BitLinearMap(numInputs, rows);
        }
      return std::nullopt;
    case Kind::Symbol:
    case Kind::Opaque:
    case Kind::Min:
    case Kind::Max:
    case Kind::Select:
      return std::nullopt;
    case Kind::Permute: {
      std::optional<int64_t> p = expr.getOperands()[1].getConstant();
      std::optional<int64_t> q = expr.getOperands()[2].getConstant();
      std::optional<BitLinearMap> value = get(expr.getOperands()[0]);
      if (!p || !q || !value)
        return std::nullopt;
      std::optional<SmallVector<unsigned>> targets =
          getPermutedBits(expr.getPermutation(), *p, *q);
      if (!targets)
        return std::nullopt;
      return BitLinearMap::permute(*targets).compose(*value);
    }
    default:
      break;
    }
    std::optional<BitLinearMap> a = get(expr.getOperands()[0]);
    std::optional<BitLinearMap> b = get(expr.getOperands()[1]);
    if (!a || !b)
      return std::nullopt;
    return combine(expr.getKind(), *a, *b);
  }

  std::optional<BitLinearMap> combine(Kind kind, const BitLinearMap &a,
                                      const BitLinearMap &b) {
    std::optional<uint64_t> c = getNumber(b);
    bool isPower = c && llvm::isPowerOf2_64(*c) && !(*c >> 63);
    switch (kind) {
    case Kind::Xor:
      return bitwise(a, b, [](uint64_t, bool, uint64_t, bool) { return 3; });
    case Kind::And:
    case Kind::Or: {
      // An or of bits is one where an and of their complements is zero.
      bool isOr = kind == Kind::Or;
      return bitwise(a, b, [isOr](uint64_t x, bool p, uint64_t y, bool q) {
        int zero = isOr ? 4 : 0;
        if (x == y)
          return p == q ? 1 : zero;
        if (x == 0)
          return p != isOr ? 2 : zero;
        return y == 0 ? (q != isOr ? 1 : zero) : -1;
      });
    }
    case Kind::Add:
      return a.disjointAdd(b);
    case Kind::Sub:
      // There is no borrow if each subtracted bit is set in the first operand.
      return bitwise(a, b, [](uint64_t x, bool p, uint64_t y, bool q) {
        bool isZero = y == 0 && !q, isOne = x == 0 && p;
        return isZero || isOne || (x == y && p == q) ? 3 : -1;
      });
    case Kind::Mul: {
      if (isPower)
        return BitLinearMap::shiftLeft(64, llvm::Log2_64(*c)).compose(a);
      std::optional<uint64_t> d = getNumber(a);
      if (d && llvm::isPowerOf2_64(*d))
        return BitLinearMap::shiftLeft(64, llvm::Log2_64(*d)).compose(b);
      return std::nullopt;
    }
    case Kind::FloorDiv: {
      if (!isPower)
        return std::nullopt;
      // A division that rounds down keeps the sign.
      SmallVector<uint64_t> rows;
      unsigned amount = llvm::Log2_64(*c);
      for (unsigned i = 0; i < 64; ++i)
        rows.push_back(bit(std::min(i + amount, 63u)));
      return BitLinearMap(64, rows).compose(a);
    }
    case Kind::Mod:
      if (!isPower)
        return std::nullopt;
      return BitLinearMap::andMask(64, *c - 1).compose(a);
    case Kind::Shl:
    case Kind::Shr:
      if (!c || *c >= 64)
        return std::nullopt;
      return (kind == Kind::Shl ? BitLinearMap::shiftLeft(64, *c)
                                : BitLinearMap::shiftRight(64, *c))
          .compose(a);
    default:
      return std::nullopt;
    }
  }

  static std::optional<uint64_t> getNumber(const BitLinearMap &map) {
    for (unsigned i = 0; i < 64; ++i)
      if (map.getRow(i))
        return std::nullopt;
    return map.getConstant();
  }

  /// `choose` maps a bit of both operands, as mask and complement, to the
  /// result: 0 zero, 1 the first, 2 the second, 3 their sum, 4 one, -1 not
  /// linear.
  template <typename Choose>
  std::optional<BitLinearMap> bitwise(const BitLinearMap &a,
                                      const BitLinearMap &b, Choose choose) {
    SmallVector<uint64_t> rows(64, 0);
    uint64_t constant = 0;
    for (unsigned i = 0; i < 64; ++i) {
      bool p = a.getConstant() & bit(i), q = b.getConstant() & bit(i);
      int choice = choose(a.getRow(i), p, b.getRow(i), q);
      if (choice < 0)
        return std::nullopt;
      bool one = choice == 4;
      if (choice == 1 || choice == 3) {
        rows[i] ^= a.getRow(i);
        one ^= p;
      }
      if (choice == 2 || choice == 3) {
        rows[i] ^= b.getRow(i);
        one ^= q;
      }
      if (one)
        constant |= bit(i);
    }
    return BitLinearMap(numInputs, rows, constant);
  }

  ArrayRef<VariableBits> variables;
  unsigned numInputs;
  llvm::DenseMap<const void *, std::optional<BitLinearMap>> known;
};
} // namespace

std::optional<BitLinearMap>
mlir::obs::getBitLinearMap(const IndexExpr &expr,
                           ArrayRef<VariableBits> variables,
                           unsigned numInputs) {
  return Linearizer(variables, numInputs).get(expr);
}
