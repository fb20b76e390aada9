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

TEST(BitLinearMap, ImageRankKernelAndInverseMatchEnumeration) {
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < 500; ++round) {
    unsigned in = 1 + random() % 6, out = 1 + random() % 6;
    BitLinearMap map = getRandomMap(random, in, out);
    std::set<uint64_t> image;
    for (uint64_t x = 0; x < (1u << in); ++x)
      image.insert(map.apply(x));
    EXPECT_EQ(image.size(), size_t(1) << map.getRank());
    EXPECT_EQ(map.getKernel().getDimension() + map.getRank(), in);
    for (uint64_t y = 0; y < (1u << out); ++y)
      EXPECT_EQ(map.getImage().contains(y), image.count(y) != 0);
    bool bijective = in == out && image.size() == size_t(1) << in;
    std::optional<BitLinearMap> inverse = map.inverse();
    ASSERT_EQ(inverse.has_value(), bijective);
    if (!inverse)
      continue;
    EXPECT_TRUE(inverse->inverse() == map);
    EXPECT_TRUE(inverse->compose(map) == BitLinearMap::identity(in));
  }
}

TEST(BitLinearMap, CompositionAndSolutionsMatchEnumeration) {
  std::mt19937_64 random(2);
  for (unsigned round = 0; round < 300; ++round) {
    unsigned n = 1 + random() % 4, m = 1 + random() % 4, k = 1 + random() % 4;
    BitLinearMap f = getRandomMap(random, n, k), g = getRandomMap(random, m, n);
    for (uint64_t x = 0; x < (1u << m); ++x)
      EXPECT_EQ(f.compose(g).apply(x), f.apply(g.apply(x)));
    BitLinearMap h = getRandomMap(random, m, k);
    BitSubspace pairs = solveEqual(f, h);
    for (uint64_t x = 0; x < (1u << n); ++x)
      for (uint64_t y = 0; y < (1u << m); ++y)
        EXPECT_EQ(pairs.contains(x | y << n), f.apply(x) == h.apply(y));
    BitSubspace both = f.getImage().intersect(h.getImage());
    for (uint64_t y = 0; y < (1u << k); ++y)
      EXPECT_EQ(both.contains(y),
                f.getImage().contains(y) && h.getImage().contains(y));
    uint64_t mask = random() % (1u << n), values = random() % (1u << n);
    for (uint64_t x = 0; x < (1u << n); ++x)
      EXPECT_EQ(f.restrict(mask, values).apply(x),
                f.apply((x & ~mask) | (values & mask)));
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
      uint64_t low = x & ((1u << amount) - 1);
      EXPECT_EQ(BitLinearMap::insertZero(bits, amount).apply(x),
                low | (x - low) << 1);
      EXPECT_EQ(BitLinearMap::shiftLeft(bits, amount).apply(x),
                (x << amount) % 64);
      EXPECT_EQ(BitLinearMap::shiftRight(bits, amount).apply(x), x >> amount);
      EXPECT_EQ(BitLinearMap::rotateLeft(bits, amount).apply(x),
                (x << amount | x >> (bits - amount)) % 64);
      EXPECT_EQ(BitLinearMap::xorMask(bits, amount).apply(x), x ^ amount);
      EXPECT_EQ(BitLinearMap::andMask(bits, amount).apply(x), x & amount);
    }
  EXPECT_EQ(BitLinearMap::reverse(bits).apply(0b110100), 0b001011u);
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
} // namespace
