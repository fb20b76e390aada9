//===- Toolkit.h - Files of the CUDA toolkit --------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_CONVERSION_TOOLKIT_H
#define OBSIDIAN_CONVERSION_TOOLKIT_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::obs {

/// The path of the file `name` in the CUDA toolkit, in $CUDA_HOME, $CUDA_PATH,
/// $CUDA_ROOT or the usual folders; empty if there is none.
std::string findInToolkit(StringRef name);

/// The path of libdevice.10.bc of the CUDA toolkit, with the math functions
/// that the hardware does not have; empty if there is none.
std::string findLibdevice();

} // namespace mlir::obs

#endif // OBSIDIAN_CONVERSION_TOOLKIT_H
