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

Result Lowering::reduce(Node *node) {
  if (isStored(node))
    return access(node, {});
  // A filter that nothing else reads is a condition.
  Node *array = node->ops[1], *flags = nullptr;
  if (array->is(Node::Filter) && !isStored(array)) {
    flags = array->ops[1];
    array = array->ops[0];
  }
  Result result;
  result.depth = getLoopDepth(node);
  at(result.depth, [&] {
    Level level = getLevel();
    if (level == Level::Thread || level == Level::Grid || !isAssociative(node))
      result.values = reduceByLoop(node, array, flags).values;
    else
      result.values = reduceByLevel(node, array, flags, level);
  });
  return result;
}

Result Lowering::reduceByLoop(Node *node, Node *array, Node *flags) {
  Value length = emitIndex(graph.getDim(array, 0)).values[0];
  SmallVector<Value, 4> init = emit(node->ops[0]).values;
  auto loop = scf::ForOp::create(builder, loc, constantIndex(0), length,
                                 constantIndex(1), init);
  loop.getBody()->clear();
  inside(loop, loop.getBody(), getLevel(), [&] {
    Result k{{loop.getInductionVar()}, getDepth()};
    SmallVector<Value, 4> sum = SmallVector<Value, 4>(loop.getRegionIterArgs());
    auto combine = [&] {
      bind(node->ops[2], sum);
      bindings[node->ops[3]] = access(array, {k});
      return emit(node->ops[4]).values;
    };
    SmallVector<Value, 4> next =
        flags ? choose(access(flags, {k}).values[0], sum, combine) : combine();
    scf::YieldOp::create(builder, loc, next);
  });
  bindings.erase(node->ops[2]);
  bindings.erase(node->ops[3]);
  return Result{SmallVector<Value, 4>(loop.getResults()), getDepth()};
}

/// Fills the region of a reduction or scan. With flags, the first component of
/// an element is true if the element is combined.
void Lowering::addOperator(Region &region, Node *node, bool hasFlags) {
  Types types = getTypes(node->ops[2]->type);
  if (hasFlags)
    types.insert(types.begin(), builder.getI1Type());
  unsigned count = types.size();
  Types both = types;
  both.append(types);
  Block *block;
  {
    OpBuilder::InsertionGuard guard(builder);
    block = builder.createBlock(&region, {}, both,
                                SmallVector<Location>(both.size(), loc));
  }
  inside(region.getParentOp(), block, Level::Thread, [&] {
    SmallVector<Value, 4> x(block->getArguments().take_front(count)),
        y(block->getArguments().drop_front(count));
    auto combine = [&](ArrayRef<Value> a, ArrayRef<Value> b) {
      bind(node->ops[2], a);
      bind(node->ops[3], b);
      return emit(node->ops[4]).values;
    };
    SmallVector<Value, 4> next;
    if (!hasFlags) {
      next = combine(x, y);
    } else {
      auto xs = ArrayRef(x).drop_front(), ys = ArrayRef(y).drop_front();
      Value one = arith::OrIOp::create(builder, loc, x[0], y[0]);
      Value two = arith::AndIOp::create(builder, loc, x[0], y[0]);
      SmallVector<Value, 4> single;
      for (auto [a, b] : llvm::zip(xs, ys))
        single.push_back(arith::SelectOp::create(builder, loc, x[0], a, b));
      if (node->ops[4]->isSafe) {
        for (auto [a, b] : llvm::zip(combine(xs, ys), single))
          next.push_back(arith::SelectOp::create(builder, loc, two, a, b));
      } else {
        next = choose(two, single, [&] { return combine(xs, ys); });
      }
      next.insert(next.begin(), one);
    }
    YieldOp::create(builder, loc, next);
  });
  bindings.erase(node->ops[2]);
  bindings.erase(node->ops[3]);
}

SmallVector<Value, 4> Lowering::reduceByLevel(Node *node, Node *array,
                                              Node *flags, Level level) {
  Value length = emitIndex(graph.getDim(array, 0)).values[0];
  if (level == Level::Grid)
    length = addGridKernel(node, array, length);
  SmallVector<Value, 4> init = emit(node->ops[0]).values;
  Types types = getTypes(node->type);
  if (flags) {
    types.insert(types.begin(), builder.getI1Type());
    init.insert(init.begin(), arith::ConstantOp::create(
                                  builder, loc, builder.getBoolAttr(true)));
  }
  Value elements = generate(length, types, [&](ValueRange k) {
    Result i{{k[0]}, getDepth()};
    SmallVector<Value, 4> values = access(array, {i}).values;
    if (flags)
      values.insert(values.begin(), access(flags, {i}).values[0]);
    return values;
  });
  SmallVector<mlir::Type> results;
  if (level == Level::Grid)
    results = {push(level, {1}, types)};
  else
    results.assign(types.begin(), types.end());
  auto reduce = ReduceOp::create(
      builder, loc, TypeRange(results), elements, init,
      level == Level::Grid ? LevelAttr::get(context, level) : LevelAttr(),
      /*commutative=*/node->attr != 0, StringAttr());
  addOperator(reduce.getBody(), node, flags != nullptr);
  SmallVector<Value, 4> values = SmallVector<Value, 4>(reduce.getResults());
  if (flags && level != Level::Grid)
    values.erase(values.begin());
  return values;
}
