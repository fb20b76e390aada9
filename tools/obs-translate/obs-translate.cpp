//===- obs-translate.cpp - Translates programs to PTX and more ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Tools/ErrorHandlers.h"
#include "Obsidian/Tools/Inputs.h"
#include "Obsidian/Tools/Memory.h"
#include "Obsidian/Tools/ObsTranslate/ObsTranslate.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::obs::installErrorHandlers("obs-translate");
  mlir::obs::keepFreedMemory();
  llvm::ExitOnError("obs-translate: error: ")(
      mlir::obs::prepareInputs({argv, size_t(argc)}));
  mlir::obs::registerObsTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Obsidian translation driver\n"));
}
