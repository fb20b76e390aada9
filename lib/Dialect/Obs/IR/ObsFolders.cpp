//===- ObsFolders.cpp - Folding and canonicalisation ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::obs;

Operation *ObsDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// True for a cast that keeps only the low bits of an index.
static bool isNarrowing(Operation *op) {
  return isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
         op->getOperand(0).getType().isIndex() &&
         op->getResult(0).getType().isInteger() &&
         op->getResult(0).getType().getIntOrFloatBitWidth() < 64;
}

namespace {
/// An index becomes an integer of fewer than 64 bits in two steps. Upstream
/// replaces a cast to such an integer and a cast back by the index, although
/// bits are lost. It does not recognise the two steps as a cast.
template <typename CastOp>
struct SplitNarrowCast : OpRewritePattern<CastOp> {
  /// The benefit is higher than that of upstream's patterns for the operation.
  explicit SplitNarrowCast(MLIRContext *context)
      : OpRewritePattern<CastOp>(context, /*benefit=*/100) {}

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    Operation *narrow = cast;
    if (!isNarrowing(narrow))
      narrow = cast.getIn().getDefiningOp();
    if (!isNarrowing(narrow))
      return rewriter.notifyMatchFailure(cast, "no bits of an index are lost");
    rewriter.setInsertionPoint(narrow);
    Value wide = arith::IndexCastOp::create(rewriter, narrow->getLoc(),
                                            rewriter.getI64Type(),
                                            narrow->getOperand(0));
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(
        narrow, narrow->getResult(0).getType(), wide);
    return success();
  }
};
} // namespace

/// Operations between blocks take memory of any extents, so a cast to dynamic
/// extents would only hide the extents from analyses.
static LogicalResult dropCasts(Operation *op, PatternRewriter &rewriter) {
  bool isChanged = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<memref::CastOp>();
    if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
      continue;
    rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getSource()); });
    isChanged = true;
  }
  return success(isChanged);
}

namespace {
template <typename Op>
struct DropCasts : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    return dropCasts(op, rewriter);
  }
};
} // namespace

void ObsDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<SplitNarrowCast<arith::IndexCastOp>,
               SplitNarrowCast<arith::IndexCastUIOp>, DropCasts<TicketOp>,
               DropCasts<ArriveOp>, DropCasts<PublishOp>, DropCasts<AwaitOp>>(
      getContext());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// dim of a static extent is that extent.
OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t extent = getArrayExtents(getArray().getType())[getDimension()];
  if (ShapedType::isDynamic(extent))
    return {};
  return IntegerAttr::get(getType(), extent);
}

/// The only component of an array with one element type is the array.
LogicalResult UnzipOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  if (getNumResults() != 1)
    return failure();
  results.push_back(getArray());
  return success();
}

/// reverse (reverse a) = a, along the same dimension.
static LogicalResult foldDoubleReverse(ReverseOp op,
                                       PatternRewriter &rewriter) {
  auto inner = op.getArray().getDefiningOp<ReverseOp>();
  if (!inner || inner.getDimension() != op.getDimension())
    return rewriter.notifyMatchFailure(op, "not a reverse of a reverse");
  rewriter.replaceOp(op, inner.getArray());
  return success();
}

void ReverseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(foldDoubleReverse);
}

/// transpose p (transpose q a) = transpose (q after p) a. The identity is
/// removed.
static LogicalResult composeTransposes(TransposeOp op,
                                       PatternRewriter &rewriter) {
  if (llvm::equal(op.getPermutation(),
                  llvm::seq<int64_t>(0, op.getPermutation().size()))) {
    rewriter.replaceOp(op, op.getArray());
    return success();
  }
  auto inner = op.getArray().getDefiningOp<TransposeOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "not a transpose of a transpose");
  SmallVector<int64_t> composed;
  for (int64_t dim : op.getPermutation())
    composed.push_back(inner.getPermutation()[dim]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getArray(),
                                           composed);
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(composeTransposes);
}
