//===- PublishedResults.cpp - Results that blocks wait for ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PublishedResults.h"
#include "ExpansionUtils.h"
#include "Published.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of bits of a piece.
static constexpr int64_t pieceBits = 32;
static constexpr int64_t maxPieces = 4;

static Value getInteger(CollectiveBuilder &c, int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(c.builder, c.loc, value, bits);
}

Value strategies::getState(CollectiveBuilder &c, ResultState state) {
  return getInteger(c, static_cast<int64_t>(state), 32);
}

static unsigned getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The number of pieces of 32 bits of an element; 0 if there are too many.
static int64_t countPieces(ArrayRef<Type> types) {
  int64_t pieces = 0;
  for (Type type : types)
    pieces += getBits(type) > 2 * pieceBits
                  ? maxPieces + 1
                  : llvm::divideCeil(getBits(type), pieceBits);
  return pieces <= maxPieces ? pieces : 0;
}

PublishedResults::PublishedResults(CollectiveBuilder &c, Value number,
                                   bool isCount, int64_t leastThreads)
    : number(number), isCount(isCount), leastThreads(leastThreads),
      pieces(isCount ? 1 : countPieces(c.elementTypes)), states(1),
      isInWords(!c.plain && pieces > 0) {
  if (!isInWords)
    pieces = 1;
  if (pieces > 1)
    states = 2;
  wordType = c.builder.getIntegerType(
      !isInWords ? 32 : (isCount ? getBits(c.elementTypes.front()) : 64));
  Value count = c.mul(number, c.constant(pieces * states));
  words = allocateFlags(c, c.add(count, c.constant(1)), wordType.getWidth());
  if (!isInWords)
    memory = allocatePublished(c, c.mul(number, c.constant(2)));
}

Value PublishedResults::draw(CollectiveBuilder &block) {
  Value counter = block.mul(number, block.constant(pieces * states));
  return TicketOp::create(block.builder, block.loc, words, counter,
                          allocateCell(block));
}

/// The index of the first word, or of the element in memory.
Value PublishedResults::getPlace(CollectiveBuilder &c, Value at,
                                 ResultState state) const {
  int64_t own = isInWords ? states : 2;
  Value first = c.mul(at, c.constant(own * pieces));
  bool isSecond = own == 2 && state == ResultState::Everything;
  return c.add(first, c.constant(isSecond ? pieces : 0));
}

/// The words of a result: pieces of 32 bits, each with the state above it.
Values PublishedResults::pack(CollectiveBuilder &c, ResultState state,
                              ValueRange values) const {
  OpBuilder &builder = c.builder;
  Location loc = c.loc;
  auto combine = [&](Value low, Value high, int64_t shift) -> Value {
    Value shifted =
        arith::ShLIOp::create(builder, loc, high, getInteger(c, shift, 64));
    return arith::OrIOp::create(builder, loc, low, shifted);
  };
  if (isCount) {
    unsigned bits = wordType.getWidth();
    Value count = convert(c, values.front(), wordType, /*isUnsigned=*/true);
    if (state == ResultState::Own)
      return {
          arith::AddIOp::create(builder, loc, count, getInteger(c, 1, bits))};
    Value sign = arith::ConstantOp::create(
        builder, loc, IntegerAttr::get(wordType, APInt::getSignMask(bits)));
    return {arith::OrIOp::create(builder, loc, count, sign)};
  }
  Value own = getInteger(c, static_cast<int64_t>(state), 64);
  Values packed;
  for (Value value : values) {
    unsigned bits = getBits(value.getType());
    if (isa<FloatType>(value.getType()))
      value = arith::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(bits), value);
    value = convert(c, value, builder.getI64Type(), /*isUnsigned=*/true);
    for (unsigned begin = 0; begin < bits; begin += pieceBits) {
      Value piece = value;
      if (begin > 0)
        piece = arith::ShRUIOp::create(builder, loc, piece,
                                       getInteger(c, begin, 64));
      else if (bits > pieceBits)
        piece = arith::AndIOp::create(builder, loc, piece,
                                      getInteger(c, UINT32_MAX, 64));
      packed.push_back(combine(piece, own, pieceBits));
    }
  }
  return packed;
}

Values PublishedResults::unpack(CollectiveBuilder &c, ValueRange packed) const {
  OpBuilder &builder = c.builder;
  Location loc = c.loc;
  if (isCount) {
    unsigned bits = wordType.getWidth();
    Value word = packed.front();
    Value isAll = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        word, getInteger(c, 0, bits));
    Value all = arith::AndIOp::create(
        builder, loc, word,
        arith::ConstantOp::create(
            builder, loc,
            IntegerAttr::get(wordType, APInt::getSignedMaxValue(bits))));
    Value own =
        arith::SubIOp::create(builder, loc, word, getInteger(c, 1, bits));
    return {convert(c, arith::SelectOp::create(builder, loc, isAll, all, own),
                    c.elementTypes.front(), /*isUnsigned=*/true)};
  }
  Values values;
  for (Type type : c.elementTypes) {
    unsigned bits = getBits(type);
    IntegerType integer = builder.getIntegerType(bits);
    Value value = packed.front();
    if (bits > pieceBits) {
      Value low = arith::AndIOp::create(builder, loc, value,
                                        getInteger(c, UINT32_MAX, 64));
      Value high = arith::ShLIOp::create(builder, loc, packed[1],
                                         getInteger(c, pieceBits, 64));
      value = arith::OrIOp::create(builder, loc, low, high);
    }
    packed = packed.drop_front(llvm::divideCeil(bits, pieceBits));
    value = convert(c, value, integer);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(builder, loc, type, value);
    values.push_back(type.isIndex() ? toIndex(c, value) : value);
  }
  return values;
}

/// The state of a word, as i32.
Value PublishedResults::getWordState(CollectiveBuilder &c, Value word) const {
  OpBuilder &builder = c.builder;
  if (!isCount)
    return convert(c,
                   arith::ShRUIOp::create(builder, c.loc, word,
                                          getInteger(c, pieceBits, 64)),
                   builder.getI32Type());
  Value zero = getInteger(c, 0, wordType.getWidth());
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(builder, c.loc, predicate, word, zero);
  };
  Value known = arith::SelectOp::create(
      builder, c.loc, compare(arith::CmpIPredicate::slt),
      getState(c, ResultState::Everything), getState(c, ResultState::Own));
  return arith::SelectOp::create(builder, c.loc,
                                 compare(arith::CmpIPredicate::eq),
                                 getState(c, ResultState::Unknown), known);
}

void PublishedResults::publish(CollectiveBuilder &thread, Value at,
                               ResultState state, ValueRange values) {
  if (!isInWords) {
    PublishOp::create(thread.builder, thread.loc, values, memory, words, at,
                      static_cast<int32_t>(state));
    return;
  }
  Value place = getPlace(thread, at, state);
  for (auto [i, word] : llvm::enumerate(pack(thread, state, values)))
    memref::AtomicRMWOp::create(thread.builder, thread.loc,
                                arith::AtomicRMWKind::assign, word, words,
                                thread.add(place, thread.constant(i)));
}

/// The present state of a result, followed by its words.
Values PublishedResults::read(CollectiveBuilder &thread, Value at) const {
  OpBuilder &builder = thread.builder;
  Location loc = thread.loc;
  // An `or` with 0 is an atomic read.
  Value zero = getInteger(thread, 0, wordType.getWidth());
  auto readAll = [&](Value place) {
    Values all;
    for (int64_t i = 0; i < pieces; ++i) {
      auto op = memref::AtomicRMWOp::create(
          builder, loc, arith::AtomicRMWKind::ori, zero, words,
          thread.add(place, thread.constant(i)));
      if (leastThreads > 0)
        setAttr<ObsDialect::LeastThreadsAttrHelper>(
            op, builder.getI32IntegerAttr(leastThreads));
      all.push_back(op);
    }
    return all;
  };
  if (states == 1) {
    Values all = readAll(getPlace(thread, at, ResultState::Own));
    all.insert(all.begin(), getWordState(thread, all.front()));
    return all;
  }
  // The state is known if all of its words are there.
  Value now = getState(thread, ResultState::Unknown);
  Values all(pieces, zero);
  for (ResultState state : {ResultState::Own, ResultState::Everything}) {
    Values found = readAll(getPlace(thread, at, state));
    Value isThere = getInteger(thread, 1, 1);
    for (Value word : found)
      isThere = builder.createOrFold<arith::AndIOp>(
          loc, isThere,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, word,
                                zero));
    now = arith::SelectOp::create(builder, loc, isThere,
                                  getState(thread, state), now);
    for (auto [word, other] : llvm::zip_equal(all, found))
      word = arith::SelectOp::create(builder, loc, isThere, other, word);
  }
  all.insert(all.begin(), now);
  return all;
}

/// True if the state of a result is `Everything`.
static Value isEverything(CollectiveBuilder &thread, Value state) {
  return arith::CmpIOp::create(thread.builder, thread.loc,
                               arith::CmpIPredicate::eq, state,
                               getState(thread, ResultState::Everything));
}

SmallVector<Values> PublishedResults::await(CollectiveBuilder &thread,
                                            ArrayRef<Value> numbers,
                                            Value least) {
  OpBuilder &builder = thread.builder;
  Location loc = thread.loc;
  SmallVector<Values> found;
  if (!isInWords) {
    for (Value at : numbers) {
      auto own = AwaitOp::create(builder, loc, builder.getI32Type(),
                                 thread.elementTypes, memory, words, at, least);
      Values known{isEverything(thread, own.getFlag())};
      llvm::append_range(known, own.getValues());
      found.push_back(known);
    }
    return found;
  }
  SmallVector<Type> types;
  for (size_t i = 0; i < numbers.size(); ++i) {
    types.push_back(builder.getI32Type());
    types.append(pieces, wordType);
  }
  auto loop = scf::WhileOp::create(
      builder, loc, types, ValueRange(),
      [&](OpBuilder &, Location, ValueRange) {
        Values all;
        Value isEarly;
        for (Value at : numbers) {
          Values now = read(thread, at);
          Value isUnknown = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ult, now.front(), least);
          isEarly = isEarly
                        ? arith::OrIOp::create(builder, loc, isEarly, isUnknown)
                        : isUnknown;
          llvm::append_range(all, now);
        }
        scf::ConditionOp::create(builder, loc, isEarly, all);
      },
      [&](OpBuilder &, Location, ValueRange) {
        scf::YieldOp::create(builder, loc);
      });
  for (size_t i = 0; i < numbers.size(); ++i) {
    ValueRange own = loop.getResults().slice(i * (pieces + 1), pieces + 1);
    Values known{isEverything(thread, own.front())};
    llvm::append_range(known, unpack(thread, own.drop_front()));
    found.push_back(known);
  }
  return found;
}

Values PublishedResults::get(CollectiveBuilder &c, Value at) {
  Extent any = {Value(), ShapedType::kDynamic, ShapedType::kDynamic};
  Value place = getPlace(c, at, ResultState::Everything);
  if (!isInWords)
    return c.get(buildView(c.builder, c.loc, c.getPullType(any), memory),
                 place);
  CollectiveBuilder typed = c;
  typed.elementTypes = {wordType};
  Value view = buildView(c.builder, c.loc, typed.getPullType(any), {words});
  Values packed;
  for (int64_t i = 0; i < pieces; ++i)
    packed.push_back(typed.get(view, c.add(place, c.constant(i))).front());
  return unpack(c, packed);
}
