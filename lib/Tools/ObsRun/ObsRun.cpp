//===- ObsRun.cpp - The tool that runs programs ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/ObsRun/ObsRun.h"
#include "Arguments.h"
#include "Obsidian/FrontEnd/Dag/Dag.h"
#include "Obsidian/FrontEnd/Passes.h"
#include "Obsidian/Tools/Inputs.h"
#include "Obsidian/Transforms/Arrays/Passes.h"
#include "Options.h"
#include "Results.h"
#include "Runner.h"
#include "Tuning.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::run;
using mlir::obs::interpreter::getSlots;

namespace {

/// Prints `error: text`, after the location that the text begins with, if any.
void report(Error error) {
  std::string text = llvm::toString(std::move(error));
  // An error that was reported as a diagnostic is passed on without a text.
  if (text.empty())
    return;
  auto [location, rest] = interpreter::splitLocation(text);
  if (!location.empty())
    llvm::errs() << location << ": ";
  llvm::errs() << "error: " << rest << '\n';
}

/// One call of the tool.
class Session {
public:
  Session(const Options &options, DialectRegistry &registry)
      : options(options), context(registry, MLIRContext::Threading::DISABLED),
        diagnostics(sourceMgr, &context) {
    // The location is sufficient. The lowered operation does not help users.
    context.printOpOnDiagnostic(false);
  }

  Error run();

private:
  Error parseProgram();
  Error findEntry();
  Error createRunner();
  /// Runs the requested number of times. The results are those of the last run.
  Expected<std::vector<HostValue>> runAll(ArrayRef<HostValue> arguments);
  void printTimes(raw_ostream &os) const;
  void printReport(raw_ostream &os) const;

  Options options;
  llvm::SourceMgr sourceMgr;
  MLIRContext context;
  SourceMgrDiagnosticHandler diagnostics;
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  std::unique_ptr<Runner> runner;
  /// Milliseconds of each run, and of each launch of each run.
  std::vector<double> runTimes;
  std::vector<std::vector<double>> launchTimes;
};

Error Session::parseProgram() {
  auto file = readInput(options.program);
  if (!file)
    return file.takeError();
  if (Error error = applyTuning((*file)->getBuffer(), options))
    return error;
  sourceMgr.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  if (StringRef(options.program).ends_with(".dag")) {
    dag::DagOptions dagOptions;
    dagOptions.entry = options.entry;
    dagOptions.search = options.device != Executor::Interpret;
    module = dag::importDag(sourceMgr, &context, dagOptions);
  } else {
    // The parser of MLIR names an option that this tool does not have.
    ScopedDiagnosticHandler explain(&context, [](Diagnostic &error) {
      std::string text = error.str();
      if (StringRef(text).contains("unregistered dialect") ||
          StringRef(text).contains("stablehlo"))
        error.attachNote() << "obs-opt --allow-unregistered-dialect "
                              "--obs-import-stablehlo makes a program for this "
                              "tool from the generic form of StableHLO";
      return failure();
    });
    module = parseSourceFile<ModuleOp>(sourceMgr, &context);
  }
  if (!module)
    return createStringError("");
  PassManager manager(&context);
  manager.addPass(createConvertLinalgToObsPass());
  // All devices compute the same bits.
  ObsContractFloatsPassOptions floats;
  floats.all = options.contractsAll;
  manager.addPass(createObsContractFloatsPass(floats));
  return succeeded(manager.run(*module)) ? Error::success()
                                         : createStringError("");
}

Error Session::findEntry() {
  SmallVector<func::FuncOp> candidates;
  std::string names;
  for (auto func : module->getOps<func::FuncOp>()) {
    if (!func.isPublic() || func.isExternal())
      continue;
    candidates.push_back(func);
    names += (names.empty() ? "" : ", ") + func.getName().str();
  }
  if (names.empty())
    names = "none";
  if (!options.entry.empty()) {
    entry = module->lookupSymbol<func::FuncOp>(options.entry);
    if (!entry || entry.isExternal())
      return createStringError(options.program + " has no function '" +
                               options.entry +
                               "' with a body; its public functions: " + names);
    return Error::success();
  }
  if (candidates.size() == 1) {
    entry = candidates.front();
    return Error::success();
  }
  for (func::FuncOp func : candidates)
    if (func.getName() == "main")
      entry = func;
  if (!entry)
    return createStringError("choose a function of " + options.program +
                             " with --entry; its public functions: " + names);
  return Error::success();
}

Error Session::createRunner() {
  if (options.device == Executor::Interpret) {
    runner = Runner::createInterpreter(entry);
    return Error::success();
  }
  auto created = Runner::createOnDevice(*module, entry.getName(), options);
  if (!created)
    return created.takeError();
  runner = std::move(*created);
  return Error::success();
}

Expected<std::vector<HostValue>>
Session::runAll(ArrayRef<HostValue> arguments) {
  std::vector<HostValue> results;
  for (int64_t repetition = 0; repetition < options.repeat; ++repetition) {
    if (options.randomSchedule)
      runner->setSeed(options.seed.value_or(0) + repetition);
    auto start = std::chrono::steady_clock::now();
    auto result = runner->run(arguments);
    if (!result) {
      std::string text = llvm::toString(result.takeError());
      if (options.randomSchedule && options.repeat > 1)
        text += "\n  with --seed=" +
                std::to_string(options.seed.value_or(0) + repetition);
      return createStringError(text);
    }
    runTimes.push_back(std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - start)
                           .count());
    ArrayRef<runtime::LaunchRecord> launches = runner->getLaunches();
    // Their number may depend on the data only, but a program with races may
    // have computed the data.
    launchTimes.resize(std::max(launchTimes.size(), launches.size()));
    for (auto [times, launch] : llvm::zip(launchTimes, launches))
      times.push_back(launch.milliseconds.value_or(0));
    results = std::move(*result);
  }
  return results;
}

/// `0.123 ms`, or over several runs the median, the least and the most.
void printStatistics(raw_ostream &os, std::vector<double> times) {
  llvm::sort(times);
  if (times.size() == 1) {
    os << llvm::format("%.4f ms", times.front());
    return;
  }
  os << llvm::format("%.4f ms (median of %zu; %.4f to %.4f)",
                     times[times.size() / 2], times.size(), times.front(),
                     times.back());
}

void Session::printTimes(raw_ostream &os) const {
  // The launches of a graph have no separate times.
  for (auto [launch, times] : llvm::zip(runner->getLaunches(), launchTimes)) {
    if (options.graph)
      break;
    os << "time: kernel " << launch.kernel << ": ";
    printStatistics(os, times);
    os << '\n';
  }
  os << "time: whole run on " << runner->getName() << ": ";
  printStatistics(os, runTimes);
  os << '\n';
}

void Session::printReport(raw_ostream &os) const {
  for (const runtime::LaunchRecord &launch : runner->getLaunches()) {
    const runtime::LaunchShape &shape = launch.shape;
    os << "launch: kernel=" << launch.kernel
       << " blocks=" << shape.grid.x * shape.grid.y * shape.grid.z
       << " threads=" << shape.block.x * shape.block.y * shape.block.z
       << " shared-bytes=" << shape.sharedBytes;
    if (launch.counters)
      os << " block-barriers=" << launch.counters->blockBarriers
         << " warp-barriers=" << launch.counters->warpBarriers
         << " bytes-loaded=" << launch.counters->globalBytesLoaded
         << " bytes-stored=" << launch.counters->globalBytesStored
         << " atomics=" << launch.counters->atomics;
    os << '\n';
  }
  if (std::optional<uint64_t> steps = runner->getNumGraphSteps())
    os << "graph: steps=" << *steps << '\n';
}

Error Session::run() {
  if (Error error = parseProgram())
    return error;
  if (Error error = findEntry())
    return error;
  auto resultSlots = getSlots(entry.getResultTypes(), "result");
  if (!resultSlots)
    return resultSlots.takeError();
  if (!options.outputs.empty() && options.outputs.size() != resultSlots->size())
    return createStringError(
        "'" + entry.getName() + "' has " + Twine(resultSlots->size()) +
        (resultSlots->size() == 1 ? " result" : " results") +
        ", and --out is "
        "given " +
        (options.outputs.size() == 1
             ? Twine("once")
             : Twine(options.outputs.size()) + " times"));
  auto arguments = readArguments(entry, options.arguments);
  if (!arguments)
    return arguments.takeError();
  if (Error error = checkWritable(options.outputs))
    return error;
  if (Error error = createRunner())
    return error;
  auto results = runAll(*arguments);
  if (!results)
    return results.takeError();

  raw_ostream &os = llvm::outs();
  if (options.outputs.empty()) {
    for (const HostValue &result : *results)
      printValue(os, result);
  } else if (Error error = writeValues(*results, options.outputs, os)) {
    return error;
  }
  if (options.report)
    printReport(os);
  if (options.time)
    printTimes(os);
  os.flush();
  return Error::success();
}

} // namespace

int mlir::obs::obsRunMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM initialize(argc, argv);
  auto options = parseOptions(ArrayRef(argv, argc).drop_front());
  if (!options) {
    report(options.takeError());
    return 2;
  }
  if (options->help) {
    llvm::outs() << getHelpText();
    return EXIT_SUCCESS;
  }
  if (options->version) {
    llvm::outs() << "obs-run, on LLVM " LLVM_VERSION_STRING "\n";
    return EXIT_SUCCESS;
  }
  if (Error error = Session(*options, registry).run()) {
    // The error follows the output of the program.
    llvm::outs().flush();
    report(std::move(error));
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
