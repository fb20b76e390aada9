//===- ToHostC.h - Host programs in C ---------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_TOHOSTC_H
#define OBSIDIAN_TARGET_TOHOSTC_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::obs {

/// Prints the host functions of `module`, which is a module after `obs-to-gpu`,
/// as one C99 file that needs `cuda.h` and the CUDA driver only. `ptx` is the
/// text of its kernels, which the file contains.
///
/// A function `main` becomes `CUresult obs_main(...)`. Its parameters are, in
/// the order of the source: for an array one `const obs_array *` for each
/// element type, in device memory; for a scalar its value; then for each result
/// a pointer to an `obs_array` (the caller frees its memory by `obs_free`) or
/// to a scalar. The caller makes a context current. When the function fails it
/// has freed what it had allocated, and gives the error of the driver, or
/// CUDA_ERROR_ASSERT for an assertion of the program, or
/// CUDA_ERROR_MISALIGNED_ADDRESS for an array that a kernel needs aligned.
///
/// Fails, with a diagnostic, for host code that C does not have: `[host-c]`.
LogicalResult translateToHostC(ModuleOp module, StringRef ptx, raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_TOHOSTC_H
