//===- FitWarps.cpp - The number of warps whose arrays fit ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp of a block has arrays of its own, so the shared memory of a block
// limits the number of its warps. Which arrays are in shared memory, and which
// of them share bytes, is known only after the passes on level IR, whose
// decisions depend on the number of threads. So these passes run on a copy of
// the kernel for some numbers of warps.
//
//===----------------------------------------------------------------------===//

#include "FitWarps.h"

#include "Obsidian/Conversion/Passes.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "Obsidian/Transforms/Host/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

std::unique_ptr<Pass> obs::createStructuredCanonicalizerPass() {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal().setRegionSimplificationLevel(
      GreedySimplifyRegionLevel::Disabled);
  return createCanonicalizerPass(config);
}

void obs::addLevelPasses(OpPassManager &pm, int64_t limit) {
  pm.addPass(createConvertObsToSCFPass());
  // A program may contain kernels that the user has written.
  pm.addNestedPass<KernelOp>(createObsVerifyLevelsPass());
  pm.addPass(createStructuredCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &kernel = pm.nest<KernelOp>();
  kernel.addPass(createObsMergeResultsPass());
  kernel.addPass(createObsSplitLeavesPass());
  kernel.addPass(createObsAssignLayoutsPass());
  kernel.addPass(createObsAssignHomesPass());
  ObsReuseArraysPassOptions reuse;
  reuse.limit = limit;
  kernel.addPass(createObsReuseArraysPass(reuse));
  kernel.addPass(createObsPlaceBarriersPass());
  ObsAssignBanksPassOptions banks;
  banks.limit = limit;
  kernel.addPass(createObsAssignBanksPass(banks));
  ObsPlanSharedPassOptions shared;
  shared.limit = limit;
  kernel.addPass(createObsPlanSharedPass(shared));
}

/// The bytes of the array that a force stores, 0 if its extents have no bound.
static int64_t getBytes(PullType type) {
  if (!type.isBounded())
    return 0;
  int64_t bytes = 0;
  for (Type element : type.getElementTypes())
    bytes += getElementBytes(element);
  return bytes * ShapedType::getNumElements(type.getBoundedExtents());
}

/// True if the arrays of `warps` warps and those of the block need more than
/// `limit` bytes, if all of them are in shared memory.
static bool mayNotFit(KernelOp kernel, int64_t warps, int64_t limit) {
  // A loop that carries an array has two buffers for it.
  constexpr int64_t copies = 2;
  double ofWarp = 0, ofBlock = 0;
  kernel.walk([&](ForceOp force) {
    Level level = force.getArrayLevel();
    if (level == Level::Warp || level == Level::Block)
      for (Type type : force.getResultTypes())
        (level == Level::Warp ? ofWarp : ofBlock) +=
            getBytes(cast<PullType>(type));
  });
  return ofWarp > 0 && copies * (ofWarp * warps + ofBlock) > limit;
}

/// A module with a copy of `kernel`, and of what it may refer to.
static OwningOpRef<ModuleOp> copyAlone(KernelOp kernel) {
  auto source = cast<ModuleOp>(kernel->getParentOp());
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (Operation &op : *source.getBody()) {
    bool launches = containsOp(op, [](LaunchOp) { return true; });
    if (isa<KernelOp>(op) ? &op == kernel : !launches)
      builder.clone(op);
  }
  return module;
}

/// True if the passes on level IR succeed for blocks of `threads`. They report
/// nothing.
static bool fits(ModuleOp alone, int64_t threads, int64_t limit) {
  OwningOpRef<ModuleOp> copy = alone.clone();
  for (auto kernel : copy->getOps<KernelOp>())
    kernel.setThreads(threads);
  ScopedDiagnosticHandler silent(alone.getContext(),
                                 [](Diagnostic &) { return success(); });
  PassManager manager(alone.getContext());
  manager.enableVerifier(false);
  addLevelPasses(manager, limit);
  return succeeded(manager.run(*copy));
}

int64_t obs::fitWarps(KernelOp kernel, int64_t threads, int64_t limit) {
  int64_t warps = llvm::divideCeil(threads, warpSize);
  if (warps == 1 || !mayNotFit(kernel, warps, limit))
    return threads;
  OwningOpRef<ModuleOp> alone = copyAlone(kernel);
  for (; warps > 1; --warps)
    if (int64_t fewer = std::min(threads, warps * warpSize);
        fits(*alone, fewer, limit))
      return fewer;
  return warpSize;
}
