//===- JIT.cpp - Machine code for converted kernels -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JIT.h"

#include "HalfConversions.h"
#include "RuntimeABI.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace mlir;
using namespace mlir::obs::emulator;

static llvm::Error jitError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "emulator: " + message);
}

/// True if a loop accesses no memory. Nothing but its code limits its speed,
/// and a short one can have 2^32 iterations.
static bool hasLoopOfArithmetic(llvm::Module &module) {
  auto accesses = [](const llvm::Instruction &op) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&op);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return op.mayReadOrWriteMemory() &&
           !(callee && callee->getName() == hook::kPoll);
  };
  return llvm::any_of(module, [&](llvm::Function &function) {
    if (function.isDeclaration())
      return false;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    return llvm::any_of(loops.getLoopsInPreorder(), [&](llvm::Loop *loop) {
      return llvm::none_of(loop->blocks(), [&](llvm::BasicBlock *block) {
        return llvm::any_of(*block, accesses);
      });
    });
  });
}

/// Most launches of the emulator are short, and its checks take most of the
/// time of long ones. So a short compilation is worth more than fast code: with
/// the few passes for `isQuick`, a short run takes half of its time with `-O1`.
static void optimize(llvm::Module &module, llvm::TargetMachine &target,
                     bool isQuick) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (isQuick) {
    llvm::FunctionPassManager cleanup;
    cleanup.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    cleanup.addPass(llvm::EarlyCSEPass());
    cleanup.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(cleanup)));
  } else {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1);
  }
  passes.run(module, modules);
}

/// The most bytes of stack that the values of one function can take: without
/// optimisation, each value may have its own place.
static size_t countFrameBytes(const llvm::Module &module) {
  size_t most = 0;
  for (const llvm::Function &function : module) {
    size_t bytes = 0;
    for (const llvm::Instruction &op : llvm::instructions(function))
      if (op.getType()->isSized())
        bytes += std::max<size_t>(
            sizeof(void *),
            module.getDataLayout().getTypeAllocSize(op.getType()));
    most = std::max(most, bytes);
  }
  return most;
}

JIT::JIT(std::unique_ptr<llvm::orc::LLJIT> lljit, size_t frameBytes)
    : frameBytes(frameBytes), lljit(std::move(lljit)) {}
JIT::JIT(JIT &&) = default;
JIT::~JIT() = default;

llvm::Expected<JIT> JIT::compile(ModuleOp module) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });

  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, *context, "kernels");
  if (!llvmModule)
    return jitError("the kernels could not be translated to LLVM IR");

  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  bool isQuick = !hasLoopOfArithmetic(*llvmModule);
  builder->setCodeGenOptLevel(isQuick ? llvm::CodeGenOptLevel::None
                                      : llvm::CodeGenOptLevel::Less);
#if defined(__x86_64__)
  // With these instructions, results would depend on the processor: the bf16
  // instructions treat denormal numbers as zero, and the instructions that
  // classify floats in a maximum do not recognise a signalling NaN.
  builder->addFeatures(
      {"-avx512bf16", "-avxneconvert", "-avx10.2", "-avx512dq", "-avx512fp16"});
#endif
  auto target = builder->createTargetMachine();
  if (!target)
    return target.takeError();
  llvmModule->setDataLayout((*target)->createDataLayout());
  llvmModule->setTargetTriple((*target)->getTargetTriple());
  optimize(*llvmModule, **target, isQuick);
  size_t frameBytes = countFrameBytes(*llvmModule);

  auto lljit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(*builder)
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
          .setCompileFunctionCreator(
              [&](const llvm::orc::JITTargetMachineBuilder &)
                  -> llvm::Expected<
                      std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>> {
                return std::make_unique<llvm::orc::TMOwningSimpleCompiler>(
                    std::move(*target));
              })
          .create();
  if (!lljit)
    return lljit.takeError();

  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef name, auto *function) {
    symbols[(*lljit)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  define(hook::kAccess, &obs_emu_access);
  define(hook::kSyncAccess, &obs_emu_sync_access);
  define(hook::kIndexFailed, &obs_emu_index_failed);
  define(hook::kAssertFailed, &obs_emu_assert_failed);
  define(hook::kBlockBarrier, &obs_emu_block_barrier);
  define(hook::kWarpBarrier, &obs_emu_warp_barrier);
  define(hook::kShuffle, &obs_emu_shuffle);
  define(hook::kMultiply, &obs_emu_multiply);
  define(hook::kPrintf, &obs_emu_printf);
  define(hook::kPoll, &obs_emu_poll);
  define(hook::kFence, &obs_emu_fence);
  define(hook::kPrivateBegins, &obs_emu_private_begins);
  define(hook::kFmaBFloat, &obs_emu_fma_bfloat);
  define(hook::kSignedToBFloat, &obs_emu_signed_to_bfloat);
  define(hook::kUnsignedToBFloat, &obs_emu_unsigned_to_bfloat);
  forEachHalfConversion(
      [&](llvm::StringRef name, auto *function) { define(name, function); });
  if (llvm::Error error = (*lljit)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (llvm::Error error = (*lljit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(llvmModule), std::move(context))))
    return std::move(error);
  return JIT(std::move(*lljit), frameBytes);
}

llvm::Expected<void *> JIT::lookup(llvm::StringRef name) {
  llvm::Expected<llvm::orc::ExecutorAddr> address = lljit->lookup(name);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}
