//===- ObsTranslate.cpp - The tool that translates programs ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/ObsTranslate/ObsTranslate.h"

#include "Obsidian/Artefact/Build.h"
#include "Obsidian/Artefact/ToHostC.h"
#include "Obsidian/FrontEnd/Dag/Dag.h"
#include "Obsidian/FrontEnd/Passes.h"
#include "Obsidian/Interpreter/ScalarOps.h"
#include "Obsidian/Pipelines/Pipelines.h"
#include "Obsidian/RegisterAll.h"
#include "Obsidian/Target/ToPTX.h"
#include "Obsidian/Transforms/Arrays/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::obs {

namespace {
/// Refuses a chip that is not known: an error of the command line, and not of
/// the program.
struct ChipParser : llvm::cl::parser<std::string> {
  using llvm::cl::parser<std::string>::parser;
  bool parse(llvm::cl::Option &option, StringRef, StringRef value,
             std::string &chip) {
    llvm::Expected<std::string> known = parseChip(value);
    if (!known)
      return option.error(llvm::toString(known.takeError()));
    chip = *known;
    return false;
  }
};

/// The options of all translations.
struct TranslateOptions {
  llvm::cl::OptionCategory category{"Translation to kernels"};
  llvm::cl::opt<std::string, false, ChipParser> chip{
      "chip", llvm::cl::desc("The GPU to compile for (sm_90)"),
      llvm::cl::value_desc("sm_NN"), llvm::cl::init("sm_90"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> libdevice{
      "libdevice",
      llvm::cl::desc("The file libdevice.10.bc of the CUDA toolkit, with the "
                     "math functions that GPUs do not have, or 'none'. By "
                     "default, the tool searches for it"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> threads{
      "threads-per-block",
      llvm::cl::desc("Threads of a block, 1 to 1024, for every kernel"),
      llvm::cl::value_desc("N"), llvm::cl::init(0), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> blocks{
      "blocks-per-grid", llvm::cl::desc("Number of blocks of every launch"),
      llvm::cl::value_desc("N"), llvm::cl::init(0), llvm::cl::cat(category)};
  llvm::cl::opt<bool> deterministic{
      "deterministic",
      llvm::cl::desc("Exclude strategies of collectives that round floats "
                     "differently from run to run"),
      llvm::cl::cat(category)};
  enum Contraction { Flagged, Fast };
  llvm::cl::opt<Contraction> contraction{
      "fp-contract",
      llvm::cl::desc("Compute a product and a sum with one rounding:"),
      llvm::cl::values(
          clEnumValN(Fast, "fast", "if both are in one region"),
          clEnumValN(Flagged, "flagged", "only with the flag contract")),
      llvm::cl::init(Flagged), llvm::cl::cat(category)};
  llvm::cl::opt<bool> noTiles{
      "no-tiles",
      llvm::cl::desc("Threads execute one iteration of a loop over the grid at "
                     "a time, and load one element at a time"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> lineInfo{
      "line-info",
      llvm::cl::desc("The PTX has the file and the line of each instruction, "
                     "for profilers"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> runtimeChecks{
      "runtime-checks",
      llvm::cl::desc("Also check what only kernels know: extents, lengths of "
                     "obs.expand, and offsets of segments. The host always "
                     "checks the other extents"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> dagEntry{
      "dag-entry",
      llvm::cl::desc("The function of a Dag program, instead of its last one"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> dagExplain{
      "dag-explain",
      llvm::cl::desc("List the candidates for a Dag program on the standard "
                     "error, with their scores"),
      llvm::cl::cat(category)};
  llvm::cl::opt<int> dagCandidate{
      "dag-candidate", llvm::cl::desc("Select a candidate for a Dag program"),
      llvm::cl::value_desc("N"), llvm::cl::init(-1), llvm::cl::cat(category)};
};
} // namespace

/// Takes functions on tensors to programs over arrays.
static LogicalResult convertTensors(ModuleOp module) {
  // A user needs the place in the program, not the code of a later stage.
  module.getContext()->printOpOnDiagnostic(false);
  // The parts of a program are small; starting threads would take longer.
  module.getContext()->disableMultithreading();
  PassManager manager(module->getName());
  manager.addPass(createConvertLinalgToObsPass());
  return manager.run(module);
}

/// Takes a program to kernels, unless it has some already.
static LogicalResult lowerToGPU(ModuleOp module,
                                const TranslateOptions &options) {
  if (!module.getOps<gpu::GPUModuleOp>().empty())
    return success();
  ObsToGPUOptions lowering;
  lowering.threads = options.threads.getValue();
  lowering.blocks = options.blocks.getValue();
  lowering.deterministic = options.deterministic.getValue();
  lowering.tiles = !options.noTiles.getValue();
  lowering.runtimeChecks = options.runtimeChecks.getValue();
  setChip(lowering, options.chip);
  PassManager manager(module->getName());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  applyDefaultTimingPassManagerCLOptions(manager);
  ObsContractFloatsPassOptions floats;
  floats.all = options.contraction == TranslateOptions::Fast;
  manager.addPass(createObsContractFloatsPass(floats));
  buildObsToGPUPipeline(manager, lowering);
  return runVerifiedOnce(manager, module);
}

/// Reports the error where it was not reported before, at the place that it
/// begins with.
static LogicalResult finish(llvm::Error error, ModuleOp module) {
  if (!error)
    return success();
  std::string message = llvm::toString(std::move(error));
  auto [place, text] = interpreter::splitLocation(message);
  Location loc = module.getLoc();
  unsigned line, column;
  auto [begin, columnText] = place.rsplit(':');
  auto [file, lineText] = begin.rsplit(':');
  if (!lineText.getAsInteger(10, line) && !columnText.getAsInteger(10, column))
    loc = FileLineColLoc::get(module.getContext(), file, line, column);
  if (!message.empty())
    emitError(loc) << text;
  return failure();
}

/// Prints the text, or the error.
static LogicalResult finish(llvm::Expected<std::string> text, ModuleOp module,
                            raw_ostream &os) {
  if (!text)
    return finish(text.takeError(), module);
  os << *text;
  return success();
}

/// A program as kernels and the plan of its host.
static FailureOr<artefact::Artefact> build(ModuleOp module,
                                           const TranslateOptions &options) {
  if (failed(convertTensors(module)))
    return failure();
  artefact::Signatures signatures = artefact::getSignatures(module);
  if (failed(lowerToGPU(module, options)))
    return failure();
  auto artefact = artefact::build(module, options.chip.getValue(), signatures);
  if (!artefact)
    return finish(artefact.takeError(), module);
  return std::move(*artefact);
}

/// Prints the program as C.
static LogicalResult printC(ModuleOp module, const TranslateOptions &options,
                            const PTXOptions &ptxOptions, raw_ostream &os) {
  FailureOr<artefact::Artefact> artefact = build(module, options);
  if (failed(artefact))
    return failure();
  // A program may have no kernels.
  std::string ptx;
  if (!module.getOps<gpu::GPUModuleOp>().empty()) {
    auto text = translateToPTX(module, options.chip, ptxOptions);
    if (!text)
      return finish(text.takeError(), module);
    ptx = std::move(*text);
  }
  return finish(artefact::printHostC(*artefact, ptx, os), module);
}

void registerObsTranslations(RegisterDialectsFn registerDialects) {
  static TranslateOptions options;
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  auto getPTXOptions = [] {
    PTXOptions ptx;
    ptx.libdevice = options.libdevice;
    ptx.lineInfo = options.lineInfo;
    return ptx;
  };
  // A translation of the kernels only.
  auto translateKernels = [=](auto translate) {
    return [=](ModuleOp module, raw_ostream &os) -> LogicalResult {
      if (failed(convertTensors(module)) || failed(lowerToGPU(module, options)))
        return failure();
      return finish(translate(module, options.chip, getPTXOptions()), module,
                    os);
    };
  };

  static TranslateFromMLIRRegistration toPTX(
      "obs-to-ptx", "Translate a program to the PTX of its kernels",
      translateKernels(translateToPTX), registerDialects);
  static TranslateFromMLIRRegistration toCubin(
      "obs-to-cubin", "Translate a program to the machine code of its kernels",
      translateKernels(translateToCubin), registerDialects);
  static TranslateFromMLIRRegistration toLLVMIR(
      "obs-to-llvmir", "Translate a program to the LLVM IR of its kernels",
      translateKernels(translateToLLVMIR), registerDialects);
  static TranslateFromMLIRRegistration toLaunchJSON(
      "obs-to-launch-json",
      "Translate a program to a description of how to launch its kernels",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<artefact::Artefact> artefact = build(module, options);
        if (failed(artefact))
          return failure();
        auto contract = artefact::toJSON(*artefact);
        if (!contract)
          return finish(contract.takeError(), module);
        os << llvm::formatv("{0:2}\n", *contract);
        return success();
      },
      registerDialects);

  static TranslateFromMLIRRegistration toHostC(
      "obs-to-host-c",
      "Translate a program to C for the CUDA driver, with its PTX",
      [=](ModuleOp module, raw_ostream &os) {
        return printC(module, options, getPTXOptions(), os);
      },
      registerDialects);

  auto parseDag = [](llvm::SourceMgr &sources, MLIRContext *context) {
    context->printOpOnDiagnostic(false);
    dag::DagOptions dagOptions;
    dagOptions.entry = options.dagEntry;
    dagOptions.candidate = options.dagCandidate;
    if (options.dagExplain)
      dagOptions.explain = &llvm::errs();
    return dag::importDag(sources, context, dagOptions);
  };
  static TranslateToMLIRRegistration fromDag(
      "dag-to-obs", "Translate a Dag program to obs",
      [=](llvm::SourceMgr &sources, MLIRContext *context) {
        return OwningOpRef<Operation *>(parseDag(sources, context).release());
      },
      registerDialects);
  static TranslateRegistration dagToHostC(
      "dag-to-host-c",
      "Translate a Dag program to C for the CUDA driver, with its PTX",
      [=](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
          MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerDialects(registry);
        context->appendDialectRegistry(registry);
        OwningOpRef<ModuleOp> module = parseDag(*sources, context);
        if (!module)
          return failure();
        std::string function;
        llvm::raw_string_ostream functionStream(function);
        dag::printHostFunction(*module, functionStream);
        if (failed(printC(*module, options, getPTXOptions(), os)))
          return failure();
        os << function;
        return success();
      });

  // LLVM's libraries would add options to the help by the hundred.
  llvm::cl::HideUnrelatedOptions(options.category);
}

} // namespace mlir::obs
