//===- Tuples.cpp - Several values as one word ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tuples.h"
#include "Copies.h"
#include "ExpansionUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

Packing::Packing(OpBuilder &builder, ArrayRef<Type> types)
    : types(types),
      word(builder.getIntegerType(countElementBits(types) <= 32 ? 32 : 64)) {}

Value Packing::pack(OpBuilder &builder, Location loc, ValueRange values) const {
  Value all;
  unsigned offset = 0;
  for (Value value : values) {
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (isa<FloatType>(value.getType()))
      value = arith::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(width), value);
    value = arith::ExtUIOp::create(builder, loc, word, value);
    if (offset > 0) {
      Value by = arith::ConstantIntOp::create(builder, loc, word, offset);
      value = arith::ShLIOp::create(builder, loc, value, by);
    }
    all = all ? arith::OrIOp::create(builder, loc, all, value) : value;
    offset += width;
  }
  return all;
}

Values Packing::unpack(OpBuilder &builder, Location loc, Value all) const {
  Values values;
  unsigned offset = 0;
  for (Type type : types) {
    unsigned width = type.getIntOrFloatBitWidth();
    Value value = all;
    if (offset > 0) {
      Value by = arith::ConstantIntOp::create(builder, loc, word, offset);
      value = arith::ShRUIOp::create(builder, loc, value, by);
    }
    value = arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                    value);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(builder, loc, type, value);
    values.push_back(value);
    offset += width;
  }
  return values;
}

/// An array with the results of `element` for the elements of `array`.
static Value
buildMap(CollectiveBuilder &c, Value array, ArrayRef<Type> types,
         llvm::function_ref<Values(OpBuilder &, ValueRange)> element) {
  Type from = array.getType(), to;
  if (auto pull = dyn_cast<PullType>(from))
    to = PullType::get(c.builder.getContext(), pull.getExtents(),
                       pull.getBounds(), types);
  else
    to = PushType::get(c.builder.getContext(), cast<PushType>(from).getLevel(),
                       getArrayExtents(from), cast<PushType>(from).getBounds(),
                       types);
  auto map = MapOp::create(c.builder, c.loc, to, ValueRange(array));
  OpBuilder::InsertionGuard guard(c.builder);
  ArrayRef<Type> elements = getArrayElementTypes(from);
  Block *body =
      c.builder.createBlock(&map.getBody(), {}, elements,
                            SmallVector<Location>(elements.size(), c.loc));
  YieldOp::create(c.builder, c.loc, element(c.builder, body->getArguments()));
  return map;
}

Value Packing::packArray(CollectiveBuilder &c, Value array) const {
  return buildMap(c, array, word, [&](OpBuilder &builder, ValueRange values) {
    return Values{pack(builder, c.loc, values)};
  });
}

Value Packing::unpackArray(CollectiveBuilder &c, Value array) const {
  return buildMap(c, array, types, [&](OpBuilder &builder, ValueRange values) {
    return unpack(builder, c.loc, values.front());
  });
}

FlatSymbolRefAttr Packing::packOperator(Operation *from, Attribute kind) const {
  MLIRContext *context = from->getContext();
  Location loc = from->getLoc();
  StringRef name = isa<StringAttr>(kind)
                       ? cast<StringAttr>(kind).getValue()
                       : cast<FlatSymbolRefAttr>(kind).getValue();
  OpBuilder builder(context);
  auto function = func::FuncOp::create(
      builder, loc, (name + "_packed").str(),
      FunctionType::get(context, {word, word}, TypeRange(word)));
  function.setPrivate();
  setAttr<ObsDialect::PackedAttrHelper>(function);
  // The function gets a new name there.
  SymbolTable(SymbolTable::getNearestSymbolTable(from)).insert(function);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Values values = combineElements(builder, loc, kind, from,
                                  unpack(builder, loc, body->getArgument(0)),
                                  unpack(builder, loc, body->getArgument(1)));
  func::ReturnOp::create(builder, loc, pack(builder, loc, values));
  return FlatSymbolRefAttr::get(function);
}

PushType Packing::packType(PushType type) const {
  return PushType::get(type.getContext(), type.getLevel(), type.getExtents(),
                       type.getBounds(), word);
}

bool strategies::combinesTuples(ArrayRef<Type> types, Attribute kind,
                                bool fetches) {
  return types.size() > 1 && (fetches || isa_and_nonnull<SymbolRefAttr>(kind));
}

FailureOr<Value> strategies::unpackPush(CollectiveBuilder &c,
                                        const Packing &packing, Value push,
                                        Operation *op) {
  auto type = cast<PushType>(push.getType());
  if (type.getLevel() != Level::Grid && !type.isBounded())
    return op->emitOpError("[R2-bounded] combines elements of several types as "
                           "one word, and stores the words, but their number "
                           "is not bounded; give it a bound, as in ? x i32 "
                           "bound [1024]");
  return packing.unpackArray(c, push);
}

FillOp strategies::buildPackedFill(CollectiveBuilder &c, const Packing &packing,
                                   FillOp op) {
  OpBuilder &builder = c.builder;
  Values init;
  if (!op.getInit().empty())
    init.push_back(packing.pack(builder, c.loc, op.getInit()));
  Value onto;
  if (op.getOnto())
    onto = c.force(packing.packArray(c, op.getOnto()));
  auto packed = FillOp::create(
      builder, c.loc, packing.packType(op.getType()), init, onto,
      op.getExtents(), op.getContractAttr(),
      packing.packOperator(op, op.getKindAttr()), op.getUncheckedAttr());
  packed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  packed.getBody().takeBody(op.getBody());
  packed.getBody().walk([&](Operation *inner) {
    if (inner->getParentOfType<FillOp>() != packed)
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(inner);
    if (auto write = dyn_cast<WriteOp>(inner)) {
      Value word = packing.pack(builder, write.getLoc(), write.getValues());
      write.getValuesMutable().assign(word);
      if (auto kind = write.getKindAttr())
        write.setKindAttr(packing.packOperator(write, kind));
    } else if (auto put = dyn_cast<PutOp>(inner)) {
      put.getArrayMutable().assign(packing.packArray(c, put.getArray()));
    }
  });
  return packed;
}
