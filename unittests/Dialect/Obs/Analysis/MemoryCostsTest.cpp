//===- MemoryCostsTest.cpp - Bank conflicts and sectors ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/MemoryCosts.h"
#include "gtest/gtest.h"

using namespace mlir::obs;

namespace {
IndexExpr c(int64_t value) { return IndexExpr::constant(value); }
const IndexExpr i = IndexExpr::variable(0);

TEST(Memory, ConflictsAndSectors) {
  for (int64_t stride : {1, 2, 3, 4, 8, 16, 32, 33}) {
    int64_t expected = std::min<int64_t>(32, stride & -stride);
    EXPECT_EQ(getBankConflicts(i * c(stride), 256, 128, 4)->max, expected);
  }
  EXPECT_EQ(getBankConflicts(i, 64, 64, 8)->max, 2u);
  EXPECT_EQ(getBankConflicts(c(7), 32, 32, 4)->max, 1u);
  EXPECT_EQ(getSectors(i, 32, 32, 4)->total, 4u);
  EXPECT_EQ(getSectors(i * c(8), 64, 64, 4)->total, 64u);
  EXPECT_EQ(getSectors(IndexExpr::opaque(), 64, 64, 4).has_value(), false);
  // Neighbours are four apart if a thread takes four iterations in a row.
  EXPECT_EQ(getSectors(i, 128, 32, 4, IterationLayout::Blocked)->max, 16u);
  // Four numbers of 4 bytes in each lane: 512 bytes in a row.
  EXPECT_EQ(
      getSectors(i * c(4), 32, 32, 4, IterationLayout::Striped, {}, 4)->max,
      16u);
  EXPECT_EQ(
      getBankConflicts(i * c(4), 32, 32, 4, IterationLayout::Striped, {}, 4)
          ->max,
      4u);
  // A product of sizes that all lanes of a request share moves them alike.
  IndexExpr width = IndexExpr::symbol(0);
  IndexExpr row = IndexExpr::binary(IndexExpr::Kind::FloorDiv, i, c(32));
  IndexExpr column = IndexExpr::binary(IndexExpr::Kind::Mod, i, c(32));
  EXPECT_EQ(getSectors(row * width + column, 64, 64, 4)->total, 8u);
  EXPECT_EQ(getSectors(column * width + row, 64, 64, 4).has_value(), false);
  // The first 8 iterations only, and only if something else holds as well.
  IndexExpr few =
      IndexExpr::select(IndexExpr::Compare::Less, i, c(8), c(1), c(0));
  IndexExpr both = few & IndexExpr::symbol(1, IndexRange{0, 1});
  WarpCost cost = *getSectors(i, 64, 64, 4, IterationLayout::Striped, {both});
  EXPECT_EQ(cost.requests, 1u);
  EXPECT_EQ(cost.total, 1u);
}
} // namespace
