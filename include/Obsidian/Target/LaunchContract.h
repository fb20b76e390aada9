//===- LaunchContract.h - How to launch the kernels of a program -*- C++
//-*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_LAUNCHCONTRACT_H
#define OBSIDIAN_TARGET_LAUNCHCONTRACT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// What one must know to launch, from any language, the kernels of a module
/// after `obs-to-gpu`, compiled for `chip`. One object:
///
///   { "version": 1, "target": "sm_90", "kernels": [ KERNEL... ] }
///
/// Each KERNEL has
/// - "entry": the name in the PTX;
/// - "parameters", in order. Each has a "name" (`arg` and its number unless the
///   program names it), a "kind", an "elementType" as in MLIR and its "size" in
///   bytes. Kinds are "pointer", with "access" (`none`, `read`, `write`,
///   `readwrite` or `accumulate`, which is by atomic operations alone),
///   "alignment" in bytes, "extents" (numbers, or names of parameters or other
///   host values), "aliases" (other parameters that get the same array) and,
///   where the array must be prepared, "initial": `{"fill": value}` or
///   `{"copy": name}`; "extent", with the "pointer" and the "dimension" that it
///   belongs to where it does; and "scalar";
/// - "grid": the number of blocks of one launch along x, as an expression of
///   the parameters with `+ - * max min ceildiv floordiv mod`;
/// - "block": the number of threads of a block along x;
/// - "sharedBytes": dynamic shared memory, a number or an expression;
/// - "workspace": memory beside the parameters, always empty;
/// - "launches": for each place of the program that launches it the "function"
///   and its "grid".
///
/// Chips that are not known are an error.
llvm::Expected<llvm::json::Value> getLaunchContract(ModuleOp module,
                                                    StringRef chip);

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_LAUNCHCONTRACT_H
