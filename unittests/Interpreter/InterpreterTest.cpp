//===- InterpreterTest.cpp - Programs against closed forms and std --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs programs on pseudo-random arrays of many sizes and compares them with
// loops over std::vector. The lit tests in test/Interpreter show each operation
// on a few elements. This test covers the rest: sizes, memory, and traps that
// need certain data.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Interpreter/Interpreter.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::obs::interpreter;

namespace {

using Numbers = std::vector<int64_t>;

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<obs::ObsDialect, func::FuncDialect, arith::ArithDialect,
                        math::MathDialect, scf::SCFDialect,
                        memref::MemRefDialect>();
    i32 = IntegerType::get(&context, 32);
    index = IndexType::get(&context);
  }

  HostValue array(const Numbers &numbers) {
    HostValue value = llvm::cantFail(
        HostValue::array(i32, {static_cast<int64_t>(numbers.size())}));
    for (auto [position, number] : llvm::enumerate(numbers))
      value.set(position, Scalar::fromInt(i32, number));
    return value;
  }
  HostValue scalar(int64_t number) {
    return HostValue::scalar(Scalar::fromInt(index, number));
  }
  static Numbers toNumbers(const HostValue &value) {
    Numbers numbers;
    for (int64_t i = 0; i < value.getNumElements(); ++i)
      numbers.push_back(value.get(i).getSInt());
    return numbers;
  }

  /// Runs the first function of `source`.
  llvm::Expected<SmallVector<HostValue>>
  run(StringRef source, MutableArrayRef<HostValue> arguments) {
    module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return llvm::createStringError("the program does not parse");
    llvm::raw_string_ostream os(printed);
    InterpreterOptions options;
    options.output = &os;
    return interpret(*module->getOps<func::FuncOp>().begin(), arguments,
                     options);
  }

  /// The numbers of the only result.
  Numbers getNumbers(StringRef source, SmallVector<HostValue> arguments) {
    auto results = run(source, arguments);
    if (!results) {
      ADD_FAILURE() << llvm::toString(results.takeError());
      return {};
    }
    EXPECT_EQ(results->size(), 1u);
    return toNumbers(results->front());
  }

  /// The text of the error that the program must end with.
  std::string getError(StringRef source, SmallVector<HostValue> arguments) {
    auto results = run(source, arguments);
    if (results) {
      ADD_FAILURE() << "the program has not failed";
      return "";
    }
    return llvm::toString(results.takeError());
  }

  MLIRContext context;
  Type i32, index;
  OwningOpRef<ModuleOp> module;
  std::string printed;
};

const int64_t sizes[] = {0, 1, 31, 32, 33, 100, 257, 1000};

/// Numbers from 0 to 9999, the same every time.
Numbers makeNumbers(int64_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  Numbers numbers(size);
  for (int64_t &number : numbers)
    number = random() % 10000;
  return numbers;
}

} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

TEST_F(InterpreterTest, MapOfTwoArrays) {
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n, 1), b = makeNumbers(n, 2), expected(n);
    std::transform(a.begin(), a.end(), b.begin(), expected.begin(),
                   [](int64_t x, int64_t y) { return 3 * x - y; });
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %c3 = arith.constant 3 : i32
        %r = obs.map (%x = %a : !obs.pull<? x i32>, %y = %b : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
          %p = arith.muli %c3, %x : i32
          %s = arith.subi %p, %y : i32
          obs.yield %s : i32
        }
        return %r : !obs.pull<? x i32>
      })",
                         {array(a), array(b)}),
              expected);
  }
}

TEST_F(InterpreterTest, ReverseOfPullAndOfPush) {
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n), expected(a.rbegin(), a.rend());
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %r = obs.reverse %a : !obs.pull<? x i32>
        return %r : !obs.pull<? x i32>
      })",
                         {array(a)}),
              expected);
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
        %r = obs.reverse %p : !obs.push<grid, ? x i32>
        %s = obs.force %r : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
        return %s : !obs.pull<? x i32>
      })",
                         {array(a)}),
              expected);
  }
}

TEST_F(InterpreterTest, SplitWithPadThenJoinIsIdentity) {
  for (StringRef strided : {"", "strided "})
    for (int64_t n : sizes) {
      Numbers a = makeNumbers(n);
      std::string source = ("func.func @f(%a: !obs.pull<? x i32>) -> "
                            "!obs.pull<? x i32> {\n"
                            "%z = arith.constant -1 : i32\n"
                            "%n = obs.dim %a, 0 : !obs.pull<? x i32>\n"
                            "%c = obs.split %a " +
                            strided +
                            "by [32] pad %z : !obs.pull<? x i32> -> "
                            "!obs.pull<? x !obs.pull<32 x i32>>\n"
                            "%j = obs.join %c " +
                            strided +
                            "to [%n] : !obs.pull<? x !obs.pull<32 x i32>> -> "
                            "!obs.pull<? x i32>\n"
                            "return %j : !obs.pull<? x i32> }")
                               .str();
      EXPECT_EQ(getNumbers(source, {array(a)}), a);
    }
}

TEST_F(InterpreterTest, StridedSplitTakesEveryChunkCountth) {
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n), expected;
    int64_t chunks = (n + 31) / 32;
    for (int64_t c = 0; c < chunks; ++c)
      for (int64_t i = 0; i < 32; ++i)
        expected.push_back(c + i * chunks < n ? a[c + i * chunks] : -1);
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %z = arith.constant -1 : i32
        %c = obs.split %a strided by [32] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<32 x i32>>
        %j = obs.join %c : !obs.pull<? x !obs.pull<32 x i32>> -> !obs.pull<? x i32>
        return %j : !obs.pull<? x i32>
      })",
                         {array(a)}),
              expected);
  }
}

TEST_F(InterpreterTest, ConcatAndInterleave) {
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n, 1), b = makeNumbers(n, 2), c = makeNumbers(n, 3);
    Numbers joined = a, riffled;
    joined.insert(joined.end(), b.begin(), b.end());
    joined.insert(joined.end(), c.begin(), c.end());
    for (int64_t i = 0; i < n; ++i)
      riffled.insert(riffled.end(), {a[i], b[i], c[i]});
    for (StringRef name : {"concat", "interleave"}) {
      std::string pull =
          ("func.func @f(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>, "
           "%c: !obs.pull<? x i32>) -> !obs.pull<? x i32> {\n"
           "%r = obs." +
           name +
           " %a, %b, %c : !obs.pull<? x i32>, !obs.pull<? x i32>, "
           "!obs.pull<? x i32> -> !obs.pull<? x i32>\n"
           "return %r : !obs.pull<? x i32> }")
              .str();
      std::string push =
          ("func.func @f(%a: !obs.pull<? x i32>, %b: !obs.pull<? x i32>, "
           "%c: !obs.pull<? x i32>) -> !obs.pull<? x i32> {\n"
           "%p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>\n"
           "%q = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>\n"
           "%r = obs.push %c : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>\n"
           "%s = obs." +
           name +
           " %p, %q, %r : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32>, "
           "!obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>\n"
           "%t = obs.force %s : !obs.push<grid, ? x i32> -> "
           "!obs.pull<? x i32>\n"
           "return %t : !obs.pull<? x i32> }")
              .str();
      Numbers &expected = name == "concat" ? joined : riffled;
      EXPECT_EQ(getNumbers(pull, {array(a), array(b), array(c)}), expected);
      EXPECT_EQ(getNumbers(push, {array(a), array(b), array(c)}), expected);
    }
  }
}

TEST_F(InterpreterTest, HistogramByReduce) {
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n), expected(16, 0);
    for (int64_t number : a)
      ++expected[number % 16];
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>) -> !obs.pull<16 x i32> {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c15 = arith.constant 15 : i32
        %n = obs.dim %a, 0 : !obs.pull<? x i32>
        %p = obs.fill init %c0 reduce(addi) par (%t) in (%n) {
          %x = obs.get %a[%t] : !obs.pull<? x i32>
          %k = arith.andi %x, %c15 : i32
          %i = arith.index_cast %k : i32 to index
          obs.write %c1 at [%i] : i32
        } : !obs.push<grid, 16 x i32>
        %r = obs.force %p : !obs.push<grid, 16 x i32> -> !obs.pull<16 x i32>
        return %r : !obs.pull<16 x i32>
      })",
                         {array(a)}),
              expected);
  }
}

TEST_F(InterpreterTest, ChunkSumsByTreeOfForces) {
  // Every block halves its chunk of 32 five times, each time by a force.
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n), expected;
    for (int64_t begin = 0; begin < n; begin += 32)
      expected.push_back(std::accumulate(
          a.begin() + begin, a.begin() + std::min(n, begin + 32), int64_t(0)));
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %z = arith.constant 0 : i32
        %chunks = obs.split %a by [32] pad %z : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<32 x i32>>
        %sums = obs.distribute block (%c = %chunks : !obs.pull<? x !obs.pull<32 x i32>>) -> !obs.push<grid, ? x 1 x i32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c5 = arith.constant 5 : index
          %c32 = arith.constant 32 : index
          %p0 = obs.push %c : !obs.pull<32 x i32> -> !obs.push<block, 32 x i32>
          %s0 = obs.force %p0 : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
          %s, %w = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %s0, %len = %c32) -> (!obs.pull<32 x i32>, index) {
            %half = arith.divui %len, %c2 : index
            %p = obs.fill onto %v : !obs.pull<32 x i32> par (%t) in (%half) {
              %u = arith.addi %t, %half : index
              %x = obs.get %v[%t] : !obs.pull<32 x i32>
              %y = obs.get %v[%u] : !obs.pull<32 x i32>
              %sum = arith.addi %x, %y : i32
              obs.write %sum at [%t] : i32
            } : !obs.push<block, 32 x i32>
            %r = obs.force %p : !obs.push<block, 32 x i32> -> !obs.pull<32 x i32>
            scf.yield %r, %half : !obs.pull<32 x i32>, index
          }
          %one = obs.take %s [1] : !obs.pull<32 x i32> -> !obs.pull<1 x i32>
          %q = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
          obs.yield %q : !obs.push<block, 1 x i32>
        }
        %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32> -> !obs.push<grid, ? x i32>
        %r = obs.force %flat : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
        return %r : !obs.pull<? x i32>
      })",
                         {array(a)}),
              expected);
  }
}

TEST_F(InterpreterTest, OddEvenTranspositionSort) {
  // A network of comparators in a loop at grid level.
  for (int64_t n : {0, 1, 2, 31, 33, 100}) {
    Numbers a = makeNumbers(n), expected = a;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(getNumbers(R"(
      func.func @f(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %n = obs.dim %a, 0 : !obs.pull<? x i32>
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (!obs.pull<? x i32>) {
          %odd = arith.remui %i, %c2 : index
          %rest = arith.subi %n, %odd : index
          %pairs = arith.divsi %rest, %c2 : index
          %p = obs.fill onto %v : !obs.pull<? x i32> [%n] par (%t) in (%pairs) {
            %d = arith.muli %t, %c2 : index
            %k = arith.addi %d, %odd : index
            %l = arith.addi %k, %c1 : index
            %x = obs.get %v[%k] : !obs.pull<? x i32>
            %y = obs.get %v[%l] : !obs.pull<? x i32>
            %lo = arith.minsi %x, %y : i32
            %hi = arith.maxsi %x, %y : i32
            obs.write %lo at [%k] : i32
            obs.write %hi at [%l] : i32
          } : !obs.push<grid, ? x i32>
          %f = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
          scf.yield %f : !obs.pull<? x i32>
        }
        return %r : !obs.pull<? x i32>
      })",
                         {array(a)}),
              expected);
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(InterpreterTest, ForceInPlaceReadsWhatWasThere) {
  // Element i becomes the sum of elements i and i + 1, in the memory of both.
  for (int64_t n : sizes) {
    Numbers a = makeNumbers(n), expected(n);
    for (int64_t i = 0; i < n; ++i)
      expected[i] = a[i] + a[(i + 1) % n];
    SmallVector<HostValue> arguments{array(a)};
    auto results = run(R"(
      func.func @f(%m: memref<?xi32>) -> !obs.pull<? x i32> {
        %c1 = arith.constant 1 : index
        %a = obs.view %m : memref<?xi32>
        %n = obs.dim %a, 0 : !obs.pull<? x i32>
        %b = obs.generate (%i) [%n] {
          %j = arith.addi %i, %c1 : index
          %k = arith.remui %j, %n : index
          %x = obs.get %a[%i] : !obs.pull<? x i32>
          %y = obs.get %a[%k] : !obs.pull<? x i32>
          %s = arith.addi %x, %y : i32
          obs.yield %s : i32
        } : !obs.pull<? x i32>
        %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
        %r = obs.force %p into %m {unchecked} : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
        return %r : !obs.pull<? x i32>
      })",
                       arguments);
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    EXPECT_EQ(toNumbers(results->front()), expected);
    EXPECT_EQ(toNumbers(arguments.front()), expected);
  }
}

TEST_F(InterpreterTest, UnwrittenElementsOfMemoryKeepTheirBytes) {
  SmallVector<HostValue> arguments{array({10, 11, 12, 13})};
  auto results = run(R"(
    func.func @f(%m: memref<4xi32>) {
      %c2 = arith.constant 2 : index
      %x = arith.constant 7 : i32
      %c1 = arith.constant 1 : index
      %p = obs.fill par (%t) in (%c1) {
        obs.write %x at [%c2] : i32
      } : !obs.push<grid, 4 x i32>
      %r = obs.force %p into %m : !obs.push<grid, 4 x i32> into memref<4xi32> -> !obs.pull<4 x i32>
      return
    })",
                     arguments);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ(toNumbers(arguments.front()), Numbers({10, 11, 7, 13}));
}

TEST_F(InterpreterTest, StaleViewThroughACallTraps) {
  // The verifier cannot see that both memrefs are one.
  EXPECT_EQ(getError(R"(func.func @f(%m: memref<2xi32>) -> i32 {
  %r = call @g(%m, %m) : (memref<2xi32>, memref<2xi32>) -> i32
  return %r : i32
}
func.func private @g(%m: memref<2xi32>, %w: memref<2xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %x = arith.constant 7 : i32
  memref.store %x, %w[%c0] : memref<2xi32>
  %a = obs.view %m : memref<2xi32>
  memref.store %x, %w[%c0] : memref<2xi32>
  %y = obs.get %a[%c0] : !obs.pull<2 x i32>
  return %y : i32
})",
                     {array({1, 2})}),
            "-:11:8: [R8-after] reads the view made at -:9:8 after its memory "
            "has changed");
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

TEST_F(InterpreterTest, PairsAreConsecutiveArrays) {
  SmallVector<HostValue> arguments{array({1, 2, 3}), array({10, 20, 30})};
  auto results = run(R"(
    func.func @f(%a: !obs.pull<? x i32, i32>) -> (index, !obs.pull<? x i32, i32>) {
      %n = obs.dim %a, 0 : !obs.pull<? x i32, i32>
      %r = obs.map (%x, %y = %a : !obs.pull<? x i32, i32>) -> !obs.pull<? x i32, i32> {
        %s = arith.addi %x, %y : i32
        obs.yield %s, %x : i32, i32
      }
      return %n, %r : index, !obs.pull<? x i32, i32>
    })",
                     arguments);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  ASSERT_EQ(results->size(), 3u);
  EXPECT_TRUE((*results)[0].isScalar);
  EXPECT_EQ(toNumbers((*results)[0]), Numbers({3}));
  EXPECT_EQ(toNumbers((*results)[1]), Numbers({11, 22, 33}));
  EXPECT_EQ(toNumbers((*results)[2]), Numbers({1, 2, 3}));
}

TEST_F(InterpreterTest, WrongArgumentsAreErrors) {
  StringRef source =
      R"(func.func @f(%a: !obs.pull<? x i32 bound [4]>, %n: index) {
  return
})";
  EXPECT_EQ(getError(source, {array({1})}),
            "-:1:1: 'f' needs more than the 1 arguments given");
  EXPECT_EQ(getError(source, {array({1}), scalar(1), scalar(2)}),
            "-:1:1: 'f' needs 2 arguments, not 3");
  EXPECT_EQ(getError(source, {scalar(1), scalar(2)}),
            "-:1:1: argument 0 of 'f' of type !obs.pull<? x i32 bound [4]> is "
            "given a scalar");
  EXPECT_EQ(getError(source, {array({1}), array({1})}),
            "-:1:1: argument 1 of 'f' of type index is given an array");
  EXPECT_EQ(getError(source, {array({1, 2, 3, 4, 5}), scalar(2)}),
            "-:1:1: argument 0 of 'f' of type !obs.pull<? x i32 bound [4]> is "
            "given extents [5]");
  HostValue torn = array({1, 2});
  torn.data.pop_back();
  EXPECT_EQ(getError(source, {torn, scalar(2)}),
            "-:1:1: argument 0 of 'f' of type !obs.pull<? x i32 bound [4]> is "
            "given 7 bytes for extents [2]");
  HostValue wide = llvm::cantFail(HostValue::array(index, {1}));
  EXPECT_EQ(getError(source, {wide, scalar(2)}),
            "-:1:1: argument 0 of 'f' of type !obs.pull<? x i32 bound [4]> "
            "needs elements of type i32, not index");
}

TEST_F(InterpreterTest, EndlessRecursionIsAnError) {
  EXPECT_EQ(getError(R"(func.func @f() {
  call @f() : () -> ()
  return
})",
                     {}),
            "-:2:3: calls are nested more than 500 deep");
}

TEST_F(InterpreterTest, HugeArraysAreErrors) {
  EXPECT_EQ(getError(R"(func.func @f(%n: index) -> !obs.pull<? x ? x index> {
  %a = obs.generate (%i, %j) [%n, %n] {
    obs.yield %i : index
  } : !obs.pull<? x ? x index>
  return %a : !obs.pull<? x ? x index>
})",
                     {scalar(int64_t(1) << 40)}),
            "-:1:1: an array of extents [1099511627776, 1099511627776] is too "
            "large for the interpreter");
}
