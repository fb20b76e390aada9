//===- Lookback.cpp - Communication between the tiles of a kernel ---------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoupled look-back (Merrill and Garland, 2016). A block draws the number of
// its tile from a counter. So a block only waits for tiles of blocks that
// already run, and any number of resident blocks is sufficient. A block scans
// its tile and publishes the combination of the elements of the tile. It then
// looks back from tile to tile to combine all elements before its tile. It
// stops at a tile that has published the combination of all elements up to its
// end.
//
// A warp looks back at 32 tiles at a time, with a lane for each. Their results
// are combined by an operator on pairs of a flag (true if the value includes
// all elements before) and a value,
//   (f, x) ∘ (g, y) = (f or g, g ? y : x ∘ y),
// The warp goes on to the 32 tiles before only if no flag is set.
//
// If rounding must not depend on the speed of blocks, the warp combines tiles
// one after the other, from left to right. It begins with the last tile that
// has published the combination of all elements up to its end. This is the
// grouping of a scan in which each tile waits for the tile before it.
//
// If the components of an element have at most 32 bits, flag and element are
// one word, which is written and read by one operation. No other data is
// published then, so no fences are needed. A count has 62 bits in such a word.
//
//===----------------------------------------------------------------------===//

#include "Lookback.h"
#include "Grid.h"
#include "Pieces.h"
#include "Published.h"
#include "Strategies.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// The number of bits of the state in the word of a count.
static constexpr int64_t countShift = 2;

static std::optional<Packing> findPacking(CollectiveBuilder &c) {
  unsigned bits = 0;
  for (Type type : c.elementTypes)
    bits += type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  if (c.plain || bits > 32)
    return std::nullopt;
  SmallVector<Type> types(c.elementTypes);
  types.push_back(c.builder.getI32Type());
  return Packing(c.builder, types);
}

Lookback::Lookback(CollectiveBuilder &c, Value tiles, LookbackKind kind)
    : tiles(tiles), kind(kind), packing(findPacking(c)),
      isInWords(packing || (kind == LookbackKind::Counts && !c.plain)),
      flags(allocateFlags(c, c.add(tiles, c.constant(1)),
                          /*bits=*/isInWords ? 64 : 32)) {
  if (!isInWords)
    found = allocatePublished(c, c.mul(tiles, c.constant(2)));
}

static Value getFlag(CollectiveBuilder &c, TileState state,
                     unsigned bits = 32) {
  return arith::ConstantIntOp::create(c.builder, c.loc,
                                      static_cast<int64_t>(state), bits);
}

Value Lookback::pack(CollectiveBuilder &thread, TileState state,
                     ValueRange values) {
  OpBuilder &builder = thread.builder;
  if (packing) {
    Values all(values);
    all.push_back(getFlag(thread, state));
    return packing->pack(builder, thread.loc, all);
  }
  Value count = convert(thread, values.front(), builder.getI64Type(),
                        /*isUnsigned=*/true);
  Value shift =
      arith::ConstantIntOp::create(builder, thread.loc, countShift, 64);
  return arith::OrIOp::create(
      builder, thread.loc,
      arith::ShLIOp::create(builder, thread.loc, count, shift),
      getFlag(thread, state, 64));
}

Values Lookback::unpack(CollectiveBuilder &thread, Value word) {
  OpBuilder &builder = thread.builder;
  if (packing)
    return packing->unpack(builder, thread.loc, word);
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, thread.loc, value, 64);
  };
  Value count = arith::ShRUIOp::create(builder, thread.loc, word,
                                       getConstant(countShift));
  Value state = arith::AndIOp::create(builder, thread.loc, word,
                                      getConstant((1 << countShift) - 1));
  return {toIndex(thread, count, /*isUnsigned=*/true),
          convert(thread, state, builder.getI32Type())};
}

/// The index in `found` of the values of tile `number`.
Value Lookback::position(CollectiveBuilder &thread, Value number,
                         TileState state) {
  return thread.add(thread.mul(number, thread.constant(2)),
                    thread.constant(state == TileState::Everything ? 1 : 0));
}

Value Lookback::drawTile(CollectiveBuilder &block) {
  CollectiveBuilder numbers = block;
  numbers.elementTypes = {block.builder.getIndexType()};
  Value drawn = numbers.forceFill(
      {block.getConstantExtent(1)}, block.constant(1), [&](Value, auto write) {
        write(countUp(block, flags, tiles), block.constant(0));
      });
  return numbers.get(drawn, block.constant(0)).front();
}

void Lookback::publish(CollectiveBuilder &thread, Value number, TileState state,
                       ValueRange values) {
  if (isInWords) {
    memref::AtomicRMWOp::create(thread.builder, thread.loc,
                                arith::AtomicRMWKind::assign,
                                pack(thread, state, values), flags, number);
    return;
  }
  storePublished(thread, values, found, position(thread, number, state));
  release(thread);
  memref::AtomicRMWOp::create(thread.builder, thread.loc,
                              arith::AtomicRMWKind::assign,
                              getFlag(thread, state), flags, number);
}

/// Waits until a tile has published a result, and returns it. The first value
/// is a condition: true if the result includes all elements up to the end of
/// the tile.
Values Lookback::await(CollectiveBuilder &thread, Value number) {
  OpBuilder &builder = thread.builder;
  Location loc = thread.loc;
  auto isFlag = [&](Value value, TileState state) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                 getFlag(thread, state));
  };
  Type type = cast<MemRefType>(flags.getType()).getElementType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange(type), ValueRange(),
      [&](OpBuilder &, Location, ValueRange) {
        // An `or` with 0 is an atomic read.
        Value now = memref::AtomicRMWOp::create(
            builder, loc, arith::AtomicRMWKind::ori, zero, flags, number);
        Value state = isInWords ? unpack(thread, now).back() : now;
        scf::ConditionOp::create(builder, loc,
                                 isFlag(state, TileState::Unknown), now);
      },
      [&](OpBuilder &, Location, ValueRange) {
        scf::YieldOp::create(builder, loc);
      });
  if (isInWords) {
    Values found = unpack(thread, loop.getResult(0));
    Values known{isFlag(found.pop_back_val(), TileState::Everything)};
    llvm::append_range(known, found);
    return known;
  }
  acquire(thread);
  Values known{isFlag(loop.getResult(0), TileState::Everything)};
  Value place =
      arith::SelectOp::create(builder, loc, known.front(),
                              position(thread, number, TileState::Everything),
                              position(thread, number, TileState::Own));
  llvm::append_range(known, loadPublished(thread, found, place));
  return known;
}

/// At level warp: an array with the results of the 32 tiles before `end`. Each
/// element is a condition, which is true if the result includes all elements up
/// to the end of the tile, and the combined elements. Tiles with negative
/// numbers are treated as tiles with the condition true.
Value Lookback::buildWindow(CollectiveBuilder &pairs, Value end,
                            ValueRange any) {
  Extent lanes = pairs.getConstantExtent(warpSize);
  return pairs.force(pairs.generate(lanes, [&](Value lane) {
    Value place = pairs.add(pairs.sub(end, lanes.value), lane);
    return pairs.choose(
        pairs.less(place, pairs.constant(0)),
        [&] {
          Values nothing{
              arith::ConstantIntOp::create(pairs.builder, pairs.loc, 1, 1)};
          llvm::append_range(nothing, any);
          return nothing;
        },
        [&] { return await(pairs, place); });
  }));
}

/// At level warp: a condition, which is true if one of these tiles has a result
/// that includes all elements before, and the combination of their elements. If
/// `before` is given, it is the left-most operand.
Values Lookback::combineWindow(CollectiveBuilder &warp,
                               CollectiveBuilder &pairs, Value end,
                               ValueRange any, ValueRange before) {
  Value window = buildWindow(pairs, end, any);
  if (kind != LookbackKind::InOrder)
    return pairs.get(reduceLanes(pairs, window), pairs.constant(0));
  // The last tile whose result includes all elements before.
  CollectiveBuilder numbers(
      warp.builder, warp.loc, warp.level, warp.builder.getI32Type(),
      /*commutative=*/true,
      [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        return Values{arith::MaxSIOp::create(b, loc, x[0], y[0])};
      });
  Extent lanes = warp.getConstantExtent(warpSize);
  Value knowing = numbers.force(numbers.generate(lanes, [&](Value lane) {
    Value none =
        arith::ConstantIntOp::create(warp.builder, warp.loc, -1, /*width=*/32);
    return Values{arith::SelectOp::create(
        warp.builder, warp.loc, pairs.get(window, lane).front(),
        convert(warp, lane, warp.builder.getI32Type()), none)};
  }));
  Value last = toIndex(
      warp,
      numbers.get(reduceLanes(numbers, knowing), warp.constant(0)).front());
  Value zero = warp.constant(0);
  Value isKnown = warp.less(warp.constant(-1), last);
  // From this tile on, one tile after the other, as if each tile had waited for
  // the tile before it. The shuffles of several tiles are independent of each
  // other.
  constexpr int64_t steps = 8;
  auto fold = [&](ValueRange start) {
    Value from = warp.mul(warp.div(warp.max(last, zero), warp.constant(steps)),
                          warp.constant(steps));
    auto loop = scf::ForOp::create(
        warp.builder, warp.loc, from, lanes.value, warp.constant(steps), start,
        [&](OpBuilder &, Location loc, Value base, ValueRange carried) {
          Values known(carried);
          for (int64_t i = 0; i < steps; ++i) {
            Value lane = warp.add(base, warp.constant(i));
            Values next(ValueRange(pairs.get(window, lane)).drop_front());
            known = warp.choose(
                warp.less(last, lane),
                [&] { return warp.combine(known, next); },
                [&] { return next; });
          }
          scf::YieldOp::create(warp.builder, loc, known);
        });
    return Values(loop.getResults());
  };
  Values result{isKnown};
  llvm::append_range(result, before.empty()
                                 ? warp.choose(
                                       isKnown, [&] { return fold(any); },
                                       [&] { return Values(any); })
                                 : fold(before));
  return result;
}

/// At level warp: the combination of all elements before a tile; `own`, the
/// result of the tile itself, if there are no elements before it.
Values Lookback::lookBack(CollectiveBuilder &warp, Value number,
                          ValueRange own) {
  OpBuilder &builder = warp.builder;
  CollectiveBuilder pairs(
      builder, warp.loc, warp.level, warp.elementTypes,
      /*commutative=*/false,
      [&warp](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        Values result{arith::OrIOp::create(b, loc, x[0], y[0])};
        llvm::append_range(
            result,
            warp.choose(
                y[0], [&] { return Values(y.drop_front()); },
                [&] { return warp.combine(x.drop_front(), y.drop_front()); }));
        return result;
      });
  pairs.elementTypes.insert(pairs.elementTypes.begin(), builder.getI1Type());
  Value step = warp.constant(warpSize);
  Values start{number, warp.less(warp.constant(0), number)};
  llvm::append_range(start, own);
  auto back = scf::WhileOp::create(
      builder, warp.loc, ValueRange(start).getTypes(), start,
      [&](OpBuilder &, Location loc, ValueRange carried) {
        scf::ConditionOp::create(builder, loc, carried[1], carried);
      },
      [&](OpBuilder &, Location loc, ValueRange carried) {
        Values known = combineWindow(warp, pairs, carried[0], own, {});
        Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
        Values next{warp.sub(carried[0], step),
                    arith::XOrIOp::create(builder, loc, known[0], yes)};
        ValueRange values = ValueRange(known).drop_front();
        // In the first step, no value was combined before.
        llvm::append_range(next, kind == LookbackKind::InOrder
                                     ? Values(values)
                                     : warp.choose(
                                           warp.equal(carried[0], number),
                                           [&] { return Values(values); },
                                           [&] {
                                             return warp.combine(
                                                 values, carried.drop_front(2));
                                           }));
        scf::YieldOp::create(builder, loc, next);
      });
  ValueRange found = back.getResults().drop_front(2);
  if (kind != LookbackKind::InOrder)
    return Values(found);
  // From there to the tile.
  auto forth = scf::ForOp::create(
      builder, warp.loc, warp.add(back.getResult(0), warp.add(step, step)),
      warp.add(number, warp.constant(1)), step, found,
      [&](OpBuilder &, Location loc, Value end, ValueRange carried) {
        Values known = combineWindow(warp, pairs, end, own, carried);
        scf::YieldOp::create(builder, loc, ValueRange(known).drop_front());
      });
  return Values(forth.getResults());
}

Values Lookback::buildPrefix(CollectiveBuilder &block, Value number,
                             ValueRange own, Value isAwaited) {
  OpBuilder &builder = block.builder;
  Value zero = block.constant(0);
  Extent one = block.getConstantExtent(1);
  Value isFirst = block.equal(number, zero);
  forEach(block, one.value, [&](Value) {
    buildIf(block, isAwaited, [&] {
      auto branch = scf::IfOp::create(builder, block.loc, isFirst,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      publish(block, number, TileState::Everything, own);
      builder.setInsertionPointToStart(branch.elseBlock());
      publish(block, number, TileState::Own, own);
    });
  });
  Value all =
      block.distributeWarps(one, 1, one, [&](CollectiveBuilder &warp, Value) {
        Values prefix = lookBack(warp, number, own);
        Value isWanted = builder.createOrFold<arith::AndIOp>(
            warp.loc, isAwaited, warp.less(zero, number));
        Value told = warp.forceFill({one}, one.value, [&](Value i, auto write) {
          buildIf(warp, isWanted, [&] {
            publish(warp, number, TileState::Everything,
                    warp.combine(prefix, own));
          });
          write(prefix, i);
        });
        return warp.generate(one, [&](Value i) { return warp.get(told, i); });
      });
  return block.get(all, zero);
}

Values Lookback::getTotal(CollectiveBuilder &c) {
  Value last = c.sub(tiles, c.constant(1));
  Extent any = {Value(), ShapedType::kDynamic, ShapedType::kDynamic};
  if (!isInWords)
    return c.get(buildView(c.builder, c.loc, c.getPullType(any), found),
                 position(c, last, TileState::Everything));
  CollectiveBuilder words = c;
  words.elementTypes = {c.builder.getI64Type()};
  Value view = buildView(c.builder, c.loc, words.getPullType(any), {flags});
  Values values = unpack(c, words.get(view, last).front());
  values.pop_back();
  return values;
}
