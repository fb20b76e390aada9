//===- InsertRuntimeChecks.cpp - Check extents that types leave open ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program with arrays whose types leave extents open. Out: an assertion
// in front of each operation that needs something of these extents, or of its
// elements. Assertions of programs are moved to the host if it knows the
// numbers.
//
// The file is long because the checks of all operations are together: they are
// made of the same conditions on extents and places.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSINSERTRUNTIMECHECKSPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ExtentHoister.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

/// True if the host can compute the extents of `array` before the program runs.
/// The extents of yielded arrays may require the execution of a sub-program.
static bool hasKnownExtents(Value array) {
  ArrayRef<int64_t> extents = getArrayExtents(array.getType());
  Operation *op = array.getDefiningOp();
  if (!op || !ShapedType::isDynamicShape(extents))
    return true;
  if (auto distribute = dyn_cast<DistributeOp>(op))
    return !ShapedType::isDynamicShape(extents.drop_front(
        getArrayExtents(distribute.getArrays().front().getType()).size()));
  if (auto join = dyn_cast<JoinOp>(op); join && join.getStaticExtents())
    return true;
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return !isa<PushType>(operand.getType()) || hasKnownExtents(operand);
  });
}

namespace {
/// Builds the checks of one operation, before it. With `isMoved`, they are
/// moved to a place where the operation need not run, so that nothing traps
/// there.
class Checker : IndexBuilder {
public:
  Checker(Operation *op, OpBuilder &builder, bool isMoved)
      : IndexBuilder{builder, op->getLoc()}, op(op), isMoved(isMoved) {}

  /// The checks built so far, in order.
  ArrayRef<AssertOp> getChecks() const { return checks; }

  /// All arrays agree in every dimension but `except`.
  void checkEqual(ValueRange arrays, std::optional<int64_t> except = {}) {
    SmallVector<Value> first = buildExtents(builder, loc, arrays.front());
    for (Value array : arrays.drop_front())
      for (auto [d, extent] :
           llvm::enumerate(buildExtents(builder, loc, array)))
        if (!except || static_cast<int64_t>(d) != *except)
          require(arith::CmpIPredicate::eq, first[d], extent,
                  "the arrays have different extents");
  }

  void checkProduct(MatmulOp matmul) {
    unsigned batches = matmul.getBatchRank();
    auto left = buildExtents(builder, loc, matmul.getLeft()),
         right = buildExtents(builder, loc, matmul.getRight());
    for (unsigned dim = 0; dim < batches; ++dim)
      require(arith::CmpIPredicate::eq, left[dim], right[dim],
              "the operands have different numbers of batches");
    require(arith::CmpIPredicate::eq, left[batches + 1], right[batches],
            "the left operand has another number of columns than the right "
            "operand has rows");
    left.back() = right.back();
    for (auto [dim, extent] : llvm::enumerate(left))
      checkType(matmul.getResult().getType(), dim, extent);
  }

  void checkChunks(SplitOp split) {
    SmallVector<Value> sizes =
        buildMixed(builder, loc, split.getSizes(), split.getStaticSizes());
    for (auto [extent, size] :
         llvm::zip(buildExtents(builder, loc, split.getArray()), sizes)) {
      require(arith::CmpIPredicate::sgt, size, constant(0),
              "chunks have no elements");
      require(arith::CmpIPredicate::sle, size, constant(maxElements),
              "chunks have more than 2^48 elements");
      if (split.getPads().empty())
        require(arith::CmpIPredicate::eq, rem(extent, toDivisor(size)),
                constant(0), "the chunk size does not divide the extent");
    }
  }

  /// The numbers of `result` can be as large as `count`, which is at most
  /// `bound` if that is known.
  void checkRange(Value result, Value count, int64_t bound) {
    Type type = getArrayElementTypes(result.getType()).front();
    int64_t most = getMostNumber(type);
    if (most >= maxElements || (!ShapedType::isDynamic(bound) && bound <= most))
      return;
    std::string message;
    llvm::raw_string_ostream(message)
        << "there may be more elements than " << type << " can count";
    require(arith::CmpIPredicate::ule, count, constant(most), message,
            "[count-range] ");
  }
  void checkRange(Value result, Value counted) {
    checkRange(result, buildExtent(builder, loc, counted, 0),
               getArrayBound(counted.getType(), 0));
  }

  /// Extents of `result` that are given as numbers: those that are dynamic.
  void checkExtents(Value result, ValueRange extents) {
    unsigned next = 0;
    for (auto [d, known] : llvm::enumerate(getArrayExtents(result.getType()))) {
      if (!ShapedType::isDynamic(known) || next == extents.size())
        continue;
      Value extent = extents[next++];
      if (!extent.getDefiningOp<DimOp>())
        require(arith::CmpIPredicate::ule, extent, constant(maxElements),
                "an extent is negative, or more than 2^48");
      // The check always fails; what follows is compiled, but never runs.
      if (APInt number;
          matchPattern(extent, m_ConstantInt(&number)) && number.isNegative())
        op->replaceUsesOfWith(extent, constant(0));
      checkType(result.getType(), d, extent);
    }
  }

  /// `numbers`, extents of arrays, add up to an extent. Arrays in memory are
  /// not that large.
  void checkSum(Value result, ValueRange arrays, unsigned d) {
    if (!ShapedType::isDynamic(getArrayBound(result.getType(), d)) ||
        llvm::all_of(arrays, [](Value array) {
          return !array.getDefiningOp() ||
                 isa<ForceOp, ViewOp>(array.getDefiningOp());
        }))
      return;
    Value sum;
    for (Value array : arrays)
      sum = join<arith::AddIOp>(sum, buildExtent(builder, loc, array, d));
    require(arith::CmpIPredicate::ule, sum, constant(maxElements),
            "an extent is more than 2^48");
  }

  /// An operation of another dialect builds its own conditions.
  void checkForeign(ArrayOpInterface array) {
    array.buildChecks(builder, loc, [&](Value condition, StringRef message) {
      require(condition, message);
    });
    for (OpResult result : op->getResults()) {
      if (!isa<PullType, PushType>(result.getType()))
        continue;
      for (auto [d, known] : llvm::enumerate(getArrayExtents(result.getType())))
        if (ShapedType::isDynamic(known)) {
          Value extent =
              array.buildExtent(builder, loc, result.getResultNumber(), d);
          require(arith::CmpIPredicate::ule, extent, constant(maxElements),
                  "an extent is negative, or more than 2^48");
          checkType(result.getType(), d, extent);
        }
    }
  }

  /// The iterations of a loop below level grid are a number. Those at level
  /// grid are checked where the launch is made.
  void checkIterations(ParOp par) {
    if (par.getExtents().size() < 2 ||
        getEnclosingScope(par).level == Level::Grid)
      return;
    // A loop to a negative number has no iterations.
    product(llvm::map_to_vector(par.getExtents(),
                                [&](Value extent) { return natural(extent); }),
            "a loop has more than 2^63 iterations");
  }

  void checkFill(FillOp fill) {
    checkExtents(fill.getResult(), fill.getExtents());
    if (!fill.getOnto())
      return;
    for (auto [a, b] :
         llvm::zip_equal(buildExtents(builder, loc, fill.getOnto()),
                         buildMixed(builder, loc, fill.getExtents(),
                                    fill.getResult().getType().getExtents())))
      require(arith::CmpIPredicate::eq, a, b,
              "the arrays have different extents");
  }

  /// Every element of the array of `put`, which is `array` where the check
  /// stands, goes into `fill`.
  void checkPut(FillOp fill, Value array, ValueRange offsets) {
    Value inside, empty;
    for (auto [all, offset, extent] :
         llvm::zip_equal(buildMixed(builder, loc, fill.getExtents(),
                                    fill.getResult().getType().getExtents()),
                         offsets, buildExtents(builder, loc, array))) {
      // The numbers are any, so nothing is added.
      Value begins = compare(arith::CmpIPredicate::ule, offset, all);
      Value fits = compare(arith::CmpIPredicate::ule, extent, sub(all, offset));
      inside = both(inside, both(begins, fits));
      empty =
          either(empty, compare(arith::CmpIPredicate::eq, extent, constant(0)));
    }
    if (inside)
      require(either(empty, inside), "the array leaves that of the fill");
  }

  /// The array that `to` leaves is a part of all chunks together.
  void checkJoin(JoinOp join) {
    Value array = join.getArray();
    auto type = dyn_cast<PullType>(array.getType());
    bool isNested = type && type.isNested();
    if (!isNested && !hasKnownExtents(array))
      return;
    if (!join.getStaticExtents()) {
      // The chunks of a split are part of an array.
      if (!isNested)
        checkJoinedExtents(join);
      return;
    }
    SmallVector<Value> extents =
        buildMixed(builder, loc, join.getExtents(), *join.getStaticExtents());
    SmallVector<Value> inner;
    if (auto split = array.getDefiningOp<SplitOp>(); split && isNested)
      inner =
          buildMixed(builder, loc, split.getSizes(), split.getStaticSizes());
    else if (isNested)
      for (int64_t size : getArrayExtents(type.getElementTypes().front()))
        inner.push_back(ShapedType::isDynamic(size) ? Value() : constant(size));
    else
      for (unsigned d = 0; d < extents.size(); ++d)
        inner.push_back(buildExtent(builder, loc, array, extents.size() + d));
    for (auto [d, extent] : llvm::enumerate(extents)) {
      checkType(join.getResult().getType(), d, extent);
      // Only the chunks themselves have this extent.
      if (!inner[d])
        continue;
      Value all = product({buildExtent(builder, loc, array, d), inner[d]});
      require(arith::CmpIPredicate::ule, extent, all,
              "joins to more than there is");
    }
  }

  /// Chunks are together as many elements as an array can have.
  void checkJoinedExtents(JoinOp join) {
    unsigned rank = getArrayExtents(join.getResult().getType()).size();
    ArrayRef<int64_t> extents = getArrayExtents(join.getArray().getType());
    for (unsigned d = 0; d < rank; ++d) {
      // A product with a number of few bits is an extent, or no memory has it.
      if (!ShapedType::isDynamic(extents[d]) ||
          !ShapedType::isDynamic(extents[rank + d]))
        continue;
      Value all =
          product({buildExtent(builder, loc, join.getArray(), d),
                   buildExtent(builder, loc, join.getArray(), rank + d)},
                  "an extent is more than 2^48");
      require(arith::CmpIPredicate::ule, all, constant(maxElements),
              "an extent is more than 2^48");
    }
  }

  /// The memories of one view have one shape, which is that of its type.
  void checkView(ViewOp view) {
    auto type = view.getResult().getType();
    for (unsigned d = 0, rank = getArrayExtents(type).size(); d < rank; ++d) {
      Value first = buildDim(view.getMemory().front(), d);
      for (Value memory : view.getMemory().drop_front())
        require(arith::CmpIPredicate::eq, first, buildDim(memory, d),
                "the arrays have different extents");
      checkType(type, d, first);
    }
  }

  /// The memory after `into` has the extents of the stored array.
  void checkMemory(ForceOp force) {
    auto memories = force.getInto();
    for (Value array : force.getArrays()) {
      unsigned count = getArrayElementTypes(array.getType()).size();
      if (memories.size() < count)
        return;
      if (hasKnownExtents(array))
        for (Value memory : memories.take_front(count))
          for (auto [d, extent] :
               llvm::enumerate(buildExtents(builder, loc, array)))
            require(arith::CmpIPredicate::eq, extent, buildDim(memory, d),
                    "the memory and the array have different extents");
      memories = memories.drop_front(count);
    }
  }

  void checkCount(ReshapeOp reshape) {
    checkExtents(reshape.getResult(), reshape.getExtents());
    builder.setInsertionPointAfter(op);
    Value source = product(buildExtents(builder, loc, reshape.getArray()));
    Value result = product(buildExtents(builder, loc, reshape.getResult()));
    require(arith::CmpIPredicate::eq, source, result,
            "the numbers of elements differ");
  }

  void checkTake(TakeOp take) {
    SmallVector<Value> counts =
        buildMixed(builder, loc, take.getCounts(), take.getStaticCounts());
    for (auto [d, extent, count] :
         llvm::enumerate(buildExtents(builder, loc, take.getArray()), counts)) {
      require(arith::CmpIPredicate::ule, count, extent,
              "takes more than there is");
      checkPart(take.getArray(), take.getResult(), d, count);
    }
  }

  void checkSlice(SliceOp slice) {
    auto mixed = [&](ValueRange dynamic, ArrayRef<int64_t> statics) {
      return buildMixed(builder, loc, dynamic, statics);
    };
    for (auto [d, extent, offset, size, stride] :
         llvm::enumerate(buildExtents(builder, loc, slice.getArray()),
                         mixed(slice.getOffsets(), slice.getStaticOffsets()),
                         mixed(slice.getSizes(), slice.getStaticSizes()),
                         mixed(slice.getStrides(), slice.getStaticStrides()))) {
      require(arith::CmpIPredicate::sgt, stride, constant(0),
              "a stride is less than 1");
      // The first element, and the steps that are available after it. All
      // values are possible, so nothing is multiplied. An empty slice reads no
      // element.
      Value begins = compare(arith::CmpIPredicate::ult, offset, extent);
      Value last = sub(extent, constant(1));
      Value room = div(sub(last, offset), toDivisor(stride));
      Value ends =
          compare(arith::CmpIPredicate::ule, sub(size, constant(1)), room);
      Value empty = compare(arith::CmpIPredicate::eq, size, constant(0));
      require(either(both(begins, ends), empty), "the slice leaves the array");
      checkPart(slice.getArray(), slice.getResult(), d, size);
    }
  }

  void checkOffsets(Value offsets) {
    require(arith::CmpIPredicate::ne,
            buildExtents(builder, loc, offsets).front(), constant(0),
            "there is no offset, not even the end of the last segment",
            "[segment-offsets] ");
    Value result = op->getResult(0);
    if (isa<SegmentedReduceOp>(op) &&
        !ShapedType::isDynamic(getArrayExtents(result.getType()).front()))
      checkType(result.getType(), 0,
                sub(buildExtent(builder, loc, offsets, 0), constant(1)));
  }

  /// Checks that no length of `expand` is negative, and that the result has
  /// room for the elements of all lengths. Returns the checked lengths.
  Value checkLengths(ExpandOp expand) {
    Value lengths = expand.getLengths();
    auto notNegative = [&](Value, Value length) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(length.getType()));
      require(arith::CmpIPredicate::sge, length, zero, "a length is negative",
              "[expand-length] ");
    };
    Value capacity = buildMixed(builder, loc, expand.getExtents(),
                                expand.getResult().getType().getExtents())
                         .front();
    auto hasRoom = [&](Value number) {
      require(arith::CmpIPredicate::ule, number, capacity,
              "the lengths sum up to more elements than the result has",
              "[expand-capacity] ");
    };
    Value checked = checkElements(lengths, notNegative);
    Value sum = sumUp(checkElements(lengths,
                                    [&](Value i, Value length) {
                                      notNegative(i, length);
                                      // So that the sum does not wrap.
                                      hasRoom(toIndex(length));
                                    }),
                      expand.getResult().getType().getLevel());
    if (isa<IndexType>(sum.getType())) {
      hasRoom(sum);
      return checked;
    }
    // At level grid only kernels know the sum.
    Value stored =
        ForceOp::create(builder, loc, sum, ValueRange()).getResults().front();
    return checkElements(lengths, [&](Value, Value) {
      hasRoom(GetOp::create(builder, loc, stored, constant(0))
                  .getResults()
                  .front());
    });
  }

  /// Checks that `offsets` ascend from 0 to the extent of `array`. Returns the
  /// checked offsets.
  Value checkAscending(Value offsets, Value array) {
    Value last = sub(buildExtent(builder, loc, offsets, 0), constant(1));
    Value end = buildExtent(builder, loc, array, 0);
    return checkElements(offsets, [&](Value i, Value offset) {
      Value before = natural(sub(i, constant(1)));
      Value lower =
          GetOp::create(builder, loc, offsets, before).getResults().front();
      Value number = toIndex(offset);
      auto isAt = [&](Value place, Value limit) {
        return either(compare(arith::CmpIPredicate::ne, i, place),
                      compare(arith::CmpIPredicate::eq, number, limit));
      };
      Value ends = both(isAt(constant(0), constant(0)), isAt(last, end));
      require(both(compare(arith::CmpIPredicate::sle, lower, offset), ends),
              "the offsets do not ascend from 0 to the extent of the array",
              "[segment-offsets] ");
    });
  }

private:
  /// `array`, of rank 1 and one number for each element, with the checks that
  /// `check` builds at each index and element.
  Value checkElements(Value array, function_ref<void(Value, Value)> check) {
    Type element = cast<PullType>(array.getType()).getElementTypes().front();
    return mapElements(array, element, [&](Value i, Value element) {
      check(i, element);
      return element;
    });
  }

  /// `array`, of rank 1, with `build` of each index and element instead.
  Value mapElements(Value array, Type result,
                    function_ref<Value(Value, Value)> build) {
    auto type = cast<PullType>(array.getType());
    SmallVector<Value> extents;
    if (type.isDynamicExtent(0))
      extents.push_back(buildExtent(builder, loc, array, 0));
    auto mapped =
        GenerateOp::create(builder, loc,
                           PullType::get(type.getContext(), type.getExtents(),
                                         type.getBounds(), {result}),
                           extents);
    OpBuilder::InsertionGuard guard(builder);
    Block *body =
        builder.createBlock(&mapped.getBody(), {}, builder.getIndexType(), loc);
    Value i = body->getArgument(0);
    Value element = GetOp::create(builder, loc, array, i).getResults().front();
    YieldOp::create(builder, loc, build(i, element));
    return mapped;
  }

  /// The sum of `array`, of rank 1 and one natural number for each element: a
  /// push array at level grid, and otherwise a number.
  Value sumUp(Value array, Level level) {
    Type index = builder.getIndexType();
    Value numbers = mapElements(
        array, index, [&](Value, Value element) { return toIndex(element); });
    OpBuilder::InsertionGuard guard(builder);
    bool isGrid = level == Level::Grid;
    MLIRContext *context = builder.getContext();
    Type result = isGrid ? PushType::get(context, level, {1}, {index}) : index;
    auto sum = ReduceOp::create(
        builder, loc, TypeRange(result), numbers, constant(0),
        isGrid ? LevelAttr::get(context, level) : LevelAttr(),
        /*commutative=*/builder.getUnitAttr(), /*strategy=*/StringAttr());
    Block *body =
        builder.createBlock(&sum.getBody(), {}, {index, index}, {loc, loc});
    Value both = arith::AddIOp::create(builder, loc, body->getArgument(0),
                                       body->getArgument(1));
    YieldOp::create(builder, loc, both);
    return sum.getValues().front();
  }
  Value toIndex(Value number) {
    Type index = builder.getIndexType();
    return number.getType() == index
               ? number
               : builder.createOrFold<arith::IndexCastOp>(loc, index, number);
  }

  /// Requires that `extent` matches dimension `d` of `type`.
  void checkType(Type type, unsigned d, Value extent) {
    int64_t bound = getArrayBound(type, d);
    if (ShapedType::isDynamic(bound))
      return;
    bool isStatic = !ShapedType::isDynamic(getArrayExtents(type)[d]);
    auto dim = extent.getDefiningOp<DimOp>();
    if (dim && !isStatic) {
      int64_t most =
          getArrayBound(dim.getArray().getType(), dim.getDimension());
      if (!ShapedType::isDynamic(most) && most <= bound)
        return;
    }
    if (isStatic)
      require(arith::CmpIPredicate::eq, extent, constant(bound),
              "an extent is not what its type says");
    else
      require(arith::CmpIPredicate::ule, extent, constant(bound),
              "an extent exceeds the bound in its type");
  }
  /// The same for a part of `source`, which is known to be no larger.
  void checkPart(Value source, Value part, unsigned d, Value extent) {
    int64_t most = getArrayBound(source.getType(), d);
    bool isStatic = !ShapedType::isDynamic(getArrayExtents(part.getType())[d]);
    if (isStatic || ShapedType::isDynamic(most) ||
        most > getArrayBound(part.getType(), d))
      checkType(part.getType(), d, extent);
  }

  Value buildDim(Value memory, unsigned d) {
    return builder.createOrFold<memref::DimOp>(loc, memory, d);
  }
  /// A number that was checked to be positive, if the operation runs.
  Value toDivisor(Value number) { return isMoved ? divisor(number) : number; }
  /// The product of natural numbers, which is checked to be one of 63 bits.
  Value product(ValueRange factors,
                StringRef message = "an array has more than 2^63 elements") {
    Value total, fits, empty;
    for (Value factor : factors) {
      empty =
          either(empty, compare(arith::CmpIPredicate::eq, factor, constant(0)));
      if (!total) {
        total = factor;
        continue;
      }
      Value most = constant(std::numeric_limits<int64_t>::max());
      Value room = div(most, divisor(factor));
      fits = both(fits, compare(arith::CmpIPredicate::ule, total, room));
      total = mul(total, factor);
    }
    if (fits)
      require(either(empty, fits), message);
    return total;
  }
  void require(arith::CmpIPredicate predicate, Value a, Value b,
               StringRef message, StringRef label = "[R4-extents] ") {
    require(compare(predicate, a, b), message, label);
  }
  void require(Value condition, StringRef message,
               StringRef label = "[R4-extents] ") {
    if (matchPattern(condition, m_One()))
      return;
    checks.push_back(AssertOp::create(
        builder, loc, condition,
        (label + op->getName().getStringRef() + ": " + message).str()));
  }

  Operation *op;
  bool isMoved;
  SmallVector<AssertOp> checks;
};

/// Builds the checks of `op`, also those of lengths and offsets in arrays if
/// `ofElements` is true.
SmallVector<AssertOp> check(Operation *op, bool isMoved, bool ofElements) {
  OpBuilder builder(op);
  Checker checker(op, builder, isMoved);
  llvm::TypeSwitch<Operation *>(op)
      .Case<MapOp, ZipOp, DistributeOp>(
          [&](auto array) { checker.checkEqual(array.getArrays()); })
      .Case([&](InterleaveOp interleave) {
        checker.checkEqual(interleave.getArrays());
        checker.checkSum(interleave.getResult(), interleave.getArrays(), 0);
      })
      .Case([&](ParOp par) { checker.checkIterations(par); })
      .Case<SegmentedReduceOp, SegmentedScanOp>([&](auto collective) {
        Value array = collective.getArray(),
              segments = collective.getSegments();
        if (collective.isByFlags())
          return checker.checkEqual({array, segments});
        checker.checkOffsets(segments);
        if (ofElements)
          collective.getSegmentsMutable().assign(
              checker.checkAscending(segments, array));
      })
      .Case([&](MatmulOp matmul) { checker.checkProduct(matmul); })
      .Case([&](CompactOp compact) {
        checker.checkEqual({compact.getArray(), compact.getFlags()});
        checker.checkRange(compact.getCount(), compact.getArray());
      })
      .Case([&](RankOp rank) {
        checker.checkRange(rank.getRanks(), rank.getKeys());
        checker.checkRange(rank.getCounts(), rank.getKeys());
      })
      .Case([&](PartitionOp partition) {
        checker.checkRange(partition.getStarts(), partition.getArray());
      })
      .Case([&](ScatterOp scatter) {
        checker.checkEqual({scatter.getArray(), scatter.getIndices()});
        checker.checkExtents(scatter->getResult(0), scatter.getExtents());
      })
      .Case([&](ExpandOp expand) {
        checker.checkExtents(expand.getResult(), expand.getExtents());
        // The result has room for all that is counted.
        if (!expand.getExtents().empty())
          checker.checkRange(expand.getCount(), expand.getExtents().front(),
                             getArrayBound(expand.getResult().getType(), 0));
        if (ofElements)
          expand.getLengthsMutable().assign(checker.checkLengths(expand));
      })
      .Case([&](ConcatOp concat) {
        checker.checkEqual(concat.getArrays(), concat.getDimension());
        checker.checkSum(concat.getResult(), concat.getArrays(),
                         concat.getDimension());
      })
      .Case([&](SplitOp split) { checker.checkChunks(split); })
      .Case([&](JoinOp join) { checker.checkJoin(join); })
      .Case<IotaOp, SplatOp, GenerateOp, ReindexOp>([&](auto array) {
        checker.checkExtents(array.getResult(), array.getExtents());
      })
      .Case([&](FillOp fill) { checker.checkFill(fill); })
      .Case([&](ViewOp view) { checker.checkView(view); })
      .Case([&](ForceOp force) { checker.checkMemory(force); })
      .Case([&](ReshapeOp reshape) { checker.checkCount(reshape); })
      .Case([&](TakeOp take) { checker.checkTake(take); })
      .Case([&](SliceOp slice) { checker.checkSlice(slice); })
      .Case([&](PutOp put) {
        // Others need not write all of their elements.
        if (put.getArray().getDefiningOp<PushOp>())
          if (FillOp fill = getEnclosingFill(put))
            checker.checkPut(fill, put.getArray(), put.getOffsets());
      })
      .Case([&](ArrayOpInterface array) {
        if (!isa<ObsDialect>(op->getDialect()))
          checker.checkForeign(array);
      });
  return llvm::to_vector(checker.getChecks());
}

/// True if the host does not execute the code in `op`, but makes it a part of
/// kernels: programs, and choices among arrays.
bool isOfKernels(Operation *op) {
  return isa<LevelScopeOpInterface>(op) ||
         (isa<scf::IfOp>(op) && isMemoryEffectFree(op));
}

/// The outermost operation around `op` that becomes a part of kernels; null if
/// the host executes `op`.
Operation *getProgram(Operation *op) {
  Operation *program = nullptr;
  for (Operation *parent = op->getParentOp();
       parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    if (isOfKernels(parent))
      program = parent;
  return program;
}

/// True if `op` stands in a function of the host.
bool isOfHost(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && isHostFunction(function);
}

/// Moves checks from inside of a program to the front of it, where the host
/// makes them: those whose numbers are known there.
class CheckMover {
public:
  explicit CheckMover(Operation *program)
      : program(program), builder(program),
        hoister(builder, program, /*mayRead=*/false) {}

  /// Moves `check` to the host. Returns false, without a change, if its
  /// condition is known only in a kernel.
  bool move(AssertOp check) {
    builder.setInsertionPoint(program);
    Value condition = hoister.hoist(check.getCondition());
    std::optional<Value> idle =
        condition ? getIdle(check) : std::optional<Value>();
    if (!idle)
      return false;
    condition = IndexBuilder{builder, check.getLoc()}.either(*idle, condition);
    AssertOp::create(builder, check.getLoc(), condition, check.getMessage());
    check.erase();
    return true;
  }

private:
  /// A condition that holds where `op` does not run, null if it always does;
  /// nothing if that is not known.
  std::optional<Value> getIdle(Operation *op) {
    Value idle;
    Operation *child = op;
    do {
      Operation *parent = child->getParentOp();
      std::optional<Value> here = getIdle(parent, child->getParentRegion());
      if (!here)
        return std::nullopt;
      if (*here)
        idle = IndexBuilder{builder, op->getLoc()}.either(idle, *here);
      child = parent;
    } while (child != program);
    return idle;
  }
  /// The same for a region of `parent`, given that that runs.
  std::optional<Value> getIdle(Operation *parent, Region *region) {
    Location loc = parent->getLoc();
    IndexBuilder index{builder, loc};
    auto none = [&](ArrayRef<Value> extents) -> std::optional<Value> {
      Value zero = index.constant(0);
      Value idle;
      for (Value extent : extents) {
        if (!extent)
          return std::nullopt;
        Value isEmpty = index.compare(arith::CmpIPredicate::sle, extent, zero);
        idle = index.either(idle, isEmpty);
      }
      return idle;
    };
    auto noElement = [&](Value array) {
      unsigned rank = getArrayExtents(array.getType()).size();
      return none(llvm::map_to_vector(llvm::seq(rank), [&](unsigned d) {
        return hoister.hoistExtent(array, d);
      }));
    };
    using Idle = std::optional<Value>;
    return llvm::TypeSwitch<Operation *, Idle>(parent)
        .Case([&](FillOp) { return Idle(Value()); })
        .Case<MapOp, DistributeOp>(
            [&](auto op) { return noElement(op.getArrays().front()); })
        .Case<GenerateOp, ReindexOp>([&](auto op) {
          // The array itself comes after the check.
          SmallVector<Value> extents =
              buildMixed(builder, loc, op.getExtents(),
                         getArrayExtents(op.getResult().getType()));
          for (Value &extent : extents)
            extent = hoister.hoist(extent);
          return none(extents);
        })
        .Case([&](ParOp par) {
          return none(llvm::map_to_vector(par.getExtents(), [&](Value extent) {
            return hoister.hoist(extent);
          }));
        })
        .Case([&](scf::IfOp branch) -> Idle {
          Value condition = hoister.hoist(branch.getCondition());
          if (!condition)
            return std::nullopt;
          if (region == &branch.getElseRegion())
            return condition;
          Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
          return arith::XOrIOp::create(builder, loc, condition, yes)
              .getResult();
        })
        .Case([&](scf::ForOp loop) -> Idle {
          Value from = hoister.hoist(loop.getLowerBound());
          Value to = hoister.hoist(loop.getUpperBound());
          if (!from || !to)
            return std::nullopt;
          return index.compare(loop.getUnsignedCmp()
                                   ? arith::CmpIPredicate::uge
                                   : arith::CmpIPredicate::sge,
                               from, to);
        })
        .Default([](Operation *) { return Idle(); });
  }

  Operation *program;
  OpBuilder builder;
  ExtentHoister hoister;
};

/// Erases `check` and the computations that only it used.
void dropCheck(AssertOp check) {
  SmallVector<Operation *> dead{check};
  while (!dead.empty()) {
    Operation *op = dead.pop_back_val();
    SmallVector<Value> operands = llvm::to_vector(op->getOperands());
    op->erase();
    for (Value operand : operands)
      if (Operation *maker = operand.getDefiningOp();
          maker && isOpTriviallyDead(maker) && !llvm::is_contained(dead, maker))
        dead.push_back(maker);
  }
}

struct InsertRuntimeChecks
    : obs::impl::ObsInsertRuntimeChecksPassBase<InsertRuntimeChecks> {
  using ObsInsertRuntimeChecksPassBase::ObsInsertRuntimeChecksPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> operations;
    getOperation()->walk([&](Operation *op) {
      if (isa<ArrayOpInterface, ForceOp, ParOp, PutOp>(op))
        operations.push_back(op);
    });
    for (Operation *op : operations) {
      bool isHost = isOfHost(op);
      if (!isHost && (hostOnly || getEnclosingScope(op).isScalar))
        continue;
      Operation *program = isHost ? getProgram(op) : nullptr;
      for (AssertOp made : check(op, /*isMoved=*/program != nullptr,
                                 /*ofElements=*/!hostOnly))
        if (program && !CheckMover(program).move(made) &&
            (hostOnly || getEnclosingScope(op).isScalar))
          dropCheck(made);
    }
  }
};
} // namespace
