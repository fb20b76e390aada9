//===- TileTransposes.cpp - Tiles of arrays that are read along columns ---===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In:  fused programs, whose reads are of arrays in memory.
// Out: the same programs. A loop over the grid that reads along columns and
//      writes along rows has become a loop over tiles, which a block reads
//      along rows and stores in shared memory.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSTILETRANSPOSESPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "BlockTiles.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;

/// The edge of a tile: a warp reads a row of 32 elements.
static constexpr int64_t edge = 32;

/// A dimension of up to this number of elements is not divided.
static constexpr int64_t longestEdge = 48;

/// The extents for which tiles are not faster, measured on an H100. If fewer
/// neighbours are written, a warp writes several rows, and reads a few elements
/// of each of them together. If fewer neighbours are read, tiles of 32 columns
/// are almost empty.
static constexpr int64_t leastWritten = 16, leastRead = 6;

/// The bytes of shared memory for the tiles of a block. More blocks are
/// resident if they have small tiles.
static constexpr int64_t maxTileBytes = 16384;

/// The counter of `body` whose next value makes `index` one larger or one
/// smaller, if no other counter changes it.
static BlockArgument getCounter(Value index, Block *body) {
  auto isOutside = [&](Value value) {
    return value.getParentRegion() != body->getParent();
  };
  if (auto counter = dyn_cast<BlockArgument>(index))
    return isOutside(index) ? BlockArgument() : counter;
  Operation *op = index.getDefiningOp();
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || op->getBlock() != body)
    return {};
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isOutside(rhs))
    return getCounter(lhs, body);
  return isOutside(lhs) ? getCounter(rhs, body) : BlockArgument();
}

/// The counter of the last index of all writes in `loop`.
static BlockArgument getWrittenCounter(ParOp loop) {
  BlockArgument found;
  bool isKnown = true;
  loop->walk([&](WriteOp write) {
    BlockArgument counter =
        write.getIndices().empty()
            ? BlockArgument()
            : getCounter(write.getIndices().back(), &loop.getBody().front());
    isKnown &= counter && (!found || found == counter);
    found = counter;
  });
  return isKnown ? found : BlockArgument();
}

namespace {
/// A loop over the grid that is divided into tiles.
struct TiledLoop {
  ParOp loop;
  /// The reads that a block stores in tiles.
  SmallVector<GetOp> reads;
  /// The counter that the rows of the reads follow, and that of the writes.
  BlockArgument readCounter, writtenCounter;
  /// The operations on numbers that can be computed again for other counters.
  SetVector<Operation *> computable;

  /// Divides `loop`, if it has reads along columns.
  static void tile(ParOp loop);
  bool findReads();
  void rewrite();
  /// True if an extent that is known at run time only has few elements. Null if
  /// both extents are known.
  Value buildIsShort(OpBuilder &b);

  /// The extent of a counter: a constant, or dynamic.
  int64_t getExtent(BlockArgument counter) {
    Value extent = loop.getExtents()[counter.getArgNumber()];
    return getConstantIntValue(extent).value_or(ShapedType::kDynamic);
  }
  /// True if a tile has all elements along a counter.
  bool isWhole(BlockArgument counter) {
    int64_t extent = getExtent(counter);
    return !ShapedType::isDynamic(extent) && extent <= longestEdge;
  }
  int64_t getReadEdge() {
    return isWhole(readCounter) ? getExtent(readCounter) : edge;
  }
  /// Tiles of short rows have more of them.
  int64_t getWrittenEdge() {
    if (isWhole(writtenCounter))
      return getExtent(writtenCounter);
    return std::max(edge, edge * edge / getReadEdge() / edge * edge);
  }
};
} // namespace

void TiledLoop::tile(ParOp loop) {
  TiledLoop tiled;
  tiled.loop = loop;
  if (tiled.findReads())
    tiled.rewrite();
}

bool TiledLoop::findReads() {
  Block *body = &loop.getBody().front();
  // Loops and sub-programs read many elements: their order is more important.
  bool isElementwise = !containsOp(loop, [&](Operation *op) {
    return op != loop && op->getNumRegions() != 0 && !isa<scf::IfOp>(op);
  });
  writtenCounter = getWrittenCounter(loop);
  auto isShort = [&](BlockArgument counter, int64_t least) {
    int64_t extent = getExtent(counter);
    return !ShapedType::isDynamic(extent) && extent < least;
  };
  if (!isElementwise || !writtenCounter ||
      isShort(writtenCounter, leastWritten))
    return false;
  auto isKnown = [&](Value value) {
    return value.getParentRegion() != &loop.getBody() ||
           isa<BlockArgument>(value) ||
           computable.contains(value.getDefiningOp());
  };
  // The numbers that the counter of the writes changes.
  llvm::DenseSet<Value> changing{writtenCounter};
  for (Operation &op : *body) {
    if (!isa<arith::ArithDialect>(op.getDialect()) || !isPure(&op) ||
        !llvm::all_of(op.getOperands(), isKnown))
      continue;
    computable.insert(&op);
    if (llvm::any_of(op.getOperands(),
                     [&](Value v) { return changing.contains(v); }))
      changing.insert_range(op.getResults());
  }
  int64_t bytes = 0;
  for (Operation &op : *body) {
    // An assertion may be about the indices of the reads behind it.
    if (isa<AssertOp>(op))
      break;
    auto get = dyn_cast<GetOp>(op);
    if (!get || get.getIndices().empty())
      continue;
    BlockArgument counter = getCounter(get.getIndices().back(), body);
    if (!counter || counter == writtenCounter || isShort(counter, 2) ||
        (readCounter && counter != readCounter) ||
        llvm::none_of(get.getIndices(),
                      [&](Value v) { return changing.contains(v); }) ||
        !llvm::all_of(get.getIndices(), isKnown))
      continue;
    readCounter = counter;
    for (Type type : get.getResultTypes())
      bytes += getReadEdge() * getWrittenEdge() * getElementBytes(type);
    if (bytes > maxTileBytes)
      break;
    reads.push_back(get);
  }
  return !reads.empty();
}

Value TiledLoop::buildIsShort(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value found;
  for (auto [counter, least] : {std::pair(readCounter, leastRead),
                                std::pair(writtenCounter, leastWritten)}) {
    if (!ShapedType::isDynamic(getExtent(counter)))
      continue;
    Value one =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                              loop.getExtents()[counter.getArgNumber()],
                              arith::ConstantIndexOp::create(b, loc, least));
    found = found ? arith::OrIOp::create(b, loc, found, one) : one;
  }
  return found;
}

void TiledLoop::rewrite() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value readEdge = constant(getReadEdge()),
        writtenEdge = constant(getWrittenEdge());
  SmallVector<Value> counts(loop.getExtents());
  Value isShort = buildIsShort(b);
  for (auto [counter, size] : {std::pair(readCounter, readEdge),
                               std::pair(writtenCounter, writtenEdge)}) {
    Value &count = counts[counter.getArgNumber()];
    count = arith::CeilDivUIOp::create(b, loc, count, size);
  }
  OpBuilder::InsertionGuard guard(b);
  if (isShort) {
    // The branch that is not executed needs no blocks.
    Value &count = counts[readCounter.getArgNumber()];
    count = arith::SelectOp::create(b, loc, isShort, constant(0), count);
    SmallVector<Value> extents(loop.getExtents());
    Value &extent = extents[readCounter.getArgNumber()];
    extent = arith::SelectOp::create(b, loc, isShort, extent, constant(0));
    auto branch = scf::IfOp::create(b, loc, isShort, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenYield());
    cast<ParOp>(b.clone(*loop)).getExtentsMutable().assign(extents);
    b.setInsertionPoint(branch.elseYield());
  }
  auto blocks = enterLoop(b, loc, counts, Level::Block);
  ValueRange tile = blocks.getBody().getArguments();

  // The counters of the loop for an element of the tile. Afterwards, the
  // insertion point is where they are in the extents.
  auto enterElement = [&](Value inRead, Value inWritten) {
    IRMapping mapping;
    mapping.map(loop.getBody().getArguments(), tile);
    SmallVector<Value> inside;
    for (auto [counter, size, offset] :
         {std::tuple(readCounter, readEdge, inRead),
          std::tuple(writtenCounter, writtenEdge, inWritten)}) {
      Value start =
          arith::MulIOp::create(b, loc, tile[counter.getArgNumber()], size);
      Value index = arith::AddIOp::create(b, loc, start, offset);
      mapping.map(counter, index);
      if (!isWhole(counter))
        inside.push_back(
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                  loop.getExtents()[counter.getArgNumber()]));
    }
    Value condition;
    for (Value one : inside)
      condition =
          condition ? arith::AndIOp::create(b, loc, condition, one) : one;
    if (condition)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, condition).thenBlock());
    return mapping;
  };

  SmallVector<Value> stored;
  for (GetOp get : reads) {
    stored.push_back(storeTile(
        b, loc, {getWrittenEdge(), getReadEdge()}, get.getResultTypes(), [&] {
          auto rows = enterLoop(b, loc, ValueRange{writtenEdge, readEdge},
                                Level::Thread);
          ValueRange at = rows.getBody().getArguments();
          IRMapping mapping = enterElement(at[1], at[0]);
          for (Operation *op : computable)
            if (op->isBeforeInBlock(get))
              b.clone(*op, mapping);
          Operation *element = b.clone(*get, mapping);
          WriteOp::create(b, loc, element->getResults(), at, ContractAttr(),
                          Attribute());
        }));
  }

  auto elements = enterLoop(b, loc, {readEdge, writtenEdge}, Level::Thread);
  ValueRange at = elements.getBody().getArguments();
  IRMapping mapping = enterElement(at[0], at[1]);
  for (Operation &op : loop.getBody().front()) {
    auto found = llvm::find(reads, &op);
    if (found == reads.end()) {
      b.clone(op, mapping);
      continue;
    }
    Value array = stored[found - reads.begin()];
    auto read = GetOp::create(b, loc, op.getResultTypes(), array,
                              ValueRange{at[1], at[0]});
    mapping.map(op.getResults(), read->getResults());
  }
  loop.erase();
}

namespace {
struct TileTransposes : obs::impl::ObsTileTransposesPassBase<TileTransposes> {
  void runOnOperation() override {
    for (ParOp loop : findThreadLoops(getOperation()))
      TiledLoop::tile(loop);
  }
};
} // namespace
