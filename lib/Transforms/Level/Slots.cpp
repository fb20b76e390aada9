//===- Slots.cpp - Slots of buffers that accesses use ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots.h"
#include "Obsidian/Dialect/Obs/IR/ObsDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// `value` in this iteration of the loops.
std::optional<int64_t> SlotReader::getNumber(Value value) {
  return recognizer.get(value)
      .substitute([&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
        auto found = counters.find(leaf.getId());
        return found == counters.end() ? std::nullopt
                                       : std::optional(found->second);
      })
      .getConstant();
}

/// The result `i` of `loop`.
std::optional<Slot> SlotReader::runLoop(scf::ForOp loop, unsigned i) {
  constexpr unsigned maxTurns = 4096;
  std::optional<int64_t> from = getNumber(loop.getLowerBound());
  std::optional<int64_t> to = getNumber(loop.getUpperBound());
  std::optional<int64_t> step = getNumber(loop.getStep());
  if (!from || !to || !step || *step <= 0 ||
      hasAttr<ObsDialect::MapAttrHelper>(loop))
    return std::nullopt;
  IndexExpr counter = recognizer.get(loop.getInductionVar());
  Slot slot = follow(loop.getInitArgs()[i]);
  for (int64_t number = *from; number < *to; number += *step) {
    auto round = solveForSymbol(counter, number);
    if (!round || ++numTurns > maxTurns)
      return std::nullopt;
    counters.insert_or_assign(round->first, IndexExpr::constant(round->second));
    carried[loop.getRegionIterArg(i)] = slot;
    slot = follow(loop.getYieldedValues()[i]);
    // Other values that the iteration computes change in the next one.
    if (slot.base && loop.getRegion().isAncestor(slot.base.getParentRegion()))
      return std::nullopt;
  }
  return slot;
}

Slot SlotReader::follow(Value value) {
  if (auto found = carried.find(value); found != carried.end())
    return found->second;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return {Value(), number};
  if (auto flip = value.getDefiningOp<arith::SubIOp>();
      flip && isConstantIntValue(flip.getLhs(), 1))
    return follow(flip.getRhs()).getOther();
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    if (std::optional<Slot> last =
            runLoop(loop, cast<OpResult>(value).getResultNumber()))
      return *last;
  return {value, 0};
}

Slot SlotReader::get(Value index) {
  auto [found, isNew] = known.try_emplace(index);
  if (isNew) {
    counters.clear();
    carried.clear();
    numTurns = 0;
    found->second = follow(index);
  }
  return found->second;
}

Slot obs::carry(const Slot &slot, const Slot &from, const Slot &to) {
  if (!slot.number || !from.number || !to.number || slot.base != from.base)
    return {};
  if (slot == from)
    return to;
  return slot == from.getOther() ? to.getOther() : Slot();
}
