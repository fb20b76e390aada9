//===- Kernels.cpp - The kernels of a Dag program -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a node that is stored, and its schedule. Out: a force of a map, a
// reduction, a matrix product by tiles, a scan or a filter.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

Value Lowering::generate(ValueRange extents,
                         llvm::function_ref<Values(ValueRange)> element) {
  Region region;
  Types indices(extents.size(), b.getIndexType());
  Values values = b.buildBlock(region, indices, [&](ValueRange i) {
    return inside(Level::Thread, [&] { return element(i); });
  });
  // Extents that are known in an estimate only are dynamic, as those of the
  // program are.
  auto op = GenerateOp::create(
      b, pull(extents.size(), Types(ValueRange(values).getTypes())), extents);
  op.getBody().takeBody(region);
  return op;
}

Lowering::Values Lowering::distribute(Level level, ArrayRef<Value> extents,
                                      ArrayRef<Node *> loops, Body body) {
  SmallVector<OpFoldResult> all(extents.begin(), extents.end());
  if (all.empty())
    all.push_back(b.getIndexAttr(1));
  return nameKernel(b.distribute(all, level, [&](ValueRange i) {
    return inside(level, [&] {
      for (auto [loop, index] : llvm::zip(loops, i))
        bindings[loop] = {index};
      return body();
    });
  }));
}

/// The array with dynamic extents. An iteration that has a single element, such
/// as the count of a filter, or that is the only one, adds no dimension.
Value Lowering::reshape(Value array, ArrayRef<Value> extents) {
  ArrayRef<mlir::Type> elements = getArrayElementTypes(array.getType());
  PullType type = pull(extents.size(), elements);
  return array.getType() == type
             ? array
             : ReshapeOp::create(b, type, array, extents).getResult();
}

/// The extent on the host. Only a bound can be negative.
Value Lowering::getExtent(Node *bound) {
  Value extent = emitIndex(bound);
  if (bound->is(Node::Scalar) && !bound->is(Opcode::Max))
    extent = arith::MaxSIOp::create(b, extent, b.getIndex(0));
  return extent;
}

Lowering::Values Lowering::getExtents(ArrayRef<Node *> loops) {
  return llvm::map_to_vector(loops, [&](Node *loop) {
    return getExtent(graph.getBound(loop->ops[0]));
  });
}

/// Adds the kernel of a collective at level grid to the choices.
void Lowering::addGridKernel(Node *node, Node *array) {
  Schedule schedule{Level::Grid, 0};
  int64_t length = graph.estimate(graph.getBound(array, 0));
  Choices::Kernel kernel{node, "", {length}, {schedule}, schedule};
  // The reads of an element. A read in a reduction counts as one sector.
  Nodes sums;
  std::set<Node *> seen;
  for (Node *op : node->ops)
    collectReductions(op, seen, sums);
  for (Node *sum : sums)
    kernel.reads += 8 * graph.estimate(graph.getDim(sum->ops[1], 0));
  choices.kernels.push_back(std::move(kernel));
}

Lowering::Values Lowering::nameKernel(Values arrays) {
  auto force = arrays[0].getDefiningOp<ForceOp>();
  std::string number = std::to_string(choices.kernels.size());
  choices.kernels.back().name = "dag_" + graph.name + "_" + number;
  // Arrays in memory need no kernel.
  if (force)
    force.setKernel(choices.kernels.back().name);
  return arrays;
}

Lowering::Values Lowering::force(ValueRange arrays) {
  auto op = ForceOp::create(b, arrays, ValueRange());
  return nameKernel(Values(op.getResults()));
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
Lowering::Values Lowering::emitElement(Node *node, ArrayRef<Node *> loops,
                                       ArrayRef<Value> indices, Node *current) {
  if (indices.empty())
    return emit(current);
  current = open(current);
  bool isVirtual = current->is(Node::Build) && !isStored(current);
  Node *loop = !loops.empty() ? loops.front()
               : isVirtual    ? current->ops[1]
                              : nullptr;
  if (loop)
    return chooseInRow(loop->ops[0], indices.front(), node->type, [&] {
      bindings[loop] = {indices.front()};
      return emitElement(node, loops.drop_front(!loops.empty()),
                         indices.drop_front(),
                         loops.empty() ? current->ops[2] : current);
    });
  // Other arrays are in memory. Their rows may have different lengths.
  Node *length = indices.size() == 1 ? graph.getDim(current, 0) : nullptr;
  return chooseInRow(length, indices.front(), node->type,
                     [&] { return access(current, Values(indices)); });
}

/// The array [1, outer, inner] with the values of `factor`.
Value Lowering::getFactor(Node *factor, Node *outer, Node *inner) {
  Values extents{b.getIndex(1), emitIndex(outer->ops[0]),
                 emitIndex(inner->ops[0])};
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
    Value memory =
        base->is(Node::Param) ? bindings.at(base)[0] : stored.at(base).array;
    auto type = PullType::get(b.getContext(),
                              {1, ShapedType::kDynamic, ShapedType::kDynamic},
                              getTypes(factor->type));
    return ReshapeOp::create(b, type, memory, ArrayRef(extents).drop_front());
  }
  return generate(extents, [&](ValueRange at) {
    bindings[outer] = {at[1]};
    bindings[inner] = {at[2]};
    return emit(factor);
  });
}

Value Lowering::storeProduct(Node *node) {
  auto [left, right] = getFactors(node);
  Node *sum = node->ops[2]->ops[2], *k = sum->ops[1]->ops[1];
  Value x = getFactor(left, node->ops[1], k);
  Value y = getFactor(right, k, node->ops[2]->ops[1]);
  auto combine = [&](Opcode op) {
    return [this, op](ValueRange values) -> Values {
      return {computeScalar(op, values)};
    };
  };
  auto multiply = combine(Opcode::Mul), add = combine(Opcode::Add);
  Value first = emit(sum->ops[0])[0];
  Values product = nameKernel({b.contract(x, y, first, multiply, add)});
  return reshape(product[0],
                 {emitIndex(node->ops[0]), emitIndex(node->ops[2]->ops[0])});
}

void Lowering::storeElements(Node *node, Stored &result) {
  unsigned rank = result.loops.size() + node->type->getRank();
  Values extents = getExtents(result.loops);
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    extents.push_back(getExtent(graph.getBound(node, k)));
  Schedule schedule = getSchedule(node, result.loops, rank);
  if (schedule.isTiled) {
    result.array = storeProduct(node);
    return;
  }

  // The outer loops are those of the region of a level. Loops around the array
  // are first.
  bool isFlat = choices.kernels.back().isFlat();
  unsigned prefix = isFlat ? 0 : schedule.prefix;
  Nodes nest = result.loops;
  Node *row = node;
  for (; nest.size() < prefix; row = row->ops[2])
    nest.push_back(row->ops[1]);
  ArrayRef<Node *> innerLoops = ArrayRef(nest).drop_front(prefix);
  auto getArray = [&]() -> Value {
    if (rank == 0) // A reduction that needs one thread.
      return generate(b.getIndex(1), [&](ValueRange) { return emit(node); });
    if (prefix == rank)
      return b.splat(emit(row), {b.getIndexAttr(1)});
    return generate(
        ArrayRef(extents).drop_front(prefix), [&](ValueRange indices) {
          return emitElement(node, innerLoops, Values(indices), row);
        });
  };
  if (isFlat) {
    result.array = force(getArray())[0];
    return;
  }
  result.array = distribute(
      schedule.level, ArrayRef(extents).take_front(prefix),
      ArrayRef(nest).take_front(prefix), [&] { return Values{getArray()}; })[0];
  result.array = reshape(result.array, extents);
}

/// The first `extent` elements of arrays, of which some may be null. Past the
/// end of a row, an element is 0.
Value Lowering::read(ArrayRef<Node *> arrays, Value extent) {
  Value elements = generate(extent, [&](ValueRange k) {
    Values values;
    for (Node *array : arrays)
      if (array) {
        Node *length = graph.getDim(array, 0);
        bool isWhole = emitIndex(length) == extent;
        llvm::append_range(values, chooseInRow(isWhole ? nullptr : length, k[0],
                                               array->type->element, [&] {
                                                 return access(array, {k[0]});
                                               }));
      }
    return values;
  });
  if (getLevel() == Level::Grid)
    choices.gridArrays.push_back(elements);
  return elements;
}

/// A scan or filter at `level` of arrays of `extent` elements.
Lowering::Values Lowering::runCollective(Node *node, Level level,
                                         Value extent) {
  Types types = getTypes(node->type);
  auto push = [&](int64_t extent, ArrayRef<mlir::Type> elements) {
    return PushType::get(b.getContext(), level, extent, elements);
  };
  if (node->is(Node::Filter)) {
    Value elements = read(node->ops[0], extent),
          flags = read(node->ops[1], extent);
    auto compact = CompactOp::create(b, push(ShapedType::kDynamic, types),
                                     push(1, b.getI32Type()), elements, flags,
                                     getZeros(types), StringAttr());
    return {compact.getResult(), compact.getCount()};
  }
  Value elements = read(node->ops[1], extent);
  Values init = emit(node->ops[0]);
  Region region;
  b.buildOperator(region, types,
                  [&](ValueRange e) { return combineElements(node, e); });
  auto scan = ScanOp::create(
      b, push(ShapedType::kDynamic, types), TypeRange(), elements, init, level,
      /*exclusive=*/true, /*total=*/false, /*commutative=*/node->attr != 0,
      isAssociative(node) ? StringAttr() : b.getStringAttr("sequential"));
  scan.getBody().takeBody(region);
  return {scan.getResult()};
}

void Lowering::storeCollective(Node *node, Stored &result) {
  bool isFilter = node->is(Node::Filter), isReduce = node->is(Node::Reduce);
  Node *source = isFilter   ? node->ops[0]
                 : isReduce ? getReduced(node).first
                            : node;
  Value extent = getExtent(graph.getBound(source, 0));
  bool isGrid = result.loops.empty() && (isFilter || isAssociative(node));
  if (isGrid)
    addGridKernel(node, source);
  if (isReduce) {
    Node *flags = getReduced(node).second;
    Value elements = read({flags, source}, extent);
    CollectiveOptions options;
    options.commutative = node->attr != 0;
    result.array = b.reduce(
        elements, getFirst(node), /*dims=*/{0},
        [&](ValueRange e) { return combineElements(node, e); }, options);
    nameKernel({result.array});
    if (flags)
      result.array = b.zip(ArrayRef(b.unzip(result.array)).drop_front());
    return;
  }
  Values arrays;
  if (isGrid) {
    arrays = force(runCollective(node, Level::Grid, extent));
  } else {
    Values extents = getExtents(result.loops);
    unsigned rank = std::max<unsigned>(extents.size(), 1);
    Level level = getSchedule(node, result.loops, rank).level;
    arrays = distribute(level, extents, result.loops,
                        [&] { return runCollective(node, level, extent); });
    if (isFilter)
      arrays[1] = reshape(arrays[1], extents);
    extents.push_back(extent);
    arrays[0] = reshape(arrays[0], extents);
  }
  result.array = arrays[0];
  if (!isFilter)
    return;
  result.count = arrays[1];
  if (!result.loops.empty())
    return;
  // The host knows the number of elements, so the result is the first part of
  // the array.
  Value count = b.castToIndex(b.getOne(result.count, b.getIndex(0)));
  choices.estimates.emplace_back(count, graph.estimate(graph.getDim(node, 0)));
  result.array =
      TakeOp::create(b, result.array.getType(), result.array, ValueRange(count),
                     ArrayRef<int64_t>{ShapedType::kDynamic});
}

bool Lowering::storeSources(ArrayRef<Node *> nodes) {
  Nodes sources;
  std::set<Node *> seen;
  for (Node *node : nodes)
    collectStored(node, seen, sources);
  Node *outer = std::exchange(root, nullptr);
  for (Node *source : sources)
    store(source);
  root = outer;
  return !hasFailed();
}

void Lowering::store(Node *node) {
  if (stored.count(node) || hasFailed())
    return;
  Node *outer = std::exchange(root, node);
  Stored result;
  result.loops = getLoops(node);
  // The arrays that the kernel reads are stored before. A filter has memory for
  // all elements of its array, so its kernel does not read its length.
  SmallVector<Node *> read{node};
  Node *shape = node->is(Node::Filter) ? node->ops[0] : node;
  for (unsigned k = 0; k < node->type->getRank(); ++k)
    read.push_back(graph.getBound(shape, k));
  for (Node *loop : result.loops)
    read.push_back(graph.getBound(loop->ops[0]));
  llvm::erase(read, nullptr);
  if (!storeSources(read))
    return;
  if (!canBeStored(node))
    return graph.diagnostics.error(
        node->loc, "this array has to be in memory, and its length depends on "
                   "a value that is only known inside of a loop or of an "
                   "operator; give it a length that is known before");

  std::map<Node *, Values> outerBindings = bindings;
  Location outerLoc = b.getLoc();
  b.setLoc(node->loc);
  at(0, [&] {
    // All threads of the grid combine an array outside of loops, but an
    // operator that is not associative needs one thread.
    bool isSum = node->is(Node::Reduce) && result.loops.empty();
    if (node->is(Node::Scan) || node->is(Node::Filter) ||
        (isSum && isAssociative(node)))
      storeCollective(node, result);
    else
      storeElements(node, result);
    return Values();
  });
  root = outer;
  bindings = std::move(outerBindings);
  b.setLoc(outerLoc);
  stored[node] = result;
}
