//===- Products.cpp - Sums of products of whole arrays --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two arrays, and the dimensions that are combined. Out: `obs.matmul`, or
// sums of threads, warps and blocks if there are few rows or columns.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"

using namespace mlir;
using namespace mlir::obs;

/// True if reads of `array` compute only indices.
static bool isMove(Value array) {
  Operation *op = array.getDefiningOp();
  if (ArrayBuilder::isStored(array) || isa<SplatOp>(op))
    return true;
  bool isReading = false;
  op->walk([&](GetOp) { isReading = true; });
  auto map = dyn_cast<IndexMapOpInterface>(op);
  return !isReading && map && isMove(map.getArray());
}

/// True if `block` has one of these operations, on its arguments in order.
template <typename... Ops>
static bool isOne(Block &block) {
  return block.getOperations().size() == 2 && isa<Ops...>(block.front()) &&
         llvm::equal(block.front().getOperands(), block.getArguments()) &&
         llvm::equal(block.getTerminator()->getOperands(),
                     block.front().getResults());
}

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// True if `block` multiplies its arguments, f16 or bf16, in f32.
static bool isProductOfHalves(Block &block) {
  if (block.getOperations().size() != 4 || block.getNumArguments() != 2 ||
      !llvm::all_of(block.getArgumentTypes(), isHalf))
    return false;
  auto product = dyn_cast<arith::MulFOp>(block.getTerminator()->getPrevNode());
  return product && product.getType().isF32() &&
         llvm::equal(block.getTerminator()->getOperands(),
                     product->getResults()) &&
         llvm::equal(product->getOperands(), block.getArguments(),
                     [](Value factor, Value argument) {
                       auto wide = factor.getDefiningOp<arith::ExtFOp>();
                       return wide && wide.getIn() == argument;
                     });
}

/// The array of f16 or bf16 whose elements `array` has in f32; null if there is
/// none.
static Value getHalves(Value array) {
  auto map = array.getDefiningOp<MapOp>();
  if (!map || map.getArrays().size() != 1)
    return {};
  Block &body = map.getBody().front();
  Value source = map.getArrays().front();
  ArrayRef<Type> elements = getArrayElementTypes(source.getType());
  if (elements.size() != 1 || !isHalf(elements.front()) ||
      !getArrayElementTypes(array.getType()).front().isF32() ||
      !isOne<arith::ExtFOp>(body))
    return {};
  return source;
}

/// The smallest number of parts of a sum of `length` products with which
/// `units` sums are enough for all threads; if there is none, the largest
/// number.
static int64_t countProductParts(int64_t length, int64_t units) {
  constexpr int64_t wanted = 1 << 16, shortest = 64;
  int64_t parts = 1;
  for (int64_t divisor = 2; divisor <= length / shortest; ++divisor)
    if (length % divisor == 0 && units * parts < wanted)
      parts = divisor;
  return parts;
}

/// True if all products and sums in `body`, which has no other operations but
/// conversions to wider floats, may have one rounding.
static bool mayContract(Region &body) {
  auto visit = [](arith::ArithFastMathInterface op) {
    bool isFlagged = isa<arith::ExtFOp>(op) ||
                     bitEnumContainsAll(op.getFastMathFlagsAttr().getValue(),
                                        arith::FastMathFlags::contract);
    return isFlagged ? WalkResult::advance() : WalkResult::interrupt();
  };
  return !body.walk(visit).wasInterrupted();
}

Value ArrayBuilder::contract(Value x, Value y, ValueRange init,
                             ScalarCode multiply, ScalarCode combine,
                             const CollectiveOptions &options) {
  // A product reads each element many times, unless the other side has few rows
  // or columns. Then to store the elements would take longer.
  constexpr int64_t fewReads = 4;
  auto prepare = [&](Value factor, int64_t reads) {
    bool isRepeated = ShapedType::isDynamic(reads) || reads > fewReads;
    return isRepeated && !isMove(factor) ? store(factor).front() : factor;
  };
  int64_t height = getArrayBound(x.getType(), 1),
          width = getArrayBound(y.getType(), 2);
  x = prepare(x, width);
  y = prepare(y, height);
  auto left = cast<PullType>(x.getType()), right = cast<PullType>(y.getType());
  auto isAtLeast = [](int64_t bound, int64_t least) {
    return ShapedType::isDynamic(bound) || bound >= least;
  };
  SmallVector<Type> components(left.getElementTypes());
  llvm::append_range(components, right.getElementTypes());
  bool isSumOfProducts = false, isFloat = false, hasOneRounding = false;
  if (components.size() == 2) {
    Region product, sum;
    buildBlock(product, components, multiply);
    buildOperator(sum, init.front().getType(), combine);
    bool isSum = isOne<arith::AddFOp, arith::AddIOp>(sum.front());
    isSumOfProducts = isSum &&
                      left.getElementTypes() == right.getElementTypes() &&
                      (isOne<arith::MulFOp, arith::MulIOp>(product.front()) ||
                       isProductOfHalves(product.front()));
    isFloat = isa<FloatType>(init.front().getType());
    hasOneRounding =
        isFloat && isSumOfProducts && mayContract(product) && mayContract(sum);
  }
  bool hasTiles = !options.level && isSumOfProducts && isAtLeast(height, 16) &&
                  isAtLeast(width, 16) && isAtLeast(left.getExtentBound(2), 8);

  CollectiveOptions rows = options;
  int64_t length = left.getExtentBound(2);
  // Neighbouring threads compute neighbouring sums of few rows or few columns,
  // where these are neighbours in memory.
  auto isOfThreads = [&](int64_t few, int64_t many, Value array, int64_t dim) {
    return !isAtLeast(few, 16) && isAtLeast(many, 2048) &&
           findInnermost(array).value_or(dim) == static_cast<unsigned>(dim);
  };
  if (!options.level &&
      ((!ShapedType::isDynamic(length) && length <= 32) ||
       isOfThreads(height, width, y, 2) || isOfThreads(width, height, x, 1)))
    rows.level = Level::Thread;

  // One unit computes the sums of a few columns or rows together, so that it
  // reads the elements of the other side once.
  auto isFew = [&](int64_t extent) {
    return !options.level && isSumOfProducts && isAtLeast(length, 33) &&
           extent > 1 && extent <= 8;
  };
  bool areColumnsFew = isFew(right.getExtents()[2]),
       areRowsFew = !areColumnsFew && isFew(left.getExtents()[1]);

  // A strategy chooses tiles, and parts of long sums.
  if (hasTiles) {
    SmallVector<int64_t> extents(left.getExtents()),
        bounds(left.getBoundedExtents());
    extents[2] = right.getExtents()[2];
    bounds[2] = right.getBoundedExtents()[2];
    if (bounds == extents)
      bounds.clear();
    auto type = PushType::get(getContext(), Level::Grid, extents, bounds,
                              init.front().getType());
    return forceOne(MatmulOp::create(
        *this, type, x, y, init.front(), hasOneRounding,
        isFloat && !options.commutative ? getStringAttr("registers")
                                        : StringAttr()));
  }

  // Few long sums are divided into parts, so that all of the GPU is busy.
  bool isZero = matchPattern(init.front(), m_AnyZeroFloat()) ||
                matchPattern(init.front(), m_Zero());
  rows.neutral |= isZero && isSumOfProducts;
  if (rows.level == Level::Thread && !options.level && isSumOfProducts &&
      isZero && left.hasStaticExtents() && right.hasStaticExtents()) {
    int64_t batch = left.getExtents()[0];
    int64_t parts =
        countProductParts(length, batch * (areRowsFew ? 1 : height) *
                                      (areColumnsFew ? 1 : width));
    if (parts > 1 && batch * height * width > 0) {
      CollectiveOptions whole;
      whole.commutative = options.commutative;
      // The parts of each batch are batches of their own.
      auto joinBatches = [&](Value array) {
        SmallVector<OpFoldResult> extents = getExtents(array);
        extents.erase(extents.begin());
        extents.front() = getIndexAttr(batch * parts);
        return reshape(array, extents);
      };
      Value u = joinBatches(transpose(splitDim(x, 2, parts), {0, 2, 1, 3})),
            v = joinBatches(splitDim(y, 1, parts));
      Value sums = contract(u, v, init, multiply, combine, whole);
      whole.neutral = true;
      auto extents = llvm::map_to_vector(
          ArrayRef<int64_t>{batch, parts, height, width},
          [&](int64_t extent) -> OpFoldResult { return getIndexAttr(extent); });
      return reduce(reshape(sums, extents), init, 1, combine, whole);
    }
  }

  auto readProduct = [&](Value batch, Value row, Value column, Value k) {
    SmallVector<Value> pair = get(x, {batch, row, k});
    llvm::append_range(pair, get(y, {batch, k, column}));
    return multiply(pair);
  };
  OpFoldResult batches = getExtent(x, 0), numRows = getExtent(x, 1),
               numColumns = getExtent(y, 2), numProducts = getExtent(x, 2);
  if (areColumnsFew)
    return reduceColumns(generate({batches, numRows, numProducts, numColumns},
                                  [&](ValueRange i) {
                                    return readProduct(i[0], i[1], i[3], i[2]);
                                  }),
                         /*firstColumn=*/3, init, {2}, combine, rows);
  if (areRowsFew)
    return transpose(
        reduceColumns(generate({batches, numColumns, numProducts, numRows},
                               [&](ValueRange i) {
                                 return readProduct(i[0], i[3], i[1], i[2]);
                               }),
                      /*firstColumn=*/3, init, {2}, combine, rows),
        {0, 2, 1});
  Value products =
      generate({batches, numRows, numColumns, numProducts}, [&](ValueRange i) {
        return readProduct(i[0], i[1], i[2], i[3]);
      });
  return reduce(products, init, 3, combine, rows);
}

Value ArrayBuilder::contractInOrder(const Side &x, const Side &y,
                                    ValueRange init, ScalarCode multiply,
                                    ScalarCode combine, Extents extents,
                                    ArrayRef<int64_t> order,
                                    const CollectiveOptions &options) {
  auto all = llvm::map_to_vector(
      order, [&](int64_t dim) -> OpFoldResult { return extents[dim]; });
  for (int64_t dim : x.combined)
    all.push_back(getExtent(x.array, dim));
  Value products = generate(all, [&](ValueRange i) {
    SmallVector<Value> place(order.size());
    for (auto [d, dim] : llvm::enumerate(order))
      place[dim] = i[d];
    auto read = [&](const Side &side, ValueRange own) {
      SmallVector<Value> at(own.size() + side.batch.size() +
                            side.combined.size());
      for (auto [dims, values] :
           {std::pair(ArrayRef(side.batch),
                      ValueRange(place).take_front(side.batch.size())),
            std::pair(ArrayRef(side.own), own),
            std::pair(ArrayRef(side.combined), i.drop_front(order.size()))})
        for (auto [dim, value] : llvm::zip_equal(dims, values))
          at[dim] = value;
      return get(side.array, at);
    };
    ValueRange own = ValueRange(place).drop_front(x.batch.size());
    SmallVector<Value> pair = read(x, own.take_front(x.own.size()));
    llvm::append_range(pair, read(y, own.drop_front(x.own.size())));
    return multiply(pair);
  });
  CollectiveOptions ofThreads = options;
  ofThreads.level = Level::Thread;
  return reduce(products, init,
                llvm::to_vector(llvm::seq<int64_t>(order.size(), all.size())),
                combine, ofThreads);
}

Value ArrayBuilder::contract(const Side &x, const Side &y, ValueRange init,
                             ScalarCode multiply, ScalarCode combine,
                             const CollectiveOptions &options,
                             ArrayRef<int64_t> order) {
  // Halves become wider where they are multiplied: by tensor cores, or after
  // they are read.
  if (Value u = getHalves(x.array), v = getHalves(y.array);
      u && v && !options.level &&
      getArrayElementTypes(u.getType()) == getArrayElementTypes(v.getType())) {
    auto multiplyHalves = [&](ValueRange pair) {
      SmallVector<Value> wide;
      for (Value factor : pair)
        wide.push_back(arith::ExtFOp::create(*this, getF32Type(), factor));
      return multiply(wide);
    };
    Side narrow[] = {x, y};
    narrow[0].array = u;
    narrow[1].array = v;
    return contract(narrow[0], narrow[1], init, multiplyHalves, combine,
                    options, order);
  }

  auto getSizes = [&](const Side &side, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(
        dims, [&](int64_t dim) { return getExtent(side.array, dim); });
  };
  SmallVector<OpFoldResult> extents = getSizes(x, x.batch);
  llvm::append_range(extents, getSizes(x, x.own));
  llvm::append_range(extents, getSizes(y, y.own));

  // Matrices with few rows or columns share few reads. Then reads and writes of
  // neighbours in memory matter more.
  constexpr int64_t few = 16, longest = 256;
  auto isBelow = [&](const Side &side, ArrayRef<int64_t> dims, int64_t limit) {
    auto size = getConstantIntValue(getProduct(getSizes(side, dims)));
    return size && *size < limit;
  };
  if (!order.empty() && !options.level && !isBelow(x, x.batch, 2) &&
      (isBelow(x, x.own, few) || isBelow(y, y.own, few)) &&
      isBelow(x, x.combined, longest))
    return contractInOrder(x, y, init, multiply, combine, extents, order,
                           options);

  // All dimensions of a kind are one.
  auto flatten = [&](const Side &side, ArrayRef<int64_t> second,
                     ArrayRef<int64_t> third) {
    SmallVector<int64_t> dims;
    SmallVector<OpFoldResult> flat;
    for (ArrayRef<int64_t> kind : {ArrayRef(side.batch), second, third}) {
      flat.push_back(getProduct(getSizes(side, kind)));
      llvm::append_range(dims, kind);
    }
    return reshape(dims.empty() ? side.array : transpose(side.array, dims),
                   flat);
  };
  Value left = flatten(x, x.own, x.combined),
        right = flatten(y, y.combined, y.own);
  if (extents.empty())
    extents.push_back(getIndexAttr(1));
  Value product =
      reshape(contract(left, right, init, multiply, combine, options), extents);
  return order.empty() ? product : transpose(product, order);
}
