//===- Optimize.cpp - The passes of LLVM for kernels ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's pipelines are for programs with many functions, calls and objects
// in memory. Kernels have none of them, apart from functions of libdevice and
// arrays of threads. These are the passes of -O2 that change kernels, in its
// order. docs/Rationale.md tells how they were chosen.
//
//===----------------------------------------------------------------------===//

#include "EmitPTX.h"
#include "UnrollLoops.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SpeculativeExecution.h"

using namespace llvm;

/// Adds the passes of a function to those of its module. The results of
/// analyses are dropped behind them.
static void addFunctionPasses(ModulePassManager &module,
                              FunctionPassManager passes) {
  module.addPass(createModuleToFunctionPassAdaptor(std::move(passes),
                                                   /*EagerlyInvalidate=*/true));
}

static auto moveOutOfLoops() {
  return createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                         /*UseMemorySSA=*/true);
}

/// Folds what the conversion to LLVM leaves, and inlines what is linked.
static void addInlining(ModulePassManager &module) {
  FunctionPassManager early;
  early.addPass(SimplifyCFGPass());
  early.addPass(EarlyCSEPass());
  addFunctionPasses(module, std::move(early));
  module.addPass(IPSCCPPass());
  FunctionPassManager fold;
  fold.addPass(InstCombinePass());
  fold.addPass(
      SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  addFunctionPasses(module, std::move(fold));
  CGSCCPassManager components;
  components.addPass(InlinerPass());
  // Arguments that are only read: their loads use the data cache.
  components.addPass(PostOrderFunctionAttrsPass(/*SkipNonRecursive=*/true));
  module.addPass(
      createModuleToPostOrderCGSCCPassAdaptor(std::move(components)));
  module.addPass(GlobalDCEPass());
}

/// Removes operations, and loops that become straight code.
static void addSimplifications(ModulePassManager &module) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SpeculativeExecutionPass(/*OnlyIfDivergentTarget=*/true));
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(ReassociatePass());
  LoopPassManager rotate;
  rotate.addPass(LoopRotatePass());
  rotate.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(rotate),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  LoopPassManager loops;
  loops.addPass(IndVarSimplifyPass());
  loops.addPass(mlir::obs::detail::UnrollLoopsPass());
  loops.addPass(LoopDeletionPass());
  loops.addPass(LoopFullUnrollPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  // Arrays of threads, after the loops over them are unrolled.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(GVNPass());
  passes.addPass(SCCPPass());
  passes.addPass(moveOutOfLoops());
  addFunctionPasses(module, std::move(passes));
}

/// Chooses the form of branches and loops.
static void addFinalForms(ModulePassManager &module) {
  FunctionPassManager passes;
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                     .forwardSwitchCondToPhi(true)
                                     .convertSwitchRangeToICmp(true)
                                     .convertSwitchToArithmetic(true)
                                     .convertSwitchToLookupTable(true)
                                     .needCanonicalLoops(false)
                                     .hoistCommonInsts(true)
                                     .sinkCommonInsts(true)));
  passes.addPass(InstCombinePass());
  passes.addPass(LoopUnrollPass());
  // The alignment of copies of an access, for vectors.
  passes.addPass(InferAlignmentPass());
  passes.addPass(InstCombinePass());
  passes.addPass(moveOutOfLoops());
  passes.addPass(DivRemPairsPass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                     .convertSwitchRangeToICmp(true)
                                     .convertSwitchToArithmetic(true)
                                     .speculateUnpredictables(true)));
  addFunctionPasses(module, std::move(passes));
  module.addPass(ConstantMergePass());
}

void mlir::obs::detail::optimize(llvm::Module &module,
                                 llvm::TargetMachine &machine, bool enable) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  machine.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (!enable) {
    builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
        .run(module, modules);
    return;
  }
  llvm::ModulePassManager manager;
  // NVPTX answers the questions of libdevice about the chip.
  builder.invokePipelineStartEPCallbacks(manager, llvm::OptimizationLevel::O2);
  addInlining(manager);
  addSimplifications(manager);
  addFinalForms(manager);
  manager.run(module, modules);
}
