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
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

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

/// The maximum number of operations of all copies of a body away from borders,
/// without its inner loops.
static constexpr int64_t maxOperations = 2048;

namespace {
/// Writes one loop over the threads of a grid.
class TileWriter {
public:
  TileWriter(scf::ForOp loop, int64_t items, int64_t threads)
      : loop(loop), items(items), threads(threads), builder(loop),
        loc(loop.getLoc()),
        growths(loop.getInductionVar(), loop.getBody(), items),
        lengths(growths.getLengths()) {}

  void run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// The number of bytes of `items` neighbours.
  int64_t getVectorBytes(MemRefType type) {
    return items * getElementBytes(type.getElementType());
  }
  bool isAligned(Operation *access, const Group &element);
  bool findAligned();
  SmallVector<RowPlace> writeNeighbours(Value first);
  void writeApart(Value first);
  void writeDirect(Value tiles, int64_t least);
  void splitSides();

  scf::ForOp loop;
  int64_t items, threads;
  OpBuilder builder;
  Location loc;
  Growths growths;
  /// Numbers of which `items` must be a divisor.
  llvm::SetVector<Value> lengths;
};
} // namespace

/// True if `access`, to neighbours that include `element`, begins at a multiple
/// of their size. Adds to `lengths`.
bool TileWriter::isAligned(Operation *access, const Group &element) {
  Value memory = getIndexedMemory(access).first;
  auto type = cast<MemRefType>(memory.getType());
  if (!element.isAligned() || getAlignment(memory) % getVectorBytes(type) != 0)
    return false;
  if (int64_t rank = type.getRank(); rank > 1 && type.isDynamicDim(rank - 1)) {
    auto view = memory.getDefiningOp<memref::ReinterpretCastOp>();
    lengths.insert(cast<Value>(view.getMixedSizes().back()));
  }
  return true;
}

/// The distance of the elements of neighbours, if it is a power of two and the
/// same for all; else 0.
static int64_t getStep(const Group &element) {
  if (element.values.size() < 2)
    return 0;
  int64_t step = element.values[1] - element.values[0];
  for (auto [a, b] :
       llvm::zip(element.values, llvm::drop_begin(element.values)))
    if (b - a != step)
      return 0;
  return llvm::isPowerOf2_64(step) && element.bits >= llvm::Log2_64(step) ? step
                                                                          : 0;
}

/// True if the accesses of an array can be joined, unless more accesses are not
/// contiguous: then the accesses of a warp are closer to each other if
/// neighbouring threads execute neighbouring iterations. Accesses with gaps are
/// contiguous if others access the elements between, as windows do, and if they
/// are no vector without those of neighbours.
bool TileWriter::findAligned() {
  bool any = false;
  unsigned contiguous = 0;
  // For an array and a step, the places in the gaps, and the number of
  // accesses.
  llvm::MapVector<std::pair<Value, int64_t>,
                  std::pair<llvm::SmallSet<int64_t, 4>, unsigned>>
      gaps;
  for (const GroupAccess &access : growths.getAccesses()) {
    // A table is in a cache or in shared memory.
    Value memory = getIndexedMemory(access.op).first;
    if ((access.element && access.element->isCommon()) ||
        isa_and_nonnull<memref::GetGlobalOp, memref::ViewOp>(
            memory.getDefiningOp()))
      continue;
    if (access.isWide) {
      ++contiguous;
      any |= isAligned(access.op, *access.element);
      continue;
    }
    int64_t step = access.element ? getStep(*access.element) : 0;
    // The elements of one iteration are then a whole vector on their own.
    if (step >= items)
      step = 0;
    auto &[places, count] = gaps[{memory, step}];
    places.insert(step ? access.element->values.front() & (step - 1) : 0);
    ++count;
  }
  unsigned others = 0;
  for (auto &[key, found] : gaps)
    (int64_t(found.first.size()) == key.second ? contiguous : others) +=
        found.second;
  return any && contiguous >= others;
}

/// Builds `items` neighbouring iterations, which are in one row of every array.
/// Their first index is a multiple of `items`. The same holds for one copy of
/// each access at a constant distance. Returns their places in rows.
SmallVector<RowPlace> TileWriter::writeNeighbours(Value first) {
  llvm::MapVector<Value, SmallVector<Value>> copies;
  SmallVector<RowPlace> places;
  IRMapping map;
  map.map(loop.getInductionVar(), first);
  auto add = [&](Value value) {
    Group group = *growths.get(value);
    if (group.isKnown()) {
      copies[value] = llvm::map_to_vector(
          group.values, [&](int64_t number) { return constant(number); });
      return;
    }
    llvm::DenseMap<int64_t, Value> sums;
    sums[group.values.front()] = growths.buildFirst(builder, value, map);
    for (int64_t item : group.values) {
      Value &sum = sums[item];
      if (!sum)
        sum = arith::AddIOp::create(builder, loc, sums[group.values.front()],
                                    constant(item - group.values.front()));
      copies[value].push_back(sum);
    }
  };
  add(loop.getInductionVar());
  places.push_back({first, loop.getUpperBound()});
  for (Operation *key : growths.getKeys()) {
    Value value = key->getResult(0);
    add(value);
    if (isa<arith::RemUIOp>(key) && growths.get(value)->isOneByOne())
      places.push_back({copies[value].front(), key->getOperand(1)});
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
  if (borders.hasGuards())
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

/// The quotient or the remainder of `number` by `divisor`; null if there is
/// none.
template <typename Op>
static Value getDigit(Value number, OpFoldResult divisor) {
  for (Operation *user : number.getUsers())
    if (isa<Op>(user) && user->getOperand(0) == number &&
        isEqualConstantIntOrValue(user->getOperand(1), divisor))
      return user->getResult(0);
  return {};
}

/// True if `indices` are the digits of `number`, by the lengths in `sizes`.
static bool areDigits(ValueRange indices, Value number,
                      ArrayRef<OpFoldResult> sizes) {
  for (; indices.size() > 1;
       indices = indices.drop_back(), sizes = sizes.drop_back()) {
    if (isConstantIntValue(sizes.back(), 1) &&
        isConstantIntValue(indices.back(), 0))
      continue;
    if (indices.back() != getDigit<arith::RemUIOp>(number, sizes.back()))
      return false;
    number = getDigit<arith::DivUIOp>(number, sizes.back());
    if (!number)
      return false;
  }
  return indices.front() == number;
}

/// The array of `view` without its dimensions.
static Value buildFlat(memref::ReinterpretCastOp view) {
  OpBuilder builder(view);
  builder.setInsertionPointAfter(view);
  Location loc = view.getLoc();
  OpFoldResult length = getAsOpFoldResult(builder.createOrFold<arith::MulIOp>(
      loc,
      getValueOrCreateConstantIndexOp(builder, loc,
                                      view.getMixedSizes().front()),
      getValueOrCreateConstantIndexOp(builder, loc,
                                      view.getMixedStrides().front())));
  auto type = MemRefType::get(
      getConstantIntValue(length).value_or(ShapedType::kDynamic),
      view.getType().getElementType());
  return memref::ReinterpretCastOp::create(
      builder, loc, type, view.getSource(), view.getMixedOffsets().front(),
      length, OpFoldResult(builder.getIndexAttr(1)));
}

/// A row and a column of a reshaped array become a number, which is divided
/// again: (i / w) w + i mod w is i.
static void foldDigits(scf::ForOp loop) {
  loop.getBody()->walk([](arith::AddIOp sum) {
    for (auto [number, rest] : {std::pair(sum.getLhs(), sum.getRhs()),
                                std::pair(sum.getRhs(), sum.getLhs())}) {
      auto column = rest.getDefiningOp<arith::RemUIOp>();
      auto product = number.getDefiningOp<arith::MulIOp>();
      auto row = product ? product.getLhs().getDefiningOp<arith::DivUIOp>()
                         : arith::DivUIOp();
      if (!column || !row || product.getRhs() != column.getRhs() ||
          row->getOperands() != column->getOperands())
        continue;
      sum.replaceAllUsesWith(column.getLhs());
      return;
    }
  });
}

/// An iteration often accesses the element with its number, by its indices. If
/// all accesses to an array are such, they become accesses to the array without
/// its dimensions: no row has to have a certain length, and nothing is divided.
static void flatten(scf::ForOp loop) {
  foldDigits(loop);
  Value counter = loop.getInductionVar();
  llvm::MapVector<Value, SmallVector<Operation *>> flat;
  llvm::SmallPtrSet<void *, 8> others;
  loop.getBody()->walk([&](Operation *op) {
    auto [memory, indices] = getIndexedMemory(op);
    auto view = memory ? memory.getDefiningOp<memref::ReinterpretCastOp>()
                       : memref::ReinterpretCastOp();
    if (view && isa<memref::LoadOp, memref::StoreOp>(op) &&
        indices.size() > 1 && areDigits(indices, counter, view.getMixedSizes()))
      flat[memory].push_back(op);
    else if (memory)
      others.insert(memory.getAsOpaquePointer());
  });
  flat.remove_if([&](auto &entry) {
    return others.contains(entry.first.getAsOpaquePointer());
  });
  for (auto &[memory, accesses] : flat) {
    Value whole = buildFlat(memory.getDefiningOp<memref::ReinterpretCastOp>());
    for (Operation *op : accesses)
      op->setOperands(isa<memref::LoadOp>(op) ? 0 : 1,
                      cast<MemRefType>(memory.getType()).getRank() + 1,
                      {whole, counter});
  }
  // Nothing may use the indices any more.
  SmallVector<Operation *> operations;
  for (Operation &op : loop.getBody()->without_terminator())
    operations.push_back(&op);
  for (Operation *op : llvm::reverse(operations))
    if (!flat.empty() && isOpTriviallyDead(op))
      op->erase();
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
      if (!threads)
        continue;
      flatten(loop);
      TileWriter(loop, items, *threads).run();
    }
    getOperation().walk(
        [](scf::ForOp loop) { removeAttr<ObsDialect::RowsAttrHelper>(loop); });
  }
};
} // namespace
