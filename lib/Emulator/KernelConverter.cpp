//===- KernelConverter.cpp - One kernel of a gpu.module -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel of the `gpu` dialect. Out: a function that executes one thread
// of it, and calls the emulator for what threads share.
//
// The file is long because the operations of a kernel are converted by one
// class: they share the places of values that live across a wait.
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "Obsidian/Transforms/GPU/Passes.h"
#include "Printf.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs::emulator;

/// Static shared buffers begin at multiples of this.
static constexpr uint64_t kSharedAlignment = 128;

Type mlir::obs::emulator::withoutMemorySpace(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (!memref.getMemorySpace())
      return type;
    return MemRefType::get(memref.getShape(), memref.getElementType(),
                           memref.getLayout());
  }
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  return type;
}

uint64_t mlir::obs::emulator::elementBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable())
      return 0;
    return elementBytes(vector.getElementType()) * vector.getNumElements();
  }
  if (type.isIndex() || isa<LLVM::LLVMPointerType>(type))
    return 8;
  if (type.isIntOrFloat())
    return llvm::PowerOf2Ceil(
        llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  return 0;
}

Value KernelConverter::fieldAt(Value base, size_t offset, Type type) {
  Value address = addressAt(base, offset);
  auto load = LLVM::LoadOp::create(builder, type, address, /*alignment=*/8);
  load.setInvariant(true);
  return load;
}

Value KernelConverter::fieldAtEntry(Value &field, Value base, size_t offset,
                                    Type type) {
  if (field)
    return field;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entryPoint);
  return field = fieldAt(base, offset, type);
}

Value KernelConverter::threadField(size_t offset, Type type) {
  return fieldAtEntry(threadFields[offset], thread, offset, type);
}

Value KernelConverter::blockField(size_t offset, Type type) {
  Value base = threadField(offsetof(ThreadContext, block), pointerType);
  return fieldAtEntry(blockFields[offset], base, offset, type);
}

Value KernelConverter::makeMemRef(Value pointer, MemRefType type,
                                  Value extent) {
  int64_t rank = type.getRank();
  MLIRContext *ctx = builder.getContext();
  SmallVector<Type> fields = {pointerType, pointerType, i64()};
  if (rank > 0) {
    Type array = LLVM::LLVMArrayType::get(ctx, i64(), rank);
    fields.append({array, array});
  }
  Type structType = LLVM::LLVMStructType::getLiteral(ctx, fields);
  Value value = LLVM::PoisonOp::create(builder, structType);
  auto insert = [&](Value part, ArrayRef<int64_t> position) {
    value = LLVM::InsertValueOp::create(builder, value, part, position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constantI64(0), {2});
  int64_t stride = 1;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    Value size = extent;
    if (!type.isDynamicDim(dim)) {
      size = constantI64(type.getDimSize(dim));
    }
    insert(size, {3, dim});
    insert(constantI64(stride), {4, dim});
    if (!type.isDynamicDim(dim))
      stride *= type.getDimSize(dim);
  }
  return UnrealizedConversionCastOp::create(builder, type, value).getResult(0);
}

LogicalResult KernelConverter::convertArguments() {
  Block &entry = target.getBody().front();
  unsigned count = source.getFunctionType().getNumInputs();
  SmallVector<Attribute> argBytes;
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument arg = entry.getArgument(i);
    Type type = arg.getType();
    Value slot = fieldAt(params, 8 * i, pointerType);
    // Parameters do not change during a launch, but a parameter may be a byte.
    auto load = [&](Type loaded) -> Value {
      return LLVM::LoadOp::create(builder, loaded, slot, /*alignment=*/1);
    };
    Value value;
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (!memref.hasStaticShape() || !memref.getLayout().isIdentity())
        return source.emitError("argument ")
               << i << " of type " << type
               << " is not supported by the emulator; kernel arguments are "
                  "memrefs of static shape and identity layout, or scalars";
      value = makeMemRef(load(pointerType), memref, Value());
    } else if (type.isIndex()) {
      value = toIndex(load(i64()));
    } else if (type.isInteger(1)) {
      Value byte = load(builder.getI8Type());
      Value zero =
          arith::ConstantOp::create(builder, builder.getI8IntegerAttr(0));
      value =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, byte, zero);
    } else if (elementBytes(type) && !isa<VectorType>(type)) {
      value = load(type);
    } else {
      return source.emitError("argument ")
             << i << " of type " << type << " is not supported by the emulator";
    }
    arg.replaceAllUsesWith(value);
  }
  return success();
}

LogicalResult KernelConverter::convertAttributions() {
  Block &entry = target.getBody().front();
  unsigned first = source.getFirstWorkgroupAttributionIndex();
  unsigned firstPrivate = source.getFirstPrivateAttributionIndex();
  for (unsigned i = first, e = source.getBody().getNumArguments(); i < e; ++i) {
    BlockArgument arg = entry.getArgument(i);
    auto type = cast<MemRefType>(arg.getType());
    uint64_t bytes = elementBytes(type.getElementType());
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() || !bytes)
      return source.emitError("memory attribution of type ")
             << type << " is not supported by the emulator";
    bytes *= type.getNumElements();
    if (i >= firstPrivate) {
      arg.replaceAllUsesWith(
          memref::AllocaOp::create(builder, type).getResult());
      privateBytes += llvm::alignTo(bytes, 16);
      continue;
    }
    Value base = blockField(offsetof(BlockContext, shared), pointerType);
    Value pointer = addressAt(base, staticSharedBytes);
    arg.replaceAllUsesWith(makeMemRef(pointer, type, Value()));
    staticSharedBytes += llvm::alignTo(bytes, kSharedAlignment);
  }
  return success();
}

/// The bits of MemoryOrder.
static uint32_t orderOf(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
    return kAcquires;
  case LLVM::AtomicOrdering::release:
    return kReleases;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return kAcquires | kReleases;
  default:
    return 0;
  }
}

LogicalResult KernelConverter::convertAlloca(memref::AllocaOp op) {
  uint64_t bytes = elementBytes(op.getType().getElementType());
  if (!op.getType().hasStaticShape() || !bytes)
    return op.emitError("private memory of type ")
           << op.getType()
           << " is not supported by the emulator; its shape must be static";
  privateBytes += llvm::alignTo(bytes * op.getType().getNumElements(), 16) +
                  op.getAlignment().value_or(0);
  if (watchPrivate && !isLaneArray(op)) {
    builder.setInsertionPointAfter(op);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, op);
    Value integer = arith::IndexCastOp::create(builder, i64(), base);
    Value pointer = LLVM::IntToPtrOp::create(builder, pointerType, integer);
    call(hook::kPrivateBegins,
         {thread, pointer, constantI64(bytes * op.getType().getNumElements())});
  }
  // One in a loop would otherwise take new stack in each iteration.
  op->moveBefore(entryPoint);
  return success();
}

LogicalResult KernelConverter::convertShuffle(gpu::ShuffleOp op) {
  Type type = op.getValue().getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return op.emitError("shuffle of type ")
           << type << " is not supported by the emulator";
  gpu::ShuffleMode mode = op.getMode();
  SiteKind kind = mode == gpu::ShuffleMode::XOR    ? SiteKind::ShuffleXor
                  : mode == gpu::ShuffleMode::UP   ? SiteKind::ShuffleUp
                  : mode == gpu::ShuffleMode::DOWN ? SiteKind::ShuffleDown
                                                   : SiteKind::ShuffleIdx;
  unsigned width = type.getIntOrFloatBitWidth();
  Type bitsType = builder.getIntegerType(width);
  Value bits = op.getValue();
  if (type != bitsType)
    bits = arith::BitcastOp::create(builder, bitsType, bits);
  if (width < 64)
    bits = arith::ExtUIOp::create(builder, i64(), bits);
  Value site = addSite(kind);
  Value result =
      call(hook::kShuffle, {thread, site, bits, op.getOffset(), op.getWidth()},
           i64())
          .getResult(0);
  if (width < 64)
    result = arith::TruncIOp::create(builder, bitsType, result);
  if (type != bitsType)
    result = arith::BitcastOp::create(builder, type, result);
  op.getShuffleResult().replaceAllUsesWith(result);
  if (!op.getValid().use_empty()) {
    Value address = addressAt(thread, offsetof(ThreadContext, shuffleValid));
    Value valid = LLVM::LoadOp::create(builder, builder.getI32Type(), address);
    op.getValid().replaceAllUsesWith(arith::CmpIOp::create(
        builder, arith::CmpIPredicate::ne, valid, constantI32(0)));
  }
  op.erase();
  return success();
}

Value KernelConverter::allocateSlots(size_t count) {
  privateBytes += 8 * count + 16;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entryPoint);
  return LLVM::AllocaOp::create(builder, pointerType, i64(),
                                constantI64(std::max<size_t>(count, 1)));
}

void KernelConverter::convertMma(MmaOp op) {
  Type type = builder.getF32Type();
  // All products of a kernel use one copy, because each waits for its result.
  if (!fragments)
    fragments = allocateSlots(op->getNumOperands() / 2);
  for (auto [i, element] : llvm::enumerate(op->getOperands())) {
    Value wide = element;
    if (element.getType() != type)
      wide = arith::ExtFOp::create(builder, type, element);
    LLVM::StoreOp::create(builder, wide, addressAt(fragments, 4 * i));
  }
  call(hook::kMultiply, {thread, addSite(SiteKind::Multiply), fragments});
  unsigned first = op.getA().size() + op.getB().size();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    result.replaceAllUsesWith(LLVM::LoadOp::create(
        builder, type, addressAt(fragments, 4 * (first + i))));
  op->erase();
}

LogicalResult KernelConverter::convertPrintf(gpu::PrintfOp op) {
  std::string kinds;
  for (Type type : op.getArgs().getTypes())
    kinds.push_back(isa<FloatType>(type) ? 'f' : 'i');
  std::string problem = checkPrintfFormat(op.getFormat(), kinds);
  if (!problem.empty())
    return op.emitError("format \"") << op.getFormat() << "\": " << problem;
  Value site = addSite(
      SiteKind::Printf,
      {builder.getNamedAttr("text", builder.getStringAttr(op.getFormat()))});
  Value slots = allocateSlots(op.getArgs().size());
  for (auto [i, arg] : llvm::enumerate(op.getArgs())) {
    Type type = arg.getType();
    Value value = arg;
    if (auto floatType = dyn_cast<FloatType>(type)) {
      if (floatType.getWidth() > 64)
        return op.emitError("argument of type ")
               << type << " is not supported by the emulator";
      if (floatType.getWidth() < 64)
        value = arith::ExtFOp::create(builder, builder.getF64Type(), value);
    } else if (type.isIndex()) {
      value = arith::IndexCastOp::create(builder, i64(), value);
    } else if (type.getIntOrFloatBitWidth() > 64) {
      return op.emitError("argument of type ")
             << type << " is not supported by the emulator";
    } else if (type.isInteger(1)) {
      value = arith::ExtUIOp::create(builder, i64(), value);
    } else if (type.getIntOrFloatBitWidth() < 64) {
      value = arith::ExtSIOp::create(builder, i64(), value);
    }
    LLVM::StoreOp::create(builder, value, addressAt(slots, 8 * i));
  }
  call(hook::kPrintf, {thread, site, slots});
  op.erase();
  return success();
}

void KernelConverter::failIf(Value failed, SiteKind kind, const Twine &text) {
  Value site = addSite(
      kind, {builder.getNamedAttr("text", builder.getStringAttr(text))});
  auto ifOp = scf::IfOp::create(builder, failed, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  call(hook::kAssertFailed, {thread, site}, {},
       /*returns=*/false);
}

void KernelConverter::convertAssert(cf::AssertOp op) {
  Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  Value failed = arith::XOrIOp::create(builder, op.getArg(), yes);
  failIf(failed, SiteKind::Assert, op.getMsg());
  op.erase();
}

/// The machine would stop the process, not the program. A division that the
/// interpreter refuses is refused at every width.
void KernelConverter::checkDivision(Operation *op, bool isSigned) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type type = divisor.getType();
  std::optional<int64_t> known = getConstantIntValue(divisor);
  auto equals = [&](Value value, const APInt &number) -> Value {
    Value constant =
        arith::ConstantOp::create(builder, IntegerAttr::get(type, number));
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, value,
                                 constant);
  };
  std::string name = ("'" + op->getName().getStringRef() + "' ").str();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (known.value_or(0) == 0)
    failIf(equals(divisor, APInt::getZero(width)), SiteKind::Arithmetic,
           name + "divides by zero");
  if (isSigned && known.value_or(-1) == -1) {
    APInt least = APInt::getSignedMinValue(width);
    Value overflows = arith::AndIOp::create(
        builder, equals(divisor, APInt::getAllOnes(width)),
        equals(dividend, least));
    failIf(overflows, SiteKind::Arithmetic,
           name + "overflows: the least number divided by -1");
  }
}

template <typename OpTy>
LogicalResult
KernelConverter::convertAtomic(OpTy op,
                               llvm::function_ref<Value(Value)> update) {
  if (failed(
          checkAccess(op, SiteKind::Atomic, op.getMemref(), op.getIndices())))
    return failure();
  Value old = memref::LoadOp::create(builder, op.getMemref(), op.getIndices());
  Value value = update(old);
  if (!value)
    return op.emitError("is not supported by the emulator");
  memref::StoreOp::create(builder, value, op.getMemref(), op.getIndices());
  op.replaceAllUsesWith(old);
  op.erase();
  return success();
}

LogicalResult KernelConverter::convertOp(Operation *op) {
  builder.setLoc(op->getLoc());
  builder.setInsertionPoint(op);
  auto replace = [&](Value value) {
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
    return success();
  };
  auto axis = [](gpu::Dimension dim) { return 8 * size_t(dim); };

  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return replace(threadIndex(offsetof(ThreadContext, threadId) +
                               axis(id.getDimension())));
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return replace(
        blockIndex(offsetof(BlockContext, blockId) + axis(id.getDimension())));
  if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
    return replace(blockIndex(offsetof(BlockContext, blockDim) +
                              axis(dim.getDimension())));
  if (auto dim = dyn_cast<gpu::GridDimOp>(op))
    return replace(
        blockIndex(offsetof(BlockContext, gridDim) + axis(dim.getDimension())));
  if (auto id = dyn_cast<gpu::GlobalIdOp>(op)) {
    size_t offset = axis(id.getDimension());
    Value block = blockIndex(offsetof(BlockContext, blockId) + offset);
    Value size = blockIndex(offsetof(BlockContext, blockDim) + offset);
    Value inner = threadIndex(offsetof(ThreadContext, threadId) + offset);
    Value start = arith::MulIOp::create(builder, block, size);
    return replace(arith::AddIOp::create(builder, start, inner));
  }
  if (isa<gpu::LaneIdOp>(op))
    return replace(threadIndex(offsetof(ThreadContext, laneId)));
  if (isa<gpu::SubgroupIdOp>(op))
    return replace(threadIndex(offsetof(ThreadContext, warpId)));
  if (isa<gpu::NumSubgroupsOp>(op))
    return replace(blockIndex(offsetof(BlockContext, numWarps)));
  if (isa<gpu::SubgroupSizeOp>(op))
    return replace(arith::ConstantIndexOp::create(builder, kWarpSize));
  if (auto shared = dyn_cast<gpu::DynamicSharedMemoryOp>(op)) {
    Value base = blockField(offsetof(BlockContext, shared), pointerType);
    Value bytes = blockField(offsetof(BlockContext, dynamicSharedBytes), i64());
    Value pointer = addressAt(base, staticSharedBytes);
    return replace(
        makeMemRef(pointer, cast<MemRefType>(shared.getType()), bytes));
  }
  if (isa<gpu::BarrierOp>(op)) {
    call(hook::kBlockBarrier, {thread, addSite(SiteKind::BlockBarrier)});
    op->erase();
    return success();
  }
  if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    call(hook::kWarpBarrier,
         {thread, addSite(SiteKind::WarpBarrier), sync.getMask()});
    op->erase();
    return success();
  }
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    return convertShuffle(shuffle);
  if (auto product = dyn_cast<MmaOp>(op)) {
    convertMma(product);
    return success();
  }
  if (auto print = dyn_cast<gpu::PrintfOp>(op))
    return convertPrintf(print);
  if (auto assertOp = dyn_cast<cf::AssertOp>(op)) {
    convertAssert(assertOp);
    return success();
  }
  if (isa<gpu::ReturnOp>(op)) {
    LLVM::StoreOp::create(builder, addSite(SiteKind::Return),
                          addressAt(thread, offsetof(ThreadContext, exitSite)));
    func::ReturnOp::create(builder);
    op->erase();
    return success();
  }

  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                      arith::FloorDivSIOp>(op);
  if (isSigned || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op)) {
    checkDivision(op, isSigned);
    return success();
  }

  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    return convertAlloca(alloca);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return checkAccess(op, SiteKind::Load, load.getMemref(), load.getIndices());
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return checkAccess(op, SiteKind::Store, store.getMemref(),
                       store.getIndices());
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return checkAccess(op, SiteKind::Load, load.getBase(), load.getIndices(),
                       load.getVectorType().getNumElements());
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return checkAccess(op, SiteKind::Store, store.getBase(), store.getIndices(),
                       store.getVectorType().getNumElements());
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return convertAtomic(atomic, [&](Value old) {
      return atomic.getKind() == arith::AtomicRMWKind::assign
                 ? atomic.getValue()
                 : arith::getReductionOp(atomic.getKind(), builder,
                                         builder.getLoc(), old,
                                         atomic.getValue());
    });
  if (auto atomic = dyn_cast<memref::GenericAtomicRMWOp>(op))
    return convertAtomic(atomic, [&](Value old) {
      return cloneBody(builder, atomic.getRegion(), old).front();
    });
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    bool sync = load.getVolatile_() ||
                load.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    return checkPointerAccess(op, sync ? SiteKind::SyncLoad : SiteKind::Load,
                              load.getAddr(), load.getType(),
                              orderOf(load.getOrdering()));
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    bool sync = store.getVolatile_() ||
                store.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    return checkPointerAccess(op, sync ? SiteKind::SyncStore : SiteKind::Store,
                              store.getAddr(), store.getValue().getType(),
                              orderOf(store.getOrdering()));
  }
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
    return checkPointerAccess(op, SiteKind::Atomic, atomic.getPtr(),
                              atomic.getVal().getType(),
                              orderOf(atomic.getOrdering()));
  if (auto atomic = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
    return checkPointerAccess(op, SiteKind::Atomic, atomic.getPtr(),
                              atomic.getVal().getType(),
                              orderOf(atomic.getSuccessOrdering()));
  if (isa<LLVM::FenceOp, NVVM::MembarOp>(op)) {
    uint32_t order = kAcquires | kReleases;
    if (auto fence = dyn_cast<LLVM::FenceOp>(op))
      order = orderOf(fence.getOrdering());
    call(hook::kFence, {thread, constantI32(order)});
    op->erase();
    return success();
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    global.setName((kGlobalPrefix + global.getName()).str());
    return success();
  }
  // All memory is in one address space.
  if (isa<memref::MemorySpaceCastOp, LLVM::AddrSpaceCastOp>(op))
    return replace(op->getOperand(0));
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (dim.getConstantIndex() || !type)
      return verifyDimension(dim);
    Value number = dim.getIndex();
    Value rank = arith::ConstantIndexOp::create(builder, type.getRank());
    failIf(
        arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, number, rank),
        SiteKind::Arithmetic, "the memory does not have this dimension");
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (getConstantIntValue(loop.getStep()).value_or(0) > 0)
      return success();
    Value zero = arith::ConstantOp::create(
        builder, builder.getIntegerAttr(loop.getStep().getType(), 0));
    failIf(arith::CmpIOp::create(builder, arith::CmpIPredicate::sle,
                                 loop.getStep(), zero),
           SiteKind::Arithmetic, "the step of a loop must be positive");
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    builder.setInsertionPointToStart(loop.getBeforeBody());
    call(hook::kPoll, {thread, addSite(SiteKind::Loop)});
    return success();
  }

  if (isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect()) ||
      isa<CallOpInterface>(op))
    return op->emitOpError("is not supported by the emulator");
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isMemoryEffectFree(op))
    return success();
  return op->emitOpError("accesses memory in a way that the emulator does not "
                         "check");
}

void KernelConverter::countIterations() {
  llvm::SetVector<Operation *> loops;
  target.walk([&](memref::StoreOp store) {
    if (getWriteMark(store) != WriteMark::Disjoint)
      return;
    Value buffer = findBuffer(store.getMemref());
    for (auto loop = store->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>()) {
      // A force does not read the elements that it writes, and does not wait
      // for other threads.
      bool waits = containsOp(*loop, [&](Operation *op) {
        auto load = dyn_cast<memref::LoadOp>(op);
        return isa<gpu::BarrierOp, NVVM::SyncWarpOp>(op) ||
               (load && findBuffer(load.getMemref()) == buffer);
      });
      // Canonicalization drops the attributes of `scf.while`.
      bool isUpdated = hasAttr<ObsDialect::UpdatesAttrHelper>(loop) ||
                       (isa<scf::WhileOp>(loop) &&
                        hasAttr<ObsDialect::UpdateAttrHelper>(store));
      if (!waits && !isUpdated)
        continue;
      loops.insert(loop);
      break;
    }
  });
  for (Operation *loop : loops) {
    builder.setInsertionPointToStart(&loop->getRegions().back().front());
    Value address = addressAt(thread, offsetof(ThreadContext, iteration));
    Value count = LLVM::LoadOp::create(builder, i64(), address);
    Value next = arith::AddIOp::create(builder, count, constantI64(1));
    LLVM::StoreOp::create(builder, next, address);
  }
}

/// True if `op` has the same result in all threads of a block when its
/// operands do.
static bool isBlockUniform(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  if (isa<gpu::GPUDialect>(op->getDialect()))
    return isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp,
               gpu::NumSubgroupsOp, gpu::SubgroupSizeOp>(op);
  return op->getNumOperands() || op->hasTrait<OpTrait::ConstantLike>();
}

/// True if no thread of a block has a smaller value than its first thread:
/// `thread` and `block * size + thread`, the first iterations of loops over the
/// threads of a block and of a grid.
static bool isLeastInFirstThread(Value value) {
  if (auto id = value.getDefiningOp<gpu::ThreadIdOp>())
    return id.getDimension() == gpu::Dimension::x;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || !isLeastInFirstThread(sum.getRhs()))
    return false;
  // A product of these two does not wrap.
  auto start = sum.getLhs().getDefiningOp<arith::MulIOp>();
  return start && start.getLhs().getDefiningOp<gpu::BlockIdOp>() &&
         getConstantIntValue(start.getRhs()).value_or(INT64_MAX) <= 1024;
}

bool KernelConverter::noteActiveBlocks() {
  Block &entry = target.getBody().front();
  llvm::DenseSet<Value> uniform;
  auto isUniform = [&](Value value) { return uniform.contains(value); };
  // The code at the entry makes the parameters.
  for (Operation &op :
       llvm::make_range(entry.begin(), Block::iterator(entryPoint)))
    uniform.insert(op.result_begin(), op.result_end());
  SmallVector<Block *> parts;
  for (Operation &op : llvm::make_range(Block::iterator(entryPoint),
                                        entry.without_terminator().end())) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!isUniform(loop.getUpperBound()) || !isUniform(loop.getStep()) ||
          !(isUniform(loop.getLowerBound()) ||
            isLeastInFirstThread(loop.getLowerBound())))
        return false;
      parts.push_back(loop.getBody());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (!isUniform(branch.getCondition()))
        return false;
      parts.push_back(branch.thenBlock());
      if (branch.elseBlock())
        parts.push_back(branch.elseBlock());
    } else if (llvm::all_of(op.getOperands(), isUniform) &&
               isBlockUniform(&op)) {
      uniform.insert(op.result_begin(), op.result_end());
    } else if (!isPure(&op) && !isa<memref::AllocaOp>(op)) {
      // It touches memory, or it may fail in one thread alone.
      return false;
    }
  }
  for (Block *part : parts) {
    // An empty `else` does nothing.
    if (llvm::hasSingleElement(*part))
      continue;
    builder.setInsertionPointToStart(part);
    LLVM::StoreOp::create(builder, constantI32(1),
                          addressAt(thread, offsetof(ThreadContext, isActive)));
  }
  return true;
}

LogicalResult KernelConverter::convert(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  target = func::FuncOp::create(
      builder, (kKernelPrefix + source.getName()).str(),
      builder.getFunctionType({pointerType, pointerType}, {}));
  IRMapping mapping;
  source.getBody().cloneInto(&target.getBody(), mapping);
  Block &entry = target.getBody().front();
  DenseI32ArrayAttr size = source.getKnownBlockSizeAttr();
  expandExchanges(target, size);

  target.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(withoutMemorySpace(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        for (BlockArgument arg : inner.getArguments())
          arg.setType(withoutMemorySpace(arg.getType()));
  });

  // The operations to convert, before anything is added.
  SmallVector<Operation *> ops;
  target.getBody().walk([&](Operation *op) {
    // The body of an atomic is copied as it is: it has no effects.
    if (!op->getParentOfType<memref::GenericAtomicRMWOp>())
      ops.push_back(op);
  });

  // A constant that marks the end of the entry code; it is dead afterwards.
  builder.setInsertionPointToStart(&entry);
  entryPoint = arith::ConstantIndexOp::create(builder, 0);
  builder.setInsertionPoint(entryPoint);
  thread = entry.addArgument(pointerType, builder.getLoc());
  params = entry.addArgument(pointerType, builder.getLoc());
  if (failed(convertArguments()) || failed(convertAttributions()))
    return failure();
  countIterations();
  bool mayBeIdle = noteActiveBlocks();
  for (Operation *op : ops)
    if (failed(convertOp(op)))
      return failure();
  entryPoint->erase();
  entry.eraseArguments(0, entry.getNumArguments() - 2);

  NamedAttrList info;
  info.set("num_args",
           builder.getI64IntegerAttr(source.getFunctionType().getNumInputs()));
  info.set("private_bytes", builder.getI64IntegerAttr(privateBytes));
  info.set("shared_bytes", builder.getI64IntegerAttr(staticSharedBytes));
  if (size)
    info.set("block_size", size);
  if (mayBeIdle)
    info.set("may_be_idle", builder.getUnitAttr());
  target->setAttr(kKernelAttr, info.getDictionary(builder.getContext()));
  target->setAttr("passthrough", builder.getStrArrayAttr({"nounwind"}));
  return success();
}
