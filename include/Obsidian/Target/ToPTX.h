//===- ToPTX.h - PTX text of kernels ----------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_TOPTX_H
#define OBSIDIAN_TARGET_TOPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::obs {

/// Options of the translation to PTX.
struct PTXOptions {
  /// The file libdevice.10.bc, with the math functions that the hardware does
  /// not have. `none`: such functions are refused. Empty: the CUDA toolkit is
  /// searched for the file.
  std::string libdevice;
  /// The PTX has the file and the line of each instruction, which profilers
  /// show.
  bool lineInfo = false;
};

/// Returns `chip` in the form of LLVM (`sm_90`) if PTX can be generated for it:
/// `sm_70` and later. The error lists the supported chips.
llvm::Expected<std::string> parseChip(StringRef chip);

/// The feature of LLVM for the oldest PTX version that supports a chip, such as
/// `+ptx81`. A driver rejects PTX that is newer than the driver.
StringRef getPTXFeature(StringRef chip);

/// The shared memory that a block can have on a chip, in bytes; that of `sm_90`
/// if the chip is not known.
int64_t getSharedBytes(StringRef chip);

/// PTX of all kernels of `module`, which is the result of `obs-to-gpu`. It has
/// one `gpu.module`, and may have host functions. The module is not changed.
/// Entry points have the names of the kernels, and take pointers, extents of 64
/// bits and scalars in the order of the kernels' arguments. Errors in the
/// kernels are reported as diagnostics, and the returned error then has no
/// text. An unknown chip is an error with a text. The translations of the
/// builtin, GPU, LLVM and NVVM dialects to LLVM IR must be registered with the
/// context.
llvm::Expected<std::string> translateToPTX(ModuleOp module, StringRef chip,
                                           const PTXOptions &options = {});

/// The machine code of the PTX, by the assembler `ptxas` of the CUDA toolkit.
/// The toolkit, which is found as for libdevice, and $PATH are searched for it.
/// If there is no assembler, or if it rejects the PTX, the error has a text.
llvm::Expected<std::string> translateToCubin(ModuleOp module, StringRef chip,
                                             const PTXOptions &options = {});

/// The LLVM IR of the PTX, after optimisation.
llvm::Expected<std::string> translateToLLVMIR(ModuleOp module, StringRef chip,
                                              const PTXOptions &options = {});

/// PTX of one module that is in the NVVM dialect.
FailureOr<std::string> emitPTX(gpu::GPUModuleOp nvvmModule, StringRef chip,
                               const PTXOptions &options = {});

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_TOPTX_H
