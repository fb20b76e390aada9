//===- AccessesToNVVM.cpp - Accesses that LLVM can join -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM joins accesses whose addresses differ by a constant. If the constant is
// a part of the index, LLVM can lose it: `(t / 16 * 4) + 3` becomes
// `(t / 4) | 3`, in which `t / 16 * 4` does not occur. So the constant is added
// to the address.
//
// LLVM joins no accesses of i1, which is a byte in memory. So they are accesses
// of i8.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include <cstdlib>

namespace mlir::obs {

/// The largest distance in elements. It fits in the constant of an address.
static constexpr int64_t maxDistance = 1 << 16;

/// True if the sum or difference has these flags.
static bool hasFlags(Operation *op, arith::IntegerOverflowFlags flags) {
  return bitEnumContainsAll(cast<arith::ArithIntegerOverflowFlagsInterface>(op)
                                .getOverflowAttr()
                                .getValue(),
                            flags);
}

/// Removes the constant that is added to `sum`, and returns it; 0 if there is
/// none. No sum on the way wraps, with these flags. It also removes a positive
/// constant of the second operand, or any constant if sums may wrap. A signed
/// sum without it may wrap, so it is kept there.
static int64_t splitSum(Value &sum, arith::IntegerOverflowFlags flags) {
  Operation *op = sum.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) ||
      !hasFlags(op, flags))
    return 0;
  bool isSum = isa<arith::AddIOp>(op),
       isUnsigned = flags == arith::IntegerOverflowFlags::nuw;
  if (std::optional<int64_t> number = getConstantIntValue(op->getOperand(1))) {
    if (*number < -maxDistance || *number > maxDistance ||
        (isUnsigned && *number < 0))
      return 0;
    sum = op->getOperand(0);
    return isSum ? *number : -*number;
  }
  Value second = op->getOperand(1);
  bool isSigned = flags == arith::IntegerOverflowFlags::nsw;
  int64_t number = isSum && !isSigned ? splitSum(second, flags) : 0;
  if (number == 0 || (isUnsigned && number < 0))
    return 0;
  OpBuilder builder(op);
  sum = arith::AddIOp::create(builder, op->getLoc(), op->getOperand(0), second,
                              flags);
  return number;
}

/// Removes the constant that is added to `index`, and returns it; 0 if there is
/// none.
static int64_t splitIndex(Value &index) {
  Operation *cast = index.getDefiningOp();
  if (!isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(cast))
    return splitSum(index, arith::IntegerOverflowFlags::none);
  // The cast of the sum is the sum of the casts if the sum does not wrap.
  Value sum = cast->getOperand(0), rest = sum;
  int64_t number = splitSum(rest, isa<arith::IndexCastUIOp>(cast)
                                      ? arith::IntegerOverflowFlags::nuw
                                      : arith::IntegerOverflowFlags::nsw);
  if (number == 0)
    return 0;
  OpBuilder builder(cast);
  IRMapping map;
  map.map(sum, rest);
  index = builder.clone(*cast, map)->getResult(0);
  return number;
}

DistanceMap splitDistances(gpu::GPUModuleOp module) {
  DistanceMap distances;
  auto split = [&](auto access) {
    SmallVector<int64_t> strides;
    int64_t offset = 0, distance = 0;
    if (failed(access.getMemRefType().getStridesAndOffset(strides, offset)))
      return;
    for (auto [stride, index] :
         llvm::zip(strides, access.getIndicesMutable())) {
      if (ShapedType::isDynamic(stride) || stride > maxDistance)
        continue;
      Value rest = index.get();
      int64_t number = splitIndex(rest);
      if (std::abs(number * stride + distance) > maxDistance || number == 0)
        continue;
      distance += number * stride;
      index.set(rest);
    }
    if (distance)
      distances[access] = distance;
  };
  module.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      split(load);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      split(store);
  });
  return distances;
}

namespace {
template <typename Access>
struct AccessLowering : ConvertOpToLLVMPattern<Access> {
  AccessLowering(const LLVMTypeConverter &converter,
                 const DistanceMap &distances)
      : ConvertOpToLLVMPattern<Access>(converter, /*benefit=*/2),
        distances(distances) {}

  LogicalResult
  matchAndRewrite(Access op, typename Access::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto found = distances.find(op);
    MemRefType type = op.getMemRefType();
    bool isBit = type.getElementType().isInteger(1);
    if (found == distances.end() && !isBit)
      return failure();
    Location loc = op.getLoc();
    Value address = this->getStridedElementPtr(
        rewriter, loc, type, adaptor.getMemref(), adaptor.getIndices());
    Type element = this->getTypeConverter()->convertType(type.getElementType());
    if (found != distances.end())
      address = LLVM::GEPOp::create(
          rewriter, loc, address.getType(), element, address,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(found->second)});
    Type stored = isBit ? rewriter.getI8Type() : element;
    unsigned alignment = op.getAlignment().value_or(0);
    if constexpr (std::is_same_v<Access, memref::LoadOp>) {
      Value value =
          LLVM::LoadOp::create(rewriter, loc, stored, address, alignment,
                               /*isVolatile=*/false, op.getNontemporal());
      if (isBit)
        value = LLVM::TruncOp::create(rewriter, loc, element, value);
      rewriter.replaceOp(op, value);
    } else {
      Value value = adaptor.getValue();
      if (isBit)
        value = LLVM::ZExtOp::create(rewriter, loc, stored, value);
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, address, alignment,
                                                 /*isVolatile=*/false,
                                                 op.getNontemporal());
    }
    return success();
  }

private:
  const DistanceMap &distances;
};
} // namespace

void populateAccessesToNVVMPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    const DistanceMap &distances) {
  patterns.add<AccessLowering<memref::LoadOp>, AccessLowering<memref::StoreOp>>(
      converter, distances);
}

} // namespace mlir::obs
