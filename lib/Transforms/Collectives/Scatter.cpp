//===- Scatter.cpp - Writes at indices in an array ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "Tuples.h"
#include <deque>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

namespace {
/// The operands of a scatter.
struct Scatter {
  Scatter(CollectiveBuilder &c, ScatterOp op)
      : c(c), op(op),
        n(getCommonExtent(c, op.getArray(), op.getIndices().getType())) {
    PushType type = op.getResult().getType();
    size = type.hasStaticExtents()
               ? c.getConstantExtent(type.getExtents().front())
               : Extent{op.getExtents().front(), ShapedType::kDynamic,
                        getArrayBound(type, 0)};
  }

  Value getIndex(Value i) {
    return toIndex(c, c.get(op.getIndices(), i).front());
  }
  /// A condition: true if `index` is in the result.
  Value isInRange(Value index) { return c.below(index, size.value); }
  /// Builds the writes of these elements at their indices.
  void write(ValueRange elements,
             llvm::function_ref<void(ValueRange, Value)> write) {
    // All elements are read before the first write.
    Values indices;
    for (Value i : elements)
      indices.push_back(getIndex(i));
    for (unsigned k = 0; k < elements.size(); ++k)
      buildIf(c, isInRange(indices[k]),
              [&] { write(c.get(op.getArray(), elements[k]), indices[k]); });
  }

  CollectiveBuilder &c;
  ScatterOp op;
  /// The element types of the operands, and of the result.
  Extent n, size;
};

/// A scatter that combines elements.
class ScatterReduction : public Reduction {
public:
  explicit ScatterReduction(Scatter &scatter)
      : Reduction(scatter.c, scatter.op, scatter.op.getKindAttr(),
                  scatter.op.getInit(), Value(), scatter.n, scatter.size),
        scatter(scatter) {}

  void run(ValueRange iterations, WriteFn write) override {
    scatter.write(iterations, [&](ValueRange values, Value index) {
      write(values, index);
    });
  }
  bool profitsFromItems() override {
    return isCheap(scatter.op.getIndices()) && isCheap(scatter.op.getArray());
  }
  Values fold(Value i, Values row, UpdateFn update) override {
    Value index = scatter.getIndex(i);
    return update(row, scatter.c.get(scatter.op.getArray(), i), index);
  }

private:
  Scatter &scatter;
};
} // namespace

/// Combines an element of memory with `values`, and returns its value before.
static Values exchange(Scatter &scatter, ValueRange memory, Value index,
                       ValueRange values) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  if (memory.size() == 1)
    return {buildAtomic(c.builder, c.loc, op.getKindAttr(), values.front(),
                        memory.front(), index, op)};
  // One thread executes this: the verifier allows no other form.
  Values old;
  for (Value component : memory)
    old.push_back(memref::LoadOp::create(c.builder, c.loc, component, index));
  Values both =
      combineElements(c.builder, c.loc, op.getKindAttr(), op, old, values);
  for (auto [value, component] : llvm::zip_equal(both, memory))
    memref::StoreOp::create(c.builder, c.loc, value, component, index);
  return old;
}

/// Atomic operations on separate memory return the value that each element
/// found. The result is a copy of this memory.
static FailureOr<Values> expandFetch(Scatter &scatter) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  bool isGrid = c.level == Level::Grid;
  if (!isGrid && (!scatter.size.isBounded() || !scatter.n.isBounded()))
    return op.emitOpError("[R2-bounded] stores both results, but their extents "
                          "are not bounded; give the arrays a bound, as in "
                          "? x i32 bound [1024]");
  ArrayRef<Type> types = op.getArray().getType().getElementTypes();
  // Below level grid, memory is reserved for the bound.
  auto allocate = [&](Extent n) {
    return llvm::map_to_vector(types, [&](Type element) -> Value {
      auto type =
          isGrid
              ? MemRefType::get({n.size}, element)
              : MemRefType::get({n.bound}, element, MemRefLayoutAttrInterface(),
                                HomeAttr::get(builder.getContext(), c.level,
                                              Storage::Auto));
      return memref::AllocOp::create(
          builder, c.loc, type,
          type.hasStaticShape() ? ValueRange() : ValueRange(n.value));
    });
  };
  Values memory = allocate(scatter.size);
  PushType resultType = op.getResult().getType();
  CollectiveBuilder elements = c;
  elements.elementTypes = llvm::to_vector(types);
  if (isGrid)
    forceInto(c,
              buildFill(c, resultType, scatter.size.value, op.getInit(), false,
                        [] {}),
              memory);
  PushType foundType = cast<PushType>(op.getFound().getType());
  Value found = buildFill(c, foundType, scatter.n.value, {}, false, [&] {
    if (!isGrid)
      forEach(c, scatter.size.value, [&](Value i) {
        for (auto [value, component] : llvm::zip_equal(op.getInit(), memory))
          memref::StoreOp::create(builder, c.loc, value, component, i);
      });
    forEach(c, scatter.n.value, [&](Value i) {
      Value index = scatter.getIndex(i);
      Values old = c.choose(
          scatter.isInRange(index),
          [&] {
            return exchange(scatter, memory, index, c.get(op.getArray(), i));
          },
          [&] { return Values(op.getInit()); });
      write(c, old, i);
    });
  });
  Value stored = forceInto(c, found, allocate(scatter.n));
  Value result;
  if (isGrid) {
    result =
        buildView(builder, c.loc, resultType.getPullType(), memory.front());
  } else {
    result = elements.generate(scatter.size, [&](Value i) {
      return llvm::map_to_vector(memory, [&](Value component) -> Value {
        return memref::LoadOp::create(builder, c.loc, component, i);
      });
    });
  }
  return Values{PushOp::create(builder, c.loc, resultType, result),
                PushOp::create(builder, c.loc, foundType, stored)};
}

/// True if the result of `op` can have privatised copies.
static bool mayCopy(ScatterOp op) {
  return op.getContract() == Contract::Reduce && !op.getFound() &&
         !op.getInit().empty();
}

/// The scatters of the kernels among which the host selects. `op` is one of
/// them. Empty if they differ in a property that must be equal.
static SmallVector<ScatterOp> getPeers(ScatterOp op) {
  return strategies::findPeers<ScatterOp>(op, [](ScatterOp scatter) {
    return mayCopy(scatter) && !scatter.getStrategy() &&
           isa<StringAttr>(scatter.getKindAttr()) &&
           !combinesTuples(scatter.getArray().getType().getElementTypes(),
                           scatter.getKindAttr(), /*fetches=*/false);
  });
}

/// The result of `scatter` without copies.
static Value buildPlain(Scatter &scatter) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  return buildContractFill(
      c, op.getContract(), op.getKindAttr(), op.getResult().getType(),
      scatter.size.value, op.getInit(), Value(), [&] {
        forEach(c, scatter.n.value, [&](Value i) {
          scatter.write(i, [&](ValueRange values, Value index) {
            strategies::write(c, values, index);
          });
        });
      });
}

/// Builds the kernels of `op` and its `peers`, which replace their force.
/// Returns the result of `op`. The results of the peers have no uses then.
static Value buildPeers(OpBuilder &builder, CollectiveBuilder &c, ScatterOp op,
                        ArrayRef<ScatterOp> peers,
                        const ExpansionOptions &options) {
  if (peers.size() > 1)
    builder.setInsertionPoint(findForceAlone(op));
  std::deque<Scatter> scatters;
  std::deque<ScatterReduction> reductions;
  SmallVector<Reduction *> all;
  for (ScatterOp peer : peers) {
    scatters.emplace_back(c, peer);
    all.push_back(&reductions.emplace_back(scatters.back()));
  }
  Values results = buildAtRunTime(
      all, options, [&](unsigned i) { return buildPlain(scatters[i]); });
  return results[llvm::find(peers, op) - peers.begin()];
}

/// Builds the result of `op`.
static FailureOr<Values> buildScatter(OpBuilder &builder, ScatterOp op,
                                      const ExpansionOptions &options) {
  CollectiveBuilder c = getAdder(builder, op);
  Scatter scatter(c, op);
  ArrayRef<Type> types = op.getArray().getType().getElementTypes();
  if (op.getContract() == Contract::Reduce && !op.getFound() &&
      (op.getInit().empty() ||
       combinesTuples(types, op.getKindAttr(), /*fetches=*/false))) {
    ScatterReduction reduction(scatter);
    FailureOr<Value> result = buildOwnCopies(reduction, op.getStrategy());
    if (failed(result))
      return failure();
    return Values{*result};
  }
  std::optional<ScatterReduction> reduction;
  if (mayCopy(op))
    reduction.emplace(scatter);
  FailureOr<Copies> copies = findCopies(
      op, op.getStrategy(), reduction ? &*reduction : nullptr, options);
  if (failed(copies))
    return failure();
  if (op.getFound())
    return expandFetch(scatter);
  if (*copies == Copies::AtRunTime) {
    // If the result has no uses, the kernels of another scatter store it.
    SmallVector<ScatterOp> peers;
    if (!op->use_empty())
      peers = getPeers(op);
    return Values{peers.empty() ? buildPlain(scatter)
                                : buildPeers(builder, c, op, peers, options)};
  }
  return Values{*copies == Copies::None
                    ? buildPlain(scatter)
                    : buildCopies(*reduction, *copies, options)};
}

/// The same by a scatter of words that hold all components of an element.
static LogicalResult expandPackedScatter(OpBuilder &builder, ScatterOp op,
                                         const ExpansionOptions &options) {
  CollectiveBuilder c = getAdder(builder, op);
  Packing packing(builder, op.getArray().getType().getElementTypes());
  Values init;
  if (!op.getInit().empty())
    init.push_back(packing.pack(builder, c.loc, op.getInit()));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
        return packing.packType(cast<PushType>(type));
      });
  auto packed = ScatterOp::create(
      builder, c.loc, types, packing.packArray(c, op.getArray()),
      op.getIndices(), init, op.getExtents(), op.getContractAttr(),
      packing.packOperator(op, op.getKindAttr()), op.getStrategyAttr());
  // They are built before, because a kernel of words may use them.
  for (auto [result, words] :
       llvm::zip_equal(op->getResults(), packed->getResults())) {
    FailureOr<Value> elements = unpackPush(c, packing, words, op);
    if (failed(elements))
      return failure();
    result.replaceAllUsesWith(*elements);
  }
  builder.setInsertionPoint(packed);
  FailureOr<Values> words = buildScatter(builder, packed, options);
  if (failed(words))
    return failure();
  packed->replaceAllUsesWith(*words);
  packed.erase();
  return success();
}

LogicalResult strategies::expandScatter(OpBuilder &builder, ScatterOp op,
                                        const ExpansionOptions &options) {
  ArrayRef<Type> types = op.getArray().getType().getElementTypes();
  if (op.getContract() == Contract::Reduce && op.getInit().empty()) {
    CollectiveBuilder c = getAdder(builder, op);
    op.getInitMutable().assign(
        buildNeutral(builder, c.loc, op.getKindAttr(), types));
  }
  bool isPacked =
      combinesTuples(types, op.getKindAttr(), bool(op.getFound())) &&
      countElementBits(types) <= maxAtomicBits && !op.getInit().empty();
  if (isPacked)
    return expandPackedScatter(builder, op, options);
  FailureOr<Values> results = buildScatter(builder, op, options);
  if (failed(results))
    return failure();
  op->replaceAllUsesWith(*results);
  return success();
}
