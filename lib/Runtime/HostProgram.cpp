//===- HostProgram.cpp - Runs host functions over a device ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/HostProgram.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs::interpreter;
using namespace mlir::obs::runtime;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

using Values = SmallVector<RuntimeValue>;

/// An error when `value` cannot be of `type`.
static Error checkType(const RuntimeValue &value, Type type) {
  if (const auto *scalar = std::get_if<Scalar>(&value)) {
    if (scalar->type == type)
      return Error::success();
    return createStringError("a scalar of type " +
                             llvm::to_string(scalar->type) + " stands where " +
                             llvm::to_string(type) + " is needed");
  }
  const auto &ref = std::get<MemoryRef>(value);
  auto refType = dyn_cast<MemRefType>(type);
  if (!refType || refType.getElementType() != ref.elementType ||
      refType.getRank() != static_cast<int64_t>(ref.sizes.size()))
    return createStringError("an array of rank " + Twine(ref.sizes.size()) +
                             " of " + llvm::to_string(ref.elementType) +
                             " stands where " + llvm::to_string(type) +
                             " is needed");
  for (auto [dim, size] : llvm::enumerate(ref.sizes))
    if (!refType.isDynamicDim(dim) && refType.getDimSize(dim) != size)
      return createStringError(
          "an array with " + Twine(size) + " elements in dimension " +
          Twine(dim) + " stands where " + llvm::to_string(type) + " is needed");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Executor
//===----------------------------------------------------------------------===//

/// One run of one function. The values that it holds keep their buffers alive,
/// so that leaving it in any way frees them.
class HostProgram::Executor {
public:
  explicit Executor(HostProgram &program)
      : program(program), device(*program.device) {}

  /// Runs the block with its arguments; the values are those that its
  /// terminator has as operands. Values defined in it are dropped, and with
  /// them the buffers that nothing else holds.
  Expected<Values> runBlock(Block &block, ArrayRef<RuntimeValue> arguments);

private:
  Error execute(Operation &op);
  Error executeScalar(Operation &op, ScalarOpFn fn);

  Error executeFor(scf::ForOp op);
  Error executeWhile(scf::WhileOp op);
  Error executeIf(scf::IfOp op);
  Error executeAssert(cf::AssertOp op);
  Error executePrint(obs::PrintOp op);

  Error executeAlloca(memref::AllocaOp op);
  Error executeLoad(memref::LoadOp op);
  Error executeStore(memref::StoreOp op);
  Error executeDim(memref::DimOp op);
  Error executeCast(memref::CastOp op);
  Error executeReinterpretCast(memref::ReinterpretCastOp op);
  Error executePart(obs::PartOp op);
  Error executeSubView(memref::SubViewOp op);

  Error executeAlloc(gpu::AllocOp op);
  Error executeDealloc(gpu::DeallocOp op);
  Error executeMemcpy(gpu::MemcpyOp op);
  Error executeMemset(gpu::MemsetOp op);
  Error executeLaunch(gpu::LaunchFuncOp op);
  Expected<const Kernel *> getKernel(gpu::LaunchFuncOp op);

  const RuntimeValue &get(Value value) { return values.find(value)->second; }
  const Scalar &getScalar(Value value) { return std::get<Scalar>(get(value)); }
  int64_t getInt(Value value) { return getScalar(value).getSInt(); }
  const MemoryRef &getRef(Value value) {
    return std::get<MemoryRef>(get(value));
  }
  Values getAll(ValueRange range) {
    Values result;
    for (Value value : range)
      result.push_back(get(value));
    return result;
  }
  void set(Value value, RuntimeValue to) { values[value] = std::move(to); }
  void setAll(ValueRange range, Values to) {
    for (auto [value, host] : llvm::zip_equal(range, to))
      set(value, std::move(host));
  }
  /// The numbers of a mixed list of constants and values.
  SmallVector<int64_t> evaluate(ArrayRef<OpFoldResult> mixed);
  /// The static extents of `type`, its dynamic ones from `dynamic`.
  SmallVector<int64_t> getExtents(MemRefType type, ValueRange dynamic);
  /// The element at `indices`, as an array of rank 0.
  Expected<MemoryRef> getElement(Value memref, ValueRange indices);

  HostProgram &program;
  Device &device;
  llvm::DenseMap<Value, RuntimeValue> values;
};

Expected<Values>
HostProgram::Executor::runBlock(Block &block,
                                ArrayRef<RuntimeValue> arguments) {
  setAll(block.getArguments(), Values(arguments));
  for (Operation &op : block.without_terminator())
    if (Error error = execute(op))
      return std::move(error);
  Values results = getAll(block.getTerminator()->getOperands());
  for (Operation &op : block)
    for (Value result : op.getResults())
      values.erase(result);
  for (Value argument : block.getArguments())
    values.erase(argument);
  return results;
}

Error HostProgram::Executor::execute(Operation &op) {
  if (ScalarOpFn fn = lookupScalarOp(&op))
    return addLocation(op.getLoc(), executeScalar(op, fn));
  return llvm::TypeSwitch<Operation *, Error>(&op)
      // Ops that contain other ops add no location to their errors.
      .Case([&](scf::ForOp op) { return executeFor(op); })
      .Case([&](scf::WhileOp op) { return executeWhile(op); })
      .Case([&](scf::IfOp op) { return executeIf(op); })
      .Case([&](gpu::LaunchFuncOp op) { return executeLaunch(op); })
      .Default([&](Operation *inner) {
        return addLocation(
            inner->getLoc(),
            llvm::TypeSwitch<Operation *, Error>(inner)
                .Case([&](cf::AssertOp op) { return executeAssert(op); })
                .Case([&](obs::PrintOp op) { return executePrint(op); })
                .Case([&](arith::SelectOp op) {
                  bool first = getScalar(op.getCondition()).isTrue();
                  set(op.getResult(),
                      get(first ? op.getTrueValue() : op.getFalseValue()));
                  return Error::success();
                })
                .Case([&](memref::AllocaOp op) { return executeAlloca(op); })
                .Case([&](memref::LoadOp op) { return executeLoad(op); })
                .Case([&](memref::StoreOp op) { return executeStore(op); })
                .Case([&](memref::DimOp op) { return executeDim(op); })
                .Case([&](memref::CastOp op) { return executeCast(op); })
                .Case([&](memref::ReinterpretCastOp op) {
                  return executeReinterpretCast(op);
                })
                .Case([&](obs::PartOp op) { return executePart(op); })
                .Case([&](memref::SubViewOp op) { return executeSubView(op); })
                .Case([&](gpu::AllocOp op) { return executeAlloc(op); })
                .Case([&](gpu::DeallocOp op) { return executeDealloc(op); })
                .Case([&](gpu::MemcpyOp op) { return executeMemcpy(op); })
                .Case([&](gpu::MemsetOp op) { return executeMemset(op); })
                .Default([&](Operation *unknown) {
                  return createStringError(
                      "'" + unknown->getName().getStringRef() +
                      "' cannot be executed in a host function");
                }));
      });
}

Error HostProgram::Executor::executeScalar(Operation &op, ScalarOpFn fn) {
  SmallVector<Scalar, 4> operands;
  for (Value operand : op.getOperands())
    operands.push_back(getScalar(operand));
  SmallVector<Scalar, 2> results;
  if (Error error = fn(&op, operands, results))
    return error;
  for (auto [value, scalar] : llvm::zip_equal(op.getResults(), results))
    set(value, scalar);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Error HostProgram::Executor::executeFor(scf::ForOp op) {
  Scalar lower = getScalar(op.getLowerBound());
  Scalar upper = getScalar(op.getUpperBound());
  Scalar step = getScalar(op.getStep());
  bool isUnsigned = op.getUnsignedCmp();
  if (isUnsigned ? step.getUInt() == 0 : step.getSInt() <= 0)
    return makeLocatedError(op.getLoc(), "the step of a loop must be positive");
  Values carried = getAll(op.getInitArgs());
  for (Scalar iv = lower; isUnsigned ? iv.getUInt() < upper.getUInt()
                                     : iv.getSInt() < upper.getSInt();) {
    Values arguments;
    arguments.push_back(iv);
    llvm::append_range(arguments, carried);
    Expected<Values> next = runBlock(*op.getBody(), arguments);
    if (!next)
      return next.takeError();
    carried = std::move(*next);
    // Stops instead of wrapping around, as the loop's trip count says.
    uint64_t left = upper.getUInt() - iv.getUInt();
    if (Scalar(iv.type, left).getUInt() <= step.getUInt())
      break;
    iv = Scalar(iv.type, iv.bits + step.bits);
  }
  setAll(op.getResults(), std::move(carried));
  return Error::success();
}

Error HostProgram::Executor::executeWhile(scf::WhileOp op) {
  Values carried = getAll(op.getInits());
  while (true) {
    // The condition stands first among the operands of `scf.condition`.
    Expected<Values> before = runBlock(*op.getBeforeBody(), carried);
    if (!before)
      return before.takeError();
    ArrayRef<RuntimeValue> rest = ArrayRef(*before).drop_front();
    if (!std::get<Scalar>(before->front()).isTrue()) {
      setAll(op.getResults(), Values(rest));
      return Error::success();
    }
    Expected<Values> after = runBlock(*op.getAfterBody(), rest);
    if (!after)
      return after.takeError();
    carried = std::move(*after);
  }
}

Error HostProgram::Executor::executeIf(scf::IfOp op) {
  bool condition = getScalar(op.getCondition()).isTrue();
  Region &region = condition ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return Error::success();
  Expected<Values> results = runBlock(region.front(), {});
  if (!results)
    return results.takeError();
  setAll(op.getResults(), std::move(*results));
  return Error::success();
}

Error HostProgram::Executor::executeAssert(cf::AssertOp op) {
  if (getScalar(op.getArg()).isTrue())
    return Error::success();
  return createStringError("assertion-failed: " + op.getMsg());
}

Error HostProgram::Executor::executePrint(obs::PrintOp op) {
  StringRef rest = op.getFormat();
  for (Value value : op.getValues()) {
    auto [before, after] = rest.split("{}");
    *program.output << before << getScalar(value);
    rest = after;
  }
  *program.output << rest << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Views and host memory
//===----------------------------------------------------------------------===//

SmallVector<int64_t>
HostProgram::Executor::evaluate(ArrayRef<OpFoldResult> mixed) {
  SmallVector<int64_t> result;
  for (OpFoldResult part : mixed) {
    if (auto attr = dyn_cast<Attribute>(part))
      result.push_back(cast<IntegerAttr>(attr).getInt());
    else
      result.push_back(getInt(cast<Value>(part)));
  }
  return result;
}

SmallVector<int64_t> HostProgram::Executor::getExtents(MemRefType type,
                                                       ValueRange dynamic) {
  SmallVector<int64_t> extents(type.getShape());
  auto next = dynamic.begin();
  for (int64_t &extent : extents)
    if (ShapedType::isDynamic(extent))
      extent = getInt(*next++);
  return extents;
}

Error HostProgram::Executor::executeAlloca(memref::AllocaOp op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity() || !isScalarType(type.getElementType()))
    return createStringError("memory of type " + llvm::to_string(type) +
                             " is not supported in a host function");
  Expected<MemoryRef> ref = MemoryRef::allocateOnHost(
      type.getElementType(), getExtents(type, op.getDynamicSizes()));
  if (!ref)
    return ref.takeError();
  set(op.getResult(), std::move(*ref));
  return Error::success();
}

Expected<MemoryRef> HostProgram::Executor::getElement(Value memref,
                                                      ValueRange indices) {
  MemoryRef element = getRef(memref);
  for (auto [value, size, stride] :
       llvm::zip_equal(indices, element.sizes, element.strides)) {
    int64_t index = getInt(value);
    if (index < 0 || index >= size)
      return createStringError("index " + Twine(index) +
                               " of an array of extent " + Twine(size));
    element.offset += index * stride;
  }
  element.sizes.clear();
  element.strides.clear();
  return element;
}

Error HostProgram::Executor::executeLoad(memref::LoadOp op) {
  Expected<MemoryRef> element = getElement(op.getMemref(), op.getIndices());
  if (!element)
    return element.takeError();
  uint64_t bits = 0;
  if (Error error = element->copyTo(&bits))
    return error;
  set(op.getResult(),
      Scalar::load(op.getType(), reinterpret_cast<char *>(&bits)));
  return Error::success();
}

Error HostProgram::Executor::executeStore(memref::StoreOp op) {
  Expected<MemoryRef> element = getElement(op.getMemref(), op.getIndices());
  if (!element)
    return element.takeError();
  uint64_t bits = 0;
  getScalar(op.getValueToStore()).store(reinterpret_cast<char *>(&bits));
  return element->copyFrom(&bits);
}

Error HostProgram::Executor::executeDim(memref::DimOp op) {
  const MemoryRef &ref = getRef(op.getSource());
  int64_t dim = getInt(op.getIndex());
  if (dim < 0 || dim >= static_cast<int64_t>(ref.sizes.size()))
    return createStringError("dimension " + Twine(dim) +
                             " of an array of rank " + Twine(ref.sizes.size()));
  set(op.getResult(), Scalar::fromInt(op.getType(), ref.sizes[dim]));
  return Error::success();
}

Error HostProgram::Executor::executeCast(memref::CastOp op) {
  RuntimeValue value = get(op.getSource());
  if (Error error = checkType(value, op.getType()))
    return error;
  set(op.getResult(), std::move(value));
  return Error::success();
}

Error HostProgram::Executor::executeReinterpretCast(
    memref::ReinterpretCastOp op) {
  // The new offset does not count from that of the source.
  MemoryRef ref = getRef(op.getSource());
  ref.offset = ref.base + evaluate(op.getMixedOffsets()).front();
  SmallVector<int64_t> sizes = evaluate(op.getMixedSizes());
  SmallVector<int64_t> strides = evaluate(op.getMixedStrides());
  ref.sizes.assign(sizes.begin(), sizes.end());
  ref.strides.assign(strides.begin(), strides.end());
  set(op.getResult(), std::move(ref));
  return Error::success();
}

Error HostProgram::Executor::executePart(obs::PartOp op) {
  const MemoryRef &source = getRef(op.getMemory());
  Expected<MemoryRef> part = source.getPart(
      getInt(op.getOffset()),
      getExtents(cast<MemRefType>(op.getType()), op.getExtents()));
  if (!part)
    return part.takeError();
  set(op.getResult(), std::move(*part));
  return Error::success();
}

Error HostProgram::Executor::executeSubView(memref::SubViewOp op) {
  const MemoryRef &source = getRef(op.getSource());
  MemoryRef ref = source;
  ref.sizes.clear();
  ref.strides.clear();
  SmallVector<int64_t> offsets = evaluate(op.getMixedOffsets());
  SmallVector<int64_t> sizes = evaluate(op.getMixedSizes());
  SmallVector<int64_t> strides = evaluate(op.getMixedStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    int64_t last = offsets[dim] + (sizes[dim] - 1) * strides[dim];
    if (sizes[dim] > 0 && (offsets[dim] < 0 || last < 0 ||
                           std::max(offsets[dim], last) >= source.sizes[dim]))
      return createStringError(
          "index " +
          Twine(offsets[dim] < 0 || offsets[dim] >= source.sizes[dim]
                    ? offsets[dim]
                    : last) +
          " of an array of extent " + Twine(source.sizes[dim]));
    ref.offset += offsets[dim] * source.strides[dim];
    if (dropped[dim])
      continue;
    ref.sizes.push_back(sizes[dim]);
    ref.strides.push_back(strides[dim] * source.strides[dim]);
  }
  set(op.getResult(), std::move(ref));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Error HostProgram::Executor::executeAlloc(gpu::AllocOp op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity() || !isScalarType(type.getElementType()))
    return createStringError("device memory of type " + llvm::to_string(type) +
                             " is not supported");
  device.setAllocationLocation(formatLocation(op.getLoc()));
  Expected<MemoryRef> ref = MemoryRef::allocate(
      device, type.getElementType(), getExtents(type, op.getDynamicSizes()));
  if (!ref)
    return ref.takeError();
  set(op.getMemref(), std::move(*ref));
  return Error::success();
}

Error HostProgram::Executor::executeDealloc(gpu::DeallocOp op) {
  Buffer &buffer = *getRef(op.getMemref()).buffer;
  if (buffer.isFreed())
    return createStringError("an array is freed twice");
  return buffer.freeNow();
}

Error HostProgram::Executor::executeMemcpy(gpu::MemcpyOp op) {
  return copy(getRef(op.getDst()), getRef(op.getSrc()));
}

Error HostProgram::Executor::executeMemset(gpu::MemsetOp op) {
  return fill(getRef(op.getDst()), getScalar(op.getValue()));
}

Expected<const HostProgram::Kernel *>
HostProgram::Executor::getKernel(gpu::LaunchFuncOp op) {
  auto found = program.kernels.find(op.getKernelAttr());
  if (found != program.kernels.end())
    return &found->second;
  Expected<KernelHandle> handle =
      device.getKernel(op.getKernelModuleName(), op.getKernelName());
  if (!handle)
    return handle.takeError();
  Kernel kernel{*handle, {}};
  auto function = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      op, op.getKernelAttr());
  for (unsigned number : llvm::seq(op.getNumKernelOperands())) {
    auto alignment =
        function ? function.getArgAttrOfType<IntegerAttr>(number, "llvm.align")
                 : IntegerAttr();
    kernel.alignments.push_back(alignment ? alignment.getInt() : 1);
  }
  return &(program.kernels[op.getKernelAttr()] = std::move(kernel));
}

Error HostProgram::Executor::executeLaunch(gpu::LaunchFuncOp op) {
  auto fail = [&](const Twine &reason) {
    return makeLocatedError(op.getLoc(), "kernel '" +
                                             op.getKernelName().getValue() +
                                             "' cannot be launched: " + reason);
  };
  LaunchShape shape;
  auto evaluateDim3 = [&](gpu::KernelDim3 from, Dim3 &to) {
    int64_t x = getInt(from.x), y = getInt(from.y), z = getInt(from.z);
    to = {static_cast<uint64_t>(x), static_cast<uint64_t>(y),
          static_cast<uint64_t>(z)};
    return x >= 0 && y >= 0 && z >= 0;
  };
  if (!evaluateDim3(op.getGridSizeOperandValues(), shape.grid) ||
      !evaluateDim3(op.getBlockSizeOperandValues(), shape.block))
    return fail("the number of blocks or threads is negative");
  if (Value bytes = op.getDynamicSharedMemorySize())
    shape.sharedBytes = getScalar(bytes).getUInt();
  bool isEmpty = shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0;
  if (!isEmpty && shape.block.x * shape.block.y * shape.block.z == 0)
    return fail("a block has no threads");

  Expected<const Kernel *> kernel = getKernel(op);
  if (!kernel)
    return addLocation(op.getLoc(), kernel.takeError());

  // Each parameter is its bits in a word of its own.
  SmallVector<uint64_t> words;
  for (Value operand : op.getKernelOperands()) {
    const RuntimeValue &value = get(operand);
    if (const auto *scalar = std::get_if<Scalar>(&value)) {
      words.push_back(0);
      scalar->store(&words.back());
      continue;
    }
    const auto &ref = std::get<MemoryRef>(value);
    if (!ref.sizes.empty())
      return fail("an array argument must be a rank-0 memref, not " +
                  llvm::to_string(operand.getType()));
    if (!ref.buffer->isOnDevice())
      return fail("an array argument is in the memory of the host");
    if (ref.buffer->isFreed())
      return fail("an array argument was freed");
    words.push_back(ref.buffer->getAddress() +
                    ref.offset * ref.getElementBytes());
    if (uint64_t alignment = (*kernel)->alignments[words.size() - 1];
        words.back() % alignment != 0)
      return fail("an array argument does not begin at a multiple of " +
                  Twine(alignment) + " bytes");
  }
  SmallVector<void *> parameters;
  for (uint64_t &word : words)
    parameters.push_back(&word);

  LaunchRecord record{op.getKernelName().str(), shape, std::nullopt,
                      std::nullopt};
  if (program.timing)
    if (Error error = device.startTimer())
      return addLocation(op.getLoc(), std::move(error));
  if (!isEmpty)
    if (Error error = device.launch((*kernel)->handle, shape, parameters)) {
      // The emulator says where in the kernel, which is the better place.
      std::string text = llvm::toString(std::move(error));
      if (!splitLocation(text).first.empty()) {
        std::string place = formatLocation(op.getLoc());
        return createStringError(
            text + "\n  in kernel '" + record.kernel + "'" +
            (place.empty() ? "" : " launched at " + place));
      }
      return makeLocatedError(op.getLoc(), text);
    }
  if (program.timing) {
    Expected<double> milliseconds = device.stopTimer();
    if (!milliseconds)
      return addLocation(op.getLoc(), milliseconds.takeError());
    record.milliseconds = *milliseconds;
  }
  if (!isEmpty)
    record.counters = device.getLastLaunchCounters();
  program.launches.push_back(std::move(record));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// HostProgram
//===----------------------------------------------------------------------===//

Expected<HostProgram> HostProgram::create(ModuleOp module, Device &device) {
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    if (Error error = device.loadModule(gpuModule))
      return std::move(error);
  return HostProgram(module, device);
}

Expected<func::FuncOp>
HostProgram::findEntry(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  auto func = module.lookupSymbol<func::FuncOp>(entry);
  if (!func)
    return createStringError("there is no function '" + entry + "'");
  if (!llvm::hasSingleElement(func.getBody()))
    return makeLocatedError(func.getLoc(), "function '" + entry +
                                               "' cannot be executed: its body "
                                               "is not one block");
  if (func.getNumArguments() != arguments.size())
    return makeLocatedError(
        func.getLoc(), "function '" + entry + "' takes " +
                           Twine(func.getNumArguments()) + " arguments, and " +
                           Twine(arguments.size()) + " are given");
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (Error error = checkType(argument, func.getArgumentTypes()[index]))
      return makeLocatedError(func.getLoc(),
                              "argument " + Twine(index) + " of '" + entry +
                                  "': " + llvm::toString(std::move(error)));
  return func;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::execute(func::FuncOp func, ArrayRef<RuntimeValue> arguments) {
  Expected<Values> results =
      Executor(*this).runBlock(func.getBody().front(), arguments);
  if (!results)
    return results;
  // An array that nobody reads may have any size; the results are read.
  for (const RuntimeValue &result : *results)
    if (const auto *array = std::get_if<MemoryRef>(&result))
      if (Error error = array->checkAccess())
        return addLocation(func.getBody().front().getTerminator()->getLoc(),
                           std::move(error));
  return results;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::run(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  Expected<func::FuncOp> func = findEntry(entry, arguments);
  if (!func)
    return func.takeError();
  // The executor is gone, and with it its buffers, before anybody waits.
  Expected<Values> results = execute(*func, arguments);
  if (!results)
    return results;
  if (Error error = device->synchronize())
    return makeLocatedError(func->getLoc(), llvm::toString(std::move(error)));
  return results;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::start(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  Expected<func::FuncOp> func = findEntry(entry, arguments);
  if (!func)
    return func.takeError();
  return execute(*func, arguments);
}

Expected<SmallVector<RuntimeValue>>
HostProgram::record(StringRef entry, ArrayRef<RuntimeValue> arguments,
                    WorkHandle &work) {
  Expected<func::FuncOp> func = findEntry(entry, arguments);
  if (!func)
    return func.takeError();
  if (Error error = device->beginRecording())
    return std::move(error);
  Expected<Values> results = execute(*func, arguments);
  Expected<WorkHandle> recorded = device->endRecording();
  if (!results) {
    llvm::consumeError(recorded.takeError());
    return results;
  }
  if (!recorded)
    return makeLocatedError(func->getLoc(),
                            llvm::toString(recorded.takeError()));
  work = *recorded;
  return results;
}
