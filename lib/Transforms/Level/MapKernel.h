//===- MapKernel.h - A kernel of level IR becomes a gpu.func ----*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_LEVEL_MAPKERNEL_H
#define OBSIDIAN_LIB_TRANSFORMS_LEVEL_MAPKERNEL_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::obs {

/// Builds in `module` the function that `kernel` becomes. The passes before
/// `obs-map-levels` have run on `kernel`.
gpu::GPUFuncOp mapKernel(KernelOp kernel, gpu::GPUModuleOp module);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_LEVEL_MAPKERNEL_H
