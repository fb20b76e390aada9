//===- OwnCopies.cpp - Copies that one thread writes ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are too long for atomic operations are combined in copies that
// no other thread writes. One thread then combines all copies of an element.
//
//===----------------------------------------------------------------------===//

#include "CopyElement.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of threads of a block with copies.
static constexpr int64_t blockWorkers = 256;
/// The number of threads with copies at level grid, and of those that then
/// combine the copies of one element.
static constexpr int64_t maxOwnCopies = 4096, strandsAtGrid = 64;

namespace {
/// A copy in private memory of a thread.
class OwnMemory {
public:
  OwnMemory(CollectiveBuilder thread, CopyElement &cells, int64_t size)
      : thread(thread), cells(cells) {
    for (Type type : cells.elementTypes)
      memories.push_back(memref::AllocOp::create(
          thread.builder, thread.loc,
          MemRefType::get({size}, type, MemRefLayoutAttrInterface(),
                          HomeAttr::get(thread.builder.getContext(),
                                        Level::Thread, Storage::Auto))));
  }

  Values load(Value i) {
    Values cell;
    for (Value memory : memories)
      cell.push_back(
          memref::LoadOp::create(thread.builder, thread.loc, memory, i));
    return cell;
  }
  void store(ValueRange cell, Value i) {
    for (auto [value, memory] : llvm::zip_equal(cell, memories))
      memref::StoreOp::create(thread.builder, thread.loc, value, memory, i);
  }
  void add(ValueRange values, Value i) {
    Value there =
        arith::ConstantIntOp::create(thread.builder, thread.loc, 1, 1);
    store(cells.combine(load(i), cells.makeIf(there, values)), i);
  }

private:
  CollectiveBuilder thread;
  CopyElement &cells;
  Values memories;
};
} // namespace

/// The initial value of element i of the result.
static Values getStart(Reduction &reduction, CopyElement &cells, Value i) {
  CollectiveBuilder &c = reduction.c;
  if (reduction.init.empty() && !reduction.onto)
    return cells.empty;
  return cells.makeIf(arith::ConstantIntOp::create(c.builder, c.loc, 1, 1),
                      reduction.onto ? c.get(reduction.onto, i)
                                     : Values(reduction.init));
}

/// One thread has one copy, the result. It begins with the initial contents.
static void writeOwnCopy(Reduction &reduction, CopyElement &cells) {
  CollectiveBuilder &c = reduction.c;
  OwnMemory memory(c, cells, reduction.size.bound);
  Value zero = c.constant(0), one = c.constant(1);
  buildLoop(c, zero, reduction.size.value, one,
            [&](Value i) { memory.store(getStart(reduction, cells, i), i); });
  buildLoop(c, zero, reduction.n.value, one, [&](Value i) {
    reduction.run(
        i, [&](ValueRange values, Value index) { memory.add(values, index); });
  });
  buildLoop(c, zero, reduction.size.value, one,
            [&](Value i) { cells.write(c, memory.load(i), i); });
}

/// The stored copies of `workers` threads, with one row for each element of the
/// result.
static Value forceOwnCopies(Reduction &reduction, CopyElement &cells,
                            Extent workers) {
  CollectiveBuilder &c = reduction.c;
  const Extent &size = reduction.size;
  return cells.forceFill(
      {size, workers}, workers.value, [&](Value w, auto write) {
        CollectiveBuilder thread = c;
        thread.level = Level::Thread;
        OwnMemory memory(thread, cells, size.bound);
        Value zero = c.constant(0), one = c.constant(1);
        buildLoop(c, zero, size.value, one,
                  [&](Value i) { memory.store(cells.empty, i); });
        buildLoop(c, w, reduction.n.value, workers.value, [&](Value i) {
          reduction.run(i, [&](ValueRange values, Value index) {
            memory.add(values, index);
          });
        });
        buildLoop(c, zero, size.value, one,
                  [&](Value i) { write(memory.load(i), {i, w}); });
      });
}

/// The combination of `start` and every `step`th cell of row i of `copies`,
/// from `begin` on.
static Values foldRow(CopyElement &cells, Value copies, Value i,
                      ValueRange start, Value begin, Value step) {
  Value end = buildExtent(cells.builder, cells.loc, copies, 1);
  auto loop = scf::ForOp::create(
      cells.builder, cells.loc, begin, end, step, start,
      [&](OpBuilder &b, Location loc, Value w, ValueRange cell) {
        scf::YieldOp::create(b, loc,
                             cells.combine(cell, cells.get(copies, {i, w})));
      });
  return Values(loop.getResults());
}

FailureOr<Value> strategies::buildOwnCopies(Reduction &reduction,
                                            std::optional<StringRef> strategy) {
  CollectiveBuilder &c = reduction.c;
  Operation *op = reduction.op;
  const Extent &size = reduction.size;
  unsigned bits = countElementBits(reduction.getElementTypes());
  if (strategy && *strategy != "per_thread")
    return op->emitOpError("[strategy-name] '")
           << *strategy << "' is not a strategy for elements of " << bits
           << " bits, for which there are no atomic operations; use per_thread";
  if (!size.isBounded())
    return op->emitOpError("[R2-bounded] stores a copy of the result for each "
                           "thread, which combines elements of ")
           << bits
           << " bits there, but its extent is not bounded; give it a bound, as "
              "in ? x i32 bound [1024]";
  CopyElement cells(reduction);
  cells.level = c.level;
  int64_t bytes = 0;
  for (Type type : cells.elementTypes)
    bytes += getElementBytes(type);
  bytes *= std::max<int64_t>(size.bound, 1);
  if (bytes > CopyLimits::ownCopyBytes)
    return op->emitOpError("[R7-room] combines elements of ")
           << bits << " bits in a copy of the result for each thread, but one "
           << "has " << bytes << " bytes, and there is room for "
           << CopyLimits::ownCopyBytes
           << "; sort by key and reduce the segments, or use elements of at "
              "most "
           << maxAtomicBits << " bits";
  auto finish = [&](llvm::function_ref<void()> body) {
    return buildFill(c, reduction.getType(), size.value, /*init=*/{},
                     /*unchecked=*/false, body);
  };
  if (c.level == Level::Thread)
    return finish([&] { writeOwnCopy(reduction, cells); });
  bool isGrid = c.level == Level::Grid;
  int64_t most = isGrid ? CopyLimits::ownCopiesBytesAtGrid / bytes
                        : CopyLimits::ownCopiesBytes / bytes;
  Extent workers = c.getConstantExtent(std::min<int64_t>(
      most, c.level == Level::Warp ? warpSize : blockWorkers));
  if (isGrid) {
    // The number of iterations of a thread for which the cost of its copy is
    // small.
    Extent parts =
        c.ceilDiv(reduction.n, std::max<int64_t>(32, 8 * size.bound));
    int64_t limit = std::min<int64_t>(most, maxOwnCopies);
    workers = {c.max(c.min(parts.value, c.constant(limit)), c.constant(1)),
               ShapedType::kDynamic, limit};
  }
  Value stored = forceOwnCopies(reduction, cells, workers);
  if (isGrid) {
    // Neighbouring threads combine the copies of one element.
    Value step = c.constant(strandsAtGrid);
    stored = cells.forceFill(
        {size, c.getConstantExtent(strandsAtGrid)}, c.mul(size.value, step),
        [&, copies = stored](Value q, auto write) {
          Value i = c.div(q, step), first = c.rem(q, step);
          write(foldRow(cells, copies, i, cells.empty, first, step),
                {i, first});
        });
  }
  return finish([&] {
    forEach(c, size.value, [&](Value i) {
      cells.write(c,
                  foldRow(cells, stored, i, getStart(reduction, cells, i),
                          c.constant(0), c.constant(1)),
                  i);
    });
  });
}
