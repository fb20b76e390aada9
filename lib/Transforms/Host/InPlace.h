//===- InPlace.h - Kernels that can run in place ----------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_HOST_INPLACE_H
#define OBSIDIAN_LIB_TRANSFORMS_HOST_INPLACE_H

#include "Obsidian/Dialect/Obs/Analysis/InPlaceFills.h"

namespace mlir::obs {

/// True if the result of the kernel of `launch` is unchanged when its argument
/// `out`, which it writes, is the memory of its argument `in`, which it reads.
/// Both have the same extents.
InPlace mayRunInPlace(LaunchOp launch, unsigned in, unsigned out);

/// Replaces the parameter `out` of the kernel of `launch` by `in`. This is the
/// only launch of the kernel.
void mergeParameters(LaunchOp launch, unsigned in, unsigned out);

/// An attribute of parameters of a kernel that may be the same array.
constexpr StringLiteral mayAliasAttrName = "obs.may_alias";

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TRANSFORMS_HOST_INPLACE_H
