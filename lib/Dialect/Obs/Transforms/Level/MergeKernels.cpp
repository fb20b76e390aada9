//===- MergeKernels.cpp - Equal kernels become one ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Transforms/KernelNames.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSMERGEKERNELSPASS
#include "Obsidian/Dialect/Obs/Transforms/LevelPasses.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

static StringRef getEntry(gpu::GPUFuncOp kernel) {
  return getSourceName(kernel, entryAttrName);
}

/// All attributes but names.
static DictionaryAttr getProperties(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  attributes.erase(entryAttrName);
  return attributes.getDictionary(kernel.getContext());
}

static bool areEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
  return getEntry(a) == getEntry(b) && getProperties(a) == getProperties(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {
struct MergeKernels : obs::impl::ObsMergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      mergeIn(module);
  }

  void mergeIn(gpu::GPUModuleOp module) {
    llvm::StringMap<SmallVector<gpu::GPUFuncOp>> kept;
    llvm::DenseMap<StringAttr, StringAttr> replaced;
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>())) {
      SmallVector<gpu::GPUFuncOp> &others = kept[getEntry(kernel)];
      auto *equal = llvm::find_if(others, [&](gpu::GPUFuncOp other) {
        return areEqual(kernel, other);
      });
      if (equal == others.end()) {
        others.push_back(kernel);
        continue;
      }
      replaced[kernel.getNameAttr()] = equal->getNameAttr();
      kernel.erase();
      ++merged;
    }
    for (auto &[name, kernels] : kept)
      for (gpu::GPUFuncOp kernel : kernels)
        kernel->removeAttr(entryAttrName);
    if (replaced.empty())
      return;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (launch.getKernelModuleName() != module.getNameAttr())
        return;
      if (StringAttr name = replaced.lookup(launch.getKernelName()))
        launch.setKernelAttr(SymbolRefAttr::get(
            module.getNameAttr(), {FlatSymbolRefAttr::get(name)}));
    });
  }
};
} // namespace
