//===- Sequential.cpp - Reductions and scans by one worker ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;

/// One worker writes the elements one after the other.
static Value scan(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  return c.forceFill(n, c.constant(1), [&](Value, auto write) {
    Value zero = c.constant(0), one = c.constant(1);
    // A loop of one iteration, or of none for an empty array.
    auto first =
        scf::ForOp::create(c.builder, c.loc, zero, c.min(n.value, one), one);
    OpBuilder::InsertionGuard guard(c.builder);
    c.builder.setInsertionPointToStart(first.getBody());
    auto start = c.get(x, zero);
    write(start, zero);
    scf::ForOp::create(c.builder, c.loc, one, n.value, one, start,
                       [&](OpBuilder &, Location, Value i, ValueRange value) {
                         auto next = c.combine(value, c.get(x, i));
                         write(next, i);
                         scf::YieldOp::create(c.builder, c.loc, next);
                       });
  });
}

void strategies::addSequential(Registry &registry) {
  // One worker combines the remaining elements: here, all elements.
  ReduceStrategy reduce;
  reduce.shorten = [](CollectiveBuilder &, Value x) { return x; };
  registry.reduce["sequential"] = reduce;
  registry.scan["sequential"] = {scan};
}
