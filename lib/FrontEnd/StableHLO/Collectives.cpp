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

/// The windows of a dimension of `n` elements, with `low` and `high` elements
/// of padding beside them. `base` is the distance of two elements.
static WindowDim getWindowDim(OpBuilder &b, int64_t n, int64_t size,
                              int64_t stride, int64_t dilation, int64_t base,
                              int64_t low, int64_t high) {
  int64_t inside = n ? (n - 1) * base + 1 : 0,
          reach = size ? (size - 1) * dilation + 1 : 0,
          rest = inside + low + high - reach;
  int64_t count = rest < 0 ? 0 : rest / stride + 1;
  return {b.getIndexAttr(count),
          b.getIndexAttr(size),
          stride,
          dilation,
          low,
          base - 1};
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
    dims.push_back(
        getWindowDim(b, n, size, stride, dilations[d], base, low, high));
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
    options.neutral = true;
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

/// The gradient of a maximum of windows: each number of the second array is
/// combined with the element that its window selects.
SmallVector<Value> Importer::importSelectAndScatter(OpReader &op) {
  Value array = op->getOperand(0), source = op->getOperand(1),
        start = op->getOperand(2);
  ArrayRef<int64_t> from = getShape(array);
  int64_t rank = from.size();
  Type element = getElement(array);
  Numbers sizes = op.getNumbers("window_dimensions", rank, 1),
          strides = op.getNumbers("window_strides", rank, 1),
          padding = op.getNumbers("padding", 2 * rank, 0);
  op.requireRegion(0, {element, element}, b.getI1Type());
  op.requireRegion(1, {element, element}, element);
  op.require(rank > 0 && llvm::all_of(padding, [](int64_t n) { return !n; }),
             "of a scalar or with padding is not supported");
  for (ArrayRef<int64_t> numbers : {sizes, strides})
    op.require(llvm::all_of(numbers, [](int64_t n) { return n > 0; }),
               "needs sizes and strides of at least 1");
  if (!op.isValid())
    return {};
  SmallVector<WindowDim> dims;
  Numbers counts;
  for (int64_t d = 0; d < rank; ++d) {
    dims.push_back(getWindowDim(b, from[d], sizes[d], strides[d], 1, 1, 0, 0));
    counts.push_back(*getConstantIntValue(dims.back().count));
  }
  if (!op.require(
          getShape(source) == ArrayRef(counts) && getShape(start).empty() &&
              getElement(source) == element && getElement(start) == element,
          "needs one number for each window, and an initial one"))
    return {};

  // An element of a window, and its number in the array.
  Value elements = getArray(array), numbers = getArray(source),
        init = getHostScalar(start);
  Value pairs = b.generate(getExtents(from), [&](ValueRange i) -> Values {
    Value number = b.getIndex(0);
    for (auto [place, extent] : llvm::zip_equal(i, from))
      number = b.createOrFold<arith::AddIOp>(
          b.createOrFold<arith::MulIOp>(number, b.getIndex(extent)), place);
    return {b.getOne(elements, i),
            arith::IndexCastOp::create(b, b.getI64Type(), number)};
  });
  Block &select = op->getRegion(0).front();
  Value selected =
      b.map(b.windows(pairs, {}, dims), [&](ValueRange window) -> Values {
        Value flat = window.front();
        flat = b.reshape(flat, b.getProduct(b.getExtents(flat)));
        return b.fold(flat, b.get(flat, b.getIndex(0)), [&](ValueRange x) {
          Value isFirst = buildScalars(select, {x[0], x[2]}).front();
          return Values{b.select(isFirst, x[0], x[2]),
                        b.select(isFirst, x[1], x[3])};
        });
      });
  auto write = [&](ValueRange i) {
    Target target;
    Value number = b.castToIndex(b.get(selected, i)[1]);
    for (int64_t extent : llvm::reverse(from)) {
      Value length = b.getIndex(extent);
      target.indices.insert(target.indices.begin(),
                            b.createOrFold<arith::RemUIOp>(number, length));
      number = b.createOrFold<arith::DivUIOp>(number, length);
    }
    target.values = b.get(numbers, i);
    return target;
  };
  Block &combine = op->getRegion(1).front();
  WriteContract contract =
      b.getContract(convertElementType(element),
                    [&](ValueRange x) { return buildScalars(combine, x); });
  return {b.scatter(b.splat(init, getExtents(from)), getExtents(counts), write,
                    contract)};
}

/// The scan without an initial value that stands for the stages of
/// `jax.lax.associative_scan`.
SmallVector<Value> Importer::importAssociativeScan(OpReader &op) {
  unsigned count = op->getNumOperands();
  op.requireArrays(op->getOperands(), op->getOperands(),
                   getShape(op->getOperand(0)));
  int64_t dim = op.getDim("dimension", getShape(op->getOperand(0)).size());
  if (!op.isValid())
    return {};
  Values results = lookup(op->getOperands());
  if (op->use_empty())
    return results;
  Block &body = op->getRegion(0).front();
  Value scanned = b.scan(getArrays(op->getOperands()), /*init=*/{}, dim,
                         /*exclusive=*/false, /*reverse=*/false,
                         [&](ValueRange x) { return buildScalars(body, x); });
  // One kernel stores the results that are used. Nothing reads the others.
  SmallVector<unsigned> places;
  for (unsigned k = 0; k < count; ++k)
    if (!op->getResult(k).use_empty())
      places.push_back(k);
  Value stored =
      b.store(b.map(scanned, [&](ValueRange x) {
         return llvm::map_to_vector(places, [&](unsigned k) { return x[k]; });
       })).front();
  for (auto [k, array] : llvm::zip_equal(places, b.unzip(stored)))
    results[k] = array;
  return results;
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
  op.requireResult(extents, getElement(op->getResult(0)));
  for (unsigned k : {0, 1})
    sides[k].array = getArray(op->getOperand(k));
  return {buildProduct(op, sides[0], sides[1])};
}

/// The product of arrays with the elements of both operands. The rows of the
/// product are those of `x`, or those of `y` if `isSecondFirst`. `order` is
/// that of the dimensions of the result.
SmallVector<Value> Importer::buildProduct(OpReader &op, ArrayBuilder::Side x,
                                          ArrayBuilder::Side y,
                                          bool isSecondFirst,
                                          ArrayRef<int64_t> order) {
  Type types[] = {getElement(op->getOperand(0)), getElement(op->getOperand(1))};
  Type element = getElement(op->getResult(0)), sumType = element;
  // Floats are added as floats, also if the result is an integer.
  for (Type type : types)
    if (isa<FloatType>(type) &&
        (!isa<FloatType>(sumType) ||
         type.getIntOrFloatBitWidth() > sumType.getIntOrFloatBitWidth()))
      sumType = type;
  // Sums of f16 and bf16 are computed in f32.
  if (sumType.isF16() || sumType.isBF16())
    sumType = b.getF32Type();
  auto convert = [&](Value array, Type from, Type to) {
    if (convertElementType(from) == convertElementType(to))
      return array;
    return b.map(array, [&](ValueRange x) -> Values {
      return {convertScalar(b, x[0], from, to)};
    });
  };
  x.array = convert(x.array, types[0], sumType);
  y.array = convert(y.array, types[1], sumType);
  Value zero = b.getNumber(convertElementType(sumType), 0);
  CollectiveOptions options;
  options.commutative = true;
  if (isSecondFirst)
    std::swap(x, y);
  // A bit of the product is set if both bits of one pair are.
  bool areBits = sumType.isInteger(1);
  Value product = b.contract(
      x, y, zero,
      [&](ValueRange x) -> Values {
        return {areBits ? b.createOrFold<arith::AndIOp>(x[0], x[1])
                        : b.contractible(b.mul(x[0], x[1]))};
      },
      [&](ValueRange x) -> Values {
        return {areBits ? b.createOrFold<arith::OrIOp>(x[0], x[1])
                        : b.contractible(b.add(x[0], x[1]))};
      },
      options, order);
  return {convert(product, sumType, element)};
}

/// The dimensions of one array of a convolution, such as `[b, 0, 1, f]`: those
/// of `names`, then the spatial ones in order. Empty if they are not complete.
static SmallVector<int64_t> parseLayout(StringRef text, StringRef names,
                                        int64_t rank) {
  SmallVector<StringRef> labels;
  text.trim("[]").split(labels, ", ");
  SmallVector<int64_t> dims(rank, -1);
  for (auto [d, label] : llvm::enumerate(labels)) {
    int64_t place = 0;
    if (label.getAsInteger(10, place))
      place = label.size() == 1 ? int64_t(names.find(label)) : -1;
    else
      place += place < 0 ? -rank : int64_t(names.size());
    if (place < 0 || place >= rank)
      return {};
    dims[place] = d;
  }
  return areDims(dims, rank) ? dims : SmallVector<int64_t>();
}

/// A product of the windows of the first array and the kernels: for each group,
/// the sums over the channels and the places in a window.
SmallVector<Value> Importer::importConvolution(OpReader &op) {
  Value array = op->getOperand(0), kernel = op->getOperand(1);
  ArrayRef<int64_t> from = getShape(array), taps = getShape(kernel),
                    to = getShape(op->getResult(0));
  int64_t rank = from.size(), space = rank - 2;
  StringRef text = getText(op, "dimension_numbers");
  text.consume_front("conv<");
  text.consume_back(">");
  auto [left, result] = text.split("->");
  auto [first, second] = left.split('x');
  Numbers in = parseLayout(first, "bf", rank),
          over = parseLayout(second, "oi", rank),
          out = parseLayout(result, "bf", rank);
  if (!op.require(rank >= 2 && int64_t(taps.size()) == rank &&
                      int64_t(to.size()) == rank && !in.empty() &&
                      !over.empty() && !out.empty(),
                  "needs dimension_numbers of all dimensions of its arrays"))
    return {};
  Numbers strides = op.getNumbers("window_strides", space, 1),
          padding = op.getNumbers("padding", 2 * space, 0),
          bases = op.getNumbers("lhs_dilation", space, 1),
          dilations = op.getNumbers("rhs_dilation", space, 1);
  int64_t groups = op.getNumber("feature_group_count"),
          batches = op.getNumber("batch_group_count");
  auto reversal = op->getAttrOfType<DenseBoolArrayAttr>("window_reversal");
  op.require(!reversal || reversal.size() == space,
             "needs a bit for each dimension in window_reversal");
  for (ArrayRef<int64_t> numbers : {strides, bases, dilations})
    op.require(llvm::all_of(numbers, [](int64_t n) { return n > 0; }),
               "needs strides and dilations of at least 1");
  op.require(groups > 0 && batches > 0 && (groups == 1 || batches == 1) &&
                 from[in[0]] % batches == 0 &&
                 taps[over[0]] % (groups * batches) == 0 &&
                 from[in[1]] == taps[over[1]] * groups,
             "has groups that do not fit its operands");
  if (!op.isValid())
    return {};

  // One operand is divided into groups, and the results are those of a group
  // after those of another one.
  int64_t parts = groups * batches;
  bool isBatch = batches > 1;
  Value none = b.getNumber(convertElementType(getElement(array)), 0),
        x = b.transpose(getArray(array), in),
        y = b.transpose(getArray(kernel), over);
  SmallVector<OpFoldResult> low(2, b.getIndexAttr(0)), high = low;
  Numbers holes(2, 0), extents(rank), reversed;
  SmallVector<WindowDim> dims;
  extents[out[0]] = from[in[0]] / batches;
  extents[out[1]] = taps[over[0]];
  for (int64_t d = 0; d < space; ++d) {
    low.push_back(b.getIndexAttr(padding[2 * d]));
    high.push_back(b.getIndexAttr(padding[2 * d + 1]));
    holes.push_back(bases[d] - 1);
    dims.push_back(getWindowDim(b, from[in[2 + d]], taps[over[2 + d]],
                                strides[d], dilations[d], bases[d],
                                padding[2 * d], padding[2 * d + 1]));
    extents[out[2 + d]] = *getConstantIntValue(dims.back().count);
    if (reversal && reversal[d])
      reversed.push_back(2 + d);
  }
  op.requireResult(extents, getElement(op->getResult(0)));
  if (!op.isValid())
    return {};

  Value padded =
      b.pad(x, low, high, holes, [&](ValueRange) -> Values { return {none}; });
  // Products of tiles read each element for all places in a window. So reads
  // without conditions pay for a copy.
  if (padded != x && taps[over[0]] / parts >= 16)
    padded = b.store(padded).front();
  padded = b.splitDim(padded, isBatch ? 0 : 1, parts);
  // Group, image and channel, the positions, and the places in a window.
  SmallVector<OpFoldResult> all = b.getExtents(padded);
  all.truncate(3);
  for (const WindowDim &dim : dims)
    all.push_back(dim.count);
  for (const WindowDim &dim : dims)
    all.push_back(dim.size);
  Value windows = b.gather(padded, all, [&](ValueRange i) {
    Values place(i.take_front(3));
    for (auto [d, dim] : llvm::enumerate(dims))
      place.push_back(b.add(b.mul(i[3 + d], b.getIndex(dim.stride)),
                            b.mul(i[3 + space + d], b.getIndex(dim.dilation))));
    return place;
  });
  // Neighbours in memory are neighbours in tiles: the channels or positions.
  bool isChannelLast = in[1] == rank - 1;
  ArrayBuilder::Side images{windows, {isBatch ? 0 : 1}, {isBatch ? 1 : 0}, {}},
      kernels{b.splitDim(b.reverse(y, reversed), 0, parts), {0}, {1}, {}};
  for (int64_t d = 0; d < space; ++d) {
    images.own.push_back(3 + d);
    images.combined.push_back(3 + space + d);
    kernels.combined.push_back(3 + d);
  }
  for (ArrayBuilder::Side *side : {&images, &kernels})
    side->combined.insert(
        isChannelLast ? side->combined.end() : side->combined.begin(), 2);
  // The product has the group, and the image, the positions and the kernel, or
  // the kernel first.
  int64_t image = isChannelLast ? 1 : 2,
          ofKernel = isChannelLast ? 2 + space : 1;
  Numbers order;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t place = llvm::find(out, d) - out.begin();
    if (place == 1)
      order.push_back(0);
    order.push_back(place == 0   ? image
                    : place == 1 ? ofKernel
                                 : image + place - 1);
  }
  Values product = buildProduct(op, images, kernels, !isChannelLast, order);
  if (!op.isValid())
    return {};
  return {b.reshape(product.front(), getExtents(extents))};
}
