//===- PartToLLVM.cpp - Parts of device memory in LLVM --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Conversion/PartToLLVM.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
struct ConvertPart : ConvertOpToLLVMPattern<PartOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(PartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getType());
    Type element = getTypeConverter()->convertType(type.getElementType());
    MemRefDescriptor whole(adaptor.getMemory());
    Value begin = whole.alignedPtr(rewriter, loc);
    begin = LLVM::GEPOp::create(rewriter, loc, begin.getType(), element, begin,
                                adaptor.getOffset());
    SmallVector<Value> sizes, strides;
    Value bytes;
    getMemRefDescriptorSizes(loc, type, adaptor.getExtents(), rewriter, sizes,
                             strides, bytes, /*sizeInBytes=*/false);
    MemRefDescriptor part =
        createMemRefDescriptor(loc, type, whole.allocatedPtr(rewriter, loc),
                               begin, sizes, strides, rewriter);
    rewriter.replaceOp(op, {part});
    return success();
  }
};

struct PartToLLVM : ConvertToLLVMPatternInterface {
  PartToLLVM(Dialect *dialect) : ConvertToLLVMPatternInterface(dialect) {}

  void loadDependentDialects(MLIRContext *context) const override {
    context->loadDialect<LLVM::LLVMDialect>();
  }
  void populateConvertToLLVMConversionPatterns(
      ConversionTarget &, LLVMTypeConverter &converter,
      RewritePatternSet &patterns) const override {
    patterns.add<ConvertPart>(converter);
  }
};
} // namespace

void obs::registerConvertPartToLLVMInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, ObsDialect *dialect) {
    dialect->addInterfaces<PartToLLVM>();
  });
}
