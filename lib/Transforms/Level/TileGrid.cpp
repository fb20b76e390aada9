//===- TileGrid.cpp - Several iterations of a grid for each thread --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSTILEGRIDPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"
#include "Borders.h"
#include "Growth.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "Obsidian/Transforms/Level/Tiles.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;

/// The maximum number of operations of all copies of a body.
static constexpr int64_t maxOperations = 1024;

/// The number of rows of a stencil that a thread computes. On an H200, a
/// convolution of 8192 x 8192 floats with 5 x 5 weights takes 0.290 ms with 2
/// rows and 0.240 ms with 4.
static constexpr int64_t rowsOfThread = 4;

/// The number of blocks of 256 threads that an H200 executes at once: 8 on each
/// of 132 multiprocessors. Other chips execute fewer.
static constexpr int64_t residentBlocks = 1056;

/// The number of blocks that keep the memory of an H200 busy if a thread loads
/// four rows of a stencil: two on each multiprocessor.
static constexpr int64_t blocksOfRows = 264;

/// The number of tiles with rows of a stencil for which a thread computes its
/// rows together. On an H200, a stencil of 1024 x 1024 bytes with 3 x 3
/// elements takes 4.2 us in 64 tiles, and 9.9 us without tiles. For 16 tiles,
/// the times are 4.1 us and 3.4 us.
static constexpr int64_t tilesOfRows = 32;

TileLimits obs::getTileLimits(Operation *loop) {
  TileLimits limits;
  loop->walk<WalkOrder::PreOrder>([&](scf::ForOp inner) {
    if (inner == loop)
      return WalkResult::advance();
    bool isRows = hasAttr<ObsDialect::RowsAttrHelper>(inner);
    limits.blocks =
        std::max(limits.blocks, isRows ? blocksOfRows : residentBlocks);
    limits.tiles =
        std::max(limits.tiles, isRows ? tilesOfRows : residentBlocks);
    return isRows ? WalkResult::skip() : WalkResult::advance();
  });
  return limits;
}

/// True if `op`, which an iteration executes, may have copies for several
/// iterations, and if this is faster. Inner loops that depend on the iteration
/// cannot be shared, and memory of a thread exists only once.
static bool canBeCopied(Operation *op, Growths &growths) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return llvm::all_of(
        ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        [&](Value bound) { return growths.isCommon(bound); });
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return growths.isCommon(branch.getCondition()) ||
           !containsOp(*op, [](scf::ForOp) { return true; });
  if (op->hasTrait<OpTrait::IsTerminator>() || isa<cf::AssertOp>(op))
    return true;
  if (isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(op)) {
    Value root = getRoot(getIndexedMemory(op).first);
    return root && (isa<BlockArgument>(root) ||
                    root.getDefiningOp<memref::GetGlobalOp>());
  }
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// True if one instruction makes the additions of four neighbouring iterations.
static bool isVectorAddition(memref::AtomicRMWOp op, Growths &growths,
                             int64_t items) {
  if (op.getKind() != arith::AtomicRMWKind::addf ||
      !op.getValue().getType().isF32() || !op->use_empty() || items != 4)
    return false;
  std::optional<Group> element = growths.getElement(op);
  // The alignment of rows of unknown length is not known to later passes.
  return element && element->isOneByOne() && element->isAligned() &&
         growths.getLengths().empty();
}

/// The number of neighbouring iterations of `leaf` that a thread executes
/// together: the number of elements in 16 bytes, for the widest elements that
/// neighbouring iterations access at neighbouring addresses. 1 if there are
/// none.
static int64_t chooseItems(scf::ForallOp leaf, bool addsVectors) {
  int64_t operations = 0;
  llvm::SmallSetVector<int64_t, 4> sizes;
  leaf.getBody()->walk([&](Operation *op) {
    ++operations;
    if (isa<memref::LoadOp, memref::StoreOp>(op))
      sizes.insert(
          getElementBytes(cast<MemRefType>(getIndexedMemory(op).first.getType())
                              .getElementType()));
  });
  auto descending = sizes.takeVector();
  llvm::sort(descending, std::greater<int64_t>());
  for (int64_t bytes : descending) {
    int64_t items = widestAccess / bytes;
    if (items < 2)
      continue;
    Growths growths(leaf.getInductionVar(0), leaf.getBody(), items,
                    /*assumesRows=*/true);
    bool isWide =
        llvm::any_of(growths.getAccesses(), [&](const GroupAccess &access) {
          auto type =
              cast<MemRefType>(getIndexedMemory(access.op).first.getType());
          return access.isWide &&
                 getElementBytes(type.getElementType()) == bytes;
        });
    if (!isWide)
      continue;
    Growths exact(leaf.getInductionVar(0), leaf.getBody(), items);
    // The lanes of a warp add to neighbouring elements together, unless a lane
    // adds to them by one instruction.
    bool addsToRows = false;
    leaf.getBody()->walk([&](memref::AtomicRMWOp op) {
      if (op.getIndices().empty())
        return;
      std::optional<Group> last = growths.get(op.getIndices().back());
      addsToRows |= last && last->isDense() &&
                    !(addsVectors && isVectorAddition(op, exact, items));
    });
    if (addsToRows)
      return 1;
    // Neighbours in two rows would execute their inner loops one by one.
    if (containsOp(*leaf.getBody(),
                   [&](Operation *op) { return !canBeCopied(op, exact); }))
      return 1;
    while (items > 1 && items * operations > maxOperations)
      items /= 2;
    return items;
  }
  return 1;
}

/// `product` without the factor `factor`; null if this is not known.
static OpFoldResult divide(OpFoldResult product, Value factor) {
  std::optional<int64_t> all = getConstantIntValue(product);
  std::optional<int64_t> number = getConstantIntValue(factor);
  if (all && number && *number > 0 && *all % *number == 0)
    return Builder(factor.getContext()).getIndexAttr(*all / *number);
  if (all && factor == dyn_cast<Value>(product))
    return Builder(factor.getContext()).getIndexAttr(1);
  auto factors = dyn_cast<Value>(product)
                     ? cast<Value>(product).getDefiningOp<arith::MulIOp>()
                     : arith::MulIOp();
  if (!factors)
    return {};
  if (factors.getRhs() == factor)
    return Value(factors.getLhs());
  return factors.getLhs() == factor ? Value(factors.getRhs()) : Value();
}

/// The number by which all uses of `value` divide it; null if there are others.
static Value getDivisor(Value value, scf::ForallOp leaf) {
  Value divisor;
  for (Operation *user : value.getUsers()) {
    if (!isa<arith::DivUIOp, arith::RemUIOp>(user) ||
        user->getOperand(0) != value || user->getOperand(1) == value ||
        (divisor && user->getOperand(1) != divisor))
      return {};
    divisor = user->getOperand(1);
  }
  return divisor && (getConstantIntValue(divisor) ||
                     leaf.isDefinedOutsideOfLoop(divisor))
             ? divisor
             : Value();
}

/// The quotients of `value`, or else its remainders.
static SmallVector<Operation *> getDigits(Value value, bool isQuotient) {
  SmallVector<Operation *> digits;
  for (Operation *user : value.getUsers())
    if (isa<arith::DivUIOp>(user) == isQuotient)
      digits.push_back(user);
  return digits;
}

namespace {
/// The iterations of a leaf over an array of two or more dimensions.
struct Planes {
  /// The length of a row.
  Value length;
  /// The numbers of rows in a plane, and of planes. There is one plane if the
  /// number of a row is not divided.
  OpFoldResult rows, count;
  bool areDivided = false;
  /// The values for the column, for the row in the plane, and for the plane.
  SmallVector<Operation *> column, row, plane;
};
} // namespace

/// The planes of `leaf`; empty if the counter has other uses than divisions by
/// the length of a row.
static std::optional<Planes> findPlanes(scf::ForallOp leaf) {
  Value counter = leaf.getInductionVar(0);
  Planes planes;
  planes.length = getDivisor(counter, leaf);
  if (!planes.length)
    return std::nullopt;
  planes.column = getDigits(counter, /*isQuotient=*/false);
  planes.row = getDigits(counter, /*isQuotient=*/true);
  planes.rows = divide(leaf.getMixedUpperBound()[0], planes.length);
  if (planes.row.empty() || !planes.rows)
    return std::nullopt;
  planes.count = Builder(leaf.getContext()).getIndexAttr(1);
  Value number = planes.row.front()->getResult(0);
  Value height = planes.row.size() == 1 ? getDivisor(number, leaf) : Value();
  OpFoldResult count = height ? divide(planes.rows, height) : OpFoldResult();
  if (!count || getDigits(number, /*isQuotient=*/false).empty())
    return planes;
  planes.row = getDigits(number, /*isQuotient=*/false);
  planes.plane = getDigits(number, /*isQuotient=*/true);
  planes.rows = getAsOpFoldResult(height);
  planes.count = count;
  planes.areDivided = true;
  return planes;
}

/// If a leaf limits the rows and the columns that it reads, it is a stencil:
/// iterations of neighbouring rows read the same elements. It is replaced by a
/// leaf whose iterations compute `rowsOfThread` rows of a column. Returns
/// `leaf` if it is not a stencil.
static scf::ForallOp joinRows(scf::ForallOp leaf, int64_t items) {
  std::optional<Planes> planes = findPlanes(leaf);
  if (!planes ||
      !Borders(leaf, items).hasGuardOf(planes->row.front()->getResult(0)))
    return leaf;
  OpBuilder builder(leaf);
  Location loc = leaf.getLoc();
  IndexBuilder index{builder, loc};
  auto build = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  Value rows = build(planes->rows);
  Value length = build(getAsOpFoldResult(planes->length));
  Value groups = builder.createOrFold<arith::CeilDivUIOp>(
      loc, rows, index.constant(rowsOfThread));
  Value bound = index.mul(index.mul(groups, build(planes->count)), length);
  auto joined = scf::ForallOp::create(builder, loc, getAsOpFoldResult({bound}),
                                      ValueRange{}, leaf.getMapping());
  joined->setDiscardableAttrs(leaf->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(joined.getBody());
  Value counter = joined.getInductionVar(0);
  Value group = arith::DivUIOp::create(builder, loc, counter, length);
  Value column = arith::RemUIOp::create(builder, loc, counter, length);
  IRMapping map;
  auto replace = [&](ArrayRef<Operation *> digits, Value value) {
    for (Operation *digit : digits)
      map.map(digit->getResult(0), value);
  };
  if (planes->areDivided) {
    replace(planes->plane, arith::DivUIOp::create(builder, loc, group, groups));
    group = arith::RemUIOp::create(builder, loc, group, groups);
  }
  Value first =
      arith::MulIOp::create(builder, loc, group, index.constant(rowsOfThread));
  auto loop =
      scf::ForOp::create(builder, loc, index.constant(0),
                         index.constant(rowsOfThread), index.constant(1));
  setAttr<ObsDialect::RowsAttrHelper>(loop);
  builder.setInsertionPointToStart(loop.getBody());
  Value number =
      arith::AddIOp::create(builder, loc, first, loop.getInductionVar());
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       number, rows);
  auto branch =
      scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
  replace(planes->column, column);
  replace(planes->row, number);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : leaf.getBody()->without_terminator())
    if (op.getNumResults() == 0 ||
        (!map.contains(op.getResult(0)) &&
         !llvm::is_contained(op.getOperands(), leaf.getInductionVar(0))))
      builder.clone(op, map);
  leaf.erase();
  return joined;
}

namespace {
/// The tiles of a kernel.
struct KernelTiles {
  /// The minimum number of iterations that a thread executes together.
  int64_t items = 1;
  /// The minimum number of blocks.
  int64_t blocks = 0;
};
} // namespace

namespace {
/// The iterations of a loop over the grid, if their number is known, and those
/// that a thread executes together.
struct TiledLoop {
  std::optional<int64_t> extent;
  int64_t items = 1;

  /// True if the threads for the tiles of this loop are enough for `other`.
  bool hasThreadsFor(const TiledLoop &other) const {
    return extent && other.extent && items > other.items &&
           *extent / items >= *other.extent;
  }
};
} // namespace

/// The number of iterations by which there may be fewer threads than iterations
/// of the longest loop.
static int64_t getCommonItems(ArrayRef<TiledLoop> loops) {
  std::optional<int64_t> least;
  for (const TiledLoop &loop : loops)
    if (llvm::none_of(loops, [&](const TiledLoop &other) {
          return other.hasThreadsFor(loop);
        }))
      least = std::min(least.value_or(loop.items), loop.items);
  return least.value_or(1);
}

/// Marks the leaves of `kernel` over the grid.
static KernelTiles tile(KernelOp kernel, bool addsVectors) {
  KernelTiles tiles;
  SmallVector<TiledLoop> loops;
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto map = getAttr<ObsDialect::MapAttrHelper>(loop);
      if (map && map.getScope() == Level::Grid)
        loops.push_back({});
    }
    auto leaf = dyn_cast<scf::ForallOp>(op);
    if (!leaf || getLeafMap(leaf).getScope() != Level::Grid)
      return;
    auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
    bool isStriped =
        distribution && distribution.getValue() == Distribution::Striped;
    int64_t items = isStriped ? chooseItems(leaf, addsVectors) : 1;
    std::optional<int64_t> extent = getIterations(leaf);
    // Not even one tile would be full.
    if (extent && *extent < items * int64_t(kernel.getThreads().value_or(1)))
      items = 1;
    if (items == 1) {
      loops.push_back({extent});
      return;
    }
    scf::ForallOp joined = joinRows(leaf, items);
    loops.push_back({extent, joined == leaf ? items : items * rowsOfThread});
    leaf = joined;
    setNumber<ObsDialect::ItemsAttrHelper>(leaf, items);
    tiles.blocks = std::max(tiles.blocks, getTileLimits(leaf).blocks);
  });
  tiles.items = getCommonItems(loops);
  return tiles;
}

/// The number of blocks with tiles, if one iteration for each thread needs
/// `blocks` blocks. For long iterations, it is more important to use all
/// multiprocessors than to use the memory well. So if there are too few tiles,
/// there are more blocks than tiles, and threads execute one iteration at a
/// time.
static Value buildBlocks(OpBuilder &builder, Location loc, Value blocks,
                         const KernelTiles &tiles) {
  IndexBuilder index{builder, loc};
  Value fewer = builder.createOrFold<arith::CeilDivUIOp>(
      loc, blocks, index.constant(tiles.items));
  if (tiles.blocks == 0)
    return fewer;
  Value used = index.join<arith::MinUIOp>(blocks, index.constant(tiles.blocks));
  return index.join<arith::MaxUIOp>(fewer, used);
}

namespace {
struct TileGrid : obs::impl::ObsTileGridPassBase<TileGrid> {
  using ObsTileGridPassBase::ObsTileGridPassBase;

  void runOnOperation() override {
    llvm::StringMap<KernelTiles> tiles;
    if (enable)
      for (auto kernel : getOperation().getOps<KernelOp>())
        tiles[kernel.getSymName()] = tile(kernel, addsVectors);
    getOperation().walk([&](LaunchOp launch) {
      bool isByExtent = launch.getByExtent();
      launch.setByExtent(false);
      auto found = tiles.find(launch.getKernel());
      if (!isByExtent || found == tiles.end() || found->second.items == 1)
        return;
      OpBuilder builder(launch);
      launch.getBlocksMutable().assign(buildBlocks(
          builder, launch.getLoc(), launch.getBlocks(), found->second));
    });
  }
};
} // namespace
