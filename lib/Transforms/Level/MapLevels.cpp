//===- MapLevels.cpp - Level IR becomes gpu.func --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSMAPLEVELSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "MapKernel.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "OwnedArrays.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// Fails unless the passes before have run on `kernel`.
static LogicalResult verifyReady(KernelOp kernel) {
  std::optional<int64_t> threads = kernel.getThreads();
  if (!threads)
    return kernel.emitOpError(
        "has no number of threads; run obs-set-launch first");
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto memory = dyn_cast<MemRefType>(argument.getType());
    if (memory && !memory.getLayout().isIdentity())
      return kernel.emitOpError("has an argument of type ")
             << memory
             << "; only arrays without gaps can be passed as pointers";
  }
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto leaf = dyn_cast<scf::ForallOp>(op);
        leaf && (!getLeafMap(leaf) || leaf.getRank() != 1)) {
      op->emitOpError("is not mapped to threads; see obs-verify-levels");
      return WalkResult::interrupt();
    }
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      HomeAttr home = getHome(alloc);
      if (!home || (home.getStorage() != Storage::Registers &&
                    home.getStorage() != Storage::Shared)) {
        op->emitOpError("has no home yet; run obs-assign-homes first");
        return WalkResult::interrupt();
      }
      if (home.getStorage() == Storage::Registers &&
          home.getOwner() == Level::Block && !findOwnedArray(alloc, *threads)) {
        op->emitOpError("cannot live in registers as it is used; run "
                        "obs-assign-homes first");
        return WalkResult::interrupt();
      }
      if (home.getStorage() == Storage::Shared &&
          !getAttr<ObsDialect::OffsetAttrHelper>(op)) {
        op->emitOpError("has no place in shared memory yet; run "
                        "obs-plan-shared first");
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static int64_t countBytes(memref::GlobalOp table) {
  MemRefType type = table.getType();
  return type.getNumElements() * getElementBytes(type.getElementType());
}

/// Selects the tables in constant memory, and marks them: those that the
/// program requests, and, if there is room, those that all kernels read well
/// there. Fails if there is no room for the requested ones.
static LogicalResult placeTables(ModuleOp module) {
  llvm::MapVector<memref::GlobalOp, bool> tables;
  module.walk([&](memref::GetGlobalOp use) {
    if (!use->getParentOfType<KernelOp>())
      return;
    auto table = module.lookupSymbol<memref::GlobalOp>(use.getName());
    bool isGood = hasAttr<ObsDialect::ConstantAttrHelper>(use);
    auto [entry, isNew] = tables.try_emplace(table, isGood);
    entry->second &= isGood;
  });
  // Each starts where any element can.
  auto getSize = [](memref::GlobalOp table) {
    return static_cast<int64_t>(llvm::alignTo(countBytes(table), 8));
  };
  int64_t bytes = 0;
  for (auto &[table, isGood] : tables)
    if (hasAttr<ObsDialect::ConstantAttrHelper>(table))
      bytes += getSize(table);
  if (bytes > constantMemoryBytes) {
    InFlightDiagnostic error =
        module.emitError("[constant-limit] tables in constant memory take ")
        << bytes << " bytes, but there are " << constantMemoryBytes
        << "; leave out 'in constant' for some";
    for (auto &[table, isGood] : tables)
      if (hasAttr<ObsDialect::ConstantAttrHelper>(table))
        error.attachNote(table.getLoc()) << countBytes(table) << " bytes";
    return error;
  }
  for (auto &[table, isGood] : tables) {
    if (hasAttr<ObsDialect::ConstantAttrHelper>(table) || !isGood ||
        bytes + getSize(table) > constantMemoryBytes)
      continue;
    bytes += getSize(table);
    setAttr<ObsDialect::ConstantAttrHelper>(table);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void mapLaunch(LaunchOp launch, gpu::GPUFuncOp function,
                      int64_t sharedBytes) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  SmallVector<Value> arguments;
  for (Value argument : launch.getArgs()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      arguments.push_back(argument);
      continue;
    }
    arguments.push_back(memref::ReinterpretCastOp::create(
        builder, loc, MemRefType::get({}, type.getElementType()), argument,
        builder.getIndexAttr(0), ArrayRef<OpFoldResult>(),
        ArrayRef<OpFoldResult>()));
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        arguments.push_back(memref::DimOp::create(builder, loc, argument, d));
  }
  IndexBuilder index{builder, loc};
  Value one = index.constant(1);
  Value shared = arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(sharedBytes));
  int64_t threads = (*function.getKnownBlockSize())[0];
  gpu::LaunchFuncOp::create(
      builder, loc, function, gpu::KernelDim3{launch.getBlocks(), one, one},
      gpu::KernelDim3{index.constant(threads), one, one}, shared, arguments);
  launch.erase();
}

namespace {
struct MapLevels : obs::impl::ObsMapLevelsPassBase<MapLevels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
    if (kernels.empty())
      return;
    for (KernelOp kernel : kernels)
      if (failed(verifyReady(kernel)))
        return signalPassFailure();
    WalkResult launches = module.walk([](LaunchOp launch) {
      if (launch.getBlocks())
        return WalkResult::advance();
      launch.emitOpError("has no number of blocks; run obs-set-launch first");
      return WalkResult::interrupt();
    });
    if (launches.wasInterrupted() || failed(placeTables(module)))
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto gpuModule =
        gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    SymbolTable(module).insert(gpuModule);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    llvm::StringMap<std::pair<gpu::GPUFuncOp, int64_t>> functions;
    for (KernelOp kernel : kernels) {
      int64_t shared = kernel.getSharedBytes().value_or(0);
      functions[kernel.getSymName()] = {mapKernel(kernel, gpuModule), shared};
    }
    module.walk([&](LaunchOp launch) {
      auto [function, shared] = functions[launch.getKernel()];
      mapLaunch(launch, function, shared);
    });
    for (KernelOp kernel : kernels)
      kernel.erase();
    for (auto table :
         llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
      if (SymbolTable::symbolKnownUseEmpty(table, module))
        table.erase();
  }
};
} // namespace
