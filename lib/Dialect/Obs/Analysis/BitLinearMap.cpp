//===- BitLinearMap.cpp - Linear maps over bits, with complement -*- C++
//-*-===//
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

/// Brings equations to reduced echelon form: each left has a bit of its own.
/// False if they contradict each other.
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
  result.numBits = numBits;
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

BitSubspace BitSubspace::span(unsigned numBits, uint64_t origin,
                              ArrayRef<uint64_t> vectors) {
  BitSubspace result;
  result.numBits = numBits;
  result.origin = origin;
  SmallVector<Equation> system;
  for (uint64_t vector : vectors)
    system.push_back({vector, false});
  SmallVector<unsigned> pivots;
  reduce(system, pivots);
  for (Equation &equation : system)
    result.basis.push_back(equation.mask);
  return result;
}

SmallVector<BitSubspace::Equation> BitSubspace::getEquations() const {
  // The masks that vanish on the basis are the solutions of its transpose.
  SmallVector<Equation> transposed, result;
  for (uint64_t vector : basis)
    transposed.push_back({vector, false});
  BitSubspace masks = solve(numBits, transposed);
  for (uint64_t mask : masks.basis)
    result.push_back({mask, parity(mask & origin)});
  return result;
}

bool BitSubspace::contains(uint64_t point) const {
  return !empty && (point & ~low(numBits)) == 0 &&
         llvm::all_of(getEquations(), [&](const Equation &equation) {
           return parity(equation.mask & point) == equation.value;
         });
}

BitSubspace BitSubspace::intersect(const BitSubspace &other) const {
  if (empty)
    return *this;
  if (other.empty)
    return other;
  SmallVector<Equation> system = getEquations();
  llvm::append_range(system, other.getEquations());
  return solve(numBits, system);
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

BitLinearMap BitLinearMap::identity(unsigned bits) { return xorMask(bits, 0); }

BitLinearMap BitLinearMap::xorMask(unsigned bits, uint64_t mask) {
  SmallVector<uint64_t> rows;
  for (unsigned i = 0; i < bits; ++i)
    rows.push_back(bit(i));
  return BitLinearMap(bits, rows, mask & low(bits));
}

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

BitLinearMap BitLinearMap::rotateLeft(unsigned bits, unsigned amount) {
  SmallVector<unsigned> targets;
  for (unsigned i = 0; i < bits; ++i)
    targets.push_back((i + amount) % bits);
  return permute(targets);
}

BitLinearMap BitLinearMap::reverse(unsigned bits) {
  SmallVector<unsigned> targets;
  for (unsigned i = 0; i < bits; ++i)
    targets.push_back(bits - 1 - i);
  return permute(targets);
}

BitLinearMap BitLinearMap::insertZero(unsigned bits, unsigned position) {
  SmallVector<uint64_t> rows;
  for (unsigned i = 0; i <= bits; ++i)
    rows.push_back(i == position ? 0 : bit(i < position ? i : i - 1));
  return BitLinearMap(bits, rows);
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

std::optional<BitLinearMap> BitLinearMap::inverse() const {
  if (!isBijection())
    return std::nullopt;
  // Column i of the inverse is what M sends to bit i.
  SmallVector<uint64_t> result(numInputs, 0);
  for (unsigned i = 0; i < numInputs; ++i) {
    SmallVector<BitSubspace::Equation> system;
    for (auto [j, row] : llvm::enumerate(rows))
      system.push_back({row, i == j});
    uint64_t column = BitSubspace::solve(numInputs, system).getOrigin();
    for (unsigned j = 0; j < numInputs; ++j)
      if (column & bit(j))
        result[j] |= bit(i);
  }
  BitLinearMap linear(numInputs, result);
  return BitLinearMap(numInputs, result, linear.apply(constant));
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

BitLinearMap BitLinearMap::restrict(uint64_t mask, uint64_t values) const {
  SmallVector<uint64_t> result;
  for (uint64_t row : rows)
    result.push_back(row & ~mask);
  return BitLinearMap(numInputs, result, apply(values & mask));
}

unsigned BitLinearMap::getRank() const {
  return BitSubspace::span(numInputs, 0, rows).getDimension();
}

BitSubspace BitLinearMap::getKernel() const {
  SmallVector<BitSubspace::Equation> system;
  for (uint64_t row : rows)
    system.push_back({row, false});
  return BitSubspace::solve(numInputs, system);
}

BitSubspace BitLinearMap::getImage() const {
  SmallVector<uint64_t> columns;
  for (unsigned i = 0; i < numInputs; ++i)
    columns.push_back(getColumn(i));
  return BitSubspace::span(rows.size(), constant, columns);
}

bool BitLinearMap::operator==(const BitLinearMap &other) const {
  return numInputs == other.numInputs && rows == other.rows &&
         constant == other.constant;
}

BitSubspace mlir::obs::solveEqual(const BitLinearMap &a,
                                  const BitLinearMap &b) {
  SmallVector<BitSubspace::Equation> system;
  uint64_t differ = a.getConstant() ^ b.getConstant();
  for (unsigned i = 0; i < a.getNumOutputs(); ++i) {
    // A shift by 64 would be one of an empty right-hand side.
    uint64_t right =
        b.getNumInputs() ? b.getRow(i) << a.getNumInputs() : uint64_t(0);
    system.push_back({a.getRow(i) | right, bool(differ & bit(i))});
  }
  return BitSubspace::solve(a.getNumInputs() + b.getNumInputs(), system);
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
      return bitwise(a, b, [](uint64_t x, bool p, uint64_t y, bool q) {
        if (x == y)
          return p == q ? 1 : 0;
        if (x == 0)
          return p ? 2 : 0;
        return y == 0 ? (q ? 1 : 0) : -1;
      });
    case Kind::Or:
      return bitwise(a, b, [](uint64_t x, bool p, uint64_t y, bool q) {
        if (x == y)
          return p == q ? 1 : 4;
        if (x == 0)
          return p ? 4 : 2;
        return y == 0 ? (q ? 4 : 1) : -1;
      });
    case Kind::Add:
      return a.disjointAdd(b);
    case Kind::Sub:
      // Nothing is borrowed where each bit that is taken away is there.
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
      // Rounding down keeps the sign.
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

  /// `choose` says for a bit of both operands, as mask and complement, what the
  /// result is: 0 zero, 1 the first, 2 the second, 3 their sum, 4 one, -1 not
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
