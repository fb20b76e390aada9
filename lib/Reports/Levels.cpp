//===- Levels.cpp - The level IR that reports read ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Levels.h"
#include "Obsidian/Transforms/GPU/Passes.h"
#include "Obsidian/Transforms/Level/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::obs;

void obs::addReportDialects(DialectRegistry &registry) {
  ObsToGPUOptions options;
  OpPassManager pipeline(ModuleOp::getOperationName());
  buildObsToGPUPipeline(pipeline, options);
  pipeline.getDependentDialects(registry);
}

FailureOr<OwningOpRef<ModuleOp>>
obs::getLevels(ModuleOp module, const ObsToGPUOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    WalkResult result = kernel.walk([&](ForceOp force) {
      force.emitError("[report-stage] is not compiled to loops yet; give the "
                      "program that the kernel was made from");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  // Reports count the accesses and barriers of operations between blocks.
  auto expand = [&] {
    for (KernelOp kernel : copy->getOps<KernelOp>())
      expandExchanges(kernel, getPlace);
    return std::move(copy);
  };
  if (!module.getOps<KernelOp>().empty())
    return expand();
  if (!module.getOps<gpu::GPUModuleOp>().empty()) {
    module.emitError("[report-stage] has lowered kernels, which no longer "
                     "contain the information for the report; give the program "
                     "before lowering");
    return failure();
  }
  PassManager manager(module.getContext());
  buildObsToLevelsPipeline(manager, options);
  if (failed(runVerifiedOnce(manager, *copy)))
    return failure();
  return expand();
}

llvm::json::Value obs::toJSON(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return nullptr;
  return llvm::json::Object{
      {"file", llvm::json::fixUTF8(place.getFilename().getValue())},
      {"line", place.getLine()},
      {"column", place.getColumn()}};
}

llvm::json::Value obs::makeReport(llvm::json::Array kernels) {
  return llvm::json::Object{{"version", 1}, {"kernels", std::move(kernels)}};
}

FailureOr<SmallVector<Lowered>> obs::getLowered(ModuleOp levels) {
  OwningOpRef<ModuleOp> copy = levels.clone();
  PassManager manager(levels.getContext());
  manager.addPass(createObsMapLevelsPass());
  if (failed(manager.run(*copy)))
    return failure();
  SmallVector<Lowered> result;
  copy->walk([&](gpu::GPUFuncOp kernel) {
    Lowered &lowered = result.emplace_back();
    lowered.name = kernel.getName().str();
    if (std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize())
      lowered.threads = size->front();
  });
  return result;
}
