//===- CopyElement.cpp - Elements of privatised copies --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A privatised copy is empty at first. If an operation with a name combines the
// elements, an empty element has the neutral element of the operation. A
// function has no neutral element. In registers, an element is then a flag and
// a value. In memory, one pattern of bits means that there is no value: a flag
// and a value of 64 bits would be too long for one atomic operation. If a
// combined value is equal to this pattern, the element becomes empty again, and
// the value is added to the result at once. This is rare. It is always correct,
// because the order does not matter.
//
//===----------------------------------------------------------------------===//

#include "CopyElement.h"
#include "Expansion.h"
#include "MappedResult.h"

#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

std::optional<arith::AtomicRMWKind>
strategies::getNamedKind(const Reduction &reduction) {
  auto name = dyn_cast<StringAttr>(reduction.kind);
  return name ? arith::symbolizeAtomicRMWKind(name.getValue()) : std::nullopt;
}

Values strategies::combineElements(OpBuilder &builder, Location loc,
                                   Attribute kind, Operation *from,
                                   ValueRange x, ValueRange y) {
  Values both(x);
  if (auto function = dyn_cast<FlatSymbolRefAttr>(kind)) {
    llvm::append_range(both, y);
    return cloneBody(builder,
                     SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
                         from, function)
                         .getFunctionBody(),
                     both);
  }
  auto name = *arith::symbolizeAtomicRMWKind(cast<StringAttr>(kind).getValue());
  for (auto [first, second] : llvm::zip_equal(both, y))
    first = arith::getReductionOp(name, builder, loc, first, second);
  return both;
}

static CollectiveBuilder::Operator
getCellOperator(CollectiveBuilder &c, const Reduction &reduction,
                std::optional<arith::AtomicRMWKind> kind) {
  auto combine = [kind = reduction.kind, from = reduction.op](
                     OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
    return combineElements(b, loc, kind, from, x, y);
  };
  if (kind)
    return combine;
  return [&c, combine](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
    Value isBoth = b.createOrFold<arith::AndIOp>(loc, x[0], y[0]);
    Value isAny = b.createOrFold<arith::OrIOp>(loc, x[0], y[0]);
    Values values = c.choose(
        isBoth, [&] { return combine(b, loc, x.drop_front(), y.drop_front()); },
        [&] {
          Values one;
          for (auto [first, second] :
               llvm::zip_equal(x.drop_front(), y.drop_front()))
            one.push_back(arith::SelectOp::create(b, loc, x[0], first, second));
          return one;
        });
    values.insert(values.begin(), isAny);
    return values;
  };
}

CopyElement::CopyElement(const Reduction &reduction)
    : CopyElement(reduction, getNamedKind(reduction)) {}

CopyElement::CopyElement(const Reduction &reduction,
                         std::optional<arith::AtomicRMWKind> kind)
    : CollectiveBuilder(reduction.c.builder, reduction.c.loc, Level::Block,
                        reduction.getElementTypes(), /*commutative=*/true,
                        getCellOperator(reduction.c, reduction, kind)),
      reduction(reduction), isNamed(kind) {
  if (kind) {
    for (Type type : reduction.getElementTypes())
      empty.push_back(arith::getIdentityValue(*kind, type, builder, loc));
    return;
  }
  elementTypes = {builder.getI1Type()};
  empty = {arith::ConstantIntOp::create(builder, loc, 0, 1)};
  for (Type type : reduction.getElementTypes()) {
    elementTypes.push_back(type);
    empty.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  }
}

Values CopyElement::makeIf(Value condition, ValueRange values) {
  Values chosen;
  if (!hasNeutral()) {
    chosen.push_back(condition);
    llvm::append_range(chosen, values);
    return chosen;
  }
  for (auto [value, neutral] : llvm::zip_equal(values, empty))
    chosen.push_back(
        arith::SelectOp::create(builder, loc, condition, value, neutral));
  return chosen;
}

void CopyElement::write(CollectiveBuilder &c, ValueRange cell, Value i) {
  if (!hasNeutral())
    return buildIf(c, cell.front(),
                   [&] { reduction.add(c, cell.drop_front(), i); });
  Value isNew;
  for (auto [value, neutral] : llvm::zip_equal(cell, empty)) {
    Value differs =
        isa<FloatType>(value.getType())
            ? Value(arith::CmpFOp::create(
                  builder, loc, arith::CmpFPredicate::UNE, value, neutral))
            : Value(arith::CmpIOp::create(
                  builder, loc, arith::CmpIPredicate::ne, value, neutral));
    isNew = IndexBuilder{builder, loc}.either(isNew, differs);
  }
  buildIf(c, isNew, [&] { reduction.add(c, cell, i); });
}

void Reduction::add(CollectiveBuilder &c, ValueRange values, Value i) const {
  if (mapped)
    mapped->add(c, values, i);
  else
    strategies::write(c, values, i);
}

void Reduction::addElements(CollectiveBuilder &c,
                            llvm::function_ref<void(Value)> addElement) const {
  if (mapped)
    mapped->run(c, addElement);
  else
    forEach(c, size.value, addElement);
}

/// The function that combines elements.
static Region &getFunction(const Reduction &reduction) {
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
             reduction.op, cast<FlatSymbolRefAttr>(reduction.kind))
      .getFunctionBody();
}

MarkedMemory::MarkedMemory(CollectiveBuilder &c, Reduction &reduction,
                           ArrayRef<int64_t> shape)
    : c(c), reduction(reduction), function(getFunction(reduction)) {
  OpBuilder &builder = c.builder;
  Type type = reduction.getElementTypes().front();
  memory = memref::AllocOp::create(
      builder, c.loc,
      MemRefType::get(
          shape, type, MemRefLayoutAttrInterface(),
          HomeAttr::get(builder.getContext(), c.level, Storage::Auto)));
  // Any pattern is correct. Programs seldom compute these: the second smallest
  // integer, and the negative float that is closest to 0.
  APInt bits = APInt::getSignedMinValue(type.getIntOrFloatBitWidth()) | 1;
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(type))
    attribute = builder.getFloatAttr(
        type, APFloat(floatType.getFloatSemantics(), bits));
  else
    attribute = builder.getIntegerAttr(type, bits);
  mark = arith::ConstantOp::create(builder, c.loc, attribute);
  one = arith::ConstantIntOp::create(builder, c.loc, 1, 1);
}

Value MarkedMemory::isMark(Value value) {
  auto getBits = [&](Value x) -> Value {
    if (!isa<FloatType>(x.getType()))
      return x;
    Type bits = c.builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
    return arith::BitcastOp::create(c.builder, c.loc, bits, x);
  };
  return arith::CmpIOp::create(c.builder, c.loc, arith::CmpIPredicate::eq,
                               getBits(value), getBits(mark));
}

Value MarkedMemory::extend(Value held, Value value) {
  OpBuilder &builder = c.builder;
  Value isEmpty = isMark(held);
  // The pattern is not an operand of the function, because the function need
  // not be defined for it.
  Value operand = arith::SelectOp::create(builder, c.loc, isEmpty, value, held);
  Value both = cloneBody(builder, function, {operand, value}).front();
  return arith::SelectOp::create(builder, c.loc, isEmpty, value, both);
}

void MarkedMemory::add(Value value, ValueRange place, Value index) {
  OpBuilder &builder = c.builder;
  Value held;
  if (c.level == Level::Thread) {
    Value old = memref::LoadOp::create(builder, c.loc, memory, place);
    held = extend(old, value);
    memref::StoreOp::create(builder, c.loc, held, memory, place);
  } else {
    auto atomic =
        memref::GenericAtomicRMWOp::create(builder, c.loc, memory, place);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(atomic.getBody());
      Value next = extend(atomic.getCurrentValue(), value);
      memref::AtomicYieldOp::create(builder, c.loc, next);
    }
    // Its result is the value before.
    held = extend(atomic.getResult(), value);
  }
  buildIf(c, isMark(held), [&] { reduction.add(c, held, index); });
}
