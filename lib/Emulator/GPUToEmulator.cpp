//===- GPUToEmulator.cpp - Kernels become functions of one thread ---------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_CONVERTGPUTOEMULATORPASS
#include "Obsidian/Emulator/Passes.h"

#include "KernelConverter.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::obs::emulator {

namespace {

struct ConvertGPUToEmulator
    : impl::ConvertGPUToEmulatorPassBase<ConvertGPUToEmulator> {
  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules;
    getOperation().walk(
        [&](gpu::GPUModuleOp module) { modules.push_back(module); });
    for (gpu::GPUModuleOp module : modules) {
      FailureOr<OwningOpRef<ModuleOp>> converted =
          convertGPUModuleToEmulator(module);
      if (failed(converted))
        return signalPassFailure();
      module->getBlock()->getOperations().insert(module->getIterator(),
                                                 converted->release());
      module.erase();
    }
  }
};

} // namespace

/// Expands divisions that round up or down, which the LLVM dialect does not
/// have.
static void expandDivisions(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  walkAndApplyPatterns(module, std::move(patterns));
}

/// Replaces extents of memory by those in its descriptor. The conversion of
/// `memref.dim` to the LLVM dialect stores the extents on the stack in each
/// iteration of a loop, until the thread has no stack left.
static void expandDims(ModuleOp module) {
  module.walk([](memref::DimOp dim) {
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!number)
      return;
    OpBuilder builder(dim);
    auto parts = memref::ExtractStridedMetadataOp::create(builder, dim.getLoc(),
                                                          dim.getSource());
    dim.replaceAllUsesWith(parts.getSizes()[*number]);
    dim.erase();
  });
}

FailureOr<OwningOpRef<ModuleOp>>
convertGPUModuleToEmulator(gpu::GPUModuleOp source, bool watchPrivate) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(source.getLoc(), source.getName());
  ModuleState state(*module);
  for (Operation &op : *source.getBody()) {
    if (auto global = dyn_cast<memref::GlobalOp>(op)) {
      OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
      auto copy = cast<memref::GlobalOp>(builder.clone(op));
      copy.setSymName((kGlobalPrefix + global.getSymName()).str());
      copy.setType(cast<MemRefType>(withoutMemorySpace(copy.getType())));
      // The machine must be able to look up its address.
      copy.setSymVisibility("public");
      continue;
    }
    auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
    if (!kernel || !kernel.isKernel())
      return op.emitOpError("in a gpu.module is not supported by the emulator; "
                            "inline device functions first");
    if (failed(KernelConverter(state, kernel, watchPrivate).convert(*module)))
      return failure();
  }
  convertFloatOps(*module, state);
  state.finish();
  expandDivisions(*module);
  expandDims(*module);
  return module;
}

} // namespace mlir::obs::emulator
