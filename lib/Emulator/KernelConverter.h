//===- KernelConverter.h - One kernel of a gpu.module -----------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_EMULATOR_KERNELCONVERTER_H
#define OBSIDIAN_LIB_EMULATOR_KERNELCONVERTER_H

#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsDialect.h"
#include "RuntimeABI.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::obs::emulator {

/// The type without its memory space.
Type withoutMemorySpace(Type type);

/// The number of bytes of an element in memory; 0 for a type that kernels
/// cannot store in memory.
uint64_t elementBytes(Type type);

/// True for registers with an array of a warp. Lanes without an element take
/// part in shuffles, too, with any value.
bool isLaneArray(memref::AllocaOp alloca);

/// The buffer of the view `memref`: an argument, a private array, or a part of
/// the shared memory.
Value findBuffer(Value memref);

/// The sites of a module and the declarations of the runtime in it.
class ModuleState {
public:
  explicit ModuleState(ModuleOp module) : module(module) {}

  /// Makes a new site and returns its number. `extra` are attributes in
  /// addition to the kind and the location.
  int32_t addSite(SiteKind kind, Location loc,
                  ArrayRef<NamedAttribute> extra = {}) {
    Builder builder(loc.getContext());
    SmallVector<NamedAttribute> attrs(extra);
    attrs.push_back(builder.getNamedAttr(
        "kind", builder.getStringAttr(stringifySiteKind(kind))));
    attrs.push_back(builder.getNamedAttr("loc", LocationAttr(loc)));
    sites.push_back(builder.getDictionaryAttr(attrs));
    return sites.size() - 1;
  }

  /// The function `name` of the runtime. The first call declares it.
  func::FuncOp declare(StringRef name, TypeRange inputs, TypeRange results,
                       bool returns) {
    func::FuncOp &decl = hooks[name];
    if (decl)
      return decl;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    decl = func::FuncOp::create(builder, module.getLoc(), name,
                                builder.getFunctionType(inputs, results));
    decl.setPrivate();
    SmallVector<StringRef> attrs = {"nounwind"};
    if (!returns)
      attrs.append({"noreturn", "cold"});
    decl->setAttr("passthrough", builder.getStrArrayAttr(attrs));
    return decl;
  }

  void finish() {
    Builder builder(module.getContext());
    module->setAttr(kSitesAttr, builder.getArrayAttr(sites));
  }

private:
  ModuleOp module;
  SmallVector<Attribute> sites;
  llvm::StringMap<func::FuncOp> hooks;
};

/// Replaces the operations on floats that the LLVM dialect lacks, and those on
/// bf16 that LLVM would round twice.
void convertFloatOps(ModuleOp module, ModuleState &state);

/// Converts one kernel.
class KernelConverter {
public:
  KernelConverter(ModuleState &state, gpu::GPUFuncOp source, bool watchPrivate)
      : state(state), source(source), watchPrivate(watchPrivate),
        builder(source.getLoc(), source.getContext()),
        pointerType(LLVM::LLVMPointerType::get(source.getContext())) {}

  /// Appends the function to the end of `module`.
  LogicalResult convert(ModuleOp module);

private:
  LogicalResult convertArguments();
  LogicalResult convertAttributions();
  LogicalResult convertOp(Operation *op);
  LogicalResult convertAlloca(memref::AllocaOp op);
  LogicalResult convertShuffle(gpu::ShuffleOp op);
  void convertMma(MmaOp op);
  LogicalResult convertPrintf(gpu::PrintfOp op);
  /// Memory of the thread for `count` values of 64 bits.
  Value allocateSlots(size_t count);
  /// `update` builds the new element, or returns null if it cannot.
  template <typename OpTy>
  LogicalResult convertAtomic(OpTy op, llvm::function_ref<Value(Value)> update);
  void convertAssert(cf::AssertOp op);
  void checkDivision(Operation *op, bool isSigned);
  /// Stops the launch with an error of `kind` if `failed` is true.
  void failIf(Value failed, SiteKind kind, const Twine &text);

  /// Counts the iterations of the innermost loop around each store with the
  /// contract `disjoint` that is not a part of the force that stores.
  void countIterations();

  /// Applies if all threads of a block take the same path through the outermost
  /// loops and branches, and if no operation outside of these accesses memory.
  /// A thread then sets `isActive` when it enters one of them. If the first
  /// thread of a block ends without `isActive`, the block is idle: its other
  /// threads have no effect.
  bool noteActiveBlocks();

  /// Emits the checks for an access of `length` consecutive elements.
  LogicalResult checkAccess(Operation *op, SiteKind kind, Value memref,
                            ValueRange indices, uint64_t length = 1);
  /// Emits the check for an access of the LLVM dialect.
  LogicalResult checkPointerAccess(Operation *op, SiteKind kind, Value pointer,
                                   Type type, uint32_t order);

  Value constantI32(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
  }
  Value constantI64(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
  }
  /// The number of a new place in the kernel.
  Value addSite(SiteKind kind, ArrayRef<NamedAttribute> info = {}) {
    return constantI32(state.addSite(kind, builder.getLoc(), info));
  }
  /// Calls a function of the runtime.
  func::CallOp call(StringRef name, ValueRange args, TypeRange results = {},
                    bool returns = true) {
    func::FuncOp callee =
        state.declare(name, args.getTypes(), results, returns);
    return func::CallOp::create(builder, callee, args);
  }
  Value addressAt(Value base, int64_t offset) {
    return LLVM::GEPOp::create(builder, pointerType, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  }
  /// A value of the initial state of the block or the thread. It is read once,
  /// at the entry.
  Value blockField(size_t offset, Type type);
  Value threadField(size_t offset, Type type);
  Value fieldAt(Value base, size_t offset, Type type);
  Value fieldAtEntry(Value &field, Value base, size_t offset, Type type);
  Value blockIndex(size_t offset) { return toIndex(blockField(offset, i64())); }
  Value threadIndex(size_t offset) {
    return toIndex(threadField(offset, i64()));
  }
  Value toIndex(Value value) {
    return arith::IndexCastOp::create(builder, builder.getIndexType(), value);
  }
  Type i64() { return builder.getI64Type(); }
  /// A memref over [pointer, pointer + extents) with identity layout.
  Value makeMemRef(Value pointer, MemRefType type, Value extent);

  ModuleState &state;
  gpu::GPUFuncOp source;
  bool watchPrivate;
  /// Its location is that of the operation that is converted.
  ImplicitLocOpBuilder builder;
  Type pointerType;
  func::FuncOp target;
  Value thread, params, block;
  /// Code that runs once, at the entry, is inserted before this operation.
  Operation *entryPoint = nullptr;
  /// The values that are read at the entry, by offset.
  llvm::DenseMap<size_t, Value> threadFields, blockFields;
  /// The operands and results of `obs.mma`; null if there is none yet.
  Value fragments;
  uint64_t privateBytes = 0, staticSharedBytes = 0;
};

} // namespace mlir::obs::emulator

#endif // OBSIDIAN_LIB_EMULATOR_KERNELCONVERTER_H
