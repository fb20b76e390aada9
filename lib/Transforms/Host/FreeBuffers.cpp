//===- FreeBuffers.cpp - End of the memory of arrays ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All operations of a host function on device memory are executed in order on
// one stream. So memory whose last use was enqueued can be freed immediately.
//
// In: host code on memrefs. Out: every allocation whose memory does not leave
// its block is freed after the last use.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSFREEBUFFERSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
struct FreeBuffers : obs::impl::ObsFreeBuffersPassBase<FreeBuffers> {
  void runOnOperation() override;
};
} // namespace

void FreeBuffers::runOnOperation() {
  SmallVector<gpu::AllocOp> allocs;
  getOperation().walk([&](gpu::AllocOp alloc) { allocs.push_back(alloc); });
  for (gpu::AllocOp alloc : allocs) {
    Operation *last = getLastUse(alloc.getMemref(), alloc->getBlock(), alloc);
    if (!last)
      continue;
    OpBuilder builder(alloc.getContext());
    builder.setInsertionPointAfter(last);
    gpu::DeallocOp::create(builder, alloc.getLoc(), TypeRange(), ValueRange(),
                           alloc.getMemref());
  }
}
