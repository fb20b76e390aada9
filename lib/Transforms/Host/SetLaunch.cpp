//===- SetLaunch.cpp - Choose threads of a block and number of blocks -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSSETLAUNCHPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "FitWarps.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

static constexpr int64_t defaultThreads = 256;

/// Threads for a kernel that requests no number: the longest static loop over
/// the threads of a block, in whole warps. If there are static loops over at
/// least 4 warps, only the longest of these counts: more threads would only
/// wait for them. The same holds for fewer warps, if their threads execute only
/// a few iterations of each other loop. There are more threads than usual for
/// loops over more warps, if they are so long that the elements of a thread
/// would not be in registers otherwise.
static int64_t chooseThreads(KernelOp kernel) {
  constexpr int64_t manyWarps = 4, fewIterations = 8, manyIterations = 32;
  int64_t longest = 0, warps = 0;
  kernel.walk([&](ParOp par) {
    if (getEnclosingScope(par).level != Level::Block)
      return;
    constexpr int64_t most = 1 << 20, unknown = fewIterations * defaultThreads;
    int64_t length = 1;
    for (Value extent : par.getExtents())
      length = std::min(
          most, length * std::min(most, getConstantIntValue(extent).value_or(
                                            unknown)));
    if (par.getUnit() == Level::Warp)
      warps = std::max(warps, length * warpSize);
    else
      longest = std::max(longest, length);
  });
  bool isLong = longest > manyIterations * defaultThreads;
  warps = std::min(warps, isLong ? int64_t(maxThreads) : defaultThreads);
  if (warps >= manyWarps * warpSize ||
      (warps > 0 && longest <= fewIterations * warps))
    return warps;
  int64_t widest = std::max(warps, std::min(longest, defaultThreads));
  return widest == 0 ? defaultThreads : llvm::alignTo(widest, warpSize);
}

/// The number of blocks: each worker executes one iteration of the grid's
/// loops.
static Value buildBlocks(OpBuilder &builder, LaunchOp launch, int64_t threads) {
  Location loc = launch.getLoc();
  IndexBuilder index{builder, loc};
  Value blocks = index.constant(1);
  if (!launch.getUnits())
    return blocks;
  for (auto [amount, unit] : llvm::zip(
           launch.getWork(), launch.getUnits()->getAsRange<LevelAttr>())) {
    int64_t perBlock = 1;
    if (unit.getValue() == Level::Thread)
      perBlock = threads;
    if (unit.getValue() == Level::Warp)
      perBlock = llvm::divideCeil(threads, warpSize);
    Value needed =
        index.join<arith::CeilDivUIOp>(amount, index.constant(perBlock));
    blocks = index.join<arith::MaxUIOp>(blocks, needed);
  }
  // The largest grid of one dimension. Loops execute the remaining iterations.
  return index.join<arith::MinUIOp>(blocks, index.constant(2147483647));
}

namespace {
struct SetLaunch : obs::impl::ObsSetLaunchPassBase<SetLaunch> {
  using ObsSetLaunchPassBase::ObsSetLaunchPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pipeline(ModuleOp::getOperationName());
    addLevelPasses(pipeline, limit);
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    for (auto kernel : module.getOps<KernelOp>()) {
      int64_t count =
          threads != 0 ? int64_t(threads) : kernel.getThreads().value_or(0);
      if (count == 0)
        count = fitWarps(kernel, chooseThreads(kernel), limit);
      if (count < 1 || count > maxThreads) {
        kernel.emitOpError("[launch-threads] asks for ")
            << count << " threads; a block has 1 to 1024";
        return signalPassFailure();
      }
      // All lanes of a warp execute `obs.mma` together.
      if (containsOp(kernel, [](MmaOp) { return true; }))
        count = llvm::alignTo(count, warpSize);
      kernel.setThreads(count);
    }
    if (blocks < 0 || blocks > 2147483647) {
      module.emitError("[launch-blocks] asks for ")
          << int64_t(blocks) << " blocks; a grid has 1 to 2147483647";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    module.walk([&](LaunchOp launch) {
      if (launch.getBlocks())
        return;
      builder.setInsertionPoint(launch);
      if (blocks == 0)
        launch.setByExtent(true);
      auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
      Value count = blocks != 0
                        ? Value(arith::ConstantIndexOp::create(
                              builder, launch.getLoc(), blocks))
                        : buildBlocks(builder, launch, *kernel.getThreads());
      launch.getBlocksMutable().assign(count);
      launch.getWorkMutable().clear();
      launch.removeUnitsAttr();
    });
  }
};
} // namespace
