//===- RowLeaves.cpp - Loops that follow the rows of warps ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLeaves.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "Obsidian/Transforms/Level/Tiles.h"
#include "WriteSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

/// Limits: elements of a lane, and operations of all copies of a body.
static constexpr int64_t maxItems = 32, maxOperations = 4096;

/// The number of conditions for which a copy of the code without them is not
/// worth it.
static constexpr int64_t fewGuards = 2;

namespace {
/// The order of elements in the lanes of warps: each warp has `count` rows, and
/// each lane `width` neighbours of a row.
struct Rows {
  int64_t count = 0, width = 0;

  int64_t getSize() const { return width * warpSize; }
  int64_t getItems() const { return count * width; }
  int64_t getThread(int64_t element) const {
    return element / (count * getSize()) * warpSize +
           element / width % warpSize;
  }
};

/// An array, and the loops with one iteration for each of its elements.
struct RowArray {
  int64_t size = 0;
  llvm::SetVector<Operation *> leaves;
  /// The rows in which warps combine the array; nullopt if no warps combine it.
  std::optional<Rows> rows;
};
} // namespace

/// The order in which threads reach `elements`, which are pairs of element and
/// thread, if it is an order by rows.
static std::optional<Rows>
fitRows(ArrayRef<std::pair<int64_t, int64_t>> elements) {
  for (int64_t width : {4, 2, 1})
    for (int64_t count = 1; count * width <= maxItems; ++count) {
      Rows rows{count, width};
      if (llvm::all_of(elements, [&](auto reached) {
            return rows.getThread(reached.first) == reached.second;
          }))
        return rows;
    }
  return std::nullopt;
}

/// True if iteration i of `leaf` reaches element i at `indices`.
static bool followsElements(scf::ForallOp leaf, ValueRange indices,
                            MemRefType type) {
  if (getIterations(leaf) != type.getNumElements())
    return false;
  if (type.getRank() == 1)
    return indices.front() == leaf.getInductionVar(0);
  auto elements = evaluateIndices(leaf, indices, type.getShape());
  return elements && llvm::equal(*elements, llvm::seq(type.getNumElements()));
}

/// Nullopt for an array whose elements do not belong to one thread each.
static std::optional<RowArray>
findRowArray(memref::AllocOp alloc, int64_t threads,
             const llvm::SmallPtrSet<Operation *, 4> &asked) {
  MemRefType type = alloc.getType();
  if (!getRegisterHome(alloc, Level::Block) || type.getRank() == 0 ||
      !type.hasStaticShape())
    return std::nullopt;
  RowArray array;
  array.size = type.getNumElements();
  SmallVector<std::pair<int64_t, int64_t>> elements;
  for (Operation *user : alloc->getUsers()) {
    auto [memory, indices] = getIndexedMemory(user);
    auto leaf = user->getParentOfType<scf::ForallOp>();
    if (memory != alloc.getResult() || !leaf || asked.contains(leaf))
      return std::nullopt;
    if (getLeafMap(leaf).getScope() == Level::Block) {
      if (!followsElements(leaf, indices, type))
        return std::nullopt;
      array.leaves.insert(leaf);
      continue;
    }
    scf::ForOp warps = getOneTurn(leaf, threads);
    auto reached = warps
                       ? evaluateIndices(leaf, indices, type.getShape(), warps)
                       : std::nullopt;
    if (!reached)
      return std::nullopt;
    for (auto [thread, element] : llvm::enumerate(*reached))
      if (element >= 0)
        elements.push_back({element, int64_t(thread)});
  }
  if (elements.empty())
    return array;
  array.rows = fitRows(elements);
  if (!array.rows)
    return std::nullopt;
  return array;
}

/// True if copies of the body may be side by side, and are not too long.
static bool canBeCopied(scf::ForallOp leaf, int64_t copies) {
  int64_t operations = 0;
  return !containsOp(*leaf.getBody(), [&](Operation *op) {
    bool isPlain = isa<scf::ForOp, scf::IfOp, memref::LoadOp>(op) ||
                   (isa<memref::StoreOp>(op) &&
                    !hasAttr<ObsDialect::ContractAttrHelper>(op)) ||
                   op->hasTrait<OpTrait::IsTerminator>() ||
                   (op->getNumRegions() == 0 && isMemoryEffectFree(op));
    return !isPlain || ++operations * copies > maxOperations;
  });
}

/// True if `op` is the quotient or the remainder of `counter` by a number whose
/// multiples are multiples of `width`, too.
static bool dividesInRows(Operation *op, Value counter, int64_t width) {
  if (!isa<arith::DivUIOp, arith::RemUIOp>(op) || op->getOperand(0) != counter)
    return false;
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  return divisor && *divisor > 0 && *divisor % width == 0;
}

/// The results of such a division for `iterations`, groups of `width`
/// neighbours. Each group needs one division: the quotients are equal, and the
/// remainders grow by one.
static SmallVector<Value> writeDivision(OpBuilder &builder, Operation *op,
                                        ArrayRef<Value> iterations,
                                        int64_t width) {
  SmallVector<Value> results;
  for (auto [number, iteration] : llvm::enumerate(iterations)) {
    int64_t distance = static_cast<int64_t>(number) % width;
    if (distance == 0) {
      IRMapping map;
      map.map(op->getOperand(0), iteration);
      results.push_back(builder.clone(*op, map)->getResult(0));
    } else if (isa<arith::DivUIOp>(op)) {
      results.push_back(results.back());
    } else {
      Value one =
          arith::ConstantIndexOp::create(builder, op->getLoc(), distance);
      results.push_back(arith::AddIOp::create(builder, op->getLoc(),
                                              results[number - distance], one));
    }
  }
  return results;
}

/// Writes the iterations of `leaf` by rows:
///
///   forall t in warps * 32 { first = t / 32 * rows * size + t % 32 * width
///     for each row: iterations first + row * size + 0, 1, .., width - 1 }
static void write(scf::ForallOp leaf, const Rows &rows) {
  OpBuilder builder(leaf);
  Location loc = leaf.getLoc();
  int64_t size = *getIterations(leaf);
  int64_t piece = rows.count * rows.getSize();
  int64_t warps = llvm::divideCeil(size, piece);
  IndexBuilder index{builder, loc};
  auto byThreads = scf::ForallOp::create(
      builder, loc,
      ArrayRef<OpFoldResult>(builder.getIndexAttr(warps * warpSize)),
      ValueRange(), leaf.getMappingAttr());
  byThreads->setDiscardableAttrs(leaf->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(byThreads.getBody());
  Value thread = byThreads.getInductionVar(0), lanes = index.constant(warpSize);
  Value first = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc,
                            arith::DivUIOp::create(builder, loc, thread, lanes),
                            index.constant(piece)),
      arith::MulIOp::create(builder, loc,
                            arith::RemUIOp::create(builder, loc, thread, lanes),
                            index.constant(rows.width)));
  auto getIteration = [&](int64_t distance) -> Value {
    return distance ? arith::AddIOp::create(builder, loc, first,
                                            index.constant(distance))
                    : first;
  };
  auto writeBody = [&](ArrayRef<Value> iterations) {
    llvm::MapVector<Value, SmallVector<Value>> copies;
    copies[leaf.getInductionVar(0)] = llvm::to_vector(iterations);
    if (static_cast<int64_t>(iterations.size()) % rows.width == 0)
      for (Operation &op : leaf.getBody()->without_terminator())
        if (dividesInRows(&op, leaf.getInductionVar(0), rows.width))
          copies[op.getResult(0)] =
              writeDivision(builder, &op, iterations, rows.width);
    writeSideBySide(builder, *leaf.getBody(), copies);
  };
  auto writeGuarded = [&](ArrayRef<Value> iterations) {
    Value exists =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                              iterations.front(), index.constant(size));
    auto branch = scf::IfOp::create(builder, loc, exists,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    writeBody(iterations);
  };
  int64_t last = (warps - 1) * piece;
  SmallVector<Value> all;
  int64_t full = 0;
  for (int64_t i = 0; i < rows.getItems(); ++i) {
    int64_t row = i / rows.width;
    all.push_back(getIteration(row * rows.getSize() + i % rows.width));
    if (last + (row + 1) * rows.getSize() <= size)
      full = i + 1;
  }
  // Either all neighbours exist together, or each has a condition.
  int64_t together = size % rows.width == 0 ? rows.width : 1;
  auto writeLast = [&] {
    if (full > 0)
      writeBody(ArrayRef(all).take_front(full));
    for (int64_t i = full; i < rows.getItems(); i += together)
      writeGuarded(ArrayRef(all).slice(i, together));
  };
  if (rows.getItems() - full > fewGuards * together && warps > 1) {
    // All warps but the last one have all of their elements. Without
    // conditions between them, their accesses are in flight together.
    Value isFull =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, thread,
                              index.constant((warps - 1) * warpSize));
    auto branch = scf::IfOp::create(builder, loc, isFull,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    writeBody(all);
    builder.setInsertionPointToStart(branch.elseBlock());
    writeLast();
  } else {
    writeLast();
  }
  leaf.erase();
}

bool obs::isCopied(memref::AllocOp alloc, int64_t threads) {
  std::optional<RowArray> array = findRowArray(alloc, threads, {});
  return array && !array->rows;
}

/// The rows for an array that one of `leaves` copies with wide accesses: each
/// thread has a few neighbours.
static std::optional<Rows> getNeighbours(ArrayRef<Operation *> leaves) {
  for (Operation *leaf : leaves)
    if (auto width = getAttr<ObsDialect::ItemsAttrHelper>(leaf))
      return Rows{1, width.getInt()};
  return std::nullopt;
}

void obs::writeRowLeaves(KernelOp kernel, int64_t threads,
                         const llvm::SmallPtrSet<Operation *, 4> &asked) {
  SmallVector<RowArray> arrays;
  kernel.walk([&](memref::AllocOp alloc) {
    if (std::optional<RowArray> array = findRowArray(alloc, threads, asked))
      arrays.push_back(std::move(*array));
  });
  // Arrays of one loop have the same rows. So an array that no warp combines
  // has the rows of the others.
  for (RowArray &array : arrays)
    if (!array.rows)
      array.rows = getNeighbours(array.leaves.getArrayRef());
  llvm::MapVector<Operation *, Rows> rowsOf;
  for (bool changed = true; changed;) {
    changed = false;
    for (RowArray &array : arrays) {
      for (Operation *leaf : array.leaves)
        if (auto found = rowsOf.find(leaf);
            !array.rows && found != rowsOf.end())
          array.rows = found->second;
      bool fits =
          array.rows && llvm::all_of(array.leaves, [&](Operation *leaf) {
            return canBeCopied(cast<scf::ForallOp>(leaf),
                               array.rows->getItems());
          });
      for (Operation *leaf : array.leaves)
        if (fits)
          changed |= rowsOf.insert({leaf, *array.rows}).second;
    }
  }
  kernel.walk([](scf::ForallOp leaf) {
    if (getLeafMap(leaf).getScope() == Level::Block)
      removeAttr<ObsDialect::ItemsAttrHelper>(leaf);
  });
  for (auto [leaf, rows] : rowsOf)
    write(cast<scf::ForallOp>(leaf), rows);
}
