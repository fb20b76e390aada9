//===- ExtentHoister.cpp - Numbers of a program before it runs ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ExtentHoister.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;

bool ExtentHoister::isInside(Value value) const {
  return root->isAncestor(value.getParentRegion()->getParentOp());
}

/// The array of arrays whose element is `argument`, an argument of the region
/// of a distribute or a map; null for other arguments.
static Value getNestedSource(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  if (!isa<DistributeOp, MapOp>(op) || !isa<PullType>(argument.getType()))
    return {};
  unsigned number = argument.getArgNumber();
  for (Value array : op->getOperands()) {
    unsigned count = getArrayElementTypes(array.getType()).size();
    if (number < count)
      return count == 1 ? array : Value();
    number -= count;
  }
  return {};
}

Value ExtentHoister::hoistArgument(BlockArgument argument) {
  Value source = getNestedSource(argument);
  Value outside = source ? hoist(source) : Value();
  return outside ? buildAnyElement(builder, argument.getLoc(), outside)
                 : Value();
}

/// Replaces a divisor that may be 0, because the original code may not run.
static Value protectDivisor(OpBuilder &builder, Value divisor) {
  Location loc = divisor.getLoc();
  Value one = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(divisor.getType(), 1));
  return builder.createOrFold<arith::MaxUIOp>(loc, divisor, one);
}

Value ExtentHoister::hoist(Value value) {
  if (!isInside(value))
    return value;
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value outside = hoistArgument(argument);
    if (outside)
      mapping.map(value, outside);
    return outside;
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<DimOp>(op)) {
    Value extent = hoistExtent(dim.getArray(), dim.getDimension());
    if (extent)
      mapping.map(value, extent);
    return extent;
  }
  bool isDivision = isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  bool reads = isa<GetOp>(op) && !isa<PullType>(value.getType());
  if (!isMemoryEffectFree(op) || (reads && !mayRead) ||
      (!mayRead && !isDivision && !isSpeculatable(op) && !isa<GetOp>(op)))
    return {};
  for (Value operand : getReads(op)) {
    Value outside = hoist(operand);
    if (!outside)
      return {};
    mapping.map(operand, outside);
  }
  if (!isDivision) {
    Operation *copy = builder.clone(*op, mapping);
    if (reads)
      cast<GetOp>(copy).setExtentRead(true);
    return mapping.lookup(value);
  }
  IRMapping protectedMapping = mapping;
  protectedMapping.map(
      op->getOperand(1),
      protectDivisor(builder, mapping.lookup(op->getOperand(1))));
  Value outside = builder.clone(*op, protectedMapping)->getResult(0);
  mapping.map(value, outside);
  return outside;
}

Value ExtentHoister::hoistExtent(Value array, unsigned dim) {
  int64_t size = getArrayExtents(array.getType())[dim];
  if (!ShapedType::isDynamic(size))
    return arith::ConstantIndexOp::create(builder, array.getLoc(), size);
  Operation *op = array.getDefiningOp();
  if (!op || !isInside(array)) {
    Value outside = hoist(array);
    return outside ? buildExtent(builder, array.getLoc(), outside, dim)
                   : Value();
  }
  unsigned number = cast<OpResult>(array).getResultNumber();
  if (auto force = dyn_cast<ForceOp>(op))
    return hoistExtent(force.getArrays()[number], dim);
  if (isa<GetOp>(op)) {
    Value outside = hoist(array);
    return outside ? buildExtent(builder, array.getLoc(), outside, dim)
                   : Value();
  }
  auto known = dyn_cast<ArrayOpInterface>(op);
  if (!known || isa<ViewOp>(op))
    return {};
  OpBuilder inside(op);
  inside.setInsertionPointAfter(op);
  return hoist(known.buildExtent(inside, op->getLoc(), number, dim));
}
