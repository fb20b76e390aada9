//===- KernelChecks.cpp - Checks of accesses in a kernel ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::obs::emulator;

/// The alloca that is the whole memory of `memref`, or null.
static memref::AllocaOp getWholeAlloca(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  return memref.getDefiningOp<memref::AllocaOp>();
}

bool mlir::obs::emulator::isLaneArray(memref::AllocaOp alloca) {
  return hasAttr<ObsDialect::LanesAttrHelper>(alloca);
}

Value mlir::obs::emulator::findBuffer(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (isa<memref::ViewOp>(op) || !isa<ViewLikeOpInterface>(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

LogicalResult KernelConverter::checkAccess(Operation *op, SiteKind kind,
                                           Value memref, ValueRange indices,
                                           uint64_t length) {
  auto type = cast<MemRefType>(memref.getType());
  uint64_t elemBytes = elementBytes(type.getElementType());
  if (!elemBytes)
    return op->emitError("element type ")
           << type.getElementType() << " is not supported by the emulator";
  builder.setInsertionPoint(op);
  SmallVector<NamedAttribute> info = {
      builder.getNamedAttr("bytes",
                           builder.getI64IntegerAttr(elemBytes * length)),
      builder.getNamedAttr("align", builder.getI64IntegerAttr(elemBytes)),
      builder.getNamedAttr("buffer",
                           LocationAttr(findBuffer(memref).getLoc()))};
  if (hasAttr<ObsDialect::CopyAttrHelper>(op))
    info.push_back(
        builder.getNamedAttr("contract", builder.getStringAttr("copy")));
  else if (auto contract = getAttr<ObsDialect::ContractAttrHelper>(op))
    info.push_back(builder.getNamedAttr("contract", contract));
  if (auto update = getAttr<ObsDialect::UpdateAttrHelper>(op))
    info.push_back(builder.getNamedAttr("update", update));
  Value siteValue = addSite(kind, info);

  // Each index is compared with its extent. For a vector, the last element
  // counts.
  SmallVector<Value> extents, lasts;
  Value bad;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value extent =
        type.isDynamicDim(dim)
            ? memref::DimOp::create(builder, memref, dim).getResult()
            : arith::ConstantIndexOp::create(builder, type.getDimSize(dim))
                  .getResult();
    auto isOutside = [&](Value position) {
      Value outside = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge,
                                            position, extent);
      bad = bad ? arith::OrIOp::create(builder, bad, outside).getResult()
                : outside;
    };
    Value last = index;
    isOutside(index);
    if (length > 1 && dim + 1 == indices.size()) {
      Value span = arith::ConstantIndexOp::create(builder, length - 1);
      last = arith::AddIOp::create(builder, index, span);
      isOutside(last);
    }
    extents.push_back(extent);
    lasts.push_back(last);
  }
  if (bad) {
    auto ifOp = scf::IfOp::create(builder, bad, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(ifOp.thenBlock());
    // The first dimension whose index is wrong. This code is rarely executed.
    Value dim = constantI64(indices.size() - 1);
    Value index = lasts.back(), extent = extents.back();
    for (int64_t i = int64_t(indices.size()) - 2; i >= 0; --i) {
      Value outside = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge,
                                            indices[i], extents[i]);
      auto pick = [&](Value a, Value b) -> Value {
        return arith::SelectOp::create(builder, outside, a, b);
      };
      dim = pick(constantI64(i), dim);
      index = pick(indices[i], index);
      extent = pick(extents[i], extent);
    }
    auto toI64 = [&](Value v) -> Value {
      return arith::IndexCastOp::create(builder, i64(), v);
    };
    call(hook::kIndexFailed,
         {thread, siteValue, dim, toI64(index), toI64(extent)}, {},
         /*returns=*/false);
  }
  if (auto alloca = getWholeAlloca(memref);
      alloca && (!watchPrivate || isLaneArray(alloca)))
    return success();

  // The address of the first element.
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  Value position = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(indices, metadata.getStrides())) {
    Value step = arith::MulIOp::create(builder, index, stride);
    position = arith::AddIOp::create(builder, position, step);
  }
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, metadata.getBaseBuffer());
  Value scale = arith::ConstantIndexOp::create(builder, elemBytes);
  Value bytes = arith::MulIOp::create(builder, position, scale);
  Value address = arith::AddIOp::create(builder, base, bytes);
  Value integer = arith::IndexCastOp::create(builder, i64(), address);
  Value pointer = LLVM::IntToPtrOp::create(builder, pointerType, integer);
  bool plain = kind == SiteKind::Load || kind == SiteKind::Store;
  call(plain ? hook::kAccess : hook::kSyncAccess, {thread, pointer, siteValue});
  return success();
}

LogicalResult KernelConverter::checkPointerAccess(Operation *op, SiteKind kind,
                                                  Value pointer, Type type,
                                                  uint32_t order) {
  uint64_t bytes = elementBytes(type);
  if (!bytes)
    return op->emitError("access of type ")
           << type << " is not supported by the emulator";
  builder.setInsertionPoint(op);
  Type scalar = type;
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = vector.getElementType();
  SmallVector<NamedAttribute> info = {
      builder.getNamedAttr("bytes", builder.getI64IntegerAttr(bytes)),
      builder.getNamedAttr("align",
                           builder.getI64IntegerAttr(elementBytes(scalar)))};
  if (order)
    info.push_back(
        builder.getNamedAttr("order", builder.getI64IntegerAttr(order)));
  bool plain = kind == SiteKind::Load || kind == SiteKind::Store;
  call(plain ? hook::kAccess : hook::kSyncAccess,
       {thread, pointer, addSite(kind, info)});
  return success();
}
