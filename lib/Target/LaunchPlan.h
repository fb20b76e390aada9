//===- LaunchPlan.h - What a host function does, as JSON --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TARGET_LAUNCHPLAN_H
#define OBSIDIAN_LIB_TARGET_LAUNCHPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// The object of "functions" in the launch contract that describes `function`,
/// a host function after `obs-to-gpu`; see LaunchContract.h for its members.
llvm::json::Object describeFunction(func::FuncOp function);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_TARGET_LAUNCHPLAN_H
