//===- IndexRecognitionTest.cpp - Index maps of regions -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexBijections.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
TEST(IndexRecognizer, ArithmeticLoopsAndSymbols) {
  MLIRContext context;
  context.loadDialect<ObsDialect, arith::ArithDialect, func::FuncDialect,
                      scf::SCFDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"mlir(
    func.func private @use(index, index, index)
    func.func @f(%i: index, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : index
      scf.for %j = %c4 to %c10 step %c4 {
        %q = arith.divui %i, %c10 : index
        %r = arith.remui %i, %c10 : index
        %s = arith.addi %r, %j : index
        %t = arith.addi %i, %n : index
        func.call @use(%q, %s, %t) : (index, index, index) -> ()
      }
      return
    })mlir",
                                                             &context);
  ASSERT_TRUE(module);
  auto function = module->lookupSymbol<func::FuncOp>("f");
  IndexRecognizer recognizer;
  Value i = function.getArgument(0), n = function.getArgument(1);
  recognizer.addVariable(i, 100);
  func::CallOp call;
  function.walk([&](scf::ForOp loop) { recognizer.addLeaf(loop.getRegion()); });
  function.walk([&](func::CallOp op) { call = op; });
  IndexMap map;
  for (Value operand : call.getOperands())
    map.push_back(recognizer.get(operand));
  EXPECT_EQ(recognizer.getValue(0), n);
  IndexEvaluator evaluator(map);
  for (int64_t x = 0; x < 100; ++x)
    for (int64_t j = 0; j < 2; ++j) {
      auto values = evaluator.evaluate({x, j}, {7});
      ASSERT_TRUE(values);
      EXPECT_EQ((*values)[0], x / 10);
      EXPECT_EQ((*values)[1], x % 10 + 4 + 4 * j);
      EXPECT_EQ((*values)[2], x + 7);
    }
  EXPECT_EQ(map[1].getRange()->max, 17);
}

TEST(IndexRecognizer, BitOperationsMeanWhatTheyExpandTo) {
  MLIRContext context;
  context.loadDialect<ObsDialect, arith::ArithDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Location loc = builder.getUnknownLoc();
  Type index = builder.getIndexType();
  auto function = func::FuncOp::create(builder, loc, "f",
                                       builder.getFunctionType({index}, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Value x = block->getArgument(0);
  Value two = arith::ConstantIndexOp::create(builder, loc, 2);
  Value five = arith::ConstantIndexOp::create(builder, loc, 5);
  SmallVector<Value> values{InsertZeroOp::create(builder, loc, x, two),
                            FlipOp::create(builder, loc, x, two),
                            FlipLowOp::create(builder, loc, x, two),
                            RotateOp::create(builder, loc, x, two, five),
                            BitReverseOp::create(builder, loc, x, five),
                            BitSwapOp::create(builder, loc, x, two, five)};
  IndexRecognizer recognizer;
  recognizer.addVariable(x, 64);
  recognizer.addLeaf(function.getBody());
  IndexMap map;
  for (Value value : values)
    map.push_back(recognizer.get(value));
  IndexEvaluator evaluator(map);
  for (int64_t i = 0; i < 64; ++i) {
    auto result = evaluator.evaluate(i);
    ASSERT_TRUE(result);
    EXPECT_EQ((*result)[0], i % 4 + i / 4 * 8);
    EXPECT_EQ((*result)[1], i ^ 4);
    EXPECT_EQ((*result)[2], i ^ 7);
    EXPECT_EQ((*result)[3], (i & 32) | (i % 32 % 8 * 4 + i % 32 / 8));
    int64_t reversed = i & 32;
    for (int64_t bit = 0; bit < 5; ++bit)
      reversed += (i >> bit & 1) << (4 - bit);
    EXPECT_EQ((*result)[4], reversed);
    int64_t low = i >> 2 & 1, high = i >> 5 & 1;
    EXPECT_EQ((*result)[5], (i & ~36) | low << 5 | high << 2);
  }
  IndexExpr extent = IndexExpr::constant(64);
  EXPECT_EQ(classifyBijection(map[3], extent, extent).kind,
            Bijection::Kind::Yes);
}

/// The operands of the calls of `@use` in function `f` of `text`, of variable
/// 0: the first argument of `f`, in [0, 64).
struct Recognized {
  Recognized(const char *text) {
    context.loadDialect<ObsDialect, arith::ArithDialect, func::FuncDialect,
                        scf::SCFDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = module->lookupSymbol<func::FuncOp>("f");
    recognizer.addVariable(function.getArgument(0), 64);
    recognizer.addLeaf(function.getBody());
    function.walk([&](func::CallOp op) {
      for (Value operand : op.getOperands()) {
        values.push_back(operand);
        map.push_back(recognizer.get(operand));
      }
    });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  IndexRecognizer recognizer;
  SmallVector<Value> values;
  IndexMap map;
};

TEST(IndexRecognizer, ConditionsAndBranches) {
  Recognized r(R"mlir(
    func.func private @use(index, index, index)
    func.func private @ask() -> i1
    func.func @f(%i: index) {
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c20 = arith.constant 20 : index
      %low = arith.cmpi ult, %i, %c20 : index
      %high = arith.cmpi uge, %i, %c8 : index
      %both = arith.andi %low, %high : i1
      %a = scf.if %both -> index {
        %q = arith.divui %i, %c8 : index
        scf.yield %q : index
      } else {
        %s = arith.addi %i, %c20 : index
        scf.yield %s : index
      }
      %bit = arith.extui %both : i1 to i64
      %b = arith.index_cast %bit : i64 to index
      %unknown = func.call @ask() : () -> i1
      %c = arith.select %unknown, %c1, %c8 : index
      func.call @use(%a, %b, %c) : (index, index, index) -> ()
      return
    })mlir");
  IndexEvaluator evaluator({r.map[0], r.map[1]});
  for (int64_t i = 0; i < 64; ++i) {
    auto values = evaluator.evaluate(i);
    ASSERT_TRUE(values);
    bool both = i < 20 && i >= 8;
    EXPECT_EQ((*values)[0], both ? i / 8 : i + 20);
    EXPECT_EQ((*values)[1], both);
  }
  // It is not known which one, only that it is one of them.
  EXPECT_TRUE(r.map[2].hasOpaque());
  ASSERT_TRUE(r.map[2].getRange());
  EXPECT_EQ(r.map[2].getRange()->min, 1);
  EXPECT_EQ(r.map[2].getRange()->max, 8);
}

TEST(IndexRecognizer, UnsignedDivisionWhereNothingIsNegative) {
  Recognized r(R"mlir(
    func.func private @use(index)
    func.func @f(%i: index) {
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %below = arith.subi %i, %c8 : index
      %q = arith.divui %below, %c4 : index
      func.call @use(%q) : (index) -> ()
      return
    })mlir");
  IndexEvaluator evaluator(r.map);
  EXPECT_EQ(evaluator.evaluate(7), std::nullopt);
  for (int64_t i = 8; i < 64; ++i) {
    auto values = evaluator.evaluate(i);
    ASSERT_TRUE(values);
    EXPECT_EQ((*values)[0], (i - 8) / 4);
  }
}

TEST(IndexRecognizer, BoundsOfUniformValues) {
  Recognized r(R"mlir(
    func.func private @use(index, index, index, index, index, index, index)
    func.func @f(%i: index, %n: index, %m: index, %b: i1, %a: memref<?xi32>) {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c32 = arith.constant 32 : index
      %c41 = arith.constant 41 : index
      %c256 = arith.constant 256 : index
      %rest = arith.subi %n, %m : index
      %part = arith.minsi %rest, %c256 : index
      %natural = arith.maxsi %part, %c0 : index
      %above = arith.addi %natural, %c31 : index
      %warps = arith.divui %above, %c32 : index
      %below = arith.addi %part, %c31 : index
      %wrapped = arith.divui %below, %c32 : index
      %some = arith.maxsi %warps, %c31 : index
      %bit = arith.index_cast %b : i1 to index
      %mod = arith.remui %bit, %c41 : index
      %dim = memref.dim %a, %c0 : memref<?xi32>
      func.call @use(%part, %warps, %some, %rest, %wrapped, %mod, %dim) : (index, index, index, index, index, index, index) -> ()
      return
    })mlir");
  EXPECT_EQ(getUniformRange(r.values[0]).max, 256);
  EXPECT_LT(getUniformRange(r.values[0]).min, -IndexRecognizer::maxExtent);
  EXPECT_EQ(getUniformRange(r.values[1]).min, 0);
  EXPECT_EQ(getUniformRange(r.values[1]).max, 8);
  EXPECT_EQ(getUniformRange(r.values[2]).min, 31);
  EXPECT_GE(getUniformRange(r.values[3]).max, IndexRecognizer::maxExtent);
  // -1 / 32 is large without a sign, and -1 mod 41 is not 0.
  EXPECT_GE(getUniformRange(r.values[4]).max, uint64_t(-1) / 32);
  EXPECT_GE(getUniformRange(r.values[5]).max, int64_t(uint64_t(-1) % 41));
  EXPECT_EQ(getUniformRange(r.values[6]).min, 0);
}
} // namespace
