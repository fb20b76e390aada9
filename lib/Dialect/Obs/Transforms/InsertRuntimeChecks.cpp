//===- InsertRuntimeChecks.cpp - Check extents that types leave open ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSINSERTRUNTIMECHECKSPASS
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

/// True if the host can tell the extents of `array` before it runs. Those of
/// what sub-programs yield may take running one.
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
/// Builds the checks of one operation, before it or before `before`. Where
/// `skip` holds nothing is wrong; null if that is nowhere.
class Checker {
public:
  Checker(Operation *op, OpBuilder before, Value skip)
      : op(op), loc(op->getLoc()), builder(before), skip(skip) {}

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

  void checkChunks(SplitOp split) {
    SmallVector<Value> sizes =
        buildMixed(builder, loc, split.getSizes(), split.getStaticSizes());
    for (auto [extent, size] :
         llvm::zip(buildExtents(builder, loc, split.getArray()), sizes)) {
      require(arith::CmpIPredicate::sgt, size, constant(0),
              "chunks have no elements");
      if (split.getPads().empty())
        require(
            arith::CmpIPredicate::eq,
            builder.createOrFold<arith::RemUIOp>(loc, extent, toDivisor(size)),
            constant(0), "the chunk size does not divide the extent");
    }
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
      checkType(result.getType(), d, extent);
    }
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
      Value fits =
          compare(arith::CmpIPredicate::ule, extent, subtract(all, offset));
      inside = both(inside, both(begins, fits));
      empty =
          either(empty, compare(arith::CmpIPredicate::eq, extent, constant(0)));
    }
    if (inside)
      require(either(empty, inside), "the array leaves that of the fill");
  }

  /// What `to` leaves is a part of what the chunks are together.
  void checkJoin(JoinOp join) {
    if (!join.getStaticExtents())
      return;
    Value array = join.getArray();
    auto type = dyn_cast<PullType>(array.getType());
    bool isNested = type && type.isNested();
    if (!isNested && !hasKnownExtents(array))
      return;
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
      // Only the chunks themselves tell.
      if (!inner[d])
        continue;
      Value all = product({buildExtent(builder, loc, array, d), inner[d]});
      require(arith::CmpIPredicate::ule, extent, all,
              "joins to more than there is");
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

  /// Memory that is given is as large as what is stored there.
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
      // The first element and the steps that there are behind it; the numbers
      // are any, so nothing is multiplied. An empty slice reads no element.
      Value begins = compare(arith::CmpIPredicate::ult, offset, extent);
      Value last = subtract(extent, constant(1));
      Value room = builder.createOrFold<arith::DivUIOp>(
          loc, subtract(last, offset), toDivisor(stride));
      Value ends =
          compare(arith::CmpIPredicate::ule, subtract(size, constant(1)), room);
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
                subtract(buildExtent(builder, loc, offsets, 0), constant(1)));
  }

private:
  /// `extent` is what `type` says of dimension `d`.
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
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  /// A number that was checked to be positive, unless the check was skipped.
  Value toDivisor(Value number) {
    return skip ? builder.createOrFold<arith::MaxUIOp>(loc, number, constant(1))
                : number;
  }
  Value subtract(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  /// Both hold; one alone if there is no other.
  Value both(Value a, Value b) {
    return a ? builder.createOrFold<arith::AndIOp>(loc, a, b) : b;
  }
  Value either(Value a, Value b) {
    return a ? builder.createOrFold<arith::OrIOp>(loc, a, b) : b;
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// The product of natural numbers, which is checked to be one of 63 bits.
  Value product(ValueRange factors) {
    Value total, fits, empty;
    for (Value factor : factors) {
      empty = either(
          empty, compare(arith::CmpIPredicate::eq, factor, constant(0)));
      if (!total) {
        total = factor;
        continue;
      }
      Value room = builder.createOrFold<arith::DivUIOp>(
          loc, constant(std::numeric_limits<int64_t>::max()),
          builder.createOrFold<arith::MaxUIOp>(loc, factor, constant(1)));
      fits = both(fits, compare(arith::CmpIPredicate::ule, total, room));
      total = builder.createOrFold<arith::MulIOp>(loc, total, factor);
    }
    if (fits)
      require(either(empty, fits), "an array has more than 2^63 elements");
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
    condition = either(skip, condition);
    AssertOp::create(
        builder, loc, condition,
        (label + op->getName().getStringRef() + ": " + message).str());
  }

  Operation *op;
  Location loc;
  OpBuilder builder;
  Value skip;
};

/// Whether the host executes `op`, and can stop there. A choice among arrays
/// that does nothing else becomes part of a kernel.
bool isCheckedByHost(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<LevelScopeOpInterface>(parent) ||
        (isa<scf::IfOp>(parent) && isMemoryEffectFree(parent)))
      return false;
    if (auto function = dyn_cast<func::FuncOp>(parent))
      return !function->hasAttr("obs.level");
  }
  return false;
}

/// Inserts the checks of `op`, before it.
void check(Operation *op, Value skip = {}) {
  Checker checker(op, OpBuilder(op), skip);
  llvm::TypeSwitch<Operation *>(op)
      .Case<MapOp, ZipOp, InterleaveOp, DistributeOp>(
          [&](auto array) { checker.checkEqual(array.getArrays()); })
      .Case<SegmentedReduceOp, SegmentedScanOp>([&](auto collective) {
        if (collective.isByFlags())
          checker.checkEqual({collective.getArray(), collective.getSegments()});
        else
          checker.checkOffsets(collective.getSegments());
      })
      .Case([&](CompactOp compact) {
        checker.checkEqual({compact.getArray(), compact.getFlags()});
      })
      .Case([&](ScatterOp scatter) {
        checker.checkEqual({scatter.getArray(), scatter.getIndices()});
        checker.checkExtents(scatter->getResult(0), scatter.getExtents());
      })
      .Case([&](ExpandOp expand) {
        checker.checkExtents(expand.getResult(), expand.getExtents());
      })
      .Case([&](ConcatOp concat) {
        checker.checkEqual(concat.getArrays(), concat.getDimension());
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
      .Case([&](SliceOp slice) { checker.checkSlice(slice); });
}

/// Checks what code that becomes a part of kernels does with whole arrays. An
/// assertion there would be one of the kernel, and those in a branch before
/// would become one with it, so copies of the code are checked before, whether
/// they are reached or not. What only a kernel knows is left out.
class CopyChecker {
public:
  /// Copies stand before `op`, a choice or a fill.
  explicit CopyChecker(Operation *op) : builder(op), root(op) {}

  /// Wherever `skip` holds, if it is not null, `choice` is not made.
  void checkChoice(scf::IfOp choice, Value skip = {}) {
    Location loc = choice.getLoc();
    Value condition = outside.lookupOrDefault(choice.getCondition());
    auto checkBranch = [&](Region &branch, Value other) {
      if (!branch.empty())
        checkBody(branch.front(),
                  skip ? arith::OrIOp::create(builder, loc, skip, other)
                       : other);
    };
    Value taken = arith::ConstantIntOp::create(builder, loc, 1, 1);
    checkBranch(choice.getThenRegion(),
                arith::XOrIOp::create(builder, loc, condition, taken));
    checkBranch(choice.getElseRegion(), condition);
  }

  void checkBody(Block &body, Value skip = {}) {
    SmallVector<Operation *> copies;
    for (Operation &op : body) {
      if (!isKnown(&op))
        continue;
      if (auto choice = dyn_cast<scf::IfOp>(op)) {
        checkChoice(choice, skip);
      } else if (auto put = dyn_cast<PutOp>(op)) {
        // Others need not write all of their elements.
        if (auto fill = dyn_cast<FillOp>(root);
            fill && put.getArray().getDefiningOp<PushOp>())
          Checker(put, builder, skip)
              .checkPut(fill, outside.lookupOrDefault(put.getArray()),
                        llvm::map_to_vector(put.getOffsets(), [&](Value v) {
                          return outside.lookupOrDefault(v);
                        }));
      } else if (isa<PullOpInterface, PushOp>(op) ||
                 (op.getNumRegions() == 0 && op.getNumResults() != 0 &&
                  !isa<GetOp>(op) && isPure(&op))) {
        copies.push_back(builder.clone(op, outside));
        check(copies.back(), skip);
        // How many chunks there are is a quotient.
        if (auto split = dyn_cast<SplitOp>(op);
            split && skip && !split.getSizes().empty())
          outside.erase(split.getResult());
      }
    }
    for (Operation *copy : llvm::reverse(copies))
      if (copy->use_empty())
        copy->erase();
  }

private:
  /// True if all that `op` uses is there outside of the code as well.
  bool isKnown(Operation *op) {
    auto isOutside = [&](Value value) {
      return outside.contains(value) ||
             !root->isAncestor(value.getParentRegion()->getParentOp());
    };
    bool known = llvm::all_of(op->getOperands(), isOutside);
    // Of a choice, its parts are looked at one by one.
    if (!isa<scf::IfOp>(op))
      visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *used) {
        known &= isOutside(used->get());
      });
    return known;
  }

  OpBuilder builder;
  Operation *root;
  IRMapping outside;
};

struct InsertRuntimeChecks
    : obs::impl::ObsInsertRuntimeChecksPassBase<InsertRuntimeChecks> {
  using ObsInsertRuntimeChecksPassBase::ObsInsertRuntimeChecksPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> operations, programs;
    getOperation()->walk([&](Operation *op) {
      if (isa<ArrayOpInterface, ForceOp>(op) &&
          (hostOnly ? isCheckedByHost(op) : !getEnclosingScope(op).isScalar))
        operations.push_back(op);
      if (hostOnly && isCheckedByHost(op) &&
          (isa<FillOp>(op) || (isa<scf::IfOp>(op) && isMemoryEffectFree(op))))
        programs.push_back(op);
    });
    for (Operation *op : operations)
      check(op);
    for (Operation *op : programs) {
      if (auto choice = dyn_cast<scf::IfOp>(op))
        CopyChecker(op).checkChoice(choice);
      else
        CopyChecker(op).checkBody(cast<FillOp>(op).getBody().front());
    }
  }
};
} // namespace
