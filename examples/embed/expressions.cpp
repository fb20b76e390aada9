//===- expressions.cpp - A front end of a hundred lines -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A language of one line. A program is a list of words in postfix order: x and
// y are arrays, a number is a constant, + - * combine elements, and sum adds
// all elements. So `x y * sum` is a dot product. The front end builds
// operations of the dialect, and the types of results are inferred.
//
//   expressions WORD...    evaluates for x = 0, 1, ..., 99 and y = 2
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Embed.h"
#include "mlir/IR/Builders.h"
#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Builds the function `main` for a list of words.
class FrontEnd {
public:
  explicit FrontEnd(MLIRContext &context)
      : builder(&context), loc(builder.getUnknownLoc()),
        element(builder.getF32Type()),
        vector(PullType::get(&context, ShapedType::kDynamic, element)) {}

  /// Null, with the reason, for words that are no expression.
  OwningOpRef<ModuleOp> build(ArrayRef<StringRef> words, std::string &reason);

private:
  bool addWord(StringRef word);
  /// The array of the results of `combine` for the elements of `x` and `y`.
  Value zipWith(Value x, Value y,
                llvm::function_ref<Value(Value, Value)> combine);
  Value addAll(Value x);

  OpBuilder builder;
  Location loc;
  Type element;
  PullType vector;
  SmallVector<Value> arguments, stack;
};
} // namespace

Value FrontEnd::zipWith(Value x, Value y,
                        llvm::function_ref<Value(Value, Value)> combine) {
  auto map = MapOp::create(builder, loc, vector, ValueRange{x, y});
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&map.getBody(), {}, {element, element}, {loc, loc});
  Value result = combine(body->getArgument(0), body->getArgument(1));
  YieldOp::create(builder, loc, result);
  return map.getResult();
}

Value FrontEnd::addAll(Value x) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  auto level = LevelAttr::get(builder.getContext(), Level::Grid);
  auto type = PushType::get(builder.getContext(), Level::Grid, 1, element);
  auto sum = ReduceOp::create(builder, loc, TypeRange(type), x, zero, level,
                              /*commutative=*/builder.getUnitAttr(),
                              /*strategy=*/StringAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body =
        builder.createBlock(&sum.getBody(), {}, {element, element}, {loc, loc});
    Value both = arith::AddFOp::create(builder, loc, body->getArgument(0),
                                       body->getArgument(1));
    YieldOp::create(builder, loc, both);
  }
  // In the rest of the expression, one number is an array of any length.
  Value stored = ForceOp::create(builder, loc, sum.getResult(0), ValueRange())
                     .getResults()
                     .front();
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value number = GetOp::create(builder, loc, stored, first).getResult(0);
  Value extent = DimOp::create(builder, loc, arguments.front(), 0);
  return SplatOp::create(builder, loc, vector, number, extent);
}

bool FrontEnd::addWord(StringRef word) {
  double number;
  if (word == "x" || word == "y") {
    stack.push_back(arguments[word == "y"]);
  } else if (!word.getAsDouble(number)) {
    Value value = arith::ConstantOp::create(builder, loc,
                                            builder.getF32FloatAttr(number));
    Value extent = DimOp::create(builder, loc, arguments.front(), 0);
    stack.push_back(SplatOp::create(builder, loc, vector, value, extent));
  } else if (word == "sum" && !stack.empty()) {
    stack.push_back(addAll(stack.pop_back_val()));
  } else if ((word == "+" || word == "-" || word == "*") && stack.size() > 1) {
    Value y = stack.pop_back_val(), x = stack.pop_back_val();
    stack.push_back(zipWith(x, y, [&](Value a, Value b) -> Value {
      if (word == "+")
        return arith::AddFOp::create(builder, loc, a, b);
      if (word == "-")
        return arith::SubFOp::create(builder, loc, a, b);
      return arith::MulFOp::create(builder, loc, a, b);
    }));
  } else {
    return false;
  }
  return true;
}

OwningOpRef<ModuleOp> FrontEnd::build(ArrayRef<StringRef> words,
                                      std::string &reason) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  builder.setInsertionPointToEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, loc, "main",
                           builder.getFunctionType({vector, vector}, {vector}));
  Block *body = function.addEntryBlock();
  llvm::append_range(arguments, body->getArguments());
  builder.setInsertionPointToEnd(body);
  for (StringRef word : words)
    if (!addWord(word)) {
      reason = "'" + word.str() + "' cannot stand here";
      return {};
    }
  if (stack.size() != 1) {
    reason = "the words leave " + std::to_string(stack.size()) + " values";
    return {};
  }
  Value result = ForceOp::create(builder, loc, stack.front(), ValueRange())
                     .getResults()
                     .front();
  func::ReturnOp::create(builder, loc, result);
  return module;
}

int main(int argc, char **argv) {
  embed::Compiler compiler;
  SmallVector<StringRef> words(argv + 1, argv + argc);
  std::string reason;
  OwningOpRef<ModuleOp> module =
      FrontEnd(compiler.getContext()).build(words, reason);
  if (!module) {
    std::fprintf(stderr, "error: %s\n", reason.c_str());
    return 1;
  }
  auto program = compiler.compile(std::move(module));
  auto executable = program ? embed::Executable::load(*program) : nullptr;
  std::vector<float> x(100), y(100, 2);
  for (int i = 0; i < 100; ++i)
    x[i] = i;
  Type element = Float32Type::get(&compiler.getContext());
  embed::Argument arguments[] = {{element, false, {100}, x.data()},
                                 {element, false, {100}, y.data()}};
  if (executable)
    if (auto results = executable->run(arguments); succeeded(results)) {
      auto *data = static_cast<const float *>(results->front().data);
      std::printf("%g %g ... %g\n", data[0], data[1], data[99]);
      return 0;
    }
  for (const embed::Message &message : compiler.getMessages())
    std::fprintf(stderr, "%s\n", message.text.c_str());
  return 1;
}
