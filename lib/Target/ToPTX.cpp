//===- ToPTX.cpp - From kernels to PTX text -------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Target/ToPTX.h"
#include "EmitPTX.h"
#include "Obsidian/Conversion/Toolkit.h"
#include "Obsidian/Target/Chip.h"
#include "Obsidian/Target/Passes.h"
#include "Obsidian/Transforms/GPU/Passes.h"

#include "Obsidian/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace mlir::obs {

namespace {
/// A chip. `feature` is the first version of PTX that supports it and its
/// additions of vectors, but at least 7.0, which has bf16 and scoped atomics.
/// `sharedKiB` is the shared memory that a block can have.
struct Chip {
  StringLiteral name, feature;
  int64_t sharedKiB;
};
} // namespace

static constexpr Chip kChips[] = {
    {"sm_70", "+ptx70", 96},    {"sm_72", "+ptx70", 96},
    {"sm_75", "+ptx70", 64},    {"sm_80", "+ptx70", 163},
    {"sm_86", "+ptx71", 99},    {"sm_87", "+ptx74", 163},
    {"sm_89", "+ptx78", 99},    {"sm_90", "+ptx81", 227},
    {"sm_90a", "+ptx81", 227},  {"sm_100", "+ptx86", 227},
    {"sm_100a", "+ptx86", 227}, {"sm_103", "+ptx88", 227},
    {"sm_103a", "+ptx88", 227}, {"sm_120", "+ptx87", 99},
    {"sm_120a", "+ptx87", 99},  {"sm_121", "+ptx88", 99},
    {"sm_121a", "+ptx88", 99}};

static const Chip *findChip(StringRef name) {
  return llvm::find_if(kChips,
                       [&](const Chip &chip) { return chip.name == name; });
}

llvm::Expected<std::string> parseChip(StringRef chip) {
  if (findChip(chip) != std::end(kChips))
    return chip.str();
  std::string known;
  for (const Chip &candidate : kChips)
    known += (known.empty() ? "" : ", ") + candidate.name.str();
  return llvm::createStringError("unknown chip '" + chip + "'; known are " +
                                 known);
}

StringRef getPTXFeature(StringRef chip) {
  const Chip *found = findChip(chip);
  return found == std::end(kChips) ? StringRef() : StringRef(found->feature);
}

int64_t getSharedBytes(StringRef chip) {
  const Chip *found = findChip(chip);
  if (found == std::end(kChips))
    found = findChip("sm_90");
  return found->sharedKiB * 1024;
}

void buildKernelsToNVVMPipeline(OpPassManager &pm, StringRef chip,
                                StringRef libdevice) {
  pm.addNestedPass<gpu::GPUFuncOp>(createExpandExchangesPass());
  pm.addNestedPass<gpu::GPUFuncOp>(createCombineAssertsPass());
  pm.addNestedPass<gpu::GPUFuncOp>(createNarrowIndicesPass());
  pm.addNestedPass<gpu::GPUFuncOp>(createExpandRemaindersPass());
  pm.addNestedPass<gpu::GPUFuncOp>(createUnrollWhilePass());
  if (canWaitForKernels(chip))
    pm.addNestedPass<gpu::GPUFuncOp>(createWaitForKernelsPass());
  // No pattern of this pipeline fails after it has changed the code, so there
  // is no need to keep what it would take to undo the changes.
  SCFToControlFlowPassOptions branches;
  branches.allowPatternRollback = false;
  pm.addPass(createSCFToControlFlowPass(branches));
  ConvertKernelsToNVVMPassOptions options;
  options.libdevice = libdevice.str();
  pm.addPass(createConvertKernelsToNVVMPass(options));
}

/// Lowers a copy of the kernels of `module` to the NVVM dialect and passes it
/// to `emit`. An error without a text has already been reported.
static llvm::Expected<std::string>
lowerAndEmit(ModuleOp module, StringRef chip, const PTXOptions &options,
             function_ref<FailureOr<std::string>(gpu::GPUModuleOp)> emit) {
  llvm::Expected<std::string> parsed = parseChip(chip);
  if (!parsed)
    return parsed.takeError();
  auto reported = [] { return llvm::createStringError(""); };
  SmallVector<gpu::GPUModuleOp> kernels(module.getOps<gpu::GPUModuleOp>());
  if (kernels.empty()) {
    emitError(module.getLoc(), "the program has no kernels");
    return reported();
  }
  if (kernels.size() > 1) {
    kernels[1]
            .emitError("a program has one module of kernels")
            .attachNote(kernels[0].getLoc())
        << "the first one";
    return reported();
  }

  // The passes need a module around the module that they run on.
  OwningOpRef<ModuleOp> copy(ModuleOp::create(module.getLoc()));
  OpBuilder builder = OpBuilder::atBlockBegin(copy->getBody());
  auto kernelModule =
      cast<gpu::GPUModuleOp>(builder.clone(*kernels.front().getOperation()));
  PassManager manager(module->getName());
  manager.enableVerifier(false);
  buildKernelsToNVVMPipeline(manager.nest<gpu::GPUModuleOp>(), chip,
                             options.libdevice);
  if (failed(manager.run(*copy)) || failed(verify(*copy)))
    return reported();
  if (options.lineInfo)
    detail::addLineInfo(kernelModule);
  FailureOr<std::string> text = emit(kernelModule);
  if (failed(text))
    return reported();
  return *text;
}

llvm::Expected<std::string> translateToPTX(ModuleOp module, StringRef chip,
                                           const PTXOptions &options) {
  return lowerAndEmit(module, chip, options, [&](gpu::GPUModuleOp kernels) {
    return emitPTX(kernels, chip, options);
  });
}

/// Runs `ptxas` on PTX text.
static llvm::Expected<std::string> assemble(StringRef ptx, StringRef chip) {
  std::string ptxas = findInToolkit("bin/ptxas");
  if (ptxas.empty())
    if (auto found = llvm::sys::findProgramByName("ptxas"))
      ptxas = *found;
  if (ptxas.empty())
    return llvm::createStringError(
        "machine code needs ptxas of the CUDA toolkit, which was not found; "
        "set CUDA_HOME, or use the PTX, which the driver compiles");

  SmallString<128> input, output, messages;
  llvm::FileRemover removeInput, removeOutput, removeMessages;
  auto create = [](StringRef suffix, SmallString<128> &path,
                   llvm::FileRemover &remover) {
    std::error_code error =
        llvm::sys::fs::createTemporaryFile("obs", suffix, path);
    remover.setFile(path);
    return error;
  };
  for (std::error_code error : {create("ptx", input, removeInput),
                                create("cubin", output, removeOutput),
                                create("txt", messages, removeMessages)})
    if (error)
      return llvm::createStringError("cannot create a temporary file: " +
                                     error.message());
  std::error_code error;
  llvm::raw_fd_ostream stream(input, error);
  stream << ptx;
  stream.close();
  if (error || stream.has_error()) {
    stream.clear_error();
    return llvm::createStringError("cannot write " + Twine(input));
  }

  std::string arch = ("-arch=" + chip).str(), why;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-lineinfo", input, "-o", output},
      /*Env=*/std::nullopt,
      {std::nullopt, StringRef(messages), StringRef(messages)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &why);
  if (status != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(messages); text && why.empty())
      why = (*text)->getBuffer().trim().str();
    return llvm::createStringError("ptxas failed: " + why);
  }
  auto cubin = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!cubin)
    return llvm::createStringError("cannot read what ptxas wrote: " +
                                   cubin.getError().message());
  return (*cubin)->getBuffer().str();
}

llvm::Expected<std::string> translateToCubin(ModuleOp module, StringRef chip,
                                             const PTXOptions &options) {
  llvm::Expected<std::string> ptx = translateToPTX(module, chip, options);
  if (!ptx)
    return ptx;
  return assemble(*ptx, chip);
}

llvm::Expected<std::string> translateToLLVMIR(ModuleOp module, StringRef chip,
                                              const PTXOptions &options) {
  return lowerAndEmit(module, chip, options,
                      [&](gpu::GPUModuleOp kernels) -> FailureOr<std::string> {
                        auto machine = detail::getTargetMachine(kernels, chip);
                        if (failed(machine))
                          return failure();
                        llvm::LLVMContext context;
                        auto llvmModule = detail::emitLLVMIR(
                            kernels, context, **machine, options);
                        if (failed(llvmModule))
                          return failure();
                        std::string text;
                        llvm::raw_string_ostream(text) << **llvmModule;
                        return text;
                      });
}

} // namespace mlir::obs
