//===- TestDialect.cpp - A dialect from outside ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestDialect.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Transforms/Collectives/Collectives.h"

using namespace mlir;
using namespace mlir::obs;
using namespace test;
using interpreter::Data;
using interpreter::DataVector;
using interpreter::Execution;
using interpreter::Index;
using interpreter::IndexVector;
using interpreter::PullPtr;
using interpreter::Scalar;
using interpreter::WriteFn;

#include "TestDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TestOps.cpp.inc"

void TestDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// drop
//===----------------------------------------------------------------------===//

Value DropOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                          unsigned dim) {
  Value extent = obs::buildExtent(builder, loc, getArray(), dim);
  return IndexBuilder{builder, loc}.sub(extent, getCount());
}

void DropOp::buildChecks(OpBuilder &builder, Location loc, CheckFn require) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, getArray(), 0);
  require(index.below(getCount(), index.add(extent, index.constant(1))),
          "drops more elements than there are");
}

SmallVector<Value> DropOp::buildSource(OpBuilder &builder, Location loc,
                                       ValueRange indices) {
  return {IndexBuilder{builder, loc}.add(indices.front(), getCount())};
}

IndexChange DropOp::buildTarget(OpBuilder &, Location) {
  return [count = getCount()](OpBuilder &builder, Location loc,
                              SmallVectorImpl<Value> &indices) {
    Value isDropped = IndexBuilder{builder, loc}.below(indices.front(), count);
    indices.front() = IndexBuilder{builder, loc}.sub(indices.front(), count);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return builder.createOrFold<arith::XOrIOp>(loc, isDropped, yes);
  };
}

bool DropOp::isInjective() { return true; }
bool DropOp::isContiguous() { return true; }
SmallVector<Value> DropOp::buildBegin(OpBuilder &, Location) {
  return {getCount()};
}

LogicalResult DropOp::interpret(Execution &execution) {
  bool isPull = isa<PullType>(getArray().getType());
  int64_t extent =
      (isPull ? execution.getPull(0)->extents : execution.getPush(0)->extents)
          .front();
  int64_t count = execution.getScalar(1).getSInt();
  if (count < 0 || count > extent)
    return execution.trap("drops more elements than there are");
  return execution.setMoved(
      0, extent - count,
      [=](Index i) { return IndexVector{i.front() + count}; },
      [=](Index i) -> std::optional<IndexVector> {
        if (i.front() < count)
          return std::nullopt;
        return IndexVector{i.front() - count};
      });
}

//===----------------------------------------------------------------------===//
// evens, pair_up
//===----------------------------------------------------------------------===//

/// Half of the extent of `array`, rounded up.
static Value buildHalf(OpBuilder &builder, Location loc, Value array) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, array, 0);
  return index.div(index.add(extent, index.constant(1)), index.constant(2));
}

Value EvensOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                           unsigned) {
  return buildHalf(builder, loc, getArray());
}
SmallVector<Value> EvensOp::buildSource(OpBuilder &builder, Location loc,
                                        ValueRange indices) {
  IndexBuilder index{builder, loc};
  return {index.mul(indices.front(), index.constant(2))};
}

Value PairUpOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                            unsigned) {
  return buildHalf(builder, loc, getArray());
}
SmallVector<Value> PairUpOp::buildSource(OpBuilder &builder, Location loc,
                                         ValueRange indices) {
  IndexBuilder index{builder, loc};
  return {index.mul(indices.front(), index.constant(2))};
}
IndexChange PairUpOp::buildTarget(OpBuilder &, Location) {
  return [](OpBuilder &builder, Location loc, SmallVectorImpl<Value> &indices) {
    IndexBuilder index{builder, loc};
    indices.front() = index.div(indices.front(), index.constant(2));
    return Value();
  };
}
LogicalResult PairUpOp::interpret(Execution &execution) {
  bool isPull = isa<PullType>(getArray().getType());
  int64_t extent =
      (isPull ? execution.getPull(0)->extents : execution.getPush(0)->extents)
          .front();
  return execution.setMoved(
      0, (extent + 1) / 2, [](Index i) { return IndexVector{2 * i.front()}; },
      [](Index i) { return IndexVector{i.front() / 2}; });
}

//===----------------------------------------------------------------------===//
// window
//===----------------------------------------------------------------------===//

Value WindowOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                            unsigned dim) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, getArray(), dim);
  return index.sub(extent, index.constant(getSize() - 1));
}

bool WindowOp::isElementwise() { return getSize() == 1; }

void WindowOp::buildChecks(OpBuilder &builder, Location loc, CheckFn require) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, getArray(), 0);
  require(index.below(index.constant(getSize() - 2), extent),
          "a window is longer than the array by more than one");
}

SmallVector<Value> WindowOp::buildElement(OpBuilder &builder, Location loc,
                                          unsigned, ValueRange indices) {
  IndexBuilder index{builder, loc};
  Value sum;
  for (int64_t k : llvm::seq<int64_t>(getSize())) {
    Value i = index.add(indices.front(), index.constant(k));
    Value element = buildGet(builder, loc, getArray(), i).front();
    sum =
        sum ? builder.createOrFold<arith::AddIOp>(loc, sum, element) : element;
  }
  return {sum};
}

LogicalResult WindowOp::interpret(Execution &execution) {
  PullPtr array = execution.getPull(0);
  int64_t size = getSize();
  int64_t extent = array->extents.front() - size + 1;
  if (extent < 0)
    return execution.trap("a window is longer than the array by more than one");
  Type type = getType().getElementTypes().front();
  return execution.setPull(
      0, extent, [=](Location loc, Index i, Data &out) -> LogicalResult {
        int64_t sum = 0;
        for (int64_t k : llvm::seq<int64_t>(size)) {
          DataVector element;
          if (failed(array->read(loc, i.front() + k, element)))
            return failure();
          sum += element.front().scalar.getSInt();
        }
        out.push_back(Scalar::fromInt(type, sum));
        return success();
      });
}

//===----------------------------------------------------------------------===//
// repeat
//===----------------------------------------------------------------------===//

Value RepeatOp::buildExtent(OpBuilder &builder, Location loc, unsigned,
                            unsigned dim) {
  IndexBuilder index{builder, loc};
  Value extent = obs::buildExtent(builder, loc, getArray(), dim);
  return index.mul(extent, index.constant(getTimes()));
}

void RepeatOp::emit(OpBuilder &builder, Location loc, unsigned, Writer writer) {
  auto par =
      ParOp::create(builder, loc, obs::buildExtent(builder, loc, getArray(), 0),
                    Level::Thread);
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&par.getBody(), {}, builder.getIndexType(), loc);
  Value i = body->getArgument(0);
  SmallVector<Value> element = buildGet(builder, loc, getArray(), i);
  IndexBuilder index{builder, loc};
  Value begin = index.mul(i, index.constant(getTimes()));
  for (int64_t k : llvm::seq<int64_t>(getTimes()))
    writer(builder, loc, element, index.add(begin, index.constant(k)), {});
}

LogicalResult RepeatOp::interpret(Execution &execution) {
  PullPtr array = execution.getPull(0);
  Location loc = getLoc();
  int64_t times = getTimes(), extent = array->extents.front();
  return execution.setPush(
      0, extent * times, [=](WriteFn writer) -> LogicalResult {
        for (int64_t i : llvm::seq<int64_t>(extent)) {
          DataVector element;
          if (failed(array->read(loc, i, element)))
            return failure();
          for (int64_t k : llvm::seq<int64_t>(times))
            if (failed(writer(loc, element, i * times + k)))
              return failure();
        }
        return success();
      });
}

//===----------------------------------------------------------------------===//
// digest
//===----------------------------------------------------------------------===//

using Values = CollectiveBuilder::Values;

/// The numbers of two runs of digits, each with a power of the base.
static Values appendDigits(OpBuilder &builder, Location loc, ValueRange left,
                           ValueRange right) {
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(builder, loc, a, b);
  };
  Value number = arith::AddIOp::create(builder, loc,
                                       multiply(left[0], right[1]), right[0]);
  return {number, multiply(left[1], right[1])};
}

LogicalResult DigestOp::expand(OpBuilder &builder) {
  ScopeInfo scope = getEnclosingScope(*this);
  Level level = scope.level;
  StringRef strategy =
      getStrategy().value_or(level == Level::Thread ? "horner"
                             : level == Level::Grid ? "two_kernels"
                                                    : "stripes");
  bool isKnown = level == Level::Thread ? strategy == "horner"
                 : level == Level::Grid
                     ? strategy == "two_kernels"
                     : strategy == "tree" || strategy == "stripes";
  if (!isKnown)
    return emitOpError("[strategy-name] '")
           << strategy << "' is not a strategy of this operation at level "
           << stringifyLevel(level);

  Location loc = getLoc();
  Type i32 = builder.getI32Type();
  CollectiveBuilder c(builder, loc, level, {i32, i32}, /*commutative=*/false,
                      appendDigits);
  Value source = c.shareReads(getArray());
  Extent n = c.getExtent(source);
  if ((level == Level::Warp || level == Level::Block) && !n.isBounded())
    return emitOpError("[R2-bounded] stores the elements, but their number is "
                       "not bounded; give the array a bound");
  Value digits = c.generate(
      n, [&](Value i) { return Values{c.get(source, i).front(), getBase()}; });
  /// One value for each run of `length` digits.
  auto foldRuns = [&](int64_t length) {
    return c.force(c.generate(c.ceilDiv(n, length), [&](Value i) {
      Value begin = c.mul(i, c.constant(length));
      Value end = c.min(c.add(begin, c.constant(length)), n.value);
      return c.fold(digits, begin, end);
    }));
  };
  Value few = strategy == "horner"    ? digits
              : strategy == "tree"    ? c.tree(c.force(digits))
              : strategy == "stripes" ? c.tree(foldRuns(8))
                                      : foldRuns(256);
  Values none{arith::ConstantIntOp::create(builder, loc, 0, 32),
              arith::ConstantIntOp::create(builder, loc, 1, 32)};
  CollectiveBuilder single(builder, loc, level, {i32}, false, appendDigits);
  Value one = single.generate(c.getConstantExtent(1), [&](Value) {
    return Values{
        c.fold(few, none, c.constant(0), c.getExtent(few).value).front()};
  });
  Value push = PushOp::create(builder, loc, getType(), one);
  getResult().replaceAllUsesWith(push);
  return success();
}

LogicalResult DigestOp::interpret(Execution &execution) {
  PullPtr array = execution.getPull(0);
  Location loc = getLoc();
  uint64_t base = execution.getScalar(1).getUInt();
  Type type = getBase().getType();
  return execution.setPush(0, 1, [=](WriteFn writer) -> LogicalResult {
    uint64_t number = 0;
    for (int64_t i : llvm::seq<int64_t>(array->extents.front())) {
      DataVector digit;
      if (failed(array->read(loc, i, digit)))
        return failure();
      number = number * base + digit.front().scalar.getUInt();
    }
    return writer(loc, {Scalar(type, number)}, 0);
  });
}

//===----------------------------------------------------------------------===//
// no_source
//===----------------------------------------------------------------------===//

void ClearedOp::emit(OpBuilder &, Location, unsigned, Writer) {}
bool ClearedOp::hasInitialContents(unsigned) { return true; }

SmallVector<Value> NoSourceOp::buildSource(OpBuilder &, Location,
                                           ValueRange indices) {
  return llvm::to_vector(indices);
}
