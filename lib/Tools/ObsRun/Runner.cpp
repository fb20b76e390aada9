//===- Runner.cpp - The executors of obs-run ------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "Obsidian/Pipelines/Pipelines.h"
#include "Obsidian/Runtime/CudaDevice.h"
#include "Obsidian/Runtime/EmulatorDevice.h"
#include "Obsidian/Target/ToPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::run;

Runner::~Runner() = default;

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

namespace {
class InterpreterRunner : public Runner {
public:
  explicit InterpreterRunner(func::FuncOp entry) : entry(entry) {}

  std::string getName() const override { return "interpreter"; }

  Expected<std::vector<HostValue>> run(ArrayRef<HostValue> arguments) override {
    SmallVector<HostValue> copies(arguments);
    interpreter::InterpreterOptions options;
    options.output = &llvm::outs();
    auto results = interpreter::interpret(entry, copies, options);
    if (!results)
      return results.takeError();
    return std::vector<HostValue>(std::make_move_iterator(results->begin()),
                                  std::make_move_iterator(results->end()));
  }

private:
  func::FuncOp entry;
};
} // namespace

std::unique_ptr<Runner> Runner::createInterpreter(func::FuncOp entry) {
  return std::make_unique<InterpreterRunner>(entry);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {
class DeviceRunner : public Runner {
public:
  DeviceRunner(std::unique_ptr<runtime::Device> device,
               runtime::HostProgram program, StringRef entry,
               runtime::EmulatorDevice *emulator, bool asGraph)
      : device(std::move(device)), program(std::move(program)),
        entry(entry.str()), emulator(emulator), asGraph(asGraph) {}

  std::string getName() const override { return device->getName(); }

  Expected<std::vector<HostValue>> run(ArrayRef<HostValue> arguments) override {
    if (asGraph)
      return runGraph(arguments);
    program.clearLaunches();
    SmallVector<runtime::RuntimeValue> values;
    if (Error error = copyIn(arguments, values))
      return std::move(error);
    auto results = program.run(entry, values);
    if (!results)
      return results.takeError();
    return copyOut(*results);
  }

  ArrayRef<runtime::LaunchRecord> getLaunches() const override {
    return program.getLaunches();
  }

  void setSeed(uint64_t seed) override {
    if (emulator)
      emulator->setSeed(seed);
  }

  std::optional<uint64_t> getNumGraphSteps() const override {
    if (!graph)
      return std::nullopt;
    return device->getNumSteps(*graph);
  }

private:
  /// Copies to the arrays among `values`. The first call allocates them.
  Error copyIn(ArrayRef<HostValue> arguments,
               SmallVectorImpl<runtime::RuntimeValue> &values) {
    bool isNew = values.empty();
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      if (!isNew) {
        if (auto *array = std::get_if<runtime::MemoryRef>(&values[index]))
          if (Error error = array->copyFrom(argument.data.data()))
            return error;
        continue;
      }
      auto value = runtime::copyToDevice(*device, argument.elementType,
                                         argument.isScalar, argument.extents,
                                         argument.data.data());
      if (!value)
        return value.takeError();
      values.push_back(std::move(*value));
    }
    return Error::success();
  }

  static Expected<std::vector<HostValue>>
  copyOut(ArrayRef<runtime::RuntimeValue> results) {
    std::vector<HostValue> hostResults;
    for (const runtime::RuntimeValue &result : results) {
      auto value = runtime::copyToHost(result);
      if (!value)
        return value.takeError();
      hostResults.push_back(std::move(*value));
    }
    return hostResults;
  }

  /// The first call records the run. Each call executes the recorded work.
  Expected<std::vector<HostValue>> runGraph(ArrayRef<HostValue> arguments) {
    if (Error error = copyIn(arguments, graphArguments))
      return std::move(error);
    if (!graph) {
      runtime::WorkHandle work;
      auto results = program.record(entry, graphArguments, work);
      if (!results)
        return results.takeError();
      graph = work;
      graphResults = std::move(*results);
    }
    if (Error error = device->replay(*graph))
      return std::move(error);
    if (Error error = device->synchronize())
      return std::move(error);
    return copyOut(graphResults);
  }

  std::unique_ptr<runtime::Device> device;
  runtime::HostProgram program;
  std::string entry;
  /// `device`, where that is the emulator.
  runtime::EmulatorDevice *emulator;
  bool asGraph;
  std::optional<runtime::WorkHandle> graph;
  SmallVector<runtime::RuntimeValue> graphArguments, graphResults;
};
} // namespace

/// Lowers the function `entry`, and the functions that it calls, from arrays to
/// kernels and host code for `chip`. An error without a text has been reported
/// as a diagnostic.
static Error lowerProgram(ModuleOp module, StringRef entry,
                          const Options &options, StringRef chip) {
  // Kernels in it say that it went through the pipeline before.
  if (!module.getOps<gpu::GPUModuleOp>().empty())
    return Error::success();
  ObsToGPUOptions pipelineOptions;
  if (options.threads)
    pipelineOptions.threads = *options.threads;
  if (options.blocks)
    pipelineOptions.blocks = *options.blocks;
  pipelineOptions.deterministic = options.deterministic;
  pipelineOptions.tiles = !options.noTiles;
  pipelineOptions.plainCollectives = options.plainCollectives;
  pipelineOptions.runtimeChecks = options.runtimeChecks;
  setChip(pipelineOptions, chip);
  // The data that a kernel left in memory that is used again would count as
  // written.
  pipelineOptions.reuseBuffers = !options.checkUninit;
  if (failed(obs::lowerToGPU(module, entry, pipelineOptions)))
    return createStringError("");
  return Error::success();
}

/// Compiles one module of kernels to PTX.
static Expected<std::string> compileToPTX(Operation *gpuModule, StringRef chip,
                                          bool lineInfo) {
  OpBuilder builder(gpuModule->getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(gpuModule->getLoc()));
  builder.setInsertionPointToStart(module->getBody());
  builder.clone(*gpuModule);
  PTXOptions options;
  options.lineInfo = lineInfo;
  return translateToPTX(*module, chip, options);
}

Expected<std::unique_ptr<Runner>>
Runner::createOnDevice(ModuleOp module, StringRef entry,
                       const Options &options) {
  // The device first: without one nothing else matters.
  std::unique_ptr<runtime::Device> device;
  runtime::EmulatorDevice *emulator = nullptr;
  std::string chip = "sm_90";
  if (options.device == Executor::Cuda) {
    auto cuda = runtime::CudaDevice::create(
        options.gpu,
        [lineInfo = options.lineInfo](Operation *kernels, StringRef chip) {
          return compileToPTX(kernels, chip, lineInfo);
        });
    if (!cuda)
      return cuda.takeError();
    chip = (*cuda)->getChip();
    device = std::move(*cuda);
  } else {
    emulator::MachineOptions machineOptions;
    machineOptions.schedule = options.randomSchedule
                                  ? emulator::Schedule::Random
                                  : emulator::Schedule::Ticket;
    machineOptions.seed = options.seed.value_or(0);
    if (options.maxIterations)
      machineOptions.maxIterations = *options.maxIterations;
    // The same stream as the host's, so that the order is kept.
    machineOptions.print = [](StringRef text) { llvm::outs() << text; };
    auto owned = std::make_unique<runtime::EmulatorDevice>(machineOptions);
    emulator = owned.get();
    if (options.checkRaces || options.checkUninit)
      emulator->enableChecks({options.checkRaces, options.checkUninit});
    device = std::move(owned);
  }
  if (Error error = lowerProgram(module, entry, options, chip))
    return std::move(error);
  auto program = runtime::HostProgram::create(module, *device);
  if (!program)
    return program.takeError();
  // The kernels of a graph are one piece of work.
  program->setTiming(options.time && !options.graph);
  return std::make_unique<DeviceRunner>(std::move(device), std::move(*program),
                                        entry, emulator, options.graph);
}
