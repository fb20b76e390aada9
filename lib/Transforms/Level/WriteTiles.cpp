//===- WriteTiles.cpp - Full tiles of a grid without guards ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is no operation for an access to several elements. The pass builds
// neighbouring accesses, and the code generator joins them
// (`obs-align-accesses`). Emulator, race checker and reports treat them as
// separate accesses.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSWRITETILESPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"
#include "Borders.h"
#include "Growth.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Transforms/Level/Tiles.h"
#include "WriteSteps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// The threads of a block that share the iterations of a loop over the threads
/// of the grid with step `step`: their number times that of blocks.
static std::optional<int64_t> getThreads(Value step) {
  if (step.getDefiningOp<gpu::GridDimOp>())
    return 1;
  auto product = step.getDefiningOp<arith::MulIOp>();
  if (!product || !product.getLhs().getDefiningOp<gpu::GridDimOp>())
    return std::nullopt;
  return getConstantIntValue(product.getRhs());
}

/// The number of bytes of which the address of the array of `memory` is a
/// multiple. Its view of a parameter begins at this address.
static int64_t getAlignment(Value memory) {
  auto view = memory.getDefiningOp<memref::ReinterpretCastOp>();
  auto parameter =
      view ? dyn_cast<BlockArgument>(view.getSource()) : BlockArgument();
  auto function =
      parameter ? dyn_cast<gpu::GPUFuncOp>(parameter.getOwner()->getParentOp())
                : gpu::GPUFuncOp();
  if (!function ||
      getConstantIntValue(view.getMixedOffsets().front()) != int64_t(0))
    return 1;
  auto alignment = function.getArgAttrOfType<IntegerAttr>(
      parameter.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName());
  return alignment ? alignment.getInt() : 1;
}

/// True if `length` is a multiple of `items`. If this is not known, `length` is
/// added to `tested`.
static bool mayDivide(int64_t items, OpFoldResult length,
                      llvm::SetVector<Value> &tested) {
  if (std::optional<int64_t> number = getConstantIntValue(length))
    return *number % items == 0;
  tested.insert(cast<Value>(length));
  return true;
}

/// The maximum number of operations of all copies of a body away from borders,
/// without its inner loops.
static constexpr int64_t maxOperations = 2048;

namespace {
/// Writes one loop over the threads of a grid.
class TileWriter {
public:
  TileWriter(scf::ForOp loop, int64_t items, int64_t threads)
      : loop(loop), items(items), threads(threads), builder(loop),
        loc(loop.getLoc()), growths(loop.getInductionVar(), loop.getBody()) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// The number of bytes of `items` neighbours.
  int64_t getVectorBytes(MemRefType type) {
    return items * getElementBytes(type.getElementType());
  }
  std::optional<uint64_t> getPhase(Operation *access,
                                   const llvm::SetVector<Value> &multiples);
  bool areInRows();
  bool findAligned();
  llvm::MapVector<Value, Value> findLeast(Value first);
  bool isQuotient(Value value) {
    return isa_and_nonnull<arith::DivUIOp>(value.getDefiningOp());
  }
  SmallVector<RowPlace> writeNeighbours(Value first);
  void writeApart(Value first);
  void writeDirect(Value tiles, int64_t least);
  void splitSides();

  scf::ForOp loop;
  int64_t items, threads;
  OpBuilder builder;
  Location loc;
  Growths growths;
  /// Lengths of rows of which `items` must be a divisor.
  llvm::SetVector<Value> lengths;
};
} // namespace

/// The constant by which `index` is more than `base`.
static std::optional<uint64_t> getDistance(Value index, Value base) {
  uint64_t sum = 0;
  while (index != base) {
    Operation *op = index.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    std::optional<int64_t> number = getConstantIntValue(op->getOperand(1));
    if (!number)
      return std::nullopt;
    sum += isa<arith::AddIOp>(op) ? *number : -uint64_t(*number);
    index = op->getOperand(0);
  }
  return sum;
}

/// The last index of `access`, a load or store, modulo `items`, if it is one of
/// `multiples` plus a constant.
std::optional<uint64_t>
TileWriter::getPhase(Operation *access,
                     const llvm::SetVector<Value> &multiples) {
  ValueRange indices = getIndexedMemory(access).second;
  if (indices.empty())
    return std::nullopt;
  for (Value multiple : multiples)
    if (std::optional<uint64_t> distance =
            getDistance(indices.back(), multiple))
      return *distance % items;
  return std::nullopt;
}

/// True if neighbours are in one row of every array, if `items` is a divisor of
/// all `lengths`. Adds to `lengths`.
bool TileWriter::areInRows() {
  bool result = true;
  loop.getBody()->walk([&](Operation *op) {
    if (Value divisor = growths.getDivisor(op))
      result &= mayDivide(items, divisor, lengths);
  });
  return result;
}

/// True if the accesses of an array can be joined, unless more accesses are not
/// contiguous: then the accesses of a warp are closer to each other if
/// neighbouring threads execute neighbouring iterations.
bool TileWriter::findAligned() {
  if (!areInRows())
    return false;
  bool any = false;
  unsigned contiguous = 0, others = 0;
  llvm::SetVector<Value> multiples;
  multiples.insert(loop.getInductionVar());
  loop.getBody()->walk([&](Operation *op) {
    if (isa<arith::RemUIOp>(op) && growths.getDivisor(op))
      multiples.insert(op->getResult(0));
  });
  loop.getBody()->walk([&](Operation *op) {
    if (!isa<memref::LoadOp, memref::StoreOp>(op))
      return;
    auto [memory, indices] = getIndexedMemory(op);
    auto type = cast<MemRefType>(memory.getType());
    bool isContiguous = growths.isContiguous(op);
    bool isCommon = llvm::all_of(indices, [&](Value index) {
      return growths.get(index) == Growth::None;
    });
    contiguous += isContiguous;
    others += !isContiguous && !isCommon;
    std::optional<uint64_t> phase = getPhase(op, multiples);
    if (!isContiguous || !phase ||
        getAlignment(memory) % getVectorBytes(type) != 0)
      return;
    if (type.getRank() > 1) {
      auto view = memory.getDefiningOp<memref::ReinterpretCastOp>();
      if (!mayDivide(items, view.getMixedSizes().back(), lengths))
        return;
    }
    any |= *phase == 0;
  });
  return any && contiguous >= others;
}

/// The counter, and its quotients and remainders, in iteration `first`. They
/// determine the values of all neighbours: a quotient is equal, and the others
/// grow.
llvm::MapVector<Value, Value> TileWriter::findLeast(Value first) {
  llvm::MapVector<Value, Value> least;
  IRMapping map;
  map.map(loop.getInductionVar(), first);
  loop.getBody()->walk([&](Operation *op) {
    if (growths.getDivisor(op))
      least[op->getResult(0)] = builder.clone(*op, map)->getResult(0);
  });
  least[loop.getInductionVar()] = first;
  return least;
}

/// Builds `items` neighbouring iterations, which are in one row of every array.
/// Their first index is a multiple of `items`. The same holds for one copy of
/// each access at a constant distance. Returns their places in rows.
SmallVector<RowPlace> TileWriter::writeNeighbours(Value first) {
  llvm::MapVector<Value, SmallVector<Value>> copies;
  SmallVector<RowPlace> places;
  for (auto [value, number] : findLeast(first)) {
    SmallVector<Value> &values = copies[value];
    if (isQuotient(value)) {
      values.assign(items, number);
      continue;
    }
    Operation *op = value.getDefiningOp();
    places.push_back(
        {number, op ? growths.getDivisor(op) : loop.getUpperBound()});
    values.push_back(number);
    for (int64_t item = 1; item < items; ++item)
      values.push_back(
          arith::AddIOp::create(builder, loc, number, constant(item)));
  }
  writeSideBySide(builder, *loop.getBody(), copies);
  return places;
}

/// Builds `items` iterations at a distance of the number of threads of a block.
void TileWriter::writeApart(Value first) {
  llvm::MapVector<Value, SmallVector<Value>> copies;
  SmallVector<Value> &iterations = copies[loop.getInductionVar()];
  for (int64_t item = 0; item < items; ++item)
    iterations.push_back(
        arith::AddIOp::create(builder, loc, first, constant(item * threads)));
  writeSideBySide(builder, *loop.getBody(), copies);
}

/// If an iteration is a loop over rows, makes each row an iteration: if there
/// are few tiles, a launch has a thread for each row then. The rows
/// of a column are neighbours, so that the check of races, to which the number
/// of rows is a constant, can tell them apart.
static void separateRows(scf::ForOp loop) {
  auto inner = loop.getBody()->getOps<scf::ForOp>();
  auto found = llvm::find_if(inner, [](scf::ForOp rows) {
    return hasAttr<ObsDialect::RowsAttrHelper>(rows);
  });
  if (found == inner.end())
    return;
  scf::ForOp rows = *found;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value count = arith::ConstantIndexOp::create(
      builder, loc, *getConstantIntValue(rows.getUpperBound()));
  loop.setUpperBound(
      arith::MulIOp::create(builder, loc, loop.getUpperBound(), count));
  builder.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  auto column = arith::DivUIOp::create(builder, loc, counter, count);
  auto row = arith::RemUIOp::create(builder, loc, counter, count);
  SmallPtrSet<Operation *, 2> own = {row, column};
  counter.replaceAllUsesExcept(column, own);
  rows.getInductionVar().replaceAllUsesWith(row);
  rows.getBody()->getTerminator()->erase();
  rows->getBlock()->getOperations().splice(rows->getIterator(),
                                           rows.getBody()->getOperations());
  rows.erase();
}

/// Keeps the original loop for fewer than `least` tiles. The code that is built
/// after this call is for more tiles.
void TileWriter::writeDirect(Value tiles, int64_t least) {
  Value isDirect = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, tiles, constant(least));
  auto branch =
      scf::IfOp::create(builder, loc, isDirect, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  separateRows(cast<scf::ForOp>(builder.clone(*loop)));
  builder.setInsertionPointToStart(branch.elseBlock());
}

/// Makes the body of the loop a branch: away from borders, an iteration has no
/// guards.
void TileWriter::splitSides() {
  Borders borders(loop, 1);
  if (!borders.hasGuards())
    return;
  scf::ForOp inside = borders.buildInside(builder, maxOperations);
  Block *body = loop.getBody();
  Operation *first = &body->front();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(body);
  auto side = scf::IfOp::create(
      builder, loc, borders.buildTest(builder, loc, loop.getInductionVar()),
      /*withElseRegion=*/true);
  auto move = [](Block *from, Operation *first, Block *to) {
    to->getOperations().splice(to->begin(), from->getOperations(),
                               first->getIterator(),
                               from->getTerminator()->getIterator());
  };
  move(body, first, side.elseBlock());
  inside.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  move(inside.getBody(), &inside.getBody()->front(), side.thenBlock());
  inside.erase();
}

void TileWriter::run() {
  Value bound = loop.getUpperBound();
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  Value size = constant(items * threads), zero = constant(0);
  // If the upper bound is negative, a loop has no iterations.
  Value count = arith::CeilDivUIOp::create(
      builder, loc,
      getConstantIntValue(bound)
          ? bound
          : arith::MaxSIOp::create(builder, loc, bound, zero).getResult(),
      size);
  if (int64_t least = getTileLimits(loop).tiles)
    writeDirect(count, least);
  Borders borders(loop, items);
  std::optional<TileWriter> inside;
  // The test of the borders also assumes that neighbours are in one row.
  if (borders.hasGuards() && areInRows())
    inside.emplace(borders.buildInside(builder, maxOperations), items, threads);
  bool areNeighbours = findAligned();
  if (inside) {
    if (inside->findAligned()) {
      areNeighbours = true;
      lengths.insert_range(inside->lengths);
    } else {
      inside->loop.erase();
      inside.reset();
    }
  }
  if (!areNeighbours && borders.hasGuards()) {
    loop->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    splitSides();
    return;
  }
  Value hasRows;
  if (areNeighbours)
    for (Value length : lengths) {
      Value rest =
          arith::RemUIOp::create(builder, loc, length, constant(items));
      Value isMultiple = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, rest, zero);
      hasRows = hasRows
                    ? arith::AndIOp::create(builder, loc, hasRows, isMultiple)
                          .getResult()
                    : isMultiple;
    }
  auto tiles = scf::ForOp::create(builder, loc, block, count, blocks);
  builder.setInsertionPointToStart(tiles.getBody());
  Value first =
      arith::MulIOp::create(builder, loc, tiles.getInductionVar(), size);
  Value last = arith::AddIOp::create(builder, loc, first, size);
  Value isFull = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                       last, bound);
  if (hasRows)
    isFull = arith::AndIOp::create(builder, loc, isFull, hasRows);
  auto branch =
      scf::IfOp::create(builder, loc, isFull, /*withElseRegion=*/true);

  builder.setInsertionPointToStart(branch.thenBlock());
  if (areNeighbours) {
    Value mine = arith::MulIOp::create(builder, loc, thread, constant(items));
    mine = arith::AddIOp::create(builder, loc, first, mine);
    if (inside) {
      auto side =
          scf::IfOp::create(builder, loc, borders.buildTest(builder, loc, mine),
                            /*withElseRegion=*/true);
      inside->builder.setInsertionPointToStart(side.thenBlock());
      inside->writeNeighbours(mine);
      inside->loop.erase();
      builder.setInsertionPointToStart(side.elseBlock());
      SmallVector<RowPlace> places = writeNeighbours(mine);
      decideInRows(*side.elseBlock(), places, items, maxOperations);
    } else {
      writeNeighbours(mine);
    }
  } else {
    writeApart(arith::AddIOp::create(builder, loc, first, thread));
  }

  if (hasRows)
    splitSides();
  loop->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  builder.setInsertionPoint(loop);
  loop.setLowerBound(arith::AddIOp::create(builder, loc, first, thread));
  loop.setUpperBound(arith::MinSIOp::create(builder, loc, last, bound));
  loop.setStep(constant(threads));
}

namespace {
struct WriteTiles : obs::impl::ObsWriteTilesPassBase<WriteTiles> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (hasAttr<ObsDialect::ItemsAttrHelper>(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      int64_t items =
          cast<IntegerAttr>(removeAttr<ObsDialect::ItemsAttrHelper>(loop))
              .getInt();
      std::optional<int64_t> threads = getThreads(loop.getStep());
      if (threads)
        TileWriter(loop, items, *threads).run();
    }
    getOperation().walk(
        [](scf::ForOp loop) { removeAttr<ObsDialect::RowsAttrHelper>(loop); });
  }
};
} // namespace
