//===- Irregular.cpp - Irregular collectives ------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The position of an element in the result is known from the scan of a number
// for each element: the flag, or the length. One thread needs no scan, because
// it writes the elements one after the other.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

FailureOr<std::unique_ptr<GridScan>>
strategies::scanAtGrid(CollectiveBuilder &c, ExpandableOpInterface op, Extent n,
                       StringRef chosen,
                       llvm::function_ref<Value(Value)> number) {
  StringRef strategy = op.getStrategy().value_or(chosen);
  if (failed(verifyGridStrategy(op, strategy, {"one_pass", "three_kernels"})))
    return failure();
  Value numbers =
      c.shareReads(c.generate(n, [&](Value i) { return Values{number(i)}; }));
  if (strategy != "one_pass")
    return buildThreeKernelScan(c, numbers, n);
  return buildOnePassScan(c, numbers, n,
                          {/*isInOrder=*/false, isCheap(numbers)});
}

LogicalResult strategies::expandIrregular(OpBuilder &builder,
                                          ExpandableOpInterface op,
                                          const ExpansionOptions &options) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CompactOp op) { return expandCompact(builder, op); })
      .Case([&](RankOp op) { return expandRank(builder, op); })
      .Case(
          [&](PartitionOp op) { return expandPartition(builder, op, options); })
      .Case([&](ExpandOp op) { return expandExpand(builder, op); })
      .Case([&](ScatterOp op) { return expandScatter(builder, op, options); })
      .Default([&](Operation *) {
        builder.setInsertionPoint(op);
        return op.expand(builder);
      });
}
