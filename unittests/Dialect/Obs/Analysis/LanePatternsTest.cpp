//===- LanePatternsTest.cpp - Which shuffle reads what -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

using namespace mlir::obs;

namespace {
TEST(Lanes, PatternsOfShuffles) {
  auto classify = [](auto source) {
    llvm::SmallVector<int> lanes;
    for (int lane = 0; lane < 32; ++lane)
      lanes.push_back(source(lane));
    return classifyLanes(lanes);
  };
  using P = LanePattern::Kind;
  EXPECT_EQ(classify([](int l) { return l; }).kind, P::Identity);
  EXPECT_EQ(classify([](int) { return 9; }).amount, 9u);
  EXPECT_EQ(classify([](int l) { return l ^ 12; }).kind, P::Xor);
  EXPECT_EQ(classify([](int l) { return (l + 5) % 32; }).kind, P::Rotate);
  EXPECT_EQ(classify([](int l) { return l < 4 ? -1 : l - 4; }).kind, P::Up);
  EXPECT_EQ(classify([](int l) { return l > 27 ? -1 : l + 4; }).kind, P::Down);
  EXPECT_EQ(classify([](int l) { return l * 3 % 32; }).kind, P::Indexed);
  // The lower element of a comparator, and the higher one.
  LanePattern low = classify([](int l) { return l & ~4; });
  EXPECT_EQ(low.kind, P::Exchange);
  EXPECT_EQ(low.amount, 4u);
  EXPECT_EQ(low.bit, 2u);
  EXPECT_FALSE(low.own);
  LanePattern high = classify([](int l) { return l & 4 ? l : l ^ 7; });
  EXPECT_EQ(high.kind, P::Exchange);
  EXPECT_EQ(high.amount, 7u);
  EXPECT_EQ(high.bit, 2u);
  EXPECT_TRUE(high.own);
  // Two bits decide.
  EXPECT_EQ(classify([](int l) { return l & 3 ? l : l ^ 16; }).kind,
            P::Indexed);
}
} // namespace
