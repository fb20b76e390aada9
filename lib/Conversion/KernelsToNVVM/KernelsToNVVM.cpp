//===- KernelsToNVVM.cpp - Kernels become functions of NVVM ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_CONVERTKERNELSTONVVMPASS
#include "Obsidian/Conversion/Passes.h"

#include "Obsidian/Conversion/Toolkit.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsDialect.h"
#include "Patterns.h"

#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/FileSystem.h"

namespace mlir::obs {

/// Bytes that the dynamic shared memory of a block is aligned to: enough for
/// every vector access and for the bulk copies of newer chips.
static constexpr uint64_t kSharedAlignment = 128;

/// True for an operation that the conversion to LLVM expects to be expanded.
static bool needsExpansion(Operation *op) {
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::ExtractStridedMetadataOp>(op))
    return true;
  return isa_and_nonnull<affine::AffineDialect>(op->getDialect());
}

/// Replaces operations without a counterpart in LLVM by simpler ones.
static LogicalResult expandOperations(gpu::GPUModuleOp module) {
  if (!containsOp(module, needsExpansion))
    return success();
  // The second step expands the operations that the first one leaves, and
  // merges equal blocks.
  RewritePatternSet metadata(module.getContext());
  memref::populateExpandStridedMetadataPatterns(metadata);
  arith::populateCeilFloorDivExpandOpsPatterns(metadata);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(module, std::move(metadata), config)))
    return failure();
  RewritePatternSet affine(module.getContext());
  populateAffineToStdConversionPatterns(affine);
  return applyPatternsGreedily(module, std::move(affine));
}

/// Reports the operations that need libdevice if it was not found.
static LogicalResult checkLibdevice(gpu::GPUModuleOp module,
                                    StringRef libdevice) {
  Operation *first = nullptr;
  module.walk([&](Operation *op) {
    if (!needsLibdevice(op))
      return WalkResult::advance();
    first = op;
    return WalkResult::interrupt();
  });
  if (!first)
    return success();
  std::string path = libdevice.str();
  if (path.empty())
    path = findLibdevice();
  if (path == "none" || path.empty())
    return first->emitError()
           << "'" << first->getName()
           << "' on a GPU needs libdevice.10.bc of the CUDA toolkit, which was "
              "not found; set CUDA_HOME or name the file with libdevice=FILE";
  if (!llvm::sys::fs::exists(path))
    return first->emitError() << "'" << first->getName()
                              << "' needs libdevice, but there is no " << path;
  return success();
}

/// Reports the first value of a float type that GPUs do not have. Operations on
/// such floats end in an error of LLVM without a place.
static LogicalResult checkFloats(gpu::GPUModuleOp module) {
  auto hasWideFloats = [](Type type) {
    return isa<Float80Type, Float128Type>(getElementTypeOrSelf(type));
  };
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    auto found = llvm::find_if(types, hasWideFloats);
    if (found == types.end())
      return WalkResult::advance();
    return op->emitOpError("has a value of type ")
           << *found << ", which GPUs do not have; use f16, bf16, f32 or f64";
  });
  return failure(walked.wasInterrupted());
}

/// Refuses constructs that kernels of other tools may contain and that the
/// conversion does not support.
static LogicalResult checkModule(gpu::GPUModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (!isa<FunctionOpInterface, memref::GlobalOp, LLVM::GlobalOp>(op))
      return op.emitOpError("stands outside of a function; a gpu.module holds "
                            "functions and tables");
    auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
    if (!kernel)
      continue;
    for (DenseI32ArrayAttr size :
         {kernel.getKnownBlockSizeAttr(), kernel.getKnownGridSizeAttr()})
      for (int32_t extent : size ? size.asArrayRef() : ArrayRef<int32_t>())
        if (extent < 1)
          return kernel.emitOpError("has a known size of ")
                 << extent << "; blocks and grids have at least one thread";
    for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      auto memory = dyn_cast<BaseMemRefType>(type);
      auto ranked = dyn_cast<MemRefType>(type);
      if (memory && (!ranked || !ranked.hasStaticShape() ||
                     !ranked.getLayout().isIdentity()))
        return kernel.emitOpError("has argument ")
               << number << " of type " << type
               << ", which carries extents; pass memory of a static shape, as "
                  "obs-to-gpu does, and the extents as index";
    }
  }
  return checkFloats(module);
}

/// Makes the array of dynamic shared memory what CUDA expects: an external one,
/// whose size is up to the launch, and with an alignment that suits all.
static void fixSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (global.getAddrSpace() !=
            static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared) ||
        !array || array.getNumElements() != 0)
      continue;
    global.setLinkage(LLVM::Linkage::External);
    global.setAlignment(kSharedAlignment);
  }
}

/// Gives the tables that are in constant memory the address space of it.
static void placeConstants(gpu::GPUModuleOp module) {
  Attribute space =
      IntegerAttr::get(IntegerType::get(module.getContext(), 64),
                       static_cast<int64_t>(NVVM::NVVMMemorySpace::Constant));
  auto getType = [&](MemRefType type) {
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout(), space);
  };
  llvm::StringMap<memref::GlobalOp> tables;
  for (auto table : module.getOps<memref::GlobalOp>())
    if (removeAttr<ObsDialect::ConstantAttrHelper>(table))
      tables[table.getSymName()] = table;
  // A view of a table would need another type, too.
  module.walk([&](memref::GetGlobalOp use) {
    if (!llvm::all_of(use->getUsers(), llvm::IsaPred<memref::LoadOp>))
      tables.erase(use.getName());
  });
  for (auto &entry : tables)
    entry.second.setType(getType(entry.second.getType()));
  module.walk([&](memref::GetGlobalOp use) {
    if (tables.contains(use.getName()))
      use.getResult().setType(getType(use.getType()));
  });
}

/// The bytes of dynamic shared memory that `kernel` uses; none if they are not
/// constant.
static std::optional<int64_t> countSharedBytes(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  bool isConstant = true;
  kernel.walk([&](gpu::DynamicSharedMemoryOp memory) {
    for (Operation *user : memory->getUsers()) {
      auto view = dyn_cast<memref::ViewOp>(user);
      IntegerAttr shift;
      isConstant &= view && view.getType().hasStaticShape() &&
                    matchPattern(view.getByteShift(), m_Constant(&shift));
      if (isConstant)
        bytes = std::max(
            bytes, shift.getInt() +
                       view.getType().getNumElements() *
                           getElementBytes(view.getType().getElementType()));
    }
  });
  return isConstant ? std::optional(bytes) : std::nullopt;
}

/// The least number of threads that a multiprocessor executes at once, for
/// which the registers of `kernel` are limited; 0 if they are not.
///
/// - If blocks wait for each other, each then waits for less time. On an H200,
///   a scan of 2^28 elements takes 0.54 ms, and 0.58 ms without the limit. An
///   atomic load is what a thread waits with.
/// - The attribute `obs.least_threads` of an atomic operation is another
///   number. A kernel that keeps many elements in registers is faster with less
///   threads.
/// - If blocks of 1024 threads combine in shared memory, one block reads while
///   another one waits at a barrier.
static int64_t chooseResidentThreads(gpu::GPUFuncOp kernel, int64_t threads) {
  constexpr int64_t combining = 2048, sharedBytes = 1 << 16;
  int64_t waiting = 0;
  bool combines = false, isGiven = false;
  kernel.walk([&](memref::AtomicRMWOp op) {
    auto number = getAttr<ObsDialect::LeastThreadsAttrHelper>(op);
    isGiven |= number != nullptr;
    if (number || isAtomicLoad(op))
      waiting = std::max<int64_t>(waiting, number ? number.getInt() : 1024);
    combines |= gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
        cast<MemRefType>(op.getMemref().getType()));
  });
  if (combines && !isGiven && threads == combining / 2) {
    std::optional<int64_t> bytes = countSharedBytes(kernel);
    if (bytes && *bytes <= sharedBytes)
      return combining;
  }
  return waiting;
}

static void limitRegisters(gpu::GPUModuleOp module) {
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    DenseI32ArrayAttr size = kernel.getKnownBlockSizeAttr();
    if (!size)
      continue;
    int64_t threads = 1;
    for (int32_t extent : size.asArrayRef())
      threads *= extent;
    int64_t resident = chooseResidentThreads(kernel, threads);
    if (threads < resident)
      kernel->setAttr(
          NVVM::NVVMDialect::getMinctasmAttrName(),
          IntegerAttr::get(IntegerType::get(module.getContext(), 32),
                           resident / threads));
  }
}

namespace {
struct ConvertKernelsToNVVM
    : impl::ConvertKernelsToNVVMPassBase<ConvertKernelsToNVVM> {
  using ConvertKernelsToNVVMPassBase::ConvertKernelsToNVVMPassBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    if (failed(checkModule(module)) ||
        failed(checkLibdevice(module, libdevice)) ||
        failed(expandOperations(module)))
      return signalPassFailure();

    placeConstants(module);
    limitRegisters(module);
    DistanceMap distances = splitDistances(module);

    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);

    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns,
                                        /*benefit=*/2);
    populateMathToNVVMPatterns(converter, patterns);
    populateMmaToNVVMPatterns(converter, patterns);
    populateAtomicsToNVVMPatterns(converter, patterns);
    populateAccessesToNVVMPatterns(converter, patterns, distances);

    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
    target.addIllegalOp<LLVM::FRemOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    fixSharedMemory(module);
  }
};
} // namespace

} // namespace mlir::obs
