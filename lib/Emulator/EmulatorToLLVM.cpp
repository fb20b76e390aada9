//===- EmulatorToLLVM.cpp - From kernel functions to the LLVM dialect -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Emulator/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace mlir::obs::emulator {

#define GEN_PASS_REGISTRATION
#include "Obsidian/Emulator/Passes.h.inc"

void buildEmulatorToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertMathToFuncs());
  // A conversion that patterns can undo notes each operation of a block that it
  // divides, so the time would be quadratic in the number of branches.
  SCFToControlFlowPassOptions scfOptions;
  scfOptions.allowPatternRollback = false;
  pm.addPass(createSCFToControlFlowPass(scfOptions));
  // Intrinsics of LLVM if they exist, and libm for other functions. An
  // approximation of log1p would differ from the results of other executors.
  ConvertMathToLLVMPassOptions mathOptions;
  mathOptions.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(mathOptions));
  pm.addPass(createConvertMathToLibmPass());
  // One conversion of all other dialects: each pass would visit each operation,
  // and that of the vector dialect looks for folds in all of them.
  ConvertToLLVMPassOptions llvmOptions;
  llvmOptions.allowPatternRollback = false;
  pm.addPass(createConvertToLLVMPass(llvmOptions));
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void registerEmulatorToLLVMInterfaces(DialectRegistry &registry) {
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
}

void registerEmulatorPasses() {
  registerObsEmulatorPasses();
  PassPipelineRegistration<>("lower-emulator-to-llvm",
                             "Convert the result of convert-gpu-to-emulator to "
                             "the LLVM dialect. Runs on "
                             "the module that holds the functions",
                             buildEmulatorToLLVMPipeline);
}

} // namespace mlir::obs::emulator
