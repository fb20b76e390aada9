//===- BitLinearMapTest.cpp - Laws of linear maps over bits -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/BitLinearMap.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace mlir::obs;

namespace {
BitLinearMap getRandomMap(std::mt19937_64 &random, unsigned in, unsigned out) {
  llvm::SmallVector<uint64_t> rows;
  for (unsigned i = 0; i < out; ++i)
    rows.push_back(random() & ((uint64_t(1) << in) - 1));
  return BitLinearMap(in, rows, random() & ((uint64_t(1) << out) - 1));
}

TEST(BitSubspace, SolutionsMatchEnumeration) {
  std::mt19937_64 random(1);
  auto isOdd = [](uint64_t value) { return llvm::popcount(value) % 2 == 1; };
  unsigned numEmpty = 0;
  for (unsigned round = 0; round < 500; ++round) {
    unsigned bits = 1 + random() % 6;
    llvm::SmallVector<BitSubspace::Equation> system(random() % 6);
    for (BitSubspace::Equation &equation : system)
      equation = {random() % (1u << bits), random() % 2 == 1};
    auto isSolution = [&](uint64_t x) {
      return llvm::all_of(system, [&](const BitSubspace::Equation &equation) {
        return isOdd(x & equation.mask) == equation.value;
      });
    };
    std::vector<uint64_t> solutions;
    for (uint64_t x = 0; x < (1u << bits); ++x)
      if (isSolution(x))
        solutions.push_back(x);
    BitSubspace found = BitSubspace::solve(bits, system);
    ASSERT_EQ(found.isEmpty(), solutions.empty());
    numEmpty += found.isEmpty();
    if (found.isEmpty())
      continue;
    EXPECT_EQ(size_t(1) << found.getDimension(), solutions.size());
    for (uint64_t vector : found.getBasis())
      EXPECT_TRUE(vector != 0 && isSolution(solutions.front() ^ vector));
    for (uint64_t mask = 0; mask < (1u << bits); ++mask) {
      std::optional<bool> parity = isOdd(solutions.front() & mask);
      for (uint64_t x : solutions)
        if (isOdd(x & mask) != parity)
          parity = std::nullopt;
      EXPECT_EQ(found.getParity(mask), parity);
    }
  }
  EXPECT_GT(numEmpty, 50u);
}

TEST(BitLinearMap, KernelAndCompositionMatchEnumeration) {
  std::mt19937_64 random(2);
  for (unsigned round = 0; round < 300; ++round) {
    unsigned n = 1 + random() % 4, m = 1 + random() % 4, k = 1 + random() % 4;
    BitLinearMap f = getRandomMap(random, n, k), g = getRandomMap(random, m, n);
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < (1u << n); ++x)
      image.insert(f.apply(x));
    EXPECT_EQ(image.size() << f.getKernel().getDimension(), size_t(1) << n);
    for (uint64_t vector : f.getKernel().getBasis())
      EXPECT_EQ(f.apply(vector), f.apply(0));
    for (uint64_t x = 0; x < (1u << m); ++x)
      EXPECT_EQ(f.compose(g).apply(x), f.apply(g.apply(x)));
  }
}

TEST(BitLinearMap, FitFindsTheMapOfItsValues) {
  std::mt19937_64 random(6);
  for (unsigned round = 0; round < 100; ++round) {
    unsigned in = random() % 6;
    BitLinearMap map = getRandomMap(random, in, 8);
    llvm::SmallVector<uint64_t> values;
    for (uint64_t x = 0; x < (1u << in); ++x)
      values.push_back(map.apply(x));
    std::optional<BitLinearMap> found = BitLinearMap::fit(values);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->getNumInputs(), in);
    for (uint64_t x = 0; x < (1u << in); ++x)
      EXPECT_EQ(found->apply(x), map.apply(x));
    for (unsigned i = 0; i < in; ++i)
      EXPECT_EQ(found->getColumn(i),
                map.apply(uint64_t(1) << i) ^ map.apply(0));
    // Any number changed but one that only fixes a column breaks it.
    if (in < 2)
      continue;
    values.back() ^= 1;
    EXPECT_FALSE(BitLinearMap::fit(values));
  }
}

TEST(BitLinearMap, NamedMapsMeanWhatTheySay) {
  constexpr unsigned bits = 6;
  for (unsigned amount = 0; amount < bits; ++amount)
    for (uint64_t x = 0; x < (1u << bits); ++x) {
      EXPECT_EQ(BitLinearMap::shiftLeft(bits, amount).apply(x),
                (x << amount) % 64);
      EXPECT_EQ(BitLinearMap::shiftRight(bits, amount).apply(x), x >> amount);
      EXPECT_EQ(BitLinearMap::andMask(bits, amount).apply(x), x & amount);
    }
  EXPECT_EQ(BitLinearMap::permute({2, 0, 1, 5, 3, 4}).apply(0b011010),
            0b101001u);
}

IndexExpr getRandomExpr(std::mt19937_64 &random, unsigned depth) {
  if (depth == 0 || random() % 5 == 0)
    return random() % 3 ? IndexExpr::variable(random() % 2, 16)
                        : IndexExpr::constant(int64_t(random() % 20));
  auto kind = IndexExpr::Kind(unsigned(IndexExpr::Kind::Add) + random() % 12);
  IndexExpr right = random() % 2
                        ? getRandomExpr(random, depth - 1)
                        : IndexExpr::constant(int64_t(1) << random() % 4);
  return IndexExpr::binary(kind, getRandomExpr(random, depth - 1), right);
}

TEST(IndexExpr, MapsRangesAndLinearFormsAgreeWithEvaluation) {
  std::mt19937_64 random(3);
  unsigned linear = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    IndexExpr expr = getRandomExpr(random, 1 + random() % 4);
    std::optional<BitLinearMap> map =
        getBitLinearMap(expr, {{0, 0, 4}, {1, 4, 4}}, 8);
    IndexExpr sum = LinearForm::get(expr).toExpr();
    IndexEvaluator evaluator({expr, sum});
    linear += map.has_value();
    for (int64_t x = 0; x < 16; ++x)
      for (int64_t y = 0; y < 16; ++y) {
        auto value = evaluator.evaluate({x, y});
        if (!value)
          continue;
        EXPECT_EQ((*value)[0], (*value)[1]);
        if (map)
          EXPECT_EQ(int64_t(map->apply(x | y << 4)), (*value)[0]);
        if (auto range = expr.getRange())
          EXPECT_TRUE(range->min <= (*value)[0] && (*value)[0] <= range->max);
      }
  }
  EXPECT_GT(linear, 500u);
}

/// The range of x | c and x ^ c for all x in [0, extent). Bits of c above all
/// bits of x stays.
TEST(IndexExpr, RangesOfBitOperationsHoldAndKeepTheHighBits) {
  for (int64_t extent : {1, 2, 5, 8, 17, 64})
    for (int64_t number = 0; number < 200; ++number)
      for (IndexExpr::Kind kind : {IndexExpr::Kind::Or, IndexExpr::Kind::Xor}) {
        IndexExpr expr = IndexExpr::binary(kind, IndexExpr::variable(0, extent),
                                           IndexExpr::constant(number));
        auto range = expr.getRange();
        ASSERT_TRUE(range);
        for (int64_t x = 0; x < extent; ++x) {
          int64_t value = *IndexExpr::fold(kind, x, number);
          EXPECT_LE(range->min, value);
          EXPECT_LE(value, range->max);
        }
        int64_t block = 1;
        while (block < extent)
          block *= 2;
        EXPECT_GE(range->min, number / block * block);
      }
}

} // namespace
