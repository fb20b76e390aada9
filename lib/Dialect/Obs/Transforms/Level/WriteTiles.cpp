//===- WriteTiles.cpp - Full tiles of a grid side by side -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are accessed at once are not an operation of their own: they
// are accesses side by side, the first of which says that it is aligned. The
// code generator joins them. Emulator, race checker and reports read them as
// what they are.
//
//===----------------------------------------------------------------------===//

#include "Growth.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "Obsidian/Dialect/Obs/Transforms/Tiles.h"
#include "WriteSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSWRITETILESPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

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

/// Bytes that the place where the array of `memory` begins is a multiple of:
/// its view of a parameter begins there.
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

/// True if `length` is a multiple of `items`, or may be: then it is one of
/// `tested`.
static bool mayDivide(int64_t items, OpFoldResult length,
                      llvm::SetVector<Value> &tested) {
  if (std::optional<int64_t> number = getConstantIntValue(length))
    return *number % items == 0;
  tested.insert(cast<Value>(length));
  return true;
}

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
  bool isMultiple(Value index);
  bool alignAccesses();
  void writeNeighbours(Value first);
  void writeApart(Value first);
  void writeDirect(Value tiles, Value blocks);

  scf::ForOp loop;
  int64_t items, threads;
  OpBuilder builder;
  Location loc;
  Growths growths;
  /// Lengths of rows of which `items` must be a divisor.
  llvm::SetVector<Value> lengths;
};
} // namespace

/// True if `index` is a multiple of `items` in the first iteration of a thread.
bool TileWriter::isMultiple(Value index) {
  if (index == loop.getInductionVar())
    return true;
  Operation *op = index.getDefiningOp();
  return isa_and_nonnull<arith::RemUIOp>(op) && growths.getDivisor(op);
}

/// Gives the accesses that can be joined the alignment that they have in the
/// first iteration of a thread. False if there are none, or if more accesses
/// are not contiguous: those of a warp are closer to each other if neighbouring
/// threads execute neighbouring iterations.
bool TileWriter::alignAccesses() {
  bool areRows = true, any = false;
  unsigned contiguous = 0, others = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (Value divisor = growths.getDivisor(op))
      areRows &= mayDivide(items, divisor, lengths);
  });
  if (!areRows)
    return false;
  auto align = [&](auto access) {
    MemRefType type = access.getMemRefType();
    int64_t bytes = items * getElementBytes(type.getElementType());
    bool isContiguous = growths.isContiguous(access);
    bool isCommon = llvm::all_of(access.getIndices(), [&](Value index) {
      return growths.get(index) == Growth::None;
    });
    contiguous += isContiguous;
    others += !isContiguous && !isCommon;
    if (!isContiguous || !isMultiple(access.getIndices().back()) ||
        getAlignment(access.getMemRef()) % bytes != 0)
      return;
    if (type.getRank() > 1) {
      auto view =
          access.getMemRef().template getDefiningOp<memref::ReinterpretCastOp>();
      if (!mayDivide(items, view.getMixedSizes().back(), lengths))
        return;
    }
    access.setAlignment(bytes);
    any = true;
  };
  loop.getBody()->walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      align(load);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      align(store);
  });
  return any && contiguous >= others;
}

/// Writes `items` neighbours, which are in one row of every array.
void TileWriter::writeNeighbours(Value first) {
  SmallVector<Value> iterations;
  llvm::MapVector<Value, SmallVector<Value>> copies;
  auto neighbours = [&](Value least) {
    SmallVector<Value> values = {least};
    for (int64_t item = 1; item < items; ++item)
      values.push_back(
          arith::AddIOp::create(builder, loc, least, constant(item)));
    return values;
  };
  copies[loop.getInductionVar()] = neighbours(first);
  loop.getBody()->walk([&](Operation *op) {
    Value divisor = growths.getDivisor(op);
    if (!divisor)
      return;
    IRMapping map;
    map.map(loop.getInductionVar(), first);
    Value least = builder.clone(*op, map)->getResult(0);
    copies[op->getResult(0)] = isa<arith::RemUIOp>(op)
                                   ? neighbours(least)
                                   : SmallVector<Value>(items, least);
  });
  writeSideBySide(builder, *loop.getBody(), copies);
}

/// Writes `items` iterations that are the threads of a block apart.
void TileWriter::writeApart(Value first) {
  llvm::MapVector<Value, SmallVector<Value>> copies;
  SmallVector<Value> &iterations = copies[loop.getInductionVar()];
  for (int64_t item = 0; item < items; ++item)
    iterations.push_back(arith::AddIOp::create(builder, loc, first,
                                               constant(item * threads)));
  writeSideBySide(builder, *loop.getBody(), copies);
}

/// Leaves the loop as it is for a launch with more blocks than tiles. What is
/// written next is for all others.
void TileWriter::writeDirect(Value tiles, Value blocks) {
  Value isDirect = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, tiles, blocks);
  auto branch =
      scf::IfOp::create(builder, loc, isDirect, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  builder.clone(*loop);
  builder.setInsertionPointToStart(branch.elseBlock());
}

void TileWriter::run() {
  Value bound = loop.getUpperBound();
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  Value size = constant(items * threads), zero = constant(0);
  // A loop to a negative number has no iterations.
  Value count = arith::CeilDivUIOp::create(
      builder, loc,
      getConstantIntValue(bound)
          ? bound
          : arith::MaxSIOp::create(builder, loc, bound, zero).getResult(),
      size);
  if (!loop.getBody()->getOps<scf::ForOp>().empty())
    writeDirect(count, blocks);
  bool areNeighbours = alignAccesses();
  Value hasRows;
  if (areNeighbours)
    for (Value length : lengths) {
      Value rest =
          arith::RemUIOp::create(builder, loc, length, constant(items));
      Value isMultiple = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, rest, zero);
      hasRows = hasRows ? arith::AndIOp::create(builder, loc, hasRows,
                                                isMultiple)
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
    writeNeighbours(arith::AddIOp::create(builder, loc, first, mine));
  } else {
    writeApart(arith::AddIOp::create(builder, loc, first, thread));
  }

  loop->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  builder.setInsertionPoint(loop);
  loop.setLowerBound(arith::AddIOp::create(builder, loc, first, thread));
  loop.setUpperBound(arith::MinSIOp::create(builder, loc, last, bound));
  loop.setStep(constant(threads));
  loop.getBody()->walk([](Operation *op) {
    if (isa<memref::LoadOp, memref::StoreOp>(op))
      op->removeAttr("alignment");
  });
}

namespace {
struct WriteTiles : obs::impl::ObsWriteTilesPassBase<WriteTiles> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(itemsAttrName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      int64_t items =
          cast<IntegerAttr>(loop->removeAttr(itemsAttrName)).getInt();
      std::optional<int64_t> threads = getThreads(loop.getStep());
      if (threads)
        TileWriter(loop, items, *threads).run();
    }
  }
};
} // namespace
