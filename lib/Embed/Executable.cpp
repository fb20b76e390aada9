//===- Executable.cpp - Programs on devices -------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Obsidian/Runtime/CudaDevice.h"
#include "Obsidian/Runtime/EmulatorDevice.h"
#include "Obsidian/Runtime/HostProgram.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/ScopedPrinter.h"
#include <cstring>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::embed;
using interpreter::HostValue;
using interpreter::Scalar;
using llvm::createStringError;
using llvm::Error;
using runtime::DevicePtr;
using runtime::MemoryRef;
using runtime::RuntimeValue;

/// A separate device, with the kernels of the program.
struct Executable::OnDevice {
  std::unique_ptr<runtime::Device> device;
  /// `device`, if it is a GPU.
  runtime::CudaDevice *gpu = nullptr;
  bool hasAllocator = false;
  std::optional<runtime::HostProgram> program;
  /// Results in memory of the device.
  SmallVector<RuntimeValue> results;
  /// The element types of parameters.
  SmallVector<Type> types;

  Error start(StringRef entry, ArrayRef<RuntimeValue> given, void *stream,
              std::string &output);
  static DevicePtr getAddress(const MemoryRef &array) {
    return array.buffer->getAddress() + array.offset * array.getElementBytes();
  }
};

Executable::Executable(Program &program) : program(program) {}

Executable::~Executable() = default;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<runtime::CudaDevice>>
openGPU(const DeviceOptions &options) {
  auto gpu = runtime::CudaDevice::create(options.index, {});
  if (gpu && options.allocate) {
    auto allocate = [call = options.allocate](
                        uint64_t bytes) -> llvm::Expected<runtime::DevicePtr> {
      if (uint64_t pointer = call(bytes))
        return pointer;
      return createStringError("out of device memory: " + Twine(bytes) +
                               " bytes were asked of the caller's allocator");
    };
    (*gpu)->useAllocator({allocate, options.free});
  }
  return gpu;
}

std::unique_ptr<Executable> Executable::load(Program &program,
                                             const DeviceOptions &options) {
  Compiler::Call call(program.compiler);
  std::unique_ptr<Executable> executable(new Executable(program));
  auto fail = [&](Error error) {
    program.compiler.addError(std::move(error));
    return nullptr;
  };
  if (options.kind == DeviceKind::Interpreter) {
    if (!program.source)
      return fail(createStringError("a program that was read has no source to "
                                    "interpret"));
    return executable;
  }
  auto onDevice = std::make_unique<OnDevice>();
  if (options.kind == DeviceKind::Cuda) {
    auto gpu = openGPU(options);
    if (!gpu)
      return fail(gpu.takeError());
    // The kernels are one module.
    if (!program.artefact->kernels.empty()) {
      const std::string *ptx = program.find(Form::PTX);
      if (!ptx)
        return nullptr;
      if (Error error =
              (*gpu)->loadPTX(program.artefact->kernels.front().module, *ptx))
        return fail(std::move(error));
    }
    onDevice->gpu = gpu->get();
    onDevice->hasAllocator = static_cast<bool>(options.allocate);
    onDevice->device = std::move(*gpu);
  } else {
    emulator::MachineOptions machine;
    machine.schedule = options.randomSchedule ? emulator::Schedule::Random
                                              : emulator::Schedule::Ticket;
    machine.seed = options.seed;
    machine.print = [self = executable.get()](StringRef text) {
      self->output += text;
    };
    auto emulator = std::make_unique<runtime::EmulatorDevice>(machine);
    if (options.checkRaces || options.checkUninit)
      emulator->enableChecks({options.checkRaces, options.checkUninit});
    if (!program.artefact->kernels.empty()) {
      ModuleOp kernels = program.getKernels();
      if (!kernels)
        return nullptr;
      for (auto module : kernels.getOps<gpu::GPUModuleOp>())
        if (Error error = emulator->loadModule(module))
          return fail(std::move(error));
    }
    onDevice->device = std::move(emulator);
  }
  auto loaded = runtime::HostProgram::create(
      program.artefact, *onDevice->device, program.compiler.getContext());
  if (!loaded)
    return fail(loaded.takeError());
  onDevice->program.emplace(std::move(*loaded));
  for (const artefact::Slot &slot : program.entry->parameters)
    onDevice->types.push_back(runtime::getScalarType(
        program.compiler.getContext(), slot.elementType));
  executable->device = std::move(onDevice);
  return executable;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static Error makeArgumentError(unsigned number, const artefact::Slot &slot,
                               ArrayRef<int64_t> extents,
                               StringRef elementType) {
  std::string given;
  for (int64_t extent : extents)
    given += std::to_string(extent) + "x";
  return createStringError("argument " + Twine(number + 1) + " is " + given +
                           elementType + ", and the parameter's type is " +
                           slot.type);
}

Error Executable::verifyArguments(ArrayRef<Argument> arguments) {
  ArrayRef<artefact::Slot> slots = program.entry->parameters;
  if (arguments.size() != slots.size())
    return createStringError("the function takes " + Twine(slots.size()) +
                             " arguments, and " + Twine(arguments.size()) +
                             " are given");
  for (auto [number, slot, argument] : llvm::enumerate(slots, arguments)) {
    std::string type = llvm::to_string(argument.elementType);
    bool isRankZero = !argument.isScalar && argument.extents.empty();
    if (slot.elementType != type || slot.isScalar != argument.isScalar ||
        !slot.allows(argument.extents))
      return makeArgumentError(number, slot, argument.extents,
                               isRankZero ? "an array of rank 0" : type);
    if (!argument.data && !llvm::is_contained(argument.extents, 0))
      return createStringError("argument " + Twine(number + 1) +
                               " has no data: the address is null");
  }
  return Error::success();
}

static llvm::Expected<HostValue> toHostValue(const Argument &argument) {
  if (argument.isScalar)
    return HostValue::scalar(Scalar::load(argument.elementType, argument.data));
  auto value = HostValue::array(argument.elementType, argument.extents);
  if (value && !value->data.empty())
    std::memcpy(value->data.data(), argument.data, value->data.size());
  return value;
}

void Executable::setResults(std::vector<HostValue> newValues) {
  values = std::move(newValues);
  results.clear();
  for (HostValue &value : values)
    results.push_back({value.elementType,
                       value.isScalar,
                       {value.extents.begin(), value.extents.end()},
                       value.data.data()});
}

Error Executable::interpret(ArrayRef<Argument> arguments) {
  SmallVector<HostValue> copies;
  for (const Argument &argument : arguments) {
    auto copy = toHostValue(argument);
    if (!copy)
      return copy.takeError();
    copies.push_back(std::move(*copy));
  }
  interpreter::InterpreterOptions options;
  llvm::raw_string_ostream os(output);
  options.output = &os;
  auto entry = program.source->lookupSymbol<func::FuncOp>(program.entry->name);
  auto found = interpreter::interpret(entry, copies, options);
  if (!found)
    return found.takeError();
  setResults({std::make_move_iterator(found->begin()),
              std::make_move_iterator(found->end())});
  return Error::success();
}

Error Executable::emulate(ArrayRef<Argument> arguments) {
  SmallVector<RuntimeValue> given;
  for (const Argument &argument : arguments) {
    auto value = runtime::copyToDevice(*device->device, argument.elementType,
                                       argument.isScalar, argument.extents,
                                       argument.data);
    if (!value)
      return value.takeError();
    given.push_back(std::move(*value));
  }
  llvm::raw_string_ostream os(output);
  device->program->setOutput(os);
  auto found = device->program->run(program.entry->name, given);
  if (!found)
    return found.takeError();
  std::vector<HostValue> hostValues;
  for (const RuntimeValue &result : *found) {
    auto value = runtime::copyToHost(result);
    if (!value)
      return value.takeError();
    hostValues.push_back(std::move(*value));
  }
  setResults(std::move(hostValues));
  return Error::success();
}

/// Runs the program on the GPU, and keeps the results. If there is an
/// allocator, the caller frees the arrays among them.
Error Executable::OnDevice::start(StringRef entry, ArrayRef<RuntimeValue> given,
                                  void *stream, std::string &output) {
  if (Error error = gpu->useStream(static_cast<runtime::cuda::Stream>(stream)))
    return error;
  program->clearLaunches();
  llvm::raw_string_ostream os(output);
  program->setOutput(os);
  auto found =
      stream ? program->start(entry, given) : program->run(entry, given);
  if (!found)
    return found.takeError();
  results = std::move(*found);
  for (const RuntimeValue &result : results)
    if (auto *array = std::get_if<MemoryRef>(&result)) {
      if (!array->isContiguous())
        return createStringError("a result is a part of an array whose "
                                 "elements are not adjacent; force it");
      if (hasAllocator)
        array->buffer->release();
    }
  return Error::success();
}

Error Executable::runOnGPU(ArrayRef<Argument> arguments, void *stream) {
  SmallVector<RuntimeValue> given;
  for (const Argument &argument : arguments) {
    if (argument.isScalar) {
      given.push_back(Scalar::load(argument.elementType, argument.data));
      continue;
    }
    auto array =
        MemoryRef::wrap(*device->device, argument.elementType, argument.extents,
                        reinterpret_cast<uintptr_t>(argument.data));
    if (!array)
      return array.takeError();
    given.push_back(std::move(*array));
  }
  if (Error error = device->start(program.entry->name, given, stream, output))
    return error;
  // Its elements must not move, since results point to them.
  std::vector<HostValue> scalars;
  scalars.reserve(device->results.size());
  results.clear();
  for (const RuntimeValue &result : device->results) {
    if (const auto *scalar = std::get_if<Scalar>(&result)) {
      scalars.push_back(HostValue::scalar(*scalar));
      results.push_back({scalar->type, true, {}, scalars.back().data.data()});
      continue;
    }
    const auto &array = std::get<MemoryRef>(result);
    results.push_back({array.elementType,
                       false,
                       {array.sizes.begin(), array.sizes.end()},
                       reinterpret_cast<void *>(OnDevice::getAddress(array))});
  }
  values = std::move(scalars);
  return Error::success();
}

Error Executable::runWords(const uint64_t *arguments, uint64_t *found,
                           void *stream) {
  SmallVector<RuntimeValue> given;
  for (auto [slot, type] :
       llvm::zip_equal(program.entry->parameters, device->types)) {
    uint64_t word = *arguments++;
    if (slot.isScalar) {
      given.push_back(Scalar(type, word));
      continue;
    }
    ArrayRef<int64_t> extents(reinterpret_cast<const int64_t *>(arguments),
                              slot.extents.size());
    arguments += extents.size();
    if (!slot.allows(extents))
      return makeArgumentError(given.size(), slot, extents, slot.elementType);
    auto array = MemoryRef::wrap(*device->device, type, extents, word);
    if (!array)
      return array.takeError();
    given.push_back(std::move(*array));
  }
  if (Error error = device->start(program.entry->name, given, stream, output))
    return error;
  for (const RuntimeValue &result : device->results) {
    if (const auto *scalar = std::get_if<Scalar>(&result)) {
      *found++ = scalar->bits;
      continue;
    }
    const auto &array = std::get<MemoryRef>(result);
    *found++ = OnDevice::getAddress(array);
    found = llvm::copy(array.sizes, found);
  }
  return Error::success();
}

FailureOr<ArrayRef<Argument>> Executable::run(ArrayRef<Argument> arguments,
                                              void *stream) {
  Compiler::Call call(program.compiler);
  output.clear();
  Error error = verifyArguments(arguments);
  if (!error)
    error = !device       ? interpret(arguments)
            : device->gpu ? runOnGPU(arguments, stream)
                          : emulate(arguments);
  if (error) {
    program.compiler.addError(std::move(error));
    return failure();
  }
  return ArrayRef<Argument>(results);
}

LogicalResult Executable::runPacked(const uint64_t *arguments, uint64_t *found,
                                    void *stream) {
  // No handler is necessary: a run on a GPU returns errors, and emits no
  // diagnostics.
  program.compiler.messages.clear();
  output.clear();
  Error error =
      device && device->gpu
          ? runWords(arguments, found, stream)
          : createStringError("packed arguments are for programs on a GPU");
  bool isDone = !error;
  program.compiler.addError(std::move(error));
  return success(isDone);
}
