//===- Lookback.cpp - A scan by all blocks in one pass --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoupled look-back (Merrill and Garland, 2016). A block draws the number of
// its tile, so whoever waits for a tile waits for a block that runs already,
// and any number of resident blocks will do. It scans the tile, publishes the
// combination of its elements, and then looks back from tile to tile for what
// is before it, until it finds one that knows everything up to its own end.
//
// A warp looks back at 32 tiles at a time, with a lane for each. Their results
// are combined by an operator on pairs of a flag, "this is everything before,
// too", and a value,
//   (f, x) ∘ (g, y) = (f or g, g ? y : x ∘ y),
// and only if no flag is set does the warp go on to the 32 tiles before those.
//
// If the components of an element have no more than 32 bits, flag and element
// are one word, which is written and read at once. Nothing else is published
// then, so no fences are needed.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Pieces.h"
#include "Published.h"
#include "RowScan.h"
#include "Strategies.h"
#include "Tuples.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

namespace {
/// The state of a tile, as its flag says.
enum State : int64_t {
  /// Nothing yet.
  Unknown = 0,
  /// The combination of its elements.
  Own = 1,
  /// That of all elements up to its end.
  Everything = 2,
};

class OnePassScan : public GridScan {
public:
  OnePassScan(CollectiveBuilder &c, Value x, Extent n, OnePassOptions options);
  Value fill(PushType type, ValueRange extents, ValueRange init,
             EmitFn emit) override;
  Values getTotal() override;
  bool runsOnce() const override { return true; }

private:
  Value flag(CollectiveBuilder &b, int64_t state);
  /// The place of what is known of `number` in `found`.
  Value position(CollectiveBuilder &b, Value number, State state);
  Value drawTile(CollectiveBuilder &block);
  void publish(CollectiveBuilder &thread, Value number, State state,
               ValueRange values);
  Values await(CollectiveBuilder &thread, Value number);
  Value buildWindow(CollectiveBuilder &pairs, Value end, ValueRange any);
  Values combineWindow(CollectiveBuilder &pairs, Value end, ValueRange any,
                       ValueRange before);
  Values lookBack(CollectiveBuilder &warp, Value number, ValueRange own);
  Values buildPrefix(CollectiveBuilder &block, Value number, ValueRange own);
  SmallVector<Values> load(CollectiveBuilder &thread, Value first, Value isFull,
                           Value warp, Value lane);
  void emitThread(CollectiveBuilder &thread, Value first, Value isFull,
                  const RowScan::Thread &found, EmitFn emit);
  void finish(CollectiveBuilder &thread, Value first, Value number,
              const RowScan::Thread &found);

  CollectiveBuilder &c;
  Value x;
  Extent n;
  OnePassOptions options;
  RowShape shape;
  /// The number of tiles: at least one if there is something to do at the end.
  Value tiles;
  /// Of an element and a flag in one word, if they have room.
  std::optional<Packing> packing;
  /// The state of each tile, and behind them how many were drawn; as words that
  /// hold what is known, too, if there is a packing.
  Value flags;
  /// Two elements for each tile: its own combination, and that of everything.
  SmallVector<Value> found;
};
} // namespace

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

OnePassScan::OnePassScan(CollectiveBuilder &c, Value x, Extent n,
                         OnePassOptions given)
    : c(c), x(x), n(n), options(std::move(given)),
      shape(c.elementTypes, /*items=*/!c.plain && options.isCheap),
      tiles(options.atEnd
                ? c.max(c.ceilDiv(n, shape.getTile()).value, c.constant(1))
                : c.ceilDiv(n, shape.getTile()).value),
      packing(findPacking(c)),
      flags(allocateFlags(c, c.add(tiles, c.constant(1)),
                          /*bits=*/packing ? 64 : 32)) {
  if (!packing)
    found = allocatePublished(c, c.mul(tiles, c.constant(2)));
}

Value OnePassScan::flag(CollectiveBuilder &b, int64_t state) {
  return arith::ConstantIntOp::create(b.builder, b.loc, state, 32);
}

Value OnePassScan::position(CollectiveBuilder &b, Value number, State state) {
  return b.add(b.mul(number, b.constant(2)),
               b.constant(state == Everything ? 1 : 0));
}

/// At level block: the number of the next tile.
Value OnePassScan::drawTile(CollectiveBuilder &block) {
  CollectiveBuilder numbers = block;
  numbers.elementTypes = {block.builder.getIndexType()};
  Value drawn = numbers.forceFill(
      {block.getConstantExtent(1)}, block.constant(1), [&](Value, auto write) {
        write(countUp(block, flags, tiles), block.constant(0));
      });
  return numbers.get(drawn, block.constant(0)).front();
}

void OnePassScan::publish(CollectiveBuilder &thread, Value number, State state,
                          ValueRange values) {
  if (packing) {
    Values all(values);
    all.push_back(flag(thread, state));
    memref::AtomicRMWOp::create(
        thread.builder, thread.loc, arith::AtomicRMWKind::assign,
        packing->pack(thread.builder, thread.loc, all), flags, number);
    return;
  }
  storePublished(thread, values, found, position(thread, number, state));
  release(thread);
  memref::AtomicRMWOp::create(thread.builder, thread.loc,
                              arith::AtomicRMWKind::assign, flag(thread, state),
                              flags, number);
}

/// Waits until something is known of a tile, and gives it, behind a condition
/// whether that is everything up to its end.
Values OnePassScan::await(CollectiveBuilder &thread, Value number) {
  OpBuilder &builder = thread.builder;
  Location loc = thread.loc;
  auto isFlag = [&](Value value, State state) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                 flag(thread, state));
  };
  Type type = cast<MemRefType>(flags.getType()).getElementType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange(type), ValueRange(),
      [&](OpBuilder &, Location, ValueRange) {
        // Adds nothing: a read that sees what others do.
        Value now = memref::AtomicRMWOp::create(
            builder, loc, arith::AtomicRMWKind::ori, zero, flags, number);
        Value state = packing ? packing->unpack(builder, loc, now).back() : now;
        scf::ConditionOp::create(builder, loc, isFlag(state, Unknown), now);
      },
      [&](OpBuilder &, Location, ValueRange) {
        scf::YieldOp::create(builder, loc);
      });
  if (packing) {
    Values found = packing->unpack(builder, loc, loop.getResult(0));
    Values known{isFlag(found.pop_back_val(), Everything)};
    llvm::append_range(known, found);
    return known;
  }
  acquire(thread);
  Values known{isFlag(loop.getResult(0), Everything)};
  Value place = arith::SelectOp::create(builder, loc, known.front(),
                                        position(thread, number, Everything),
                                        position(thread, number, Own));
  llvm::append_range(known, loadPublished(thread, found, place));
  return known;
}

/// At level warp: an array of what the 32 tiles before `end` know: a condition,
/// whether that is everything up to their ends, and their elements combined.
/// Tiles that do not exist are before the first one, which knows everything.
Value OnePassScan::buildWindow(CollectiveBuilder &pairs, Value end,
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

/// At level warp: a condition, whether one of those tiles knows everything up
/// to its end, and their elements combined, behind all that is known.
Values OnePassScan::combineWindow(CollectiveBuilder &pairs, Value end,
                                  ValueRange any, ValueRange before) {
  Value window = buildWindow(pairs, end, any);
  if (!options.isInOrder)
    return pairs.get(reduceLanes(pairs, window), pairs.constant(0));
  // One tile after the other, from the left, as if each had waited for the one
  // before it.
  Values known(before);
  for (int64_t lane = 0; lane < warpSize; ++lane) {
    Values next = pairs.get(window, pairs.constant(lane));
    known = known.empty() ? next : pairs.combine(known, next);
  }
  return known;
}

/// At level warp: the combination of all elements before a tile; `own`, what
/// the tile itself gives, if there are none.
Values OnePassScan::lookBack(CollectiveBuilder &warp, Value number,
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
        Values known = combineWindow(pairs, carried[0], own, {});
        Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
        Values next{warp.sub(carried[0], step),
                    arith::XOrIOp::create(builder, loc, known[0], yes)};
        ValueRange values = ValueRange(known).drop_front();
        // Nothing is combined before the first step.
        llvm::append_range(next, options.isInOrder
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
  if (!options.isInOrder)
    return Values(found);
  // From there to the tile.
  auto forth = scf::ForOp::create(
      builder, warp.loc, warp.add(back.getResult(0), warp.add(step, step)),
      warp.add(number, warp.constant(1)), step, found,
      [&](OpBuilder &, Location loc, Value end, ValueRange carried) {
        Values before{arith::ConstantIntOp::create(builder, loc, 1, 1)};
        llvm::append_range(before, carried);
        Values known = combineWindow(pairs, end, own, before);
        scf::YieldOp::create(builder, loc, ValueRange(known).drop_front());
      });
  return Values(forth.getResults());
}

/// At level block: the combination of all elements before a tile; `own`, what
/// the tile itself gives, if there are none. Publishes both, unless the tile is
/// the last one, for which nobody waits.
Values OnePassScan::buildPrefix(CollectiveBuilder &block, Value number,
                                ValueRange own) {
  OpBuilder &builder = block.builder;
  Value zero = block.constant(0);
  Extent one = block.getConstantExtent(1);
  Value isFirst = block.equal(number, zero);
  Value isAwaited = block.less(block.add(number, one.value), tiles);
  forEach(block, one.value, [&](Value) {
    buildIf(block, isAwaited, [&] {
      auto branch = scf::IfOp::create(builder, block.loc, isFirst,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      publish(block, number, Everything, own);
      builder.setInsertionPointToStart(branch.elseBlock());
      publish(block, number, Own, own);
    });
  });
  Value all =
      block.distributeWarps(one, 1, one, [&](CollectiveBuilder &warp, Value) {
        Values prefix = lookBack(warp, number, own);
        Value isWanted = builder.createOrFold<arith::AndIOp>(
            warp.loc, isAwaited, warp.less(zero, number));
        Value told = warp.forceFill({one}, one.value, [&](Value i, auto write) {
          buildIf(warp, isWanted, [&] {
            publish(warp, number, Everything, warp.combine(prefix, own));
          });
          write(prefix, i);
        });
        return warp.generate(one, [&](Value i) { return warp.get(told, i); });
      });
  return block.get(all, zero);
}

/// The elements of a thread, whose tile begins with element `first`. Behind the
/// last one, it is the first one of the tile again, or nothing if there is
/// none.
SmallVector<Values> OnePassScan::load(CollectiveBuilder &thread, Value first,
                                      Value isFull, Value warp, Value lane) {
  size_t width = thread.elementTypes.size();
  auto loadAll = [&](llvm::function_ref<Values(Value)> get) {
    Values loaded;
    for (int64_t row = 0; row < shape.rows; ++row)
      for (int64_t i = 0; i < shape.neighbours; ++i)
        llvm::append_range(
            loaded,
            get(thread.add(first, shape.getPlace(thread, warp, lane, row, i))));
    return loaded;
  };
  auto get = [&](Value place) { return thread.get(x, place); };
  auto getZeros = [&] {
    Values zeros;
    for (Type type : thread.elementTypes)
      zeros.push_back(arith::ConstantOp::create(
          thread.builder, thread.loc, thread.builder.getZeroAttr(type)));
    return zeros;
  };
  auto loadGuarded = [&] {
    // Without a neutral element, what is behind the end is combined, too.
    auto getFirst = [&] { return get(first); };
    Values any = options.atEnd ? thread.choose(thread.less(first, n.value),
                                               getFirst, getZeros)
                               : getFirst();
    return loadAll([&](Value place) {
      return thread.choose(
          thread.less(place, n.value), [&] { return get(place); },
          [&] { return any; });
    });
  };
  Values loaded =
      shape.getTile() == RowShape::workers
          ? loadGuarded()
          : thread.choose(isFull, [&] { return loadAll(get); }, loadGuarded);
  SmallVector<Values> elements;
  for (size_t i = 0; i < loaded.size(); i += width)
    elements.push_back(Values(ValueRange(loaded).slice(i, width)));
  return elements;
}

/// Writes what the elements of a thread give.
void OnePassScan::emitThread(CollectiveBuilder &thread, Value first,
                             Value isFull, const RowScan::Thread &found,
                             EmitFn emit) {
  OpBuilder &builder = thread.builder;
  auto emitAll = [&](bool guarded) {
    for (auto [k, element] : llvm::enumerate(found.elements)) {
      int64_t row = k / shape.neighbours, i = k % shape.neighbours;
      const Values &before = i == 0 ? found.before[row] : found.elements[k - 1];
      Value place = thread.add(
          first, shape.getPlace(thread, found.warp, found.lane, row, i));
      auto emitOne = [&] {
        emit(place, [&] { return element; }, [&] { return before; });
      };
      if (guarded)
        buildIf(thread, thread.less(place, n.value), emitOne);
      else
        emitOne();
    }
  };
  if (shape.getTile() == RowShape::workers)
    return emitAll(/*guarded=*/true);
  auto branch = scf::IfOp::create(builder, thread.loc, isFull,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitAll(/*guarded=*/false);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitAll(/*guarded=*/true);
}

/// In the last tile: the thread that has the last element publishes it, and
/// does what is to be done at the end. Without elements it is thread 0.
void OnePassScan::finish(CollectiveBuilder &thread, Value first, Value number,
                         const RowScan::Thread &found) {
  Value last = thread.sub(n.value, thread.constant(1));
  if (options.atEnd)
    last = thread.max(last, thread.constant(0));
  Value isHere = arith::ConstantIntOp::create(thread.builder, thread.loc, 0, 1);
  Values value = found.elements.front();
  for (auto [k, element] : llvm::enumerate(found.elements)) {
    Value place = thread.add(
        first, shape.getPlace(thread, found.warp, found.lane,
                              k / shape.neighbours, k % shape.neighbours));
    Value isLast = thread.equal(place, last);
    isHere =
        thread.builder.createOrFold<arith::OrIOp>(thread.loc, isHere, isLast);
    for (auto [own, other] : llvm::zip(value, element))
      own = arith::SelectOp::create(thread.builder, thread.loc, isLast, other,
                                    own);
  }
  buildIf(thread, isHere, [&] {
    publish(thread, number, Everything, value);
    if (options.atEnd)
      options.atEnd(thread, [&] { return value; });
  });
}

Value OnePassScan::fill(PushType type, ValueRange extents, ValueRange init,
                        EmitFn emit) {
  return fillByBlocks(
      c, type, extents, init, "", tiles, [&](CollectiveBuilder &block, Value) {
        Value zero = block.constant(0);
        Value number = drawTile(block);
        Value first = block.mul(number, block.constant(shape.getTile()));
        Value isFull = block.less(block.add(number, block.constant(1)), tiles);
        RowScan scan(block, shape, [&](Value warp, Value lane) {
          return load(block, first, isFull, warp, lane);
        });
        Values prefix = buildPrefix(block, number, scan.getSum());
        forEach(block, block.constant(RowShape::workers), [&](Value worker) {
          RowScan::Thread found =
              scan.getThread(worker, prefix, block.less(zero, number));
          emitThread(block, first, isFull, found, emit);
          Value last = block.sub(tiles, block.constant(1));
          buildIf(block, block.equal(number, last),
                  [&] { finish(block, first, number, found); });
        });
      });
}

Values OnePassScan::getTotal() {
  Value last = c.sub(tiles, c.constant(1));
  Extent any = {Value(), ShapedType::kDynamic, ShapedType::kDynamic};
  if (packing) {
    CollectiveBuilder words = c;
    words.elementTypes = {c.builder.getI64Type()};
    Value word = words.get(
        buildView(c.builder, c.loc, words.getPullType(any), {flags}), last)[0];
    Values values = packing->unpack(c.builder, c.loc, word);
    values.pop_back();
    return values;
  }
  PullType type = c.getPullType(any);
  return c.get(buildView(c.builder, c.loc, type, found),
               position(c, last, Everything));
}

std::unique_ptr<GridScan> strategies::buildOnePassScan(CollectiveBuilder &c,
                                                       Value x, Extent n,
                                                       OnePassOptions options) {
  return std::make_unique<OnePassScan>(c, x, n, std::move(options));
}
