//===- Dag.cpp - The front end of Dag -------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/Dag/Dag.h"
#include "Lowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

OwningOpRef<ModuleOp> mlir::obs::dag::importDag(llvm::SourceMgr &sources,
                                                MLIRContext *context,
                                                const DagOptions &options) {
  context->loadDialect<ObsDialect, func::FuncDialect, arith::ArithDialect,
                       math::MathDialect, scf::SCFDialect>();
  // Remarks of passes name operations that a Dag program does not contain.
  context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  Diagnostics diagnostics(sources, context);
  Graph graph(diagnostics);
  parse(graph, options.entry);
  Plan plan;
  if (!diagnostics.hasFailed() && options.search)
    plan = search(graph, options.candidate, options.explain);
  if (diagnostics.hasFailed())
    return {};
  Choices choices;
  return Lowering(graph, plan, choices).run();
}
