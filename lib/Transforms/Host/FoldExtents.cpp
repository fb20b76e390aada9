//===- FoldExtents.cpp - Extents of arrays that loops carry ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: host code on memrefs. Out: the extents of an array that a loop carries
// without a change of its extents are those of the first array, and the extents
// of an allocation are its operands. So they are known before the loop.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSFOLDEXTENTSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostExtents.h"
#include "HostMemory.h"

using namespace mlir;
using namespace mlir::obs;

/// The extents of carried arrays are those of the initial arrays. The extents
/// of an allocation are its operands.
static void foldExtents(func::FuncOp function) {
  function.walk([&](memref::DimOp dim) {
    std::optional<unsigned> number = getKnownDimension(dim);
    Value memory = dim.getSource();
    Extents extents;
    while (extents.isKept(memory))
      memory = getCarried(memory).front();
    if (!number)
      return;
    auto alloc = memory.getDefiningOp<gpu::AllocOp>();
    if (alloc && alloc.getType().isDynamicDim(*number)) {
      dim.replaceAllUsesWith(
          alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(*number)]);
      dim.erase();
      return;
    }
    if (memory == dim.getSource())
      return;
    OpBuilder builder(dim);
    dim.replaceAllUsesWith(
        memref::DimOp::create(builder, dim.getLoc(), memory, *number)
            .getResult());
    dim.erase();
  });
}

namespace {
struct FoldExtents : obs::impl::ObsFoldExtentsPassBase<FoldExtents> {
  void runOnOperation() override { foldExtents(getOperation()); }
};
} // namespace
