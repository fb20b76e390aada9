//===- Scatter.cpp - Elements at places that values say -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Grid.h"
#include "Pieces.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

using Values = CollectiveBuilder::Values;

/// The longest result that blocks have copies of if nobody asks for them.
static constexpr int64_t maxCopy = 4096;

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
  /// Writes element i where it belongs.
  void write(Value i) {
    Value index = getIndex(i);
    buildIf(c, isInRange(index),
            [&] { strategies::write(c, c.get(op.getArray(), i), index); });
  }
  Value getElement(Value i) { return c.get(op.getArray(), i).front(); }

  CollectiveBuilder &c;
  ScatterOp op;
  /// Of the operands, and of the result.
  Extent n, size;
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

/// A fill of `type` and the contract of `op` that `body` writes.
static FillOp buildContractFill(CollectiveBuilder &c, ScatterOp op,
                                PushType type, Value extent, ValueRange init,
                                llvm::function_ref<void()> body) {
  auto fill = FillOp::create(
      c.builder, c.loc, type, init, Value(),
      type.hasStaticExtents() ? ValueRange() : ValueRange(extent),
      op.getContractAttr(), op.getKindAttr(),
      op.getContract() == Contract::Disjoint ? c.builder.getUnitAttr()
                                             : UnitAttr());
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  body();
  return fill;
}

/// Instances of level `unit` each combine a part of the elements in a copy of
/// their own, and then that with the result.
static void expandByCopies(Scatter &scatter, Level unit) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  // Parts are so long that what it costs to combine the copies does not count.
  int64_t least = unit == Level::Block ? 8192 : unit == Level::Warp ? 1024 : 32;
  int64_t length = std::max(least, 8 * scatter.size.bound);
  Extent parts = c.ceilDiv(scatter.n, length);
  CollectiveBuilder inner = c;
  inner.level = unit;
  inner.elementTypes = {op.getArray().getType().getElementTypes().front()};
  auto kind = *arith::symbolizeAtomicRMWKind(
      cast<StringAttr>(op.getKindAttr()).getValue());
  Value neutral =
      arith::getIdentityValue(kind, inner.elementTypes.front(), builder, c.loc);
  auto addPart = [&](Value number) {
    Value begin = c.mul(number, c.constant(length));
    Value count = c.min(c.sub(scatter.n.value, begin), c.constant(length));
    PullType copyType = inner.getPullType(scatter.size);
    auto copy = buildContractFill(
        c, op,
        PushType::get(builder.getContext(), unit, copyType.getExtents(),
                      copyType.getBounds(), copyType.getElementTypes()),
        scatter.size.value, neutral, [&] {
          forEach(c, count, [&](Value t) { scatter.write(c.add(begin, t)); });
        });
    Value stored =
        ForceOp::create(builder, c.loc, TypeRange(copyType), copy.getResult(),
                        ValueRange(),
                        StorageAttr::get(builder.getContext(), Storage::Auto),
                        StringAttr(), IntegerAttr(), UnitAttr())
            .getResults()
            .front();
    forEach(c, scatter.size.value, [&](Value i) {
      Value value = c.get(stored, i).front();
      Value isNew =
          isa<FloatType>(value.getType())
              ? Value(arith::CmpFOp::create(
                    builder, c.loc, arith::CmpFPredicate::UNE, value, neutral))
              : Value(arith::CmpIOp::create(
                    builder, c.loc, arith::CmpIPredicate::ne, value, neutral));
      buildIf(c, isNew, [&] { write(c, value, i); });
    });
  };
  auto fill = buildContractFill(
      c, op, op.getResult().getType(), scatter.size.value, op.getInit(), [&] {
        auto par = ParOp::create(builder, c.loc, parts.value, unit);
        OpBuilder::InsertionGuard guard(builder);
        Block *block = builder.createBlock(&par.getBody(), {},
                                           builder.getIndexType(), c.loc);
        addPart(block->getArgument(0));
      });
  op.getResult().replaceAllUsesWith(fill);
}

/// The level of the copies of a scatter, or its own level if there are none.
static FailureOr<Level> findCopies(const Scatter &scatter) {
  ScatterOp op = scatter.op;
  Level level = scatter.c.level;
  bool mayCopy = op.getContract() == Contract::Reduce && !op.getFound() &&
                 isa<StringAttr>(op.getKindAttr());
  std::optional<StringRef> name = op.getStrategy();
  if (!name) {
    bool isSmall =
        scatter.size.isAtMost(maxCopy) && !scatter.n.isAtMost(maxCopy);
    return mayCopy && isSmall && level == Level::Grid ? Level::Block : level;
  }
  SmallVector<std::pair<StringRef, Level>> known{{"atomic", level}};
  for (auto [copies, unit] : {std::pair("per_thread", Level::Thread),
                              std::pair("per_warp", Level::Warp),
                              std::pair("per_block", Level::Block)})
    if (mayCopy && unit < level)
      known.emplace_back(copies, unit);
  for (auto [candidate, unit] : known)
    if (candidate == *name) {
      if (unit < level && !scatter.size.isBounded())
        return op.emitOpError("[R2-bounded] strategy '")
               << *name
               << "' stores copies of the result, but its extent is not "
                  "bounded; give it a bound, as in ? x i32 bound [1024], or "
                  "use atomic";
      return unit;
    }
  InFlightDiagnostic diagnostic = op.emitOpError("[strategy-name] '")
                                  << *name
                                  << "' is no strategy of such a scatter; use ";
  llvm::interleaveComma(llvm::make_first_range(known), diagnostic);
  return diagnostic;
}

LogicalResult strategies::expandScatter(OpBuilder &builder, ScatterOp op) {
  CollectiveBuilder c = getAdder(builder, op);
  Scatter scatter(c, op);
  FailureOr<Level> copies = findCopies(scatter);
  if (failed(copies))
    return failure();
  if (op.getFound())
    return expandFetch(scatter);
  if (*copies < c.level) {
    expandByCopies(scatter, *copies);
    return success();
  }
  op.getResult().replaceAllUsesWith(buildContractFill(
      c, op, op.getResult().getType(), scatter.size.value, op.getInit(), [&] {
        forEach(c, scatter.n.value, [&](Value i) { scatter.write(i); });
      }));
  return success();
}
