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

/// True if the function of the block is one operation that combines the two
/// arguments, whose order does not matter.
static bool isCommutative(Block &block) {
  return block.getOperations().size() == 2 &&
         llvm::is_contained({"stablehlo.add", "stablehlo.multiply",
                             "stablehlo.maximum", "stablehlo.minimum",
                             "stablehlo.and", "stablehlo.or", "stablehlo.xor"},
                            block.front().getName().getStringRef()) &&
         llvm::equal(block.front().getOperands(), block.getArguments());
}

SmallVector<Value> Importer::importReduce(OpReader &op) {
  unsigned count = op->getNumResults();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  op.requireArrays(inputs, starts, {});
  Numbers dims = op.getDims("dimensions", -1, getShape(inputs[0]).size());
  if (!op.isValid())
    return {};
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  CollectiveOptions options;
  options.neutral = true;
  options.commutative = isCommutative(body);
  if (!dims.empty())
    return {b.reduce(array, init, dims, combine, options)};
  return {b.map(array, [&](ValueRange x) {
    Values pair(init);
    llvm::append_range(pair, x);
    return combine(pair);
  })};
}

SmallVector<Value> Importer::importReduceWindow(OpReader &op) {
  unsigned count = op->getNumResults();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  op.requireArrays(inputs, starts, {});
  ArrayRef<int64_t> from = getShape(inputs[0]);
  int64_t rank = from.size();
  Numbers sizes = op.getNumbers("window_dimensions", rank),
          strides = op.getNumbers("window_strides", rank, 1),
          dilations = op.getNumbers("window_dilations", rank, 1),
          bases = op.getNumbers("base_dilations", rank, 1),
          padding = op.getNumbers("padding", 2 * rank, 0);
  op.require(rank > 0, "of a scalar is not supported");
  for (ArrayRef<int64_t> numbers : {sizes, strides, dilations, bases})
    op.require(llvm::all_of(numbers, [](int64_t n) { return n > 0; }),
               "needs sizes, strides and dilations of at least 1");
  if (!op.isValid())
    return {};

  SmallVector<WindowDim> dims;
  // A scan is a window from one end of one dimension up to each element.
  int64_t scanDim = -1;
  bool isScan = true, isInside = true, reverse = false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = sizes[d], stride = strides[d], base = bases[d],
            low = padding[2 * d], high = padding[2 * d + 1], n = from[d];
    int64_t inside = n ? (n - 1) * base + 1 : 0, all = inside + low + high,
            reach = (size - 1) * dilations[d] + 1;
    int64_t windows = all < reach ? 0 : (all - reach) / stride + 1;
    dims.push_back({b.getIndexAttr(windows), b.getIndexAttr(size), stride,
                    dilations[d], low, base - 1});
    isInside &= low <= 0 && high <= 0 && base == 1;
    if (size == 1 && stride == 1 && !low && !high && base == 1)
      continue;
    bool isPrefix = low == n - 1 && !high, isSuffix = high == n - 1 && !low;
    isScan &= scanDim < 0 && size == n && stride == 1 && base == 1 &&
              dilations[d] == 1 && (isPrefix || isSuffix);
    scanDim = d;
    reverse = !isPrefix;
  }
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  if (isScan && scanDim >= 0) {
    CollectiveOptions options;
    options.commutative = isCommutative(body);
    return {b.scan(array, init, scanDim, /*exclusive=*/false, reverse, combine,
                   options)};
  }
  Value windows = b.windows(array, isInside ? Values() : init, dims);
  return {b.map(windows, [&](ValueRange window) {
    Value flat = window.front();
    flat = b.reshape(flat, b.getProduct(b.getExtents(flat)));
    return b.fold(flat, init, combine, isCommutative(body));
  })};
}

SmallVector<Value> Importer::importSort(OpReader &op) {
  unsigned count = op->getNumResults();
  int64_t rank = getShape(op->getOperand(0)).size(),
          dim = op.getNumber("dimension");
  dim += dim < 0 ? rank : 0;
  op.requireDims("dimension", dim, rank);
  SmallVector<Type> pairs;
  for (Value operand : op->getOperands()) {
    pairs.append(2, getElement(operand));
    op.require(getShape(operand) == getShape(op->getOperand(0)),
               "has operands of different extents");
  }
  op.requireRegion(0, pairs, b.getI1Type());
  if (!op.isValid())
    return {};
  Block &body = op->getRegion(0).front();
  return {b.sort(getArrays(op->getOperands()), dim, [&](ValueRange x) {
    // The arguments of the function are the components of both elements,
    // alternately.
    Values turns;
    for (unsigned k = 0; k < count; ++k)
      turns.append({x[k], x[count + k]});
    return buildScalars(body, turns);
  })};
}

SmallVector<Value> Importer::importTopK(OpReader &op) {
  Value operand = op->getOperand(0);
  Numbers to(getShape(operand));
  Type element = getElement(operand);
  int64_t k = op.getNumber("k");
  if (!op.require(!to.empty() && k >= 0 && k <= to.back() &&
                      !element.isInteger(1),
                  "needs an array of numbers with k elements"))
    return {};
  to.back() = k;
  op.requireResult(to, element);
  op.requireResult(to, b.getI32Type(), 1);
  if (!op.isValid())
    return {};
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
  return {b.sortFirst(b.zip({getArray(operand), numbers}), to.size() - 1, k,
                      isBefore)};
}

SmallVector<Value> Importer::importDot(OpReader &op) {
  DictionaryAttr fields = op.getFields("dot_dimension_numbers");
  bool isPlain = op->getName().getStringRef() == "stablehlo.dot";
  op.require(isPlain || fields, "needs dot_dimension_numbers");
  ArrayBuilder::Side sides[2];
  // The extents of the batch and of the products, and those of the result.
  Numbers batch[2], combined[2], extents;
  for (unsigned k : {0, 1}) {
    ArrayRef<int64_t> shape = getShape(op->getOperand(k));
    std::string prefix = k ? "rhs_" : "lhs_";
    auto &[array, batchDims, ownDims, combinedDims] = sides[k];
    batchDims = op.getList(fields, prefix + "batching_dimensions");
    combinedDims = op.getList(fields, prefix + "contracting_dimensions");
    if (isPlain && !shape.empty())
      combinedDims = {k ? 0 : static_cast<int64_t>(shape.size()) - 1};
    Numbers all(batchDims);
    llvm::append_range(all, combinedDims);
    op.requireDims("dot_dimension_numbers", all, shape.size());
    if (!op.isValid())
      return {};
    auto at = [&](int64_t dim) { return shape[dim]; };
    batch[k] = llvm::map_to_vector(batchDims, at);
    combined[k] = llvm::map_to_vector(combinedDims, at);
    if (k == 0)
      extents = batch[k];
    for (int64_t d = 0, e = shape.size(); d < e; ++d)
      if (!llvm::is_contained(all, d)) {
        ownDims.push_back(d);
        extents.push_back(shape[d]);
      }
  }
  op.require(batch[0] == batch[1] && combined[0] == combined[1],
             "has operands whose extents do not fit");
  Type element = getElement(op->getResult(0));
  op.requireResult(extents, element);
  if (!op.require(!element.isInteger(1), "of bits is not supported"))
    return {};
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
  CollectiveOptions options;
  options.commutative = true;
  Value product = b.contract(
      sides[0], sides[1], zero,
      [&](ValueRange x) -> Values {
        return {b.contractible(b.mul(x[0], x[1]))};
      },
      [&](ValueRange x) -> Values {
        return {b.contractible(b.add(x[0], x[1]))};
      },
      options);
  return {convert(product, sumType, element)};
}
