//===- Workers.cpp - The threads that run a kernel ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// True if the kernel uses warps. It then needs all lanes of each warp.
static bool usesWarps(KernelOp kernel) {
  auto isWarp = [](MapAttr map) {
    // A later check refuses loops of another form.
    return map &&
           (map.getScope() == Level::Warp || map.getUnit() == Level::Warp);
  };
  return containsOp(kernel, [&](Operation *op) {
    if (auto leaf = dyn_cast<scf::ForallOp>(op))
      return isWarp(getLeafMap(leaf));
    auto id = dyn_cast<WorkerIdOp>(op);
    return id && isWarp(id.getMap());
  });
}

Workers obs::getWorkers(KernelOp kernel) {
  int64_t threads = kernel.getThreads().value_or(1024);
  int64_t launched =
      usesWarps(kernel) ? llvm::alignTo(threads, warpSize) : threads;
  return {threads, launched};
}
