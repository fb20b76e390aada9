//===- Slots.cpp - Slots of buffers that accesses use ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots.h"

using namespace mlir;
using namespace mlir::obs;

IndexExpr SlotReader::getExpr(Value value) {
  IndexExpr expr = recognizer.get(value);
  return LinearForm::get(expr.substitute([&](const IndexExpr &leaf)
                                             -> std::optional<IndexExpr> {
           auto found = turn.find(leaf.getId());
           if (found != turn.end())
             return found->second;
           auto result = dyn_cast<OpResult>(recognizer.getValue(leaf.getId()));
           auto loop =
               result ? dyn_cast<scf::ForOp>(result.getOwner()) : scf::ForOp();
           return loop ? runLoop(loop, result.getResultNumber()) : std::nullopt;
         }))
      .toExpr();
}

/// The result `i` of `loop`.
std::optional<IndexExpr> SlotReader::runLoop(scf::ForOp loop, unsigned i) {
  constexpr unsigned maxTurns = 4096;
  std::optional<int64_t> from = getExpr(loop.getLowerBound()).getConstant();
  std::optional<int64_t> to = getExpr(loop.getUpperBound()).getConstant();
  std::optional<int64_t> step = getExpr(loop.getStep()).getConstant();
  if (!from || !to || !step || *step <= 0 || loop->hasAttr("obs.map"))
    return std::nullopt;
  IndexExpr counter = recognizer.get(loop.getInductionVar());
  unsigned carried = recognizer.get(loop.getRegionIterArg(i)).getId();
  IndexExpr slot = getExpr(loop.getInitArgs()[i]);
  for (int64_t number = *from; number < *to; number += *step) {
    auto round = solveForSymbol(counter, number);
    if (!round || ++numTurns > maxTurns)
      return std::nullopt;
    turn.insert_or_assign(round->first, IndexExpr::constant(round->second));
    turn.insert_or_assign(carried, slot);
    slot = getExpr(loop.getYieldedValues()[i]);
    // Other values that the iteration computes change in the next one.
    for (const IndexExpr &symbol : collectLeaves(slot, IndexExpr::Kind::Symbol))
      if (loop.getRegion().isAncestor(
              recognizer.getValue(symbol.getId()).getParentRegion()))
        return std::nullopt;
  }
  return slot;
}

/// `index`, an expression of symbol 0, as a slot of a ring of two. An
/// expression that is further away belongs to no ring, and loops would not
/// terminate.
static std::optional<IndexExpr> getNear(const IndexExpr &index) {
  LinearForm form = LinearForm::get(index);
  bool isNear =
      form.terms.empty() ||
      (form.terms.size() == 1 &&
       form.terms[0].first.getKind() == IndexExpr::Kind::Symbol &&
       std::abs(form.terms[0].second) == 1 && std::abs(form.constant) <= 1);
  return isNear ? std::optional(form.toExpr()) : std::nullopt;
}

Slot SlotReader::compute(Value index) {
  turn.clear();
  numTurns = 0;
  IndexExpr expr = getExpr(index);
  SmallVector<IndexExpr> symbols = collectLeaves(expr, IndexExpr::Kind::Symbol);
  IndexExpr own = IndexExpr::symbol(0);
  if (symbols.empty() && expr.getConstant())
    return {Value(), expr};
  if (symbols.size() == 1) {
    if (std::optional<IndexExpr> near =
            getNear(expr.substitute([&](const IndexExpr &) { return own; })))
      return {recognizer.getValue(symbols.front().getId()), near};
  }
  return {index, own};
}

Slot SlotReader::get(Value index) {
  auto found = known.find(index);
  if (found == known.end())
    found = known.insert({index, compute(index)}).first;
  return found->second;
}

Slot obs::carry(const Slot &slot, const Slot &from, const Slot &to) {
  if (!slot.index || !from.index || !to.index || slot.base != from.base)
    return {};
  if (std::optional<int64_t> number = from.index->getConstant()) {
    // Of two numbers each is the sum less the other one.
    if (slot.index->getConstant() == number)
      return to;
    IndexExpr other = *slot.index + *from.index - *to.index;
    std::optional<IndexExpr> near = getNear(other);
    return near ? Slot{to.base, near} : Slot();
  }
  // Back from `from` to the value, and from there to the slot.
  IndexExpr unknown = IndexExpr::variable(0);
  auto open = [&](const IndexExpr &expr) {
    return expr.substitute([&](const IndexExpr &) { return unknown; });
  };
  std::optional<IndexSolution> base =
      solveFor({0}, open(*from.index), *to.index);
  std::optional<IndexExpr> near;
  if (base)
    near = getNear(substitute(open(*slot.index), *base));
  return near ? Slot{to.base, near} : Slot();
}
