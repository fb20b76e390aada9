//===- VersionKernels.cpp - A kernel of one warp for short rows -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels, and their launches with the amount of work, before
// `obs-set-launch`. Out: a second kernel for each kernel whose blocks process
// rows of unknown length, and launches that choose between the two.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSVERSIONKERNELSPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

/// The number of elements of a row for which one warp is at least as fast as
/// eight: measured with sums and softmax on an H100.
static constexpr int64_t shortRow = 2048;
/// The number of blocks from which on one warp of each is enough for a GPU.
static constexpr int64_t manyBlocks = 1024;

/// True if a number of a kernel is the same in all blocks.
static bool isSameInAllBlocks(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return argument == loop.getInductionVar() &&
             llvm::all_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(),
                                     loop.getStep()},
                          isSameInAllBlocks);
    return isa<KernelOp>(parent);
  }
  Operation *op = value.getDefiningOp();
  return (isa<arith::ArithDialect>(op->getDialect()) ||
          isa<DimOp, ViewOp>(op)) &&
         llvm::all_of(op->getOperands(), isSameInAllBlocks);
}

/// True if only a launch knows the number of threads that a block can use: each
/// loop over them has an unknown number of iterations, the same in all blocks,
/// or is short.
static bool hasUnknownLoops(KernelOp kernel) {
  bool areUnknown = false;
  auto visit = [&](ParOp par) {
    if (getEnclosingScope(par).level != Level::Block)
      return WalkResult::advance();
    int64_t length = par.getUnit() == Level::Warp ? warpSize : 1;
    for (Value extent : par.getExtents()) {
      std::optional<int64_t> size = getConstantIntValue(extent);
      if (!size && !isSameInAllBlocks(extent))
        return WalkResult::interrupt();
      areUnknown |= !size;
      length *= size.value_or(1);
    }
    return length > warpSize ? WalkResult::interrupt() : WalkResult::advance();
  };
  return !kernel.walk(visit).wasInterrupted() && areUnknown;
}

/// True if a launch has many blocks, and the largest of its arrays has few
/// elements for each of them.
static Value buildCondition(OpBuilder &builder, LaunchOp launch) {
  Location loc = launch.getLoc();
  IndexBuilder index{builder, loc};
  Value blocks = launch.getWork().front(), most = index.constant(0);
  for (Value array : launch.getArgs()) {
    auto type = dyn_cast<MemRefType>(array.getType());
    if (!type)
      continue;
    Value size = index.constant(1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      size =
          index.mul(size, builder.createOrFold<memref::DimOp>(loc, array, d));
    most = builder.createOrFold<arith::MaxUIOp>(loc, most, size);
  }
  Value limit = index.mul(blocks, index.constant(shortRow));
  Value areShort = index.compare(arith::CmpIPredicate::ule, most, limit);
  Value areMany = index.compare(arith::CmpIPredicate::uge, blocks,
                                index.constant(manyBlocks));
  return index.both(areShort, areMany);
}

namespace {
struct VersionKernels : obs::impl::ObsVersionKernelsPassBase<VersionKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    DenseMap<KernelOp, KernelOp> versions;
    SmallVector<LaunchOp> launches;
    module.walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches) {
      auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
      if (kernel.getThreads() || launch.getWork().size() != 1 ||
          cast<LevelAttr>((*launch.getUnits())[0]).getValue() != Level::Block ||
          getConstantIntValue(launch.getWork().front()).value_or(manyBlocks) <
              manyBlocks)
        continue;
      auto [place, isNew] = versions.try_emplace(kernel);
      if (isNew && hasUnknownLoops(kernel)) {
        KernelOp version = kernel.clone();
        version.setName((kernel.getName() + "_short").str());
        version.setEntry((kernel.getSourceName() + "_short").str());
        version.setThreads(warpSize);
        symbols.insert(version, std::next(kernel->getIterator()));
        place->second = version;
      }
      if (KernelOp version = place->second) {
        OpBuilder builder(launch);
        auto branch = scf::IfOp::create(builder, launch.getLoc(),
                                        buildCondition(builder, launch),
                                        /*withElseRegion=*/true);
        auto other = cast<LaunchOp>(builder.clone(*launch));
        other.setKernel(version.getSymName());
        other->moveBefore(branch.thenYield());
        launch->moveBefore(branch.elseYield());
      }
    }
  }
};
} // namespace
