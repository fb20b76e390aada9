//===- Reductions.cpp - Reductions in kernels of a Dag program ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a node that combines the elements of an array. Out: a loop of one thread,
// or a reduction by the threads of a level.
//
//===----------------------------------------------------------------------===//

#include "LowerGraph.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

/// The array of a reduction. A filter that nothing else reads is a condition:
/// the second array has the bools.
std::pair<Node *, Node *> Lowering::getReduced(Node *node) {
  Node *array = node->ops[1];
  if (array->is(Node::Filter) && !isStored(array))
    return {array->ops[0], array->ops[1]};
  return {array, nullptr};
}

Result Lowering::reduce(Node *node) {
  if (isStored(node))
    return access(node, {});
  return compute(getLoopDepth(node), [&] {
    Level level = getLevel();
    bool isLoop =
        level == Level::Thread || level == Level::Grid || !isAssociative(node);
    return isLoop ? reduceByLoop(node) : reduceByLevel(node, level);
  });
}

SmallVector<Value> Lowering::reduceByLoop(Node *node) {
  auto [array, flags] = getReduced(node);
  Value length = emitIndex(graph.getDim(array, 0));
  SmallVector<Value> init = emit(node->ops[0]).values;
  auto loop = scf::ForOp::create(b, b.getIndex(0), length, b.getIndex(1), init);
  loop.getBody()->clear();
  inside(loop, loop.getBody(), getLevel(), [&, source = array, bools = flags] {
    Result k{{loop.getInductionVar()}, getDepth()};
    SmallVector<Value> sum(loop.getRegionIterArgs());
    auto combine = [&] {
      bind(node->ops[2], sum);
      bindings[node->ops[3]] = access(source, {k});
      return emit(node->ops[4]).values;
    };
    SmallVector<Value> next =
        bools ? choose(access(bools, {k}).values[0], sum, combine) : combine();
    scf::YieldOp::create(b, next);
  });
  bindings.erase(node->ops[2]);
  bindings.erase(node->ops[3]);
  return SmallVector<Value>(loop.getResults());
}

/// Fills the region of a reduction or scan. With flags, the first component of
/// an element is true if the element is combined.
void Lowering::addOperator(Region &region, Node *node, bool hasFlags) {
  Types types = getTypes(node->ops[2]->type);
  if (hasFlags)
    types.insert(types.begin(), b.getI1Type());
  unsigned count = types.size();
  Types both = types;
  both.append(types);
  Block *block;
  {
    OpBuilder::InsertionGuard guard(b);
    block = b.createBlock(&region, {}, both,
                          SmallVector<Location>(both.size(), b.getLoc()));
  }
  inside(region.getParentOp(), block, Level::Thread, [&] {
    SmallVector<Value> x(block->getArguments().take_front(count)),
        y(block->getArguments().drop_front(count));
    auto combine = [&](ArrayRef<Value> left, ArrayRef<Value> right) {
      bind(node->ops[2], left);
      bind(node->ops[3], right);
      return emit(node->ops[4]).values;
    };
    auto select = [&](Value condition, ArrayRef<Value> yes,
                      ArrayRef<Value> no) {
      SmallVector<Value> chosen;
      for (auto [u, v] : llvm::zip(yes, no))
        chosen.push_back(b.select(condition, u, v));
      return chosen;
    };
    SmallVector<Value> next;
    if (!hasFlags) {
      next = combine(x, y);
    } else {
      auto xs = ArrayRef(x).drop_front(), ys = ArrayRef(y).drop_front();
      Value one = arith::OrIOp::create(b, x[0], y[0]);
      Value two = arith::AndIOp::create(b, x[0], y[0]);
      SmallVector<Value> single = select(x[0], xs, ys);
      next = node->ops[4]->isSafe
                 ? select(two, combine(xs, ys), single)
                 : choose(two, single, [&] { return combine(xs, ys); });
      next.insert(next.begin(), one);
    }
    YieldOp::create(b, next);
  });
  bindings.erase(node->ops[2]);
  bindings.erase(node->ops[3]);
}

SmallVector<Value> Lowering::reduceByLevel(Node *node, Level level) {
  auto [array, flags] = getReduced(node);
  Value length = emitIndex(graph.getDim(array, 0));
  if (level == Level::Grid)
    length = addGridKernel(node, array, length);
  SmallVector<Value> init = emit(node->ops[0]).values;
  Types types = getTypes(node->type);
  if (flags) {
    types.insert(types.begin(), b.getI1Type());
    init.insert(init.begin(), b.getNumber(b.getI1Type(), true));
  }
  auto read = [&, source = array, bools = flags](ValueRange k) {
    Result i{{k[0]}, getDepth()};
    SmallVector<Value> values = access(source, {i}).values;
    if (bools)
      values.insert(values.begin(), access(bools, {i}).values[0]);
    return values;
  };
  Value elements = generate(length, types, read);
  SmallVector<mlir::Type> results;
  if (level == Level::Grid)
    results = {push(level, {1}, types)};
  else
    results.assign(types.begin(), types.end());
  auto reduce = ReduceOp::create(
      b, TypeRange(results), elements, init,
      level == Level::Grid ? LevelAttr::get(context, level) : LevelAttr(),
      /*commutative=*/node->attr != 0, StringAttr());
  addOperator(reduce.getBody(), node, flags != nullptr);
  SmallVector<Value> values(reduce.getResults());
  if (flags && level != Level::Grid)
    values.erase(values.begin());
  return values;
}
