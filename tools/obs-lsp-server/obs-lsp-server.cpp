//===- obs-lsp-server.cpp - Editor support for obs programs ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/RegisterAll.h"
#include "Obsidian/Tools/ErrorHandlers.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::obs::installErrorHandlers("obs-lsp-server");
  mlir::DialectRegistry registry;
  mlir::obs::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
