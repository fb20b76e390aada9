//===- SerializeKernels.cpp - PTX in the place of NVVM modules ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "Obsidian/Target/Passes.h"

#include "EmitPTX.h"

namespace mlir::obs {

namespace {
struct SerializeKernels : impl::SerializeKernelsPassBase<SerializeKernels> {
  using SerializeKernelsPassBase::SerializeKernelsPassBase;

  void runOnOperation() override {
    llvm::Expected<std::string> parsed = parseChip(chip);
    if (!parsed) {
      emitError(getOperation().getLoc()) << llvm::toString(parsed.takeError());
      return signalPassFailure();
    }
    Builder attributes(&getContext());
    PTXOptions options;
    options.libdevice = libdevice;
    for (auto module : llvm::make_early_inc_range(
             getOperation().getOps<gpu::GPUModuleOp>())) {
      FailureOr<std::string> ptx = emitPTX(module, *parsed, options);
      if (failed(ptx))
        return signalPassFailure();
      OpBuilder builder(module);
      auto target = NVVM::NVVMTargetAttr::get(&getContext(), /*optLevel=*/2,
                                              detail::kTriple, *parsed,
                                              getPTXFeature(*parsed));
      auto object = gpu::ObjectAttr::get(
          &getContext(), target, gpu::CompilationTarget::Assembly,
          attributes.getStringAttr(*ptx), DictionaryAttr(),
          gpu::KernelTableAttr());
      gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                            gpu::OffloadingLLVMTranslationAttrInterface(),
                            attributes.getArrayAttr({object}));
      module.erase();
    }
  }
};
} // namespace

} // namespace mlir::obs
