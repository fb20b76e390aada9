//===- ProveDisjoint.cpp - Mark writes that are not proved disjoint -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSPROVEDISJOINTPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Dialect/Obs/Analysis/DisjointWrites.h"

using namespace mlir;
using namespace mlir::obs;

/// Marks the writes of `fill` that its contract is for.
static void markWrites(FillOp fill) {
  fill.getBody().walk([&](WriteOp write) {
    if (write->getParentOfType<FillOp>() == fill &&
        write.getContract().value_or(Contract::Disjoint) ==
            Contract::Disjoint &&
        !getWriteMark(write))
      setWriteMark(write, WriteMark::Unproved);
  });
}

namespace {
struct ProveDisjoint : obs::impl::ObsProveDisjointPassBase<ProveDisjoint> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    WalkResult result = getOperation()->walk([&](FillOp fill) {
      // Unchecked writes are marked as claims when they are emitted.
      if (fill.getContract() != Contract::Disjoint || fill.getUnchecked() ||
          provesDisjointWrites(fill))
        return WalkResult::advance();
      // Indices that depend on arguments of a call are known by now. The passes
      // of most tools run without the verifier.
      if (failed(fill.verifySymbolUses(tables)))
        return WalkResult::interrupt();
      markWrites(fill);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
