//===- InPlace.h - Kernels that may write what they read --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_INPLACE_H
#define OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_INPLACE_H

#include "Obsidian/Dialect/Obs/Analysis/InPlaceFills.h"

namespace mlir::obs {

/// Whether the kernel of `launch` gives what it did if its argument `out`,
/// which it writes, is the memory of its argument `in`, which it reads. The two
/// have the same extents.
InPlace mayRunInPlace(LaunchOp launch, unsigned in, unsigned out);

/// Makes the parameter `out` of the kernel of `launch`, which is its only one,
/// the same as `in`.
void mergeParameters(LaunchOp launch, unsigned in, unsigned out);

/// On parameters of a kernel: they may point to one array.
constexpr StringLiteral mayAliasAttrName = "obs.may_alias";

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_DIALECT_OBS_TRANSFORMS_INPLACE_H
