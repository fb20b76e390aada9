//===- obs-opt.cpp - Runs passes on obs programs --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/StableHLO.h"
#include "Obsidian/RegisterAll.h"
#include "Obsidian/Tools/ErrorHandlers.h"
#include "Obsidian/Tools/Inputs.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::obs::installErrorHandlers("obs-opt");
  mlir::DialectRegistry registry;
  mlir::obs::registerAllDialects(registry);
  mlir::obs::registerStableHLO(registry);
  mlir::obs::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Obsidian optimizer driver\n", registry);
  input = llvm::ExitOnError("obs-opt: error: ")(mlir::obs::prepareInput(input));
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
