//===- Kernels.cpp - The kernels of a Dag program -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a node that is stored, and its schedule. Out: a force of a map, a matrix
// product by tiles, a scan or a filter.
//
//===----------------------------------------------------------------------===//

#include "LowerGraph.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;
using Order = ScalarBuilder::Order;

Value Lowering::generate(
    ValueRange extents, ArrayRef<mlir::Type> types,
    llvm::function_ref<SmallVector<Value>(ValueRange)> element) {
  auto op = GenerateOp::create(b, pull(extents.size(), types), extents);
  Block *block;
  {
    OpBuilder::InsertionGuard guard(b);
    block = b.createBlock(&op.getBody(), {},
                          SmallVector<mlir::Type>(extents.size(), indexType),
                          SmallVector<Location>(extents.size(), b.getLoc()));
  }
  inside(op, block, Level::Thread,
         [&] { YieldOp::create(b, element(block->getArguments())); });
  return op;
}

/// The extent on the host. Only a bound can be negative.
Value Lowering::getExtent(Node *bound) {
  Value extent = emitIndex(bound);
  if (bound->is(Node::Scalar) && !bound->is(Opcode::Max))
    extent = arith::MaxSIOp::create(b, extent, b.getIndex(0));
  return extent;
}

/// Adds the kernel of a collective at level grid to the choices. Returns
/// `extent`. For reports, it returns an unknown extent, because the time of a
/// report grows with the extent.
Value Lowering::addGridKernel(Node *node, Node *array, Value extent) {
  Schedule schedule{Level::Grid, 0};
  Choices::Kernel kernel;
  kernel.node = node;
  kernel.schedules = {schedule};
  kernel.taken = schedule;
  kernel.extents.push_back(graph.estimate(graph.getBound(array, 0)));
  // The reads of an element. A read in a reduction counts as one sector.
  SmallVector<Node *> sums;
  std::set<Node *> seen;
  for (Node *op : node->ops)
    collectReductions(op, seen, sums);
  for (Node *sum : sums)
    kernel.reads += 8 * graph.estimate(graph.getDim(sum->ops[1], 0));
  choices.kernels.push_back(std::move(kernel));
  return plan.isEstimate ? function.getArguments().back() : extent;
}

void Lowering::nameKernel(ForceOp op) {
  op.setKernel(
      ("dag_" + graph.name + "_" + Twine(choices.kernels.size())).str());
  choices.kernels.back().name = op.getKernel()->str();
}

SmallVector<Value> Lowering::force(ValueRange arrays) {
  auto op = ForceOp::create(b, arrays, ValueRange());
  nameKernel(op);
  return SmallVector<Value>(op.getResults());
}

/// The node that computes row ops[1] of the array ops[0], with its loops bound.
Node *Lowering::open(Node *array) {
  if (!array->is(Node::Index))
    return array;
  Node *outer = open(array->ops[0]);
  if (!outer->is(Node::Build) || isStored(outer))
    return graph.index(outer, array->ops[1], array->isSafe);
  bindings[outer->ops[1]] = emit(array->ops[1], /*isIndex=*/true);
  return open(outer->ops[2]);
}

/// Element `indices` of `node` inside of `loops`. The loops of `current` are
/// bound one after the other. Past the end of a row, the element is 0.
SmallVector<Value> Lowering::emitElement(Node *node, ArrayRef<Node *> loops,
                                         ArrayRef<Value> indices,
                                         Node *current) {
  auto guarded = [&](Node *length, Body body) {
    // If all rows have equal lengths, no condition is needed. The same holds
    // for a value that does not depend on the row.
    if (!length || length->free.empty() ||
        llvm::any_of(length->free, [&](Node *v) { return !bindings.count(v); }))
      return body();
    Value end = emitIndex(length);
    Value isInside = b.compare(Order::LT, indices.front(), end);
    return choose(isInside, getZeros(getTypes(node->type)), body);
  };
  if (!loops.empty())
    return guarded(loops.front()->ops[0], [&] {
      bind(loops.front(), indices.front());
      return emitElement(node, loops.drop_front(), indices.drop_front(),
                         current);
    });
  if (indices.empty())
    return emit(current).values;
  current = open(current);
  if (current->is(Node::Build) && !isStored(current))
    return guarded(current->ops[0], [&] {
      bind(current->ops[1], indices.front());
      return emitElement(node, {}, indices.drop_front(), current->ops[2]);
    });
  // Other arrays are in memory. Their rows may have different lengths.
  return guarded(indices.size() == 1 ? graph.getDim(current, 0) : nullptr, [&] {
    SmallVector<Result, 4> at;
    for (Value index : indices)
      at.push_back(Result{{index}, getDepth()});
    return access(current, at).values;
  });
}

SmallVector<Value> Lowering::getExtents(ArrayRef<Node *> loops) {
  return llvm::map_to_vector(loops, [&](Node *loop) {
    return getExtent(graph.getBound(loop->ops[0]));
  });
}

/// The number of iterations of loops.
static Value getCount(ArrayBuilder &b, ArrayRef<Value> extents) {
  Value count = extents[0];
  for (Value extent : extents.drop_front())
    count = b.mul(count, extent);
  return count;
}

SmallVector<Value>
Lowering::distribute(Level level, ArrayRef<Value> extents,
                     ArrayRef<Node *> loops,
                     llvm::function_ref<SmallVector<Value>()> body) {
  Value numbers = IotaOp::create(b, pull(1, indexType), getCount(b, extents));
  // The types of the results follow from the body, so the operation is created
  // after it.
  Region region;
  Block *block = &region.emplaceBlock();
  block->addArgument(indexType, b.getLoc());
  SmallVector<Value> parts;
  inside(nullptr, block, level, [&] {
    Value rest = block->getArgument(0);
    SmallVector<Value> indices(extents.size());
    for (unsigned k = extents.size(); k-- > 0;) {
      indices[k] =
          k == 0 ? rest
                 : arith::RemUIOp::create(b, rest, extents[k]).getResult();
      if (k > 0)
        rest = arith::DivUIOp::create(b, rest, extents[k]);
    }
    for (auto [loop, index] : llvm::zip(loops, indices))
      bind(loop, index);
    parts = body();
    YieldOp::create(b, parts);
  });
  SmallVector<mlir::Type> types;
  for (Value part : parts) {
    auto type = cast<PushType>(part.getType());
    SmallVector<int64_t> all{ShapedType::kDynamic};
    llvm::append_range(all, type.getExtents());
    types.push_back(push(Level::Grid, all, type.getElementTypes()));
  }
  auto op = DistributeOp::create(b, types, numbers, level, Level::Grid);
  op.getBody().takeBody(region);
  return SmallVector<Value>(op.getResults());
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

/// The array [1, outer, inner] with the values of `factor`.
Value Lowering::getFactor(Node *factor, Node *outer, Node *inner) {
  SmallVector<Value> extents{b.getIndex(1), emitIndex(outer->ops[0]),
                             emitIndex(inner->ops[0])};
  Types types = getTypes(factor->type);
  // A whole matrix in memory is not copied.
  if (!isStored(getBase(factor)))
    factor = graph.beta(factor); // Through transpositions.
  SmallVector<Node *> indices;
  Node *base = getBase(factor, &indices);
  auto isEqual = [&](Node *a, Node *b) {
    return a == b ||
           llvm::any_of(graph.expectations, [&](const Expectation &e) {
             return (e.a == a && e.b == b) || (e.a == b && e.b == a);
           });
  };
  bool isMemory = base->is(Node::Param) ||
                  (isStored(base) && stored.at(base).loops.empty());
  if (factor->is(Node::Index) && isMemory && indices.size() == 2 &&
      indices[1] == outer && indices[0] == inner &&
      isEqual(graph.getDim(base, 0), outer->ops[0]) && graph.getDim(base, 1) &&
      isEqual(graph.getDim(base, 1), inner->ops[0])) {
    Value memory = base->is(Node::Param) ? bindings.at(base).values[0]
                                         : stored.at(base).array;
    return ReshapeOp::create(
        b,
        PullType::get(context, {1, ShapedType::kDynamic, ShapedType::kDynamic},
                      types),
        memory, ArrayRef(extents).drop_front());
  }
  return generate(extents, types, [&](ValueRange at) {
    bind(outer, at[1]);
    bind(inner, at[2]);
    return emit(factor).values;
  });
}

Value Lowering::storeProduct(Node *node) {
  auto [left, right] = getFactors(node);
  Node *sum = node->ops[2]->ops[2], *k = sum->ops[1]->ops[1];
  Value x = getFactor(left, node->ops[1], k);
  Value y = getFactor(right, k, node->ops[2]->ops[1]);
  Value first = emit(sum->ops[0]).values[0];
  auto combine = [&](Opcode op) {
    return [this, op](ValueRange values) -> SmallVector<Value> {
      return {computeScalar(op, values)};
    };
  };
  auto multiply = combine(Opcode::Mul), add = combine(Opcode::Add);
  Value product = b.contract(x, y, first, multiply, add);
  if (auto force = product.getDefiningOp<ForceOp>())
    nameKernel(force);
  SmallVector<Value> extents{emitIndex(node->ops[0]),
                             emitIndex(node->ops[2]->ops[0])};
  return ReshapeOp::create(b, pull(2, getTypes(node->type)), product, extents);
}

void Lowering::storeElements(Node *node, Stored &result) {
  unsigned dims = node->type->getRank(), rank = result.loops.size() + dims;
  SmallVector<Value> extents = getExtents(result.loops);
  for (unsigned k = 0; k < dims; ++k)
    extents.push_back(getExtent(graph.getBound(node, k)));
  Types types = getTypes(node->type);
  Schedule schedule = getSchedule(node, result.loops, rank);
  if (schedule.isTiled) {
    result.array = storeProduct(node);
    return;
  }
  if (schedule.level == Level::Thread && schedule.prefix == rank) {
    Value all = generate(extents, types, [&](ValueRange indices) {
      return emitElement(node, result.loops, SmallVector<Value>(indices), node);
    });
    result.array = force(all)[0];
    return;
  }

  // The outer loops are those of the region of a level. Loops around the array
  // are first.
  unsigned prefix = schedule.prefix, inner = rank - prefix;
  SmallVector<Node *, 4> nest = result.loops;
  for (Node *part = node; nest.size() < prefix; part = part->ops[2])
    nest.push_back(part->ops[1]);
  nest.truncate(prefix);
  SmallVector<Node *, 4> innerLoops(
      ArrayRef(result.loops)
          .drop_front(std::min<size_t>(prefix, result.loops.size())));
  Node *row = node;
  for (unsigned k = result.loops.size(); k < prefix; ++k)
    row = row->ops[2];
  Level level = schedule.level;
  Value parts =
      distribute(level, ArrayRef(extents).take_front(prefix), nest, [&] {
        Value values;
        if (inner == 0)
          values = SplatOp::create(b, PullType::get(context, {1}, types),
                                   emit(row).values, ValueRange());
        else
          values =
              generate(ArrayRef(extents).drop_front(prefix), types,
                       [&](ValueRange indices) {
                         return emitElement(node, innerLoops,
                                            SmallVector<Value>(indices), row);
                       });
        return SmallVector<Value>{PushOp::create(b, level, values)};
      })[0];
  if (inner == 0) {
    parts = JoinOp::create(b, push(Level::Grid, {ShapedType::kDynamic}, types),
                           parts, getCount(b, extents),
                           b.getDenseI64ArrayAttr({ShapedType::kDynamic}));
  }
  result.array = force(parts)[0];
  if (prefix != 1)
    result.array =
        ReshapeOp::create(b, pull(rank, types), result.array, extents);
}

/// A scan or filter at `level` of arrays of `extent` elements.
SmallVector<Value> Lowering::runCollective(Node *node, Level level,
                                           Value extent) {
  bool isScan = node->is(Node::Scan);
  Node *array = node->ops[isScan];
  Types types = getTypes(node->type);
  auto read = [&](Node *from, Types elements) {
    return generate(extent, elements, [&](ValueRange k) {
      Result i{{k[0]}, getDepth()};
      Node *length = graph.getDim(from, 0);
      if (length->free.empty())
        return access(from, {i}).values;
      Value isInside = b.compare(Order::LT, k[0], emitIndex(length));
      return choose(isInside, getZeros(elements),
                    [&] { return access(from, {i}).values; });
    });
  };
  Value elements = read(array, types);
  if (isScan) {
    SmallVector<Value> init = emit(node->ops[0]).values;
    auto scan = ScanOp::create(
        b, push(level, {ShapedType::kDynamic}, types), TypeRange(), elements,
        init, level, /*exclusive=*/true, /*total=*/false,
        /*commutative=*/node->attr != 0,
        isAssociative(node) ? StringAttr() : b.getStringAttr("sequential"));
    addOperator(scan.getBody(), node, /*hasFlags=*/false);
    return {scan.getResult()};
  }
  Value flags = read(node->ops[1], {b.getI1Type()});
  SmallVector<Value> init = getZeros(types);
  auto compact = CompactOp::create(
      b, push(level, {ShapedType::kDynamic}, types),
      push(level, {1}, b.getI32Type()), elements, flags, init, StringAttr());
  return {compact.getResult(), compact.getCount()};
}

void Lowering::storeCollective(Node *node, Stored &result) {
  Node *bound = graph.getBound(node->is(Node::Scan) ? node : node->ops[0], 0);
  Value extent = getExtent(bound);
  SmallVector<Value> arrays;
  // An operator that is not associative needs one thread.
  bool isSequential = node->is(Node::Scan) && !isAssociative(node);
  if (result.loops.empty() && !isSequential) {
    extent =
        addGridKernel(node, node->is(Node::Scan) ? node : node->ops[0], extent);
    arrays = force(runCollective(node, Level::Grid, extent));
  } else {
    SmallVector<Value> extents = getExtents(result.loops);
    if (result.loops.empty())
      extents.push_back(b.getIndex(1));
    Level level = getSchedule(node, result.loops, extents.size()).level;
    arrays = force(distribute(level, extents, result.loops, [&] {
      return runCollective(node, level, extent);
    }));
    for (Value &array : arrays) {
      bool isCount = &array != &arrays.front();
      auto type = cast<PullType>(array.getType());
      SmallVector<Value> all = extents;
      if (result.loops.empty())
        all.clear();
      if (!isCount)
        all.push_back(extent);
      // The counts have an extent of 1, also if two loops are around them.
      if (isCount || all.size() != type.getExtents().size())
        array = ReshapeOp::create(b, pull(all.size(), type.getElementTypes()),
                                  array, all);
    }
  }
  result.array = arrays[0];
  if (node->is(Node::Scan))
    return;
  result.count = arrays[1];
  if (!result.loops.empty())
    return;
  // The host knows the number of elements, so the result is the first part of
  // the array.
  Value zero = b.getIndex(0);
  Value count = GetOp::create(b, result.count, zero).getResult(0);
  count = arith::IndexCastOp::create(b, indexType, count);
  if (plan.isEstimate)
    count = b.getIndex(graph.estimate(graph.getDim(node, 0)));
  result.array =
      TakeOp::create(b, result.array.getType(), result.array, ValueRange(count),
                     ArrayRef<int64_t>{ShapedType::kDynamic});
}

void Lowering::store(Node *node) {
  if (stored.count(node) || hasFailed())
    return;
  // The arrays that the kernel reads are stored before.
  Node *outer = root;
  root = node;
  SmallVector<Node *> sources;
  std::set<Node *> seen;
  collectStored(node, seen, sources);
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    if (Node *bound = graph.getBound(node, k))
      collectStored(bound, seen, sources);
  Stored result;
  result.loops = getLoops(node);
  for (Node *loop : result.loops)
    if (Node *bound = graph.getBound(loop->ops[0]))
      collectStored(bound, seen, sources);
  root = outer;
  for (Node *source : sources)
    store(source);
  if (hasFailed())
    return;
  if (!canBeStored(node))
    return fail(node, "this array has to be in memory, and its length depends "
                      "on a value that is only known inside of a loop or of an "
                      "operator; give it a length that is known before");

  root = node;
  std::map<Node *, Result> outerBindings = bindings;
  Location outerLoc = b.getLoc();
  b.setLoc(node->loc);
  at(0, [&] {
    if (node->is(Node::Scan) || node->is(Node::Filter)) {
      storeCollective(node, result);
    } else if (node->is(Node::Reduce) && result.loops.empty()) {
      if (isAssociative(node)) {
        Value sum = force(reduceByLevel(node, Level::Grid))[0];
        if (getReduced(node).second)
          sum = b.zip(ArrayRef(b.unzip(sum)).drop_front());
        result.array = sum;
      } else {
        Choices::Kernel kernel;
        kernel.node = node;
        kernel.schedules = {Schedule()};
        choices.kernels.push_back(kernel);
        result.array =
            force(generate(b.getIndex(1), getTypes(node->type),
                           [&](ValueRange) { return reduceByLoop(node); }))[0];
      }
    } else {
      storeElements(node, result);
    }
  });
  root = outer;
  bindings = std::move(outerBindings);
  b.setLoc(outerLoc);
  stored[node] = result;
}
