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
  /// If false, the defaults are used. The program may then be slower.
  bool search = true;
  /// The number of the selected candidate of the search. If it is negative, the
  /// best candidate is selected.
  int candidate = -1;
  /// The stream for the list of candidates with their scores, or null.
  raw_ostream *explain = nullptr;
};

/// Translates the Dag program in the main buffer of `sources` to a module with
/// one host function, which has the name of the entry. docs/Dag.md describes
/// its parameters and results. Afterwards `context` prints no remarks. If the
/// program is wrong or not supported, emits one error with its location and
/// returns null.
OwningOpRef<ModuleOp> importDag(llvm::SourceMgr &sources, MLIRContext *context,
                                const DagOptions &options = {});

/// Prints the C function `dag_NAME` of a module of `importDag`. It takes arrays
/// of the host and calls the function `obs_NAME`, which `printHostC` must print
/// before.
void printHostFunction(ModuleOp module, raw_ostream &os);

} // namespace mlir::obs::dag

#endif // OBSIDIAN_FRONTEND_DAG_DAG_H
