//===- Dag.h - The front end of Dag -----------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_DAG_DAG_H
#define OBSIDIAN_FRONTEND_DAG_DAG_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::obs::dag {

struct DagOptions {
  /// The function to translate; empty for the last one of the file.
  std::string entry;
  /// False takes the defaults: nobody needs a fast program.
  bool search = true;
  /// Of the candidates that the search lists, the one to take; the best one if
  /// negative.
  int candidate = -1;
  /// Where to list the candidates, with their scores.
  raw_ostream *explain = nullptr;
};

/// Translates the Dag program in the main buffer of `sources` to a module with
/// one host function of the name of the entry. docs/Dag.md describes its
/// parameters and results. Afterwards `context` shows no remarks. Emits one
/// error at its place in the source, and returns null, for a program that is
/// wrong or not supported.
OwningOpRef<ModuleOp> importDag(llvm::SourceMgr &sources, MLIRContext *context,
                                const DagOptions &options = {});

/// Prints the C function `dag_NAME` of a module of `importDag`: it takes arrays
/// of the host, and calls the `obs_NAME` that `printHostC` prints before.
void printHostFunction(ModuleOp module, raw_ostream &os);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_FRONTEND_DAG_DAG_H
