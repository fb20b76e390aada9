//===- ObsOps.td - All operations of the obs dialect -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsBitOps.td"
include "Obsidian/Dialect/Obs/IR/ObsKernelOps.td"

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSOPS_TD
