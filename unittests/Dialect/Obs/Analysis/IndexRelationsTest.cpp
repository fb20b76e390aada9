//===- IndexRelationsTest.cpp - Meetings of threads against brute force --===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace mlir::obs;
using llvm::SmallVector;
using Kind = IndexExpr::Kind;

namespace {
IndexExpr c(int64_t value) { return IndexExpr::constant(value); }
IndexExpr shl(IndexExpr a, IndexExpr b) {
  return IndexExpr::binary(Kind::Shl, a, b);
}
const IndexExpr i = IndexExpr::variable(0);

ThreadRelation relateMaps(IndexExpr a, IndexExpr b,
                          std::optional<IndexExpr> count, uint64_t threads,
                          std::optional<IndexExpr> countB = std::nullopt) {
  return relate({a, 0, count}, {b, 0, countB ? countB : count}, threads);
}

/// All pairs, one by one.
ThreadRelation relateByForce(IndexExpr a, IndexExpr b, int64_t nA, int64_t nB,
                             int64_t threads, IterationLayout layout) {
  IndexEvaluator left(a), right(b);
  auto relation = ThreadRelation::Disjoint;
  auto getWorker = [&](int64_t x, int64_t n) {
    return layout == IterationLayout::Striped
               ? x % threads
               : x / ((n + threads - 1) / threads);
  };
  for (int64_t x = 0; x < nA; ++x)
    for (int64_t y = 0; y < nB; ++y) {
      if (left.evaluate(x)->front() != right.evaluate(y)->front())
        continue;
      int64_t s = getWorker(x, nA), t = getWorker(y, nB);
      relation =
          std::max(relation, s == t             ? ThreadRelation::SameThread
                             : s / 32 == t / 32 ? ThreadRelation::SameWarp
                                                : ThreadRelation::SameBlock);
    }
  return relation;
}

TEST(Relate, EqualsBruteForceOnSmallMaps) {
  std::mt19937_64 random(4);
  auto getMap = [&]() -> IndexExpr {
    int64_t n = int64_t(random() % 9), bit = int64_t(1) << random() % 7;
    switch (random() % 6) {
    case 0:
      return i + c(n);
    case 1:
      return i ^ c(bit);
    case 2:
      return c(127) - i;
    case 3:
      return i * c(n % 3 + 1) + c(n % 2);
    case 4:
      return (i & c(bit - 1)) | shl(i & c(-bit), c(1));
    default:
      return IndexExpr::binary(Kind::FloorDiv, i, c(n + 1));
    }
  };
  for (unsigned round = 0; round < 400; ++round) {
    IndexExpr a = getMap(), b = getMap();
    int64_t nA = random() % 2 ? 128 : 1 + int64_t(random() % 130);
    int64_t nB = random() % 2 ? nA : 1 + int64_t(random() % 130);
    unsigned choices[] = {1, 8, 17, 32, 64, 96, 128};
    unsigned threads = choices[random() % 7];
    auto layout =
        random() % 2 ? IterationLayout::Striped : IterationLayout::Blocked;
    EXPECT_EQ(relate({a, 0, c(nA), layout}, {b, 0, c(nB), layout}, threads),
              relateByForce(a, b, nA, nB, threads, layout))
        << "round " << round;
  }
}

TEST(Relate, StagesOfNetworks) {
  for (int64_t stage = 0; stage < 18; ++stage) {
    // Larger than the budget: only the algebra can tell.
    IndexExpr flipped = i ^ c(int64_t(1) << stage);
    ThreadRelation expected = stage < 5    ? ThreadRelation::SameWarp
                              : stage < 10 ? ThreadRelation::SameBlock
                                           : ThreadRelation::SameThread;
    EXPECT_EQ(relateMaps(i, flipped, c(1 << 20), 1024), expected);
    IndexExpr vee = i ^ c((int64_t(2) << stage) - 1);
    EXPECT_EQ(relateMaps(i, vee, c(1 << 20), 1024),
              stage < 5 ? ThreadRelation::SameWarp : ThreadRelation::SameBlock);
    IndexExpr low = (i & c((int64_t(1) << stage) - 1)) |
                    shl(i & c(-(int64_t(1) << stage)), c(1));
    EXPECT_EQ(relateMaps(low, low, c(1 << 20), 1024),
              ThreadRelation::SameThread);
    EXPECT_EQ(relateMaps(low, low + c(int64_t(1) << stage), c(1 << 20), 1024),
              ThreadRelation::Disjoint);
  }
  // The stage is a symbol: the answer is that of the worst.
  for (int64_t last : {4, 5}) {
    IndexExpr stage = IndexExpr::symbol(0, IndexRange{0, last});
    EXPECT_EQ(relateMaps(i, i ^ shl(c(1), stage), c(4096), 256),
              last < 5 ? ThreadRelation::SameWarp : ThreadRelation::SameBlock);
  }
}

TEST(Relate, SymbolicShiftsAndLengths) {
  IndexExpr half = IndexExpr::symbol(0, IndexRange{1, int64_t(1) << 30});
  IndexExpr any = IndexExpr::symbol(1);
  // Halves never meet, wherever the array begins.
  EXPECT_EQ(relateMaps(i + any, i + any + half, half, 100),
            ThreadRelation::Disjoint);
  EXPECT_EQ(relateMaps(i + any, i + any, std::nullopt, 100),
            ThreadRelation::SameThread);
  EXPECT_EQ(relateMaps(i ^ any, any ^ i, c(256), 64),
            ThreadRelation::SameThread);
  EXPECT_EQ(relateMaps(i + any, i + any + c(64), std::nullopt, 64),
            ThreadRelation::SameThread);
  EXPECT_EQ(relateMaps(i + any, i + any + c(1), std::nullopt, 64),
            ThreadRelation::SameBlock);
  EXPECT_EQ(relateMaps(i + any, i, c(256), 64), ThreadRelation::SameBlock);
  EXPECT_EQ(relateMaps(i * c(2), i * c(2) + c(1), std::nullopt, 64),
            ThreadRelation::Disjoint);
  // Digits that are smaller than the step of the iteration leave no choice.
  IndexExpr t = IndexExpr::variable(1, 64), wide = IndexExpr::variable(1, 65);
  EXPECT_EQ(relateMaps(i * c(64) + t, i * c(64) + (c(63) - t), std::nullopt,
                       workersForEach),
            ThreadRelation::SameThread);
  EXPECT_EQ(
      relateMaps(i * c(64) + t, i * c(64) + wide, std::nullopt, workersForEach),
      ThreadRelation::SameBlock);
  EXPECT_EQ(relateMaps(i * c(-64) + t + any, i * c(-64) + any + t, std::nullopt,
                       workersForEach),
            ThreadRelation::SameThread);
  EXPECT_EQ(relateMaps(i * c(128) + t, i * c(128) + c(64) + t, std::nullopt,
                       workersForEach),
            ThreadRelation::Disjoint);
  // With a value of its own on each side the offset tells nothing.
  EXPECT_EQ(relate({i + any, 0, c(256)}, {i + any, 0, c(256)}, 64, {1}),
            ThreadRelation::SameBlock);
  EXPECT_EQ(relateMaps(IndexExpr::opaque(), i, c(256), 64),
            ThreadRelation::SameBlock);
}

/// Iterations of two loops, one in the other, that access one element.
TEST(RelateTurns, AreOneTurnOfAllLoops) {
  IndexExpr n = IndexExpr::symbol(0, IndexRange{0, int64_t(1) << 40});
  IndexExpr row = IndexExpr::variable(0, int64_t(1) << 40);
  IndexExpr column = IndexExpr::variable(1, 64);
  SmallVector<CommonLoop> loops{{0, n}, {1, c(64)}};
  auto relateOne = [&](IndexExpr a, IndexExpr b) {
    return relateTurns(a, b, loops);
  };
  IndexExpr index = row * c(64) + column;
  EXPECT_EQ(relateOne(index, index), ThreadRelation::SameThread);
  EXPECT_EQ(relateOne(index, (row * c(64)) + (column ^ c(5))),
            ThreadRelation::SameBlock);
  EXPECT_EQ(relateOne(index, row * c(64) + (c(63) - column)),
            ThreadRelation::SameBlock);
  EXPECT_EQ(relateOne(index * c(2), index * c(2) + c(1)),
            ThreadRelation::Disjoint);
  // Columns of one row more have two places in one.
  IndexExpr wide = IndexExpr::variable(1, 65);
  EXPECT_EQ(relateOne(row * c(64) + wide, row * c(64) + wide),
            ThreadRelation::SameBlock);
  // The outer loop is not in the index.
  EXPECT_EQ(relateOne(column, column), ThreadRelation::SameBlock);
}
} // namespace
