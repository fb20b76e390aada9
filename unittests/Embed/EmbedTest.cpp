//===- EmbedTest.cpp - The compiler in a program --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Embed.h"
#include "mlir/IR/BuiltinTypes.h"
#include "gtest/gtest.h"
#include <numeric>
#include <thread>

using namespace mlir;
using namespace mlir::obs::embed;

namespace {

/// Adds 1 to each element, and counts the elements on the host.
constexpr const char *increment = R"(
func.func @main(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  obs.print "{} elements", %n : index
  %f = obs.force %r {kernel = "increment"} : !obs.pull<? x i32>
  return %f, %n : !obs.pull<? x i32>, index
}
)";

/// Runs `increment` for `count` numbers; the number of wrong elements, or -1.
int runIncrement(DeviceKind kind, int32_t count) {
  Compiler compiler;
  auto program = compiler.compile(increment, "increment.mlir");
  DeviceOptions options;
  options.kind = kind;
  auto executable = program ? Executable::load(*program, options) : nullptr;
  if (!executable)
    return -1;
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  Argument argument{IntegerType::get(&compiler.getContext(), 32),
                    false,
                    {count},
                    numbers.data()};
  auto results = executable->run(argument);
  if (failed(results) || results->size() != 2)
    return -1;
  const Argument &array = (*results)[0], &number = (*results)[1];
  int wrong = array.extents.front() != count || !number.isScalar ||
              *static_cast<const int64_t *>(number.data) != count;
  for (int32_t i = 0; i < count; ++i)
    wrong += static_cast<const int32_t *>(array.data)[i] != i + 1;
  return wrong;
}

TEST(EmbedTest, Results) {
  for (DeviceKind kind : {DeviceKind::Interpreter, DeviceKind::Emulator})
    for (int32_t count : {0, 1, 31, 32, 33, 1000})
      EXPECT_EQ(runIncrement(kind, count), 0) << count;
}

TEST(EmbedTest, CompilersInThreads) {
  int wrong[4] = {-1, -1, -1, -1};
  std::vector<std::thread> threads;
  for (int &result : wrong)
    threads.emplace_back([&result] {
      result = 0;
      for (int32_t count : {33, 100, 257})
        result += runIncrement(DeviceKind::Emulator, count) != 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int result : wrong)
    EXPECT_EQ(result, 0);
}

TEST(EmbedTest, Slots) {
  Compiler compiler;
  auto program = compiler.compile(R"(
    func.func @f(%k: f32, %a: !obs.pull<? x 4 x i32, i1 bound [9, 4]>)
        -> !obs.pull<? x 4 x i32, i1 bound [9, 4]> {
      return %a : !obs.pull<? x 4 x i32, i1 bound [9, 4]>
    })",
                                  "slots.mlir");
  ASSERT_TRUE(program);
  auto slots = program->getParameters();
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_TRUE(slots[0].isScalar);
  EXPECT_EQ(slots[1].index, 1u);
  EXPECT_EQ(slots[2].index, 1u);
  EXPECT_TRUE(slots[2].elementType.isInteger(1));
  EXPECT_TRUE(ShapedType::isDynamic(slots[1].extents[0]));
  EXPECT_EQ(slots[1].bounds[0], 9);
  EXPECT_EQ(slots[1].extents[1], 4);
}

TEST(EmbedTest, Output) {
  Compiler compiler;
  auto program = compiler.compile(increment, "increment.mlir");
  ASSERT_TRUE(program);
  for (DeviceKind kind : {DeviceKind::Interpreter, DeviceKind::Emulator}) {
    DeviceOptions options;
    options.kind = kind;
    auto executable = Executable::load(*program, options);
    int32_t numbers[] = {5, 6};
    Argument argument{
        IntegerType::get(&compiler.getContext(), 32), false, {2}, numbers};
    for (int run = 0; run < 2; ++run) {
      ASSERT_TRUE(succeeded(executable->run(argument)));
      EXPECT_EQ(executable->getOutput(), "2 elements\n");
    }
  }
}

TEST(EmbedTest, Messages) {
  Compiler compiler;
  EXPECT_FALSE(compiler.compile("func.func @f() { obs.nothing }", "a.mlir"));
  ASSERT_EQ(compiler.getMessages().size(), 1u);
  const Message &message = compiler.getMessages().front();
  EXPECT_EQ(message.severity, DiagnosticSeverity::Error);
  EXPECT_EQ(message.file, "a.mlir");
  EXPECT_EQ(message.line, 1u);
  EXPECT_EQ(message.column, 18u);

  CompileOptions options;
  options.entry = "other";
  EXPECT_FALSE(compiler.compile(increment, "b.mlir", options));
  EXPECT_EQ(compiler.getMessages().front().text,
            "there is no public function 'other' with a body; the public "
            "functions are: main");
  options.entry.clear();
  options.chip = "sm_1";
  EXPECT_FALSE(compiler.compile(increment, "b.mlir", options));
  EXPECT_EQ(compiler.getMessages().front().text.find("unknown chip 'sm_1'"),
            0u);
}

TEST(EmbedTest, Arguments) {
  Compiler compiler;
  auto program = compiler.compile(increment, "increment.mlir");
  ASSERT_TRUE(program);
  auto executable = Executable::load(*program);
  EXPECT_TRUE(failed(executable->run({})));
  EXPECT_EQ(compiler.getMessages().front().text,
            "the function takes 1 arguments, and 0 are given");
  float number = 0;
  Argument argument{
      Float32Type::get(&compiler.getContext()), false, {1}, &number};
  EXPECT_TRUE(failed(executable->run(argument)));
  EXPECT_EQ(compiler.getMessages().front().text,
            "argument 1 is 1xf32, and the parameter's type is !obs.pull<? x "
            "i32>");
}

TEST(EmbedTest, ErrorsOfKernels) {
  Compiler compiler;
  auto program = compiler.compile(R"(
func.func @main(%a: !obs.pull<? x i32>, %i: index) -> !obs.pull<1 x i32> {
  %r = obs.generate (%t) {
    %x = obs.get %a[%i] : !obs.pull<? x i32>
    obs.yield %x : i32
  } : !obs.pull<1 x i32>
  %f = obs.force %r {kernel = "pick"} : !obs.pull<1 x i32>
  return %f : !obs.pull<1 x i32>
})",
                                  "pick.mlir");
  ASSERT_TRUE(program);
  auto executable = Executable::load(*program);
  int32_t numbers[] = {5, 6};
  int64_t index = 1000;
  Argument arguments[] = {
      {IntegerType::get(&compiler.getContext(), 32), false, {2}, numbers},
      {IndexType::get(&compiler.getContext()), true, {}, &index}};
  EXPECT_TRUE(failed(executable->run(arguments)));
  const Message &message = compiler.getMessages().front();
  EXPECT_EQ(message.line, 4u);
  EXPECT_EQ(message.text.find("out-of-bounds"), 0u) << message.text;
  ASSERT_EQ(message.notes.size(), 1u);
  EXPECT_EQ(message.notes.front().text, "in kernel 'pick'");
  EXPECT_EQ(message.notes.front().line, 7u);
  index = 1;
  auto results = executable->run(arguments);
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(*static_cast<const int32_t *>(results->front().data), 6);
}

} // namespace
