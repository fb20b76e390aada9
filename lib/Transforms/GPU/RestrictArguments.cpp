//===- RestrictArguments.cpp - Arrays that nothing else accesses ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSRESTRICTARGUMENTSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "Obsidian/Dialect/Obs/IR/ObsDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;

/// True if a kernel only loads from `memory` and its views, or only stores.
/// Then it does not exchange data with other threads there, and no barrier or
/// fence orders the accesses.
static bool hasOneEffect(Value memory) {
  bool isLoaded = false, isStored = false, isKnown = true;
  SmallVector<Value> views = {memory};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user))
        views.push_back(view);
      else if (isa<memref::LoadOp>(user))
        isLoaded = true;
      else if (isa<memref::StoreOp>(user))
        isStored = true;
      else if (!isa<memref::DimOp>(user))
        isKnown = false;
    }
  return isKnown && !(isLoaded && isStored);
}

namespace {
struct RestrictArguments
    : obs::impl::ObsRestrictArgumentsPassBase<RestrictArguments> {
  void runOnOperation() override {
    Attribute unit = UnitAttr::get(&getContext());
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      for (BlockArgument argument : kernel.getArguments()) {
        unsigned number = argument.getArgNumber();
        if (isa<MemRefType>(argument.getType()) &&
            !getArgAttr<ObsDialect::MayAliasAttrHelper>(kernel, number) &&
            hasOneEffect(argument))
          kernel.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                            unit);
      }
    });
  }
};
} // namespace
