//===- Storage.cpp - Values of a Dag program that are stored --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which nodes are stored, and how the iterations of a kernel are
// shared.
//
// In: the graph and the plan. Out: the sets of `Lowering`, and a schedule for
// each kernel.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

Node *dag::getBase(Node *node, SmallVectorImpl<Node *> *indices) {
  while (node->is(Node::Index)) {
    if (indices)
      indices->push_back(node->ops[1]);
    node = node->ops[0];
  }
  return node;
}

void Lowering::visit(Node *node) {
  if (!visited.insert(node).second)
    return;
  if (node->is(Node::Index)) {
    Node *base = getBase(node);
    if (base->is(Node::Build) && !node->type->isArray())
      reads[base].insert(node);
  }
  bool isCollective =
      node->is(Node::Reduce) || node->is(Node::Scan) || node->is(Node::Filter);
  for (Node *op : node->ops) {
    if (isCollective && op->is(Node::Build))
      reads[op].insert(node);
    // A filter is not stored if it is only counted or reduced.
    if (op->is(Node::Filter) && !node->is(Node::Count) &&
        !node->is(Node::Reduce))
      readFilters.insert(op);
    visit(op);
  }
}

void Lowering::analyze() {
  auto addResult = [&](auto &self, Node *node) -> void {
    if (node->is(Node::Tuple)) {
      for (Node *op : node->ops)
        self(self, op);
      return;
    }
    if (node->is(Node::Filter))
      readFilters.insert(node);
    results.insert(node);
    visit(node);
  };
  addResult(addResult, graph.result);
  // An array is stored if its elements are expensive and it is read more than
  // once.
  for (auto &[array, nodes] : reads) {
    if (results.count(array) || !canBeStored(array) || !isHeavy(array))
      continue;
    bool isReadTwice = nodes.size() > 1;
    for (Node *read : nodes) {
      // A filter reads its elements twice.
      isReadTwice |= read->is(Node::Filter);
      SmallVector<Node *> indices;
      getBase(read, &indices);
      for (Node *loop : read->chain)
        isReadTwice |=
            !loop->is(Node::Guard) && !array->dependsOn(loop) &&
            llvm::none_of(indices, [&](Node *i) { return i->dependsOn(loop); });
    }
    if (isReadTwice)
      storedByDefault.insert(array);
    choices.stores.emplace_back(array, isReadTwice);
  }
}

/// True if an element of `node` contains a reduction, or much arithmetic.
bool Lowering::isHeavy(Node *node) {
  std::set<Node *> seen;
  unsigned operations = 0;
  auto count = [&](auto &self, Node *part) -> void {
    if (!seen.insert(part).second)
      return;
    if (part->is(Node::Reduce) && !isStored(part))
      operations += 100;
    operations += part->is(Node::Scalar);
    // The array that is read is included, unless it is in memory.
    if (!part->is(Node::Scan) && !part->is(Node::Filter) &&
        !part->is(Node::LoopVar))
      for (Node *op : part->ops)
        self(self, op);
  };
  count(count, node);
  return operations >= 16;
}

/// The count of a filter that is not stored is a sum.
Node *Lowering::resolve(Node *node) {
  return node->is(Node::Count) && !isStored(node->ops[0])
             ? graph.getCountAsSum(node->ops[0])
             : node;
}

bool Lowering::isStored(Node *node) {
  if (node == root)
    return false;
  switch (node->kind) {
  case Node::Scan:
    return true;
  case Node::Filter:
    return readFilters.count(node);
  case Node::Reduce:
    if (getLoops(node).empty() && canBeStored(node))
      return true;
    break;
  case Node::Build:
    if (results.count(node))
      return true;
    break;
  default:
    return results.count(node) && node->type->isArray() &&
           !node->is(Node::Param);
  }
  auto it = plan.stores.find(node);
  return it != plan.stores.end() ? it->second : storedByDefault.count(node) > 0;
}

/// The loops around the kernel that stores `node`.
Lowering::Nodes Lowering::getLoops(Node *node) {
  Nodes loops = node->getDependences();
  llvm::erase_if(loops, [](Node *v) { return !v->is(Node::LoopVar); });
  return loops;
}

bool Lowering::canBeStored(Node *node) {
  for (Node *variable : node->getDependences())
    if (variable->is(Node::OpVar) ||
        (variable->is(Node::LoopVar) && !graph.getBound(variable->ops[0])))
      return false;
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    if (!graph.getBound(node, k))
      return false;
  return !node->type->getScalar()->hasArrays();
}

void Lowering::collectStored(Node *node, std::set<Node *> &seen, Nodes &found) {
  node = resolve(node);
  if (!seen.insert(node).second)
    return;
  if (isStored(node)) {
    found.push_back(node);
    return;
  }
  for (Node *op : node->ops)
    collectStored(op, seen, found);
}

void Lowering::collectReductions(Node *node, std::set<Node *> &seen,
                                 Nodes &found) {
  node = resolve(node);
  if (isStored(node) || !seen.insert(node).second)
    return;
  if (node->is(Node::Reduce))
    found.push_back(node);
  else if (!node->is(Node::LoopVar))
    for (Node *op : node->ops)
      collectReductions(op, seen, found);
}

bool dag::isAssociative(Node *node) {
  Opcode op = static_cast<Opcode>(node->attr - 1);
  return node->attr == 0 || op == Opcode::Add || op == Opcode::Mul ||
         op == Opcode::AndAnd || op == Opcode::OrOr || op == Opcode::And ||
         op == Opcode::Or || op == Opcode::Xor || op == Opcode::Min ||
         op == Opcode::Max;
}

std::pair<Node *, Node *> Lowering::getFactors(Node *node) {
  if (!node->is(Node::Build) || !node->ops[2]->is(Node::Build))
    return {};
  Node *row = node->ops[1], *column = node->ops[2]->ops[1],
       *sum = node->ops[2]->ops[2];
  if (isStored(node->ops[2]) || !sum->is(Node::Reduce) || isStored(sum) ||
      sum->attr != 1 + static_cast<int64_t>(Opcode::Add) ||
      !sum->ops[0]->is(Node::Const) || !sum->ops[1]->is(Node::Build) ||
      isStored(sum->ops[1]))
    return {};
  Node *product = sum->ops[1]->ops[2];
  if (!product->is(Opcode::Mul) || !sum->ops[1]->ops[0]->free.empty() ||
      !node->ops[2]->ops[0]->free.empty())
    return {};
  Node *a = product->ops[0], *b = product->ops[1];
  if (a->dependsOn(column))
    std::swap(a, b);
  // Elements are computed for all rows, columns and products.
  if (a->dependsOn(column) || b->dependsOn(row) || !a->isSafe || !b->isSafe)
    return {};
  return {a, b};
}

Schedule Lowering::getSchedule(Node *node, ArrayRef<Node *> loops,
                               unsigned rank) {
  unsigned all = rank;
  Choices::Kernel kernel;
  kernel.node = node;
  for (Node *loop : loops)
    kernel.extents.push_back(graph.estimate(graph.getBound(loop->ops[0])));
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    kernel.extents.push_back(graph.estimate(graph.getBound(node, k)));
  auto add = [&](Level level, unsigned prefix) {
    Schedule schedule{level, prefix};
    if (!llvm::is_contained(kernel.schedules, schedule))
      kernel.schedules.push_back(schedule);
  };
  bool isCollective = node->is(Node::Scan) || node->is(Node::Filter);
  if (isCollective) {
    for (Level level : {Level::Block, Level::Warp, Level::Thread})
      if (level == Level::Thread || node->is(Node::Filter) ||
          isAssociative(node))
        add(level, rank);
  } else {
    // The loops in order: those around the array, then its own.
    Nodes nest(loops);
    bool isRagged = false;
    for (Node *part = node; part->is(Node::Build) && nest.size() < rank;
         part = part->ops[2])
      nest.push_back(part->ops[1]);
    Nodes sums;
    std::set<Node *> seen;
    collectReductions(node, seen, sums);
    unsigned shortest = all;
    bool isShared = false, isLong = false;
    for (Node *sum : sums) {
      unsigned prefix = 0;
      bool isKnown = isAssociative(sum);
      for (Node *loop : sum->getDependences()) {
        auto it = llvm::find(nest, loop);
        prefix = std::max<unsigned>(prefix, it - nest.begin() + 1);
        isKnown &= it != nest.end();
      }
      if (!isKnown || prefix == 0)
        continue;
      isShared = true;
      if (sum->getDependences().size() < all && canBeStored(sum))
        choices.stores.emplace_back(sum, false);
      shortest = std::min(shortest, prefix);
      Node *length = resolve(sum->ops[1]->is(Node::Filter)
                                 ? graph.getDim(sum->ops[1]->ops[0], 0)
                                 : graph.getDim(sum->ops[1], 0));
      isLong |= !length->is(Node::Const);
    }
    for (Node *loop : ArrayRef(nest).take_front(shortest))
      isRagged |= !loop->ops[0]->free.empty();
    if (isShared && !isRagged && (shortest < all || (all == 1 && isLong)))
      add(Level::Block, shortest);
    add(Level::Thread, all);
    if (isShared && !isRagged)
      for (Level level : {Level::Block, Level::Warp, Level::Thread})
        if (level != Level::Thread || shortest < all)
          add(level, shortest);
    // Each thread executes the inner loops of a nest without reductions.
    if (!isShared && all > 1 && nest.size() == all &&
        llvm::all_of(nest,
                     [](Node *loop) { return loop->ops[0]->free.empty(); }))
      for (Level level : {Level::Block, Level::Thread})
        add(level, all - 1);
  }
  if (loops.empty() && getFactors(node).first)
    kernel.schedules.push_back(Schedule{Level::Block, 0, /*isTiled=*/true});
  auto it = plan.schedules.find(node);
  Schedule schedule =
      it != plan.schedules.end() ? it->second : kernel.schedules.front();
  kernel.taken = schedule;
  choices.kernels.push_back(std::move(kernel));
  return schedule;
}
