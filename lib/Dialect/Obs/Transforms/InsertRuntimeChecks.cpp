//===- InsertRuntimeChecks.cpp - Check extents that types leave open ------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Dialect/Obs/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSINSERTRUNTIMECHECKSPASS
#include "Obsidian/Dialect/Obs/Transforms/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Builds the checks of one operation, before it.
class Checker {
public:
  explicit Checker(Operation *op) : op(op), loc(op->getLoc()), builder(op) {}

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
        require(arith::CmpIPredicate::eq,
                builder.createOrFold<arith::RemUIOp>(loc, extent, size),
                constant(0), "the chunk size does not divide the extent");
    }
  }

  /// Extents that are given as numbers.
  void checkExtents(ValueRange extents) {
    for (Value extent : extents)
      if (!extent.getDefiningOp<DimOp>())
        require(arith::CmpIPredicate::sge, extent, constant(0),
                "an extent is negative");
  }

  void checkCount(ReshapeOp reshape) {
    checkExtents(reshape.getExtents());
    builder.setInsertionPointAfter(op);
    require(arith::CmpIPredicate::eq, product(reshape.getArray()),
            product(reshape.getResult()), "the numbers of elements differ");
  }

  void checkTake(TakeOp take) {
    SmallVector<Value> counts =
        buildMixed(builder, loc, take.getCounts(), take.getStaticCounts());
    for (auto [extent, count] :
         llvm::zip(buildExtents(builder, loc, take.getArray()), counts))
      require(arith::CmpIPredicate::ule, count, extent,
              "takes more than there is");
  }

  void checkSlice(SliceOp slice) {
    auto mixed = [&](ValueRange dynamic, ArrayRef<int64_t> statics) {
      return buildMixed(builder, loc, dynamic, statics);
    };
    for (auto [extent, offset, size, stride] :
         llvm::zip(buildExtents(builder, loc, slice.getArray()),
                   mixed(slice.getOffsets(), slice.getStaticOffsets()),
                   mixed(slice.getSizes(), slice.getStaticSizes()),
                   mixed(slice.getStrides(), slice.getStaticStrides()))) {
      require(arith::CmpIPredicate::sgt, stride, constant(0),
              "a stride is less than 1");
      auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
        return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
      };
      auto subtract = [&](Value a, Value b) {
        return builder.createOrFold<arith::SubIOp>(loc, a, b);
      };
      // The first element and the steps that there are behind it; the numbers
      // are any, so nothing is multiplied. An empty slice reads no element.
      Value begins = compare(arith::CmpIPredicate::ult, offset, extent);
      Value last = subtract(extent, constant(1));
      Value room = builder.createOrFold<arith::DivUIOp>(
          loc, subtract(last, offset), stride);
      Value ends =
          compare(arith::CmpIPredicate::ule, subtract(size, constant(1)), room);
      Value inside = builder.createOrFold<arith::AndIOp>(loc, begins, ends);
      Value empty = compare(arith::CmpIPredicate::eq, size, constant(0));
      require(builder.createOrFold<arith::OrIOp>(loc, inside, empty),
              "the slice leaves the array");
    }
  }

  void checkOffsets(Value offsets) {
    require(arith::CmpIPredicate::ne,
            buildExtents(builder, loc, offsets).front(), constant(0),
            "there is no offset, not even the end of the last segment",
            "[segment-offsets] ");
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value product(Value array) {
    Value total = constant(1);
    for (Value extent : buildExtents(builder, loc, array))
      total = builder.createOrFold<arith::MulIOp>(loc, total, extent);
    return total;
  }
  void require(arith::CmpIPredicate predicate, Value a, Value b,
               StringRef message, StringRef label = "[R4-extents] ") {
    require(builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b), message,
            label);
  }
  void require(Value condition, StringRef message,
               StringRef label = "[R4-extents] ") {
    if (matchPattern(condition, m_One()))
      return;
    AssertOp::create(
        builder, loc, condition,
        (label + op->getName().getStringRef() + ": " + message).str());
  }

  Operation *op;
  Location loc;
  OpBuilder builder;
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

struct InsertRuntimeChecks
    : obs::impl::ObsInsertRuntimeChecksPassBase<InsertRuntimeChecks> {
  using ObsInsertRuntimeChecksPassBase::ObsInsertRuntimeChecksPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> operations;
    getOperation()->walk([&](ArrayOpInterface op) {
      if (hostOnly ? isCheckedByHost(op) : !getEnclosingScope(op).isScalar)
        operations.push_back(op);
    });
    for (Operation *op : operations) {
      Checker checker(op);
      llvm::TypeSwitch<Operation *>(op)
          .Case<MapOp, ZipOp, InterleaveOp>(
              [&](auto array) { checker.checkEqual(array.getArrays()); })
          .Case<SegmentedReduceOp, SegmentedScanOp>([&](auto collective) {
            if (collective.isByFlags())
              checker.checkEqual(
                  {collective.getArray(), collective.getSegments()});
            else
              checker.checkOffsets(collective.getSegments());
          })
          .Case([&](CompactOp compact) {
            checker.checkEqual({compact.getArray(), compact.getFlags()});
          })
          .Case([&](ScatterOp scatter) {
            checker.checkEqual({scatter.getArray(), scatter.getIndices()});
          })
          .Case([&](ConcatOp concat) {
            checker.checkEqual(concat.getArrays(), concat.getDimension());
          })
          .Case([&](SplitOp split) { checker.checkChunks(split); })
          .Case<IotaOp, SplatOp, GenerateOp, ReindexOp>(
              [&](auto array) { checker.checkExtents(array.getExtents()); })
          .Case([&](ReshapeOp reshape) { checker.checkCount(reshape); })
          .Case([&](TakeOp take) { checker.checkTake(take); })
          .Case([&](SliceOp slice) { checker.checkSlice(slice); });
    }
  }
};
} // namespace
