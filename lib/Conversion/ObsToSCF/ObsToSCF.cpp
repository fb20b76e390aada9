//===- ObsToSCF.cpp - Arrays become buffers, programs become loops --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_CONVERTOBSTOSCFPASS
#include "Obsidian/Conversion/Passes.h"

#include "Emitter.h"
#include "ExactLoops.h"

using namespace mlir;
using namespace mlir::obs;

/// The private functions that combine the writes of kernels.
static llvm::SetVector<Operation *> findOperators(ModuleOp module) {
  llvm::SetVector<Operation *> operators;
  module.walk([&](Operation *op) {
    Attribute kind;
    if (auto write = dyn_cast<WriteOp>(op))
      kind = write.getKindAttr();
    else if (auto fill = dyn_cast<FillOp>(op))
      kind = fill.getKindAttr();
    if (auto name = dyn_cast_or_null<FlatSymbolRefAttr>(kind))
      if (auto function = module.lookupSymbol<SymbolOpInterface>(name);
          function && function.isPrivate())
        operators.insert(function);
  });
  return operators;
}

namespace {
struct ConvertObsToSCF : obs::impl::ConvertObsToSCFPassBase<ConvertObsToSCF> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> operators = findOperators(getOperation());
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      makeLoopsExact(kernel);
      if (failed(Emitter(kernel).run(kernel)))
        return signalPassFailure();
    }
    // They are part of the kernels now, and do not belong to host code.
    for (Operation *function : operators)
      if (SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function->erase();
  }
};
} // namespace
