//===- StableHLO.h - Contexts for programs of StableHLO ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect of StableHLO is not a part of MLIR, so its operations are
// unknown. MLIR assumes that an unknown operation with one region may be a
// symbol table, unless its dialect is there. A `func.call` in the function of a
// `reduce` would find no function. The functions below add a dialect without
// operations, types and attributes. It takes those of the text as they are.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_STABLEHLO_H
#define OBSIDIAN_FRONTEND_STABLEHLO_H

namespace mlir {
class DialectRegistry;
class MLIRContext;

namespace obs {

/// Contexts with `registry` can parse programs of StableHLO in the generic
/// form. Their attributes are opaque, so contexts must allow unregistered
/// dialects.
void registerStableHLO(DialectRegistry &registry);

/// Allows or forbids to parse such programs, and all unregistered dialects.
void allowStableHLO(MLIRContext &context, bool isAllowed);

} // namespace obs
} // namespace mlir

#endif // OBSIDIAN_FRONTEND_STABLEHLO_H
