//===- Passes.h - Conversions out of obs ------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_CONVERSION_PASSES_H
#define OBSIDIAN_CONVERSION_PASSES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::obs {

// The file of a pass defines its GEN_PASS_DEF_ macro before it includes this
// header, and so has the base class of the pass, too.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Obsidian/Conversion/Passes.h.inc"

} // namespace mlir::obs

#endif // OBSIDIAN_CONVERSION_PASSES_H
