//===- EmitPTX.cpp - LLVM IR and PTX of NVVM modules ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's serialisation always links libdevice, which takes longer than all
// other steps, and it does not select exact roots and quotients.
//
//===----------------------------------------------------------------------===//

#include "EmitPTX.h"
#include "KernelPasses.h"
#include "Obsidian/Conversion/Toolkit.h"
#include "Obsidian/Target/Chip.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include <mutex>

namespace mlir::obs {

/// Answers the questions that functions of libdevice ask about how they are
/// compiled: denormals are kept, quotients and square roots are rounded.
static void answerReflect(llvm::Module &module) {
  llvm::Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<llvm::CallInst>(user);
    if (!call)
      continue;
    auto *global = dyn_cast<llvm::GlobalVariable>(
        call->getArgOperand(0)->stripPointerCasts());
    auto *text =
        global && global->hasInitializer()
            ? dyn_cast<llvm::ConstantDataArray>(global->getInitializer())
            : nullptr;
    if (!text || !text->isCString() ||
        !text->getAsCString().starts_with("__CUDA_PREC_"))
      continue;
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 1));
    call->eraseFromParent();
  }
}

/// Links what `module` calls in libdevice, if it calls anything.
static LogicalResult linkLibdevice(llvm::Module &module, Operation *op,
                                   StringRef libdevice) {
  bool needed = llvm::any_of(module, [](llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
  if (!needed)
    return success();
  std::string path = libdevice.empty() ? findLibdevice() : libdevice.str();
  auto fail = [&](const Twine &why) {
    return emitError(op->getLoc())
           << "cannot read libdevice '" << path << "': " << why;
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(buffer.getError().message());
  auto library =
      llvm::getOwningLazyBitcodeModule(std::move(*buffer), module.getContext());
  if (!library)
    return fail(llvm::toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  bool failed = llvm::Linker::linkModules(
      module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &linked, const llvm::StringSet<> &names) {
        for (llvm::Function &function : linked)
          if (!function.isDeclaration() && names.contains(function.getName()))
            function.setLinkage(llvm::GlobalValue::InternalLinkage);
      });
  if (failed)
    return fail("it does not link");
  answerReflect(module);
  return success();
}

/// The arrays of threads in `module`, by this name; libdevice has its own.
static constexpr llvm::StringLiteral kArrayName = "obs.array";

static void nameArrays(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function))
      // The values to print are in a struct.
      if (auto *array = dyn_cast<llvm::AllocaInst>(&op);
          array && !array->getAllocatedType()->isStructTy())
        array->setName(kArrayName);
}

/// Remarks on the arrays that did not become registers.
static void reportLocalMemory(llvm::Module &module, gpu::GPUModuleOp source) {
  for (llvm::Function &function : module) {
    uint64_t bytes = 0;
    for (llvm::Instruction &op : llvm::instructions(function)) {
      auto *array = dyn_cast<llvm::AllocaInst>(&op);
      if (!array || !array->getName().starts_with(kArrayName))
        continue;
      if (auto size = array->getAllocationSize(module.getDataLayout()))
        bytes += size->getFixedValue();
    }
    auto kernel = source.lookupSymbol<LLVM::LLVMFuncOp>(function.getName());
    if (bytes && kernel)
      emitRemark(kernel.getLoc())
          << "kernel '" << function.getName() << "' keeps " << bytes
          << " bytes of each thread in local memory, since indices of an array "
             "of the thread are not constants";
  }
}

/// The version of PTX, such as 81 for `+ptx81`; 0 if it is not known.
static unsigned getPTXVersion(const llvm::TargetMachine &machine) {
  StringRef version = machine.getTargetFeatureString();
  unsigned number;
  bool isKnown =
      version.consume_front("+ptx") && !version.getAsInteger(10, number);
  return isKnown ? number : 0;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  machine.registerPassBuilderCallbacks(builder);
  builder.registerLateLoopOptimizationsEPCallback(
      [](llvm::LoopPassManager &manager, llvm::OptimizationLevel) {
        manager.addPass(detail::UnrollLoopsPass());
      });
  bool hasHints = getPTXVersion(machine) >= 74,
       addsVectors = canAddVectors(machine.getTargetCPU());
  builder.registerOptimizerLastEPCallback([=](llvm::ModulePassManager &manager,
                                              llvm::OptimizationLevel,
                                              llvm::ThinOrFullLTOPhase) {
    llvm::FunctionPassManager last;
    last.addPass(detail::JoinNeighboursPass());
    last.addPass(detail::HoistLoadsPass());
    if (hasHints)
      last.addPass(detail::HintLoadsPass());
    if (addsVectors)
      last.addPass(detail::JoinAdditionsPass());
    last.addPass(detail::ChooseRegistersPass());
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

/// Replaces the instructions for which `find` returns another value.
static void replaceInstructions(
    llvm::Module &module,
    llvm::function_ref<llvm::Value *(llvm::Instruction &)> find) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &op :
         llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::Value *other = find(op)) {
        op.replaceAllUsesWith(other);
        op.eraseFromParent();
      }
}

/// A choice instead of the conversion of a truth value to a float, or null.
/// NVPTX converts it as an integer of 32 bits without its sign, so that true
/// becomes 1, and not -1. The optimiser makes such conversions of longer ones,
/// so this comes last.
static llvm::Value *chooseForBit(llvm::Instruction &op) {
  bool isSigned = isa<llvm::SIToFPInst>(op);
  if ((!isSigned && !isa<llvm::UIToFPInst>(op)) ||
      !op.getOperand(0)->getType()->isIntOrIntVectorTy(1))
    return nullptr;
  llvm::IRBuilder<> builder(&op);
  return builder.CreateSelect(
      op.getOperand(0),
      llvm::ConstantFP::get(op.getType(), isSigned ? -1.0 : 1.0),
      llvm::ConstantFP::get(op.getType(), 0.0));
}

/// A choice between the results of `op`, if its operands are constants and one
/// choice between constant floats; null if they are not. The optimiser has not
/// seen the choices of `chooseForBit`. The assembler would compute such an
/// operation, and then make 0 of a -0.
static llvm::Value *foldChoice(llvm::Instruction &op) {
  if (!op.getType()->isFloatingPointTy() || isa<llvm::PHINode>(op))
    return nullptr;
  llvm::SelectInst *choice = nullptr;
  for (llvm::Value *operand : op.operands()) {
    auto *select = dyn_cast<llvm::SelectInst>(operand);
    if (select && isa<llvm::ConstantFP>(select->getTrueValue()) &&
        isa<llvm::ConstantFP>(select->getFalseValue()) &&
        (!choice || choice == select))
      choice = select;
    else if (!isa<llvm::Constant>(operand))
      return nullptr;
  }
  if (!choice)
    return nullptr;
  auto compute = [&](llvm::Value *chosen) {
    auto operands = llvm::map_to_vector(
        op.operands(), [&](llvm::Value *operand) -> llvm::Constant * {
          return cast<llvm::Constant>(operand == choice ? chosen : operand);
        });
    return llvm::ConstantFoldInstOperands(&op, operands, op.getDataLayout());
  };
  llvm::Constant *yes = compute(choice->getTrueValue());
  llvm::Constant *no = compute(choice->getFalseValue());
  if (!yes || !no)
    return nullptr;
  llvm::IRBuilder<> builder(&op);
  return builder.CreateSelect(choice->getCondition(), yes, no);
}

/// The same bits as `choice` if that is a choice between floats of which one is
/// -0; else null. The assembler of CUDA 13.0 takes a choice between -0 and 1 by
/// a comparison for one between 0 and 1.
static llvm::Value *chooseIntegers(llvm::SelectInst *choice) {
  auto isNegativeZero = [](llvm::Value *value) {
    auto *number = dyn_cast<llvm::ConstantFP>(value);
    return number && number->isZero() && number->isNegative();
  };
  if (!isNegativeZero(choice->getTrueValue()) &&
      !isNegativeZero(choice->getFalseValue()))
    return nullptr;
  llvm::IRBuilder<> builder(choice);
  llvm::Type *type = choice->getType();
  llvm::Type *bits = builder.getIntNTy(type->getScalarSizeInBits());
  llvm::Value *chosen = builder.CreateSelect(
      choice->getCondition(),
      builder.CreateBitCast(choice->getTrueValue(), bits),
      builder.CreateBitCast(choice->getFalseValue(), bits));
  return builder.CreateBitCast(chosen, type);
}

/// `b` and not `a`, if `difference` is `a ^ (a | b)` of truth values; else
/// null. The assembler of CUDA 13.0 takes this for `a`. The optimiser
/// simplifies it if the `or` is not a choice.
static llvm::Value *chooseOther(llvm::BinaryOperator *difference) {
  using namespace llvm::PatternMatch;
  llvm::Value *a, *b;
  if (!difference->getType()->isIntegerTy(1) ||
      !match(difference,
             m_c_Xor(m_Value(a), m_c_LogicalOr(m_Deferred(a), m_Value(b)))))
    return nullptr;
  llvm::IRBuilder<> builder(difference);
  return builder.CreateSelect(a, builder.getFalse(), b);
}

/// A conversion of a float to 32 bits, cut to the width of `number`; null if
/// `number` has 32 bits or more. The assembler of CUDA 13.0 may repeat a
/// conversion to 16 bits, and compare the upper half of its register, too.
static llvm::Value *convertTo32Bits(llvm::CastInst *number) {
  llvm::IRBuilder<> builder(number);
  llvm::Type *type = number->getType();
  if (type->isVectorTy() || type->getIntegerBitWidth() >= 32)
    return nullptr;
  llvm::Value *wide = builder.CreateCast(
      number->getOpcode(), number->getOperand(0), builder.getInt32Ty());
  return builder.CreateTrunc(wide, type);
}

/// Other code for an operation that the assembler of CUDA translates wrongly,
/// or null. The optimiser builds such operations, so this comes last.
static llvm::Value *avoidAssemblerError(llvm::Instruction &op) {
  if (auto *choice = dyn_cast<llvm::SelectInst>(&op))
    return chooseIntegers(choice);
  if (op.getOpcode() == llvm::Instruction::Xor)
    return chooseOther(cast<llvm::BinaryOperator>(&op));
  if (isa<llvm::FPToSIInst, llvm::FPToUIInst>(op))
    return convertTo32Bits(cast<llvm::CastInst>(&op));
  return nullptr;
}

FailureOr<std::unique_ptr<llvm::Module>>
detail::emitLLVMIR(gpu::GPUModuleOp nvvmModule, llvm::LLVMContext &context,
                   llvm::TargetMachine &machine, const PTXOptions &options) {
  // The translation writes the alignment of each access. Without this layout
  // it takes 4 bytes for an integer of 64 bits, which then needs two loads.
  llvm::DataLayout layout = machine.createDataLayout();
  nvvmModule->setDiscardableAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(nvvmModule.getContext(),
                      layout.getStringRepresentation()));
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(nvvmModule, context, nvvmModule.getName());
  if (!module)
    return emitError(nvvmModule.getLoc(), "cannot be translated to LLVM IR");
  module->setTargetTriple(machine.getTargetTriple());
  nameArrays(*module);
  if (failed(linkLibdevice(*module, nvvmModule, options.libdevice)))
    return failure();
  optimize(*module, machine);
  replaceInstructions(*module, chooseForBit);
  replaceInstructions(*module, foldChoice);
  replaceInstructions(*module, avoidAssemblerError);
  reportLocalMemory(*module, nvvmModule);
  return module;
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
detail::getTargetMachine(Operation *op, StringRef chip) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string message;
  llvm::Triple triple(kTriple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return emitError(op->getLoc(),
                     "this LLVM was built without the NVPTX target");
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, chip, getPTXFeature(chip),
                                  llvm::TargetOptions(), llvm::Reloc::PIC_));
}

FailureOr<std::string> emitPTX(gpu::GPUModuleOp nvvmModule, StringRef chip,
                               const PTXOptions &options) {
  auto machine = detail::getTargetMachine(nvvmModule, chip);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  auto module = detail::emitLLVMIR(nvvmModule, context, **machine, options);
  if (failed(module))
    return failure();

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return emitError(nvvmModule.getLoc(), "the NVPTX target cannot emit text");
  codegen.run(**module);
  return std::string(text);
}

} // namespace mlir::obs
