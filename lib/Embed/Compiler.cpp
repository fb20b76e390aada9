//===- Compiler.cpp - Text in, programs and messages out ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Obsidian/Artefact/Build.h"
#include "Obsidian/Artefact/ToHostC.h"
#include "Obsidian/FrontEnd/Passes.h"
#include "Obsidian/FrontEnd/StableHLO.h"
#include "Obsidian/Interpreter/Slots.h"
#include "Obsidian/Pipelines/Pipelines.h"
#include "Obsidian/RegisterAll.h"
#include "Obsidian/Reports/Passes.h"
#include "Obsidian/Target/ToPTX.h"
#include "Obsidian/Transforms/Arrays/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::embed;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static Message convert(Diagnostic &diagnostic) {
  Message message;
  message.severity = diagnostic.getSeverity();
  message.text = diagnostic.str();
  if (auto place =
          diagnostic.getLocation()->findInstanceOf<FileLineColRange>()) {
    message.file = place.getFilename().str();
    message.line = place.getStartLine();
    message.column = place.getStartColumn();
  }
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(convert(note));
  return message;
}

Compiler::Call::Call(Compiler &compiler)
    : ScopedDiagnosticHandler(compiler.context.get()) {
  compiler.messages.clear();
  setHandler([&compiler](Diagnostic &diagnostic) {
    compiler.messages.push_back(convert(diagnostic));
    return success();
  });
  std::fegetenv(&rulesOfCaller);
  std::fesetenv(FE_DFL_ENV);
}

Compiler::Call::~Call() { std::fesetenv(&rulesOfCaller); }

/// A message with the location `file:line:column` at which `text` may begin.
static Message parseMessage(StringRef text) {
  Message message;
  auto [place, rest] = interpreter::splitLocation(text);
  message.text = rest.str();
  auto [begin, column] = place.rsplit(':');
  auto [file, line] = begin.rsplit(':');
  if (!column.getAsInteger(10, message.column) &&
      !line.getAsInteger(10, message.line))
    message.file = file.str();
  return message;
}

void Compiler::addError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  // It was reported as a diagnostic.
  if (text.empty())
    return;
  // Errors of kernels name their launch on further lines.
  auto [first, rest] = StringRef(text).split('\n');
  Message message = parseMessage(first);
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [what, place] = line.trim().split(" launched at ");
    Message note = place.empty()
                       ? Message()
                       : parseMessage((place + ": launched here").str());
    if (place.empty())
      note.text = line.trim().str();
    else
      note.text = what.str();
    note.severity = DiagnosticSeverity::Note;
    message.notes.push_back(std::move(note));
  }
  messages.push_back(std::move(message));
}

//===----------------------------------------------------------------------===//
// Compiler
//===----------------------------------------------------------------------===//

Compiler::Compiler() {
  static const bool registered = (registerAllPasses(), true);
  (void)registered;
  DialectRegistry registry;
  registerAllDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  context->loadAllAvailableDialects();
}

Compiler::~Compiler() = default;

std::unique_ptr<Program> Compiler::compile(StringRef text, StringRef file,
                                           const CompileOptions &options) {
  Call call(*this);
  // The dialects of other programs are not registered.
  allowStableHLO(*context, options.isStableHLO);
  // The parser takes the end of a text at address 0 for a request to complete
  // the code.
  if (text.empty())
    text = "";
  auto module =
      parseSourceString<ModuleOp>(text, ParserConfig(context.get()), file);
  if (module && options.isStableHLO && failed(importStableHLO(*module)))
    module = {};
  allowStableHLO(*context, false);
  return build(std::move(module), options);
}

std::unique_ptr<Program> Compiler::compile(OwningOpRef<ModuleOp> module,
                                           const CompileOptions &options) {
  Call call(*this);
  return failed(verify(*module)) ? nullptr : build(std::move(module), options);
}

std::unique_ptr<Program> Compiler::build(OwningOpRef<ModuleOp> module,
                                         const CompileOptions &options) {
  std::unique_ptr<Program> program(new Program(*this, options));
  if (!module || failed(program->initialize(std::move(module))))
    return nullptr;
  return program;
}

std::unique_ptr<Program> Compiler::read(const SavedProgram &saved,
                                        StringRef entry) {
  Call call(*this);
  auto artefact = artefact::fromJSON(saved.contract);
  if (!artefact) {
    addError(artefact.takeError());
    return nullptr;
  }
  CompileOptions options;
  options.chip = artefact->chip;
  std::unique_ptr<Program> program(new Program(*this, options));
  if (failed(program->setArtefact(std::move(*artefact), entry)))
    return nullptr;
  for (auto [form, text] : {std::make_pair(Form::Contract, saved.contract),
                            {Form::PTX, saved.ptx},
                            {Form::Kernels, saved.kernels}})
    if (!text.empty())
      program->shown[form] = text.str();
  return program;
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

Program::~Program() = default;

/// The function `name` of `module`. Without a name, the function that the
/// program determines. Null after an error.
static func::FuncOp findEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> candidates;
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (function.getName() == (name.empty() ? "main" : name))
      return function;
    candidates.push_back(function);
    names += (names.empty() ? "" : ", ") + function.getName().str();
  }
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  InFlightDiagnostic error = emitError(module.getLoc());
  if (name.empty())
    error << "name the function to compile";
  else
    error << "there is no public function '" << name << "' with a body";
  error << "; the public functions are: " << (names.empty() ? "none" : names);
  return {};
}

/// Sets the options of `obs-to-gpu`.
static void setPipeline(const embed::CompileOptions &options,
                        ObsToGPUOptions &pipeline) {
  pipeline.threads = options.threads;
  pipeline.blocks = options.blocks;
  pipeline.deterministic = options.deterministic;
  pipeline.runtimeChecks = options.runtimeChecks;
  pipeline.reuseBuffers = !options.keepArraysApart;
  pipeline.tiles = options.tiles;
  pipeline.plainCollectives = options.plainCollectives;
  setChip(pipeline, options.chip);
}

LogicalResult Program::initialize(OwningOpRef<ModuleOp> parsed) {
  source = std::move(parsed);
  if (failed(convertLinalgToObs(*source)))
    return failure();
  func::FuncOp function = findEntry(*source, options.entry);
  if (!function)
    return failure();
  std::string name = function.getName().str();
  for (auto [types, what] :
       {std::make_pair(TypeRange(function.getArgumentTypes()), "parameter"),
        {TypeRange(function.getResultTypes()), "result"}})
    if (auto found = interpreter::getSlots(types, what); !found)
      return function.emitError(llvm::toString(found.takeError()));
  llvm::Expected<std::string> chip = parseChip(options.chip);
  if (!chip)
    return emitError(source->getLoc(), llvm::toString(chip.takeError()));

  // The interpreter must compute the same bits, so its program is contracted,
  // too.
  PassManager contraction(source->getContext());
  contraction.addPass(createObsContractFloatsPass());
  if (failed(contraction.run(*source)))
    return failure();
  kernels = source->clone();
  ObsToGPUOptions pipeline;
  setPipeline(options, pipeline);
  if (failed(lowerToGPU(*kernels, name, pipeline)))
    return failure();
  auto made =
      artefact::build(*kernels, *chip, artefact::getSignatures(*source));
  if (!made)
    return emitError(source->getLoc(), llvm::toString(made.takeError()));
  return setArtefact(std::move(*made), name);
}

LogicalResult Program::setArtefact(artefact::Artefact made, StringRef name) {
  artefact = std::make_shared<artefact::Artefact>(std::move(made));
  entry = name.empty() && artefact->functions.size() == 1
              ? &artefact->functions.front()
              : artefact->findFunction(name.empty() ? "main" : name);
  if (!entry)
    compiler.addError(llvm::createStringError("the contract has no function '" +
                                              (name.empty() ? "main" : name) +
                                              "'"));
  return success(entry);
}

ModuleOp Program::getKernels() {
  if (!kernels) {
    auto text = shown.find(Form::Kernels);
    if (text == shown.end())
      compiler.addError(llvm::createStringError(
          "the program was read without its kernels for the emulator"));
    else
      kernels = parseSourceString<ModuleOp>(
          text->second, ParserConfig(compiler.context.get()), "<kernels>");
  }
  return kernels.get();
}

static llvm::json::Object toJSON(const Message &message) {
  llvm::json::Object object{{"text", llvm::json::fixUTF8(message.text)},
                            {"location", nullptr}};
  if (!message.file.empty())
    object["location"] =
        llvm::json::Object{{"file", llvm::json::fixUTF8(message.file)},
                           {"line", message.line},
                           {"column", message.column}};
  return object;
}

/// The answers of `obs-check-races`, by kind. `data` are those that are proofs
/// or races, in the order of the messages.
static llvm::json::Value sortAnswers(ArrayRef<Message> messages,
                                     ArrayRef<llvm::json::Object> data) {
  llvm::json::Array proofs, races, unproved;
  for (const Message &message : messages) {
    llvm::json::Array notes;
    for (const Message &note : message.notes)
      notes.push_back(toJSON(note));
    llvm::json::Object answer;
    bool isProof = message.severity == DiagnosticSeverity::Remark;
    bool isRace = StringRef(message.text).starts_with("[race] ");
    // Other errors are those of kernels that cannot be checked.
    if ((isProof || StringRef(message.text).starts_with("[race")) &&
        !data.empty()) {
      answer = data.front();
      data = data.drop_front();
    }
    for (auto &[key, value] : toJSON(message))
      answer[key] = value;
    answer["notes"] = std::move(notes);
    (isProof ? proofs : isRace ? races : unproved).push_back(std::move(answer));
  }
  return llvm::json::Object{{"version", 1},
                            {"proofs", std::move(proofs)},
                            {"races", std::move(races)},
                            {"unproved", std::move(unproved)}};
}

LogicalResult Program::write(Form form, raw_ostream &os) {
  auto print = [&](llvm::Expected<std::string> text) {
    if (text)
      os << *text;
    else
      compiler.addError(text.takeError());
    return success(static_cast<bool>(text));
  };
  auto runPass = [&](ModuleOp module, std::unique_ptr<Pass> pass) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager manager(module->getName());
    manager.addPass(std::move(pass));
    return manager.run(*copy);
  };
  auto printData = [&](FailureOr<llvm::json::Value> data) {
    if (succeeded(data))
      os << llvm::formatv("{0:2}", *data);
    return success(succeeded(data));
  };
  if (!source && form != Form::HostC) {
    compiler.addError(llvm::createStringError(
        "the program was read, and not with this form"));
    return failure();
  }
  ObsToGPUOptions pipeline;
  setPipeline(options, pipeline);
  switch (form) {
  case Form::Kernels:
    kernels->print(os, OpPrintingFlags().enableDebugInfo());
    return success();
  case Form::PTX:
    return artefact->kernels.empty()
               ? success()
               : print(translateToPTX(*kernels, options.chip));
  case Form::Contract: {
    auto contract = artefact::toJSON(*artefact);
    return print(contract ? llvm::Expected<std::string>(
                                llvm::formatv("{0:2}", *contract).str())
                          : contract.takeError());
  }
  case Form::HostC: {
    const std::string *ptx = find(Form::PTX);
    if (!ptx)
      return failure();
    llvm::Error error = artefact::printHostC(*artefact, *ptx, os);
    bool isPrinted = !error;
    compiler.addError(std::move(error));
    return success(isPrinted);
  }
  case Form::Cost:
    return LogicalResult(reportCost(*source, pipeline, os));
  case Form::CostJSON:
    return printData(reportCost(*source, pipeline, llvm::nulls()));
  case Form::Barriers:
    return LogicalResult(explainBarriers(*source, pipeline));
  case Form::BarriersJSON:
    return printData(explainBarriers(*source, pipeline));
  case Form::Races:
    return runPass(*kernels, createObsCheckRacesPass());
  case Form::RacesJSON: {
    SmallVector<llvm::json::Object> answers;
    (void)checkRaces(*kernels, answers);
    return printData(sortAnswers(compiler.messages, answers));
  }
  }
  llvm_unreachable("not a form");
}

const std::string *Program::find(Form form) {
  bool isMessages = form == Form::Barriers || form == Form::BarriersJSON ||
                    form == Form::Races || form == Form::RacesJSON;
  auto found = shown.find(form);
  if (found == shown.end() || isMessages) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (failed(write(form, os)))
      return nullptr;
    found = shown.insert_or_assign(form, std::move(text)).first;
  }
  return &found->second;
}

FailureOr<StringRef> Program::show(Form form) {
  Compiler::Call call(compiler);
  const std::string *text = find(form);
  if (!text)
    return failure();
  return StringRef(*text);
}
