//===- ToHostC.h - Host programs in C ---------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_TOHOSTC_H
#define OBSIDIAN_TARGET_TOHOSTC_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::obs {

/// The types of the parameters of functions, by their names.
using HostSignatures = llvm::StringMap<SmallVector<Type>>;

/// Those of `module` as it is now: before `obs-to-gpu` they say which arrays
/// are parts of one, and how long arrays are.
HostSignatures getHostSignatures(ModuleOp module);

/// Prints the host functions of `module`, which is a module after `obs-to-gpu`,
/// as one C99 file that needs `cuda.h` and the CUDA driver only. `ptx` is the
/// text of its kernels, which the file contains. `signatures` are those of the
/// source; functions check at run time that they get what these say.
///
/// A function `main` becomes `CUresult obs_main(...)`. Its parameters are, in
/// the order of the source: for an array one `const obs_array *` for each
/// element type, in device memory; for a scalar its value; then for each result
/// a pointer to an `obs_array` (the caller frees its memory by `obs_free`) or
/// to a scalar. The caller makes a context current. When the function fails it
/// has freed what it had allocated, and gives the error of the driver, or
/// CUDA_ERROR_ASSERT for an assertion of the program,
/// CUDA_ERROR_INVALID_VALUE for an array that is not of the parameter's type,
/// CUDA_ERROR_OUT_OF_MEMORY also for one of more than 2^63 bytes (these three
/// with a line on stderr), or CUDA_ERROR_MISALIGNED_ADDRESS for an array that a
/// kernel needs aligned.
///
/// Fails, with a diagnostic, for host code that C does not have: `[host-c]`.
LogicalResult translateToHostC(ModuleOp module,
                               const HostSignatures &signatures, StringRef ptx,
                               raw_ostream &os);

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_TOHOSTC_H
