//===- PairAddresses.cpp - The addresses that two threads access ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;
using Kind = IndexExpr::Kind;
using Compare = IndexExpr::Compare;

/// The permutation of an array by obs-assign-banks: index i of the last
/// dimension becomes `i xor (n mod modulus)`.
struct Swizzle {
  int64_t modulus = 0;
  /// n is i divided by this, or, if it is 0, the number of the row.
  int64_t divisor = 0;

  bool operator==(const Swizzle &other) const {
    return modulus == other.modulus && divisor == other.divisor;
  }
};

/// The index that an index of obs-assign-banks is made of; null for another.
static Value getUnswizzled(const MemoryAccess &access, Swizzle &swizzle) {
  if (!access.isShared || access.indices.empty())
    return {};
  auto swizzled = access.indices.back().getDefiningOp<arith::XOrIOp>();
  auto low = swizzled ? swizzled.getRhs().getDefiningOp<arith::AndIOp>()
                      : arith::AndIOp();
  APInt mask, divisor;
  if (!low || !matchPattern(low.getRhs(), m_ConstantInt(&mask)) ||
      !(mask + 1).isPowerOf2())
    return {};
  int64_t modulus = mask.getSExtValue() + 1;
  auto row = low.getLhs().getDefiningOp<arith::DivUIOp>();
  bool isBankRow = row && row.getLhs() == swizzled.getLhs() &&
                   matchPattern(row.getRhs(), m_ConstantInt(&divisor)) &&
                   !divisor.isZero() && divisor.urem(modulus) == 0;
  bool isRow = access.indices.size() > 1 &&
               low.getLhs() == access.indices[access.indices.size() - 2];
  swizzle = {modulus, isBankRow ? divisor.getSExtValue() : 0};
  int64_t extent = cast<MemRefType>(access.array.getType()).getShape().back();
  return (isBankRow || isRow) && extent % modulus == 0 ? swizzled.getLhs()
                                                       : Value();
}

/// The least number that `index` adds to the variable of `loop`, if it is the
/// variable plus something that is not negative.
static std::optional<int64_t> getLeastAdded(Value index, scf::ForOp loop,
                                            const Ranges &ranges) {
  if (index == loop.getInductionVar())
    return 0;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<IndexRange> other = ranges.get(sum->getOperand(1 - i));
    if (!other || other->min < 0)
      continue;
    if (std::optional<int64_t> least =
            getLeastAdded(sum->getOperand(i), loop, ranges))
      return llvm::checkedAdd(*least, other->min);
  }
  return std::nullopt;
}

/// The variable of `loop` is below this number in iterations with the access:
/// at run time no index is outside of its array.
static int64_t getMostIndex(const MemoryAccess &access, scf::ForOp loop,
                            const Ranges &ranges) {
  int64_t most = std::numeric_limits<int64_t>::max();
  auto type = cast<MemRefType>(access.array.getType());
  Swizzle swizzle;
  Value last = getUnswizzled(access, swizzle);
  for (auto [d, index] : llvm::enumerate(access.indices)) {
    bool isLast = d + 1 == access.indices.size();
    if (type.isDynamicDim(d))
      continue;
    if (std::optional<int64_t> least =
            getLeastAdded(isLast && last ? last : index, loop, ranges))
      most = std::min(most, type.getDimSize(d) - *least);
  }
  return most;
}

/// True if each thread that runs an iteration of `loop` runs the same iteration
/// of `other`.
static bool makesTurnsOf(scf::ForOp loop, scf::ForOp other) {
  return loop == other || (loop.getLowerBound() == other.getLowerBound() &&
                           loop.getUpperBound() == other.getUpperBound() &&
                           loop.getStep() == other.getStep() &&
                           other->getBlock()->findAncestorOpInBlock(*loop));
}

/// A bound of the variable of `loop` in the iterations in which `side` makes
/// its access: from that access, and from those that every iteration makes,
/// also of other loops with the same iterations.
int64_t PairModel::getMostIndex(scf::ForOp loop, Owner side) {
  if (!assumesBounds)
    return std::numeric_limits<int64_t>::max();
  auto [found, isNew] = mostIndices.try_emplace(loop, 0);
  if (isNew) {
    int64_t most = std::numeric_limits<int64_t>::max();
    kernel.walk([&](scf::ForOp other) {
      if (!makesTurnsOf(loop, other))
        return;
      for (Operation &op : *other.getBody())
        if (std::optional<MemoryAccess> access = getMemoryAccess(&op))
          most = std::min(most, ::getMostIndex(*access, other, ranges));
    });
    found->second = most;
  }
  int64_t most = found->second;
  if (side != Owner::Second)
    most = std::min(most, ::getMostIndex(*first->access, loop, ranges));
  if (side != Owner::First)
    most = std::min(most, ::getMostIndex(*second, loop, ranges));
  return most;
}

/// The distances of elements, in elements.
std::optional<SmallVector<IndexExpr>> PairModel::getStrides(Value array,
                                                            Owner side) {
  SmallVector<IndexExpr> strides;
  if (auto view = array.getDefiningOp<memref::ReinterpretCastOp>()) {
    for (OpFoldResult stride : view.getMixedStrides()) {
      if (auto attribute = dyn_cast<Attribute>(stride))
        strides.push_back(constant(cast<IntegerAttr>(attribute).getInt()));
      else
        strides.push_back(get(cast<Value>(stride), side));
    }
    return strides;
  }
  auto [numbers, offset] =
      cast<MemRefType>(array.getType()).getStridesAndOffset();
  for (int64_t stride : numbers) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    strides.push_back(constant(stride));
  }
  return strides;
}

/// The factors of a product, and their constants in one number.
static int64_t getFactors(const IndexExpr &expr,
                          SmallVector<IndexExpr> &factors) {
  if (std::optional<int64_t> number = expr.getConstant())
    return *number;
  if (expr.getKind() == Kind::Mul)
    return uint64_t(getFactors(expr.getOperands()[0], factors)) *
           uint64_t(getFactors(expr.getOperands()[1], factors));
  factors.push_back(expr);
  return 1;
}

/// True if both are products of the same numbers, in any order.
static bool isSameProduct(const IndexExpr &a, const IndexExpr &b) {
  SmallVector<IndexExpr> factors, others;
  if (getFactors(a, factors) != getFactors(b, others))
    return false;
  for (const IndexExpr &factor : factors) {
    auto *found = llvm::find(others, factor);
    if (found == others.end())
      return false;
    others.erase(found);
  }
  return others.empty();
}

/// True if equal indices are equal addresses in `array`, and others are not.
bool PairModel::isRowMajor(Value array) {
  auto view = array.getDefiningOp<memref::ReinterpretCastOp>();
  if (!view)
    return cast<MemRefType>(array.getType()).getLayout().isIdentity() &&
           isa_and_nonnull<memref::ViewOp>(array.getDefiningOp());
  std::optional<SmallVector<IndexExpr>> strides =
      getStrides(array, Owner::First);
  IndexExpr expected = constant(1);
  for (unsigned d = strides->size(); d-- > 0;) {
    if (!isSameProduct((*strides)[d], expected))
      return false;
    OpFoldResult size = view.getMixedSizes()[d];
    if (auto attribute = dyn_cast<Attribute>(size))
      expected = constant(cast<IntegerAttr>(attribute).getInt()) * expected;
    else
      expected = get(cast<Value>(size), Owner::First) * expected;
  }
  return true;
}

/// True if the rows of two views have equal extents in all launches.
bool PairModel::haveEqualRows(Value a, Value b) {
  auto first = a.getDefiningOp<memref::ReinterpretCastOp>();
  auto second = b.getDefiningOp<memref::ReinterpretCastOp>();
  auto getSize = [&](OpFoldResult size) {
    if (auto attribute = dyn_cast<Attribute>(size))
      return constant(cast<IntegerAttr>(attribute).getInt());
    Value value = cast<Value>(size);
    auto equal = equalParameters.find(value);
    return get(equal == equalParameters.end() ? value : equal->second,
               Owner::First);
  };
  for (auto [x, y] : llvm::drop_begin(
           llvm::zip_equal(first.getMixedSizes(), second.getMixedSizes())))
    if (getSize(x) != getSize(y))
      return false;
  return true;
}

/// The start of `memory`, from which offsets of casts count, in bytes from its
/// root.
std::optional<IndexExpr> PairModel::getBase(Value memory, Owner side) {
  IndexExpr base = constant(0);
  while (Operation *op = memory.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op))
      base = base + get(view.getByteShift(), side);
    else if (isa<gpu::DynamicSharedMemoryOp, memref::GetGlobalOp>(op))
      break;
    else if (!isa<memref::ReinterpretCastOp, memref::SubViewOp, memref::CastOp>(
                 op))
      return std::nullopt;
    memory = op->getOperand(0);
  }
  return base;
}

/// The offset of an element from the root, in bytes.
IndexExpr PairModel::getByteAddress(const MemoryAccess &access, Owner side) {
  int64_t bytes =
      getBytes(cast<MemRefType>(access.array.getType()).getElementType());
  std::optional<IndexExpr> address = getBase(access.array, side);
  if (auto cast = access.array.getDefiningOp<memref::ReinterpretCastOp>()) {
    OpFoldResult offset = cast.getMixedOffsets().front();
    IndexExpr elements =
        isa<Attribute>(offset)
            ? constant(mlir::cast<IntegerAttr>(mlir::cast<Attribute>(offset))
                           .getInt())
            : get(mlir::cast<Value>(offset), side);
    if (address)
      address = *address + elements * constant(bytes);
  } else if (isa_and_nonnull<memref::SubViewOp, memref::CastOp>(
                 access.array.getDefiningOp())) {
    // Has an offset of which nothing is said here.
    address.reset();
  }
  std::optional<SmallVector<IndexExpr>> strides =
      getStrides(access.array, side);
  if (!strides || !address) {
    // The address is unknown, so no two threads are certain to access it.
    query.isComplete = false;
    return getUnknown(access.array, side);
  }
  for (auto [d, stride] : llvm::enumerate(*strides))
    address = *address + getIndex(access, d, side) * stride * constant(bytes);
  return *address;
}

/// The parameter of a kernel that `array` is a view of from its beginning.
static Value getParameter(Value array) {
  auto view = array.getDefiningOp<memref::ReinterpretCastOp>();
  bool isWhole = view && isa<BlockArgument>(view.getSource()) &&
                 isConstantIntValue(view.getMixedOffsets().front(), 0);
  return isWhole ? view.getSource() : Value();
}

/// The number of elements that an access reaches in the last dimension.
static int64_t getLanes(const MemoryAccess &access) {
  auto type = cast<MemRefType>(access.array.getType());
  return access.bytes / getBytes(type.getElementType());
}

IndexExpr PairModel::getIndex(const MemoryAccess &access, unsigned d,
                              Owner side) {
  IndexExpr index = get(access.indices[d], side);
  return d + 1 == access.indices.size()
             ? index * constant(access.scale) + constant(access.offset)
             : index;
}

/// The conditions that the indices of `access` are within the array.
SmallVector<IndexExpr> PairModel::getBounds(const MemoryAccess &access,
                                            Owner side) {
  auto type = cast<MemRefType>(access.array.getType());
  SmallVector<IndexExpr> bounds;
  for (unsigned dimension = 0; dimension < access.indices.size(); ++dimension) {
    IndexExpr number = getIndex(access, dimension, side);
    bounds.push_back(compare(Compare::LessEqual, constant(0), number));
    std::optional<IndexExpr> size;
    if (!type.isDynamicDim(dimension))
      size = constant(type.getDimSize(dimension));
    else if (auto view =
                 access.array.getDefiningOp<memref::ReinterpretCastOp>())
      if (auto value = dyn_cast<Value>(view.getMixedSizes()[dimension]))
        size = get(value, side);
    bool isLast = dimension + 1 == access.indices.size();
    IndexExpr last = number + constant(isLast ? getLanes(access) - 1 : 0);
    if (size)
      bounds.push_back(compare(Compare::Less, last, *size));
    else if (!assumesBounds)
      // Of which nothing is known, so that it cannot be proved.
      bounds.push_back(getUnknown(access.array, side));
  }
  return bounds;
}

void PairModel::addDimensions(MemoryAccess a, MemoryAccess b) {
  // In one array, permuted alike, elements meet where they do unpermuted.
  Swizzle swizzle, otherSwizzle;
  Value first = getUnswizzled(a, swizzle);
  Value second = getUnswizzled(b, otherSwizzle);
  if (first && second && a.array == b.array && swizzle == otherSwizzle &&
      getLanes(a) == 1 && getLanes(b) == 1) {
    a.indices.back() = first;
    b.indices.back() = second;
  }
  // Every access is assumed to be within its array. The answer reports the
  // accesses for which this is not proved.
  query.conditions.append(getBounds(a, Owner::First));
  query.conditions.append(getBounds(b, Owner::Second));
  // Elements of one array with sizes that are not known: the same element has
  // the same indices, also in two parameters that may be one array, if these
  // have equal rows.
  Value one = getParameter(a.array), other = getParameter(b.array);
  auto getElement = [](const MemoryAccess &access) {
    return getBytes(cast<MemRefType>(access.array.getType()).getElementType());
  };
  bool isOneArray =
      a.array == b.array ||
      (a.root == b.root && one && other && one != other &&
       a.indices.size() == b.indices.size() && getElement(a) == getElement(b) &&
       haveEqualRows(a.array, b.array));
  if (isOneArray && !a.isShared && !a.indices.empty() &&
      !cast<MemRefType>(a.array.getType()).hasStaticShape() &&
      isRowMajor(a.array) && isRowMajor(b.array) &&
      getOwner(a.array, Owner::First) == Owner::Both) {
    for (unsigned d = 0; d < a.indices.size(); ++d)
      query.dimensions.push_back(
          {getIndex(a, d, Owner::First), getIndex(b, d, Owner::Second), 1, 1});
    query.isByElement = true;
    query.dimensions.back().firstWidth = getLanes(a);
    query.dimensions.back().secondWidth = getLanes(b);
    return;
  }
  query.dimensions.push_back({getByteAddress(a, Owner::First),
                              getByteAddress(b, Owner::Second), a.bytes,
                              b.bytes});
}
