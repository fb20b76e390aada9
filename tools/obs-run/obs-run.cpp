//===- obs-run.cpp - Runs obs programs ------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/RegisterAll.h"
#include "Obsidian/Tools/ErrorHandlers.h"
#include "Obsidian/Tools/ObsRun/ObsRun.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::obs::installErrorHandlers("obs-run");
  mlir::DialectRegistry registry;
  mlir::obs::registerAllDialects(registry);
  return mlir::obs::obsRunMain(argc, argv, registry);
}
