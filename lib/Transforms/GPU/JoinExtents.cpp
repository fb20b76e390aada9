//===- JoinExtents.cpp - One parameter for equal extents ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSJOINEXTENTSPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "KernelRanges.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::obs;

/// The values that are equal before `launch`: equal constants, and those of
/// assertions before it.
static llvm::EquivalenceClasses<const void *>
getEqual(gpu::LaunchFuncOp launch) {
  llvm::EquivalenceClasses<const void *> equal;
  for (Value operand : launch.getKernelOperands()) {
    Attribute constant;
    equal.insert(operand.getAsOpaquePointer());
    if (matchPattern(operand, m_Constant(&constant)))
      equal.unionSets(operand.getAsOpaquePointer(),
                      constant.getAsOpaquePointer());
  }
  for (Operation *parent = launch; parent->getBlock();
       parent = parent->getParentOp())
    for (Operation *op = parent->getPrevNode(); op; op = op->getPrevNode()) {
      auto check = dyn_cast<cf::AssertOp>(op);
      auto comparison = check ? check.getArg().getDefiningOp<arith::CmpIOp>()
                              : arith::CmpIOp();
      if (comparison && comparison.getPredicate() == arith::CmpIPredicate::eq)
        equal.unionSets(comparison.getLhs().getAsOpaquePointer(),
                        comparison.getRhs().getAsOpaquePointer());
    }
  return equal;
}

/// Uses the parameters of `kernel` for the extents of its arrays.
static void resolveExtents(gpu::GPUFuncOp kernel) {
  kernel.walk([](memref::DimOp dim) {
    if (Value size = resolveExtent(dim); size != dim) {
      dim.replaceAllUsesWith(size);
      dim.erase();
    }
  });
}

/// True if a loop of `kernel` has groups of iterations, which
/// `obs-write-tiles` will write.
static bool hasGroups(gpu::GPUFuncOp kernel) {
  return containsOp(kernel, [](scf::ForOp loop) {
    return hasAttr<ObsDialect::ItemsAttrHelper>(loop);
  });
}

namespace {
struct JoinExtents : obs::impl::ObsJoinExtentsPassBase<JoinExtents> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    // For each parameter, the classes of what the launches pass.
    llvm::MapVector<gpu::GPUFuncOp, SmallVector<SmallVector<const void *>>>
        passed;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
          symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
      if (!kernel)
        return;
      auto equal = getEqual(launch);
      auto &arguments = passed[kernel];
      arguments.resize(kernel.getNumArguments());
      for (auto [classes, operand] :
           llvm::zip_equal(arguments, launch.getKernelOperands()))
        classes.push_back(equal.getLeaderValue(operand.getAsOpaquePointer()));
    });
    for (auto &[kernel, arguments] : passed) {
      if (!hasGroups(kernel))
        continue;
      // Pairs of an argument and an earlier one that is equal.
      SmallVector<std::pair<BlockArgument, BlockArgument>> pairs;
      for (unsigned j = 1; j < arguments.size(); ++j)
        for (unsigned i = 0; i < j; ++i)
          if (isa<IndexType>(kernel.getArgument(j).getType()) &&
              isa<IndexType>(kernel.getArgument(i).getType()) &&
              arguments[i] == arguments[j]) {
            pairs.push_back({kernel.getArgument(j), kernel.getArgument(i)});
            break;
          }
      if (pairs.empty())
        continue;
      resolveExtents(kernel);
      for (auto [later, earlier] : pairs) {
        joined += !later.use_empty();
        later.replaceAllUsesWith(earlier);
      }
    }
  }
};
} // namespace
