//===- Scatter.cpp - Elements at places that values say -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "Expansion.h"
#include "Grid.h"
#include "Pieces.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

namespace {
/// What a scatter works on.
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
  /// A condition: `index` is one of the result.
  Value isInRange(Value index) {
    return c.builder.createOrFold<arith::CmpIOp>(
        c.loc, arith::CmpIPredicate::ult, index, size.value);
  }
  /// Has element i written where it belongs.
  void write(Value i, llvm::function_ref<void(ValueRange, Value)> write) {
    Value index = getIndex(i);
    buildIf(c, isInRange(index),
            [&] { write(c.get(op.getArray(), i), index); });
  }
  Value getElement(Value i) { return c.get(op.getArray(), i).front(); }

  CollectiveBuilder &c;
  ScatterOp op;
  /// Of the operands, and of the result.
  Extent n, size;
};

/// A scatter that combines elements.
class ScatterReduction : public Reduction {
public:
  explicit ScatterReduction(Scatter &scatter)
      : Reduction(scatter.c, scatter.op, scatter.op.getKindAttr(),
                  scatter.op.getInit(), Value(), scatter.n, scatter.size),
        scatter(scatter) {}

  void run(Value i, WriteFn write) override {
    scatter.write(
        i, [&](ValueRange values, Value index) { write(values, index); });
  }
  Values fold(Value i, Values row, UpdateFn update) override {
    Value index = scatter.getIndex(i);
    return update(row, scatter.c.get(scatter.op.getArray(), i), index);
  }

private:
  Scatter &scatter;
};
} // namespace

/// Atomic operations on memory of its own give what each element found; the
/// result is what is there then.
static LogicalResult expandFetch(Scatter &scatter) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  bool isGrid = c.level == Level::Grid;
  if (!isGrid && (!scatter.size.isBounded() || !scatter.n.isBounded()))
    return op.emitOpError("[R2-bounded] stores both results, but their extents "
                          "are not bounded; give the arrays a bound, as in "
                          "? x i32 bound [1024]");
  Type element = op.getArray().getType().getElementTypes().front();
  // Below level grid space is reserved for the bound.
  auto allocate = [&](Extent n) -> Value {
    auto type = isGrid ? MemRefType::get({n.size}, element)
                       : MemRefType::get({n.bound}, element,
                                         MemRefLayoutAttrInterface(),
                                         HomeAttr::get(builder.getContext(),
                                                       c.level, Storage::Auto));
    return memref::AllocOp::create(builder, c.loc, type,
                                   type.hasStaticShape() ? ValueRange()
                                                         : ValueRange(n.value));
  };
  Value memory = allocate(scatter.size);
  PushType resultType = op.getResult().getType();
  CollectiveBuilder elements = c;
  elements.elementTypes = {element};
  auto store = [&](ValueRange push, ValueRange into) {
    PullType stored = cast<PushType>(push.front().getType()).getPullType();
    return ForceOp::create(
               builder, c.loc, TypeRange(stored), push, into,
               StorageAttr::get(builder.getContext(), Storage::Auto),
               StringAttr(), IntegerAttr(), UnitAttr())
        .getResults()
        .front();
  };
  if (isGrid)
    store(buildFill(c, resultType, scatter.size.value, op.getInit(), false,
                    [] {}),
          memory);
  PushType foundType = cast<PushType>(op.getFound().getType());
  Value found = buildFill(c, foundType, scatter.n.value, {}, false, [&] {
    if (!isGrid)
      forEach(c, scatter.size.value, [&](Value i) {
        memref::StoreOp::create(builder, c.loc, op.getInit().front(), memory,
                                i);
      });
    forEach(c, scatter.n.value, [&](Value i) {
      Value index = scatter.getIndex(i);
      Values old = c.choose(
          scatter.isInRange(index),
          [&] {
            return Values{buildAtomic(builder, c.loc, op.getKindAttr(),
                                      scatter.getElement(i), memory, index,
                                      op)};
          },
          [&] { return Values(op.getInit()); });
      write(c, old, i);
    });
  });
  // A force into memory is never dead, even where nobody asks what was found.
  Value stored = store(found, allocate(scatter.n));
  Value result;
  if (isGrid) {
    result = buildView(builder, c.loc, resultType.getPullType(), memory);
  } else {
    result = elements.generate(scatter.size, [&](Value i) {
      return Values{memref::LoadOp::create(builder, c.loc, memory, i)};
    });
  }
  op.getResult().replaceAllUsesWith(
      PushOp::create(builder, c.loc, resultType, result));
  op.getFound().replaceAllUsesWith(
      PushOp::create(builder, c.loc, foundType, stored));
  return success();
}

LogicalResult strategies::expandScatter(OpBuilder &builder, ScatterOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Scatter scatter(c, op);
  bool mayCopy = op.getContract() == Contract::Reduce && !op.getFound() &&
                 !op.getInit().empty();
  std::optional<ScatterReduction> reduction;
  if (mayCopy)
    reduction.emplace(scatter);
  FailureOr<Copies> copies =
      findCopies(op, op.getStrategy(), reduction ? &*reduction : nullptr);
  if (failed(copies))
    return failure();
  if (op.getFound())
    return expandFetch(scatter);
  Value result;
  if (*copies != Copies::None)
    result = buildCopies(*reduction, *copies);
  else
    result = buildContractFill(
        c, op.getContract(), op.getKindAttr(), op.getResult().getType(),
        scatter.size.value, op.getInit(), Value(), [&] {
          forEach(c, scatter.n.value, [&](Value i) {
            scatter.write(i, [&](ValueRange values, Value index) {
              strategies::write(c, values, index);
            });
          });
        });
  op.getResult().replaceAllUsesWith(result);
  return success();
}
