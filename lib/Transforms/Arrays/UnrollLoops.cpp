//===- UnrollLoops.cpp - Unroll marked loops and stages of warps ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outer loops are unrolled first, because the bounds of an inner loop are often
// constants only after that.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSUNROLLLOOPSPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::obs;

/// The operations that one loop may become: some hundred stages of a network.
static constexpr int64_t maxOperations = 1 << 15;

/// The elements that the lanes of a warp keep in registers, and the stages of
/// loops over such arrays: a network of 1024 elements has 10 of up to 10.
static constexpr int64_t maxLaneElements = 1024, maxStages = 16;

static int64_t countOperations(scf::ForOp loop) {
  int64_t count = 0;
  loop.getBody()->walk([&](Operation *) { ++count; });
  return count;
}

/// The iterations of `loop` if its bounds are constants.
static std::optional<APInt> getTripCount(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return step && *step > 0 ? loop.getStaticTripCount() : std::nullopt;
}

static bool isMarked(Operation *op) {
  return hasAttr<ObsDialect::UnrollAttrHelper>(op);
}

/// True if `loop` carries an array of a warp with several elements for each
/// lane. Without the loop, the register of each element is known.
static bool carriesLaneArray(scf::ForOp loop) {
  ScopeInfo scope = getEnclosingScope(loop);
  return scope.level == Level::Warp && !scope.isScalar &&
         llvm::any_of(loop.getRegionIterArgs(), [](Value carried) {
           auto type = dyn_cast<PullType>(carried.getType());
           if (!type || !type.hasStaticExtents())
             return false;
           int64_t size = ShapedType::getNumElements(type.getExtents());
           return size > warpSize && size <= maxLaneElements;
         });
}

/// Marks the loops that are unrolled without a mark of the program.
static void markLoops(Operation *root) {
  root->walk([](scf::ForOp loop) {
    std::optional<APInt> count = getTripCount(loop);
    if (count && count->ule(maxStages) && carriesLaneArray(loop))
      setAttr<ObsDialect::UnrollAttrHelper>(loop);
  });
}

/// The outermost marked loops.
static SmallVector<scf::ForOp> findLoops(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!isMarked(loop))
      return WalkResult::advance();
    loops.push_back(loop);
    return WalkResult::skip();
  });
  return loops;
}

namespace {
struct UnrollLoops : obs::impl::ObsUnrollLoopsPassBase<UnrollLoops> {
  void runOnOperation() override {
    Operation *root = getOperation();
    WalkResult marks = root->walk([](Operation *op) {
      if (isMarked(op) && !isa<scf::ForOp>(op)) {
        op->emitOpError("[unroll-bounds] cannot be unrolled; mark an scf.for "
                        "whose bounds are constants");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (marks.wasInterrupted())
      return signalPassFailure();
    auto findNext = [&] {
      markLoops(root);
      return findLoops(root);
    };
    for (SmallVector<scf::ForOp> loops = findNext(); !loops.empty();
         loops = findNext()) {
      for (scf::ForOp loop : loops)
        if (failed(unroll(loop)))
          return signalPassFailure();
      // Folds the computations of the bounds of inner loops.
      (void)applyPatternsGreedily(root, RewritePatternSet(&getContext()));
    }
  }

  static LogicalResult unroll(scf::ForOp loop) {
    std::optional<APInt> count = getTripCount(loop);
    if (!count)
      return loop.emitOpError("[unroll-bounds] cannot be unrolled, since its "
                              "bounds are not constants; remove obs.unroll");
    if (count->ugt(maxOperations / countOperations(loop)))
      return loop.emitOpError("[unroll-size] would become more than ")
             << maxOperations << " operations; remove obs.unroll";
    removeAttr<ObsDialect::UnrollAttrHelper>(loop);
    if (!count->isZero())
      return loopUnrollFull(loop);
    loop.replaceAllUsesWith(loop.getInitArgs());
    loop.erase();
    return success();
  }
};
} // namespace
