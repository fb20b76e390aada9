//===- CollectiveBuilder.cpp - The builder for strategies -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Transforms/Collectives/Collectives.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

using Values = CollectiveBuilder::Values;

//===----------------------------------------------------------------------===//
// Numbers and extents
//===----------------------------------------------------------------------===//

Value CollectiveBuilder::ceilLog2(Extent n) {
  if (n.isStatic())
    return constant(n.size <= 1 ? 0 : llvm::Log2_64_Ceil(n.size));
  // 64 - clz(n - 1), and 0 for n = 0.
  Type i64 = builder.getI64Type();
  Value last = sub(max(n.value, constant(1)), constant(1));
  Value bits = arith::IndexCastOp::create(builder, loc, i64, last);
  Value zeros = math::CountLeadingZerosOp::create(builder, loc, bits);
  return sub(constant(64), arith::IndexCastOp::create(
                               builder, loc, builder.getIndexType(), zeros));
}

Extent CollectiveBuilder::getConstantExtent(int64_t size) {
  return {constant(size), size, size};
}

Extent CollectiveBuilder::getExtent(Value array) {
  return {buildExtent(builder, loc, array, 0),
          getArrayExtents(array.getType()).front(),
          getArrayBound(array.getType(), 0)};
}

Extent CollectiveBuilder::ceilDiv(Extent n, int64_t k) {
  if (n.isStatic())
    return getConstantExtent(llvm::divideCeil(n.size, k));
  int64_t bound = n.isBounded()
                      ? static_cast<int64_t>(llvm::divideCeil(n.bound, k))
                      : ShapedType::kDynamic;
  Value value = div(add(n.value, constant(k - 1)), constant(k));
  return {value, ShapedType::kDynamic, bound};
}

PullType CollectiveBuilder::getPullType(ArrayRef<Extent> extents) {
  SmallVector<int64_t> sizes, bounds;
  bool isBounded = false;
  for (const Extent &extent : extents) {
    sizes.push_back(extent.size);
    bounds.push_back(extent.bound);
    isBounded |= !extent.isStatic() && extent.isBounded();
  }
  if (!isBounded)
    bounds.clear();
  return PullType::get(builder.getContext(), sizes, bounds, elementTypes);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Values CollectiveBuilder::get(Value array, ValueRange indices) {
  return buildGet(builder, loc, array, indices);
}

Values CollectiveBuilder::choose(Value condition,
                                 llvm::function_ref<Values()> then,
                                 llvm::function_ref<Values()> otherwise) {
  if (std::optional<int64_t> known = getConstantIntValue(condition))
    return *known ? then() : otherwise();
  // Built first, because the types of the operation are those of its results.
  auto buildArm = [&](Region &region, llvm::function_ref<Values()> arm) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    Values values = arm();
    scf::YieldOp::create(builder, loc, values);
    return SmallVector<Type>(ValueRange(values).getTypes());
  };
  Region first, second;
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  SmallVector<Type> types = buildArm(first, then);
  buildArm(second, otherwise);
  builder.restoreInsertionPoint(here);
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(first);
  branch.getElseRegion().takeBody(second);
  return llvm::to_vector_of<Value>(branch.getResults());
}

Values CollectiveBuilder::fold(Value array, ValueRange start, Value begin,
                               Value end, Value step) {
  // For two steps, no loop is built.
  std::optional<int64_t> first = getConstantIntValue(begin),
                         last = getConstantIntValue(end);
  if (!step && first && last && *last - *first <= 2) {
    Values value(start);
    for (int64_t i = *first; i < *last; ++i)
      value = combine(value, get(array, constant(i)));
    return value;
  }
  // For at most two steps, no loop is built either. If the index is a variable,
  // the analyses cannot show that a thread reads an element that it, or its
  // warp, wrote.
  int64_t bound = getArrayBound(array.getType(), 0);
  if (!step && first && !ShapedType::isDynamic(bound) && bound <= 2)
    return foldEach(array, start, *first, end);
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, step ? step : constant(1), start,
      [&](OpBuilder &, Location, Value i, ValueRange value) {
        scf::YieldOp::create(builder, loc, combine(value, get(array, i)));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

Values CollectiveBuilder::foldEach(Value array, ValueRange start, int64_t begin,
                                   Value end) {
  Values value(start);
  for (int64_t i = begin; i < getArrayBound(array.getType(), 0); ++i)
    value = choose(
        less(constant(i), end),
        [&] { return combine(value, get(array, constant(i))); },
        [&] { return value; });
  return value;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

Value CollectiveBuilder::generate(Extent n,
                                  llvm::function_ref<Values(Value)> element) {
  PullType type = getPullType(n);
  auto array = GenerateOp::create(builder, loc, type, n.getOperands());
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&array.getBody(), {}, builder.getIndexType(), loc);
  YieldOp::create(builder, loc, element(body->getArgument(0)));
  return array;
}

Value CollectiveBuilder::shareReads(Value array) {
  if (!array.getDefiningOp<MapOp>() && !array.getDefiningOp<GenerateOp>())
    return array;
  return ZipOp::create(builder, loc, TypeRange(array.getType()),
                       ValueRange(array));
}

/// Forces a push array.
static Value forcePush(OpBuilder &builder, Location loc, Value push) {
  return ForceOp::create(builder, loc, push, ValueRange()).getResults().front();
}

static PushType getPushType(PullType type, Level level) {
  return PushType::get(type.getContext(), level, type.getExtents(),
                       type.getBounds(), type.getElementTypes());
}

Value CollectiveBuilder::force(Value array) {
  if (array.getDefiningOp<ForceOp>())
    return array;
  return forcePush(builder, loc, PushOp::create(builder, loc, level, array));
}

Value CollectiveBuilder::forceFill(
    ArrayRef<Extent> extents, Value workers,
    llvm::function_ref<void(Value, WriteFn)> body, ValueRange init,
    bool unchecked) {
  SmallVector<Value> dynamic;
  for (const Extent &extent : extents)
    llvm::append_range(dynamic, extent.getOperands());
  auto fill = FillOp::create(
      builder, loc, getPushType(getPullType(extents), level), init, Value(),
      dynamic, ContractAttr::get(builder.getContext(), Contract::Disjoint),
      StringAttr(), unchecked ? builder.getUnitAttr() : UnitAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&fill.getBody());
    auto par = ParOp::create(builder, loc, workers, Level::Thread);
    Block *block =
        builder.createBlock(&par.getBody(), {}, builder.getIndexType(), loc);
    body(block->getArgument(0), [&](ValueRange values, ValueRange indices) {
      WriteOp::create(builder, loc, values, indices, ContractAttr(),
                      StringAttr());
    });
  }
  return forcePush(builder, loc, fill);
}

Value CollectiveBuilder::repeat(Value count, Value array,
                                llvm::function_ref<Value(Value, Value)> stage) {
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), count, constant(1), array,
      [&](OpBuilder &, Location, Value k, ValueRange carried) {
        scf::YieldOp::create(builder, loc, stage(k, carried.front()));
      });
  return loop.getResult(0);
}

Value CollectiveBuilder::distributeWarps(
    Extent parts, int64_t partExtent, Extent total,
    llvm::function_ref<Value(CollectiveBuilder &, Value)> part) {
  MLIRContext *context = builder.getContext();
  Type index = builder.getIndexType();
  SmallVector<int64_t> partsBound;
  if (!parts.isStatic() && parts.isBounded())
    partsBound.push_back(parts.bound);
  auto numbers = IotaOp::create(
      builder, loc, PullType::get(context, {parts.size}, partsBound, {index}),
      parts.getOperands());

  PullType wholeType = getPullType({parts, {Value(), partExtent, partExtent}});
  auto distribute = DistributeOp::create(
      builder, loc, TypeRange(getPushType(wholeType, level)),
      ValueRange(numbers), LevelAttr::get(context, Level::Warp),
      LevelAttr::get(context, level));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&distribute.getBody(), {}, index, loc);
    CollectiveBuilder inner = *this;
    inner.level = Level::Warp;
    Value array = part(inner, body->getArgument(0));
    YieldOp::create(
        builder, loc,
        ValueRange(PushOp::create(builder, loc, Level::Warp, array)));
  }
  auto join =
      JoinOp::create(builder, loc, getPushType(getPullType(total), level),
                     distribute.getParts().front(), total.getOperands(),
                     builder.getDenseI64ArrayAttr(total.size), UnitAttr());
  return forcePush(builder, loc, join);
}
