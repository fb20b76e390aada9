//===- Published.cpp - Communication between blocks of a kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Published.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;

static Value allocate(CollectiveBuilder &c, Type type, Value extent) {
  return memref::AllocOp::create(c.builder, c.loc,
                                 MemRefType::get({ShapedType::kDynamic}, type),
                                 ValueRange(extent));
}

static Value getConstant(CollectiveBuilder &c, int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(c.builder, c.loc, value, bits);
}

SmallVector<Value> strategies::allocatePublished(CollectiveBuilder &c,
                                                 Value extent) {
  SmallVector<Value> memory;
  for (Type type : c.elementTypes)
    memory.push_back(allocate(c, type, extent));
  return memory;
}

Value strategies::allocateFlags(CollectiveBuilder &c, Value extent,
                                unsigned bits) {
  Value flags = allocate(c, c.builder.getIntegerType(bits), extent);
  gpu::MemsetOp::create(c.builder, c.loc, Type(), ValueRange(), flags,
                        getConstant(c, 0, bits));
  return flags;
}

Value strategies::allocateCell(CollectiveBuilder &block) {
  MLIRContext *context = block.builder.getContext();
  auto home = HomeAttr::get(context, Level::Block, Storage::Shared);
  return memref::AllocOp::create(
      block.builder, block.loc,
      MemRefType::get({}, block.builder.getIndexType(),
                      MemRefLayoutAttrInterface(), home));
}

void strategies::storeAlone(CollectiveBuilder &thread, Value value,
                            Value memory, Value place) {
  setWriteMark(
      memref::StoreOp::create(thread.builder, thread.loc, value, memory, place),
      WriteMark::Disjoint);
}
