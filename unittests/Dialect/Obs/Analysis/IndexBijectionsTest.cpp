//===- IndexBijectionsTest.cpp - Bijections against brute force -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexBijections.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace mlir::obs;
using Kind = IndexExpr::Kind;
using Answer = Bijection::Kind;
using Permutation = IndexExpr::Permutation;

namespace {
IndexExpr c(int64_t value) { return IndexExpr::constant(value); }
IndexExpr binary(Kind kind, IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(kind, a, b);
}
IndexExpr div(IndexExpr a, int64_t b) {
  return binary(Kind::FloorDiv, a, c(b));
}
IndexExpr mod(IndexExpr a, int64_t b) { return binary(Kind::Mod, a, c(b)); }
IndexExpr permute(Permutation how, IndexExpr value, int64_t p, int64_t q) {
  return IndexExpr::permute(how, value, c(p), c(q));
}

/// Variables of unknown extents are declared as the recognizer does it.
IndexExpr index(unsigned id, int64_t extent = int64_t(1) << 40) {
  return IndexExpr::variable(id, extent);
}
llvm::SmallVector<IndexExpr> box(llvm::ArrayRef<int64_t> extents) {
  llvm::SmallVector<IndexExpr> result;
  for (int64_t extent : extents)
    result.push_back(c(extent));
  return result;
}
Answer classify(llvm::ArrayRef<IndexExpr> map, llvm::ArrayRef<int64_t> domain,
                llvm::ArrayRef<int64_t> range) {
  return classifyBijection(map, box(domain), box(range)).kind;
}

/// The first index that fails, all of them one by one.
Bijection classifyByForce(llvm::ArrayRef<IndexExpr> map,
                          llvm::ArrayRef<int64_t> domain,
                          llvm::ArrayRef<int64_t> range) {
  IndexEvaluator evaluator(map);
  std::set<std::vector<int64_t>> seen;
  int64_t size = 1;
  for (int64_t extent : domain)
    size *= extent;
  for (int64_t position = 0; position < size; ++position) {
    llvm::SmallVector<int64_t> point(domain.size());
    int64_t rest = position;
    for (unsigned d = domain.size(); d-- > 0; rest /= domain[d])
      point[d] = rest % domain[d];
    auto target = evaluator.evaluate(point);
    if (!target)
      return {};
    bool isInside = true;
    for (auto [value, extent] : llvm::zip(*target, range))
      isInside &= value >= 0 && value < extent;
    if (!isInside || !seen.insert(target->vec()).second)
      return {Answer::No, point};
  }
  return {Answer::Yes, {}};
}

class RandomMaps {
public:
  explicit RandomMaps(unsigned seed) : random(seed) {}

  int64_t below(int64_t end) { return int64_t(random() % uint64_t(end)); }

  /// A function of `i` that permutes the numbers below `extent` more often than
  /// not.
  IndexExpr disturb(IndexExpr i, int64_t extent) {
    int64_t n = below(extent);
    switch (below(9)) {
    case 0:
      return i;
    case 1:
      return c(extent - 1 - (below(4) == 0)) - i;
    case 2:
      return i ^ c(n);
    case 3:
      return mod(i + c(n), extent);
    case 4:
      return permute(Permutation::Rotate, i, below(3), 3);
    case 5:
      return permute(Permutation::Swap, i, below(3), below(3));
    case 6:
      return permute(Permutation::Reverse, i, 1 + below(3), 0);
    case 7:
      return i ^ div(i, 2);
    default:
      return mod(i * c(n), extent);
    }
  }

private:
  std::mt19937_64 random;
};

TEST(Bijection, EqualsBruteForceOnRandomMaps) {
  RandomMaps random(5);
  unsigned bijections = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    int64_t extents[] = {1, 2, 3, 4, 6, 8, 16, 5};
    llvm::SmallVector<int64_t> domain{extents[random.below(8)],
                                      extents[random.below(8)]};
    IndexExpr i = index(0, domain[0]), j = index(1, domain[1]);
    IndexExpr a = random.disturb(i, domain[0]);
    IndexExpr b = random.disturb(j, domain[1]);
    IndexMap map;
    llvm::SmallVector<int64_t> range;
    switch (random.below(5)) {
    case 0:
      map = {b, a};
      range = {domain[1], domain[0]};
      break;
    case 1:
      map = {a * c(domain[1]) + b};
      range = {domain[0] * domain[1]};
      break;
    case 2:
      map = {b * c(domain[0]) + a};
      range = {domain[0] * domain[1]};
      break;
    case 3:
      // One index depends on the other.
      map = {a, b ^ i};
      range = domain;
      break;
    default: {
      // From one index to two.
      int64_t size = domain[0] * domain[1];
      IndexExpr k = random.disturb(index(0, size), size);
      map = {mod(k, domain[0]), div(k, domain[0])};
      range = domain;
      domain = {size};
      break;
    }
    }
    Bijection expected = classifyByForce(map, domain, range);
    Bijection found = classifyBijection(map, box(domain), box(range));
    ASSERT_EQ(found.kind, expected.kind) << "round " << round;
    ASSERT_EQ(found.witness, expected.witness) << "round " << round;
    bijections += found.kind == Answer::Yes;
  }
  EXPECT_GT(bijections, 800u);
  EXPECT_LT(bijections, 3600u);
}

TEST(Bijection, LargeMapsAreDecidedByTheAlgebra) {
  int64_t n = 1 << 20;
  IndexExpr i = index(0, n), j = index(1, 1000);
  EXPECT_EQ(classify(permute(Permutation::Rotate, i, 7, 20), n, n),
            Answer::Yes);
  EXPECT_EQ(classify(permute(Permutation::Rotate, i, 7, 21), n, n), Answer::No);
  EXPECT_EQ(classify(permute(Permutation::Reverse, i, 20, 0), n, n),
            Answer::Yes);
  // The same rotation by shifts.
  IndexExpr shifted = binary(Kind::Shr, i, c(13)) |
                      binary(Kind::Shl, i & c((1 << 13) - 1), c(7));
  EXPECT_EQ(classify(shifted, n, n), Answer::Yes);
  EXPECT_EQ(classify(i ^ div(i, 2), n, n), Answer::Yes);
  EXPECT_EQ(classify(i ^ (i & c(n - 1)), n, n), Answer::No);
  EXPECT_EQ(classify(i ^ c(n), n, n), Answer::No);
  EXPECT_EQ(classify(c(n - 1) - i, n, n), Answer::Yes);
  EXPECT_EQ(classify(c(n) - i, n, n), Answer::No);
  EXPECT_EQ(classify(i + c(1), n, n), Answer::No);
  EXPECT_EQ(classify(mod(c(5) - i * c(17), 999999), 999999, 999999),
            Answer::Yes);
  EXPECT_EQ(classify(mod(i * c(7), 7000000), 7000000, 7000000), Answer::No);
  // By a number known at run time, which must not wrap unless n divides 2^64.
  IndexExpr far = IndexExpr::symbol(0);
  IndexExpr near = IndexExpr::symbol(1, IndexRange{-100, 100});
  EXPECT_EQ(classify((i * c(3) + far) & c(n - 1), n, n), Answer::Yes);
  EXPECT_EQ(classify((i * c(6) + far) & c(n - 1), n, n), Answer::No);
  EXPECT_EQ(classify(mod(index(0, 1000) + near, 1000), 1000, 1000),
            Answer::Yes);
  EXPECT_EQ(classify(mod(index(0, 1000) + far, 1000), 1000, 1000),
            Answer::Unknown);
  // 2^40 elements and more.
  IndexExpr row = index(0, n), column = index(1, n);
  EXPECT_EQ(classify(row * c(n) + column, {n, n}, n * n), Answer::Yes);
  EXPECT_EQ(classify({column, row ^ column}, {n, n}, {n, n}), Answer::Yes);
  // A transposed matrix of 1000 rows of 3000 elements, in one dimension, and
  // one of tiles.
  IndexExpr k = index(0, 3000000);
  EXPECT_EQ(classify(mod(k, 3000) * c(1000) + div(k, 3000), 3000000, 3000000),
            Answer::Yes);
  EXPECT_EQ(classify(mod(k, 3000) * c(1001) + div(k, 3000), 3000000, 3000000),
            Answer::Unknown);
  EXPECT_EQ(classify({div(k, 30000), mod(div(k, 10), 3000), mod(k, 10)},
                     3000000, {100, 3000, 10}),
            Answer::Yes);
  EXPECT_EQ(
      classify({c(99) - div(k, 30000), mod(k, 30000)}, 3000000, {100, 30000}),
      Answer::Yes);
  EXPECT_EQ(classify({index(0, 7000) * c(1000) + j}, {7000, 1000}, 7000000),
            Answer::Yes);
  EXPECT_EQ(classify(index(0, 7000) * c(999) + j, {7000, 1000}, 7000000),
            Answer::Unknown);
}

TEST(Bijection, ExtentsKnownAtRunTime) {
  IndexExpr n = IndexExpr::symbol(0), m = IndexExpr::symbol(1);
  IndexExpr i = index(0), j = index(1);
  auto classify1 = [&](IndexExpr expr) {
    return classifyBijection(expr, n, n).kind;
  };
  EXPECT_EQ(classify1(i), Answer::Yes);
  EXPECT_EQ(classify1(n - c(1) - i), Answer::Yes);
  EXPECT_EQ(classify1(m - c(1) - i), Answer::IfInside);
  EXPECT_EQ(classify1(n - i), Answer::Unknown);
  EXPECT_EQ(classify1(c(6) - i), Answer::Unknown);
  EXPECT_EQ(classify1(i + c(1)), Answer::Unknown);
  EXPECT_EQ(classify1(i + m), Answer::Unknown);
  EXPECT_EQ(classify1(c(0)), Answer::Unknown);
  EXPECT_EQ(classify1(i * c(2)), Answer::Unknown);
  EXPECT_EQ(classify1(IndexExpr::opaque()), Answer::Unknown);
  // Rows of 32 in one dimension and back.
  IndexExpr width = c(32);
  EXPECT_EQ(classifyBijection(i * width + index(1, 32), {n, width}, m).kind,
            Answer::IfInside);
  EXPECT_EQ(classifyBijection({div(i, 32), mod(i, 32)}, n, {m, width}).kind,
            Answer::IfInside);
  EXPECT_EQ(classifyBijection({mod(i, 32), mod(i, 32)}, n, {m, width}).kind,
            Answer::Unknown);
  EXPECT_EQ(classifyBijection({j, i}, {n, m}, {m, n}).kind, Answer::Yes);
  EXPECT_EQ(classifyBijection({i, i}, {n, m}, {n, m}).kind, Answer::Unknown);
}

TEST(Bijection, PermutationsWithSymbolsNeverCollide) {
  IndexExpr p = IndexExpr::symbol(0), q = IndexExpr::symbol(1);
  IndexExpr i = index(0, 8);
  IndexExpr flip = i ^ binary(Kind::Shl, c(1), p);
  IndexExpr maps[] = {
      flip,
      IndexExpr::permute(Permutation::Rotate, i, p, q),
      IndexExpr::permute(Permutation::Swap, flip, q, c(1)),
      IndexExpr::permute(Permutation::Reverse, i ^ q, p, c(0)),
  };
  for (const IndexExpr &map : maps) {
    EXPECT_EQ(classify(map, 8, 8), Answer::IfInside);
    EXPECT_EQ(classify(map, 6, 6), Answer::Unknown);
    IndexEvaluator evaluator(map);
    for (int64_t x = 0; x < 10; ++x)
      for (int64_t y = 0; y < 10; ++y) {
        std::set<int64_t> seen;
        for (int64_t k = 0; k < 8; ++k)
          if (auto value = evaluator.evaluate(k, {x, y}))
            EXPECT_TRUE(seen.insert(value->front()).second);
      }
  }
  // A symbol that is small enough keeps all inside.
  EXPECT_EQ(classify(i ^ IndexExpr::symbol(2, IndexRange{0, 7}), 8, 8),
            Answer::Yes);
  // The shift may not depend on the index.
  EXPECT_EQ(
      classifyBijection(index(0) ^ binary(Kind::Shl, c(1), index(0)), p, p)
          .kind,
      Answer::Unknown);
}

TEST(Bijection, EmptyAndUnequalBoxes) {
  EXPECT_EQ(classify(index(0), 0, 0), Answer::Yes);
  EXPECT_EQ(classify(index(0, 3), 3, 4), Answer::No);
  EXPECT_EQ(classify(div(index(0, 3), 0), 3, 3), Answer::Unknown);
}
} // namespace
