//===- ArrayBuilderTest.cpp - Whole arrays of dynamic extents -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test builds a function of arrays of i32, and runs it on the emulator and
// the interpreter against a plain loop.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "Obsidian/Embed.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::embed;

namespace {

using Ints = std::vector<int32_t>;
using Code = llvm::function_ref<SmallVector<Value>(ArrayBuilder &, ValueRange)>;

struct Array {
  SmallVector<int64_t, 4> extents;
  Ints elements;
  bool operator==(const Array &other) const {
    return extents == other.extents && elements == other.elements;
  }
};

/// Numbers from -50 to 49 in no order.
Array makeArray(ArrayRef<int64_t> extents) {
  Array array;
  array.extents.assign(extents.begin(), extents.end());
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  uint32_t state = 7;
  for (int64_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    array.elements.push_back(static_cast<int32_t>(state >> 16) % 100 - 50);
  }
  return array;
}

/// The function that `code` builds, whose parameters are arrays of these ranks.
OwningOpRef<ModuleOp> build(MLIRContext &context, ArrayRef<unsigned> ranks,
                            Code code) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  ArrayBuilder b(loc, &context);
  SmallVector<Type> types;
  for (unsigned rank : ranks)
    types.push_back(PullType::get(
        &context, SmallVector<int64_t>(rank, ShapedType::kDynamic),
        b.getI32Type()));
  b.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(b, "main", b.getFunctionType(types, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
  SmallVector<Value> results =
      b.store(code(b, function.getBody().front().getArguments()));
  func::ReturnOp::create(b, results);
  function.setFunctionType(
      b.getFunctionType(types, ValueRange(results).getTypes()));
  b.finish(function);
  return module;
}

/// The results of `code` for `arguments` on a device; none after an error.
std::vector<Array> run(DeviceKind kind, std::vector<Array> arguments,
                       Code code) {
  Compiler compiler;
  SmallVector<unsigned> ranks;
  for (const Array &array : arguments)
    ranks.push_back(array.extents.size());
  auto program = compiler.compile(build(compiler.getContext(), ranks, code));
  DeviceOptions options;
  options.kind = kind;
  options.checkRaces = options.checkUninit = kind == DeviceKind::Emulator;
  auto executable = program ? Executable::load(*program, options) : nullptr;
  std::vector<Argument> given;
  for (Array &array : arguments)
    given.push_back({IntegerType::get(&compiler.getContext(), 32), false,
                     array.extents, array.elements.data()});
  FailureOr<ArrayRef<Argument>> results = failure();
  if (executable)
    results = executable->run(given);
  for (const Message &message : compiler.getMessages())
    if (message.severity == DiagnosticSeverity::Error)
      ADD_FAILURE() << message.text;
  std::vector<Array> found;
  if (failed(results))
    return found;
  for (const Argument &result : *results) {
    Array &array = found.emplace_back();
    array.extents = result.extents;
    int64_t size = 1;
    for (int64_t extent : result.extents)
      size *= extent;
    auto *data = static_cast<const int32_t *>(result.data);
    array.elements.assign(data, data + size);
  }
  return found;
}

void expect(std::vector<Array> arguments, std::vector<Array> results,
            Code code) {
  for (DeviceKind kind : {DeviceKind::Interpreter, DeviceKind::Emulator})
    EXPECT_TRUE(run(kind, arguments, code) == results)
        << "extents " << arguments.front().extents.front();
}

SmallVector<Value> add(ArrayBuilder &b, ValueRange x) {
  return {arith::AddIOp::create(b, x[0], x[1])};
}

SmallVector<Value> less(ArrayBuilder &b, ValueRange x) {
  return {arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[0],
                                x[x.size() / 2])};
}

TEST(ArrayBuilderTest, ReduceAtEachLevel) {
  std::optional<Level> levels[] = {std::nullopt, Level::Thread, Level::Warp,
                                   Level::Block, Level::Grid};
  for (int64_t width : {0, 1, 33, 1025})
    for (std::optional<Level> level : levels) {
      Array x = makeArray({5, width});
      Array sums{{5}, Ints(5, 3)}, columns{{width}, Ints(width, 3)};
      for (int64_t i = 0; i < 5 * width; ++i) {
        sums.elements[i / width] += x.elements[i];
        columns.elements[i % width] += x.elements[i];
      }
      expect({x}, {sums, columns},
             [&](ArrayBuilder &b, ValueRange x) -> SmallVector<Value> {
               Value three = b.getNumber(b.getI32Type(), 3);
               auto combine = [&](ValueRange e) { return add(b, e); };
               CollectiveOptions options;
               options.level = level;
               return {b.reduce(x[0], three, 1, combine, options),
                       b.reduce(x[0], three, 0, combine, options)};
             });
    }
}

TEST(ArrayBuilderTest, ScanOfPairs) {
  // Maps a x + b, one after the other: an operator that is not commutative.
  for (int64_t n : {0, 1, 32, 1000}) {
    Array a = makeArray({n}), prefix{{n}, Ints(n)}, suffix{{n}, Ints(n)};
    uint32_t factor = 1, sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      factor *= a.elements[i];
      sum = sum * a.elements[i] + i;
      prefix.elements[i] = sum;
    }
    factor = 1;
    sum = 0;
    for (int64_t i = n; i-- > 0;) {
      suffix.elements[i] = sum;
      sum += static_cast<uint32_t>(i) * factor;
      factor *= a.elements[i];
    }
    expect({a}, {prefix, suffix},
           [&](ArrayBuilder &b, ValueRange x) -> SmallVector<Value> {
             Value places = b.generate(
                 b.getExtents(x[0]), [&](ValueRange i) -> SmallVector<Value> {
                   return {arith::IndexCastOp::create(b, b.getI32Type(), i[0])};
                 });
             Value one = b.getNumber(b.getI32Type(), 1),
                   zero = b.getNumber(b.getI32Type(), 0);
             auto compose = [&](ValueRange e) -> SmallVector<Value> {
               Value scaled = arith::MulIOp::create(b, e[1], e[2]);
               return {arith::MulIOp::create(b, e[0], e[2]),
                       arith::AddIOp::create(b, scaled, e[3])};
             };
             Value pairs = b.zip({x[0], places});
             Value up = b.scan(pairs, {one, zero}, 0, false, false, compose);
             Value down = b.scan(pairs, {one, zero}, 0, true, true, compose);
             return {b.unzip(up)[1], b.unzip(down)[1]};
           });
  }
}

TEST(ArrayBuilderTest, Contract) {
  for (auto [h, k, w] : {std::array<int64_t, 3>{1, 1, 1},
                         {17, 33, 9},
                         {70, 20, 65},
                         {3, 0, 4},
                         {0, 5, 3}}) {
    Array x = makeArray({2, h, k}), y = makeArray({2, k, w}),
          r{{2, h, w}, Ints(2 * h * w)};
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t i = 0; i < h; ++i)
        for (int64_t j = 0; j < w; ++j)
          for (int64_t t = 0; t < k; ++t)
            r.elements[(b * h + i) * w + j] += x.elements[(b * h + i) * k + t] *
                                               y.elements[(b * k + t) * w + j];
    expect({x, y}, {r}, [&](ArrayBuilder &b, ValueRange a) {
      auto multiply = [&](ValueRange e) -> SmallVector<Value> {
        return {arith::MulIOp::create(b, e[0], e[1])};
      };
      return SmallVector<Value>{
          b.contract(a[0], a[1], b.getNumber(b.getI32Type(), 0), multiply,
                     [&](ValueRange e) { return add(b, e); })};
    });
  }
}

TEST(ArrayBuilderTest, SortAndCompact) {
  for (int64_t n : {0, 1, 2, 31, 1024, 1025, 2500}) {
    Array x = makeArray({n}), order{{n}, Ints(n)}, even{{n}, {}};
    std::iota(order.elements.begin(), order.elements.end(), 0);
    llvm::sort(order.elements, [&](int32_t a, int32_t b) {
      return std::tie(x.elements[a], a) < std::tie(x.elements[b], b);
    });
    for (int32_t e : x.elements)
      if (e % 2 == 0)
        even.elements.push_back(e);
    Array count{{1}, {static_cast<int32_t>(even.elements.size())}};
    even.elements.resize(n, -1);
    expect({x}, {order, even, count},
           [&](ArrayBuilder &b, ValueRange x) -> SmallVector<Value> {
             Value places = b.generate(
                 b.getExtents(x[0]), [&](ValueRange i) -> SmallVector<Value> {
                   return {arith::IndexCastOp::create(b, b.getI32Type(), i[0])};
                 });
             Value sorted = b.sort(b.zip({x[0], places}), 0,
                                   [&](ValueRange e) { return less(b, e); });
             Value one = b.getNumber(b.getI32Type(), 1),
                   zero = b.getNumber(b.getI32Type(), 0),
                   none = b.getNumber(b.getI32Type(), -1);
             Value flags = b.map(x[0], [&](ValueRange e) -> SmallVector<Value> {
               Value bit = arith::AndIOp::create(b, e[0], one);
               return {arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bit,
                                             zero)};
             });
             auto [kept, count] = b.compact(x[0], flags, none);
             return {b.unzip(sorted)[1], kept, count};
           });
  }
}

TEST(ArrayBuilderTest, ScatterByFunction) {
  // Elements go to their absolute value, and 40 and more nowhere.
  for (int64_t n : {0, 1, 33, 1000}) {
    Array x = makeArray({n}), onto = makeArray({40}), r = onto;
    for (int32_t e : x.elements)
      if (std::abs(e) < 40)
        r.elements[std::abs(e)] = std::max(r.elements[std::abs(e)], e);
    expect({onto, x}, {r}, [&](ArrayBuilder &b, ValueRange a) {
      WriteContract contract = b.getContract(b.getI32Type(), [&](ValueRange e) {
        Value isLess = less(b, e).front();
        return SmallVector<Value>{
            arith::SelectOp::create(b, isLess, e[1], e[0])};
      });
      EXPECT_TRUE(isa<FlatSymbolRefAttr>(contract.kind));
      return SmallVector<Value>{b.scatter(
          a[0], b.getExtents(a[1]),
          [&](ValueRange i) {
            Value e = b.getOne(a[1], i);
            Value zero = b.getNumber(b.getI32Type(), 0);
            Value size =
                arith::MaxSIOp::create(b, e, arith::SubIOp::create(b, zero, e));
            return Target{
                {arith::IndexCastOp::create(b, b.getIndexType(), size)},
                {e},
                Value()};
          },
          contract)};
    });
  }
}

TEST(ArrayBuilderTest, PadAndWindows) {
  for (int64_t n : {0, 1, 10}) {
    Array x = makeArray({n}), padded, sums{{n}, Ints(n)};
    auto read = [&](int64_t i) { return i < 0 || i >= n ? 9 : x.elements[i]; };
    // Two elements before, one hole, and the last place dropped.
    for (int64_t i = -2; i < (n ? 2 * n - 1 : 0) - 1; ++i)
      padded.elements.push_back(i < 0 || i % 2 ? 9 : read(i / 2));
    padded.extents = {static_cast<int64_t>(padded.elements.size())};
    for (int64_t i = 0; i < n; ++i)
      sums.elements[i] = read(i - 1) + read(i) + read(i + 1);
    expect({x}, {padded, sums},
           [&](ArrayBuilder &b, ValueRange x) -> SmallVector<Value> {
             Value nine = b.getNumber(b.getI32Type(), 9),
                   zero = b.getNumber(b.getI32Type(), 0);
             WindowDim dim;
             dim.count = b.getExtent(x[0], 0);
             dim.size = b.getIndexAttr(3);
             dim.low = 1;
             Value windows = b.windows(x[0], nine, dim);
             auto index = [&](int64_t n) { return b.getIndexAttr(n); };
             auto getNine = [&](ValueRange) -> SmallVector<Value> {
               return {nine};
             };
             return {b.pad(x[0], {index(2)}, {index(-1)}, {1}, getNine),
                     b.map(windows, [&](ValueRange window) {
                       return b.fold(window[0], zero,
                                     [&](ValueRange e) { return add(b, e); });
                     })};
           });
  }
}

TEST(ArrayBuilderTest, StagesAreStored) {
  // Each stage reads two elements of the one before.
  constexpr int64_t n = 50, stages = 20;
  Array x = makeArray({n}), r = x;
  for (int64_t stage = 0; stage < stages; ++stage) {
    Ints last = r.elements;
    for (int64_t i = 0; i < n; ++i)
      r.elements[i] = static_cast<uint32_t>(last[i]) + last[n - 1 - i] * 3u;
  }
  auto code = [&](ArrayBuilder &b, ValueRange x) {
    Value array = x[0], three = b.getNumber(b.getI32Type(), 3);
    for (int64_t stage = 0; stage < stages; ++stage)
      array = b.generate(b.getExtents(array), [&](ValueRange i) {
        Value last = b.getIndex(n - 1);
        Value other =
            b.getOne(array, {arith::SubIOp::create(b, last, i[0]).getResult()});
        return SmallVector<Value>{arith::AddIOp::create(
            b, b.getOne(array, i), arith::MulIOp::create(b, other, three))};
      });
    return SmallVector<Value>{array};
  };
  expect({x}, {r}, code);
  Compiler compiler;
  auto module = build(compiler.getContext(), 1, code);
  unsigned forces = 0;
  module->walk([&](ForceOp) { ++forces; });
  EXPECT_GT(forces, 2u);
  EXPECT_LT(forces, stages);
}

TEST(ArrayBuilderTest, AStageIsStoredOnce) {
  // Three arrays would repeat too many reads of one array, which is stored for
  // the first one.
  constexpr int64_t n = 50;
  auto stage = [](ArrayBuilder &b, Value array, Value factor) {
    return b.generate(b.getExtents(array), [&](ValueRange i) {
      Value last = b.getIndex(n - 1);
      Value other =
          b.getOne(array, {arith::SubIOp::create(b, last, i[0]).getResult()});
      return SmallVector<Value>{arith::AddIOp::create(
          b, b.getOne(array, i), arith::MulIOp::create(b, other, factor))};
    });
  };
  Compiler compiler;
  auto module =
      build(compiler.getContext(), 1, [&](ArrayBuilder &b, ValueRange x) {
        Value array = x[0];
        for (unsigned k = 0; k < 5; ++k)
          array = stage(b, array, b.getNumber(b.getI32Type(), 3));
        SmallVector<Value> results;
        for (int64_t factor : {5, 7, 9})
          results.push_back(
              stage(b, array, b.getNumber(b.getI32Type(), factor)));
        return results;
      });
  unsigned stored = 0;
  module->walk([&](ForceOp force) { stored += force.getArrays().size(); });
  EXPECT_EQ(stored, 4u);
}

TEST(ArrayBuilderTest, FunctionsAreFusedBehind) {
  auto count = [](bool isReadTwice) {
    Compiler compiler;
    auto module = build(
        compiler.getContext(), 2,
        [&](ArrayBuilder &b, ValueRange x) -> SmallVector<Value> {
          Value zero = b.getNumber(b.getI32Type(), 0);
          Value sums =
              b.reduce(x[0], zero, 1, [&](ValueRange e) { return add(b, e); });
          Value twice = b.map(sums, [&](ValueRange e) -> SmallVector<Value> {
            return {arith::AddIOp::create(b, e[0], e[0])};
          });
          return isReadTwice ? SmallVector<Value>{twice, sums}
                             : SmallVector<Value>{twice};
        });
    unsigned forces = 0;
    module->walk([&](ForceOp) { ++forces; });
    return forces;
  };
  EXPECT_EQ(count(false), 1u);
  EXPECT_EQ(count(true), 2u);
}

} // namespace
