//===- Scatter.cpp - Elements at places that values say -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Grid.h"
#include "Pieces.h"
#include "mlir/IR/IRMapping.h"

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
  /// Writes element i where it belongs, behind so many others.
  void write(Value i, Value offset = {}) {
    Value index = getIndex(i);
    buildIf(c, isInRange(index), [&] {
      strategies::write(c, c.get(op.getArray(), i),
                        offset ? c.add(offset, index) : index);
    });
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

/// A fill of `type` and the contract of `op`, a scatter or a fill, that `body`
/// writes.
template <typename Op>
static FillOp buildContractFill(CollectiveBuilder &c, Op op, PushType type,
                                Value extent, ValueRange init,
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

/// The operation with a name that combines elements; none if that is a
/// function.
template <typename Op>
static std::optional<arith::AtomicRMWKind> getNamedKind(Op op) {
  auto name = dyn_cast_or_null<StringAttr>(op.getKindAttr());
  return name ? arith::symbolizeAtomicRMWKind(name.getValue()) : std::nullopt;
}

template <typename Op>
static Type getElementType(Op op) {
  return op.getResult().getType().getElementTypes().front();
}

template <typename Op>
static Value buildNeutral(CollectiveBuilder &c, Op op) {
  return arith::getIdentityValue(*getNamedKind(op), getElementType(op),
                                 c.builder, c.loc);
}

/// Writes what a copy has for element i of the result, unless it has nothing.
static void writeIfNew(CollectiveBuilder &c, Value value, Value neutral,
                       Value i) {
  Value isNew =
      isa<FloatType>(value.getType())
          ? Value(arith::CmpFOp::create(
                c.builder, c.loc, arith::CmpFPredicate::UNE, value, neutral))
          : Value(arith::CmpIOp::create(
                c.builder, c.loc, arith::CmpIPredicate::ne, value, neutral));
  buildIf(c, isNew, [&] { write(c, value, i); });
}

/// Instances of level `unit` each combine a part of the elements in a copy of
/// their own, and then that with the result.
static void expandByCopies(Scatter &scatter, Level unit) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  // Parts are so long that what it costs to combine the copies does not count.
  int64_t least = unit == Level::Warp ? 1024 : 32;
  int64_t length = std::max(least, 8 * scatter.size.bound);
  Extent parts = c.ceilDiv(scatter.n, length);
  CollectiveBuilder inner = c;
  inner.level = unit;
  inner.elementTypes = {getElementType(op)};
  Value neutral = buildNeutral(c, op);
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
      writeIfNew(c, c.get(stored, i).front(), neutral, i);
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

//===----------------------------------------------------------------------===//
// Copies at level grid
//===----------------------------------------------------------------------===//

/// Workers of a block that have copies in registers, and those that then
/// combine what they have for one element.
static constexpr int64_t workers = 256, strands = 16;

/// The result of a scatter or fill by all blocks, each of which adds what
/// `body` builds for its part.
template <typename Op>
static void
expandByParts(CollectiveBuilder &c, Op op, Extent size, const GridParts &parts,
              llvm::function_ref<void(CollectiveBuilder &, Value)> body) {
  op.getResult().replaceAllUsesWith(
      buildContractFill(
          c, op, op.getResult().getType(), size.value, op.getInit(),
          [&] {
            auto par = ParOp::create(c.builder, c.loc, parts.count.value,
                                     Level::Block);
            OpBuilder::InsertionGuard guard(c.builder);
            Block *block = c.builder.createBlock(
                &par.getBody(), {}, c.builder.getIndexType(), c.loc);
            CollectiveBuilder inner = c;
            inner.level = Level::Block;
            body(inner, block->getArgument(0));
          })
          .getResult());
}

/// Each block combines its part of `n` elements in `copies` copies of the
/// result, of `size` elements, in its memory. Warp w takes copy w modulo their
/// number, if it runs with 32 threads for each. `writeAt` writes what element i
/// gives behind an offset, or behind none.
template <typename Op>
static void expandByBlocks(CollectiveBuilder &c, Op op, Extent n, Extent size,
                           int64_t copies,
                           llvm::function_ref<void(Value, Value)> writeAt) {
  // What the copies cost for a part is at most what its elements cost.
  GridParts parts(c, n, std::max(GridParts::unit, 2 * copies * size.bound));
  auto kind = *getNamedKind(op);
  Value neutral = buildNeutral(c, op);
  expandByParts(
      c, op, size, parts, [&](CollectiveBuilder &block, Value number) {
        OpBuilder &builder = block.builder;
        Value begin = block.mul(number, parts.length);
        Value count = block.min(block.sub(parts.n.value, begin), parts.length);
        block.elementTypes = {getElementType(op)};
        Extent all = size.isStatic()
                         ? block.getConstantExtent(copies * size.size)
                         : Extent{block.mul(size.value, block.constant(copies)),
                                  ShapedType::kDynamic, copies * size.bound};
        PullType type = block.getPullType(all);
        auto copy = buildContractFill(
            block, op,
            PushType::get(builder.getContext(), Level::Block, type.getExtents(),
                          type.getBounds(), type.getElementTypes()),
            all.value, neutral, [&] {
              forEach(block, count, [&](Value t) {
                Value warp =
                    block.div(t, block.constant(CollectiveBuilder::warpSize));
                Value first = block.mul(block.rem(warp, block.constant(copies)),
                                        size.value);
                writeAt(block.add(begin, t), copies == 1 ? Value() : first);
              });
            });
        Value stored = ForceOp::create(builder, block.loc, TypeRange(type),
                                       copy.getResult(), ValueRange(),
                                       StorageAttr::get(builder.getContext(),
                                                        Storage::Auto),
                                       StringAttr(), IntegerAttr(), UnitAttr())
                           .getResults()
                           .front();
        forEach(block, size.value, [&](Value i) {
          Value value = block.get(stored, i).front();
          for (int64_t k = 1; k < copies; ++k) {
            Value place =
                block.add(block.mul(size.value, block.constant(k)), i);
            value = arith::getReductionOp(kind, builder, block.loc, value,
                                          block.get(stored, place).front());
          }
          writeIfNew(block, value, neutral, i);
        });
      });
}

/// A builder for what is known of one element of the result: its value, or with
/// a function a flag, "there is one", and its value, since a function has no
/// neutral element to start from.
static CollectiveBuilder buildCells(Scatter &scatter) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  Type type = getElementType(op);
  if (std::optional<arith::AtomicRMWKind> kind = getNamedKind(op))
    return CollectiveBuilder(
        c.builder, c.loc, Level::Block, type, /*commutative=*/true,
        [kind](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
          return Values{arith::getReductionOp(*kind, b, loc, x[0], y[0])};
        });
  Region &body = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
                     op, cast<FlatSymbolRefAttr>(op.getKindAttr()))
                     .getFunctionBody();
  return CollectiveBuilder(
      c.builder, c.loc, Level::Block, {c.builder.getI1Type(), type},
      /*commutative=*/true,
      [&c, &body](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
        Value isBoth = b.createOrFold<arith::AndIOp>(loc, x[0], y[0]);
        Value isAny = b.createOrFold<arith::OrIOp>(loc, x[0], y[0]);
        Values value = c.choose(
            isBoth, [&] { return cloneBody(b, body, {x[1], y[1]}); },
            [&] {
              return Values{arith::SelectOp::create(b, loc, x[0], x[1], y[1])};
            });
        return Values{isAny, value.front()};
      });
}

/// Each thread has all elements of the result in registers, and compares each
/// index with all of them.
static void expandInRegisters(Scatter &scatter) {
  CollectiveBuilder &c = scatter.c;
  ScatterOp op = scatter.op;
  OpBuilder &builder = c.builder;
  Type type = getElementType(op);
  int64_t size = scatter.size.size;
  CollectiveBuilder cells = buildCells(scatter);
  unsigned width = cells.elementTypes.size();
  bool hasNeutral = width == 1;
  Values empty;
  if (hasNeutral)
    empty = {buildNeutral(c, op)};
  else
    empty = {
        arith::ConstantIntOp::create(builder, c.loc, 0, 1),
        arith::ConstantOp::create(builder, c.loc, builder.getZeroAttr(type))};
  Values emptyRow;
  for (int64_t place = 0; place < size; ++place)
    llvm::append_range(emptyRow, empty);
  CollectiveBuilder rows(
      builder, c.loc, Level::Block,
      llvm::to_vector(ValueRange(emptyRow).getTypes()), /*commutative=*/true,
      [&](OpBuilder &, Location, ValueRange left, ValueRange right) {
        Values all;
        for (int64_t i = 0; i < size; ++i)
          llvm::append_range(all, cells.combine(left.slice(i * width, width),
                                                right.slice(i * width, width)));
        return all;
      });
  // Element i as a result in which nothing else is.
  Value spread = rows.shareReads(rows.generate(scatter.n, [&](Value i) {
    Value index = scatter.getIndex(i), value = scatter.getElement(i);
    Values row;
    for (int64_t place = 0; place < size; ++place) {
      Value isHere = c.equal(index, c.constant(place));
      if (!hasNeutral)
        row.push_back(isHere);
      row.push_back(hasNeutral
                        ? Value(arith::SelectOp::create(builder, c.loc, isHere,
                                                        value, empty.front()))
                        : value);
    }
    return row;
  }));
  GridParts parts(c, scatter.n);
  expandByParts(
      c, op, scatter.size, parts, [&](CollectiveBuilder &block, Value number) {
        Value begin = block.mul(number, parts.length);
        Value end = block.min(block.add(begin, parts.length), parts.n.value);
        Value row = block.constant(workers), step = block.constant(strands);
        // What each worker has for element i lies side by side.
        Value stored = cells.forceFill(
            {block.getConstantExtent(size * workers)}, row,
            [&](Value w, auto write) {
              Values values =
                  rows.fold(spread, emptyRow, block.add(begin, w), end, row);
              for (int64_t i = 0; i < size; ++i)
                write(ValueRange(values).slice(i * width, width),
                      block.add(block.constant(i * workers), w));
            });
        Value few = cells.force(cells.generate(
            block.getConstantExtent(size * strands), [&](Value q) {
              Value first = block.mul(block.div(q, step), row);
              return cells.fold(stored, block.add(first, block.rem(q, step)),
                                block.add(first, row), step);
            }));
        forEach(block, block.constant(size), [&](Value i) {
          Value first = block.mul(i, step);
          Values cell = cells.fold(few, first, block.add(first, step));
          if (hasNeutral)
            writeIfNew(block, cell.front(), empty.front(), i);
          else
            buildIf(block, cell.front(), [&] { write(block, cell.back(), i); });
        });
      });
}

//===----------------------------------------------------------------------===//
// Choice of copies
//===----------------------------------------------------------------------===//

namespace {
/// Who has copies of the result.
enum class Copies { None, Thread, Warp, Block };
} // namespace

/// Copies of warps at level grid.
static constexpr int64_t numWarpCopies = 8;
/// Bytes of a result that each thread has in registers: if memory has the
/// operation, and if it would take a loop of compare-and-swap or somebody asks.
static constexpr int64_t maxRegisters = 64, maxRegistersWithLoops = 128;
/// Bytes of all copies of the warps of a block, and of the copy of a block.
static constexpr int64_t maxWarpCopies = 8192, maxBlockCopy = 32768;
/// So few elements are not worth copies.
static constexpr int64_t minElements = GridParts::unit;

/// Bytes of the result.
static int64_t countBytes(const Scatter &scatter) {
  return scatter.size.bound *
         llvm::divideCeil(getElementType(scatter.op).getIntOrFloatBitWidth(),
                          8);
}

/// True if memory has the operation, so that no thread tries it again and
/// again.
static bool isNative(ScatterOp op) {
  using Kind = arith::AtomicRMWKind;
  Type type = getElementType(op);
  std::optional<Kind> kind = getNamedKind(op);
  if (!kind)
    return false;
  if (*kind == Kind::addf)
    return type.isF32() || type.isF64();
  return (type.isInteger(32) || type.isInteger(64)) && *kind != Kind::muli;
}

/// True if a thread can have a copy in registers.
static bool fitsRegisters(const Scatter &scatter) {
  return scatter.size.isStatic() &&
         countBytes(scatter) <= maxRegistersWithLoops && scatter.size.size > 0;
}

/// Who has copies if nobody is named, at level grid.
static Copies chooseCopies(const Scatter &scatter) {
  if (!scatter.size.isBounded() || scatter.n.isAtMost(minElements))
    return Copies::None;
  int64_t bytes = countBytes(scatter);
  if (fitsRegisters(scatter) &&
      (bytes <= maxRegisters || !isNative(scatter.op)))
    return Copies::Thread;
  if (!getNamedKind(scatter.op))
    return Copies::None;
  if (numWarpCopies * bytes <= maxWarpCopies)
    return Copies::Warp;
  return bytes <= maxBlockCopy ? Copies::Block : Copies::None;
}

/// Who has copies. Emits `[strategy-name]` and `[R2-bounded]`.
static FailureOr<Copies> findCopies(const Scatter &scatter) {
  ScatterOp op = scatter.op;
  Level level = scatter.c.level;
  bool mayCopy = op.getContract() == Contract::Reduce && !op.getFound();
  bool isNamed = getNamedKind(op).has_value();
  std::optional<StringRef> name = op.getStrategy();
  if (!name)
    return mayCopy && level == Level::Grid ? chooseCopies(scatter)
                                           : Copies::None;
  SmallVector<std::pair<StringRef, Copies>> known{{"atomic", Copies::None}};
  if (mayCopy && ((isNamed && level > Level::Thread) ||
                  (level == Level::Grid && fitsRegisters(scatter))))
    known.emplace_back("per_thread", Copies::Thread);
  if (mayCopy && isNamed && level > Level::Warp)
    known.emplace_back("per_warp", Copies::Warp);
  if (mayCopy && isNamed && level > Level::Block)
    known.emplace_back("per_block", Copies::Block);
  for (auto [candidate, copies] : known)
    if (candidate == *name) {
      if (copies != Copies::None && !scatter.size.isBounded())
        return op.emitOpError("[R2-bounded] strategy '")
               << *name
               << "' stores copies of the result, but its extent is not "
                  "bounded; give it a bound, as in ? x i32 bound [1024], or "
                  "use atomic";
      return copies;
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
  FailureOr<Copies> copies = findCopies(scatter);
  if (failed(copies))
    return failure();
  if (op.getFound())
    return expandFetch(scatter);
  bool isGrid = c.level == Level::Grid;
  auto writeAt = [&](Value i, Value offset) { scatter.write(i, offset); };
  switch (*copies) {
  case Copies::None:
    op.getResult().replaceAllUsesWith(buildContractFill(
        c, op, op.getResult().getType(), scatter.size.value, op.getInit(), [&] {
          forEach(c, scatter.n.value, [&](Value i) { scatter.write(i); });
        }));
    break;
  case Copies::Thread:
    if (isGrid && fitsRegisters(scatter))
      expandInRegisters(scatter);
    else
      expandByCopies(scatter, Level::Thread);
    break;
  case Copies::Warp:
    if (isGrid)
      expandByBlocks(c, op, scatter.n, scatter.size, numWarpCopies, writeAt);
    else
      expandByCopies(scatter, Level::Warp);
    break;
  case Copies::Block:
    expandByBlocks(c, op, scatter.n, scatter.size, 1, writeAt);
    break;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// fill
//===----------------------------------------------------------------------===//

/// The loop of threads that is all that a fill does, if copies of its result
/// are possible; null if not.
static ParOp findCopyableLoop(FillOp op) {
  PushType type = op.getType();
  Block &body = op.getBody().front();
  if (type.getLevel() != Level::Grid || type.getExtents().size() != 1 ||
      !getNamedKind(op) || op.getInit().empty() ||
      !llvm::hasSingleElement(body))
    return {};
  auto par = dyn_cast<ParOp>(body.front());
  if (!par || par.getUnit() != Level::Thread ||
      par.getBody().getNumArguments() != 1)
    return {};
  bool puts =
      par.walk([](PutOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return puts ? ParOp() : par;
}

StringAttr strategies::getFillStrategy(FillOp op) {
  if (auto strategy = op->getAttrOfType<StringAttr>("strategy"))
    return strategy;
  // "fill par (...)" has its attributes at the loop.
  Block &body = op.getBody().front();
  auto par = body.empty() ? ParOp() : dyn_cast<ParOp>(body.front());
  return par ? par->getAttrOfType<StringAttr>("strategy") : StringAttr();
}

LogicalResult strategies::expandFill(OpBuilder &builder, FillOp op) {
  StringRef strategy = getFillStrategy(op).getValue();
  ParOp loop = findCopyableLoop(op);
  SmallVector<StringRef> known{"atomic"};
  if (loop)
    known.append({"per_warp", "per_block"});
  if (!llvm::is_contained(known, strategy)) {
    InFlightDiagnostic diagnostic = op.emitOpError("[strategy-name] '")
                                    << strategy
                                    << "' is no strategy of such a fill; use ";
    llvm::interleaveComma(known, diagnostic);
    return diagnostic;
  }
  if (strategy == "atomic") {
    op->removeAttr("strategy");
    op.getBody().front().front().removeAttr("strategy");
    return success();
  }
  CollectiveBuilder c = getAdder(builder, op);
  PushType type = op.getType();
  Extent size = type.hasStaticExtents()
                    ? c.getConstantExtent(type.getExtents().front())
                    : Extent{op.getExtents().front(), ShapedType::kDynamic,
                             getArrayBound(type, 0)};
  if (!size.isBounded())
    return op.emitOpError("[R2-bounded] strategy '")
           << strategy
           << "' stores copies of the result, but its extent is not bounded; "
              "give it a bound, as in ? x i32 bound [1024], or use atomic";
  Extent n = {loop.getExtents().front(), ShapedType::kDynamic,
              ShapedType::kDynamic};
  expandByBlocks(
      c, op, n, size, strategy == "per_warp" ? numWarpCopies : 1,
      [&](Value i, Value offset) {
        IRMapping mapping;
        mapping.map(loop.getBody().getArgument(0), i);
        auto around = cast<FillOp>(
            builder.getInsertionBlock()->getParentOp()->getParentOp());
        for (Operation &inner : loop.getBody().front()) {
          Operation *copy = builder.clone(inner, mapping);
          copy->walk([&](WriteOp write) {
            if (!offset || write->getParentOfType<FillOp>() != around)
              return;
            OpBuilder::InsertionGuard guard(builder);
            builder.setInsertionPoint(write);
            write.getIndicesMutable()[0].set(
                c.add(offset, write.getIndices().front()));
          });
        }
      });
  op.erase();
  return success();
}
