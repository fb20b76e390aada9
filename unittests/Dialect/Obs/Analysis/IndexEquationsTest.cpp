//===- IndexEquationsTest.cpp - Solutions are put back in -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexEquations.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::obs;
using Kind = IndexExpr::Kind;

namespace {
IndexExpr c(int64_t value) { return IndexExpr::constant(value); }
IndexExpr shl(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(Kind::Shl, a, b);
}
IndexExpr rotate(IndexExpr a, int64_t by, int64_t width) {
  return IndexExpr::permute(IndexExpr::Permutation::Rotate, a, c(by), c(width));
}
const IndexExpr i = IndexExpr::variable(0, 64), j = IndexExpr::variable(1, 64);
// The unknowns.
const IndexExpr u = IndexExpr::variable(2, 64), v = IndexExpr::variable(3, 64);
const IndexExpr n = IndexExpr::symbol(0), s = IndexExpr::symbol(1);

/// The value of `unknown` where `map` is `target`.
std::optional<IndexExpr> solveOne(const IndexExpr &unknown, IndexExpr map,
                                  IndexExpr target) {
  std::optional<IndexSolution> solution = solveFor({2, 3}, map, target);
  if (!solution || !solution->contains(unknown.getId()))
    return std::nullopt;
  return solution->find(unknown.getId())->second;
}

TEST(AreEqual, SumsAndSumsWithoutCarry) {
  EXPECT_TRUE(areEqual((i + n) - c(1), n + (i - c(1))));
  EXPECT_TRUE(areEqual(i ^ n ^ i, n));
  EXPECT_TRUE(areEqual(shl(i + n, s), shl(n + i, s)));
  EXPECT_FALSE(areEqual(i + n, i ^ n));
  EXPECT_FALSE(areEqual(i, j));
  EXPECT_FALSE(areEqual(IndexExpr::opaque(), IndexExpr::opaque()));
}

TEST(SolveFor, InvertsSums) {
  EXPECT_EQ(solveOne(u, c(64) * n + u, c(64) * n + (c(63) - i)), c(63) - i);
  EXPECT_EQ(solveOne(u, c(5) - u, i), c(5) - i);
  // A multiple of 2 is not odd.
  EXPECT_FALSE(solveOne(u, u * c(2), i * c(2) + c(1)));
  EXPECT_FALSE(solveOne(u, u * c(2), i));
}

TEST(SolveFor, TakesSumsAsDigits) {
  IndexExpr map = u * c(64) + v, target = i * c(64) - j - c(1);
  EXPECT_TRUE(areEqual(*solveOne(u, map, target), i - c(1)));
  EXPECT_TRUE(areEqual(*solveOne(v, map, target), c(63) - j));
  // Rows of unknown length.
  EXPECT_EQ(solveOne(u, u * n + v, j + i * n), i);
  EXPECT_EQ(solveOne(v, u * n + v, j + i * n), j);
}

TEST(SolveFor, InvertsXorAndPermutationsOfBits) {
  EXPECT_EQ(solveOne(u, n ^ u, i ^ n), i);
  EXPECT_TRUE(areEqual(*solveOne(u, u ^ c(8), i), i ^ c(8)));
  EXPECT_EQ(solveOne(u, rotate(u, 2, 6), i), rotate(i, 4, 6));
  EXPECT_EQ(solveOne(u, rotate(u, 2, 6), rotate(i, 2, 6)), i);
}

TEST(SolveFor, TakesAnyArithmeticApart) {
  IndexExpr row = IndexExpr::binary(Kind::FloorDiv, i, n);
  EXPECT_EQ(solveOne(u, shl(row | u, s), shl(row | (j ^ c(1)), s)), j ^ c(1));
  EXPECT_EQ(solveOne(u, u | row, row | j), j);
  EXPECT_FALSE(solveOne(u, shl(u, s), shl(i, n)));
  // One value for both places.
  EXPECT_TRUE(solveFor({2}, {u, u + c(1)}, {i, i + c(1)}));
  EXPECT_FALSE(solveFor({2}, {u, u + c(1)}, {i, j + c(1)}));
  EXPECT_FALSE(solveOne(u, u, IndexExpr::opaque()));
}

/// Random maps of the unknowns, and their values for unknowns that are random
/// expressions. The solution may be another one, but has the same value.
TEST(SolveFor, SolutionsGiveTheTarget) {
  std::mt19937_64 random(5);
  auto getMap = [&](auto &self, unsigned depth) -> IndexExpr {
    if (depth == 0) {
      const IndexExpr leaves[] = {u, v, n, c(int64_t(random() % 70))};
      return leaves[random() % 4];
    }
    IndexExpr a = self(self, depth - 1), b = self(self, random() % depth);
    switch (random() % 7) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a ^ b;
    case 3:
      return a * c(int64_t(random() % 9));
    case 4:
      return a | b;
    case 5:
      return rotate(a, 3, 7);
    default:
      return shl(a, c(int64_t(random() % 5)));
    }
  };
  const IndexExpr values[] = {i, j, i + c(3), j ^ c(5), c(63) - i, i ^ j};
  unsigned solved = 0;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    IndexExpr map = getMap(getMap, 1 + random() % 3);
    IndexSolution chosen{{2, values[random() % 6]}, {3, values[random() % 6]}};
    IndexExpr target = substitute(map, chosen);
    std::optional<IndexSolution> solution = solveFor({2, 3}, map, target);
    if (!solution)
      continue;
    ++solved;
    IndexExpr found = substitute(map, *solution);
    IndexEvaluator evaluator({found, target});
    for (unsigned point = 0; point < 20; ++point) {
      // Unknowns that are open do not matter.
      int64_t at[] = {int64_t(random() % 64), int64_t(random() % 64),
                      int64_t(random() % 64), int64_t(random() % 64)};
      auto numbers = evaluator.evaluate(at, int64_t(random() % 1000));
      ASSERT_TRUE(numbers);
      ASSERT_EQ((*numbers)[0], (*numbers)[1]) << "trial " << trial;
    }
  }
  EXPECT_GT(solved, 1500u);
}
} // namespace
