//===- sums.cpp - A program compiled and run from C++ ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block adds a part of 64 numbers. Runs on the interpreter and on the
// emulator, and prints the barriers of the kernel.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Embed.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstdio>
#include <numeric>

using namespace mlir;
using namespace mlir::obs::embed;

static constexpr const char *sums = R"(
func.func @sums(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %parts = obs.split %a by [64] pad %zero : !obs.pull<? x i32>
  %each = obs.distribute block in grid
      (%part = %parts : !obs.pull<? x !obs.pull<64 x i32>>) {
    %sum = obs.reduce { arith.addi } %part init %zero : !obs.pull<64 x i32>
    %one = obs.splat %sum : !obs.pull<1 x i32>
    %p = obs.push block %one : !obs.pull<1 x i32>
    obs.yield %p : !obs.push<block, 1 x i32>
  }
  %all = obs.join %each : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %all {kernel = "sums"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}
)";

static int fail(const Compiler &compiler) {
  for (const Message &message : compiler.getMessages())
    std::printf("%s:%u:%u: %s\n", message.file.c_str(), message.line,
                message.column, message.text.c_str());
  return 1;
}

int main() {
  Compiler compiler;
  std::unique_ptr<Program> program = compiler.compile(sums, "sums.mlir");
  if (!program || failed(program->show(Form::Barriers)))
    return fail(compiler);
  std::printf("%s\n", compiler.getMessages().back().text.c_str());

  std::vector<int32_t> numbers(200);
  std::iota(numbers.begin(), numbers.end(), 0);
  Argument argument{IntegerType::get(&compiler.getContext(), 32),
                    false,
                    {200},
                    numbers.data()};
  for (DeviceKind kind : {DeviceKind::Interpreter, DeviceKind::Emulator}) {
    DeviceOptions options;
    options.kind = kind;
    options.checkRaces = options.checkUninit = true;
    auto executable = Executable::load(*program, options);
    if (!executable)
      return fail(compiler);
    auto results = executable->run(argument);
    if (failed(results))
      return fail(compiler);
    const Argument &result = results->front();
    for (int64_t i = 0; i < result.extents.front(); ++i)
      std::printf("%d ", static_cast<const int32_t *>(result.data)[i]);
    std::printf("\n");
  }
  return 0;
}
