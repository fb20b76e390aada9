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
// counts the digits of each tile, scans the counts, sorts each tile in shared
// memory by `obs.rank`, and writes the tiles to their places. At the end, the
// elements are read at the sorted positions. From: N. Satish, M. Harris, M.
// Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, 2009;
// examples/radix-sort-64.mlir is the same program as text.
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
static constexpr int64_t tile = 2048, digitBits = 8, numDigits = 256;

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
  ArrayRef<Type> element = type.getElementTypes();
  int64_t n = type.getExtents().front();
  OpFoldResult size = getIndexAttr(tile),
               tiles = getIndexAttr(llvm::divideCeil(n, tile)),
               allDigits = getIndexAttr(numDigits);
  Value zero = getNumber(getI32Type(), 0), one = getNumber(getI32Type(), 1);
  auto getBlockType = [&](int64_t extent, TypeRange types) {
    return PushType::get(getContext(), Level::Block, {extent},
                         SmallVector<Type>(types));
  };
  auto counts = getBlockType(numDigits, getI32Type());
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(*this, a, b);
  };
  auto getPlace = [&](Value number, ValueRange j) {
    return add(arith::MulIOp::create(*this, number, getIndex(tile)), j.front());
  };
  auto isIn = [&](Value place) -> Value {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::ult, place,
                                 getIndex(n));
  };
  auto getDigit = [&](Value key) -> Value {
    return arith::TruncIOp::create(*this, getI8Type(),
                                   arith::ShRUIOp::create(*this, key, shift));
  };
  auto castIndex = [&](Value number) -> Value {
    return arith::IndexCastUIOp::create(*this, getIndexType(), number);
  };
  // Past the end, a tile repeats the last pair, and digits are the largest.
  auto getTile = [&](Value number) {
    return forceOne(generate(size, [&](ValueRange j) {
      return get(pairs, Value(arith::MinUIOp::create(*this, getPlace(number, j),
                                                     getIndex(n - 1))));
    }));
  };
  auto getDigits = [&](Value own, Value number) {
    return generate(size, [&](ValueRange j) -> SmallVector<Value> {
      return {arith::SelectOp::create(*this, isIn(getPlace(number, j)),
                                      getDigit(get(own, j).front()),
                                      getNumber(getI8Type(), -1))};
    });
  };
  auto store = [&](Value array, StringRef kernel) {
    auto force = ForceOp::create(*this, array, ValueRange());
    force.setThreads(256);
    force.setKernel(kernel);
    return force.getResults().front();
  };
  auto sum = [&](ValueRange x) -> SmallVector<Value> {
    return {add(x[0], x[1])};
  };

  Value perTile =
      distributePush(
          tiles, Level::Block,
          [&](ValueRange number) -> SmallVector<Value> {
            Value digits = getDigits(getTile(number[0]), number[0]);
            Value found = fill(
                counts, zero, Value(), {}, getContract(getI32Type(), sum), [&] {
                  par(size, Level::Thread, [&](ValueRange j) {
                    WriteOp::create(*this, one, castIndex(getOne(digits, j)),
                                    ContractAttr(), Attribute());
                  });
                });
            return {forceOne(found, Storage::Shared)};
          })
          .front();
  int64_t total = numDigits * llvm::divideCeil(n, tile);
  Value byDigit = ReshapeOp::create(
      *this,
      PushType::get(getContext(), Level::Grid, {total}, Type(getI32Type())),
      TransposeOp::create(*this, perTile, {1, 0}), ValueRange());
  Choice onePass;
  onePass.strategy = "one_pass";
  Value begins = scan(store(byDigit, "count_digits"), zero, /*dim=*/0,
                      /*exclusive=*/true, /*reverse=*/false, sum, onePass);

  WriteContract once;
  once.unchecked = true;
  auto sorted = PushType::get(getContext(), Level::Grid, {n}, element);
  Value moved = fill(sorted, {}, Value(), {}, once, [&] {
    par(tiles, Level::Block, [&](ValueRange number) {
      Value own = getTile(number[0]);
      Value digits = forceOne(getDigits(own, number[0]), Storage::Shared);
      Value ownBegins = forceOne(generate(allDigits, [&](ValueRange d) {
        Value row = arith::MulIOp::create(*this, d[0], getIndex(tiles));
        return get(begins, add(row, number[0]));
      }));
      auto rank = RankOp::create(*this, getBlockType(tile, getI16Type()),
                                 counts, digits, StringAttr());
      auto stored = ForceOp::create(*this, rank->getResults(), ValueRange());
      Value ranks = stored.getResults()[0];
      auto scanned = ScanOp::create(*this, counts, TypeRange(),
                                    stored.getResults()[1], zero, Level::Block,
                                    /*exclusive=*/true, /*total=*/false,
                                    /*commutative=*/false, StringAttr());
      Region body;
      buildBlock(body, {getI32Type(), getI32Type()}, sum);
      scanned.getBody().takeBody(body);
      // Pair p of the sorted tile has the place p + base of its digit.
      Value bases =
          forceOne(map({ownBegins, forceOne(scanned.getResult())},
                       [&](ValueRange x) -> SmallVector<Value> {
                         return {arith::SubIOp::create(*this, x[0], x[1])};
                       }),
                   Storage::Shared);
      Value sortedTile =
          forceOne(fill(getBlockType(tile, element), {}, Value(), {}, once,
                        [&] {
                          par(size, Level::Thread, [&](ValueRange j) {
                            WriteOp::create(*this, get(own, j),
                                            castIndex(getOne(ranks, j)),
                                            ContractAttr(), Attribute());
                          });
                        }),
                   Storage::Shared);
      par(size, Level::Thread, [&](ValueRange p) {
        scf::IfOp::create(
            *this, isIn(getPlace(number[0], p)), [&](OpBuilder &, Location) {
              SmallVector<Value> pair = get(sortedTile, p);
              Value base = getOne(bases, castIndex(getDigit(pair.front())));
              Value offset =
                  arith::IndexCastOp::create(*this, getI32Type(), p[0]);
              WriteOp::create(*this, pair, castIndex(add(base, offset)),
                              ContractAttr(), Attribute());
              scf::YieldOp::create(*this);
            });
      });
    });
  });
  return store(moved, "sort_digits");
}

Value ArrayBuilder::sortByDigits(Value vector, ScalarCode less) {
  auto type = cast<PullType>(vector.getType());
  ArrayRef<Type> element = type.getElementTypes();
  int64_t n = type.getExtents().front();
  if (type.getRank() != 1 || ShapedType::isDynamic(n) || n < shortest ||
      !llvm::isInt<32>(n))
    return {};
  SmallVector<Type> both(element);
  llvm::append_range(both, element);
  Region order;
  using Predicate = arith::CmpIPredicate;
  auto compare =
      buildBlock(order, both, less).front().getDefiningOp<arith::CmpIOp>();
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
