//===- SymbolicEvaluatorTest.cpp - Symbolic values against numbers --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/SymbolicEvaluator.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::obs;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

namespace {
IndexExpr c(int64_t value) { return IndexExpr::constant(value); }
IndexExpr binary(Kind kind, IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(kind, a, b);
}
const IndexExpr t = IndexExpr::variable(0, 64);
/// Any number, and one in [0, 1000].
const IndexExpr n = IndexExpr::symbol(0);
const IndexExpr s = IndexExpr::symbol(1, IndexRange{0, 1000});

/// The only value of `expr` at t = `point`, as number and multiples of n and s;
/// nullopt if it is not of that kind.
std::optional<std::array<int64_t, 3>> get(IndexExpr expr, int64_t point) {
  TermTable terms;
  SymbolicEvaluator evaluator(expr, terms);
  evaluator.evaluate({point});
  if (evaluator.getValues(0).size() != 1)
    return std::nullopt;
  TermSum value = evaluator.getValues(0).front();
  std::array<int64_t, 3> result{value.constant, 0, 0};
  for (auto [term, count] : value.terms) {
    if (terms.getExpr(term).getKind() != Kind::Symbol)
      return std::nullopt;
    result[1 + terms.getExpr(term).getId()] += count;
  }
  return result;
}

using Sum = std::array<int64_t, 3>;

TEST(SymbolicEvaluator, SumsOfSymbols) {
  EXPECT_EQ(get(n + t * c(4) - s, 5), (Sum{20, 1, -1}));
  EXPECT_EQ(get((n + t) * t, 5), (Sum{25, 5, 0}));
  EXPECT_EQ(get(binary(Kind::Shl, n + t, c(3)), 5), (Sum{40, 8, 0}));
  // Terms that cancel are gone.
  EXPECT_EQ(get(n + t - n, 5), (Sum{5, 0, 0}));
}

TEST(SymbolicEvaluator, BitsBelowTheSymbols) {
  EXPECT_EQ(get((n * c(32) + t) ^ c(1), 7), (Sum{6, 32, 0}));
  EXPECT_EQ(get((n * c(32) + t) & c(31), 7), (Sum{7, 0, 0}));
  EXPECT_EQ(get((n * c(32) + t) & c(-4), 7), (Sum{4, 32, 0}));
  EXPECT_EQ(get((n * c(32) + t) | c(8), 7), (Sum{15, 32, 0}));
  EXPECT_EQ(get(binary(Kind::Mod, n * c(32) + t, c(16)), 23), (Sum{7, 0, 0}));
  // A bit of n may be the bit that changes.
  EXPECT_EQ(get((n + t) ^ c(1), 7), std::nullopt);
}

TEST(SymbolicEvaluator, DivisionsOfWhatCannotWrap) {
  IndexExpr sum = s * c(32) + t;
  EXPECT_EQ(get(binary(Kind::FloorDiv, sum, c(16)), 23), (Sum{1, 0, 2}));
  EXPECT_EQ(get(binary(Kind::Mod, sum, c(16)), 23), (Sum{7, 0, 0}));
  EXPECT_EQ(get(binary(Kind::Shr, sum, c(5)), 23), (Sum{0, 0, 1}));
  // s <= 1000 stays below 1024.
  EXPECT_EQ(get(binary(Kind::FloorDiv, s + t, c(2000)), 23), (Sum{0, 0, 0}));
  EXPECT_EQ(get(binary(Kind::Mod, s + t, c(2000)), 23), (Sum{23, 0, 1}));
  EXPECT_EQ(get(binary(Kind::FloorDiv, s + t, c(1001)), 23), std::nullopt);
  // 32 n + t can wrap.
  EXPECT_EQ(get(binary(Kind::FloorDiv, n * c(32) + t, c(16)), 23),
            std::nullopt);
}

TEST(SymbolicEvaluator, ComparisonsByBounds) {
  auto is = [](Compare how, IndexExpr a, IndexExpr b) {
    return get(IndexExpr::select(how, a, b, t * c(2), t), 10) == Sum{20, 0, 0};
  };
  auto isNot = [](Compare how, IndexExpr a, IndexExpr b) {
    return get(IndexExpr::select(how, a, b, t * c(2), t), 10) == Sum{10, 0, 0};
  };
  EXPECT_TRUE(is(Compare::Less, s + t, c(1011)));
  EXPECT_TRUE(isNot(Compare::Less, c(1010), s + t));
  EXPECT_TRUE(is(Compare::Less, s, s + t));
  EXPECT_TRUE(is(Compare::Equal, n + t, t + n));
  EXPECT_TRUE(isNot(Compare::Equal, n + t, n));
  EXPECT_TRUE(isNot(Compare::Equal, s * c(6) + t, c(102)));
  EXPECT_TRUE(isNot(Compare::Equal, n, c(1) - n));
  EXPECT_FALSE(isNot(Compare::Equal, n * c(3), c(1)));
  EXPECT_TRUE(isNot(Compare::UnsignedLess, s + c(11), t));
  // n + 1 < n + 2 does not hold where the sum wraps.
  EXPECT_FALSE(is(Compare::Less, n + c(1), n + c(2)));
  EXPECT_FALSE(is(Compare::Less, s, t));
  EXPECT_FALSE(isNot(Compare::Less, s, t));
}

TEST(SymbolicEvaluator, UnknownChoicesAreAllPossible) {
  IndexExpr opaque = IndexExpr::opaque();
  TermTable terms;
  IndexExpr choice =
      IndexExpr::select(Compare::Equal, opaque, c(0), t, t + c(8));
  IndexMap exprs{choice + c(1), choice & c(0), opaque + t,
                 binary(Kind::Min, s + t, c(12)),
                 // All agree on that, so it is itself.
                 IndexExpr::select(Compare::Less, n, c(0), s, n) + t};
  SymbolicEvaluator evaluator(exprs, terms);
  evaluator.evaluate({3});
  ASSERT_EQ(evaluator.getValues(0).size(), 2u);
  EXPECT_EQ(evaluator.getValues(0)[0].constant, 4);
  EXPECT_EQ(evaluator.getValues(0)[1].constant, 12);
  EXPECT_EQ(evaluator.getNumber(1), 0);
  EXPECT_TRUE(evaluator.getValues(2).empty());
  EXPECT_EQ(evaluator.getValues(3).size(), 2u);
  ASSERT_EQ(evaluator.getValues(4).size(), 1u);
  EXPECT_EQ(evaluator.getValues(4)[0].constant, 3);
  EXPECT_EQ(evaluator.getValues(4)[0].terms.size(), 1u);
}

TEST(SymbolicEvaluator, FixedSymbolsAreNumbers) {
  TermTable terms;
  SymbolicEvaluator evaluator(binary(Kind::FloorDiv, n + t, c(3)), terms);
  evaluator.fixSymbol(0, 5);
  evaluator.evaluate({4});
  EXPECT_EQ(evaluator.getNumber(0), 3);
  evaluator.fixSymbol(0, 8);
  evaluator.evaluate({4});
  EXPECT_EQ(evaluator.getNumber(0), 4);
  EXPECT_EQ(solveForSymbol(s * c(4) + c(3), 11), std::pair(1u, int64_t(2)));
  EXPECT_EQ(solveForSymbol(s * c(4) + c(3), 12), std::nullopt);
  EXPECT_EQ(solveForSymbol(s + n, 12), std::nullopt);
}

/// An evaluator that has been at other points has the values of a new one. The
/// numbers of the variables are 64 apart.
TEST(SymbolicEvaluator, EachPointStandsAlone) {
  IndexExpr x = IndexExpr::variable(0, 64), y = IndexExpr::variable(64, 64);
  IndexExpr exprs[] = {
      x * c(4) + y + n, binary(Kind::Min, x, y), (n + x) * c(2),
      IndexExpr::select(Compare::Less, x, y, n, y * c(3)), n * c(2) + s};
  TermTable terms;
  SymbolicEvaluator used(exprs, terms);
  std::vector<std::optional<int64_t>> point(65);
  auto check = [&](std::optional<int64_t> first, std::optional<int64_t> second,
                   bool isFixed) {
    point[0] = first;
    point[64] = second;
    SymbolicEvaluator fresh(exprs, terms);
    if (isFixed)
      fresh.fixSymbol(0, 7);
    used.evaluate(point);
    fresh.evaluate(point);
    for (unsigned i = 0; i < std::size(exprs); ++i)
      EXPECT_TRUE(used.getValues(i) == fresh.getValues(i));
  };
  for (bool isFixed : {false, true}) {
    if (isFixed)
      used.fixSymbol(0, 7);
    for (std::optional<int64_t> first : {1, 2, 5})
      for (std::optional<int64_t> second : {4, 4, 9})
        check(first, second, isFixed);
    check(std::nullopt, 9, isFixed);
    check(3, std::nullopt, isFixed);
    check(3, 0, isFixed);
  }
}

/// The expressions are random. The number of the evaluator of numbers is among
/// the values for those symbols.
TEST(SymbolicEvaluator, AgreesWithNumbers) {
  std::mt19937 random(7);
  auto draw = [&](int bound) { return int(random() % bound); };
  std::function<IndexExpr(int)> build = [&](int depth) -> IndexExpr {
    if (depth == 0 || draw(6) == 0) {
      IndexExpr leaves[] = {n, s, t, c(draw(40) - 4), c(int64_t(1) << draw(6))};
      return leaves[draw(5)];
    }
    if (draw(5) == 0)
      return IndexExpr::select(Compare(draw(5)), build(depth - 1),
                               build(depth - 1), build(depth - 1),
                               build(depth - 1));
    Kind kinds[] = {Kind::Add, Kind::Sub, Kind::Mul, Kind::FloorDiv,
                    Kind::Mod, Kind::And, Kind::Or,  Kind::Xor,
                    Kind::Shl, Kind::Shr, Kind::Min, Kind::Max};
    return binary(kinds[draw(12)], build(depth - 1), build(depth - 1));
  };
  unsigned compared = 0;
  for (int round = 0; round < 4000; ++round) {
    IndexExpr expr = build(4);
    TermTable terms;
    SymbolicEvaluator symbolic(expr, terms);
    IndexEvaluator numbers(expr);
    for (int64_t symbol : {int64_t(0), int64_t(17), int64_t(-5),
                           std::numeric_limits<int64_t>::max() - 3}) {
      int64_t point = draw(64), other = draw(1001);
      auto expected = numbers.evaluate(point, {symbol, other});
      if (!expected)
        continue;
      symbolic.evaluate({point});
      if (symbolic.getValues(0).empty())
        continue;
      bool found = false;
      for (const TermSum &value : symbolic.getValues(0)) {
        uint64_t total = value.constant;
        bool isKnown = true;
        for (auto [term, count] : value.terms) {
          IndexEvaluator part(terms.getExpr(term));
          auto number = part.evaluate({}, {symbol, other});
          isKnown &= number.has_value();
          if (number)
            total += uint64_t(count) * uint64_t(number->front());
        }
        found |= !isKnown || int64_t(total) == expected->front();
      }
      EXPECT_TRUE(found);
      ++compared;
    }
  }
  EXPECT_GT(compared, 2000u);
}
} // namespace

/// A comparison is decided if bounds decide it, and nowhere else.
TEST(SelectTest, boundsDecide) {
  Compare all[] = {Compare::Equal, Compare::Less, Compare::LessEqual,
                   Compare::UnsignedLess, Compare::UnsignedLessEqual};
  for (Compare compare : all)
    for (int64_t a = -2; a < 3; ++a)
      for (int64_t b = a; b < 3; ++b)
        for (int64_t x = -2; x < 3; ++x)
          for (int64_t y = x; y < 3; ++y) {
            unsigned holds = 0, fails = 0;
            for (int64_t i = a; i <= b; ++i)
              for (int64_t j = x; j <= y; ++j)
                ++(IndexExpr::holds(compare, i, j) ? holds : fails);
            std::optional<int64_t> found =
                IndexExpr::select(
                    compare, IndexExpr::symbol(0, IndexRange{a, b}),
                    IndexExpr::symbol(1, IndexRange{x, y}), c(1), c(0))
                    .getConstant();
            if (found) {
              EXPECT_EQ(*found == 1 ? fails : holds, 0u);
            } else if (a >= 0 && x >= 0) {
              EXPECT_TRUE(holds && fails);
            }
          }
}

/// Data of one bit or within bounds has few values.
TEST(SymbolicEvaluatorTest, fewValuesOfData) {
  TermTable terms;
  IndexExpr bit = IndexExpr::opaque() & c(1);
  IndexExpr rest = binary(Kind::Mod, IndexExpr::opaque(), c(4));
  SymbolicEvaluator evaluator({bit + c(5), rest, IndexExpr::opaque() & c(7)},
                              terms);
  evaluator.evaluate({});
  auto numbers = [&](unsigned i) {
    std::vector<int64_t> found;
    for (const TermSum &value : evaluator.getValues(i))
      found.push_back(value.constant);
    return found;
  };
  EXPECT_EQ(numbers(0), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(numbers(1), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(numbers(2).empty());
}
