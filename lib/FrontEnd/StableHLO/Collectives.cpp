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

/// True if the block is one commutative operation.
static bool isFree(Block &block) {
  return block.getOperations().size() == 2 && isCommutative(&block.front()) &&
         llvm::equal(block.front().getOperands(), block.getArguments());
}

LogicalResult Importer::importReduce(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, 2 * count, 1, std::max(count, 1u))))
    return failure();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  Numbers from(getShape(inputs[0]));
  FailureOr<Numbers> dims = getNumbers(op, "dimensions", -1);
  if (failed(dims) || failed(verifyDims(op, "dimensions", *dims, from.size())))
    return failure();
  Numbers kept;
  for (auto [d, extent] : llvm::enumerate(from))
    if (!llvm::is_contained(*dims, d))
      kept.push_back(extent);
  SmallVector<Type> elements;
  for (unsigned k = 0; k < count; ++k) {
    elements.push_back(getElement(inputs[k]));
    if (getShape(inputs[k]) != ArrayRef(from) || !getShape(starts[k]).empty() ||
        getElement(starts[k]) != elements[k])
      return op->emitOpError("has operands or initial values of different "
                             "types");
    if (failed(verifyResult(op, kept, elements[k], k)))
      return failure();
  }
  SmallVector<Type> both(elements);
  llvm::append_range(both, elements);
  if (failed(verifyRegion(op, 0, both, elements)))
    return failure();
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  if (dims->empty()) {
    define(op, b.map(array, [&](ValueRange x) {
      Values pair(init);
      llvm::append_range(pair, x);
      return combine(pair);
    }));
    return success();
  }
  Choice choice;
  choice.neutral = true;
  choice.commutative = isFree(body);
  define(op, b.reduce(array, init, *dims, combine, choice));
  return success();
}

LogicalResult Importer::importReduceWindow(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, 2 * count, 1, std::max(count, 1u))))
    return failure();
  auto inputs = op->getOperands().take_front(count),
       starts = op->getOperands().drop_front(count);
  Numbers from(getShape(inputs[0]));
  int64_t rank = from.size();
  auto sizes = getNumbers(op, "window_dimensions", rank);
  auto readOr = [&](StringRef name, int64_t number,
                    int64_t size) -> FailureOr<Numbers> {
    if (!op->getAttr(name))
      return Numbers(size, number);
    return getNumbers(op, name, size);
  };
  auto strides = readOr("window_strides", 1, rank);
  auto dilations = readOr("window_dilations", 1, rank);
  auto bases = readOr("base_dilations", 1, rank);
  auto padding = readOr("padding", 0, 2 * rank);
  if (failed(sizes) || failed(strides) || failed(dilations) || failed(bases) ||
      failed(padding))
    return failure();
  if (!rank)
    return op->emitOpError("of a scalar is not supported");

  Numbers extents;
  SmallVector<WindowDim> dims;
  // A scan is a window from one end of one dimension up to each element.
  int64_t scanDim = -1;
  bool isScan = true, isInside = true, reverse = false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = (*sizes)[d], stride = (*strides)[d], base = (*bases)[d],
            dilation = (*dilations)[d], low = (*padding)[2 * d],
            high = (*padding)[2 * d + 1], n = from[d];
    if (size < 1 || stride < 1 || base < 1 || dilation < 1)
      return op->emitOpError("needs sizes, strides and dilations of at least "
                             "1");
    int64_t inside = n ? (n - 1) * base + 1 : 0, all = inside + low + high,
            reach = (size - 1) * dilation + 1;
    int64_t found = all < reach ? 0 : (all - reach) / stride + 1;
    extents.push_back(found);
    WindowDim dim;
    dim.count = b.getIndexAttr(found);
    dim.size = b.getIndexAttr(size);
    dim.stride = stride;
    dim.dilation = dilation;
    dim.low = low;
    dim.holes = base - 1;
    dims.push_back(dim);
    isInside &= low <= 0 && high <= 0 && base == 1;
    if (size == 1 && stride == 1 && !low && !high && base == 1)
      continue;
    bool isPrefix = low == n - 1 && !high, isSuffix = high == n - 1 && !low;
    isScan &= scanDim < 0 && size == n && stride == 1 && base == 1 &&
              dilation == 1 && (isPrefix || isSuffix);
    scanDim = d;
    reverse = !isPrefix;
  }
  SmallVector<Type> elements;
  for (unsigned k = 0; k < count; ++k) {
    elements.push_back(getElement(inputs[k]));
    if (getShape(inputs[k]) != ArrayRef(from) || !getShape(starts[k]).empty() ||
        getElement(starts[k]) != elements[k])
      return op->emitOpError("has operands or initial values of different "
                             "types");
    if (failed(verifyResult(op, extents, elements[k], k)))
      return failure();
  }
  SmallVector<Type> both(elements);
  llvm::append_range(both, elements);
  if (failed(verifyRegion(op, 0, both, elements)))
    return failure();
  Block &body = op->getRegion(0).front();
  auto combine = [&](ValueRange x) { return buildScalars(body, x); };
  Values init = getHostScalars(starts);
  Value array = getArrays(inputs);
  if (isScan && scanDim >= 0) {
    Choice choice;
    choice.commutative = isFree(body);
    define(op, b.scan(array, init, scanDim, /*exclusive=*/false, reverse,
                      combine, choice));
    return success();
  }
  Value windows = b.windows(array, isInside ? Values() : init, dims);
  define(op, b.map(windows, [&](ValueRange window) {
    Value flat = window.front();
    flat = b.reshape(flat, b.getProduct(b.getExtents(flat)));
    return b.fold(flat, init, combine, isFree(body));
  }));
  return success();
}

LogicalResult Importer::importSort(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, count, 1, std::max(count, 1u))))
    return failure();
  Numbers from(getShape(op->getOperand(0)));
  FailureOr<int64_t> dim = getNumber(op, "dimension");
  if (failed(dim))
    return failure();
  int64_t place = *dim < 0 ? *dim + from.size() : *dim;
  if (failed(verifyDims(op, "dimension", place, from.size())))
    return failure();
  SmallVector<Type> pairs;
  for (unsigned k = 0; k < count; ++k) {
    pairs.append(2, getElement(op->getOperand(k)));
    if (getShape(op->getOperand(k)) != ArrayRef(from))
      return op->emitOpError("has operands of different extents");
    if (failed(verifyResult(op, from, pairs.back(), k)))
      return failure();
  }
  if (failed(verifyRegion(op, 0, pairs, {b.getI1Type()})))
    return failure();
  Block &body = op->getRegion(0).front();
  define(op, b.sort(getArrays(op->getOperands()), place, [&](ValueRange x) {
    // The arguments of the function are the components of both elements,
    // alternately.
    Values turns;
    for (unsigned k = 0; k < count; ++k)
      turns.append({x[k], x[count + k]});
    return buildScalars(body, turns);
  }));
  return success();
}

LogicalResult Importer::importTopK(Operation *op) {
  if (failed(verifyCounts(op, 1, 0, 2)))
    return failure();
  Value operand = op->getOperand(0);
  Numbers from(getShape(operand));
  FailureOr<int64_t> k = getNumber(op, "k");
  if (failed(k))
    return failure();
  Type element = getElement(operand);
  if (from.empty() || *k < 0 || *k > from.back() || element.isInteger(1))
    return op->emitOpError("needs an array of numbers with k elements");
  Numbers to(from);
  to.back() = *k;
  if (failed(verifyResult(op, to, element)) ||
      failed(verifyResult(op, to, b.getI32Type(), 1)))
    return failure();
  Value numbers = b.generate(getExtents(from), [&](ValueRange i) -> Values {
    return {arith::IndexCastOp::create(b, b.getI32Type(), i.back())};
  });
  Value found = b.sortFirst(
      b.zip({getArray(operand), numbers}), from.size() - 1, *k,
      [&](ValueRange x) -> Values {
        if (isa<FloatType>(element)) {
          // NaNs are sorted first.
          Value isMore =
              arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x[0], x[2]);
          Value isNone =
              arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x[0], x[0]);
          Value isOther =
              arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x[2], x[2]);
          return {arith::OrIOp::create(
              b, isMore, arith::AndIOp::create(b, isNone, isOther))};
        }
        return {arith::CmpIOp::create(b,
                                      element.isUnsignedInteger()
                                          ? arith::CmpIPredicate::ugt
                                          : arith::CmpIPredicate::sgt,
                                      x[0], x[2])};
      });
  define(op, found);
  return success();
}

LogicalResult Importer::importDot(Operation *op) {
  if (failed(verifyCounts(op, 2)))
    return failure();
  StringRef text = getText(op, "dot_dimension_numbers");
  bool isPlain = op->getName().getStringRef() == "stablehlo.dot";
  Value operands[] = {op->getOperand(0), op->getOperand(1)};
  Numbers shapes[] = {Numbers(getShape(operands[0])),
                      Numbers(getShape(operands[1]))};
  Numbers batch[2], contracting[2], free[2];
  for (unsigned side : {0, 1}) {
    StringRef prefix = side ? "rhs_" : "lhs_";
    auto batches = parseList(op, text, (prefix + "batching_dimensions").str());
    auto contracts =
        parseList(op, text, (prefix + "contracting_dimensions").str());
    if (failed(batches) || failed(contracts))
      return failure();
    batch[side] = *batches;
    contracting[side] = *contracts;
    if (isPlain && !shapes[side].empty())
      contracting[side] = {side ? 0
                                : static_cast<int64_t>(shapes[0].size()) - 1};
    Numbers all(batch[side]);
    llvm::append_range(all, contracting[side]);
    if (failed(
            verifyDims(op, "dot_dimension_numbers", all, shapes[side].size())))
      return failure();
    for (int64_t d = 0, e = shapes[side].size(); d < e; ++d)
      if (!llvm::is_contained(all, d))
        free[side].push_back(d);
  }
  auto getSizes = [&](unsigned side, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims,
                               [&](int64_t dim) { return shapes[side][dim]; });
  };
  if (getSizes(0, batch[0]) != getSizes(1, batch[1]) ||
      getSizes(0, contracting[0]) != getSizes(1, contracting[1]) ||
      (!isPlain && text.empty()))
    return op->emitOpError("has operands whose extents do not fit");
  Numbers extents = getSizes(0, batch[0]);
  llvm::append_range(extents, getSizes(0, free[0]));
  llvm::append_range(extents, getSizes(1, free[1]));
  Type element = getElement(op->getResult(0));
  if (failed(verifyResult(op, extents, element)))
    return failure();
  if (element.isInteger(1))
    return op->emitOpError("of bits is not supported");
  // Sums of f16 and bf16 are computed in f32.
  Type sumType = element.isF16() || element.isBF16() ? b.getF32Type() : element;
  auto convert = [&](Value array, Type from, Type to) {
    if (convertElement(from) == convertElement(to))
      return array;
    return b.map(array, [&](ValueRange x) -> Values {
      return {convertScalar(b, x[0], from, to)};
    });
  };
  ArrayBuilder::Side sides[2];
  for (unsigned side : {0, 1})
    sides[side] = {
        convert(getArray(operands[side]), getElement(operands[side]), sumType),
        batch[side], free[side], contracting[side]};
  Type lowered = convertElement(sumType);
  bool isFloat = isa<FloatType>(lowered);
  Value zero = b.getNumber(lowered, 0);
  // StableHLO leaves open if products are rounded before they are added.
  auto fast = arith::FastMathFlags::contract;
  Value product = b.contract(
      sides[0], sides[1], zero,
      [&](ValueRange x) -> Values {
        return {isFloat ? arith::MulFOp::create(b, x[0], x[1], fast).getResult()
                        : arith::MulIOp::create(b, x[0], x[1]).getResult()};
      },
      [&](ValueRange x) -> Values {
        return {isFloat ? arith::AddFOp::create(b, x[0], x[1], fast).getResult()
                        : arith::AddIOp::create(b, x[0], x[1]).getResult()};
      });
  values[op->getResult(0)] = convert(product, sumType, element);
  return success();
}
