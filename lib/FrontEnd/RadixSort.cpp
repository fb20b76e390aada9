//===- RadixSort.cpp - Sorts of long vectors by the digits of keys --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a vector, and an order that compares the same integer function of both
// elements, such as `less(x, y) = x.key < y.key`. Out: the sorted vector.
//
// Each element becomes a key, whose unsigned order is the order of the
// elements, and its position. A pass sorts these pairs by one digit of 8 bits,
// from the least significant one on, and keeps the order of equal digits. It
// counts the digits, scans the counts, and moves the pairs by `obs.partition`.
// At the end, the elements are read at the sorted positions.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// A shorter vector has fewer kernels if it is sorted by merges.
static constexpr int64_t shortest = 1 << 15;
static constexpr int64_t digitBits = 8, numDigits = 256;

/// True if `right` is the same function of the second `count` arguments of a
/// block as `left` is of the first ones.
static bool isSameFunction(Value left, Value right, Block &block,
                           unsigned count) {
  auto isOwn = [&](Value value) { return value.getParentBlock() == &block; };
  if (!isOwn(left) || !isOwn(right))
    return left == right;
  auto first = dyn_cast<BlockArgument>(left),
       second = dyn_cast<BlockArgument>(right);
  if (first || second)
    return first && second && first.getArgNumber() < count &&
           second.getArgNumber() == first.getArgNumber() + count;
  Operation *a = left.getDefiningOp(), *b = right.getDefiningOp();
  return a->getName() == b->getName() && !a->getNumRegions() &&
         isMemoryEffectFree(a) &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         cast<OpResult>(left).getResultNumber() ==
             cast<OpResult>(right).getResultNumber() &&
         a->getNumOperands() == b->getNumOperands() &&
         llvm::all_of(
             llvm::zip(a->getOperands(), b->getOperands()), [&](auto operands) {
               return isSameFunction(std::get<0>(operands),
                                     std::get<1>(operands), block, count);
             });
}

/// The value in `block` for other arguments of this block.
static Value cloneValue(OpBuilder &b, Value value, Block &block,
                        IRMapping &map) {
  if (value.getParentBlock() != &block || map.contains(value))
    return map.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneValue(b, operand, block, map);
  b.clone(*op, map);
  return map.lookup(value);
}

Value ArrayBuilder::sortDigit(Value pairs, Value shift) {
  auto type = cast<PullType>(pairs.getType());
  OpFoldResult size = getIndexAttr(type.getExtents().front());
  auto getDigit = [&](ValueRange pair) -> SmallVector<Value> {
    Value digit = arith::TruncIOp::create(
        *this, getI8Type(), arith::ShRUIOp::create(*this, pair.front(), shift));
    return {arith::ExtUIOp::create(*this, getI32Type(), digit)};
  };
  auto sum = [&](ValueRange x) -> SmallVector<Value> {
    return {add(x[0], x[1])};
  };
  auto store = [&](Value array, StringRef kernel) {
    auto force = ForceOp::create(*this, array, ValueRange());
    force.setKernel(kernel);
    return force.getResults().front();
  };
  Value zero = getNumber(getI32Type(), 0), one = getNumber(getI32Type(), 1);
  auto counts =
      PushType::get(getContext(), Level::Grid, {numDigits}, Type(getI32Type()));
  Value found =
      fill(counts, zero, Value(), {}, getContract(getI32Type(), sum), [&] {
        par(size, Level::Thread, [&](ValueRange i) {
          Value digit = getDigit(get(pairs, i)).front();
          Value place =
              arith::IndexCastUIOp::create(*this, getIndexType(), digit);
          WriteOp::create(*this, one, place, ContractAttr(), Attribute());
        });
      });
  // One block needs no memory that is cleared before.
  CollectiveOptions ofBlock;
  ofBlock.level = Level::Block;
  Value starts = scan(store(found, "count_digits"), zero, /*dim=*/0,
                      /*exclusive=*/true, /*reverse=*/false, sum, ofBlock);
  auto sorted = PartitionOp::create(*this,
                                    PushType::get(getContext(), Level::Grid,
                                                  type.getExtents(),
                                                  type.getElementTypes()),
                                    pairs, starts);
  Region body;
  buildBlock(body, type.getElementTypes(), getDigit);
  sorted.getBody().takeBody(body);
  return store(sorted, "sort_digits");
}

Value ArrayBuilder::sortByDigits(Value vector, ScalarCode less) {
  auto type = cast<PullType>(vector.getType());
  ArrayRef<Type> element = type.getElementTypes();
  int64_t n = type.getExtents().front();
  if (type.getRank() != 1 || ShapedType::isDynamic(n) || n < shortest ||
      !llvm::isInt<32>(n))
    return {};
  Region order;
  using Predicate = arith::CmpIPredicate;
  auto compare = buildOperator(order, element, less)
                     .front()
                     .getDefiningOp<arith::CmpIOp>();
  auto number =
      compare ? dyn_cast<IntegerType>(compare.getLhs().getType()) : Type();
  if (!number || number.getIntOrFloatBitWidth() > 64 ||
      !llvm::is_contained(
          {Predicate::slt, Predicate::ult, Predicate::sgt, Predicate::ugt},
          compare.getPredicate()) ||
      !isSameFunction(compare.getLhs(), compare.getRhs(), order.front(),
                      element.size()))
    return {};

  unsigned bits = number.getIntOrFloatBitWidth();
  Predicate predicate = compare.getPredicate();
  bool isSigned = predicate == Predicate::slt || predicate == Predicate::sgt;
  bool isReversed = predicate == Predicate::sgt || predicate == Predicate::ugt;
  APInt flipped = isSigned ? APInt::getSignMask(bits) : APInt(bits, 0);
  if (isReversed)
    flipped.flipAllBits();
  Type wide = bits > 32 ? getI64Type() : getI32Type();
  OpFoldResult length = getIndexAttr(n);
  Value pairs = generate(length, [&](ValueRange i) {
    IRMapping map;
    map.map(order.getArguments().take_front(element.size()), get(vector, i));
    Value key = cloneValue(*this, compare.getLhs(), order.front(), map);
    key = arith::XOrIOp::create(
        *this, key,
        arith::ConstantOp::create(*this, getIntegerAttr(number, flipped)));
    if (number != wide)
      key = arith::ExtUIOp::create(*this, wide, key);
    Value place = arith::IndexCastOp::create(*this, getI32Type(), i[0]);
    return SmallVector<Value>{key, place};
  });
  auto passes = scf::ForOp::create(
      *this, getNumber(wide, 0), getNumber(wide, bits),
      getNumber(wide, digitBits), ValueRange{forceOne(pairs)},
      [&](OpBuilder &, Location, Value shift, ValueRange carried) {
        scf::YieldOp::create(*this, sortDigit(carried.front(), shift));
      });
  Value sorted = passes.getResult(0);
  return forceOne(generate(length, [&](ValueRange i) -> SmallVector<Value> {
    Value place = get(sorted, i).back();
    return get(vector, Value(arith::IndexCastUIOp::create(*this, getIndexType(),
                                                          place)));
  }));
}
