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
/// contains. Functions check at run time that their arguments have the types of
/// the source.
///
/// A function `main` becomes `CUresult obs_main(...)`. Its parameters have the
/// order of the source. An array is one `const obs_array *` for each element
/// type, in device memory; a scalar is its value. For each result follows a
/// pointer to an `obs_array` (the caller frees its memory by `obs_free`) or to
/// a scalar. The caller must make a CUDA context current. A function that fails
/// frees all memory that it has allocated, and returns the error of the driver,
/// or one of these:
///
/// - CUDA_ERROR_ASSERT for an assertion of the program,
///
/// - CUDA_ERROR_INVALID_VALUE for an array that does not have the type of its
///   parameter,
///
/// - CUDA_ERROR_OUT_OF_MEMORY also for an array of more than 2^63 bytes,
///
/// - CUDA_ERROR_MISALIGNED_ADDRESS for an array that a kernel needs aligned.
///
/// The first three are reported on stderr, too.
///
/// Fails for host code that has no form in C: `file:line:column: [host-c]`.
llvm::Error printHostC(const Artefact &artefact, llvm::StringRef ptx,
                       llvm::raw_ostream &os);

} // namespace mlir::obs::artefact

#endif // OBSIDIAN_ARTEFACT_TOHOSTC_H
