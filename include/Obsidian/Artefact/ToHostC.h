//===- ToHostC.h - Host programs in C ---------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_ARTEFACT_TOHOSTC_H
#define OBSIDIAN_ARTEFACT_TOHOSTC_H

#include "Obsidian/Artefact/Artefact.h"

namespace mlir::obs::artefact {

/// Prints the host functions of `artefact` as one C99 file that needs `cuda.h`
/// and the CUDA driver only. `ptx` is the text of the kernels, which the file
/// contains. Functions check at run time that they get what the types of the
/// source say.
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
/// Fails for host code that C does not have: `file:line:column: [host-c]`.
llvm::Error printHostC(const Artefact &artefact, llvm::StringRef ptx,
                       llvm::raw_ostream &os);

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_ARTEFACT_TOHOSTC_H
