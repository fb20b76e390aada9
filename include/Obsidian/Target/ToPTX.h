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
  /// not have; `none` to do without; empty to look for it in the CUDA toolkit.
  std::string libdevice;
  /// 0 to 3, as of LLVM's command line.
  unsigned optLevel = 2;
  /// The PTX has the file and the line of each instruction, which profilers
  /// show.
  bool lineInfo = false;
};

/// The path of libdevice.10.bc of the CUDA toolkit, in $CUDA_HOME, $CUDA_PATH,
/// $CUDA_ROOT or the usual folders; empty if there is none.
std::string findLibdevice();

/// Returns `chip` in the form of LLVM (`sm_90`) if PTX can be generated for it:
/// `sm_70` and later. The error lists the supported chips.
llvm::Expected<std::string> parseChip(StringRef chip);

/// The PTX feature that a chip needs at least, such as `+ptx80`. Drivers reject
/// PTX that is newer than they are, so it is no newer than it must be.
StringRef getPTXFeature(StringRef chip);

/// The shared memory that a block can have on a chip, in bytes; that of `sm_90`
/// if the chip is not known.
int64_t getSharedBytes(StringRef chip);

/// PTX of all kernels of a module after `obs-to-gpu`: of its one `gpu.module`,
/// which may stand beside host functions. The module is left as it is.
/// Entry points are named as the kernels and take pointers, 64-bit extents and
/// scalars in the order of the kernels' arguments. Errors in the kernels are
/// reported as diagnostics, and the returned error then has no text. An unknown
/// chip is an error with a text. Needs the translations to LLVM IR of the
/// builtin, GPU, LLVM and NVVM dialects to be registered with the context.
llvm::Expected<std::string> translateToPTX(ModuleOp module, StringRef chip,
                                           const PTXOptions &options = {});

/// The machine code of the PTX, by the assembler `ptxas` of the CUDA toolkit,
/// which is looked for as libdevice is and in $PATH. Without one, or when it
/// rejects the PTX, the error has a text.
llvm::Expected<std::string> translateToCubin(ModuleOp module, StringRef chip,
                                             const PTXOptions &options = {});

/// The LLVM IR that the PTX is made of, after optimisation.
llvm::Expected<std::string> translateToLLVMIR(ModuleOp module, StringRef chip,
                                              const PTXOptions &options = {});

/// PTX of one module that is in the NVVM dialect.
FailureOr<std::string> emitPTX(gpu::GPUModuleOp nvvmModule, StringRef chip,
                               const PTXOptions &options = {});

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_TOPTX_H
