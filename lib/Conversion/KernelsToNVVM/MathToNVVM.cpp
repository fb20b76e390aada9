//===- MathToNVVM.cpp - Math that NVPTX has instructions for --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream calls libdevice for all of `math`. Libdevice needs the CUDA toolkit,
// and by default its square root is an approximation. The operations here
// become instructions with exact rounding, or a few such instructions.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/FloatingPointMode.h"

namespace mlir::obs {

namespace {
// Higher than the benefit of upstream's patterns for libdevice.
constexpr unsigned kBenefit = 10;

/// One intrinsic of the same operands.
template <typename SourceOp, typename TargetOp>
using IntrinsicPattern =
    VectorConvertToLLVMPattern<SourceOp, TargetOp,
                               arith::AttrConvertFastMathToLLVM>;

/// An intrinsic of the operand and a constant.
template <typename SourceOp, typename TargetOp, auto constant>
struct ConstantPattern : ConvertOpToLLVMPattern<SourceOp> {
  using ConvertOpToLLVMPattern<SourceOp>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(SourceOp op, typename SourceOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<TargetOp>(
        op, this->getTypeConverter()->convertType(op.getType()),
        adaptor.getOperand(), constant);
    return success();
  }
};

/// The flag is false: the intrinsic is defined for zero and for the least
/// integer.
template <typename SourceOp, typename TargetOp>
using IntegerFlagPattern = ConstantPattern<SourceOp, TargetOp, false>;

/// A test for classes of floats, which are the bits of `mask`.
template <typename SourceOp, uint32_t mask>
using ClassPattern = ConstantPattern<SourceOp, LLVM::IsFPClass, mask>;

/// `1 / sqrt(x)`, both rounded, because `rsqrt.approx` has an error of two
/// units in the last place. For f16 and bf16, the result of f32 is rounded.
struct RsqrtPattern : ConvertOpToLLVMPattern<math::RsqrtOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::RsqrtOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = adaptor.getOperand().getType();
    if (!isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, "only scalars");
    Location loc = op.getLoc();
    LLVM::FastmathFlags flags =
        arith::convertArithFastMathFlagsToLLVM(op.getFastmath());
    bool isNarrow = type.isF16() || type.isBF16();
    Type wide = isNarrow ? rewriter.getF32Type() : type;
    Value operand = adaptor.getOperand();
    if (isNarrow)
      operand = LLVM::FPExtOp::create(rewriter, loc, wide, operand);
    Value root = LLVM::SqrtOp::create(rewriter, loc, wide, operand, flags);
    Value one = LLVM::ConstantOp::create(rewriter, loc, wide,
                                         rewriter.getFloatAttr(wide, 1.0));
    Value result = LLVM::FDivOp::create(rewriter, loc, wide, one, root, flags);
    if (isNarrow)
      result = LLVM::FPTruncOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void populateMathToNVVMPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<
      ClassPattern<math::IsFiniteOp, llvm::fcFinite>,
      ClassPattern<math::IsInfOp, llvm::fcInf>,
      ClassPattern<math::IsNaNOp, llvm::fcNan>,
      ClassPattern<math::IsNormalOp, llvm::fcNormal>,
      IntrinsicPattern<arith::MaxNumFOp, LLVM::MaxNumOp>,
      IntrinsicPattern<arith::MinNumFOp, LLVM::MinNumOp>,
      IntrinsicPattern<math::AbsFOp, LLVM::FAbsOp>,
      IntrinsicPattern<math::CeilOp, LLVM::FCeilOp>,
      IntrinsicPattern<math::CopySignOp, LLVM::CopySignOp>,
      VectorConvertToLLVMPattern<math::CtPopOp, LLVM::CtPopOp>,
      IntrinsicPattern<math::FloorOp, LLVM::FFloorOp>,
      IntrinsicPattern<math::FmaOp, LLVM::FMAOp>,
      IntrinsicPattern<math::RoundEvenOp, LLVM::RoundEvenOp>,
      IntrinsicPattern<math::RoundOp, LLVM::RoundOp>,
      IntrinsicPattern<math::SqrtOp, LLVM::SqrtOp>,
      IntrinsicPattern<math::TruncOp, LLVM::FTruncOp>,
      IntegerFlagPattern<math::AbsIOp, LLVM::AbsOp>,
      IntegerFlagPattern<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>,
      IntegerFlagPattern<math::CountTrailingZerosOp,
                         LLVM::CountTrailingZerosOp>,
      RsqrtPattern>(converter, kBenefit);
}

bool needsLibdevice(Operation *op) {
  // The remainder that NVPTX expands is wrong for large quotients.
  if (isa<arith::RemFOp>(op))
    return true;
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return false;
  return !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::CountLeadingZerosOp, math::CountTrailingZerosOp,
              math::CtPopOp, math::FloorOp, math::FmaOp, math::IPowIOp,
              math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp,
              math::RoundEvenOp, math::RoundOp, math::RsqrtOp, math::SqrtOp,
              math::TruncOp>(op);
}

} // namespace mlir::obs
