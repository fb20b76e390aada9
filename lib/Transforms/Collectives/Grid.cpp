//===- Grid.cpp - Reductions and scans by all blocks ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of parts is bounded, so one block can combine or scan the results
// of all parts, for any length of the array. For longer arrays, parts are
// longer: a block processes its part piece by piece.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Published.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of workers that share a part of a commutative reduction.
static constexpr int64_t workers = 256;
/// The number of elements that a block scans at a time.
static constexpr int64_t tile = 1024;

GridParts::GridParts(CollectiveBuilder &c, Extent n, Value least, int64_t most)
    : n(n), count(c.ceilDiv(n, unit)) {
  Extent share = c.ceilDiv(n, most);
  if (least)
    share = {c.max(share.value, least), ShapedType::kDynamic,
             ShapedType::kDynamic};
  // With a length of 0, arrays without elements would cause a division by 0.
  Extent units = c.ceilDiv(share, unit);
  length = c.mul(c.max(units.value, c.constant(1)), c.constant(unit));
  Value last = c.sub(length, c.constant(1));
  int64_t bound = n.isBounded() ? std::min(count.bound, most) : most;
  count = {c.div(c.add(n.value, last), length), ShapedType::kDynamic, bound};
}

bool strategies::isForOneBlock(Extent n) { return n.isAtMost(GridParts::unit); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Value strategies::fillByBlocks(
    CollectiveBuilder &c, PushType type, ValueRange extents, ValueRange init,
    StringRef kind, Value blocks,
    llvm::function_ref<void(CollectiveBuilder &, Value)> body) {
  bool isReduction = !kind.empty();
  MLIRContext *context = c.builder.getContext();
  auto fill = FillOp::create(
      c.builder, c.loc, type, init, Value(), extents,
      ContractAttr::get(context,
                        isReduction ? Contract::Reduce : Contract::Disjoint),
      isReduction ? c.builder.getStringAttr(kind) : StringAttr(),
      isReduction ? UnitAttr() : c.builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  buildPar(c, Level::Block, blocks, body);
  return fill;
}

void strategies::forEach(CollectiveBuilder &c, Value n,
                         llvm::function_ref<void(Value)> body) {
  buildPar(c, Level::Thread, n, [&](CollectiveBuilder &, Value i) { body(i); });
}

static PushType getGridType(CollectiveBuilder &c, Extent n) {
  PullType type = c.getPullType(n);
  return PushType::get(type.getContext(), Level::Grid, type.getExtents(),
                       type.getBounds(), type.getElementTypes());
}

/// Stores, by one kernel, the `n` elements that blocks write.
static Value
forceByBlocks(CollectiveBuilder &c, Extent n, Value blocks,
              llvm::function_ref<void(CollectiveBuilder &, Value)> body) {
  Value push =
      fillByBlocks(c, getGridType(c, n), n.getOperands(), {}, "", blocks, body);
  return forceAtGrid(c, push);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// At level block: a few elements that have the same combination as the
/// elements of `x`.
static Value shorten(CollectiveBuilder &block, Value x) {
  StringRef name = getDefaultReduceStrategy(Level::Block, block.getExtent(x),
                                            block.commutative);
  return lookupReduceStrategy(name)->shorten(block, x);
}

/// The same for part `number` of `x`. Neighbouring threads read neighbouring
/// elements if the operator permits it.
static Value shortenPart(CollectiveBuilder &block, Value x,
                         const GridParts &parts, Value number) {
  Value begin = block.mul(number, parts.length);
  Value end = block.min(block.add(begin, parts.length), parts.n.value);
  if (!block.plain && profitsFromRows(x)) {
    // An access of narrow elements has more of them.
    int64_t wide = std::clamp<int64_t>(accessBytes / getNarrowestRead(x),
                                       neighbours, accessBytes);
    return block.commutative ? shortenInAnyOrder(block, x, begin, end, wide)
                             : shortenInOrder(block, x, begin, end, neighbours);
  }
  Extent n = {block.sub(end, begin), ShapedType::kDynamic,
              ShapedType::kDynamic};
  if (!block.commutative)
    return shorten(block, block.shareReads(block.generate(n, [&](Value i) {
      return block.get(x, block.add(begin, i));
    })));
  Extent busy = {block.min(n.value, block.constant(workers)),
                 ShapedType::kDynamic, workers};
  return shorten(block, block.force(block.generate(busy, [&](Value w) {
    return block.fold(x, block.add(begin, w), end, block.constant(workers));
  })));
}

/// One thread combines the remaining elements, and writes the result.
static void writeAll(CollectiveBuilder &block, Value few, ValueRange init,
                     Value index) {
  forEach(block, block.constant(1), [&](Value) {
    Value zero = block.constant(0);
    Value count = block.getExtent(few).value;
    write(block,
          init.empty() ? block.fold(few, zero, count)
                       : block.fold(few, init, zero, count),
          index);
  });
}

Value strategies::reduceParts(CollectiveBuilder &c, Value x,
                              const GridParts &parts) {
  return forceByBlocks(c, parts.count, parts.count.value,
                       [&](CollectiveBuilder &block, Value b) {
                         writeAll(block, shortenPart(block, x, parts, b), {},
                                  b);
                       });
}

Value strategies::reduceByOneBlock(CollectiveBuilder &c, Value x,
                                   ValueRange init, PushType type) {
  return fillByBlocks(
      c, type, {}, {}, "", c.constant(1), [&](CollectiveBuilder &block, Value) {
        writeAll(block, shorten(block, x), init, block.constant(0));
      });
}

Value strategies::reduceByTwoKernels(CollectiveBuilder &c, Value x,
                                     ValueRange init, PushType type) {
  Value partial = reduceParts(c, x, GridParts(c, c.getExtent(x)));
  return reduceByOneBlock(c, partial, init, type);
}

/// The threads of a multiprocessor for which the registers of a reduction in
/// order are limited, so that it has all its loads at once. On an H200, a sum
/// of 2^28 f32 takes 0.237 ms with the limit, and 0.257 ms without it; on an
/// H100, 0.349 and 0.362 ms. A sum of 2^28 i8, which is not in order, would
/// take 0.103 instead of 0.092 ms.
static constexpr int32_t leastThreads = 512;

Value strategies::reduceByLastBlock(CollectiveBuilder &c, Value x,
                                    ValueRange init, PushType type) {
  GridParts parts(c, c.getExtent(x));
  Value found = c.max(parts.count.value, c.constant(1));
  SmallVector<Value> partial = allocatePublished(c, found);
  Value counter = allocateFlags(c, c.constant(1));
  auto publish = [&](CollectiveBuilder &thread, Value few, Value number) {
    // There is a block even if there are no elements.
    auto branch =
        scf::IfOp::create(thread.builder, thread.loc,
                          thread.less(number, parts.count.value), false);
    OpBuilder::InsertionGuard guard(thread.builder);
    thread.builder.setInsertionPointToStart(branch.thenBlock());
    Values values =
        thread.fold(few, thread.constant(0), thread.getExtent(few).value);
    for (auto [value, memory] : llvm::zip_equal(values, partial))
      memref::StoreOp::create(thread.builder, thread.loc, value, memory,
                              number);
  };
  return fillByBlocks(
      c, type, {}, {}, "", found, [&](CollectiveBuilder &block, Value b) {
        Value few = shortenPart(block, x, parts, b);
        forEach(block, block.constant(1),
                [&](Value) { publish(block, few, b); });
        Value last = block.sub(found, block.constant(1));
        auto isLast =
            ArriveOp::create(block.builder, block.loc, counter,
                             block.constant(0), last, allocateCell(block));
        if (!c.commutative)
          setAttr<ObsDialect::LeastThreadsAttrHelper>(
              isLast, block.builder.getI32IntegerAttr(leastThreads));
        auto branch =
            scf::IfOp::create(block.builder, block.loc, isLast, false);
        OpBuilder::InsertionGuard guard(block.builder);
        block.builder.setInsertionPointToStart(branch.thenBlock());
        Value all = block.shareReads(block.generate(parts.count, [&](Value i) {
          return Values(llvm::map_range(partial, [&](Value memory) -> Value {
            return memref::LoadOp::create(block.builder, block.loc, memory, i);
          }));
        }));
        writeAll(block, shorten(block, all), init, block.constant(0));
      });
}

Value strategies::reduceByOneKernel(CollectiveBuilder &c, Value x,
                                    ValueRange init) {
  PushType type = getGridType(c, c.getConstantExtent(1));
  return isForOneBlock(c.getExtent(x)) ? reduceByOneBlock(c, x, init, type)
                                       : reduceByLastBlock(c, x, init, type);
}

Value strategies::reduceByAtomics(CollectiveBuilder &c, Value x,
                                  ValueRange init, StringRef kind,
                                  PushType type) {
  GridParts parts(c, c.getExtent(x));
  return fillByBlocks(c, type, {}, init, kind, parts.count.value,
                      [&](CollectiveBuilder &block, Value b) {
                        block.commutative = true;
                        writeAll(block, shortenPart(block, x, parts, b), {},
                                 block.constant(0));
                      });
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// At level block: the stored scan of `x`.
static Value scan(CollectiveBuilder &block, Value x) {
  StringRef name = getDefaultScanStrategy(Level::Block, block.getExtent(x));
  return block.force(
      block.shareReads(lookupScanStrategy(name)->scan(block, x)));
}

namespace {
class ThreeKernelScan : public GridScan {
public:
  ThreeKernelScan(CollectiveBuilder &c, Value x, Extent n);
  Value fill(PushType type, ValueRange extents, ValueRange init,
             EmitFn emit) override;
  Values getTotal() override;

private:
  CollectiveBuilder &c;
  Value x;
  GridParts parts;
  /// The combination of all elements up to the end of each part.
  Value sums;
};
} // namespace

ThreeKernelScan::ThreeKernelScan(CollectiveBuilder &c, Value x, Extent n)
    : c(c), x(x), parts(c, n) {
  Value partial = reduceParts(c, x, parts);
  sums = forceByBlocks(
      c, parts.count, c.constant(1), [&](CollectiveBuilder &block, Value) {
        Value scanned = scan(block, partial);
        forEach(block, parts.count.value,
                [&](Value i) { write(block, block.get(scanned, i), i); });
      });
}

Value ThreeKernelScan::fill(PushType type, ValueRange extents, ValueRange init,
                            EmitFn emit) {
  return fillByBlocks(
      c, type, extents, init, "", parts.count.value,
      [&](CollectiveBuilder &block, Value b) {
        OpBuilder &builder = block.builder;
        Value zero = block.constant(0), one = block.constant(1);
        Value begin = block.mul(b, parts.length);
        Value end = block.min(block.add(begin, parts.length), parts.n.value);
        // The value before the first part is never combined, so any value is
        // correct.
        Values before = block.choose(
            block.equal(b, zero), [&] { return block.get(x, zero); },
            [&] { return block.get(sums, block.sub(b, one)); });
        scf::ForOp::create(
            builder, block.loc, begin, end, block.constant(tile), before,
            [&](OpBuilder &, Location, Value first, ValueRange carried) {
              Extent m = {
                  block.min(block.sub(end, first), block.constant(tile)),
                  ShapedType::kDynamic, tile};
              Value operand = block.generate(m, [&](Value k) {
                Values element = block.get(x, block.add(first, k));
                Value isBehind = arith::AndIOp::create(builder, block.loc,
                                                       block.equal(k, zero),
                                                       block.less(zero, first));
                return block.choose(
                    isBehind, [&] { return block.combine(carried, element); },
                    [&] { return element; });
              });
              Value scanned = scan(block, block.shareReads(operand));
              forEach(block, m.value, [&](Value k) {
                emit(
                    block.add(first, k), [&] { return block.get(scanned, k); },
                    [&] {
                      return block.choose(
                          block.equal(k, zero), [&] { return Values(carried); },
                          [&] {
                            return block.get(scanned, block.sub(k, one));
                          });
                    });
              });
              scf::YieldOp::create(builder, block.loc,
                                   block.get(scanned, block.sub(m.value, one)));
            });
      });
}

Values ThreeKernelScan::getTotal() {
  return c.get(sums, c.sub(parts.count.value, c.constant(1)));
}

std::unique_ptr<GridScan> strategies::buildThreeKernelScan(CollectiveBuilder &c,
                                                           Value x, Extent n) {
  return std::make_unique<ThreeKernelScan>(c, x, n);
}
