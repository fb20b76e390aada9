//===- LanePatterns.cpp - Reads between the lanes of a warp ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::obs;
using llvm::ArrayRef;

LanePattern mlir::obs::classifyLanes(ArrayRef<int> sources) {
  auto matches = [&](llvm::function_ref<int(int)> source) {
    for (auto [lane, from] : llvm::enumerate(sources))
      if (from >= 0 && from != source(lane))
        return false;
    return true;
  };
  using PatternKind = LanePattern::Kind;
  if (matches([](int lane) { return lane; }))
    return {PatternKind::Identity, 0};
  for (int n = 0; n < warpSize; ++n)
    if (matches([&](int) { return n; }))
      return {PatternKind::Broadcast, unsigned(n)};
  for (int n = 1; n < warpSize; ++n)
    if (matches([&](int lane) { return lane ^ n; }))
      return {PatternKind::Xor, unsigned(n)};
  for (int n = 1; n < warpSize; ++n) {
    if (matches([&](int lane) { return lane - n; }))
      return {PatternKind::Up, unsigned(n)};
    if (matches([&](int lane) { return lane + n; }))
      return {PatternKind::Down, unsigned(n)};
  }
  for (int n = 1; n < warpSize; ++n)
    if (matches([&](int lane) { return (lane + n) % warpSize; }))
      return {PatternKind::Rotate, unsigned(n)};
  for (int n = 1; n < warpSize; ++n)
    for (int bit = 0; bit < 5; ++bit)
      for (bool own : {false, true})
        if (matches([&](int lane) {
              return (lane >> bit & 1) == own ? lane : lane ^ n;
            }))
          return {PatternKind::Exchange, unsigned(n), unsigned(bit), own};
  return {PatternKind::Indexed, 0};
}
