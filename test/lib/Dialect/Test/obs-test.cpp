//===- obs-test.cpp - The tools with a dialect from outside ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `obs-test opt|run|translate ARGUMENTS`: obs-opt, obs-run and obs-translate,
// as another project would build them with its own dialect.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/RegisterAll.h"
#include "Obsidian/Tools/ErrorHandlers.h"
#include "Obsidian/Tools/ObsRun/ObsRun.h"
#include "Obsidian/Tools/ObsTranslate/ObsTranslate.h"
#include "TestDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

using namespace mlir;

static void registerDialects(DialectRegistry &registry) {
  obs::registerAllDialects(registry);
  registry.insert<test::TestDialect>();
}

int main(int argc, char **argv) {
  obs::installErrorHandlers("obs-test");
  StringRef tool = argc > 1 ? argv[1] : "";
  // The rest is the command line of the tool.
  if (argc > 1) {
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  DialectRegistry registry;
  registerDialects(registry);
  if (tool == "opt") {
    obs::registerAllPasses();
    return asMainReturnCode(MlirOptMain(argc, argv, "obs-opt\n", registry));
  }
  if (tool == "run")
    return obs::obsRunMain(argc, argv, registry);
  if (tool == "translate") {
    obs::registerObsTranslations(registerDialects);
    return failed(mlirTranslateMain(argc, argv, "obs-translate\n"));
  }
  llvm::errs() << "usage: obs-test opt|run|translate ARGUMENTS\n";
  return 2;
}
