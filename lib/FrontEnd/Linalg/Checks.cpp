//===- Checks.cpp - Checks of the conversion of linalg --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: types, bodies and index maps of an operation. Out: an error at the
// operation, or the extents of its iteration domain.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::fromlinalg;
using Order = ScalarBuilder::Order;

bool fromlinalg::isElement(Type type) {
  return type.isIndex() || convertElementType(type) == type;
}

LogicalResult Converter::verifyType(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto memref = dyn_cast<MemRefType>(type);
  if (!isElement(getElementTypeOrSelf(type)) ||
      (tensor && tensor.getEncoding()))
    return op->emitOpError("has a value of a type that obs does not have: ")
           << type;
  if (shaped && !shaped.hasRank())
    return op->emitOpError("has a value without a rank: cast it to a ranked "
                           "type");
  if (memref && (!memref.getLayout().isIdentity() || memref.getMemorySpace()))
    return op->emitOpError("has memory whose elements are not in row-major "
                           "order in the default memory space: copy it to such "
                           "memory first");
  return shaped ? verifySize(op, shaped.getShape()) : success();
}

/// The body consists of scalar operations, and reads outer tensors by
/// `tensor.extract` only.
LogicalResult Converter::verifyBody(Operation *op, Block &body) {
  WalkResult result = body.walk([&](Operation *inner) -> WalkResult {
    StringRef dialect = inner->getName().getDialectNamespace();
    bool isKnown = llvm::is_contained({"arith", "math", "scf"}, dialect) &&
                   !isa<scf::ForallOp, scf::ParallelOp>(inner);
    if (!isKnown && !isa<linalg::IndexOp, linalg::YieldOp, tensor::YieldOp,
                         tensor::ExtractOp>(inner))
      return inner->emitOpError("is not supported in the function of elements "
                                "of '")
             << op->getName()
             << "': compute it by an operation on tensors before";
    for (Value value :
         llvm::concat<Value>(inner->getOperands(), inner->getResults()))
      if (!isElement(value.getType()) &&
          !(isa<tensor::ExtractOp>(inner) && lookup(value)))
        return inner->emitOpError("in the function of elements of '")
               << op->getName()
               << "' has a value that is no element: " << value.getType();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// True if the expression is a sum of multiples of dimensions.
static bool isSum(AffineExpr expr) {
  bool isSum = true;
  expr.walk([&](AffineExpr part) {
    isSum &=
        llvm::is_contained({AffineExprKind::Add, AffineExprKind::Mul,
                            AffineExprKind::Constant, AffineExprKind::DimId},
                           part.getKind());
  });
  return isSum;
}

LogicalResult Converter::verifyMaps(Structured &s) {
  for (AffineMap map : s.maps)
    if (!llvm::all_of(map.getResults(), isSum) || map.getNumSymbols())
      return s.op->emitOpError("has the index map ")
             << AffineMapAttr::get(map)
             << ", which is no sum of multiples of dimensions: compute "
             << "the index in the body and read by tensor.extract";
  for (unsigned k = 0; k < s.outputs; ++k) {
    AffineMap map = s.getOutputMap(k);
    Numbers dims;
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.push_back(dim.getPosition());
    if (dims.size() == map.getNumResults())
      for (int64_t dim : s.reduced)
        if (llvm::is_contained(dims, dim))
          return s.op->emitOpError("writes a result at an index of the "
                                   "reduction dimension d")
                 << dim << ": make an operation of its own for this result";
    llvm::sort(dims);
    if (dims != s.kept || dims.size() != map.getNumResults())
      return s.op->emitOpError("has a result with the index map ")
             << AffineMapAttr::get(map)
             << ", which is no permutation of the parallel dimensions: "
             << "reshape the result after the operation";
  }
  return success();
}

bool fromlinalg::isSameExtent(OpFoldResult a, OpFoldResult b) {
  if (isEqualConstantIntOrValue(a, b))
    return true;
  auto x = dyn_cast<Value>(a), y = dyn_cast<Value>(b);
  auto p = x ? x.getDefiningOp<DimOp>() : DimOp(),
       q = y ? y.getDefiningOp<DimOp>() : DimOp();
  return p && q && p.getArray() == q.getArray() &&
         p.getDimension() == q.getDimension();
}

void Converter::assertSame(OpFoldResult extent, OpFoldResult other,
                           StringRef message) {
  if (isSameExtent(extent, other))
    return;
  Value isSame = b.compare(Order::EQ, b.getIndex(extent), b.getIndex(other));
  AssertOp::create(b, isSame, b.getStringAttr(message));
}

/// The elements of a slice are in the destination. Nothing overflows, whatever
/// the numbers are.
void Converter::assertInside(tensor::InsertSliceOp op,
                             ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes) {
  Value dest = lookup(op.getDest());
  auto subtract = [&](Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(x, y);
  };
  for (auto [d, offset, size, stride] :
       llvm::enumerate(offsets, sizes, op.getStaticStrides())) {
    OpFoldResult extent = b.getExtent(dest, d);
    // The verifier of the operation compares constants.
    if (getConstantIntValue(extent) && getConstantIntValue(offset) &&
        getConstantIntValue(size))
      continue;
    if (isConstantIntValue(offset, 0) && stride == 1 &&
        isSameExtent(extent, size))
      continue;
    Value begin = b.getIndex(offset), end = b.getIndex(extent),
          count = b.getIndex(size), one = b.getIndex(1);
    Value begins = b.compare(Order::LT, begin, end, /*isUnsigned=*/true);
    // The steps that are available after the first element.
    Value room = b.createOrFold<arith::DivUIOp>(
        subtract(subtract(end, one), begin), b.getIndex(stride));
    Value ends =
        b.compare(Order::LE, subtract(count, one), room, /*isUnsigned=*/true);
    Value isEmpty = b.compare(Order::EQ, count, b.getIndex(0));
    Value isInside = b.createOrFold<arith::OrIOp>(
        b.createOrFold<arith::AndIOp>(begins, ends), isEmpty);
    AssertOp::create(
        b, isInside,
        b.getStringAttr("the slice of 'tensor.insert_slice' leaves the array"));
  }
}

/// The least and the greatest value of an index map in a domain.
std::pair<Value, Value> Converter::getRange(AffineExpr expr,
                                            ArrayRef<OpFoldResult> domain) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    Value value = b.getIndex(constant.getValue());
    return {value, value};
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {b.getIndex(0),
            b.createOrFold<arith::SubIOp>(b.getIndex(domain[dim.getPosition()]),
                                          b.getIndex(1))};
  auto both = cast<AffineBinaryOpExpr>(expr);
  auto x = getRange(both.getLHS(), domain), y = getRange(both.getRHS(), domain);
  if (expr.getKind() == AffineExprKind::Add)
    return {b.add(x.first, y.first), b.add(x.second, y.second)};
  // The second operand of a product is a constant.
  x = {b.mul(x.first, y.first), b.mul(x.second, y.first)};
  bool isNegative = cast<AffineConstantExpr>(both.getRHS()).getValue() < 0;
  return isNegative ? std::make_pair(x.second, x.first) : x;
}

/// The indices that are sums of multiples of dimensions are in their operands.
/// The verifier of the operation compares constants.
void Converter::assertWindows(Structured &s) {
  auto isConstant = [](OpFoldResult extent) {
    return getConstantIntValue(extent).has_value();
  };
  for (auto [operand, map] : llvm::zip_equal(s.operands, s.maps)) {
    if (!isa<PullType>(operand.getType()))
      continue;
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      OpFoldResult extent = b.getExtent(operand, d);
      if (isa<AffineDimExpr>(expr) ||
          (isConstant(extent) && llvm::all_of(s.domain, isConstant)))
        continue;
      Value isEmpty = b.getNumber(b.getI1Type(), false);
      for (OpFoldResult size : s.domain)
        isEmpty = b.createOrFold<arith::OrIOp>(
            isEmpty, b.compare(Order::EQ, b.getIndex(size), b.getIndex(0)));
      auto [least, most] = getRange(expr, s.domain);
      Value fits = b.createOrFold<arith::AndIOp>(
          b.compare(Order::GE, least, b.getIndex(0)),
          b.compare(Order::LT, most, b.getIndex(extent)));
      AssertOp::create(
          b, b.createOrFold<arith::OrIOp>(isEmpty, fits),
          b.getStringAttr("an index of '" + s.op->getName().getStringRef() +
                          "' leaves an operand: make the operand longer, or "
                          "the result shorter"));
    }
  }
}

/// Finds the extent of each dimension in an operand that is indexed by it
/// alone.
LogicalResult Converter::findDomain(Structured &s) {
  s.domain.resize(s.kept.size() + s.reduced.size());
  auto visit = [&](llvm::function_ref<void(OpFoldResult &, OpFoldResult)> use) {
    for (auto [operand, map] : llvm::zip_equal(s.operands, s.maps))
      if (isa<PullType>(operand.getType()))
        for (auto [d, expr] : llvm::enumerate(map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            use(s.domain[dim.getPosition()], b.getExtent(operand, d));
  };
  visit([](OpFoldResult &extent, OpFoldResult found) {
    if (!extent || (getConstantIntValue(found) && !getConstantIntValue(extent)))
      extent = found;
  });
  for (auto [d, extent] : llvm::enumerate(s.domain))
    if (!extent)
      return s.op->emitOpError("has no operand with the index d")
             << d << ", which would tell its extent: add one, as poolings have";
  LogicalResult result = success();
  visit([&](OpFoldResult &extent, OpFoldResult found) {
    if (getConstantIntValue(extent) && getConstantIntValue(found) &&
        !isSameExtent(extent, found))
      result = failure();
    else
      assertSame(
          extent, found,
          ("the extents of '" + s.op->getName().getStringRef() + "' do not fit")
              .str());
  });
  if (failed(result))
    return s.op->emitOpError("has operands whose extents do not fit");
  assertWindows(s);
  return success();
}
