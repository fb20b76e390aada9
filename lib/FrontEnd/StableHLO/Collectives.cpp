//===- Collectives.cpp - Reductions, scans, sorts and products ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;
using Order = ScalarBuilder::Order;

void Importer::importReduce(Operation *op) {
  unsigned count = op->getNumResults();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  requireArrays(op, inputs, starts, {});
  Numbers dims = getDims(op, "dimensions", -1, getShape(inputs[0]).size());
  if (isInvalid)
    return;
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  Choice choice;
  choice.neutral = true;
  choice.commutative = isCommutative(body);
  defineArray(op, dims.empty() ? b.map(array,
                                       [&](ValueRange x) {
                                         Values pair(init);
                                         llvm::append_range(pair, x);
                                         return combine(pair);
                                       })
                               : b.reduce(array, init, dims, combine, choice));
}

void Importer::importReduceWindow(Operation *op) {
  unsigned count = op->getNumResults();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  requireArrays(op, inputs, starts, {});
  ArrayRef<int64_t> from = getShape(inputs[0]);
  int64_t rank = from.size();
  Numbers sizes = getNumbers(op, "window_dimensions", rank),
          strides = getNumbers(op, "window_strides", rank, 1),
          dilations = getNumbers(op, "window_dilations", rank, 1),
          bases = getNumbers(op, "base_dilations", rank, 1),
          padding = getNumbers(op, "padding", 2 * rank, 0);
  require(op, rank > 0, "of a scalar is not supported");
  for (ArrayRef<int64_t> numbers : {sizes, strides, dilations, bases})
    require(op, llvm::all_of(numbers, [](int64_t n) { return n > 0; }),
            "needs sizes, strides and dilations of at least 1");
  if (isInvalid)
    return;

  Numbers extents;
  SmallVector<WindowDim> dims;
  // A scan is a window from one end of one dimension up to each element.
  int64_t scanDim = -1;
  bool isScan = true, isInside = true, reverse = false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = sizes[d], stride = strides[d], base = bases[d],
            low = padding[2 * d], high = padding[2 * d + 1], n = from[d];
    int64_t inside = n ? (n - 1) * base + 1 : 0, all = inside + low + high,
            reach = (size - 1) * dilations[d] + 1;
    extents.push_back(all < reach ? 0 : (all - reach) / stride + 1);
    dims.push_back({b.getIndexAttr(extents.back()), b.getIndexAttr(size),
                    stride, dilations[d], low, base - 1});
    isInside &= low <= 0 && high <= 0 && base == 1;
    if (size == 1 && stride == 1 && !low && !high && base == 1)
      continue;
    bool isPrefix = low == n - 1 && !high, isSuffix = high == n - 1 && !low;
    isScan &= scanDim < 0 && size == n && stride == 1 && base == 1 &&
              dilations[d] == 1 && (isPrefix || isSuffix);
    scanDim = d;
    reverse = !isPrefix;
  }
  for (unsigned k = 0; k < count; ++k)
    requireResult(op, extents, getElement(inputs[k]), k);
  if (isInvalid)
    return;
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  if (isScan && scanDim >= 0) {
    Choice choice;
    choice.commutative = isCommutative(body);
    return defineArray(op, b.scan(array, init, scanDim, /*exclusive=*/false,
                                  reverse, combine, choice));
  }
  Value windows = b.windows(array, isInside ? Values() : init, dims);
  defineArray(op, b.map(windows, [&](ValueRange window) {
    Value flat = window.front();
    flat = b.reshape(flat, b.getProduct(b.getExtents(flat)));
    return b.fold(flat, init, combine, isCommutative(body));
  }));
}

void Importer::importSort(Operation *op) {
  unsigned count = op->getNumResults();
  int64_t rank = getShape(op->getOperand(0)).size(),
          dim = getNumber(op, "dimension");
  dim += dim < 0 ? rank : 0;
  requireDims(op, "dimension", dim, rank);
  SmallVector<Type> pairs;
  for (Value operand : op->getOperands()) {
    pairs.append(2, getElement(operand));
    require(op, getShape(operand) == getShape(op->getOperand(0)),
            "has operands of different extents");
  }
  requireRegion(op, 0, pairs, b.getI1Type());
  if (isInvalid)
    return;
  Block &body = op->getRegion(0).front();
  defineArray(op, b.sort(getArrays(op->getOperands()), dim, [&](ValueRange x) {
    // The arguments of the function are the components of both elements,
    // alternately.
    Values turns;
    for (unsigned k = 0; k < count; ++k)
      turns.append({x[k], x[count + k]});
    return buildScalars(body, turns);
  }));
}

void Importer::importTopK(Operation *op) {
  Value operand = op->getOperand(0);
  Numbers to(getShape(operand));
  Type element = getElement(operand);
  int64_t k = getNumber(op, "k");
  require(op, !to.empty() && k >= 0 && k <= to.back() && !element.isInteger(1),
          "needs an array of numbers with k elements");
  if (isInvalid)
    return;
  to.back() = k;
  requireResult(op, to, element);
  requireResult(op, to, b.getI32Type(), 1);
  if (isInvalid)
    return;
  auto number = [&](ValueRange i) -> Values {
    return {arith::IndexCastOp::create(b, b.getI32Type(), i.back())};
  };
  auto isBefore = [&](ValueRange x) -> Values {
    Value isMore =
        b.compare(Order::GT, x[0], x[2], element.isUnsignedInteger());
    if (!isa<FloatType>(element))
      return {isMore};
    // NaNs are sorted first.
    Value isNone =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x[0], x[0]);
    Value isOther =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x[2], x[2]);
    return {arith::OrIOp::create(b, isMore, b.both(isNone, isOther))};
  };
  Value numbers = b.generate(getExtents(getShape(operand)), number);
  defineArray(op, b.sortFirst(b.zip({getArray(operand), numbers}),
                              to.size() - 1, k, isBefore));
}

void Importer::importDot(Operation *op) {
  StringRef text = getText(op, "dot_dimension_numbers");
  bool isPlain = op->getName().getStringRef() == "stablehlo.dot";
  require(op, isPlain || !text.empty(), "needs dot_dimension_numbers");
  ArrayBuilder::Side sides[2];
  // The extents of the batch, of the rows or columns, and of the products.
  Numbers batch[2], own[2], combined[2];
  for (unsigned k : {0, 1}) {
    ArrayRef<int64_t> shape = getShape(op->getOperand(k));
    std::string prefix = k ? "rhs_" : "lhs_";
    ArrayBuilder::Side &side = sides[k];
    side.batch = parseList(op, text, prefix + "batching_dimensions");
    side.combined = parseList(op, text, prefix + "contracting_dimensions");
    if (isPlain && !shape.empty())
      side.combined = {k ? 0 : static_cast<int64_t>(shape.size()) - 1};
    Numbers all(side.batch);
    llvm::append_range(all, side.combined);
    requireDims(op, "dot_dimension_numbers", all, shape.size());
    if (isInvalid)
      return;
    for (int64_t d = 0, e = shape.size(); d < e; ++d)
      if (!llvm::is_contained(all, d))
        side.own.push_back(d);
    auto at = [&](int64_t dim) { return shape[dim]; };
    batch[k] = llvm::map_to_vector(side.batch, at);
    own[k] = llvm::map_to_vector(side.own, at);
    combined[k] = llvm::map_to_vector(side.combined, at);
  }
  require(op, batch[0] == batch[1] && combined[0] == combined[1],
          "has operands whose extents do not fit");
  Numbers extents(batch[0]);
  llvm::append_range(extents, own[0]);
  llvm::append_range(extents, own[1]);
  Type element = getElement(op->getResult(0));
  requireResult(op, extents, element);
  require(op, !element.isInteger(1), "of bits is not supported");
  if (isInvalid)
    return;
  // Sums of f16 and bf16 are computed in f32.
  Type sumType = element.isF16() || element.isBF16() ? b.getF32Type() : element;
  auto convert = [&](Value array, Type from, Type to) {
    if (convertElementType(from) == convertElementType(to))
      return array;
    return b.map(array, [&](ValueRange x) -> Values {
      return {convertScalar(b, x[0], from, to)};
    });
  };
  for (unsigned k : {0, 1})
    sides[k].array = convert(getArray(op->getOperand(k)),
                             getElement(op->getOperand(k)), sumType);
  Value zero = b.getNumber(convertElementType(sumType), 0);
  Choice choice;
  choice.commutative = true;
  Value product = b.contract(
      sides[0], sides[1], zero,
      [&](ValueRange x) -> Values {
        return {b.contractible(b.mul(x[0], x[1]))};
      },
      [&](ValueRange x) -> Values {
        return {b.contractible(b.add(x[0], x[1]))};
      },
      choice);
  defineArray(op, convert(product, sumType, element));
}
