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
#include <list>

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
  attributes.erase(unnamedAttrName);
  return attributes.getDictionary(kernel.getContext());
}

namespace {
/// Takes the first extents of arrays from the types in `kernel` while it lives:
/// no address depends on them, so they are no part of the code.
class WithoutExtents {
public:
  explicit WithoutExtents(gpu::GPUFuncOp kernel) {
    kernel.walk([&](memref::ReinterpretCastOp view) {
      MemRefType type = view.getType();
      if (type.getRank() == 0 || type.isDynamicDim(0))
        return;
      types.push_back({view, type});
      setExtent(view, 0);
    });
  }
  ~WithoutExtents() {
    for (auto [view, type] : types)
      setExtent(view, type.getDimSize(0));
  }
  WithoutExtents(const WithoutExtents &) = delete;
  WithoutExtents &operator=(const WithoutExtents &) = delete;

private:
  static void setExtent(memref::ReinterpretCastOp view, int64_t extent) {
    MemRefType type = view.getType();
    SmallVector<int64_t> shape(type.getShape()), sizes(view.getStaticSizes());
    shape[0] = sizes[0] = extent;
    view.getResult().setType(MemRefType::get(
        shape, type.getElementType(), type.getLayout(), type.getMemorySpace()));
    view.setStaticSizes(sizes);
  }

  SmallVector<std::pair<memref::ReinterpretCastOp, MemRefType>> types;
};
} // namespace

/// True if launches of `kernel` may be launches of `other`: the code is equal,
/// and nobody knows `kernel` by another name.
static bool canReplace(gpu::GPUFuncOp other, gpu::GPUFuncOp kernel) {
  return (kernel->hasAttr(unnamedAttrName) ||
          getEntry(other) == getEntry(kernel)) &&
         getProperties(other) == getProperties(kernel) &&
         OperationEquivalence::isRegionEquivalentTo(
             &other.getBody(), &kernel.getBody(),
             OperationEquivalence::IgnoreLocations);
}

namespace {
struct MergeKernels : obs::impl::ObsMergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      mergeIn(module);
  }

  void mergeIn(gpu::GPUModuleOp module) {
    SmallVector<gpu::GPUFuncOp> kernels(module.getOps<gpu::GPUFuncOp>()), kept;
    // Names that the source gives stay.
    llvm::stable_sort(kernels, [](gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
      return !a->hasAttr(unnamedAttrName) && b->hasAttr(unnamedAttrName);
    });
    std::list<WithoutExtents> compared;
    llvm::DenseMap<StringAttr, StringAttr> replaced;
    for (gpu::GPUFuncOp kernel : kernels) {
      compared.emplace_back(kernel);
      auto *equal = llvm::find_if(kept, [&](gpu::GPUFuncOp other) {
        return canReplace(other, kernel);
      });
      if (equal == kept.end()) {
        kept.push_back(kernel);
        continue;
      }
      compared.pop_back();
      replaced[kernel.getNameAttr()] = equal->getNameAttr();
      kernel.erase();
      ++merged;
    }
    for (gpu::GPUFuncOp kernel : kept) {
      kernel->removeAttr(entryAttrName);
      kernel->removeAttr(unnamedAttrName);
    }
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
