//===- Pipelines.cpp - From programs to kernels ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Pipelines/Pipelines.h"

#include "Obsidian/Conversion/Passes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Emulator/Passes.h"
#include "Obsidian/Target/Chip.h"
#include "Obsidian/Target/Passes.h"
#include "Obsidian/Target/ToPTX.h"
#include "Obsidian/Transforms/Arrays/Passes.h"
#include "Obsidian/Transforms/Collectives/Passes.h"
#include "Obsidian/Transforms/GPU/Passes.h"
#include "Obsidian/Transforms/Host/Passes.h"
#include "Obsidian/Transforms/Level/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::obs {

void buildObsToLaunchesPipeline(OpPassManager &pm,
                                const ObsToLaunchesOptions &options) {
  // Launches.
  pm.addPass(createObsHoistForcesPass());
  pm.addPass(createObsDropCopiesPass());
  pm.addPass(createObsOutlineKernelsPass());

  // Memory.
  OpPassManager &host = pm.nest<func::FuncOp>();
  host.addPass(createObsBufferizeHostPass());
  if (options.reuse) {
    host.addPass(createObsFoldExtentsPass());
    host.addPass(createObsHoistInvariantsPass());
  }
  host.addPass(createObsFreeBuffersPass());
  if (options.reuse) {
    pm.addPass(createObsReuseBuffersPass());
    pm.addPass(createObsRotateBuffersPass());
    // Also the buffers of loops.
    pm.addPass(createObsReuseBuffersPass());
    pm.addPass(createObsHoistBuffersPass());
  }
  if (options.plan)
    pm.addPass(createObsReportPlanPass());
}

void buildObsToLevelsPipeline(OpPassManager &pm,
                              const ObsToGPUOptions &options) {
  auto verify = [&] {
    if (options.verifyLevels)
      pm.addNestedPass<KernelOp>(createObsVerifyLevelsPass());
  };

  // Arrays.
  pm.addPass(createObsWidenLoopsPass());
  pm.addPass(createObsContractFloatsPass());
  pm.addPass(createObsVerifyCallsPass());
  pm.addPass(createInlinerPass());
  pm.addPass(createObsFoldTablesPass());
  ObsInsertRuntimeChecksPassOptions checks;
  checks.hostOnly = !options.runtimeChecks;
  pm.addPass(createObsInsertRuntimeChecksPass(checks));
  pm.addPass(createObsMergeReductionsPass());
  ObsExpandCollectivesPassOptions collectives;
  collectives.deterministic = options.deterministic;
  collectives.sharedBytes = options.sharedBytes;
  collectives.plain = options.plainCollectives;
  collectives.tensorCores = options.tensorCores;
  collectives.threads = options.threads;
  pm.addPass(createObsExpandCollectivesPass(collectives));
  pm.addPass(createObsUnrollLoopsPass());
  pm.addPass(createStructuredCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createObsProveDisjointPass());
  pm.addPass(createObsFuseArraysPass());
  pm.addPass(createObsBatchDistributePass());
  // One sub-program reads its part of an array that now belongs to all of them.
  pm.addPass(createObsFuseArraysPass());
  pm.addPass(createStructuredCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.tiles) {
    pm.addPass(createObsTileTransposesPass());
    ObsStageRowsPassOptions rows;
    rows.limit = std::min<int64_t>(rows.limit, options.sharedBytes);
    pm.addPass(createObsStageRowsPass(rows));
  }
  ObsToLaunchesOptions launches;
  launches.reuse = options.reuseBuffers;
  // A user who needs the plan runs this pipeline.
  launches.plan = false;
  buildObsToLaunchesPipeline(pm, launches);
  pm.addPass(createObsShareKernelsPass());
  if (options.threads == 0)
    pm.addPass(createObsVersionKernelsPass());
  ObsSetLaunchPassOptions launch;
  launch.threads = options.threads;
  launch.blocks = options.blocks;
  launch.limit = options.sharedBytes;
  pm.addPass(createObsSetLaunchPass(launch));

  addLevelPasses(pm, options.sharedBytes);
  ObsTileGridPassOptions tiles;
  tiles.enable = options.tiles;
  tiles.addsVectors = options.addsVectors;
  pm.addPass(createObsTileGridPass(tiles));
  ObsStageTablesPassOptions tables;
  tables.limit = options.sharedBytes;
  pm.addNestedPass<KernelOp>(createObsStageTablesPass(tables));
  verify();
}

void setChip(ObsToGPUOptions &options, StringRef chip) {
  options.sharedBytes = getSharedBytes(chip);
  options.addsVectors = canAddVectors(chip);
  options.tensorCores = hasTensorCores(chip);
}

void buildObsToGPUPipeline(OpPassManager &pm, const ObsToGPUOptions &options) {
  buildObsToLevelsPipeline(pm, options);
  pm.addPass(createObsMapLevelsPass());

  // Threads. Barriers count as writes, so loads and stores stay where they are.
  pm.addPass(createStructuredCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createObsHoistInvariantsPass());
  pm.addPass(createObsMergeKernelsPass());
  pm.addPass(createObsJoinExtentsPass());
  pm.addPass(createObsAlignArgumentsPass());
  pm.addPass(createObsWriteTilesPass());
  if (options.tiles)
    pm.addPass(createObsUnrollReadsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createObsAlignAccessesPass());
  if (options.tiles)
    pm.addPass(createObsRestrictArgumentsPass());
  pm.addPass(createObsSaturateHalvesPass());
  pm.addPass(createObsFreezeIntegersPass());
}

LogicalResult runVerifiedOnce(PassManager &manager, ModuleOp module) {
  manager.enableVerifier(false);
  return success(succeeded(manager.run(module)) && succeeded(verify(module)));
}

LogicalResult lowerToGPU(ModuleOp module, StringRef entry,
                         const ObsToGPUOptions &options) {
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isEntry = function.getName() == entry;
    if (isEntry && !isHostFunction(function))
      return function.emitOpError(
          "[call-inline] is a function of a level, which becomes a part of its "
          "callers; compile a host function that calls it");
    function.setVisibility(isEntry ? SymbolTable::Visibility::Public
                                   : SymbolTable::Visibility::Private);
  }
  PassManager manager(module->getName());
  manager.addPass(createSymbolDCEPass());
  buildObsToGPUPipeline(manager, options);
  return runVerifiedOnce(manager, module);
}

llvm::Error buildObsToNVVMPipeline(OpPassManager &pm,
                                   const ObsToNVVMOptions &options) {
  if (options.format != "isa" && options.format != "nvvm")
    return llvm::createStringError("unknown format '" + Twine(options.format) +
                                   "'; known are isa and nvvm");
  llvm::Expected<std::string> chip = parseChip(options.chip);
  if (!chip)
    return chip.takeError();
  ObsToGPUOptions toGPU;
  toGPU.threads = options.threads;
  toGPU.blocks = options.blocks;
  toGPU.deterministic = options.deterministic;
  setChip(toGPU, options.chip);
  buildObsToGPUPipeline(pm, toGPU);
  buildKernelsToNVVMPipeline(pm.nest<gpu::GPUModuleOp>(), options.chip,
                             options.libdevice);
  if (options.format == "nvvm")
    return llvm::Error::success();
  SerializeKernelsPassOptions serialize;
  serialize.chip = options.chip;
  serialize.libdevice = options.libdevice;
  pm.addPass(createSerializeKernelsPass(serialize));
  return llvm::Error::success();
}

void buildObsToCPUPipeline(OpPassManager &pm, const ObsToGPUOptions &options) {
  buildObsToGPUPipeline(pm, options);
  // Erases the host code, which launches GPU kernels.
  pm.addPass(createIsolateKernelsPass());
  pm.addPass(emulator::createConvertGPUToEmulatorPass());
  emulator::buildEmulatorToLLVMPipeline(pm.nest<ModuleOp>());
}

using ErrorHandler = function_ref<LogicalResult(const Twine &)>;

/// Registers a pipeline of modules. In a pass manager of other operations, its
/// passes would end the process.
template <typename Options>
static void registerPipeline(
    StringRef name, StringRef description,
    std::function<LogicalResult(OpPassManager &, const Options &, ErrorHandler)>
        build) {
  registerPassPipeline(
      name, description,
      [name, build](OpPassManager &pm, StringRef text, ErrorHandler onError) {
        if (pm.getOpAnchorName() != ModuleOp::getOperationName())
          return onError("the pipeline '" + name +
                         "' is for 'builtin.module', not for '" +
                         pm.getOpAnchorName() + "'");
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        return build(pm, options, onError);
      },
      [](function_ref<void(const ::mlir::detail::PassOptions &)> handler) {
        handler(Options());
      });
}

void registerObsPipelines() {
  registerObsTargetPasses();
  registerPipeline<ObsToLaunchesOptions>(
      "obs-to-launches",
      "Lower fused programs over arrays to kernels, and host functions in "
      "memory that launch them; report the plan",
      [](OpPassManager &pm, const ObsToLaunchesOptions &options, ErrorHandler) {
        buildObsToLaunchesPipeline(pm, options);
        return success();
      });
  auto add = [](StringRef name, StringRef description,
                void (*build)(OpPassManager &, const ObsToGPUOptions &)) {
    registerPipeline<ObsToGPUOptions>(name, description,
                                      [build](OpPassManager &pm,
                                              const ObsToGPUOptions &options,
                                              ErrorHandler) {
                                        build(pm, options);
                                        return success();
                                      });
  };
  add("obs-to-levels",
      "Lower programs over arrays to kernels in level IR, with barriers and a "
      "plan of shared memory, as the input of obs-map-levels",
      buildObsToLevelsPipeline);
  add("obs-to-gpu",
      "Lower programs over arrays to GPU kernels, and host functions that "
      "launch them",
      buildObsToGPUPipeline);
  add("obs-to-cpu",
      "Lower programs to the functions in the LLVM dialect that the emulator "
      "runs",
      buildObsToCPUPipeline);
  registerPipeline<ObsToNVVMOptions>(
      "obs-to-nvvm", "Lower programs to kernels in NVVM or PTX",
      [](OpPassManager &pm, const ObsToNVVMOptions &options,
         ErrorHandler onError) -> LogicalResult {
        if (llvm::Error error = buildObsToNVVMPipeline(pm, options))
          return onError(llvm::toString(std::move(error)));
        return success();
      });
}

} // namespace mlir::obs
