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
// If rounding must not depend on the speed of blocks, tiles form groups of 32.
// The combination before a tile is P ∘ g. P combines the groups before, from
// left to right, and g is a reduction of the tiles of the own group, which
// waits for the result of each of these tiles. The last tile of a group
// publishes the combination of the group, and then that of all elements up to
// its end. So P is known from the last group that has published the latter, and
// its bits do not depend on which group this is.
//
// If a tile has a count for each key, there are many counts. So a thread looks
// back for each key, at a few tiles at a time.
//
//===----------------------------------------------------------------------===//

#include "Lookback.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of results.
static Value countResults(CollectiveBuilder &c, Value tiles, bool isInOrder) {
  return isInOrder ? c.add(tiles, c.div(tiles, c.constant(warpSize))) : tiles;
}

Lookback::Lookback(CollectiveBuilder &c, Value tiles, LookbackKind kind)
    : tiles(tiles), isInOrder(kind == LookbackKind::InOrder),
      results(c, countResults(c, tiles, isInOrder),
              /*isCount=*/kind == LookbackKind::Counts) {}

/// A builder for a condition and an element. `combine` combines two of them.
static CollectiveBuilder
getPairs(CollectiveBuilder &warp,
         std::function<Values(ValueRange, ValueRange)> combine) {
  CollectiveBuilder pairs(warp.builder, warp.loc, warp.level, warp.elementTypes,
                          /*commutative=*/false,
                          [combine](OpBuilder &, Location, ValueRange x,
                                    ValueRange y) { return combine(x, y); });
  pairs.elementTypes.insert(pairs.elementTypes.begin(),
                            warp.builder.getI1Type());
  return pairs;
}

static Value getBool(CollectiveBuilder &c, bool value) {
  return arith::ConstantIntOp::create(c.builder, c.loc, value, /*width=*/1);
}

/// At level warp: an array with a lane for each result from `first` on. Each
/// element is a condition and a result. `get` builds it; `nothing` takes its
/// place if `isThere` is false.
static Value buildWindow(CollectiveBuilder &pairs,
                         llvm::function_ref<Value(Value)> isThere,
                         llvm::function_ref<Values(Value)> get,
                         ValueRange nothing) {
  return pairs.force(
      pairs.generate(pairs.getConstantExtent(warpSize), [&](Value lane) {
        return pairs.choose(
            isThere(lane), [&] { return get(lane); },
            [&] { return Values(nothing); });
      }));
}

/// At level warp: the combination of all elements before a tile; `own`, the
/// result of the tile itself, if there are no elements before it.
Values Lookback::lookBack(CollectiveBuilder &warp, Value number,
                          ValueRange own) {
  OpBuilder &builder = warp.builder;
  CollectiveBuilder pairs = getPairs(warp, [&](ValueRange x, ValueRange y) {
    Values result{arith::OrIOp::create(builder, warp.loc, x[0], y[0])};
    llvm::append_range(
        result,
        warp.choose(
            y[0], [&] { return Values(y.drop_front()); },
            [&] { return warp.combine(x.drop_front(), y.drop_front()); }));
    return result;
  });
  Value step = warp.constant(warpSize);
  Values nothing{getBool(warp, true)};
  llvm::append_range(nothing, own);
  Values start{number, warp.less(warp.constant(0), number)};
  llvm::append_range(start, own);
  auto back = scf::WhileOp::create(
      builder, warp.loc, ValueRange(start).getTypes(), start,
      [&](OpBuilder &, Location loc, ValueRange carried) {
        scf::ConditionOp::create(builder, loc, carried[1], carried);
      },
      [&](OpBuilder &, Location loc, ValueRange carried) {
        Value first = warp.sub(carried[0], step), zero = warp.constant(0);
        Value window = buildWindow(
            pairs,
            [&](Value lane) {
              return warp.less(warp.constant(-1), warp.add(first, lane));
            },
            [&](Value lane) {
              return results.await(warp, warp.add(first, lane),
                                   getState(warp, ResultState::Own));
            },
            nothing);
        Values known = pairs.get(reduceLanes(pairs, window), zero);
        Values next{first, arith::XOrIOp::create(builder, loc, known[0],
                                                 getBool(warp, true))};
        ValueRange values = ValueRange(known).drop_front();
        // In the first step, no value was combined before.
        llvm::append_range(
            next,
            warp.choose(
                warp.equal(carried[0], number), [&] { return Values(values); },
                [&] { return warp.combine(values, carried.drop_front(2)); }));
        scf::YieldOp::create(builder, loc, next);
      });
  return Values(back.getResults().drop_front(2));
}

/// At level warp: the combination of the groups before `group`, from left to
/// right; `any` if there are none. It waits until at least the first of 32
/// groups has published the combination of all elements up to its end.
Values Lookback::combineGroups(CollectiveBuilder &warp, Value group,
                               ValueRange any) {
  OpBuilder &builder = warp.builder;
  CollectiveBuilder pairs =
      getPairs(warp, [](ValueRange, ValueRange) -> Values {
        llvm_unreachable("this window is combined from left to right");
      });
  Value first = warp.sub(group, warp.constant(warpSize)),
        zero = warp.constant(0);
  // The lane of the first group in the window.
  Value begin = warp.max(warp.sub(zero, first), zero);
  Values nothing{getBool(warp, false)};
  llvm::append_range(nothing, any);
  Value window = buildWindow(
      pairs,
      [&](Value lane) {
        return warp.less(warp.constant(-1), warp.add(first, lane));
      },
      [&](Value lane) {
        Value least =
            arith::SelectOp::create(builder, warp.loc, warp.equal(lane, begin),
                                    getState(warp, ResultState::Everything),
                                    getState(warp, ResultState::Own));
        return results.await(warp, warp.add(tiles, warp.add(first, lane)),
                             least);
      },
      nothing);
  CollectiveBuilder numbers(
      builder, warp.loc, warp.level, builder.getI32Type(),
      /*commutative=*/true,
      [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        return Values{arith::MaxSIOp::create(b, loc, x[0], y[0])};
      });
  // The last group whose result includes all elements before.
  Value knowing = numbers.force(
      numbers.generate(warp.getConstantExtent(warpSize), [&](Value lane) {
        Value none = arith::ConstantIntOp::create(builder, warp.loc, 0, 32);
        return Values{arith::SelectOp::create(
            builder, warp.loc, pairs.get(window, lane).front(),
            convert(warp, lane, builder.getI32Type()), none)};
      }));
  Value last =
      toIndex(warp, numbers.get(reduceLanes(numbers, knowing), zero).front());
  auto getResult = [&](Value lane) {
    return Values(ValueRange(pairs.get(window, lane)).drop_front());
  };
  Value one = warp.constant(1);
  auto loop = scf::ForOp::create(
      builder, warp.loc, warp.add(last, one), warp.constant(warpSize), one,
      getResult(last),
      [&](OpBuilder &, Location loc, Value lane, ValueRange carried) {
        scf::YieldOp::create(builder, loc,
                             warp.combine(carried, getResult(lane)));
      });
  return Values(loop.getResults());
}

/// The same as `lookBack`, with one grouping in each run. The last tile of a
/// group publishes the results of the group, if another tile waits for it.
Values Lookback::lookBackInOrder(CollectiveBuilder &warp, Value number,
                                 ValueRange own, Value isAwaited) {
  CollectiveBuilder pairs = getPairs(warp, [&](ValueRange x, ValueRange y) {
    Values result{x[0]};
    llvm::append_range(
        result,
        warp.choose(
            y[0], [&] { return warp.combine(x.drop_front(), y.drop_front()); },
            [&] { return Values(x.drop_front()); }));
    return result;
  });
  Value size = warp.constant(warpSize), zero = warp.constant(0);
  Value group = warp.div(number, size), first = warp.mul(group, size);
  Values nothing{getBool(warp, false)};
  llvm::append_range(nothing, own);
  Value window = buildWindow(
      pairs,
      [&](Value lane) { return warp.less(warp.add(first, lane), number); },
      [&](Value lane) {
        Values found = results.await(warp, warp.add(first, lane),
                                     getState(warp, ResultState::Own));
        found.front() = getBool(warp, true);
        return found;
      },
      nothing);
  Values known = pairs.get(reduceLanes(pairs, window), zero);
  ValueRange inGroup = ValueRange(known).drop_front();
  auto follow = [&](Value condition, ValueRange x, ValueRange y) {
    return warp.choose(
        condition, [&] { return warp.combine(x, y); },
        [&] { return Values(y); });
  };
  Values upToHere = follow(known.front(), inGroup, own);
  Value isLast =
      warp.both(isAwaited, warp.equal(warp.add(number, warp.constant(1)),
                                      warp.add(first, size)));
  Value place = warp.add(tiles, group), hasGroups = warp.less(zero, group);
  // One lane publishes. The others have its copy of the value afterwards.
  auto publishGroup = [&](ResultState state, ValueRange values) {
    Extent one = warp.getConstantExtent(1);
    Value told = warp.forceFill({one}, one.value, [&](Value i, auto write) {
      buildIf(warp, isLast,
              [&] { results.publish(warp, place, state, values); });
      write(values, i);
    });
    return warp.get(told, zero);
  };
  upToHere = publishGroup(ResultState::Own, upToHere);
  Values before = combineGroups(warp, group, own);
  publishGroup(ResultState::Everything, follow(hasGroups, before, upToHere));
  return warp.choose(
      known.front(), [&] { return follow(hasGroups, before, inGroup); },
      [&] { return before; });
}

void Lookback::publishTile(CollectiveBuilder &block, Value number,
                           ValueRange own, Value isAwaited) {
  OpBuilder &builder = block.builder;
  Value isFirst = block.equal(number, block.constant(0));
  forEach(block, block.constant(1), [&](Value) {
    buildIf(block, isAwaited, [&] {
      auto branch = scf::IfOp::create(builder, block.loc, isFirst,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      results.publish(block, number, ResultState::Everything, own);
      builder.setInsertionPointToStart(branch.elseBlock());
      results.publish(block, number, ResultState::Own, own);
    });
  });
}

Values Lookback::buildPrefix(CollectiveBuilder &block, Value number,
                             ValueRange own, Value isAwaited) {
  Value zero = block.constant(0);
  Extent one = block.getConstantExtent(1);
  Value all =
      block.distributeWarps(one, 1, one, [&](CollectiveBuilder &warp, Value) {
        Values prefix = isInOrder
                            ? lookBackInOrder(warp, number, own, isAwaited)
                            : lookBack(warp, number, own);
        Value isWanted = warp.both(isAwaited, warp.less(zero, number));
        Value told = warp.forceFill({one}, one.value, [&](Value i, auto write) {
          if (!isInOrder)
            buildIf(warp, isWanted, [&] {
              results.publish(warp, number, ResultState::Everything,
                              warp.combine(prefix, own));
            });
          write(prefix, i);
        });
        return warp.generate(one, [&](Value i) { return warp.get(told, i); });
      });
  return block.get(all, zero);
}

void Lookback::publishTotal(CollectiveBuilder &thread, ValueRange total) {
  results.publish(thread, thread.sub(tiles, thread.constant(1)),
                  ResultState::Everything, total);
}

Values Lookback::getTotal(CollectiveBuilder &c) {
  return results.get(c, c.sub(tiles, c.constant(1)));
}

KeyLookback::KeyLookback(CollectiveBuilder &c, Value tiles, int64_t numKeys,
                         int64_t leastThreads)
    : numKeys(numKeys), results(c, c.mul(tiles, c.constant(numKeys)),
                                /*isCount=*/true, leastThreads) {}

Value KeyLookback::getPlace(CollectiveBuilder &c, Value number, Value key) {
  return c.add(c.mul(number, c.constant(numKeys)), key);
}

void KeyLookback::publishTile(CollectiveBuilder &thread, Value number,
                              Value key, Value own) {
  Value place = getPlace(thread, number, key);
  auto branch = scf::IfOp::create(thread.builder, thread.loc,
                                  thread.equal(number, thread.constant(0)),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(thread.builder);
  thread.builder.setInsertionPointToStart(branch.thenBlock());
  results.publish(thread, place, ResultState::Everything, own);
  thread.builder.setInsertionPointToStart(branch.elseBlock());
  results.publish(thread, place, ResultState::Own, own);
}

Value KeyLookback::countBefore(CollectiveBuilder &thread, Value number,
                               Value key, Value own) {
  /// The number of tiles that are read at the same time.
  constexpr int64_t window = 4;
  OpBuilder &builder = thread.builder;
  Location loc = thread.loc;
  Value zero = thread.constant(0), one = thread.constant(1);
  Value none = convert(thread, zero, own.getType());
  Value hasTiles = thread.less(zero, number);
  auto back = scf::WhileOp::create(
      builder, loc,
      TypeRange{number.getType(), hasTiles.getType(), none.getType()},
      ValueRange{number, hasTiles, none},
      [&](OpBuilder &, Location, ValueRange carried) {
        scf::ConditionOp::create(builder, loc, carried[1], carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        // The first tile ends each look-back, so it is no matter if it is read
        // several times.
        SmallVector<Value> places;
        Value tile = carried[0];
        for (int64_t i = 0; i < window; ++i) {
          tile = thread.max(thread.sub(tile, one), zero);
          places.push_back(getPlace(thread, tile, key));
        }
        Value isOpen = carried[1], sum = carried[2];
        for (const Values &found : results.await(
                 thread, places, getState(thread, ResultState::Own))) {
          Value count =
              arith::SelectOp::create(builder, loc, isOpen, found[1], none);
          sum = arith::AddIOp::create(builder, loc, sum, count);
          Value isLast = found[0];
          Value no = arith::ConstantIntOp::create(builder, loc, 0, /*width=*/1);
          isOpen = arith::SelectOp::create(builder, loc, isLast, no, isOpen);
        }
        scf::YieldOp::create(builder, loc, ValueRange{tile, isOpen, sum});
      });
  Value before = back.getResult(2);
  buildIf(thread, hasTiles, [&] {
    results.publish(thread, getPlace(thread, number, key),
                    ResultState::Everything,
                    Value(arith::AddIOp::create(builder, loc, before, own)));
  });
  return before;
}
