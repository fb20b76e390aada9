//===- ShareKernels.cpp - One kernel for equal programs -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a program often contain equal forces, such as the passes of
// a sort. The passes that follow take most of their time for kernels, so each
// kernel is lowered once. `obs-merge-kernels` later merges kernels that differ
// in numbers.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSSHAREKERNELSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::obs;

/// All attributes but the symbol.
static DictionaryAttr getProperties(KernelOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel.getContext());
}

static bool areEqual(KernelOp a, KernelOp b) {
  return getProperties(a) == getProperties(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {
struct ShareKernels : obs::impl::ObsShareKernelsPassBase<ShareKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kept;
    llvm::DenseMap<StringAttr, StringAttr> names;
    for (auto kernel : llvm::make_early_inc_range(module.getOps<KernelOp>())) {
      auto *same = llvm::find_if(
          kept, [&](KernelOp other) { return areEqual(kernel, other); });
      if (same == kept.end()) {
        kept.push_back(kernel);
        continue;
      }
      names[kernel.getSymNameAttr()] = same->getSymNameAttr();
      kernel.erase();
    }
    module.walk([&](LaunchOp launch) {
      if (StringAttr name = names.lookup(launch.getKernelAttr().getAttr()))
        launch.setKernel(name);
    });
  }
};
} // namespace
