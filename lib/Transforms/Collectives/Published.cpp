//===- Published.cpp - Communication between blocks of a kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Published.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;

using Values = CollectiveBuilder::Values;

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

Value strategies::countUp(CollectiveBuilder &thread, Value counters,
                          Value place) {
  OpBuilder &builder = thread.builder;
  unsigned bits = cast<MemRefType>(counters.getType()).getElementTypeBitWidth();
  Value old = memref::AtomicRMWOp::create(
      builder, thread.loc, arith::AtomicRMWKind::addi,
      getConstant(thread, 1, bits), counters, place);
  return arith::IndexCastOp::create(builder, thread.loc, builder.getIndexType(),
                                    old);
}

static void fence(CollectiveBuilder &thread, LLVM::AtomicOrdering ordering) {
  LLVM::FenceOp::create(thread.builder, thread.loc, ordering, "device");
}

void strategies::release(CollectiveBuilder &thread) {
  fence(thread, LLVM::AtomicOrdering::release);
}

void strategies::acquire(CollectiveBuilder &thread) {
  fence(thread, LLVM::AtomicOrdering::acquire);
}

void strategies::setPublished(Operation *op) {
  setWriteMark(op, WriteMark::Published);
}

void strategies::storePublished(CollectiveBuilder &thread, ValueRange values,
                                ValueRange memory, Value place) {
  for (auto [value, array] : llvm::zip_equal(values, memory))
    setPublished(memref::StoreOp::create(thread.builder, thread.loc, value,
                                         array, place));
}

Values strategies::loadPublished(CollectiveBuilder &thread, ValueRange memory,
                                 Value place) {
  Values values;
  for (Value array : memory) {
    auto load =
        memref::LoadOp::create(thread.builder, thread.loc, array, place);
    setPublished(load);
    values.push_back(load);
  }
  return values;
}

void strategies::storeAlone(CollectiveBuilder &thread, Value value,
                            Value memory, Value place) {
  setWriteMark(
      memref::StoreOp::create(thread.builder, thread.loc, value, memory, place),
      WriteMark::Disjoint);
}
