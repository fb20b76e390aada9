//===- BufferizeHost.cpp - Arrays of host code become memrefs -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: host code with launches, and arrays that are views of memory or parts of
// these. Out: host code on memrefs in device memory, in the arguments, results
// and control flow of functions, too.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSBUFFERIZEHOSTPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

//===----------------------------------------------------------------------===//
// Arrays that are in memory
//===----------------------------------------------------------------------===//

/// The part of `memory` that begins at the indices `begin`, or at the first
/// element if there are none, as an array of `type` with all `extents`.
static Value buildPart(OpBuilder &builder, Location loc, Value memory,
                       PullType type, ValueRange begin, ValueRange extents) {
  SmallVector<Value> sizes;
  for (auto [d, extent] : llvm::enumerate(extents))
    if (type.isDynamicExtent(d))
      sizes.push_back(extent);
  auto target = MemRefType::get(
      type.getExtents(), cast<MemRefType>(memory.getType()).getElementType());
  Value offset;
  for (auto [d, index] : llvm::enumerate(begin)) {
    IndexBuilder b{builder, loc};
    if (d > 0)
      offset =
          b.mul(offset, builder.createOrFold<memref::DimOp>(loc, memory, d));
    offset = b.join<arith::AddIOp>(offset, index);
  }
  if (!offset || getConstantIntValue(offset) == 0)
    return buildFirstPart(builder, loc, memory, target, sizes);
  return PartOp::create(builder, loc, target, memory, offset, sizes);
}

/// The memory of `array`, one memref for each element type, if `isInMemory` is
/// true for it; else empty.
static SmallVector<Value> buildMemory(OpBuilder &builder, Location loc,
                                      Value array) {
  auto type = cast<PullType>(array.getType());
  Operation *op = array.getDefiningOp();
  if (!op || !isInMemory(array))
    return {};
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](ViewOp view) { return SmallVector<Value>(view.getMemory()); })
      .Case([&](ZipOp zip) {
        SmallVector<Value> all;
        for (Value source : zip.getArrays())
          llvm::append_range(all, buildMemory(builder, loc, source));
        return all.size() == type.getElementTypes().size()
                   ? all
                   : SmallVector<Value>();
      })
      .Case([&](UnzipOp unzip) {
        SmallVector<Value> all = buildMemory(builder, loc, unzip.getArray());
        if (all.empty())
          return all;
        return SmallVector<Value>(
            {all[cast<OpResult>(array).getResultNumber()]});
      })
      .Case([&](IndexMapOpInterface map) {
        SmallVector<Value> extents;
        for (auto [d, extent] : llvm::enumerate(type.getExtents()))
          extents.push_back(ShapedType::isDynamic(extent)
                                ? map.buildExtent(builder, loc, 0, d)
                                : Value(arith::ConstantIndexOp::create(
                                      builder, loc, extent)));
        SmallVector<Value> begin = map.buildBegin(builder, loc);
        SmallVector<Value> parts = buildMemory(builder, loc, map.getArray());
        for (Value &memory : parts)
          memory = buildPart(builder, loc, memory, type, begin, extents);
        return parts;
      })
      .Case([&](arith::SelectOp choice) {
        SmallVector<Value> first =
            buildMemory(builder, loc, choice.getTrueValue());
        SmallVector<Value> second =
            buildMemory(builder, loc, choice.getFalseValue());
        SmallVector<Value> results;
        for (auto [a, b, target] :
             llvm::zip(first, second, getMemoryTypes(type)))
          results.push_back(arith::SelectOp::create(
              builder, loc, choice.getCondition(), castTo(builder, a, target),
              castTo(builder, b, target)));
        return results;
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

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

/// The attributes of the components of parameters or results of `types`. Arrays
/// of tuples have several components, with numbered names.
static SmallVector<Attribute>
flattenAttributes(TypeRange types,
                  function_ref<DictionaryAttr(unsigned)> getAttributes) {
  SmallVector<Attribute> flat;
  constexpr StringLiteral nameAttr = ObsDialect::NameAttrHelper::getNameStr();
  for (auto [number, type] : llvm::enumerate(types)) {
    DictionaryAttr attributes = getAttributes(number);
    unsigned count = flattenTypes(type).size();
    for (unsigned part : llvm::seq(count)) {
      NamedAttrList list(attributes);
      if (auto name = dyn_cast_or_null<StringAttr>(list.get(nameAttr));
          name && count > 1)
        list.set(nameAttr,
                 StringAttr::get(name.getContext(),
                                 name.getValue() + "_" + Twine(part)));
      flat.push_back(list.getDictionary(attributes.getContext()));
    }
  }
  return flat;
}

/// Replaces pull arrays by memrefs in arguments, results and carried values of
/// `function`. Every incoming array becomes an `obs.view`. An
/// `unrealized_conversion_cast` converts an array that is returned or passed on
/// to its memory. Fails if an array is returned or carried and is not in
/// memory.
static LogicalResult convertInterfaces(func::FuncOp function) {
  SmallVector<Operation *> controlFlow;
  WalkResult walked = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FillOp, DistributeOp>(op))
      return WalkResult::skip();
    bool isControl = isControlFlow(op) ||
                     isa<scf::YieldOp, scf::ConditionOp, func::ReturnOp>(op);
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
      if (isa<PullType>(operand.getType()) && !isInMemory(operand)) {
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

  // Inner operations first: terminators before the operations that contain
  // them.
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
  MLIRContext *context = function.getContext();
  auto getAttributes = [&](DictionaryAttr attributes) {
    return attributes ? attributes : DictionaryAttr::get(context);
  };
  SmallVector<Attribute> arguments =
      flattenAttributes(type.getInputs(), [&](unsigned number) {
        return getAttributes(function.getArgAttrDict(number));
      });
  SmallVector<Attribute> results =
      flattenAttributes(type.getResults(), [&](unsigned number) {
        return getAttributes(function.getResultAttrDict(number));
      });
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setType(FunctionType::get(context, flattenTypes(type.getInputs()),
                                     flattenTypes(type.getResults())));
  auto isEmpty = [](Attribute attribute) {
    return cast<DictionaryAttr>(attribute).empty();
  };
  if (!llvm::all_of(arguments, isEmpty))
    function.setArgAttrsAttr(ArrayAttr::get(context, arguments));
  if (!llvm::all_of(results, isEmpty))
    function.setResAttrsAttr(ArrayAttr::get(context, results));
  if (!function.isExternal())
    convertBlockArguments(function.getBody().front());
  return success();
}

//===----------------------------------------------------------------------===//
// Memory operations of the host
//===----------------------------------------------------------------------===//

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

/// Removes array operations whose results have no uses: kernels contain their
/// code.
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

/// Replaces the casts by the memory of the views that they cast. Replaces reads
/// of views by copies of one element, and their extents by `memref.dim`.
static LogicalResult convertBody(func::FuncOp function) {
  eraseDeadArrays(function);
  // First: an index map may build extents by `obs.dim`.
  WalkResult walked = function.walk([&](UnrealizedConversionCastOp cast) {
    OpBuilder builder(cast);
    SmallVector<Value> memories =
        buildMemory(builder, cast.getLoc(), cast.getInputs().front());
    if (memories.empty()) {
      cast.emitError("[R2-memory] passes on an array that is not in memory; "
                     "force it first");
      return WalkResult::interrupt();
    }
    for (auto [result, value] : llvm::zip_equal(cast.getResults(), memories))
      result.replaceAllUsesWith(castTo(builder, value, result.getType()));
    cast.erase();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  walked = function.walk([&](Operation *op) {
    OpBuilder builder(op);
    if (auto get = dyn_cast<GetOp>(op)) {
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
      // Kernels can access all memory that a program allocates.
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

namespace {
struct BufferizeHost : obs::impl::ObsBufferizeHostPassBase<BufferizeHost> {
  void runOnOperation() override {
    if (isHostFunction(getOperation()) &&
        (failed(convertInterfaces(getOperation())) ||
         failed(convertBody(getOperation()))))
      signalPassFailure();
  }
};
} // namespace
