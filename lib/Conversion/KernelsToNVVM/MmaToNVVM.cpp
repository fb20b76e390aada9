//===- MmaToNVVM.cpp - Products of small matrices -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register has two elements of `a` or `b`. The instruction takes two bf16 as
// an integer.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::obs {

namespace {
struct MmaPattern : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool isBFloat = op.getElementType().isBF16();
    auto pairType = VectorType::get({2}, op.getElementType());
    auto number = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                      value);
    };
    auto pack = [&](ValueRange elements) {
      SmallVector<Value> registers;
      for (unsigned i = 0; i < elements.size(); i += 2) {
        Value pair = LLVM::PoisonOp::create(rewriter, loc, pairType);
        for (unsigned e : {0, 1})
          pair = LLVM::InsertElementOp::create(rewriter, loc, pair,
                                               elements[i + e], number(e));
        if (isBFloat)
          pair = LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(),
                                         pair);
        registers.push_back(pair);
      }
      return registers;
    };
    ValueRange sums = adaptor.getC();
    auto type = LLVM::LLVMStructType::getLiteral(
        op.getContext(), SmallVector<Type>(sums.size(), rewriter.getF32Type()));
    auto element = isBFloat ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Value product = NVVM::MmaOp::create(
        rewriter, loc, type, pack(adaptor.getA()), pack(adaptor.getB()), sums,
        ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
        std::array{element, element},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    SmallVector<Value> results;
    for (unsigned i = 0; i < sums.size(); ++i)
      results.push_back(
          LLVM::ExtractValueOp::create(rewriter, loc, product, i));
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void populateMmaToNVVMPatterns(const LLVMTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter);
}

} // namespace mlir::obs
