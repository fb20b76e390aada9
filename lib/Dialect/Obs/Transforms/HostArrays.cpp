//===- HostArrays.cpp - Arrays of host code become memrefs ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::obs;

SmallVector<Type> obs::getMemoryTypes(PullType type) {
  SmallVector<Type> types;
  for (Type element : type.getElementTypes())
    types.push_back(MemRefType::get(type.getExtents(), element));
  return types;
}

/// `types` with every array replaced by its memrefs.
static SmallVector<Type> flattenTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types) {
    if (auto pull = dyn_cast<PullType>(type))
      llvm::append_range(result, getMemoryTypes(pull));
    else
      result.push_back(type);
  }
  return result;
}

static bool hasArrays(TypeRange types) {
  return llvm::any_of(types, llvm::IsaPred<PullType>);
}

/// `values` with every array replaced by a cast to its memrefs.
static SmallVector<Value> flattenValues(OpBuilder &builder, Location loc,
                                        ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    auto type = dyn_cast<PullType>(value.getType());
    if (!type) {
      result.push_back(value);
      continue;
    }
    auto cast = UnrealizedConversionCastOp::create(builder, loc,
                                                   getMemoryTypes(type), value);
    llvm::append_range(result, cast.getResults());
  }
  return result;
}

/// Replaces array arguments of `block` by memrefs, with views at its start.
static void convertBlockArguments(Block &block) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (unsigned i = 0; i < block.getNumArguments();) {
    BlockArgument argument = block.getArgument(i);
    auto type = dyn_cast<PullType>(argument.getType());
    if (!type) {
      ++i;
      continue;
    }
    SmallVector<Value> memory;
    SmallVector<Type> types = getMemoryTypes(type);
    for (auto [k, memoryType] : llvm::enumerate(types))
      memory.push_back(
          block.insertArgument(i + 1 + k, memoryType, argument.getLoc()));
    argument.replaceAllUsesWith(
        buildView(builder, argument.getLoc(), type, memory));
    block.eraseArgument(i);
    i += types.size();
  }
}

/// Rebuilds the control-flow operation `op` on memrefs.
static void convertControlFlow(Operation *op) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(flattenValues(builder, op->getLoc(), op->getOperands()));
  state.addTypes(flattenTypes(op->getResultTypes()));
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *converted = builder.create(state);
  for (Region &region : converted->getRegions())
    for (Block &block : region)
      convertBlockArguments(block);
  unsigned next = 0;
  for (Value result : op->getResults()) {
    if (auto type = dyn_cast<PullType>(result.getType())) {
      unsigned count = type.getElementTypes().size();
      result.replaceAllUsesWith(
          buildView(builder, op->getLoc(), type,
                    converted->getResults().slice(next, count)));
      next += count;
    } else {
      result.replaceAllUsesWith(converted->getResult(next++));
    }
  }
  op->erase();
}

LogicalResult obs::convertHostArrays(func::FuncOp function) {
  SmallVector<Operation *> controlFlow;
  WalkResult walked = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FillOp, DistributeOp>(op))
      return WalkResult::skip();
    bool isControl = isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp,
                         scf::ConditionOp, func::ReturnOp>(op);
    if (!isControl) {
      if (isa<func::CallOp>(op) && (hasArrays(op->getOperandTypes()) ||
                                    hasArrays(op->getResultTypes()))) {
        op->emitOpError("[call-inline] calls a function on arrays that "
                        "could not be inlined; give it a body, not "
                        "recursive");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    }
    for (Value operand : op->getOperands())
      if (isa<PullType>(operand.getType()) && operand.getDefiningOp() &&
          isa<PullOpInterface>(operand.getDefiningOp())) {
        op->emitOpError("[R2-memory] passes on an array that is not in "
                        "memory; force it first");
        return WalkResult::interrupt();
      }
    if (hasArrays(op->getOperandTypes()) || hasArrays(op->getResultTypes()))
      controlFlow.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();

  // Inner ones first: terminators before the operations that hold them.
  for (Operation *op : llvm::reverse(controlFlow)) {
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      OpBuilder builder(op);
      op->setOperands(flattenValues(builder, op->getLoc(), op->getOperands()));
    } else {
      convertControlFlow(op);
    }
  }
  FunctionType type = function.getFunctionType();
  if (!hasArrays(type.getInputs()) && !hasArrays(type.getResults()))
    return success();
  function.setType(FunctionType::get(function.getContext(),
                                     flattenTypes(type.getInputs()),
                                     flattenTypes(type.getResults())));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  if (!function.isExternal())
    convertBlockArguments(function.getBody().front());
  return success();
}

/// One element of device memory, copied to the host.
static Value buildHostRead(OpBuilder &builder, Location loc, Value memory,
                           ValueRange indices) {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<OpFoldResult> offsets(indices.begin(), indices.end());
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  Value part =
      memref::SubViewOp::create(builder, loc, memory, offsets, ones, ones);
  auto oneType = MemRefType::get(SmallVector<int64_t>(type.getRank(), 1),
                                 type.getElementType());
  Value host = memref::AllocaOp::create(builder, loc, oneType);
  gpu::MemcpyOp::create(builder, loc, TypeRange(), ValueRange(), host, part);
  SmallVector<Value> zeros(type.getRank(),
                           arith::ConstantIndexOp::create(builder, loc, 0));
  return memref::LoadOp::create(builder, loc, host, zeros);
}

/// Whatever array nothing reads any more describes what a kernel now does.
static void eraseDeadArrays(func::FuncOp function) {
  SmallVector<Operation *> arrays;
  function.walk([&](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<PullType, PushType>) &&
        !op->getParentOfType<FillOp>() && !op->getParentOfType<DistributeOp>())
      arrays.push_back(op);
  });
  for (Operation *op : llvm::reverse(arrays))
    if (op->use_empty())
      op->erase();
}

LogicalResult obs::finishHostArrays(func::FuncOp function) {
  eraseDeadArrays(function);
  WalkResult walked = function.walk([&](Operation *op) {
    OpBuilder builder(op);
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
      auto view = cast.getInputs().front().getDefiningOp<ViewOp>();
      if (!view) {
        op->emitError("[R2-memory] passes on an array that is not in memory; "
                      "force it first");
        return WalkResult::interrupt();
      }
      for (auto [result, memory] :
           llvm::zip(cast.getResults(), view.getMemory())) {
        Value value = memory;
        if (value.getType() != result.getType())
          value = memref::CastOp::create(builder, op->getLoc(),
                                         result.getType(), value);
        result.replaceAllUsesWith(value);
      }
      op->erase();
    } else if (auto get = dyn_cast<GetOp>(op)) {
      auto view = get.getArray().getDefiningOp<ViewOp>();
      if (!view) {
        op->emitOpError("[R2-memory] reads an array that is not in memory; "
                        "force it first");
        return WalkResult::interrupt();
      }
      for (auto [result, memory] :
           llvm::zip(get.getResults(), view.getMemory()))
        result.replaceAllUsesWith(
            buildHostRead(builder, op->getLoc(), memory, get.getIndices()));
      op->erase();
    } else if (auto dim = dyn_cast<DimOp>(op)) {
      if (auto view = dim.getArray().getDefiningOp<ViewOp>()) {
        dim.replaceAllUsesWith(
            view.buildExtent(builder, op->getLoc(), 0, dim.getDimension()));
        op->erase();
      }
    } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      // Memory of the program is memory that its kernels can reach.
      auto memory = gpu::AllocOp::create(
          builder, op->getLoc(), alloc.getType(), Type(), ValueRange(),
          alloc.getDynamicSizes(), alloc.getSymbolOperands());
      alloc.replaceAllUsesWith(memory.getMemref());
      op->erase();
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      gpu::DeallocOp::create(builder, op->getLoc(), TypeRange(), ValueRange(),
                             dealloc.getMemref());
      op->erase();
    } else if (auto bits = dyn_cast<BitOpInterface>(op)) {
      op->getResult(0).replaceAllUsesWith(bits.expand(builder));
      op->erase();
    } else if (auto check = dyn_cast<AssertOp>(op)) {
      cf::AssertOp::create(builder, op->getLoc(), check.getCondition(),
                           check.getMessage());
      op->erase();
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  eraseDeadArrays(function);
  return success();
}
