//===- CollectivesTest.cpp - Strategies that users register ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategies that come with the compiler are tested by
// scripts/collective-matrix.py; here is that one can add others.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Transforms/Collectives/Collectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Interpreter/Interpreter.h"
#include "Obsidian/Transforms/Collectives/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::obs;

namespace {

/// Eight elements by each worker, then a tree: the example of Collectives.h.
Value reduceByEights(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  return c.tree(c.force(c.generate(c.ceilDiv(n, 8), [&](Value i) {
    Value begin = c.mul(i, c.constant(8));
    Value end = c.min(c.add(begin, c.constant(8)), n.value);
    return c.fold(x, begin, end);
  })));
}

/// Each element by a worker that starts from the first: n^2 / 2 steps.
Value scanByBruteForce(CollectiveBuilder &c, Value x) {
  Value stored = c.force(x);
  return c.force(c.generate(c.getExtent(x), [&](Value i) {
    return c.fold(stored, c.constant(0), c.add(i, c.constant(1)));
  }));
}

/// Scans and reduces the digits 1 2 ... n of numbers to the base 10, behind the
/// digit 7; the last number is the total.
const char *const program = R"mlir(
func.func @main(%a: !obs.pull<? x i64>) -> !obs.pull<1 x ? x i64> {
  %seven = arith.constant 7 : i64
  %ten = arith.constant 10 : i64
  %c1 = arith.constant 1 : index
  %one = obs.iota : !obs.pull<1 x index>
  %n = obs.dim %a, 0 : !obs.pull<? x i64>
  %all = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i64> {
    %digits = obs.generate (%i) [%n] {
      %x = obs.get %a[%i] : !obs.pull<? x i64>
      obs.yield %x, %ten : i64, i64
    } : !obs.pull<? x i64, i64 bound [1000]>
    %s, %t = obs.reduce (%x, %p, %y, %q) = %digits init %seven, %ten {strategy = "by_eights"} : !obs.pull<? x i64, i64 bound [1000]> -> (i64, i64) {
      %m = arith.muli %x, %q : i64
      %z = arith.addi %m, %y : i64
      %r = arith.muli %p, %q : i64
      obs.yield %z, %r : i64, i64
    }
    %u = obs.scan exclusive (%x, %p, %y, %q) = %digits init %seven, %ten {strategy = "brute_force"} : !obs.pull<? x i64, i64 bound [1000]> -> !obs.push<block, ? x i64, i64 bound [1000]> {
      %m = arith.muli %x, %q : i64
      %z = arith.addi %m, %y : i64
      %r = arith.muli %p, %q : i64
      obs.yield %z, %r : i64, i64
    }
    %f = obs.force %u : !obs.push<block, ? x i64, i64 bound [1000]> -> !obs.pull<? x i64, i64 bound [1000]>
    %g, %h = obs.unzip %f : !obs.pull<? x i64, i64 bound [1000]>
    %total = obs.splat %s : !obs.pull<1 x i64>
    %both = obs.concat %g, %total : !obs.pull<? x i64 bound [1000]>, !obs.pull<1 x i64> -> !obs.pull<? x i64 bound [1001]>
    %p = obs.push %both : !obs.pull<? x i64 bound [1001]> -> !obs.push<block, ? x i64 bound [1001]>
    obs.yield %p : !obs.push<block, ? x i64 bound [1001]>
  }
  %r = obs.force %all : !obs.push<grid, 1 x ? x i64> -> !obs.pull<1 x ? x i64>
  return %r : !obs.pull<1 x ? x i64>
}
)mlir";

TEST(Collectives, strategiesCanBeAdded) {
  ReduceStrategy byEights;
  byEights.shorten = reduceByEights;
  byEights.storesElements = true;
  registerReduceStrategy("by_eights", byEights);
  registerScanStrategy("brute_force", {scanByBruteForce});
  EXPECT_TRUE(llvm::is_contained(getReduceStrategies(), "by_eights"));
  EXPECT_TRUE(llvm::is_contained(getScanStrategies(), "brute_force"));

  MLIRContext context;
  context.loadDialect<ObsDialect, func::FuncDialect, arith::ArithDialect,
                      math::MathDialect, scf::SCFDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  ASSERT_TRUE(module);
  PassManager pm(&context);
  pm.addPass(createObsExpandCollectivesPass());
  ASSERT_TRUE(succeeded(pm.run(*module)));
  module->walk([](CollectiveOpInterface op) {
    ADD_FAILURE() << op->getName().getStringRef().str() << " is left";
  });

  auto i64 = IntegerType::get(&context, 64);
  for (int64_t n : {0, 1, 7, 8, 9, 16, 17, 100, 1000}) {
    auto digits = llvm::cantFail(interpreter::HostValue::array(i64, {n}));
    std::vector<uint64_t> expected{7};
    for (int64_t i = 0; i < n; ++i) {
      digits.set(i, interpreter::Scalar::fromInt(i64, i % 10));
      expected.push_back(expected.back() * 10 + i % 10);
    }
    auto results =
        interpreter::interpret(*module->getOps<func::FuncOp>().begin(), digits);
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    ASSERT_EQ(results->front().getNumElements(), n + 1);
    for (int64_t i = 0; i <= n; ++i)
      EXPECT_EQ(static_cast<uint64_t>(results->front().get(i).getSInt()),
                expected[i])
          << "element " << i << " of " << n;
  }
}

} // namespace
