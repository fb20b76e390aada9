//===- Sequential.cpp - Reductions and scans by one worker ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;

/// One worker writes the elements one after the other.
static Value scan(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  return c.forceFill(n, c.constant(1), [&](Value, auto write) {
    strategies::scanInOrder(c, x, n.value, write);
  });
}

void strategies::addSequential(Registry &registry) {
  // One worker combines the remaining elements: here, all elements.
  ReduceStrategy reduce;
  reduce.shorten = [](CollectiveBuilder &, Value x) { return x; };
  registry.reduce["sequential"] = reduce;
  registry.scan["sequential"] = {scan};
}
