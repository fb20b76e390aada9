//===- ObsCollectives.h - Reductions and scans ------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVES_H
#define OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVES_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

#include "Obsidian/Dialect/Obs/IR/ObsCollectiveInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsCollectiveOps.h.inc"

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSCOLLECTIVES_H
