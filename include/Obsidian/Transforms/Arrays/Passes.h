//===- Passes.h - Passes on arrays ------------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_ARRAYS_PASSES_H
#define OBSIDIAN_TRANSFORMS_ARRAYS_PASSES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Transforms/Arrays/Passes.h.inc"

} // namespace mlir::obs

#endif // OBSIDIAN_TRANSFORMS_ARRAYS_PASSES_H
