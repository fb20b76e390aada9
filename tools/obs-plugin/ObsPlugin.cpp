//===- ObsPlugin.cpp - The dialect for the stock mlir-opt -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt --load-dialect-plugin=ObsPlugin.so --load-pass-plugin=ObsPlugin.so
//   --pass-pipeline='builtin.module(obs-to-gpu{threads=64})' program.mlir
//
// It can be loaded only by the version of MLIR that it was built for.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/RegisterAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Obsidian", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mlir::obs::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Obsidian", LLVM_VERSION_STRING,
          mlir::obs::registerOwnPasses};
}
