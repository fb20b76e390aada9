//===- MappedResult.cpp - Results that are mapped when complete -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedResult.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "Published.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The maximum number of columns: one for each thread of a block.
static constexpr int64_t maxColumns = 256;

MapOp strategies::findMapOfResult(const Reduction &reduction) {
  Value result = reduction.op->getResult(0);
  if (reduction.c.level != Level::Grid ||
      (reduction.init.empty() && !reduction.onto) ||
      !reduction.size.isAtMost(CopyLimits::mappedElements) ||
      !findOnlyForce(result))
    return {};
  auto map = dyn_cast<MapOp>(
      *llvm::find_if_not(result.getUsers(), llvm::IsaPred<DimOp>));
  return map && !hasCollectives(map) ? map : MapOp();
}

MappedResult::MappedResult(Reduction &reduction, MapOp map, Value parts)
    : reduction(reduction), map(map) {
  CollectiveBuilder &c = reduction.c;
  Value size = reduction.size.value;
  ValueRange init = reduction.init;
  columns = reduction.size.isAtMost(maxColumns)
                ? size
                : c.min(size, c.constant(maxColumns));
  if (init.size() == 1 && init.front().getType().isInteger(32) &&
      matchPattern(init.front(), m_Zero())) {
    // One memset clears both.
    counters = allocateFlags(c, c.add(size, columns));
    elements = {counters};
    firstCounter = size;
  } else {
    counters = allocateFlags(c, columns);
    firstCounter = c.constant(0);
    CollectiveBuilder typed = c;
    typed.elementTypes = llvm::to_vector(reduction.getElementTypes());
    elements = allocatePublished(typed, size);
    if (reduction.onto)
      forceInto(
          c,
          PushOp::create(c.builder, c.loc, reduction.getType(), reduction.onto),
          elements);
    for (auto [value, memory] : llvm::zip(init, elements))
      gpu::MemsetOp::create(c.builder, c.loc, Type(), ValueRange(), memory,
                            value);
  }
  last = c.sub(parts, c.constant(1));
}

void MappedResult::add(CollectiveBuilder &thread, ValueRange values, Value i) {
  for (auto [value, memory] : llvm::zip_equal(values, elements))
    buildAtomic(thread.builder, thread.loc, reduction.kind, value, memory, i,
                reduction.op);
}

void MappedResult::forColumn(CollectiveBuilder &thread, Value column,
                             llvm::function_ref<void(Value)> body) {
  if (reduction.size.isAtMost(maxColumns))
    return body(column);
  buildLoop(thread, column, reduction.size.value, columns, body);
}

void MappedResult::run(CollectiveBuilder &part,
                       llvm::function_ref<void(Value)> addElement) {
  forEach(part, columns, [&](Value column) {
    forColumn(part, column, addElement);
    Value isLast =
        ArriveOp::create(part.builder, part.loc, counters,
                         part.add(firstCounter, column), last, Value());
    buildIf(part, isLast, [&] {
      forColumn(part, column, [&](Value i) {
        Values values;
        for (Value memory : elements)
          values.push_back(
              memref::LoadOp::create(part.builder, part.loc, memory, i));
        write(part, mapElement(part, map, values, i), i);
      });
    });
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
