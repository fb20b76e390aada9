//===- MappedResult.cpp - Results that are mapped when complete -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedResult.h"
#include "Expansion.h"
#include "Pieces.h"
#include "Published.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

MapOp strategies::findMapOfResult(const Reduction &reduction) {
  Value result = reduction.op->getResult(0);
  if (reduction.c.level != Level::Grid || reduction.init.empty() ||
      !reduction.size.isAtMost(CopyLimits::mappedElements) ||
      !findOnlyForce(result))
    return {};
  auto map = dyn_cast<MapOp>(
      *llvm::find_if_not(result.getUsers(), llvm::IsaPred<DimOp>));
  if (!map)
    return {};
  // Those in the region of the map are expanded where they stand.
  bool hasCollectives = map.walk([](Operation *op) {
                             return isa<CollectiveOpInterface>(op)
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                            .wasInterrupted();
  return hasCollectives ? MapOp() : map;
}

MappedResult::MappedResult(const Reduction &reduction, MapOp map, Value parts)
    : reduction(reduction), map(map) {
  CollectiveBuilder &c = reduction.c;
  Value size = reduction.size.value;
  ValueRange init = reduction.init;
  if (init.size() == 1 && init.front().getType().isInteger(32) &&
      matchPattern(init.front(), m_Zero())) {
    // One memset for both.
    counters = allocateFlags(c, c.add(size, size));
    elements = {counters};
    firstCounter = size;
  } else {
    counters = allocateFlags(c, size);
    firstCounter = c.constant(0);
    CollectiveBuilder typed = c;
    typed.elementTypes = llvm::to_vector(reduction.getElementTypes());
    elements = allocatePublished(typed, size);
    for (auto [value, memory] : llvm::zip_equal(init, elements))
      gpu::MemsetOp::create(c.builder, c.loc, Type(), ValueRange(), memory,
                            value);
  }
  last = c.sub(parts, c.constant(1));
}

void MappedResult::add(CollectiveBuilder &thread, ValueRange values, Value i) {
  for (auto [value, memory] : llvm::zip_equal(values, elements))
    setPublished(buildAtomic(thread.builder, thread.loc, reduction.kind, value,
                             memory, i, reduction.op)
                     .getDefiningOp());
}

void MappedResult::finish(CollectiveBuilder &thread, Value i) {
  release(thread);
  Value count = countUp(thread, counters, thread.add(firstCounter, i));
  buildIf(thread, thread.equal(count, last), [&] {
    acquire(thread);
    Values values = loadPublished(thread, elements, i), operands;
    for (Value array : map.getArrays())
      llvm::append_range(
          operands, array == map.getSource() ? values : thread.get(array, i));
    write(thread, cloneBody(thread.builder, map.getBody(), operands), i);
  });
}

void MappedResult::replaceMap(Value result) {
  Value original = reduction.op->getResult(0);
  for (Operation *user : llvm::make_early_inc_range(original.getUsers()))
    if (auto dim = dyn_cast<DimOp>(user)) {
      dim.replaceAllUsesWith(reduction.size.value);
      dim.erase();
    }
  map.getResult().replaceAllUsesWith(result);
  map.erase();
}
