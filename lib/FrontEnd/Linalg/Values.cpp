//===- Values.cpp - Values and elementwise functions of linalg programs ---===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: values of the old function, and places. Out: arrays, scalars and elements
// of the new one.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::fromlinalg;

/// The lowered tensor, the contents of memory, or the scalar.
Value Converter::getArray(Value value) {
  Value lowered = lookup(value);
  if (!isa<MemRefType>(lowered.getType()))
    return lowered;
  Value &array = contents[lowered];
  if (!array)
    array = ViewOp::create(b, lowered, DenseI64ArrayAttr());
  return array;
}

SmallVector<OpFoldResult>
Converter::getNumbers(ArrayRef<OpFoldResult> numbers) {
  Extents lowered;
  for (OpFoldResult number : numbers) {
    auto value = dyn_cast<Value>(number);
    lowered.push_back(value ? OpFoldResult(lookup(value)) : number);
    if (auto known = getConstantIntValue(lowered.back()))
      lowered.back() = b.getIndexAttr(*known);
  }
  return lowered;
}

SmallVector<OpFoldResult> Converter::getShape(Type type, ValueRange dynamic) {
  return orOne(getNumbers(
      getMixedValues(cast<ShapedType>(type).getShape(), dynamic, b)));
}

/// Binds `result` to `array`, which has at least the static extents of its
/// type.
LogicalResult Converter::defineArray(Value result, Value array) {
  auto type = cast<ShapedType>(result.getType());
  Extents extents = b.getExtents(array);
  bool isKnown = true;
  for (auto [extent, known] : llvm::zip(extents, type.getShape()))
    if (!ShapedType::isDynamic(known) && !getConstantIntValue(extent)) {
      assertSame(extent, b.getIndexAttr(known),
                 "a tensor does not have the extents of its type");
      extent = b.getIndexAttr(known);
      isKnown = false;
    }
  values[result] = isKnown ? array : b.reshape(array, extents);
  return success();
}

/// One kernel writes all arrays, since each may read memory that others
/// replace.
void Converter::write(ValueRange arrays, ValueRange memory) {
  // Memory whose elements are all equal need not be read.
  auto force = ForceOp::create(b, arrays, memory);
  for (auto [array, written, place] :
       llvm::zip_equal(arrays, force.getResults(), memory))
    contents[place] = array.getDefiningOp<SplatOp>() ? array : Value(written);
}

//===----------------------------------------------------------------------===//
// Elementwise functions
//===----------------------------------------------------------------------===//

llvm::SetVector<Value> Structured::getNeeded(ValueRange wanted) const {
  llvm::SetVector<Value> needed(wanted.begin(), wanted.end());
  for (unsigned k = 0; k < needed.size(); ++k)
    if (Operation *op = needed[k].getDefiningOp(); op && op->getBlock() == body)
      needed.insert_range(getReads(op));
  return needed;
}

/// Builds the code of a value of a body from the values in `map` and the
/// `indices` of the iteration, unless it exists already.
Value Converter::buildValue(Value value, IRMapping &map, ValueRange indices) {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (Value outer = lookup(value))
    return outer;
  Operation *op = value.getDefiningOp();
  for (Value read : getReads(op))
    if (isElement(read.getType()))
      map.map(read, buildValue(read, map, indices));
  Operation *copy = b.clone(*op, map);
  // The copy may be an operation of linalg or tensor, or contain some.
  SmallVector<Operation *> others;
  copy->walk([&](Operation *inner) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      others.push_back(inner);
  });
  for (Operation *inner : others) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner);
    Value result;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      result = indices[index.getDim()];
    } else {
      auto extract = cast<tensor::ExtractOp>(inner);
      result = b.getOne(lookup(extract.getTensor()),
                        orZero(Values(extract.getIndices())));
    }
    if (inner == copy)
      map.map(value, result);
    inner->replaceAllUsesWith(ValueRange(result));
    inner->erase();
  }
  return map.lookup(value);
}

/// The element that the block of a `tensor.generate` or `tensor.pad` yields.
Value Converter::buildCode(Block &body, ValueRange arguments) {
  IRMapping map;
  map.map(body.getArguments(), arguments.take_front(body.getNumArguments()));
  return buildValue(body.getTerminator()->getOperand(0), map, {});
}

SmallVector<Value> Converter::getPlace(AffineMap map, ValueRange indices) {
  std::function<Value(AffineExpr)> build = [&](AffineExpr expr) -> Value {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return indices[dim.getPosition()];
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return b.getIndex(number.getValue());
    auto both = cast<AffineBinaryOpExpr>(expr);
    Value left = build(both.getLHS()), right = build(both.getRHS());
    return expr.getKind() == AffineExprKind::Add
               ? b.createOrFold<arith::AddIOp>(left, right)
               : b.createOrFold<arith::MulIOp>(left, right);
  };
  return orZero(Values(llvm::map_range(map.getResults(), build)));
}

/// The operand as an array over the domain. A scalar stays a scalar.
Value Converter::align(const Structured &s, unsigned operand) {
  Value lowered = s.operands[operand];
  AffineMap map = s.maps[operand];
  if (auto same = lowered.getDefiningOp<SplatOp>())
    return same.getValues().front();
  if (!isa<PullType>(lowered.getType()) || map.isIdentity())
    return lowered;
  if (map.isPermutation()) {
    Numbers order;
    for (unsigned d = 0; d < map.getNumDims(); ++d)
      order.push_back(*map.getResultPosition(b.getAffineDimExpr(d)));
    return b.transpose(lowered, order);
  }
  return b.gather(lowered, orOne(s.domain),
                  [&](ValueRange i) { return getPlace(map, i); });
}

/// One array over the domain, whose components are values of the body.
Value Converter::buildPoints(const Structured &s, ValueRange wanted) {
  llvm::SetVector<Value> needed = s.getNeeded(wanted);
  llvm::SmallSetVector<int64_t, 4> dims;
  for (Value value : needed)
    if (Operation *op = value.getDefiningOp(); op && op->getBlock() == s.body)
      op->walk([&](linalg::IndexOp index) { dims.insert(index.getDim()); });
  Extents domain = orOne(s.domain);
  IRMapping known;
  Values arrays, arguments;
  for (unsigned k = 0; k < s.operands.size(); ++k)
    if (Value argument = s.getArgument(k);
        argument && needed.contains(argument)) {
      Value aligned = align(s, k);
      if (!isa<PullType>(aligned.getType())) {
        known.map(argument, aligned);
        continue;
      }
      arrays.push_back(aligned);
      arguments.push_back(argument);
      if (wanted.size() == 1 && wanted.front() == argument)
        return aligned;
    }
  for (int64_t dim : dims)
    arrays.push_back(b.generate(
        domain, [&](ValueRange i) -> Values { return {i[s.places[dim]]}; }));
  auto code = [&](ValueRange elements) {
    IRMapping map = known;
    map.map(ValueRange(arguments), elements.take_front(arguments.size()));
    Values indices(s.domain.size());
    for (auto [dim, index] :
         llvm::zip(dims, elements.drop_front(arguments.size())))
      indices[dim] = index;
    return llvm::map_to_vector(
        wanted, [&](Value value) { return buildValue(value, map, indices); });
  };
  if (!arrays.empty())
    return b.map(arrays, code);
  Values scalars;
  for (Value value : wanted)
    if (Value scalar =
            known.contains(value) ? known.lookup(value) : lookup(value))
      scalars.push_back(scalar);
  if (scalars.size() == wanted.size())
    return b.splat(scalars, domain);
  return b.generate(domain, [&](ValueRange) { return code({}); });
}
