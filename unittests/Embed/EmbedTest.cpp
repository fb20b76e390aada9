//===- EmbedTest.cpp - The compiler in a program --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Embed.h"
#include "Obsidian/Reports/Passes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <cfenv>
#include <numeric>
#include <thread>

using namespace mlir;
using namespace mlir::obs::embed;
using mlir::obs::checkRaces;

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

// A run does not depend on the rules of the thread for floats, and keeps them.
TEST(EmbedTest, RulesForFloats) {
  Compiler compiler;
  auto program = compiler.compile(R"(
    func.func @main(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %three = arith.constant 3.0 : f32
      %r = obs.map (%x = %a : !obs.pull<? x f32>) {
        %y = arith.divf %x, %three : f32
        obs.yield %y : f32
      }
      %f = obs.force %r : !obs.pull<? x f32>
      return %f : !obs.pull<? x f32>
    })",
                                  "thirds.mlir");
  ASSERT_TRUE(program);
  for (DeviceKind kind : {DeviceKind::Interpreter, DeviceKind::Emulator}) {
    DeviceOptions options;
    options.kind = kind;
    auto executable = Executable::load(*program, options);
    ASSERT_TRUE(executable);
    float one = 1.0f;
    Argument argument{
        Float32Type::get(&compiler.getContext()), false, {1}, &one};
    std::fesetround(FE_DOWNWARD);
    auto results = executable->run(argument);
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    std::fesetround(FE_TONEAREST);
    ASSERT_TRUE(succeeded(results));
    // A third is 0x1.555554p-2 if it is rounded down.
    EXPECT_EQ(*static_cast<const float *>((*results)[0].data), 0x1.555556p-2f);
  }
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
  EXPECT_EQ(slots[2].elementType, "i1");
  EXPECT_LT(slots[1].extents[0], 0);
  EXPECT_EQ(slots[1].bounds[0], 9);
  EXPECT_EQ(slots[1].extents[1], 4);
}

/// A loop of the host that reads an element, a branch, a while, a part of an
/// array and a failed assertion: what a plan has.
constexpr const char *rounds = R"(
func.func @main(%a: !obs.pull<? x 2 x f32> {obs.name = "table"}, %n: index,
                %h: i1, %s: bf16) -> (!obs.pull<? x 2 x f32>, f32, bf16, i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.5 : f32
  %k = arith.constant 3 : i8
  %good = arith.cmpi ult, %n, %c9 : index
  cf.assert %good, "too many rounds"
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a)
      -> !obs.pull<? x 2 x f32> {
    %e = obs.get %x[%c0, %c1] : !obs.pull<? x 2 x f32>
    %m = obs.map (%v = %x : !obs.pull<? x 2 x f32>)
        -> !obs.pull<? x 2 x f32> {
      %w = arith.addf %v, %e : f32
      obs.yield %w : f32
    }
    %f = obs.force %m {kernel = "add"} : !obs.pull<? x 2 x f32>
    scf.yield %f : !obs.pull<? x 2 x f32>
  }
  %q = scf.if %h -> f32 {
    %e = obs.get %r[%c0, %c0] : !obs.pull<? x 2 x f32>
    %d = arith.divf %e, %two : f32
    scf.yield %d : f32
  } else {
    scf.yield %two : f32
  }
  %t = scf.while (%u = %k) : (i8) -> i8 {
    %more = arith.cmpi slt, %u, %limit : i8
    scf.condition(%more) %u : i8
  } do {
  ^bb0(%u: i8):
    %w = arith.muli %u, %k : i8
    scf.yield %w : i8
  }
  obs.print "{} and {}", %q, %t : f32, i8
  return %r, %q, %s, %t : !obs.pull<? x 2 x f32>, f32, bf16, i8
}
)";

/// Everything that a run of `rounds` says: results, output, messages.
std::string describeRun(Compiler &compiler, Program &program, int64_t count,
                        int64_t numRounds, bool half) {
  auto executable = Executable::load(program);
  if (!executable)
    return "not loaded: " + compiler.getMessages().front().text;
  Builder builder(&compiler.getContext());
  std::vector<float> table(2 * count);
  std::iota(table.begin(), table.end(), 1.0f);
  uint16_t bits = 0x4049;
  Argument arguments[] = {
      {builder.getF32Type(), false, {count, 2}, table.data()},
      {builder.getIndexType(), true, {}, &numRounds},
      {builder.getI1Type(), true, {}, &half},
      {builder.getBF16Type(), true, {}, &bits}};
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto results = executable->run(arguments); succeeded(results))
    for (const Argument &result : *results) {
      int64_t elements = 1;
      for (int64_t extent : result.extents)
        elements *= extent;
      os << result.elementType << ' ' << elements << ':';
      unsigned width = (result.elementType.getIntOrFloatBitWidth() + 7) / 8;
      for (int64_t i = 0; i < elements * width; ++i)
        os << ' ' << int(static_cast<const uint8_t *>(result.data)[i]);
      os << '\n';
    }
  for (const Message &message : compiler.getMessages())
    os << message.file << ':' << message.line << ':' << message.column << ' '
       << message.text << '\n';
  os << executable->getOutput();
  return text;
}

TEST(EmbedTest, ProgramsAreReadBack) {
  std::string text = rounds;
  size_t at = text.find("  %good");
  text.insert(at, "  %c9 = arith.constant 9 : index\n"
                  "  %limit = arith.constant 100 : i8\n");
  Compiler compiler;
  auto program = compiler.compile(text, "rounds.mlir");
  ASSERT_TRUE(program) << compiler.getMessages().front().text;
  std::string contract = program->show(Form::Contract)->str();
  std::string kernels = program->show(Form::Kernels)->str();
  // The reader knows nothing of the other program.
  Compiler other;
  auto read = other.read({contract, "", kernels});
  ASSERT_TRUE(read) << other.getMessages().front().text;
  EXPECT_EQ(*read->show(Form::Contract), contract);
  ASSERT_EQ(read->getParameters().size(), 4u);
  EXPECT_EQ(read->getParameters()[0].extents[1], 2);
  EXPECT_EQ(read->getParameters()[0].name, "table");
  EXPECT_EQ(read->getResults()[2].elementType, "bf16");
  for (int64_t count : {0, 1, 33})
    for (int64_t numRounds : {0, 1, 5, 9})
      for (bool half : {false, true})
        EXPECT_EQ(describeRun(other, *read, count, numRounds, half),
                  describeRun(compiler, *program, count, numRounds, half))
            << count << ' ' << numRounds << ' ' << half;
  EXPECT_NE(describeRun(other, *read, 1, 9, false)
                .find("rounds.mlir:11:3 assertion-failed: too many rounds"),
            std::string::npos)
      << describeRun(other, *read, 1, 9, false);
  // Without a source there are no reports, and without code no runs.
  EXPECT_TRUE(failed(read->show(Form::Cost)));
  DeviceOptions interpreter;
  interpreter.kind = DeviceKind::Interpreter;
  EXPECT_FALSE(Executable::load(*read, interpreter));
  auto bare = other.read({contract, "", ""});
  ASSERT_TRUE(bare);
  EXPECT_FALSE(Executable::load(*bare));
  EXPECT_FALSE(other.getMessages().empty());
}

/// The report as JSON; an empty object if there is none.
llvm::json::Object getReport(Program &program, Form form) {
  auto text = program.show(form);
  auto value = llvm::json::parse(failed(text) ? "{}" : *text);
  return value ? std::move(*value->getAsObject()) : llvm::json::Object();
}

TEST(EmbedTest, ReportsAsJSON) {
  Compiler compiler;
  auto program = compiler.compile(increment, "increment.mlir");
  ASSERT_TRUE(program);
  // A warp reads 128 bytes with one request, and n numbers take n / 8 sectors.
  llvm::json::Object cost = getReport(*program, Form::CostJSON);
  ASSERT_EQ(cost.getArray("kernels")->size(), 1u);
  const llvm::json::Object &kernel =
      *cost.getArray("kernels")->front().getAsObject();
  EXPECT_EQ(kernel.getString("name"), "increment");
  const llvm::json::Object &memory =
      *kernel.getObject("memory")->getObject("global");
  EXPECT_EQ(memory.getString("read"), "4 * arg0.dim0");
  const llvm::json::Object &access =
      *kernel.getArray("accesses")->front().getAsObject();
  EXPECT_EQ(access.getString("sectors"), "ceil(arg0.dim0 / 8)");
  EXPECT_EQ(access.getObject("location")->getString("file"), "increment.mlir");
  EXPECT_EQ(access.getObject("location")->getInteger("line"), 6);

  llvm::json::Object barriers = getReport(*program, Form::BarriersJSON);
  EXPECT_EQ(barriers.getArray("kernels")->size(), 1u);
  EXPECT_EQ(compiler.getMessages().size(), 1u);

  for (int run : {0, 1}) {
    llvm::json::Object races = getReport(*program, Form::RacesJSON);
    EXPECT_EQ(races.getArray("proofs")->size(), 1u) << run;
    EXPECT_TRUE(races.getArray("races")->empty());
    EXPECT_TRUE(races.getArray("unproved")->empty());
    const llvm::json::Object &proof =
        *races.getArray("proofs")->front().getAsObject();
    EXPECT_EQ(proof.getString("kernel"), "increment");
    EXPECT_EQ(proof.getInteger("unbounded"), 0);
  }
}

TEST(EmbedTest, RacesAsData) {
  Compiler compiler;
  // Thread 0 reads what thread 1 writes, without a barrier.
  auto module = parseSourceString<ModuleOp>(R"(
gpu.module @kernels {
  gpu.func @exchange() kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 7 : i32
    %t = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2xi32, #gpu.address_space<workgroup>>
    memref.store %v, %a[%t] : memref<2xi32, #gpu.address_space<workgroup>> loc("a.py":3:4)
    %other = arith.subi %c1, %t : index
    %x = memref.load %a[%other] : memref<2xi32, #gpu.address_space<workgroup>> loc("a.py":5:6)
    gpu.return
  }
})",
                                            &compiler.getContext());
  ASSERT_TRUE(module);
  SmallVector<llvm::json::Object> answers;
  ScopedDiagnosticHandler quiet(&compiler.getContext(),
                                [](Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(checkRaces(*module, answers)));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(llvm::json::Value(std::move(answers[0])), *llvm::json::parse(R"({
    "kernel": "exchange", "memory": "shared", "scope": "warp",
    "accesses": [
      {"kind": "write", "location": {"file": "a.py", "line": 3, "column": 4}},
      {"kind": "read", "location": {"file": "a.py", "line": 5, "column": 6}}],
    "threads": [1, 0], "byte": [4]})"));
}

TEST(EmbedTest, OptionsOfTilesAndCollectives) {
  Compiler compiler;
  CompileOptions options;
  auto getItems = [&] {
    auto program = compiler.compile(increment, "increment.mlir", options);
    return getReport(*program, Form::CostJSON)
        .getArray("kernels")
        ->front()
        .getAsObject()
        ->getArray("loops")
        ->front()
        .getAsObject()
        ->getInteger("items");
  };
  EXPECT_EQ(getItems(), 4);
  options.tiles = false;
  EXPECT_EQ(getItems(), 1);
}

TEST(EmbedTest, ContractsThatAreNotValid) {
  Compiler compiler;
  auto program = compiler.compile(increment, "increment.mlir");
  ASSERT_TRUE(program);
  std::string contract = program->show(Form::Contract)->str();
  std::string kernels = program->show(Form::Kernels)->str();
  auto accepts = [&](Compiler &other, StringRef text) {
    auto read = other.read({text, "", kernels});
    return read && Executable::load(*read);
  };
  EXPECT_TRUE(accepts(compiler, contract));
  auto refuse = [&](StringRef from, StringRef to) {
    std::string changed = contract;
    size_t at = changed.find(from.str());
    ASSERT_NE(at, std::string::npos) << from.str();
    changed.replace(at, from.size(), to.str());
    Compiler other;
    EXPECT_FALSE(accepts(other, changed)) << to.str();
    EXPECT_FALSE(other.getMessages().empty());
  };
  refuse("\"version\": 2", "\"version\": 1");
  refuse("\"step\": \"launch\"", "\"step\": \"lunch\"");
  refuse("\"kernel\": \"increment\"", "\"kernel\": \"other\"");
  refuse("\"op\": \"memref.dim\"", "\"op\": \"memref.load\"");
  refuse("\"op\": \"arith.ceildivui\"", "\"op\": \"arith.negf\"");
  refuse("\"extents\": [\n            \"v0\"", "\"extents\": [\n \"v1\"");
  refuse("\"sharedBytes\": \"0\"", "\"sharedBytes\": \"few\"");
  refuse("\"sharedBytes\": \"0\"", "\"sharedBytes\": \"-1\"");
  // An allocation has one result, and `memref.dim` has an array.
  refuse("\"name\": \"v1\",\n          \"size\"",
         "\"results\": [],\n          \"size\"");
  refuse("\"arg0\",\n            \"0\"", "\"1\",\n            \"0\"");
  // The rank of an array is the number of its extents.
  refuse("\"rank\": 1", "\"rank\": 2");
  for (size_t length = 0; length < contract.size(); length += 97) {
    Compiler other;
    EXPECT_FALSE(other.read({StringRef(contract).take_front(length), "", ""}));
  }
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

TEST(EmbedTest, StableHLO) {
  // The function of the reduction calls another one.
  constexpr const char *text = R"(
"func.func"() <{function_type = (tensor<3xi32>) -> tensor<i32>, sym_name = "main"}> ({
^bb0(%x: tensor<3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "func.call"(%a, %b) <{callee = @sum}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  "func.return"(%s) : (tensor<i32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "sum", sym_visibility = "private"}> ({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  "func.return"(%c) : (tensor<i32>) -> ()
}) : () -> ()
)";
  Compiler compiler;
  // Only programs of StableHLO may contain its operations.
  CompileOptions options;
  for (bool isStableHLO : {false, true, false, true}) {
    options.isStableHLO = isStableHLO;
    auto program = compiler.compile(text, "-", options);
    EXPECT_EQ(program != nullptr, isStableHLO);
    EXPECT_EQ(compiler.getMessages().empty(), isStableHLO);
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
