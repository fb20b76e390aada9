//===- Lowering.cpp - From the graph of a Dag program to obs --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the graph and a plan. Out: a module with one function, which checks what
// the program expects of its parameters, and returns the results.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Obsidian/FrontEnd/Dag/Dag.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

void Lowering::returnValue(Node *node, Values &values,
                           const std::string &valueName) {
  if (node->is(Node::Tuple)) {
    for (auto [field, op] : llvm::zip(node->type->fields, node->ops))
      returnValue(op, values, valueName + "_" + field.name.str());
    return;
  }
  // A struct that is not a Tuple has several values.
  auto addNames = [&](size_t count) {
    for (size_t k = 0; k < count; ++k)
      resultNames.push_back(count == 1 ? valueName
                                       : valueName + "_" + std::to_string(k));
  };
  if (!node->type->isArray()) {
    if (!storeSources(node))
      return;
    Values parts = emit(node);
    addNames(parts.size());
    llvm::append_range(values, parts);
    return;
  }
  if (node->type->getScalar()->hasArrays())
    return graph.diagnostics.error(
        node->loc, "an array of structs that contain arrays cannot be "
                   "returned; return the arrays");
  addNames(1);
  if (!node->is(Node::Param))
    store(node);
  if (hasFailed())
    return;
  values.push_back(node->is(Node::Param) ? bindings.at(node)[0]
                                         : stored.at(node).array);
  // Rows of different lengths are returned together with their lengths.
  for (unsigned k = 1; k < node->type->getRank(); ++k)
    if (!graph.getDim(node, k)) {
      Node *lengths = graph.getLengths(node, k);
      results.insert(lengths);
      store(lengths);
      if (hasFailed())
        return;
      resultNames.push_back(valueName + "_lengths" + std::to_string(k));
      values.push_back(stored.at(lengths).array);
    }
}

void Lowering::checkExpectations() {
  for (const Expectation &expectation : graph.expectations) {
    if (!visited.count(expectation.a) && !visited.count(expectation.b) &&
        !visited.count(expectation.user))
      continue;
    Nodes sources;
    std::set<Node *> seen;
    collectStored(expectation.a, seen, sources);
    collectStored(expectation.b, seen, sources);
    if (!sources.empty())
      continue;
    b.setLoc(expectation.loc);
    Value x = emitIndex(expectation.a), y = emitIndex(expectation.b);
    Value areEqual = b.compare(ScalarBuilder::Order::EQ, x, y);
    AssertOp::create(b, areEqual, expectation.message);
  }
}

OwningOpRef<ModuleOp> Lowering::run() {
  analyze();
  if (hasFailed())
    return {};
  b.setLoc(graph.result->loc);
  OwningOpRef<ModuleOp> module(ModuleOp::create(b.getLoc()));
  b.setInsertionPointToEnd(module->getBody());
  SmallVector<mlir::Type> params;
  for (Node *param : graph.params) {
    Types types = getTypes(param->type);
    params.push_back(param->type->isArray()
                         ? pull(param->type->getRank(), types)
                         : types[0]);
  }
  auto function =
      func::FuncOp::create(b, graph.name, b.getFunctionType(params, {}));
  Block *block = function.addEntryBlock();
  scopes.push_back(Scope{block, Level::Grid, {}});
  b.setInsertionPointToEnd(block);
  for (Node *param : graph.params) {
    Value value = block->getArgument(param->attr);
    if (param->type == graph.intType)
      choices.estimates.emplace_back(value, graph.estimate(param));
    bindings[param] = {value};
  }
  for (auto [number, paramName] : llvm::enumerate(graph.paramNames))
    setArgAttr<ObsDialect::NameAttrHelper>(function, number,
                                           b.getStringAttr(paramName));
  checkExpectations();
  Values values;
  returnValue(graph.result, values, "result");
  if (hasFailed())
    return {};
  func::ReturnOp::create(b, values);
  function.setFunctionType(
      b.getFunctionType(params, ValueRange(values).getTypes()));
  for (auto [number, resultName] : llvm::enumerate(resultNames))
    setResultAttr<ObsDialect::NameAttrHelper>(function, number,
                                              b.getStringAttr(resultName));
  if (failed(verify(*module)))
    return {};
  return module;
}

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
