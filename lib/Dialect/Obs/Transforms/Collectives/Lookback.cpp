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
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Published.h"
#include "Strategies.h"
#include "Tuples.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// Elements of a tile: as many as fit into 32 KiB, but not too many. Larger
/// tiles mean fewer to look back at, smaller ones more blocks side by side.
static int64_t getTileSize(ArrayRef<Type> elementTypes) {
  constexpr int64_t tileBytes = 32768, minSize = 256, maxSize = 4096;
  int64_t bytes = 0;
  for (Type type : elementTypes)
    bytes += getElementBytes(type);
  return std::clamp<int64_t>(llvm::bit_floor<uint64_t>(tileBytes / bytes),
                             minSize, maxSize);
}

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
  using TotalFn = std::function<void(CollectiveBuilder &, ElementFn)>;

  OnePassScan(CollectiveBuilder &c, Value x, Extent n, TotalFn atEnd);
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
  Values lookBack(CollectiveBuilder &block, Value number, ValueRange own);
  Values buildPrefix(CollectiveBuilder &block, Value number, ValueRange own);
  Values getLast(CollectiveBuilder &block, Value scanned, Value count);

  CollectiveBuilder &c;
  Value x;
  Extent n;
  TotalFn atEnd;
  /// Elements of a tile, and the number of tiles: at least one if there is
  /// something to do at the end.
  int64_t tile;
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

OnePassScan::OnePassScan(CollectiveBuilder &c, Value x, Extent n, TotalFn end)
    : c(c), x(x), n(n), atEnd(std::move(end)),
      tile(getTileSize(c.elementTypes)),
      tiles(atEnd ? c.max(c.ceilDiv(n, tile).value, c.constant(1))
                  : c.ceilDiv(n, tile).value),
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

/// At level block: what the tiles number - 32 to number - 1 know: a condition,
/// whether that is everything before tile `number`, and their combination. Of
/// those that do not exist it is anything; `own` will do.
Values OnePassScan::lookBack(CollectiveBuilder &block, Value number,
                             ValueRange own) {
  CollectiveBuilder pairs(
      block.builder, block.loc, block.level, block.elementTypes,
      /*commutative=*/false,
      [&block](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        Values result{arith::OrIOp::create(b, loc, x[0], y[0])};
        llvm::append_range(
            result,
            block.choose(
                y[0], [&] { return Values(y.drop_front()); },
                [&] { return block.combine(x.drop_front(), y.drop_front()); }));
        return result;
      });
  pairs.elementTypes.insert(pairs.elementTypes.begin(),
                            block.builder.getI1Type());
  constexpr int64_t lanes = warpSize;
  Extent one = block.getConstantExtent(1);
  Value all =
      pairs.distributeWarps(one, 1, one, [&](CollectiveBuilder &warp, Value) {
        Extent width = warp.getConstantExtent(lanes);
        Value window =
            warp.forceFill({width}, width.value, [&](Value lane, auto write) {
              Value place = warp.add(warp.sub(number, width.value), lane);
              Values known = warp.choose(
                  warp.less(place, warp.constant(0)),
                  [&] {
                    Values nothing{arith::ConstantIntOp::create(
                        warp.builder, warp.loc, 1, 1)};
                    llvm::append_range(nothing, own);
                    return nothing;
                  },
                  [&] { return await(warp, place); });
              write(known, lane);
            });
        Value reduced = reduceLanes(warp, window);
        return warp.generate(one,
                             [&](Value i) { return warp.get(reduced, i); });
      });
  return pairs.get(all, block.constant(0));
}

/// At level block: the combination of all elements before a tile; `own`, what
/// the tile itself gives, if there are none. Publishes it.
Values OnePassScan::buildPrefix(CollectiveBuilder &block, Value number,
                                ValueRange own) {
  OpBuilder &builder = block.builder;
  Value zero = block.constant(0);
  Value isFirst = block.equal(number, zero);
  forEach(block, block.constant(1), [&](Value) {
    auto branch = scf::IfOp::create(builder, block.loc, isFirst,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    publish(block, number, Everything, own);
    builder.setInsertionPointToStart(branch.elseBlock());
    publish(block, number, Own, own);
  });
  Values start{number, block.less(zero, number)};
  llvm::append_range(start, own);
  auto loop = scf::WhileOp::create(
      builder, block.loc, ValueRange(start).getTypes(), start,
      [&](OpBuilder &, Location loc, ValueRange carried) {
        scf::ConditionOp::create(builder, loc, carried[1], carried);
      },
      [&](OpBuilder &, Location loc, ValueRange carried) {
        Values found = lookBack(block, carried[0], own);
        Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
        Values next{block.sub(carried[0], block.constant(warpSize)),
                    arith::XOrIOp::create(builder, loc, found[0], yes)};
        ValueRange values = ValueRange(found).drop_front();
        // Nothing is combined before the first step.
        llvm::append_range(
            next,
            block.choose(
                block.equal(carried[0], number), [&] { return Values(values); },
                [&] { return block.combine(values, carried.drop_front(2)); }));
        scf::YieldOp::create(builder, loc, next);
      });
  Values prefix(loop.getResults().drop_front(2));
  forEach(block, block.constant(1), [&](Value) {
    auto branch = scf::IfOp::create(builder, block.loc, isFirst,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    publish(block, number, Everything, block.combine(prefix, own));
  });
  return prefix;
}

/// At level block: the combination of a tile, or anything if it is empty.
Values OnePassScan::getLast(CollectiveBuilder &block, Value scanned,
                            Value count) {
  Value zero = block.constant(0), one = block.constant(1);
  auto get = [&] { return block.get(scanned, block.sub(count, one)); };
  if (!atEnd)
    return get();
  return block.choose(block.less(zero, count), get, [&] {
    Values nothing;
    for (Type type : block.elementTypes)
      nothing.push_back(arith::ConstantOp::create(
          block.builder, block.loc, block.builder.getZeroAttr(type)));
    return nothing;
  });
}

Value OnePassScan::fill(PushType type, ValueRange extents, ValueRange init,
                        EmitFn emit) {
  return fillByBlocks(
      c, type, extents, init, "", tiles, [&](CollectiveBuilder &block, Value) {
        Value zero = block.constant(0), one = block.constant(1);
        Value number = drawTile(block);
        Value first = block.mul(number, block.constant(tile));
        Extent m = {block.min(block.sub(n.value, first), block.constant(tile)),
                    ShapedType::kDynamic, tile};
        Value operand = block.shareReads(block.generate(
            m, [&](Value k) { return block.get(x, block.add(first, k)); }));
        // Not stored: whoever reads an element adds what the warps before give.
        Value scanned =
            block.shareReads(lookupScanStrategy("warps")->scan(block, operand));
        Values prefix =
            buildPrefix(block, number, getLast(block, scanned, m.value));
        // Element k of the tile behind everything before the tile.
        auto element = [&](Value k) {
          Values inTile = block.get(scanned, k);
          return block.choose(
              block.equal(number, zero), [&] { return inTile; },
              [&] { return block.combine(prefix, inTile); });
        };
        forEach(block, m.value, [&](Value k) {
          emit(
              block.add(first, k), [&] { return element(k); },
              [&] {
                return block.choose(
                    block.equal(k, zero), [&] { return prefix; },
                    [&] { return element(block.sub(k, one)); });
              });
        });
        if (!atEnd)
          return;
        forEach(block, one, [&](Value) {
          auto branch = scf::IfOp::create(
              block.builder, block.loc,
              block.equal(number, block.sub(tiles, one)), false);
          OpBuilder::InsertionGuard guard(block.builder);
          block.builder.setInsertionPointToStart(branch.thenBlock());
          atEnd(block, [&] { return element(block.sub(m.value, one)); });
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

std::unique_ptr<GridScan> strategies::buildOnePassScan(
    CollectiveBuilder &c, Value x, Extent n,
    std::function<void(CollectiveBuilder &, GridScan::ElementFn)> atEnd) {
  return std::make_unique<OnePassScan>(c, x, n, std::move(atEnd));
}
