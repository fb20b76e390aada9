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
// One thread of each block publishes and looks back. A flag is raised by an
// atomic operation behind a release fence, and read by one before an acquire
// fence, so what is read behind it is what was written before it, whatever the
// element types are.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// Elements of a tile.
static constexpr int64_t tile = 1024;

namespace {
/// What is known of a tile, as its flag says.
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
  OnePassScan(CollectiveBuilder &c, Value x, Extent n);
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
  Value await(CollectiveBuilder &thread, Value number);
  Values lookBack(CollectiveBuilder &thread, Value number, ValueRange own);
  Value buildPrefix(CollectiveBuilder &block, Value number, Value scanned,
                    Value last);

  CollectiveBuilder &c;
  Value x;
  Extent n;
  Value tiles;
  /// The state of each tile, and behind them how many were drawn.
  Value flags;
  /// Two elements for each tile: its own combination, and that of everything.
  SmallVector<Value> found;
};
} // namespace

OnePassScan::OnePassScan(CollectiveBuilder &c, Value x, Extent n)
    : c(c), x(x), n(n), tiles(c.ceilDiv(n, tile).value) {
  auto allocate = [&](Type type, Value extent) -> Value {
    return memref::AllocOp::create(
        c.builder, c.loc, MemRefType::get({ShapedType::kDynamic}, type),
        ValueRange(extent));
  };
  flags = allocate(c.builder.getI32Type(), c.add(tiles, c.constant(1)));
  gpu::MemsetOp::create(c.builder, c.loc, Type(), ValueRange(), flags,
                        flag(c, Unknown));
  for (Type type : c.elementTypes)
    found.push_back(allocate(type, c.mul(tiles, c.constant(2))));
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
        Value old = memref::AtomicRMWOp::create(
            block.builder, block.loc, arith::AtomicRMWKind::addi,
            flag(block, 1), flags, ValueRange(tiles));
        write(arith::IndexCastOp::create(block.builder, block.loc,
                                         block.builder.getIndexType(), old)
                  .getResult(),
              block.constant(0));
      });
  return numbers.get(drawn, block.constant(0)).front();
}

/// What is visible to all threads of the device from here on, or to this one.
static void fence(CollectiveBuilder &thread, LLVM::AtomicOrdering ordering) {
  LLVM::FenceOp::create(thread.builder, thread.loc, ordering, "device");
}

void OnePassScan::publish(CollectiveBuilder &thread, Value number, State state,
                          ValueRange values) {
  for (auto [value, memory] : llvm::zip_equal(values, found))
    memref::StoreOp::create(thread.builder, thread.loc, value, memory,
                            position(thread, number, state));
  fence(thread, LLVM::AtomicOrdering::release);
  memref::AtomicRMWOp::create(thread.builder, thread.loc,
                              arith::AtomicRMWKind::assign, flag(thread, state),
                              flags, number);
}

/// Waits until something is known of a tile: a condition, whether that is all.
Value OnePassScan::await(CollectiveBuilder &thread, Value number) {
  OpBuilder &builder = thread.builder;
  auto isFlag = [&](Value value, State state) -> Value {
    return arith::CmpIOp::create(builder, thread.loc, arith::CmpIPredicate::eq,
                                 value, flag(thread, state));
  };
  auto loop = scf::WhileOp::create(
      builder, thread.loc, TypeRange(builder.getI32Type()), ValueRange(),
      [&](OpBuilder &, Location loc, ValueRange) {
        // Adds nothing: a read that others see at once.
        Value now =
            memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::ori,
                                        flag(thread, 0), flags, number);
        scf::ConditionOp::create(builder, loc, isFlag(now, Unknown), now);
      },
      [&](OpBuilder &, Location loc, ValueRange) {
        scf::YieldOp::create(builder, loc);
      });
  fence(thread, LLVM::AtomicOrdering::acquire);
  return isFlag(loop.getResult(0), Everything);
}

/// The combination of all elements before a tile that is not the first one and
/// gives `own` itself.
Values OnePassScan::lookBack(CollectiveBuilder &thread, Value number,
                             ValueRange own) {
  OpBuilder &builder = thread.builder;
  Value nearest = thread.sub(number, thread.constant(1));
  Values start{nearest};
  // What is combined so far; nothing yet, so any value will do.
  llvm::append_range(start, own);
  auto loop = scf::WhileOp::create(
      builder, thread.loc, ValueRange(start).getTypes(), start,
      [&](OpBuilder &, Location loc, ValueRange carried) {
        Value tile = carried.front();
        Value isAll = await(thread, tile);
        Value place = arith::SelectOp::create(
            builder, loc, isAll, position(thread, tile, Everything),
            position(thread, tile, Own));
        Values read;
        for (Value memory : found)
          read.push_back(memref::LoadOp::create(builder, loc, memory, place));
        Values next{tile};
        llvm::append_range(
            next,
            thread.choose(
                thread.equal(tile, nearest), [&] { return read; },
                [&] { return thread.combine(read, carried.drop_front()); }));
        Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
        Value goOn = arith::XOrIOp::create(builder, loc, isAll, yes);
        scf::ConditionOp::create(builder, loc, goOn, next);
      },
      [&](OpBuilder &, Location loc, ValueRange carried) {
        Values next(carried);
        next.front() = thread.sub(next.front(), thread.constant(1));
        scf::YieldOp::create(builder, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

/// At level block: an array of one element, the combination of all elements
/// before a tile; meaningless for the first one.
Value OnePassScan::buildPrefix(CollectiveBuilder &block, Value number,
                               Value scanned, Value last) {
  return block.forceFill(
      {block.getConstantExtent(1)}, block.constant(1), [&](Value, auto write) {
        Values own = block.get(scanned, last);
        Values before = block.choose(
            block.equal(number, block.constant(0)),
            [&] {
              publish(block, number, Everything, own);
              return own;
            },
            [&] {
              publish(block, number, Own, own);
              Values prefix = lookBack(block, number, own);
              publish(block, number, Everything, block.combine(prefix, own));
              return prefix;
            });
        write(before, block.constant(0));
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
        Value scanned =
            scanByBlock(block, block.shareReads(block.generate(m, [&](Value k) {
              return block.get(x, block.add(first, k));
            })));
        Value prefix =
            buildPrefix(block, number, scanned, block.sub(m.value, one));
        // Element k of the tile behind everything before the tile.
        auto element = [&](Value k) {
          Values inTile = block.get(scanned, k);
          return block.choose(
              block.equal(number, zero), [&] { return inTile; },
              [&] { return block.combine(block.get(prefix, zero), inTile); });
        };
        forEach(block, m.value, [&](Value k) {
          emit(
              block.add(first, k), [&] { return element(k); },
              [&] {
                return block.choose(
                    block.equal(k, zero),
                    [&] { return block.get(prefix, zero); },
                    [&] { return element(block.sub(k, one)); });
              });
        });
      });
}

Values OnePassScan::getTotal() {
  Value last = c.sub(tiles, c.constant(1));
  Extent any = {Value(), ShapedType::kDynamic, ShapedType::kDynamic};
  PullType type = c.getPullType(any);
  return c.get(buildView(c.builder, c.loc, type, found),
               position(c, last, Everything));
}

std::unique_ptr<GridScan> strategies::buildOnePassScan(CollectiveBuilder &c,
                                                       Value x, Extent n) {
  return std::make_unique<OnePassScan>(c, x, n);
}
